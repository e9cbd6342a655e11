/* One iteration of conjugate gradients on the condensed system:
 *
 *   conduct kernel   p = z + beta p on the fly; y = Wh K p of every constraint
 *   close kernel     p stored; q = P(M p + K^T y); p.q, so the step length is known
 *   advance kernel   delta += a p; r -= a q; with Jacobi and without a preconditioner z and r.z, too
 *   preconditioner   z = B r, r.z
 *
 * With mapped points, frames or force elements p is formed first, mapped points follow their parents, and what they
 * pull goes back to them level by level. Where the matrix is assembled, p is formed first as well; then constraints
 * that come and go conduct, and the product kernel reads the matrix in place of the close kernel. */
#define TAUT_REAL float
#include "kernels/stages/condensed_product.h"
#include "kernels/stages/precondition.h"
#include "kernels/stages/solve.h"

#include "kernels/cuda/condensed.cuh"

/* p at node n: what is in x (n x 4), or z + beta p. */
template <bool FORMED>
static __device__ void direction(const taut_fields& f, const float* x, float beta, size_t n, float p[3]) {
    if (FORMED) {
        load_vector(x, 4, (uint32_t)n, p);
        return;
    }
    load_vector(f.node_z, 4, (uint32_t)n, p);
    if (beta != 0) { /* else there is no old one */
        float old[3];
        load_vector(f.node_p, 4, (uint32_t)n, old);
        vec3_axpy(beta, old, p);
    }
}

#define TAUT_KIND_TEXT "kernels/cuda/pcg_condensed_iterate_kind.cuh"
#include "kernels/formulas/for_each_kind.h"

template <bool FORMED>
static __device__ void conduct_member_linear(const taut_view& view, size_t c, const float* x, float beta, float* y) {
    const taut_fields& f = view.f;
    float sum = 0;
    for (uint32_t e = f.linear_begin[c]; e < f.linear_begin[c + 1]; e++) {
        const uint32_t coordinate = f.linear_coordinate[e];
        float p[3];
        direction<FORMED>(f, x, beta, coordinate / 3, p);
        sum += (float)f.linear_weight[e] * axis_of(coordinate % 3, p);
    }
    y[view.s.first_row[TAUT_LINEAR] + c] = f.kinds[TAUT_LINEAR].conductance[c] * sum;
}

template <bool FORMED>
static __global__ void conduct_kernel(const __grid_constant__ taut_view view, const float* x, float* y) {
    const size_t m = thread_index();
    if (m >= member_total(view.s) || inner_is_over(view)) {
        return;
    }
    const float beta = FORMED ? 0 : (float)view.control->beta;
    size_t c;
    switch (kind_of_member(&view.s, m, &c)) {
#define CONDUCT_CASE(name, k)                                                                                          \
    case k:                                                                                                            \
        conduct_member_##name<FORMED>(view, c, x, beta, y);                                                            \
        break;
        TAUT_FORMULA_KINDS(CONDUCT_CASE)
    default:
        conduct_member_linear<FORMED>(view, c, x, beta, y);
        break;
    }
}

/* y = Wh K p of the constraints that come and go. */
static __global__ void conduct_changing_kernel(const __grid_constant__ taut_view view, const float* x, float* y) {
    const size_t m = thread_index();
    if (m >= member_total(view.s) || inner_is_over(view)) {
        return;
    }
    size_t c;
    switch (kind_of_member(&view.s, m, &c)) {
#define CONDUCT_CHANGING_CASE(name, k)                                                                                 \
    case k:                                                                                                            \
        if (c >= first_changing(&view.s, k)) {                                                                         \
            conduct_member_##name<true>(view, c, x, 0, y);                                                             \
        }                                                                                                              \
        break;
        TAUT_CHANGING_KINDS(CONDUCT_CHANGING_CASE)
    default:
        break;
    }
}

/* Before conduct_kernel<true> and conduct_changing_kernel. */
static __global__ void direction_kernel(const __grid_constant__ taut_view view) {
    const size_t n = thread_index();
    if (n >= view.s.nodes || inner_is_over(view)) {
        return;
    }
    float p[3];
    direction<false>(view.f, NULL, (float)view.control->beta, n, p);
    ((float4*)view.f.node_p)[n] = make_float4(p[0], p[1], p[2], 0);
}

static __device__ void collect_all(const taut_view& view, size_t n, const float* y, float sum[3]) {
    sum[0] = sum[1] = sum[2] = 0;
#define COLLECT(name, k)                                                                                               \
    if (view.s.count[k] > 0) {                                                                                         \
        collect_##name(view, n, y, sum);                                                                               \
    }
    TAUT_PLAIN_KINDS(COLLECT)
    if (view.s.count[TAUT_LINEAR] > 0) {
        apply_jacobian_transpose_node_linear(&view.f, n, y + view.s.first_row[TAUT_LINEAR], sum);
    }
}

/* The step length. */
static __device__ void find_step(const taut_view& view, double curvature, loop_handle inner) {
    taut_control* control = view.control;
    const bool sound = curvature > TAUT_LEAST_CURVATURE * control->length && control->rz > 0;
    control->condensed.curvature = curvature;
    control->advance = sound ? control->rz / curvature : 0;
    control->promise += control->advance * control->rz;
    if (!sound) { /* nothing left in float32, or not finite: the true residual tells */
        control->inner = 0;
        go_on(inner, false);
    }
}

/* q = P(M p + K^T y). FORMED: p is x, else it becomes node_p. GATHERED: K^T y is in q already. `iterates`: the step
 * length follows. */
template <bool GATHERED, bool FORMED>
static __global__ void close_kernel(const __grid_constant__ taut_view view, const float* x, const float* y, float* q,
                                    bool iterates, loop_handle inner) {
    if (inner_is_over(view)) {
        return;
    }
    const float beta = FORMED ? 0 : (float)view.control->beta;
    double sums[1] = {0};
    for (size_t n = thread_index(); n < view.s.nodes; n += thread_count()) {
        float p[3], force[3], own[3];
        direction<FORMED>(view.f, x, beta, n, p);
        if (GATHERED) {
            load_vector(q, 4, (uint32_t)n, force);
        } else {
            collect_all(view, n, y, force);
        }
        node_mass(&view.f, &view.s, n, p, own);
        const float free = view.f.inverse_mass[n] > 0 ? 1 : 0;
        vec3_axpy(1, force, own);
        ((float4*)q)[n] = make_float4(free * own[0], free * own[1], free * own[2], 0);
        if (!FORMED) {
            ((float4*)view.f.node_p)[n] = make_float4(p[0], p[1], p[2], 0);
        }
        sums[0] += free > 0 ? (double)p[0] * own[0] + (double)p[1] * own[1] + (double)p[2] * own[2] : 0;
    }
    if (iterates && grid_sums(view, sums, 1)) {
        find_step(view, sums[0], inner);
    }
}

/* q = H p, p in x, by the matrix of level 0; y NULL: nothing comes and goes. `iterates`: the step length follows. */
static __global__ void product_kernel(const __grid_constant__ taut_view view, const __grid_constant__ taut_level level,
                                      const float* x, const float* y, float* q, bool iterates, loop_handle inner) {
    if (inner_is_over(view)) {
        return;
    }
    double sums[1] = {0};
    for (size_t n = thread_index(); n < view.s.nodes; n += thread_count()) {
        float p[3], out[3];
        condense_product(&view.f, &view.s, &level, n, x, y, q);
        load_vector(x, 4, (uint32_t)n, p);
        load_vector(q, 4, (uint32_t)n, out);
        sums[0] += (double)p[0] * out[0] + (double)p[1] * out[1] + (double)p[2] * out[2];
    }
    if (iterates && grid_sums(view, sums, 1)) {
        find_step(view, sums[0], inner);
    }
}

static __device__ void advance_node(const taut_view& view, size_t n, float step, float r[3]) {
    float p[3], q[3], delta[3];
    load_vector(view.f.node_p, 4, (uint32_t)n, p);
    load_vector(view.f.node_q, 4, (uint32_t)n, q);
    load_vector(view.f.node_r, 4, (uint32_t)n, r);
    load_vector(view.f.node_delta, 4, (uint32_t)n, delta);
    vec3_axpy(step, p, delta);
    vec3_axpy(-step, q, r);
    ((float4*)view.f.node_delta)[n] = make_float4(delta[0], delta[1], delta[2], 0);
    ((float4*)view.f.node_r)[n] = make_float4(r[0], r[1], r[2], 0);
}

/* Another preconditioner than Jacobi or none follows in kernels of its own. */
static __global__ void advance_kernel(const __grid_constant__ taut_view view, taut_preconditioner preconditioner,
                                      loop_handle inner) {
    if (inner_is_over(view)) {
        return;
    }
    const float step = (float)view.control->advance;
    const bool none = preconditioner == TAUT_PRECONDITIONER_NONE;
    const bool stored = !none && preconditioner != TAUT_PRECONDITIONER_JACOBI;
    double sums[2] = {0, 0}; /* r.D^-1 r, r.z */
    for (size_t n = thread_index(); n < view.s.nodes; n += thread_count()) {
        float r[3], z[3];
        advance_node(view, n, step, r);
        if (!stored) {
            sums[0] += block_divide(view.f.diagonal_block_inverse + 6 * n, r, z);
            sums[1] += (double)r[0] * r[0] + (double)r[1] * r[1] + (double)r[2] * r[2];
            ((float4*)view.f.node_z)[n] = none ? make_float4(r[0], r[1], r[2], 0) : make_float4(z[0], z[1], z[2], 0);
        }
    }
    if (!stored && grid_sums(view, sums, 2)) {
        const double next = none ? sums[1] : sums[0];
        conclude_iteration(view.control, view.params, sums[0], inner);
        next_direction(view.control, next);
    }
}

static bool is_plain(const taut_view& view) {
    return is_plain_scene(&view.s);
}

/* q = H p with p in x, or z + beta p where that is NULL and there are neither mapped points nor frames. */
static void multiply(const taut_view& view, const float* x, float* q, bool iterates, loop_handle inner,
                     taut_launch* launch) {
    const unsigned members = taut_grid(member_total(view.s)), nodes = taut_sum_grid(view.s.nodes);
    float* y = view.f.q;
    if (x == NULL) {
        TAUT_LAUNCH(launch, conduct_kernel<false>, members, view, x, y);
        TAUT_LAUNCH(launch, (close_kernel<false, false>), nodes, view, x, y, q, iterates, inner);
        return;
    }
    TAUT_LAUNCH(launch, conduct_kernel<true>, members, view, x, y);
    if (is_plain(view)) {
        TAUT_LAUNCH(launch, (close_kernel<false, true>), nodes, view, x, y, q, iterates, inner);
    } else {
        cuda_apply_jacobian_transpose_f32(view, TAUT_ALL, false, y, q, launch);
        TAUT_LAUNCH(launch, (close_kernel<true, true>), nodes, view, x, y, q, iterates, inner);
    }
}

static void multiply_assembled(const taut_view& view, const float* x, float* q, bool iterates, loop_handle inner,
                               taut_launch* launch) {
    const taut_level& level = view.levels->host.level[0];
    float* y = is_changing(&view.s) ? view.f.q : NULL;
    if (y != NULL) {
        TAUT_LAUNCH(launch, conduct_changing_kernel, taut_grid(member_total(view.s)), view, x, y);
    }
    TAUT_LAUNCH(launch, product_kernel, taut_sum_grid(view.s.nodes), view, level, x, y, q, iterates, inner);
}

void cuda_condense_multiply(const taut_view& view, float* x, float* out, taut_launch* launch) {
    if (is_assembled(&view.levels->host, &view.s)) {
        multiply_assembled(view, x, out, false, no_loop, launch);
        return;
    }
    cuda_spread_f32(view, view.s.active_levels, x, 4, launch);
    multiply(view, x, out, false, no_loop, launch);
}

/* p, q and the step length. */
static void multiply_direction(const taut_view& view, loop_handle inner, taut_launch* launch) {
    const taut_fields& f = view.f;
    if (is_assembled(&view.levels->host, &view.s)) {
        TAUT_LAUNCH(launch, direction_kernel, taut_grid(view.s.nodes), view);
        multiply_assembled(view, f.node_p, f.node_q, true, inner, launch);
        return;
    }
    if (!is_plain(view)) {
        TAUT_LAUNCH(launch, direction_kernel, taut_grid(view.s.nodes), view);
        cuda_spread_f32(view, view.s.active_levels, f.node_p, 4, launch);
    }
    multiply(view, is_plain(view) ? NULL : f.node_p, f.node_q, true, inner, launch);
}

void cuda_condense_iterate(const taut_view& view, const taut_settings& settings, loop_handle inner,
                           taut_launch* launch) {
    taut_view iterating = view;
    iterating.iterating = true;
    multiply_direction(iterating, inner, launch);
    TAUT_LAUNCH(launch, advance_kernel, taut_sum_grid(view.s.nodes), iterating, settings.condensed_preconditioner,
                inner);
    if (settings.condensed_preconditioner == TAUT_PRECONDITIONER_MULTILEVEL) {
        cuda_multilevel_apply(iterating, settings, FOR_ITERATION, inner, launch);
    }
}
