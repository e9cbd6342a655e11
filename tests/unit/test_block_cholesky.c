/* Factors of sparse matrices of 6 x 6 blocks, by products with the matrix that they are of. */
#include "dense_matrix.h"
#include "phys_scenes.h"

#include "host/cpu/cpu_block_cholesky.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VERTICES = 40, EDGES = 150, ROOM = 2000 };

typedef struct block_graph {
    uint32_t pair[2 * EDGES], place[EDGES];
    double dense[BLOCK_ROWS * VERTICES][BLOCK_ROWS * VERTICES];
} block_graph;

/* Pairs, some of them told twice and some with one end alone; the last vertex has none. */
static void make_graph(block_graph* g) {
    memset(g, 0, sizeof *g);
    for (uint32_t e = 0; e < EDGES; e++) {
        const uint32_t a = (uint32_t)(fabs(random_of(7 * e + 1)) * (VERTICES - 1));
        const uint32_t b = (uint32_t)(fabs(random_of(7 * e + 2)) * (VERTICES - 1));
        g->pair[2 * e] = a;
        g->pair[2 * e + 1] = a == b || e % 17 == 0 ? UINT32_MAX : b;
    }
}

/* values += x x^T of a row x at both ends of each edge, and 1 on the diagonal. */
static void fill(block_graph* g, block_cholesky* f) {
    block_cholesky_clear(f);
    for (uint32_t v = 0; v < VERTICES; v++) {
        for (uint32_t i = 0; i < BLOCK_ROWS; i++) {
            block_cholesky_diagonal(f, v)[i * BLOCK_STRIDE + i] = 1;
            g->dense[BLOCK_ROWS * v + i][BLOCK_ROWS * v + i] = 1;
        }
    }
    for (uint32_t e = 0; e < EDGES; e++) {
        for (int side = 0; side < 2; side++) {
            for (int other = 0; other < 2; other++) {
                const uint32_t a = g->pair[2 * e + (uint32_t)side], b = g->pair[2 * e + (uint32_t)other];
                const bool stored =
                    side == other || (a != UINT32_MAX && b != UINT32_MAX && block_cholesky_first(f, b, a));
                if (a == UINT32_MAX || b == UINT32_MAX) {
                    continue;
                }
                float* block = side == other ? block_cholesky_diagonal(f, a) : block_cholesky_at(f, g->place[e]);
                for (uint32_t i = 0; i < BLOCK_ROWS; i++) {
                    for (uint32_t j = 0; j < BLOCK_ROWS; j++) {
                        const double value = 3 * random_of(100 * e + 10 * (uint32_t)side + i) *
                                             random_of(100 * e + 10 * (uint32_t)other + j);
                        g->dense[BLOCK_ROWS * a + i][BLOCK_ROWS * b + j] += value;
                        block[j * BLOCK_STRIDE + i] += stored ? (float)value : 0;
                    }
                }
            }
        }
    }
}

static void check_solution(const block_graph* g, block_cholesky* f) {
    double r[BLOCK_ROWS * VERTICES], z[BLOCK_ROWS * VERTICES], worst = 0;
    for (uint32_t i = 0; i < BLOCK_ROWS * VERTICES; i++) {
        r[i] = random_of(31 * i + 5);
    }
    block_cholesky_factor(f);
    block_cholesky_solve(f, r, z);
    for (int i = 0; i < BLOCK_ROWS * VERTICES; i++) {
        double left = r[i];
        for (int j = 0; j < BLOCK_ROWS * VERTICES; j++) {
            left -= g->dense[i][j] * z[j];
        }
        worst = fmax(worst, fabs(left));
    }
    CHECK_NEAR(worst, 0, 1e-4);
}

TAUT_PLAIN_TEST(block_cholesky, solves) {
    block_graph* g = malloc(sizeof *g);
    const taut_plan plan = {.settings.threads = 1};
    taut_allocator allocator;
    block_cholesky* f = NULL;
    double products = 0;
    make_graph(g);
    CHECK_OK(taut_allocator_resolve(&(taut_allocator){0}, &allocator));
    CHECK_OK(block_cholesky_make(&plan, &allocator, VERTICES, EDGES, ROOM, &f));
    for (int again = 0; again < 2; again++) {
        CHECK(block_cholesky_pattern(f, VERTICES, g->pair, EDGES, 1e9, g->place, &products));
        memset(g->dense, 0, sizeof g->dense);
        fill(g, f);
        check_solution(g, f);
    }
    CHECK(products > EDGES / 2);
    block_cholesky_free(f);
    free(g);
}

/* A chain fills nothing, in whatever order it is told. */
TAUT_PLAIN_TEST(block_cholesky, eliminates_where_degrees_are_least) {
    uint32_t pair[2 * (VERTICES - 1)], place[VERTICES - 1];
    const taut_plan plan = {.settings.threads = 1};
    taut_allocator allocator;
    block_cholesky* f = NULL;
    double products = 0;
    for (uint32_t e = 0; e < VERTICES - 1; e++) {
        pair[2 * e] = e * 7 % VERTICES;
        pair[2 * e + 1] = (e + 1) * 7 % VERTICES;
    }
    CHECK_OK(taut_allocator_resolve(&(taut_allocator){0}, &allocator));
    CHECK_OK(block_cholesky_make(&plan, &allocator, VERTICES, VERTICES, ROOM, &f));
    CHECK(block_cholesky_pattern(f, VERTICES, pair, VERTICES - 1, 1e9, place, &products));
    CHECK_NEAR(products, VERTICES - 1, 0);
    block_cholesky_free(f);
}

/* Too little room, and too many products. */
TAUT_PLAIN_TEST(block_cholesky, tells_what_does_not_fit) {
    uint32_t pair[2 * 45], place[45], edges = 0;
    const taut_plan plan = {.settings.threads = 1};
    taut_allocator allocator;
    block_cholesky *small = NULL, *whole = NULL;
    double products = 0;
    for (uint32_t a = 0; a < 10; a++) {
        for (uint32_t b = 0; b < a; b++, edges++) {
            pair[2 * edges] = a;
            pair[2 * edges + 1] = b;
        }
    }
    CHECK_OK(taut_allocator_resolve(&(taut_allocator){0}, &allocator));
    CHECK_OK(block_cholesky_make(&plan, &allocator, 10, 45, 44, &small));
    CHECK_OK(block_cholesky_make(&plan, &allocator, 10, 45, 45, &whole));
    CHECK(!block_cholesky_pattern(small, 10, pair, 45, 1e9, place, &products));
    CHECK(block_cholesky_pattern(whole, 10, pair, 45, 165, place, &products));
    CHECK(!block_cholesky_pattern(whole, 10, pair, 45, 164, place, &products));
    block_cholesky_free(small);
    block_cholesky_free(whole);
}
