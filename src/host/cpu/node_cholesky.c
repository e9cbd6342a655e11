/* Factors by 3 x 3 blocks in float64: block_columns.h. */
#include "host/cpu/cpu_node_cholesky.h"

#include "host/cpu/cpu_parallel.h"
#include "host/cpu/cpu_registers.h"
#include "host/cpu/cpu_vectors.h"

#include <math.h>
#include <string.h>

typedef quad column;
typedef loose_quad loose_column;
typedef eight two_columns;
typedef quad solution_part;
typedef loose_quad loose_solution_part;
#define CHOLESKY     node_cholesky
#define VALUE        double
#define ROOT         sqrt
#define ROWS         3
#define STRIDE       NODE_STRIDE
#define LANES_OF_TWO 0, 1, 2, 3, 4, 5, 6, 7
#define LEAST_PIVOT  1e-15
#include "host/cpu/block_columns.h"

/* ---- memory and pattern ------------------------------------------------------------------------------------------ */

static size_t lay_out(node_cholesky* f, double* base) {
    block_order* o = &f->order;
    const size_t n = f->most_vertices, blocks = o->room;
    f->diagonal = base;
    f->below = f->diagonal + NODE_VALUES * n;
    f->work = f->below + NODE_VALUES * blocks;
    uint32_t* index = (uint32_t*)(f->work + NODE_STRIDE * (n + 1));
    block_order_place(o, n, index);
    o->row = index + BLOCK_ORDER_ARRAYS * (n + 2);
    o->pool[0] = o->row + blocks + 1;
    o->pool[1] = o->pool[0] + o->pool_room + 1;
    const size_t indices = BLOCK_ORDER_ARRAYS * (n + 2) + blocks + 1 + 2 * (o->pool_room + 1);
    return (NODE_VALUES * (n + blocks) + NODE_STRIDE * (n + 1)) * sizeof(double) + indices * sizeof(uint32_t);
}

taut_status node_cholesky_make(const taut_plan* plan, const taut_allocator* allocator, size_t vertices, size_t edges,
                               size_t blocks, node_cholesky* out) {
    node_cholesky f = {.plan = plan, .most_vertices = vertices, .most_edges = edges};
    node_cholesky measured;
    f.order.room = blocks;
    f.order.pool_room = 2 * (blocks + edges + vertices); /* what is left of a filled graph, and a list that is new */
    measured = f;
    f.bytes = lay_out(&measured, (double*)&measured);
    f.memory = taut_allocate(allocator, f.bytes);
    if (f.memory == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    lay_out(&f, f.memory);
    *out = f;
    return TAUT_OK;
}

void node_cholesky_free(const taut_allocator* allocator, node_cholesky* f) {
    if (f->memory != NULL) {
        taut_release(allocator, f->memory, f->bytes);
    }
}

bool node_cholesky_pattern(node_cholesky* f, size_t vertices, const uint32_t* pair, size_t edges, double most) {
    return vertices <= f->most_vertices && edges <= f->most_edges &&
           block_order_find(&f->order, vertices, pair, edges, most);
}

bool node_cholesky_fill(node_cholesky* f, const uint32_t* pair, size_t edges, double most) {
    return edges <= f->most_edges && block_order_fill(&f->order, pair, edges, most);
}

bool node_cholesky_has(const node_cholesky* f, uint32_t a, uint32_t b) {
    if (a == b || a == BLOCK_NONE || b == BLOCK_NONE) {
        return true;
    }
    const uint32_t i = f->order.rank[a], j = f->order.rank[b], first = i < j ? i : j, later = i < j ? j : i;
    const uint32_t at = block_order_row(&f->order, first, later);
    return at < f->order.begin[first + 1] && f->order.row[at] == later;
}

/* ---- the matrix -------------------------------------------------------------------------------------------------- */

void node_cholesky_clear(node_cholesky* f) {
    clear_all(f);
}

void node_cholesky_add(const node_cholesky* f, uint32_t a, uint32_t b, const double block[9]) {
    const uint32_t i = f->order.rank[a], j = f->order.rank[b];
    const bool turned = i < j; /* its transpose has the rows of the later one */
    double* to = i == j ? f->diagonal + NODE_VALUES * (size_t)i
                        : f->below + NODE_VALUES * (size_t)block_order_row(&f->order, turned ? i : j, turned ? j : i);
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            to[turned ? NODE_STRIDE * r + c : NODE_STRIDE * c + r] += block[3 * r + c];
        }
    }
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

void node_cholesky_factor(node_cholesky* f) {
    factor_all(f);
}

void node_cholesky_solve(node_cholesky* f, const double* r, double* z) {
    solve_all(f, r, z);
}
