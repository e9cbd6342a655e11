/* Friction of what joints hold to what it slides along, by the convex law.
 *
 * That law parts what slides by mu |v_t'|, and b is less by as much (contact/sliding.h). Where a joint forbids to part,
 * a speed larger than b foresees is forbidden, too: friction then presses as much as it needs to hold the thing, and
 * any load satisfies all laws. The load that is meant is that of the overlap and of what bears on it, which what is
 * solved for along the normal alone tells. So friction of such a contact gets a given bound as Tresca's law has it,
 * which does not part anything, and the system is solved again for the bound that its load gives then (Haslinger's
 * iteration, by secants):
 *     |gam_t| <= B,   r = mu gam_n - B -> 0
 * A ball between things that rest is held by these likewise, and gets such bounds once it turns out to be wedged. */
#ifndef TAUT_CONTACT_WEDGED_H
#define TAUT_CONTACT_WEDGED_H

#include "kernels/stages/apply.h"
#include "kernels/stages/assemble.h"
#include "kernels/stages/contact/collide_pair.h"
#include "kernels/stages/contact/friction.h"

/* Of the larger one: a change of the bound that is left as it is. */
#define TAUT_WEDGED_CHANGE 0.05
/* From this round on what is left of a bound must fall to this part in each. */
#define TAUT_WEDGED_FIRST  3
#define TAUT_WEDGED_CLOSER 0.7
/* Of m. */
#define TAUT_WEDGED_SLOWEST 0.02
#define TAUT_WEDGED_MOST    4

/* Of the load that gives a thing of the mass of the contact the speed g h. */
#define TAUT_WEDGED_LEAST 0.01

/* A ball is wedged where the impulse of one contact is more than so many times the sum of all on it, and its weight. */
#define TAUT_WEDGED_AGAINST 3

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

/* N s: the bound that the load of contact c gives, and whether the solution changes with it: what sticks by both does
 * not. */
TAUT_FN bool find_bound(const taut_fields* f, const taut_sizes* s, size_t c, const taut_factors* step, double* now) {
    const double given = parting_of(f, c)[TAUT_PARTING_BOUND];
    const double slow = step->h * gravity_of(step) * row_norm(f, s, row_of_contact(s, c, 0));
    double gam[3];
    load_unknowns_f64(f->gam + s->first_row[TAUT_CONTACT], s->count[TAUT_CONTACT], contact_ROWS, c, gam);
    *now = friction_of(f, c) * fmax(gam[0], 0.0);
    const double holds = TAUT_CONTACT_SLID * fmin(*now, given);
    const double least = fmax(TAUT_WEDGED_CHANGE * fmax(*now, given), TAUT_WEDGED_LEAST * friction_of(f, c) * slow);
    return fabs(*now - given) > least && gam[1] * gam[1] + gam[2] * gam[2] >= holds * holds;
}

TAUT_FN bool bound_is_off(const taut_fields* f, const taut_sizes* s, size_t c, const taut_factors* step) {
    double now;
    return find_bound(f, s, c, step, &now);
}

/* Whether thing `side` of contact c, of two colliders, is a ball that moves, and the other one is still and rests. */
TAUT_FN bool is_ball_on_rest(const taut_fields* f, const taut_sizes* s, size_t c, size_t side,
                             const size_t collider[2]) {
    const uint32_t* node = f->kinds[TAUT_CONTACT].nodes + contact_NODES * c;
    const double* weight = f->kinds[TAUT_CONTACT].rest + contact_REST * c + contact_weight;
    const double* v = f->v + 3 * (size_t)node[1 - side];
    const bool moves = weight[side] != 0 && f->inverse_mass[node[side]] > 0;
    const bool rests = f->solid[collider[1 - side]].spin == 0 && (weight[1 - side] == 0 || vec3_dot(v, v) == 0);
    return moves && rests && collider_is_still(f, s, collider[1 - side]) &&
           f->collider_shape[collider[side]] == TAUT_SHAPE_SPHERE;
}

/* The node of such a ball, or TAUT_NO_NODE. */
TAUT_FN uint32_t ball_on_rest(const taut_fields* f, const taut_sizes* s, size_t c) {
    const size_t finder = f->contact_pair[2 * c], first = s->touching + s->edges;
    const uint32_t* node = f->kinds[TAUT_CONTACT].nodes + contact_NODES * c;
    const size_t collider[2] = {finder - first, f->contact_pair[2 * c + 1]};
    if (finder < first) {
        return TAUT_NO_NODE;
    }
    return is_ball_on_rest(f, s, c, 0, collider)   ? node[0]
           : is_ball_on_rest(f, s, c, 1, collider) ? node[1]
                                                   : TAUT_NO_NODE;
}

/* Whether anything but what rests presses ball n. */
TAUT_FN bool is_pressed(const taut_fields* f, const taut_sizes* s, uint32_t n) {
    bool any = false;
    for (size_t c = 0; c < s->count[TAUT_CONTACT] && !any; c++) {
        const uint32_t* node = f->kinds[TAUT_CONTACT].nodes + contact_NODES * c;
        const double* weight = f->kinds[TAUT_CONTACT].rest + contact_REST * c + contact_weight;
        bool presses = false;
        for (size_t slot = 0; slot < 4; slot++) {
            presses = presses || (node[slot] == n && weight[slot] != 0);
        }
        any = presses && f->gam[row_of_contact(s, c, 0)] > 0 && ball_on_rest(f, s, c) != n;
    }
    return any;
}

/* Whether contact c presses, with its friction at its bound. */
TAUT_FN bool slides_at_bound(const taut_fields* f, const taut_sizes* s, size_t c) {
    double gam[3];
    load_unknowns_f64(f->gam + s->first_row[TAUT_CONTACT], s->count[TAUT_CONTACT], contact_ROWS, c, gam);
    const double bound = TAUT_CONTACT_SLID * friction_of(f, c) * gam[0];
    return gam[0] > 0 && gam[1] * gam[1] + gam[2] * gam[2] >= bound * bound;
}

/* Whether contact c of a ball with what rests slides with an impulse that is far more than the sum of all impulses on
 * the ball: others press against it. */
TAUT_FN bool is_wedged(const taut_fields* f, const taut_sizes* s, size_t c, const taut_factors* step) {
    const bool bounces = parting_of(f, c)[TAUT_PARTING_BOUNCES] > 0;
    const bool may = step->gives_bounds && !bounces && slides_at_bound(f, s, c);
    const uint32_t n = may ? ball_on_rest(f, s, c) : TAUT_NO_NODE;
    if (n == TAUT_NO_NODE) {
        return false;
    }
    const double* u = f->g_f64 + 4 * (size_t)n;
    const double does = fmax(sqrt(vec3_dot(u, u)), step->h * gravity_of(step));
    return f->gam[row_of_contact(s, c, 0)] * f->inverse_mass[n] > TAUT_WEDGED_AGAINST * does && !is_pressed(f, s, n);
}

/* Gives the friction of contact c a bound: that of what stops it alone. */
TAUT_FN void give_bound(const taut_fields* f, const taut_sizes* s, size_t c, const taut_factors* step) {
    double* parting = parting_of(f, c);
    const size_t row = row_of_contact(s, c, 0);
    f->b[row] += parting[TAUT_PARTING];
    parting[TAUT_PARTING] = parting[TAUT_PARTING_FOLLOWED] = 0;
    parting[TAUT_PARTING_GIVEN] = 1;
    parting[TAUT_PARTING_BOUND] =
        friction_of(f, c) * row_norm(f, s, row) * (fmax(f->b[row], 0.0) + step->h * gravity_of(step));
    parting[TAUT_PARTING_CHANGE] = parting[TAUT_PARTING_LEFT] = 0;
}

/* Keeps the bound B with the residual r = mu gam_n - B as that below or above the right one, and the other one as the
 * Illinois rule has it. Other contacts move what is right: what the new one is beyond is forgotten. */
TAUT_FN void note_bound(double* parting, double bound, double r) {
    const bool low = r > 0, again = r * parting[TAUT_PARTING_LEFT] > 0;
    double* own = parting + (low ? TAUT_PARTING_LOW : TAUT_PARTING_HIGH);
    double* other = parting + (low ? TAUT_PARTING_HIGH : TAUT_PARTING_LOW);
    own[0] = bound;
    own[1] = r;
    other[1] *= again ? 0.5 : 1;
    other[0] = other[0] >= 0 && (low ? bound < other[0] : bound > other[0]) ? other[0] : -1;
}

/* -dB/dr, or -dp/dr (contact/sliding.h), of the last change, with what is left now. */
TAUT_FN double secant_of(const double* parting, double left) {
    return parting[TAUT_PARTING_CHANGE] / (parting[TAUT_PARTING_LEFT] - left);
}

/* Between a smaller and a larger bound than is right. */
TAUT_FN double bound_between(const double* parting) {
    const double low = parting[TAUT_PARTING_LOW_LEFT], high = parting[TAUT_PARTING_HIGH_LEFT];
    return parting[TAUT_PARTING_LOW] + low / (low - high) * (parting[TAUT_PARTING_HIGH] - parting[TAUT_PARTING_LOW]);
}

/* The next bound: between such, or B + m r, m = 1 at first and then -dB/dr of the last change. What unloads the contact
 * as it rubs makes r fall by more than the bound rises, and what jams it makes r grow. */
TAUT_FN double next_bound(const double* parting, double bound, double r) {
    const double secant = secant_of(parting, r), most = TAUT_WEDGED_MOST;
    const double slope = secant > 0 ? fmin(fmax(secant, TAUT_WEDGED_SLOWEST), most) : most;
    const double m = parting[TAUT_PARTING_CHANGE] != 0 ? slope : 1;
    const bool between = parting[TAUT_PARTING_LOW] >= 0 && parting[TAUT_PARTING_HIGH] >= 0;
    return between ? bound_between(parting) : fmax(bound + m * r, 0.0);
}

/* Whether another bound is tried: after the first rounds only while r falls, or is between bounds that come closer, or
 * what jams jams more and more. */
TAUT_FN bool helps_to_follow(const double* parting, double r, uint32_t round) {
    const double last = parting[TAUT_PARTING_LEFT];
    const bool between = parting[TAUT_PARTING_LOW] >= 0 && parting[TAUT_PARTING_HIGH] >= 0;
    return round < TAUT_WEDGED_FIRST || between || fabs(r) < TAUT_WEDGED_CLOSER * fabs(last) || (last > 0 && r > last);
}

/* The given bound of contact c follows its load, and its friction what it slides like: a change of it that the
 * tolerance of the solve does not see adds up. Whether it does. */
TAUT_FN bool follow_bound(const taut_fields* f, const taut_sizes* s, size_t c, const taut_factors* step,
                          uint32_t round) {
    const float softness = f->kinds[TAUT_CONTACT].weight[TAUT_PACKED(contact_ROWS) * c + packed_index(1, 1)];
    double *parting = parting_of(f, c), *bound = parting + TAUT_PARTING_BOUND, left[3], now;
    if (!find_bound(f, s, c, step, &now) || !helps_to_follow(parting, now - *bound, round)) {
        return false;
    }
    const double r = now - *bound;
    note_bound(parting, *bound, r);
    const double next = next_bound(parting, *bound, r);
    parting[TAUT_PARTING_CHANGE] = next - *bound;
    parting[TAUT_PARTING_LEFT] = r;
    *bound = next;
    left_of_contact(f, s, c, left);
    const double across = sqrt(left[1] * left[1] + left[2] * left[2]), most = next * softness;
    for (size_t i = 1; i < contact_ROWS && softness > 0; i++) {
        f->gam[row_of_contact(s, c, i)] = left[i] / softness * (across > most ? most / across : 1);
    }
    return true;
}

#endif
