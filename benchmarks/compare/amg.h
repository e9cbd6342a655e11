/* Conjugate gradients with the smoothed aggregation of AMGCL; of its relaxations SPAI-0, Gauss-Seidel, ILU(0) and
 * Chebyshev the one that was the fastest here, ILU(0). */
#ifndef COMPARE_AMG_H
#define COMPARE_AMG_H

#include "sparse.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum amg_kind {
    AMG_TRANSLATIONS, /* 3 x 3 blocks, constant vectors */
    AMG_RIGID_MODES   /* scalars, six rigid-body modes of the positions */
} amg_kind;

typedef struct amg_cost {
    double setup, solve; /* s; the hierarchy is made of the numbers, so every matrix needs a setup */
    size_t iterations;
} amg_cost;

bool amg_available(void);
/* From zero to the relative residual `tolerance`. False where the library gives up. */
bool amg_solve(amg_kind kind, const sparse* a, const double* positions, const double* b, double tolerance, double* x,
               amg_cost* cost);

#ifdef __cplusplus
}
#endif

#endif
