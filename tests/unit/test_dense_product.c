/* Dense products in vector registers against loops, bit by bit: sizes around those that registers have. */
#include "host/cpu/cpu_dense_product.h"

#include "dense_matrix.h"
#include "harness.h"

#include <math.h>
#include <string.h>

enum { MOST = 21, FAR = 3 * MOST };

/* Places of rows: one after the other, with gaps, and in runs of three. */
static void find_places(int how, uint32_t place[MOST]) {
    for (uint32_t i = 0; i < MOST; i++) {
        place[i] = how == 0 ? i : how == 1 ? 2 * i + i % 2 : i + i / 3;
    }
}

TAUT_PLAIN_TEST(dense_product, is_that_of_a_loop) {
    double x[MOST * MOST + DENSE_ROWS], y[MOST * (MOST + DENSE_COLUMNS)], before[FAR * FAR], after[FAR * FAR];
    random_state state = {7};
    uint32_t place[MOST];
    random_fill(&state, -1, 1, sizeof x / sizeof *x, x);
    random_fill(&state, -1, 1, sizeof y / sizeof *y, y);
    random_fill(&state, -1, 1, sizeof before / sizeof *before, before);
    for (size_t rows = 1; rows <= MOST; rows += 2) {
        for (size_t columns = 1; columns <= rows; columns += 3) {
            const size_t inner = 1 + (rows * columns) % MOST, width = dense_round(columns, DENSE_COLUMNS);
            find_places((int)((rows + columns) % 3), place);
            memcpy(after, before, sizeof after);
            dense_product(x, MOST, rows, y, columns, inner, &(dense_target){after, FAR, place, place, 0});
            for (size_t i = 0; i < rows * columns; i++) {
                const size_t row = i % rows, column = i / rows, at = place[column] * (size_t)FAR + place[row];
                double sum = 0;
                for (size_t k = 0; k < inner; k++) {
                    sum += x[k * MOST + row] * y[k * width + column];
                }
                CHECK(row < column || after[at] == before[at] - sum);
                before[at] = after[at]; /* what is left of them is not touched */
            }
            for (size_t i = 0; i < FAR * FAR; i++) {
                const bool above = i % FAR < i / FAR;
                CHECK(above || after[i] == before[i]);
            }
        }
    }
}

/* Rows from any one on: as those of the whole. */
TAUT_PLAIN_TEST(dense_product, is_the_same_by_rows) {
    double x[MOST * MOST + DENSE_ROWS], y[MOST * (MOST + DENSE_COLUMNS)], whole[FAR * FAR], parts[FAR * FAR];
    random_state state = {9};
    uint32_t place[MOST];
    random_fill(&state, -1, 1, sizeof x / sizeof *x, x);
    random_fill(&state, -1, 1, sizeof y / sizeof *y, y);
    for (size_t cut = 1; cut < MOST; cut++) {
        const size_t columns = 1 + (5 * cut) % MOST;
        find_places((int)(cut % 3), place);
        memset(whole, 0, sizeof whole);
        memset(parts, 0, sizeof parts);
        dense_product(x, MOST, MOST, y, columns, 7, &(dense_target){whole, FAR, place, place, 0});
        dense_product(x, MOST, cut, y, columns, 7, &(dense_target){parts, FAR, place, place, 0});
        dense_product(x + cut, MOST, MOST - cut, y, columns, 7, &(dense_target){parts, FAR, place + cut, place, cut});
        for (size_t i = 0; i < FAR * FAR; i++) {
            CHECK(i % FAR < i / FAR || parts[i] == whole[i]);
        }
    }
}

/* V L^-T D^-1, times D L^T again; values around it stay. */
TAUT_PLAIN_TEST(dense_product, divides) {
    double v[(DENSE_STRIP + 1) * MOST], before[(DENSE_STRIP + 1) * MOST], l[DENSE_STRIP * MOST], pivot[DENSE_STRIP];
    random_state state = {8};
    random_fill(&state, -0.5, 0.5, sizeof l / sizeof *l, l);
    random_fill(&state, 1, 2, DENSE_STRIP, pivot);
    for (size_t columns = 1; columns <= DENSE_STRIP; columns++) {
        for (size_t rows = 1; rows <= MOST; rows++) {
            random_fill(&state, -1, 1, sizeof v / sizeof *v, v);
            for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
                before[i] = v[i];
            }
            dense_divide(v, MOST, rows, l, pivot, columns);
            for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
                const size_t c = i / MOST, row = i % MOST;
                double sum = c < columns && row < rows ? v[i] * pivot[c] : v[i];
                for (size_t k = 0; k < c && c < columns && row < rows; k++) {
                    sum += v[k * MOST + row] * pivot[k] * l[k * MOST + c];
                }
                CHECK_NEAR(sum, before[i], c < columns && row < rows ? 1e-13 : 0);
            }
        }
    }
}
