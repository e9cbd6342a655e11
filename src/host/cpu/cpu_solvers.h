/* The solvers of model/solvers.h on the CPU. Each leaves impulses in gam and dv - u of its nodes in g_f64. */
#ifndef TAUT_CPU_CPU_SOLVERS_H
#define TAUT_CPU_CPU_SOLVERS_H

#include "host/cpu/cpu_state.h"
#include "kernels/stages/solve.h"

void cpu_projected_solve(taut_backend_state* state, double h, taut_phase phase);
void cpu_bounded_solve(taut_backend_state* state, double h, taut_phase phase);
void cpu_schur_solve(taut_backend_state* state, double h, taut_phase phase);
void cpu_condensed_solve(taut_backend_state* state, double h, taut_phase phase);

/* What the solvers of the Schur complement share. */

/* Starts gam from the last step, or from zero; about an iterate from what belongs to that. Not of what is condensed. */
void cpu_first_guess(const taut_backend_state* state, double h, taut_phase phase);
/* What the outer iterations of a step have in common, until the shift changes. */
void cpu_refresh_inner(taut_backend_state* state);
/* delta of one outer iteration, which has found this residual; returns its iterations. */
uint32_t cpu_inner_solve(taut_backend_state* state, const taut_outer_state* outer, const taut_factors* step,
                         double residual);

#endif
