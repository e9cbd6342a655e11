/* Bounds on multipliers, lower <= lam <= upper, of rows whose compliance does not couple them to others.
 *
 * With r = b - S gam of a row, and lo, hi the bounds of its impulse, a solution has
 *     r = 0 within,  r <= 0 at lo,  r >= 0 at hi:
 * its projected residual vanishes, r without what only a bound keeps from being solved. Rows at a bound that holds them
 * are left out of the next outer iteration; those that pass a bound are brought back to it.
 *
 * A constraint with a strength breaks when a step ends with more force than that in it: from then on its bounds are 0.
 */
#ifndef TAUT_STAGES_BOUNDS_H
#define TAUT_STAGES_BOUNDS_H

#include "kernels/stages/bound_sums.h"
#include "kernels/stages/contact/friction.h"
#include "kernels/stages/items.h"
#include "model/factors.h"

#include <math.h>

/* Multipliers are means of impulses: at a bound to this part of it. */
#define TAUT_AT_BOUND 1e-9

/* What holds a row; TAUT_HELD_NOT means that it is solved for. */
typedef enum taut_hold { TAUT_HELD_NOT, TAUT_HELD_LOWER, TAUT_HELD_UPPER } taut_hold;

typedef struct taut_impulse_bounds {
    double lower, upper;
} taut_impulse_bounds;

/* Of row i in a system. A projection has no time in which a force could act: its rows keep their sign alone. */
TAUT_FN taut_impulse_bounds impulse_bounds(const taut_fields* f, size_t i, const taut_factors* step) {
    const double lower = f->bound[2 * i], upper = f->bound[2 * i + 1];
    const bool projects = taut_projects(step->phase);
    const taut_impulse_bounds out = {projects && lower < 0 ? -INFINITY : step->h * lower,
                                     projects && upper > 0 ? INFINITY : step->h * upper};
    return out;
}

TAUT_FN bool has_bounds(const taut_fields* f, size_t i) {
    return f->bound[2 * i] > -INFINITY || f->bound[2 * i + 1] < INFINITY;
}

TAUT_FN double within_bounds(double impulse, taut_impulse_bounds bounds) {
    return impulse < bounds.lower ? bounds.lower : impulse > bounds.upper ? bounds.upper : impulse;
}

TAUT_FN void clamp_row(const taut_fields* f, size_t i, const taut_factors* step) {
    f->gam[i] = within_bounds(f->gam[i], impulse_bounds(f, i, step));
}

TAUT_FN double bound_of(taut_hold hold, taut_impulse_bounds bounds) {
    return hold == TAUT_HELD_LOWER ? bounds.lower : bounds.upper;
}

/* The contact whose row i is, and the place of its row r. */
TAUT_FN size_t contact_number(const taut_sizes* s, size_t i) {
    const size_t row = i - s->first_row[TAUT_CONTACT];
#ifdef __CUDA_ARCH__
    return row % s->count[TAUT_CONTACT];
#else
    return row / contact_ROWS;
#endif
}

TAUT_FN size_t contact_row(const taut_sizes* s, size_t i, size_t r) {
    return row_of_contact(s, contact_number(s, i), r);
}

/* Whether unknown i is that of a contact across its normal. */
TAUT_FN bool is_across(const taut_sizes* s, size_t i) {
    return s->touches && i >= s->first_row[TAUT_CONTACT] && i < s->first_row[TAUT_ROLLING] && contact_row(s, i, 0) != i;
}

/* Whether it is that of a contact's couple; rows of those stand as rows of contacts do. */
TAUT_FN bool is_couple(const taut_sizes* s, size_t i) {
    return s->rolls && i >= s->first_row[TAUT_ROLLING] && i < s->rows;
}

/* The row of the normal of the contact that has couple i. */
TAUT_FN size_t normal_of_couple(const taut_sizes* s, size_t i) {
    return contact_row(s, i - s->first_row[TAUT_ROLLING] + s->first_row[TAUT_CONTACT], 0);
}

/* The contact of couple i, and whether that row is the one about the normal. */
TAUT_FN size_t couple_number(const taut_sizes* s, size_t i, bool* about) {
    const size_t c = contact_number(s, i - s->first_row[TAUT_ROLLING] + s->first_row[TAUT_CONTACT]);
    *about = i == s->first_row[TAUT_ROLLING] + place_of(s->count[TAUT_ROLLING], rolling_ROWS, c, 0);
    return c;
}

/* m: what bounds row i of a couple, in parts of the normal's impulse. */
TAUT_FN double couple_arm(const taut_fields* f, const taut_sizes* s, size_t i) {
    bool about;
    const size_t c = couple_number(s, i, &about);
    return f
        ->material_law[TAUT_CONTACT_LAW * (size_t)f->contact_law[c] + (about ? TAUT_PAIR_SPINNING : TAUT_PAIR_ROLLING)];
}

/* Whether its contact's friction does not hold row i of a couple: that is open, or spins, or rolls. */
TAUT_FN bool is_turning(const taut_fields* f, const taut_sizes* s, size_t i) {
    bool about;
    double couple[rolling_ROWS];
    const size_t c = couple_number(s, i, &about);
    load_unknowns_f64(f->gam + s->first_row[TAUT_ROLLING], s->count[TAUT_ROLLING], rolling_ROWS, c, couple);
    const double most = couple_arm(f, s, i) * f->gam[normal_of_couple(s, i)];
    const double square = about ? couple[0] * couple[0] : couple[1] * couple[1] + couple[2] * couple[2];
    return most <= 0 || square >= (1 - TAUT_AT_BOUND) * most * most;
}

/* Whether friction does not hold row i across the normal of its contact: that is open, or slides. */
TAUT_FN bool is_let_go(const taut_fields* f, const taut_sizes* s, size_t i) {
    const double normal = f->gam[contact_row(s, i, 0)], x = f->gam[contact_row(s, i, 1)],
                 y = f->gam[contact_row(s, i, 2)];
    const double mu = friction_of(f, contact_number(s, i));
    return normal <= 0 || x * x + y * y >= (1 - TAUT_AT_BOUND) * mu * mu * normal * normal;
}

/* Whether a bound holds a row with this impulse, on which r pulls. */
TAUT_FN taut_hold hold_of(double impulse, double r, taut_impulse_bounds bounds) {
    return impulse <= bounds.lower && r <= 0   ? TAUT_HELD_LOWER
           : impulse >= bounds.upper && r >= 0 ? TAUT_HELD_UPPER
                                               : TAUT_HELD_NOT;
}

/* Whether row i is one of those that a solver passes over for now. */
TAUT_FN bool is_passed_over(const taut_fields* f, const taut_sizes* s, size_t i) {
    return s->bounded && i < s->rows && f->hold[i] != TAUT_HELD_NOT;
}

/* The residual of row i without what a bound holds. */
TAUT_FN double projected_residual(const taut_fields* f, const taut_sizes* s, size_t i, double r,
                                  const taut_factors* step) {
    if (is_across(s, i)) {
        return is_let_go(f, s, i) ? 0 : r;
    }
    if (is_couple(s, i)) {
        return is_turning(f, s, i) ? 0 : r;
    }
    return s->bounded && i < s->rows && hold_of(f->gam[i], r, impulse_bounds(f, i, step)) != TAUT_HELD_NOT ? 0 : r;
}

/* Whether the contact with the normal row i presses where nothing acts. By the relaxed law sliding parts it, b_n + mu
 * |b_t|. */
TAUT_FN bool would_press(const taut_fields* f, const taut_sizes* s, size_t i, const taut_factors* step) {
    const double x = f->b[contact_row(s, i, 1)], y = f->b[contact_row(s, i, 2)];
    const size_t c = contact_number(s, i);
    const bool parts = step->convex && !has_given_bound(f, c, step);
    return f->b[i] + (parts ? friction_of(f, c) * sqrt(x * x + y * y) : 0) > 0;
}

/* Of b of row i what an impulse within bounds meets, S_ii gam_i: a drive does no more however far its target is. */
TAUT_FN double side_in_reach(const taut_fields* f, const taut_sizes* s, size_t i, taut_impulse_bounds bounds) {
    const double norm = row_norm(f, s, i), impulse = norm * f->b[i];
    const double met = within_bounds(impulse, bounds);
    return met == impulse ? f->b[i] : met * impulse > 0 && fabs(met) < fabs(impulse) ? met / norm : 0;
}

/* Likewise of row i of a contact, of what friction with a given bound meets. */
TAUT_FN double friction_in_reach(const taut_fields* f, const taut_sizes* s, size_t i, const taut_factors* step) {
    const size_t c = contact_number(s, i);
    if (contact_row(s, i, 0) == i || !has_given_bound(f, c, step)) {
        return f->b[i];
    }
    const double most = parting_of(f, c)[TAUT_PARTING_BOUND];
    const taut_impulse_bounds bounds = {-most, most};
    return side_in_reach(f, s, i, bounds);
}

/* b of unknown i where nothing acts: what a bound then holds has no part in the scale of residuals. */
TAUT_FN double bounded_side(const taut_fields* f, const taut_sizes* s, size_t i, const taut_factors* step) {
    if (is_couple(s, i)) {
        return couple_arm(f, s, i) > 0 && would_press(f, s, normal_of_couple(s, i), step) ? f->b[i] : 0;
    }
    if (s->touches && i >= s->first_row[TAUT_CONTACT] && i < s->rows) {
        return would_press(f, s, contact_row(s, i, 0), step) ? friction_in_reach(f, s, i, step) : 0;
    }
    return s->bounded && i < s->rows ? side_in_reach(f, s, i, impulse_bounds(f, i, step)) : f->b[i];
}

/* ---- an outer iteration of the Schur complement ---------------------------------------------------------------------
 */

/* A row is held already where it is nearer to a bound than this part of the way that r would take it beyond: else
 * directions that others give it would end there at once. */
#define TAUT_NEAR_BOUND 1e-3

TAUT_FN taut_hold nearly_held(double impulse, double unbounded, taut_impulse_bounds bounds) {
    const double below = bounds.lower - unbounded, above = unbounded - bounds.upper;
    return below >= 0 && impulse - bounds.lower <= TAUT_NEAR_BOUND * below   ? TAUT_HELD_LOWER
           : above >= 0 && bounds.upper - impulse <= TAUT_NEAR_BOUND * above ? TAUT_HELD_UPPER
                                                                             : TAUT_HELD_NOT;
}

/* Residuals of this part of the goal hold nothing: of a chain that falls freely, with r = 0 up to rounding along it,
 * the solver finds which rows pull. */
#define TAUT_NEGLIGIBLE_PULL 1e-3

/* Of unknown i with the residual r = b - S gam: notes what holds it, and returns the projected residual: r, or the way
 * to the bound that holds it. */
TAUT_FN double hold_unknown(const taut_fields* f, const taut_sizes* s, size_t i, double r, double negligible,
                            const taut_factors* step, taut_bound_sums* sums) {
    const double gam = f->gam[i], scale = row_norm(f, s, i);
    sums->objective -= gam * (f->b[i] + r) / 2;
    if (i >= s->rows || !has_bounds(f, i) || !(scale > 0)) {
        f->hold[i] = TAUT_HELD_NOT; /* bounds may have been taken away */
        return r;
    }
    const taut_impulse_bounds bounds = impulse_bounds(f, i, step);
    const bool pulls = r * r * scale > negligible * negligible;
    const taut_hold hold = pulls ? nearly_held(gam, gam + scale * r, bounds) : TAUT_HELD_NOT,
                    last = (taut_hold)f->hold[i];
    const double left = hold != TAUT_HELD_NOT ? (bound_of(hold, bounds) - gam) / scale : r;
    f->hold[i] = (uint8_t)hold;
    sums->changed += hold != last;
    sums->complementarity += left * left * scale;
    return left;
}

/* delta of a row that is held: its way to the bound. */
TAUT_FN void hold_delta(const taut_fields* f, size_t i, const taut_factors* step) {
    if (f->hold[i] != TAUT_HELD_NOT) {
        f->delta[i] = (float)(bound_of((taut_hold)f->hold[i], impulse_bounds(f, i, step)) - f->gam[i]);
    }
}

/* What float32 leaves of a change that should end on a bound. */
#define TAUT_SNAP 1e-6

TAUT_FN double snap_to(double impulse, double bound, double reach) {
    return fabs(impulse - bound) <= reach ? bound : impulse;
}

/* gam = P( before + share delta ) of unknown i. */
TAUT_FN void correct_within(const taut_fields* f, const taut_sizes* s, size_t i, double share,
                            const taut_factors* step) {
    const double change = share * f->delta[i], reach = TAUT_SNAP * fabs(change);
    f->gam[i] = f->gam_before[i] + change;
    if (i < s->rows && has_bounds(f, i)) {
        const taut_impulse_bounds bounds = impulse_bounds(f, i, step);
        const double within = within_bounds(f->gam[i], bounds);
        f->gam[i] = snap_to(snap_to(within, bounds.lower, reach), bounds.upper, reach);
    }
}

/* ---- energies ------------------------------------------------------------------------------------------------------
 */

/* Of one row with compliance, whose force by its law is -phi / c within bounds (N): the integral of -lam dphi. */
TAUT_FN double bounded_energy(double phi, double compliance, const double* bounds) {
    const double lam = -phi / compliance;
    const double kept = lam < bounds[0] ? bounds[0] : lam > bounds[1] ? bounds[1] : lam;
    return -kept * phi - kept * kept * compliance / 2;
}

/* The same as c approaches 0: the force is at a bound. Where there is none nothing is known. */
TAUT_FN double limit_energy(double phi, const double* bounds) {
    const double kept = phi > 0 ? bounds[0] : bounds[1];
    return fabs(kept) < TAUT_EAGER_FORCE && kept * phi < 0 ? -kept * phi : 0;
}

TAUT_FN bool is_at_lower(double lam, const double* bounds) {
    return lam <= bounds[0] + TAUT_AT_BOUND * fabs(bounds[0]);
}

TAUT_FN bool is_at_upper(double lam, const double* bounds) {
    return lam >= bounds[1] - TAUT_AT_BOUND * fabs(bounds[1]);
}

/* What holds a row at the end of a step. */
TAUT_FN taut_hold hold_of_force(double lam, const double* bounds) {
    return is_at_lower(lam, bounds) ? TAUT_HELD_LOWER : is_at_upper(lam, bounds) ? TAUT_HELD_UPPER : TAUT_HELD_NOT;
}

/* phi + d phidot + C lam of a row, without what a bound holds: both do where it is broken. */
TAUT_FN double bounded_violation(double residual, double lam, const double* bounds) {
    const bool held = (is_at_lower(lam, bounds) && residual >= 0) || (is_at_upper(lam, bounds) && residual <= 0);
    return held ? 0 : residual;
}

/* ---- breaking ------------------------------------------------------------------------------------------------------
 */

/* Whether constraint c of kind k breaks now. Its strength stands at its first row, and is negative from then on. */
TAUT_FN bool break_constraint(const taut_fields* f, const taut_sizes* s, int k, size_t rows, size_t c) {
    const size_t first = s->first_row[k], count = s->count[k], at = first + place_of(count, rows, c, 0);
    double force2 = 0;
    if (!(f->strength[at] >= 0) || f->strength[at] == INFINITY) {
        return false;
    }
    for (size_t r = 0; r < rows; r++) {
        const double lam = f->lam[first + place_of(count, rows, c, r)];
        force2 += lam * lam;
    }
    if (force2 <= f->strength[at] * f->strength[at]) {
        return false;
    }
    for (size_t r = 0; r < rows; r++) {
        const size_t i = first + place_of(count, rows, c, r);
        f->bound[2 * i] = f->bound[2 * i + 1] = 0;
    }
    f->strength[at] = -f->strength[at];
    return true;
}

#endif
