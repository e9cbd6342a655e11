/* What steps converge to. */
#ifndef COMPARE_REFERENCE_H
#define COMPARE_REFERENCE_H

#include "methods.h"

#define REFERENCE_ITERATIONS 200 /* of Newton's method: to rounding */

/* The linearised step by a factorisation and iterative refinement. */
void reference_linear(const step_problem* p, const motion* from, motion* to);

/* `frames` motions of the nonlinear step by so many of Newton's iterations at most in each of `substeps` equal parts,
 * one after the other; the caller frees each and the array. */
motion* reference_frames(const step_problem* p, uint32_t substeps, const motion* from, size_t frames,
                         size_t iterations);

#endif
