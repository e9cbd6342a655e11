/* Singular values of a 3 x 3 matrix between rotations.
 *
 *   F = U diag(s) V^T,   det U = det V = 1,   s0 >= s1 >= |s2|,   sign of s2 = sign of det F
 *
 * Reflections are left out: an inverted F has a negative s2. Functions of F that rotations on either side do not
 * change are functions of s. Matrices are arrays of columns.
 *
 * One-sided Jacobi: rotations of pairs of columns (b_p, b_q) make the columns of B = F V orthogonal. With
 *   zeta = (|b_q|^2 - |b_p|^2) / (2 b_p.b_q),   t = sign(zeta) / (|zeta| + sqrt(1 + zeta^2)),   c = 1 / sqrt(1 + t^2)
 * the pair c b_p - s b_q, s b_p + c b_q, s = t c, is orthogonal. A pair is left where |b_p.b_q| <= 2 eps |b_p| |b_q|,
 * so that columns end orthogonal relative to their own lengths. Eigenvectors of F^T F would not do: its rounding is
 * eps s0^2, and singular values below sqrt(eps) s0 would be noise with directions that are not orthogonal.
 *
 * Columns in the order of their lengths, u0 = b0 / |b0|, u1 that of b1 less its part along u0, u2 = u0 x u1 and
 * s_k = u_k.b_k. U is orthogonal by this, and s2 has its sign. F is divided by its largest value first, so that no
 * square overflows; what is shorter than eps / 100 then is no column but rounding. Some normal of u0 stands in for u1
 * there, the identity for U where F is 0.
 *
 * Bounds, eps = 2.2e-16 (float 1.2e-7), |F| the Frobenius norm: values of U^T U - I and V^T V - I,
 * (F - U diag(s) V^T) / |F| and the errors of s_k / |F| are below 16 eps, and the order of s holds up to as much. What
 * rounds are the rotations, three per sweep, about an eps each. It takes 6 sweeps at most, the last of which finds
 * nothing to do. */
#ifndef TAUT_FORMULAS_SVD3_H
#define TAUT_FORMULAS_SVD3_H

#include "base/small_math.h"

#define TAUT_SVD3_EPS  (sizeof(real) == sizeof(float) ? (real)1.1920929e-7 : (real)2.220446049250313e-16)
#define TAUT_SVD3_ZERO (TAUT_SVD3_EPS / 100) /* columns of b as short as that have no direction */

/* Makes columns p and q of b orthogonal and turns those of v alike; whether they were not yet so. */
TAUT_FN int svd3_rotate(real b[3][3], real v[3][3], int p, int q) {
    const real pp = vec3_dot(b[p], b[p]), qq = vec3_dot(b[q], b[q]), pq = vec3_dot(b[p], b[q]);
    const real shorter = (real)sqrt(pp < qq ? pp : qq), longer = (real)sqrt(pp < qq ? qq : pp);
    if (shorter <= TAUT_SVD3_ZERO || (real)fabs(pq) <= 2 * TAUT_SVD3_EPS * shorter * longer) {
        return 0;
    }
    const real zeta = (qq - pp) / (2 * pq);
    const real t = (zeta >= 0 ? 1 : -1) / ((real)fabs(zeta) + (real)sqrt(zeta * zeta + 1));
    const real c = 1 / (real)sqrt(t * t + 1);
    const real s = t * c;
    for (int i = 0; i < 3; i++) {
        const real bp = b[p][i], bq = b[q][i], vp = v[p][i], vq = v[q][i];
        b[p][i] = c * bp - s * bq;
        b[q][i] = s * bp + c * bq;
        v[p][i] = c * vp - s * vq;
        v[q][i] = s * vp + c * vq;
    }
    return 1;
}

/* Exchanges columns p and q where q is the longer one. A change of sign keeps the determinants. */
TAUT_FN void svd3_order(real b[3][3], real v[3][3], int p, int q) {
    if (vec3_dot(b[p], b[p]) >= vec3_dot(b[q], b[q])) {
        return;
    }
    for (int i = 0; i < 3; i++) {
        const real bp = b[p][i], vp = v[p][i];
        b[p][i] = b[q][i];
        b[q][i] = -bp;
        v[p][i] = v[q][i];
        v[q][i] = -vp;
    }
}

/* U of the orthogonal columns b, the longest first. */
TAUT_FN void svd3_left(const real b[3][3], real u[3][3]) {
    vec3_normalise(b[0], u[0]);
    real across[3] = {b[1][0], b[1][1], b[1][2]};
    vec3_axpy(-vec3_dot(u[0], across), u[0], across);
    if (!(vec3_dot(across, across) > TAUT_SVD3_ZERO * TAUT_SVD3_ZERO)) {
        const int upright = u[0][2] * u[0][2] > (real)0.5;
        const real axis[3] = {0, (real)upright, (real)!upright};
        vec3_cross(axis, u[0], across);
    }
    vec3_normalise(across, u[1]);
    vec3_cross(u[0], u[1], u[2]);
}

TAUT_FN void svd3(const real f[3][3], real u[3][3], real s[3], real v[3][3]) {
    real b[3][3], largest = 0;
    for (int k = 0; k < 9; k++) {
        const real size = (real)fabs(f[k / 3][k % 3]);
        largest = size > largest ? size : largest;
    }
    for (int k = 0; k < 9; k++) {
        b[k / 3][k % 3] = largest > 0 ? f[k / 3][k % 3] / largest : 0;
        v[k / 3][k % 3] = k % 4 == 0;
    }
    int turned = 1;
    for (int sweep = 0; sweep < 8 && turned; sweep++) {
        turned = svd3_rotate(b, v, 0, 1);
        turned |= svd3_rotate(b, v, 0, 2);
        turned |= svd3_rotate(b, v, 1, 2);
    }
    svd3_order(b, v, 0, 1);
    svd3_order(b, v, 0, 2);
    svd3_order(b, v, 1, 2);
    svd3_left(b, u);
    for (int k = 0; k < 3; k++) {
        s[k] = largest * vec3_dot(u[k], b[k]);
    }
}

#endif
