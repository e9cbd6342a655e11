/* Passes of Gauss-Seidel on the device: a kernel per wide colour, and one of a single block of threads for all others,
 * which goes through whole rounds of sweeps where there are no wide ones. */
#define TAUT_REAL float
#include "kernels/stages/gauss_seidel.h"

#include "kernels/cuda/gauss_seidel.cuh"
#include "kernels/cuda/outer.cuh"

/* Threads of the block that takes the colours that are not wide. */
#define TAIL_THREADS 512

/* Sweep number `sweep` of a round is one too many: the outer iteration is over, or the limit reached. */
static __device__ bool is_spent(const taut_view& view, uint32_t sweep) {
    return !view.control->inner || view.control->iterations + sweep >= view.params->max_iterations;
}

static __global__ void colour_kernel(const __grid_constant__ taut_view view, const taut_hierarchy* levels,
                                     uint32_t first, uint32_t end, uint32_t sweep) {
    const size_t block = first + thread_index();
    if (block < end && !is_spent(view, sweep)) {
        sweep_block(&view.f, &view.s, &levels->system, block, &view_factors(view));
    }
}

static __global__ void __launch_bounds__(TAIL_THREADS)
    tail_kernel(const __grid_constant__ taut_view view, const taut_hierarchy* levels, uint32_t sweep, uint32_t sweeps) {
    const uint32_t* begin = view.f.colour_begin;
    for (const uint32_t end = sweep + sweeps; sweep < end && !is_spent(view, sweep); sweep++) {
        for (uint32_t colour = view.s.wide_colours; colour < view.s.colours; colour++) {
            for (uint32_t block = begin[colour] + threadIdx.x; block < begin[colour + 1]; block += TAIL_THREADS) {
                sweep_block(&view.f, &view.s, &levels->system, block, &view_factors(view));
            }
            __syncthreads();
        }
    }
}

/* |r - (S + E) delta| after a round. */
static __global__ void residual_kernel(const __grid_constant__ taut_view view, loop_handle inner) {
    taut_control* control = view.control;
    if (!control->inner) {
        return;
    }
    double sums[1] = {0};
    for (size_t i = thread_index(); i < view.s.unknowns; i += thread_count()) {
        const double r = sweep_residual(&view.f, &view.s, i, (double)view.f.r[i] - view.f.q[i], &view_factors(view));
        sums[0] += r * r * view.f.inverse_diagonal[i];
    }
    if (!grid_sums(view, sums, 1)) {
        return;
    }
    const uint32_t most = view.params->max_iterations, left = most - control->iterations;
    control->iterations += left < TAUT_SWEEPS ? left : TAUT_SWEEPS;
    taut_sweeping state = {control->least, control->iterations - control->outer_start, control->least_at};
    control->inner = taut_sweeps_go_on(&state, sqrt(sums[0]), control->goal) && control->iterations < most;
    control->least = state.least;
    control->least_at = state.least_at;
    go_on(inner, control->inner);
}

static void sweep(const taut_view& view, uint32_t number, taut_launch* launch) {
    for (uint32_t i = 0; i < view.s.wide_colours; i++) {
        const uint32_t first = view.s.wide_begin[i], end = view.s.wide_begin[i + 1];
        TAUT_LAUNCH(launch, colour_kernel, taut_grid(end - first), view, view.levels->device, first, end, number);
    }
    if (view.s.wide_colours < view.s.colours) {
        taut_launch_kernel(launch, tail_kernel, 1, TAIL_THREADS, view, view.levels->device, number, (uint32_t)1);
    }
}

void cuda_gauss_seidel_round(const taut_view& view, loop_handle inner, taut_launch* launch) {
    taut_view iterating = view;
    iterating.iterating = true;
    for (uint32_t i = 0; i < TAUT_SWEEPS && view.s.wide_colours > 0; i++) {
        sweep(view, i, launch);
    }
    if (view.s.wide_colours == 0) {
        taut_launch_kernel(launch, tail_kernel, 1, TAIL_THREADS, view, view.levels->device, (uint32_t)0,
                           (uint32_t)TAUT_SWEEPS);
    }
    cuda_multiply_f32(iterating, view.f.delta, view.f.q, launch);
    TAUT_LAUNCH(launch, residual_kernel, taut_sum_grid(view.s.unknowns), view, inner);
}

/* ---- a sweep there and back ----------------------------------------------------------------------------------------
 */

static __global__ void clear_kernel(const __grid_constant__ taut_view view) {
    const size_t i = thread_index();
    if (i < view.s.unknowns && !inner_is_over(view)) {
        view.f.delta[i] = 0;
    }
    if (i < 4 * view.s.nodes && !inner_is_over(view)) {
        view.f.g[i] = 0;
    }
}

static __global__ void one_colour_kernel(const __grid_constant__ taut_view view, const taut_hierarchy* levels,
                                         uint32_t first, uint32_t end) {
    const size_t block = first + thread_index();
    if (block < end && !inner_is_over(view)) {
        sweep_block(&view.f, &view.s, &levels->system, block, &view_factors(view));
    }
}

/* All colours that are not wide, there and back; the last one once. */
static __global__ void __launch_bounds__(TAIL_THREADS)
    there_and_back_kernel(const __grid_constant__ taut_view view, const taut_hierarchy* levels) {
    const uint32_t* begin = view.f.colour_begin + view.s.wide_colours;
    const uint32_t colours = view.s.colours - view.s.wide_colours;
    for (uint32_t i = 0; i < 2 * colours && !inner_is_over(view); i++) {
        const uint32_t colour = i < colours ? i : 2 * colours - 1 - i;
        for (uint32_t block = begin[colour] + threadIdx.x; block < begin[colour + 1] && i != colours;
             block += TAIL_THREADS) {
            sweep_block(&view.f, &view.s, &levels->system, block, &view_factors(view));
        }
        __syncthreads();
    }
}

static void sweep_wide(const taut_view& view, uint32_t colour, taut_launch* launch) {
    const uint32_t first = view.s.wide_begin[colour], end = view.s.wide_begin[colour + 1];
    TAUT_LAUNCH(launch, one_colour_kernel, taut_grid(end - first), view, view.levels->device, first, end);
}

void cuda_gauss_seidel_apply(const taut_view& view, taut_launch* launch) {
    const size_t items = view.s.unknowns > 4 * view.s.nodes ? view.s.unknowns : 4 * view.s.nodes;
    const uint32_t wide = view.s.wide_colours;
    const bool tail = wide < view.s.colours;
    taut_view there = view;
    there.f.delta = view.f.z;
    TAUT_LAUNCH(launch, clear_kernel, taut_grid(items), there);
    for (uint32_t i = 0; i < wide; i++) {
        sweep_wide(there, i, launch);
    }
    if (tail) {
        taut_launch_kernel(launch, there_and_back_kernel, 1, TAIL_THREADS, there, there.levels->device);
    }
    for (uint32_t i = tail ? wide : wide - 1; wide > 0 && i-- > 0;) {
        sweep_wide(there, i, launch);
    }
}
