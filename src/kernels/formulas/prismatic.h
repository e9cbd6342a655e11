/* Offset of a point of body 1 from a point of body 0, along an axis of body 0. A body is a point x and a frame R.
 *
 *   e   = R0 axis,  r1 = R1 c1,  r0 = x1 + r1 - x0             arms from the centres to the point of body 1
 *   phi = e.(r0 - R0 c0) - rest = e.r0 - axis.c0 - rest        m
 *   u   = dx1 + theta1 x r1 - dx0 - theta0 x r0                velocity of that point as seen from body 0
 *   J   : dphi = e.u
 *
 * so that the force F = lam e acts on body 1 at its point, and -F at the same place on body 0: torques r1 x F and
 * -r0 x F. With F and the arms moving by
 *   dF = theta0 x F,   dr1 = theta1 x r1,   dr0 = dx1 + dr1 - dx0
 * the exact derivative of J^T lam follows by the product rule. It is not symmetric: torques in world axes are no
 * gradient.
 *
 * Root: none. Frames have stiffness in its place, from the forces and arms of prismatic_lever. Along constant dx, theta
 *   phi'' = e.( theta1 x (theta1 x r1) - theta0 x (theta0 x r0) ) + 2 (theta0 x e).u
 * and where the joint holds the points together, u = 0, the last term vanishes: there G = lam phi'' has no part but one
 * block per frame, that of a force constant in the world. (Of a single row, which holds only e.u = 0, and of a slider,
 * whose u is along its axis, 2 (theta0 x F).u remains and is left out: it couples the blocks and has both signs.) */
#ifndef TAUT_FORMULAS_PRISMATIC_H
#define TAUT_FORMULAS_PRISMATIC_H

#include "kernels/formulas/rotation_math.h"

#define prismatic_NODES       4 /* x0, R0, x1, R1 */
#define prismatic_ROWS        1
#define prismatic_FACTOR_ROWS 0
#define prismatic_REST        10 /* rest offset, axis in body 0 (unit), c0 in body 0, c1 in body 1 */
#define prismatic_AUX         0
#define prismatic_STATE       4  /* values per node that evaluate reads */
#define prismatic_FRAMES      10 /* slots that are frames, as bits */
#define prismatic_MOVES       1  /* leading rest values that may move by themselves */

typedef struct prismatic_jacobian {
    real e[3];
    real r0[3];
    real r1[3];
} prismatic_jacobian;

typedef struct prismatic_stiffness {
    real unused;
} prismatic_stiffness;

TAUT_FN void prismatic_evaluate(const real x[4][4], const real* rest, real phi[1], prismatic_jacobian* jac) {
    quat_rotate(x[1], rest + 1, jac->e);
    quat_rotate(x[3], rest + 7, jac->r1);
    vec3_sub(x[2], x[0], jac->r0);
    vec3_axpy(1, jac->r1, jac->r0);
    phi[0] = vec3_dot(jac->e, jac->r0) - vec3_dot(rest + 1, rest + 4) - rest[0];
}

TAUT_FN void prismatic_apply_jacobian(const prismatic_jacobian* jac, const real dx[4][3], real dphi[1]) {
    real u[3], turned[3];
    vec3_sub(dx[2], dx[0], u);
    vec3_cross(dx[3], jac->r1, turned);
    vec3_axpy(1, turned, u);
    vec3_cross(dx[1], jac->r0, turned);
    vec3_axpy(-1, turned, u);
    dphi[0] = vec3_dot(jac->e, u);
}

TAUT_FN void prismatic_apply_jacobian_transpose(const prismatic_jacobian* jac, const real lam[1], int slot, real f[3]) {
    real moment[3];
    if (slot == 0) {
        vec3_axpy(-lam[0], jac->e, f);
    } else if (slot == 2) {
        vec3_axpy(lam[0], jac->e, f);
    } else if (slot == 1) {
        vec3_cross(jac->r0, jac->e, moment);
        vec3_axpy(-lam[0], moment, f);
    } else {
        vec3_cross(jac->r1, jac->e, moment);
        vec3_axpy(lam[0], moment, f);
    }
}

TAUT_FN void prismatic_factor(const prismatic_jacobian* jac, const real lam[1], prismatic_stiffness* k) {
    (void)jac, (void)lam;
    k->unused = 0;
}

TAUT_FN void prismatic_apply_factor(const prismatic_jacobian* jac, const prismatic_stiffness* k, const real dx[4][3],
                                    real* rows) {
    (void)jac, (void)k, (void)dx, (void)rows;
}

TAUT_FN void prismatic_apply_factor_transpose(const prismatic_jacobian* jac, const prismatic_stiffness* k,
                                              const real* rows, int slot, real f[3]) {
    (void)jac, (void)k, (void)rows, (void)slot, (void)f;
}

/* Force on the frame at `slot`, and its arm; 0 at points. */
TAUT_FN void prismatic_lever(const prismatic_jacobian* jac, const real lam[1], int slot, real arm[3], real force[3]) {
    const real sign = slot == 1 ? -lam[0] : slot == 3 ? lam[0] : 0;
    for (int i = 0; i < 3; i++) {
        arm[i] = slot == 1 ? jac->r0[i] : jac->r1[i];
        force[i] = sign * jac->e[i];
    }
}

TAUT_FN void prismatic_curvature(const real x[4][4], const real* rest, const real lam[1], const real dx[4][3],
                                 real df[4][3]) {
    prismatic_jacobian jac;
    real phi[1], force[3] = {0}, dforce[3], dr0[3], dr1[3], moment[3];
    prismatic_evaluate(x, rest, phi, &jac);
    vec3_axpy(lam[0], jac.e, force);
    vec3_cross(dx[1], force, dforce);
    vec3_cross(dx[3], jac.r1, dr1);
    vec3_sub(dx[2], dx[0], dr0);
    vec3_axpy(1, dr1, dr0);

    vec3_axpy(-1, dforce, df[0]);
    vec3_axpy(1, dforce, df[2]);
    vec3_cross(dr0, force, moment);
    vec3_axpy(-1, moment, df[1]);
    vec3_cross(jac.r0, dforce, moment);
    vec3_axpy(-1, moment, df[1]);
    vec3_cross(dr1, force, moment);
    vec3_axpy(1, moment, df[3]);
    vec3_cross(jac.r1, dforce, moment);
    vec3_axpy(1, moment, df[3]);
}

#endif
