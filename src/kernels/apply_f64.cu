/* Products with J, J^T and the root rows in float64. */
#define TAUT_REAL double
#include "kernels/stages/apply.h"

#include "kernels/device.cuh"

static __global__ void pull_kernel(const __grid_constant__ taut_view view, int parts, bool weighted, const double* u,
                                   double* g) {
    const size_t n = thread_index();
    if (n >= view.s.nodes) {
        return;
    }
    double sum[3];
    pull_node(&view.f, &view.s, n, parts, u, sum);
    const double scale = weighted ? (double)view.f.inverse_mass[n] : 1.0;
    for (int a = 0; a < 3; a++) {
        g[4 * n + a] = scale * sum[a];
    }
    g[4 * n + 3] = 0;
}

static __global__ void forward_kernel(const __grid_constant__ taut_view view, int parts, const double* g,
                                      uint32_t stride, const double* u, double* out) {
    const size_t m = thread_index();
    if (m >= member_total(view.s)) {
        return;
    }
    size_t c;
    switch (kind_of_member(&view.s, m, &c)) {
#define FORWARD_CASE(name, k)                                                                                          \
    case k:                                                                                                            \
        if (parts & TAUT_ROWS) {                                                                                       \
            forward_rows_##name(&view.f.kinds[k], view.s.count[k], c, g, stride, u != NULL ? u + view.s.first_row[k] : NULL, false,     \
                                out + view.s.first_row[k]);                                                            \
        }                                                                                                              \
        if (name##_ROOTS > 0 && (parts & TAUT_ROOTS)) {                                                                \
            forward_roots_##name(&view.f.kinds[k], view.s.count[k], c, g, stride, u != NULL ? u + view.s.first_root[k] : NULL,          \
                                 out + view.s.first_root[k]);                                                          \
        }                                                                                                              \
        break;
        TAUT_FORMULA_KINDS(FORWARD_CASE)
    default:
        if (parts & TAUT_ROWS) {
            const size_t row = view.s.first_row[TAUT_LINEAR];
            forward_rows_linear(&view.f, view.s.count[TAUT_LINEAR], c, g, stride, u != NULL ? u + row : NULL, false, out + row);
        }
        break;
    }
}

void cuda_pull_f64(const taut_view& view, int parts, bool weighted, const double* u, double* g, taut_launch* launch) {
    const int present = view.s.roots > 0 ? parts : parts & TAUT_ROWS;
    TAUT_LAUNCH(launch, pull_kernel, taut_grid(view.s.nodes), view, present, weighted, u, g);
}

void cuda_forward_f64(const taut_view& view, int parts, const double* g, uint32_t stride, const double* u, double* out,
                      taut_launch* launch) {
    const int present = view.s.roots > 0 ? parts : parts & TAUT_ROWS;
    if (member_total(view.s) > 0 && present != 0) {
        TAUT_LAUNCH(launch, forward_kernel, taut_grid(member_total(view.s)), view, present, g, stride, u, out);
    }
}
