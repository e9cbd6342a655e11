/* The CPU backend: the seam's functions. It works in the plan's own block of memory, so nothing is copied. */
#include "host/cpu/state.h"

#include <string.h>

static taut_status available(void) { return TAUT_OK; }

static taut_status create(taut_plan* plan, const taut_allocator* allocator, taut_backend_state** state) {
    taut_backend_state* made = taut_allocate(allocator, sizeof *made);
    if (made == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    made->plan = plan;
    made->allocator = *allocator;
    *state = made;
    return TAUT_OK;
}

static void destroy(taut_backend_state* state) {
    const taut_allocator allocator = state->allocator;
    taut_release(&allocator, state, sizeof *state);
}

static void begin_fixed_nodes(const taut_plan* plan, double dt) {
    const taut_fields* f = &plan->fields;
    for (size_t n = 0; n < plan->sizes.nodes; n++) {
        if (f->node_moving[n] == TAUT_AT_REST) {
            continue;
        }
        const bool going = f->node_moving[n] == TAUT_TO_GOAL;
        for (size_t a = 3 * n; a < 3 * n + 3; a++) {
            f->v[a] = going ? (f->node_goal[a] - f->x[a]) / dt : 0;
        }
        f->node_moving[n] = going ? TAUT_TO_GOAL : TAUT_AT_REST;
    }
}

static void begin_targets(const taut_plan* plan, double dt) {
    const taut_kind_fields* f = &plan->fields.kinds[TAUT_TARGET];
    for (size_t c = 0; c < plan->sizes.count[TAUT_TARGET]; c++) {
        for (size_t a = 3 * c; f->moving[c] == TAUT_TO_GOAL && a < 3 * c + 3; a++) {
            f->rate[a] = (f->goal[a] - f->rest[a]) / dt;
        }
    }
}

static void begin(taut_backend_state* state, double dt) {
    state->report = (taut_report){0};
    begin_fixed_nodes(state->plan, dt);
    begin_targets(state->plan, dt);
}

static void end(taut_backend_state* state) {
    const taut_fields* f = &state->plan->fields;
    const taut_kind_fields* targets = &f->kinds[TAUT_TARGET];
    for (size_t n = 0; n < state->plan->sizes.nodes; n++) {
        if (f->node_moving[n] == TAUT_TO_GOAL) {
            f->node_moving[n] = TAUT_ARRIVED;
            for (size_t a = 3 * n; a < 3 * n + 3; a++) {
                f->x[a] = f->node_goal[a];
                f->x_f32[a] = (float)f->node_goal[a];
            }
        }
    }
    for (size_t c = 0; c < state->plan->sizes.count[TAUT_TARGET]; c++) {
        if (targets->moving[c] == TAUT_TO_GOAL) {
            targets->moving[c] = TAUT_AT_REST;
            memcpy(targets->rest + 3 * c, targets->goal + 3 * c, 3 * sizeof(double));
            memset(targets->rate + 3 * c, 0, 3 * sizeof(double));
        }
    }
}

static taut_status synchronise(taut_backend_state* state, taut_report* report) {
    *report = state->report;
    return TAUT_OK;
}

static void view(taut_backend_state* state, taut_field field, taut_array* out) {
    const taut_fields* f = &state->plan->fields;
    const taut_sizes* s = &state->plan->sizes;
    switch (field) {
    case TAUT_FIELD_POSITIONS:
        *out = (taut_array){f->x, TAUT_FLOAT64, s->nodes, 3, 3 * sizeof(double), false};
        break;
    case TAUT_FIELD_POSITIONS_F32:
        *out = (taut_array){f->x_f32, TAUT_FLOAT32, s->nodes, 3, 3 * sizeof(float), false};
        break;
    case TAUT_FIELD_VELOCITIES:
        *out = (taut_array){f->v, TAUT_FLOAT64, s->nodes, 3, 3 * sizeof(double), false};
        break;
    case TAUT_FIELD_VIOLATIONS:
        *out = (taut_array){f->phi, TAUT_FLOAT64, s->rows, 1, sizeof(double), false};
        break;
    default:
        *out = (taut_array){f->lam, TAUT_FLOAT64, s->rows, 1, sizeof(double), false};
        break;
    }
}

const taut_backend taut_cpu_backend = {
    .name = "cpu",
    .available = available,
    .create = create,
    .destroy = destroy,
    .begin = begin,
    .assemble = cpu_assemble,
    .solve = cpu_solve,
    .integrate = cpu_integrate,
    .evaluate = cpu_evaluate,
    .end = end,
    .sync = synchronise,
    .apply = cpu_apply,
    .right_hand_side = cpu_right_hand_side,
    .view = view,
};
