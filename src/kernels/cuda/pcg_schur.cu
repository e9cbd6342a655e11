/* Solve S gam = b on the device: the outer loop in float64 around conjugate gradients in float32, as in
 * docs/mathematics.md, as two nested WHILE nodes. Every decision is a kernel's. Gauss-Seidel takes the place of
 * the preconditioner where it is asked for. */
#define TAUT_REAL double
#include "kernels/stages/apply.h"
#include "kernels/stages/integrate.h"
#include "kernels/stages/project.h"
#include "kernels/stages/solve.h"

#include "kernels/cuda/gauss_seidel.cuh"
#include "kernels/cuda/outer.cuh"
#include "kernels/cuda/solve.cuh"

static __global__ void scale_kernel(const __grid_constant__ taut_view view) {
    double sums[2] = {0, 0};
    for (size_t i = thread_index(); i < view.s.unknowns; i += thread_count()) {
        sums[0] += view.f.b[i] * view.f.b[i] * view.f.inverse_diagonal[i];
    }
    for (size_t n = thread_index(); taut_projects(view.phase) && n < view.s.nodes; n += thread_count()) {
        sums[1] += projected_length2(&view.f, &view.s, n, view.phase);
    }
    if (grid_sums(view, sums, 2)) {
        const double least = projected_scale(sums[1], view.params->tolerance);
        const double scale = schur_scale(sums[0], view.params->tolerance);
        view.control->scale = scale > least ? scale : least;
        outer_begin(view.control);
    }
}

static __device__ bool is_warm(const taut_view& view) {
    const taut_control* control = view.control;
    return view.params->warm_start && control->impulse_step > 0 && control->scale > 0 && !taut_projects(view.phase);
}

/* First guess of the rows, and of the motion that the factor rows' guess takes. */
static __global__ void guess_kernel(const __grid_constant__ taut_view view) {
    const taut_control* control = view.control;
    const bool warm = is_warm(view);
    const taut_factors step = view_factors(view);
    const double carry = warm ? step.h / control->impulse_step : 0;
    const size_t i = thread_index();
    if (i < view.s.unknowns && is_condensed(&view.f, &view.s, i)) {
        /* the condensed solver keeps its own */
    } else if (taut_renews(step.phase)) { /* gam is that of the iterate; about the motion by forces alone factor
                                             unknowns are 0 */
        const bool clears = step.phase == TAUT_PHASE_CONSTRAIN || step.phase == TAUT_PHASE_AHEAD;
        if (i >= view.s.rows && i < view.s.unknowns && clears) {
            view.f.gam[i] = 0;
        }
    } else if (i < view.s.rows) {
        carry_over(&view.f, &view.s, i, carry, view.params->proximal);
    } else if (i - view.s.first_factor_row[TAUT_INERTIA] < 3 * view.s.count[TAUT_INERTIA]) {
        view.f.gam[i] *= carry; /* impulses, as those of the rows */
    } else if (i < view.s.unknowns) {
        view.f.gam[i] = 0;
    }
    if (i < 3 * view.s.nodes) {
        view.f.node_scratch[i] = warm ? expected_motion(&view.f, i, &step) : 0;
    }
}

/* The same of force elements' factor unknowns, b - Lh (dv - u): the motion, then b. */
static __global__ void deviation_kernel(const __grid_constant__ taut_view view) {
    const size_t i = thread_index();
    if (i < 3 * view.s.nodes) {
        view.f.node_scratch[i] = is_warm(view) ? expected_deviation(&view.f, i) : 0;
    }
}

static __global__ void tangent_guess_kernel(const __grid_constant__ taut_view view) {
    const size_t i = view.s.first_factor_row[TAUT_FIRST_LOAD_KIND] + thread_index();
    if (i < view.s.unknowns && is_warm(view)) {
        view.f.gam[i] += view.f.b[i];
    }
}

static void guess_tangents(const taut_view& view, taut_launch* launch) {
    const size_t factor_rows = view.s.unknowns - view.s.first_factor_row[TAUT_FIRST_LOAD_KIND];
    TAUT_LAUNCH(launch, deviation_kernel, taut_grid(3 * view.s.nodes), view);
    cuda_spread_f64(view, view.s.active_levels, view.f.node_scratch, 3, launch);
    cuda_apply_jacobian_f64(view, TAUT_TANGENTS, view.f.node_scratch, 3, NULL, false, view.f.gam, launch);
    TAUT_LAUNCH(launch, tangent_guess_kernel, taut_grid(factor_rows), view);
}

/* r = b - S gam; what the outer loop does next. */
static __global__ void residual_kernel(const __grid_constant__ taut_view view, loop_handle outer) {
    double sums[1] = {0};
    for (size_t i = thread_index(); i < view.s.unknowns; i += thread_count()) {
        const double r = is_condensed(&view.f, &view.s, i) ? 0 : view.f.b[i] - view.f.wide[i];
        view.f.r[i] = (float)r;
        sums[0] += r * r * view.f.inverse_diagonal[i];
    }
    if (grid_sums(view, sums, 1)) {
        outer_decide(view.control, view.params, sqrt(sums[0]), false, outer);
    }
}

/* Opens an outer iteration: its goal, and z.r of the first direction. */
static __global__ void begin_outer_kernel(const __grid_constant__ taut_view view, z_source source, loop_handle inner) {
    double sums[1] = {0};
    for (size_t i = thread_index(); i < view.s.unknowns; i += thread_count()) {
        view.f.delta[i] = 0;
        const float r = view.f.r[i];
        const float z = source == Z_IS_R ? r : source == Z_IS_SCALED_R ? view.f.inverse_shifted[i] * r : view.f.z[i];
        sums[0] += (double)r * z;
    }
    if (grid_sums(view, sums, 1)) {
        taut_control* control = view.control;
        open_outer_iteration(
            control, taut_outer_goal(control->residual, control->scale, view.params->tolerance, control->shifted),
            sums[0], inner);
    }
}

static __global__ void correct_kernel(const __grid_constant__ taut_view view) {
    const size_t i = thread_index();
    if (i < view.s.unknowns) {
        view.f.gam[i] += view.f.delta[i];
    }
}

/* Takes the last outer iteration back where it was worse than nothing. */
static __global__ void undo_kernel(const __grid_constant__ taut_view view) {
    const size_t i = thread_index();
    if (i < view.s.unknowns && view.control->undo) {
        view.f.gam[i] -= view.f.delta[i];
    }
}

static void true_residual(const taut_view& view, loop_handle outer, taut_launch* launch) {
    cuda_apply_jacobian_transpose_f64(view, TAUT_ALL, true, view.f.gam, view.f.g_f64, launch);
    cuda_apply_jacobian_f64(view, TAUT_ALL, view.f.g_f64, 4, view.f.gam, false, view.f.wide, launch);
    TAUT_LAUNCH(launch, residual_kernel, taut_sum_grid(view.s.unknowns), view, outer);
}

static void enqueue_outer_iteration(const taut_view& view, const taut_settings& settings, taut_launch* launch) {
    taut_while inner = {};
    while_handle(launch, &inner);
    const z_source source = z_source_of(settings);
    cuda_lower_shift(view, launch);
    if (taut_inner_solver_of(&settings) == TAUT_INNER_GAUSS_SEIDEL) {
        cuda_gauss_seidel_refresh(view, launch);
    }
    if (source == Z_IS_STORED) {
        cuda_precondition_apply(view, settings, view.f.r, view.f.z, launch);
    }
    TAUT_LAUNCH(launch, begin_outer_kernel, taut_sum_grid(view.s.unknowns), view, source, inner.handle);
    while_begin(launch, &inner);
    for (int i = 0; i < TAUT_ROUND; i++) {
        cuda_iterate(view, settings, inner.handle, launch);
    }
    while_end(launch, &inner);
    TAUT_LAUNCH(launch, correct_kernel, taut_grid(view.s.unknowns), view);
}

void cuda_first_guess(const taut_view& view, taut_launch* launch) {
    const size_t items = view.s.unknowns > 3 * view.s.nodes ? view.s.unknowns : 3 * view.s.nodes;
    TAUT_LAUNCH(launch, guess_kernel, taut_grid(items), view);
    if (!taut_renews(view.phase)) {
        cuda_spread_f64(view, view.s.active_levels, view.f.node_scratch, 3, launch);
        cuda_apply_jacobian_f64(view, TAUT_FACTOR_ROWS, view.f.node_scratch, 3, NULL, false, view.f.gam, launch);
        if (view.s.loads) {
            guess_tangents(view, launch);
        }
    }
}

void cuda_schur_solve(const taut_view& view, const taut_settings& settings, taut_launch* launch) {
    taut_while outer = {};
    while_handle(launch, &outer);
    TAUT_LAUNCH(launch, scale_kernel, taut_sum_grid(view.s.unknowns), view);
    cuda_first_guess(view, launch);
    true_residual(view, outer.handle, launch);
    while_begin(launch, &outer);
    enqueue_outer_iteration(view, settings, launch);
    true_residual(view, outer.handle, launch);
    while_end(launch, &outer);
    TAUT_LAUNCH(launch, undo_kernel, taut_grid(view.s.unknowns), view);
    cuda_apply_jacobian_transpose_f64(view, TAUT_ALL, true, view.f.gam, view.f.g_f64, launch);
}
