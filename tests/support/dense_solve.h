/* Dense matrices from sparse ones, and their solutions by Eigen. Row by row. */
#ifndef TAUT_TEST_DENSE_SOLVE_H
#define TAUT_TEST_DENSE_SOLVE_H

#include <taut/taut.h>

#ifdef __cplusplus
extern "C" {
#endif

/* rows x columns, to be freed. */
double* dense_of(const taut_assembly* assembly, taut_matrix which);
/* out = a b or, of `transposed`, a^T b; a: rows x columns, b: columns (rows) x others. */
void dense_multiply(size_t rows, size_t columns, size_t others, const double* a, bool transposed, const double* b,
                    double* out);
/* a x = b, n x n and `others` right-hand sides (n x others); false where a is singular. */
bool dense_solve(size_t n, size_t others, const double* a, const double* b, double* x);

#ifdef __cplusplus
}
#endif

#endif
