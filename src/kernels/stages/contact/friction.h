/* The laws of friction of contacts in a scene, as projections. Text for a file that has defined TAUT_REAL as double. */
#ifndef TAUT_CONTACT_FRICTION_H
#define TAUT_CONTACT_FRICTION_H

#include "kernels/stages/contact/cone.h"
#include "model/factors.h"
#include "model/layout.h"

TAUT_FN double friction_of(const taut_fields* f, size_t c) {
    return f->contact_friction[c];
}

/* What b of contact c is less by for what slides, and more: TAUT_PARTING_VALUES. */
TAUT_FN double* parting_of(const taut_fields* f, size_t c) {
    return f->contact_parting + TAUT_PARTING_VALUES * c;
}

/* Whether the friction of contact c has a bound that the system does not change: contact/wedged.h. */
TAUT_FN bool has_given_bound(const taut_fields* f, size_t c, const taut_factors* step) {
    return step->regularised && parting_of(f, c)[TAUT_PARTING_GIVEN] > 0;
}

/* u = P(z) of contact c, in the metric of wh, by the law of the step and the bound `limit`. */
TAUT_FN taut_contact_state project_contact(const taut_fields* f, size_t c, const taut_factors* step, double limit,
                                           const double wh[3], const double z[3], double u[3], float* derivative) {
    if (has_given_bound(f, c, step)) {
        return project_on_disc(parting_of(f, c)[TAUT_PARTING_BOUND], wh[0], wh[1], z, u, derivative);
    }
    return step->convex ? project_on_cone(friction_of(f, c), wh[0], wh[1], z, u, derivative)
                        : project_on_disc(limit, wh[0], wh[1], z, u, derivative);
}

/* u = P(z) of the couple of contact c, whose normal impulse counts as `normal`. */
TAUT_FN unsigned project_rolling(const taut_fields* f, size_t c, double normal, const double wh[3], const double z[3],
                                 double u[3], float* derivative) {
    const double* law = f->material_law + TAUT_CONTACT_LAW * (size_t)f->contact_law[c];
    const double presses = normal > 0 ? normal : 0;
    return project_couple(law[TAUT_PAIR_SPINNING] * presses, law[TAUT_PAIR_ROLLING] * presses, wh[0], wh[1], z, u,
                          derivative);
}

#endif
