/* What steps converge to. */
#ifndef COMPARE_REFERENCE_H
#define COMPARE_REFERENCE_H

#include "compare/methods.h"

/* Newton's method to rounding, in `substeps` equal parts of the step. */
void reference_nonlinear(const step_problem* p, uint32_t substeps, const motion* from, motion* to);
/* The linearised step by a factorisation and iterative refinement. */
void reference_linear(const step_problem* p, const motion* from, motion* to);

/* `frames` motions of the nonlinear step, one after the other; the caller frees each and the array. */
motion* reference_frames(const step_problem* p, uint32_t substeps, const motion* from, size_t frames);

#endif
