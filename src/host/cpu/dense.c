#include "host/cpu/cpu_dense.h"

#define TAUT_REAL double
#include "kernels/stages/precondition.h"

/* Row operations that make the matrix upper triangular, and the same ones of the unit matrix where it becomes 0. */
static void eliminate(size_t n, double* a) {
    for (size_t k = 0; k < n; k++) {
        double* row = a + k * n;
        row[k] = factor_pivot(row[k]);
        for (size_t i = k + 1; i < n; i++) {
            const double part = a[i * n + k] / row[k];
            if (part == 0) {
                continue;
            }
            for (size_t j = 0; j < n; j++) {
                a[i * n + j] -= part * row[j];
            }
            a[i * n + k] = -part;
        }
    }
}

void dense_factor(size_t n, double* matrix, float* factor) {
    double scale[TAUT_MAX_BLOCK];
    for (size_t i = 0; i < n; i++) {
        scale[i] = block_scale(matrix[i * n + i]);
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            matrix[i * n + j] = i == j ? 1 : matrix[i * n + j] * scale[i] * scale[j];
        }
    }
    eliminate(n, matrix);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            factor[i * n + j] = factor_value(n, matrix, scale, i, j);
        }
    }
}
