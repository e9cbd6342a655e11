/* Ways to solve a step, as asked for, and their names. */
#ifndef CONVERGENCE_SOLVERS_H
#define CONVERGENCE_SOLVERS_H

#include <taut/taut.h>

typedef struct solver_way {
    taut_method method;
    taut_preconditioner preconditioner;
    taut_cycle cycle; /* of multilevel */
} solver_way;

const char* method_name(taut_method method);
const char* cycle_name(taut_cycle cycle);

/* Not Gauss-Seidel and the direct method. */
bool takes_preconditioner(taut_method method);
/* Block and Chebyshev belong to Schur, multilevel to condensed. */
bool solver_makes_sense(taut_method method, taut_preconditioner preconditioner);

/* The library's defaults with this way in them. */
taut_solver solver_of(const solver_way* way);

#endif
