/* Distance of two points.
 *
 *   phi = |d| - L,  d = x1 - x0,  n = d / |d|         m
 *   J   = [ -n  n ]
 *   G   = (lam / |d|) (I - n n^T) on the relative displacement u = dx1 - dx0
 *
 * G is stabilising for lam < 0 (tension) only. Root of its stabilising part, rows r = R u:
 *   R   = sqrt(max(-lam, 0) / |d|) (I - n n^T)          since (I - n n^T) is its own square
 *
 * Coincident points have no direction; the x axis stands in, so that the constraint can still push them apart. */
#ifndef TAUT_FORMULAS_DISTANCE_H
#define TAUT_FORMULAS_DISTANCE_H

#include "base/small_math.h"

#define distance_NODES       2
#define distance_ROWS        1
#define distance_FACTOR_ROWS 3
#define distance_REST        1 /* L */
#define distance_AUX         1 /* values of the Jacobian, at its end, that products do not use */
#define distance_STATE       3 /* values per node that evaluate reads */
#define distance_FRAMES      0 /* slots that are frames, as bits */
#define distance_MOVES       0 /* leading rest values that may move by themselves */

typedef struct distance_jacobian {
    real n[3];
    real inverse_length;
} distance_jacobian;

typedef struct distance_stiffness {
    real factor;
} distance_stiffness;

TAUT_FN void distance_evaluate(const real x[2][3], const real* rest, real phi[1], distance_jacobian* jac) {
    real d[3];
    vec3_sub(x[1], x[0], d);
    const real length = vec3_normalise(d, jac->n);
    jac->inverse_length = length > (real)1e-9 ? 1 / length : (real)1e9;
    phi[0] = length - rest[0];
}

TAUT_FN void distance_apply_jacobian(const distance_jacobian* jac, const real dx[2][3], real dphi[1]) {
    real u[3];
    vec3_sub(dx[1], dx[0], u);
    dphi[0] = vec3_dot(jac->n, u);
}

TAUT_FN void distance_apply_jacobian_transpose(const distance_jacobian* jac, const real lam[1], int slot, real f[3]) {
    vec3_axpy(slot == 0 ? -lam[0] : lam[0], jac->n, f);
}

TAUT_FN void distance_factor(const distance_jacobian* jac, const real lam[1], distance_stiffness* k) {
    k->factor = lam[0] < 0 ? (real)sqrt(-lam[0] * jac->inverse_length) : 0;
}

/* out += s (I - n n^T) u */
TAUT_FN void distance_across(const distance_jacobian* jac, real s, const real u[3], real out[3]) {
    vec3_axpy(s, u, out);
    vec3_axpy(-s * vec3_dot(jac->n, u), jac->n, out);
}

TAUT_FN void distance_apply_factor(const distance_jacobian* jac, const distance_stiffness* k, const real dx[2][3],
                                   real rows[3]) {
    real u[3];
    vec3_sub(dx[1], dx[0], u);
    rows[0] = rows[1] = rows[2] = 0;
    distance_across(jac, k->factor, u, rows);
}

TAUT_FN void distance_apply_factor_transpose(const distance_jacobian* jac, const distance_stiffness* k,
                                             const real rows[3], int slot, real f[3]) {
    distance_across(jac, slot == 0 ? -k->factor : k->factor, rows, f);
}

TAUT_FN void distance_curvature(const real x[2][3], const real* rest, const real lam[1], const real dx[2][3],
                                real df[2][3]) {
    distance_jacobian jac;
    real phi[1], u[3];
    distance_evaluate(x, rest, phi, &jac);
    vec3_sub(dx[1], dx[0], u);
    distance_across(&jac, -lam[0] * jac.inverse_length, u, df[0]);
    distance_across(&jac, lam[0] * jac.inverse_length, u, df[1]);
}

#endif
