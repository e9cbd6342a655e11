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
    double* value;     /* L: 1 on the diagonal stands for the pivot, what is above it means nothing */
    double* pivot;     /* unknowns: D */
    size_t* low_begin; /* unknowns + 1: the matrix by columns, on and below the diagonal: */
    uint32_t* low_row; /* rows, */
    size_t* low_place; /* and where the caller has the value */
    uint32_t* place;   /* scratch, unknowns: of a row in the panel at hand */
    uint32_t *head, *next, *at;          /* scratch, count: who gives to a panel next, from which of its rows on */
    uint32_t* given;                     /* scratch, rows: where they are in the panel at hand */
    double *product, *scaled, *solution; /* scratch */
} supernodes;

/* Of a matrix by columns on and above the diagonal, with its elimination tree and the values of the columns of L below
 * the diagonal (ldl_l_symbolic). All memory is the pool's. */
taut_status supernodes_make(saddle_pool* pool, size_t unknowns, const saddle_index* begin, const saddle_index* row,
                            const saddle_index* parent, const saddle_index* below, supernodes* out);
/* False where a pivot is 0. */
bool supernodes_factor(const supernodes* s, const double* value);
/* x = (L D L^T)^-1 x */
void supernodes_solve(const supernodes* s, double* x);

#endif
