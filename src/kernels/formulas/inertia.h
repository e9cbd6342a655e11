/* Mass of a mapped point. No constraint: no rows, no multiplier, three factor rows only.
 *
 * A mapped point y with Jacobian dy = Jy dq is no unknown, so its mass m is on no diagonal; it adds m Jy^T Jy to A,
 * which is not block diagonal. That is the shape of R^T R, and it is treated alike (model/layout.h, "Factor rows"):
 * further rows with unit compliance,
 *   Lh = sqrt(m) I   on dy,   unknowns s = -Lh dv
 * whose elimination gives M + Lh^T Lh. Here only the map on dy is written; the mapping itself follows outside.
 *
 * R does not depend on lam; lam[0] is the factor of M in A. */
#ifndef TAUT_FORMULAS_INERTIA_H
#define TAUT_FORMULAS_INERTIA_H

#include "base/small_math.h"

#define inertia_NODES       1
#define inertia_ROWS        0
#define inertia_FACTOR_ROWS 3
#define inertia_REST        1 /* mass, kg */
#define inertia_AUX         0
#define inertia_STATE       3 /* values per node that evaluate reads */
#define inertia_FRAMES      0 /* slots that are frames, as bits */
#define inertia_MOVES       0 /* leading rest values that may move by themselves */

typedef struct inertia_jacobian {
    real factor; /* sqrt(m) */
} inertia_jacobian;

typedef struct inertia_stiffness {
    real factor; /* square root of the factor of M in A */
} inertia_stiffness;

/* phi, dphi and lam have no values and are not touched. */
TAUT_FN void inertia_evaluate(const real x[1][3], const real* rest, real* phi, inertia_jacobian* jac) {
    (void)x, (void)phi;
    jac->factor = rest[0] > 0 ? (real)sqrt(rest[0]) : 0;
}

TAUT_FN void inertia_apply_jacobian(const inertia_jacobian* jac, const real dx[1][3], real* dphi) {
    (void)jac, (void)dx, (void)dphi;
}

TAUT_FN void inertia_apply_jacobian_transpose(const inertia_jacobian* jac, const real* lam, int slot, real f[3]) {
    (void)jac, (void)lam, (void)slot, (void)f;
}

TAUT_FN void inertia_factor(const inertia_jacobian* jac, const real* lam, inertia_stiffness* k) {
    (void)jac;
    k->factor = lam[0] > 0 ? (real)sqrt(lam[0]) : 0;
}

TAUT_FN void inertia_apply_factor(const inertia_jacobian* jac, const inertia_stiffness* k, const real dx[1][3],
                                  real rows[3]) {
    for (int i = 0; i < 3; i++) {
        rows[i] = jac->factor * k->factor * dx[0][i];
    }
}

TAUT_FN void inertia_apply_factor_transpose(const inertia_jacobian* jac, const inertia_stiffness* k, const real rows[3],
                                            int slot, real f[3]) {
    (void)slot;
    vec3_axpy(jac->factor * k->factor, rows, f);
}

TAUT_FN void inertia_curvature(const real x[1][3], const real* rest, const real* lam, const real dx[1][3],
                               real df[1][3]) {
    (void)x, (void)rest, (void)lam, (void)dx, (void)df;
}

#endif
