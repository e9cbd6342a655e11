/* The vector between two points in the axes of a frame: stretch and shear of a piece of rod.
 *
 *   d     = x1 - x0,  e_k = axis k of the frame
 *   phi_k = e_k.d - rest_k                                   3 rows, m
 *   u     = dx1 - dx0 - theta x d                            velocity of x1 against x0 as seen from the frame
 *   J     : dphi_k = e_k.u
 *
 * so that F = sum lam_k e_k acts on x1, -F on x0, and the torque -d x F on the frame. With dF = theta x F and
 * dd = dx1 - dx0 the derivative of J^T lam is exact:
 *   -dF,  dF,  -dd x F - d x dF
 *
 * Root: none. The frame has stiffness in its place, from the force and arm of segment_lever. Along constant dx, theta
 *   sum lam_k phi_k'' = -F.( theta x (theta x d) ) + 2 (theta x F).u
 * and u = 0 on the tangent space of the three rows, where G is this one block, that of -F constant in the world at the
 * arm d. Coincident points are nothing special. */
#ifndef TAUT_FORMULAS_SEGMENT_H
#define TAUT_FORMULAS_SEGMENT_H

#include "kernels/formulas/rotation_math.h"

#define segment_NODES       3 /* x0, x1, the frame */
#define segment_ROWS        3
#define segment_FACTOR_ROWS 0
#define segment_REST        3 /* rest vector in the frame's axes */
#define segment_AUX         0
#define segment_STATE       4 /* values per node that evaluate reads */
#define segment_FRAMES      4 /* slots that are frames, as bits */
#define segment_MOVES       0 /* leading rest values that may move by themselves */

typedef struct segment_jacobian {
    real e[3][3];
    real d[3];
} segment_jacobian;

typedef struct segment_stiffness {
    real unused;
} segment_stiffness;

TAUT_FN void segment_evaluate(const real x[3][4], const real* rest, real phi[3], segment_jacobian* jac) {
    quat_axes(x[2], jac->e);
    vec3_sub(x[1], x[0], jac->d);
    for (int k = 0; k < 3; k++) {
        phi[k] = vec3_dot(jac->e[k], jac->d) - rest[k];
    }
}

TAUT_FN void segment_apply_jacobian(const segment_jacobian* jac, const real dx[3][3], real dphi[3]) {
    real u[3], turned[3];
    vec3_sub(dx[1], dx[0], u);
    vec3_cross(dx[2], jac->d, turned);
    vec3_axpy(-1, turned, u);
    for (int k = 0; k < 3; k++) {
        dphi[k] = vec3_dot(jac->e[k], u);
    }
}

TAUT_FN void segment_apply_jacobian_transpose(const segment_jacobian* jac, const real lam[3], int slot, real f[3]) {
    real force[3], moment[3];
    axes_apply(jac->e, lam, force);
    if (slot == 2) {
        vec3_cross(jac->d, force, moment);
        vec3_axpy(-1, moment, f);
    } else {
        vec3_axpy(slot == 0 ? -1 : 1, force, f);
    }
}

TAUT_FN void segment_factor(const segment_jacobian* jac, const real lam[3], segment_stiffness* k) {
    (void)jac, (void)lam;
    k->unused = 0;
}

TAUT_FN void segment_apply_factor(const segment_jacobian* jac, const segment_stiffness* k, const real dx[3][3],
                                  real* rows) {
    (void)jac, (void)k, (void)dx, (void)rows;
}

TAUT_FN void segment_apply_factor_transpose(const segment_jacobian* jac, const segment_stiffness* k, const real* rows,
                                            int slot, real f[3]) {
    (void)jac, (void)k, (void)rows, (void)slot, (void)f;
}

/* Force on the frame, and its arm; 0 at points. */
TAUT_FN void segment_lever(const segment_jacobian* jac, const real lam[3], int slot, real arm[3], real force[3]) {
    axes_apply(jac->e, lam, force);
    for (int i = 0; i < 3; i++) {
        arm[i] = jac->d[i];
        force[i] = slot == 2 ? -force[i] : 0;
    }
}

TAUT_FN void segment_curvature(const real x[3][4], const real* rest, const real lam[3], const real dx[3][3],
                               real df[3][3]) {
    segment_jacobian jac;
    real phi[3], force[3], dforce[3], dd[3], moment[3];
    segment_evaluate(x, rest, phi, &jac);
    axes_apply(jac.e, lam, force);
    vec3_cross(dx[2], force, dforce);
    vec3_sub(dx[1], dx[0], dd);
    vec3_axpy(-1, dforce, df[0]);
    vec3_axpy(1, dforce, df[1]);
    vec3_cross(dd, force, moment);
    vec3_axpy(-1, moment, df[2]);
    vec3_cross(jac.d, dforce, moment);
    vec3_axpy(-1, moment, df[2]);
}

#endif
