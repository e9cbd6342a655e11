/* Factors of sparse symmetric positive definite matrices of 3 x 3 blocks in float64: a vertex is a node. The pattern
 * may change from one substep to the next: memory is taken once, and what does not fit is told. */
#ifndef TAUT_CPU_CPU_NODE_CHOLESKY_H
#define TAUT_CPU_CPU_NODE_CHOLESKY_H

#include "base/memory.h"
#include "host/cpu/cpu_block_order.h"
#include "model/backend.h"

#define NODE_STRIDE 4 /* from one column of a block to the next: a column is a vector of the compiler */
#define NODE_VALUES (3 * NODE_STRIDE)

typedef struct node_cholesky {
    const taut_plan* plan; /* its threads */
    block_order order;
    double *diagonal, *below; /* blocks by columns; those on the diagonal become inverses of factors */
    double* work;
    void* memory;
    size_t bytes, most_vertices, most_edges;
} node_cholesky;

/* Room for so many vertices, edges (each pair once for every time that it is told) and blocks below the diagonal. */
taut_status node_cholesky_make(const taut_plan* plan, const taut_allocator* allocator, size_t vertices, size_t edges,
                               size_t blocks, node_cholesky* out);
void node_cholesky_free(const taut_allocator* allocator, node_cholesky* f);

/* Order and pattern for `vertices` and the edges pair[0..1], pair[2..3], ... False where the factors would take more
 * room, or more than `most` products of blocks: nothing may be done with them then. */
bool node_cholesky_pattern(node_cholesky* f, size_t vertices, const uint32_t* pair, size_t edges, double most);
/* The pattern of other edges in the order that there is. */
bool node_cholesky_fill(node_cholesky* f, const uint32_t* pair, size_t edges, double most);
/* Whether there is a place for the pair of a and b, which may be BLOCK_NONE. */
bool node_cholesky_has(const node_cholesky* f, uint32_t a, uint32_t b);

/* Values of the matrix, all 0 after clear: adds a block of rows of vertex a and columns of vertex b, row by row. Of
 * two different vertices that are an edge one of both blocks is told, in either way. */
void node_cholesky_clear(node_cholesky* f);
void node_cholesky_add(const node_cholesky* f, uint32_t a, uint32_t b, const double block[9]);

/* Numbers of the factors in the place of the matrix. */
void node_cholesky_factor(node_cholesky* f);
/* z = H^-1 r, three values a vertex. */
void node_cholesky_solve(node_cholesky* f, const double* r, double* z);

#endif
