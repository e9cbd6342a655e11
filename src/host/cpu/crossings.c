/* Continuous collision detection on the CPU: what would pass through each other in a part of a substep, rows for it,
 * and impact zones for what rows do not stop (kernels/stages/contact/crossing.h, zones.h). */
#define TAUT_REAL double
#include "kernels/stages/contact/zones.h"

#include "host/cpu/cpu_candidates.h"
#include "host/cpu/cpu_contact_pairs.h"
#include "host/cpu/cpu_state.h"

#include <math.h>
#include <string.h>

/* Loops over few finders stay on one thread. */
#define CROSSINGS_ALONE (CPU_PARALLEL_FROM / 64)

typedef struct swept_loop {
    const taut_plan* plan;
    const taut_fields* was;
    const contact_candidates* candidates; /* NULL: finders walk through the trees */
    bool slow;                            /* solids move by less than any looks at */
    _Atomic bool* any;
} swept_loop;

/* ---- trees: as the search for contacts has ordered them, with boxes of what moves ------------------------------- */

static void face_range(const void* context, uint32_t part, size_t first, size_t last) {
    const swept_loop* l = context;
    const taut_fields* f = &l->plan->fields;
    const taut_sizes* s = &l->plan->sizes;
    (void)part;
    for (size_t i = first; i < last; i++) {
        box_of_swept_item(l->was, f, s, f->face_order[i], f->face_box + 6 * (s->face_leaves + i));
    }
}

static void edge_range(const void* context, uint32_t part, size_t first, size_t last) {
    const swept_loop* l = context;
    const taut_fields* f = &l->plan->fields;
    const taut_sizes* s = &l->plan->sizes;
    (void)part;
    for (size_t i = first; i < last; i++) {
        box_of_swept_edge(l->was, f, s, f->edge_order[i], f->edge_box + 6 * (s->edge_leaves + i));
    }
}

static void join_boxes(float* boxes, uint32_t leaves) {
    for (size_t i = leaves; i-- > 1;) {
        box_join(boxes + 12 * i, boxes + 12 * i + 6, boxes + 6 * i);
    }
}

static void mesh_range(const void* context, uint32_t part, size_t first, size_t last) {
    const swept_loop* l = context;
    (void)part;
    for (size_t i = first; i < last; i++) {
        sweep_deforming(l->was, &l->plan->fields, i);
    }
}

static void sweep_meshes(const swept_loop* loop) {
    const taut_fields* f = &loop->plan->fields;
    const taut_sizes* s = &loop->plan->sizes;
    cpu_for(loop->plan, 0, s->deforming, CPU_PARALLEL_FROM / 8, mesh_range, loop);
    for (size_t m = 0; s->deforming > 0 && m < s->meshes; m++) {
        for (size_t i = f->mesh[m].vertices > 0 ? f->mesh[m].leaves : 0; i-- > 1;) {
            join_swept(f, &f->mesh[m], i);
        }
    }
}

static void sweep_trees(const swept_loop* loop) {
    const taut_plan* plan = loop->plan;
    const taut_sizes* s = &plan->sizes;
    sweep_meshes(loop);
    cpu_for(plan, 0, s->colliders + s->faces, CPU_PARALLEL_FROM / 8, face_range, loop);
    join_boxes(plan->fields.face_box, s->face_leaves);
    cpu_for(plan, 0, s->edges, CPU_PARALLEL_FROM / 8, edge_range, loop);
    if (s->edges > 0) {
        join_boxes(plan->fields.edge_box, s->edge_leaves);
    }
}

static void skin_range(const void* context, uint32_t part, size_t first, size_t last) {
    const taut_plan* plan = context;
    const taut_fields was = fields_at_start(&plan->fields);
    (void)part;
    for (size_t i = first; i < last; i++) {
        sweep_skin(&was, &plan->fields, &plan->sizes, i);
    }
}

/* ---- crossings --------------------------------------------------------------------------------------------------- */

/* Whether no pair of solids is looked at (crossing_solids.h), however they move to each other. */
static bool solids_are_slow(const taut_plan* plan) {
    const taut_fields* f = &plan->fields;
    double most = 0, least = INFINITY;
    for (size_t i = 0; i < plan->sizes.colliders; i++) {
        const double half = half_thickness(f, i);
        most = fmax(most, f->collider_way[i]);
        least = half > 0 ? fmin(least, half) : least;
    }
    return 2 * most <= TAUT_SOLID_OVERLAP * least;
}

static void crossing_range(const void* context, uint32_t part, size_t first, size_t last) {
    const swept_loop* l = context;
    const taut_fields* f = &l->plan->fields;
    const taut_sizes* s = &l->plan->sizes;
    bool any = false;
    (void)part;
    for (size_t i = first; i < last; i++) {
        f->crossing_other[i] = l->slow && i >= first_solid(s) ? TAUT_NO_NODE
                               : l->candidates != NULL        ? candidates_crossing(l->candidates, l->was, i)
                                                              : find_crossing(l->was, f, s, i).other;
        any = any || f->crossing_other[i] != TAUT_NO_NODE;
    }
    if (any) {
        *l->any = true;
    }
}

bool cpu_find_crossings(taut_backend_state* state) {
    const taut_plan* plan = state->plan;
    const taut_fields was = fields_at_start(&plan->fields);
    _Atomic bool any = false;
    swept_loop loop = {plan, &was, state->candidates, false, &any};
    if (!plan->sizes.watches) {
        return false;
    }
    cpu_evaluate_mapped(plan);
    cpu_for(plan, 0, plan->sizes.skins, CPU_PARALLEL_FROM / 8, skin_range, plan);
    sweep_trees(&loop);
    loop.slow = solids_are_slow(plan);
    if (state->candidates != NULL) {
        candidates_sweep(state->candidates, &was);
    }
    cpu_for_uneven(plan, crossing_finders(&plan->sizes), CROSSINGS_ALONE, crossing_range, &loop);
    return any;
}

void cpu_clear_crossings(taut_backend_state* state) {
    const taut_plan* plan = state->plan;
    if (plan->sizes.watches) {
        memset(plan->fields.crossing_count, 0, TAUT_CROSSING_ROUNDS * sizeof(uint32_t));
    }
}

bool cpu_solids_cross(taut_backend_state* state) {
    const taut_fields* f = &state->plan->fields;
    const taut_sizes* s = &state->plan->sizes;
    bool any = false;
    for (size_t i = first_solid(s); i < crossing_finders(s); i++) {
        any = any || f->crossing_other[i] != TAUT_NO_NODE;
    }
    return any;
}

/* The crossings that were found last become contacts of all attempts at this part; but those of tangles leave these as
 * they are. */
void cpu_list_crossings(taut_backend_state* state, uint32_t round) {
    const taut_plan* plan = state->plan;
    const taut_fields *f = &plan->fields, was = fields_at_start(f);
    const taut_sizes* s = &plan->sizes;
    const size_t finders = crossing_finders(s), room = TAUT_CROSSING_ROOM(s);
    uint32_t count = 0;
    cpu_leave_tangles(plan);
    for (size_t i = 0; i < finders && count < room; i++) {
        if (f->crossing_other[i] != TAUT_NO_NODE) {
            list_crossing(&was, f, s, i, round, f->crossing + round * room + count++);
        }
    }
    f->crossing_count[round] = count;
    state->report.resolved += round == 0;
    if (state->pairs != NULL) {
        contact_pairs_keep(state->pairs, f->crossing + round * room, count);
    }
}

/* ---- zones ------------------------------------------------------------------------------------------------------- */

void cpu_clear_zones(taut_backend_state* state) {
    const taut_plan* plan = state->plan;
    for (size_t n = 0; n <= plan->sizes.nodes; n++) {
        plan->fields.zone[n] = TAUT_NO_NODE;
    }
    memset(plan->fields.zone_led, 0, (plan->sizes.nodes + 1) * sizeof(uint32_t));
    state->report.zones++;
}

/* Whether zones are others than before. */
static bool grow_zones(const taut_plan* plan) {
    const taut_fields *f = &plan->fields, was = fields_at_start(f);
    const taut_sizes* s = &plan->sizes;
    bool grows = false;
    for (size_t i = 0; i < crossing_finders(s); i++) {
        if (f->crossing_other[i] != TAUT_NO_NODE) {
            grows = zone_join_crossing(&was, f, s, i, f->crossing_other[i]) || grows;
        }
    }
    for (size_t n = s->points; n-- > s->simple;) {
        zone_join_parents(f, s, n);
    }
    return grows;
}

static void sum_zones(const taut_plan* plan) {
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    memset(f->node_scratch, 0, TAUT_ZONE_SUMS * s->nodes * sizeof(double));
#define OVER_ZONES(call)                                                                                               \
    for (size_t n = 0; n < s->nodes; n++) {                                                                            \
        if (in_zone(f, s, n)) {                                                                                        \
            call;                                                                                                      \
        }                                                                                                              \
    }
#define OVER_ROOTS(call)                                                                                               \
    for (size_t n = 0; n < s->nodes; n++) {                                                                            \
        if (f->zone[n] == n) {                                                                                         \
            call;                                                                                                      \
        }                                                                                                              \
    }
    OVER_ZONES(zone_tell_led(f, n))
    OVER_ZONES(zone_carry(f, s, n))
    OVER_ZONES(zone_add_mass(f, s, n))
    OVER_ZONES(zone_add_way(f, s, n))
    OVER_ROOTS(zone_centre(f->node_scratch + TAUT_ZONE_SUMS * n))
    OVER_ZONES(zone_add_turn(f, s, n))
    OVER_ROOTS(zone_turn(f->node_scratch + TAUT_ZONE_SUMS * n))
}

/* After crossings were found: what they are of moves together. False: it did already. */
bool cpu_move_zones(taut_backend_state* state, double h) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    if (!grow_zones(plan)) {
        return false;
    }
    sum_zones(plan);
    OVER_ZONES(zone_move(f, s, n, h))
    return true;
}

void cpu_stop_zones(taut_backend_state* state, double share) {
    const taut_plan* plan = state->plan;
    for (size_t n = 0; n < plan->sizes.nodes; n++) {
        zone_stop(&plan->fields, &plan->sizes, n, share);
    }
}
