/* The exact product with the geometric stiffness, for the public operator. */
#ifndef TAUT_STAGE_CURVATURE_H
#define TAUT_STAGE_CURVATURE_H

#include "kernels/stages/items.h"

#define TAUT_KIND_TEXT "kernels/stages/curvature_kind.h"
#include "kernels/formulas/for_each_kind.h"

/* out (n x 3) = G(lam) in at node n */
TAUT_FN void curvature_node(const taut_fields* f, const taut_sizes* s, size_t n, const double* in, double out[3]) {
    out[0] = out[1] = out[2] = 0;
#define TAUT_CURVATURE(name, k)                                                                                        \
    if (s->count[k] > 0) {                                                                                             \
        curvature_node_##name(f, s, n, in, out);                                                                       \
    }
    TAUT_FORMULA_KINDS(TAUT_CURVATURE)
#undef TAUT_CURVATURE
}

#endif
