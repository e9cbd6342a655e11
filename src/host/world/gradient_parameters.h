/* What the adjoint of a step takes from the world instead of the record of the step. */
#ifndef TAUT_WORLD_GRADIENT_PARAMETERS_H
#define TAUT_WORLD_GRADIENT_PARAMETERS_H

#include "host/world/world_data.h"

/* A number of the parameters that must be at `back` what they were in the step: compliances, damping times, what is
 * there, bounds, pressures and wind, what is fixed, alpha, beta and mass damping. */
uint64_t gradient_parameters(const taut_world* world);

#endif
