/* Gauss-Seidel in the place of conjugate gradients (kernels/stages/gauss_seidel.h). */
#ifndef TAUT_CPU_CPU_GAUSS_SEIDEL_H
#define TAUT_CPU_CPU_GAUSS_SEIDEL_H

#include "model/backend.h"
#include "model/factors.h"

/* Numbers of the constraints for the assembled system with its present shift. */
void gauss_seidel_refresh(const taut_plan* plan);
/* z from r by a sweep there and back, which is symmetric; returns r.z. For systems without bounds. */
double gauss_seidel_apply(const taut_plan* plan);
/* Of systems with bounds: delta from r, to |r| <= goal or `limit` sweeps, which it returns. */
uint32_t gauss_seidel_outer_iteration(const taut_plan* plan, const taut_factors* step, double goal, uint32_t limit);

#endif
