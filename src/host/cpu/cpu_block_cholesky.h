/* Factors of sparse symmetric positive definite matrices of 6 x 6 blocks: a vertex is a body, an edge a pair that
 * touches. The pattern may change from one substep to the next: memory is taken once, and what does not fit is told. */
#ifndef TAUT_CPU_CPU_BLOCK_CHOLESKY_H
#define TAUT_CPU_CPU_BLOCK_CHOLESKY_H

#include "base/memory.h"
#include "model/backend.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BLOCK_ROWS   6
#define BLOCK_STRIDE 8 /* from one column of a block to the next: loops over it become vector instructions */
#define BLOCK_VALUES (BLOCK_ROWS * BLOCK_STRIDE)

/* A column of a block, in a register or anywhere. */
typedef float block_column __attribute__((vector_size(4 * BLOCK_STRIDE)));
typedef float loose_block_column __attribute__((vector_size(4 * BLOCK_STRIDE), aligned(4), may_alias));

typedef struct block_cholesky block_cholesky;

/* Room for so many vertices, edges (each pair once for every time that it is told) and blocks below the diagonal. */
taut_status block_cholesky_make(const taut_plan* plan, const taut_allocator* allocator, size_t vertices, size_t edges,
                                size_t blocks, block_cholesky** out);
void block_cholesky_free(block_cholesky* f);

/* Order and pattern for `vertices` and the edges pair[0..1], pair[2..3], ...; an end of UINT32_MAX is none. place gets
 * where block_cholesky_at has each edge, `products` the number of products of blocks in a factorisation. False where
 * the factors would take more room, or more than `most` products of blocks: nothing may be done with them then. */
bool block_cholesky_pattern(block_cholesky* f, size_t vertices, const uint32_t* pair, size_t edges, double most,
                            uint32_t* place, double* products);

/* Values of the matrix, column by column, all 0 after clear. The block of an edge has the rows of the vertex that is
 * eliminated later: block_cholesky_first says whether that is the second one of the pair. */
void block_cholesky_clear(block_cholesky* f);
float* block_cholesky_diagonal(block_cholesky* f, uint32_t vertex);
float* block_cholesky_at(block_cholesky* f, uint32_t place);
bool block_cholesky_first(const block_cholesky* f, uint32_t a, uint32_t b);

/* Numbers of the factors in the place of the matrix. */
void block_cholesky_factor(block_cholesky* f);
/* z = H^-1 r, BLOCK_ROWS values a vertex. */
void block_cholesky_solve(block_cholesky* f, const double* r, double* z);

#endif
