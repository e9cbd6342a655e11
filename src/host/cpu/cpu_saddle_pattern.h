/* The inside of the direct method: its arrays, and how they are laid out at creation. */
#ifndef TAUT_CPU_CPU_SADDLE_PATTERN_H
#define TAUT_CPU_CPU_SADDLE_PATTERN_H

#include "base/memory.h"
#include "host/cpu/cpu_saddle.h"

#include <ldl.h>

/* Of SuiteSparse: 64 bits wherever pointers have them. */
typedef SuiteSparse_long saddle_index;

#define SADDLE_NONE (-1)

enum { SADDLE_ARRAYS = 40 };

/* Arrays that are given back together. */
typedef struct saddle_pool {
    const taut_allocator* allocator;
    size_t count;
    void* memory[SADDLE_ARRAYS];
    size_t bytes[SADDLE_ARRAYS];
} saddle_pool;

/* Zeroed; NULL and a fault where it is too large for memory. Never NULL for a count of 0. */
void* saddle_take(saddle_pool* pool, size_t count, size_t element);
void saddle_release(saddle_pool* pool);

/* Constraints on more nodes keep their rows in the matrix (is_kept in saddle_pattern.c). */
#define SADDLE_MOST_NODES 4

/* Where a block of the matrix is in the factors' values: rows are unknowns of the one of two vertices that is
 * eliminated later. */
typedef struct saddle_block {
    size_t first, stride;
    bool swapped; /* the second of the two that are asked for is the later one */
} saddle_block;

/* The factors are of what is left when most constraints are eliminated: motions of nodes, and the rows of the others.
 * Numbers are those of the factors: in the order of elimination, all of a node or a constraint in
 * a row.
 *
 * `member_unknown` lists the unknowns of the world that belong to each member, its rows and factor rows. One that is
 * eliminated has L D L^T = Wt + E, and L^-1 K row by row, each with four values per support. */
struct saddle_solver {
    taut_allocator allocator;
    const taut_plan* plan;
    saddle_pool pool;
    size_t unknowns;
    saddle_index* node_first;    /* nodes: number of the first of three unknowns; SADDLE_NONE without constraints */
    saddle_index* member_first;  /* members: of the first of its rows and factor rows; SADDLE_NONE if eliminated */
    uint32_t* member_begin;      /* members + 1, into member_unknown */
    uint32_t* member_unknown;    /* of the world */
    uint32_t* member_coupled;    /* members: rows that Wt couples */
    saddle_block* node_block;    /* nodes: its own */
    saddle_block* member_block;  /* members: its own, of those that are kept */
    saddle_block* support_block; /* supports of those: member and node */
    size_t* pair_begin;          /* members + 1 */
    saddle_block* pair_block;    /* of those that are eliminated: supports i and j <= i */
    size_t* row_begin;           /* members + 1, into row_value: */
    double* row_value;           /* L^-1 K */
    size_t* weight_begin;        /* members + 1, into weight_value: */
    double *weight_value, *part; /* L, packed; 1/D, as member_unknown */
    double* side;                /* as member_unknown: L^-1 of the right-hand side */
    struct supernodes* factors;
    double* motion; /* unknowns, with room for a register */
    double* delta;  /* unknowns of the world */
    bool factored;
};

static inline bool saddle_eliminates(const struct saddle_solver* d, size_t member) {
    return d->member_first[member] == SADDLE_NONE;
}

/* What the eliminated constraints add to the matrix. */
void saddle_add_members(const struct saddle_solver* d);
/* What they add to the right-hand side in `motion`, and delta of their rows from the motion. */
void saddle_reduce_members(const struct saddle_solver* d);
void saddle_expand_members(const struct saddle_solver* d);
/* E of an unknown of the world, and its residual in `wide`; 0 where it is not solved for. */
double saddle_shift(const taut_plan* plan, size_t unknown);
double saddle_residual(const taut_plan* plan, size_t unknown);

/* Everything but numbers. TAUT_OUT_OF_CAPACITY as in saddle_make. */
taut_status saddle_layout(saddle_solver* d, double most);

#endif
