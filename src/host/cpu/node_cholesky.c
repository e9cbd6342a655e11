/* Right-looking factors L L^T by 3 x 3 blocks in float64, column by column of L, whose diagonal blocks are kept
 * inverted. */
#include "host/cpu/cpu_node_cholesky.h"

#include "host/cpu/cpu_registers.h"
#include "host/cpu/cpu_vectors.h"

#include <math.h>
#include <string.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi" /* vectors are passed to what is inlined alone */
#endif

/* A pivot below this part of its value before is rounding. */
#define LEAST_PIVOT 1e-15
/* Arrays of the order with a value for each vertex and two more. */
#define ORDER_ARRAYS 9

/* ---- memory and pattern ------------------------------------------------------------------------------------------ */

static size_t lay_out(node_cholesky* f, double* base) {
    block_order* o = &f->order;
    const size_t n = f->most_vertices, blocks = o->room;
    uint32_t** const arrays[ORDER_ARRAYS] = {&o->order, &o->rank, &o->begin, &o->head,  &o->next,
                                             &o->last,  &o->at,   &o->mark,  &o->degree};
    f->diagonal = base;
    f->below = f->diagonal + NODE_VALUES * n;
    f->work = f->below + NODE_VALUES * blocks;
    uint32_t* index = (uint32_t*)(f->work + NODE_STRIDE * (n + 1));
    for (size_t i = 0; i < ORDER_ARRAYS; i++, index += n + 2) {
        *arrays[i] = index;
    }
    o->row = index;
    o->pool[0] = o->row + blocks + 1;
    o->pool[1] = o->pool[0] + o->pool_room + 1;
    const size_t indices = ORDER_ARRAYS * (n + 2) + blocks + 1 + 2 * (o->pool_room + 1);
    return (NODE_VALUES * (n + blocks) + NODE_STRIDE * (n + 1)) * sizeof(double) + indices * sizeof(uint32_t);
}

taut_status node_cholesky_make(const taut_allocator* allocator, size_t vertices, size_t edges, size_t blocks,
                               node_cholesky* out) {
    node_cholesky f = {.most_vertices = vertices, .most_edges = edges};
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

/* ---- the matrix -------------------------------------------------------------------------------------------------- */

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

void node_cholesky_clear(node_cholesky* f) {
    const block_order* o = &f->order;
    memset(f->diagonal, 0, NODE_VALUES * o->vertices * sizeof(double));
    memset(f->below, 0, NODE_VALUES * (size_t)o->begin[o->vertices] * sizeof(double));
}

void node_cholesky_add(node_cholesky* f, uint32_t a, uint32_t b, const double block[9]) {
    const uint32_t i = f->order.rank[a], j = f->order.rank[b];
    const bool turned = i < j; /* its transpose has the rows of the later one */
    double* to = i == j ? f->diagonal + NODE_VALUES * (size_t)i
                        : f->below + NODE_VALUES * (size_t)find_row(&f->order, turned ? i : j, turned ? j : i);
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            to[turned ? NODE_STRIDE * r + c : NODE_STRIDE * c + r] += block[3 * r + c];
        }
    }
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* The inverse of the lower factor of a block, in its place. */
static void factor_diagonal(double* block) {
    double l[3][3], inverse[3][3] = {{0}};
    for (int j = 0; j < 3; j++) {
        const double least = LEAST_PIVOT * block[j * NODE_STRIDE + j];
        double pivot = block[j * NODE_STRIDE + j];
        for (int k = 0; k < j; k++) {
            pivot -= l[j][k] * l[j][k];
        }
        l[j][j] = sqrt(pivot > least ? pivot : least > 0 ? least : 1);
        for (int i = j + 1; i < 3; i++) {
            double sum = block[j * NODE_STRIDE + i];
            for (int k = 0; k < j; k++) {
                sum -= l[i][k] * l[j][k];
            }
            l[i][j] = sum / l[j][j];
        }
    }
    for (int j = 0; j < 3; j++) {
        inverse[j][j] = 1 / l[j][j];
        for (int i = j + 1; i < 3; i++) {
            double sum = 0;
            for (int k = j; k < i; k++) {
                sum -= l[i][k] * inverse[k][j];
            }
            inverse[i][j] = sum / l[i][i];
        }
    }
    for (int v = 0; v < NODE_VALUES; v++) {
        block[v] = v % NODE_STRIDE < 3 ? inverse[v % NODE_STRIDE][v / NODE_STRIDE] : 0;
    }
}

TAUT_FN_HOT quad column(const double* block, int j) {
    return *(const loose_quad*)(block + j * NODE_STRIDE);
}

/* block = block inverse^T */
TAUT_FN_HOT void divide_block(const double* inverse, double* block) {
    const quad in[3] = {column(block, 0), column(block, 1), column(block, 2)};
    for (int j = 0; j < 3; j++) {
        quad sum = inverse[j] * in[0];
        for (int k = 1; k <= j; k++) {
            sum += inverse[k * NODE_STRIDE + j] * in[k];
        }
        *(loose_quad*)(block + j * NODE_STRIDE) = sum;
    }
}

/* c -= a b^T */
TAUT_FN_HOT void subtract_product(const double* a, const double* restrict b, double* restrict c) {
    const quad in[3] = {column(a, 0), column(a, 1), column(a, 2)};
    for (int j = 0; j < 3; j++) {
        quad sum = column(c, j);
        for (int k = 0; k < 3; k++) {
            sum -= b[k * NODE_STRIDE + j] * in[k];
        }
        *(loose_quad*)(c + j * NODE_STRIDE) = sum;
    }
}

/* What column j takes from the columns of its rows. */
TAUT_FN_HOT void update_from(node_cholesky* f, size_t j) {
    const block_order* o = &f->order;
    for (uint32_t a = o->begin[j]; a < o->begin[j + 1]; a++) {
        const uint32_t other = o->row[a];
        const double* first = f->below + NODE_VALUES * (size_t)a;
        uint32_t to = o->begin[other];
        subtract_product(first, first, f->diagonal + NODE_VALUES * (size_t)other);
        for (uint32_t b = a + 1; b < o->begin[j + 1]; b++) {
            while (o->row[to] != o->row[b]) {
                to++;
            }
            subtract_product(f->below + NODE_VALUES * (size_t)b, first, f->below + NODE_VALUES * (size_t)to);
        }
    }
}

/* Returns how many. */
TAUT_FN_HOT size_t factor_columns(node_cholesky* f) {
    const block_order* o = &f->order;
    for (size_t j = 0; j < o->vertices; j++) {
        factor_diagonal(f->diagonal + NODE_VALUES * j);
        for (uint32_t a = o->begin[j]; a < o->begin[j + 1]; a++) {
            divide_block(f->diagonal + NODE_VALUES * j, f->below + NODE_VALUES * (size_t)a);
        }
        update_from(f, j);
    }
    return o->vertices;
}

CPU_WITH_AVX2(size_t, factor_all, factor_columns, (node_cholesky * f), (f))

void node_cholesky_factor(node_cholesky* f) {
    factor_all(f);
}

/* ---- solutions --------------------------------------------------------------------------------------------------- */

/* out += sign block in */
static void add_product(const double* block, double sign, const double* in, double* out) {
    for (int j = 0; j < 3; j++) {
        for (int i = 0; i < 3; i++) {
            out[i] += sign * in[j] * block[j * NODE_STRIDE + i];
        }
    }
}

/* out += sign block^T in */
static void add_transposed_product(const double* block, double sign, const double* in, double* out) {
    for (int j = 0; j < 3; j++) {
        double sum = 0;
        for (int i = 0; i < 3; i++) {
            sum += block[j * NODE_STRIDE + i] * in[i];
        }
        out[j] += sign * sum;
    }
}

static void forward(const node_cholesky* f, size_t j) {
    const block_order* o = &f->order;
    double *x = f->work + 3 * j, solved[3] = {0};
    add_product(f->diagonal + NODE_VALUES * j, 1, x, solved);
    memcpy(x, solved, sizeof solved);
    for (uint32_t a = o->begin[j]; a < o->begin[j + 1]; a++) {
        add_product(f->below + NODE_VALUES * (size_t)a, -1, x, f->work + 3 * (size_t)o->row[a]);
    }
}

static void backward(const node_cholesky* f, size_t j) {
    const block_order* o = &f->order;
    double *x = f->work + 3 * j, solved[3] = {0};
    for (uint32_t a = o->begin[j]; a < o->begin[j + 1]; a++) {
        add_transposed_product(f->below + NODE_VALUES * (size_t)a, -1, f->work + 3 * (size_t)o->row[a], x);
    }
    add_transposed_product(f->diagonal + NODE_VALUES * j, 1, x, solved);
    memcpy(x, solved, sizeof solved);
}

void node_cholesky_solve(node_cholesky* f, const double* r, double* z) {
    const block_order* o = &f->order;
    for (size_t v = 0; v < o->vertices; v++) {
        memcpy(f->work + 3 * (size_t)o->rank[v], r + 3 * v, 3 * sizeof *r);
    }
    for (size_t j = 0; j < o->vertices; j++) {
        forward(f, j);
    }
    for (size_t j = o->vertices; j-- > 0;) {
        backward(f, j);
    }
    for (size_t v = 0; v < o->vertices; v++) {
        memcpy(z + 3 * v, f->work + 3 * (size_t)o->rank[v], 3 * sizeof *z);
    }
}
