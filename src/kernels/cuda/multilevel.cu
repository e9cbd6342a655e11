/* The multilevel preconditioner: additive cycle and V-cycle of host/cpu/multilevel.c. Items in
 * kernels/stages/multilevel.h.
 *
 * On long levels an operation is a kernel over the whole grid; the short levels at the end are one kernel of one block,
 * with barriers between the operations. Above level 0 a smoothing step is one operation with the dense blocks that it
 * applies, and a residual one with the product in it. */
#define TAUT_REAL double
#include "kernels/stages/multilevel.h"

#include "kernels/cuda/condensed_decide.cuh"

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
        const int value = (int)(i % WIDTH);
        level_prolong(&fine, WIDTH, STRIDE(WIDTH), value, value + 1, i / WIDTH, coarse.z, z);
    }
}

/* (F^T F) r of dense block b, by a warp: each lane keeps every 32nd value of r and of the result, and takes its part of
 * row after row of F, which is read once. use(i, value): of value i of a vector. */
template <class Use> static __device__ void dense_by_warp(const taut_level& level, size_t b, const float* r, Use use) {
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
            use(stride * (size_t)node[j / width] + j % width, out[k]);
        }
    }
}

/* z = D^-1 r on nodes with in_dense >= `from`: 1 all dense blocks, 2 those of components that end on the level. */
static __device__ void dense_by(const team& t, const taut_level& level, int from, const float* r, float* z) {
    for (size_t b = t.rank / 32; b < level.s.dense; b += t.size / 32) {
        if (level.in_dense[level.dense_node[level.dense_begin[b]]] >= from) {
            dense_by_warp(level, b, r, [=](size_t i, float value) { z[i] = value; });
        }
    }
}

/* A smoothing step above level 0: direction = keep direction + gain D^-1 rest, z += direction; `fresh`: z was 0. */
static __device__ void smooth_by(const team& t, const taut_level& level, int step, bool fresh, const float* rest) {
    const chebyshev_factors factors = level_smoothing(&level, step);
    float *direction = level.direction, *z = level.z;
    for (size_t b = t.rank / 32; b < level.s.dense; b += t.size / 32) {
        dense_by_warp(level, b, rest, [=](size_t i, float value) {
            const float next = (step > 0 ? factors.keep * direction[i] : 0) + factors.gain * value;
            direction[i] = next;
            z[i] = fresh ? next : z[i] + next;
        });
    }
}

static __device__ float product_at(const taut_level& level, size_t i, const float* x) {
    const int value = (int)(i % TAUT_RIGID);
    double sum[TAUT_RIGID];
    level_product(&level, value, value + 1, i / TAUT_RIGID, x, sum);
    return (float)sum[value];
}

/* out = A x above level 0 */
static __device__ void multiply_by(const team& t, const taut_level& level, const float* x, float* out) {
    for (size_t i = t.rank; i < TAUT_RIGID * (size_t)level.s.nodes; i += t.size) {
        out[i] = product_at(level, i, x);
    }
}

/* rest = from - A x above level 0 */
static __device__ void renew_by(const team& t, const taut_level& level, const float* from, const float* x) {
    for (size_t i = t.rank; i < TAUT_RIGID * (size_t)level.s.nodes; i += t.size) {
        level.rest[i] = from[i] - product_at(level, i, x);
    }
}

/* ---- kernels of one operation on a long level -------------------------------------------------------------------- */

static __global__ void restrict_kernel(const __grid_constant__ level_view v, const float* r) {
    if (inner_is_over(v)) {
        return;
    }
    if (v.fine.s.width == 3) {
        restrict_by<3>(grid_team(), v.fine, r, v.coarse);
    } else {
        restrict_by<TAUT_RIGID>(grid_team(), v.fine, r, v.coarse);
    }
}

static __global__ void prolong_kernel(const __grid_constant__ level_view v, float* z) {
    if (inner_is_over(v)) {
        return;
    }
    if (v.fine.s.width == 3) {
        prolong_by<3>(grid_team(), v.fine, v.coarse, z);
    } else {
        prolong_by<TAUT_RIGID>(grid_team(), v.fine, v.coarse, z);
    }
}

static __global__ void dense_kernel(const __grid_constant__ level_view v, int from, const float* r, float* z) {
    if (!inner_is_over(v)) {
        dense_by(grid_team(), v.fine, from, r, z);
    }
}

static __global__ void smooth_kernel(const __grid_constant__ level_view v, int step, bool fresh, const float* rest) {
    if (!inner_is_over(v)) {
        smooth_by(grid_team(), v.fine, step, fresh, rest);
    }
}

static __global__ void multiply_kernel(const __grid_constant__ level_view v, const float* x, float* out) {
    if (!inner_is_over(v)) {
        multiply_by(grid_team(), v.fine, x, out);
    }
}

static __global__ void renew_kernel(const __grid_constant__ level_view v, const float* from, const float* x) {
    if (!inner_is_over(v)) {
        renew_by(grid_team(), v.fine, from, x);
    }
}

/* ---- the same on level 0 ----------------------------------------------------------------------------------------- */

/* z = D^-1 r with blocks of nodes; dense ones follow. */
static __global__ void diagonal_kernel(const __grid_constant__ level_view v, const float* r, float* z) {
    const size_t n = thread_index();
    if (n < v.fine.s.nodes && !inner_is_over(v)) {
        level_scale(&v.fine, 3, 4, n, r, z);
    }
}

/* rest = r, z = 0 */
static __global__ void begin_first_kernel(const __grid_constant__ level_view v, const float* r, float* z) {
    const size_t i = thread_index();
    if (i < 4 * (size_t)v.fine.s.nodes && !inner_is_over(v)) {
        v.fine.rest[i] = r[i];
        z[i] = 0;
    }
}

/* A smoothing step with D^-1 rest in `product`. */
static __global__ void smooth_first_kernel(const __grid_constant__ level_view v, int step, float* z) {
    const size_t i = thread_index();
    if (i < 4 * (size_t)v.fine.s.nodes && !inner_is_over(v)) {
        const chebyshev_factors factors = level_smoothing(&v.fine, step);
        const float next = (step > 0 ? factors.keep * v.fine.direction[i] : 0) + factors.gain * v.fine.product[i];
        v.fine.direction[i] = next;
        z[i] += next;
    }
}

/* rest = from - `product` */
static __global__ void renew_first_kernel(const __grid_constant__ level_view v, const float* from) {
    const size_t i = thread_index();
    if (i < 4 * (size_t)v.fine.s.nodes && !inner_is_over(v)) {
        v.fine.rest[i] = from[i] - v.fine.product[i];
    }
}

/* r.z */
static __global__ void product_kernel(const __grid_constant__ level_view v, const float* r, const float* z,
                                      condense_role role, loop_handle loop) {
    if (inner_is_over(v)) {
        return;
    }
    double sums[1] = {0};
    for (size_t i = thread_index(); i < 4 * (size_t)v.fine.s.nodes; i += thread_count()) {
        sums[0] += (double)r[i] * z[i];
    }
    if (grid_sums(v, sums, 1)) {
        condense_use(v.control, v.params, true, role, sums[0], loop);
    }
}

/* The end of the additive cycle: z = D^-1 r + P e of level 0, dense blocks being there already, and r.z. */
static __global__ void finish_kernel(const __grid_constant__ level_view v, bool coarse, const float* r, float* z,
                                     condense_role role, loop_handle loop) {
    if (inner_is_over(v)) {
        return;
    }
    double sums[1] = {0};
    for (size_t n = thread_index(); n < v.fine.s.nodes; n += thread_count()) {
        if (!v.fine.in_dense[n]) {
            level_scale(&v.fine, 3, 4, n, r, z);
        }
        if (coarse) {
            level_prolong(&v.fine, 3, 4, 0, 3, n, v.coarse.z, z);
        }
        for (size_t k = 0; k < 3; k++) {
            sums[0] += (double)r[4 * n + k] * z[4 * n + k];
        }
        z[4 * n + 3] = 0;
    }
    if (grid_sums(v, sums, 1)) {
        condense_use(v.control, v.params, true, role, sums[0], loop);
    }
}

/* ---- the short levels, by one block ------------------------------------------------------------------------------ */

/* Chebyshev smoothing from the residual `rest`, which is renewed between the steps and, `after`, after them as well. */
static __device__ void smooth_short(const taut_level& level, bool fresh, const float* rest, bool after) {
    for (int step = 0; step < level.s.degree; step++) {
        smooth_by(block_team(), level, step, fresh && step == 0, rest);
        __syncthreads();
        if (step + 1 < level.s.degree || after) {
            renew_by(block_team(), level, rest, level.direction);
            __syncthreads();
        }
        rest = level.rest;
    }
}

/* A V-cycle from level `first` on: its r into its z. */
static __global__ void __launch_bounds__(TAIL_THREADS)
    cycle_tail_kernel(const __grid_constant__ level_view v, const taut_hierarchy* h, uint32_t first, uint32_t count) {
    if (inner_is_over(v)) {
        return;
    }
    for (uint32_t l = first; l + 1 < count; l++) {
        const taut_level& level = h->level[l];
        smooth_short(level, true, level.r, true);
        restrict_by<TAUT_RIGID>(block_team(), level, level.rest, h->level[l + 1]);
        __syncthreads();
    }
    for (uint32_t l = count; l-- > first;) {
        const taut_level& level = h->level[l];
        if (l + 1 < count) {
            prolong_by<TAUT_RIGID>(block_team(), level, h->level[l + 1], level.z);
            __syncthreads();
            renew_by(block_team(), level, level.r, level.z);
            __syncthreads();
            smooth_short(level, false, level.rest, false);
        }
        dense_by(block_team(), level, l + 1 < count ? 2 : 1, level.r, level.z);
        __syncthreads();
    }
}

/* ---- cycles ------------------------------------------------------------------------------------------------------ */

static level_view view_of(const taut_view& view, uint32_t l) {
    const taut_hierarchy& h = view.levels->host;
    level_view v = {h.level[l],    h.level[l + 1 < h.count ? l + 1 : l], view.params, view.control, view.partials,
                    view.iterating};
    return v;
}

static unsigned grid_of(const level_view& v) {
    return taut_grid((size_t)v.fine.s.stride * v.fine.s.nodes);
}

static unsigned dense_grid(const level_view& v) {
    return taut_grid(32 * v.fine.s.dense);
}

static void restrict_from(const level_view& v, const float* r, taut_launch* launch) {
    TAUT_LAUNCH(launch, restrict_kernel, taut_grid(TAUT_RIGID * (size_t)v.coarse.s.nodes), v, r);
}

/* z = D^-1 r of level 0 */
static void divide_first(const level_view& v, const float* r, float* z, taut_launch* launch) {
    TAUT_LAUNCH(launch, diagonal_kernel, taut_grid(v.fine.s.nodes), v, r, z);
    if (v.fine.s.dense > 0) {
        TAUT_LAUNCH(launch, dense_kernel, dense_grid(v), v, 1, r, z);
    }
}

/* out = A x of level 0; mapped points have no value of their own. */
static void multiply_first(const taut_view& view, float* x, float* out, taut_launch* launch) {
    const size_t mapped = view.s.points - view.s.simple;
    cuda_condense_multiply(view, x, out, launch);
    if (mapped > 0) {
        taut_clear(launch, x + 4 * view.s.simple, 4 * mapped * sizeof *x);
    }
}

/* Smoothing of level 0 from `rest`, which is renewed between the steps and, `after`, after them as well. */
static void smooth_first(const taut_view& view, const level_view& v, float* z, bool after, taut_launch* launch) {
    for (int step = 0; step < v.fine.s.degree; step++) {
        divide_first(v, v.fine.rest, v.fine.product, launch);
        TAUT_LAUNCH(launch, smooth_first_kernel, grid_of(v), v, step, z);
        if (step + 1 < v.fine.s.degree || after) {
            multiply_first(view, v.fine.direction, v.fine.product, launch);
            TAUT_LAUNCH(launch, renew_first_kernel, grid_of(v), v, v.fine.rest);
        }
    }
}

/* As smooth_short, on a long level. */
static void smooth_long(const level_view& v, bool fresh, const float* rest, bool after, taut_launch* launch) {
    for (int step = 0; step < v.fine.s.degree; step++) {
        TAUT_LAUNCH(launch, smooth_kernel, dense_grid(v), v, step, fresh && step == 0, rest);
        if (step + 1 < v.fine.s.degree || after) {
            TAUT_LAUNCH(launch, renew_kernel, grid_of(v), v, rest, v.fine.direction);
        }
        rest = v.fine.rest;
    }
}

/* z = the cycle from level l > 0 on applied to r, both of the level. */
static void v_cycle(const taut_view& view, uint32_t l, taut_launch* launch) {
    const taut_hierarchy& h = view.levels->host;
    const level_view v = view_of(view, l);
    if (l >= h.tail) {
        taut_launch_kernel(launch, cycle_tail_kernel, 1, TAIL_THREADS, v, view.levels->device, l, h.count);
        return;
    }
    const bool last = l + 1 == h.count;
    if (!last) {
        smooth_long(v, true, v.fine.r, true, launch);
        restrict_from(v, v.fine.rest, launch);
        v_cycle(view, l + 1, launch);
        TAUT_LAUNCH(launch, prolong_kernel, grid_of(v), v, v.fine.z);
        TAUT_LAUNCH(launch, renew_kernel, grid_of(v), v, v.fine.r, v.fine.z);
        smooth_long(v, false, v.fine.rest, false, launch);
    }
    if (last || v.fine.s.ends) {
        TAUT_LAUNCH(launch, dense_kernel, dense_grid(v), v, last ? 1 : 2, v.fine.r, v.fine.z);
    }
}

/* The same from level 0 on. */
static void v_cycle_first(const taut_view& view, const float* r, float* z, taut_launch* launch) {
    const uint32_t count = view.levels->host.count;
    const level_view v = view_of(view, 0);
    TAUT_LAUNCH(launch, begin_first_kernel, grid_of(v), v, r, z);
    if (count > 1) {
        smooth_first(view, v, z, true, launch);
        restrict_from(v, v.fine.rest, launch);
        v_cycle(view, 1, launch);
        TAUT_LAUNCH(launch, prolong_kernel, grid_of(v), v, z);
        multiply_first(view, z, v.fine.product, launch);
        TAUT_LAUNCH(launch, renew_first_kernel, grid_of(v), v, r);
        smooth_first(view, v, z, false, launch);
    }
    if (count == 1 || v.fine.s.ends) {
        TAUT_LAUNCH(launch, dense_kernel, dense_grid(v), v, count > 1 ? 2 : 1, r, z);
    }
}

/* Level 0 and the rest side by side, a V-cycle on the rest. */
static void additive(const taut_view& view, const float* r, float* z, condense_role role, loop_handle loop,
                     taut_launch* launch) {
    const bool coarse = view.levels->host.count > 1;
    const level_view v = view_of(view, 0);
    if (coarse) {
        restrict_from(v, r, launch);
        v_cycle(view, 1, launch);
    }
    if (v.fine.s.dense > 0) {
        TAUT_LAUNCH(launch, dense_kernel, dense_grid(v), v, 1, r, z);
    }
    TAUT_LAUNCH(launch, finish_kernel, taut_sum_grid(v.fine.s.nodes), v, coarse, r, z, role, loop);
}

/* ---- the largest eigenvalue of D^-1 A -----------------------------------------------------------------------------
 */

static __global__ void power_begin_kernel(const __grid_constant__ level_view v, float* x) {
    const size_t i = thread_index();
    if (i < (size_t)v.fine.s.stride * v.fine.s.nodes) {
        x[i] = level_power_begin(&v.fine, i);
    }
}

/* What follows x, y = A x and w = D^-1 y: a power step x = w, after the last of the plain ones with the interval of the
 * polynomials, after the last of all with the eigenvalue; or step k of the polynomials. */
typedef enum power_move { POWER_PLAIN, POWER_LAST_PLAIN, POWER_END, POWER_POLYNOMIAL } power_move;

static power_move move_of(int step) {
    return step == TAUT_LEVEL_STEPS - 1         ? POWER_END
           : step >= TAUT_LEVEL_POWER_STEPS     ? POWER_POLYNOMIAL
           : step == TAUT_LEVEL_POWER_STEPS - 1 ? POWER_LAST_PLAIN
                                                : POWER_PLAIN;
}

/* The scratch vectors of a level. */
typedef struct power_vectors {
    float *x, *y, *w, *before;
} power_vectors;

static __device__ void power_values(const team& t, const level_view& v, const power_vectors& s, power_move move, int k,
                                    double sums[2]) {
    for (size_t i = t.rank; i < (size_t)v.fine.s.stride * v.fine.s.nodes; i += t.size) {
        if (move == POWER_POLYNOMIAL) {
            level_polynomial(&v.fine, k, i, s.w, s.x, s.before);
            continue;
        }
        sums[0] += (double)s.x[i] * s.y[i];
        sums[1] += (double)s.y[i] * s.w[i];
        s.x[i] = s.w[i];
    }
}

static __global__ void power_kernel(const __grid_constant__ level_view v, power_vectors s, power_move move, int k) {
    double sums[2] = {0, 0};
    power_values(grid_team(), v, s, move, k, sums);
    if ((move == POWER_LAST_PLAIN || move == POWER_END) && grid_sums(v, sums, 2)) {
        v.fine.largest[0] = level_quotient(sums);
    }
}

/* A step of a short level. */
static __global__ void power_short_kernel(const __grid_constant__ level_view v, power_vectors s, power_move move,
                                          int k) {
    double sums[2] = {0, 0};
    multiply_by(block_team(), v.fine, s.x, s.y);
    __syncthreads();
    dense_by(block_team(), v.fine, 1, s.y, s.w);
    __syncthreads();
    power_values(block_team(), v, s, move, k, sums);
    if ((move == POWER_LAST_PLAIN || move == POWER_END) && grid_sums(v, sums, 2)) {
        v.fine.largest[0] = level_quotient(sums);
    }
}

/* y = A x, w = D^-1 y */
static void power_product(const taut_view& view, const level_view& v, uint32_t l, const power_vectors& s,
                          taut_launch* launch) {
    if (l == 0) {
        multiply_first(view, s.x, s.y, launch);
        divide_first(v, s.y, s.w, launch);
    } else {
        TAUT_LAUNCH(launch, multiply_kernel, grid_of(v), v, s.x, s.y);
        TAUT_LAUNCH(launch, dense_kernel, dense_grid(v), v, 1, s.y, s.w);
    }
}

void cuda_multilevel_largest(const taut_view& view, uint32_t l, taut_launch* launch) {
    const level_view v = view_of(view, l);
    const unsigned sum_grid = taut_sum_grid((size_t)v.fine.s.stride * v.fine.s.nodes);
    const bool brief = l >= view.levels->host.tail;
    const power_vectors s = {l == 0 ? view.f.node_delta : v.fine.rest, l == 0 ? view.f.node_z : v.fine.z,
                             l == 0 ? view.f.node_q : v.fine.r, l == 0 ? view.f.node_p : v.fine.direction};
    TAUT_LAUNCH(launch, power_begin_kernel, grid_of(v), v, s.x);
    for (int step = 0; step < TAUT_LEVEL_STEPS; step++) {
        const power_move move = move_of(step);
        const int k = step - TAUT_LEVEL_POWER_STEPS;
        if (brief) {
            TAUT_LAUNCH(launch, power_short_kernel, 1, v, s, move, k);
        } else {
            power_product(view, v, l, s, launch);
            TAUT_LAUNCH(launch, power_kernel, sum_grid, v, s, move, k);
        }
    }
}

void cuda_multilevel_apply(const taut_view& view, const taut_settings& settings, condense_role role, loop_handle loop,
                           taut_launch* launch) {
    const float* r = view.f.node_r;
    float* z = view.f.node_z;
    if (settings.cycle == TAUT_CYCLE_ADDITIVE) {
        additive(view, r, z, role, loop, launch);
        return;
    }
    const level_view first = view_of(view, 0);
    v_cycle_first(view, r, z, launch);
    TAUT_LAUNCH(launch, product_kernel, taut_sum_grid(4 * (size_t)first.fine.s.nodes), first, r, z, role, loop);
}
