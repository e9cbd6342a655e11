/* The condensed system H dv = b of a prepared state in float64, and by how much a velocity change misses it. It knows
 * nothing of the norm in which the solver measures. */
#ifndef CONVERGENCE_BALANCE_H
#define CONVERGENCE_BALANCE_H

#include "measured_state.h"

#include <stdbool.h>

/* Blocks of 3 x 3 by rows of nodes, and b; `node` is the row of each particle. All NULL: there is no H. */
typedef struct balance {
    size_t nodes;
    uint32_t* begin;
    uint32_t* column;
    double* block;
    double* side; /* nodes x 3 */
    size_t* node;
} balance;

/* From a world on the CPU with the multilevel preconditioner, additive, that has just made a step from `state`. Hard
 * rows have no H, and frames are none of `state`. */
balance balance_make(taut_world* world, const saved_state* state);
void balance_free(balance* b);
bool balance_exists(const balance* b);

/* |b - H dv|_2 / |b|_2, with dv the world's velocities less those of the state. */
double balance_residual(const balance* b, const saved_state* state, taut_world* world);

#endif
