/* The linearised step as a sparse matrix, made of what taut assembles:
 *
 *     H dv = h f + J^T W^-1 r,    H = M + J^T W^-1 J,    W = C/h^2,    r = -(phi + h J v) / h,
 *
 * with rows of the identity for fixed particles. */
#ifndef COMPARE_LINEAR_SYSTEM_H
#define COMPARE_LINEAR_SYSTEM_H

#include "problem.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct linear_system {
    sparse h;
    double* rhs;
} linear_system;

/* A world that is asked for matrices. */
typedef struct linear_source linear_source;

linear_source* linear_source_make(const step_problem* p);
void linear_source_free(linear_source* s);
/* The system at `from`, valid until the next call; `seconds` receives the time it took. Its pattern may differ from the
 * last one where entries of J became zero. */
const linear_system* linear_source_assemble(linear_source* s, const motion* from, double* seconds);

/* v' = v + dv, x' = x + h v' */
void linear_finish(const step_problem* p, const motion* from, const double* dv, motion* to);

#ifdef __cplusplus
}
#endif

#endif
