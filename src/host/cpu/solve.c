/* Solve: the linear systems of a step, each by the solver that model/solvers.h chooses. */
#include "host/cpu/cpu_contact_pairs.h"
#include "host/cpu/cpu_deadline.h"
#include "host/cpu/cpu_solvers.h"
#include "model/guard.h"
#include "model/newton.h"
#include "model/solvers.h"

typedef void (*solver)(taut_backend_state* state, double h, taut_phase phase);

static const solver solvers[] = {
#define SOLVER_ENTRY(name, form, condition, cpu, cuda) [taut_solver_##name] = cpu,
    TAUT_SOLVERS(SOLVER_ENTRY)
#undef SOLVER_ENTRY
};

/* Returns how it ended. What was solved loosely is not what the part ends with, and is not told. */
static taut_outcome solve_system(taut_system_form form, taut_backend_state* state, double h, taut_phase phase) {
    taut_report* report = &state->report;
    cpu_solved* own = &state->solved[form];
    const cpu_solved before = {report->outcome, report->residual};
    const double complementarity = report->complementarity;
    report->outcome = TAUT_SOLVE_CONVERGED;
    report->residual = 0;
    solvers[taut_solver_of(form, &state->plan->settings, &state->plan->sizes)](state, h, phase);
    const taut_outcome ended = report->outcome;
    if (report->residual > state->asked && state->plan->settings.solver.tolerance > state->asked &&
        ended == TAUT_SOLVE_CONVERGED) {
        state->newton.loose = true;
        report->outcome = before.outcome;
        report->residual = before.residual;
        report->complementarity = complementarity;
        return ended;
    }
    own->outcome = ended > own->outcome ? ended : own->outcome;
    own->residual = taut_larger(report->residual, own->residual);
    report->outcome = before.outcome > ended ? before.outcome : ended;
    report->residual = taut_larger(report->residual, before.residual);
    return ended;
}

/* The worst outcome. */
static taut_outcome solve_systems(taut_backend_state* state, double h, taut_phase phase) {
    taut_outcome schur = TAUT_SOLVE_CONVERGED, condensed = TAUT_SOLVE_CONVERGED;
    if (state->solves_schur) { /* leaves motions of all nodes; the condensed solver replaces those of its own */
        schur = solve_system(TAUT_FORM_SCHUR, state, h, phase);
    }
    if (state->solves_condensed) {
        condensed = solve_system(TAUT_FORM_CONDENSED, state, h, phase);
    }
    state->impulse_step = h;
    return schur > condensed ? schur : condensed;
}

static bool solves(taut_backend_state* state, double h, taut_phase phase) {
    return solve_systems(state, h, phase) == TAUT_SOLVE_CONVERGED && !cpu_is_late(state->plan);
}

/* So many times b follows roughly at most. */
#define ROUGH_ROUNDS 4

/* Of loose bodies b follows how contacts slide while that is known roughly. Returns how often it has; leaves them
 * solved, unless they cannot be. */
static uint32_t solve_roughly(taut_backend_state* state, double h, taut_phase phase, const taut_factors* step,
                              bool* solved) {
    contact_pairs* pairs = state->pairs;
    uint32_t rounds = 0;
    pairs->swept = pairs->swept && pairs->tried > 0;
    pairs->pauses = true;
    *solved = solves(state, h, phase);
    while (pairs->paused) {
        const bool again = *solved && cpu_follow_sliding(state->plan, step, rounds);
        rounds += again;
        pairs->pauses = again && rounds < ROUGH_ROUNDS;
        *solved = solves(state, h, phase);
    }
    pairs->pauses = false;
    return rounds;
}

/* Again where contacts bounce or slide otherwise than told. */
static void solve_and_follow(taut_backend_state* state, double h, taut_phase phase, const taut_factors* step) {
    bool solved;
    uint32_t rounds = 0;
    if (state->pairs != NULL) {
        rounds = solve_roughly(state, h, phase, step, &solved);
    } else {
        solved = solves(state, h, phase);
    }
    for (uint32_t round = 0; solved && cpu_follow_bounces(state->plan, step, round); round++) {
        solved = solves(state, h, phase);
    }
    for (; solved && cpu_follow_sliding(state->plan, step, rounds); rounds++) {
        solved = solves(state, h, phase);
    }
}

void cpu_solve(taut_backend_state* state, double h, taut_phase phase) {
    const taut_factors step = taut_phase_factors(&state->plan->settings, phase, h);
    const bool may = taut_begins(phase) ? state->plan->settings.loose : state->newton.loose;
    const bool loose = may && state->factors != NULL;
    double* tolerance = &state->plan->settings.solver.tolerance;
    if (!taut_begins(phase)) {
        cpu_refresh(state);
    }
    state->asked = *tolerance;
    state->newton.loose = false;
    *tolerance = loose ? newton_loose(state->asked) : state->asked;
    solve_and_follow(state, h, phase, &step);
    *tolerance = state->asked;
    if (state->plan->sizes.keeps_residuals) {
        cpu_note_residuals(state);
    }
}
