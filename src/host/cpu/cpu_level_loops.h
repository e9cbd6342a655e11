/* What a cycle does on a level of the multilevel preconditioner beside smoothing, in vector registers. */
#ifndef TAUT_CPU_CPU_LEVEL_LOOPS_H
#define TAUT_CPU_CPU_LEVEL_LOOPS_H

#include "model/backend.h"

/* Nodes: a node's work is a few hundred operations. */
#define LEVEL_PARALLEL_FROM 32

/* out = A x above level 0. */
void level_multiply(const taut_plan* plan, const taut_level* level, const float* x, float* out);
/* The coarse level's r = P^T r. */
void level_restrict_to(const taut_plan* plan, const taut_level* fine, const float* r, const taut_level* coarse);
/* z += P z of the coarse level. */
void level_prolong_from(const taut_plan* plan, const taut_level* fine, const taut_level* coarse, float* z);

#endif
