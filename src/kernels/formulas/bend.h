/* Dihedral angle of two triangles A = (x0, x1, x2) and B = (x1, x0, x3) on the edge e = x1 - x0.
 *
 *   NA = e x (x2 - x0) normalised,  NB = (x3 - x0) x e normalised
 *   theta = atan2( (NB x NA) . e/|e|, NA . NB ),  phi = theta - rest, wrapped to (-pi, pi]          rad
 *
 * A fold that passes pi goes on (bend_follow): what its force stands for says on which side it has come there. Else its
 * force would turn round in the midst of a step, and leave a whole turn of violation. It goes on by a quarter turn:
 * what is nearly flat again is flat, whichever way it came, so that no edge holds a whole turn.
 *
 * Each triangle has the foot s of its apex along the edge (apex = x0 + s e + height t, t in the plane and
 * perpendicular to e) and the barycentric gradients grad(lambda_k) = a_k t + b_k e/|e| with
 *   a = ( -(1-s), -s, 1 ) / height,   b = ( -1, 1, 0 ) / |e|     for (x0, x1, apex).
 *
 *   J: d(theta)/dx_k = sum over triangles of a_k N      (a rigid turn of the triangle about its edge)
 *
 * Second derivative. Let D_pq = p . sum_k dx_k (grad(lambda_k) . q) be the displacement gradient of a triangle in its
 * frame (t, e, N). Differentiating a_k N, with dN = -sum_k (N.dx_k) grad(lambda_k), gives per triangle, after the
 * antisymmetric parts of A and B have cancelled,
 *   d2(theta) = -2 D_tt D_Nt - 2 D_Ne (D_et + D_te / 2).
 * Both terms are products of independent components of D, so -lam d2(theta) has the spectral split
 *   2 a b = ((a + b)^2 - (a - b)^2) / 2,
 * and the root of its positive part is, with m = |(1, 1/2)| and z the sign of lam,
 *   sqrt(|lam| / 2) (D_tt + z D_Nt),   sqrt(|lam| m / 2) (D_Ne + z (D_et + D_te / 2) / m).
 *
 * An edge or a height of zero has no angle: its inverse is taken as 0, which leaves the constraint without effect. */
#ifndef TAUT_FORMULAS_BEND_H
#define TAUT_FORMULAS_BEND_H

#include "base/small_math.h"

#define bend_NODES       4
#define bend_ROWS        1
#define bend_FACTOR_ROWS 4
#define bend_REST        1 /* rest angle */
#define bend_AUX         0
#define bend_STATE       3 /* values per node that evaluate reads */
#define bend_FRAMES      0 /* slots that are frames, as bits */
#define bend_MOVES       0 /* leading rest values that may move by themselves */

typedef struct bend_side {
    real normal[3];
    real foot;
    real inverse_height;
} bend_side;

typedef struct bend_jacobian {
    real edge[3]; /* unit */
    real inverse_edge;
    bend_side side[2]; /* A with apex x2, B with apex x3 */
} bend_jacobian;

typedef struct bend_stiffness {
    real factor; /* sqrt(|lam| / 2) */
    real sign;
} bend_stiffness;

/* `orientation` is 1 for A, -1 for B. */
TAUT_FN void bend_side_make(const real e[3], real edge_squared, const real apex[3], real orientation, bend_side* side) {
    real n[3];
    vec3_cross(e, apex, n);
    const real area2 = vec3_normalise(n, side->normal);
    for (int i = 0; i < 3; i++) {
        side->normal[i] *= orientation;
    }
    const int usable = edge_squared > (real)1e-30 && area2 > (real)1e-12 * edge_squared;
    side->foot = usable ? vec3_dot(apex, e) / edge_squared : 0;
    side->inverse_height = usable ? (real)sqrt(edge_squared) / area2 : 0;
}

TAUT_FN real bend_wrap(real angle) {
    const real pi = (real)3.14159265358979323846;
    return angle > pi ? angle - 2 * pi : angle <= -pi ? angle + 2 * pi : angle;
}

/* The angle phi, or a whole turn beside it, whichever is nearer to `expected`; within 3/2 pi. */
TAUT_FN real bend_follow(real phi, real expected) {
    const real pi = (real)3.14159265358979323846;
    const real other = expected > phi ? phi + 2 * pi : phi - 2 * pi;
    const bool nearer = fabs(other - expected) < fabs(phi - expected);
    return nearer && fabs(other) <= pi + pi / 2 ? other : phi;
}

TAUT_FN void bend_evaluate(const real x[4][3], const real* rest, real phi[1], bend_jacobian* jac) {
    real e[3], a[3], b[3], turn[3];
    vec3_sub(x[1], x[0], e);
    vec3_sub(x[2], x[0], a);
    vec3_sub(x[3], x[0], b);
    const real length = vec3_normalise(e, jac->edge);
    const real squared = length * length;
    jac->inverse_edge = length > (real)1e-15 ? 1 / length : 0;
    bend_side_make(e, squared, a, 1, &jac->side[0]);
    bend_side_make(e, squared, b, -1, &jac->side[1]);
    vec3_cross(jac->side[1].normal, jac->side[0].normal, turn);
    const real theta = (real)atan2(vec3_dot(turn, jac->edge), vec3_dot(jac->side[0].normal, jac->side[1].normal));
    phi[0] = bend_wrap(theta - rest[0]);
}

/* a_k of node `slot` (0..3) on triangle `side`; 0 for the other triangle's apex. */
TAUT_FN real bend_across(const bend_side* side, int which, int slot) {
    if (slot == 0) {
        return (side->foot - 1) * side->inverse_height;
    }
    if (slot == 1) {
        return -side->foot * side->inverse_height;
    }
    return slot == which + 2 ? side->inverse_height : 0;
}

/* b_k of node `slot`; the edge direction only concerns the edge's own nodes. */
TAUT_FN real bend_along(const bend_jacobian* jac, int slot) {
    return slot == 0 ? -jac->inverse_edge : slot == 1 ? jac->inverse_edge : 0;
}

/* w = dx_apex - dx_0 - s (dx_1 - dx_0): sum_k a_k dx_k = w / height, in differences, which rounding hurts least. */
TAUT_FN void bend_relative(const bend_side* side, const real apex[3], const real dx0[3], const real u[3], real w[3]) {
    vec3_sub(apex, dx0, w);
    vec3_axpy(-side->foot, u, w);
}

TAUT_FN void bend_apply_jacobian(const bend_jacobian* jac, const real dx[4][3], real dphi[1]) {
    real u[3];
    vec3_sub(dx[1], dx[0], u);
    dphi[0] = 0;
    for (int which = 0; which < 2; which++) {
        const bend_side* side = &jac->side[which];
        real w[3];
        bend_relative(side, dx[which + 2], dx[0], u, w);
        dphi[0] += side->inverse_height * vec3_dot(side->normal, w);
    }
}

TAUT_FN void bend_apply_jacobian_transpose(const bend_jacobian* jac, const real lam[1], int slot, real f[3]) {
    for (int which = 0; which < 2; which++) {
        const bend_side* side = &jac->side[which];
        if (slot != 3 - which) { /* the other triangle's apex has no part */
            vec3_axpy(lam[0] * bend_across(side, which, slot), side->normal, f);
        }
    }
}

/* Unit vector in the plane of the triangle, from the edge towards its apex. */
TAUT_FN void bend_inward(const bend_jacobian* jac, int which, real t[3]) {
    vec3_cross(jac->side[which].normal, jac->edge, t);
    if (which == 1) {
        for (int i = 0; i < 3; i++) {
            t[i] = -t[i];
        }
    }
}

/* Displacement gradient of one triangle: its columns along t and e. */
TAUT_FN void bend_gradient(const bend_jacobian* jac, int which, const real dx[4][3], real along_t[3], real along_e[3]) {
    real u[3], w[3];
    vec3_sub(dx[1], dx[0], u);
    bend_relative(&jac->side[which], dx[which + 2], dx[0], u, w);
    for (int i = 0; i < 3; i++) {
        along_t[i] = jac->side[which].inverse_height * w[i];
        along_e[i] = jac->inverse_edge * u[i];
    }
}

TAUT_FN void bend_factor(const bend_jacobian* jac, const real lam[1], bend_stiffness* k) {
    (void)jac;
    k->factor = (real)sqrt(fabs(lam[0]) / 2);
    k->sign = lam[0] < 0 ? -1 : 1;
}

#define bend_M         ((real)1.1180339887498949) /* |(1, 1/2)| */
#define bend_INVERSE_M ((real)0.8944271909999159)
#define bend_FACTOR_M  ((real)1.0573712634405641)

TAUT_FN void bend_apply_factor(const bend_jacobian* jac, const bend_stiffness* k, const real dx[4][3], real rows[4]) {
    for (int which = 0; which < 2; which++) {
        real t[3], dt[3], de[3];
        const real* n = jac->side[which].normal;
        bend_inward(jac, which, t);
        bend_gradient(jac, which, dx, dt, de);
        const real shear = (vec3_dot(jac->edge, dt) + vec3_dot(t, de) / 2) * bend_INVERSE_M;
        rows[2 * which] = k->factor * (vec3_dot(t, dt) + k->sign * vec3_dot(n, dt));
        rows[2 * which + 1] = k->factor * bend_FACTOR_M * (vec3_dot(n, de) + k->sign * shear);
    }
}

/* a_k (first (t + z N) + second z e / m) + b_k second (N + z t / (2 m)): two vectors that all slots share. */
TAUT_FN void bend_apply_factor_transpose(const bend_jacobian* jac, const bend_stiffness* k, const real rows[4],
                                         int slot, real f[3]) {
    const real b = bend_along(jac, slot);
    for (int which = 0; which < 2; which++) {
        if (slot == 3 - which) {
            continue; /* the other triangle's apex */
        }
        real t[3], across[3] = {0}, along[3] = {0};
        const real* n = jac->side[which].normal;
        const real a = bend_across(&jac->side[which], which, slot);
        const real first = k->factor * rows[2 * which];
        const real second = k->factor * bend_FACTOR_M * rows[2 * which + 1];
        const real turned = second * k->sign * bend_INVERSE_M;
        bend_inward(jac, which, t);
        vec3_axpy(first, t, across);
        vec3_axpy(first * k->sign, n, across);
        vec3_axpy(turned, jac->edge, across);
        vec3_axpy(second, n, along);
        vec3_axpy(turned / 2, t, along);
        vec3_axpy(a, across, f);
        if (slot < 2) {
            vec3_axpy(b, along, f);
        }
    }
}

TAUT_FN void bend_curvature(const real x[4][3], const real* rest, const real lam[1], const real dx[4][3],
                            real df[4][3]) {
    bend_jacobian jac;
    real phi[1];
    bend_evaluate(x, rest, phi, &jac);
    for (int which = 0; which < 2; which++) {
        real t[3], dt[3], de[3];
        const real* n = jac.side[which].normal;
        bend_inward(&jac, which, t);
        bend_gradient(&jac, which, dx, dt, de);
        const real tt = vec3_dot(t, dt), nt = vec3_dot(n, dt), ne = vec3_dot(n, de);
        const real shear = vec3_dot(jac.edge, dt) + vec3_dot(t, de) / 2;
        for (int slot = 0; slot < 4; slot++) {
            const real a = -lam[0] * bend_across(&jac.side[which], which, slot);
            const real b = -lam[0] * bend_along(&jac, slot);
            vec3_axpy(a * tt + b * shear, n, df[slot]);
            vec3_axpy(a * nt + b * ne / 2, t, df[slot]);
            vec3_axpy(a * ne, jac.edge, df[slot]);
        }
    }
}

#endif
