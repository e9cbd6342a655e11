/* The levels of the multilevel preconditioner: THE data map of its arrays, and how they are built.
 *
 * Level 0 has the nodes of the world and the matrix H = A + J^T (W + E)^-1 J of the condensed system in 3 x 3 blocks;
 * level l + 1 has the aggregates of the nodes of level l, each with the six modes of a rigid body, and the matrix P^T A
 * P in 6 x 6 blocks. Patterns, and the place of every product, are frozen at creation; only numbers change in a step.
 *
 * A connected component with few nodes left on a level ends there: a dense block inverts it. On level 0 nodes of
 * Schur components and mapped ones have no row, rows of fixed ones are 0. The first block of a matrix row is its
 * diagonal. */
#ifndef TAUT_MODEL_HIERARCHY_H
#define TAUT_MODEL_HIERARCHY_H

#include "taut/solver.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TAUT_RIGID 6 /* modes of an aggregate */

#define TAUT_NO_PLACE UINT32_MAX

/* The condensed matrix as a sum over members (constraints, counted through all kinds), see host/compile/supports.h. */
typedef struct taut_system_sizes {
    size_t paths, path_points; /* and mapped points + 1, or 0 */
    size_t members;            /* + 1 */
    size_t supports;
    size_t terms;
    size_t pairs;
    size_t nodes; /* + 1 */
} taut_system_sizes;

/* X(type, name, count, columns), sizes s. Producer in the heading. */
#define TAUT_SYSTEM_FIELDS(X)                                                                                          \
    /* compile */                                                                                                      \
    X(uint32_t, path_begin, s->path_points, 1) /* of each mapped point into the paths */                               \
    X(uint32_t, path_entry, s->paths, 1)                                                                               \
    X(uint32_t, path_next, s->paths, 1) /* the parent's path; TAUT_NO_PATH */                                          \
    X(uint32_t, support_begin, s->members, 1)                                                                          \
    X(uint32_t, support_node, s->supports, 1)                                                                          \
    X(uint32_t, support_member, s->supports, 1)                                                                        \
    X(uint32_t, term_begin, s->supports + 1, 1)                                                                        \
    X(uint32_t, term_slot, s->terms, 1)                                                                                \
    X(uint32_t, term_path, s->terms, 1)                           /* TAUT_NO_PATH: the slot is at the node */          \
    X(uint32_t, at_begin, s->nodes, 1)                            /* of each node into at_support */                   \
    X(uint32_t, at_support, s->supports, 1)                       /* supports by node */                               \
    X(uint32_t, support_place, s->pairs > 0 ? s->supports : 0, 1) /* of each in at_support */                          \
    X(uint32_t, pair_begin, s->supports + 1, 1)                   /* of each place of at_support into the pairs */     \
    X(uint32_t, pair_block, s->pairs, 1) /* block of H for each support of the member, or for itself alone */          \
    /* refresh */                                                                                                      \
    X(double, path_value, s->paths, 9) /* motion of the mapped point by that of the node, row by row */

typedef struct taut_level_sizes {
    uint32_t nodes;
    uint32_t coarse;     /* aggregates of them; 0 on the last level */
    uint32_t width;      /* unknowns of a node: 3, or 6 */
    uint32_t stride;     /* values of a node in vectors: 4, or 6 */
    int degree;          /* of the Chebyshev smoothing before and after what is coarser */
    size_t blocks;       /* of the matrix A */
    size_t cycle_blocks; /* likewise; 0 on level 0 */
    size_t prolong;      /* blocks of P */
    size_t wide;         /* blocks of A P */
    size_t spread;       /* products in A P */
    size_t gather;       /* products in P^T (A P) */
    size_t dense;        /* dense blocks */
    size_t dense_nodes;
    size_t dense_values;
    size_t dense_scratch; /* a largest block per thread on the CPU, all of them on a device */
    size_t largest_dense; /* values */
    size_t vectors;       /* values of a vector that only levels above 0 have */
    size_t smoothing;     /* of those that smoothing needs; 0 on level 0 of the additive cycle */
    bool ends;            /* some dense blocks are whole components */
} taut_level_sizes;

/* Registers of the CPU reach one value beyond blocks of a_value, and two beyond cycle_value, p_value and z: these have
 * other arrays behind them, z those of smoothing. */
#define TAUT_LEVEL_FIELDS(X)                                                                                           \
    /* compile */                                                                                                      \
    X(uint32_t, a_begin, s->nodes + 1, 1)                                                                              \
    X(uint32_t, a_column, s->blocks, 1)                                                                                \
    X(uint32_t, aggregate, s->nodes, 1)        /* TAUT_NO_PLACE: none */                                               \
    X(uint32_t, child_begin, s->coarse + 1, 1) /* of each aggregate into child */                                      \
    X(uint32_t, child, s->nodes, 1)            /* nodes by aggregate */                                                \
    X(uint32_t, p_begin, s->nodes + 1, 1)                                                                              \
    X(uint32_t, p_column, s->prolong, 1)  /* the node's own aggregate first */                                         \
    X(uint32_t, a_to_p, s->blocks, 1)     /* block of P that the column of a block of A smooths, or none */            \
    X(uint32_t, w_begin, s->nodes + 1, 1) /* rows of A P */                                                            \
    X(uint32_t, spread_begin, s->blocks + 1, 1)                                                                        \
    X(uint32_t, spread_place, s->spread, 1) /* block of A P of each product of a block of A with P */                  \
    X(uint32_t, t_begin, s->coarse + 1, 1)  /* P^T */                                                                  \
    X(uint32_t, t_node, s->prolong, 1)                                                                                 \
    X(uint32_t, t_block, s->prolong, 1)          /* block of P */                                                      \
    X(uint32_t, gather_begin, s->prolong + 1, 1) /* of each block of P^T */                                            \
    X(uint32_t, gather_place, s->gather, 1)      /* block of the coarse matrix of each product with A P */             \
    X(uint32_t, dense_begin, s->dense + 1, 1)    /* of each dense block into dense_node */                             \
    X(uint32_t, dense_node, s->dense_nodes, 1)                                                                         \
    X(size_t, dense_value_begin, s->dense + 1, 1)                                                                      \
    X(uint8_t, in_dense, s->nodes, 1) /* 1: in a dense block; 2: which is all of its component */                      \
    /* refresh */                                                                                                      \
    X(double, centre, s->nodes, 4)                     /* above level 0: mass-weighted centre, m; mass, kg */          \
    X(double, radius, s->nodes, 1)                     /* above level 0: of inertia about the centre, m */             \
    X(double, a_value, s->blocks, s->width * s->width) /* row by row */                                                \
    X(float, cycle_value, s->cycle_blocks, TAUT_RIGID* TAUT_RIGID) /* A above level 0, for cycles; by columns */       \
    X(float, p_value, s->prolong, s->width* TAUT_RIGID)                                                                \
    X(double, w_value, s->wide, s->width* TAUT_RIGID)                                                                  \
    X(float, d_factor, s->nodes, s->width * s->width) /* F, lower triangular: F^T F = D^-1, D the diagonal block */    \
    X(float, dense_factor, s->dense_values, 1)        /* of dense blocks, likewise */                                  \
    X(double, dense_scratch, s->dense_scratch, 1)                                                                      \
    X(double, largest, 1, 1) /* the largest eigenvalue of D^-1 A, D with dense blocks */                               \
    /* apply */                                                                                                        \
    X(float, r, s->vectors, 1)                                                                                         \
    X(float, z, s->vectors, 1)                                                                                         \
    X(float, direction, s->smoothing, 1)                                                                               \
    X(float, rest, s->smoothing, 1)                                                                                    \
    X(float, product, s->smoothing, 1)

#define TAUT_DECLARE_ARRAY(type, name, count, columns) type* name;

typedef struct taut_system {
    taut_system_sizes s;
    TAUT_SYSTEM_FIELDS(TAUT_DECLARE_ARRAY)
} taut_system;

typedef struct taut_level {
    taut_level_sizes s;
    TAUT_LEVEL_FIELDS(TAUT_DECLARE_ARRAY)
} taut_level;

/* A level of so few nodes, and those above it, are short: a device leaves them to one block of threads. */
#define TAUT_SHORT_LEVEL 512

/* count 0: there is no multilevel preconditioner. The system is there for Gauss-Seidel and the direct method as well,
 * then without pairs. */
typedef struct taut_hierarchy {
    uint32_t count;
    uint32_t tail; /* the first short level above 0, or count */
    bool whole;    /* level 0 is all of H but for what comes and goes */
    taut_system system;
    taut_level level[TAUT_MAX_LEVELS];
} taut_hierarchy;

#ifdef __cplusplus
extern "C" {
#endif

/* Points the arrays into `block` behind `used` bytes and returns the bytes with them; with NULL only counts. */
size_t taut_hierarchy_pack(taut_hierarchy* hierarchy, void* block, size_t used);

#ifdef __cplusplus
}
#endif

#endif
