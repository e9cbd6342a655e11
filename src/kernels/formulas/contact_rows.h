/* Contact of two things that meet in one place: a normal from the second to the first, and two tangents square to it.
 *
 * Either thing is a sum of points with weights, and may have a frame with an arm r in the axes of the world:
 *   d   = sum_i w_i x_i + theta4 x r4 - theta5 x r5     slots 0..3 are points, weights of the second thing negative
 *   phi = (n, t, n x t).d - offset                      m; offsets make the first the gap and the others 0 when found
 *   J   : dphi = (n, t, n x t).( sum_i w_i dx_i + dtheta4 x r4 - dtheta5 x r5 )
 * with theta the rotation vector of a frame since the contact was found. Slots without use have weight or arm 0 and any
 * node. Root: none.
 *
 * Directions and arms are those of the moment in which the contact was found, so that J is constant until the next one
 * is looked for, and G = 0. What rolls meets the other thing in a place that stays below its centre, not in one that
 * turns with it: an arm that did would give the force along the normal a couple, and the ball a gap that it has not.
 * Curvature of what touches, of the second order in theta, is that of the next narrow phase. */
#ifndef TAUT_FORMULAS_CONTACT_ROWS_H
#define TAUT_FORMULAS_CONTACT_ROWS_H

#include "kernels/formulas/rotation_math.h"

#include <stdbool.h>

#define contact_NODES       6 /* points, and frames in slots 4 and 5 */
#define contact_ROWS        3
#define contact_FACTOR_ROWS 0
#define contact_REST        28 /* normal, tangent, offsets, weights, arms, orientations of the frames when found, curve */
#define contact_AUX         0
#define contact_STATE       4
#define contact_FRAMES      48
#define contact_MOVES       0

/* Places of them in `rest`. */
enum {
    contact_normal = 0,
    contact_tangent = 3,
    contact_offset = 6,
    contact_weight = 9,
    contact_arm = 13,
    contact_turn = 19,
    contact_curve = 27 /* m/s: of stages/contact/collide_curved.h */
};

typedef struct contact_jacobian {
    real normal[3];
    real tangent[3];
    real weight[4];
    real arm[2][3]; /* of the second thing negative */
} contact_jacobian;

typedef struct contact_stiffness {
    real unused;
} contact_stiffness;

/* Components along the normal and both tangents. */
TAUT_FN void contact_axes_split(const real normal[3], const real tangent[3], const real v[3], real out[3]) {
    real second[3];
    vec3_cross(normal, tangent, second);
    out[0] = vec3_dot(normal, v);
    out[1] = vec3_dot(tangent, v);
    out[2] = vec3_dot(second, v);
}

TAUT_FN void contact_split(const contact_jacobian* jac, const real v[3], real out[3]) {
    contact_axes_split(jac->normal, jac->tangent, v, out);
}

/* out += the vector with these components */
TAUT_FN void contact_axes_join(const real normal[3], const real tangent[3], const real lam[3], real out[3]) {
    real second[3];
    vec3_cross(normal, tangent, second);
    vec3_axpy(lam[0], normal, out);
    vec3_axpy(lam[1], tangent, out);
    vec3_axpy(lam[2], second, out);
}

TAUT_FN void contact_join(const contact_jacobian* jac, const real lam[3], real out[3]) {
    contact_axes_join(jac->normal, jac->tangent, lam, out);
}

/* out += theta x arm, theta the rotation vector from an orientation to another one. */
TAUT_FN void contact_add_turn(const real from[4], const real to[4], const real arm[3], real out[3]) {
    real inverse[4], turn[4], theta[3], moved[3];
    quat_conjugate(from, inverse);
    quat_multiply(to, inverse, turn);
    quat_log(turn, theta);
    vec3_cross(theta, arm, moved);
    vec3_axpy(1, moved, out);
}

TAUT_FN void contact_evaluate(const real x[6][4], const real* rest, real phi[3], contact_jacobian* jac) {
    real d[3] = {0, 0, 0};
    for (int i = 0; i < 3; i++) {
        jac->normal[i] = rest[contact_normal + i];
        jac->tangent[i] = rest[contact_tangent + i];
        jac->arm[0][i] = rest[contact_arm + i];
        jac->arm[1][i] = -rest[contact_arm + 3 + i];
    }
    for (int i = 0; i < 4; i++) {
        jac->weight[i] = rest[contact_weight + i];
        vec3_axpy(jac->weight[i], x[i], d);
    }
    for (int side = 0; side < 2; side++) {
        const real* arm = jac->arm[side];
        if (arm[0] != 0 || arm[1] != 0 || arm[2] != 0) {
            contact_add_turn(rest + contact_turn + 4 * side, x[4 + side], arm, d);
        }
    }
    contact_split(jac, d, phi);
    for (int r = 0; r < 3; r++) {
        phi[r] -= rest[contact_offset + r];
    }
}

TAUT_FN void contact_apply_jacobian(const contact_jacobian* jac, const real dx[6][3], real dphi[3]) {
    real u[3] = {0, 0, 0}, turned[3];
    for (int i = 0; i < 4; i++) {
        vec3_axpy(jac->weight[i], dx[i], u);
    }
    for (int side = 0; side < 2; side++) {
        vec3_cross(dx[4 + side], jac->arm[side], turned);
        vec3_axpy(1, turned, u);
    }
    contact_split(jac, u, dphi);
}

TAUT_FN void contact_apply_jacobian_transpose(const contact_jacobian* jac, const real lam[3], int slot, real f[3]) {
    real force[3] = {0, 0, 0}, moment[3];
    contact_join(jac, lam, force);
    if (slot < 4) {
        const real weight = slot == 0   ? jac->weight[0]
                            : slot == 1 ? jac->weight[1]
                            : slot == 2 ? jac->weight[2]
                                        : jac->weight[3];
        vec3_axpy(weight, force, f);
    } else {
        vec3_cross(slot == 4 ? jac->arm[0] : jac->arm[1], force, moment);
        vec3_axpy(1, moment, f);
    }
}

TAUT_FN void contact_factor(const contact_jacobian* jac, const real lam[3], contact_stiffness* k) {
    (void)jac, (void)lam;
    k->unused = 0;
}

TAUT_FN void contact_apply_factor(const contact_jacobian* jac, const contact_stiffness* k, const real dx[6][3],
                                  real* rows) {
    (void)jac, (void)k, (void)dx, (void)rows;
}

TAUT_FN void contact_apply_factor_transpose(const contact_jacobian* jac, const contact_stiffness* k, const real* rows,
                                            int slot, real f[3]) {
    (void)jac, (void)k, (void)rows, (void)slot, (void)f;
}

TAUT_FN void contact_curvature(const real x[6][4], const real* rest, const real lam[3], const real dx[6][3],
                               real df[6][3]) {
    (void)x, (void)rest, (void)lam, (void)dx, (void)df;
}

#endif
