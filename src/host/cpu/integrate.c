/* Integrate: from impulses to the next state, which replaces the current one only when all of it is sound.
 *
 *   dv = u + P M^-1 P [J^T Lh^T] gam,   v' = v + dv,   x' = x + h (v + beta dv) */
#include "host/cpu/state.h"

#include <math.h>
#include <string.h>

/* Multipliers are averaged with this weight before G uses them, where alpha < 1. */
#define SMOOTHING 0.1

/* The new state of one node; returns whether it is finite and within the speed limit. */
static bool advance_node(const taut_plan* plan, size_t n, double h, double* x_new, double* v_new) {
    const taut_fields* f = &plan->fields;
    const double beta = plan->settings.integrator.beta;
    double speed2 = 0, reach = 0;
    for (size_t a = 0; a < 3; a++) {
        const double dv = f->free_dv[4 * n + a] + f->g_f64[4 * n + a];
        v_new[3 * n + a] = f->v[3 * n + a] + dv;
        x_new[3 * n + a] = f->x[3 * n + a] + h * (f->v[3 * n + a] + beta * dv);
        speed2 += v_new[3 * n + a] * v_new[3 * n + a];
        reach += fabs(x_new[3 * n + a]);
    }
    const double limit = plan->settings.speed_limit;
    return speed2 <= limit * limit && reach <= 1e300;
}

/* Keeps the old state and forgets the impulses that broke it. */
static void reject(taut_backend_state* state) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    state->report.diverged = true;
    state->impulse_step = 0;
    memset(f->gam, 0, plan->sizes.unknowns * sizeof(double));
    memset(f->lam_smooth, 0, plan->sizes.rows * sizeof(double));
}

void cpu_integrate(taut_backend_state* state, double h) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    const size_t nodes = plan->sizes.nodes, rows = plan->sizes.rows;
    double *x_new = f->node_scratch, *v_new = f->node_scratch + 3 * nodes;
    const double weight = plan->settings.integrator.alpha < 1 ? SMOOTHING : 1;
    int sound = 1;
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) reduction(&& : sound)      \
    if (nodes > CPU_PARALLEL_FROM)
    for (size_t n = 0; n < nodes; n++) {
        sound = advance_node(plan, n, h, x_new, v_new) && sound;
    }
    if (!sound) {
        reject(state);
        return;
    }
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (nodes > CPU_PARALLEL_FROM)
    for (size_t i = 0; i < 3 * nodes; i++) {
        f->dv[i] = v_new[i] - f->v[i];
        f->x[i] = x_new[i];
        f->v[i] = v_new[i];
        f->x_f32[i] = (float)x_new[i];
    }
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (rows > CPU_PARALLEL_FROM)
    for (size_t i = 0; i < rows; i++) {
        f->lam[i] = f->gam[i] / h;
        f->lam_smooth[i] += weight * (f->lam[i] - f->lam_smooth[i]);
    }
    const taut_kind_fields* targets = &f->kinds[TAUT_TARGET];
    for (size_t i = 0; i < 3 * plan->sizes.count[TAUT_TARGET]; i++) {
        targets->rest[i] += h * targets->rate[i];
    }
}
