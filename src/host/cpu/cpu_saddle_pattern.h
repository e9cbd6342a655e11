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

/* Numbers are those of the factors: in the order of elimination, all of a node or a constraint in a row. The matrix is
 * stored by columns, their part on and above the diagonal; a column has, for each support that couples it with
 * something eliminated before, all values of that, and then those of its own node or constraint. */
struct saddle_solver {
    taut_allocator allocator;
    const taut_plan* plan;
    saddle_pool pool;
    size_t unknowns;
    saddle_index* node_first;    /* nodes: number of the first of three unknowns; SADDLE_NONE without constraints */
    saddle_index* member_first;  /* members: of the first of its rows and factor rows; SADDLE_NONE without any */
    saddle_index* unknown;       /* unknowns: which of the world it is; SADDLE_NONE for motions of nodes */
    saddle_index* support_place; /* supports: of its values in the columns of the one that is eliminated later */
    saddle_index *begin, *row;   /* unknowns + 1; values */
    double* value;
    size_t factor_values; /* of L without its diagonal, but for zeros that panels have */
    struct supernodes* factors;
    double* delta; /* unknowns */
    bool factored;
};

/* Everything but numbers. TAUT_OUT_OF_CAPACITY as in saddle_make. */
taut_status saddle_layout(saddle_solver* d, double most);

#endif
