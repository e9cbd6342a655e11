#include "host/cpu/cpu_supernodes.h"

#include "host/cpu/cpu_dense_product.h"
#include "host/cpu/cpu_parallel.h"

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

/* Adds a row below panel p once; mark[row]: the panel that had it last. */
static void add_row(supernodes* s, uint32_t* mark, size_t p, uint32_t row, size_t* used) {
    if (row >= s->first[p + 1] && mark[row] != p) {
        mark[row] = (uint32_t)p;
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
static void find_rows(supernodes* s, const lower_part* low, uint32_t* mark, size_t p) {
    size_t used = s->row_begin[p];
    for (uint32_t j = s->first[p]; j < s->first[p + 1]; j++) {
        for (size_t v = low->begin[j]; v < low->begin[j + 1]; v++) {
            add_row(s, mark, p, low->row[v], &used);
        }
    }
    for (uint32_t child = s->head[p]; child != UINT32_MAX; child = s->next[child]) {
        for (size_t i = s->row_begin[child]; i < s->row_begin[child + 1]; i++) {
            add_row(s, mark, p, s->row[i], &used);
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

static void find_all_rows(supernodes* s, const lower_part* low, uint32_t* mark, const merged* list) {
    for (size_t p = 0; p < s->count; p++) {
        s->first[p] = (uint32_t)list[p].first;
        s->first[p + 1] = (uint32_t)list[p].end;
        for (size_t j = list[p].first; j < list[p].end; j++) {
            s->of[j] = (uint32_t)p;
        }
    }
    for (size_t p = 0; p < s->count; p++) {
        s->head[p] = UINT32_MAX;
    }
    memset(mark, 0xff, s->unknowns * sizeof *mark);
    for (size_t p = 0; p < s->count; p++) {
        find_rows(s, low, mark, p);
    }
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

#define TAKE_FROM(pool, to, count) ((to) = saddle_take((pool), (count), sizeof *(to)), (to) != NULL)
#define TAKE(to, count)            TAKE_FROM(pool, to, count)

static bool take_pattern(saddle_pool* pool, supernodes* s, size_t rows) {
    return TAKE(s->first, s->count) && TAKE(s->of, s->unknowns) && TAKE(s->row_begin, s->count) && TAKE(s->row, rows) &&
           TAKE(s->panel, s->count) && TAKE(s->pivot, s->unknowns) && TAKE(s->head, s->count) &&
           TAKE(s->next, s->count) && TAKE(s->at, s->count);
}

static size_t panel_height(const supernodes* s, size_t p) {
    return supernode_width(s, p) + supernode_rows(s, p);
}

/* Threads that factor together: each takes memory. */
#define MOST_HANDS 16

/* What threads have of their own, for panels of at most so many columns and rows. */
static bool take_hands(saddle_pool* pool, supernodes* s, size_t width, size_t rows) {
    uint32_t *place, *given;
    double *scaled, *solution, *elsewhere;
    const size_t columns = dense_round(width, DENSE_COLUMNS);
    const uint32_t threads = s->plan->settings.threads;
    s->hands = threads < 1 ? 1 : threads < MOST_HANDS ? threads : MOST_HANDS;
    if (!TAKE(s->hand, s->hands) || !TAKE(place, s->hands * s->unknowns) || !TAKE(given, s->hands * rows) ||
        !TAKE(scaled, s->hands * SUPERNODE_STRIP * columns) || !TAKE(solution, s->hands * rows) ||
        !TAKE(elsewhere, s->hands * s->unknowns)) {
        return false;
    }
    for (size_t h = 0; h < s->hands; h++) {
        s->hand[h] = (supernode_hand){place + h * s->unknowns, given + h * rows, scaled + h * SUPERNODE_STRIP * columns,
                                      solution + h * rows, elsewhere + h * s->unknowns};
    }
    return true;
}

/* Values behind a panel that are nobody's: registers of its last rows end there. */
#define PANEL_GAP DENSE_ROWS

static bool take_values(saddle_pool* pool, supernodes* s) {
    size_t values = 0, width = 0, rows = 0;
    for (size_t p = 0; p < s->count; p++) {
        const size_t own = supernode_width(s, p), all = panel_height(s, p);
        s->panel[p] = values;
        values += own * all + PANEL_GAP;
        width = own > width ? own : width;
        rows = all > rows ? all : rows;
    }
    s->values = values;
    if (!TAKE(s->value, values) || !TAKE(s->straight, rows) || !take_hands(pool, s, width, rows)) {
        return false;
    }
    for (size_t i = 0; i < rows; i++) {
        s->straight[i] = (uint32_t)i;
    }
    return true;
}

/* ---- parts of the tree ------------------------------------------------------------------------------------------- */

/* Products of a factorisation that threads are worth. */
#define PRODUCTS_TOGETHER 1e6

/* Cuts the tree of panels: the parent of one is that of its first row. */
static bool cut_tree(saddle_pool* scratch, supernodes* s) {
    uint32_t *parent, *size;
    float* cost;
    if (!TAKE_FROM(scratch, parent, s->count) || !TAKE_FROM(scratch, size, s->count) ||
        !TAKE_FROM(scratch, cost, s->count)) {
        return false;
    }
    for (size_t p = 0; p < s->count; p++) {
        const float all = (float)panel_height(s, p);
        parent[p] = supernode_rows(s, p) > 0 ? s->of[s->row[s->row_begin[p]]] : TREE_ROOT;
        cost[p] = (float)supernode_width(s, p) * all * all;
    }
    tree_parts_cut(s->count, parent, PRODUCTS_TOGETHER, cost, size, &s->parts);
    return true;
}

/* Rows of the panels of a part that are behind it, each once, to `above` where there is one. */
static size_t list_above(const supernodes* s, uint32_t part, uint32_t* mark, uint32_t* above) {
    const uint32_t end = s->first[s->parts.end[part]];
    size_t count = 0;
    for (size_t i = s->row_begin[s->parts.first[part]]; i < s->row_begin[s->parts.end[part]]; i++) {
        if (s->row[i] >= end && mark[s->row[i]] != part) {
            mark[s->row[i]] = part;
            if (above != NULL) {
                above[count] = s->row[i];
            }
            count++;
        }
    }
    return count;
}

static bool list_all_above(saddle_pool* pool, supernodes* s, uint32_t* mark) {
    memset(mark, 0xff, s->unknowns * sizeof *mark);
    for (uint32_t i = 0; i < s->parts.count; i++) {
        s->above_begin[i + 1] = s->above_begin[i] + list_above(s, i, mark, NULL);
    }
    const size_t all = s->above_begin[s->parts.count];
    if (!TAKE(s->above, all) || !TAKE(s->passed, all)) {
        return false;
    }
    memset(mark, 0xff, s->unknowns * sizeof *mark);
    for (uint32_t i = 0; i < s->parts.count; i++) {
        list_above(s, i, mark, s->above + s->above_begin[i]);
    }
    return true;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

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
    uint32_t* mark;
    size_t rows = 0;
    if (!TAKE_FROM(scratch, list, s->unknowns) || !TAKE_FROM(scratch, mark, s->unknowns) ||
        !TAKE_FROM(scratch, low.begin, s->unknowns) || !TAKE_FROM(scratch, low.row, (size_t)begin[s->unknowns])) {
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
    find_all_rows(s, &low, mark, list);
    return take_values(pool, s) && cut_tree(scratch, s) && list_all_above(pool, s, mark);
}

taut_status supernodes_make(const taut_plan* plan, saddle_pool* pool, size_t unknowns, const saddle_index* begin,
                            const saddle_index* row, double most, supernodes* out) {
    saddle_pool scratch = {.allocator = pool->allocator};
    saddle_index *first, *parent, *below, *flag;
    taut_status status = TAUT_OUT_OF_MEMORY;
    *out = (supernodes){.plan = plan, .unknowns = unknowns};
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
    const size_t p = s->of[column], width = supernode_width(s, p), all = width + supernode_rows(s, p);
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

static void clear_range(const void* context, uint32_t part, size_t first, size_t last) {
    const supernodes* s = context;
    (void)part;
    memset(s->value + first, 0, (last - first) * sizeof *s->value);
}

void supernodes_clear(const supernodes* s) {
    cpu_for(s->plan, 0, s->values, 64 * CPU_PARALLEL_FROM, clear_range, s);
}
