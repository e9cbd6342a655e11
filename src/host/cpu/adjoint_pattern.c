/* Pattern, order and memory of the adjoint's matrix. */
#include "host/cpu/cpu_adjoint_system.h"

#include <amd.h>
#include <stdlib.h>
#include <string.h>

bool adjoint_takes(const taut_plan* plan, int k) {
    return plan->sizes.count[k] > 0 && k != TAUT_CONTACT && k != TAUT_ROLLING && k != TAUT_LINEAR;
}

size_t adjoint_unknowns(const taut_plan* plan, int k, size_t c, saddle_index out[ADJOINT_MOST]) {
    const taut_kind_shape* shape = &taut_kind_shapes[k];
    const taut_sizes* s = &plan->sizes;
    size_t count = 0;
    for (size_t i = 0; i < 3 * (size_t)shape->nodes; i++) {
        out[count++] = 3 * (saddle_index)plan->fields.kinds[k].nodes[shape->nodes * c + i / 3] + (saddle_index)(i % 3);
    }
    for (size_t r = 0; r < shape->rows; r++) {
        out[count++] = (saddle_index)(3 * s->nodes + s->first_row[k] + shape->rows * c + r);
    }
    return count;
}

/* ---- neighbours -------------------------------------------------------------------------------------------------- */

/* Neighbours of each unknown: first counted, then listed. */
typedef struct neighbours {
    saddle_index *begin, *list; /* `list` NULL while they are counted */
    saddle_index* length;
} neighbours;

static void note(neighbours* n, saddle_index a, saddle_index b) {
    if (n->list != NULL) {
        n->list[n->begin[a] + n->length[a]] = b;
    }
    n->length[a]++;
}

static void note_clique(neighbours* n, const saddle_index* unknown, size_t count) {
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < count; j++) {
            if (i != j) {
                note(n, unknown[i], unknown[j]);
            }
        }
    }
}

static void note_all(const taut_plan* plan, neighbours* n) {
    const taut_sizes* s = &plan->sizes;
    const taut_fields* f = &plan->fields;
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        for (size_t c = 0; adjoint_takes(plan, k) && c < s->count[k]; c++) {
            saddle_index unknown[ADJOINT_MOST];
            note_clique(n, unknown, adjoint_unknowns(plan, k, c, unknown));
        }
    }
    for (size_t c = 0; c < s->count[TAUT_LINEAR]; c++) {
        const saddle_index row = (saddle_index)(3 * s->nodes + s->first_row[TAUT_LINEAR] + c);
        for (uint32_t e = f->linear_begin[c]; e < f->linear_begin[c + 1]; e++) {
            const saddle_index pair[2] = {row, f->linear_coordinate[e]};
            note_clique(n, pair, 2);
        }
    }
}

static int ascending(const void* a, const void* b) {
    const saddle_index x = *(const saddle_index*)a, y = *(const saddle_index*)b;
    return (x > y) - (x < y);
}

/* Each neighbour once, in order; lists move together. Returns their length. */
static size_t unite(neighbours* n, size_t unknowns) {
    saddle_index used = 0;
    for (size_t i = 0; i < unknowns; i++) {
        const saddle_index first = n->begin[i], count = n->length[i];
        qsort(n->list + first, (size_t)count, sizeof *n->list, ascending);
        n->begin[i] = used;
        for (saddle_index j = 0; j < count; j++) {
            if (j == 0 || n->list[first + j] != n->list[first + j - 1]) {
                n->list[used++] = n->list[first + j];
            }
        }
        n->length[i] = used - n->begin[i];
    }
    n->begin[unknowns] = used;
    return (size_t)used;
}

#define TAKE(pool, to, count) ((to) = saddle_take(pool, (count), sizeof *(to)), (to) != NULL)

static taut_status find_neighbours(const taut_plan* plan, size_t unknowns, saddle_pool* pool, neighbours* n) {
    *n = (neighbours){0};
    if (!TAKE(pool, n->begin, unknowns + 1) || !TAKE(pool, n->length, unknowns)) {
        return TAUT_OUT_OF_MEMORY;
    }
    note_all(plan, n);
    for (size_t i = 0; i < unknowns; i++) {
        n->begin[i + 1] = n->begin[i] + n->length[i];
        n->length[i] = 0;
    }
    if (!TAKE(pool, n->list, (size_t)n->begin[unknowns])) {
        return TAUT_OUT_OF_MEMORY;
    }
    note_all(plan, n);
    unite(n, unknowns);
    return TAUT_OK;
}

/* ---- order and columns ------------------------------------------------------------------------------------------- */

/* number = the place of each unknown in an order of approximate minimum degree; amd_l2 destroys what it is given. */
static taut_status choose_order(const neighbours* n, adjoint_system* s, saddle_pool* pool) {
    const size_t unknowns = s->unknowns, used = (size_t)n->begin[unknowns], room = used + used / 5 + unknowns + 1;
    saddle_index *begin, *length, *list, *order, *scratch[6];
    double control[AMD_CONTROL], info[AMD_INFO];
    bool taken = TAKE(pool, begin, unknowns) && TAKE(pool, length, unknowns) && TAKE(pool, list, room) &&
                 TAKE(pool, order, unknowns);
    for (int i = 0; taken && i < 6; i++) {
        taken = TAKE(pool, scratch[i], unknowns);
    }
    if (!taken) {
        return TAUT_OUT_OF_MEMORY;
    }
    memcpy(begin, n->begin, unknowns * sizeof *begin);
    memcpy(length, n->length, unknowns * sizeof *length);
    memcpy(list, n->list, used * sizeof *list);
    amd_l_defaults(control);
    amd_l2((saddle_index)unknowns, begin, list, length, (saddle_index)room, (saddle_index)used, scratch[0], scratch[1],
           order, scratch[2], scratch[3], scratch[4], scratch[5], control, info);
    for (size_t i = 0; i < unknowns; i++) {
        s->number[order[i]] = (saddle_index)i;
    }
    return TAUT_OK;
}

/* Columns on and above the diagonal: rows of what is eliminated before, in order, then the diagonal. */
static void fill_columns(const neighbours* n, adjoint_system* s) {
    for (size_t i = 0; i < s->unknowns; i++) {
        for (saddle_index j = n->begin[i]; j < n->begin[i + 1]; j++) {
            s->begin[s->number[i] + 1] += s->number[n->list[j]] < s->number[i];
        }
    }
    for (size_t i = 0; i < s->unknowns; i++) {
        s->begin[i + 1] += s->begin[i] + 1;
    }
    for (size_t i = 0; i < s->unknowns; i++) {
        saddle_index *column = s->row + s->begin[s->number[i]], count = 0;
        for (saddle_index j = n->begin[i]; j < n->begin[i + 1]; j++) {
            if (s->number[n->list[j]] < s->number[i]) {
                column[count++] = s->number[n->list[j]];
            }
        }
        qsort(column, (size_t)count, sizeof *column, ascending);
        column[count] = s->number[i];
    }
}

static taut_status take_factors(adjoint_system* s, saddle_pool* scratch) {
    const size_t n = s->unknowns;
    saddle_index *begin, *parent, *below, *flag;
    if (!TAKE(scratch, begin, n + 1) || !TAKE(scratch, parent, n) || !TAKE(scratch, below, n) ||
        !TAKE(scratch, flag, n)) {
        return TAUT_OUT_OF_MEMORY;
    }
    ldl_l_symbolic((saddle_index)n, s->begin, s->row, begin, parent, below, flag, NULL, NULL);
    return supernodes_make(&s->pool, n, s->begin, s->row, parent, below, &s->factors);
}

static taut_status lay_out(const taut_plan* plan, adjoint_system* s, saddle_pool* scratch) {
    const size_t n = s->unknowns;
    neighbours near;
    taut_status status = find_neighbours(plan, n, scratch, &near);
    if (status == TAUT_OK) {
        status = TAKE(&s->pool, s->number, n) ? choose_order(&near, s, scratch) : TAUT_OUT_OF_MEMORY;
    }
    if (status != TAUT_OK) {
        return status;
    }
    const size_t values = (size_t)near.begin[n] / 2 + n;
    if (!TAKE(&s->pool, s->begin, n + 1) || !TAKE(&s->pool, s->row, values) || !TAKE(&s->pool, s->upper, values) ||
        !TAKE(&s->pool, s->lower, values) || !TAKE(&s->pool, s->middle, values) || !TAKE(&s->pool, s->side, n) ||
        !TAKE(&s->pool, s->solution, n) || !TAKE(&s->pool, s->residual, n) || !TAKE(&s->pool, s->product, n) ||
        !TAKE(&s->pool, s->scale, n) || !TAKE(&s->pool, s->basis, (ADJOINT_RESTART + 1) * n)) {
        return TAUT_OUT_OF_MEMORY;
    }
    fill_columns(&near, s);
    return take_factors(s, scratch);
}

taut_status adjoint_open(const taut_plan* plan, const taut_allocator* allocator, adjoint_system* s) {
    saddle_pool scratch = {.allocator = allocator};
    *s = (adjoint_system){.pool = {.allocator = allocator},
                          .nodes = plan->sizes.nodes,
                          .unknowns = 3 * plan->sizes.nodes + taut_given_rows(&plan->sizes)};
    const taut_status status = lay_out(plan, s, &scratch);
    saddle_release(&scratch);
    return status;
}
