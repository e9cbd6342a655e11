/* Friction of what joints hold to what it slides along, by the convex law.
 *
 * That law parts what slides by mu |v_t'|, and b is less by as much (contact/sliding.h). Where a joint forbids to part,
 * a speed larger than b foresees is forbidden, too: friction then presses as much as it needs to hold the thing, and
 * any load satisfies all laws. The load that is meant is that of the overlap and of what bears on it, which what is
 * solved for along the normal alone tells. So friction of such a contact gets a given bound as Tresca's law has it,
 * which does not part anything, and the system is solved again with what its load is then (Haslinger's iteration):
 *     |gam_t| <= mu gam_n of the round before */
#ifndef TAUT_CONTACT_WEDGED_H
#define TAUT_CONTACT_WEDGED_H

#include "kernels/stages/apply.h"
#include "kernels/stages/assemble.h"
#include "kernels/stages/contact/friction.h"

/* Of the larger one: a change of the bound that is left as it is. In rounds from this one on it changes by half. */
#define TAUT_WEDGED_CHANGE 0.01
#define TAUT_WEDGED_HALVES 3

/* Of the load that gives a thing of the mass of the contact the speed g h. */
#define TAUT_WEDGED_LEAST 1e-3

/* J u of contact c. */
TAUT_FN void speed_of_contact(const taut_fields* f, size_t c, const double* u, size_t stride, double out[3]) {
    double own[contact_NODES][3];
    contact_jacobian jac;
    gather(u, stride, f->kinds[TAUT_CONTACT].nodes + contact_NODES * c, contact_NODES, own);
    load_jacobian_contact(&f->kinds[TAUT_CONTACT], c, &jac);
    contact_apply_jacobian(&jac, own, out);
}

/* m/s: R y = b - J dv of contact c, with the motion that the solver has left in g_f64. */
TAUT_FN void left_of_contact(const taut_fields* f, const taut_sizes* s, size_t c, double left[3]) {
    double moved[3];
    load_unknowns_f64(f->b + s->first_row[TAUT_CONTACT], s->count[TAUT_CONTACT], contact_ROWS, c, left);
    speed_of_contact(f, c, f->g_f64, 4, moved);
    for (int r = 0; r < contact_ROWS; r++) {
        left[r] -= moved[r];
    }
}

TAUT_FN void load_impulse(const taut_fields* f, const taut_sizes* s, size_t c, double gam[3]) {
    load_unknowns_f64(f->gam + s->first_row[TAUT_CONTACT], s->count[TAUT_CONTACT], contact_ROWS, c, gam);
}

/* N s: the bound that the load of contact c gives, and whether it is another one than was given. */
TAUT_FN bool find_bound(const taut_fields* f, const taut_sizes* s, size_t c, const taut_factors* step,
                        const double gam[3], double* now) {
    const double given = parting_of(f, c)[TAUT_PARTING_BOUND];
    const double slow = step->h * gravity_of(step) * row_norm(f, s, row_of_contact(s, c, 0));
    *now = friction_of(f, c) * fmax(gam[0], 0.0);
    return fabs(*now - given) >
           fmax(TAUT_WEDGED_CHANGE * fmax(*now, given), TAUT_WEDGED_LEAST * friction_of(f, c) * slow);
}

TAUT_FN bool bound_is_off(const taut_fields* f, const taut_sizes* s, size_t c, const taut_factors* step) {
    double gam[3], now;
    load_impulse(f, s, c, gam);
    return find_bound(f, s, c, step, gam, &now);
}

/* The given bound of contact c follows its load, and its friction what it slides like: a change of it that the
 * tolerance of the solve does not see adds up. Whether it changes. */
TAUT_FN bool follow_bound(const taut_fields* f, const taut_sizes* s, size_t c, const taut_factors* step,
                          uint32_t round) {
    const float softness = f->kinds[TAUT_CONTACT].weight[TAUT_PACKED(contact_ROWS) * c + packed_index(1, 1)];
    double *bound = parting_of(f, c) + TAUT_PARTING_BOUND, gam[3], left[3], now;
    load_impulse(f, s, c, gam);
    if (!find_bound(f, s, c, step, gam, &now)) {
        return false;
    }
    *bound += (round < TAUT_WEDGED_HALVES ? 1 : 0.5) * (now - *bound);
    left_of_contact(f, s, c, left);
    const double across = sqrt(left[1] * left[1] + left[2] * left[2]), most = *bound * softness;
    for (size_t r = 1; r < contact_ROWS && softness > 0; r++) {
        f->gam[row_of_contact(s, c, r)] = left[r] / softness * (across > most ? most / across : 1);
    }
    return true;
}

#endif
