#include "host/cpu/cpu_pairs_solve.h"

#include <math.h>
#include <string.h>

/* Sweeps go on until their change is this part of the goal, which is about the residual then. */
#define SWEEPS_CLOSER 0.8
/* A change of impulses by which it is known how contacts slide: in tolerances, and of the scale at most. */
#define SLIDING_TOLERANCES 100
#define SLIDING_KNOWN      1e-2
/* Newton's method has another norm, that of M^-1, in which residuals are about as large. After a solve that falls short
 * the next one has a smaller goal by so much, and by this. So have sweeps in its place. */
#define NEWTON_ATTEMPTS 3
#define NEWTON_CLOSER   0.5
/* Of the scale: a residual where what rests starts. */
#define NEWTON_NEAR 0.1

bool pairs_solve_is_within(const pairs_solve* p) {
    return !(p->residual > cpu_tolerance(p->pairs->plan) * p->scale);
}

static uint32_t iterations_left(const pairs_solve* p) {
    const uint32_t most = p->pairs->plan->settings.solver.max_iterations;
    return most > p->iterations ? most - p->iterations : 0;
}

/* Whether the solve ends here, solved or not. */
static bool ends(const pairs_solve* p) {
    return pairs_solve_is_within(p) || p->pairs->paused || iterations_left(p) == 0;
}

/* The iterations of a part of the solve, which are told and judged: but where it is paused another system follows. */
static void note(pairs_solve* p, uint32_t iterations) {
    p->iterations += iterations;
    p->outer_iterations++;
    if (!p->pairs->paused) {
        contact_pairs_store(p->pairs);
        p->residual = p->measure(p->context);
    }
}

/* Impulses that belong to motions on the way to a minimum may be any: without less of a residual they are taken back.
 * False: factors are too large. */
static bool newton(pairs_solve* p, double goal) {
    contact_pairs* pairs = p->pairs;
    const double before = p->residual;
    for (size_t c = 0; c < pairs->contacts; c++) {
        memcpy(pairs->contact[c].kept, pairs->contact[c].impulse, sizeof pairs->contact[c].kept);
    }
    note(p, contact_pairs_newton(pairs, goal, iterations_left(p)));
    if (!(p->residual < before)) {
        for (size_t c = 0; c < pairs->contacts; c++) {
            memcpy(pairs->contact[c].impulse, pairs->contact[c].kept, sizeof pairs->contact[c].kept);
        }
        contact_pairs_store(pairs);
        p->residual = p->measure(p->context);
    }
    return pairs->newton_sweeps < INFINITY;
}

/* Sweeps; where contacts slide otherwise than told, no further than it takes to know that. */
static void sweep(pairs_solve* p, double goal) {
    contact_pairs* pairs = p->pairs;
    const uint32_t limit = iterations_left(p);
    const double known = fmin(SLIDING_TOLERANCES * goal, SLIDING_KNOWN * p->scale);
    const cpu_goal closer = {SWEEPS_CLOSER * goal, SWEEPS_CLOSER * TAUT_LATE_TOLERANCE * p->scale};
    uint32_t sweeps = contact_pairs_sweep(pairs, closer, pairs->pauses ? known : 0, limit);
    if (pairs->paused) {
        contact_pairs_store(pairs);
        if (!p->slides(p->context)) {
            sweeps += contact_pairs_sweep(pairs, closer, 0, limit - sweeps);
        }
    }
    note(p, sweeps);
    pairs->swept = pairs->paused || pairs_solve_is_within(p);
}

/* Whether Newton's method ends no later without sweeps: so it does for few bodies beside others, too, whose factors are
 * next to nothing. */
static bool begins_with_newton(const pairs_solve* p) {
    const contact_pairs* pairs = p->pairs;
    const bool few = pairs->all != pairs && pairs->contacts < CONTACT_HEAP_LEAST;
    return (p->residual < NEWTON_NEAR * p->scale && !pairs->swept) || few;
}

void pairs_solve_run(pairs_solve* p) {
    const double tolerance = p->pairs->plan->settings.solver.tolerance * p->scale;
    double goal = tolerance;
    if (begins_with_newton(p)) {
        newton(p, goal);
    }
    if (!ends(p)) {
        sweep(p, goal);
    }
    for (int i = 0; i < NEWTON_ATTEMPTS && !ends(p); i++) {
        if (!newton(p, goal)) {
            sweep(p, NEWTON_CLOSER * goal);
        }
        goal *= NEWTON_CLOSER * fmin(1, tolerance / p->residual);
    }
}

void pairs_solve_sweep_on(pairs_solve* p) {
    if (!ends(p)) {
        p->pairs->pauses = false;
        p->pairs->newton_sweeps = INFINITY;
        sweep(p, NEWTON_CLOSER * p->pairs->plan->settings.solver.tolerance * p->scale);
        p->pairs->newton_sweeps = -1;
    }
}
