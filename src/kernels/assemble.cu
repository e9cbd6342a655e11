/* Assemble: coefficients, right-hand side, diagonals; one thread per constraint, node or unknown. */
#define TAUT_REAL double
#include "kernels/stages/assemble.h"
#include "kernels/stages/apply.h"
#include "kernels/stages/solve.h"

#include "kernels/device.cuh"

/* coefficients_*, diagonal_*: one switch text for both. */
#define MEMBER_SWITCH(item, ...)                                                                                       \
    switch (kind_of_member(&view.s, m, &c)) {                                                                              \
        TAUT_FORMULA_KINDS(item)                                                                                       \
    default:                                                                                                           \
        __VA_ARGS__;                                                                                                   \
        break;                                                                                                         \
    }

static __global__ void coefficients_kernel(const __grid_constant__ taut_view view) {
    const size_t m = thread_index();
    if (m >= member_total(view.s)) {
        return;
    }
    const taut_factors step = view.params->factors;
    size_t c;
#define COEFFICIENTS_CASE(name, k)                                                                                     \
    case k:                                                                                                            \
        coefficients_##name(&view.f, &view.s, c, &step);                                                               \
        break;
    MEMBER_SWITCH(COEFFICIENTS_CASE, coefficients_linear(&view.f, &view.s, c, &step))
}

static __global__ void diagonal_kernel(const __grid_constant__ taut_view view) {
    const size_t m = thread_index();
    if (m >= member_total(view.s)) {
        return;
    }
    size_t c;
#define DIAGONAL_CASE(name, k)                                                                                         \
    case k:                                                                                                            \
        diagonal_##name(&view.f, &view.s, c, view.f.wide);                                                             \
        break;
    MEMBER_SWITCH(DIAGONAL_CASE, diagonal_linear(&view.f, &view.s, c, view.f.wide))
}

static __global__ void constraint_side_kernel(const __grid_constant__ taut_view view) {
    const size_t m = thread_index();
    if (m >= member_total(view.s)) {
        return;
    }
    const taut_factors step = view.params->factors;
    size_t c;
#define SIDE_CASE(name, k)                                                                                             \
    case k:                                                                                                            \
        constraint_side(&view.f, &view.s, k, name##_ROWS, c, &step);                                                   \
        break;
    MEMBER_SWITCH(SIDE_CASE, constraint_side(&view.f, &view.s, TAUT_LINEAR, 1, c, &step))
}

static __global__ void free_motion_kernel(const __grid_constant__ taut_view view) {
    const size_t n = thread_index();
    if (n == 0) {
        view.control->shifted = 0; /* invert_diagonal_kernel says otherwise */
    }
    if (n < view.s.nodes) {
        const taut_factors step = view.params->factors;
        free_motion(&view.f, n, &step);
        view.f.free_dv[4 * n + 3] = 0;
    }
}

/* beta = 0: u -= P M^-1 P Lh^T Lh v */
static __global__ void explicit_roots_kernel(const __grid_constant__ taut_view view) {
    const size_t i = thread_index();
    if (i < 4 * view.s.nodes) {
        view.f.free_dv[i] -= view.f.g_f64[i];
    }
}

static __global__ void complete_side_kernel(const __grid_constant__ taut_view view) {
    const size_t i = thread_index();
    if (i < view.s.unknowns) {
        const taut_factors step = view.params->factors;
        complete_side(&view.f, &view.s, i, &step);
    }
}

static __global__ void invert_diagonal_kernel(const __grid_constant__ taut_view view) {
    const size_t i = thread_index();
    if (i < view.s.unknowns) {
        const taut_factors step = view.params->factors;
        invert_diagonal(&view.f, &view.s, i, &step);
        if (view.f.shift[i] > 0) {
            view.control->shifted = 1; /* every writer writes the same */
        }
    }
}

/* `lowering`: only if the pass that begins lowers the shift. */
static __global__ void weigh_inner_kernel(const __grid_constant__ taut_view view, bool lowering) {
    const size_t m = thread_index();
    if (m >= member_total(view.s) || (lowering && !view.control->lower)) {
        return;
    }
    const float scale = lowering ? TAUT_SHIFT_LOWERING : 1;
    size_t c;
#define WEIGH_INNER_CASE(name, k)                                                                                      \
    case k:                                                                                                            \
        weigh_inner_##name(&view.f, &view.s, c, scale);                                                                \
        break;
    MEMBER_SWITCH(WEIGH_INNER_CASE, weigh_inner_linear(&view.f, &view.s, c, scale))
}

void cuda_weigh_inner(const taut_view& view, bool lowering, taut_launch* launch) {
    TAUT_LAUNCH(launch, weigh_inner_kernel, taut_grid(member_total(view.s)), view, lowering);
}

static void explicit_roots(const taut_view& view, taut_launch* launch) {
    cuda_forward_f64(view, TAUT_ROOTS, view.f.v, 3, NULL, view.f.wide, launch);
    cuda_pull_f64(view, TAUT_ROOTS, true, view.f.wide, view.f.g_f64, launch);
    TAUT_LAUNCH(launch, explicit_roots_kernel, taut_grid(4 * view.s.nodes), view);
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        const size_t values = view.s.count[k] * taut_kind_shapes[k].stiffness;
        if (values > 0) {
            const cudaError_t error =
                cudaMemsetAsync(view.f.kinds[k].stiffness, 0, values * sizeof(float), launch->stream);
            launch->error = launch->error == cudaSuccess ? error : launch->error;
        }
    }
}

void cuda_assemble(const taut_view& view, const taut_settings& settings, taut_launch* launch) {
    const unsigned members = taut_grid(member_total(view.s)), unknowns = taut_grid(view.s.unknowns);
    TAUT_LAUNCH(launch, coefficients_kernel, members, view);
    TAUT_LAUNCH(launch, free_motion_kernel, taut_grid(view.s.nodes), view);
    if (view.s.roots > 0 && settings.integrator.beta == 0) {
        explicit_roots(view, launch);
    }
    cuda_forward_f64(view, TAUT_ALL, view.f.v, 3, NULL, view.f.b, launch);
    TAUT_LAUNCH(launch, constraint_side_kernel, members, view);
    cuda_forward_f64(view, TAUT_ALL, view.f.free_dv, 4, NULL, view.f.wide, launch);
    TAUT_LAUNCH(launch, complete_side_kernel, unknowns, view);
    TAUT_LAUNCH(launch, diagonal_kernel, members, view);
    TAUT_LAUNCH(launch, invert_diagonal_kernel, unknowns, view);
    cuda_weigh_inner(view, false, launch);
    cuda_precondition_refresh(view, settings, launch);
}
