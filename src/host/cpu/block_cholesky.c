/* Factors by 6 x 6 blocks in float32: block_columns.h. */
#include "host/cpu/cpu_block_cholesky.h"

#include "host/cpu/cpu_block_order.h"
#include "host/cpu/cpu_parallel.h"
#include "host/cpu/cpu_registers.h"
#include "host/cpu/cpu_vectors.h"

#include <math.h>
#include <string.h>

#define ARRAYS 7

struct block_cholesky {
    taut_allocator allocator;
    const taut_plan* plan; /* its threads */
    block_order order;
    size_t most_vertices, most_edges, most_blocks;
    float *diagonal, *below; /* blocks by columns, BLOCK_STRIDE apart */
    double* work;
    void* memory[ARRAYS];
    size_t bytes[ARRAYS];
    size_t arrays;
};

typedef block_column column;
typedef loose_block_column loose_column;
typedef float two_columns __attribute__((vector_size(2 * BLOCK_STRIDE * sizeof(float))));
typedef double solution_part __attribute__((vector_size(BLOCK_STRIDE * sizeof(double))));
typedef double loose_solution_part
    __attribute__((vector_size(BLOCK_STRIDE * sizeof(double)), aligned(sizeof(double)), may_alias));
#define CHOLESKY     block_cholesky
#define VALUE        float
#define ROOT         sqrtf
#define ROWS         BLOCK_ROWS
#define STRIDE       BLOCK_STRIDE
#define LANES_OF_TWO 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
#define LEAST_PIVOT  1e-6F
#include "host/cpu/block_columns.h"

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static void* take(block_cholesky* f, size_t count, size_t element) {
    const size_t bytes = (count + 1) * element;
    void* memory = taut_allocate(&f->allocator, bytes);
    if (memory != NULL) {
        f->memory[f->arrays] = memory;
        f->bytes[f->arrays++] = bytes;
    }
    return memory;
}

static bool take_all(block_cholesky* f) {
    block_order* o = &f->order;
    const size_t n = f->most_vertices, room = o->room;
    uint32_t* all = take(f, BLOCK_ORDER_ARRAYS * (n + 2), sizeof *all);
    if (all != NULL) {
        block_order_place(o, n, all);
    }
    o->row = take(f, room, sizeof(uint32_t));
    o->pool[0] = take(f, o->pool_room, sizeof(uint32_t));
    o->pool[1] = take(f, o->pool_room, sizeof(uint32_t));
    f->diagonal = take(f, BLOCK_VALUES * n, sizeof(float));
    f->below = take(f, BLOCK_VALUES * f->most_blocks, sizeof(float));
    f->work = take(f, BLOCK_STRIDE * n, sizeof(double));
    return f->arrays == ARRAYS;
}

taut_status block_cholesky_make(const taut_plan* plan, const taut_allocator* allocator, size_t vertices, size_t edges,
                                size_t blocks, block_cholesky** out) {
    block_cholesky* f = taut_allocate(allocator, sizeof *f);
    if (f == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    f->allocator = *allocator;
    f->plan = plan;
    f->most_vertices = vertices;
    f->most_edges = edges;
    f->most_blocks = blocks;
    f->order.room = blocks;
    f->order.pool_room = 2 * (blocks + edges + vertices); /* what is left of a filled graph, and a list that is new */
    if (!take_all(f)) {
        block_cholesky_free(f);
        return TAUT_OUT_OF_MEMORY;
    }
    *out = f;
    return TAUT_OK;
}

void block_cholesky_free(block_cholesky* f) {
    if (f == NULL) {
        return;
    }
    const taut_allocator allocator = f->allocator;
    for (size_t i = 0; i < f->arrays; i++) {
        taut_release(&allocator, f->memory[i], f->bytes[i]);
    }
    taut_release(&allocator, f, sizeof *f);
}

/* ---- pattern ----------------------------------------------------------------------------------------------------- */

bool block_cholesky_pattern(block_cholesky* f, size_t vertices, const uint32_t* pair, size_t edges, double most,
                            uint32_t* place, double* products) {
    const block_order* o = &f->order;
    if (vertices > f->most_vertices || edges > f->most_edges ||
        !block_order_find(&f->order, vertices, pair, edges, most)) {
        return false;
    }
    *products = o->products;
    for (size_t e = 0; e < edges; e++) {
        if (pair[2 * e] != BLOCK_NONE && pair[2 * e + 1] != BLOCK_NONE) {
            const uint32_t a = o->rank[pair[2 * e]], b = o->rank[pair[2 * e + 1]];
            place[e] = a < b ? block_order_row(o, a, b) : block_order_row(o, b, a);
        }
    }
    return true;
}

void block_cholesky_clear(block_cholesky* f) {
    clear_all(f);
}

float* block_cholesky_diagonal(block_cholesky* f, uint32_t vertex) {
    return f->diagonal + BLOCK_VALUES * (size_t)f->order.rank[vertex];
}

float* block_cholesky_at(block_cholesky* f, uint32_t place) {
    return f->below + BLOCK_VALUES * (size_t)place;
}

bool block_cholesky_first(const block_cholesky* f, uint32_t a, uint32_t b) {
    return f->order.rank[a] < f->order.rank[b];
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

void block_cholesky_factor(block_cholesky* f) {
    factor_all(f);
}

void block_cholesky_solve(block_cholesky* f, const double* r, double* z) {
    solve_all(f, r, z);
}
