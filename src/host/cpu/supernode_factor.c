/* Numbers of factors by supernodes: one text for all vector registers (cpu_registers.h). Threads take parts of the
 * elimination tree; of a panel above them each takes some rows, in the same order of sums. */
#include "host/cpu/cpu_dense_product.h"
#include "host/cpu/cpu_parallel.h"
#include "host/cpu/cpu_registers.h"
#include "host/cpu/cpu_supernodes.h"

#include "base/small_math.h"

/* Rows that a thread takes at once of a panel: whole tiles of dense products. */
#define UNIT       DENSE_ROWS
#define LEAST_ROWS (8 * UNIT)
/* Products below which a loop stays on one thread: some ten microseconds of them. */
#define PRODUCTS_ALONE 5e4

/* ---- panels give to panels ----------------------------------------------------------------------------------------
 */

/* Where panel p has its rows. */
static void place_rows(const supernodes* s, size_t p, uint32_t* place) {
    const size_t width = supernode_width(s, p), rows = supernode_rows(s, p);
    for (size_t c = 0; c < width; c++) {
        place[s->first[p] + c] = (uint32_t)c;
    }
    for (size_t i = 0; i < rows; i++) {
        place[s->row[s->row_begin[p] + i]] = (uint32_t)(width + i);
    }
}

/* First row of panel d that is no column of p; those from at[d] on are no earlier. */
static size_t end_of_columns(const supernodes* s, size_t p, uint32_t d) {
    const uint32_t* row = s->row + s->row_begin[d];
    size_t end = s->at[d];
    while (end < supernode_rows(s, d) && row[end] < s->first[p + 1]) {
        end++;
    }
    return end;
}

/* First row of panel d, from at[d] on, that has its place from `from` on. */
static size_t first_row_from(const supernodes* s, uint32_t d, const uint32_t* place, size_t from) {
    const uint32_t* row = s->row + s->row_begin[d];
    size_t low = s->at[d], high = supernode_rows(s, d);
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (place[row[middle]] < from) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* scaled = D L^T of `count` rows of a panel, from `row` on, of its first `width` columns; what is behind the last one
 * is not used. */
TAUT_FN_HOT void scale_rows(const supernodes* s, size_t p, size_t row, size_t count, size_t width, double* scaled) {
    const size_t all = supernode_width(s, p) + supernode_rows(s, p), across = dense_round(count, DENSE_COLUMNS);
    const double* panel = s->value + s->panel[p] + row;
    for (size_t k = 0; k < width; k++) {
        const double pivot = s->pivot[s->first[p] + k];
        for (size_t j = 0; j < across; j += 4) {
            *(loose_quad*)(scaled + k * across + j) = pivot * *(const loose_quad*)(panel + k * all + j);
        }
    }
}

static void note_places(const supernode_hand* own, const uint32_t* place, const uint32_t* row, size_t begin,
                        size_t first, size_t end) {
    for (size_t i = first; i < end; i++) {
        own->given[i - begin] = place[row[i]];
    }
}

/* What rows [from, to) of panel p take from panel d, whose rows from at[d] on are columns of p. */
TAUT_FN_HOT void take_rows(const supernodes* s, const supernode_hand* own, const uint32_t* place, size_t p, uint32_t d,
                           size_t from, size_t to) {
    const size_t begin = s->at[d], end = end_of_columns(s, p, d), rows = supernode_rows(s, d);
    const size_t width = supernode_width(s, d);
    const size_t first = from == 0 ? begin : first_row_from(s, d, place, from);
    const size_t last = place[s->row[s->row_begin[d] + rows - 1]] < to ? rows : first_row_from(s, d, place, to);
    const size_t columns = (end < last ? end : last) - begin;
    const uint32_t* row = s->row + s->row_begin[d];
    if (first == last) {
        return;
    }
    note_places(own, place, row, begin, begin, begin + columns);
    note_places(own, place, row, begin, first < begin + columns ? begin + columns : first, last);
    for (size_t j = 0; j < columns; j += SUPERNODE_STRIP) {
        const size_t count = columns - j < SUPERNODE_STRIP ? columns - j : SUPERNODE_STRIP;
        const size_t start = first < begin + j ? begin + j : first;
        const dense_target target = {s->value + s->panel[p], supernode_width(s, p) + supernode_rows(s, p),
                                     own->given + (start - begin), own->given + j, start - begin - j};
        scale_rows(s, d, width + begin + j, count, width, own->scaled);
        dense_product(s->value + s->panel[d] + width + start, width + rows, last - start, own->scaled, count, width,
                      &target);
    }
}

/* Panel d gives next to the panel of its row at[d], where that is before `end`. */
static void list_giver(const supernodes* s, uint32_t d, size_t end) {
    if (s->at[d] < supernode_rows(s, d)) {
        const uint32_t to = s->of[s->row[s->row_begin[d] + s->at[d]]];
        if (to < end) {
            s->next[d] = s->head[to];
            s->head[to] = d;
        }
    }
}

/* All that give to panel p go on to their next ones, and p begins with its own. */
static void pass_on(const supernodes* s, size_t p, size_t end) {
    for (uint32_t d = s->head[p], next; d != UINT32_MAX; d = next) {
        next = s->next[d];
        s->at[d] = (uint32_t)end_of_columns(s, p, d);
        list_giver(s, d, end);
    }
    s->at[p] = 0;
    list_giver(s, (uint32_t)p, end);
}

/* ---- a panel ------------------------------------------------------------------------------------------------------
 */

/* Columns [from, from + count), which have taken from all before: their block. False where a pivot is 0. */
static bool factor_block(const supernodes* s, size_t p, size_t from, size_t count) {
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
    return true;
}

/* A strip of columns whose block is factored, and the next one. */
typedef struct strip_loop {
    const supernodes* s;
    size_t panel, from, next, end; /* columns of the strip, and of the next one */
    const double* scaled;          /* rows of the next one by all columns before it */
} strip_loop;

/* Rows [first, end) below the strip's block. */
static void divide_rows(const strip_loop* l, size_t first, size_t end) {
    const supernodes* s = l->s;
    const size_t all = supernode_width(s, l->panel) + supernode_rows(s, l->panel);
    double* column = s->value + s->panel[l->panel] + l->from * all;
    if (first < end) {
        dense_divide(column + first, all, end - first, column + l->from, s->pivot + s->first[l->panel] + l->from,
                     l->next - l->from);
    }
}

/* Units of rows from the next strip's block on: below the strip, which that block is already, and what the next one
 * takes from all before it. */
static void strip_range(const void* context, uint32_t part, size_t first, size_t last) {
    const strip_loop* l = context;
    const supernodes* s = l->s;
    const size_t all = supernode_width(s, l->panel) + supernode_rows(s, l->panel);
    const size_t from = l->next + UNIT * first, to = l->next + UNIT * last < all ? l->next + UNIT * last : all;
    double* panel = s->value + s->panel[l->panel];
    const dense_target target = {panel + l->next * all + from, all, s->straight, s->straight, from - l->next};
    (void)part;
    divide_rows(l, from < l->end ? l->end : from, to);
    if (l->next < l->end) {
        dense_product(panel + from, all, to - from, l->scaled, l->end - l->next, l->next, &target);
    }
}

/* On this thread, or on all of them. */
static void run_strip(const strip_loop* l, bool together) {
    const supernodes* s = l->s;
    const size_t all = supernode_width(s, l->panel) + supernode_rows(s, l->panel);
    const size_t units = (all - l->next + UNIT - 1) / UNIT;
    if (together && (double)(all - l->next) * DENSE_STRIP * (double)l->next > PRODUCTS_ALONE) {
        cpu_for(s->plan, 0, units, 1, strip_range, l);
    } else {
        strip_range(l, 0, 0, units);
    }
}

TAUT_FN_HOT bool factor_panel(const supernodes* s, const supernode_hand* own, size_t p, bool together) {
    const size_t width = supernode_width(s, p);
    for (size_t from = 0; from < width; from += DENSE_STRIP) {
        const size_t next = width - from < DENSE_STRIP ? width : from + DENSE_STRIP;
        const size_t end = width - next < DENSE_STRIP ? width : next + DENSE_STRIP;
        const strip_loop loop = {s, p, from, next, end, own->scaled};
        if (!factor_block(s, p, from, next - from)) {
            return false;
        }
        divide_rows(&loop, next, end);
        scale_rows(s, p, next, end - next, next, own->scaled);
        run_strip(&loop, together);
    }
    return true;
}

/* ---- the tree -----------------------------------------------------------------------------------------------------
 */

/* Threads that take the next one of [0, count) each time. */
typedef struct ticket_loop {
    const supernodes* s;
    size_t panel, count, rows; /* `rows` of a panel at once */
    atomic_size_t* next;
    atomic_bool* regular;
} ticket_loop;

/* A part of the tree: nobody else has anything to do with its panels. */
TAUT_FN_HOT bool factor_part(const supernodes* s, const supernode_hand* own, size_t first, size_t end) {
    bool regular = true;
    for (size_t p = first; p < end && regular; p++) {
        place_rows(s, p, own->place);
        for (uint32_t d = s->head[p]; d != UINT32_MAX; d = s->next[d]) {
            take_rows(s, own, own->place, p, d, 0, SIZE_MAX);
        }
        regular = factor_panel(s, own, p, false);
        pass_on(s, p, end);
    }
    return regular;
}

TAUT_FN_HOT void parts_range(const void* context, size_t first, size_t last) {
    const ticket_loop* l = context;
    for (size_t hand = first; hand < last; hand++) {
        for (size_t i = supernode_ticket(l->next); i < l->count; i = supernode_ticket(l->next)) {
            if (!factor_part(l->s, l->s->hand + hand, l->s->parts.first[i], l->s->parts.end[i])) {
                atomic_store(l->regular, false);
            }
        }
    }
}
CPU_RANGES(parts_range)

/* Rows of a panel above the parts, whose places hand 0 has: what they take from all that give to it. */
TAUT_FN_HOT void rows_range(const void* context, size_t first, size_t last) {
    const ticket_loop* l = context;
    const supernodes* s = l->s;
    for (size_t hand = first; hand < last; hand++) {
        for (size_t i = supernode_ticket(l->next); i < l->count; i = supernode_ticket(l->next)) {
            for (uint32_t d = s->head[l->panel]; d != UINT32_MAX; d = s->next[d]) {
                take_rows(s, s->hand + hand, s->hand->place, l->panel, d, l->rows * i, l->rows * (i + 1));
            }
        }
    }
}
CPU_RANGES(rows_range)

static double products_given(const supernodes* s, size_t p) {
    double sum = 0;
    for (uint32_t d = s->head[p]; d != UINT32_MAX; d = s->next[d]) {
        sum += (double)(supernode_rows(s, d) - s->at[d]) * (double)(end_of_columns(s, p, d) - s->at[d]) *
               (double)supernode_width(s, d);
    }
    return sum;
}

/* Of each of the columns that are given to a panel every thread makes its own copy: it takes many rows with it. */
static size_t rows_at_once(const supernodes* s, size_t all, bool together) {
    const size_t shares = together ? 2 * s->hands : 1, rows = dense_round((all + shares - 1) / shares, UNIT);
    return together && rows < LEAST_ROWS ? LEAST_ROWS : rows;
}

static bool factor_above(const supernodes* s, size_t p) {
    const size_t all = supernode_width(s, p) + supernode_rows(s, p);
    const bool together = s->hands > 1 && products_given(s, p) > PRODUCTS_ALONE;
    const size_t rows = rows_at_once(s, all, together);
    atomic_size_t next = 0;
    const ticket_loop loop = {s, p, (all + rows - 1) / rows, rows, &next, NULL};
    place_rows(s, p, s->hand->place);
    cpu_for_each_thread(s->plan, together ? s->hands : 1, 1, CPU_CHOOSE(rows_range), &loop);
    const bool regular = factor_panel(s, s->hand, p, true);
    pass_on(s, p, s->count);
    return regular;
}

bool supernodes_factor(const supernodes* s) {
    const tree_parts* parts = &s->parts;
    atomic_size_t next = 0;
    atomic_bool regular = true;
    const ticket_loop loop = {s, 0, parts->count, 0, &next, &regular};
    for (size_t p = 0; p < s->count; p++) {
        s->head[p] = UINT32_MAX;
    }
    cpu_for_each_thread(s->plan, s->hands, 1, CPU_CHOOSE(parts_range), &loop);
    for (uint32_t i = 0; i < parts->count; i++) {
        for (uint32_t d = parts->first[i]; d < parts->end[i]; d++) {
            list_giver(s, d, s->count);
        }
    }
    bool good = atomic_load(&regular);
    for (uint32_t i = 0; i <= parts->count; i++) {
        for (size_t p = tree_gap_first(parts, i); p < tree_gap_end(parts, i, s->count) && good; p++) {
            good = factor_above(s, p);
        }
    }
    return good;
}
