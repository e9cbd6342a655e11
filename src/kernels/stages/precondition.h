/* Scalars and small dense steps of the preconditioners, the same on both backends. */
#ifndef TAUT_STAGES_PRECONDITION_H
#define TAUT_STAGES_PRECONDITION_H

#include "base/small_math.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- dense blocks ------------------------------------------------------------------------------------------------ */

/* The public limit of block_size; a single constraint with its factor rows is smaller. */
#define TAUT_MAX_BLOCK 256

/* 1/sqrt of a diagonal value; 0 for an empty row, which becomes a unit row. */
TAUT_FN double block_scale(double diagonal) {
    return diagonal > 1e-30 ? 1 / sqrt(diagonal) : 0;
}

/* A pivot (of a matrix with unit diagonal) lost to dependent rows is replaced by a small one: the block stays positive
 * definite and only preconditions worse there. */
TAUT_FN double block_pivot(double pivot) {
    return pivot > 1e-6 ? pivot : 1e-6;
}

/* An inverse decays along its chain; what is this small against its row's diagonal changes no digit of a float32 sum,
 * but its products are denormal numbers, which take a processor a hundred times as long. */
#define TAUT_BLOCK_NEGLIGIBLE 1e-10

/* Entry (i, j) of the inverse from minus that of the scaled block. */
TAUT_FN float block_unscale(size_t n, const double* swept, const double* scale, size_t i, size_t j) {
    const double value = -swept[i * n + j], least = TAUT_BLOCK_NEGLIGIBLE;
    const bool negligible = value * value < least * least * swept[i * n + i] * swept[j * n + j];
    return negligible ? 0 : (float)(value * scale[i] * scale[j]);
}

/* ---- 3 x 3 blocks -------------------------------------------------------------------------------------------------
 */

/* z = D^-1 r with a symmetric inverse {xx, yy, zz, yz, zx, xy}; returns r.z. */
TAUT_FN double block_divide(const float* inverse, const float* r, float* z) {
    const float x = inverse[0] * r[0] + inverse[5] * r[1] + inverse[4] * r[2];
    const float y = inverse[5] * r[0] + inverse[1] * r[1] + inverse[3] * r[2];
    z[2] = inverse[4] * r[0] + inverse[3] * r[1] + inverse[2] * r[2];
    z[0] = x;
    z[1] = y;
    return (double)r[0] * z[0] + (double)r[1] * z[1] + (double)r[2] * z[2];
}

/* ---- factors of inverses ------------------------------------------------------------------------------------------
 *
 * Blocks of the multilevel preconditioner are nearly singular where they should be: stiffness far above mass lets an
 * aggregate move as a whole. Rounded to float32 their inverses would be indefinite: one digit lost of soft modes is
 * more than all of the stiff ones. F^T F with the inverse F of the Cholesky factor is positive whatever is rounded, and
 * what it loses is the square of that. Elimination makes F from row operations on the matrix scaled to unit diagonal:
 *     for k: for i > k: row i -= (a_ik / a_kk) row k, which is kept where the matrix becomes 0; F = that / sqrt(a_kk).
 */

/* A pivot lost to dependent rows is replaced by a small one. */
TAUT_FN double factor_pivot(double pivot) {
    return pivot > 1e-12 ? pivot : 1e-12;
}

/* Value (i, j) of F from the eliminated matrix, n x n. */
TAUT_FN float factor_value(size_t n, const double* eliminated, const double* scale, size_t i, size_t j) {
    const double value = i == j ? 1 : j < i ? eliminated[i * n + j] : 0;
    return (float)(value * scale[j] / sqrt(eliminated[i * n + i]));
}

/* ---- Chebyshev ----------------------------------------------------------------------------------------------------
 */

/* Power steps for the largest eigenvalue of D^-1 S, each time from the kept vector with a fresh one mixed in: rows that
 * were slack in the last step may carry the largest eigenvalue of this one. */
#define TAUT_POWER_STEPS 8
/* A Rayleigh quotient lies below the eigenvalue; the polynomial must not be used beyond its interval. */
#define TAUT_POWER_SAFETY 1.2

/* Value i of a fixed vector of n values, of length about 1: bits of a hash, so that no numbering of the unknowns makes
 * it smooth, which would hide the largest eigenvalue. The mixing is that of MurmurHash3 (A. Appleby, public domain). */
TAUT_FN float chebyshev_mix(size_t i, size_t n) {
    uint32_t bits = (uint32_t)(i + 1);
    bits = (bits ^ bits >> 16) * 0x85EBCA6Bu;
    bits = (bits ^ bits >> 13) * 0xC2B2AE35u;
    bits ^= bits >> 16;
    return ((float)bits / 2147483648.0F - 1.0F) * (float)sqrt(3.0 / (double)n);
}

/* [upper / degree^2, upper] */
typedef struct chebyshev_interval {
    double middle;
    double half;
} chebyshev_interval;

TAUT_FN chebyshev_interval chebyshev_of(double largest, double degree) {
    const double upper = TAUT_POWER_SAFETY * largest;
    const double lower = upper / (degree > 2 ? degree * degree : 4);
    const chebyshev_interval on = {(upper + lower) / 2, (upper - lower) / 2};
    return on;
}

/* d = keep d + gain D^-1 residual in step 1, 2, ... of the three-term recurrence. */
typedef struct chebyshev_factors {
    float keep;
    float gain;
} chebyshev_factors;

TAUT_FN chebyshev_factors chebyshev_step(chebyshev_interval on, int step) {
    double rho = on.half / on.middle;
    chebyshev_factors f = {0, 0};
    for (int i = 0; i < step; i++) {
        const double next = 1 / (2 * on.middle / on.half - rho);
        f.keep = (float)(next * rho);
        f.gain = (float)(2 * next / on.half);
        rho = next;
    }
    return f;
}

#endif
