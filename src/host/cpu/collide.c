/* Collide on the CPU: kernels/stages/contact/collide.h over finders, the trees that they search, and the incidence of
 * what was found. */
#define TAUT_REAL double
#include "kernels/stages/contact/collide.h"
#include "kernels/stages/contact/cuts.h"
#include "kernels/stages/evaluate.h"

#include "host/cpu/cpu_state.h"

#include <string.h>

/* Contacts of the last step, by which those of this one find their impulses. */
static void keep(const taut_plan* plan) {
    const taut_fields* f = &plan->fields;
    const size_t live = plan->sizes.count[TAUT_CONTACT];
    for (size_t c = 0; c < live; c++) {
        keep_contact(f, &plan->sizes, c);
    }
    memcpy(f->contact_begin_last, f->contact_begin, (finder_count(&plan->sizes) + 1) * sizeof(uint32_t));
}

/* ---- trees ------------------------------------------------------------------------------------------------------ */

typedef void box_of(const taut_fields* f, const taut_sizes* s, size_t item, const taut_factors* step, float box[6]);

/* By the upper halves, stably: qsort may allocate memory, which no step does. The result lies in `to`. */
static void sort_keys(uint64_t* keys, uint64_t* to, size_t count) {
    for (unsigned shift = 32; shift < 32 + TAUT_MORTON_BITS; shift += 10) {
        size_t begin[1025] = {0};
        for (size_t i = 0; i < count; i++) {
            begin[(keys[i] >> shift & 1023u) + 1]++;
        }
        for (size_t d = 0; d < 1024; d++) {
            begin[d + 1] += begin[d];
        }
        for (size_t i = 0; i < count; i++) {
            to[begin[keys[i] >> shift & 1023u]++] = keys[i];
        }
        uint64_t* swap = keys;
        keys = to;
        to = swap;
    }
}

static void build_tree(const taut_plan* plan, uint32_t items, uint32_t leaves, box_of* box_at, uint32_t* order,
                       float* boxes, const taut_factors* step) {
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    uint64_t *keys = f->tree_key, *sorted = keys + items;
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (items > CPU_PARALLEL_FROM / 8)
    for (size_t i = 0; i < items; i++) {
        float box[6];
        box_at(f, s, i, step, box);
        keys[i] = (uint64_t)morton_code(box, s->cell) << 32 | i;
    }
    sort_keys(keys, sorted, items); /* three passes: they end in the second half */
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (items > CPU_PARALLEL_FROM / 8)
    for (size_t i = 0; i < leaves; i++) {
        box_clear(boxes + 6 * (leaves + i));
        if (i < items) {
            order[i] = (uint32_t)sorted[i];
            box_at(f, s, order[i], step, boxes + 6 * (leaves + i));
        }
    }
    for (size_t i = leaves; i-- > 1;) {
        box_join(boxes + 12 * i, boxes + 12 * i + 6, boxes + 6 * i);
    }
}

static void place_skins(const taut_plan* plan) {
    const size_t n = plan->sizes.skins;
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (n > CPU_PARALLEL_FROM / 8)
    for (size_t i = 0; i < n; i++) {
        place_skin(&plan->fields, &plan->sizes, i);
    }
}

static void build_trees(const taut_plan* plan, const taut_factors* step) {
    const taut_sizes* s = &plan->sizes;
    place_skins(plan);
    build_tree(plan, s->colliders + s->faces, s->face_leaves, box_of_face_item, plan->fields.face_order,
               plan->fields.face_box, step);
    if (s->edges > 0) {
        build_tree(plan, s->edges, s->edge_leaves, box_of_edge, plan->fields.edge_order, plan->fields.edge_box, step);
    }
}

/* ---- contacts --------------------------------------------------------------------------------------------------- */

/* Where each finder's contacts begin; returns how many there are. */
static size_t count_all(const taut_plan* plan, const taut_factors* step) {
    const taut_fields* f = &plan->fields;
    const size_t finders = finder_count(&plan->sizes);
#pragma omp parallel for num_threads(plan->settings.threads) schedule(dynamic, 64) if (finders > CPU_PARALLEL_FROM / 64)
    for (size_t i = 0; i < finders; i++) {
        f->contact_begin[i + 1] = count_contacts(f, &plan->sizes, i, step);
    }
    size_t total = 0;
    f->contact_begin[0] = 0;
    for (size_t i = 0; i < finders; i++) {
        total += f->contact_begin[i + 1];
        f->contact_begin[i + 1] = total <= UINT32_MAX ? (uint32_t)total : UINT32_MAX;
    }
    return total;
}

static void make_all(const taut_plan* plan, const taut_factors* step) {
    const size_t finders = finder_count(&plan->sizes);
#pragma omp parallel for num_threads(plan->settings.threads) schedule(dynamic, 64) if (finders > CPU_PARALLEL_FROM / 64)
    for (size_t i = 0; i < finders; i++) {
        make_contacts(&plan->fields, &plan->sizes, i, step);
    }
}

/* ---- incidence -------------------------------------------------------------------------------------------------- */

/* Counting sort of the entries by node; stable, so that a node sums its contacts in their order. */
static void build_incidence(const taut_plan* plan, taut_kind k, size_t live) {
    const taut_fields* f = &plan->fields;
    const taut_kind_fields* kind = &f->kinds[k];
    const size_t nodes = taut_kind_shapes[k].nodes;
    uint32_t* next = kind->offsets; /* shifted by one while filling */
    memset(next, 0, (plan->sizes.nodes + 1) * sizeof *next);
    for (size_t e = 0; e < nodes * live; e++) {
        next[kind->nodes[e] + 1] += touching_acts(f, k, e / nodes, e % nodes);
    }
    for (size_t n = 0; n < plan->sizes.nodes; n++) {
        next[n + 1] += next[n];
    }
    for (size_t e = 0; e < nodes * live; e++) {
        if (touching_acts(f, k, e / nodes, e % nodes)) {
            kind->incidence[next[kind->nodes[e]]++] = (uint32_t)e;
        }
    }
    memmove(kind->offsets + 1, kind->offsets, plan->sizes.nodes * sizeof(uint32_t));
    kind->offsets[0] = 0;
}

/* Loops over contacts end where there are no more. */
void cpu_collide(taut_backend_state* state, double h) {
    taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    const taut_factors step = taut_phase_factors(&plan->settings, TAUT_PHASE_STEP, h);
    const size_t before = plan->sizes.count[TAUT_CONTACT];
    if (!state->retries) {
        keep(plan);
    }
    build_trees(plan, &step);
    const size_t total = count_all(plan, &step);
    state->report.contacts = total < UINT32_MAX ? (uint32_t)total : UINT32_MAX;
    f->contact_count[TAUT_CONTACTS_NEEDED] = state->report.contacts;
    if (total > plan->sizes.contact_capacity) {
        memcpy(f->contact_begin, f->contact_begin_last, (finder_count(&plan->sizes) + 1) * sizeof(uint32_t));
        state->report.diverged = true;
        return;
    }
    f->contact_count[TAUT_CONTACTS_LIVE] = (uint32_t)total;
    plan->sizes.count[TAUT_CONTACT] = total;
    plan->sizes.count[TAUT_ROLLING] = plan->sizes.rolls ? total : 0;
    make_all(plan, &step);
    for (size_t c = total; c < before; c++) {
        clear_contact(f, &plan->sizes, c);
    }
    build_incidence(plan, TAUT_CONTACT, total);
    if (plan->sizes.rolls) {
        build_incidence(plan, TAUT_ROLLING, total);
    }
    taut_energies sums = {0};
    double violation = 0;
    for (size_t c = 0; c < total; c++) {
        evaluate_contact(f, &plan->sizes, c, &sums, &violation);
        if (plan->sizes.rolls) {
            evaluate_rolling(f, &plan->sizes, c, &sums, &violation);
        }
    }
}

/* As an attempt that is taken back: the next step looks again. */
taut_status cpu_find_contacts(taut_backend_state* state, double h, uint32_t* needed) {
    const uint32_t before = state->report.contacts;
    const bool diverged = state->report.diverged;
    cpu_collide(state, h);
    *needed = state->report.contacts;
    state->report.contacts = before;
    state->report.diverged = diverged;
    state->retries = true;
    return TAUT_OK;
}

/* ---- cuts ------------------------------------------------------------------------------------------------------- */

taut_status cpu_count_cuts(taut_backend_state* state) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    uint32_t cuts = 0;
    place_skins(plan);
    build_tree(plan, s->colliders + s->faces, s->face_leaves, box_of_face_now, f->face_order, f->face_box, NULL);
#pragma omp parallel for num_threads(plan->settings.threads) schedule(dynamic, 64) reduction(+ : cuts)
    for (size_t i = 0; i < s->edges; i++) {
        cuts += cuts_of_edge(f, s, i);
    }
    f->contact_count[TAUT_CONTACTS_CUTS] = cuts;
    return TAUT_OK;
}
