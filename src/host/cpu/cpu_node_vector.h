/* Vector loops of the condensed solver over nodes (x 4), with sums as in vector.h. D is the diagonal block of H. */
#ifndef TAUT_CPU_CPU_NODE_VECTOR_H
#define TAUT_CPU_CPU_NODE_VECTOR_H

#include "host/cpu/cpu_state.h"

/* sum a_i b_i in float64 */
double node_vector_dot(const taut_plan* plan, const float* a, const float* b);
/* delta += s p, r -= s q, z = D^-1 r; returns r.z. */
double node_vector_advance(const taut_plan* plan, double s, const float* p, const float* q, float* delta, float* r,
                           float* z);
/* z = D^-1 r; returns r.z. */
double node_vector_divide(const taut_plan* plan, const float* r, float* z);
/* p = z + s p */
void node_vector_direction(const taut_plan* plan, const float* z, double s, float* p);

#endif
