/* Factors of the inverses of dense symmetric blocks. */
#ifndef TAUT_CPU_CPU_DENSE_H
#define TAUT_CPU_CPU_DENSE_H

#include <stddef.h>

/* Lower triangular F (n x n, row by row) with F^T F the inverse of a positive semidefinite matrix of n <=
 * TAUT_MAX_BLOCK rows, which is overwritten; what depends on other rows stays finite. See
 * kernels/stages/precondition.h. */
void dense_factor(size_t n, double* matrix, float* factor);

#endif
