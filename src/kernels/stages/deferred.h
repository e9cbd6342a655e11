/* What rows leave to later steps, in a step that is shorter than those before. A violation e that a step of the length
 * H has left would be undone at the speed e/h, and J v, which has the turn of J within H, would be stopped in h: blows,
 * where h is much shorter.
 *
 * Hard rows go on as in steps of the pace T: each step takes its part h/T of what the law asks for in T. Light links
 * under a load, which J v drives apart in steps of all lengths, would else pull that up. But what goes apart by J v
 * within T is not small where T is much of a swing: such rows, and those with compliance, whose force would come late,
 * are answered in full, but for blows. Of violations these are left in a step that is a small part of what is left of
 * H, and of J v for some of H, where it leads hardly anywhere. */
#ifndef TAUT_STAGES_DEFERRED_H
#define TAUT_STAGES_DEFERRED_H

#include "kernels/stages/doubled_length.h"
#include "kernels/stages/packed.h"
#include "model/factors.h"

/* Of the length of a constraint: how far a hard row may go apart by J v in T to go on as in T, and how far others may
 * in a step by J v that waits. Half of it without any difference. */
#define TAUT_PACED_WAY    0.05
#define TAUT_DEFERRED_WAY 0.002

/* A row of a constraint. */
typedef struct taut_sides {
    double all;        /* b as the law has it */
    double still;      /* of it, what does not depend on where J v leads within the step */
    double phi, speed; /* and J v less the rate of its target, in the unit of phi */
    bool paced;        /* hard, and no row of velocities */
    bool waits;        /* no row of velocities */
} taut_sides;

/* 1 where `way` is little of this part of the length of constraint c, 0 where it is more. */
TAUT_FN double is_near(const taut_kind_fields* kind, taut_kind k, size_t c, double part, double way) {
    const double far = part * doubled_length_of(kind, (int)k, c);
    return far > 0 ? fmin(1.0, fmax(0.0, 2 * (1 - way / far))) : 0;
}

/* b of a hard row in a step of the pace T, with a damping time that is as long. */
TAUT_FN double side_of_pace(const taut_law* law, const taut_factors* step, const taut_sides* b) {
    const double d = (step->h + law->least_damping) / step->newest - step->h;
    return -(law->phi * b->phi + (law->rate_damped * d + law->rate) * b->speed) / (law->damped * d + law->plain);
}

/* To be added to b of row r of constraint c that is answered in full but for blows. What it bears, W h lam, it goes on
 * to bear: violated is what that does not answer. */
TAUT_FN double side_of_blows(const taut_fields* f, const taut_sizes* s, taut_kind k, size_t rows, size_t c, size_t r,
                             const taut_factors* step, const taut_sides* b) {
    const taut_kind_fields* kind = &f->kinds[k];
    const float* weight = kind->weight + TAUT_PACKED(rows) * c;
    const bool waits = b->waits && step->turned > step->h;
    double borne = 0;
    for (size_t i = 0; i < rows; i++) {
        const size_t row = s->first_row[k] + place_of(s->count[k], rows, c, i);
        borne += (double)weight[i < r ? packed_index(r, i) : packed_index(i, r)] * step->h * f->lam[row];
    }
    const double violated = kind->stiff[c] * (1 - step->due) * (borne - b->still);
    const double near = waits ? is_near(kind, k, c, TAUT_DEFERRED_WAY, fabs(b->speed) * step->h) : 0;
    const double part = waits ? kind->stiff[c] * near * (1 - step->h / step->turned) : 0;
    return violated + part * (borne - b->all - violated);
}

/* To be added to b of row r of constraint c, in a step shorter than the pace. */
TAUT_FN double deferred_side(const taut_fields* f, const taut_sizes* s, taut_kind k, size_t rows, size_t c, size_t r,
                             const taut_law* law, const taut_factors* step, const taut_sides* b) {
    const double blows = side_of_blows(f, s, k, rows, c, r, step, b), pace = step->h / step->newest;
    const double near = b->paced ? is_near(&f->kinds[k], k, c, TAUT_PACED_WAY, fabs(b->speed) * pace) : 0;
    return near > 0 ? near * (step->newest * side_of_pace(law, step, b) - b->all) + (1 - near) * blows : blows;
}

#endif
