/* What residuals of impulses are relative to. */
#ifndef TAUT_STAGES_PROJECT_H
#define TAUT_STAGES_PROJECT_H

#include "kernels/stages/nodes.h"
#include "model/factors.h"

/* A projection has nothing to gain below the rounding of what it projects, this part of its length in the metric of A.
 */
#define TAUT_PROJECTED_ROUNDING 1e-14

/* Of node n of a projection, squared: of its positions or velocities. */
TAUT_FN double projected_length2(const taut_fields* f, const taut_sizes* s, size_t n, taut_phase phase) {
    const double* value = (phase == TAUT_PHASE_POSITIONS ? f->x : f->v) + 3 * n;
    double held[3];
    if (n >= s->simple && (n < s->points || phase == TAUT_PHASE_POSITIONS)) {
        return 0;
    }
    node_mass(f, s, n, value, held);
    return vec3_dot(value, held);
}

/* The least scale of residuals then. */
TAUT_FN double projected_scale(double length2, double tolerance) {
    return TAUT_PROJECTED_ROUNDING * sqrt(length2) / tolerance;
}

/* kg^1/2 m/s: a residual below this is nothing: the rounding of what moves at 1 m/s and weighs a kilogram. What falls
 * freely has b of rounding alone. */
#define TAUT_LEAST_RESIDUAL 1e-16

/* What residuals of S gam = b are relative to, from |b|^2. */
TAUT_FN double schur_scale(double square, double tolerance) {
    const double b = sqrt(square), least = TAUT_LEAST_RESIDUAL / tolerance;
    return b > 0 && b < least ? least : b;
}

#endif
