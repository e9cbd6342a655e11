/* Numbers of Gauss-Seidel on the device. */
#define TAUT_REAL double
#include "kernels/stages/gauss_seidel_refresh.h"

#include "kernels/cuda/condensed.cuh"
#include "kernels/cuda/gauss_seidel.cuh"

/* Whether an outer iteration that begins finds its numbers already there. */
static __device__ bool is_fresh(const taut_view& view) {
    return view.control->outer_iterations > 0 && !view.control->lower;
}

/* A warp per constraint. */
static __global__ void refresh_kernel(const __grid_constant__ taut_view view, const taut_hierarchy* levels) {
    __shared__ double matrix[TAUT_WARPS][TAUT_MAX_ROWS * TAUT_MAX_ROWS], scale[TAUT_WARPS][TAUT_MAX_ROWS];
    const size_t block = thread_index() / 32;
    if (block < view.s.blocks && !is_fresh(view)) {
        sweep_refresh(&view.f, &view.s, &levels->system, block, threadIdx.x % 32, 32, matrix[threadIdx.x / 32],
                      scale[threadIdx.x / 32]);
    }
}

void cuda_gauss_seidel_refresh(const taut_view& view, taut_launch* launch) {
    cuda_system_paths(view, launch);
    TAUT_LAUNCH(launch, refresh_kernel, taut_grid(32 * view.s.blocks), view, view.levels->device);
}
