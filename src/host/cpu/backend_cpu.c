/* The CPU backend: the seam's functions. It works in the plan's own block of memory, so nothing is copied. */
#define TAUT_REAL double
#include "kernels/stages/integrate.h"

#include "host/cpu/cpu_adjoint.h"
#include "host/cpu/cpu_candidates.h"
#include "host/cpu/cpu_condensed_factors.h"
#include "host/cpu/cpu_contact_pairs.h"
#include "host/cpu/cpu_heaps.h"
#include "host/cpu/cpu_saddle.h"
#include "host/cpu/cpu_sleep.h"
#include "host/cpu/cpu_state.h"

#include <math.h>
#include <stdlib.h>

static taut_status available(void) {
    return TAUT_OK;
}

typedef struct sorted_pair {
    uint64_t key;
    uint32_t value, place;
} sorted_pair;

static int compare_pairs(const void* a, const void* b) {
    const sorted_pair *x = a, *y = b;
    return x->key != y->key ? (x->key > y->key) - (x->key < y->key) : (x->place > y->place) - (x->place < y->place);
}

static taut_status sort(int device, uint64_t* keys, uint32_t* values, size_t count, const taut_allocator* allocator) {
    (void)device;
    sorted_pair* pairs = taut_allocate(allocator, (count + 1) * sizeof *pairs);
    if (pairs == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        pairs[i] = (sorted_pair){keys[i], values[i], (uint32_t)i};
    }
    qsort(pairs, count, sizeof *pairs, compare_pairs);
    for (size_t i = 0; i < count; i++) {
        keys[i] = pairs[i].key;
        values[i] = pairs[i].value;
    }
    taut_release(allocator, pairs, (count + 1) * sizeof *pairs);
    return TAUT_OK;
}

/* Of the factors of the direct method. */
static double most_products(const taut_plan* plan) {
    if (!plan->settings.may_factor) {
        return INFINITY;
    }
    return plan->sizes.count[TAUT_BEND] > 0 ? SADDLE_MOST_PRODUCTS : SADDLE_MOST_FREE_PRODUCTS;
}

static taut_status create(taut_plan* plan, const taut_allocator* allocator, taut_backend_state** state) {
    taut_backend_state* made = taut_allocate(allocator, sizeof *made);
    if (made == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    made->plan = plan;
    made->allocator = *allocator;
    made->solves_schur = plan->sizes.schur;
    made->solves_condensed = plan->sizes.condensed;
    const bool direct = plan->settings.method == TAUT_METHOD_DIRECT;
    taut_status status = direct ? saddle_make(plan, allocator, most_products(plan), &made->saddle) : TAUT_OK;
    if (status == TAUT_OK && plan->sizes.loose) {
        status = contact_pairs_make(plan, allocator, &made->pairs);
    }
    if (status == TAUT_OK) {
        status = heaps_make(plan, allocator, &made->heaps);
    }
    if (status == TAUT_OK) {
        status = condensed_factors_make(plan, allocator, &made->factors);
    }
    if (status == TAUT_OK && plan->sizes.touches && plan->sizes.touching > 0) {
        status = candidates_make(plan, allocator, &made->candidates);
    }
    if (status == TAUT_OK && plan->sizes.sleeps) {
        status = sleeping_make(plan, allocator, &made->sleep);
    }
    if (status != TAUT_OK) {
        candidates_free(made->candidates);
        condensed_factors_free(made->factors);
        saddle_free(made->saddle);
        contact_pairs_free(made->pairs);
        contact_pairs_free(made->heaps);
        taut_release(allocator, made, sizeof *made);
        return status;
    }
    *state = made;
    return TAUT_OK;
}

static void destroy(taut_backend_state* state) {
    const taut_allocator allocator = state->allocator;
    saddle_free(state->saddle);
    contact_pairs_free(state->pairs);
    contact_pairs_free(state->heaps);
    condensed_factors_free(state->factors);
    candidates_free(state->candidates);
    sleeping_free(state->sleep);
    taut_release(&allocator, state, sizeof *state);
}

static taut_status carry(const taut_backend_state* from, taut_backend_state* to) {
    const taut_backend_state own = *to;
    *to = *from;
    to->plan = own.plan;
    to->allocator = own.allocator;
    to->saddle = own.saddle;
    to->pairs = own.pairs;
    to->heaps = own.heaps;
    to->factors = own.factors;
    to->candidates = own.candidates;
    to->sleep = own.sleep;
    return TAUT_OK;
}

uint32_t cpu_tick(const taut_backend_state* state) {
    return (uint32_t)(TAUT_FIRST_TICK + state->report.steps);
}

static void kinematic_targets(taut_backend_state* state, double dt) {
    const taut_plan* plan = state->plan;
    const uint32_t tick = cpu_tick(state);
    for (size_t n = 0; n < plan->sizes.nodes; n++) {
        begin_node(&plan->fields, &plan->sizes, n, tick, dt, 1 - state->done);
    }
    CPU_OVER_MOVING(begin_target(&plan->fields.kinds[k], c, moves, width, tick, dt))
}

static void turn_targets(taut_backend_state* state, double h) {
    const taut_plan* plan = state->plan;
    const taut_kind_fields* targets = &plan->fields.kinds[TAUT_TARGET];
    const double left = 1 - state->done, next = left - state->rate * h;
    const uint32_t tick = cpu_tick(state);
    for (size_t n = 0; n < plan->sizes.nodes; n++) {
        turn_node(&plan->fields, &plan->sizes, n, tick, left, next, h);
    }
    for (size_t c = 0; c < plan->sizes.count[TAUT_TARGET]; c++) {
        turn_target(targets, c, tick, left, next, h);
    }
}

static void begin(taut_backend_state* state, double dt) {
    state->report = (taut_report){.steps = state->report.steps,
                                  .time = state->report.time,
                                  .broken = state->report.broken,
                                  .stretch = state->report.stretch};
    cpu_begin_energies(state);
    state->looks = true;
    cpu_record_events(state, 0);
    kinematic_targets(state, dt);
    state->rate = (1 - state->done) / dt;
}

static void end(taut_backend_state* state) {
    const taut_plan* plan = state->plan;
    const uint32_t tick = cpu_tick(state);
    for (size_t n = 0; n < plan->sizes.nodes; n++) {
        end_node(&plan->fields, &plan->sizes, n, tick);
    }
    CPU_OVER_MOVING(end_target(&plan->fields.kinds[k], c, moves, width, tick))
    state->done = 0;
    state->report.steps++;
}

static void publish_nodes(const void* context, uint32_t part, size_t first, size_t last) {
    const taut_plan* plan = context;
    (void)part;
    for (size_t n = first; n < last; n++) {
        publish_node(&plan->fields, n);
    }
}

static void publish_rows(const void* context, uint32_t part, size_t first, size_t last) {
    const taut_plan* plan = context;
    (void)part;
    for (size_t i = first; i < last; i++) {
        publish_row(&plan->fields, i);
    }
}

void cpu_publish(taut_backend_state* state) {
    const taut_plan* plan = state->plan;
    const size_t nodes = plan->sizes.nodes_move ? plan->sizes.points : 0;
    const size_t rows = plan->sizes.rows_move ? plan->sizes.rows : 0;
    cpu_for(plan, 0, nodes, CPU_PARALLEL_FROM, publish_nodes, plan);
    cpu_for(plan, 0, rows, CPU_PARALLEL_FROM, publish_rows, plan);
}

static void poll(taut_backend_state* state, taut_report* report) {
    *report = state->report;
}

static taut_status synchronise(taut_backend_state* state, taut_report* report) {
    poll(state, report);
    return TAUT_OK;
}

static bool newton_goes_on(const taut_backend_state* state, bool by_solving) {
    const newton_action action = state->newton.action;
    return by_solving ? action == NEWTON_SOLVE : action != NEWTON_STOP;
}

static void view(taut_backend_state* state, taut_field field, taut_array* out) {
    *out = taut_view_of(&state->plan->fields, &state->plan->sizes, field, false);
}

static size_t factor_values(const taut_backend_state* state) {
    return state->saddle != NULL ? saddle_factor_values(state->saddle) : 0;
}

const taut_backend taut_cpu_backend = {
    .name = "cpu",
    .available = available,
    .sort = sort,
    .create = create,
    .destroy = destroy,
    .carry = carry,
    .begin = begin,
    .rest = cpu_rest,
    .rise = cpu_rise,
    .collide = cpu_collide,
    .assemble = cpu_assemble,
    .check_residual = cpu_check_residual,
    .solve = cpu_solve,
    .move = cpu_move,
    .newton_goes_on = newton_goes_on,
    .is_stretched = cpu_is_stretched,
    .evaluate = cpu_evaluate,
    .keep = cpu_keep,
    .note = cpu_note,
    .judge = cpu_judge,
    .restore = cpu_restore,
    .rewind = cpu_rewind,
    .find_crossings = cpu_find_crossings,
    .clear_crossings = cpu_clear_crossings,
    .solids_cross = cpu_solids_cross,
    .list_crossings = cpu_list_crossings,
    .clear_zones = cpu_clear_zones,
    .move_zones = cpu_move_zones,
    .stop_zones = cpu_stop_zones,
    .forget_impulses = cpu_forget_impulses,
    .end_part = cpu_end_part,
    .find_meeting = cpu_find_meeting,
    .begin_piece = cpu_begin_piece,
    .flight_ends = cpu_flight_ends,
    .end_impact = cpu_end_impact,
    .end_pieces = cpu_end_pieces,
    .end = end,
    .publish = cpu_publish,
    .kinematic_targets = kinematic_targets,
    .turn_targets = turn_targets,
    .sync = synchronise,
    .poll = poll,
    .apply = cpu_apply,
    .right_hand_side = cpu_right_hand_side,
    .velocity_side = cpu_velocity_side,
    .find_contacts = cpu_find_contacts,
    .find_overlaps = cpu_find_overlaps,
    .query = cpu_query,
    .view = view,
    .remember = cpu_remember,
    .recall = cpu_recall,
    .forget = cpu_forget,
    .adjoint_make = cpu_adjoint_make,
    .adjoint_free = cpu_adjoint_free,
    .adjoint_note = cpu_adjoint_note,
    .adjoint_back = cpu_adjoint_back,
    .factor_values = factor_values,
};
