/* Triangle in the air and under loads: a force element, not a constraint. No rows; its damping stands in the mass
 * matrix.
 *
 *   N   = (x1 - x0) x (x2 - x0) / 2,   A = |N|,   n = N / A
 *   u   = w - (v0 + v1 + v2)/3,   c = n.u,   un = c n,   ut = u - un                                   m/s
 *   f   = p N + A ( a |c| un + b |u| ut ) + A0 t,   a third of it on each node                           N
 *
 * p pressure, which follows the normal; t a load per rest area A0 in a fixed direction; w the wind; a and b half the
 * density of air times the coefficients of drag of a plate across and along the stream. There is no energy: the drag
 * has none, and what the pressure does on an open surface depends on the way.
 *
 * Damping. On the mean velocity, with e = ut / |ut| and q = |ut|,
 *   D = -df/dv = A ( 2 a |c| n n^T + b |u| (I - n n^T) + b ut u^T / |u| )
 * is not symmetric: ut u^T = q^2 e e^T + q c e n^T. Of its symmetric part
 *   n, e:   A [[ 2 a |c|, b q c / (2 |u|) ], [ ., b (|u| + q^2 / |u|) ]],   n x e:   A b |u|
 * the eigenvalues are cut at zero; only the first of the two may be below, where b is above a by much. A change of v
 * moves f by -D times its mean, and each node has a third, so with r = sqrt(s D+) the rows are
 *   r (dv0 + dv1 + dv2) / 3
 *
 * The stiffness of pressure and drag, curvature below, is not in the root: it is not symmetric, of either sign, and
 * much smaller than that of what carries the load. Triangles without area have pressure and drag 0. */
#ifndef TAUT_FORMULAS_SURFACE_H
#define TAUT_FORMULAS_SURFACE_H

#include "base/small_math.h"

#include <stddef.h>

#define surface_NODES       3
#define surface_ROWS        0
#define surface_FACTOR_ROWS 3
#define surface_REST        10 /* p (Pa), t (N/m^2), A0 (m^2), a, b (kg/m^3), w (m/s) */
#define surface_AUX         6  /* values of the Jacobian, at its end, that products do not use */
#define surface_STATE       3  /* values per node that load reads, of x and of v each */
#define surface_FRAMES      0  /* slots that are frames, as bits */
#define surface_MOVES       0  /* leading rest values that may move by themselves */
#define surface_LOAD        3  /* force on each node */
#define surface_ORDER       2  /* the tangent is a damping, -df/dv */

typedef struct surface_jacobian {
    real unit[6]; /* root at s = 1, {xx, yy, zz, yz, zx, xy} */
} surface_jacobian;

typedef struct surface_stiffness {
    real factor[6];
} surface_stiffness;

/* The triangle in its stream. */
typedef struct surface_flow {
    real n[3], area;
    real u[3], speed; /* u and its length */
    real across;      /* c */
    real along[3];    /* ut */
} surface_flow;

/* `v` may be NULL: at rest. */
TAUT_FN void surface_at(const real x[3][3], const real v[3][3], const real* rest, surface_flow* out) {
    real first[3], second[3], normal[3];
    vec3_sub(x[1], x[0], first);
    vec3_sub(x[2], x[0], second);
    vec3_cross(first, second, normal);
    out->area = vec3_normalise(normal, out->n) / 2;
    for (int i = 0; i < 3; i++) {
        out->u[i] = rest[7 + i] - (v ? (v[0][i] + v[1][i] + v[2][i]) / 3 : 0);
    }
    out->speed = (real)sqrt(vec3_dot(out->u, out->u));
    out->across = vec3_dot(out->n, out->u);
    for (int i = 0; i < 3; i++) {
        out->along[i] = out->u[i] - out->across * out->n[i];
    }
}

/* Root of the positive part of the symmetric part of D. Where ut = 0 any e will do, its part in the root is 0 then. */
TAUT_FN void surface_cut(const surface_flow* flow, const real* rest, real out[6]) {
    const real a = flow->area * rest[5], b = flow->area * rest[6], speed = flow->speed;
    real e[3], r[3];
    const real q = vec3_normalise(flow->along, e), share = speed > 0 ? q / speed : 0;
    const real plane[3] = {2 * a * (real)fabs(flow->across), b * (speed + share * q), b * share * flow->across / 2};
    const real third = b > 0 ? (real)sqrt(b * speed) : 0;
    sym2_sqrt_positive(plane, r);
    const real nn = r[0] - third, ee = r[1] - third, ne = r[2];
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const real* n = flow->n;
        out[i] = third + nn * n[i] * n[i] + ee * e[i] * e[i] + 2 * ne * n[i] * e[i];
        out[3 + i] = nn * n[j] * n[k] + ee * e[j] * e[k] + ne * (n[j] * e[k] + n[k] * e[j]);
    }
}

/* Force and root at x and v. Returns 0: no energy. */
TAUT_FN real surface_load(const real x[3][3], const real v[3][3], const real* rest, real* load, surface_jacobian* jac) {
    surface_flow flow;
    surface_at(x, v, rest, &flow);
    const real push = flow.area * (rest[0] + rest[5] * (real)fabs(flow.across) * flow.across);
    const real drag = flow.area * rest[6] * flow.speed;
    for (int i = 0; i < 3; i++) {
        load[i] = (push * flow.n[i] + drag * flow.along[i] + rest[4] * rest[1 + i]) / 3;
    }
    surface_cut(&flow, rest, jac->unit);
    return 0;
}

TAUT_FN void surface_add_force(const real* load, int slot, real f[3]) {
    (void)slot;
    vec3_axpy(1, load, f);
}

/* dphi and lam have no values and are not touched. */
TAUT_FN void surface_apply_jacobian(const surface_jacobian* jac, const real dx[3][3], real* dphi) {
    (void)jac, (void)dx, (void)dphi;
}

TAUT_FN void surface_apply_jacobian_transpose(const surface_jacobian* jac, const real* lam, int slot, real f[3]) {
    (void)jac, (void)lam, (void)slot, (void)f;
}

/* lam[0] = s >= 0 */
TAUT_FN void surface_factor(const surface_jacobian* jac, const real* lam, surface_stiffness* k) {
    const real scale = lam[0] > 0 ? (real)sqrt(lam[0]) : 0;
    for (int i = 0; i < 6; i++) {
        k->factor[i] = scale * jac->unit[i];
    }
}

/* out += root a / 3 */
TAUT_FN void surface_third(const surface_stiffness* k, const real a[3], real out[3]) {
    real m[3][3];
    sym3_expand(k->factor, m);
    for (int i = 0; i < 3; i++) {
        out[i] += vec3_dot(m[i], a) / 3;
    }
}

TAUT_FN void surface_apply_factor(const surface_jacobian* jac, const surface_stiffness* k, const real dv[3][3],
                                  real rows[3]) {
    (void)jac;
    const real sum[3] = {dv[0][0] + dv[1][0] + dv[2][0], dv[0][1] + dv[1][1] + dv[2][1],
                         dv[0][2] + dv[1][2] + dv[2][2]};
    rows[0] = rows[1] = rows[2] = 0;
    surface_third(k, sum, rows);
}

TAUT_FN void surface_apply_factor_transpose(const surface_jacobian* jac, const surface_stiffness* k, const real rows[3],
                                            int slot, real f[3]) {
    (void)jac, (void)slot;
    surface_third(k, rows, f);
}

/* df += (df/dv) dv, exact */
TAUT_FN void surface_viscosity(const real x[3][3], const real v[3][3], const real* rest, const real dv[3][3],
                               real df[3][3]) {
    surface_flow flow;
    real mean[3], change[3] = {0, 0, 0};
    surface_at(x, v, rest, &flow);
    for (int i = 0; i < 3; i++) {
        mean[i] = (dv[0][i] + dv[1][i] + dv[2][i]) / 3;
    }
    const real normal = vec3_dot(flow.n, mean), drag = flow.area * rest[6];
    const real turn = flow.speed > 0 ? vec3_dot(flow.u, mean) / flow.speed : 0;
    vec3_axpy(2 * flow.area * rest[5] * (real)fabs(flow.across) * normal - drag * flow.speed * normal, flow.n, change);
    vec3_axpy(drag * flow.speed, mean, change);
    vec3_axpy(drag * turn, flow.along, change);
    for (int slot = 0; slot < 3; slot++) {
        vec3_axpy(-(real)1 / 3, change, df[slot]);
    }
}

/* df += (df/dx) dx at v = 0, exact; lam is not used and may be NULL. With f = p N + a |c| c N + b |u| (A u - c N) and
 *   A dc = u.dN - c n.dN:
 *   df = p dN + a |c| (2 (A dc) n + c dN) + b |u| ((n.dN) u - (A dc) n - c dN) */
TAUT_FN void surface_curvature(const real x[3][3], const real* rest, const real* lam, const real dx[3][3],
                               real df[3][3]) {
    (void)lam;
    surface_flow flow;
    real first[3], second[3], dfirst[3], dsecond[3], left[3], right[3], change[3] = {0, 0, 0};
    surface_at(x, NULL, rest, &flow);
    vec3_sub(x[1], x[0], first);
    vec3_sub(x[2], x[0], second);
    vec3_sub(dx[1], dx[0], dfirst);
    vec3_sub(dx[2], dx[0], dsecond);
    vec3_cross(dfirst, second, left);
    vec3_cross(first, dsecond, right);
    const real dn[3] = {(left[0] + right[0]) / 2, (left[1] + right[1]) / 2, (left[2] + right[2]) / 2};
    const real c = flow.across, grown = vec3_dot(flow.n, dn), turned = vec3_dot(flow.u, dn) - c * grown;
    const real normal = rest[5] * (real)fabs(c), along = rest[6] * flow.speed;
    vec3_axpy(rest[0] + (normal - along) * c, dn, change); /* p dN + a |c| c dN - b |u| c dN */
    vec3_axpy((2 * normal - along) * turned, flow.n, change);
    vec3_axpy(along * grown, flow.u, change);
    for (int slot = 0; slot < 3; slot++) {
        vec3_axpy((real)1 / 3, change, df[slot]);
    }
}

#endif
