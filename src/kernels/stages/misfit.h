/* Misfits: what hard constraints are violated by when they come, as two ends that are apart. Undone in one step h, a
 * misfit e would become the speed e/h. So a constraint begins as it is, and goes to what it asks for within the closing
 * time T:
 *
 *     phi - e s(u) takes the place of phi,   s(u) = u^2 (3 - 2 u),   u: the part of T that is left
 *
 * The work of that is one of drives. What a step leaves of phi - e s is drift, which the next one undoes. */
#ifndef TAUT_STAGES_MISFIT_H
#define TAUT_STAGES_MISFIT_H

#include "kernels/stages/bounds.h"
#include "model/factors.h"

/* In the unit of phi: less is rounding of what the user wrote. */
#define TAUT_LEAST_MISFIT 1e-6
/* C/(h^2 w) below which a row is as good as hard: from there on what it is stretched by is tension that the user gave,
 * as that of a cable between two walls. */
#define TAUT_HARDLY_SOFT 1e-9

/* When the misfit of a drive that stalls is closed: not before it is free (contact/stalling.h). */
#define TAUT_GIVES_WAY 1e30

TAUT_FN bool gives_way(const taut_kind_fields* kind, size_t c) {
    return kind->closes != NULL && kind->closes[c] == TAUT_GIVES_WAY;
}

/* What is left of the misfit of row r of constraint c at the time `clock`. */
TAUT_FN double misfit_at(const taut_kind_fields* kind, size_t rows, size_t c, size_t r, double clock) {
    if (kind->closes == NULL || !(kind->closes[c] > clock)) {
        return 0;
    }
    const double* misfit = kind->misfit + (rows + 1) * c;
    const double left = fmin((kind->closes[c] - clock) / misfit[rows], 1.0);
    return left * left * (3 - 2 * left) * misfit[r];
}

/* Its mean rate between two times. */
TAUT_FN double misfit_rate(const taut_kind_fields* kind, size_t rows, size_t c, size_t r, double from, double to) {
    if (kind->closes == NULL || !(kind->closes[c] > from && to > from)) {
        return 0;
    }
    return (misfit_at(kind, rows, c, r, to) - misfit_at(kind, rows, c, r, from)) / (to - from);
}

/* Part of the misfit of constraint c that is closed so. That of what is elastic is energy that the user gave; and what
 * is damped closes by itself within d. */
TAUT_FN double misfit_part(const taut_kind_fields* kind, size_t c, double h) {
    const double hard = fmax(0.0, 1 - (1 - kind->stiff[c]) / TAUT_HARDLY_SOFT);
    return hard * fmax(0.0, 1 - kind->damping[c] / h);
}

/* phi of a row where a force of any size undoes it; else 0. */
TAUT_FN double undone_by_any_force(const taut_fields* f, const taut_sizes* s, size_t row) {
    const double phi = f->phi[row];
    const double *bounds = f->bound + 2 * row, bound = phi > 0 ? -bounds[0] : bounds[1];
    return s->bounded && has_bounds(f, row) && bound < TAUT_EAGER_FORCE ? 0 : phi;
}

/* Notes the misfits of a constraint that has just come; `response`: the diagonal of J A^-1 J^T, 0 where nothing moves.
 */
TAUT_FN void note_misfit(const taut_fields* f, const taut_sizes* s, int k, size_t rows, size_t c,
                         const double* response, const taut_law* law, const taut_factors* step) {
    const taut_kind_fields* kind = &f->kinds[k];
    bool any = false;
    if (kind->closes == NULL || kind->closes[c] != 0 || !taut_begins(step->phase) || is_absent(kind, c)) {
        return;
    }
    const double part = step->closing_time > 0 && !law->velocities ? misfit_part(kind, c, step->h) : 0;
    double* misfit = kind->misfit + (rows + 1) * c;
    for (size_t r = 0; r < rows && part > 0; r++) {
        const double phi = undone_by_any_force(f, s, s->first_row[k] + place_of(s->count[k], rows, c, r));
        misfit[r] = response[r] > 0 && fabs(phi) > TAUT_LEAST_MISFIT ? part * phi : 0;
        any = any || misfit[r] != 0;
    }
    misfit[rows] = step->closing_time;
    kind->closes[c] = any ? f->clock[0] + step->closing_time : TAUT_FITS;
}

/* The clock of misfits after a move that took `part`. */
TAUT_FN void advance_clock(const taut_fields* f, double part) {
    f->clock[1] = f->clock[0];
    f->clock[0] += part;
}

/* It is that of the start of the part again. */
TAUT_FN void reopen_clock(const taut_fields* f) {
    f->clock[0] = f->kept_clock[0];
    f->clock[1] = f->kept_clock[1];
}

#endif
