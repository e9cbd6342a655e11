/* Integrate on the CPU: the next state replaces the current one only when all of it is sound. */
#define TAUT_REAL double
#include "kernels/stages/state.h"

#include "host/cpu/state.h"

#include <string.h>

/* Keeps the old state and forgets the impulses that broke it. */
static void reject(taut_backend_state* state) {
    const taut_plan* plan = state->plan;
    state->report.diverged = true;
    state->impulse_step = 0;
    memset(plan->fields.gam, 0, plan->sizes.unknowns * sizeof(double));
}

static void commit(taut_backend_state* state, double h, const double* x_new, const double* v_new) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    const double weight = smoothing_weight(plan->settings.integrator.alpha, state->samples++);
    const size_t values = 3 * plan->sizes.simple, rows = plan->sizes.rows, frames = plan->sizes.frames;
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (values > CPU_PARALLEL_FROM)
    for (size_t i = 0; i < values; i++) {
        commit_value(f, i, x_new, v_new);
    }
    for (size_t i = 0; i < frames; i++) {
        commit_frame(f, &plan->sizes, i, x_new, v_new);
    }
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (rows > CPU_PARALLEL_FROM)
    for (size_t i = 0; i < rows; i++) {
        commit_multiplier(f, i, h, weight);
    }
    CPU_OVER_MOVING(move_target(&f->kinds[k], c, moves, width, h))
}

void cpu_integrate(taut_backend_state* state, double h) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    const taut_settings* settings = &plan->settings;
    const size_t nodes = plan->sizes.nodes;
    double *x_new = f->node_scratch, *v_new = f->node_scratch + 3 * nodes;
    int sound = 1;
#pragma omp parallel for num_threads(settings->threads) schedule(static) reduction(&& : sound)                         \
    if (nodes > CPU_PARALLEL_FROM)
    for (size_t n = 0; n < nodes; n++) {
        sound = advance_node(f, &plan->sizes, n, h, settings->integrator.beta, settings->speed_limit, x_new, v_new) && sound;
    }
    if (sound) {
        commit(state, h, x_new, v_new);
        state->report.time += h;
    } else {
        reject(state);
    }
}
