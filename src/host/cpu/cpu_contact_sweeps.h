/* Sweeps of Gauss-Seidel over contacts and given constraints (kernels/stages/contact/contact_sweep.h). */
#ifndef TAUT_CPU_CPU_CONTACT_SWEEPS_H
#define TAUT_CPU_CPU_CONTACT_SWEEPS_H

#include "host/cpu/cpu_state.h"

/* Colours of the contacts of this substep, and blocks for the assembled system. */
void contact_sweeps_prepare(const taut_plan* plan);
/* An outer iteration begins, with g_f64 that of gam; uses `wide`. */
void contact_sweeps_open(const taut_plan* plan);
/* One sweep over gam and g_f64: given constraints, then contacts. */
void contact_sweeps_once(const taut_plan* plan, const taut_factors* step);

#endif
