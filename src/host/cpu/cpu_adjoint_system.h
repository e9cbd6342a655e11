/* The inside of the adjoint: a sparse matrix whose pattern is symmetric, and the solution of systems with it. */
#ifndef TAUT_CPU_CPU_ADJOINT_SYSTEM_H
#define TAUT_CPU_CPU_ADJOINT_SYSTEM_H

#include "host/cpu/cpu_adjoint.h"
#include "host/cpu/cpu_supernodes.h"

/* Coordinates of the nodes and rows of one constraint, at most. */
#define ADJOINT_MOST 18
/* Vectors of GMRES until it starts again. */
#define ADJOINT_RESTART 30

/* Unknowns are the coordinates of all nodes, then the rows of given constraints. The matrix is stored in the order of
 * elimination, by columns on and above the diagonal; `upper` has the values there, `lower` those of the transposed
 * places. */
typedef struct adjoint_system {
    saddle_pool pool;
    size_t nodes, unknowns;
    saddle_index* number; /* of each unknown in the order of elimination */
    saddle_index *begin, *row;
    double *upper, *lower, *middle; /* `middle`: the symmetric part, with the shift of its rows, which is factored */
    supernodes factors;
    size_t* place;           /* of each value in those of the factors */
    double* scale;           /* rows: J M^-1 J^T on the diagonal */
    double *side, *solution; /* unknowns, in the order of elimination */
    double *basis, *residual, *product;
} adjoint_system;

/* Unknowns of constraint c of kind k, its nodes' first; not of linear rows. */
size_t adjoint_unknowns(const taut_plan* plan, int k, size_t c, saddle_index out[ADJOINT_MOST]);
/* Kinds that take part, with a fixed number of nodes. */
bool adjoint_takes(const taut_plan* plan, int k);

/* Pattern, order and memory; with room for the contacts of a step, or none (NULL). */
taut_status adjoint_open(const taut_plan* plan, const taut_step_record* record, const taut_allocator* allocator,
                         adjoint_system* s);
void adjoint_close(adjoint_system* s);
/* Whether the contacts of a step have their places in the matrix. */
bool adjoint_has_room(const adjoint_system* s, const taut_step_record* record);
/* The first value of column b whose row is a or more, a <= b. */
saddle_index adjoint_find(const adjoint_system* s, saddle_index a, saddle_index b);
void adjoint_clear(adjoint_system* s);
/* matrix(row, column) += value, by unknowns. */
void adjoint_add(adjoint_system* s, size_t row, size_t column, double value);
/* The value on it. */
double adjoint_diagonal(const adjoint_system* s, size_t unknown);
/* Rows and columns of unknowns that are `held`, in the order of elimination, become those of the unit matrix. */
void adjoint_hold(adjoint_system* s, const bool* held);
/* With the `scale` of rows. */
bool adjoint_factor(adjoint_system* s);
/* solution = matrix^-1 side; false where no accurate one was found. */
bool adjoint_solve(adjoint_system* s);

#endif
