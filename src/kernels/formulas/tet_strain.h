/* Green strain of a tetrahedron.
 *
 *   F   = sum_k x_k g_k^T (3x3),  g_k = gradient of the shape function of node k in the rest shape
 *   E   = (F^T F - I)/2,  phi = ( E_xx, E_yy, E_zz, 2 E_yz, 2 E_zx, 2 E_xy )      6 rows, strain
 *   lam.dphi = (F Sigma) : dF,  Sigma the symmetric matrix {lam0, ..., lam5}         (minus the stress times the
 * volume) J^T lam at node k = F Sigma g_k,   G dx at node k = dF Sigma g_k
 *
 * Root of the stabilising part: rows dF R with R = sqrt of the positive part of -Sigma. Energy 1/2 volume phi^T D phi,
 * so C = 1/volume D^-1 with the isotropic
 *   D^-1 = 1/E ( [[1, -nu, -nu], [-nu, 1, -nu], [-nu, -nu, 1]] (+) 2 (1 + nu) I ). */
#ifndef TAUT_FORMULAS_TET_STRAIN_H
#define TAUT_FORMULAS_TET_STRAIN_H

#include "base/small_math.h"

#define tet_strain_NODES       4
#define tet_strain_ROWS        6
#define tet_strain_FACTOR_ROWS 9
#define tet_strain_REST        9 /* g_1, g_2, g_3 */
#define tet_strain_AUX         0
#define tet_strain_STATE       3 /* values per node that evaluate reads */
#define tet_strain_FRAMES      0 /* slots that are frames, as bits */
#define tet_strain_MOVES       0 /* leading rest values that may move by themselves */

typedef struct tet_strain_jacobian {
    real F[3][3]; /* columns */
    real g[3][3]; /* g_1, g_2, g_3; g_0 is minus their sum */
} tet_strain_jacobian;

typedef struct tet_strain_stiffness {
    real factor[6];
} tet_strain_stiffness;

/* Columns of sum_k x_k g_k^T. */
TAUT_FN void tet_strain_gradient(const real g[3][3], const real x[4][3], real out[3][3]) {
    for (int c = 0; c < 3; c++) {
        for (int i = 0; i < 3; i++) {
            out[c][i] = 0;
            for (int k = 0; k < 3; k++) {
                out[c][i] += g[k][c] * (x[k + 1][i] - x[0][i]);
            }
        }
    }
}

/* f += columns s g_slot with the symmetric s = {xx, yy, zz, yz, zx, xy} */
TAUT_FN void tet_strain_add(const real columns[3][3], const real s[6], const real g[3][3], int slot, real f[3]) {
    real m[3][3];
    sym3_expand(s, m);
    for (int c = 0; c < 3; c++) {
        real weight = 0;
        for (int b = 0; b < 3; b++) {
            weight += m[c][b] * (slot == 0 ? -(g[0][b] + g[1][b] + g[2][b]) : g[slot - 1][b]);
        }
        vec3_axpy(weight, columns[c], f);
    }
}

TAUT_FN void tet_strain_evaluate(const real x[4][3], const real* rest, real phi[6], tet_strain_jacobian* jac) {
    for (int k = 0; k < 3; k++) {
        for (int c = 0; c < 3; c++) {
            jac->g[k][c] = rest[3 * k + c];
        }
    }
    tet_strain_gradient(jac->g, x, jac->F);
    for (int i = 0; i < 3; i++) {
        phi[i] = (vec3_dot(jac->F[i], jac->F[i]) - 1) / 2;
        phi[3 + i] = vec3_dot(jac->F[(i + 1) % 3], jac->F[(i + 2) % 3]);
    }
}

TAUT_FN void tet_strain_apply_jacobian(const tet_strain_jacobian* jac, const real dx[4][3], real dphi[6]) {
    real dF[3][3];
    tet_strain_gradient(jac->g, dx, dF);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        dphi[i] = vec3_dot(jac->F[i], dF[i]);
        dphi[3 + i] = vec3_dot(jac->F[j], dF[k]) + vec3_dot(jac->F[k], dF[j]);
    }
}

TAUT_FN void tet_strain_apply_jacobian_transpose(const tet_strain_jacobian* jac, const real lam[6], int slot,
                                                 real f[3]) {
    tet_strain_add(jac->F, lam, jac->g, slot, f);
}

TAUT_FN void tet_strain_factor(const tet_strain_jacobian* jac, const real lam[6], tet_strain_stiffness* k) {
    (void)jac;
    real tension[6];
    for (int i = 0; i < 6; i++) {
        tension[i] = -lam[i];
    }
    sym3_sqrt_positive(tension, k->factor);
}

TAUT_FN void tet_strain_apply_factor(const tet_strain_jacobian* jac, const tet_strain_stiffness* k, const real dx[4][3],
                                     real rows[9]) {
    real dF[3][3], m[3][3];
    tet_strain_gradient(jac->g, dx, dF);
    sym3_expand(k->factor, m);
    for (int c = 0; c < 3; c++) {
        for (int i = 0; i < 3; i++) {
            rows[3 * c + i] = dF[0][i] * m[0][c] + dF[1][i] * m[1][c] + dF[2][i] * m[2][c];
        }
    }
}

TAUT_FN void tet_strain_apply_factor_transpose(const tet_strain_jacobian* jac, const tet_strain_stiffness* k,
                                               const real rows[9], int slot, real f[3]) {
    real columns[3][3];
    for (int c = 0; c < 3; c++) {
        for (int i = 0; i < 3; i++) {
            columns[c][i] = rows[3 * c + i];
        }
    }
    tet_strain_add(columns, k->factor, jac->g, slot, f);
}

TAUT_FN void tet_strain_curvature(const real x[4][3], const real* rest, const real lam[6], const real dx[4][3],
                                  real df[4][3]) {
    tet_strain_jacobian jac;
    real phi[6], dF[3][3];
    tet_strain_evaluate(x, rest, phi, &jac);
    tet_strain_gradient(jac.g, dx, dF);
    for (int slot = 0; slot < 4; slot++) {
        tet_strain_add(dF, lam, jac.g, slot, df[slot]);
    }
}

#endif
