/* Decisions that keep a step safe, the same on both backends.
 *
 * A substep of H is made in parts. The first attempt takes all of it. A part is not kept where the new state is not
 * finite, where its system was left with a residual above 1, where a stiff constraint is stretched by its own length
 * beyond its law (by 2 % of it: the first two times), or where it has gained energy that it was not given; then
 * the state is what it was, and the next attempt takes half of the time: at most TAUT_GUARD_HALVINGS times. What still
 * fails is made by alpha = beta = 1, and what fails then keeps so much of its motion that it gains nothing. After a
 * part that is kept the next one takes twice the time. Where the iterations were spent, shorter parts would spend them
 * again: motion is taken away at once.
 *
 * Hard rows that contradict each other leave a system unsolved, whatever the time. So the first thing tried where one
 * was not solved is the same part with a least compliance of every hard row (kernels/stages/assemble.h), by which the
 * motion is one of least squares; it stays for TAUT_GUARD_SOFTENED parts.
 *
 * Energy is kinetic, potential, that of force elements, and that of rows, in two measures, of which the lesser gain
 * counts; w is the diagonal of J A^-1 J^T, k is small:
 *     plain   phi.C'^-1 phi / 2,                                  C' = max(C, k H^2 w),  H^2 w of hard rows
 *     about   -lam.phi + (phi + C lam).C'^-1 (phi + C lam) / 2,   C' = C + h^2 w,        H^2 w of hard rows
 * The second one, with the forces lam of the attempt, is what rows turn into motion where the scheme damps stiff ones;
 * it takes the place of the first in the part 1 - ((1 - alpha)/alpha)^2, and nowhere if a system was not solved. It
 * holds for small ways: not where hard rows end with more than all energy that there was, or are longer than twice
 * their length. There drives give no energy, either: what contradicts itself draws any of it. */
#ifndef TAUT_MODEL_GUARD_H
#define TAUT_MODEL_GUARD_H

#include "base/small_math.h"
#include "model/backend.h"
#include "model/guard_state.h"
#include "model/newton.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#define TAUT_GUARD_HALVINGS 4
#define TAUT_GUARD_PARTS    (1u << TAUT_GUARD_HALVINGS) /* of a substep, at most */
#define TAUT_GUARD_SAFE     (TAUT_GUARD_HALVINGS + 1)   /* the level of the safe scheme */
#define TAUT_GUARD_CALMEST  8                           /* attempts with less motion; one more is rest */
#define TAUT_GUARD_SOFTENED 64                          /* parts */

/* Of the energy held: what one part may gain, what parts in a row may, and either where a system was not solved. */
#define TAUT_GUARD_GAIN          1e-3
#define TAUT_GUARD_DRIFT         5e-3
#define TAUT_GUARD_UNSOLVED_GAIN 1e-2
/* Error of work that is computed from forces and velocities at the ends of a part. */
#define TAUT_GUARD_WORK 0.02
/* k: C / (H^2 w) of a row that is as good as hard, where the system was solved, and where it was not. */
#define TAUT_GUARD_HARD     4e-4
#define TAUT_GUARD_UNSOLVED 4e-7
#define TAUT_GUARD_ROUNDING 1e-12
/* In roundings of positions: a way within a part that is no motion. */
#define TAUT_GUARD_STILL 1000
/* In lengths of their own: what stiff constraints may be too long, where another length than theirs is what was asked;
 * with what rounding makes of lengths (float32, in which J is) where that is exactly one. */
#define TAUT_GUARD_STRETCH (1 + 1e-6)
/* Likewise: above this a step has not converged. */
#define TAUT_GUARD_OFF 0.2
/* Where further linearisations have not helped (TAUT_LONG), parts are halved so often at most; and once more where one
 * that was not too long has come to more than may be seen. Shorter parts have one linearisation. */
#define TAUT_GUARD_MENDS 2
#define TAUT_GUARD_SEEN  0.05
/* Of what a part began with, stretch that is left may be what rows that close leave: shorter parts close them later. */
#define TAUT_GUARD_CLOSING 0.5
/* In the first step that is not known, since no step has told which rows are stiff: more than this is taken for it. */
#define TAUT_GUARD_FIRST 0.2
/* What keeps its stretch but for this part is no error of linearisation, as constraints that contradict each other: for
 * so many parts nothing is done about it. */
#define TAUT_GUARD_FUTILE   0.05
#define TAUT_GUARD_RESIGNED 64
/* For so many parts it is remembered what linearisations about a guess of their end stretch, and those about their
 * start. */
#define TAUT_GUESS_MEMORY 16
/* Substeps at most before longer parts are tried again. */
#define TAUT_GUARD_RESTS 3
/* The part of the damping of hard rows from which on rows with compliance count as hard, too. */
#define TAUT_GUARD_AS_HARD 0.99
/* The residual from which on what came no closer to a solution may have none, and the limit of iterations that, spent,
 * says so of any system: taut_guard_softens. */
#define TAUT_GUARD_STUCK  0.1
#define TAUT_GUARD_ENOUGH 200
/* Part of the energy of motion that is taken away at once; where that is not enough, motion is halved. */
#define TAUT_GUARD_MOST 0.9
/* Of the energy of the motion that drives ask for, in which the whole moves with their speeds: what they may give where
 * they contradict what they drive. Levers let parts move twice as fast. */
#define TAUT_GUARD_DRIVEN 4.0
/* s: energy that has been held counts for so long. */
#define TAUT_GUARD_MEMORY 1.0
/* Substeps that hard rows take to close at most, beside one: with more of them what is stretched stays so for long, and
 * stretches on. */
#define TAUT_GUARD_SLOWEST 8
/* Times what contacts hold, each with the masses of what touches there, and may give: columns move as one. */
#define TAUT_GUARD_LEVER 10
/* The part of a stiff row's energy that a step leaves, from which on its scheme is lively: alpha below 2/3. */
#define TAUT_GUARD_LIVELY 0.25
/* Of the energy held: what hard rows may give back before anything was lost. */
#define TAUT_GUARD_SWINGS 0.05
/* Times the energy held: what was lost counts for so much at most. What falls and is caught passes on more than it ever
 * holds: a hanging net 2.4 times as much within five steps, a clamped rod 4.6 times in half a swing. */
#define TAUT_GUARD_PASSED 10.0
/* s: energy that was gained counts for so long. */
#define TAUT_GUARD_RECORD 10.0

/* By what rows are measured. */
typedef struct taut_guard_scale {
    double h, whole; /* s: of the part and of the substep */
    double kept;     /* how much of a stiff row's energy is left after a step: ((1 - alpha)/alpha)^2 */
    double hard;     /* k of rows with compliance */
    bool solved;
} taut_guard_scale;

/* How the attempts at a part are judged. */
typedef struct taut_guard_terms {
    taut_guard_scale scale;
    uint32_t iterations;  /* their limit */
    bool guards, watches; /* as in the integrator */
    bool late;            /* the time of the step is spent */
    bool together;        /* all islands are one */
    bool mends;           /* taut_guard_mends */
    double began;         /* taut_report.stretch that the part began with */
} taut_guard_terms;

typedef struct taut_attempt {
    bool finite;
    double residual;  /* of its systems */
    double stretch;   /* taut_report */
    double gain;      /* J: of energy beyond the work done, by the lesser measure */
    double returned;  /* J: what it is less by than by the first measure: hard rows give it back as they close */
    bool slows;       /* they take longer for that where it is much */
    bool lively;      /* its scheme is: taut_guard_is_lively */
    double work;      /* J: its magnitude */
    bool solved;      /* all systems converged */
    bool spent;       /* the iterations of one were spent */
    bool stuck;       /* one came no closer to a solution */
    double hard;      /* how many constraints are hard */
    double kinetic;   /* J: at the end */
    double strained;  /* J: that it came to */
    double moving;    /* J: kinetic energy and energy of strain at the end, of hard rows where they were solved */
    double kick;      /* J: taut_guard_sums */
    double rounding;  /* J: error of the energies */
    bool contradicts; /* something may be driven that cannot move so: then it may end with the kinetic energy */
    double asked;     /* J: that drives ask for, taut_driven_energy, */
    double undriven;  /* J: or this one, taut_undriven_energy, */
    double forced;    /* J: by so much work of forces */
    double bounced;   /* J: taut_guard_sums */
    double closed;    /* J: by the plain measure, what rows and contacts have given back, each by itself */
    double pushed;    /* J: taut_guard_sums; */
    bool levers;      /* it counts */
    double h;         /* s */
    bool mends;       /* what is too long is made again in shorter parts */
    bool touches;     /* there were contacts */
    double began;     /* taut_report.stretch that it began with */
} taut_attempt;

/* The mean of squares, weighted by themselves. */
TAUT_FN double taut_mean_square(const double sums[2]) {
    return sums[0] > 0 ? sums[1] / sums[0] : 0;
}

/* J: kinetic energy of all that there is with the speeds that are asked for, times TAUT_GUARD_DRIVEN. */
TAUT_FN double taut_driven_energy(const taut_driven* d, const double moment[3]) {
    const double squared = moment[0] * moment[0] + moment[1] * moment[1] + moment[2] * moment[2];
    const double central = d->second - (d->mass > 0 ? squared / d->mass : 0);
    const double turned = (central > 0 ? central : 0) * taut_mean_square(d->turn);
    return TAUT_GUARD_DRIVEN / 2 * (d->mass * taut_mean_square(d->speed) + turned);
}

/* J: kinetic energy that a part may end with where drives contradict what they drive, but for what is asked for: what
 * it began with, and what comes down, springs and forces have added. The work of drives is of any size there. */
TAUT_FN double taut_undriven_energy(const taut_energies* before, const taut_energies* now, const taut_driven* driven,
                                    const double gravity[3], double forces) {
    const double fallen = taut_potential(before, gravity) - taut_potential(now, gravity);
    const double sprung = before->loaded + driven->soft_before - now->loaded - driven->soft;
    return before->kinetic + fallen + sprung + forces;
}

/* W: by the trapezoidal rule, or at the end: either may be the better one. */
TAUT_FN double taut_most_power(double before, double now) {
    const double mean = (before + now) / 2;
    return now > mean ? now : mean;
}

/* J: of motion that is no more than the rounding of positions within h. */
TAUT_FN double taut_still_energy(const taut_driven* d, double h) {
    const double rate = TAUT_GUARD_STILL * DBL_EPSILON / h;
    return d->second * rate * rate / 2;
}

/* Of a part of h that led from one state to another, with its report; `softened`: with softer hard rows. */
TAUT_FN taut_attempt taut_attempt_of(const taut_energies* before, const taut_energies* now, const taut_powers* powers,
                                     const taut_guard_sums* sums, const double gravity[3], const taut_report* report,
                                     double h, bool softened) {
    const double ends = taut_most_power(before->pushed, now->pushed), forces = sums->work;
    const double pushed = h * (powers->staged > 0 ? powers->pushed : ends);
    const double carried = taut_most_power(before->carried, now->carried);
    const double drives = h * (now->driven + powers->supports + carried);
    const double start = taut_potential(before, gravity), end = taut_potential(now, gravity);
    const double moving = now->kinetic + now->loaded + sums->plain;
    const double moved = before->kinetic + before->loaded + sums->plain_before;
    const double about = sums->about - sums->about_before - (sums->plain - sums->plain_before);
    taut_attempt out;
    const bool apart = report->stretch > TAUT_GUARD_STRETCH;
    const double given = apart && drives > 0 ? 0 : drives;
    const double work = fabs(pushed) + fabs(forces) + fabs(given);
    const bool linear = !apart && sums->plain_hard <= moved + sums->kick + work;
    out.returned = about < 0 && linear ? -about : 0;
    out.gain = moving - moved + end - start - pushed - forces - given - out.returned;
    out.work = work;
    out.forced = fabs(pushed) + fabs(forces);
    out.asked = taut_driven_energy(&sums->driven, now->moment);
    out.undriven = taut_undriven_energy(before, now, &sums->driven, gravity, pushed + forces);
    out.touches = report->contacts > 0;
    out.began = 0;
    out.contradicts = softened || report->stretch > TAUT_LONG || report->outcome != TAUT_SOLVE_CONVERGED;
    out.finite = taut_is_finite(out.gain);
    out.residual = report->residual;
    out.stretch = report->stretch;
    out.solved = report->outcome == TAUT_SOLVE_CONVERGED;
    out.spent = report->outcome == TAUT_SOLVE_ITERATION_LIMIT;
    out.stuck = report->outcome == TAUT_SOLVE_STAGNATED && report->residual > TAUT_GUARD_STUCK;
    out.hard = sums->hard;
    out.kinetic = now->kinetic;
    out.strained = now->loaded + sums->plain - before->loaded - sums->plain_before;
    out.moving = out.solved ? moving : moving - sums->plain_hard;
    out.kick = sums->kick;
    out.rounding = TAUT_GUARD_ROUNDING * (fabs(start) + fabs(end) + moved + moving) + sums->bounced +
                   taut_still_energy(&sums->driven, h);
    out.bounced = sums->bounced;
    out.pushed = sums->pushed;
    out.closed = fmax(sums->plain_before - sums->plain, 0.0);
    out.h = h;
    out.mends = out.lively = out.slows = out.levers = false;
    return out;
}

/* ---- reports: maxima of a part, joined to those of the step when it is kept -------------------------------------- */

TAUT_FN void taut_report_part(taut_report* report) {
    report->outcome = TAUT_SOLVE_CONVERGED;
    report->residual = report->complementarity = report->newton_residual = report->overstretch = 0;
}

/* After an attempt that is taken back: as it was, but for the work that was done. */
TAUT_FN void taut_report_again(taut_report* report, const taut_report* kept, uint32_t subdivided) {
    taut_report out = *kept;
    out.iterations = report->iterations;
    out.outer_iterations = report->outer_iterations;
    out.linearisations = report->linearisations;
    out.contacts = report->contacts;
    out.subdivided = kept->subdivided + subdivided;
    out.resolved = report->resolved;
    out.zones = kept->zones;
    out.tangled = report->tangled;
    *report = out;
}

TAUT_FN double taut_larger(double a, double b) {
    return a <= b ? b : a; /* what is not a number is kept */
}

/* Of a part that is kept; one with less velocity than its system gives does not solve that. */
TAUT_FN void taut_report_join(taut_report* report, const taut_report* kept, bool guards, bool damped, bool softened) {
    report->softened += softened;
    if (damped) {
        report->damped++;
        report->outcome = TAUT_SOLVE_DAMPED;
        report->residual = 1;
    }
    const bool off = report->outcome == TAUT_SOLVE_CONVERGED && report->stretch > TAUT_GUARD_OFF;
    if (guards && (off || report->stretch > TAUT_GUARD_STRETCH)) {
        report->outcome = TAUT_SOLVE_OVERSTRETCHED;
    }
    report->overstretch = taut_larger(report->stretch, kept->overstretch);
    report->outcome = kept->outcome > report->outcome ? kept->outcome : report->outcome;
    report->residual = taut_larger(report->residual, kept->residual);
    report->complementarity = taut_larger(report->complementarity, kept->complementarity);
    report->newton_residual = taut_larger(report->newton_residual, kept->newton_residual);
}

/* ---- decisions -------------------------------------------------------------------------------------------------- */

TAUT_FN uint32_t taut_guard_halvings(uint32_t level) {
    return level < TAUT_GUARD_HALVINGS ? level : TAUT_GUARD_HALVINGS;
}

/* Parts of the substep that the next attempt takes. */
TAUT_FN uint32_t taut_guard_length(const taut_guard* g) {
    return TAUT_GUARD_PARTS >> taut_guard_halvings(g->level);
}

/* A substep that follows one in parts begins with parts of twice the length of its last one, unless these rest. */
TAUT_FN void taut_guard_begin(taut_guard* g) {
    g->at = 0;
    g->calmed = 0;
    g->slower = 0;
    g->longer.rests -= g->longer.rests > 0;
}

/* Longer parts rest where one has just been tried in vain: contacts, whose set and normals are those of its start, take
 * many linearisations to tell that. */
TAUT_FN void taut_guard_rest(taut_guard* g) {
    if (g->level < g->longer.kept) {
        g->longer.last = g->longer.last < TAUT_GUARD_RESTS ? 2 * g->longer.last + 1 : TAUT_GUARD_RESTS;
        g->longer.rests = g->longer.last;
    }
}

/* The next part may be twice as long, where that fits. */
TAUT_FN void taut_guard_lengthen(taut_guard* g) {
    const bool succeeds = g->level < g->longer.kept, fits = g->at % (2 * taut_guard_length(g)) == 0;
    g->longer.last = succeeds ? 0 : g->longer.last;
    g->longer.kept = g->level;
    if (g->level == TAUT_GUARD_SAFE) {
        g->level = TAUT_GUARD_HALVINGS;
    } else if (g->level > 0 && fits && g->longer.rests == 0) {
        g->level--;
    }
}

/* After a step that failed, as if it had not been tried. */
TAUT_FN void taut_guard_reset(taut_guard* g) {
    g->at = g->level = g->calmed = g->softened = g->guess.remembered = 0;
    g->longer.kept = g->longer.rests = g->longer.last = 0;
    g->slower = g->longest = 0;
}

TAUT_FN bool taut_guard_over(const taut_guard* g) {
    return g->at >= TAUT_GUARD_PARTS;
}

/* J: kinetic energy that drives may give. */
TAUT_FN double taut_guard_asked(const taut_guard* g, const taut_attempt* a) {
    const double fading = exp(-a->h / TAUT_GUARD_MEMORY) * g->asked;
    return fading > a->asked ? fading : a->asked;
}

/* What a part is judged by: how much it may gain, and how much parts in a row. */
typedef struct taut_guard_limit {
    double held;   /* J: with this part */
    double gained; /* J: without it */
    double gain, drift;
} taut_guard_limit;

TAUT_FN taut_guard_limit taut_guard_limit_of(const taut_guard* g, const taut_attempt* a) {
    const double fade = exp(-a->h / TAUT_GUARD_MEMORY), error = TAUT_GUARD_WORK * a->work + a->rounding;
    taut_guard_limit out;
    out.gained = exp(-a->h / TAUT_GUARD_RECORD) * g->gained;
    out.held = fade * g->held > a->moving ? fade * g->held : a->moving;
    out.gain = (a->solved ? TAUT_GUARD_GAIN : TAUT_GUARD_UNSOLVED_GAIN) * (out.held + a->kick) + error;
    out.drift = (a->solved ? TAUT_GUARD_DRIFT : TAUT_GUARD_UNSOLVED_GAIN) * (out.held + a->kick) + error;
    return out;
}

/* J: what hard rows may give back, but for swings; below 0 after one. */
TAUT_FN double taut_guard_lost(const taut_guard* g, const taut_attempt* a) {
    return g->lost > 0 ? g->lost : exp(-a->h / TAUT_GUARD_RECORD) * g->lost;
}

/* J: what they may beyond that, since it is what swings, and what gravity adds in a step. */
TAUT_FN double taut_guard_swings(const taut_guard* g, const taut_attempt* a) {
    return TAUT_GUARD_SWINGS * ((g->held > a->moving ? g->held : a->moving) + a->kick);
}

/* By a lively scheme hard rows give back what was lost before, and what swings, and nothing else: as the lesser of two
 * measures counts in each part, what stretches by the one and closes by the other could gain in every round. Contacts
 * close once. */
TAUT_FN taut_attempt taut_guard_credited(const taut_guard* g, const taut_attempt* a) {
    const double owed = taut_guard_lost(g, a) + taut_guard_swings(g, a);
    taut_attempt out = *a;
    out.gain += a->lively && !a->touches && a->returned > owed ? a->returned - owed : 0;
    return out;
}

/* What is left to give back after a part that is kept. */
TAUT_FN void taut_guard_note_lost(taut_guard* g, const taut_attempt* a) {
    const double lost = taut_guard_lost(g, a) - (a->gain + a->returned), swings = taut_guard_swings(g, a);
    const double most = TAUT_GUARD_PASSED * g->held;
    g->lost = lost > -swings ? lost < most ? lost : most : -swings;
}

/* J: what a part has gained too much. */
TAUT_FN double taut_guard_excess(const taut_attempt* a, const taut_guard_limit* limit) {
    const double alone = a->gain - limit->gain;
    const double in_a_row = a->gain > 0 ? limit->gained + a->gain - limit->drift : a->gain;
    return alone > in_a_row ? alone : in_a_row;
}

/* Of what is driven, or has been, and contradicts itself, the work of drives and what hard rows give back is of any
 * size: it is judged as if it had gained what its kinetic energy is beyond what drives ask for, by forces alone. */
TAUT_FN taut_attempt taut_guard_driven(const taut_guard* g, const taut_attempt* a) {
    const double asked = taut_guard_asked(g, a), most = asked > a->undriven ? asked : a->undriven;
    taut_attempt out = *a;
    out.gain = a->kinetic - most;
    out.work = a->forced;
    if (!(a->contradicts && asked > 0)) {
        return *a;
    }
    const taut_guard_limit limit = taut_guard_limit_of(g, a), own = taut_guard_limit_of(g, &out);
    return taut_guard_excess(&out, &own) > taut_guard_excess(a, &limit) ? out : *a;
}

/* Whether a part that began with the one stretch and ends with the other has stretched something itself. */
TAUT_FN bool taut_guard_stretches(double began, double stretch, bool first) {
    return first ? stretch < TAUT_GUARD_FIRST : stretch > TAUT_GUARD_CLOSING * began;
}

TAUT_FN void taut_guard_note_stretch(taut_guard* g, double stretch) {
    g->longest = stretch > g->longest ? (float)stretch : g->longest;
}

/* Whether the first linearisation of an attempt is about a guess of its end: of whole substeps, after one about its
 * start that has stretched something, as long as those about guesses stretch less. Motion that goes on is guessed well,
 * a crash is not, nor is that of hard constraints that cannot be met. */
TAUT_FN bool taut_guard_ahead(const taut_guard* g) {
    const bool met = g->softened == 0 && g->resigned == 0;
    return met && g->level == 0 && g->guess.remembered > 0 && g->guess.ahead < g->guess.here;
}

/* What an attempt's first linearisation has stretched. */
TAUT_FN void taut_guard_note_guess(taut_guard* g, double stretch) {
    if (taut_guard_ahead(g)) {
        g->guess.ahead = (float)stretch;
    } else if (g->level == 0) {
        g->guess.here = (float)stretch;
    }
}

TAUT_FN void taut_guess_fade(taut_guess* guess) {
    guess->remembered -= guess->remembered > 0;
    guess->ahead = guess->remembered > 0 ? guess->ahead : 0;
}

/* Whether something is done about what an attempt's first linearisation has stretched: not where nothing has helped,
 * while that stays as it was. About a guess twice as much is allowed, as after several linearisations. */
TAUT_FN bool taut_guard_acts(taut_guard* g, double stretch) {
    const double allowed = (taut_guard_ahead(g) ? 2 : 1) * TAUT_STRETCHED;
    taut_guard_note_guess(g, stretch);
    if (!(stretch > allowed) || (g->resigned > 0 && stretch <= (1 + TAUT_GUARD_FUTILE) * g->longest)) {
        return false;
    }
    g->resigned = 0;
    g->guess.remembered = TAUT_GUESS_MEMORY;
    taut_guard_note_stretch(g, stretch);
    return true;
}

/* Whether something will be done about what is stretched in the parts after one that is kept: not while that stays as
 * it was where nothing has helped. */
TAUT_FN void taut_guard_resign(taut_guard* g, const taut_attempt* a) {
    const bool same = fabs(a->stretch - g->longest) <= TAUT_GUARD_FUTILE * g->longest;
    const bool tried = g->longest > 0 && (g->level >= TAUT_GUARD_MENDS || a->stretch <= TAUT_LONG);
    if (g->resigned > 0) {
        g->resigned = same ? g->resigned - 1 : 0;
    } else if (tried && same && a->stretch > TAUT_STRETCHED) {
        g->resigned = TAUT_GUARD_RESIGNED;
    }
    g->longest = g->resigned > 0 ? g->longest : 0;
}

TAUT_FN void taut_guard_keep(taut_guard* g, const taut_attempt* a, const taut_guard_limit* limit) {
    const double gained = limit->gained + a->gain;
    taut_guard_resign(g, a);
    g->asked = taut_guard_asked(g, a);
    g->held = limit->held;
    g->gained = gained > -limit->drift ? gained : -limit->drift;
    g->at += taut_guard_length(g);
    g->damped = g->calmed > 0;
    g->calmed = 0;
    g->softened -= g->softened > 0;
    taut_guess_fade(&g->guess);
    g->slower = 0;
    taut_guard_lengthen(g);
    g->verdict = TAUT_VERDICT_KEPT;
}

/* Less motion: kinetic energy and new strain fall with the square of what is left of it. In the end there is none. */
TAUT_FN void taut_guard_calm(taut_guard* g, const taut_attempt* a, double excess, double allowed) {
    const double motion = a->kinetic + (a->strained > 0 ? a->strained : 0), part = (excess + allowed) / motion;
    g->calmed++;
    g->share = part > 0 && part < TAUT_GUARD_MOST ? sqrt(1 - part) : part <= 0 ? 1 - TAUT_GUARD_GAIN : 0.5;
    if (g->calmed > TAUT_GUARD_CALMEST || !(motion > 0)) {
        g->share = 0;
    }
    g->verdict = TAUT_VERDICT_CALMER;
}

/* How often parts are halved for a stretch: their linearisations reach as far as they go. Of what is too long by a
 * little, so that it has converged, only the first halvings are worth their time; of what a crash leaves one more. */
TAUT_FN uint32_t taut_guard_most(const taut_attempt* a) {
    const bool crash = a->stretch > TAUT_GUARD_SEEN && a->began <= TAUT_LONG;
    return a->stretch > TAUT_GUARD_OFF ? TAUT_GUARD_HALVINGS : crash ? TAUT_GUARD_MENDS + 1 : TAUT_GUARD_MENDS;
}

/* Whether the next attempt has further linearisations. */
TAUT_FN bool taut_guard_renews(const taut_guard* g) {
    return g->level <= TAUT_GUARD_MENDS || (g->level == TAUT_GUARD_MENDS + 1 && g->longer.stretch <= TAUT_GUARD_OFF);
}

/* Whether shorter parts may mend what has been stretched. */
TAUT_FN bool taut_guard_overstretched(const taut_guard* g, const taut_attempt* a) {
    const bool apart = a->stretch > TAUT_GUARD_STRETCH && g->level < TAUT_GUARD_SAFE;
    const bool long_still = a->stretch > TAUT_LONG && g->level < taut_guard_most(a);
    const bool longer = a->mends && g->resigned == 0 && a->solved && long_still;
    return !a->spent && (apart || longer);
}

/* Whether a part in which hard rows closed and gave back more than half of what a part may gain is made again, in which
 * they take longer: what they give back falls with the square of their speed. What contacts of bodies give is no such
 * gain: they push no faster than what they bear falls back, and what a light roller bears they lift back. But one in
 * which contacts of what is joined have given far more than they hold, and than gravity gives, is made again, too:
 * beside a joint a contact has a short lever, and what it pushes apart at the usual speed of an overlap flies off. */
TAUT_FN bool taut_guard_slows(taut_guard* g, const taut_attempt* a) {
    const double allowed = taut_guard_limit_of(g, a).gain / 2, exact = allowed - a->bounced / 2;
    const double raised = a->gain + a->returned, own = exact + TAUT_GUARD_LEVER * a->closed + a->kick;
    const double pushed = fmax(a->pushed, 0.0);
    const bool levered = a->levers && a->hard > 0 && raised > own && a->pushed != 0;
    const bool closed = a->slows && a->hard > 0 && raised - pushed > allowed;
    if (!(a->finite && a->solved && a->returned > 0 && (levered || closed)) || g->slower > 0 || g->calmed > 0) {
        return false;
    }
    const double slower = 2 * sqrt(levered ? a->returned / exact : (a->returned - pushed) / allowed) - 1;
    g->slower = (float)(slower < 1 ? 1 : slower < TAUT_GUARD_SLOWEST ? slower : TAUT_GUARD_SLOWEST);
    g->verdict = TAUT_VERDICT_AGAIN;
    return true;
}

/* Whether softer hard rows may be what solves an attempt; `iterations`: their limit, which says something of the rows
 * where it is above twice their number, as conjugate gradients go. */
TAUT_FN bool taut_guard_softens(const taut_guard* g, const taut_attempt* a, bool right, uint32_t iterations) {
    const double enough = 2 * a->hard < TAUT_GUARD_ENOUGH ? 2 * a->hard : TAUT_GUARD_ENOUGH;
    return g->softened == 0 && g->calmed == 0 && !a->solved && a->hard > 0 && iterations >= enough &&
           (a->stuck || !right);
}

/* False: nothing helps. `guards` and `watches` as in the integrator; `iterations`: their limit. */
TAUT_FN bool taut_guard_judge(taut_guard* g, const taut_attempt* attempt, bool guards, bool watches,
                              uint32_t iterations) {
    const taut_attempt credited = taut_guard_credited(g, attempt), driven = taut_guard_driven(g, &credited),
                       *a = &driven;
    if (guards && watches && taut_guard_slows(g, a)) {
        return true;
    }
    const taut_guard_limit limit = taut_guard_limit_of(g, a);
    const bool rests = g->calmed > TAUT_GUARD_CALMEST; /* where it was */
    const double excess = watches && !rests ? taut_guard_excess(a, &limit) : 0;
    /* a step of what nothing held yet may be longer than all there is, and gain nothing: forces gave its energy */
    const bool torn = a->stretch > TAUT_GUARD_STRETCH && a->stretch > a->began;
    const bool right = g->calmed > 0 ? rests || !torn : a->residual <= 1 && !taut_guard_overstretched(g, a);
    if (guards && taut_guard_softens(g, a, a->finite && excess <= 0 && right, iterations)) {
        g->softened = TAUT_GUARD_SOFTENED;
        g->verdict = TAUT_VERDICT_AGAIN;
    } else if (a->finite && (!guards || (excess <= 0 && right))) {
        taut_guard_keep(g, a, &limit);
        taut_guard_note_lost(g, attempt);
    } else if (!guards) {
        return false;
    } else if (g->level < TAUT_GUARD_SAFE && !(a->finite && a->spent)) {
        g->longer.stretch = (float)a->stretch;
        if (taut_guard_overstretched(g, a)) {
            taut_guard_note_stretch(g, a->stretch);
            if (a->touches && a->stretch <= TAUT_GUARD_STRETCH) { /* else it was torn apart */
                taut_guard_rest(g);
            }
        }
        g->level++;
        g->verdict = TAUT_VERDICT_AGAIN;
    } else if (a->finite && g->calmed <= TAUT_GUARD_CALMEST) {
        taut_guard_calm(g, a, excess, limit.gain);
    } else {
        return false;
    }
    return true;
}

/* A part that would be kept, but in which something passes through something, is tried again with half of its length;
 * `before`: the guard before it was judged. False: it is the shortest one. */
TAUT_FN bool taut_guard_shorten(taut_guard* g, const taut_guard* before) {
    if (before->level >= TAUT_GUARD_HALVINGS) {
        return false;
    }
    *g = *before;
    g->level++;
    g->verdict = TAUT_VERDICT_AGAIN;
    return true;
}

/* Whether gains of energy matter: other formulations let hard rows drift, and explicit forces let energy swing. */
static inline bool taut_guard_watches(const taut_integrator* own) {
    const bool explicit_forces = own->split_forces && own->force_theta_q < 0.5;
    return own->guard && own->formulation == TAUT_FORMULATION_THETA && own->beta > 0 && !explicit_forces;
}

/* Whether the end of a part tells what its linearisations have stretched: with alpha < 1 constraints hold before it. */
static inline bool taut_guard_mends(const taut_integrator* own) {
    return newton_mends(own) && own->alpha == 1;
}

/* How much of a stiff row's energy is left after a step: ((1 - alpha)/alpha)^2. */
static inline double taut_guard_undamped(const taut_integrator* own) {
    const double left = own->formulation == TAUT_FORMULATION_THETA ? (1 - own->alpha) / own->alpha : 0;
    return left < 1 ? left * left : 1;
}

/* Whether a scheme leaves stiff rows some of their energy. */
TAUT_FN bool taut_guard_is_lively(double undamped) {
    return undamped > TAUT_GUARD_LIVELY;
}

/* The same of what was solved, or was not. */
TAUT_FN taut_guard_scale taut_guard_scale_of(const taut_guard_scale* scale, bool solved) {
    taut_guard_scale out = *scale;
    out.hard = solved ? TAUT_GUARD_HARD : TAUT_GUARD_UNSOLVED;
    out.solved = solved;
    return out;
}

TAUT_FN taut_guard_scale taut_guard_scale_with(double undamped, const taut_report* report, double h, double whole) {
    const taut_guard_scale scale = {h, whole, undamped, TAUT_GUARD_HARD, true};
    return taut_guard_scale_of(&scale, report->outcome == TAUT_SOLVE_CONVERGED);
}

/* The part of an attempt's time that its systems are for. The safe scheme takes halves. */
static inline double taut_guard_stage(const taut_integrator* own, uint32_t level) {
    return !own->sdirk ? 1 : level < TAUT_GUARD_SAFE ? TAUT_SDIRK_STAGE : 0.5;
}

/* The integrator of an attempt. Hard rows undo their violation within the substep, not within the part, or in so many
 * substeps more; shorter parts need fewer linearisations. */
static inline taut_integrator taut_guard_integrator(const taut_integrator* own, uint32_t level, double slower) {
    taut_integrator out = *own;
    const uint32_t halvings = taut_guard_halvings(level);
    const double damping = (double)(1u << halvings) * (1 + slower) - 1;
    out.newton = own->newton >> halvings > 1 ? own->newton >> halvings : 1;
    out.hard_row_damping = damping > own->hard_row_damping ? damping : own->hard_row_damping;
    if (level == TAUT_GUARD_SAFE && own->formulation == TAUT_FORMULATION_THETA && own->beta > 0) {
        out.alpha = out.beta = 1;
        out.sdirk = false;
        out.force_theta_q = own->split_forces ? 1 : own->force_theta_q;
        out.force_theta_v = own->split_forces ? 1 : own->force_theta_v;
    }
    return out;
}

#endif
