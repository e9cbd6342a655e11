/* Factors of sparse matrices of 3 x 3 blocks, by products with the matrix that they are of. */
#include "dense_matrix.h"
#include "phys_scenes.h"

#include "host/cpu/cpu_node_cholesky.h"

#include <math.h>
#include <string.h>

enum { VERTICES = 40, EDGES = 120, ROOM = 2000, ROWS = 3 * VERTICES };

static void make_pairs(uint32_t pair[2 * EDGES]) {
    for (uint32_t e = 0; e < EDGES; e++) {
        const uint32_t a = (uint32_t)(fabs(random_of(7 * e + 1)) * (VERTICES - 1));
        const uint32_t b = (uint32_t)(fabs(random_of(7 * e + 2)) * (VERTICES - 1));
        pair[2 * e] = a;
        pair[2 * e + 1] = a != b ? b : a + 1;
    }
}

/* The row of edge e at its end `side`. */
static void edge_row(uint32_t e, uint32_t side, double row[3]) {
    for (uint32_t i = 0; i < 3; i++) {
        row[i] = random_of(100 * e + 10 * side + i);
    }
}

/* 1 on the diagonal, and `stiffness` x x^T of a row x at both ends of each edge. */
static void fill(const uint32_t* pair, double stiffness, double dense[ROWS][ROWS], node_cholesky* f) {
    const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    memset(dense, 0, ROWS * sizeof dense[0]);
    node_cholesky_clear(f);
    for (uint32_t v = 0; v < VERTICES; v++) {
        node_cholesky_add(f, v, v, unit);
        for (uint32_t i = 0; i < 3; i++) {
            dense[3 * v + i][3 * v + i] = 1;
        }
    }
    for (uint32_t e = 0; e < EDGES; e++) {
        for (uint32_t k = 0; k < 4; k++) {
            const uint32_t a = pair[2 * e + k / 2], b = pair[2 * e + k % 2];
            double first[3], second[3], block[9];
            edge_row(e, k / 2, first);
            edge_row(e, k % 2, second);
            for (uint32_t i = 0; i < 9; i++) {
                block[i] = stiffness * first[i / 3] * second[i % 3];
                dense[3 * a + i / 3][3 * b + i % 3] += block[i];
            }
            if (k / 2 == k % 2 || (k == 1) == (e % 2 == 0)) { /* one of both blocks that are not on the diagonal */
                node_cholesky_add(f, a, b, block);
            }
        }
    }
}

/* The largest r - H z, of the largest term of a sum. */
static double residual(double dense[ROWS][ROWS], node_cholesky* f) {
    double r[ROWS], z[ROWS], worst = 0, largest = 0;
    for (uint32_t i = 0; i < ROWS; i++) {
        r[i] = random_of(31 * i + 5);
    }
    node_cholesky_factor(f);
    node_cholesky_solve(f, r, z);
    for (int i = 0; i < ROWS; i++) {
        double left = r[i];
        for (int j = 0; j < ROWS; j++) {
            left -= dense[i][j] * z[j];
            largest = fmax(largest, fabs(dense[i][j] * z[j]));
        }
        worst = fmax(worst, fabs(left));
    }
    return worst / largest;
}

static void make_factors(taut_allocator* allocator, node_cholesky* f) {
    static const taut_plan plan = {.settings.threads = 1};
    CHECK_OK(taut_allocator_resolve(&(taut_allocator){0}, allocator));
    CHECK_OK(node_cholesky_make(&plan, allocator, VERTICES, EDGES, ROOM, f));
}

TAUT_PLAIN_TEST(node_cholesky, solves) {
    static double dense[ROWS][ROWS];
    uint32_t pair[2 * EDGES];
    taut_allocator allocator;
    node_cholesky f;
    make_pairs(pair);
    make_factors(&allocator, &f);
    for (double stiffness = 1; stiffness < 1e10; stiffness *= 1e3) {
        CHECK(node_cholesky_pattern(&f, VERTICES, pair, EDGES, 1e9));
        fill(pair, stiffness, dense, &f);
        CHECK_NEAR(residual(dense, &f), 0, 1e-12);
    }
    node_cholesky_free(&allocator, &f);
}

/* The other half of the edges in the order of the first one. */
TAUT_PLAIN_TEST(node_cholesky, fills_what_comes_later) {
    static double dense[ROWS][ROWS];
    uint32_t pair[2 * EDGES], without = 0;
    taut_allocator allocator;
    node_cholesky f;
    make_pairs(pair);
    make_factors(&allocator, &f);
    CHECK(node_cholesky_pattern(&f, VERTICES, pair, EDGES / 2, 1e9));
    const double products = f.order.products;
    for (uint32_t e = 0; e < EDGES; e++) {
        const bool has = node_cholesky_has(&f, pair[2 * e], pair[2 * e + 1]);
        CHECK(has || e >= EDGES / 2);
        without += !has;
    }
    CHECK(without > 0);
    CHECK(node_cholesky_has(&f, BLOCK_NONE, 0) && node_cholesky_has(&f, 3, 3));
    CHECK(!node_cholesky_fill(&f, pair, EDGES, products));
    CHECK(node_cholesky_pattern(&f, VERTICES, pair, EDGES / 2, 1e9));
    CHECK(node_cholesky_fill(&f, pair, EDGES, 1e9));
    CHECK(f.order.products > products);
    fill(pair, 1e3, dense, &f);
    CHECK_NEAR(residual(dense, &f), 0, 1e-12);
    node_cholesky_free(&allocator, &f);
}

/* Too little room, too many vertices, edges or products. */
TAUT_PLAIN_TEST(node_cholesky, tells_what_does_not_fit) {
    uint32_t pair[2 * 45], edges = 0;
    const taut_plan plan = {.settings.threads = 1};
    taut_allocator allocator;
    node_cholesky small, whole;
    for (uint32_t a = 0; a < 10; a++) {
        for (uint32_t b = 0; b < a; b++, edges++) {
            pair[2 * edges] = a;
            pair[2 * edges + 1] = b;
        }
    }
    CHECK_OK(taut_allocator_resolve(&(taut_allocator){0}, &allocator));
    CHECK_OK(node_cholesky_make(&plan, &allocator, 10, 45, 44, &small));
    CHECK_OK(node_cholesky_make(&plan, &allocator, 10, 45, 45, &whole));
    CHECK(!node_cholesky_pattern(&small, 10, pair, 45, 1e9));
    CHECK(node_cholesky_pattern(&whole, 10, pair, 45, 165));
    CHECK(!node_cholesky_pattern(&whole, 10, pair, 45, 164));
    CHECK(!node_cholesky_pattern(&whole, 11, pair, 45, 1e9));
    node_cholesky_free(&allocator, &small);
    node_cholesky_free(&allocator, &whole);
}
