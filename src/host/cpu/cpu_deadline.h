/* What the time of a step with a budget changes in the loops of solvers; nothing without one. */
#ifndef TAUT_CPU_CPU_DEADLINE_H
#define TAUT_CPU_CPU_DEADLINE_H

#include "base/clock.h"
#include "host/cpu/cpu_state.h"
#include "kernels/stages/solve.h"

#include <float.h>

/* What is left of a solve that is stopped is of no use: any residual is small enough. */
static inline bool cpu_is_stopped(const taut_plan* plan) {
    return plan->stop != NULL && *plan->stop != 0;
}

static inline bool cpu_is_late(const taut_plan* plan) {
    const double at = plan->deadline.at;
    return cpu_is_stopped(plan) || (at > 0 && taut_seconds() >= at);
}

/* Of the search for contacts, which is given up then. */
static inline bool cpu_search_is_late(const taut_plan* plan) {
    const double at = plan->deadline.search;
    return at > 0 && taut_seconds() >= at;
}

/* Before it: whether it may be given up. */
void cpu_begin_search(taut_plan* plan, double h);
/* After it was: the next one looks half as far ahead as this one, in half of its time. */
void cpu_look_less_far(taut_plan* plan, double sight);

/* Of a solve, at this moment. */
static inline double cpu_tolerance(const taut_plan* plan) {
    const double own = plan->settings.solver.tolerance;
    return cpu_is_stopped(plan) ? DBL_MAX : cpu_is_late(plan) && own < TAUT_LATE_TOLERANCE ? TAUT_LATE_TOLERANCE : own;
}

/* |r| at which an outer iteration ends, and once the time is up. */
typedef struct cpu_goal {
    double own, late;
} cpu_goal;

static inline double cpu_goal_now(const taut_plan* plan, cpu_goal goal) {
    return cpu_is_stopped(plan) ? DBL_MAX : goal.late > goal.own && cpu_is_late(plan) ? goal.late : goal.own;
}

/* taut_outer_goal for both. */
cpu_goal cpu_outer_goal(const taut_plan* plan, const taut_outer_state* outer, double residual, bool shifted);
/* taut_outer_decide, by the clock. */
bool cpu_outer_goes_on(taut_backend_state* state, taut_outer_state* outer, double residual);
/* Notes when a solve may end for lack of time: `residual` is relative. */
void cpu_note_residual(taut_backend_state* state, double residual);
/* taut_outer_report by the tolerance of this moment, which is the one that the guard judges a part by. */
void cpu_outer_report(taut_backend_state* state, const taut_outer_state* outer, double residual);

#endif
