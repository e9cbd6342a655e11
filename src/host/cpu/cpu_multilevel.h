/* The multilevel preconditioner of the condensed system on the CPU. */
#ifndef TAUT_CPU_CPU_MULTILEVEL_H
#define TAUT_CPU_CPU_MULTILEVEL_H

#include "host/cpu/cpu_state.h"

/* The matrix of level 0, for the assembled system: without what comes and goes, and all of it. */
void system_make_lasting(taut_backend_state* state);
void system_make(taut_backend_state* state);
/* The same when contacts have other states than when it was made. */
void system_renew(const taut_plan* plan);
/* All of it anew, where rows with bounds have left or come back. */
void system_make_again(const taut_plan* plan);
/* Inverses of its diagonal blocks, as it is. */
void system_invert_blocks(const taut_plan* plan);
/* Prolongators and inverses of all levels, and matrices of those above level 0. */
void multilevel_refresh(const taut_plan* plan);
/* Those of level 0, with prolongators and all that is coarser as they are: what Newton's method moves in a step changes
 * them little, and to make them takes as long as some twenty iterations. Of an additive cycle, which does not smooth on
 * level 0. */
void multilevel_refresh_finest(const taut_plan* plan);
/* z = B r, nodes x 4. */
void multilevel_apply(const taut_plan* plan, const float* r, float* z);

#endif
