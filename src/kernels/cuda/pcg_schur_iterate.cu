/* One iteration of preconditioned conjugate gradients in two kernels (three or more where z is not a multiple of r):
 *
 *   node kernel         p = z + beta p on the fly; g = P M^-1 P [J^T Lh^T] p;
 *                       p.(S + E) p = sum_n |J^T p|_n^2 / m_n + p.(W + E) p, so the step length is known before q is
 *   constraint kernel   q = [J; Lh] g + (W + E) p in registers; p stored by its owner; delta += a p; r -= a q; sums
 *
 * Mapped points take two more kernels per level: one before the node kernel that gathers the forces on them, one after
 * it that spreads the motions of their parents to them.
 *
 * The last block of each kernel turns the sums into the next scalar. A kernel leaves at once when the outer iteration
 * is over. */
#define TAUT_REAL float
#include "kernels/stages/apply.h"
#include "kernels/stages/bounds.h"
#include "kernels/stages/solve.h"

#include "kernels/cuda/solve.cuh"

/* p = z + beta p of unknown i, not stored. */
template <z_source Z> static __device__ float direction(const taut_fields& f, size_t i, float beta) {
    const float z = Z == Z_IS_R ? f.r[i] : Z == Z_IS_SCALED_R ? f.inverse_shifted[i] * f.r[i] : f.z[i];
    return beta == 0 ? z : z + beta * f.p[i];
}

/* sums[0] += r^2 / S_ii (convergence), sums[1] += r z (recurrence; of no use where z is stored). BOUNDED: rows that
 * bounds hold keep r = 0. */
template <z_source Z, bool BOUNDED>
static __device__ void advance_unknown(const taut_fields& f, size_t i, float step, float p, float q, double sums[2]) {
    const float r = BOUNDED && f.hold[i] != TAUT_HELD_NOT ? 0 : f.r[i] - step * q;
    f.p[i] = p;
    f.delta[i] += step * p;
    f.r[i] = r;
    sums[0] += (double)r * r * f.inverse_diagonal[i];
    sums[1] += (double)r * r * (Z == Z_IS_SCALED_R ? f.inverse_shifted[i] : 1.0F);
}

static __device__ double weighted_square(const float* packed, const float* p, int rows) {
    float out[6] = {0, 0, 0, 0, 0, 0};
    double sum = 0;
    add_weighted(packed, p, (size_t)rows, out);
    for (int r = 0; r < rows; r++) {
        sum += (double)p[r] * out[r];
    }
    return sum;
}

#define TAUT_KIND_TEXT "kernels/cuda/pcg_schur_iterate_kind.cuh"
#include "kernels/formulas/for_each_kind.h"

template <z_source Z>
static __device__ void direction_node_linear(const taut_view& view, size_t n, float beta, float sum[3], double* shape) {
    const taut_kind_fields& kind = view.f.kinds[TAUT_LINEAR];
    const size_t row0 = view.s.first_row[TAUT_LINEAR];
    for (uint32_t i = kind.offsets[n]; i < kind.offsets[n + 1]; i++) {
        const uint32_t e = kind.incidence[i], row = view.f.linear_row[e];
        const float p = direction<Z>(view.f, row0 + row, beta);
        add_to_axis(view.f.linear_coordinate[e] % 3, (float)view.f.linear_weight[e] * p, sum);
        if (e == view.f.linear_begin[row]) {
            *shape += (double)p * p * kind.record[row];
        }
    }
}

template <z_source Z, bool BOUNDED>
static __device__ void advance_linear(const taut_view& view, size_t c, float beta, float step, double sums[2]) {
    const size_t row = view.s.first_row[TAUT_LINEAR] + c;
    const float p = direction<Z>(view.f, row, beta);
    const float w = view.f.kinds[TAUT_LINEAR].record[c];
    advance_unknown<Z, BOUNDED>(view.f, row, step, p, linear_row(&view.f, c, view.f.g, 4) + w * p, sums);
}

/* So many blocks share a multiprocessor that all TAUT_MAX_GRID of them run at once on 128 or more: a few that came
 * later would take as long again. The bound costs no spills (sm_90). */
#define RESIDENT_BLOCKS 7

/* sum += J^T p at node n, of its constraints and its children; GRAPH: there are frames, mapped points
 * or force elements. */
template <z_source Z, bool GRAPH>
static __device__ void direction_node(const taut_view& view, size_t n, float beta, float sum[3], double* shape) {
#define DIRECTION(name, k)                                                                                             \
    if (view.s.count[k] > 0) {                                                                                         \
        direction_node_##name<Z>(view, n, beta, sum, shape);                                                           \
    }
    TAUT_PLAIN_KINDS(DIRECTION)
    if (GRAPH) {
        TAUT_GRAPH_KINDS(DIRECTION)
        TAUT_LOAD_KINDS(DIRECTION)
    }
    if (view.s.count[TAUT_LINEAR] > 0) {
        direction_node_linear<Z>(view, n, beta, sum, shape);
    }
    if (GRAPH && view.s.active_levels > 0) {
        collect_children(&view.f, n, false, view.f.g, sum);
    }
}

/* The forces on the mapped points of one level, and their part of p.(S + E) p. */
template <z_source Z>
static __global__ void level_kernel(const __grid_constant__ taut_view view, node_range range, bool deepest) {
    if (inner_is_over(view)) {
        return;
    }
    const float beta = (float)view.control->beta;
    double shape[1] = {0};
    for (size_t i = thread_index(); i < range.count; i += thread_count()) {
        const size_t n = range.first + i;
        float sum[3] = {0, 0, 0};
        direction_node<Z, true>(view, n, beta, sum, &shape[0]);
        ((float4*)view.f.g)[n] = make_float4(sum[0], sum[1], sum[2], 0);
    }
    if (grid_sums(view, shape, 1)) {
        view.control->shape = shape[0] + (deepest ? 0 : view.control->shape);
    }
}

template <z_source Z, bool GRAPH>
static __global__ void __launch_bounds__(TAUT_THREADS, RESIDENT_BLOCKS)
    node_kernel(const __grid_constant__ taut_view view, node_range range, loop_handle inner) {
    taut_control* control = view.control;
    if (inner_is_over(view)) {
        return;
    }
    const float beta = (float)control->beta;
    double shape[1] = {0};
    for (size_t i = thread_index(); i < range.count; i += thread_count()) {
        const size_t n = GRAPH ? node_of(view, range, i) : i;
        float sum[3] = {0, 0, 0}, motion[3];
        direction_node<Z, GRAPH>(view, n, beta, sum, &shape[0]);
        if (GRAPH && n >= view.s.points) {
            node_inverse(&view.f, &view.s, n, sum, motion);
            ((float4*)view.f.g)[n] = make_float4(motion[0], motion[1], motion[2], 0);
            shape[0] += (double)motion[0] * sum[0] + (double)motion[1] * sum[1] + (double)motion[2] * sum[2];
            continue;
        }
        const float w = view.f.inverse_mass[n];
        ((float4*)view.f.g)[n] = make_float4(w * sum[0], w * sum[1], w * sum[2], 0);
        shape[0] += (double)w * ((double)sum[0] * sum[0] + (double)sum[1] * sum[1] + (double)sum[2] * sum[2]);
    }
    if (grid_sums(view, shape, 1)) {
        shape[0] += GRAPH && view.s.active_levels > 0 ? control->shape : 0;
        const double null_curvature = Z == Z_IS_R ? 0 : TAUT_NULL_CURVATURE * control->length;
        const bool sound = shape[0] > null_curvature && control->rz > 0;
        control->advance = sound ? control->rz / shape[0] : 0;
        if (!sound) { /* nothing left to gain in float32, an indefinite preconditioner, or not finite */
            control->inner = 0;
            control->largest *= 2;
            go_on(inner, false);
        }
    }
}

template <z_source Z, bool GRAPH, bool BOUNDED>
static __global__ void __launch_bounds__(TAUT_THREADS, RESIDENT_BLOCKS)
    constraint_kernel(const __grid_constant__ taut_view view, loop_handle inner) {
    taut_control* control = view.control;
    if (inner_is_over(view)) {
        return;
    }
    const float beta = (float)control->beta, step = (float)control->advance;
    double sums[2] = {0, 0};
    for (size_t m = thread_index(); m < member_total(view.s); m += thread_count()) {
        size_t c;
        switch (kind_of_member(&view.s, m, &c)) {
#define ADVANCE_CASE(name, k)                                                                                          \
    case k:                                                                                                            \
        advance_##name<Z, BOUNDED>(view, c, beta, step, sums);                                                         \
        break;
#define ADVANCE_GRAPH_CASE(name, k)                                                                                    \
    case k:                                                                                                            \
        if (GRAPH) {                                                                                                   \
            advance_##name<Z, BOUNDED>(view, c, beta, step, sums);                                                     \
        }                                                                                                              \
        break;
            TAUT_PLAIN_KINDS(ADVANCE_CASE)
            TAUT_GRAPH_KINDS(ADVANCE_GRAPH_CASE)
            TAUT_LOAD_KINDS(ADVANCE_GRAPH_CASE)
        default:
            advance_linear<Z, BOUNDED>(view, c, beta, step, sums);
            break;
        }
    }
    if (grid_sums(view, sums, 2)) {
        conclude_iteration(control, view.params, sums[0], inner);
        if (Z != Z_IS_STORED) { /* else beta follows from z */
            next_direction(control, sums[1]);
        }
    }
}

template <z_source Z> static void iterate(const taut_view& view, loop_handle inner, taut_launch* launch) {
    const node_range unknown = unknown_range(view.s);
    const unsigned members = taut_sum_grid(member_total(view.s));
    if (view.s.simple == view.s.nodes && !view.s.loads && !view.s.bounded) {
        TAUT_LAUNCH(launch, (node_kernel<Z, false>), taut_sum_grid(unknown.count), view, unknown, inner);
        TAUT_LAUNCH(launch, (constraint_kernel<Z, false, false>), members, view, inner);
        return;
    }
    for (uint32_t level = view.s.active_levels; level-- > 0;) {
        const node_range range = level_range(view.s, level);
        TAUT_LAUNCH(launch, level_kernel<Z>, taut_sum_grid(range.count), view, range,
                    level + 1 == view.s.active_levels);
    }
    TAUT_LAUNCH(launch, (node_kernel<Z, true>), taut_sum_grid(unknown.count), view, unknown, inner);
    cuda_spread_f32(view, view.s.active_levels, view.f.g, 4, launch);
    if (view.s.bounded) {
        TAUT_LAUNCH(launch, (constraint_kernel<Z, true, true>), members, view, inner);
    } else {
        TAUT_LAUNCH(launch, (constraint_kernel<Z, true, false>), members, view, inner);
    }
}

void cuda_iterate(const taut_view& view, const taut_settings& settings, loop_handle inner, taut_launch* launch) {
    taut_view iterating = view;
    iterating.iterating = true;
    switch (z_source_of(settings)) {
    case Z_IS_R:
        iterate<Z_IS_R>(iterating, inner, launch);
        break;
    case Z_IS_SCALED_R:
        iterate<Z_IS_SCALED_R>(iterating, inner, launch);
        break;
    case Z_IS_STORED:
        iterate<Z_IS_STORED>(iterating, inner, launch);
        cuda_precondition_apply(iterating, settings, view.f.r, view.f.z, launch);
        cuda_leave_held(iterating, launch);
        break;
    }
}
