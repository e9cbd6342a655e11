#include "host/cpu/cpu_supernodes.h"

#include "host/cpu/cpu_dense_product.h"

#include <string.h>

/* ---- pattern ----------------------------------------------------------------------------------------------------- */

/* A panel takes in the one before it, its last child in the tree, where few values of the two would be 0: what that
 * costs in products it saves in overhead. */
typedef struct merged {
    size_t first, end; /* columns */
    double zeros;
} merged;

static bool worth_merging(size_t width, double zeros, double all) {
    return zeros <= (width <= 16 ? 0.5 : width <= 48 ? 0.2 : 0.05) * all;
}

/* Whether column j has the rows of j + 1 and j + 1 itself. */
static bool continues(const saddle_index* parent, const saddle_index* below, size_t j) {
    return parent[j] == (saddle_index)j + 1 && below[j] == below[j + 1] + 1;
}

/* Merges the last two panels of the list; false where that is not worth it. */
static bool merge_last(merged* list, size_t* count, const saddle_index* parent, const saddle_index* below) {
    merged *a = &list[*count - 2], *b = &list[*count - 1];
    const size_t own = a->end - a->first, width = b->end - a->first;
    const double rows = (double)below[b->end - 1], columns = (double)(b->end - b->first);
    const double zeros = a->zeros + b->zeros + (double)own * (columns + rows - (double)below[a->end - 1]);
    if (parent[a->end - 1] != (saddle_index)b->first ||
        !worth_merging(width, zeros, (double)width * ((double)width / 2 + rows))) {
        return false;
    }
    a->end = b->end;
    a->zeros = zeros;
    *count -= 1;
    return true;
}

static size_t find_panels(size_t n, const saddle_index* parent, const saddle_index* below, merged* list) {
    size_t count = 0;
    for (size_t j = 0, end; j < n; j = end) {
        for (end = j + 1; end < n && continues(parent, below, end - 1);) {
            end++;
        }
        list[count++] = (merged){j, end, 0};
        while (count > 1 && merge_last(list, &count, parent, below)) {
        }
    }
    return count;
}

/* Rows of the matrix by columns, on and below the diagonal. */
typedef struct lower_part {
    size_t* begin;
    uint32_t* row;
} lower_part;

static void transpose(size_t n, const saddle_index* begin, const saddle_index* row, const lower_part* low) {
    for (size_t v = 0; v < (size_t)begin[n]; v++) {
        low->begin[row[v] + 1]++;
    }
    for (size_t j = 0; j < n; j++) {
        low->begin[j + 1] += low->begin[j];
    }
    for (size_t j = 0; j < n; j++) {
        for (saddle_index v = begin[j]; v < begin[j + 1]; v++) {
            low->row[low->begin[row[v]]++] = (uint32_t)j;
        }
    }
    memmove(low->begin + 1, low->begin, n * sizeof *low->begin);
    low->begin[0] = 0;
}

/* Adds a row below panel p once. */
static void add_row(supernodes* s, size_t p, uint32_t row, size_t* used) {
    if (row >= s->first[p + 1] && s->place[row] != p) {
        s->place[row] = (uint32_t)p;
        s->row[(*used)++] = row;
    }
}

static void sort_rows(uint32_t* row, size_t count) {
    for (size_t gap = count / 2; gap > 0; gap /= 2) {
        for (size_t i = gap; i < count; i++) {
            const uint32_t value = row[i];
            size_t at = i;
            for (; at >= gap && row[at - gap] > value; at -= gap) {
                row[at] = row[at - gap];
            }
            row[at] = value;
        }
    }
}

/* Rows of panel p: of the matrix, and of the panels whose first row is in it, which are in its list. */
static void find_rows(supernodes* s, const lower_part* low, size_t p) {
    size_t used = s->row_begin[p];
    for (uint32_t j = s->first[p]; j < s->first[p + 1]; j++) {
        for (size_t v = low->begin[j]; v < low->begin[j + 1]; v++) {
            add_row(s, p, low->row[v], &used);
        }
    }
    for (uint32_t child = s->head[p]; child != UINT32_MAX; child = s->next[child]) {
        for (size_t i = s->row_begin[child]; i < s->row_begin[child + 1]; i++) {
            add_row(s, p, s->row[i], &used);
        }
    }
    sort_rows(s->row + s->row_begin[p], used - s->row_begin[p]);
    s->row_begin[p + 1] = used;
    if (used > s->row_begin[p]) {
        const uint32_t to = s->of[s->row[s->row_begin[p]]];
        s->next[p] = s->head[to];
        s->head[to] = (uint32_t)p;
    }
}

static size_t panel_width(const supernodes* s, size_t p) {
    return s->first[p + 1] - s->first[p];
}

static size_t panel_rows(const supernodes* s, size_t p) {
    return s->row_begin[p + 1] - s->row_begin[p];
}

static void clear_lists(const supernodes* s) {
    for (size_t p = 0; p < s->count; p++) {
        s->head[p] = UINT32_MAX;
    }
}

static void find_all_rows(supernodes* s, const lower_part* low, const merged* list) {
    for (size_t p = 0; p < s->count; p++) {
        s->first[p] = (uint32_t)list[p].first;
        s->first[p + 1] = (uint32_t)list[p].end;
        for (size_t j = list[p].first; j < list[p].end; j++) {
            s->of[j] = (uint32_t)p;
        }
    }
    clear_lists(s);
    memset(s->place, 0xff, s->unknowns * sizeof *s->place);
    for (size_t p = 0; p < s->count; p++) {
        find_rows(s, low, p);
    }
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

#define TAKE_FROM(pool, to, count) ((to) = saddle_take((pool), (count), sizeof *(to)), (to) != NULL)
#define TAKE(to, count)            TAKE_FROM(pool, to, count)

static bool take_pattern(saddle_pool* pool, supernodes* s, size_t rows) {
    return TAKE(s->first, s->count) && TAKE(s->of, s->unknowns) && TAKE(s->row_begin, s->count) && TAKE(s->row, rows) &&
           TAKE(s->panel, s->count) && TAKE(s->pivot, s->unknowns) && TAKE(s->place, s->unknowns) &&
           TAKE(s->head, s->count) && TAKE(s->next, s->count) && TAKE(s->at, s->count);
}

static bool take_values(saddle_pool* pool, supernodes* s) {
    size_t values = 0, width = 0, rows = 0;
    for (size_t p = 0; p < s->count; p++) {
        const size_t own = panel_width(s, p), all = own + panel_rows(s, p);
        s->panel[p] = values;
        values += own * all;
        width = own > width ? own : width;
        rows = all > rows ? all : rows;
    }
    width = dense_round(width, DENSE_COLUMNS);
    s->values = values;
    return TAKE(s->value, values + DENSE_ROWS) && TAKE(s->product, width * dense_round(rows, DENSE_ROWS)) &&
           TAKE(s->scaled, width * width) && TAKE(s->solution, rows) && TAKE(s->given, rows);
}

/* Of a factorisation: each value of a column of L meets all of the column. */
static double count_products(size_t unknowns, const saddle_index* below) {
    double sum = 0;
    for (size_t i = 0; i < unknowns; i++) {
        sum += (double)below[i] * (double)below[i];
    }
    return sum;
}

/* Panels and their memory, from the elimination tree and the values below the diagonal of L. */
static bool lay_out(saddle_pool* pool, saddle_pool* scratch, const saddle_index* begin, const saddle_index* row,
                    const saddle_index* parent, const saddle_index* below, supernodes* s) {
    lower_part low;
    merged* list;
    size_t rows = 0;
    if (!TAKE_FROM(scratch, list, s->unknowns) || !TAKE_FROM(scratch, low.begin, s->unknowns) ||
        !TAKE_FROM(scratch, low.row, (size_t)begin[s->unknowns])) {
        return false;
    }
    s->count = find_panels(s->unknowns, parent, below, list);
    for (size_t p = 0; p < s->count; p++) {
        rows += (size_t)below[list[p].end - 1];
    }
    if (!take_pattern(pool, s, rows)) {
        return false;
    }
    transpose(s->unknowns, begin, row, &low);
    find_all_rows(s, &low, list);
    return take_values(pool, s);
}

taut_status supernodes_make(saddle_pool* pool, size_t unknowns, const saddle_index* begin, const saddle_index* row,
                            double most, supernodes* out) {
    saddle_pool scratch = {.allocator = pool->allocator};
    saddle_index *first, *parent, *below, *flag;
    taut_status status = TAUT_OUT_OF_MEMORY;
    *out = (supernodes){.unknowns = unknowns};
    if (TAKE_FROM(&scratch, first, unknowns) && TAKE_FROM(&scratch, parent, unknowns) &&
        TAKE_FROM(&scratch, below, unknowns) && TAKE_FROM(&scratch, flag, unknowns)) {
        ldl_l_symbolic((saddle_index)unknowns, (saddle_index*)begin, (saddle_index*)row, first, parent, below, flag,
                       NULL, NULL);
        out->factor_values = (size_t)first[unknowns];
        if (count_products(unknowns, below) > most) {
            status = TAUT_OUT_OF_CAPACITY;
        } else if (lay_out(pool, &scratch, begin, row, parent, below, out)) {
            status = TAUT_OK;
        }
    }
    saddle_release(&scratch);
    return status;
}

supernode_place supernodes_place(const supernodes* s, size_t row, size_t column) {
    const size_t p = s->of[column], width = panel_width(s, p), all = width + panel_rows(s, p);
    size_t low = s->row_begin[p], high = s->row_begin[p + 1];
    size_t at = row - s->first[p];
    if (at >= width) {
        while (low + 1 < high) {
            const size_t middle = low + (high - low) / 2;
            *(s->row[middle] <= row ? &low : &high) = middle;
        }
        at = width + low - s->row_begin[p];
    }
    return (supernode_place){s->panel[p] + (column - s->first[p]) * all + at, all};
}

void supernodes_clear(const supernodes* s) {
    memset(s->value, 0, s->values * sizeof *s->value);
}

/* ---- factors ----------------------------------------------------------------------------------------------------- */

/* Where panel p has its rows. */
static void place_rows(const supernodes* s, size_t p) {
    const size_t width = panel_width(s, p), rows = panel_rows(s, p);
    for (size_t c = 0; c < width; c++) {
        s->place[s->first[p] + c] = (uint32_t)c;
    }
    for (size_t i = 0; i < rows; i++) {
        s->place[s->row[s->row_begin[p] + i]] = (uint32_t)(width + i);
    }
}

/* scaled = D L^T of `count` rows of a panel, from `row` on, of its first `width` columns. */
static void scale_rows(const supernodes* s, size_t p, size_t row, size_t count, size_t width) {
    const size_t all = panel_width(s, p) + panel_rows(s, p), across = dense_round(count, DENSE_COLUMNS);
    const double* panel = s->value + s->panel[p];
    for (size_t k = 0; k < width; k++) {
        const double pivot = s->pivot[s->first[p] + k];
        for (size_t j = 0; j < across; j++) {
            s->scaled[k * across + j] = j < count ? pivot * panel[k * all + row + j] : 0;
        }
    }
}

/* column[place[i]] -= product[i], i in [first, end): mostly places that follow each other. */
static void subtract_rows(const double* product, const uint32_t* place, size_t first, size_t end, double* column) {
    if (place[end - 1] - place[first] == end - 1 - first) {
        double* to = column + place[first];
        for (size_t i = first; i < end; i++) {
            to[i - first] -= product[i];
        }
        return;
    }
    for (size_t i = first; i < end; i++) {
        column[place[i]] -= product[i];
    }
}

/* What panel p takes from panel d, whose rows from at[d] on are columns of p; d goes on to its next one. */
static void take_from(const supernodes* s, size_t p, uint32_t d) {
    const size_t begin = s->at[d], rows = panel_rows(s, d), width = panel_width(s, d);
    const size_t all = panel_width(s, p) + panel_rows(s, p);
    const uint32_t* row = s->row + s->row_begin[d];
    size_t end = begin;
    while (end < rows && row[end] < s->first[p + 1]) {
        end++;
    }
    const size_t height = dense_round(rows - begin, DENSE_ROWS);
    scale_rows(s, d, width + begin, end - begin, width);
    dense_product(s->value + s->panel[d] + width + begin, width + rows, rows - begin, s->scaled, end - begin, width,
                  s->product);
    for (size_t i = begin; i < rows; i++) {
        s->given[i - begin] = s->place[row[i]];
    }
    for (size_t j = begin; j < end; j++) {
        double* column = s->value + s->panel[p] + (row[j] - s->first[p]) * all;
        subtract_rows(s->product + (j - begin) * height, s->given, j - begin, rows - begin, column);
    }
    s->at[d] = (uint32_t)end;
    if (end < rows) {
        const uint32_t to = s->of[row[end]];
        s->next[d] = s->head[to];
        s->head[to] = d;
    }
}

/* What columns [from, from + count) of a panel take from those before them. */
static void take_own(const supernodes* s, size_t p, size_t from, size_t count) {
    const size_t all = panel_width(s, p) + panel_rows(s, p), height = dense_round(all - from, DENSE_ROWS);
    double* panel = s->value + s->panel[p];
    scale_rows(s, p, from, count, from);
    dense_product(panel + from, all, all - from, s->scaled, count, from, s->product);
    for (size_t c = 0; c < count; c++) {
        for (size_t i = c; i < all - from; i++) {
            panel[(from + c) * all + from + i] -= s->product[c * height + i];
        }
    }
}

/* Columns [from, from + count), which have taken from all before: their block, then what is below. False where a pivot
 * is 0. */
static bool factor_strip(const supernodes* s, size_t p, size_t from, size_t count) {
    const size_t all = panel_width(s, p) + panel_rows(s, p);
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

static bool factor_panel(const supernodes* s, size_t p) {
    const size_t width = panel_width(s, p);
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

bool supernodes_factor(const supernodes* s) {
    bool regular = true;
    clear_lists(s);
    for (size_t p = 0; p < s->count && regular; p++) {
        place_rows(s, p);
        for (uint32_t d = s->head[p], next; d != UINT32_MAX; d = next) {
            next = s->next[d];
            take_from(s, p, d);
        }
        regular = factor_panel(s, p);
        if (panel_rows(s, p) > 0) {
            const uint32_t to = s->of[s->row[s->row_begin[p]]];
            s->at[p] = 0;
            s->next[p] = s->head[to];
            s->head[to] = (uint32_t)p;
        }
    }
    return regular;
}

/* ---- solutions --------------------------------------------------------------------------------------------------- */

static void forward(const supernodes* s, size_t p, double* x) {
    const size_t width = panel_width(s, p), rows = panel_rows(s, p), all = width + rows;
    const double* panel = s->value + s->panel[p];
    double *own = x + s->first[p], *given = s->solution;
    memset(given, 0, rows * sizeof *given);
    for (size_t c = 0; c < width; c++) {
        const double *column = panel + c * all, factor = own[c];
        for (size_t i = c + 1; i < width; i++) {
            own[i] -= factor * column[i];
        }
        for (size_t i = 0; i < rows; i++) {
            given[i] += factor * column[width + i];
        }
    }
    for (size_t i = 0; i < rows; i++) {
        x[s->row[s->row_begin[p] + i]] -= given[i];
    }
}

static void backward(const supernodes* s, size_t p, double* x) {
    const size_t width = panel_width(s, p), rows = panel_rows(s, p), all = width + rows;
    const double* panel = s->value + s->panel[p];
    double *own = x + s->first[p], *known = s->solution;
    for (size_t i = 0; i < rows; i++) {
        known[i] = x[s->row[s->row_begin[p] + i]];
    }
    for (size_t c = width; c-- > 0;) {
        const double* column = panel + c * all;
        double sum = own[c];
        for (size_t i = c + 1; i < width; i++) {
            sum -= column[i] * own[i];
        }
        for (size_t i = 0; i < rows; i++) {
            sum -= column[width + i] * known[i];
        }
        own[c] = sum;
    }
}

void supernodes_solve(const supernodes* s, double* x) {
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
