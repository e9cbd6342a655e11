/* What rows leave to later steps, in a step that is shorter than those before. A violation e that a step of the length
 * H has left would be undone at the speed e/h, and J v, which has the turn of J within H, would be stopped in h: blows,
 * where h is much shorter. So a step takes its part h / (what is left of H) of both until H is over. What comes new,
 * by forces or by motion, is answered in full. */
#ifndef TAUT_STAGES_DEFERRED_H
#define TAUT_STAGES_DEFERRED_H

#include "kernels/stages/doubled_length.h"
#include "kernels/stages/packed.h"
#include "model/factors.h"

/* Of the length of a constraint: so far it may go apart by J v that is not stopped at once. */
#define TAUT_DEFERRED_WAY 0.02

/* Parts of a right-hand side. */
typedef struct taut_sides {
    double all;   /* b as the law has it */
    double still; /* of it, what does not depend on where J v leads within the step */
    double speed; /* J v less the rate of its target, 1/s of the unit of phi */
} taut_sides;

/* Part of J v that is left, of a constraint that may go so far: all that is due later, or nothing where it would go too
 * far meanwhile. */
TAUT_FN double deferred_speed(double length, double speed, const taut_factors* step) {
    const double far = TAUT_DEFERRED_WAY * length, way = fabs(speed) * fmax(step->h, TAUT_DEFERRED_PART * step->turned);
    const double near = far > 0 ? fmin(1.0, fmax(0.0, 2 * (1 - way / far))) : 0;
    return step->turned > step->h ? near * (1 - step->h / step->turned) : 0;
}

/* To be added to b of row r of constraint c. What it bears, W h lam, it goes on to bear: violated is what that does not
 * answer. */
TAUT_FN double deferred_side(const taut_fields* f, const taut_sizes* s, taut_kind k, size_t rows, size_t c, size_t r,
                             const taut_factors* step, bool of_velocities, const taut_sides* b) {
    const taut_kind_fields* kind = &f->kinds[k];
    const float* weight = kind->weight + TAUT_PACKED(rows) * c;
    double borne = 0;
    for (size_t i = 0; i < rows; i++) {
        const size_t row = s->first_row[k] + place_of(s->count[k], rows, c, i);
        borne += (double)weight[i < r ? packed_index(r, i) : packed_index(i, r)] * step->h * f->lam[row];
    }
    const double violated = kind->stiff[c] * (1 - step->due) * (borne - b->still);
    const double part = of_velocities ? 0 : deferred_speed(doubled_length_of(kind, (int)k, c), b->speed, step);
    return violated + kind->stiff[c] * part * (borne - b->all - violated);
}

#endif
