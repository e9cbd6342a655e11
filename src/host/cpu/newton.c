/* Newton's method on the CPU: the residuals of the exact step at an iterate, and what follows from them. */
#define TAUT_REAL double
#include "kernels/stages/renew.h"

#include "host/cpu/cpu_apply.h"
#include "host/cpu/cpu_deadline.h"
#include "host/cpu/cpu_state.h"

#include <string.h>

void cpu_renew_jacobian_transpose(const taut_plan* plan) {
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    for (size_t i = 0; i < s->points - s->simple; i++) { /* mapped points from the last to the first, then the others */
        store_exact_jacobian_transpose(f, s, s->points - 1 - i);
    }
    for (size_t n = 0; n < s->nodes; n++) {
        if (n < s->simple || n >= s->points) {
            store_exact_jacobian_transpose(f, s, n);
        }
    }
    cpu_apply_jacobian_transpose_f64(plan, TAUT_ROWS, false, f->gam, f->node_scratch + 4 * s->nodes);
}

/* The residual of rows, and factor unknowns as their rows say. */
static double residual_of_rows(const taut_plan* plan, const taut_factors* step) {
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    double rows2 = 0;
    for (size_t n = 0; n < s->nodes; n++) {
        deviate_node(f, n);
    }
    cpu_spread_f64(plan, s->active_levels, f->node_scratch, 4);
    memset(f->gam + s->rows, 0, s->factor_rows * sizeof(double));
    cpu_apply_jacobian_f64(plan, TAUT_ALL, f->node_scratch, 4, f->gam, false, f->wide);
    for (size_t i = 0; i < s->unknowns; i++) {
        rows2 += deviate_unknown(f, s, i, step);
    }
    return rows2;
}

static newton_sums residual_of_nodes(const taut_plan* plan) {
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    newton_sums sums = {0, 0};
    cpu_apply_jacobian_transpose_f64(plan, TAUT_ALL, true, f->gam, f->g_f64);
    for (size_t n = 0; n < s->nodes; n++) {
        if (n < s->simple || n >= s->points) {
            balance_node(f, s, n, &sums);
        }
    }
    return sums;
}

void cpu_check_residual(taut_backend_state* state) {
    const taut_plan* plan = state->plan;
    const taut_integrator* scheme = &plan->settings.integrator;
    const double rows2 = residual_of_rows(plan, &state->assembled);
    const newton_sums sums = residual_of_nodes(plan);
    const bool late = cpu_is_late(plan);
    const newton_limits limits = {scheme->newton_tolerance, late ? 1 : scheme->newton,
                                  late ? 0 : newton_most_further(scheme), state->report.contacts > 0,
                                  plan->settings.loose};
    newton_decide(&state->newton, &sums, rows2, state->report.stretch, &limits);
    if (state->newton.action == NEWTON_SOLVE) {
        memcpy(plan->fields.gam_last, plan->fields.gam, plan->sizes.rows * sizeof(double));
    }
}

bool cpu_is_stretched(const taut_backend_state* state, taut_guard* guard) {
    return (!cpu_is_late(state->plan) && taut_guard_acts(guard, state->report.stretch)) || state->newton.loose;
}

void cpu_newton_scale(taut_backend_state* state) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    double sum = 0;
    for (size_t i = 0; i < plan->sizes.rows; i++) {
        sum += side_square(f, &plan->sizes, i, &state->assembled);
    }
    state->newton.scale = sqrt(sum);
}
