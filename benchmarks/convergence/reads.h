/* What an iteration of the condensed method reads of matrices: a measure of work that no machine has a part in. */
#ifndef CONVERGENCE_READS_H
#define CONVERGENCE_READS_H

#include <taut/taut.h>

/* Floats of H, counted as assembled, and of the multilevel preconditioner's matrices, by the floats of H; NaN without that
 * preconditioner. The solver itself reads no H: its products come from the constraints. */
double reads_per_iteration(const taut_world* world);

#endif
