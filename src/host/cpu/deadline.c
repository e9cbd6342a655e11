#include "host/cpu/cpu_deadline.h"

#include <math.h>

cpu_goal cpu_outer_goal(const taut_plan* plan, const taut_outer_state* outer, double residual, bool shifted) {
    const double tolerance = plan->settings.solver.tolerance;
    return (cpu_goal){taut_outer_goal(residual, outer->scale, tolerance, shifted),
                      taut_outer_goal(residual, outer->scale, TAUT_LATE_TOLERANCE, shifted)};
}

/* s: within it things fall by 2 mm, and what is near is little. */
#define LEAST_SIGHT 0.02

/* Only where something else finds what a search has left out: the check of crossings. */
void cpu_begin_search(taut_plan* plan, double h) {
    taut_deadline* d = &plan->deadline;
    const double sight = taut_step_factors(&plan->settings, h).sight;
    d->search = plan->sizes.watches && sight > LEAST_SIGHT ? d->search : 0;
}

void cpu_look_less_far(taut_plan* plan, double sight) {
    taut_deadline* d = &plan->deadline;
    plan->settings.sight = fmax(sight / 2, LEAST_SIGHT);
    d->slice /= 2;
    d->search = plan->settings.sight > LEAST_SIGHT ? taut_seconds() + d->slice : 0;
}

void cpu_note_residual(taut_backend_state* state, double residual) {
    taut_deadline* d = &state->plan->deadline;
    if (d->at > 0 && d->enough == 0 && residual <= TAUT_LATE_TOLERANCE) {
        d->enough = taut_seconds();
    }
}

/* Of the tolerance, with which factors take a first guess as it is. A solution with them has far less; and where loads
 * of a thousand times the weight balance, as of what is blown up, the tolerance is of these: a guess with all of it
 * moves by what is seen, and what rests is a good guess anyway. */
#define CPU_GUESSED 0.01

bool cpu_outer_goes_on(taut_backend_state* state, taut_outer_state* outer, double residual) {
    const bool guessed = outer->outer_iterations == 0 && state->saddle != NULL;
    const double tolerance = cpu_tolerance(state->plan) * (guessed ? CPU_GUESSED : 1);
    cpu_note_residual(state, outer->scale > 0 ? residual / outer->scale : 0);
    return taut_outer_decide(outer, residual, tolerance, state->plan->settings.solver.max_iterations);
}

void cpu_outer_report(taut_backend_state* state, const taut_outer_state* outer, double residual) {
    taut_deadline* d = &state->plan->deadline;
    const taut_solver* solver = &state->plan->settings.solver;
    const double tolerance = cpu_tolerance(state->plan);
    taut_outer_report(outer, residual, tolerance, solver->max_iterations, &state->report);
    if (d->at > 0) {
        d->hurried += residual > solver->tolerance * outer->scale && residual <= tolerance * outer->scale;
        d->solved = taut_seconds();
        d->spare += d->enough > 0 ? d->solved - d->enough : 0;
        d->enough = 0;
    }
}
