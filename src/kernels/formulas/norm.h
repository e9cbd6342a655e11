/* Geometric stiffness of the mapping to a length, y_0 = |d|. No constraint: no rows, no multiplier.
 *
 * The mapping has the Jacobian n = d / |d|, so a force g on y_0 (of constraints, or of the user) is the force g n on d,
 * and as d moves
 *   G = (g / |d|) (I - n n^T)
 * as for a distance. G is stabilising for g < 0, a force that shortens, only. Root of its stabilising part, on d alone:
 *   R = sqrt(max(-g, 0) / |d|) (I - n n^T)
 *
 * Slot 0 is d, slot 1 the mapped point y, which is there for its force and gets nothing. `lam` is one value, g. The
 * zero vector has no direction; the x axis stands in, as for coincident points of a distance. */
#ifndef TAUT_FORMULAS_NORM_H
#define TAUT_FORMULAS_NORM_H

#include "base/small_math.h"

#include <stddef.h>

#define norm_NODES       2
#define norm_ROWS        0
#define norm_FACTOR_ROWS 3
#define norm_REST        1 /* unused */
#define norm_AUX         1 /* values of the Jacobian, at its end, that products do not use */
#define norm_STATE       3 /* values per node that evaluate reads */
#define norm_FRAMES      0 /* slots that are frames, as bits */
#define norm_MOVES       0 /* leading rest values that may move by themselves */

typedef struct norm_jacobian {
    real n[3];
    real inverse_length;
} norm_jacobian;

typedef struct norm_stiffness {
    real factor;
} norm_stiffness;

/* phi and dphi have no values and are not touched. */
TAUT_FN void norm_evaluate(const real x[2][3], const real* rest, real* phi, norm_jacobian* jac) {
    (void)rest, (void)phi;
    const real length = vec3_normalise(x[0], jac->n);
    jac->inverse_length = length > (real)1e-9 ? 1 / length : (real)1e9;
}

TAUT_FN void norm_apply_jacobian(const norm_jacobian* jac, const real dx[2][3], real* dphi) {
    (void)jac, (void)dx, (void)dphi;
}

TAUT_FN void norm_apply_jacobian_transpose(const norm_jacobian* jac, const real* lam, int slot, real f[3]) {
    (void)jac, (void)lam, (void)slot, (void)f;
}

TAUT_FN void norm_factor(const norm_jacobian* jac, const real lam[1], norm_stiffness* k) {
    k->factor = lam[0] < 0 ? (real)sqrt(-lam[0] * jac->inverse_length) : 0;
}

/* out += s (I - n n^T) u */
TAUT_FN void norm_across(const norm_jacobian* jac, real s, const real u[3], real out[3]) {
    vec3_axpy(s, u, out);
    vec3_axpy(-s * vec3_dot(jac->n, u), jac->n, out);
}

TAUT_FN void norm_apply_factor(const norm_jacobian* jac, const norm_stiffness* k, const real dx[2][3], real rows[3]) {
    rows[0] = rows[1] = rows[2] = 0;
    norm_across(jac, k->factor, dx[0], rows);
}

TAUT_FN void norm_apply_factor_transpose(const norm_jacobian* jac, const norm_stiffness* k, const real rows[3],
                                         int slot, real f[3]) {
    if (slot == 0) {
        norm_across(jac, k->factor, rows, f);
    }
}

TAUT_FN void norm_curvature(const real x[2][3], const real* rest, const real lam[1], const real dx[2][3],
                            real df[2][3]) {
    norm_jacobian jac;
    norm_evaluate(x, rest, NULL, &jac);
    norm_across(&jac, lam[0] * jac.inverse_length, dx[0], df[0]);
}

#endif
