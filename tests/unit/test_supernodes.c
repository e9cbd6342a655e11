/* Factors by supernodes: products with the matrix that they are of, and the same bits by any number of threads. */
#include "host/cpu/cpu_neighbours.h"
#include "host/cpu/cpu_supernodes.h"

#include "dense_matrix.h"
#include "harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 40, VERTICES = SIDE * SIDE, WIDTH = 3, UNKNOWNS = WIDTH * VERTICES };

/* The next neighbour of v in a grid with diagonals, behind u; -1 behind the last one. */
static saddle_index next_neighbour(saddle_index v, saddle_index u) {
    for (u++; u < VERTICES; u++) {
        if (u != v && labs((long)(u % SIDE - v % SIDE)) <= 1 && labs((long)(u / SIDE - v / SIDE)) <= 1) {
            return u;
        }
        u = u < v - SIDE - 1 ? v - SIDE - 2 : u;
    }
    return -1;
}

static void note_edges(const void* context, neighbours* n) {
    (void)context;
    for (saddle_index v = 0; v < VERTICES; v++) {
        for (saddle_index u = next_neighbour(v, -1); u >= 0; u = next_neighbour(v, u)) {
            neighbours_note(n, v, u);
        }
    }
}

/* The matrix by columns on and above the diagonal, in the order of elimination. */
typedef struct grid {
    taut_allocator allocator;
    saddle_pool pool;
    saddle_index *begin, *row;
} grid;

/* Without a choice of pivots: a third of the vertices is negative. */
static double value_at(size_t row, size_t column) {
    if (row == column) {
        return row / WIDTH % 3 == 0 ? -30 : 30;
    }
    return random_of(UNKNOWNS * (row < column ? row : column) + (row < column ? column : row));
}

static void open_grid(grid* g) {
    neighbours near;
    saddle_index *order, *rank;
    CHECK_OK(taut_allocator_resolve(&(taut_allocator){0}, &g->allocator));
    g->pool = (saddle_pool){.allocator = &g->allocator};
    CHECK_OK(neighbours_find(&g->pool, VERTICES, note_edges, NULL, &near));
    order = saddle_take(&g->pool, VERTICES, sizeof *order);
    rank = saddle_take(&g->pool, VERTICES, sizeof *rank);
    CHECK_OK(neighbours_order(&near, &g->allocator, order));
    for (saddle_index i = 0; i < VERTICES; i++) {
        rank[order[i]] = i;
    }
    g->begin = saddle_take(&g->pool, UNKNOWNS, sizeof *g->begin);
    g->row = saddle_take(&g->pool, (size_t)9 * WIDTH * UNKNOWNS, sizeof *g->row);
    saddle_index used = 0;
    for (saddle_index column = 0; column < UNKNOWNS; column++) {
        const saddle_index v = order[column / WIDTH];
        for (saddle_index u = next_neighbour(v, -1); u >= 0; u = next_neighbour(v, u)) {
            for (saddle_index a = 0; rank[u] < rank[v] && a < WIDTH; a++) {
                g->row[used++] = WIDTH * rank[u] + a;
            }
        }
        for (saddle_index a = column / WIDTH * WIDTH; a <= column; a++) {
            g->row[used++] = a;
        }
        g->begin[column + 1] = used;
    }
}

static void fill(const grid* g, const supernodes* s) {
    supernodes_clear(s);
    for (size_t column = 0; column < UNKNOWNS; column++) {
        for (saddle_index i = g->begin[column]; i < g->begin[column + 1]; i++) {
            const size_t early = (size_t)g->row[i];
            s->value[supernodes_place(s, column, early).first] = value_at(early, column);
        }
    }
}

/* x of A x = r by so many threads; how many parts the tree has. */
static uint32_t solve(const grid* g, uint32_t threads, double* x) {
    taut_plan plan = {.settings.threads = threads};
    saddle_pool pool = {.allocator = &g->allocator};
    supernodes s;
    CHECK_OK(supernodes_make(&plan, &pool, UNKNOWNS, g->begin, g->row, INFINITY, &s));
    for (int again = 0; again < 2; again++) {
        fill(g, &s);
        CHECK(supernodes_factor(&s));
        for (size_t i = 0; i < UNKNOWNS; i++) {
            x[i] = random_of(i);
        }
        supernodes_solve(&s, x);
    }
    saddle_release(&pool);
    return s.parts.count;
}

static double worst_residual(const grid* g, const double* x) {
    double *left = calloc(UNKNOWNS, sizeof *left), worst = 0;
    for (size_t column = 0; column < UNKNOWNS; column++) {
        left[column] += random_of(column);
        for (saddle_index i = g->begin[column]; i < g->begin[column + 1]; i++) {
            const size_t row = (size_t)g->row[i];
            left[row] -= value_at(row, column) * x[column];
            left[column] -= row == column ? 0 : value_at(row, column) * x[row];
        }
    }
    for (size_t i = 0; i < UNKNOWNS; i++) {
        worst = fmax(worst, fabs(left[i]));
    }
    free(left);
    return worst;
}

TAUT_PLAIN_TEST(supernodes, solve_alike_by_any_number_of_threads) {
    double *alone = malloc(UNKNOWNS * sizeof *alone), *together = malloc(UNKNOWNS * sizeof *together);
    grid g;
    open_grid(&g);
    CHECK(solve(&g, 1, alone) > 1);
    CHECK_NEAR(worst_residual(&g, alone), 0, 1e-12);
    for (uint32_t threads = 2; threads <= 7; threads += 5) {
        solve(&g, threads, together);
        CHECK(memcmp(alone, together, UNKNOWNS * sizeof *alone) == 0);
    }
    saddle_release(&g.pool);
    free(alone);
    free(together);
}

/* A first pivot of 0. */
TAUT_PLAIN_TEST(supernodes, tell_of_a_pivot_that_is_missing) {
    taut_plan plan = {.settings.threads = 2};
    grid g;
    supernodes s;
    open_grid(&g);
    CHECK_OK(supernodes_make(&plan, &g.pool, UNKNOWNS, g.begin, g.row, INFINITY, &s));
    fill(&g, &s);
    s.value[s.panel[0]] = 0;
    CHECK(!supernodes_factor(&s));
    fill(&g, &s);
    CHECK(supernodes_factor(&s));
    saddle_release(&g.pool);
}

/* A chain of columns, beside which pairs stand: 0 1 | 2 3 | 4 5 below 6, 7, 8. */
TAUT_PLAIN_TEST(tree_parts, are_subtrees) {
    const uint32_t parent[9] = {1, 6, 3, 6, 5, 7, 7, 8, TREE_ROOT};
    float cost[9] = {1, 1, 1, 1, 1, 1, 100, 100, 100};
    uint32_t size[9];
    tree_parts parts;
    tree_parts_cut(9, parent, 0, cost, size, &parts);
    CHECK_INT(parts.count, 1);
    CHECK_INT(parts.first[0], 0);
    CHECK_INT(parts.end[0], 6);
    CHECK_INT(tree_parts_find(&parts, 5), 0);
    CHECK(tree_parts_find(&parts, 6) == TREE_ROOT);
    float large[9] = {4, 4, 4, 4, 4, 4, 100, 100, 100};
    tree_parts_cut(9, parent, 0, large, size, &parts);
    CHECK_INT(parts.count, 3);
    CHECK_INT(parts.first[1], 2);
    CHECK_INT(parts.end[2], 6);
    CHECK_INT(tree_parts_find(&parts, 3), 1);
    tree_parts_cut(9, parent, 1e9, large, size, &parts);
    CHECK(parts.count == 1 && parts.end[0] == 9);
}
