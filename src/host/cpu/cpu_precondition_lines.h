#ifndef TAUT_CPU_CPU_PRECONDITION_LINES_H
#define TAUT_CPU_CPU_PRECONDITION_LINES_H

#include "model/backend.h"

/* Factors every line for the current Jacobians, weights and shifts. */
void lines_refresh(const taut_plan* plan);
/* z = inverse of the lines times r. */
void lines_apply(const taut_plan* plan, const float* r, float* z);

#endif
