/* What one application of the multilevel preconditioner reads, from the sizes of its levels. */
#ifndef BENCH_LEVELS_COST_H
#define BENCH_LEVELS_COST_H

#include "model/hierarchy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Floats of matrices: P and P^T, lower triangles of D^-1, products with the matrices; level 0, which has none, counts
 * as if it were assembled. */
double levels_floats(const taut_hierarchy* h, taut_cycle cycle);

/* Floats of H, assembled. */
double levels_system_floats(const taut_hierarchy* h);

/* Bytes of the additive cycle on CUDA:
 *     P, P^T     their floats and 12 a block for columns, rows and places;  r of both levels, z of the coarse one, and
 *                above level 0 z of the fine one read and written
 *     D^-1       its floats and 4 a node of dense blocks;  level 0: r and z;  above: the residual, direction and z
 * read, direction and z written products   their floats and 4 a block, 4 a row;  what is multiplied, the residual read
 * and written */
double levels_additive_bytes(const taut_hierarchy* h);

#ifdef __cplusplus
}
#endif

#endif
