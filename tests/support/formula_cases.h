/* Random single constraints for the formula tests. */
#ifndef TAUT_TEST_FORMULA_CASES_H
#define TAUT_TEST_FORMULA_CASES_H

#include "dense_matrix.h"
#include "formula_table.h"
#include "oracle.h"

typedef struct formula_case {
    const formula* f;
    int dofs;
    double x[FORMULA_MAX];
    double rest[FORMULA_MAX];
    double lam[FORMULA_MAX];
    oracle_constraint oracle; /* the same constraint for the reference */
} formula_case;

/* Shapes of size 1 whose heights and volumes stay away from 0, any rest shape, multipliers of either sign. */
formula_case formula_case_random(const formula* f, random_state* state);

/* Fills g_1, g_2 (and g_3) of a membrane or tetrahedron from its rest shape; `rest_shape` as in oracle_constraint. */
void formula_rest_gradients(taut_kind kind, const double* rest_shape, double* g);

/* Dense matrices at the case, dofs x dofs, row by row: R^T R and G. */
void formula_gamma(const formula_case* c, double* gamma);
void formula_hessian(const formula_case* c, double* hessian);

/* The largest that an entry of either can be for lam of size 1 at shapes of size 1, to make tolerances relative. */
double formula_scale(const formula_case* c);

#endif
