/* Sliding that the start of a substep does not tell of. The convex law parts what slides by mu |v_t'|,
 * and b is less by what can be foreseen of that (parting_by_sliding). What a blow or a support that starts sets
 * sliding, and what something stops, is known from the solution alone: b then follows it, and the system is solved
 * again.
 *
 * With b less by p, what ends with the sliding speed x parts by r = mu x - p too much; x = 0 where it sticks. Friction
 * slows down what parts, so x and r are functions of p: p' = p + m r, with m = 1 at first and then that of the secant,
 * -dp/dr. One contact alone, of mass m_t across, is linear in p with m = 1 + mu^2 m_n/m_t; what is drawn by something
 * strong does not slow down, m = 1. */
#ifndef TAUT_CONTACT_SLIDING_H
#define TAUT_CONTACT_SLIDING_H

#include "kernels/stages/apply.h"
#include "kernels/stages/assemble.h"
#include "kernels/stages/contact/friction.h"
#include "kernels/stages/contact/pushing.h"
#include "kernels/stages/contact/unloading.h"
#include "kernels/stages/contact/wedged.h"

/* So many times a system is solved again for it at most. From the first number on p only falls where things sink in,
 * which is worse than a hop. */
#define TAUT_SLIDING_FALLS  4
#define TAUT_SLIDING_ROUNDS 8
/* In halves of the thickness of a body: one sees it hop when it is so far away after the substep, or rises so high.
 * Of what has no thickness: in parts of mu x. */
#define TAUT_SLIDING_SEEN 0.1
/* In g h: a hop that is left as it is. */
#define TAUT_SLIDING_SLOW 0.2
/* Times as fast as it hops at a contact a thing may be as it turns. */
#define TAUT_SLIDING_RAISED 4
/* Of m. */
#define TAUT_SLIDING_LEAST 0.3
#define TAUT_SLIDING_MOST  4

/* How a contact ends. */
typedef struct sliding_end {
    double left, parts; /* m/s: r, and mu x or p */
    bool bears;         /* or would with another p */
} sliding_end;

/* Whether there may be any. */
TAUT_FN bool may_follow_sliding(const taut_sizes* s, bool regularised, taut_phase phase) {
    return s->touches && s->frames > 0 && regularised && !taut_projects(phase);
}

TAUT_FN sliding_end end_of_sliding(const taut_fields* f, const taut_sizes* s, size_t c) {
    const float* weight = f->kinds[TAUT_CONTACT].weight + TAUT_PACKED(contact_ROWS) * c;
    const double mu = friction_of(f, c), parting = parting_of(f, c)[TAUT_PARTING];
    const double normal = weight[packed_index(0, 0)], tangent = weight[packed_index(1, 1)];
    double y[3]; /* R y */
    left_of_contact(f, s, c, y);
    const double parts = mu * sqrt(y[1] * y[1] + y[2] * y[2]);
    const bool sticks = parts * normal <= mu * mu * y[0] * tangent, open = y[0] + fmax(parts, parting) <= 0;
    const sliding_end end = {(sticks ? 0 : parts) - parting, fmax(parts, parting), sticks || !open};
    return end;
}

/* m/s: at which the centres of what touches in contact c part in the end. */
TAUT_FN double parting_of_centres(const taut_fields* f, const taut_sizes* s, size_t c, const taut_factors* step) {
    const double* rest = f->kinds[TAUT_CONTACT].rest + contact_REST * c;
    const uint32_t* node = f->kinds[TAUT_CONTACT].nodes + contact_NODES * c;
    const double* v = taut_renews(step->phase) ? f->v0 : f->v;
    double sum = 0;
    for (size_t slot = 0; slot < 4; slot++) {
        const size_t n = node[slot];
        for (size_t a = 0; a < 3 && rest[contact_weight + slot] != 0 && !taut_is_mapped(s, n); a++) {
            const double end = v[3 * n + a] + f->free_dv[4 * n + a] + f->g_f64[4 * n + a];
            sum += rest[contact_weight + slot] * rest[contact_normal + a] * end;
        }
    }
    return sum;
}

/* m/s: r that does not show. */
TAUT_FN double unseen_parting(const taut_fields* f, const taut_sizes* s, size_t c, const taut_factors* step,
                              const sliding_end* end) {
    const double h = step->h + step->rest, g = gravity_of(step), half = thinner_half(f, s, c);
    const bool thick = half < INFINITY;
    const double gap = TAUT_SLIDING_SEEN * half, seen = thick ? gap / h : TAUT_SLIDING_SEEN * end->parts;
    const double rises = thick && g > 0 ? sqrt(2 * g * gap) : seen;
    const double unseen = fmax(TAUT_SLIDING_SLOW * g * h, fmin(seen, rises));
    const double raised = end->left > 0 ? parting_of_centres(f, s, c, step) / end->left : 1;
    return unseen / fmin(fmax(raised, 1.0), (double)TAUT_SLIDING_RAISED);
}

/* m/s: by how much contact c hops since its load is gone, or less than 0: sinks in since it is not; 0 where that does
 * not show. */
TAUT_FN double hops_unloaded(const taut_fields* f, const taut_sizes* s, size_t c, const taut_factors* step) {
    const double off = parts_unloaded(f, s, c), size = fabs(off);
    const sliding_end end = {off, size, true};
    return size > least_unloading(f, s, c, step) && size > unseen_parting(f, s, c, step, &end) ? off : 0;
}

/* Whether contact c is of bodies that can slide. */
TAUT_FN bool may_slide(const taut_fields* f, size_t c, const taut_factors* step) {
    const taut_kind_fields* kind = &f->kinds[TAUT_CONTACT];
    return friction_of(f, c) > 0 && is_of_bodies(kind->rest + contact_REST * c) && !law_of(kind, c, step)->off;
}

/* Whether contact c hops, or sinks in, since it slides otherwise than b says: not where it lands, which b foresees; or
 * since its load is gone, or its push sends things aside. */
TAUT_FN bool slides_otherwise(const taut_fields* f, const taut_sizes* s, size_t c, const taut_factors* step) {
    const double* parting = parting_of(f, c);
    if (hops_unloaded(f, s, c, step) != 0 || pushes_aside(f, s, c, step) > 0) {
        return true;
    }
    if (has_given_bound(f, c, step)) {
        return bound_is_off(f, s, c, step);
    }
    if (!may_slide(f, c, step) || !(parting[TAUT_PARTING] > 0 || slides_at_bound(f, s, c)) ||
        !(parting[TAUT_PARTING_RESTS] > 0 || is_wedged(f, s, c, step))) {
        return false;
    }
    const sliding_end end = end_of_sliding(f, s, c);
    return end.bears && fabs(end.left) > unseen_parting(f, s, c, step, &end);
}

/* p' - p of contact c in a round; 0 where it stays. */
TAUT_FN double change_of_parting(const double* parting, const sliding_end* end, double unseen, uint32_t round) {
    const bool falls = round >= TAUT_SLIDING_FALLS;
    const double secant = secant_of(parting, end->left);
    const double m = end->bears && secant > 0 ? fmin(fmax(secant, TAUT_SLIDING_LEAST), (double)TAUT_SLIDING_MOST) : 1;
    if (falls ? !end->bears || end->left > -unseen : !(fabs(end->left) > unseen)) {
        return 0;
    }
    return fmax(falls ? end->left : m * end->left, -parting[TAUT_PARTING]);
}

/* p' - p of contact c in a round, noted; 0 where it stays. */
TAUT_FN double note_parting(const taut_fields* f, size_t c, const sliding_end* end, double unseen, uint32_t round) {
    double* parting = parting_of(f, c);
    const double change = change_of_parting(parting, end, unseen, round);
    parting[TAUT_PARTING_CHANGE] = change;
    parting[TAUT_PARTING_LEFT] = end->left;
    return change;
}

TAUT_FN void take_parting(const taut_fields* f, const taut_sizes* s, size_t c, double change) {
    double* parting = parting_of(f, c);
    f->b[row_of_contact(s, c, 0)] -= change;
    parting[TAUT_PARTING] += change;
    parting[TAUT_PARTING_FOLLOWED] += change;
}

/* b of contact c follows how it slides and what bears on it; whether that changes anything. */
TAUT_FN bool follow_sliding(const taut_fields* f, const taut_sizes* s, size_t c, const taut_factors* step,
                            uint32_t round) {
    const double hops = hops_unloaded(f, s, c, step);
    if (hops != 0) { /* how it slides shows without that */
        ease_contact(f, s, c, hops);
        return true;
    }
    if (!may_slide(f, c, step)) {
        return push_less(f, s, c, step);
    }
    if (has_given_bound(f, c, step)) {
        return follow_bound(f, s, c, step, round) || push_less(f, s, c, step);
    }
    const sliding_end end = end_of_sliding(f, s, c);
    const double unseen = unseen_parting(f, s, c, step, &end);
    if (fabs(end.left) > unseen && is_wedged(f, s, c, step)) {
        give_bound(f, s, c, step);
        return true;
    }
    const double change = note_parting(f, c, &end, unseen, round);
    take_parting(f, s, c, change);
    return change != 0 ? end.bears : push_less(f, s, c, step);
}

/* What was solved for node n is the first guess of the next solve, in the place of the last step's motion. */
TAUT_FN void guess_from_solution(const taut_fields* f, const taut_sizes* s, size_t n) {
    for (size_t a = 0; a < 3 && !taut_is_mapped(s, n); a++) {
        f->dv[3 * n + a] = f->free_dv[4 * n + a] + f->g_f64[4 * n + a];
    }
}

#endif
