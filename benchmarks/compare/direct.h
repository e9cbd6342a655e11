/* Sparse Cholesky factorisations of other libraries, with the analysis of the pattern apart from the numbers. */
#ifndef COMPARE_DIRECT_H
#define COMPARE_DIRECT_H

#include "sparse.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum direct_kind { DIRECT_EIGEN, DIRECT_CHOLMOD } direct_kind;

typedef struct direct direct;

/* Whether the library was found when this was built. */
bool direct_available(direct_kind kind);
/* Orders and analyses the pattern of `a`, which must stay that of all later matrices. */
direct* direct_make(direct_kind kind, const sparse* a);
void direct_free(direct* d);
/* False where the matrix is not positive definite. */
bool direct_factorise(direct* d, const sparse* a);
void direct_solve(direct* d, const double* b, double* x);

#ifdef __cplusplus
}
#endif

#endif
