/* Relative rotation of two frames as a rotation vector: bending and twisting of rods, clamps.
 *
 *   psi = log(conj(q0) q1),  phi = psi - rest            3 rows, rad; from the axes of frame 0, which are those of
 *                                                        frame 1 as far as psi is concerned
 *   J   : dphi = T (theta1 - theta0),  T = K(-psi) E1^T  rotation_math.h
 *
 * Row k of T is the torque on frame 1 of a unit multiplier k, E1 K(psi) e_k.
 *
 * Root: none. The second derivative of psi in the relative rotation is zero at psi = 0 and about
 * -theta x (psi x theta) / 6 nearby: G is small against the stiffness of a rod whose pieces turn little against one
 * another.
 *
 * psi jumps by a whole turn where |psi| reaches pi: rest values near pi have no use. Everything stays finite there. */
#ifndef TAUT_FORMULAS_ALIGNMENT_H
#define TAUT_FORMULAS_ALIGNMENT_H

#include "kernels/formulas/rotation_math.h"

#define alignment_NODES       2
#define alignment_ROWS        3
#define alignment_FACTOR_ROWS 0
#define alignment_REST        3 /* rest rotation vector */
#define alignment_AUX         0
#define alignment_STATE       4 /* values per node that evaluate reads */
#define alignment_FRAMES      3 /* slots that are frames, as bits */
#define alignment_MOVES       3 /* leading rest values that may move by themselves */

typedef struct alignment_jacobian {
    real t[3][3]; /* rows of T */
} alignment_jacobian;

typedef struct alignment_stiffness {
    real unused;
} alignment_stiffness;

TAUT_FN void alignment_evaluate(const real x[2][4], const real* rest, real phi[3], alignment_jacobian* jac) {
    real psi[3], e[3][3], c, slope;
    relative_rotation(x[0], x[1], psi, e, &c, &slope);
    for (int k = 0; k < 3; k++) {
        real unit[3] = {0};
        unit[k] = 1;
        relative_torque(psi, e, c, unit, jac->t[k]);
    }
    vec3_sub(psi, rest, phi);
}

TAUT_FN void alignment_apply_jacobian(const alignment_jacobian* jac, const real dx[2][3], real dphi[3]) {
    real theta[3];
    vec3_sub(dx[1], dx[0], theta);
    for (int k = 0; k < 3; k++) {
        dphi[k] = vec3_dot(jac->t[k], theta);
    }
}

TAUT_FN void alignment_apply_jacobian_transpose(const alignment_jacobian* jac, const real lam[3], int slot, real f[3]) {
    const real sign = slot == 0 ? -1 : 1;
    for (int k = 0; k < 3; k++) {
        vec3_axpy(sign * lam[k], jac->t[k], f);
    }
}

TAUT_FN void alignment_factor(const alignment_jacobian* jac, const real lam[3], alignment_stiffness* k) {
    (void)jac, (void)lam;
    k->unused = 0;
}

TAUT_FN void alignment_apply_factor(const alignment_jacobian* jac, const alignment_stiffness* k, const real dx[2][3],
                                    real* rows) {
    (void)jac, (void)k, (void)dx, (void)rows;
}

TAUT_FN void alignment_apply_factor_transpose(const alignment_jacobian* jac, const alignment_stiffness* k,
                                              const real* rows, int slot, real f[3]) {
    (void)jac, (void)k, (void)rows, (void)slot, (void)f;
}

TAUT_FN void alignment_curvature(const real x[2][4], const real* rest, const real lam[3], const real dx[2][3],
                                 real df[2][3]) {
    (void)rest;
    real torque[3] = {0};
    relative_torque_change(x[0], x[1], lam, dx[0], dx[1], torque);
    vec3_axpy(-1, torque, df[0]);
    vec3_axpy(1, torque, df[1]);
}

#endif
