/* The inside of the direct method: its arrays, and how they are laid out at creation. */
#ifndef TAUT_CPU_CPU_SADDLE_PATTERN_H
#define TAUT_CPU_CPU_SADDLE_PATTERN_H

#include "base/memory.h"
#include "host/cpu/cpu_saddle.h"
#include "host/cpu/cpu_tree_parts.h"

#include <ldl.h>

/* Of SuiteSparse: 64 bits wherever pointers have them. */
typedef SuiteSparse_long saddle_index;

#define SADDLE_NONE (-1)

enum { SADDLE_ARRAYS = 48 };

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

/* A constraint with its rows and factor rows, and where it has its values. */
typedef struct saddle_member {
    uint32_t member, rows, coupled; /* `coupled`: rows that Wt couples, those but factor rows */
    uint32_t slots;                 /* supports of one that is eliminated, in the order of elimination: */
    uint32_t support[SADDLE_MOST_NODES];
    uint32_t first[SADDLE_MOST_NODES]; /* number of the node's first unknown */
    size_t unknown;                    /* into `unknown`, `part` and `side` */
    size_t row, weight, pair;          /* into row_value, weight_value and pair_block */
} saddle_member;

/* The factors are of what is left when most constraints are eliminated: motions of nodes, and the rows of the others.
 * Numbers are those of the factors: in the order of elimination, all of a node or a constraint in a row.
 *
 * Members that are eliminated come first. They have L D L^T = Wt + E, and L^-1 K row by row, each with four values per
 * slot. Of those of part i of the tree list 2 i has what is all within it, and list 2 i + 1 what has nodes above it,
 * too; the list behind them has what is all above. */
#define SADDLE_LISTS (2 * TREE_PARTS + 2)

/* Rows in reserved places (saddle_added.c). */
typedef struct saddle_added {
    size_t count;
    uint32_t* row;       /* unknowns of the world */
    double *column, *z;  /* per row, unknowns of the world: S_ga with S_aa, and Z */
    double* factor;      /* L, count x count */
    double *unit, *kept; /* unknowns of the world: 0, and what `wide` has meanwhile */
    double* motion;      /* nodes x 4 */
} saddle_added;

struct saddle_solver {
    taut_allocator allocator;
    const taut_plan* plan;
    saddle_pool pool;
    size_t unknowns;
    saddle_index* node_first;    /* nodes: number of the first of three unknowns; SADDLE_NONE without constraints */
    saddle_index* kept_first;    /* members: of the first of its rows and factor rows; SADDLE_NONE if eliminated */
    saddle_block* node_block;    /* nodes: its own */
    saddle_block* kept_block;    /* members: its own, of those that are kept */
    saddle_block* support_block; /* supports of those: member and node */
    saddle_member* members;
    size_t member_count, eliminated; /* of them */
    size_t list_begin[SADDLE_LISTS + 1];
    uint32_t* unknown;        /* of the world, member by member */
    double *part, *side;      /* likewise: 1/D, and L^-1 of the right-hand side */
    saddle_block* pair_block; /* slots i and j <= i */
    double* row_value;        /* L^-1 K */
    double* weight_value;     /* L, packed */
    struct supernodes* factors;
    double* motion; /* unknowns, with room for a register */
    double* delta;  /* unknowns of the world */
    saddle_added added;
    bool factored;
};

/* What the eliminated constraints add to the matrix. */
void saddle_add_members(const struct saddle_solver* d);
/* What they add to the right-hand side in `motion`, and delta of their rows from the motion. */
void saddle_reduce_members(const struct saddle_solver* d);
void saddle_expand_members(const struct saddle_solver* d);
/* delta of all but added constraints, for the residual in `wide`. */
void saddle_solve_given(saddle_solver* d);
/* Added constraints: memory, the factor of their complement, and their part of a solution. */
taut_status saddle_added_make(saddle_solver* d);
void saddle_added_factor(saddle_solver* d);
void saddle_added_solve(const saddle_solver* d);
/* E of an unknown of the world, and its residual in `wide`; 0 where it is not solved for. */
double saddle_shift(const taut_plan* plan, size_t unknown);
double saddle_residual(const taut_plan* plan, size_t unknown);

/* Everything but numbers. TAUT_OUT_OF_CAPACITY as in saddle_make. */
taut_status saddle_layout(saddle_solver* d, double most);

#endif
