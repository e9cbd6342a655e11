/* The text of apply_f32.cu and apply_f64.cu, which define TAUT_REAL and SUFFIXED. */
#include "kernels/stages/apply.h"

#include "kernels/cuda/device.cuh"

/* Of unknown nodes, or of the mapped points of one level. */
static __global__ void apply_jacobian_transpose_kernel(const __grid_constant__ taut_view view, node_range range,
                                                       int parts, bool weighted, const real* u, real* g) {
    const size_t i = thread_index();
    if (i >= range.count || inner_is_over(view)) {
        return;
    }
    const size_t n = node_of(view, range, i);
    real sum[3], motion[3];
    apply_jacobian_transpose_with_children(&view.f, &view.s, n, parts, u, g, sum);
    if (weighted) {
        node_inverse(&view.f, &view.s, n, sum, motion);
    }
    for (int a = 0; a < 3; a++) {
        g[4 * n + a] = weighted ? motion[a] : sum[a];
    }
    g[4 * n + 3] = 0;
}

static __global__ void spread_kernel(const __grid_constant__ taut_view view, node_range range, real* vectors,
                                     uint32_t stride) {
    const size_t i = thread_index();
    if (i < range.count && !inner_is_over(view)) {
        spread_node(&view.f, &view.s, range.first + i, vectors, stride);
    }
}

/* From where a kind's unknowns begin; NULL stays. */
static __device__ const real* from(const real* u, size_t first) {
    return u != NULL ? u + first : NULL;
}

static __global__ void apply_jacobian_kernel(const __grid_constant__ taut_view view, int parts, const real* g,
                                             uint32_t stride, const real* u, bool inner, real* out) {
    const size_t m = thread_index();
    if (m >= member_total(view.s) || inner_is_over(view)) {
        return;
    }
    size_t c;
    switch (kind_of_member(&view.s, m, &c)) {
#define FORWARD_CASE(name, k)                                                                                          \
    case k: {                                                                                                          \
        const size_t row = view.s.first_row[k], factor = view.s.first_factor_row[k], count = view.s.count[k];          \
        if (parts & TAUT_ROWS) {                                                                                       \
            apply_jacobian_rows_##name(&view.f.kinds[k], count, c, g, stride, from(u, row), inner, out + row);         \
        }                                                                                                              \
        if (name##_FACTOR_ROWS > 0 && view.s.has_factor_rows[k] && (parts & TAUT_FACTOR_PART(k))) {                    \
            apply_factor_rows_##name(&view.f.kinds[k], count, c, g, stride, from(u, factor), out + factor);            \
        }                                                                                                              \
        break;                                                                                                         \
    }
        TAUT_FORMULA_KINDS(FORWARD_CASE)
    default:
        if (parts & TAUT_ROWS) {
            const size_t row = view.s.first_row[TAUT_LINEAR];
            apply_jacobian_rows_linear(&view.f, view.s.count[TAUT_LINEAR], c, g, stride, from(u, row), inner,
                                       out + row);
        }
        break;
    }
}

void SUFFIXED(cuda_spread)(const taut_view& view, uint32_t levels, real* vectors, uint32_t stride,
                           taut_launch* launch) {
    for (uint32_t level = 0; level < levels; level++) {
        const node_range range = level_range(view.s, level);
        TAUT_LAUNCH(launch, spread_kernel, taut_grid(range.count), view, range, vectors, stride);
    }
}

void SUFFIXED(cuda_apply_jacobian_transpose)(const taut_view& view, int parts, bool weighted, const real* u, real* g,
                                             taut_launch* launch) {
    const int present = parts_present(&view.s, parts);
    for (uint32_t level = view.s.active_levels; level-- > 0;) {
        const node_range range = level_range(view.s, level);
        TAUT_LAUNCH(launch, apply_jacobian_transpose_kernel, taut_grid(range.count), view, range, present, false, u, g);
    }
    const node_range unknown = unknown_range(view.s);
    TAUT_LAUNCH(launch, apply_jacobian_transpose_kernel, taut_grid(unknown.count), view, unknown, present, weighted, u,
                g);
    if (weighted) {
        SUFFIXED(cuda_spread)(view, view.s.active_levels, g, 4, launch);
    }
}

void SUFFIXED(cuda_apply_jacobian)(const taut_view& view, int parts, const real* g, uint32_t stride, const real* u,
                                   bool inner, real* out, taut_launch* launch) {
    const bool present = (parts & TAUT_ROWS) != 0 || view.s.factor_rows > 0;
    if (member_total(view.s) > 0 && present) {
        TAUT_LAUNCH(launch, apply_jacobian_kernel, taut_grid(member_total(view.s)), view, parts, g, stride, u, inner,
                    out);
    }
}
