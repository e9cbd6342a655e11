/* Newton's method on the device: the residuals of the exact step at an iterate, and what follows from them. */
#define TAUT_REAL double
#include "kernels/stages/apply.h"
#include "kernels/stages/renew.h"

#include "kernels/cuda/solve.cuh"

/* J^T gam of nodes, none of which is another's child. */
static __global__ void exact_jacobian_transpose_kernel(const __grid_constant__ taut_view view, node_range range) {
    const size_t i = thread_index();
    if (i < range.count) {
        store_exact_jacobian_transpose(&view.f, &view.s, node_of(view, range, i));
    }
}

void cuda_renew_jacobian_transpose(const taut_view& view, taut_launch* launch) {
    for (uint32_t level = view.s.active_levels; level-- > 0;) {
        const node_range range = level_range(view.s, level);
        TAUT_LAUNCH(launch, exact_jacobian_transpose_kernel, taut_grid(range.count), view, range);
    }
    const node_range unknown = unknown_range(view.s);
    TAUT_LAUNCH(launch, exact_jacobian_transpose_kernel, taut_grid(unknown.count), view, unknown);
    cuda_apply_jacobian_transpose_f64(view, TAUT_ROWS, false, view.f.gam, view.f.node_scratch + 4 * view.s.nodes,
                                      launch);
}

static __global__ void newton_scale_kernel(const __grid_constant__ taut_view view) {
    double sums[1] = {0};
    for (size_t i = thread_index(); i < view.s.rows; i += thread_count()) {
        sums[0] += side_square(&view.f, &view.s, i, &view_factors(view));
    }
    if (grid_sums(view, sums, 1)) {
        view.control->newton.scale = sqrt(sums[0]);
    }
}

void cuda_newton_scale(const taut_view& view, taut_launch* launch) {
    TAUT_LAUNCH(launch, newton_scale_kernel, taut_sum_grid(view.s.rows), view);
}

static __global__ void deviate_kernel(const __grid_constant__ taut_view view) {
    const size_t n = thread_index();
    if (n < view.s.nodes) {
        deviate_node(&view.f, n);
    }
}

static __global__ void deviate_unknowns_kernel(const __grid_constant__ taut_view view) {
    double sums[1] = {0};
    for (size_t i = thread_index(); i < view.s.unknowns; i += thread_count()) {
        sums[0] += deviate_unknown(&view.f, &view.s, i, &view_factors(view));
    }
    if (grid_sums(view, sums, 1)) {
        view.control->newton_rows2 = sums[0];
    }
}

/* Further linearisations of the attempt under way. */
static __device__ uint32_t further_now(const taut_view& view) {
    return taut_guard_renews(&view.control->guard) ? view.params->further : 0;
}

static __global__ void check_residual_kernel(const __grid_constant__ taut_view view, loop_handle loop,
                                             loop_handle solving) {
    const size_t unknown = view.s.nodes - (view.s.points - view.s.simple);
    newton_sums own = {0, 0, 0};
    for (size_t i = thread_index(); i < unknown; i += thread_count()) {
        const size_t n = i < view.s.simple ? i : i + (view.s.points - view.s.simple);
        balance_node(&view.f, &view.s, n, &view_factors(view), &own);
    }
    double sums[3] = {own.balance, own.motion, own.fall};
    if (grid_sums(view, sums, 3)) {
        taut_control* control = view.control;
        const newton_sums all = {sums[0], sums[1], sums[2]};
        const newton_limits limits = {view.params->newton_tolerance, view.params->newton,
                                      control->guard.resigned > 0 ? 0 : further_now(view), control->report.contacts > 0,
                                      false};
        newton_decide(&control->newton, &all, control->newton_rows2, control->report.stretch, &limits);
        if (control->unsound) {
            control->newton.action = NEWTON_STOP;
        }
        go_on(loop, control->newton.action != NEWTON_STOP);
        go_on(solving, control->newton.action == NEWTON_SOLVE);
    }
}

/* Before a solve the impulses of the iterate are kept. */
static __global__ void keep_kernel(const __grid_constant__ taut_view view) {
    const size_t i = thread_index();
    if (i < view.s.rows && view.control->newton.action == NEWTON_SOLVE) {
        view.f.gam_last[i] = view.f.gam[i];
    }
}

void cuda_check_residual(const taut_view& view, loop_handle loop, loop_handle solving, taut_launch* launch) {
    const taut_fields& f = view.f;
    TAUT_LAUNCH(launch, deviate_kernel, taut_grid(view.s.nodes), view);
    cuda_spread_f64(view, view.s.active_levels, f.node_scratch, 4, launch);
    if (view.s.factor_rows > 0) {
        taut_clear(launch, f.gam + view.s.rows, view.s.factor_rows * sizeof(double));
    }
    cuda_apply_jacobian_f64(view, TAUT_ALL, f.node_scratch, 4, f.gam, false, f.wide, launch);
    TAUT_LAUNCH(launch, deviate_unknowns_kernel, taut_sum_grid(view.s.unknowns), view);
    cuda_apply_jacobian_transpose_f64(view, TAUT_ALL, true, f.gam, f.g_f64, launch);
    TAUT_LAUNCH(launch, check_residual_kernel, taut_sum_grid(view.s.nodes), view, loop, solving);
    TAUT_LAUNCH(launch, keep_kernel, taut_grid(view.s.rows), view);
}

static __global__ void stretched_kernel(const __grid_constant__ taut_view view, loop_handle once) {
    taut_control* control = view.control;
    go_on(once,
          !control->unsound && further_now(view) > 0 && taut_guard_acts(&control->guard, control->report.stretch));
}

void cuda_look_stretched(const taut_view& view, loop_handle once, taut_launch* launch) {
    TAUT_LAUNCH_ONE(launch, stretched_kernel, view, once);
}

static __global__ void ahead_kernel(const __grid_constant__ taut_view view, loop_handle once, bool ahead) {
    const taut_control* control = view.control;
    go_on(once, !control->unsound && taut_guard_ahead(&control->guard) == ahead);
}

void cuda_look_ahead(const taut_view& view, loop_handle once, bool ahead, taut_launch* launch) {
    TAUT_LAUNCH_ONE(launch, ahead_kernel, view, once, ahead);
}

static __global__ void set_handle_kernel(const __grid_constant__ taut_view view, loop_handle handle, bool on) {
    go_on(handle, on && !view.control->unsound);
}

void cuda_set_handle(const taut_view& view, loop_handle handle, bool on, taut_launch* launch) {
    TAUT_LAUNCH_ONE(launch, set_handle_kernel, view, handle, on);
}
