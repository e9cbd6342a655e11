/* Numbers of factors by supernodes: one text for all vector registers (cpu_registers.h). */
#include "host/cpu/cpu_dense_product.h"
#include "host/cpu/cpu_registers.h"
#include "host/cpu/cpu_supernodes.h"

#include "base/small_math.h"

#include <string.h>

/* ---- factors ----------------------------------------------------------------------------------------------------- */

static void clear_lists(const supernodes* s) {
    for (size_t p = 0; p < s->count; p++) {
        s->head[p] = UINT32_MAX;
    }
}

/* Where panel p has its rows. */
static void place_rows(const supernodes* s, size_t p) {
    const size_t width = supernode_width(s, p), rows = supernode_rows(s, p);
    for (size_t c = 0; c < width; c++) {
        s->place[s->first[p] + c] = (uint32_t)c;
    }
    for (size_t i = 0; i < rows; i++) {
        s->place[s->row[s->row_begin[p] + i]] = (uint32_t)(width + i);
    }
}

/* scaled = D L^T of `count` rows of a panel, from `row` on, of its first `width` columns; what is behind the last one
 * is not used. */
TAUT_FN_HOT void scale_rows(const supernodes* s, size_t p, size_t row, size_t count, size_t width) {
    const size_t all = supernode_width(s, p) + supernode_rows(s, p), across = dense_round(count, DENSE_COLUMNS);
    const double* panel = s->value + s->panel[p] + row;
    for (size_t k = 0; k < width; k++) {
        const double pivot = s->pivot[s->first[p] + k];
        for (size_t j = 0; j < across; j += 4) {
            *(loose_quad*)(s->scaled + k * across + j) = pivot * *(const loose_quad*)(panel + k * all + j);
        }
    }
}

/* What panel p takes from panel d, whose rows from at[d] on are columns of p; d goes on to its next one. */
TAUT_FN_HOT void take_from(const supernodes* s, size_t p, uint32_t d) {
    const size_t begin = s->at[d], rows = supernode_rows(s, d), width = supernode_width(s, d);
    const dense_target target = {s->value + s->panel[p], supernode_width(s, p) + supernode_rows(s, p), s->given};
    const uint32_t* row = s->row + s->row_begin[d];
    size_t end = begin;
    while (end < rows && row[end] < s->first[p + 1]) {
        end++;
    }
    for (size_t i = begin; i < rows; i++) {
        s->given[i - begin] = s->place[row[i]];
    }
    scale_rows(s, d, width + begin, end - begin, width);
    dense_product(s->value + s->panel[d] + width + begin, width + rows, rows - begin, s->scaled, end - begin, width,
                  &target);
    s->at[d] = (uint32_t)end;
    if (end < rows) {
        const uint32_t to = s->of[row[end]];
        s->next[d] = s->head[to];
        s->head[to] = d;
    }
}

/* What columns [from, from + count) of a panel take from those before them. */
TAUT_FN_HOT void take_own(const supernodes* s, size_t p, size_t from, size_t count) {
    const size_t all = supernode_width(s, p) + supernode_rows(s, p);
    double* panel = s->value + s->panel[p];
    const dense_target to = {panel + from * all + from, all, s->straight};
    scale_rows(s, p, from, count, from);
    dense_product(panel + from, all, all - from, s->scaled, count, from, &to);
}

/* Columns [from, from + count), which have taken from all before: their block, then what is below. False where a pivot
 * is 0. */
static bool factor_strip(const supernodes* s, size_t p, size_t from, size_t count) {
    const size_t all = supernode_width(s, p) + supernode_rows(s, p);
    double *block = s->value + s->panel[p] + from * all + from, *pivot = s->pivot + s->first[p] + from;
    for (size_t c = 0; c < count; c++) {
        double* column = block + c * all;
        for (size_t k = 0; k < c; k++) {
            const double factor = pivot[k] * block[k * all + c];
            for (size_t i = c; i < count; i++) {
                column[i] -= factor * block[k * all + i];
            }
        }
        pivot[c] = column[c];
        for (size_t i = c + 1; i < count && pivot[c] != 0; i++) {
            column[i] /= pivot[c];
        }
        if (pivot[c] == 0) {
            return false;
        }
    }
    dense_divide(block + count, all, all - from - count, block, pivot, count);
    return true;
}

TAUT_FN_HOT bool factor_panel(const supernodes* s, size_t p) {
    const size_t width = supernode_width(s, p);
    bool regular = true;
    for (size_t from = 0; from < width && regular; from += DENSE_STRIP) {
        const size_t count = width - from < DENSE_STRIP ? width - from : DENSE_STRIP;
        if (from > 0) {
            take_own(s, p, from, count);
        }
        regular = factor_strip(s, p, from, count);
    }
    return regular;
}

TAUT_FN_HOT bool factor_all(const supernodes* s) {
    bool regular = true;
    for (size_t p = 0; p < s->count && regular; p++) {
        place_rows(s, p);
        for (uint32_t d = s->head[p], next; d != UINT32_MAX; d = next) {
            next = s->next[d];
            take_from(s, p, d);
        }
        regular = factor_panel(s, p);
        if (supernode_rows(s, p) > 0) {
            const uint32_t to = s->of[s->row[s->row_begin[p]]];
            s->at[p] = 0;
            s->next[p] = s->head[to];
            s->head[to] = (uint32_t)p;
        }
    }
    return regular;
}

static bool factor_narrow(const supernodes* s) {
    return factor_all(s);
}

CPU_WIDE static bool factor_wide(const supernodes* s) {
    return factor_all(s);
}

bool supernodes_factor(const supernodes* s) {
    clear_lists(s);
    return CPU_CHOOSE(factor)(s);
}

/* ---- solutions --------------------------------------------------------------------------------------------------- */

#define COLUMNS 4 /* at once */

/* y[i] -= sum of the columns' values in row i, [first, end), times their factors. */
TAUT_FN_HOT void take_columns(const double* column, size_t all, int count, const double* factor, size_t first,
                              size_t end, double* y) {
    size_t i = first;
    for (; count == COLUMNS && i + 4 <= end; i += 4) {
        quad sum = *(const loose_quad*)(y + i);
        for (int q = 0; q < COLUMNS; q++) {
            sum -= factor[q] * *(const loose_quad*)(column + (size_t)q * all + i);
        }
        *(loose_quad*)(y + i) = sum;
    }
    for (; i < end; i++) {
        for (int q = 0; q < count; q++) {
            y[i] -= factor[q] * column[(size_t)q * all + i];
        }
    }
}

TAUT_FN_HOT void forward(const supernodes* s, size_t p, double* x) {
    const size_t width = supernode_width(s, p), rows = supernode_rows(s, p), all = width + rows;
    const uint32_t* row = s->row + s->row_begin[p];
    double *own = x + s->first[p], *y = s->solution;
    memcpy(y, own, width * sizeof *y);
    memset(y + width, 0, rows * sizeof *y);
    for (size_t c = 0; c < width; c += COLUMNS) {
        const int count = width - c < COLUMNS ? (int)(width - c) : COLUMNS;
        const double* column = s->value + s->panel[p] + c * all;
        for (int q = 0; q + 1 < count; q++) {
            take_columns(column + (size_t)q * all, all, 1, y + c + q, c + (size_t)q + 1, c + (size_t)count, y);
        }
        take_columns(column, all, count, y + c, c + (size_t)count, all, y);
    }
    memcpy(own, y, width * sizeof *y);
    for (size_t i = 0; i < rows; i++) {
        x[row[i]] += y[width + i];
    }
}

/* sum[q] = values of column q in rows [first, end) times y */
TAUT_FN_HOT void meet_columns(const double* column, size_t all, int count, size_t first, size_t end, const double* y,
                              double sum[COLUMNS]) {
    quad wide[COLUMNS] = {{0}};
    size_t i = first;
    for (; count == COLUMNS && i + 4 <= end; i += 4) {
        const quad at = *(const loose_quad*)(y + i);
        for (int q = 0; q < COLUMNS; q++) {
            wide[q] += *(const loose_quad*)(column + (size_t)q * all + i) * at;
        }
    }
    for (int q = 0; q < count; q++) {
        sum[q] = (wide[q][0] + wide[q][1]) + (wide[q][2] + wide[q][3]);
        for (size_t rest = i; rest < end; rest++) {
            sum[q] += column[(size_t)q * all + rest] * y[rest];
        }
    }
}

TAUT_FN_HOT void backward(const supernodes* s, size_t p, double* x) {
    const size_t width = supernode_width(s, p), rows = supernode_rows(s, p), all = width + rows;
    const uint32_t* row = s->row + s->row_begin[p];
    double *own = x + s->first[p], *y = s->solution;
    memcpy(y, own, width * sizeof *y);
    for (size_t i = 0; i < rows; i++) {
        y[width + i] = x[row[i]];
    }
    for (size_t end = width, c; end > 0; end = c) {
        c = (end - 1) / COLUMNS * COLUMNS;
        const int count = (int)(end - c);
        const double* column = s->value + s->panel[p] + c * all;
        double sum[COLUMNS] = {0};
        meet_columns(column, all, count, end, all, y, sum);
        for (int q = count; q-- > 0;) {
            for (size_t i = c + (size_t)q + 1; i < end; i++) {
                sum[q] += column[(size_t)q * all + i] * y[i];
            }
            y[c + (size_t)q] -= sum[q];
        }
    }
    memcpy(own, y, width * sizeof *y);
}

TAUT_FN_HOT void solve_all(const supernodes* s, double* x) {
    for (size_t p = 0; p < s->count; p++) {
        forward(s, p, x);
    }
    for (size_t j = 0; j < s->unknowns; j++) {
        x[j] /= s->pivot[j];
    }
    for (size_t p = s->count; p-- > 0;) {
        backward(s, p, x);
    }
}

static void solve_narrow(const supernodes* s, double* x) {
    solve_all(s, x);
}

CPU_WIDE static void solve_wide(const supernodes* s, double* x) {
    solve_all(s, x);
}

void supernodes_solve(const supernodes* s, double* x) {
    CPU_CHOOSE(solve)(s, x);
}
