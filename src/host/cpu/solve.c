/* Solve: the linear systems of a step, each by the solver that model/solvers.h chooses. */
#include "host/cpu/cpu_contact_pairs.h"
#include "host/cpu/cpu_deadline.h"
#include "host/cpu/cpu_heaps.h"
#include "host/cpu/cpu_solvers.h"
#include "model/guard.h"
#include "model/newton.h"
#include "model/solvers.h"

#include <string.h>

typedef void (*solver)(taut_backend_state* state, double h, taut_phase phase);

static const solver solvers[] = {
#define SOLVER_ENTRY(name, form, condition, cpu, cuda) [taut_solver_##name] = cpu,
    TAUT_SOLVERS(SOLVER_ENTRY)
#undef SOLVER_ENTRY
};

static solver solver_of(const taut_backend_state* state, int system) {
    return system == (int)CPU_HEAPS
               ? heaps_solve
               : solvers[taut_solver_of((taut_system_form)system, &state->plan->settings, &state->plan->sizes)];
}

/* Returns how it ended. What was solved loosely is not what the part ends with, and is not told. */
static taut_outcome solve_system(int system, solver solve, taut_backend_state* state, double h, taut_phase phase) {
    taut_report* report = &state->report;
    cpu_solved* own = &state->solved[system];
    const cpu_solved before = {report->outcome, report->residual};
    const double complementarity = report->complementarity;
    report->outcome = TAUT_SOLVE_CONVERGED;
    report->residual = 0;
    solve(state, h, phase);
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

/* Loose bodies that sweeps solve for: all that there is, or heaps beside other systems; NULL: there are none. */
static contact_pairs* loose_pairs(const taut_backend_state* state) {
    return heaps_apart(state) ? state->heaps : state->pairs;
}

/* The worst outcome. */
static taut_outcome solve_systems(taut_backend_state* state, double h, taut_phase phase, cpu_again again) {
    const bool all = again == CPU_ALL_AGAIN;
    const bool present[CPU_SYSTEMS] = {[TAUT_FORM_SCHUR] = state->solves_schur && all,
                                       [TAUT_FORM_CONDENSED] = state->solves_condensed && all,
                                       [CPU_HEAPS] = heaps_apart(state)};
    taut_outcome worst = TAUT_SOLVE_CONVERGED;
    for (int system = 0; system < (int)CPU_SYSTEMS; system++) { /* each replaces motions of its own nodes */
        if (present[system]) {
            const taut_outcome ended = solve_system(system, solver_of(state, system), state, h, phase);
            worst = ended > worst ? ended : worst;
        }
    }
    state->impulse_step = h;
    return worst;
}

static bool solves(taut_backend_state* state, double h, taut_phase phase, cpu_again again) {
    return solve_systems(state, h, phase, again) == TAUT_SOLVE_CONVERGED && !cpu_is_late(state->plan);
}

/* So many times b follows roughly at most. */
#define ROUGH_ROUNDS 4

/* Of loose bodies b follows how contacts slide while that is known roughly. Returns how often it has; leaves them
 * solved, unless they cannot be. */
static uint32_t solve_roughly(taut_backend_state* state, double h, taut_phase phase, const taut_factors* step,
                              bool* solved) {
    contact_pairs* pairs = loose_pairs(state);
    uint32_t rounds = 0;
    pairs->swept = pairs->swept && pairs->tried > 0;
    pairs->pauses = true;
    *solved = solves(state, h, phase, CPU_ALL_AGAIN);
    while (pairs->paused) {
        const cpu_again again = *solved ? cpu_follow_sliding(state->plan, step, rounds) : CPU_SOLVED;
        rounds += again != CPU_SOLVED;
        pairs->pauses = again != CPU_SOLVED && rounds < ROUGH_ROUNDS;
        *solved = solves(state, h, phase, pairs == state->pairs ? CPU_ALL_AGAIN : again);
    }
    pairs->pauses = false;
    return rounds;
}

/* What solves have ended with. */
typedef struct solve_ends {
    cpu_solved all, own[CPU_SYSTEMS];
    double complementarity;
} solve_ends;

static solve_ends note_ends(const taut_backend_state* state) {
    solve_ends ends = {{state->report.outcome, state->report.residual}, {{0}}, state->report.complementarity};
    memcpy(ends.own, state->solved, sizeof ends.own);
    return ends;
}

static void return_to_ends(taut_backend_state* state, const solve_ends* ends) {
    state->report.outcome = ends->all.outcome;
    state->report.residual = ends->all.residual;
    state->report.complementarity = ends->complementarity;
    memcpy(state->solved, ends->own, sizeof ends->own);
}

/* Again where contacts bounce or slide otherwise than told, and where motors stall: a system in which they do not may
 * be one that cannot be solved. */
static void solve_and_follow(taut_backend_state* state, double h, taut_phase phase, const taut_factors* step) {
    const solve_ends before = note_ends(state);
    bool solved;
    uint32_t rounds = 0;
    if (loose_pairs(state) != NULL) {
        rounds = solve_roughly(state, h, phase, step, &solved);
    } else {
        solved = solves(state, h, phase, CPU_ALL_AGAIN);
    }
    if (!solved && !cpu_is_late(state->plan) && cpu_motors_stall(state->plan, step)) {
        return_to_ends(state, &before);
        solved = solves(state, h, phase, CPU_ALL_AGAIN);
    }
    cpu_again again;
    for (uint32_t round = 0; solved && (again = cpu_follow_bounces(state->plan, step, round)) != CPU_SOLVED; round++) {
        solved = solves(state, h, phase, again);
    }
    for (; solved && (again = cpu_follow_sliding(state->plan, step, rounds)) != CPU_SOLVED; rounds++) {
        solved = solves(state, h, phase, again);
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
