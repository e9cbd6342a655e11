/* q = (S + E) p in float32 for preconditioners that need products of their own; the solver's iteration fuses its own
 * (iterate.cu). */
#define TAUT_REAL float
#include "kernels/stages/apply.h"

#include "kernels/device.cuh"

static __global__ void pull_kernel(const __grid_constant__ taut_view view, int parts, const float* u) {
    const size_t n = thread_index();
    if (n >= view.s.nodes) {
        return;
    }
    float sum[3];
    pull_node(&view.f, &view.s, n, parts, u, sum);
    for (int a = 0; a < 3; a++) {
        view.f.g[4 * n + a] = view.f.inverse_mass[n] * sum[a];
    }
}

static __global__ void forward_kernel(const __grid_constant__ taut_view view, int parts, const float* u, float* out) {
    const size_t m = thread_index();
    if (m >= member_total(view.s)) {
        return;
    }
    size_t c;
    switch (kind_of_member(&view.s, m, &c)) {
#define FORWARD_CASE(name, k)                                                                                          \
    case k:                                                                                                            \
        forward_rows_##name(&view.f.kinds[k], view.s.count[k], c, view.f.g, 4, u + view.s.first_row[k],                                 \
                            true, out + view.s.first_row[k]);                                                          \
        if (name##_ROOTS > 0 && (parts & TAUT_ROOTS)) {                                                                \
            forward_roots_##name(&view.f.kinds[k], view.s.count[k], c, view.f.g, 4, u + view.s.first_root[k],                           \
                                 out + view.s.first_root[k]);                                                          \
        }                                                                                                              \
        break;
        TAUT_FORMULA_KINDS(FORWARD_CASE)
    default: {
        const size_t row = view.s.first_row[TAUT_LINEAR];
        forward_rows_linear(&view.f, view.s.count[TAUT_LINEAR], c, view.f.g, 4, u + row, true, out + row);
        break;
    }
    }
}

void cuda_multiply_f32(const taut_view& view, const float* p, float* q, taut_launch* launch) {
    const int parts = view.s.roots > 0 ? TAUT_ALL : TAUT_ROWS;
    TAUT_LAUNCH(launch, pull_kernel, taut_grid(view.s.nodes), view, parts, p);
    TAUT_LAUNCH(launch, forward_kernel, taut_grid(member_total(view.s)), view, parts, p, q);
}
