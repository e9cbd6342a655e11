/* Products of small dense matrices in float64, in the vector registers that the processor has. Every sum is in the
 * order of k, without fused operations: the bits are the same whatever the registers are. */
#ifndef TAUT_CPU_CPU_DENSE_PRODUCT_H
#define TAUT_CPU_CPU_DENSE_PRODUCT_H

#include <stddef.h>
#include <stdint.h>

#define DENSE_ROWS    8 /* at once: x has room for whole eights of rows */
#define DENSE_COLUMNS 4 /* at once: y has room for whole fours of columns */

/* Where a product goes: (i, j) at value[column[j] stride + row[i]], first + i >= j. What is above that diagonal means
 * nothing, and may change. */
typedef struct dense_target {
    double* value;
    size_t stride;
    const uint32_t *row, *column; /* ascending */
    size_t first;
} dense_target;

/* Takes X Y of rows x inner and inner x columns from a target, on and below the diagonal: X(i, k) at x[k stride + i],
 * Y(k, j) at y[k columns' + j], columns' rounded up to whole fours. */
void dense_product(const double* x, size_t stride, size_t rows, const double* y, size_t columns, size_t inner,
                   const dense_target* to);

/* Columns [0, columns) of V, at most DENSE_STRIP, below a block that L D L^T is: V L^-T D^-1 in the place of V, by
 * rows. V(i, c) at v[c stride + i], L(c, k) at l[k stride + c] for k < c. */
void dense_divide(double* v, size_t stride, size_t rows, const double* l, const double* pivot, size_t columns);

#define DENSE_STRIP 12

static inline size_t dense_round(size_t n, size_t to) {
    return (n + to - 1) / to * to;
}

#endif
