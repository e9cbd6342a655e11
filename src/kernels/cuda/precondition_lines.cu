/* The multilevel preconditioner of the Schur complement on the device: wide levels are a kernel each, over all lines;
 * the others, which a block of threads can take, are one kernel with a block per line, down and up again. */
#define TAUT_REAL double
#include "kernels/stages/line_elimination.h"

#include "kernels/cuda/solve.cuh"

/* Groups of a line on the widest level that is left to one block of threads. */
#define NARROW 128
/* Threads of such a block at most. */
#define WIDEST_BLOCK 512

/* ---- refresh --------------------------------------------------------------------------------------------------- */

/* A warp per group. */
static __global__ void assemble_lines_kernel(const __grid_constant__ taut_view view) {
    const size_t group = thread_index() / 32;
    if (group < view.s.blocks) {
        line_assemble(&view.f, &view.s, (uint32_t)group, threadIdx.x % 32, 32);
    }
}

static __global__ void eliminate_lines_kernel(const __grid_constant__ taut_view view, uint32_t first, uint32_t end) {
    __shared__ double scale[TAUT_WARPS][TAUT_LINE_GROUP];
    const size_t i = first + thread_index() / 32;
    if (i < end) {
        line_eliminate(&view.f, view.f.line_order[i], threadIdx.x % 32, 32, scale[threadIdx.x / 32]);
    }
}

void cuda_lines_refresh(const taut_view& view, taut_launch* launch) {
    TAUT_LAUNCH(launch, assemble_lines_kernel, taut_grid(32 * view.s.blocks), view);
    for (uint32_t level = 0; level < view.s.line_levels; level++) {
        const uint32_t first = view.s.line_level_begin[level], end = view.s.line_level_begin[level + 1];
        TAUT_LAUNCH(launch, eliminate_lines_kernel, taut_grid(32 * (size_t)(end - first)), view, first, end);
    }
}

/* ---- apply ----------------------------------------------------------------------------------------------------- */

static __global__ void down_kernel(const __grid_constant__ taut_view view, uint32_t first, uint32_t end, uint32_t lanes,
                                   const float* r) {
    const size_t i = first + thread_index() / lanes;
    if (i < end && !inner_is_over(view)) {
        line_down(&view.f, view.f.line_order[i], r, (int)(threadIdx.x % lanes), (int)lanes);
    }
}

static __global__ void up_kernel(const __grid_constant__ taut_view view, uint32_t first, uint32_t end, uint32_t lanes,
                                 float* z) {
    const size_t i = first + thread_index() / lanes;
    if (i < end && !inner_is_over(view)) {
        line_up(&view.f, view.f.line_order[i], z, (int)(threadIdx.x % lanes), (int)lanes);
    }
}

/* The levels from `bottom` on of one line. */
static __global__ void __launch_bounds__(WIDEST_BLOCK)
    narrow_kernel(const __grid_constant__ taut_view view, uint32_t bottom, uint32_t lanes, const float* r, float* z) {
    if (inner_is_over(view)) {
        return;
    }
    const uint32_t low = view.f.line_begin[blockIdx.x], length = view.f.line_begin[blockIdx.x + 1] - low;
    const uint32_t lane = threadIdx.x % lanes, shared = blockDim.x / lanes;
    uint32_t level = bottom;
    for (; length >> level > 0; level++) {
        const uint32_t step = 1u << level;
        for (uint32_t at = (2 * (threadIdx.x / lanes) + 1) * step; at <= length; at += 2 * shared * step) {
            line_down(&view.f, low + at - 1, r, (int)lane, (int)lanes);
        }
        __syncthreads();
    }
    while (level-- > bottom) {
        const uint32_t step = 1u << level;
        for (uint32_t at = (2 * (threadIdx.x / lanes) + 1) * step; at <= length; at += 2 * shared * step) {
            line_up(&view.f, low + at - 1, z, (int)lane, (int)lanes);
        }
        __syncthreads();
    }
}

/* Threads for a group: a power of two near the mean of the groups' unknowns. */
static uint32_t lanes_for(const taut_sizes& s) {
    uint32_t lanes = 1;
    while (lanes < 32 && lanes * s.blocks < s.block_unknowns) {
        lanes *= 2;
    }
    return lanes;
}

/* Groups of the longest line on a level. */
static size_t width_of(const taut_sizes& s, uint32_t level) {
    return (s.longest_line + ((size_t)1 << level)) >> (level + 1);
}

void cuda_lines_apply(const taut_view& view, const float* r, float* z, taut_launch* launch) {
    const uint32_t lanes = lanes_for(view.s);
    uint32_t wide = 0;
    for (; wide < view.s.line_levels && width_of(view.s, wide) > NARROW; wide++) {
        const uint32_t first = view.s.line_level_begin[wide], end = view.s.line_level_begin[wide + 1];
        TAUT_LAUNCH(launch, down_kernel, taut_grid((size_t)(end - first) * lanes), view, first, end, lanes, r);
    }
    if (wide < view.s.line_levels) {
        const size_t wanted = (width_of(view.s, wide) * lanes + 31) / 32 * 32;
        const unsigned threads = (unsigned)(wanted < WIDEST_BLOCK ? wanted : WIDEST_BLOCK);
        taut_launch_kernel(launch, narrow_kernel, (unsigned)view.s.lines, threads, view, wide, lanes, r, z);
    }
    while (wide-- > 0) {
        const uint32_t first = view.s.line_level_begin[wide], end = view.s.line_level_begin[wide + 1];
        TAUT_LAUNCH(launch, up_kernel, taut_grid((size_t)(end - first) * lanes), view, first, end, lanes, z);
    }
}
