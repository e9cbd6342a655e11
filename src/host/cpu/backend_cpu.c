/* The CPU backend: the seam's functions. It works in the plan's own block of memory, so nothing is copied. */
#define TAUT_REAL double
#include "kernels/stages/state.h"

#include "host/cpu/state.h"

static taut_status available(void) {
    return TAUT_OK;
}

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

static uint32_t current_tick(const taut_backend_state* state) {
    return (uint32_t)(TAUT_FIRST_TICK + state->report.steps);
}

static void approach(taut_backend_state* state, double dt) {
    const taut_plan* plan = state->plan;
    const uint32_t tick = current_tick(state);
    for (size_t n = 0; n < plan->sizes.nodes; n++) {
        begin_node(&plan->fields, n, tick, dt);
    }
    for (size_t c = 0; c < plan->sizes.count[TAUT_TARGET]; c++) {
        begin_target(&plan->fields.kinds[TAUT_TARGET], c, tick, dt);
    }
}

static void begin(taut_backend_state* state, double dt) {
    state->report = (taut_report){.steps = state->report.steps, .time = state->report.time};
    approach(state, dt);
}

static void end(taut_backend_state* state) {
    const taut_plan* plan = state->plan;
    const uint32_t tick = current_tick(state);
    for (size_t n = 0; n < plan->sizes.nodes; n++) {
        end_node(&plan->fields, n, tick);
    }
    for (size_t c = 0; c < plan->sizes.count[TAUT_TARGET]; c++) {
        end_target(&plan->fields.kinds[TAUT_TARGET], c, tick);
    }
    state->report.steps++;
}

static taut_status synchronise(taut_backend_state* state, taut_report* report) {
    *report = state->report;
    return TAUT_OK;
}

static void poll(taut_backend_state* state, taut_report* report) {
    *report = state->report;
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
    .approach = approach,
    .sync = synchronise,
    .poll = poll,
    .apply = cpu_apply,
    .right_hand_side = cpu_right_hand_side,
    .view = view,
};
