/* Decisions of Newton's method, the same on both backends. */
#ifndef TAUT_MODEL_NEWTON_H
#define TAUT_MODEL_NEWTON_H

#include "base/small_math.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct newton_sums {
    double balance; /* r_u.A^-1 r_u */
    double motion;  /* dv.A dv */
} newton_sums;

/* The merit is the length of (r_u, r_c) in those norms. A step that does not lower it by this part of what it promises
 * is halved, so often at most. */
#define TAUT_SUFFICIENT    1e-4
#define TAUT_MOST_HALVINGS 10

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
    double scale;         /* of r_c: |b| of the first system */
    double balance, rows; /* |r_u|, |r_c|, relative, at the last judgement */
} newton_state;

/* The worse one of the residuals, or what is not a number. */
TAUT_FN double newton_residual(const newton_state* state) {
    return state->balance > state->rows || state->balance != state->balance ? state->balance : state->rows;
}

/* After the first system, whose |b| is kept. */
TAUT_FN void newton_begin(newton_state* state) {
    const newton_state fresh = {NEWTON_STOP, 1, 0, 0, state->scale, 0, 0};
    *state = fresh;
}

/* What follows from the sums at an iterate; `rows2` those of r_c. Residuals are relative to the motion of the step and
 * to the right-hand side of its constraints, each at least to a part of the other: one of them may vanish. */
TAUT_FN void newton_decide(newton_state* state, const newton_sums* sums, double rows2, double tolerance,
                           uint32_t most) {
    const double motion = sqrt(sums->motion), all = motion > state->scale ? motion : state->scale;
    const double merit = sqrt(sums->balance + rows2), unit = all > 0 ? all : 1;
    const bool worse = !(merit <= (1 - TAUT_SUFFICIENT / (double)(1u << state->halvings)) * state->merit);
    state->balance = sqrt(sums->balance) / unit;
    state->rows = sqrt(rows2) / unit;
    if (state->balance <= tolerance && state->rows <= tolerance) {
        state->action = NEWTON_STOP;
    } else if (state->merit > 0 && worse && state->halvings < TAUT_MOST_HALVINGS) {
        state->action = NEWTON_BACK;
        state->halvings++;
    } else if (state->solves >= most || (state->merit > 0 && worse)) {
        state->action = NEWTON_STOP;
    } else {
        state->action = NEWTON_SOLVE;
        state->solves++;
        state->halvings = 0;
        state->merit = merit;
    }
}

#endif
