/* Green strain of a triangle in material axes (u, v).
 *
 *   F   = sum_k x_k g_k^T (3x2),  g_k = gradient of the shape function of node k in the rest shape, g_0 = -g_1 - g_2
 *   phi = ( (|F_u|^2 - 1)/2, (|F_v|^2 - 1)/2, F_u . F_v )          3 rows, strain, the last one 2 e_uv
 *   lam.dphi = (F Sigma) : dF,  Sigma = [[lam0, lam2], [lam2, lam1]]      (minus the stress times the area)
 *   J^T lam at node k = F Sigma g_k
 *   G dx    at node k = dF Sigma g_k
 *
 * Root of the stabilising part: rows dF R with R = sqrt of the positive part of -Sigma (the spectral projection in the
 * space of dF). Energy 1/2 area phi^T D phi, so C = 1/area D^-1 with the plane-stress matrix
 *   D^-1 = 1/E [[1, -nu, 0], [-nu, 1, 0], [0, 0, 2 (1 + nu)]]. */
#ifndef TAUT_FORMULAS_MEMBRANE_H
#define TAUT_FORMULAS_MEMBRANE_H

#include "base/small_math.h"

#define membrane_NODES       3
#define membrane_ROWS        3
#define membrane_FACTOR_ROWS 6
#define membrane_REST        4 /* g_1, g_2 */
#define membrane_AUX         0
#define membrane_STATE       3 /* values per node that evaluate reads */
#define membrane_FRAMES      0 /* slots that are frames, as bits */
#define membrane_MOVES       0 /* leading rest values that may move by themselves */

typedef struct membrane_jacobian {
    real F[2][3]; /* columns F_u, F_v */
    real g[3][2];
} membrane_jacobian;

typedef struct membrane_stiffness {
    real factor[3]; /* uu, vv, uv */
} membrane_stiffness;

/* Columns of sum_k x_k g_k^T. */
TAUT_FN void membrane_gradient(const real g[3][2], const real x[3][3], real out[2][3]) {
    for (int c = 0; c < 2; c++) {
        for (int i = 0; i < 3; i++) {
            out[c][i] = g[1][c] * (x[1][i] - x[0][i]) + g[2][c] * (x[2][i] - x[0][i]);
        }
    }
}

/* f += (columns[0] m_u + columns[1] m_v) with m = [[s0, s2], [s2, s1]] g */
TAUT_FN void membrane_add(const real columns[2][3], const real s[3], const real g[2], real f[3]) {
    vec3_axpy(s[0] * g[0] + s[2] * g[1], columns[0], f);
    vec3_axpy(s[2] * g[0] + s[1] * g[1], columns[1], f);
}

TAUT_FN void membrane_evaluate(const real x[3][3], const real* rest, real phi[3], membrane_jacobian* jac) {
    for (int c = 0; c < 2; c++) {
        jac->g[1][c] = rest[c];
        jac->g[2][c] = rest[2 + c];
        jac->g[0][c] = -rest[c] - rest[2 + c];
    }
    membrane_gradient(jac->g, x, jac->F);
    phi[0] = (vec3_dot(jac->F[0], jac->F[0]) - 1) / 2;
    phi[1] = (vec3_dot(jac->F[1], jac->F[1]) - 1) / 2;
    phi[2] = vec3_dot(jac->F[0], jac->F[1]);
}

TAUT_FN void membrane_apply_jacobian(const membrane_jacobian* jac, const real dx[3][3], real dphi[3]) {
    real dF[2][3];
    membrane_gradient(jac->g, dx, dF);
    dphi[0] = vec3_dot(jac->F[0], dF[0]);
    dphi[1] = vec3_dot(jac->F[1], dF[1]);
    dphi[2] = vec3_dot(jac->F[0], dF[1]) + vec3_dot(jac->F[1], dF[0]);
}

TAUT_FN void membrane_apply_jacobian_transpose(const membrane_jacobian* jac, const real lam[3], int slot, real f[3]) {
    membrane_add(jac->F, lam, jac->g[slot], f);
}

TAUT_FN void membrane_factor(const membrane_jacobian* jac, const real lam[3], membrane_stiffness* k) {
    (void)jac;
    const real tension[3] = {-lam[0], -lam[1], -lam[2]};
    sym2_sqrt_positive(tension, k->factor);
}

TAUT_FN void membrane_apply_factor(const membrane_jacobian* jac, const membrane_stiffness* k, const real dx[3][3],
                                   real rows[6]) {
    real dF[2][3];
    membrane_gradient(jac->g, dx, dF);
    for (int i = 0; i < 3; i++) {
        rows[i] = dF[0][i] * k->factor[0] + dF[1][i] * k->factor[2];
        rows[3 + i] = dF[0][i] * k->factor[2] + dF[1][i] * k->factor[1];
    }
}

TAUT_FN void membrane_apply_factor_transpose(const membrane_jacobian* jac, const membrane_stiffness* k,
                                             const real rows[6], int slot, real f[3]) {
    const real columns[2][3] = {{rows[0], rows[1], rows[2]}, {rows[3], rows[4], rows[5]}};
    membrane_add(columns, k->factor, jac->g[slot], f);
}

TAUT_FN void membrane_curvature(const real x[3][3], const real* rest, const real lam[3], const real dx[3][3],
                                real df[3][3]) {
    membrane_jacobian jac;
    real phi[3], dF[2][3];
    membrane_evaluate(x, rest, phi, &jac);
    membrane_gradient(jac.g, dx, dF);
    for (int slot = 0; slot < 3; slot++) {
        membrane_add(dF, lam, jac.g[slot], df[slot]);
    }
}

#endif
