#include "commands/outcomes.h"

#include <stdio.h>
#include <string.h>

/* A new outcome of taut_outcome needs a row here, and OUTCOME_COUNT. */
static const struct {
    const char* name;
    const char* told; /* behind the number of frames */
} kinds[OUTCOME_COUNT] = {
    [TAUT_SOLVE_CONVERGED] = {"converged", "converged"},
    [TAUT_SOLVE_ITERATION_LIMIT] = {"iteration_limit", "stopped at the limit of iterations"},
    [TAUT_SOLVE_STAGNATED] = {"stagnated", "came no closer to a solution"},
    [TAUT_SOLVE_DAMPED] = {"damped", "slowed down so as to gain no energy"},
    [TAUT_SOLVE_OVERSTRETCHED] = {"overstretched",
                                  "left stiff parts off their length by more than a fifth, or joints apart"},
};

/* What to change, as bits of outcomes.changes. */
enum { MORE_ITERATIONS = 1, MORE_SUBSTEPS = 2, MORE_TIME = 4, SOFTER = 8, LESS_EXACT = 16, LIGHTER = 32, FEWER = 64 };

static const struct {
    unsigned bit;
    bool raised; /* a key, behind "raise" */
    const char* told;
} changes[] = {
    {FEWER, false, "leave out constraints that contradict each other"},
    {MORE_ITERATIONS, true, "\"max_iterations\" in \"solver\""},
    {MORE_SUBSTEPS, true, "\"substeps\""},
    {MORE_TIME, true, "\"budget_ms\""},
    {SOFTER, false, "give stiff constraints a larger \"compliance\" (hard ones, with 0, may contradict each other)"},
    {LESS_EXACT, true, "\"tolerance\" in \"solver\""},
    {LIGHTER, false, "give what is loaded more mass or less stiffness"},
};

const char* outcome_name(taut_outcome outcome) {
    return (unsigned)outcome < OUTCOME_COUNT ? kinds[outcome].name : "unknown";
}

/* Its velocities were scaled in impact zones alone, where what would pass through something moves together. */
static bool moved_together(const taut_step_info* info) {
    return info->outcome == TAUT_SOLVE_DAMPED && info->zones > 0 && info->damped <= info->zones;
}

/* A frame of fewer iterations than the limit has no solve that ended there. */
static unsigned changes_of(const outcomes* o, const taut_step_info* info) {
    if (info->hurried > 0 && info->outcome == TAUT_SOLVE_ITERATION_LIMIT) {
        return MORE_TIME;
    }
    const unsigned hurried = info->hurried > 0 ? MORE_TIME : 0;
    switch (info->outcome) {
    case TAUT_SOLVE_ITERATION_LIMIT:
        return MORE_ITERATIONS | MORE_SUBSTEPS;
    case TAUT_SOLVE_STAGNATED:
        return hurried | SOFTER | LESS_EXACT;
    case TAUT_SOLVE_DAMPED:
        return moved_together(info)                    ? hurried | MORE_SUBSTEPS
               : info->iterations >= o->max_iterations ? hurried | MORE_ITERATIONS | MORE_SUBSTEPS
                                                       : hurried | MORE_SUBSTEPS | SOFTER;
    default:
        return hurried | (o->contradicts ? FEWER | SOFTER : MORE_SUBSTEPS | LIGHTER);
    }
}

void outcomes_add(outcomes* o, size_t frame, const taut_step_info* info) {
    o->frames++;
    if ((unsigned)info->outcome < OUTCOME_COUNT) {
        o->counts[info->outcome]++;
    }
    if (info->outcome == TAUT_SOLVE_CONVERGED) {
        return;
    }
    o->together += moved_together(info);
    o->changes |= changes_of(o, info);
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

static void append_count(char* text, size_t size, size_t count, const char* told) {
    char one[128];
    (void)snprintf(one, sizeof one, "%zu %s", count, told);
    if (count) {
        append(text, size, ", ", one);
    }
}

/* Each of them once. */
static void tell_changes(unsigned bits, char* text, size_t size) {
    bool raised = false;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        if (bits & changes[i].bit) {
            append(text, size, ", or ", changes[i].raised && !raised ? "raise " : "");
            append(text, size, "", changes[i].told);
            raised = changes[i].raised;
        }
    }
}

void outcomes_tell(const outcomes* o, const char* scene, report* r) {
    char told[320] = "", to_change[512] = "";
    for (int i = TAUT_SOLVE_CONVERGED + 1; i < OUTCOME_COUNT; i++) {
        const size_t together = i == TAUT_SOLVE_DAMPED ? o->together : 0;
        append_count(told, sizeof told, o->counts[i] - together, kinds[i].told);
        append_count(told, sizeof told, together, "moved together what would have passed through each other");
    }
    append_count(told, sizeof told, o->hurried, "of all short of time");
    tell_changes(o->changes, to_change, sizeof to_change);
    report_fail(r,
                "%s: the motion is inexact: %zu of %zu frames did not converge (%s; first frame %zu, worst residual "
                "%.2g in frame %zu). To change: %s",
                scene, outcomes_not_converged(o), o->frames, told, o->first, o->worst_residual, o->worst, to_change);
}
