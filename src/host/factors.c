#include "host/backend.h"

#include <string.h>

/* Shifts of the condensed system where the user gives none, relative to J M^-1 J^T. The less of it, the fewer outer passes
 * are needed, which repeat what a pass has done, and the worse conditioned is H. Jacobi needs it of all stiff rows. The
 * multilevel preconditioner stands stiffness better than the outer loop does, to the end of float32. */
#define JACOBI_PROXIMAL     1e-5
#define MULTILEVEL_PROXIMAL 1e-6
#define MULTILEVEL_SOFT     1e-11

static void set_shift(const taut_settings* settings, taut_factors* factors) {
    const bool multilevel = settings->condensed_preconditioner == TAUT_PRECONDITIONER_MULTILEVEL;
    const double automatic = multilevel ? MULTILEVEL_PROXIMAL : JACOBI_PROXIMAL;
    factors->condensed_proximal = settings->solver.proximal > 0 ? settings->solver.proximal : automatic;
    factors->condensed_soft = multilevel ? MULTILEVEL_SOFT : factors->condensed_proximal;
}

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
    set_shift(settings, &factors);
    memcpy(factors.gravity, settings->gravity, sizeof factors.gravity);
    return factors;
}
