/* Solve the Schur complement with bounds and friction by projected gradients on the device: the loops of
 * host/cpu/projected.c as WHILE nodes, an iteration in four kernels and those of the product. */
#define TAUT_REAL double
#include "kernels/stages/apply.h"
#include "kernels/stages/contact/projected.h"

#include "kernels/cuda/outer.cuh"
#include "kernels/cuda/solve.cuh"

static __global__ void clamp_kernel(const __grid_constant__ taut_view view) {
    const size_t i = thread_index();
    taut_projected_sums sums = {0, 0, 0};
    if (i < view.s.unknowns) {
        projected_step(&view.f, &view.s, i, &view_factors(view), 0, view.f.gam, view.f.gam, &sums);
    }
}

/* One after another for the sums of the whole grid; true for the one thread that has them. */
static __device__ bool sum_steps(const taut_view& view, double t, const double* y, taut_projected_sums* total) {
    taut_projected_sums own = {0, 0, 0};
    for (size_t i = thread_index(); i < view.s.unknowns; i += thread_count()) {
        projected_step(&view.f, &view.s, i, &view_factors(view), t, y, view.f.wide, &own);
    }
    double sums[3] = {own.length2, own.turn, own.bounded};
    const bool last = grid_sums(view, sums, 3);
    *total = {sums[0], sums[1], sums[2]};
    return last;
}

/* Where things stand, and what follows. `powers`: of the loop before the first outer iteration, or 0. */
static __global__ void residual_kernel(const __grid_constant__ taut_view view, loop_handle outer, loop_handle powers) {
    taut_projected_sums sums;
    if (!sum_steps(view, 1, view.f.gam, &sums)) {
        return;
    }
    taut_control* control = view.control;
    control->bound_sums = {0, sums.bounded, 0};
    control->shifted = 0; /* nothing of it here */
    control->powers = 0;
    outer_decide(control, view.params, sqrt(sums.length2), false, outer);
    go_on(powers, control->outer != 0);
    if (!control->outer) {
        taut_bounds_report(&control->bound_sums, control->scale, &control->report);
    }
}

static void multiply(const taut_view& view, const double* v, taut_launch* launch) {
    cuda_apply_jacobian_transpose_f64(view, TAUT_ALL, true, v, view.f.g_f64, launch);
    cuda_apply_jacobian_f64(view, TAUT_ALL, view.f.g_f64, 4, v, false, view.f.wide, launch);
}

/* Leaves the motion of gam in g_f64. */
static void evaluate_residual(const taut_view& view, loop_handle outer, loop_handle powers, taut_launch* launch) {
    TAUT_LAUNCH(launch, clamp_kernel, taut_grid(view.s.unknowns), view);
    multiply(view, view.f.gam, launch);
    TAUT_LAUNCH(launch, residual_kernel, taut_sum_grid(view.s.unknowns), view, outer, powers);
}

/* ---- the step length --------------------------------------------------------------------------------------------- */

static __global__ void power_start_kernel(const __grid_constant__ taut_view view) {
    const size_t i = thread_index();
    if (i < view.s.unknowns) {
        view.f.gam_before[i] = power_start(&view.f, &view.s, i);
    }
}

static __global__ void power_kernel(const __grid_constant__ taut_view view, loop_handle powers) {
    double sums[1] = {0};
    for (size_t i = thread_index(); i < view.s.unknowns; i += thread_count()) {
        sums[0] += power_step(&view.f, &view.s, i);
    }
    if (!grid_sums(view, sums, 1)) {
        return;
    }
    taut_control* control = view.control;
    const double before = control->powers > 0 ? control->projected.length2 : 0;
    control->projected.step = taut_power_step_length(sums[0], before);
    control->projected.length2 = sums[0];
    control->powers++;
    control->iterations++;
    go_on(powers, control->powers < TAUT_STEP_POWERS);
}

/* ---- outer iterations -----------------------------------------------------------------------------------------------
 */

static __global__ void begin_kernel(const __grid_constant__ taut_view view, loop_handle inner) {
    const size_t i = thread_index();
    taut_control* control = view.control;
    if (i < view.s.unknowns) {
        view.f.gam_before[i] = view.f.gam[i]; /* y */
    }
    if (i == 0) {
        taut_projected_begin(&control->projected);
        open_outer_iteration(control, taut_outer_goal(control->residual, control->scale, view.params->tolerance, true),
                             0, inner);
    }
}

static __global__ void step_kernel(const __grid_constant__ taut_view view, loop_handle inner) {
    taut_control* control = view.control;
    taut_projected_sums sums;
    if (!sum_steps(view, control->projected.step, view.f.gam_before, &sums)) {
        return;
    }
    taut_projected_decide(&control->projected, &sums);
    control->iterations++;
    control->inner = sqrt(sums.length2) > control->goal * control->projected.step &&
                     control->iterations < view.params->max_iterations;
    go_on(inner, control->inner);
}

static __global__ void move_kernel(const __grid_constant__ taut_view view) {
    const size_t i = thread_index();
    if (i < view.s.unknowns) {
        projected_move(&view.f, i, view.control->projected.k);
    }
}

static void enqueue_outer_iteration(const taut_view& view, taut_launch* launch) {
    taut_while inner = {};
    while_handle(launch, &inner);
    TAUT_LAUNCH(launch, begin_kernel, taut_grid(view.s.unknowns), view, inner.handle);
    while_begin(launch, &inner);
    multiply(view, view.f.gam_before, launch);
    TAUT_LAUNCH(launch, step_kernel, taut_sum_grid(view.s.unknowns), view, inner.handle);
    TAUT_LAUNCH(launch, move_kernel, taut_grid(view.s.unknowns), view);
    while_end(launch, &inner);
}

void cuda_projected_solve(const taut_view& view, const taut_settings&, taut_launch* launch) {
    taut_while outer = {}, powers = {};
    while_handle(launch, &outer);
    while_handle(launch, &powers);
    cuda_bounded_scale(view, launch);
    cuda_first_guess(view, launch);
    evaluate_residual(view, outer.handle, powers.handle, launch);
    TAUT_LAUNCH(launch, power_start_kernel, taut_grid(view.s.unknowns), view);
    while_begin(launch, &powers);
    multiply(view, view.f.gam_before, launch);
    TAUT_LAUNCH(launch, power_kernel, taut_sum_grid(view.s.unknowns), view, powers.handle);
    while_end(launch, &powers);
    while_begin(launch, &outer);
    enqueue_outer_iteration(view, launch);
    evaluate_residual(view, outer.handle, no_loop, launch);
    while_end(launch, &outer);
}
