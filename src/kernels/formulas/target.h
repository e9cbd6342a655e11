/* Attachment of a point to a target that may move.
 *
 *   phi = x0 - target(t)                               3 rows, m
 *   J   = I,  G = 0,  d(phi)/dt at fixed x = -(velocity of the target) */
#ifndef TAUT_FORMULAS_TARGET_H
#define TAUT_FORMULAS_TARGET_H

#include "base/small_math.h"

#define target_NODES       1
#define target_ROWS        3
#define target_FACTOR_ROWS 0
#define target_REST        3 /* target */
#define target_AUX         1
#define target_STATE       3 /* values per node that evaluate reads */
#define target_FRAMES      0 /* slots that are frames, as bits */
#define target_MOVES       3 /* leading rest values that may move by themselves */

typedef struct target_jacobian {
    real unused; /* J is constant; C has no empty structs */
} target_jacobian;

typedef struct target_stiffness {
    real unused;
} target_stiffness;

TAUT_FN void target_evaluate(const real x[1][3], const real* rest, real phi[3], target_jacobian* jac) {
    jac->unused = 0;
    vec3_sub(x[0], rest, phi);
}

TAUT_FN void target_apply_jacobian(const target_jacobian* jac, const real dx[1][3], real dphi[3]) {
    (void)jac;
    for (int i = 0; i < 3; i++) {
        dphi[i] = dx[0][i];
    }
}

TAUT_FN void target_apply_jacobian_transpose(const target_jacobian* jac, const real lam[3], int slot, real f[3]) {
    (void)jac, (void)slot;
    vec3_axpy(1, lam, f);
}

TAUT_FN void target_factor(const target_jacobian* jac, const real lam[3], target_stiffness* k) {
    (void)jac, (void)lam;
    k->unused = 0;
}

TAUT_FN void target_apply_factor(const target_jacobian* jac, const target_stiffness* k, const real dx[1][3],
                                 real* rows) {
    (void)jac, (void)k, (void)dx, (void)rows;
}

TAUT_FN void target_apply_factor_transpose(const target_jacobian* jac, const target_stiffness* k, const real* rows,
                                           int slot, real f[3]) {
    (void)jac, (void)k, (void)rows, (void)slot, (void)f;
}

TAUT_FN void target_curvature(const real x[1][3], const real* rest, const real lam[3], const real dx[1][3],
                              real df[1][3]) {
    (void)x, (void)rest, (void)lam, (void)dx, (void)df;
}

#endif
