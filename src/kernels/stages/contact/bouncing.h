/* Bounces that the start of a substep does not tell of: b then follows the solution, and the system is solved again.
 *
 * b of a contact that bounces is more by R gam, which parts nothing: by that of a contact alone, told from its own w.
 * Where several of a face bounce together gam is another one, and they part faster or slower than they should. So they
 * do where they slide otherwise than foreseen (contact/sliding.h).
 *
 * By Newton's law of restitution friction can give energy: where a blow turns a body so that a contact slides the other
 * way in the end, friction has pushed it on. With v before and v' after, an impulse p does the work p.(v + v')/2, and
 * what friction so gives is taken from what the contacts of the same two things bounce with, so that a part s of it is
 * left to all of them. So the energy of a bounce is at most that of one without friction:
 *     sum_all p_t.(v_t + v_t')/2 + sum_others p_n v_n/2 <= sum_bouncing p_n (v_n'/s - v_n')/2
 * Others do not bounce, as they part before, and the blow stops them. Kane, Levinson: Dynamics (1985), and Stronge:
 * Impact Mechanics (2000), on why. */
#ifndef TAUT_CONTACT_BOUNCING_H
#define TAUT_CONTACT_BOUNCING_H

#include "kernels/stages/contact/sliding.h"

/* So many times a system is solved again for it at most. */
#define TAUT_BOUNCE_ROUNDS 6
/* From this one on they lose energy at most. */
#define TAUT_BOUNCE_TOLD 2
/* In parts of b: how much faster or slower it parts than it should, of a face, and of what slides. */
#define TAUT_BOUNCE_SEEN 2e-4
#define TAUT_BOUNCE_SLID 1e-2
/* Of sum p_n |v_n|: what friction may give of the energy that a bounce loses, and what a bounce may gain. */
#define TAUT_BOUNCE_GIVEN  1e-2
#define TAUT_BOUNCE_GAINED 1e-4

TAUT_FN bool is_of_pair(const taut_fields* f, size_t c, size_t other) {
    const uint32_t *a = f->contact_pair + 2 * c, *b = f->contact_pair + 2 * other;
    return a[0] == b[0] && a[1] == b[1];
}

/* The contacts of the same two things as c, which follow each other. */
typedef struct contact_range {
    size_t first, last;
} contact_range;

TAUT_FN contact_range contacts_of_pair(const taut_fields* f, const taut_sizes* s, size_t c) {
    contact_range out = {c, c + 1};
    while (out.first > 0 && is_of_pair(f, c, out.first - 1)) {
        out.first--;
    }
    while (out.last < s->count[TAUT_CONTACT] && is_of_pair(f, c, out.last)) {
        out.last++;
    }
    return out;
}

/* Whether contact c presses and bounces. */
TAUT_FN bool presses_and_bounces(const taut_fields* f, const taut_sizes* s, size_t c) {
    return parting_of(f, c)[TAUT_PARTING_BOUNCES] > 0 && f->gam[row_of_contact(s, c, 0)] > 0;
}

/* m/s: by how much contact c parts too slowly, for R gam. One alone has been told at first. */
TAUT_FN double parts_too_slowly(const taut_fields* f, const taut_sizes* s, size_t c, const contact_range* pair,
                                uint32_t round) {
    const size_t row = row_of_contact(s, c, 0);
    const double weight = (double)f->kinds[TAUT_CONTACT].weight[TAUT_PACKED(contact_ROWS) * c];
    const double off = weight * f->gam[row] - parting_of(f, c)[TAUT_PARTING_BOUNCES];
    bool others = round > 0;
    for (size_t i = pair->first; !others && i < pair->last; i++) {
        others = i != c && presses_and_bounces(f, s, i);
    }
    return others && fabs(off) > TAUT_BOUNCE_SEEN * f->b[row] ? off : 0;
}

/* m/s: by how much contact c parts too fast since it slides otherwise than foreseen. */
TAUT_FN double parts_by_sliding(const taut_fields* f, const taut_sizes* s, size_t c, const taut_factors* step) {
    return may_slide(f, c, step) ? end_of_sliding(f, s, c).left : 0;
}

TAUT_FN double unseen_bounce(const taut_fields* f, const taut_sizes* s, size_t c) {
    return TAUT_BOUNCE_SLID * f->b[row_of_contact(s, c, 0)];
}

/* Whether the contacts of a pair part as they should. Once their energy is too much they may part more slowly. */
TAUT_FN bool parts_as_told(const taut_fields* f, const taut_sizes* s, const contact_range* pair,
                           const taut_factors* step, uint32_t round) {
    bool told = true;
    for (size_t i = pair->first; told && round < TAUT_BOUNCE_TOLD && i < pair->last; i++) {
        told = !presses_and_bounces(f, s, i) || (parts_too_slowly(f, s, i, pair, round) == 0 &&
                                                 fabs(parts_by_sliding(f, s, i, step)) <= unseen_bounce(f, s, i));
    }
    return told;
}

/* v and v' of a contact, its impulse, and the work of its tangents, J. */
typedef struct contact_blow {
    double before[3], after[3], impulse[3];
    double rubbed;
} contact_blow;

TAUT_FN contact_blow blow_of_contact(const taut_fields* f, const taut_sizes* s, size_t c, const taut_factors* step) {
    double free[3], moved[3];
    contact_blow out;
    speed_of_contact(f, c, taut_renews(step->phase) ? f->v0 : f->v, 3, out.before);
    speed_of_contact(f, c, f->free_dv, 4, free);
    speed_of_contact(f, c, f->g_f64, 4, moved);
    load_unknowns_f64(f->gam + s->first_row[TAUT_CONTACT], s->count[TAUT_CONTACT], contact_ROWS, c, out.impulse);
    out.rubbed = 0;
    for (int r = 0; r < contact_ROWS; r++) {
        out.before[r] += free[r];
        out.after[r] = out.before[r] + moved[r];
        out.rubbed += r > 0 ? out.impulse[r] * (out.before[r] + out.after[r]) / 2 : 0;
    }
    return out;
}

/* Which part of what the contacts of a pair bounce with is left to them; `kept`: in the rounds before. */
TAUT_FN double bounce_left(const taut_fields* f, const taut_sizes* s, const contact_range* pair,
                           const taut_factors* step, double kept) {
    double given = 0, met = 0, bounced = 0, gained = 0;
    for (size_t i = pair->first; i < pair->last; i++) {
        const contact_blow blow = blow_of_contact(f, s, i, step);
        const bool bounces = presses_and_bounces(f, s, i);
        const double parts = bounces ? fmax(parts_by_sliding(f, s, i, step), 0.0) : blow.before[0];
        given += blow.rubbed + blow.impulse[0] * parts / 2;
        met -= bounces ? blow.impulse[0] * blow.before[0] : 0;
        bounced += bounces && blow.after[0] > 0 ? blow.impulse[0] * blow.after[0] / 2 : 0;
        gained += blow.rubbed + blow.impulse[0] * (blow.before[0] + blow.after[0]) / 2;
    }
    const double excess = kept > 0 ? given - bounced * (1 / kept - 1) : 0;
    const bool shows = gained > TAUT_BOUNCE_GAINED * met || (kept == 1 && excess > TAUT_BOUNCE_GIVEN * met);
    return !(shows && excess > 0) ? 1 : excess < bounced ? 1 - excess / bounced : 0;
}

/* Notes how b of contact c is to follow; whether that changes anything. */
TAUT_FN bool note_bounce(const taut_fields* f, const taut_sizes* s, size_t c, const taut_factors* step,
                         uint32_t round) {
    double *parting = parting_of(f, c), off = 0, parts = 0;
    if (!(parting[TAUT_PARTING_BOUNCES] > 0)) {
        return false;
    }
    const contact_range pair = contacts_of_pair(f, s, c);
    const bool told = parting[TAUT_PARTING_KEPT] < 1 || parts_as_told(f, s, &pair, step, round);
    const double left = told ? bounce_left(f, s, &pair, step, parting[TAUT_PARTING_KEPT]) : 1;
    const double taken = left < 1 ? (1 - left) * fmax(blow_of_contact(f, s, c, step).after[0], 0.0) : 0;
    if (!told && presses_and_bounces(f, s, c)) {
        off = parts_too_slowly(f, s, c, &pair, round);
        if (may_slide(f, c, step)) {
            const sliding_end end = end_of_sliding(f, s, c);
            parts = note_parting(f, c, &end, unseen_bounce(f, s, c), 0);
        }
    }
    parting[TAUT_PARTING_CHANGE] = parts;
    parting[TAUT_PARTING_FASTER] = off;
    parting[TAUT_PARTING_TAKES] = taken;
    parting[TAUT_PARTING_KEEPS] = left * parting[TAUT_PARTING_KEPT];
    return off != 0 || parts != 0 || taken != 0;
}

/* b follows as noted. */
TAUT_FN void follow_bounce(const taut_fields* f, const taut_sizes* s, size_t c) {
    double* parting = parting_of(f, c);
    if (parting[TAUT_PARTING_BOUNCES] > 0) {
        f->b[row_of_contact(s, c, 0)] += parting[TAUT_PARTING_FASTER] - parting[TAUT_PARTING_TAKES];
        parting[TAUT_PARTING_BOUNCES] += parting[TAUT_PARTING_FASTER];
        parting[TAUT_PARTING_BOUNCED] += parting[TAUT_PARTING_FASTER];
        parting[TAUT_PARTING_TAKEN] += parting[TAUT_PARTING_TAKES];
        parting[TAUT_PARTING_KEPT] = parting[TAUT_PARTING_KEEPS];
        take_parting(f, s, c, parting[TAUT_PARTING_CHANGE]);
    }
}

#endif
