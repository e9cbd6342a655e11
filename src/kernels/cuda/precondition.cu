/* Preconditioners that the fused iteration cannot form on the fly: dense blocks, Chebyshev polynomials, and the choice
 * of lines. */
#define TAUT_REAL double
#include "kernels/stages/block.h"
#include "kernels/stages/precondition.h"

#include "kernels/cuda/gauss_seidel.cuh"
#include "kernels/cuda/solve.cuh"

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

static __device__ double* block_matrix(const taut_view& view, size_t block) {
    return view.f.block_scratch + view.f.block_value_begin[block];
}

/* Threads that share a pair of entries. */
#define LANES 16

/* Pair number p of a node's entries in the order (0, 0), (1, 0), (1, 1), (2, 0), ... */
static __device__ void pair_of(uint32_t p, uint32_t* a, uint32_t* b) {
    uint32_t row = 0;
    while (p > row) {
        p -= ++row;
    }
    *a = row;
    *b = p;
}

/* A block of threads per dense block: node after node, because the pairs of two nodes may meet in an entry. */
static __global__ void assemble_blocks_kernel(const __grid_constant__ taut_view view) {
    const size_t block = blockIdx.x, n = view.f.block_begin[block + 1] - view.f.block_begin[block];
    double* matrix = block_matrix(view, block);
    for (size_t i = threadIdx.x; i < n * n; i += TAUT_THREADS) {
        matrix[i] = 0;
    }
    uint32_t begin = view.f.block_entry_begin[block];
    while (begin < view.f.block_entry_begin[block + 1]) {
        const uint32_t end = block_node_end(&view.f, block, begin), entries = end - begin;
        __syncthreads();
        for (uint32_t p = threadIdx.x / LANES; p < entries * (entries + 1) / 2; p += TAUT_THREADS / LANES) {
            uint32_t a, b;
            pair_of(p, &a, &b);
            block_add_pair(&view.f, &view.s, begin + a, begin + b, n, threadIdx.x % LANES, LANES, matrix);
        }
        begin = end;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        block_add_compliance(&view.f, &view.s, block, n, matrix);
    }
}

/* Scales one block of unknowns to unit diagonal and inverts it with one block of threads, by the sweeps of
 * host/cpu/precondition_block.c over the whole matrix. */
static __global__ void invert_blocks_kernel(const __grid_constant__ taut_view view) {
    const size_t block = blockIdx.x, n = view.f.block_begin[block + 1] - view.f.block_begin[block];
    double* a = block_matrix(view, block);
    float* inverse = view.f.block_inverse + view.f.block_value_begin[block];
    __shared__ double scale[TAUT_MAX_BLOCK], column[TAUT_MAX_BLOCK];
    for (size_t i = threadIdx.x; i < n; i += TAUT_THREADS) {
        scale[i] = block_scale(a[i * n + i]);
    }
    __syncthreads();
    for (size_t i = threadIdx.x; i < n * n; i += TAUT_THREADS) {
        a[i] = i / n == i % n ? 1 : a[i] * scale[i / n] * scale[i % n];
    }
    for (size_t k = 0; k < n; k++) {
        __syncthreads();
        for (size_t i = threadIdx.x; i < n; i += TAUT_THREADS) {
            column[i] = a[i * n + k];
        }
        __syncthreads();
        const double pivot = 1 / block_pivot(column[k]);
        for (size_t i = threadIdx.x; i < n * n; i += TAUT_THREADS) {
            const size_t row = i / n, at = i % n;
            const double swept = row == k ? column[at] : column[row];
            a[i] = row == k && at == k   ? -pivot
                   : row == k || at == k ? swept * pivot
                                         : a[i] - swept * pivot * column[at];
        }
    }
    __syncthreads();
    for (size_t i = threadIdx.x; i < n * n; i += TAUT_THREADS) {
        inverse[i] = block_unscale(n, a, scale, i / n, i % n);
    }
}

/* Adds r.z over the grid in a fixed order; in an iteration the direction follows from it. */
static __device__ void finish_product(const taut_view& view, double rz) {
    double sums[1] = {rz};
    if (view.iterating && grid_sums(view, sums, 1)) {
        next_direction(view.control, sums[0]);
    }
}

/* z of reserved unknown i, which no block and no line has; returns r z. */
static __device__ double apply_reserved(const taut_view& view, size_t i, const float* r, float* z) {
    const size_t u = view.f.reserved_unknown[i];
    z[u] = view.f.inverse_shifted[u] * r[u];
    return (double)r[u] * z[u];
}

static __global__ void reserved_kernel(const __grid_constant__ taut_view view, const float* r, float* z) {
    const size_t i = thread_index();
    if (i < view.s.reserved_unknowns && !inner_is_over(view)) {
        apply_reserved(view, i, r, z);
    }
}

/* z of a block of unknowns at a time; each thread a row. */
static __global__ void apply_blocks_kernel(const __grid_constant__ taut_view view, const float* r, float* z) {
    __shared__ float values[TAUT_MAX_BLOCK];
    if (inner_is_over(view)) {
        return;
    }
    double rz = 0;
    for (size_t block = blockIdx.x; block < view.s.blocks; block += gridDim.x) {
        const uint32_t* unknown = view.f.block_unknown + view.f.block_begin[block];
        const size_t n = view.f.block_begin[block + 1] - view.f.block_begin[block];
        const float* inverse = view.f.block_inverse + view.f.block_value_begin[block];
        __syncthreads(); /* the last block's values have been used */
        for (size_t i = threadIdx.x; i < n; i += TAUT_THREADS) {
            values[i] = r[unknown[i]];
        }
        __syncthreads();
        for (size_t i = threadIdx.x; i < n; i += TAUT_THREADS) {
            float sum = 0;
            for (size_t j = 0; j < n; j++) {
                sum += inverse[j * n + i] * values[j]; /* symmetric: neighbours in i lie side by side */
            }
            z[unknown[i]] = sum;
            rz += (double)values[i] * sum;
        }
    }
    for (size_t i = thread_index(); i < view.s.reserved_unknowns; i += thread_count()) {
        rz += apply_reserved(view, i, r, z);
    }
    finish_product(view, rz);
}

/* ---- Chebyshev ----------------------------------------------------------------------------------------------------
 */

static __global__ void mix_kernel(const __grid_constant__ taut_view view) {
    const size_t i = thread_index();
    if (i < view.s.unknowns) {
        view.f.eigenvector[i] += chebyshev_mix(i, view.s.unknowns);
    }
}

/* q = (S + E) x on entry. The Rayleigh quotient of x, and the next vector, not normalised yet. */
static __global__ void power_kernel(const __grid_constant__ taut_view view) {
    double sums[3] = {0, 0, 0};
    for (size_t i = thread_index(); i < view.s.unknowns; i += thread_count()) {
        const float x = view.f.eigenvector[i], q = view.f.q[i], w = view.f.inverse_shifted[i];
        const float next = w * q;
        view.f.eigenvector[i] = next;
        sums[0] += (double)x * q;
        sums[1] += w > 0 ? (double)x * x / w : 0;
        sums[2] += (double)next * next;
    }
    if (grid_sums(view, sums, 3)) {
        taut_control* control = view.control;
        control->largest = sums[1] > 0 && sums[0] > 0 ? sums[0] / sums[1] : 1;
        control->beta = sums[2] > 0 ? 1 / sqrt(sums[2]) : 0; /* on loan: the solver sets it anew */
    }
}

static __global__ void normalise_kernel(const __grid_constant__ taut_view view) {
    const size_t i = thread_index();
    if (i < view.s.unknowns) {
        view.f.eigenvector[i] *= (float)view.control->beta;
    }
}

static __global__ void chebyshev_first_kernel(const __grid_constant__ taut_view view, const float* r, float* z) {
    const size_t i = thread_index();
    if (i < view.s.unknowns && !inner_is_over(view)) {
        const chebyshev_interval on = chebyshev_of(view.control->largest, view.params->chebyshev_degree);
        view.f.chebyshev_residual[i] = r[i];
        view.f.chebyshev_direction[i] = z[i] = (float)(view.f.inverse_shifted[i] * r[i] / on.middle);
    }
}

static __global__ void chebyshev_next_kernel(const __grid_constant__ taut_view view, int step, float* z) {
    const size_t i = thread_index();
    if (i >= view.s.unknowns || inner_is_over(view)) {
        return;
    }
    const chebyshev_interval on = chebyshev_of(view.control->largest, view.params->chebyshev_degree);
    const chebyshev_factors f = chebyshev_step(on, step);
    view.f.chebyshev_residual[i] -= view.f.q[i];
    view.f.chebyshev_direction[i] =
        f.keep * view.f.chebyshev_direction[i] + f.gain * view.f.inverse_shifted[i] * view.f.chebyshev_residual[i];
    z[i] += view.f.chebyshev_direction[i];
}

static __global__ void recurrence_kernel(const __grid_constant__ taut_view view, const float* r, const float* z) {
    if (inner_is_over(view)) {
        return;
    }
    double rz = 0;
    for (size_t i = thread_index(); i < view.s.unknowns; i += thread_count()) {
        rz += (double)r[i] * z[i];
    }
    finish_product(view, rz);
}

/* ---- choice -------------------------------------------------------------------------------------------------------
 */

static void refresh_chebyshev(const taut_view& view, taut_launch* launch) {
    const unsigned grid = taut_grid(view.s.unknowns);
    TAUT_LAUNCH(launch, mix_kernel, grid, view);
    for (int i = 0; i < TAUT_POWER_STEPS; i++) {
        cuda_multiply_f32(view, view.f.eigenvector, view.f.q, launch);
        TAUT_LAUNCH(launch, power_kernel, taut_sum_grid(view.s.unknowns), view);
        TAUT_LAUNCH(launch, normalise_kernel, grid, view);
    }
}

void cuda_precondition_refresh(const taut_view& view, const taut_settings& settings, taut_launch* launch) {
    if (settings.preconditioner == TAUT_PRECONDITIONER_BLOCK && view.s.blocks > 0) {
        TAUT_LAUNCH(launch, assemble_blocks_kernel, (unsigned)view.s.blocks, view);
        TAUT_LAUNCH(launch, invert_blocks_kernel, (unsigned)view.s.blocks, view);
    } else if (settings.preconditioner == TAUT_PRECONDITIONER_CHEBYSHEV) {
        refresh_chebyshev(view, launch);
    } else if (settings.preconditioner == TAUT_PRECONDITIONER_MULTILEVEL && view.s.lines > 0) {
        cuda_lines_refresh(view, launch);
    }
}

static void apply_recurrence(const taut_view& view, const float* r, const float* z, taut_launch* launch) {
    if (view.iterating) {
        TAUT_LAUNCH(launch, recurrence_kernel, taut_sum_grid(view.s.unknowns), view, r, z);
    }
}

void cuda_precondition_apply(const taut_view& view, const taut_settings& settings, const float* r, float* z,
                             taut_launch* launch) {
    const size_t reserved = view.s.reserved_unknowns;
    if (taut_inner_solver_of(&settings) == TAUT_INNER_GAUSS_SEIDEL) {
        cuda_gauss_seidel_apply(view, launch);
        apply_recurrence(view, r, z, launch);
    } else if (settings.preconditioner == TAUT_PRECONDITIONER_BLOCK && (view.s.blocks > 0 || reserved > 0)) {
        const size_t most = TAUT_MAX_GRID, blocks = view.s.blocks > 0 ? view.s.blocks : 1;
        TAUT_LAUNCH(launch, apply_blocks_kernel, (unsigned)(blocks < most ? blocks : most), view, r, z);
    } else if (settings.preconditioner == TAUT_PRECONDITIONER_CHEBYSHEV) {
        const unsigned grid = taut_grid(view.s.unknowns);
        TAUT_LAUNCH(launch, chebyshev_first_kernel, grid, view, r, z);
        for (int step = 1; step < (int)settings.solver.chebyshev_degree; step++) {
            cuda_multiply_f32(view, view.f.chebyshev_direction, view.f.q, launch);
            TAUT_LAUNCH(launch, chebyshev_next_kernel, grid, view, step, z);
        }
        apply_recurrence(view, r, z, launch);
    } else if (settings.preconditioner == TAUT_PRECONDITIONER_MULTILEVEL && (view.s.lines > 0 || reserved > 0)) {
        if (view.s.lines > 0) {
            cuda_lines_apply(view, r, z, launch);
        }
        if (reserved > 0) {
            TAUT_LAUNCH(launch, reserved_kernel, taut_grid(reserved), view, r, z);
        }
        apply_recurrence(view, r, z, launch);
    }
}
