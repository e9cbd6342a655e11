/* Decisions of Newton's method, the same on both backends. */
#ifndef TAUT_MODEL_NEWTON_H
#define TAUT_MODEL_NEWTON_H

#include "base/small_math.h"
#include "taut/integrator.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct newton_sums {
    double balance; /* r_u.A^-1 r_u */
    double motion;  /* dv.A dv */
    double fall;    /* likewise of what gravity adds to free points in the step */
} newton_sums;

/* The merit is the length of (r_u, r_c) in those norms. A step that does not lower it by this part of what it promises
 * (newton_reference) is halved, so often at most. */
#define TAUT_SUFFICIENT    1e-4
#define TAUT_MOST_HALVINGS 10
/* Of the merit: where it changes by less, the last system had nothing to solve, and parts of its step have nothing
 * either. */
#define TAUT_UNMOVED 1e-6
/* Of what gravity adds to the motion: a smaller motion is rest, and its residual is relative to this. */
#define TAUT_RESTS 1e-6

/* taut_report.stretch from which on a step is linearised again, after several linearisations from twice as much on:
 * half a percent of a length, 0.75 % of strain, an opening of a joint of 1/800 of its arms. */
#define TAUT_STRETCHED 5e-3
/* From which on it is made again in shorter parts, where further linearisations have not helped (model/guard.h). */
#define TAUT_LONG 0.02
/* After two further linearisations others are made where the last one has left less than this part of the stretch. */
#define TAUT_FALLS 0.7

/* In tolerances: the relative residual that is enough of a system which another one follows, in parts of a substep that
 * has failed as a whole; and at most. What it is linearised about will have changed by far more. */
#define TAUT_LOOSE      1000
#define TAUT_LOOSE_MOST 0.1

TAUT_FN double newton_loose(double tolerance) {
    const double loose = TAUT_LOOSE * tolerance < TAUT_LOOSE_MOST ? TAUT_LOOSE * tolerance : TAUT_LOOSE_MOST;
    return loose > tolerance ? loose : tolerance;
}

/* Whether something is done about what one linearisation stretches. Where constraints follow after a free motion, or
 * positions are projected, it is not the linearisation that the state tells of. */
static inline bool newton_mends(const taut_integrator* i) {
    return i->further > 0 && i->formulation == TAUT_FORMULATION_THETA && i->beta > 0 && i->guard &&
           !(i->two_stage || i->split_forces) && i->project_positions == 0 && !i->project_velocities;
}

static inline uint32_t newton_most_further(const taut_integrator* i) {
    return newton_mends(i) ? i->further : 0;
}

/* Whether a step that is linearised once is looked at, and linearised again where it is stretched. The state that it
 * began with is the one that the guard keeps. */
static inline bool newton_looks(const taut_integrator* i) {
    return newton_mends(i) && i->newton <= 1 && !i->sdirk;
}

/* Of a substep: linearisations at most, and how many more while it is stretched. */
typedef struct newton_limits {
    double tolerance; /* of both residuals, relative; does not count where `most` is 1 */
    uint32_t most, further;
    bool touches; /* there are contacts */
    bool loose;   /* a system that others may follow needs no more than newton_loose */
} newton_limits;

typedef enum newton_action {
    NEWTON_STOP,
    NEWTON_SOLVE, /* the iterate is good: linearise and solve again */
    NEWTON_BACK   /* half of the way back to the last iterate */
} newton_action;

typedef struct newton_state {
    newton_action action;
    uint32_t solves;      /* systems solved in this substep */
    uint32_t halvings;    /* of the last step */
    double merit;         /* of the last iterate that was good; 0: none yet */
    double first;         /* merit of the first one */
    double scale;         /* of r_c: |b| of the first system */
    double balance, rows; /* |r_u|, |r_c|, relative, at the last judgement */
    double stretch;       /* taut_report.stretch of the last iterate that was good; 0: none yet */
    bool loose;           /* the last system was left with more than the tolerance, or the next one may be */
} newton_state;

/* Further linearisations where it is stretched so: two, and more while the stretch falls. With contacts, whose set and
 * normals stay, it is one, but for those that may spare shorter parts. */
TAUT_FN uint32_t newton_further(const newton_state* state, const newton_limits* limits, double stretch) {
    const uint32_t falling = stretch < TAUT_FALLS * state->stretch ? limits->further : 2;
    const uint32_t most = limits->touches && !(stretch > TAUT_LONG) ? 1 : falling;
    return most < limits->further ? most : limits->further;
}

/* The merit that an iterate has to be below. Steps that are linearised again for their stretch alone are those of one
 * linearisation, which is none of a small merit: one that is stretched less may have as much as that. Light parts that
 * turn far raise it where they come back to their lengths. */
TAUT_FN double newton_reference(const newton_state* state, const newton_limits* limits, double stretch) {
    return limits->most <= 1 && stretch < state->stretch ? state->first : state->merit;
}

/* The worse one of the residuals, or what is not a number. */
TAUT_FN double newton_residual(const newton_state* state) {
    return state->balance > state->rows || state->balance != state->balance ? state->balance : state->rows;
}

/* After the first system, whose |b| is kept. */
TAUT_FN void newton_begin(newton_state* state) {
    const newton_state fresh = {NEWTON_STOP, 1, 0, 0, 0, state->scale, 0, 0, 0, state->loose};
    *state = fresh;
}

/* What follows from the sums at an iterate; `rows2` those of r_c. Residuals are relative to the motion of the step and
 * to the right-hand side of its constraints, each at least to a part of the other: one of them may vanish; and to what
 * is rest. */
TAUT_FN void newton_decide(newton_state* state, const newton_sums* sums, double rows2, double stretch,
                           const newton_limits* limits) {
    const double motion = sqrt(sums->motion), rest = TAUT_RESTS * sqrt(sums->fall);
    const double least = state->scale > rest ? state->scale : rest, all = motion > least ? motion : least;
    const double merit = sqrt(sums->balance + rows2), unit = all > 0 ? all : 1;
    const double reference = newton_reference(state, limits, stretch);
    const bool worse = !(merit <= (1 - TAUT_SUFFICIENT / (double)(1u << state->halvings)) * reference);
    const bool moved = fabs(merit - state->merit) > TAUT_UNMOVED * merit;
    const bool stretched = limits->further > 0 && stretch > (limits->most > 1 ? 2 : 1) * TAUT_STRETCHED;
    const uint32_t most = limits->most + (stretched ? newton_further(state, limits, stretch) : 0);
    state->balance = sqrt(sums->balance) / unit;
    state->rows = sqrt(rows2) / unit;
    const bool solved = limits->most <= 1 || newton_residual(state) <= limits->tolerance;
    if (solved && !stretched && !state->loose) {
        state->action = NEWTON_STOP;
    } else if (state->merit > 0 && worse && moved && state->halvings < TAUT_MOST_HALVINGS) {
        state->action = NEWTON_BACK;
        state->halvings++;
    } else if (!state->loose && (state->solves >= most || (state->merit > 0 && worse))) {
        state->action = NEWTON_STOP;
    } else {
        state->action = NEWTON_SOLVE;
        state->solves++;
        state->halvings = 0;
        state->first = state->merit > 0 ? state->first : merit;
        state->merit = merit;
        state->stretch = stretch;
        state->loose = limits->loose && stretched && state->solves < most;
    }
}

#endif
