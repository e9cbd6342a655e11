/* Solve S gam = b on the device where bounds hold some rows: the loop of host/cpu/bounded.c as nested WHILE nodes.
 * Condensed parts keep their bounds in pcg_condensed.cu. */
#define TAUT_REAL double
#include "kernels/stages/apply.h"
#include "kernels/stages/bounds.h"
#include "kernels/stages/gauss_seidel.h"
#include "kernels/stages/integrate.h"
#include "kernels/stages/project.h"
#include "kernels/stages/solve.h"

#include "kernels/cuda/gauss_seidel.cuh"
#include "kernels/cuda/outer.cuh"
#include "kernels/cuda/solve.cuh"
#include "model/solvers.h"

static __global__ void scale_kernel(const __grid_constant__ taut_view view) {
    const taut_factors& step = view_factors(view);
    double sums[2] = {0, 0};
    for (size_t i = thread_index(); i < view.s.unknowns; i += thread_count()) {
        const double b = bounded_side(&view.f, &view.s, i, &step);
        sums[0] += b * b * view.f.inverse_diagonal[i];
    }
    for (size_t n = thread_index(); taut_projects(view.phase) && n < view.s.nodes; n += thread_count()) {
        sums[1] += projected_length2(&view.f, &view.s, n, view.phase);
    }
    if (grid_sums(view, sums, 2)) {
        taut_control* control = view.control;
        const double least = projected_scale(sums[1], view.params->tolerance);
        const double scale = schur_scale(sums[0], view.params->tolerance);
        control->scale = scale > least ? scale : least;
        control->active_set_changed = 0;
        outer_begin(control);
    }
}

void cuda_bounded_scale(const taut_view& view, taut_launch* launch) {
    TAUT_LAUNCH(launch, scale_kernel, taut_sum_grid(view.s.unknowns), view);
}

static __global__ void clamp_kernel(const __grid_constant__ taut_view view, bool condensed) {
    const size_t i = thread_index();
    if (i < view.s.rows && is_condensed(&view.f, &view.s, i) == condensed) {
        clamp_row(&view.f, i, &view_factors(view));
    }
}

void cuda_clamp(const taut_view& view, bool condensed, taut_launch* launch) {
    TAUT_LAUNCH(launch, clamp_kernel, taut_grid(view.s.rows), view, condensed);
}

/* r = b - S gam, projected, 0 where a bound holds, but for sweeps, which keep bounds themselves; then what follows.
 * `first`: before any outer iteration. */
static __global__ void residual_kernel(const __grid_constant__ taut_view view, bool sweeps, bool first,
                                       loop_handle outer) {
    const taut_factors& step = view_factors(view);
    const double negligible = TAUT_NEGLIGIBLE_PULL * view.params->tolerance * view.control->scale;
    taut_bound_sums own = {0, 0, 0};
    double norm2 = 0;
    for (size_t i = thread_index(); i < view.s.unknowns; i += thread_count()) {
        if (is_condensed(&view.f, &view.s, i)) {
            view.f.r[i] = 0;
            continue;
        }
        const double r = view.f.b[i] - view.f.wide[i];
        const double left = hold_unknown(&view.f, &view.s, i, r, negligible, &step, &own);
        view.f.r[i] = !sweeps && is_passed_over(&view.f, &view.s, i) ? 0 : (float)r;
        norm2 += left * left * view.f.inverse_diagonal[i];
    }
    double sums[4] = {norm2, own.objective, own.complementarity, own.changed};
    if (!grid_sums(view, sums, 4)) {
        return;
    }
    taut_control* control = view.control;
    const taut_bound_sums all = {sums[1], sums[2], sums[3]};
    control->bound_sums = all;
    if (first) {
        taut_bounded_begin(&control->bounded, &all);
    } else {
        taut_bounded_decide(&control->bounded, &all);
        control->active_set_changed = all.changed > 0 || control->bounded.kind != TAUT_OUTER_SOLVE;
    }
    outer_decide(control, view.params, sqrt(sums[0]), control->active_set_changed != 0, outer);
    if (!control->outer) {
        taut_bounds_report(&all, control->scale, &control->report);
    }
}

static void evaluate_residual(const taut_view& view, const taut_settings& settings, bool first, loop_handle outer,
                              taut_launch* launch) {
    const bool sweeps = taut_inner_solver_of(&settings) == TAUT_INNER_GAUSS_SEIDEL;
    cuda_apply_jacobian_transpose_f64(view, TAUT_ALL, true, view.f.gam, view.f.g_f64, launch);
    cuda_apply_jacobian_f64(view, TAUT_ALL, view.f.g_f64, 4, view.f.gam, false, view.f.wide, launch);
    TAUT_LAUNCH(launch, residual_kernel, taut_sum_grid(view.s.unknowns), view, sweeps, first, outer);
}

/* Opens an outer iteration that solves, with its goal and z.r of the first direction; delta of a cautious one. */
static __global__ void begin_outer_kernel(const __grid_constant__ taut_view view, z_source source, bool sweeps,
                                          loop_handle inner) {
    taut_control* control = view.control;
    const taut_outer_kind kind = control->bounded.kind;
    double sums[1] = {0};
    for (size_t i = thread_index(); i < view.s.unknowns && kind != TAUT_OUTER_AGAIN; i += thread_count()) {
        const float r = view.f.r[i];
        const float z = source == Z_IS_R ? r : source == Z_IS_SCALED_R ? view.f.inverse_shifted[i] * r : view.f.z[i];
        view.f.delta[i] = kind == TAUT_OUTER_CAUTIOUS ? view.f.inverse_diagonal[i] * r : 0;
        sums[0] += (double)r * z;
    }
    for (size_t i = thread_index(); i < 4 * view.s.nodes && sweeps; i += thread_count()) {
        view.f.g[i] = 0;
    }
    if (!grid_sums(view, sums, 1)) {
        return;
    }
    if (kind == TAUT_OUTER_SOLVE) {
        const double tolerance = view.params->tolerance;
        const bool rough = control->shifted || control->active_set_changed;
        open_outer_iteration(control,
                             sweeps ? taut_sweeps_goal(control->residual, control->scale, tolerance)
                                    : taut_outer_goal(control->residual, control->scale, tolerance, rough),
                             sums[0], inner);
        control->least = 0;
        control->least_at = 0;
    } else {
        skip_pass(control, inner);
    }
}

/* gam = P( gam + share delta ), from where the last new outer iteration began; held rows go to their bounds. */
static __global__ void correct_kernel(const __grid_constant__ taut_view view, bool sweeps) {
    const size_t i = thread_index();
    const taut_bounded_state& bounded = view.control->bounded;
    const taut_factors& step = view_factors(view);
    if (i >= view.s.unknowns || is_condensed(&view.f, &view.s, i)) {
        return;
    }
    if (bounded.kind != TAUT_OUTER_AGAIN) {
        view.f.gam_before[i] = view.f.gam[i];
        if (i < view.s.rows && !sweeps) {
            hold_delta(&view.f, i, &step);
        }
    }
    correct_within(&view.f, &view.s, i, bounded.share, &step);
}

static __global__ void undo_kernel(const __grid_constant__ taut_view view) {
    const size_t i = thread_index();
    if (i < view.s.unknowns && view.control->undo && !is_condensed(&view.f, &view.s, i)) {
        view.f.gam[i] = view.f.gam_before[i];
    }
}

static __global__ void leave_held_kernel(const __grid_constant__ taut_view view) {
    const size_t i = thread_index();
    if (i < view.s.rows && is_passed_over(&view.f, &view.s, i)) {
        view.f.z[i] = 0;
    }
}

void cuda_leave_held(const taut_view& view, taut_launch* launch) {
    if (view.s.bounded) {
        TAUT_LAUNCH(launch, leave_held_kernel, taut_grid(view.s.rows), view);
    }
}

static void enqueue_outer_iteration(const taut_view& view, const taut_settings& settings, taut_launch* launch) {
    const bool sweeps = taut_inner_solver_of(&settings) == TAUT_INNER_GAUSS_SEIDEL;
    const z_source source = sweeps ? Z_IS_R : z_source_of(settings);
    taut_while inner = {};
    while_handle(launch, &inner);
    cuda_lower_shift(view, launch);
    if (sweeps) {
        cuda_gauss_seidel_refresh(view, launch);
    } else if (source == Z_IS_STORED) {
        cuda_precondition_apply(view, settings, view.f.r, view.f.z, launch);
        cuda_leave_held(view, launch);
    }
    TAUT_LAUNCH(launch, begin_outer_kernel, taut_sum_grid(view.s.unknowns), view, source, sweeps, inner.handle);
    while_begin(launch, &inner);
    for (int i = 0; i < TAUT_ROUND && !sweeps; i++) {
        cuda_iterate(view, settings, inner.handle, launch);
    }
    if (sweeps) {
        cuda_gauss_seidel_round(view, inner.handle, launch);
    }
    while_end(launch, &inner);
    TAUT_LAUNCH(launch, correct_kernel, taut_grid(view.s.unknowns), view, sweeps);
}

void cuda_bounded_solve(const taut_view& view, const taut_settings& settings, taut_launch* launch) {
    taut_while outer = {};
    while_handle(launch, &outer);
    cuda_bounded_scale(view, launch);
    cuda_first_guess(view, launch);
    cuda_clamp(view, false, launch);
    evaluate_residual(view, settings, true, outer.handle, launch);
    while_begin(launch, &outer);
    enqueue_outer_iteration(view, settings, launch);
    evaluate_residual(view, settings, false, outer.handle, launch);
    while_end(launch, &outer);
    TAUT_LAUNCH(launch, undo_kernel, taut_grid(view.s.unknowns), view);
    cuda_apply_jacobian_transpose_f64(view, TAUT_ALL, true, view.f.gam, view.f.g_f64, launch);
}
