/* Volume of a tetrahedron.
 *
 *   phi = V - V0,  V = e1 . (e2 x e3) / 6,  e_k = x_k - x0                     m^3
 *   J   = [ -(b1 + b2 + b3)  b1  b2  b3 ],  b1 = e2 x e3 / 6 and cyclic           (lam is minus the pressure)
 *   G dx: lam db_k,  db_1 = (de2 x e3 + e2 x de3) / 6 and cyclic
 *
 * With the displacement gradient in the current shape D = B / V, B = sum_k dx_k b_k^T,
 *   d2V = V ( (tr D)^2 - tr(D D) ) = ( 2/3 (tr B)^2 + |skew B|^2 - |dev sym B|^2 ) / V:
 * a spectral split as it stands. Root of the positive part of -lam d2V, rows times sqrt(|lam / V|):
 *   -lam / V > 0:  (B_jk - B_kj)/sqrt 2 (3 rows),  sqrt(2/3) tr B,  0
 *   -lam / V < 0:  (B_jk + B_kj)/sqrt 2 (3 rows),  (B_xx - B_yy)/sqrt 2,  (B_xx + B_yy - 2 B_zz)/sqrt 6. */
#ifndef TAUT_FORMULAS_TET_VOLUME_H
#define TAUT_FORMULAS_TET_VOLUME_H

#include "base/small_math.h"

#define tet_volume_NODES       4
#define tet_volume_ROWS        1
#define tet_volume_FACTOR_ROWS 5
#define tet_volume_REST        1 /* V0 */
#define tet_volume_AUX         1
#define tet_volume_STATE       3 /* values per node that evaluate reads */
#define tet_volume_FRAMES      0 /* slots that are frames, as bits */
#define tet_volume_MOVES       0 /* leading rest values that may move by themselves */

typedef struct tet_volume_jacobian {
    real b[3][3];
    real volume;
} tet_volume_jacobian;

typedef struct tet_volume_stiffness {
    real factor; /* sqrt(|lam / V|) */
    real sign;   /* of -lam / V */
} tet_volume_stiffness;

TAUT_FN void tet_volume_edges(const real x[4][3], real e[3][3]) {
    for (int k = 0; k < 3; k++) {
        vec3_sub(x[k + 1], x[0], e[k]);
    }
}

TAUT_FN void tet_volume_evaluate(const real x[4][3], const real* rest, real phi[1], tet_volume_jacobian* jac) {
    real e[3][3];
    tet_volume_edges(x, e);
    for (int k = 0; k < 3; k++) {
        vec3_cross(e[(k + 1) % 3], e[(k + 2) % 3], jac->b[k]);
        for (int i = 0; i < 3; i++) {
            jac->b[k][i] /= 6;
        }
    }
    jac->volume = vec3_dot(e[0], jac->b[0]);
    phi[0] = jac->volume - rest[0];
}

TAUT_FN void tet_volume_apply_jacobian(const tet_volume_jacobian* jac, const real dx[4][3], real dphi[1]) {
    real e[3][3];
    tet_volume_edges(dx, e);
    dphi[0] = vec3_dot(jac->b[0], e[0]) + vec3_dot(jac->b[1], e[1]) + vec3_dot(jac->b[2], e[2]);
}

/* b of node `slot` */
TAUT_FN void tet_volume_b(const tet_volume_jacobian* jac, int slot, real b[3]) {
    for (int i = 0; i < 3; i++) {
        b[i] = slot == 0 ? -(jac->b[0][i] + jac->b[1][i] + jac->b[2][i]) : jac->b[slot - 1][i];
    }
}

TAUT_FN void tet_volume_apply_jacobian_transpose(const tet_volume_jacobian* jac, const real lam[1], int slot,
                                                 real f[3]) {
    real b[3];
    tet_volume_b(jac, slot, b);
    vec3_axpy(lam[0], b, f);
}

TAUT_FN void tet_volume_factor(const tet_volume_jacobian* jac, const real lam[1], tet_volume_stiffness* k) {
    const real edge_like = vec3_dot(jac->b[0], jac->b[0]) + vec3_dot(jac->b[1], jac->b[1]);
    const real size = (real)fabs(jac->volume);
    /* A flat tetrahedron has no current displacement gradient: volume against area^(3/2). */
    const int usable = size * size > (real)1e-12 * edge_like * (real)sqrt(edge_like) && size > 0;
    k->factor = usable ? (real)sqrt(fabs(lam[0]) / size) : 0;
    k->sign = (lam[0] < 0) == (jac->volume > 0) ? 1 : -1;
}

TAUT_FN void tet_volume_apply_factor(const tet_volume_jacobian* jac, const tet_volume_stiffness* k, const real dx[4][3],
                                     real rows[5]) {
    real e[3][3], B[3][3];
    tet_volume_edges(dx, e);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            B[i][j] = e[0][i] * jac->b[0][j] + e[1][i] * jac->b[1][j] + e[2][i] * jac->b[2][j];
        }
    }
    const real half = k->factor * (real)0.70710678118654752440;
    for (int i = 0; i < 3; i++) {
        rows[i] = half * (B[(i + 1) % 3][(i + 2) % 3] - k->sign * B[(i + 2) % 3][(i + 1) % 3]);
    }
    if (k->sign > 0) {
        rows[3] = k->factor * (real)0.81649658092772603273 * (B[0][0] + B[1][1] + B[2][2]);
        rows[4] = 0;
    } else {
        rows[3] = half * (B[0][0] - B[1][1]);
        rows[4] = k->factor * (real)0.40824829046386301637 * (B[0][0] + B[1][1] - 2 * B[2][2]);
    }
}

TAUT_FN void tet_volume_apply_factor_transpose(const tet_volume_jacobian* jac, const tet_volume_stiffness* k,
                                               const real rows[5], int slot, real f[3]) {
    real Z[3][3], b[3];
    const real half = k->factor * (real)0.70710678118654752440;
    for (int i = 0; i < 3; i++) {
        Z[(i + 1) % 3][(i + 2) % 3] = half * rows[i];
        Z[(i + 2) % 3][(i + 1) % 3] = -k->sign * half * rows[i];
        Z[i][i] = k->sign > 0 ? k->factor * (real)0.81649658092772603273 * rows[3] : 0;
    }
    if (k->sign < 0) {
        const real sixth = k->factor * (real)0.40824829046386301637 * rows[4];
        Z[0][0] = sixth + half * rows[3];
        Z[1][1] = sixth - half * rows[3];
        Z[2][2] = -2 * sixth;
    }
    tet_volume_b(jac, slot, b);
    for (int i = 0; i < 3; i++) {
        f[i] += vec3_dot(Z[i], b);
    }
}

TAUT_FN void tet_volume_curvature(const real x[4][3], const real* rest, const real lam[1], const real dx[4][3],
                                  real df[4][3]) {
    (void)rest;
    real e[3][3], de[3][3];
    tet_volume_edges(x, e);
    tet_volume_edges(dx, de);
    for (int k = 0; k < 3; k++) {
        const int p = (k + 1) % 3, q = (k + 2) % 3;
        real first[3], second[3];
        vec3_cross(de[p], e[q], first);
        vec3_cross(e[p], de[q], second);
        for (int i = 0; i < 3; i++) {
            const real db = lam[0] * (first[i] + second[i]) / 6;
            df[k + 1][i] += db;
            df[0][i] -= db;
        }
    }
}

#endif
