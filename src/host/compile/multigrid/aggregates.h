/* Aggregates of the nodes of a weighted graph: the coarsening of the multilevel preconditioner. */
#ifndef TAUT_MULTIGRID_AGGREGATES_H
#define TAUT_MULTIGRID_AGGREGATES_H

#include "base/memory.h"

/* Neighbours of node i: column[begin[i] .. begin[i + 1]), without i itself; each edge comes from both its ends. */
typedef struct weighted_graph {
    uint32_t nodes;
    uint32_t* begin; /* nodes + 1 */
    uint32_t* column;
    double* weight; /* > 0: strength of the coupling */
} weighted_graph;

#define TAUT_NO_AGGREGATE UINT32_MAX

/* Connected aggregates of about `target` nodes with take[i] != 0, numbered in the order in which they are grown: from
 * the oldest node next to an earlier one, always adding the neighbour with the largest sum of weights. Aggregates of a
 * third of the size or less then join a neighbour, up to 1.5 times the size, or where all are full each other.
 * aggregate: nodes; TAUT_NO_AGGREGATE where not taken. */
taut_status aggregates_grow(const weighted_graph* graph, const uint8_t* take, uint32_t target,
                            const taut_allocator* allocator, uint32_t* aggregate, uint32_t* count);

#endif
