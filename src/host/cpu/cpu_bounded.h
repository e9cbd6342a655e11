/* Solves systems some of whose multipliers have bounds; and what it takes of the solver without. */
#ifndef TAUT_CPU_CPU_BOUNDED_H
#define TAUT_CPU_CPU_BOUNDED_H

#include "host/cpu/cpu_state.h"
#include "kernels/stages/solve.h"

void bounded_solve(taut_backend_state* state, double h, taut_phase phase);
/* Likewise, and contacts, by projected methods. */
void projected_solve(taut_backend_state* state, double h, taut_phase phase);

/* Starts gam from the last step, or from zero; about an iterate from what belongs to that. Not of what is condensed. */
void cpu_first_guess(const taut_backend_state* state, double h, taut_phase phase);
/* What the outer iterations of a step have in common, until the shift changes. */
void cpu_refresh_passes(taut_backend_state* state);
/* delta of one outer iteration, which has found this residual; returns its iterations. */
uint32_t cpu_solver_outer_iteration(taut_backend_state* state, const taut_outer_state* outer, const taut_factors* step,
                                    double residual);

#endif
