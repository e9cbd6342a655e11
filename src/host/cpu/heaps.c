#define TAUT_REAL double
#include "host/cpu/cpu_heaps.h"

#include "base/groups.h"
#include "kernels/stages/contact/collide.h"

#include "host/cpu/cpu_pairs_solve.h"

#include <math.h>
#include <string.h>

/* Bodies from which on heaps are looked for. */
#define HEAP_BODIES 16
/* Of a guess: contacts from which on it is made; the part of the tolerance at which sweeps end, and their number, since
 * Newton's method follows. */
#define GUESS_CONTACTS 64
#define GUESS_CLOSER   0.3
#define GUESS_SWEEPS   200

static size_t loose_bodies(const taut_plan* plan) {
    size_t count = 0;
    for (size_t n = 0; n < plan->sizes.points; n++) {
        count += (plan->fields.flight[n] & TAUT_FLIGHT_LOOSE) != 0;
    }
    return count;
}

taut_status heaps_make(const taut_plan* plan, const taut_allocator* allocator, contact_pairs** out) {
    const taut_sizes* s = &plan->sizes;
    const bool serve = s->touches && s->solids > 0 && s->condensed && !s->loose && !s->rolls &&
                       plan->settings.contact.law == TAUT_CONTACT_CONVEX && loose_bodies(plan) >= HEAP_BODIES;
    return serve ? contact_pairs_make(plan, allocator, out) : TAUT_OK;
}

/* ---- which contacts ---------------------------------------------------------------------------------------------- */

/* Nodes that touch are groups in `vertex_of` (base/groups.h); `met` marks those that something else holds, of groups at
 * what stands for them. */
static void join_bodies(contact_pairs* s) {
    const taut_plan* plan = s->plan;
    for (size_t i = 0; i < plan->sizes.solids; i++) {
        const taut_body_nodes body = plan->fields.collider_body[i];
        if (body.centre != TAUT_NO_NODE && body.frame != TAUT_NO_NODE) {
            group_join(s->vertex_of, body.centre, body.frame);
        }
    }
}

/* The node in a slot of contact c if that moves, or follows what does; else TAUT_NO_NODE. */
static uint32_t moving_node(const taut_plan* plan, size_t c, size_t slot) {
    const taut_fields* f = &plan->fields;
    const uint32_t n = f->kinds[TAUT_CONTACT].nodes[contact_NODES * c + slot];
    const bool acts = contact_acts(f, c, slot);
    return acts && (taut_is_mapped(&plan->sizes, n) || f->inverse_mass[n] > 0) ? n : TAUT_NO_NODE;
}

/* The first one of contact c. */
static uint32_t first_moving(const taut_plan* plan, size_t c) {
    uint32_t n = TAUT_NO_NODE;
    for (size_t slot = 0; slot < contact_NODES && n == TAUT_NO_NODE; slot++) {
        n = moving_node(plan, c, slot);
    }
    return n;
}

static void join_contact(contact_pairs* s, size_t c, uint32_t first) {
    for (size_t slot = 0; slot < contact_NODES; slot++) {
        const uint32_t n = moving_node(s->plan, c, slot);
        if (n != TAUT_NO_NODE) {
            group_join(s->vertex_of, first, n);
        }
    }
}

static void mark_added(contact_pairs* s) {
    const taut_plan* plan = s->plan;
    for (int k = 0; k < (int)TAUT_CONTACT; k++) {
        const taut_kind_fields* kind = &plan->fields.kinds[k];
        const size_t nodes = taut_kind_shapes[k].nodes;
        for (size_t c = taut_given_count(&plan->sizes, k); c < plan->sizes.count[k]; c++) {
            for (size_t slot = 0; slot < nodes && !is_absent(kind, c); slot++) {
                s->met[kind->nodes[nodes * c + slot]] = 1;
            }
        }
    }
}

/* Groups that are more than loose bodies. Returns the contacts of loose bodies. */
static size_t mark_held(contact_pairs* s) {
    const taut_plan* plan = s->plan;
    size_t count = 0;
    memset(s->met, 0, (plan->sizes.nodes + 1) * sizeof *s->met);
    mark_added(s);
    for (size_t c = 0; c < plan->sizes.count[TAUT_CONTACT]; c++) {
        const uint32_t first = first_moving(plan, c);
        const bool loose = contact_is_loose(plan, c);
        join_contact(s, c, first);
        if (first != TAUT_NO_NODE && !loose) {
            s->met[first] = 1;
        }
        count += loose;
    }
    for (uint32_t n = 0; n < plan->sizes.nodes; n++) {
        s->met[group_root(s->vertex_of, n)] |= s->met[n];
    }
    return count;
}

static bool is_in_heap(contact_pairs* s, size_t c) {
    const uint32_t first = first_moving(s->plan, c);
    return first != TAUT_NO_NODE && s->met[group_root(s->vertex_of, first)] == 0;
}

static void set_contact(const taut_plan* plan, size_t c, bool apart) {
    for (size_t r = 0; r < contact_ROWS; r++) {
        plan->fields.condensed[row_of_contact(&plan->sizes, c, r)] = apart ? TAUT_APART : TAUT_CONDENSED_SHIFTED;
    }
}

static void set_nodes(const taut_plan* plan, size_t c, bool apart) {
    for (size_t slot = 0; slot < contact_NODES; slot++) {
        const uint32_t n = moving_node(plan, c, slot);
        if (n != TAUT_NO_NODE) {
            plan->fields.condensed_node[n] = !apart;
        }
    }
}

/* What was apart in another attempt, and touches nothing now; where systems are chosen, that has been done. */
static void put_bodies_back(const taut_plan* plan) {
    for (size_t i = 0; i < plan->sizes.solids && !plan->sizes.switches; i++) {
        const taut_body_nodes body = plan->fields.collider_body[i];
        if (body.centre != TAUT_NO_NODE && (plan->fields.flight[body.centre] & TAUT_FLIGHT_LOOSE) != 0) {
            plan->fields.condensed_node[body.centre] = plan->fields.condensed_node[body.frame] = 1;
        }
    }
}

/* Whether any heap is solved apart: not where contacts are to be as hard as they can be, as in projections, nor of
 * steps of which gradients are taken. */
static bool serves(const taut_settings* settings) {
    return settings->integrator.project_positions == 0 && !settings->integrator.project_velocities &&
           !settings->derived;
}

void heaps_choose(taut_backend_state* state) {
    contact_pairs* s = state->heaps;
    if (s == NULL) {
        return;
    }
    const taut_plan* plan = s->plan;
    const bool serve = serves(&plan->settings);
    const size_t count = plan->sizes.count[TAUT_CONTACT];
    for (uint32_t n = 0; n < plan->sizes.nodes; n++) {
        s->vertex_of[n] = n;
    }
    join_bodies(s);
    const size_t loose = mark_held(s);
    put_bodies_back(plan);
    s->swept = false;
    s->apart = 0;
    for (size_t c = 0; c < count; c++) {
        const bool apart = serve && is_in_heap(s, c);
        set_contact(plan, c, apart);
        if (apart) {
            set_nodes(plan, c, true);
        }
        s->apart += apart;
    }
    s->held = loose - s->apart;
}

void heaps_put_back(taut_backend_state* state) {
    const taut_plan* plan = state->plan;
    if (!heaps_apart(state)) {
        return;
    }
    for (size_t c = 0; c < plan->sizes.count[TAUT_CONTACT]; c++) {
        if (is_apart(&plan->fields, &plan->sizes, row_of_contact(&plan->sizes, c, 0))) {
            set_contact(plan, c, false);
            set_nodes(plan, c, false);
        }
    }
    state->heaps->apart = 0;
}

bool heaps_apart(const taut_backend_state* state) {
    return state->heaps != NULL && state->heaps->apart > 0;
}

bool heaps_have(const taut_backend_state* state, size_t n) {
    return heaps_apart(state) && state->heaps->vertex_of[n] != PAIR_NONE;
}

/* ---- solve ------------------------------------------------------------------------------------------------------- */

void heaps_solve(taut_backend_state* state, double h, taut_phase phase) {
    contact_pairs* s = state->heaps;
    const taut_factors step = taut_phase_factors(&state->plan->settings, phase, h);
    contact_pairs_gather(s, PAIRS_APART);
    pairs_solve_heaps(state, s, &step, false);
}

void heaps_guess(const taut_backend_state* state, const taut_factors* step, double* w) {
    contact_pairs* s = state->heaps;
    if (s == NULL || s->held < GUESS_CONTACTS || !step->regularised || taut_renews(step->phase) ||
        taut_projects(step->phase) || !contact_pairs_gather(s, PAIRS_HELD)) {
        return;
    }
    const bool pauses = s->pauses;
    const double scale = GUESS_CLOSER * pairs_scale(s, step, false);
    s->paused = s->pauses = false;
    s->newton_sweeps = INFINITY; /* that of the condensed system follows */
    contact_pairs_sweep(s, (cpu_goal){cpu_tolerance(state->plan) * scale, TAUT_LATE_TOLERANCE * scale}, 0,
                        GUESS_SWEEPS);
    contact_pairs_move(s);
    pairs_store_motion(s, w);
    contact_pairs_store(s);
    s->pauses = pauses;
    s->newton_sweeps = -1;
}
