/* Collide on the CPU: kernels/stages/contact/collide.h over finders, the trees that they search, and the incidence of
 * what was found. */
#define TAUT_REAL double
#include "kernels/stages/contact/collide.h"
#include "kernels/stages/contact/overlaps.h"
#include "kernels/stages/evaluate.h"

#include "host/cpu/cpu_candidates.h"
#include "host/cpu/cpu_condensed_factors.h"
#include "host/cpu/cpu_cuts.h"
#include "host/cpu/cpu_deadline.h"
#include "host/cpu/cpu_heaps.h"
#include "host/cpu/cpu_sleep.h"
#include "host/cpu/cpu_state.h"
#include "host/cpu/cpu_tree.h"

#include <stdatomic.h>
#include <string.h>

/* Contacts of the last step, by which those of this one find their impulses. */
static void keep(const taut_backend_state* state) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    const size_t finders = finder_count(&plan->sizes);
    size_t at = 0;
    uint32_t next = 0;
    for (size_t i = 0; i < finders; i++) {
        f->contact_begin_last[i] = (uint32_t)at;
        at = state->sleep != NULL ? sleeping_keep(state->sleep, i, &next, at) : at;
        for (size_t c = f->contact_begin[i]; c < f->contact_begin[i + 1]; c++) {
            keep_contact(f, &plan->sizes, c, at++);
        }
    }
    f->contact_begin_last[finders] = (uint32_t)at;
    if (plan->sizes.watches) {
        memcpy(f->tangle_last, f->tangle, plan->sizes.touching);
    }
}

/* ---- places ----------------------------------------------------------------------------------------------------- */

static void deforming_range(const void* context, uint32_t part, size_t first, size_t last) {
    const taut_plan* plan = context;
    (void)part;
    for (size_t i = first; i < last; i++) {
        place_deforming(&plan->fields, i);
    }
}

/* Meshes that deform, and the trees over them: their shape stays, and their boxes follow. */
void cpu_refit_deforming(const taut_plan* plan) {
    const taut_fields* f = &plan->fields;
    cpu_for(plan, 0, plan->sizes.deforming, CPU_TREE_PARALLEL_FROM, deforming_range, plan);
    for (size_t m = 0; plan->sizes.deforming > 0 && m < plan->sizes.meshes; m++) {
        for (size_t i = f->mesh[m].vertices > 0 ? f->mesh[m].leaves : 0; i-- > 1;) {
            join_deforming(f, &f->mesh[m], i);
        }
    }
}

static void skin_range(const void* context, uint32_t part, size_t first, size_t last) {
    const taut_plan* plan = context;
    (void)part;
    for (size_t i = first; i < last; i++) {
        place_skin(&plan->fields, &plan->sizes, i);
    }
}

static void solid_range(const void* context, uint32_t part, size_t first, size_t last) {
    const taut_plan* plan = context;
    (void)part;
    for (size_t i = first; i < last; i++) {
        place_solid(&plan->fields, &plan->sizes, i);
    }
}

/* Few finders stay on one thread. */
#define FINDER_PARALLEL_FROM (CPU_PARALLEL_FROM / 64)

static void place_solids(const taut_plan* plan) {
    cpu_for(plan, 0, plan->sizes.solids, CPU_PARALLEL_FROM / 8, solid_range, plan);
}

static void edge_range(const void* context, uint32_t part, size_t first, size_t last) {
    const taut_plan* plan = context;
    (void)part;
    for (size_t i = first; i < last; i++) {
        turn_edge(&plan->fields, &plan->sizes, i);
    }
}

static void place_skins(const taut_plan* plan) {
    const bool turns = plan->sizes.deforming > 0 && plan->sizes.skins > 0;
    cpu_for(plan, 0, plan->sizes.skins, CPU_TREE_PARALLEL_FROM, skin_range, plan);
    cpu_for(plan, 0, turns ? plan->sizes.edges : 0, CPU_TREE_PARALLEL_FROM, edge_range, plan);
}

static void build_trees(const taut_plan* plan, const taut_factors* step) {
    const taut_sizes* s = &plan->sizes;
    cpu_refit_deforming(plan);
    place_skins(plan);
    place_solids(plan);
    cpu_build_tree(plan, s->colliders + s->faces, s->face_leaves, box_of_face_item, plan->fields.face_order,
                   plan->fields.face_box, step);
    if (s->edges > 0) {
        cpu_build_tree(plan, s->edges, s->edge_leaves, box_of_edge, plan->fields.edge_order, plan->fields.edge_box,
                       step);
    }
}

/* ---- contacts --------------------------------------------------------------------------------------------------- */

typedef struct finder_loop {
    const taut_plan* plan;
    const taut_factors* step;
    contact_candidates* candidates; /* NULL: finders walk through the trees */
    _Atomic bool* late;             /* the time for it is up */
} finder_loop;

static void count_range(const void* context, uint32_t part, size_t first, size_t last) {
    const finder_loop* l = context;
    const taut_fields* f = &l->plan->fields;
    (void)part;
    for (size_t i = first; i < last && !*l->late; i++) {
        f->contact_begin[i + 1] = l->candidates != NULL ? candidates_count(l->candidates, i, l->step)
                                                        : count_contacts(f, &l->plan->sizes, i, l->step);
        if (cpu_search_is_late(l->plan)) {
            *l->late = true;
        }
    }
}

/* Where each finder's contacts begin; `total`: how many there are. False: the time for it is up. */
static bool count_all(const taut_backend_state* state, const taut_factors* step, size_t* total) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    const size_t finders = finder_count(&plan->sizes);
    _Atomic bool late = false;
    const finder_loop loop = {plan, step, state->candidates, &late};
    cpu_for_uneven(plan, finders, FINDER_PARALLEL_FROM, count_range, &loop);
    *total = 0;
    f->contact_begin[0] = 0;
    for (size_t i = 0; i < finders; i++) {
        *total += f->contact_begin[i + 1];
        f->contact_begin[i + 1] = *total <= UINT32_MAX ? (uint32_t)*total : UINT32_MAX;
    }
    return !late;
}

static void make_range(const void* context, uint32_t part, size_t first, size_t last) {
    const finder_loop* l = context;
    (void)part;
    for (size_t i = first; i < last; i++) {
        if (l->candidates != NULL) {
            candidates_contacts(l->candidates, i, l->step);
        } else {
            make_contacts(&l->plan->fields, &l->plan->sizes, i, l->step);
        }
    }
}

static void make_all(const taut_backend_state* state, const taut_factors* step) {
    const taut_plan* plan = state->plan;
    const finder_loop loop = {plan, step, state->candidates, NULL};
    cpu_for_uneven(plan, finder_count(&plan->sizes), FINDER_PARALLEL_FROM, make_range, &loop);
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

void cpu_set_live_contacts(taut_plan* plan, size_t live) {
    plan->fields.contact_count[TAUT_CONTACTS_LIVE] = (uint32_t)live;
    plan->sizes.count[TAUT_CONTACT] = live;
    plan->sizes.count[TAUT_ROLLING] = plan->sizes.rolls ? live : 0;
}

void cpu_build_incidence(const taut_plan* plan) {
    build_incidence(plan, TAUT_CONTACT, plan->sizes.count[TAUT_CONTACT]);
    if (plan->sizes.rolls) {
        build_incidence(plan, TAUT_ROLLING, plan->sizes.count[TAUT_CONTACT]);
    }
}

static void refit_faces(const taut_plan* plan, cpu_box_of* box_at, const taut_factors* step) {
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    cpu_refit_tree(plan, s->colliders + s->faces, s->face_leaves, box_at, f->face_order, f->face_box, step);
}

/* Nothing new is tangled within a step, nor does another attempt begin with other tangles. Cuts are looked for among
 * boxes of what is there now: those of the search reach as far as things move. */
static void untangle(taut_backend_state* state, const taut_factors* step) {
    if (state->plan->sizes.watches && (state->looks || (!state->retries && state->report.tangled > 0))) {
        refit_faces(state->plan, box_of_face_now, NULL);
        state->report.tangled = cpu_find_tangles(state->plan);
        refit_faces(state->plan, box_of_face_item, step);
        state->looks = false;
    }
}

/* Where contacts begin that there were before they were counted: they are in the order of their finders. */
static void recount(const taut_plan* plan, size_t live) {
    const taut_fields* f = &plan->fields;
    const size_t finders = finder_count(&plan->sizes);
    size_t c = 0;
    for (size_t i = 0; i <= finders; i++) {
        while (c < live && f->contact_pair[2 * c] < i) {
            c++;
        }
        f->contact_begin[i] = (uint32_t)c;
    }
}

/* How many contacts there are as far ahead as `step` looks. False: the time for it is up. */
static bool search(taut_backend_state* state, const taut_factors* step, size_t* found) {
    build_trees(state->plan, step);
    untangle(state, step);
    return (state->candidates == NULL || candidates_renew(state->candidates, state->report.broken, step)) &&
           count_all(state, step, found);
}

/* Likewise, as far ahead as there is time for; so far look all searches of the substep. */
static taut_factors search_in_time(taut_backend_state* state, double h, size_t* found) {
    taut_plan* plan = state->plan;
    taut_factors step = taut_step_factors(&plan->settings, h);
    cpu_begin_search(plan, h);
    while (!search(state, &step, found)) {
        cpu_look_less_far(plan, step.sight);
        step = taut_step_factors(&plan->settings, h);
    }
    plan->deadline.search = 0;
    return step;
}

/* Loops over contacts end where there are no more. False: there is no room for all. */
static bool find_all(taut_backend_state* state, double h) {
    taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    const size_t before = plan->sizes.count[TAUT_CONTACT], asleep = state->sleep != NULL ? state->sleep->count : 0;
    size_t found = 0;
    cpu_find_drift(plan);
    const taut_factors step = search_in_time(state, h, &found);
    const size_t total = found + asleep;
    state->report.contacts = total < UINT32_MAX ? (uint32_t)total : UINT32_MAX;
    f->contact_count[TAUT_CONTACTS_NEEDED] = state->report.contacts;
    if (total > plan->sizes.contact_capacity) {
        recount(plan, before);
        state->report.diverged = true;
        return false;
    }
    cpu_set_live_contacts(plan, found);
    make_all(state, &step);
    for (size_t c = found; c < before; c++) {
        clear_contact(f, &plan->sizes, c);
    }
    return true;
}

/* What would be touched while it sleeps wakes, and its contacts are found, too. */
void cpu_collide(taut_backend_state* state, double h) {
    taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    if (!state->retries) {
        keep(state);
    }
    do {
        if (!find_all(state, h)) {
            return;
        }
    } while (cpu_wake_touched(state));
    cpu_build_incidence(plan);
    cpu_switch_systems(state);
    condensed_factors_renew(state);
    taut_energies sums = {0};
    taut_violation violation = {0, 0};
    for (size_t c = 0; c < plan->sizes.count[TAUT_CONTACT]; c++) {
        evaluate_contact(f, &plan->sizes, c, &sums, &violation);
        if (plan->sizes.rolls) {
            evaluate_rolling(f, &plan->sizes, c, &sums, &violation);
        }
    }
}

/* As an attempt that is taken back: the next step looks again. */
taut_status cpu_find_contacts(taut_backend_state* state, double h, uint32_t* needed) {
    const uint32_t before = state->report.contacts, tangled = state->report.tangled;
    const bool diverged = state->report.diverged;
    state->looks = true;
    cpu_collide(state, h);
    heaps_put_back(state);
    *needed = state->report.contacts;
    state->report.contacts = before;
    state->report.tangled = tangled;
    state->report.diverged = diverged;
    state->retries = true;
    return TAUT_OK;
}

/* ---- overlaps --------------------------------------------------------------------------------------------------- */

typedef struct overlaps_loop {
    const taut_plan* plan;
    _Atomic uint32_t* counts; /* as contact_count */
} overlaps_loop;

static void raise_to(_Atomic uint32_t* most, uint32_t value) {
    uint32_t now = *most;
    while (value > now && !atomic_compare_exchange_weak(most, &now, value)) {
    }
}

static void cuts_range(const void* context, uint32_t part, size_t first, size_t last) {
    const overlaps_loop* l = context;
    uint32_t cuts = 0;
    (void)part;
    for (size_t i = first; i < last; i++) {
        cuts += cpu_cuts_of_edges(l->plan, i, true, NULL);
    }
    l->counts[TAUT_CONTACTS_CUTS] += cuts;
}

static void overlaps_range(const void* context, uint32_t part, size_t first, size_t last) {
    const overlaps_loop* l = context;
    (void)part;
    for (size_t i = first; i < last; i++) {
        const finder_overlap own = overlap_of(&l->plan->fields, &l->plan->sizes, i, l->plan->settings.contact.margin);
        l->counts[TAUT_CONTACTS_INSIDE] += own.inside;
        l->counts[TAUT_CONTACTS_CUTS] += own.cuts;
        for (int k = 0; k < TAUT_DEPTH_COUNT; k++) {
            raise_to(&l->counts[TAUT_CONTACTS_DEPTH + k], taut_depth_bits(own.depth[k]));
        }
    }
}

taut_status cpu_find_overlaps(taut_backend_state* state) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    _Atomic uint32_t counts[TAUT_CONTACT_COUNTS] = {0};
    const overlaps_loop loop = {plan, counts};
    const taut_factors still = no_step();
    cpu_refit_deforming(plan);
    place_skins(plan);
    place_solids(plan);
    cpu_build_tree(plan, s->colliders + s->faces, s->face_leaves, box_of_face_now, f->face_order, f->face_box, NULL);
    if (s->edges > 0) { /* for their order */
        cpu_build_tree(plan, s->edges, s->edge_leaves, box_of_edge, f->edge_order, f->edge_box, &still);
    }
    cpu_for_uneven(plan, cpu_cut_groups(plan), 0, cuts_range, &loop);
    cpu_for_uneven(plan, finder_count(s), FINDER_PARALLEL_FROM, overlaps_range, &loop);
    for (int i = TAUT_CONTACTS_CUTS; i < TAUT_CONTACT_COUNTS; i++) {
        f->contact_count[i] = counts[i];
    }
    return TAUT_OK;
}
