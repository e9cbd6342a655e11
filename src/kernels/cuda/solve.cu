/* Solve: the linear systems of a step, each by the solver that model/solvers.h chooses. */
#include "kernels/cuda/solve.cuh"
#include "model/solvers.h"

typedef void (*solver)(const taut_view& view, const taut_settings& settings, taut_launch* launch);

/* In the order of taut_solver_id. */
static const solver solvers[] = {
#define SOLVER_ENTRY(name, form, condition, cpu, cuda) cuda,
    TAUT_SOLVERS(SOLVER_ENTRY)
#undef SOLVER_ENTRY
};

static void solve_systems(const taut_view& view, const taut_settings& settings, taut_launch* launch) {
    if (view.s.schur) { /* leaves motions of all nodes; the condensed solver replaces those of its own */
        solvers[taut_solver_of(TAUT_FORM_SCHUR, &settings, &view.s)](view, settings, launch);
    }
    if (view.s.condensed) {
        solvers[taut_solver_of(TAUT_FORM_CONDENSED, &settings, &view.s)](view, settings, launch);
    }
}

/* Again where contacts slide otherwise than told. */
static void solve_while_sliding(const taut_view& view, const taut_settings& settings, taut_launch* launch) {
    taut_while rounds = {};
    while_handle(launch, &rounds);
    cuda_begin_sliding(view, rounds.handle, launch);
    while_begin(launch, &rounds);
    solve_systems(view, settings, launch);
    cuda_follow_sliding(view, rounds.handle, launch);
    while_end(launch, &rounds);
}

void cuda_solve(const taut_view& view, const taut_settings& settings, taut_launch* launch) {
    if (!taut_begins(view.phase)) {
        cuda_refresh(view, settings, launch);
    }
    (cuda_sliding_follows(view, settings) ? solve_while_sliding : solve_systems)(view, settings, launch);
    if (view.s.keeps_residuals) {
        cuda_note_residuals(view, launch);
    }
}
