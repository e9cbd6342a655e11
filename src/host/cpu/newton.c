/* Newton's method on the CPU: the residuals of the exact step at an iterate, and what follows from them. */
#define TAUT_REAL double
#include "kernels/stages/renew.h"

#include "host/cpu/cpu_apply.h"
#include "host/cpu/cpu_deadline.h"
#include "host/cpu/cpu_state.h"

#include <string.h>

/* Nodes that are no mapped points. */
static void exact_range(const void* context, uint32_t part, size_t first, size_t last) {
    const taut_plan* plan = context;
    const taut_sizes* s = &plan->sizes;
    (void)part;
    for (size_t n = first; n < last; n++) {
        if (n < s->simple || n >= s->points) {
            store_exact_jacobian_transpose(&plan->fields, s, n);
        }
    }
}

void cpu_renew_jacobian_transpose(const taut_plan* plan) {
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    for (size_t i = 0; i < s->points - s->simple; i++) { /* mapped points from the last to the first, then the others */
        store_exact_jacobian_transpose(f, s, s->points - 1 - i);
    }
    cpu_for(plan, 0, s->nodes, CPU_PARALLEL_FROM / 4, exact_range, plan);
    cpu_apply_jacobian_transpose_f64(plan, TAUT_ROWS, false, f->gam, f->node_scratch + 4 * s->nodes);
}

static void deviate_range(const void* context, uint32_t part, size_t first, size_t last) {
    const taut_plan* plan = context;
    (void)part;
    for (size_t n = first; n < last; n++) {
        deviate_node(&plan->fields, n);
    }
}

static void row_chunks(const void* context, uint32_t part, size_t first, size_t last) {
    const cpu_loop* l = context;
    const taut_fields* f = &l->plan->fields;
    const taut_sizes* s = &l->plan->sizes;
    (void)part;
    CPU_SUM_CHUNKS(double, f, s->unknowns, own += deviate_unknown(f, s, i, l->step));
}

/* The residual of rows, and factor unknowns as their rows say. */
static double residual_of_rows(const taut_plan* plan, const taut_factors* step) {
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    double rows2 = 0;
    cpu_for(plan, 0, s->nodes, 4 * CPU_PARALLEL_FROM, deviate_range, plan);
    cpu_spread_f64(plan, s->active_levels, f->node_scratch, 4);
    memset(f->gam + s->rows, 0, s->factor_rows * sizeof(double));
    cpu_apply_jacobian_f64(plan, TAUT_ALL, f->node_scratch, 4, f->gam, false, f->wide);
    cpu_sum(plan, s->unknowns, row_chunks, &(cpu_loop){.plan = plan, .step = step}, 1, &rows2);
    return rows2;
}

static void balance_chunks(const void* context, uint32_t part, size_t first, size_t last) {
    const cpu_loop* l = context;
    const taut_fields* f = &l->plan->fields;
    const taut_sizes* s = &l->plan->sizes;
    (void)part;
    CPU_SUM_CHUNKS(
        newton_sums, f, s->nodes, if (i < s->simple || i >= s->points) { balance_node(f, s, i, l->step, &own); });
}

static newton_sums residual_of_nodes(const taut_plan* plan, const taut_factors* step) {
    const taut_fields* f = &plan->fields;
    newton_sums sums = {0, 0, 0};
    cpu_apply_jacobian_transpose_f64(plan, TAUT_ALL, true, f->gam, f->g_f64);
    cpu_sum(plan, plan->sizes.nodes, balance_chunks, &(cpu_loop){.plan = plan, .step = step},
            sizeof sums / sizeof(double), &sums);
    return sums;
}

void cpu_check_residual(taut_backend_state* state) {
    const taut_plan* plan = state->plan;
    const taut_integrator* scheme = &plan->settings.integrator;
    const double rows2 = residual_of_rows(plan, &state->assembled);
    const newton_sums sums = residual_of_nodes(plan, &state->assembled);
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

static void scale_chunks(const void* context, uint32_t part, size_t first, size_t last) {
    const cpu_loop* l = context;
    (void)part;
    CPU_SUM_CHUNKS(double, &l->plan->fields, l->plan->sizes.rows,
                   own += side_square(&l->plan->fields, &l->plan->sizes, i, l->step));
}

void cpu_newton_scale(taut_backend_state* state) {
    double sum = 0;
    cpu_sum(state->plan, state->plan->sizes.rows, scale_chunks,
            &(cpu_loop){.plan = state->plan, .step = &state->assembled}, 1, &sum);
    state->newton.scale = sqrt(sum);
}
