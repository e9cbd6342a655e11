/* Decisions of the outer loop, the same on both backends. */
#ifndef TAUT_STAGE_SOLVE_H
#define TAUT_STAGE_SOLVE_H

#include "host/backend.h"
#include "kernels/small_math.h"

/* One pass reduces the residual at most by this: float32 recurrences drift apart from the truth beyond. */
#define TAUT_PASS_REDUCTION 1e-4
/* With a proximal shift the outer loop converges only linearly: more accuracy inside is lost. */
#define TAUT_PROXIMAL_REDUCTION 0.05
/* A pass that leaves more than this part of the residual is idle; so many in a row are stagnation. */
#define TAUT_IDLE_REDUCTION 0.95
#define TAUT_IDLE_PASSES    4
/* After an idle pass of few iterations the shift is lowered instead, so often at most. Costly passes keep it: with less
 * of it they would cost more and gain less in float32. */
#define TAUT_CHEAP_PASS      6
#define TAUT_SHIFT_LOWERINGS 6
#define TAUT_SHIFT_LOWERING  0.1F
/* A direction whose curvature p.S p is below this part of p.B^-1 p, B the preconditioner, lies in the null space of S
 * as far as float32 can tell: a step along it would be noise. */
#define TAUT_NULL_CURVATURE 1e-9
/* Of the condensed system: one whose curvature p.H p is below this part of p.B^-1 p has underflown. */
#define TAUT_LEAST_CURVATURE 1e-14

typedef struct taut_outer_state {
    double scale;    /* |b| */
    double residual; /* before the last pass */
    uint32_t iterations;
    uint32_t passes;
    uint32_t idle;
    uint32_t lowerings;       /* of the shift */
    uint32_t pass_iterations; /* of the last pass */
    bool shifted;             /* some row has a proximal shift */
    bool lower;               /* the next pass lowers it */
    bool undo;                /* the last pass is taken back, and was the last */
} taut_outer_state;

TAUT_FN bool taut_is_finite(double value) {
    return value - value == 0;
}

/* Whether another pass follows, with the residual just found; counts idle passes. In exact arithmetic a later pass
 * of the proximal method never raises the residual: one that does was cut short and is taken back. The first is not
 * judged: from a cold start the residual may rise while the error falls. */
TAUT_FN bool taut_outer_decide(taut_outer_state* s, double residual, double tolerance, uint32_t max_iterations) {
    s->undo = s->shifted && s->passes > 1 && !(residual <= s->residual);
    if (s->undo) {
        s->idle = s->iterations < max_iterations ? TAUT_IDLE_PASSES : 0;
        return false;
    }
    const bool idle = s->passes > 0 && !(residual < TAUT_IDLE_REDUCTION * s->residual);
    s->lower = idle && s->shifted && s->pass_iterations <= TAUT_CHEAP_PASS && s->lowerings < TAUT_SHIFT_LOWERINGS;
    s->lowerings += s->lower;
    s->idle = !idle ? 0 : s->idle + !s->lower;
    const bool solved = residual <= tolerance * s->scale;
    return !solved && taut_is_finite(residual) && s->idle < TAUT_IDLE_PASSES && s->iterations < max_iterations;
}

/* |r| at which the next pass ends. */
TAUT_FN double taut_pass_goal(double residual, double scale, double tolerance, bool shifted) {
    const double part = (shifted ? TAUT_PROXIMAL_REDUCTION : TAUT_PASS_REDUCTION) * residual;
    const double enough = tolerance * scale / 2;
    return part > enough ? part : enough;
}

/* Adds a finished solve to the report. */
TAUT_FN void taut_outer_report(const taut_outer_state* s, double residual, double tolerance, uint32_t max_iterations,
                               taut_report* report) {
    const double relative = s->scale > 0 ? residual / s->scale : 0;
    taut_outcome outcome = TAUT_SOLVE_CONVERGED;
    if (!(residual <= tolerance * s->scale)) {
        const bool spent = taut_is_finite(residual) && s->idle < TAUT_IDLE_PASSES && s->iterations >= max_iterations;
        outcome = spent ? TAUT_SOLVE_ITERATION_LIMIT : TAUT_SOLVE_STAGNATED;
    }
    report->iterations += s->iterations;
    report->passes += s->passes;
    /* Written so that a residual that is not a number counts as worst. */
    report->residual = relative <= report->residual ? report->residual : relative;
    report->outcome = outcome > report->outcome ? outcome : report->outcome;
}

#endif
