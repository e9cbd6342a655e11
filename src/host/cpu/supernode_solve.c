/* Solutions with factors by supernodes: one text for all vector registers (cpu_registers.h). Threads take parts of the
 * elimination tree; of a panel above them each takes some rows or columns. */
#include "host/cpu/cpu_parallel.h"
#include "host/cpu/cpu_registers.h"
#include "host/cpu/cpu_supernodes.h"

#include "base/small_math.h"

#include <string.h>

/* Values of a panel below which it stays on one thread: some ten microseconds of them. */
#define VALUES_ALONE 30000
#define UNIT         64 /* rows of one thread at least */

/* ---- a panel ------------------------------------------------------------------------------------------------------
 */

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

/* A panel above the parts: threads take some of its rows, or columns. */
typedef struct panel_loop {
    const supernodes* s;
    size_t panel;
    double *x, *y;
} panel_loop;

/* Rows below the panel's block: y less what the motions of its columns make there. */
TAUT_FN_HOT void below_range(const void* context, size_t first, size_t last) {
    const panel_loop* l = context;
    const size_t width = supernode_width(l->s, l->panel), all = width + supernode_rows(l->s, l->panel);
    for (size_t c = 0; c < width; c += COLUMNS) {
        const int count = width - c < COLUMNS ? (int)(width - c) : COLUMNS;
        const double* column = l->s->value + l->s->panel[l->panel] + c * all;
        take_columns(column, all, count, l->y + c, width + first, width + last, l->y);
    }
}
CPU_RANGES(below_range)

/* y = x of the panel's columns, solved with its block. */
TAUT_FN_HOT void forward_block(const supernodes* s, size_t p, double* y) {
    const size_t width = supernode_width(s, p), all = width + supernode_rows(s, p);
    for (size_t c = 0; c < width; c += COLUMNS) {
        const int count = width - c < COLUMNS ? (int)(width - c) : COLUMNS;
        const double* column = s->value + s->panel[p] + c * all;
        for (int q = 0; q + 1 < count; q++) {
            take_columns(column + (size_t)q * all, all, 1, y + c + q, c + (size_t)q + 1, c + (size_t)count, y);
        }
        take_columns(column, all, count, y + c, c + (size_t)count, width, y);
    }
}

/* Rows before column `end` get what panel p gives in x, those from there on in `elsewhere`. */
TAUT_FN_HOT void forward(const supernodes* s, size_t p, double* x, double* y, size_t end, double* elsewhere) {
    const size_t width = supernode_width(s, p), rows = supernode_rows(s, p);
    const uint32_t* row = s->row + s->row_begin[p];
    const panel_loop loop = {s, p, x, y};
    memcpy(y, x + s->first[p], width * sizeof *y);
    memset(y + width, 0, rows * sizeof *y);
    forward_block(s, p, y);
    if (elsewhere != NULL) {
        below_range(&loop, 0, rows);
    } else {
        cpu_for(s->plan, 0, rows, width * rows < VALUES_ALONE ? rows : UNIT, CPU_CHOOSE(below_range), &loop);
    }
    memcpy(x + s->first[p], y, width * sizeof *y);
    for (size_t i = 0; i < rows; i++) {
        (row[i] < end ? x : elsewhere)[row[i]] += y[width + i];
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

/* Groups of columns: y becomes x/D less what the motions of the rows below the block make there. */
TAUT_FN_HOT void beside_range(const void* context, size_t first, size_t last) {
    const panel_loop* l = context;
    const supernodes* s = l->s;
    const size_t width = supernode_width(s, l->panel), all = width + supernode_rows(s, l->panel);
    for (size_t c = COLUMNS * first; c < width && c < COLUMNS * last; c += COLUMNS) {
        const int count = width - c < COLUMNS ? (int)(width - c) : COLUMNS;
        double sum[COLUMNS];
        meet_columns(s->value + s->panel[l->panel] + c * all, all, count, width, all, l->y, sum);
        for (int q = 0; q < count; q++) {
            const size_t j = s->first[l->panel] + c + (size_t)q;
            l->y[c + (size_t)q] = l->x[j] / s->pivot[j] - sum[q];
        }
    }
}
CPU_RANGES(beside_range)

TAUT_FN_HOT void backward_block(const supernodes* s, size_t p, double* y) {
    const size_t width = supernode_width(s, p), all = width + supernode_rows(s, p);
    for (size_t end = width, c; end > 0; end = c) {
        c = (end - 1) / COLUMNS * COLUMNS;
        const int count = (int)(end - c);
        const double* column = s->value + s->panel[p] + c * all;
        double sum[COLUMNS];
        meet_columns(column, all, count, end, width, y, sum);
        for (int q = count; q-- > 0;) {
            for (size_t i = c + (size_t)q + 1; i < end; i++) {
                sum[q] += column[(size_t)q * all + i] * y[i];
            }
            y[c + (size_t)q] -= sum[q];
        }
    }
}

TAUT_FN_HOT void backward(const supernodes* s, size_t p, double* x, double* y, bool together) {
    const size_t width = supernode_width(s, p), rows = supernode_rows(s, p);
    const size_t groups = (width + COLUMNS - 1) / COLUMNS;
    const uint32_t* row = s->row + s->row_begin[p];
    const panel_loop loop = {s, p, x, y};
    for (size_t i = 0; i < rows; i++) {
        y[width + i] = x[row[i]];
    }
    if (together) {
        cpu_for(s->plan, 0, groups, width * rows < VALUES_ALONE ? groups : 1, CPU_CHOOSE(beside_range), &loop);
    } else {
        beside_range(&loop, 0, groups);
    }
    backward_block(s, p, y);
    memcpy(x + s->first[p], y, width * sizeof *y);
}

/* ---- the tree -----------------------------------------------------------------------------------------------------
 */

/* Threads that take the next part of the tree each time. */
typedef struct part_loop {
    const supernodes* s;
    double* x;
    atomic_size_t* next;
} part_loop;

TAUT_FN_HOT void forward_range(const void* context, size_t first, size_t last) {
    const part_loop* l = context;
    const supernodes* s = l->s;
    for (size_t h = first; h < last; h++) {
        const supernode_hand* own = s->hand + h;
        for (size_t i = supernode_ticket(l->next); i < s->parts.count; i = supernode_ticket(l->next)) {
            const size_t end = s->first[s->parts.end[i]];
            for (size_t p = s->parts.first[i]; p < s->parts.end[i]; p++) {
                forward(s, p, l->x, own->solution, end, own->elsewhere);
            }
            for (size_t k = s->above_begin[i]; k < s->above_begin[i + 1]; k++) {
                s->passed[k] = own->elsewhere[s->above[k]];
                own->elsewhere[s->above[k]] = 0;
            }
        }
    }
}
CPU_RANGES(forward_range)

TAUT_FN_HOT void backward_range(const void* context, size_t first, size_t last) {
    const part_loop* l = context;
    const supernodes* s = l->s;
    for (size_t h = first; h < last; h++) {
        for (size_t i = supernode_ticket(l->next); i < s->parts.count; i = supernode_ticket(l->next)) {
            for (size_t p = s->parts.end[i]; p-- > s->parts.first[i];) {
                backward(s, p, l->x, s->hand[h].solution, false);
            }
        }
    }
}
CPU_RANGES(backward_range)

/* Panels above the parts. */
TAUT_FN_HOT void solve_above(const supernodes* s, double* x) {
    const tree_parts* parts = &s->parts;
    double* y = s->hand->solution;
    for (uint32_t i = 0; i <= parts->count; i++) {
        for (size_t p = tree_gap_first(parts, i); p < tree_gap_end(parts, i, s->count); p++) {
            forward(s, p, x, y, s->unknowns, NULL);
        }
    }
    for (uint32_t i = parts->count + 1; i-- > 0;) {
        for (size_t p = tree_gap_end(parts, i, s->count); p-- > tree_gap_first(parts, i);) {
            backward(s, p, x, y, true);
        }
    }
}

static void solve_above_narrow(const supernodes* s, double* x) {
    solve_above(s, x);
}

CPU_WIDE static void solve_above_wide(const supernodes* s, double* x) {
    solve_above(s, x);
}

void supernodes_solve(const supernodes* s, double* x) {
    atomic_size_t forth = 0, back = 0;
    cpu_for_each_thread(s->plan, s->hands, 1, CPU_CHOOSE(forward_range), &(part_loop){s, x, &forth});
    for (size_t k = 0; k < s->above_begin[s->parts.count]; k++) {
        x[s->above[k]] += s->passed[k];
    }
    CPU_CHOOSE(solve_above)(s, x);
    cpu_for_each_thread(s->plan, s->hands, 1, CPU_CHOOSE(backward_range), &(part_loop){s, x, &back});
}
