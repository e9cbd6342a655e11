/* Sparse factors L D L^T in float64 by supernodes: columns of L with the same rows stand together as a dense panel, and
 * take from earlier panels by dense products (compare Chen, Davis, Hager, Rajamanickam 2008: CHOLMOD). Without a choice
 * of pivots, for quasi-definite matrices. Pattern and memory are fixed at creation. */
#ifndef TAUT_CPU_CPU_SUPERNODES_H
#define TAUT_CPU_CPU_SUPERNODES_H

#include "host/cpu/cpu_saddle_pattern.h"
#include "host/cpu/cpu_tree_parts.h"

#include <stdatomic.h>

/* Columns that one panel gives another at once. */
#define SUPERNODE_STRIP 48

/* What a thread has of its own. */
typedef struct supernode_hand {
    uint32_t* place;   /* unknowns: of a row in the panel at hand */
    uint32_t* given;   /* rows: places of those of another panel */
    double* scaled;    /* SUPERNODE_STRIP x the widest panel */
    double* solution;  /* rows of the panel at hand */
    double* elsewhere; /* unknowns: what a part of the tree gives to those above it; 0 between parts */
} supernode_hand;

typedef struct supernodes {
    const taut_plan* plan; /* its threads */
    size_t unknowns, count;
    uint32_t* first;   /* count + 1: first column of each */
    uint32_t* of;      /* unknowns: whose column it is */
    size_t* row_begin; /* count + 1: of each into row */
    uint32_t* row;     /* below its columns, ascending */
    size_t* panel;     /* count: of each into value, its columns one after the other, each with all rows of it */
    size_t values, factor_values;       /* of all panels; of L without its diagonal and the zeros that panels have */
    double* value;                      /* L: 1 on the diagonal stands for the pivot, what is above it means nothing */
    double* pivot;                      /* unknowns: D */
    tree_parts parts;                   /* of panels */
    size_t above_begin[TREE_PARTS + 1]; /* of each into above */
    uint32_t* above;                    /* rows of its panels that are above it, ascending */
    double* passed;                     /* scratch, likewise: what it gives to them */
    uint32_t *head, *next, *at;         /* scratch, count: who gives to a panel next, from which of its rows on */
    uint32_t* straight;                 /* rows: 0, 1, 2 and so on */
    supernode_hand* hand;
    size_t hands;
} supernodes;

static inline size_t supernode_width(const supernodes* s, size_t p) {
    return s->first[p + 1] - s->first[p];
}

/* Rows below its columns. */
static inline size_t supernode_rows(const supernodes* s, size_t p) {
    return s->row_begin[p + 1] - s->row_begin[p];
}

/* The next one of what threads share, for whoever is free. */
static inline size_t supernode_ticket(atomic_size_t* next) {
    return atomic_fetch_add_explicit(next, 1, memory_order_relaxed);
}

/* A place of the matrix in `value`: those of the next rows follow, those of the next column are a stride behind. */
typedef struct supernode_place {
    size_t first, stride;
} supernode_place;

/* Of a matrix by columns on and above the diagonal. TAUT_OUT_OF_CAPACITY where a factorisation takes more than `most`
 * products. All memory is the pool's. Of the plan the threads are used. */
taut_status supernodes_make(const taut_plan* plan, saddle_pool* pool, size_t unknowns, const saddle_index* begin,
                            const saddle_index* row, double most, supernodes* out);
/* Where the value of a row at or below the diagonal is; it must be in the pattern. */
supernode_place supernodes_place(const supernodes* s, size_t row, size_t column);
/* Sets the matrix to 0, to which the caller adds. */
void supernodes_clear(const supernodes* s);
/* Puts the factors in the place of the matrix. False where a pivot is 0. */
bool supernodes_factor(const supernodes* s);
/* x = (L D L^T)^-1 x */
void supernodes_solve(const supernodes* s, double* x);

#endif
