/* Vector loops of the solver. Sums are formed per chunk of fixed size and then over the chunks in order, so that they
 * do not depend on the number of threads. */
#ifndef TAUT_CPU_CPU_VECTOR_H
#define TAUT_CPU_CPU_VECTOR_H

#include "host/cpu/cpu_state.h"

#include <math.h>

/* Impulses below this are none. A residual decays exponentially ahead of the iterations, and without a floor most of a
 * large scene soon holds denormal numbers, with which the processor takes up to a hundred times as long. */
#define VECTOR_NEGLIGIBLE 1e-25F

static inline float vector_floored(float x) {
    return fabsf(x) < VECTOR_NEGLIGIBLE ? 0 : x;
}

/* sum a_i b_i in float64 */
double vector_dot(const taut_plan* plan, const float* a, const float* b);
/* sum a_i^2 c_i */
double vector_norm2(const taut_plan* plan, const double* a, const float* c);
/* delta += s p, r -= s q; returns |r|^2 in the norm of the inverse diagonal. A chunk is summed while it is in cache. */
double vector_advance(const taut_plan* plan, double s, const float* p, const float* q, float* delta, float* r);
/* p = z + s p */
void vector_direction(const taut_plan* plan, const float* z, double s, float* p);
/* out = a_i b_i */
void vector_multiply(const taut_plan* plan, const float* a, const float* b, float* out);
/* out = a_i b_i; returns b.out */
double vector_multiply_dot(const taut_plan* plan, const float* a, const float* b, float* out);

#endif
