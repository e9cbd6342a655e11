/* The text of apply_f32.cu and apply_f64.cu, which define TAUT_REAL and SUFFIXED. */
#include "kernels/stages/apply.h"

#include "kernels/device.cuh"

static __global__ void pull_kernel(const __grid_constant__ taut_view view, int parts, bool weighted, const real* u,
                                   real* g) {
    const size_t n = thread_index();
    if (n >= view.s.nodes || pass_is_over(view)) {
        return;
    }
    real sum[3];
    pull_node(&view.f, &view.s, n, parts, u, sum);
    const real scale = weighted ? (real)view.f.inverse_mass[n] : (real)1;
    for (int a = 0; a < 3; a++) {
        g[4 * n + a] = scale * sum[a];
    }
    g[4 * n + 3] = 0;
}

/* From where a kind's unknowns begin; NULL stays. */
static __device__ const real* from(const real* u, size_t first) { return u != NULL ? u + first : NULL; }

static __global__ void forward_kernel(const __grid_constant__ taut_view view, int parts, const real* g, uint32_t stride,
                                      const real* u, bool inner, real* out) {
    const size_t m = thread_index();
    if (m >= member_total(view.s) || pass_is_over(view)) {
        return;
    }
    size_t c;
    switch (kind_of_member(&view.s, m, &c)) {
#define FORWARD_CASE(name, k)                                                                                          \
    case k: {                                                                                                          \
        const size_t row = view.s.first_row[k], root = view.s.first_root[k], count = view.s.count[k];                  \
        if (parts & TAUT_ROWS) {                                                                                       \
            forward_rows_##name(&view.f.kinds[k], count, c, g, stride, from(u, row), inner, out + row);                \
        }                                                                                                              \
        if (name##_ROOTS > 0 && (parts & TAUT_ROOTS)) {                                                                \
            forward_roots_##name(&view.f.kinds[k], count, c, g, stride, from(u, root), out + root);                    \
        }                                                                                                              \
        break;                                                                                                         \
    }
        TAUT_FORMULA_KINDS(FORWARD_CASE)
    default:
        if (parts & TAUT_ROWS) {
            const size_t row = view.s.first_row[TAUT_LINEAR];
            forward_rows_linear(&view.f, view.s.count[TAUT_LINEAR], c, g, stride, from(u, row), inner, out + row);
        }
        break;
    }
}

void SUFFIXED(cuda_pull)(const taut_view& view, int parts, bool weighted, const real* u, real* g, taut_launch* launch) {
    const int present = view.s.roots > 0 ? parts : parts & TAUT_ROWS;
    TAUT_LAUNCH(launch, pull_kernel, taut_grid(view.s.nodes), view, present, weighted, u, g);
}

void SUFFIXED(cuda_forward)(const taut_view& view, int parts, const real* g, uint32_t stride, const real* u, bool inner,
                            real* out, taut_launch* launch) {
    const int present = view.s.roots > 0 ? parts : parts & TAUT_ROWS;
    if (member_total(view.s) > 0 && present != 0) {
        TAUT_LAUNCH(launch, forward_kernel, taut_grid(member_total(view.s)), view, present, g, stride, u, inner, out);
    }
}
