#include "host/backend.h"

#include <string.h>

taut_factors taut_step_factors(const taut_settings* settings, double h) {
    const taut_integrator* scheme = &settings->integrator;
    const double implicit = scheme->beta > 0 ? scheme->beta : 1; /* beta = 0: the factor of the explicit term */
    const bool full = scheme->geometric_stiffness == TAUT_GEOMETRIC_FULL;
    taut_factors factors = {.h = h,
                            .alpha = scheme->alpha,
                            .beta = scheme->beta,
                            .hard_row_damping = scheme->hard_row_damping,
                            .root_scale = full ? scheme->alpha * implicit * h * h : 0,
                            .proximal = settings->solver.proximal,
                            .passive_forces = settings->passive_forces};
    memcpy(factors.gravity, settings->gravity, sizeof factors.gravity);
    return factors;
}
