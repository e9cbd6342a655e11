/* Loads that the start of a substep does not tell to be gone. Of what R gives way b has R gam of the last substep, so
 * that what bears on as it did moves nothing. Where it is gone, as when a hand lets go, that is a speed at which the
 * contact parts: small, share borne g h, as long as R is made smaller by the load, and of any size for a load beyond
 * the range of that. So the solution is looked at: where the impulse is another one, b has R gam of this substep in the
 * place of that of the last one, never more than that, and the system is solved again. A round leaves R/(w + R) of the
 * difference, 1/w the mass of all that moves. */
#ifndef TAUT_CONTACT_UNLOADING_H
#define TAUT_CONTACT_UNLOADING_H

#include "kernels/stages/assemble.h"

/* m/s: by how much contact c parts too fast since less bears on it than b says; less than 0: more does again. */
TAUT_FN double parts_unloaded(const taut_fields* f, const taut_sizes* s, size_t c) {
    const double normal = (double)f->kinds[TAUT_CONTACT].weight[TAUT_PACKED(contact_ROWS) * c];
    const double bears = normal * fmax(f->gam[row_of_contact(s, c, 0)], 0.0);
    return fmax(fmax(parting_of(f, c)[TAUT_PARTING_BORNE], 0.0) - bears, -parting_of(f, c)[TAUT_PARTING_EASED]);
}

/* m/s: what is left where R follows the load. */
TAUT_FN double least_unloading(const taut_fields* f, const taut_sizes* s, size_t c, const taut_factors* step) {
    return soft_share(step) * borne_load(f, s, c, step) * gravity_of(step) * step->h;
}

/* b of contact c follows its load. */
TAUT_FN void ease_contact(const taut_fields* f, const taut_sizes* s, size_t c, double speed) {
    double* parting = parting_of(f, c);
    f->b[row_of_contact(s, c, 0)] -= speed;
    parting[TAUT_PARTING_BORNE] -= speed;
    parting[TAUT_PARTING_EASED] += speed;
}

#endif
