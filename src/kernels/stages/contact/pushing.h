/* What is pushed out of an overlap along a small angle. Between walls that meet at the angle 2 a things that are parted
 * at u from both come out at u/sin a. So the solution is looked at: where things come to slide along a contact faster
 * than it parts them, it parts them by less, and the system is solved again, in the rounds of contact/sliding.h. Only
 * of overlaps that are undone more slowly than their law says, since things would fly off. A blow may turn what lands.
 */
#ifndef TAUT_CONTACT_PUSHING_H
#define TAUT_CONTACT_PUSHING_H

#include "kernels/stages/contact/wedged.h"

/* Of the push: at which things may slide; and of g h, by which they may come to be faster in a substep. */
#define TAUT_PUSH_ASIDE  1.5
#define TAUT_PUSH_FASTER 0.5
/* Times that: what is let alone. */
#define TAUT_PUSH_UNSEEN 1.2

/* m/s: by how much less contact c is to push, since things come to slide along it faster than it parts them. */
TAUT_FN double pushes_aside(const taut_fields* f, const taut_sizes* s, size_t c, const taut_factors* step) {
    const double *parting = parting_of(f, c), *v = taut_renews(step->phase) ? f->v0 : f->v;
    const double gently = parting[TAUT_PARTING_GENTLY];
    double start[3], falls[3], moves[3];
    if (!(step->gives_bounds && gently > 0 && f->gam[row_of_contact(s, c, 0)] > 0)) {
        return 0;
    }
    speed_of_contact(f, c, v, 3, start);
    speed_of_contact(f, c, f->free_dv, 4, falls);
    speed_of_contact(f, c, f->g_f64, 4, moves);
    vec3_axpy(1, falls, start);
    vec3_axpy(1, start, moves);
    const double was = sqrt(start[1] * start[1] + start[2] * start[2]);
    const double faster = sqrt(moves[1] * moves[1] + moves[2] * moves[2]) - was;
    const double slides = fmax(TAUT_PUSH_ASIDE * gently - was, 0.0), lands = fmax(-start[0], 0.0);
    const double most = slides + lands + TAUT_PUSH_FASTER * gravity_of(step) * step->h;
    return faster > TAUT_PUSH_UNSEEN * most ? parting[TAUT_PARTING_PUSH] * (1 - most / faster) : 0;
}

/* Contact c pushes less, and with it parts what slides by less, in what it foresees of that or by a given bound. */
TAUT_FN bool push_less(const taut_fields* f, const taut_sizes* s, size_t c, const taut_factors* step) {
    double* parting = parting_of(f, c);
    const double less = pushes_aside(f, s, c, step);
    if (!(less > 0)) {
        return false;
    }
    const double part = less / parting[TAUT_PARTING_PUSH], slides = part * parting[TAUT_PARTING];
    f->b[row_of_contact(s, c, 0)] -= less - slides;
    parting[TAUT_PARTING_PUSH] -= less;
    parting[TAUT_PARTING_SPARED] += less;
    parting[TAUT_PARTING] -= slides;
    parting[TAUT_PARTING_FOLLOWED] -= slides;
    parting[TAUT_PARTING_BOUND] *= 1 - part;
    return true;
}

#endif
