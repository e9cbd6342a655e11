/* Projected gradients on the Schur complement: impulses within bounds and the laws of friction that minimise
 * 1/2 gam.S gam - b.gam, by one product with S an iteration. Both go by
 *     T(y) = P( y + t D^-1 (b - S y) ),   t = 1 / L
 * with D the diagonal of S, one value for both tangents of a contact, P the projection in its metric (friction.h) and L
 * the largest eigenvalue of D^-1 S, from a few steps of the power method. Coulomb's bounds are those of the normal
 * impulse just projected, as in Gauss-Seidel: then what is solved is no minimum, and iterations need not converge.
 *
 *     gam' = T(y),   y' = gam' + k (gam' - gam)
 *
 * with k after Nesterov (1983), 0 where the step turns against the gradient (O'Donoghue and Candes 2015).
 *
 * Where they stand is measured by T with t = 1: |T(gam) - gam| in the norm of D. S y stands in `wide`, T(y) follows
 * there; y is gam_before. Text for a file that has defined TAUT_REAL as double. */
#ifndef TAUT_CONTACT_PROJECTED_H
#define TAUT_CONTACT_PROJECTED_H

#include "kernels/stages/bounds.h"
#include "kernels/stages/contact/friction.h"

/* Products for L, and the margin on what they find, which is too little. */
#define TAUT_STEP_POWERS  24
#define TAUT_POWER_MARGIN 1.1

/* ---- metric ------------------------------------------------------------------------------------------------------ */

TAUT_FN double lesser_weight(const taut_fields* f, size_t i, size_t j) {
    return f->inverse_diagonal[i] < f->inverse_diagonal[j] ? f->inverse_diagonal[i] : f->inverse_diagonal[j];
}

/* 1/D of unknown i, 0 where nothing moves. */
TAUT_FN double projected_weight(const taut_fields* f, const taut_sizes* s, size_t i) {
    if (is_across(s, i)) {
        return lesser_weight(f, contact_row(s, i, 1), contact_row(s, i, 2));
    }
    if (is_couple(s, i)) {
        bool about;
        const size_t c = couple_number(s, i, &about), first = s->first_row[TAUT_ROLLING],
                     count = s->count[TAUT_ROLLING];
        if (!(couple_arm(f, s, i) > 0)) {
            return 0;
        }
        return about ? f->inverse_diagonal[i]
                     : lesser_weight(f, first + place_of(count, rolling_ROWS, c, 1),
                                     first + place_of(count, rolling_ROWS, c, 2));
    }
    return f->inverse_diagonal[i];
}

/* ---- T -------------------------------------------------------------------------------------------------------------
 */

/* y + t D^-1 (b - S y) of unknown i. */
TAUT_FN double projected_unbounded(const taut_fields* f, size_t i, double weight, double t, const double* y) {
    return t > 0 ? y[i] + t * weight * (f->b[i] - f->wide[i]) : y[i];
}

TAUT_FN void projected_note(const taut_fields* f, size_t i, double weight, const double* y, double moved, bool bounded,
                            taut_projected_sums* sums) {
    const double step = moved - y[i], square = weight > 0 ? step * step / weight : 0;
    sums->length2 += square;
    sums->bounded += bounded ? square : 0;
    sums->turn -= weight > 0 ? step * (moved - f->gam[i]) / weight : 0;
}

/* Three rows that are projected together, of the contact or the couple with the first row `first`. */
typedef struct projected_three {
    size_t row[3];
    double weight[3], z[3], u[3];
} projected_three;

TAUT_FN void projected_gather(const taut_fields* f, const taut_sizes* s, taut_kind k, size_t c, double t,
                              const double* y, projected_three* out) {
    for (size_t r = 0; r < 3; r++) {
        const size_t i = s->first_row[k] + place_of(s->count[k], 3, c, r);
        out->row[r] = i;
        out->weight[r] = projected_weight(f, s, i);
        out->z[r] = projected_unbounded(f, i, out->weight[r], t, y);
    }
}

TAUT_FN void projected_scatter(const taut_fields* f, const projected_three* three, const double* y, double* out,
                               taut_projected_sums* sums) {
    for (size_t r = 0; r < 3; r++) {
        const size_t i = three->row[r];
        projected_note(f, i, three->weight[r], y, three->u[r], true, sums);
        out[i] = three->u[r];
    }
}

TAUT_FN void projected_contact(const taut_fields* f, const taut_sizes* s, size_t c, const taut_factors* step, double t,
                               const double* y, double* out, taut_projected_sums* sums) {
    projected_three contact, couple;
    projected_gather(f, s, TAUT_CONTACT, c, t, y, &contact);
    project_contact(f, c, step, friction_of(f, c) * (contact.z[0] > 0 ? contact.z[0] : 0), contact.weight, contact.z,
                    contact.u, NULL);
    if (s->rolls) {
        projected_gather(f, s, TAUT_ROLLING, c, t, y, &couple);
        project_rolling(f, c, contact.u[0], couple.weight, couple.z, couple.u, NULL);
        projected_scatter(f, &couple, y, out, sums);
    }
    projected_scatter(f, &contact, y, out, sums);
}

/* out = T(y) of unknown i, where S y stands in `wide`, which may be `out`; the normal row of a contact does all of it.
 * With t = 0 it is P(y). */
TAUT_FN void projected_step(const taut_fields* f, const taut_sizes* s, size_t i, const taut_factors* step, double t,
                            const double* y, double* out, taut_projected_sums* sums) {
    if (is_across(s, i) || is_couple(s, i)) {
        return;
    }
    if (s->touches && i >= s->first_row[TAUT_CONTACT] && i < s->first_row[TAUT_ROLLING]) {
        projected_contact(f, s, contact_number(s, i), step, t, y, out, sums);
        return;
    }
    const double weight = projected_weight(f, s, i), unbounded = projected_unbounded(f, i, weight, t, y);
    const bool bounded = i < s->rows && has_bounds(f, i);
    const double moved = bounded ? within_bounds(unbounded, impulse_bounds(f, i, step)) : unbounded;
    projected_note(f, i, weight, y, moved, bounded, sums);
    out[i] = moved;
}

/* ---- iterations -------------------------------------------------------------------------------------------------- */

TAUT_FN void taut_projected_begin(taut_projected_state* p) {
    p->momentum = 1;
    p->length2 = p->k = 0;
}

/* After T: k. */
TAUT_FN void taut_projected_decide(taut_projected_state* p, const taut_projected_sums* sums) {
    const double last = sums->turn > 0 ? 1 : p->momentum;
    p->momentum = (1 + sqrt(1 + 4 * last * last)) / 2;
    p->k = (last - 1) / p->momentum;
    p->length2 = sums->length2;
}

/* gam and y of unknown i, with T(y) in `wide`. */
TAUT_FN void projected_move(const taut_fields* f, size_t i, double k) {
    const double moved = f->wide[i];
    f->gam_before[i] = moved + k * (moved - f->gam[i]);
    f->gam[i] = moved;
}

/* ---- the largest eigenvalue ----------------------------------------------------------------------------------------
 */

/* The vector that the power method starts from, in (-1, 1), 0 where nothing moves. Couples and roots count from 0: the
 * room for contacts makes no difference. */
TAUT_FN double power_start(const taut_fields* f, const taut_sizes* s, size_t i) {
    const size_t first = i >= s->rows ? s->rows : is_couple(s, i) ? s->first_row[TAUT_ROLLING] : 0;
    uint32_t bits = (uint32_t)(i - first) * 2654435761u;
    bits ^= bits >> 15;
    bits *= 2246822519u;
    bits ^= bits >> 13;
    return projected_weight(f, s, i) > 0 ? (double)bits / 2147483648.0 - 1 : 0;
}

/* v = D^-1 S v of unknown i; its part of |v|^2 in the norm of D. */
TAUT_FN double power_step(const taut_fields* f, const taut_sizes* s, size_t i) {
    const double weight = projected_weight(f, s, i), moved = weight * f->wide[i];
    f->gam_before[i] = moved;
    return weight > 0 ? moved * moved / weight : 0;
}

/* t from |v|^2 of the last two steps. */
TAUT_FN double taut_power_step_length(double last, double before) {
    return last > 0 && before > 0 ? 1 / (TAUT_POWER_MARGIN * sqrt(last / before)) : 1;
}

#endif
