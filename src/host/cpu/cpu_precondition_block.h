#ifndef TAUT_CPU_CPU_PRECONDITION_BLOCK_H
#define TAUT_CPU_CPU_PRECONDITION_BLOCK_H

#include "model/backend.h"

/* Assembles and inverts every block for the current Jacobians, weights and shifts. */
void blocks_refresh(const taut_plan* plan);
/* z = block-diagonal inverse times r. */
void blocks_apply(const taut_plan* plan, const float* r, float* z);

#endif
