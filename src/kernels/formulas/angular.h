/* One relative rotation of two frames. Four ways to measure it, chosen by rest[1]; all depend on the frames' relative
 * rotation only, so that all have
 *   J   : dphi = t.(theta1 - theta0),   torques lam t on frame 1 and -lam t on frame 0
 *
 * 0, cosine: u fixed in frame 0, v in frame 1, u0 = R0 u, v1 = R1 v:
 *   phi = u0.v1 - rest                                   1
 *   t   = v1 x u0
 *
 * 1, angle about an axis: unit vectors u and axis of frame 0, square to each other, v of frame 1, w0 = axis0 x u0:
 *   phi = atan2(Y, X) + 2 pi n - rest                    rad,   X = u0.v1,  Y = w0.v1
 *   t   = (X v1 x w0 - Y v1 x u0) / (X^2 + Y^2)
 * with whole turns n counted as they are made: the angle is the one that is nearest to rest[11], which
 * stages/integrate.h moves on with the bodies; 0 of it stands for angles in (-pi, pi].
 * v along the axis has no angle. Below X^2 + Y^2 = 1e-12, t = axis0, which is what t is wherever v is square to the
 * axis, so that the constraint still turns about its axis; above, |t| stays below 2e6.
 *
 * 2, a component of the rotation vector between the joint's axes f0 in frame 0 and f1 in frame 1:
 *   phi = psi_k - rest,  psi = log(conj(q0 f0) (q1 f1))  rad
 *   t   = E1 K(psi) e_k                                  rotation_math.h, with q0 f0 and q1 f1 as the frames
 *
 * 3, the twist about x that is left of the rotation p = conj(q0 f0) (q1 f1) = (w, x, y, z) between these axes where the
 * shortest turn that leads from one axis x to the other is undone:
 *   phi = 2 atan2(x, w) - rest                           rad, w >= 0: in [-pi, pi]
 *   t   = E0 (1, (w z + x y) / s, (x z - w y) / s),  s = w^2 + x^2,  E0 the axes of q0 f0
 * Axes x that point opposite ways have no twist: below s = 1e-12, t = E0 e_x.
 *
 * Root. Along theta1 - theta0 = theta the cosine has the second derivative u0.(theta x (theta x v1)), hence
 *   G = lam ( sym(u0 v1^T) - (u0.v1) I ),   R = sqrt(positive part of -G),  rows = R (theta1 - theta0)
 * which at right angles is lam sym(u0 v1^T), of the size of the multiplier. The others have R = 0. The second
 * derivative of 1 and 2 vanishes where it would matter: for the angle it is (theta.(axis0 x v1)) (theta.v1) while v is
 * square to the axis, zero as soon as one of these two is, and above all for turns about the axis, which are what the
 * other rows of a hinge leave free; for the rotation vector it is zero at psi = 0 and of order lam |psi| |theta|^2 / 6
 * nearby. A twist is limited, not held, and in most steps has no multiplier. */
#ifndef TAUT_FORMULAS_ANGULAR_H
#define TAUT_FORMULAS_ANGULAR_H

#include "kernels/formulas/rotation_math.h"

#define angular_NODES       2
#define angular_ROWS        1
#define angular_FACTOR_ROWS 3
/* rest value, mode, then u (3), v (3), axis (3), the angle of the state and that of the start of the step; in modes 2
 * and 3: f0 (4), f1 (4), k of mode 2 */
#define angular_REST   13
#define angular_AUX    6 /* values of the Jacobian, at its end, that products do not use */
#define angular_STATE  4 /* values per node that evaluate reads */
#define angular_FRAMES 3 /* slots that are frames, as bits */
#define angular_MOVES  1 /* leading rest values that may move by themselves */

enum { TURN_COSINE, TURN_ANGLE, TURN_COMPONENT, TURN_TWIST }; /* modes */
enum { ANGLE_NOW = 11, ANGLE_START };                         /* places of mode 1 */

typedef struct angular_jacobian {
    real t[3];
    real u[3]; /* u0 and v1 of mode 0; else 0, which makes the root 0 */
    real v[3];
} angular_jacobian;

typedef struct angular_stiffness {
    real factor[6];
} angular_stiffness;

TAUT_FN int angular_mode(const real* rest) {
    return (int)(rest[1] + (real)0.5);
}

TAUT_FN bool counts_turns(const real* rest) {
    return angular_mode(rest) == TURN_ANGLE;
}

/* By whole turns to where it is nearest to `expected`: within (-pi, pi] of that. */
TAUT_FN real angle_nearest(real angle, real expected) {
    const real pi = (real)3.14159265358979323846;
    return angle - 2 * pi * (real)ceil((angle - expected - pi) / (2 * pi));
}

/* e_k of mode 2. */
TAUT_FN void angular_component(const real* rest, real unit[3]) {
    unit[0] = rest[10] < (real)0.5;
    unit[2] = rest[10] > (real)1.5;
    unit[1] = 1 - unit[0] - unit[2];
}

/* Mode 1: the values that its formula is made of. */
typedef struct frame_angle {
    real u[3], v[3], w[3], axis[3];
    real cosine, sine; /* X and Y: times the length of the part of v across the axis */
    real by_cosine[3]; /* v x u, gradient of X */
    real by_sine[3];   /* v x w, gradient of Y */
    real squared;      /* X^2 + Y^2, or 0 where v is along the axis */
} frame_angle;

TAUT_FN void frame_angle_make(const real x[2][4], const real* rest, frame_angle* a) {
    quat_rotate(x[0], rest + 2, a->u);
    quat_rotate(x[1], rest + 5, a->v);
    quat_rotate(x[0], rest + 8, a->axis);
    vec3_cross(a->axis, a->u, a->w);
    a->cosine = vec3_dot(a->u, a->v);
    a->sine = vec3_dot(a->w, a->v);
    vec3_cross(a->v, a->u, a->by_cosine);
    vec3_cross(a->v, a->w, a->by_sine);
    const real squared = a->cosine * a->cosine + a->sine * a->sine;
    a->squared = squared > (real)1e-12 ? squared : 0;
}

TAUT_FN void frame_angle_gradient(const frame_angle* a, real t[3]) {
    for (int i = 0; i < 3; i++) {
        t[i] = a->squared > 0 ? (a->cosine * a->by_sine[i] - a->sine * a->by_cosine[i]) / a->squared : a->axis[i];
    }
}

/* Mode 1: the angle of the state x, to which turns by the rotation vectors `turn` have led from the angle `before`. */
TAUT_FN real frame_angle_after(const real x[2][4], const real* rest, real before, const real turn[2][3]) {
    frame_angle a;
    real by[3];
    frame_angle_make(x, rest, &a);
    vec3_sub(turn[1], turn[0], by);
    return angle_nearest((real)atan2(a.sine, a.cosine), before + vec3_dot(a.axis, by));
}

/* Mode 3: the axes of the joint in frame 0, and the rotation from them to those in frame 1. */
typedef struct frame_twist {
    real axes[3][3];
    real w, v[3];   /* p */
    real squared;   /* s, or 0 where there is no twist */
    real torque[3]; /* t in these axes */
} frame_twist;

TAUT_FN void frame_twist_make(const real x[2][4], const real* rest, frame_twist* a) {
    real q0[4], q1[4], p[4];
    quat_multiply(x[0], rest + 2, q0);
    quat_multiply(x[1], rest + 6, q1);
    quat_between(q0, q1, p);
    quat_axes(q0, a->axes);
    const real sign = p[0] < 0 ? -1 : 1;
    a->w = sign * p[0];
    for (int i = 0; i < 3; i++) {
        a->v[i] = sign * p[1 + i];
    }
    const real squared = a->w * a->w + a->v[0] * a->v[0];
    a->squared = squared > (real)1e-12 ? squared : 0;
    const real scale = a->squared > 0 ? 1 / a->squared : 0;
    a->torque[0] = 1;
    a->torque[1] = scale * (a->w * a->v[2] + a->v[0] * a->v[1]);
    a->torque[2] = scale * (a->v[0] * a->v[2] - a->w * a->v[1]);
}

TAUT_FN real frame_twist_angle(const frame_twist* a) {
    return 2 * (real)atan2(a->v[0], a->w);
}

TAUT_FN void angular_evaluate(const real x[2][4], const real* rest, real phi[1], angular_jacobian* jac) {
    const int mode = angular_mode(rest);
    for (int i = 0; i < 3; i++) {
        jac->u[i] = jac->v[i] = 0;
    }
    if (mode == TURN_COSINE) {
        quat_rotate(x[0], rest + 2, jac->u);
        quat_rotate(x[1], rest + 5, jac->v);
        vec3_cross(jac->v, jac->u, jac->t);
        phi[0] = vec3_dot(jac->u, jac->v) - rest[0];
    } else if (mode == TURN_ANGLE) {
        frame_angle a;
        frame_angle_make(x, rest, &a);
        frame_angle_gradient(&a, jac->t);
        phi[0] = angle_nearest((real)atan2(a.sine, a.cosine), rest[ANGLE_NOW]) - rest[0];
    } else if (mode == TURN_TWIST) {
        frame_twist a;
        frame_twist_make(x, rest, &a);
        axes_apply(a.axes, a.torque, jac->t);
        phi[0] = frame_twist_angle(&a) - rest[0];
    } else {
        real q0[4], q1[4], psi[3], e[3][3], c, slope, unit[3];
        quat_multiply(x[0], rest + 2, q0);
        quat_multiply(x[1], rest + 6, q1);
        relative_rotation(q0, q1, psi, e, &c, &slope);
        angular_component(rest, unit);
        relative_torque(psi, e, c, unit, jac->t);
        phi[0] = vec3_dot(psi, unit) - rest[0];
    }
}

TAUT_FN void angular_apply_jacobian(const angular_jacobian* jac, const real dx[2][3], real dphi[1]) {
    real theta[3];
    vec3_sub(dx[1], dx[0], theta);
    dphi[0] = vec3_dot(jac->t, theta);
}

TAUT_FN void angular_apply_jacobian_transpose(const angular_jacobian* jac, const real lam[1], int slot, real f[3]) {
    vec3_axpy(slot == 0 ? -lam[0] : lam[0], jac->t, f);
}

TAUT_FN void angular_factor(const angular_jacobian* jac, const real lam[1], angular_stiffness* k) {
    real stabilising[6] = {0};
    sym3_add_turn(-lam[0], jac->u, jac->v, stabilising);
    sym3_sqrt_positive(stabilising, k->factor);
}

/* out += s R v */
TAUT_FN void angular_across(const angular_stiffness* k, real s, const real v[3], real out[3]) {
    const real* r = k->factor;
    out[0] += s * (r[0] * v[0] + r[5] * v[1] + r[4] * v[2]);
    out[1] += s * (r[5] * v[0] + r[1] * v[1] + r[3] * v[2]);
    out[2] += s * (r[4] * v[0] + r[3] * v[1] + r[2] * v[2]);
}

TAUT_FN void angular_apply_factor(const angular_jacobian* jac, const angular_stiffness* k, const real dx[2][3],
                                  real rows[3]) {
    (void)jac;
    real theta[3];
    vec3_sub(dx[1], dx[0], theta);
    rows[0] = rows[1] = rows[2] = 0;
    angular_across(k, 1, theta, rows);
}

TAUT_FN void angular_apply_factor_transpose(const angular_jacobian* jac, const angular_stiffness* k, const real rows[3],
                                            int slot, real f[3]) {
    (void)jac;
    angular_across(k, slot == 0 ? -1 : 1, rows, f);
}

/* out += change of a x b, with a fixed in a frame that turns by ta and b in one that turns by tb. */
TAUT_FN void angular_cross_change(const real a[3], const real b[3], const real ta[3], const real tb[3], real out[3]) {
    real da[3], db[3], part[3];
    vec3_cross(ta, a, da);
    vec3_cross(tb, b, db);
    vec3_cross(da, b, part);
    vec3_axpy(1, part, out);
    vec3_cross(a, db, part);
    vec3_axpy(1, part, out);
}

/* dt of mode 1: with N = X A - Y B, A = v x w, B = v x u and D = X^2 + Y^2, so t = N / D and dX = B.theta,
 * dY = A.theta,
 *   dt = (dX A - dY B + X dA - Y dB) / D - 2 (X dX + Y dY) / D t */
TAUT_FN void frame_angle_change(const frame_angle* a, const real dx[2][3], real dt[3]) {
    if (!(a->squared > 0)) {
        vec3_cross(dx[0], a->axis, dt);
        return;
    }
    real theta[3], t[3], da[3] = {0}, db[3] = {0};
    vec3_sub(dx[1], dx[0], theta);
    frame_angle_gradient(a, t);
    angular_cross_change(a->v, a->w, dx[1], dx[0], da);
    angular_cross_change(a->v, a->u, dx[1], dx[0], db);
    const real dcosine = vec3_dot(a->by_cosine, theta), dsine = vec3_dot(a->by_sine, theta);
    const real dsquared = 2 * (a->cosine * dcosine + a->sine * dsine);
    for (int i = 0; i < 3; i++) {
        const real dn = dcosine * a->by_sine[i] - dsine * a->by_cosine[i] + a->cosine * da[i] - a->sine * db[i];
        dt[i] = (dn - dsquared * t[i]) / a->squared;
    }
}

/* dt of mode 3: with omega = E0^T theta, p changes by omega p / 2, and
 *   dt = theta0 x t + E0 (0, dn - ds n / s) / s,  n the numerators of t */
TAUT_FN void frame_twist_change(const frame_twist* a, const real dx[2][3], real dt[3]) {
    real theta[3], omega[3], t[3], dv[3], dtorque[3] = {0, 0, 0}, part[3];
    const real w = a->w, *v = a->v;
    vec3_sub(dx[1], dx[0], theta);
    for (int k = 0; k < 3; k++) {
        omega[k] = vec3_dot(a->axes[k], theta);
    }
    vec3_cross(omega, v, dv);
    const real dw = -vec3_dot(omega, v) / 2;
    for (int i = 0; i < 3; i++) {
        dv[i] = (dv[i] + w * omega[i]) / 2;
    }
    if (a->squared > 0) {
        const real ds = 2 * (w * dw + v[0] * dv[0]);
        const real first = dw * v[2] + w * dv[2] + dv[0] * v[1] + v[0] * dv[1];
        const real second = dv[0] * v[2] + v[0] * dv[2] - dw * v[1] - w * dv[1];
        dtorque[1] = (first - ds * a->torque[1]) / a->squared;
        dtorque[2] = (second - ds * a->torque[2]) / a->squared;
    }
    axes_apply(a->axes, a->torque, t);
    vec3_cross(dx[0], t, dt);
    axes_apply(a->axes, dtorque, part);
    vec3_axpy(1, part, dt);
}

TAUT_FN void angular_curvature(const real x[2][4], const real* rest, const real lam[1], const real dx[2][3],
                               real df[2][3]) {
    const int mode = angular_mode(rest);
    real dt[3] = {0};
    if (mode == TURN_COSINE) {
        real u[3], v[3];
        quat_rotate(x[0], rest + 2, u);
        quat_rotate(x[1], rest + 5, v);
        angular_cross_change(v, u, dx[1], dx[0], dt);
    } else if (mode == TURN_ANGLE) {
        frame_angle a;
        frame_angle_make(x, rest, &a);
        frame_angle_change(&a, dx, dt);
    } else if (mode == TURN_TWIST) {
        frame_twist a;
        frame_twist_make(x, rest, &a);
        frame_twist_change(&a, dx, dt);
    } else {
        real q0[4], q1[4], unit[3];
        quat_multiply(x[0], rest + 2, q0);
        quat_multiply(x[1], rest + 6, q1);
        angular_component(rest, unit);
        relative_torque_change(q0, q1, unit, dx[0], dx[1], dt);
    }
    vec3_axpy(-lam[0], dt, df[0]);
    vec3_axpy(lam[0], dt, df[1]);
}

#endif
