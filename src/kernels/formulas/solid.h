/* Elastic tetrahedron: a force element, not a constraint. No rows; its tangent stands in the mass matrix.
 *
 *   F    = sum_k (x_k - x_0) g_k^T,  g_k = row k of Dm^-1, Dm = columns X_k - X_0 of the rest shape
 *   E    = volume psi(s),  F = U diag(s) V^T (svd3.h)                                             J
 *   P    = dpsi/dF = U diag(psi_i) V^T,   psi_i = dpsi/ds_i
 *   f_k  = -volume P g_k,   f_0 = -(f_1 + f_2 + f_3)                                              N
 *
 * Materials, with J = s0 s1 s2, t = s0 + s1 + s2 - 3, E_i = (s_i^2 - 1)/2, e = E_0 + E_1 + E_2, k the third index:
 *   0 corotational           psi   = mu sum (s_i - 1)^2 + lambda/2 t^2
 *                            psi_i = 2 mu (s_i - 1) + lambda t,   psi_ij = 2 mu d_ij + lambda
 *   1 neo-Hookean            psi   = mu/2 (sum s_i^2 - 3) - mu log J + lambda/2 (J - 1)^2, see solid_barrier
 *                            psi_i = mu s_i + c J/s_i,   c the derivative by J of the two last terms, b the second one
 *                            psi_ii = mu + b (J/s_i)^2,   psi_ij = c s_k + b (J/s_i) (J/s_j)
 *   2 St. Venant-Kirchhoff   psi   = mu sum E_i^2 + lambda/2 e^2
 *                            psi_i = s_i (2 mu E_i + lambda e),
 *                            psi_ij = d_ij (2 mu E_i + lambda e + 2 mu s_i^2) + lambda s_i s_j
 * At rest every one has psi_i = 0 and psi_ij = 2 mu d_ij + lambda: Lame's linear elasticity. J/s_i is a product of the
 * other two. 0 and 1 come back from inversion, but for 1 the collapse to a point, F = 0, is another, shallow minimum;
 * 2 softens under compression and has no force against being flat. A column of 1 with nu = 0.3 bears three times its
 * Young's modulus; with J - 1 - (J - 1)^2/2 in place of log J (Smith, de Goes, Kim 2018) it gives way above 0.8.
 *
 * Tangent. With A = U^T dF V the second derivative of psi is
 *   sum_ij psi_ij A_ii A_jj + sum over pairs (i, j) of   twist (A_ij - A_ji)^2 / 2 + flip (A_ij + A_ji)^2 / 2
 *   twist = (psi_i + psi_j)/(s_i + s_j),   flip = (psi_i - psi_j)/(s_i - s_j)
 * where the quotients divide out but for one:
 *   0   twist = 2 mu + (2 lambda t - 4 mu)/(s_i + s_j),           flip = 2 mu
 *   1   twist = mu + c s_k,                                       flip = mu - c s_k
 *   2   twist = mu (s_i^2 - s_i s_j + s_j^2 - 1) + lambda e,      flip = mu (s_i^2 + s_i s_j + s_j^2 - 1) + lambda e
 * The corotational energy has a crease where s_i + s_j = 0, at which the closest rotation jumps: inverted elements
 * whose two smaller stretches are of one size. Its twist is infinite there, of either sign, and tells nothing of a
 * finite motion; below 1e-3 the sum counts as 1e-3. Forces are finite there, but not continuous.
 *
 * Root: eigenvalues cut at zero in the space of F, where they are those above and those of the 3 x 3 matrix psi_ij,
 *   rows = sqrt(s volume) ( sqrt(psi+) diag(A),  sqrt(twist+/2) (A_ij - A_ji),  sqrt(flip+/2) (A_ij + A_ji) )
 * so R^T R = s volume B^T (d2psi/dF2)+ B with dF = B dx. That is -s df/dx itself where nothing is cut. U is kept as a
 * quaternion, V in the gradients h_k = V^T g_k: an iteration reads 4 + 9 + 12 values.
 *
 * Flat, inverted and collapsed shapes are ordinary. A rest shape without volume has no forces. */
#ifndef TAUT_FORMULAS_SOLID_H
#define TAUT_FORMULAS_SOLID_H

#include "kernels/formulas/rotation_math.h"
#include "kernels/formulas/svd3.h"

#define solid_NODES       4
#define solid_ROWS        0
#define solid_FACTOR_ROWS 9
#define solid_REST        13 /* g_1, g_2, g_3, volume (m^3), mu, lambda (Pa), material */
#define solid_AUX         12 /* values of the Jacobian, at its end, that products do not use */
#define solid_STATE       3  /* values per node that load reads, of x and of v each */
#define solid_FRAMES      0  /* slots that are frames, as bits */
#define solid_MOVES       0  /* leading rest values that may move by themselves */
#define solid_LOAD        9  /* forces on nodes 1, 2, 3 */
#define solid_ORDER       1  /* the tangent is a stiffness, -df/dx */

#define SOLID_SQUASHED (real)0.2 /* J below which the energy of neo-Hookean elements is a parabola in J */

enum { solid_COROTATIONAL, solid_NEO_HOOKEAN, solid_ST_VENANT_KIRCHHOFF };

/* Coefficients of the rows on diag(A), as a symmetric matrix, and on the pairs (1, 2), (2, 0), (0, 1). */
typedef struct solid_factor_rows {
    real scaling[6];
    real twist[3];
    real flip[3];
} solid_factor_rows;

typedef struct solid_jacobian {
    real q[4];              /* U */
    real h[3][3];           /* V^T g_1, V^T g_2, V^T g_3 */
    solid_factor_rows unit; /* at s = 1 */
} solid_jacobian;

typedef struct solid_stiffness {
    solid_factor_rows factor;
} solid_stiffness;

/* psi and its derivatives at principal stretches s; psi_ij as {00, 11, 22, 12, 20, 01}, pairs in the same order. */
typedef struct solid_response {
    real psi;
    real first[3];
    real second[6];
    real twist[3];
    real flip[3];
} solid_response;

TAUT_FN void solid_corotational(const real s[3], real mu, real lambda, solid_response* out) {
    const real t = s[0] + s[1] + s[2] - 3;
    out->psi = lambda / 2 * t * t;
    for (int k = 0; k < 3; k++) {
        const real sum = s[(k + 1) % 3] + s[(k + 2) % 3];
        out->psi += mu * (s[k] - 1) * (s[k] - 1);
        out->first[k] = 2 * mu * (s[k] - 1) + lambda * t;
        out->second[k] = 2 * mu + lambda;
        out->second[3 + k] = lambda;
        out->twist[k] = 2 * mu + (2 * lambda * t - 4 * mu) / (sum > (real)1e-3 ? sum : (real)1e-3);
        out->flip[k] = 2 * mu;
    }
}

/* What -mu log J has beyond its second-order part, a barrier against the loss of volume, and its derivatives in J:
 *   -mu (log J - (J - 1) + (J - 1)^2/2),   -mu (J - 1)^2/J,   mu (1/J^2 - 1)
 * Below SOLID_SQUASHED it goes on as the parabola that has the same value and derivatives there. */
TAUT_FN void solid_barrier(real j, real mu, real out[3]) {
    const real at = j > SOLID_SQUASHED ? j : SOLID_SQUASHED, loss = at - 1, beyond = j - at;
    const real slope = -mu * loss * loss / at, bend = mu * (1 / (at * at) - 1);
    out[0] = -mu * ((real)log(at) - loss + loss * loss / 2) + beyond * (slope + beyond * bend / 2);
    out[1] = slope + beyond * bend;
    out[2] = bend;
}

/* With d_i = s_i - 1, so that what is of first order in them cancels before it is rounded:
 *   J - 1 = sum d_i + sum d_i d_j + d_0 d_1 d_2,   s_k - s_i s_j = d_k - d_i - d_j - d_i d_j */
TAUT_FN void solid_neo_hookean(const real s[3], real mu, real lambda, solid_response* out) {
    const real d[3] = {s[0] - 1, s[1] - 1, s[2] - 1};
    const real mixed = d[0] * d[1] + d[1] * d[2] + d[2] * d[0] + d[0] * d[1] * d[2];
    const real growth = d[0] + d[1] + d[2] + mixed;
    real barrier[3];
    solid_barrier(1 + growth, mu, barrier);
    const real beyond = (lambda + mu) * growth + barrier[1], c = beyond - mu, bulk = lambda + mu + barrier[2];
    out->psi = mu * (vec3_dot(d, d) / 2 - mixed) + (lambda + mu) / 2 * growth * growth + barrier[0];
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        out->first[k] = mu * (d[k] - d[i] - d[j] - d[i] * d[j]) + beyond * s[i] * s[j];
        out->second[k] = mu + bulk * s[i] * s[j] * s[i] * s[j];
        out->second[3 + k] = s[k] * (c + bulk * s[k] * s[i] * s[j]);
        out->twist[k] = mu + c * s[k];
        out->flip[k] = mu - c * s[k];
    }
}

TAUT_FN void solid_st_venant(const real s[3], real mu, real lambda, solid_response* out) {
    const real strain[3] = {(s[0] - 1) * (s[0] + 1) / 2, (s[1] - 1) * (s[1] + 1) / 2, (s[2] - 1) * (s[2] + 1) / 2};
    const real pressure = lambda * (strain[0] + strain[1] + strain[2]);
    out->psi = pressure / 2 * (strain[0] + strain[1] + strain[2]);
    for (int k = 0; k < 3; k++) {
        const real si = s[(k + 1) % 3], sj = s[(k + 2) % 3], stress = 2 * mu * strain[k] + pressure;
        out->psi += mu * strain[k] * strain[k];
        out->first[k] = s[k] * stress;
        out->second[k] = stress + (2 * mu + lambda) * s[k] * s[k];
        out->second[3 + k] = lambda * si * sj;
        out->twist[k] = mu * (si * si - si * sj + sj * sj - 1) + pressure;
        out->flip[k] = mu * (si * si + si * sj + sj * sj - 1) + pressure;
    }
}

TAUT_FN void solid_respond(const real s[3], const real* rest, solid_response* out) {
    if (rest[12] < (real)0.5) {
        solid_corotational(s, rest[10], rest[11], out);
    } else if (rest[12] < (real)1.5) {
        solid_neo_hookean(s, rest[10], rest[11], out);
    } else {
        solid_st_venant(s, rest[10], rest[11], out);
    }
}

/* F at x, its rotations, the gradients h = V^T g, and the material's response. */
TAUT_FN void solid_state(const real x[4][3], const real* rest, real u[3][3], real h[3][3], solid_response* out) {
    real f[3][3] = {{0}}, s[3], v[3][3];
    for (int k = 0; k < 3; k++) {
        real edge[3];
        vec3_sub(x[k + 1], x[0], edge);
        for (int c = 0; c < 3; c++) {
            vec3_axpy(rest[3 * k + c], edge, f[c]);
        }
    }
    svd3(f, u, s, v);
    for (int k = 0; k < 3; k++) {
        for (int c = 0; c < 3; c++) {
            h[k][c] = vec3_dot(v[c], rest + 3 * k);
        }
    }
    solid_respond(s, rest, out);
}

/* a[c] = column c of A = U^T dF V = sum_k U^T (dx_k - dx_0) h_k^T */
TAUT_FN void solid_gradient(const real u[3][3], const real h[3][3], const real dx[4][3], real a[3][3]) {
    for (int k = 0; k < 3; k++) {
        real edge[3];
        vec3_sub(dx[k + 1], dx[0], edge);
        const real turned[3] = {vec3_dot(u[0], edge), vec3_dot(u[1], edge), vec3_dot(u[2], edge)};
        for (int c = 0; c < 3; c++) {
            for (int i = 0; i < 3; i++) {
                a[c][i] = h[k][c] * turned[i] + (k > 0 ? a[c][i] : 0);
            }
        }
    }
}

/* f += scale U a h_slot, its share of the work of U a V^T on dF */
TAUT_FN void solid_add(const real u[3][3], const real h[3][3], real scale, const real a[3][3], int slot, real f[3]) {
    real local[3] = {0, 0, 0};
    for (int c = 0; c < 3; c++) {
        vec3_axpy(slot == 0 ? -(h[0][c] + h[1][c] + h[2][c]) : h[slot - 1][c], a[c], local);
    }
    for (int c = 0; c < 3; c++) {
        vec3_axpy(scale * local[c], u[c], f);
    }
}

/* Roots of the parts above zero times that of the volume. */
TAUT_FN void solid_cut(const solid_response* response, real volume, solid_factor_rows* out) {
    const real factor = volume > 0 ? (real)sqrt(volume) : 0;
    sym3_sqrt_positive(response->second, out->scaling);
    for (int k = 0; k < 3; k++) {
        out->scaling[k] *= factor;
        out->scaling[3 + k] *= factor;
        out->twist[k] = response->twist[k] > 0 ? factor * (real)sqrt(response->twist[k]) : 0;
        out->flip[k] = response->flip[k] > 0 ? factor * (real)sqrt(response->flip[k]) : 0;
    }
}

/* Forces and root at x, whatever v is. Returns the energy, J. */
TAUT_FN real solid_load(const real x[4][3], const real v[4][3], const real* rest, real* load, solid_jacobian* jac) {
    (void)v;
    real u[3][3], stress[3][3] = {{0}};
    solid_response response;
    solid_state(x, rest, u, jac->h, &response);
    for (int c = 0; c < 3; c++) {
        stress[c][c] = response.first[c];
    }
    for (int k = 0; k < 3; k++) {
        load[3 * k] = load[3 * k + 1] = load[3 * k + 2] = 0;
        solid_add(u, jac->h, -rest[9], stress, k + 1, load + 3 * k);
    }
    quat_of_axes(u, jac->q);
    solid_cut(&response, rest[9], &jac->unit);
    return rest[9] * response.psi;
}

TAUT_FN void solid_add_force(const real* load, int slot, real f[3]) {
    for (int i = 0; i < 3; i++) {
        f[i] += slot == 0 ? -(load[i] + load[3 + i] + load[6 + i]) : load[3 * (slot - 1) + i];
    }
}

/* dphi and lam have no values and are not touched. */
TAUT_FN void solid_apply_jacobian(const solid_jacobian* jac, const real dx[4][3], real* dphi) {
    (void)jac, (void)dx, (void)dphi;
}

TAUT_FN void solid_apply_jacobian_transpose(const solid_jacobian* jac, const real* lam, int slot, real f[3]) {
    (void)jac, (void)lam, (void)slot, (void)f;
}

/* lam[0] = s >= 0 */
TAUT_FN void solid_factor(const solid_jacobian* jac, const real* lam, solid_stiffness* k) {
    const real scale = lam[0] > 0 ? (real)sqrt(lam[0]) : 0;
    for (int i = 0; i < 3; i++) {
        k->factor.scaling[i] = scale * jac->unit.scaling[i];
        k->factor.scaling[3 + i] = scale * jac->unit.scaling[3 + i];
        k->factor.twist[i] = scale * jac->unit.twist[i];
        k->factor.flip[i] = scale * jac->unit.flip[i];
    }
}

TAUT_FN void solid_apply_factor(const solid_jacobian* jac, const solid_stiffness* k, const real dx[4][3],
                                real rows[9]) {
    const real half = (real)0.70710678118654752440;
    real u[3][3], a[3][3], m[3][3];
    quat_axes(jac->q, u);
    solid_gradient(u, jac->h, dx, a);
    sym3_expand(k->factor.scaling, m);
    for (int i = 0; i < 3; i++) {
        const int p = (i + 1) % 3, q = (i + 2) % 3;
        rows[i] = m[i][0] * a[0][0] + m[i][1] * a[1][1] + m[i][2] * a[2][2];
        rows[3 + i] = half * k->factor.twist[i] * (a[q][p] - a[p][q]);
        rows[6 + i] = half * k->factor.flip[i] * (a[q][p] + a[p][q]);
    }
}

TAUT_FN void solid_apply_factor_transpose(const solid_jacobian* jac, const solid_stiffness* k, const real rows[9],
                                          int slot, real f[3]) {
    const real half = (real)0.70710678118654752440;
    real u[3][3], a[3][3], m[3][3];
    sym3_expand(k->factor.scaling, m);
    for (int i = 0; i < 3; i++) {
        const int p = (i + 1) % 3, q = (i + 2) % 3;
        const real twist = half * k->factor.twist[i] * rows[3 + i], flip = half * k->factor.flip[i] * rows[6 + i];
        a[i][i] = m[i][0] * rows[0] + m[i][1] * rows[1] + m[i][2] * rows[2];
        a[q][p] = flip + twist;
        a[p][q] = flip - twist;
    }
    quat_axes(jac->q, u);
    solid_add(u, jac->h, 1, a, slot, f);
}

/* lam is not used and may be NULL. */
TAUT_FN void solid_curvature(const real x[4][3], const real* rest, const real* lam, const real dx[4][3],
                             real df[4][3]) {
    (void)lam;
    real u[3][3], h[3][3], a[3][3], change[3][3], m[3][3];
    solid_response response;
    solid_state(x, rest, u, h, &response);
    solid_gradient(u, h, dx, a);
    sym3_expand(response.second, m);
    for (int i = 0; i < 3; i++) {
        const int p = (i + 1) % 3, q = (i + 2) % 3;
        const real twist = response.twist[i] * (a[q][p] - a[p][q]) / 2;
        const real flip = response.flip[i] * (a[q][p] + a[p][q]) / 2;
        change[i][i] = m[i][0] * a[0][0] + m[i][1] * a[1][1] + m[i][2] * a[2][2];
        change[q][p] = flip + twist;
        change[p][q] = flip - twist;
    }
    for (int slot = 0; slot < 4; slot++) {
        solid_add(u, h, -rest[9], change, slot, df[slot]);
    }
}

/* Of rest values, those of Young's modulus (Pa) and Poisson's ratio, -1 < poisson < 1/2, and back:
 *   mu = E / (2 (1 + nu)),             lambda = E nu / ((1 + nu) (1 - 2 nu))
 *   E = 2 mu (1 + nu),                 nu = lambda / (2 (lambda + mu)) */
TAUT_FN void solid_set_moduli(real young, real poisson, real rest[13]) {
    rest[10] = young / (2 * (1 + poisson));
    rest[11] = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
}

TAUT_FN real solid_poisson(const real rest[13]) {
    return rest[11] / (2 * (rest[11] + rest[10]));
}

TAUT_FN real solid_young(const real rest[13]) {
    return 2 * rest[10] * (1 + solid_poisson(rest));
}

/* Rest values from the rest shape and the moduli, g_k = (edges i x j) / det Dm.
 * Either orientation will do. Returns the volume; 0 where the shape is flat to rounding, with all g_k = 0. */
TAUT_FN real solid_rest(const real shape[4][3], real young, real poisson, int material, real rest[13]) {
    real edge[3][3], normal[3], lengths = 1;
    for (int k = 0; k < 3; k++) {
        vec3_sub(shape[k + 1], shape[0], edge[k]);
        lengths *= (real)sqrt(vec3_dot(edge[k], edge[k]));
    }
    vec3_cross(edge[1], edge[2], normal);
    const real det = vec3_dot(edge[0], normal);
    const int flat = !((real)fabs(det) > 4 * TAUT_SVD3_EPS * lengths);
    for (int k = 0; k < 3; k++) {
        vec3_cross(edge[(k + 1) % 3], edge[(k + 2) % 3], normal);
        for (int c = 0; c < 3; c++) {
            rest[3 * k + c] = flat ? 0 : normal[c] / det;
        }
    }
    rest[9] = flat ? 0 : (real)fabs(det) / 6;
    solid_set_moduli(young, poisson, rest);
    rest[12] = (real)material;
    return rest[9];
}

#endif
