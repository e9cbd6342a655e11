/* Heaps: loose bodies that touch nothing but each other and what does not move, in a scene in which other things are
 * held together. They are solved beside the condensed system, as where there is nothing else. */
#ifndef TAUT_CPU_CPU_HEAPS_H
#define TAUT_CPU_CPU_HEAPS_H

#include "host/cpu/cpu_contact_pairs.h"
#include "host/cpu/cpu_state.h"

/* Leaves *out NULL where the plan has too few loose bodies, or nothing else. */
taut_status heaps_make(const taut_plan* plan, const taut_allocator* allocator, contact_pairs** out);

/* Takes heaps out of the condensed system, by the contacts that there are. */
void heaps_choose(taut_backend_state* state);
/* One system for all, for those who ask for its matrices. */
void heaps_put_back(taut_backend_state* state);
/* Leaves impulses in gam and dv - u of their nodes in g_f64, as solvers do. After the condensed system, whose first
 * guess has theirs. */
void heaps_solve(taut_backend_state* state, double h, taut_phase phase);

/* Of heaps that something else touches, the first guess of the condensed system: sweeps from what gam and w = dv - u
 * are, a node vector; leaves both. */
void heaps_guess(const taut_backend_state* state, const taut_factors* step, double* w);
/* Whether any is apart in this substep. */
bool heaps_apart(const taut_backend_state* state);
/* Of a substep that has been solved: whether node n is in one. */
bool heaps_have(const taut_backend_state* state, size_t n);

#endif
