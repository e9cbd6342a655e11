/* Solve S gam = b where bounds hold some rows: the outer loop in float64 of pcg_schur.c, whose outer iterations are of
 * projected Newton (kernels/stages/solve.h), by any of the methods. Condensed parts keep their bounds in
 * pcg_condensed.c. */
#define TAUT_REAL double
#include "kernels/stages/bounds.h"
#include "kernels/stages/integrate.h"
#include "kernels/stages/project.h"

#include "host/cpu/cpu_apply.h"
#include "host/cpu/cpu_deadline.h"
#include "host/cpu/cpu_saddle.h"
#include "host/cpu/cpu_solvers.h"
#include "host/cpu/cpu_vector.h"
#include "model/solvers.h"

#include <string.h>

typedef struct bounded_loop {
    taut_backend_state* state;
    const taut_plan* plan;
    taut_factors step;
    taut_outer_state outer;
    taut_bounded_state bounded;
    taut_bound_sums sums;
    double residual;
} bounded_loop;

static bool is_own(const bounded_loop* l, size_t i) {
    return !is_condensed(&l->plan->fields, &l->plan->sizes, i);
}

static bool has_shift(const bounded_loop* l) {
    const taut_fields* f = &l->plan->fields;
    for (size_t i = 0; i < l->plan->sizes.rows; i++) {
        if (f->shift[i] > 0) {
            return true;
        }
    }
    return false;
}

/* The direct method has a shift of its own, which is as small as can be from the start. */
static void begin(bounded_loop* l) {
    const taut_fields* f = &l->plan->fields;
    const bool direct = taut_inner_solver_of(&l->plan->settings) == TAUT_INNER_DIRECT;
    for (size_t i = 0; i < l->plan->sizes.unknowns; i++) {
        f->wide[i] = bounded_side(f, &l->plan->sizes, i, &l->step);
    }
    const double square = vector_norm2(l->plan, f->wide, f->inverse_diagonal);
    l->outer = (taut_outer_state){.scale = schur_scale(square, l->plan->settings.solver.tolerance),
                                  .shifted = direct || has_shift(l),
                                  .lowerings = direct ? TAUT_SHIFT_LOWERINGS : 0};
    if (taut_projects(l->step.phase)) {
        const double least = cpu_projected_scale(l->plan, l->step.phase);
        l->outer.scale = l->outer.scale > least ? l->outer.scale : least;
    }
}

static void first_guess(const bounded_loop* l) {
    const taut_plan* plan = l->plan;
    const taut_fields* f = &plan->fields;
    cpu_first_guess(l->state, l->step.h, l->step.phase);
    for (size_t i = 0; i < plan->sizes.unknowns && !(l->outer.scale > 0); i++) {
        f->gam[i] = is_own(l, i) ? 0 : f->gam[i];
    }
    for (size_t i = 0; i < plan->sizes.rows; i++) {
        if (is_own(l, i)) {
            clamp_row(f, i, &l->step);
        }
    }
}

/* r = b - S gam in float64 into `wide`, projected, and `r`, 0 where a bound holds: but for sweeps, which keep bounds
 * themselves. Leaves g_f64 = P M^-1 P J^T gam. */
static void evaluate_residual(bounded_loop* l) {
    const taut_plan* plan = l->plan;
    const taut_fields* f = &plan->fields;
    const bool sweeps = taut_inner_solver_of(&plan->settings) == TAUT_INNER_GAUSS_SEIDEL;
    const double negligible = TAUT_NEGLIGIBLE_PULL * plan->settings.solver.tolerance * l->outer.scale;
    cpu_apply_jacobian_transpose_f64(plan, TAUT_ALL, true, f->gam, f->g_f64);
    cpu_apply_jacobian_f64(plan, TAUT_ALL, f->g_f64, 4, f->gam, false, f->wide);
    l->sums = (taut_bound_sums){0};
    for (size_t i = 0; i < plan->sizes.unknowns; i++) {
        const double r = is_own(l, i) ? f->b[i] - f->wide[i] : 0;
        f->wide[i] = is_own(l, i) ? hold_unknown(f, &plan->sizes, i, r, negligible, &l->step, &l->sums) : 0;
        f->r[i] = !sweeps && is_passed_over(f, &plan->sizes, i) ? 0 : (float)r;
    }
    l->residual = sqrt(vector_norm2(plan, f->wide, f->inverse_diagonal));
}

/* delta by an outer iteration that solves for it. Factors are of the rows that no bound holds; returns its iterations.
 */
static uint32_t solve_inner(bounded_loop* l) {
    const bool factors = taut_inner_solver_of(&l->plan->settings) == TAUT_INNER_DIRECT;
    if (l->outer.lower) {
        cpu_weigh_inner(l->plan, TAUT_SHIFT_LOWERING);
    }
    if (l->outer.lower || l->outer.outer_iterations == 0 || factors) {
        cpu_refresh_inner(l->state);
    }
    const uint32_t iterations = cpu_inner_solve(l->state, &l->outer, &l->step, l->residual);
    if (factors) {
        saddle_store(l->state->saddle, l->plan->fields.delta);
    }
    return iterations;
}

/* delta of a new outer iteration, with the ways of held rows to their bounds; sweeps find those themselves. */
static uint32_t new_pass(bounded_loop* l) {
    const taut_plan* plan = l->plan;
    const taut_fields* f = &plan->fields;
    const bool sweeps = taut_inner_solver_of(&plan->settings) == TAUT_INNER_GAUSS_SEIDEL;
    uint32_t iterations = 1;
    if (l->bounded.kind == TAUT_OUTER_SOLVE) {
        iterations = solve_inner(l);
    } else {
        for (size_t i = 0; i < plan->sizes.unknowns; i++) {
            f->delta[i] = f->r[i] * f->inverse_diagonal[i];
        }
    }
    for (size_t i = 0; i < plan->sizes.rows && !sweeps; i++) {
        if (is_own(l, i)) {
            hold_delta(f, i, &l->step);
        }
    }
    memcpy(f->gam_before, f->gam, plan->sizes.unknowns * sizeof(double));
    return iterations;
}

static void outer_iteration(bounded_loop* l) {
    const taut_plan* plan = l->plan;
    l->outer.inner_iterations = l->bounded.kind == TAUT_OUTER_AGAIN ? 1 : new_pass(l);
    l->outer.iterations += l->outer.inner_iterations;
    l->outer.outer_iterations++;
    l->outer.residual = l->residual;
    for (size_t i = 0; i < plan->sizes.unknowns; i++) {
        if (is_own(l, i)) {
            correct_within(&plan->fields, &plan->sizes, i, l->bounded.share, &l->step);
        }
    }
    evaluate_residual(l);
    taut_bounded_decide(&l->bounded, &l->sums);
    l->outer.active_set_changed = l->sums.changed > 0 || l->bounded.kind != TAUT_OUTER_SOLVE;
}

void cpu_bounded_solve(taut_backend_state* state, double h, taut_phase phase) {
    const taut_plan* plan = state->plan;
    bounded_loop l = {.state = state, .plan = plan, .step = taut_phase_factors(&plan->settings, phase, h)};
    begin(&l);
    first_guess(&l);
    evaluate_residual(&l);
    taut_bounded_begin(&l.bounded, &l.sums);
    while (cpu_outer_goes_on(state, &l.outer, l.residual)) {
        outer_iteration(&l);
    }
    if (l.outer.undo) {
        memcpy(plan->fields.gam, plan->fields.gam_before, plan->sizes.unknowns * sizeof(double));
        evaluate_residual(&l);
    }
    cpu_outer_report(state, &l.outer, l.residual);
    taut_bounds_report(&l.sums, l.outer.scale, &state->report);
}
