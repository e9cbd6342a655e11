/* z = B r with B near the inverse of S + E: the one interface of all preconditioners. */
#ifndef TAUT_CPU_CPU_PRECONDITION_H
#define TAUT_CPU_CPU_PRECONDITION_H

#include "host/cpu/cpu_state.h"

/* Numbers of the preconditioner for the assembled system. */
void precondition_refresh(taut_backend_state* state);
/* Returns r.z. Uses q as scratch. */
double precondition_apply(const taut_backend_state* state, const float* r, float* z);
/* Called when B turned out not to be positive definite. */
void precondition_repair(taut_backend_state* state);

/* q = (S + E) p, overwriting g. */
void precondition_multiply(const taut_plan* plan, const float* p, float* q);

#endif
