/* Solve S gam = b: preconditioned conjugate gradients in float32 inside an outer loop in float64.
 *
 *   repeat   r = b - S gam                          float64: the true residual
 *            (S + E) delta = r, by PCG to a part of |r|        float32
 *            gam += delta
 *
 * Gauss-Seidel takes the place of the preconditioner where it is asked for, or of PCG where there are bounds; the
 * factors of the direct method, in float64, that of PCG.
 *
 * With E = 0 this is iterative refinement; with E > 0 on redundant hard rows it is the proximal point method, whose
 * fixed point solves S gam = b whatever E is. Residuals are measured in the norm of the inverse diagonal of S.
 *
 * Parts of the scene that are condensed (pcg_condensed.c) are passed over. Systems with bounds have a loop of their
 * own, in bounded.c, around the same outer iterations. */
#define TAUT_REAL double
#include "kernels/stages/gauss_seidel.h"
#include "kernels/stages/integrate.h"
#include "kernels/stages/project.h"
#include "kernels/stages/solve.h"

#include "host/cpu/cpu_apply.h"
#include "host/cpu/cpu_deadline.h"
#include "host/cpu/cpu_gauss_seidel.h"
#include "host/cpu/cpu_precondition.h"
#include "host/cpu/cpu_saddle.h"
#include "host/cpu/cpu_solvers.h"
#include "host/cpu/cpu_vector.h"
#include "model/solvers.h"

#include <string.h>

/* gam = 0, but for what the condensed solver keeps there. */
static void clear_impulses(const taut_plan* plan) {
    const taut_fields* f = &plan->fields;
    for (size_t i = 0; i < plan->sizes.unknowns; i++) {
        f->gam[i] = is_condensed(f, &plan->sizes, i) ? f->gam[i] : 0;
    }
}

static void clear_factor_rows(const taut_plan* plan) {
    const taut_fields* f = &plan->fields;
    for (size_t i = plan->sizes.rows; i < plan->sizes.unknowns; i++) {
        f->gam[i] = is_condensed(f, &plan->sizes, i) ? f->gam[i] : 0;
    }
}

/* Factor unknowns of force elements, b - Lh (dv - u), for the last dv. */
static void guess_tangents(const taut_plan* plan) {
    const taut_fields* f = &plan->fields;
    for (size_t i = 0; i < 3 * plan->sizes.nodes; i++) {
        f->node_scratch[i] = expected_deviation(f, i);
    }
    cpu_spread_f64(plan, plan->sizes.active_levels, f->node_scratch, 3);
    cpu_apply_jacobian_f64(plan, TAUT_TANGENTS, f->node_scratch, 3, NULL, false, f->gam);
    for (size_t i = plan->sizes.first_factor_row[TAUT_FIRST_LOAD_KIND]; i < plan->sizes.unknowns; i++) {
        f->gam[i] += f->b[i];
    }
}

typedef struct carry_loop {
    const taut_plan* plan;
    double carry;
} carry_loop;

static void carry_range(const void* context, uint32_t part, size_t first, size_t last) {
    const carry_loop* l = context;
    const taut_plan* plan = l->plan;
    (void)part;
    for (size_t i = first; i < last; i++) {
        if (!is_condensed(&plan->fields, &plan->sizes, i)) {
            carry_over(&plan->fields, &plan->sizes, i, l->carry, plan->settings.solver.proximal != 0);
        }
    }
}

void cpu_first_guess(const taut_backend_state* state, double h, taut_phase phase) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    const taut_factors step = taut_phase_factors(&plan->settings, phase, h);
    if (taut_renews(phase)) {
        if (phase == TAUT_PHASE_CONSTRAIN || phase == TAUT_PHASE_AHEAD) {
            clear_factor_rows(plan);
        }
        return;
    }
    if (!plan->settings.solver.warm_start || state->impulse_step == 0 || taut_projects(phase)) {
        clear_impulses(plan);
        return;
    }
    cpu_for_unknowns(plan, true, carry_range, &(carry_loop){plan, h / state->impulse_step});
    for (size_t i = 0; i < 3 * plan->sizes.nodes; i++) {
        f->node_scratch[i] = expected_motion(f, i, &step);
    }
    for (size_t i = 0; i < 3 * plan->sizes.count[TAUT_INERTIA]; i++) { /* impulses, as those of the rows */
        f->gam[plan->sizes.first_factor_row[TAUT_INERTIA] + i] *= h / state->impulse_step;
    }
    cpu_spread_f64(plan, plan->sizes.active_levels, f->node_scratch, 3);
    cpu_apply_jacobian_f64(plan, TAUT_FACTOR_ROWS, f->node_scratch, 3, NULL, false, f->gam);
    if (plan->sizes.loads) {
        guess_tangents(plan);
    }
}

/* Leaves the residual to the condensed solver where that has the unknowns. */
static void skip_condensed(const taut_plan* plan) {
    const taut_fields* f = &plan->fields;
    for (size_t i = 0; i < plan->sizes.unknowns && plan->sizes.condensed; i++) {
        if (f->condensed[i] != TAUT_NOT_CONDENSED) {
            f->wide[i] = f->r[i] = 0;
        }
    }
}

static void residual_range(const void* context, uint32_t part, size_t first, size_t last) {
    const taut_fields* f = &((const taut_plan*)context)->fields;
    (void)part;
#pragma omp simd
    for (size_t i = first; i < last; i++) {
        f->wide[i] = f->b[i] - f->wide[i];
        f->r[i] = (float)f->wide[i];
    }
}

/* r = b - S gam in float64 into `wide` and `r`; returns its norm. Leaves g_f64 = P M^-1 P J^T gam. */
static double true_residual(const taut_plan* plan) {
    const taut_fields* f = &plan->fields;
    cpu_apply_jacobian_transpose_f64(plan, TAUT_ALL, true, f->gam, f->g_f64);
    cpu_apply_jacobian_f64(plan, TAUT_ALL, f->g_f64, 4, f->gam, false, f->wide);
    cpu_for(plan, 0, plan->sizes.unknowns, CPU_PARALLEL_FROM, residual_range, plan);
    skip_condensed(plan);
    return sqrt(vector_norm2(plan, f->wide, f->inverse_diagonal));
}

/* 0 at rows that bounds hold, where r is 0. */
static void leave_held(const taut_plan* plan, float* values) {
    for (size_t i = 0; i < plan->sizes.rows && plan->sizes.bounded; i++) {
        values[i] = is_passed_over(&plan->fields, &plan->sizes, i) ? 0 : values[i];
    }
}

/* z from r; returns r.z. */
static double precondition(taut_backend_state* state) {
    const taut_fields* f = &state->plan->fields;
    if (taut_inner_solver_of(&state->plan->settings) == TAUT_INNER_GAUSS_SEIDEL) {
        return gauss_seidel_apply(state->plan);
    }
    const double rz = precondition_apply(state, f->r, f->z);
    leave_held(state->plan, f->z);
    return rz;
}

/* One outer iteration: delta from r, to |r| <= goal or `limit` iterations. Returns the iterations. p.B^-1 p follows
 * from the recurrence p = z + beta p, whose terms are B^-1-orthogonal; without a preconditioner it says nothing of p.D
 * p. */
static uint32_t conjugate_gradients(taut_backend_state* state, cpu_goal goal, uint32_t limit) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    memset(f->delta, 0, plan->sizes.unknowns * sizeof(float));
    double rz = precondition(state), length = rz;
    memcpy(f->p, f->z, plan->sizes.unknowns * sizeof(float));
    const bool scaled = taut_is_preconditioned(&plan->settings);
    const double null_curvature = scaled ? TAUT_NULL_CURVATURE : 0;
    uint32_t iterations = 0;
    while (iterations < limit) {
        precondition_multiply(plan, f->p, f->q);
        leave_held(plan, f->q);
        const double curvature = vector_dot(plan, f->p, f->q);
        if (!(curvature > null_curvature * length) || !(rz > 0)) {
            /* Nothing left to gain in float32, an indefinite preconditioner, or not finite: the true residual tells. */
            precondition_repair(state);
            break;
        }
        const double residual2 = vector_advance(plan, rz / curvature, f->p, f->q, f->delta, f->r);
        iterations++;
        if (sqrt(residual2) <= cpu_goal_now(plan, goal)) {
            break;
        }
        const double next = precondition(state), beta = next / rz;
        vector_direction(plan, f->z, beta, f->p);
        length = next + beta * beta * length;
        rz = next;
    }
    return iterations;
}

static bool has_shift(const taut_plan* plan) {
    const taut_fields* f = &plan->fields;
    for (size_t i = 0; i < plan->sizes.rows; i++) {
        if (f->shift[i] > 0) {
            return true;
        }
    }
    return false;
}

double cpu_projected_scale(const taut_plan* plan, taut_phase phase) {
    double length2 = 0;
    for (size_t n = 0; n < plan->sizes.nodes; n++) {
        length2 += projected_length2(&plan->fields, &plan->sizes, n, phase);
    }
    return projected_scale(length2, plan->settings.solver.tolerance);
}

void cpu_refresh_inner(taut_backend_state* state) {
    switch (taut_inner_solver_of(&state->plan->settings)) {
    case TAUT_INNER_DIRECT:
        saddle_factor(state->saddle);
        break;
    case TAUT_INNER_GAUSS_SEIDEL:
        gauss_seidel_refresh(state->plan);
        break;
    case TAUT_INNER_PCG:
        break;
    }
}

uint32_t cpu_inner_solve(taut_backend_state* state, const taut_outer_state* outer, const taut_factors* step,
                         double residual) {
    const taut_solver* solver = &state->plan->settings.solver;
    const uint32_t limit = solver->max_iterations - outer->iterations;
    const bool rough = outer->shifted || outer->active_set_changed;
    switch (taut_inner_solver_of(&state->plan->settings)) {
    case TAUT_INNER_DIRECT:
        saddle_solve(state->saddle);
        return 1;
    case TAUT_INNER_GAUSS_SEIDEL:
        if (state->plan->sizes.bounded) {
            return gauss_seidel_outer_iteration(state->plan, step,
                                                taut_sweeps_goal(residual, outer->scale, solver->tolerance), limit);
        }
        break;
    case TAUT_INNER_PCG:
        break;
    }
    return conjugate_gradients(state, cpu_outer_goal(state->plan, outer, residual, rough), limit);
}

/* The direct method has a shift of its own, which is as small as can be from the start. */
static taut_outer_state outer_begin(const taut_plan* plan) {
    const taut_fields* f = &plan->fields;
    const bool direct = taut_inner_solver_of(&plan->settings) == TAUT_INNER_DIRECT;
    const double square = vector_norm2(plan, f->b, f->inverse_diagonal);
    return (taut_outer_state){.scale = schur_scale(square, plan->settings.solver.tolerance),
                              .shifted = direct || has_shift(plan),
                              .lowerings = direct ? TAUT_SHIFT_LOWERINGS : 0};
}

/* gam += sign delta */
static void correct(const taut_backend_state* state, double sign) {
    const taut_fields* f = &state->plan->fields;
    if (state->saddle != NULL) {
        saddle_correct(state->saddle, sign);
        return;
    }
    for (size_t i = 0; i < state->plan->sizes.unknowns; i++) {
        f->gam[i] += sign * f->delta[i];
    }
}

void cpu_schur_solve(taut_backend_state* state, double h, taut_phase phase) {
    const taut_plan* plan = state->plan;
    const taut_factors step = taut_phase_factors(&plan->settings, phase, h);
    taut_outer_state outer = outer_begin(plan);
    if (taut_projects(phase)) {
        const double least = cpu_projected_scale(plan, phase);
        outer.scale = outer.scale > least ? outer.scale : least;
    }
    cpu_first_guess(state, h, phase);
    if (!(outer.scale > 0)) {
        clear_impulses(plan);
    }
    double residual = true_residual(plan);
    while (cpu_outer_goes_on(state, &outer, residual)) {
        if (outer.lower) {
            cpu_weigh_inner(plan, TAUT_SHIFT_LOWERING);
        }
        if (outer.lower || outer.outer_iterations == 0) {
            cpu_refresh_inner(state);
        }
        outer.inner_iterations = cpu_inner_solve(state, &outer, &step, residual);
        correct(state, 1);
        outer.iterations += outer.inner_iterations;
        outer.outer_iterations++;
        outer.residual = residual;
        residual = true_residual(plan);
    }
    if (outer.undo) {
        correct(state, -1);
        residual = true_residual(plan);
    }
    cpu_outer_report(state, &outer, residual);
}
