#include "commands/outcomes.h"

#include <stdio.h>
#include <string.h>

/* A new outcome of taut_outcome needs a row here, and OUTCOME_COUNT. */
static const struct {
    const char* name;
    const char* told;   /* behind the number of frames */
    const char* change; /* NULL: nothing to change */
} kinds[OUTCOME_COUNT] = {
    [TAUT_SOLVE_CONVERGED] = {"converged", "converged", NULL},
    [TAUT_SOLVE_ITERATION_LIMIT] = {"iteration_limit", "stopped at the limit of iterations",
                                    "raise \"max_iterations\" in \"solver\", or \"substeps\""},
    [TAUT_SOLVE_STAGNATED] = {"stagnated", "came no closer to a solution",
                              "give stiff constraints a larger \"compliance\" (hard ones, with 0, may contradict each "
                              "other), or raise \"tolerance\" in \"solver\""},
    [TAUT_SOLVE_DAMPED] = {"damped", "slowed down so as to gain no energy",
                           "let the solver finish, with a larger \"max_iterations\" or \"compliance\", or more "
                           "\"substeps\""},
    [TAUT_SOLVE_OVERSTRETCHED] = {"overstretched",
                                  "left stiff parts off their length by more than a fifth, or joints apart",
                                  "raise \"substeps\", or give what is loaded more mass or less stiffness"},
};

const char* outcome_name(taut_outcome outcome) {
    return (unsigned)outcome < OUTCOME_COUNT ? kinds[outcome].name : "unknown";
}

void outcomes_add(outcomes* o, size_t frame, const taut_step_info* info) {
    o->frames++;
    if ((unsigned)info->outcome < OUTCOME_COUNT) {
        o->counts[info->outcome]++;
    }
    if (info->outcome == TAUT_SOLVE_CONVERGED) {
        return;
    }
    o->hurried += info->hurried > 0;
    o->first = o->first ? o->first : frame;
    if (o->worst == 0 || !(info->residual <= o->worst_residual)) {
        o->worst = frame;
        o->worst_residual = info->residual;
    }
}

size_t outcomes_not_converged(const outcomes* o) {
    return o->frames - o->counts[TAUT_SOLVE_CONVERGED];
}

static void append(char* text, size_t size, const char* between, const char* more) {
    const size_t length = strlen(text);
    (void)snprintf(text + length, size - length, "%s%s", length ? between : "", more);
}

void outcomes_tell(const outcomes* o, const char* scene, report* r) {
    char told[256] = "";
    char changes[512] = "";
    for (int i = 0; i < OUTCOME_COUNT; i++) {
        if (kinds[i].change && o->counts[i]) {
            char count[128];
            (void)snprintf(count, sizeof count, "%zu %s", o->counts[i], kinds[i].told);
            append(told, sizeof told, ", ", count);
            append(changes, sizeof changes, "; ", kinds[i].change);
        }
    }
    if (o->hurried) {
        char count[64];
        (void)snprintf(count, sizeof count, "%zu of all short of time", o->hurried);
        append(told, sizeof told, ", ", count);
        append(changes, sizeof changes, "; ", "raise \"budget_ms\"");
    }
    report_fail(r,
                "%s: the motion is inexact: %zu of %zu frames did not converge (%s; first frame %zu, worst residual "
                "%.2g in frame %zu). To change: %s",
                scene, outcomes_not_converged(o), o->frames, told, o->first, o->worst_residual, o->worst, changes);
}
