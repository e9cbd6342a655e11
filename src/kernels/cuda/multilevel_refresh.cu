/* Numbers of the multilevel preconditioner, level by level. Items in kernels/stages/multilevel.h and system.h; they
 * find their level through the description in device memory: this is once a step. */
#define TAUT_REAL double
#include "kernels/stages/multilevel.h"
#include "kernels/stages/system.h"

#include "kernels/cuda/condensed.cuh"

/* ---- level 0 ----------------------------------------------------------------------------------------------------- */

static __global__ void path_kernel(const __grid_constant__ taut_view view, const taut_hierarchy* h) {
    const size_t path = thread_index();
    if (path < h->system.s.paths) {
        system_path(&view.f, &h->system, path);
    }
}

static __global__ void system_kernel(const __grid_constant__ taut_view view, const taut_hierarchy* h) {
    const size_t n = thread_index();
    if (n < h->level[0].s.nodes) {
        system_row(&view.f, &view.s, &h->system, &h->level[0], n);
    }
}

/* ---- diagonal and dense blocks ----------------------------------------------------------------------------------- */

static __global__ void diagonal_kernel(const taut_hierarchy* h, uint32_t l) {
    const taut_level* level = &h->level[l];
    const size_t n = thread_index();
    if (n >= level->s.nodes) {
        return;
    }
    if (l == 0) {
        level_diagonal(level, 3, n);
    } else {
        level_floor(level, n);
        level_mirror_row(level, TAUT_RIGID, n);
        level_round_row(level, n);
        level_diagonal(level, TAUT_RIGID, n);
    }
}

/* Row operations that make the matrix (of unit diagonal) upper triangular, by a block of threads; where it becomes 0
 * they leave the same operations of the unit matrix (stages/precondition.h). */
static __device__ void eliminate(size_t n, double* a, double* column) {
    for (size_t k = 0; k < n; k++) {
        __syncthreads();
        for (size_t i = k + threadIdx.x; i < n; i += blockDim.x) {
            column[i] = i == k ? factor_pivot(a[k * n + k]) : a[i * n + k];
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            a[k * n + k] = column[k];
        }
        for (size_t at = (k + 1) * n + threadIdx.x; at < n * n; at += blockDim.x) {
            const size_t i = at / n, j = at % n;
            const double part = column[i] / column[k];
            a[at] = j == k ? -part : a[at] - part * a[k * n + j];
        }
    }
    __syncthreads();
}

/* A block of threads per dense block. */
static __global__ void dense_kernel(const taut_hierarchy* h, uint32_t l) {
    __shared__ double scale[TAUT_MAX_BLOCK], column[TAUT_MAX_BLOCK];
    const taut_level* level = &h->level[l];
    const size_t b = blockIdx.x;
    const int width = (int)level->s.width;
    const size_t n = (size_t)width * (level->dense_begin[b + 1] - level->dense_begin[b]);
    double* a = level->dense_scratch + level->dense_value_begin[b];
    float* factor = level->dense_factor + level->dense_value_begin[b];
    for (size_t i = threadIdx.x; i < n * n; i += blockDim.x) {
        a[i] = 0;
    }
    __syncthreads();
    level_dense_rows(level, width, b, (int)threadIdx.x, (int)blockDim.x, a);
    __syncthreads();
    for (size_t i = threadIdx.x; i < n; i += blockDim.x) {
        scale[i] = block_scale(a[i * n + i]);
    }
    __syncthreads();
    for (size_t i = threadIdx.x; i < n * n; i += blockDim.x) {
        a[i] = i / n == i % n ? 1 : a[i] * scale[i / n] * scale[i % n];
    }
    eliminate(n, a, column);
    for (size_t i = threadIdx.x; i < n * n; i += blockDim.x) {
        factor[i] = factor_value(n, a, scale, i / n, i % n);
    }
}

/* ---- the next level ---------------------------------------------------------------------------------------------- */

static __global__ void centre_kernel(const __grid_constant__ taut_view view, const taut_hierarchy* h, uint32_t l) {
    const size_t a = thread_index();
    if (a < h->level[l + 1].s.nodes) {
        level_centre(&view.f, &view.s, &h->level[l], l == 0, a, &h->level[l + 1]);
    }
}

/* Row that value i of a sparse matrix is in. */
static __device__ size_t row_of(const uint32_t* begin, size_t rows, size_t i) {
    size_t low = 0, high = rows;
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        if (begin[middle] <= i) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static __global__ void prolongator_kernel(const __grid_constant__ taut_view view, const taut_hierarchy* h, uint32_t l) {
    const taut_level* fine = &h->level[l];
    const size_t p = thread_index();
    if (p < fine->s.prolong) {
        const size_t n = row_of(fine->p_begin, fine->s.nodes, p);
        level_prolongator(&view.f, &view.s, fine, l == 0, n, p, &h->level[l + 1]);
    }
}

/* A column of a row of A P each. */
static __global__ void wide_kernel(const taut_hierarchy* h, uint32_t l) {
    const taut_level* fine = &h->level[l];
    const size_t n = thread_index() / TAUT_RIGID;
    const int column = (int)(thread_index() % TAUT_RIGID);
    if (n >= fine->s.nodes) {
        return;
    }
    if (l == 0) {
        level_wide_row(fine, 3, column, column + 1, n);
    } else {
        level_wide_row(fine, TAUT_RIGID, column, column + 1, n);
    }
}

/* A row of the blocks of an aggregate each. */
static __global__ void coarse_kernel(const taut_hierarchy* h, uint32_t l) {
    const taut_level *fine = &h->level[l], *coarse = &h->level[l + 1];
    const size_t a = thread_index() / TAUT_RIGID;
    const int row = (int)(thread_index() % TAUT_RIGID);
    if (a >= coarse->s.nodes) {
        return;
    }
    if (l == 0) {
        level_coarse_row(fine, 3, row, row + 1, a, coarse);
    } else {
        level_coarse_row(fine, TAUT_RIGID, row, row + 1, a, coarse);
    }
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static void refresh_coarse(const taut_view& view, uint32_t l, taut_launch* launch) {
    const taut_hierarchy* device = view.levels->device;
    const taut_level_sizes &fine = view.levels->host.level[l].s, &coarse = view.levels->host.level[l + 1].s;
    TAUT_LAUNCH(launch, centre_kernel, taut_grid(coarse.nodes), view, device, l);
    TAUT_LAUNCH(launch, prolongator_kernel, taut_grid(fine.prolong), view, device, l);
    TAUT_LAUNCH(launch, wide_kernel, taut_grid(TAUT_RIGID * (size_t)fine.nodes), device, l);
    TAUT_LAUNCH(launch, coarse_kernel, taut_grid(TAUT_RIGID * (size_t)coarse.nodes), device, l);
}

void cuda_system_paths(const taut_view& view, taut_launch* launch) {
    const size_t paths = view.levels->host.system.s.paths;
    if (paths > 0) {
        TAUT_LAUNCH(launch, path_kernel, taut_grid(paths), view, view.levels->device);
    }
}

void cuda_multilevel_refresh_matrix(const taut_view& view, taut_launch* launch) {
    cuda_system_paths(view, launch);
    TAUT_LAUNCH(launch, system_kernel, taut_grid(view.levels->host.level[0].s.nodes), view, view.levels->device);
}

void cuda_multilevel_refresh(const taut_view& view, taut_launch* launch) {
    const taut_hierarchy &h = view.levels->host, *device = view.levels->device;
    cuda_multilevel_refresh_matrix(view, launch);
    for (uint32_t l = 0; l < h.count; l++) {
        TAUT_LAUNCH(launch, diagonal_kernel, taut_grid(h.level[l].s.nodes), device, l);
        if (h.level[l].s.dense > 0) {
            TAUT_LAUNCH(launch, dense_kernel, (unsigned)h.level[l].s.dense, device, l);
        }
        cuda_multilevel_largest(view, l, launch);
        if (l + 1 < h.count) {
            refresh_coarse(view, l, launch);
        }
    }
}
