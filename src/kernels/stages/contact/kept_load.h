/* What of a contact's impulse is a load, which the next substep keeps up. Where contacts face each other, as on both
 * sides of what is wedged between walls, an overlap cannot be undone, and what is asked for in vain is no load.
 *
 * A contact that overlaps parts at u, its push, over what its load P keeps up: R gam = u + R P - J v. Nothing is left
 * of u in gam once P is the load. Between walls J v = 0: P would grow by u/R in each substep, and R fall as P grows,
 * until what is pressed finds a way out; forces grew sixfold from one substep to the next. So P becomes gam where the
 * contact parts as it is pushed; else it grows by little, but for what presses it in faster than pushes on its other
 * side can. What joints reach, or something soft, bears any load; what
 * lands is stopped by any. Steps of which gradients are taken pass all of gam on. */
#ifndef TAUT_CONTACT_KEPT_LOAD_H
#define TAUT_CONTACT_KEPT_LOAD_H

#include "kernels/stages/assemble.h"
#include "kernels/stages/contact/chains.h"

/* Of the push: what parts so fast is pushed out; what sinks in no faster than the second is stuck. */
#define TAUT_PUSH_DONE  0.7
#define TAUT_PUSH_STUCK 0.3
/* Of the push: what sinks in faster is pressed in by a load. */
#define TAUT_PUSH_PRESSED 2
/* P grows by so much of itself and of max(u, g h)/w in a substep, or where it is stuck. */
#define TAUT_PUSH_GROWS  0.3
#define TAUT_PUSH_LOADS  30
#define TAUT_PUSH_CREEPS 1

/* The part of the impulse of contact c that is a load of the next substep, P/gam. */
TAUT_FN double load_part(const taut_fields* f, const taut_sizes* s, size_t c, const taut_factors* step) {
    const size_t row = row_of_contact(s, c, 0);
    const double *parting = parting_of(f, c), push = parting[TAUT_PARTING_PUSH], gam = f->gam[row];
    const double soft = f->kinds[TAUT_CONTACT].weight[TAUT_PACKED(contact_ROWS) * c + packed_index(0, 0)];
    const double kept = fmax(parting[TAUT_PARTING_BORNE], 0.0), parts = push + kept - soft * gam;
    const bool rests = push > 0 && gam > 0 && soft > 0 && parting[TAUT_PARTING_RESTS] > 0 && step->gives_bounds;
    if (!rests || parts > TAUT_PUSH_DONE * push || may_be_reached(f, c)) {
        return 1;
    }
    const double unit = row_norm(f, s, row) * fmax(step->h * gravity_of(step), push);
    const double pressed = fmax(-parts - TAUT_PUSH_PRESSED * push, 0.0) / soft;
    const bool stuck = parts > -TAUT_PUSH_STUCK * push;
    const double load = kept / soft,
                 grows = stuck ? TAUT_PUSH_CREEPS * unit : TAUT_PUSH_GROWS * load + TAUT_PUSH_LOADS * unit;
    return fmin((fmax(load + grows, TAUT_PUSH_LOADS * unit) + pressed) / gam, 1.0);
}

#endif
