/* Rotations for the formulas: unit quaternions (w, x, y, z) that take body axes to world axes, and rotation vectors.
 *
 * A frame moves by a small rotation vector theta in world axes: q' = exp(theta) q, and a vector r fixed in it by
 * dr = theta x r. Forces on frames are torques in world axes.
 *
 * Relative rotation. psi = log(conj(q0) q1) turns the axes of frame 0 into those of frame 1, seen from either. With
 * E1 the matrix of q1 and theta = theta1 - theta0,
 *   conj(q0') q1' = conj(q0) exp(theta1 - theta0) q1 = conj(q0) q1 exp(E1^T theta)          to first order, so
 *   dpsi = K(-psi) E1^T theta,   K(psi) = I - [psi]x / 2 + c [psi]x^2,   c = (1 - a cot(a)) / |psi|^2,  a = |psi| / 2
 * where K(-psi) and its transpose K(psi) are the inverses of the right and the left Jacobian of exp. c is 1/12 at 0 and
 * 1/pi^2 at a half turn. Multipliers lam of psi therefore are the torque E1 K(psi) lam on frame 1, and its opposite on
 * frame 0. */
#ifndef TAUT_FORMULAS_ROTATION_MATH_H
#define TAUT_FORMULAS_ROTATION_MATH_H

#include "base/small_math.h"

/* ---- quaternions ---------------------------------------------------------------------------------------------- */

/* out = a b: first b, then a. `out` may be a or b. */
TAUT_FN void quat_multiply(const real a[4], const real b[4], real out[4]) {
    const real w = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    const real x = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    const real y = a[0] * b[2] + a[2] * b[0] + a[3] * b[1] - a[1] * b[3];
    const real z = a[0] * b[3] + a[3] * b[0] + a[1] * b[2] - a[2] * b[1];
    out[0] = w;
    out[1] = x;
    out[2] = y;
    out[3] = z;
}

/* out = conj(a) b: what turns the axes of a into those of b, in the axes of a. */
TAUT_FN void quat_between(const real a[4], const real b[4], real out[4]) {
    const real inverse[4] = {a[0], -a[1], -a[2], -a[3]};
    quat_multiply(inverse, b, out);
}

TAUT_FN void quat_conjugate(const real q[4], real out[4]) {
    out[0] = q[0];
    out[1] = -q[1];
    out[2] = -q[2];
    out[3] = -q[3];
}

/* out = v, given in the body's axes, in the world's: v + w t + n x t with t = 2 n x v and n the vector part of q. */
TAUT_FN void quat_rotate(const real q[4], const real v[3], real out[3]) {
    real t[3], nt[3];
    vec3_cross(q + 1, v, t);
    vec3_cross(q + 1, t, nt);
    for (int i = 0; i < 3; i++) {
        out[i] = v[i] + 2 * (q[0] * t[i] + nt[i]);
    }
}

/* e[k] = image of the unit axis k: column k of the rotation matrix. */
TAUT_FN void quat_axes(const real q[4], real e[3][3]) {
    const real xx = q[1] * q[1], yy = q[2] * q[2], zz = q[3] * q[3];
    const real yz = q[2] * q[3], zx = q[3] * q[1], xy = q[1] * q[2];
    const real wx = q[0] * q[1], wy = q[0] * q[2], wz = q[0] * q[3];
    e[0][0] = 1 - 2 * (yy + zz);
    e[0][1] = 2 * (xy + wz);
    e[0][2] = 2 * (zx - wy);
    e[1][0] = 2 * (xy - wz);
    e[1][1] = 1 - 2 * (zz + xx);
    e[1][2] = 2 * (yz + wx);
    e[2][0] = 2 * (zx + wy);
    e[2][1] = 2 * (yz - wx);
    e[2][2] = 1 - 2 * (xx + yy);
}

/* Length of q; out = q / length, or the identity where the length vanishes. `out` may be q. The largest value is
 * divided out first, so that squares neither overflow nor vanish. */
TAUT_FN real quat_normalise(const real q[4], real out[4]) {
    real largest = 0, squares = 0;
    for (int i = 0; i < 4; i++) {
        const real size = (real)fabs(q[i]);
        largest = size > largest ? size : largest;
    }
    if (!(largest > 0)) {
        out[0] = 1;
        out[1] = out[2] = out[3] = 0;
        return 0;
    }
    for (int i = 0; i < 4; i++) {
        out[i] = q[i] / largest;
        squares += out[i] * out[i];
    }
    const real length = (real)sqrt(squares);
    for (int i = 0; i < 4; i++) {
        out[i] /= length;
    }
    return length * largest;
}

/* Quaternion of the rotation with the columns e. Every row of 4 q q^T is q up to a factor; with R = (e0 e1 e2) it is
 * made of sums of values of R. The row with the largest diagonal, which is 1 or more, loses no digits. */
TAUT_FN void quat_of_axes(const real e[3][3], real out[4]) {
    const real wx = e[1][2] - e[2][1], wy = e[2][0] - e[0][2], wz = e[0][1] - e[1][0];
    const real yz = e[1][2] + e[2][1], zx = e[2][0] + e[0][2], xy = e[0][1] + e[1][0];
    const real rows[4][4] = {{1 + e[0][0] + e[1][1] + e[2][2], wx, wy, wz},
                             {wx, 1 + e[0][0] - e[1][1] - e[2][2], xy, zx},
                             {wy, xy, 1 - e[0][0] + e[1][1] - e[2][2], yz},
                             {wz, zx, yz, 1 - e[0][0] - e[1][1] + e[2][2]}};
    int best = 0;
    for (int i = 1; i < 4; i++) {
        best = rows[i][i] > rows[best][best] ? i : best;
    }
    quat_normalise(rows[best], out);
}

/* Rotation vector of the unit quaternion q by the shorter way: of q and -q, which are one rotation, the one with
 * w >= 0. Its length is at most pi. Of two ways that are equally short, w = 0, it takes that of the vector part.
 * Below 1e-15 the factor atan2(s, w) / s is 1 to rounding. */
TAUT_FN void quat_log(const real q[4], real out[3]) {
    const real sign = q[0] < 0 ? -1 : 1;
    const real s = (real)sqrt(vec3_dot(q + 1, q + 1));
    const real factor = s > (real)1e-15 ? 2 * (real)atan2(s, sign * q[0]) / s : 2;
    for (int i = 0; i < 3; i++) {
        out[i] = sign * factor * q[1 + i];
    }
}

/* Unit quaternion of a rotation vector of any length. */
TAUT_FN void quat_exp(const real v[3], real out[4]) {
    const real angle = (real)sqrt(vec3_dot(v, v));
    const real factor = angle > (real)1e-15 ? (real)sin(angle / 2) / angle : (real)0.5;
    out[0] = (real)cos(angle / 2);
    for (int i = 0; i < 3; i++) {
        out[1 + i] = factor * v[i];
    }
}

/* ---- relative rotation ---------------------------------------------------------------------------------------- */

/* c and its derivative c' / |psi| at the squared angle |psi|^2, |psi| <= pi.
 *
 * In closed form c' / |psi| = (a^2 / sin(a)^2 + a cot(a) - 2) / |psi|^4, a = |psi| / 2. Both lose digits to
 * cancellation towards 0, eps / |psi|^2 and eps / |psi|^4; below |psi|^2 = 0.4, where both branches are good to some
 * 1e-15 and 2e-14, there is the series of (1 - a cot(a)) / |psi|^2, whose terms shrink by |psi|^2 / (2 pi)^2 each. */
TAUT_FN void relative_coefficients(real squared, real* c, real* slope) {
    if (squared < (real)0.4) {
        const real s = squared;
        const real c0 = (real)(1.0 / 12), c1 = (real)(1.0 / 720), c2 = (real)(1.0 / 30240);
        const real c3 = (real)(1.0 / 1209600), c4 = (real)(1.0 / 47900160), c5 = (real)(691.0 / 1307674368000.0);
        const real c6 = (real)(1.0 / 74724249600.0);
        *c = c0 + s * (c1 + s * (c2 + s * (c3 + s * (c4 + s * (c5 + s * c6)))));
        *slope = 2 * (c1 + s * (2 * c2 + s * (3 * c3 + s * (4 * c4 + s * (5 * c5 + s * (6 * c6))))));
        return;
    }
    const real a = (real)sqrt(squared) / 2;
    const real over_sine = a / (real)sin(a);
    const real cotangent = over_sine * (real)cos(a);
    *c = (1 - cotangent) / squared;
    *slope = (over_sine * over_sine + cotangent - 2) / (squared * squared);
}

/* out = K(sign psi) v = v - sign psi x v / 2 + c psi x (psi x v) */
TAUT_FN void relative_apply(const real psi[3], real c, real sign, const real v[3], real out[3]) {
    real once[3], twice[3];
    vec3_cross(psi, v, once);
    vec3_cross(psi, once, twice);
    for (int i = 0; i < 3; i++) {
        out[i] = v[i] - sign / 2 * once[i] + c * twice[i];
    }
}

/* out = sum_k v_k e_k: from the frame's axes to the world's. */
TAUT_FN void axes_apply(const real e[3][3], const real v[3], real out[3]) {
    for (int i = 0; i < 3; i++) {
        out[i] = v[0] * e[0][i] + v[1] * e[1][i] + v[2] * e[2][i];
    }
}

/* psi of the frames q0 and q1, e = axes of q1, and c. */
TAUT_FN void relative_rotation(const real q0[4], const real q1[4], real psi[3], real e[3][3], real* c, real* slope) {
    real between[4];
    quat_between(q0, q1, between);
    quat_log(between, psi);
    quat_axes(q1, e);
    relative_coefficients(vec3_dot(psi, psi), c, slope);
}

/* Torque on frame 1 of multipliers lam of psi, and with unit vectors for lam the rows of its Jacobian:
 * torque = E1 K(psi) lam. */
TAUT_FN void relative_torque(const real psi[3], const real e[3][3], real c, const real lam[3], real torque[3]) {
    real local[3];
    relative_apply(psi, c, 1, lam, local);
    axes_apply(e, local, torque);
}

/* out += change of that torque as the frames turn by theta0 and theta1, with w = K(psi) lam, s = c' / |psi|:
 *   theta1 x (E1 w) + E1 dw
 *   dw = -dpsi x lam / 2 + c (dpsi x (psi x lam) + psi x (dpsi x lam)) + s (psi.dpsi) psi x (psi x lam) */
TAUT_FN void relative_torque_change(const real q0[4], const real q1[4], const real lam[3], const real theta0[3],
                                    const real theta1[3], real out[3]) {
    real psi[3], e[3][3], c, slope, theta[3], local[3], dpsi[3], torque[3], turned[3];
    relative_rotation(q0, q1, psi, e, &c, &slope);
    vec3_sub(theta1, theta0, theta);
    for (int k = 0; k < 3; k++) {
        local[k] = vec3_dot(e[k], theta);
    }
    relative_apply(psi, c, -1, local, dpsi);

    real psi_lam[3], dpsi_lam[3], twice[3], first[3], second[3], dw[3];
    vec3_cross(psi, lam, psi_lam);
    vec3_cross(dpsi, lam, dpsi_lam);
    vec3_cross(psi, psi_lam, twice);
    vec3_cross(dpsi, psi_lam, first);
    vec3_cross(psi, dpsi_lam, second);
    const real stretch = slope * vec3_dot(psi, dpsi);
    for (int i = 0; i < 3; i++) {
        dw[i] = -dpsi_lam[i] / 2 + c * (first[i] + second[i]) + stretch * twice[i];
    }

    relative_torque(psi, e, c, lam, torque);
    vec3_cross(theta1, torque, turned);
    vec3_axpy(1, turned, out);
    axes_apply(e, dw, turned);
    vec3_axpy(1, turned, out);
}

/* ---- turning arms --------------------------------------------------------------------------------------------- */

/* m += s ( sym(arm force^T) - (arm.force) I ), m as {xx, yy, zz, yz, zx, xy}, sym(a b^T) = (a b^T + b a^T) / 2.
 * As a form in theta this is s force.(theta x (theta x arm)): the geometric stiffness of a force that is constant in
 * the world and acts at an arm fixed in a frame. */
TAUT_FN void sym3_add_turn(real s, const real arm[3], const real force[3], real m[6]) {
    const real trace = vec3_dot(arm, force);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        m[i] += s * (arm[i] * force[i] - trace);
        m[3 + i] += s / 2 * (arm[j] * force[k] + arm[k] * force[j]);
    }
}

#endif
