/* What a solve has left at the nodes, on the device. */
#define TAUT_REAL double
#include "kernels/stages/apply.h"
#include "kernels/stages/residuals.h"

#include "kernels/cuda/solve.cuh"

static __global__ void sweep_unknowns_kernel(const __grid_constant__ taut_view view) {
    const size_t i = thread_index();
    if (i < view.s.unknowns) {
        sweep_unknown(&view.f, &view.s, i, &view_factors(view));
    }
}

static __global__ void leave_nodes_kernel(const __grid_constant__ taut_view view) {
    const size_t n = thread_index();
    if (n < view.s.nodes) {
        leave_node(&view.f, n);
    }
}

void cuda_note_residuals(const taut_view& view, taut_launch* launch) {
    const taut_fields& f = view.f;
    cuda_apply_jacobian_f64(view, TAUT_ALL, f.g_f64, 4, f.gam, false, f.wide, launch);
    TAUT_LAUNCH(launch, sweep_unknowns_kernel, taut_grid(view.s.unknowns), view);
    cuda_apply_jacobian_transpose_f64(view, TAUT_ALL, true, f.swept, f.residual, launch);
    TAUT_LAUNCH(launch, leave_nodes_kernel, taut_grid(view.s.nodes), view);
    cuda_spread_f64(view, view.s.levels, f.residual, 4, launch);
}
