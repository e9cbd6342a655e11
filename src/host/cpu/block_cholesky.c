/* Right-looking factors L L^T by blocks in float32, column by column of L, whose diagonal blocks are kept inverted. */
#include "host/cpu/cpu_block_cholesky.h"

#include "host/cpu/cpu_block_order.h"
#include "host/cpu/cpu_vectors.h"

#include <math.h>
#include <string.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi" /* vectors are passed to what is inlined alone */
#endif

#define ARRAYS 7

/* A column of a block, in a register or anywhere. */
typedef float column __attribute__((vector_size(4 * BLOCK_STRIDE)));
typedef float loose_column __attribute__((vector_size(4 * BLOCK_STRIDE), aligned(4), may_alias));

struct block_cholesky {
    taut_allocator allocator;
    block_order order;
    size_t most_vertices, most_edges, most_blocks;
    float *diagonal, *below; /* blocks by columns, BLOCK_STRIDE apart */
    double* work;
    void* memory[ARRAYS];
    size_t bytes[ARRAYS];
    size_t arrays;
};

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
    uint32_t** const arrays[] = {&o->order, &o->rank, &o->begin, &o->head,  &o->next,
                                 &o->last,  &o->at,   &o->mark,  &o->degree};
    const size_t count = sizeof arrays / sizeof arrays[0];
    uint32_t* all = take(f, count * (n + 2), sizeof *all);
    for (size_t i = 0; all != NULL && i < count; i++) {
        *arrays[i] = all + i * (n + 2);
    }
    o->row = take(f, room, sizeof(uint32_t));
    o->pool[0] = take(f, o->pool_room, sizeof(uint32_t));
    o->pool[1] = take(f, o->pool_room, sizeof(uint32_t));
    f->diagonal = take(f, BLOCK_VALUES * n, sizeof(float));
    f->below = take(f, BLOCK_VALUES * f->most_blocks, sizeof(float));
    f->work = take(f, BLOCK_ROWS * n, sizeof(double));
    return f->arrays == ARRAYS;
}

taut_status block_cholesky_make(const taut_allocator* allocator, size_t vertices, size_t edges, size_t blocks,
                                block_cholesky** out) {
    block_cholesky* f = taut_allocate(allocator, sizeof *f);
    if (f == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    f->allocator = *allocator;
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

/* Place of row i in column j, where it is. */
static uint32_t find_row(const block_order* o, uint32_t j, uint32_t i) {
    uint32_t low = o->begin[j], high = o->begin[j + 1];
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (o->row[middle] <= i) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

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
            place[e] = a < b ? find_row(o, a, b) : find_row(o, b, a);
        }
    }
    return true;
}

void block_cholesky_clear(block_cholesky* f) {
    const block_order* o = &f->order;
    memset(f->diagonal, 0, BLOCK_VALUES * o->vertices * sizeof(float));
    memset(f->below, 0, BLOCK_VALUES * (size_t)o->begin[o->vertices] * sizeof(float));
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

/* A pivot below this part of its value before is rounding. */
#define LEAST_PIVOT 1e-6F

/* The inverse of the lower factor of a block, in its place. */
static void factor_diagonal(float* block) {
    float l[BLOCK_ROWS][BLOCK_ROWS], inverse[BLOCK_ROWS][BLOCK_ROWS] = {{0}};
    for (int j = 0; j < BLOCK_ROWS; j++) {
        float pivot = block[j * BLOCK_STRIDE + j];
        const float least = LEAST_PIVOT * pivot;
        for (int k = 0; k < j; k++) {
            pivot -= l[j][k] * l[j][k];
        }
        l[j][j] = sqrtf(pivot > least ? pivot : least > 0 ? least : 1);
        for (int i = j + 1; i < BLOCK_ROWS; i++) {
            float sum = block[j * BLOCK_STRIDE + i];
            for (int k = 0; k < j; k++) {
                sum -= l[i][k] * l[j][k];
            }
            l[i][j] = sum / l[j][j];
        }
    }
    for (int j = 0; j < BLOCK_ROWS; j++) {
        inverse[j][j] = 1 / l[j][j];
        for (int i = j + 1; i < BLOCK_ROWS; i++) {
            float sum = 0;
            for (int k = j; k < i; k++) {
                sum -= l[i][k] * inverse[k][j];
            }
            inverse[i][j] = sum / l[i][i];
        }
    }
    for (int j = 0; j < BLOCK_ROWS; j++) {
        for (int i = 0; i < BLOCK_STRIDE; i++) {
            block[j * BLOCK_STRIDE + i] = i < BLOCK_ROWS ? inverse[i][j] : 0;
        }
    }
}

TAUT_FN_HOT column get_column(const float* block, int j) {
    return *(const loose_column*)(block + j * BLOCK_STRIDE);
}

TAUT_FN_HOT void set_column(column from, float* block, int j) {
    *(loose_column*)(block + j * BLOCK_STRIDE) = from;
}

/* block = block inverse^T */
TAUT_FN_HOT void divide_block(const float* inverse, float* block) {
    column in[BLOCK_ROWS];
    for (int k = 0; k < BLOCK_ROWS; k++) {
        in[k] = get_column(block, k);
    }
    for (int j = 0; j < BLOCK_ROWS; j++) {
        column sum = inverse[j] * in[0];
        for (int k = 1; k <= j; k++) {
            sum += inverse[k * BLOCK_STRIDE + j] * in[k];
        }
        set_column(sum, block, j);
    }
}

/* c -= a b^T */
TAUT_FN_HOT void subtract_product(const float* a, const float* restrict b, float* restrict c) {
    column in[BLOCK_ROWS];
    for (int k = 0; k < BLOCK_ROWS; k++) {
        in[k] = get_column(a, k);
    }
    for (int j = 0; j < BLOCK_ROWS; j++) {
        column sum = get_column(c, j);
        for (int k = 0; k < BLOCK_ROWS; k++) {
            sum -= b[k * BLOCK_STRIDE + j] * in[k];
        }
        set_column(sum, c, j);
    }
}

/* What column j takes from the columns of its rows. */
TAUT_FN_HOT void update_from(block_cholesky* f, size_t j) {
    const block_order* o = &f->order;
    for (uint32_t a = o->begin[j]; a < o->begin[j + 1]; a++) {
        const uint32_t other = o->row[a];
        uint32_t to = o->begin[other];
        subtract_product(f->below + BLOCK_VALUES * (size_t)a, f->below + BLOCK_VALUES * (size_t)a,
                         f->diagonal + BLOCK_VALUES * (size_t)other);
        for (uint32_t b = a + 1; b < o->begin[j + 1]; b++) {
            while (o->row[to] != o->row[b]) {
                to++;
            }
            subtract_product(f->below + BLOCK_VALUES * (size_t)b, f->below + BLOCK_VALUES * (size_t)a,
                             f->below + BLOCK_VALUES * (size_t)to);
        }
    }
}

/* Returns how many. */
TAUT_FN_HOT size_t factor_columns(block_cholesky* f) {
    const block_order* o = &f->order;
    for (size_t j = 0; j < o->vertices; j++) {
        factor_diagonal(f->diagonal + BLOCK_VALUES * j);
        for (uint32_t a = o->begin[j]; a < o->begin[j + 1]; a++) {
            divide_block(f->diagonal + BLOCK_VALUES * j, f->below + BLOCK_VALUES * (size_t)a);
        }
        update_from(f, j);
    }
    return o->vertices;
}

/* A column of a block is one vector with AVX. */
CPU_WITH_AVX2(size_t, factor_all, factor_columns, (block_cholesky * f), (f))

void block_cholesky_factor(block_cholesky* f) {
    factor_all(f);
}

/* ---- solutions --------------------------------------------------------------------------------------------------- */

/* out += sign block in, or its transpose. */
static void add_block_product(const float* block, double sign, const double* in, double* out) {
    for (int j = 0; j < BLOCK_ROWS; j++) {
        const double w = sign * in[j];
        for (int i = 0; i < BLOCK_ROWS; i++) {
            out[i] += w * block[j * BLOCK_STRIDE + i];
        }
    }
}

static void add_transposed_product(const float* block, double sign, const double* in, double* out) {
    for (int j = 0; j < BLOCK_ROWS; j++) {
        double sum = 0;
        for (int i = 0; i < BLOCK_ROWS; i++) {
            sum += block[j * BLOCK_STRIDE + i] * in[i];
        }
        out[j] += sign * sum;
    }
}

static void forward(const block_cholesky* f, size_t j) {
    const block_order* o = &f->order;
    double *x = f->work + BLOCK_ROWS * j, solved[BLOCK_ROWS] = {0};
    add_block_product(f->diagonal + BLOCK_VALUES * j, 1, x, solved);
    memcpy(x, solved, sizeof solved);
    for (uint32_t a = o->begin[j]; a < o->begin[j + 1]; a++) {
        add_block_product(f->below + BLOCK_VALUES * (size_t)a, -1, x, f->work + BLOCK_ROWS * (size_t)o->row[a]);
    }
}

static void backward(const block_cholesky* f, size_t j) {
    const block_order* o = &f->order;
    double *x = f->work + BLOCK_ROWS * j, solved[BLOCK_ROWS] = {0};
    for (uint32_t a = o->begin[j]; a < o->begin[j + 1]; a++) {
        add_transposed_product(f->below + BLOCK_VALUES * (size_t)a, -1, f->work + BLOCK_ROWS * (size_t)o->row[a], x);
    }
    add_transposed_product(f->diagonal + BLOCK_VALUES * j, 1, x, solved);
    memcpy(x, solved, sizeof solved);
}

void block_cholesky_solve(block_cholesky* f, const double* r, double* z) {
    const block_order* o = &f->order;
    const size_t bytes = BLOCK_ROWS * sizeof(double);
    for (size_t j = 0; j < o->vertices; j++) {
        memcpy(f->work + BLOCK_ROWS * j, r + BLOCK_ROWS * (size_t)o->order[j], bytes);
    }
    for (size_t j = 0; j < o->vertices; j++) {
        forward(f, j);
    }
    for (size_t j = o->vertices; j-- > 0;) {
        backward(f, j);
    }
    for (size_t j = 0; j < o->vertices; j++) {
        memcpy(z + BLOCK_ROWS * (size_t)o->order[j], f->work + BLOCK_ROWS * j, bytes);
    }
}
