/* Sparse factors L D L^T in float64 by supernodes: columns of L with the same rows stand together as a dense panel, and
 * take from earlier panels by dense products (compare Chen, Davis, Hager, Rajamanickam 2008: CHOLMOD). Without a choice
 * of pivots, for quasi-definite matrices. Pattern and memory are fixed at creation. */
#ifndef TAUT_CPU_CPU_SUPERNODES_H
#define TAUT_CPU_CPU_SUPERNODES_H

#include "host/cpu/cpu_saddle_pattern.h"

typedef struct supernodes {
    size_t unknowns, count;
    uint32_t* first;   /* count + 1: first column of each */
    uint32_t* of;      /* unknowns: whose column it is */
    size_t* row_begin; /* count + 1: of each into row */
    uint32_t* row;     /* below its columns, ascending */
    size_t* panel;     /* count: of each into value, its columns one after the other, each with all rows of it */
    size_t values, factor_values; /* of all panels; of L without its diagonal and the zeros that panels have */
    double* value;                /* L: 1 on the diagonal stands for the pivot, what is above it means nothing */
    double* pivot;                /* unknowns: D */
    uint32_t* place;              /* scratch, unknowns: of a row in the panel at hand */
    uint32_t *head, *next, *at;   /* scratch, count: who gives to a panel next, from which of its rows on */
    uint32_t *given, *straight;   /* scratch, rows: where they are in the panel at hand; 0, 1, 2 and so on */
    double *scaled, *solution;    /* scratch */
} supernodes;

static inline size_t supernode_width(const supernodes* s, size_t p) {
    return s->first[p + 1] - s->first[p];
}

/* Rows below its columns. */
static inline size_t supernode_rows(const supernodes* s, size_t p) {
    return s->row_begin[p + 1] - s->row_begin[p];
}

/* A place of the matrix in `value`: those of the next rows follow, those of the next column are a stride behind. */
typedef struct supernode_place {
    size_t first, stride;
} supernode_place;

/* Of a matrix by columns on and above the diagonal. TAUT_OUT_OF_CAPACITY where a factorisation takes more than `most`
 * products. All memory is the pool's. */
taut_status supernodes_make(saddle_pool* pool, size_t unknowns, const saddle_index* begin, const saddle_index* row,
                            double most, supernodes* out);
/* Where the value of a row at or below the diagonal is; it must be in the pattern. */
supernode_place supernodes_place(const supernodes* s, size_t row, size_t column);
/* Sets the matrix to 0, to which the caller adds. */
void supernodes_clear(const supernodes* s);
/* Puts the factors in the place of the matrix. False where a pivot is 0. */
bool supernodes_factor(const supernodes* s);
/* x = (L D L^T)^-1 x */
void supernodes_solve(const supernodes* s, double* x);

#endif
