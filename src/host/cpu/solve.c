/* Solve: the linear systems of a step, each by the solver that model/solvers.h chooses. */
#include "host/cpu/cpu_solvers.h"
#include "model/guard.h"
#include "model/solvers.h"

typedef void (*solver)(taut_backend_state* state, double h, taut_phase phase);

static const solver solvers[] = {
#define SOLVER_ENTRY(name, form, condition, cpu, cuda) [taut_solver_##name] = cpu,
    TAUT_SOLVERS(SOLVER_ENTRY)
#undef SOLVER_ENTRY
};

static void solve_system(taut_system_form form, taut_backend_state* state, double h, taut_phase phase) {
    taut_report* report = &state->report;
    cpu_solved* own = &state->solved[form];
    const cpu_solved before = {report->outcome, report->residual};
    report->outcome = TAUT_SOLVE_CONVERGED;
    report->residual = 0;
    solvers[taut_solver_of(form, &state->plan->settings, &state->plan->sizes)](state, h, phase);
    own->outcome = report->outcome > own->outcome ? report->outcome : own->outcome;
    own->residual = taut_larger(report->residual, own->residual);
    report->outcome = before.outcome > report->outcome ? before.outcome : report->outcome;
    report->residual = taut_larger(report->residual, before.residual);
}

void cpu_solve(taut_backend_state* state, double h, taut_phase phase) {
    if (!taut_begins(phase)) {
        cpu_refresh(state);
    }
    if (state->solves_schur) { /* leaves motions of all nodes; the condensed solver replaces those of its own */
        solve_system(TAUT_FORM_SCHUR, state, h, phase);
    }
    if (state->solves_condensed) {
        solve_system(TAUT_FORM_CONDENSED, state, h, phase);
    }
    if (state->plan->sizes.keeps_residuals) {
        cpu_note_residuals(state);
    }
    state->impulse_step = h;
}
