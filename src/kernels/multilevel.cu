/* The multilevel preconditioner: additive, V- and K-cycle of host/cpu/multilevel.c. Items in kernels/stages/multilevel.h.
 *
 * Long levels are a kernel per operation over the whole grid; the short ones at the end one kernel of one block, with
 * barriers between the operations. The additive cycle restricts level by level, applies the dense blocks of all levels in
 * one kernel, and prolongs level by level. */
#define TAUT_REAL double
#include "kernels/stages/multilevel.h"

#include "kernels/condense_decide.cuh"

/* By value to kernels: a level, the next coarser one, and what a sum needs. */
typedef struct level_view {
    taut_level fine, coarse;
    const taut_device_params* params;
    taut_control* control;
    double* partials;
    bool iterating;
} level_view;

static_assert(sizeof(level_view) <= 4000, "kernel parameters end at 4 KiB on older devices");

/* Of a block of threads that takes the short levels. */
#define TAIL_THREADS 512

/* The threads that share a loop. */
typedef struct team {
    size_t rank, size;
} team;

static __device__ team grid_team() {
    const team t = {thread_index(), thread_count()};
    return t;
}

static __device__ team block_team() {
    const team t = {threadIdx.x, blockDim.x};
    return t;
}

/* Stride of vectors. */
#define STRIDE(width) ((width) == 3 ? 4 : TAUT_RIGID)

/* ---- parts of a cycle, by a team --------------------------------------------------------------------------------- */

template <int WIDTH>
static __device__ void restrict_by(const team& t, const taut_level& fine, const float* r, const taut_level& coarse) {
    for (size_t i = t.rank; i < TAUT_RIGID * (size_t)coarse.s.nodes; i += t.size) {
        const int mode = (int)(i % TAUT_RIGID);
        level_restrict(&fine, WIDTH, STRIDE(WIDTH), mode, mode + 1, i / TAUT_RIGID, r, coarse.r);
    }
}

template <int WIDTH>
static __device__ void prolong_by(const team& t, const taut_level& fine, const taut_level& coarse, float* z) {
    for (size_t i = t.rank; i < WIDTH * (size_t)fine.s.nodes; i += t.size) {
        z[STRIDE(WIDTH) * (i / WIDTH) + i % WIDTH] += level_prolong(&fine, WIDTH, i / WIDTH, i % WIDTH, coarse.z);
    }
}

/* z = (F^T F) r of dense block b, by a warp: each lane keeps every 32nd value of r and of the result, and takes its part of
 * row after row of F, which is read once. */
static __device__ void dense_by_warp(const taut_level& level, size_t b, const float* r, float* z) {
    enum { PART = TAUT_MAX_BLOCK / 32 };
    const unsigned lane = threadIdx.x % 32;
    const uint32_t* node = level.dense_node + level.dense_begin[b];
    const unsigned width = level.s.width, stride = level.s.stride;
    const unsigned n = width * (level.dense_begin[b + 1] - level.dense_begin[b]);
    const float* row = level.dense_factor + level.dense_value_begin[b];
    float in[PART], out[PART];
#pragma unroll
    for (int k = 0; k < PART; k++) {
        const unsigned j = 32 * k + lane;
        in[k] = j < n ? r[stride * (size_t)node[j / width] + j % width] : 0;
        out[k] = 0;
    }
    for (unsigned i = 0; i < n; i++, row += n) {
        float part[PART], sum = 0;
#pragma unroll
        for (int k = 0; k < PART; k++) {
            part[k] = 32 * k + lane <= i ? row[32 * k + lane] : 0;
            sum += part[k] * in[k];
        }
        for (int distance = 16; distance > 0; distance /= 2) {
            sum += __shfl_xor_sync(0xFFFFFFFFu, sum, distance);
        }
#pragma unroll
        for (int k = 0; k < PART; k++) {
            out[k] += part[k] * sum;
        }
    }
#pragma unroll
    for (int k = 0; k < PART; k++) {
        const unsigned j = 32 * k + lane;
        if (j < n) {
            z[stride * (size_t)node[j / width] + j % width] = out[k];
        }
    }
}

/* On nodes with in_dense >= `from`: 1 all dense blocks, 2 those of components that end on the level. */
static __device__ void dense_by(const team& t, const taut_level& level, int from, const float* r, float* z) {
    for (size_t b = t.rank / 32; b < level.s.dense; b += t.size / 32) {
        if (level.in_dense[level.dense_node[level.dense_begin[b]]] >= from) {
            dense_by_warp(level, b, r, z);
        }
    }
}

template <int WIDTH> static __device__ void diagonal_by(const team& t, const taut_level& level, const float* r, float* z) {
    for (size_t n = t.rank; n < level.s.nodes; n += t.size) {
        level_scale(&level, WIDTH, STRIDE(WIDTH), n, r, z);
    }
}

/* out = A x above level 0; NULL: `rest` -= A x. */
static __device__ void multiply_by(const team& t, const taut_level& level, const float* x, float* out) {
    for (size_t i = t.rank; i < TAUT_RIGID * (size_t)level.s.nodes; i += t.size) {
        const float value = (float)level_multiply(&level, TAUT_RIGID, TAUT_RIGID, i / TAUT_RIGID, (int)(i % TAUT_RIGID), x);
        if (out != NULL) {
            out[i] = value;
        } else {
            level.rest[i] -= value;
        }
    }
}

/* direction = keep direction + gain D^-1 rest, which is in `product`; z += direction. */
static __device__ void smooth_by(const team& t, const taut_level& level, int step, float* z) {
    const chebyshev_factors factors = level_smoothing(&level, step);
    for (size_t i = t.rank; i < (size_t)level.s.stride * level.s.nodes; i += t.size) {
        const float old = step > 0 ? factors.keep * level.direction[i] : 0;
        const float next = old + factors.gain * level.product[i];
        level.direction[i] = next;
        z[i] += next;
    }
}

/* rest = r, z = 0; or rest = r - A z, which is in `product`. */
static __device__ void begin_by(const team& t, const taut_level& level, const float* r, float* z) {
    for (size_t i = t.rank; i < (size_t)level.s.stride * level.s.nodes; i += t.size) {
        level.rest[i] = r[i];
        z[i] = 0;
    }
}

static __device__ void rest_by(const team& t, const taut_level& level, const float* r) {
    for (size_t i = t.rank; i < (size_t)level.s.stride * level.s.nodes; i += t.size) {
        level.rest[i] = r[i] - level.product[i];
    }
}

/* ---- kernels of one operation on a long level -------------------------------------------------------------------- */

static __global__ void restrict_kernel(const __grid_constant__ level_view v, const float* r) {
    if (pass_is_over(v)) {
        return;
    }
    if (v.fine.s.width == 3) {
        restrict_by<3>(grid_team(), v.fine, r, v.coarse);
    } else {
        restrict_by<TAUT_RIGID>(grid_team(), v.fine, r, v.coarse);
    }
}

static __global__ void prolong_kernel(const __grid_constant__ level_view v, float* z) {
    if (pass_is_over(v)) {
        return;
    }
    if (v.fine.s.width == 3) {
        prolong_by<3>(grid_team(), v.fine, v.coarse, z);
    } else {
        prolong_by<TAUT_RIGID>(grid_team(), v.fine, v.coarse, z);
    }
}

static __global__ void diagonal_kernel(const __grid_constant__ level_view v, const float* r, float* z) {
    if (pass_is_over(v)) {
        return;
    }
    if (v.fine.s.width == 3) {
        diagonal_by<3>(grid_team(), v.fine, r, z);
    } else {
        diagonal_by<TAUT_RIGID>(grid_team(), v.fine, r, z);
    }
}

static __global__ void dense_kernel(const __grid_constant__ level_view v, int from, const float* r, float* z) {
    if (!pass_is_over(v)) {
        dense_by(grid_team(), v.fine, from, r, z);
    }
}

/* The dense blocks of all levels above 0. */
static __global__ void dense_all_kernel(const __grid_constant__ level_view v, const taut_hierarchy* h, uint32_t count) {
    size_t b = thread_index() / 32;
    if (pass_is_over(v)) {
        return;
    }
    for (uint32_t l = 1; l < count; l++) {
        const taut_level& level = h->level[l];
        if (b < level.s.dense) {
            dense_by_warp(level, b, level.r, level.z);
            return;
        }
        b -= level.s.dense;
    }
}

static __global__ void multiply_kernel(const __grid_constant__ level_view v, const float* x, float* out) {
    if (!pass_is_over(v)) {
        multiply_by(grid_team(), v.fine, x, out);
    }
}

static __global__ void smooth_kernel(const __grid_constant__ level_view v, int step, float* z) {
    if (!pass_is_over(v)) {
        smooth_by(grid_team(), v.fine, step, z);
    }
}

static __global__ void begin_kernel(const __grid_constant__ level_view v, const float* r, float* z) {
    if (!pass_is_over(v)) {
        begin_by(grid_team(), v.fine, r, z);
    }
}

static __global__ void rest_kernel(const __grid_constant__ level_view v, const float* r) {
    if (!pass_is_over(v)) {
        rest_by(grid_team(), v.fine, r);
    }
}

/* rest -= A direction of level 0, which is in `product`. */
static __global__ void renew_kernel(const __grid_constant__ level_view v) {
    if (pass_is_over(v)) {
        return;
    }
    for (size_t i = thread_index(); i < 4 * (size_t)v.fine.s.nodes; i += thread_count()) {
        v.fine.rest[i] -= v.fine.product[i];
    }
}

/* r.z, and z.q where the cycle is not linear. */
static __global__ void product_kernel(const __grid_constant__ level_view v, const float* r, const float* z, const float* q,
                                      condense_role role, cudaGraphConditionalHandle loop) {
    if (pass_is_over(v)) {
        return;
    }
    double sums[2] = {0, 0};
    for (size_t i = thread_index(); i < 4 * (size_t)v.fine.s.nodes; i += thread_count()) {
        sums[0] += (double)r[i] * z[i];
        sums[1] += q != NULL ? (double)z[i] * q[i] : 0;
    }
    if (grid_sums(v, sums, 2)) {
        const double turned = q != NULL ? -v.control->advance * sums[1] : sums[0];
        condense_use(v.control, v.params, true, role, sums[0], turned, loop);
    }
}

/* The end of the additive cycle: z = D^-1 r + P e of level 0, dense blocks being there already, and r.z. */
static __global__ void finish_kernel(const __grid_constant__ level_view v, bool coarse, const float* r, float* z,
                                     condense_role role, cudaGraphConditionalHandle loop) {
    if (pass_is_over(v)) {
        return;
    }
    double sums[1] = {0};
    for (size_t n = thread_index(); n < v.fine.s.nodes; n += thread_count()) {
        if (!v.fine.in_dense[n]) {
            level_scale(&v.fine, 3, 4, n, r, z);
        }
        for (size_t k = 0; k < 3; k++) {
            const float value = z[4 * n + k] + (coarse ? level_prolong(&v.fine, 3, n, k, v.coarse.z) : 0);
            z[4 * n + k] = value;
            sums[0] += (double)r[4 * n + k] * value;
        }
        z[4 * n + 3] = 0;
    }
    if (grid_sums(v, sums, 1)) {
        condense_use(v.control, v.params, true, role, sums[0], sums[0], loop);
    }
}

/* ---- the short levels, by one block ------------------------------------------------------------------------------- */

static __global__ void __launch_bounds__(TAIL_THREADS)
    restrict_tail_kernel(const __grid_constant__ level_view v, const taut_hierarchy* h, uint32_t first, uint32_t count) {
    if (pass_is_over(v)) {
        return;
    }
    for (uint32_t l = first; l + 1 < count; l++) {
        restrict_by<TAUT_RIGID>(block_team(), h->level[l], h->level[l].r, h->level[l + 1]);
        __syncthreads();
    }
}

static __global__ void __launch_bounds__(TAIL_THREADS)
    prolong_tail_kernel(const __grid_constant__ level_view v, const taut_hierarchy* h, uint32_t first, uint32_t count) {
    if (pass_is_over(v)) {
        return;
    }
    for (uint32_t l = count - 1; l-- > first;) {
        prolong_by<TAUT_RIGID>(block_team(), h->level[l], h->level[l + 1], h->level[l].z);
        __syncthreads();
    }
}

/* Chebyshev smoothing of degree 2 from the residual in `rest`; it is renewed between the steps, and `after` them. */
static __device__ void smooth_short(const taut_level& level, bool after) {
    for (int step = 0; step < 2; step++) {
        diagonal_by<TAUT_RIGID>(block_team(), level, level.rest, level.product);
        __syncthreads();
        smooth_by(block_team(), level, step, level.z);
        __syncthreads();
        if (step == 0 || after) {
            multiply_by(block_team(), level, level.direction, NULL);
            __syncthreads();
        }
    }
}

/* A V-cycle from level `first` on: its r into its z. */
static __global__ void __launch_bounds__(TAIL_THREADS)
    cycle_tail_kernel(const __grid_constant__ level_view v, const taut_hierarchy* h, uint32_t first, uint32_t count) {
    if (pass_is_over(v)) {
        return;
    }
    for (uint32_t l = first; l < count; l++) {
        const taut_level& level = h->level[l];
        begin_by(block_team(), level, level.r, level.z);
        __syncthreads();
        if (l + 1 < count) {
            smooth_short(level, true);
            restrict_by<TAUT_RIGID>(block_team(), level, level.rest, h->level[l + 1]);
            __syncthreads();
        }
    }
    for (uint32_t l = count; l-- > first;) {
        const taut_level& level = h->level[l];
        if (l + 1 < count) {
            prolong_by<TAUT_RIGID>(block_team(), level, h->level[l + 1], level.z);
            __syncthreads();
            multiply_by(block_team(), level, level.z, level.product);
            __syncthreads();
            rest_by(block_team(), level, level.r);
            __syncthreads();
            smooth_short(level, false);
        }
        dense_by(block_team(), level, l + 1 < count ? 2 : 1, level.r, level.z);
        __syncthreads();
    }
}

/* ---- cycles ------------------------------------------------------------------------------------------------------ */

static level_view view_of(const taut_view& view, uint32_t l) {
    const taut_hierarchy& h = view.levels->host;
    level_view v = {h.level[l], h.level[l + 1 < h.count ? l + 1 : l], view.params, view.control, view.partials,
                    view.iterating};
    return v;
}

static size_t values_of(const level_view& v) { return (size_t)v.fine.s.stride * v.fine.s.nodes; }

/* z = D^-1 r; D the dense blocks of level 0 where it has some. */
static void apply_diagonal(const level_view& v, const float* r, float* z, taut_launch* launch) {
    TAUT_LAUNCH(launch, diagonal_kernel, taut_grid(v.fine.s.nodes), v, r, z);
    if (v.fine.s.width == 3 && v.fine.s.dense > 0) {
        TAUT_LAUNCH(launch, dense_kernel, taut_grid(32 * v.fine.s.dense), v, 1, r, z);
    }
}

static size_t dense_above(const taut_hierarchy& h) {
    size_t dense = 0;
    for (uint32_t l = 1; l < h.count; l++) {
        dense += h.level[l].s.dense;
    }
    return dense;
}

static void additive(const taut_view& view, const float* r, float* z, condense_role role, cudaGraphConditionalHandle loop,
                     taut_launch* launch) {
    const taut_hierarchy &h = view.levels->host, *device = view.levels->device;
    const level_view first = view_of(view, 0);
    for (uint32_t l = 0; l < h.tail && l + 1 < h.count; l++) {
        const level_view v = view_of(view, l);
        TAUT_LAUNCH(launch, restrict_kernel, taut_grid(TAUT_RIGID * (size_t)v.coarse.s.nodes), v, l == 0 ? r : v.fine.r);
    }
    if (h.tail + 1 < h.count) {
        taut_launch_kernel(launch, restrict_tail_kernel, 1, TAIL_THREADS, first, device, h.tail, h.count);
    }
    if (dense_above(h) > 0) {
        TAUT_LAUNCH(launch, dense_all_kernel, taut_grid(32 * dense_above(h)), first, device, h.count);
    }
    if (first.fine.s.dense > 0) {
        TAUT_LAUNCH(launch, dense_kernel, taut_grid(32 * first.fine.s.dense), first, 1, r, z);
    }
    if (h.tail + 1 < h.count) {
        taut_launch_kernel(launch, prolong_tail_kernel, 1, TAIL_THREADS, first, device, h.tail, h.count);
    }
    for (uint32_t l = h.tail < h.count ? h.tail : h.count - 1; l-- > 1;) {
        const level_view v = view_of(view, l);
        TAUT_LAUNCH(launch, prolong_kernel, taut_grid(TAUT_RIGID * (size_t)v.fine.s.nodes), v, v.fine.z);
    }
    TAUT_LAUNCH(launch, finish_kernel, taut_sum_grid(first.fine.s.nodes), first, h.count > 1, r, z, role, loop);
}

/* product = A x of level 0; mapped points have no value of their own. */
static void multiply_first(const taut_view& view, const level_view& v, float* x, taut_launch* launch) {
    const size_t mapped = view.s.points - view.s.simple;
    cuda_condense_multiply(view, x, v.fine.product, launch);
    if (mapped > 0) {
        taut_clear(launch, x + 4 * view.s.simple, 4 * mapped * sizeof *x);
    }
}

/* rest -= A direction */
static void renew_rest(const taut_view& view, const level_view& v, uint32_t l, taut_launch* launch) {
    if (l == 0) {
        multiply_first(view, v, v.fine.direction, launch);
        TAUT_LAUNCH(launch, renew_kernel, taut_grid(values_of(v)), v);
    } else {
        TAUT_LAUNCH(launch, multiply_kernel, taut_grid(values_of(v)), v, v.fine.direction, (float*)NULL);
    }
}

static void smooth(const taut_view& view, const level_view& v, uint32_t l, float* z, bool after, taut_launch* launch) {
    for (int step = 0; step < 2; step++) {
        apply_diagonal(v, v.fine.rest, v.fine.product, launch);
        TAUT_LAUNCH(launch, smooth_kernel, taut_grid(values_of(v)), v, step, z);
        if (step == 0 || after) {
            renew_rest(view, v, l, launch);
        }
    }
}

static void krylov(const taut_view& view, const taut_settings& settings, uint32_t l, taut_launch* launch);

/* z = the cycle from level l on applied to r. */
static void v_cycle(const taut_view& view, const taut_settings& settings, uint32_t l, const float* r, float* z,
                    taut_launch* launch) {
    const taut_hierarchy& h = view.levels->host;
    const level_view v = view_of(view, l);
    if (l > 0 && l >= h.tail) {
        taut_launch_kernel(launch, cycle_tail_kernel, 1, TAIL_THREADS, v, view.levels->device, l, h.count);
        return;
    }
    const unsigned grid = taut_grid(values_of(v));
    if (l + 1 < h.count) {
        TAUT_LAUNCH(launch, begin_kernel, grid, v, r, z);
        smooth(view, v, l, z, true, launch);
        TAUT_LAUNCH(launch, restrict_kernel, taut_grid(TAUT_RIGID * (size_t)v.coarse.s.nodes), v, v.fine.rest);
        if (settings.cycle == TAUT_CYCLE_K && l < h.tail && l + 2 < h.count) {
            krylov(view, settings, l + 1, launch);
        } else {
            v_cycle(view, settings, l + 1, v.coarse.r, v.coarse.z, launch);
        }
        TAUT_LAUNCH(launch, prolong_kernel, grid, v, z);
        if (l == 0) {
            multiply_first(view, v, z, launch);
        } else {
            TAUT_LAUNCH(launch, multiply_kernel, grid, v, z, v.fine.product);
        }
        TAUT_LAUNCH(launch, rest_kernel, grid, v, r);
        smooth(view, v, l, z, false, launch);
    } else {
        taut_clear(launch, z, values_of(v) * sizeof *z);
    }
    if (v.fine.s.dense > 0) {
        TAUT_LAUNCH(launch, dense_kernel, taut_grid(32 * v.fine.s.dense), v, l + 1 < h.count ? 2 : 1, r, z);
    }
}

/* ---- steps of flexible conjugate gradients on a level ------------------------------------------------------------ */

static __global__ void first_sums_kernel(const __grid_constant__ level_view v) {
    if (pass_is_over(v)) {
        return;
    }
    const taut_level& level = v.fine;
    double sums[2] = {0, 0};
    for (size_t i = thread_index(); i < TAUT_RIGID * (size_t)level.s.nodes; i += thread_count()) {
        sums[0] += (double)level.first[i] * level.first_product[i];
        sums[1] += (double)level.first[i] * level.r[i];
    }
    if (grid_sums(v, sums, 2)) {
        level.krylov_sums[0] = sums[0];
        level.krylov_sums[1] = sums[1];
    }
}

static __global__ void first_step_kernel(const __grid_constant__ level_view v) {
    const taut_level& level = v.fine;
    const size_t i = thread_index();
    if (i < TAUT_RIGID * (size_t)level.s.nodes && !pass_is_over(v)) {
        level.r[i] -= level_first_step(&level) * level.first_product[i];
    }
}

static __global__ void second_sums_kernel(const __grid_constant__ level_view v) {
    if (pass_is_over(v)) {
        return;
    }
    const taut_level& level = v.fine;
    double sums[3] = {0, 0, 0};
    for (size_t i = thread_index(); i < TAUT_RIGID * (size_t)level.s.nodes; i += thread_count()) {
        sums[0] += (double)level.z[i] * level.first_product[i];
        sums[1] += (double)level.z[i] * level.product[i];
        sums[2] += (double)level.z[i] * level.r[i];
    }
    if (grid_sums(v, sums, 3)) {
        for (int i = 0; i < 3; i++) {
            level.krylov_sums[2 + i] = sums[i];
        }
    }
}

static __global__ void second_step_kernel(const __grid_constant__ level_view v) {
    const taut_level& level = v.fine;
    const size_t i = thread_index();
    if (i < TAUT_RIGID * (size_t)level.s.nodes && !pass_is_over(v)) {
        const krylov_steps steps = level_second_step(&level, level.krylov_sums + 2);
        level.z[i] = steps.first * level.first[i] + steps.second * level.z[i];
    }
}

/* Two steps, each preconditioned by a V-cycle that comes here for the next level; r is overwritten. */
static void krylov(const taut_view& view, const taut_settings& settings, uint32_t l, taut_launch* launch) {
    const level_view v = view_of(view, l);
    const taut_level& level = v.fine;
    const unsigned grid = taut_grid(values_of(v)), sum_grid = taut_sum_grid(values_of(v));
    v_cycle(view, settings, l, level.r, level.z, launch);
    if (launch->error == cudaSuccess) {
        launch->error = cudaMemcpyAsync(level.first, level.z, values_of(v) * sizeof *level.z, cudaMemcpyDeviceToDevice,
                                        launch->stream);
    }
    TAUT_LAUNCH(launch, multiply_kernel, grid, v, level.first, level.first_product);
    TAUT_LAUNCH(launch, first_sums_kernel, sum_grid, v);
    TAUT_LAUNCH(launch, first_step_kernel, grid, v);
    v_cycle(view, settings, l, level.r, level.z, launch);
    TAUT_LAUNCH(launch, multiply_kernel, grid, v, level.z, level.product);
    TAUT_LAUNCH(launch, second_sums_kernel, sum_grid, v);
    TAUT_LAUNCH(launch, second_step_kernel, grid, v);
}

void cuda_multilevel_apply(const taut_view& view, const taut_settings& settings, condense_role role,
                           cudaGraphConditionalHandle loop, taut_launch* launch) {
    const float *r = view.f.node_r, *q = settings.cycle == TAUT_CYCLE_K ? view.f.node_q : NULL;
    float* z = view.f.node_z;
    if (settings.cycle == TAUT_CYCLE_ADDITIVE) {
        additive(view, r, z, role, loop, launch);
        return;
    }
    const level_view first = view_of(view, 0);
    v_cycle(view, settings, 0, r, z, launch);
    TAUT_LAUNCH(launch, product_kernel, taut_sum_grid(values_of(first)), first, r, z, role == FOR_ITERATION ? q : NULL,
                role, loop);
}
