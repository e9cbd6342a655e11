/* The first guess of heaps in scenes in which other things are held together. */
#ifndef TAUT_CPU_CPU_HEAPS_H
#define TAUT_CPU_CPU_HEAPS_H

#include "host/cpu/cpu_contact_pairs.h"
#include "host/cpu/cpu_state.h"

/* Leaves *out NULL where the plan has too few loose bodies, or nothing else. */
taut_status heaps_make(const taut_plan* plan, const taut_allocator* allocator, contact_pairs** out);

/* Sweeps over the contacts of loose bodies from what gam and w = dv - u are, a node vector; leaves both. */
void heaps_guess(const taut_backend_state* state, const taut_factors* step, double* w);

#endif
