/* The multilevel preconditioner of the condensed system on the CPU. */
#ifndef TAUT_CPU_CPU_MULTILEVEL_H
#define TAUT_CPU_CPU_MULTILEVEL_H

#include "host/cpu/cpu_state.h"

/* Matrices, prolongators and inverses of all levels, for the assembled system. */
void multilevel_refresh(const taut_plan* plan);
/* The matrix of level 0 alone. */
void multilevel_refresh_matrix(const taut_plan* plan);
/* z = B r, nodes x 4. */
void multilevel_apply(const taut_plan* plan, const float* r, float* z);

#endif
