/* Gravity of a fixed centre on a point mass: a force element, not a constraint. No rows; its tangent stands in the mass
 * matrix.
 *
 *   d = x - centre,   r^2 = |d|^2 + e^2,   n = d / |d|
 *   E = -m mu / r                                                     J
 *   f = -(m mu / r^3) d                                               N
 *   -df/dx = k ( I - n n^T ) + k (1 - 3 |d|^2 / r^2) n n^T,   k = m mu / r^3
 *
 * mu = G times the mass of the centre; mu < 0 repels. The softening e makes it the field of Plummer's sphere. Across d
 * attraction stabilises, along it only within |d| < e / sqrt(2). Root of the stabilising part:
 *   R = sqrt(s) ( sqrt(across+) (I - n n^T) + sqrt(along+) n n^T )
 * which an iteration reads as n and two numbers.
 *
 * Where r is below 1e-6 m, as at a centre without softening, the field is that within a homogeneous ball of that radius
 * r0: f = -(m mu / r0^3) d, E = -m mu / r0 (3/2 - r^2 / (2 r0^2)), -df/dx = k I. There is no force at the centre, where
 * the x axis stands in for n. */
#ifndef TAUT_FORMULAS_ATTRACTION_H
#define TAUT_FORMULAS_ATTRACTION_H

#include "base/small_math.h"

#define attraction_NODES       1
#define attraction_ROWS        0
#define attraction_FACTOR_ROWS 3
#define attraction_REST        6 /* centre (m), mu (m^3/s^2), e (m), m (kg) */
#define attraction_AUX         2 /* values of the Jacobian, at its end, that products do not use */
#define attraction_STATE       3 /* values per node that load reads, of x and of v each */
#define attraction_FRAMES      0 /* slots that are frames, as bits */
#define attraction_MOVES       0 /* leading rest values that may move by themselves */
#define attraction_LOAD        3 /* force */
#define attraction_ORDER       1 /* the tangent is a stiffness, -df/dx */

typedef struct attraction_jacobian {
    real n[3];
    real across, along; /* roots at s = 1 */
} attraction_jacobian;

typedef struct attraction_stiffness {
    real across, along;
} attraction_stiffness;

/* The field at x. r^-3 is formed nowhere: in float32 it may be too large a number. */
typedef struct attraction_field {
    real d[3], n[3];
    real potential; /* m mu / r */
    real r;         /* no less than r0 */
    real inside;    /* r^2 / r0^2 in the ball, 1 outside */
    real along;     /* 1 - 3 |d|^2 / r^2; 1 in the ball */
} attraction_field;

TAUT_FN void attraction_at(const real x[1][3], const real* rest, attraction_field* out) {
    const real ball = (real)1e-6;
    vec3_sub(x[0], rest, out->d);
    vec3_normalise(out->d, out->n);
    const real squared = vec3_dot(out->d, out->d), r = (real)sqrt(squared + rest[4] * rest[4]);
    out->r = r > ball ? r : ball;
    out->inside = r > ball ? 1 : r / ball * (r / ball);
    out->along = r > ball ? 1 - 3 * (squared / (r * r)) : 1;
    out->potential = rest[5] * rest[3] / out->r;
}

/* Force and root at x, whatever v is. Returns the energy, J. */
TAUT_FN real attraction_load(const real x[1][3], const real v[1][3], const real* rest, real* load,
                             attraction_jacobian* jac) {
    (void)v;
    attraction_field field;
    attraction_at(x, rest, &field);
    const real across = field.potential, along = field.potential * field.along;
    for (int i = 0; i < 3; i++) {
        load[i] = -field.potential / field.r * (field.d[i] / field.r);
        jac->n[i] = field.n[i];
    }
    jac->across = across > 0 ? (real)sqrt(across) / field.r : 0;
    jac->along = along > 0 ? (real)sqrt(along) / field.r : 0;
    return -field.potential * (3 - field.inside) / 2;
}

TAUT_FN void attraction_add_force(const real* load, int slot, real f[3]) {
    (void)slot;
    vec3_axpy(1, load, f);
}

/* dphi and lam have no values and are not touched. */
TAUT_FN void attraction_apply_jacobian(const attraction_jacobian* jac, const real dx[1][3], real* dphi) {
    (void)jac, (void)dx, (void)dphi;
}

TAUT_FN void attraction_apply_jacobian_transpose(const attraction_jacobian* jac, const real* lam, int slot, real f[3]) {
    (void)jac, (void)lam, (void)slot, (void)f;
}

/* lam[0] = s >= 0 */
TAUT_FN void attraction_factor(const attraction_jacobian* jac, const real* lam, attraction_stiffness* k) {
    const real scale = lam[0] > 0 ? (real)sqrt(lam[0]) : 0;
    k->across = scale * jac->across;
    k->along = scale * jac->along;
}

/* out += across (I - n n^T) u + along n n^T u */
TAUT_FN void attraction_apply(const real n[3], real across, real along, const real u[3], real out[3]) {
    vec3_axpy(across, u, out);
    vec3_axpy((along - across) * vec3_dot(n, u), n, out);
}

TAUT_FN void attraction_apply_factor(const attraction_jacobian* jac, const attraction_stiffness* k, const real dx[1][3],
                                     real rows[3]) {
    rows[0] = rows[1] = rows[2] = 0;
    attraction_apply(jac->n, k->across, k->along, dx[0], rows);
}

TAUT_FN void attraction_apply_factor_transpose(const attraction_jacobian* jac, const attraction_stiffness* k,
                                               const real rows[3], int slot, real f[3]) {
    (void)slot;
    attraction_apply(jac->n, k->across, k->along, rows, f);
}

/* lam is not used and may be NULL. */
TAUT_FN void attraction_curvature(const real x[1][3], const real* rest, const real* lam, const real dx[1][3],
                                  real df[1][3]) {
    (void)lam;
    attraction_field field;
    attraction_at(x, rest, &field);
    const real k = field.potential / field.r / field.r;
    attraction_apply(field.n, -k, -k * field.along, dx[0], df[0]);
}

#endif
