/* Symmetric blocks of one constraint, packed: factors and solutions by Cholesky's method. */
#ifndef TAUT_STAGES_PACKED_H
#define TAUT_STAGES_PACKED_H

#include "kernels/stages/items.h"

#include <math.h>

/* Rows of one constraint, at most. */
#define TAUT_BLOCK_ROWS 6

/* L with L L^T = C, 0 along a pivot that vanishes. Returns the least pivot relative to its diagonal, 0 unless C is
 * positive definite. */
TAUT_FN double packed_factor(const double* packed, size_t rows, double l[TAUT_BLOCK_ROWS][TAUT_BLOCK_ROWS]) {
    double least = 1;
    for (size_t r = 0; r < rows; r++) {
        for (size_t c = 0; c <= r; c++) {
            double sum = packed[packed_index(r, c)];
            for (size_t k = 0; k < c; k++) {
                sum -= l[r][k] * l[c][k];
            }
            l[r][c] = c < r ? (l[c][c] > 0 ? sum / l[c][c] : 0) : sum > 0 ? sqrt(sum) : 0;
            if (c == r) {
                const double part = sum > 0 ? sum / packed[packed_index(r, r)] : 0;
                least = part < least ? part : least;
            }
        }
    }
    return least;
}

/* x = (L L^T)^-1 b; 0 along a pivot that vanishes. */
TAUT_FN void packed_back(double l[TAUT_BLOCK_ROWS][TAUT_BLOCK_ROWS], size_t rows, const double* b, double* x) {
    for (size_t r = 0; r < rows; r++) {
        x[r] = b[r];
        for (size_t c = 0; c < r; c++) {
            x[r] -= l[r][c] * x[c];
        }
        x[r] = l[r][r] > 0 ? x[r] / l[r][r] : 0;
    }
    for (size_t r = rows; r-- > 0;) {
        for (size_t k = r + 1; k < rows; k++) {
            x[r] -= l[k][r] * x[k];
        }
        x[r] = l[r][r] > 0 ? x[r] / l[r][r] : 0;
    }
}

/* x = C^-1 b for a packed positive definite block, likewise. */
TAUT_FN void packed_solve(const double* packed, size_t rows, const double* b, double* x) {
    double l[TAUT_BLOCK_ROWS][TAUT_BLOCK_ROWS];
    packed_factor(packed, rows, l);
    packed_back(l, rows, b, x);
}

#endif
