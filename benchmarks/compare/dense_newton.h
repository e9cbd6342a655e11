/* Newton's method with a direct solver and a line search: the solution that errors are taken against, and an opponent.
 */
#ifndef COMPARE_NEWTON_H
#define COMPARE_NEWTON_H

#include "direct.h"
#include "problem.h"

typedef struct newton newton;

newton* newton_make(direct_kind kind, const step_problem* p);
void newton_free(newton* n);

/* At most `limit` iterations from y, until they move nothing by more than 1e-13 of the step, or than rounding does.
 * Adds the time of factorisations and solves to `seconds`, which may be NULL. Returns the iterations. */
size_t newton_step(newton* n, const motion* from, size_t limit, motion* to, double* seconds);

#endif
