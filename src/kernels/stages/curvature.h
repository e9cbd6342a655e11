/* The exact product with the geometric stiffness, for the public operator. */
#ifndef TAUT_STAGES_CURVATURE_H
#define TAUT_STAGES_CURVATURE_H

#include "kernels/stages/frames.h"
#include "kernels/stages/items.h"

#define TAUT_KIND_TEXT "kernels/stages/curvature_kind.h"
#include "kernels/formulas/for_each_kind.h"

/* out = what the constraints at node n add to G(lam) in; in: n x 3, mapped points included */
TAUT_FN void curvature_node(const taut_fields* f, const taut_sizes* s, size_t n, const double* in, double out[3]) {
    out[0] = out[1] = out[2] = 0;
#define TAUT_CURVATURE(name, k)                                                                                        \
    if (s->count[k] > 0 && name##_ROWS > 0) {                                                                          \
        curvature_node_##name(f, s, n, in, out);                                                                       \
    }
    TAUT_FORMULA_KINDS(TAUT_CURVATURE)
#undef TAUT_CURVATURE
}

/* dforces (n x 4) at node n: G dx with what its active children hand on; theirs must be there. */
TAUT_FN void stiffness_node(const taut_fields* f, const taut_sizes* s, size_t n, const double* dx, const double* forces,
                            double* dforces) {
    double sum[3];
    curvature_node(f, s, n, dx, sum);
    if (s->active_levels > 0) {
        children_curvature(f, n, dx, forces, dforces, sum);
    }
    for (size_t a = 0; a < 3; a++) {
        dforces[4 * n + a] = sum[a];
    }
    dforces[4 * n + 3] = 0;
}

#endif
