/* Products of small dense matrices in float64, in the vector registers that the processor has. Every sum is in the
 * order of k, without fused operations: the bits are the same whatever the registers are. */
#ifndef TAUT_CPU_CPU_DENSE_PRODUCT_H
#define TAUT_CPU_CPU_DENSE_PRODUCT_H

#include <stddef.h>

#define DENSE_ROWS    8 /* at once: x and out have room for whole eights of rows */
#define DENSE_COLUMNS 4 /* at once: y and out have room for whole fours of columns */

/* out = X Y of rows x inner and inner x columns: X(i, k) at x[k stride + i], Y(k, j) at y[k columns' + j] and the
 * result (i, j) at out[j rows' + i], rows' and columns' rounded up to whole eights and fours. */
void dense_product(const double* x, size_t stride, size_t rows, const double* y, size_t columns, size_t inner,
                   double* out);

/* Columns [0, columns) of V, at most DENSE_STRIP, below a block that L D L^T is: V L^-T D^-1 in the place of V, by
 * rows. V(i, c) at v[c stride + i], L(c, k) at l[k stride + c] for k < c, and room for a four of rows. */
void dense_divide(double* v, size_t stride, size_t rows, const double* l, const double* pivot, size_t columns);

#define DENSE_STRIP 8

static inline size_t dense_round(size_t n, size_t to) {
    return (n + to - 1) / to * to;
}

#endif
