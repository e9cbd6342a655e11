/* Pattern, order and memory of the adjoint's matrix. */
#include "host/cpu/cpu_adjoint_system.h"
#include "host/cpu/cpu_neighbours.h"

#include <math.h>

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

#define TAKE(pool, to, count) ((to) = saddle_take(pool, (count), sizeof *(to)), (to) != NULL)

/* ---- what hangs together ----------------------------------------------------------------------------------------- */

static size_t add_node(saddle_index node, saddle_index* nodes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (nodes[i] == node) {
            return count;
        }
    }
    nodes[count] = node;
    return count + 1;
}

/* Constraint c of a kind: mapped points stand for their parents. */
static void note_constraint(const taut_plan* plan, int k, size_t c, neighbours* n) {
    const taut_kind_shape* shape = &taut_kind_shapes[k];
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    saddle_index own[ADJOINT_MOST], nodes[ADJOINT_MOST / 3 * TAUT_ADJOINT_PARENTS],
        all[ADJOINT_MOST * TAUT_ADJOINT_PARENTS + ADJOINT_MOST];
    const size_t end = adjoint_unknowns(plan, k, c, own);
    size_t count = 0, unknowns = 0;
    for (size_t slot = 0; slot < shape->nodes; slot++) {
        const size_t node = (size_t)own[3 * slot] / 3;
        if (node < s->simple || node >= s->points) {
            count = add_node((saddle_index)node, nodes, count);
            continue;
        }
        for (uint32_t e = f->map_begin[node - s->simple]; e < f->map_begin[node - s->simple + 1]; e++) {
            count = add_node((saddle_index)f->map_parent[e], nodes, count);
        }
    }
    for (size_t i = 0; i < 3 * count; i++) {
        all[unknowns++] = 3 * nodes[i / 3] + (saddle_index)(i % 3);
    }
    for (size_t i = 3 * (size_t)shape->nodes; i < end; i++) {
        all[unknowns++] = own[i];
    }
    neighbours_note_clique(n, all, unknowns);
}

/* What a contact joins. */
static void note_contact(const taut_contact_note* contact, neighbours* n) {
    saddle_index all[3 * 6];
    size_t count = 0;
    for (size_t slot = 0; slot < 6; slot++) {
        for (size_t a = 0; contact->node[slot] != TAUT_NO_NODE && a < 3; a++) {
            all[count++] = 3 * (saddle_index)contact->node[slot] + (saddle_index)a;
        }
    }
    neighbours_note_clique(n, all, count);
}

/* ---- order and columns ------------------------------------------------------------------------------------------- */

/* What a matrix is of. `record`: the contacts that it has room for; NULL: none. */
typedef struct pattern_source {
    const taut_plan* plan;
    const taut_step_record* record;
} pattern_source;

static void note_all(const void* context, neighbours* n) {
    const pattern_source* source = context;
    const taut_plan* plan = source->plan;
    const taut_sizes* s = &plan->sizes;
    const taut_fields* f = &plan->fields;
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        for (size_t c = 0; adjoint_takes(plan, k) && c < s->count[k]; c++) {
            note_constraint(plan, k, c, n);
        }
    }
    for (size_t i = 0; i < s->touching + s->frames; i++) {
        const size_t node = i < s->touching ? f->touching_node[i].centre : s->points + i - s->touching;
        const saddle_index first = 3 * (saddle_index)node, at[3] = {first, first + 1, first + 2};
        neighbours_note_clique(n, at, node != TAUT_NO_NODE ? 3 : 0);
    }
    for (size_t i = 0; source->record != NULL && i < source->record->contact_count; i++) {
        note_contact(&source->record->contacts[i], n);
    }
    for (size_t c = 0; c < s->count[TAUT_LINEAR]; c++) {
        const saddle_index row = (saddle_index)(3 * s->nodes + s->first_row[TAUT_LINEAR] + c);
        for (uint32_t e = f->linear_begin[c]; e < f->linear_begin[c + 1]; e++) {
            const saddle_index pair[2] = {row, f->linear_coordinate[e]};
            neighbours_note_clique(n, pair, 2);
        }
    }
}

/* number = the place of each unknown in the order of elimination. */
static taut_status choose_order(const neighbours* n, adjoint_system* s, saddle_pool* scratch) {
    saddle_index* order;
    if (!TAKE(&s->pool, s->number, s->unknowns) || !TAKE(scratch, order, s->unknowns)) {
        return TAUT_OUT_OF_MEMORY;
    }
    const taut_status status = neighbours_order(n, scratch->allocator, order);
    for (size_t i = 0; i < s->unknowns && status == TAUT_OK; i++) {
        s->number[order[i]] = (saddle_index)i;
    }
    return status;
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
        neighbours_sort(column, (size_t)count);
        column[count] = s->number[i];
    }
}

static taut_status take_factors(const taut_plan* plan, adjoint_system* s) {
    const taut_status status = supernodes_make(plan, &s->pool, s->unknowns, s->begin, s->row, INFINITY, &s->factors);
    for (size_t b = 0; b < s->unknowns && status == TAUT_OK; b++) {
        for (saddle_index v = s->begin[b]; v < s->begin[b + 1]; v++) {
            s->place[v] = supernodes_place(&s->factors, b, (size_t)s->row[v]).first;
        }
    }
    return status;
}

static taut_status lay_out(const pattern_source* source, adjoint_system* s, saddle_pool* scratch) {
    const size_t n = s->unknowns;
    neighbours near;
    taut_status status = neighbours_find(scratch, n, note_all, source, &near);
    if (status == TAUT_OK) {
        status = choose_order(&near, s, scratch);
    }
    if (status != TAUT_OK) {
        return status;
    }
    const size_t values = (size_t)near.begin[n] / 2 + n;
    if (!TAKE(&s->pool, s->begin, n + 1) || !TAKE(&s->pool, s->row, values) || !TAKE(&s->pool, s->upper, values) ||
        !TAKE(&s->pool, s->lower, values) || !TAKE(&s->pool, s->middle, values) || !TAKE(&s->pool, s->side, n) ||
        !TAKE(&s->pool, s->solution, n) || !TAKE(&s->pool, s->residual, n) || !TAKE(&s->pool, s->product, n) ||
        !TAKE(&s->pool, s->scale, n) || !TAKE(&s->pool, s->place, values) ||
        !TAKE(&s->pool, s->basis, (ADJOINT_RESTART + 1) * n)) {
        return TAUT_OUT_OF_MEMORY;
    }
    fill_columns(&near, s);
    return take_factors(source->plan, s);
}

taut_status adjoint_open(const taut_plan* plan, const taut_step_record* record, const taut_allocator* allocator,
                         adjoint_system* s) {
    const pattern_source source = {plan, record};
    saddle_pool scratch = {.allocator = allocator};
    *s = (adjoint_system){.pool = {.allocator = allocator},
                          .nodes = plan->sizes.nodes,
                          .unknowns = 3 * plan->sizes.nodes + taut_given_rows(&plan->sizes)};
    const taut_status status = lay_out(&source, s, &scratch);
    saddle_release(&scratch);
    return status;
}

void adjoint_close(adjoint_system* s) {
    saddle_release(&s->pool);
}

/* Whether nodes a and b are joined: their first coordinates are. */
static bool joins(const adjoint_system* s, uint32_t a, uint32_t b) {
    const saddle_index one = s->number[3 * (size_t)a], two = s->number[3 * (size_t)b];
    const saddle_index column = one > two ? one : two, row = one > two ? two : one;
    return s->row[adjoint_find(s, row, column)] == row;
}

bool adjoint_has_room(const adjoint_system* s, const taut_step_record* record) {
    bool all = true;
    for (size_t i = 0; all && i < record->contact_count; i++) {
        const uint32_t* node = record->contacts[i].node;
        for (size_t pair = 0; pair < 36; pair++) {
            const uint32_t a = node[pair / 6], b = node[pair % 6];
            all = all && (a == TAUT_NO_NODE || b == TAUT_NO_NODE || joins(s, a, b));
        }
    }
    return all;
}
