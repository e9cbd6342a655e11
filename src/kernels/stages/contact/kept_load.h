/* What of a contact's impulse is a load, which the next substep keeps up. Where contacts face each other, as on both
 * sides of what is wedged between walls, an overlap cannot be undone, and what is asked for in vain is no load.
 *
 * A contact that overlaps parts at u, its push, over what its load P keeps up: R gam = u + R P - J v. Nothing is left
 * of u in gam once P is the load. Between walls J v = 0: were P all of gam, it would grow by u/R in each substep, and R
 * fall as P grows, until what is pressed finds a way out; forces grew sixfold from one substep to the next. So beyond
 * what all weigh together P grows by what presses the contact in, and by little, unless that is faster than pushes on
 * its other side can be. What joints reach, or something soft, bears any load, and what lands is stopped by any.
 * Friction keeps all that it had. Steps of which gradients are taken have P = gam. */
#ifndef TAUT_CONTACT_KEPT_LOAD_H
#define TAUT_CONTACT_KEPT_LOAD_H

#include "kernels/stages/assemble.h"
#include "kernels/stages/contact/chains.h"

/* Of the push: what sinks in faster is pressed in by a load. */
#define TAUT_PUSH_PRESSED 2
/* In max(u, g h)/w: what any contact may bear, and by how much more one that sinks in may in each substep. */
#define TAUT_PUSH_LOADS 30
#define TAUT_PUSH_GROWS 3

/* The part of the impulse of contact c that is a load of the next substep, P'/gam; `load`: P, N s. */
TAUT_FN double load_part(const taut_fields* f, const taut_sizes* s, size_t c, double load, const taut_factors* step) {
    const size_t row = row_of_contact(s, c, 0);
    const double *parting = parting_of(f, c), push = parting[TAUT_PARTING_PUSH], gam = f->gam[row];
    const double soft = f->kinds[TAUT_CONTACT].weight[TAUT_PACKED(contact_ROWS) * c + packed_index(0, 0)];
    const double kept = fmax(parting[TAUT_PARTING_BORNE], 0.0), parts = push + kept - soft * gam; /* J v */
    const bool rests = push > 0 && gam > 0 && soft > 0 && parting[TAUT_PARTING_RESTS] > 0 && step->gives_bounds;
    if (!rests || may_be_reached(f, c)) {
        return 1;
    }
    const double fall = step->h * gravity_of(step), unit = row_norm(f, s, row) * fmax(fall, push);
    const double borne = fmax(TAUT_PUSH_LOADS * unit, fall * s->weighs);
    const double pressed = fmax(-parts - TAUT_PUSH_PRESSED * push, 0.0) / soft;
    const double grows = fmin(fmax(-parts, 0.0) / soft, TAUT_PUSH_GROWS * unit);
    return fmin((fmax(load + grows, borne) + pressed) / gam, 1.0);
}

#endif
