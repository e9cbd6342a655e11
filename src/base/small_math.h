/* Small vectors and matrices for the formulas: C11 that is also CUDA C++.
 *
 * `real` is double or float as the including file chooses with TAUT_REAL, so that one text of every formula serves
 * the float64 evaluation, the float32 solver and the float64 residual. */
#ifndef TAUT_BASE_SMALL_MATH_H
#define TAUT_BASE_SMALL_MATH_H

#include <math.h>
#include <stdbool.h>

#if defined(__GNUC__) && !defined(__cplusplus)
/* C23 lets a real (*)[3] pass where a const one is wanted; C11 compilers do it too, and -Wpedantic objects. */
#pragma GCC diagnostic ignored "-Wpedantic"
#endif

#ifdef __CUDACC__
#define TAUT_FN static inline __host__ __device__
#elif defined(__GNUC__)
/* Not every includer uses every formula. */
#define TAUT_FN __attribute__((unused)) static inline
#else
#define TAUT_FN static inline
#endif

/* The body of a hot loop that another function has as well: compilers would leave it out of line. */
#if defined(__GNUC__) && !defined(__CUDACC__)
#define TAUT_FN_HOT __attribute__((always_inline, unused)) static inline
#else
#define TAUT_FN_HOT TAUT_FN
#endif

#ifndef TAUT_REAL
#define TAUT_REAL float
#endif

typedef TAUT_REAL real;

TAUT_FN real vec3_dot(const real a[3], const real b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

TAUT_FN void vec3_sub(const real a[3], const real b[3], real out[3]) {
    for (int i = 0; i < 3; i++) {
        out[i] = a[i] - b[i];
    }
}

/* out += s a */
TAUT_FN void vec3_axpy(real s, const real a[3], real out[3]) {
    for (int i = 0; i < 3; i++) {
        out[i] += s * a[i];
    }
}

TAUT_FN void vec3_cross(const real a[3], const real b[3], real out[3]) {
    const real x = a[1] * b[2] - a[2] * b[1];
    const real y = a[2] * b[0] - a[0] * b[2];
    const real z = a[0] * b[1] - a[1] * b[0];
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

/* Length of a; out = a / length, or the x axis where the length vanishes. */
TAUT_FN real vec3_normalise(const real a[3], real out[3]) {
    const real length = (real)sqrt(vec3_dot(a, a));
    const int usable = length > (real)1e-30;
    const real scale = usable ? 1 / length : 0;
    for (int i = 0; i < 3; i++) {
        out[i] = a[i] * scale;
    }
    if (!usable) {
        out[0] = 1;
    }
    return length;
}

/* Square root of the positive part of a symmetric matrix {a, b, c} = [[a, c], [c, b]]: with the eigenvalues cut at
 * zero, p >= q, and R = sqrt: R = r1 I + r2 M by Cayley-Hamilton, or the projector form where one is cut. */
TAUT_FN void sym2_sqrt_positive(const real m[3], real out[3]) {
    const real mean = (m[0] + m[1]) / 2;
    const real half = (m[0] - m[1]) / 2;
    const real radius = (real)sqrt(half * half + m[2] * m[2]);
    const real p = mean + radius > 0 ? (real)sqrt(mean + radius) : 0;
    const real q = mean - radius > 0 ? (real)sqrt(mean - radius) : 0;
    const real identity = (p + q) / 2;
    const real deviator = radius > 0 ? (p - q) / (2 * radius) : 0;
    out[0] = identity + deviator * half;
    out[1] = identity - deviator * half;
    out[2] = deviator * m[2];
}

/* One Jacobi rotation of the symmetric a that makes a[p][q] zero; v collects the eigenvectors as columns. */
TAUT_FN void sym3_rotate(real a[3][3], real v[3][3], int p, int q) {
    if (a[p][q] == 0) {
        return;
    }
    const real theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
    const real t = (theta >= 0 ? 1 : -1) / ((real)fabs(theta) + (real)sqrt(theta * theta + 1));
    const real c = 1 / (real)sqrt(t * t + 1);
    const real s = t * c;
    for (int k = 0; k < 3; k++) {
        const real akp = a[k][p], akq = a[k][q];
        a[k][p] = c * akp - s * akq;
        a[k][q] = s * akp + c * akq;
    }
    for (int k = 0; k < 3; k++) {
        const real apk = a[p][k], aqk = a[q][k];
        a[p][k] = c * apk - s * aqk;
        a[q][k] = s * apk + c * aqk;
        const real vkp = v[k][p], vkq = v[k][q];
        v[k][p] = c * vkp - s * vkq;
        v[k][q] = s * vkp + c * vkq;
    }
}

/* Symmetric 3x3 matrices are stored as {xx, yy, zz, yz, zx, xy}. */
TAUT_FN void sym3_expand(const real m[6], real out[3][3]) {
    out[0][0] = m[0];
    out[1][1] = m[1];
    out[2][2] = m[2];
    out[1][2] = out[2][1] = m[3];
    out[0][2] = out[2][0] = m[4];
    out[0][1] = out[1][0] = m[5];
}

/* Square root of the positive part: V sqrt(max(D, 0)) V^T by cyclic Jacobi; six sweeps reach float64 rounding. */
TAUT_FN void sym3_sqrt_positive(const real m[6], real out[6]) {
    real a[3][3];
    real v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    sym3_expand(m, a);
    for (int sweep = 0; sweep < 6; sweep++) {
        sym3_rotate(a, v, 0, 1);
        sym3_rotate(a, v, 0, 2);
        sym3_rotate(a, v, 1, 2);
    }
    for (int i = 0; i < 6; i++) {
        out[i] = 0;
    }
    for (int k = 0; k < 3; k++) {
        const real root = a[k][k] > 0 ? (real)sqrt(a[k][k]) : 0;
        for (int i = 0; i < 3; i++) {
            out[i] += root * v[i][k] * v[i][k];
            out[3 + i] += root * v[(i + 1) % 3][k] * v[(i + 2) % 3][k];
        }
    }
}

TAUT_FN bool taut_is_finite(double value) {
    return value - value == 0;
}

#endif
