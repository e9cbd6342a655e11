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
#define TAUT_IDLE_REDUCTION 0.8
#define TAUT_IDLE_PASSES    2

typedef struct taut_outer_state {
    double scale;    /* |b| */
    double residual; /* before the last pass */
    uint32_t iterations;
    uint32_t passes;
    uint32_t idle;
} taut_outer_state;

TAUT_FN bool taut_is_finite(double value) { return value - value == 0; }

/* Whether another pass follows, with the residual just found; counts idle passes. */
TAUT_FN bool taut_outer_decide(taut_outer_state* s, double residual, double tolerance, uint32_t max_iterations) {
    if (s->passes > 0) {
        s->idle = residual < TAUT_IDLE_REDUCTION * s->residual ? 0 : s->idle + 1;
    }
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
