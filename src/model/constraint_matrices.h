/* The matrices of one constraint, in float64 from its formula. */
#ifndef TAUT_MODEL_CONSTRAINT_MATRICES_H
#define TAUT_MODEL_CONSTRAINT_MATRICES_H

#include "model/kind_sizes.h"

typedef struct constraint_matrices {
    double jacobian[6][18];   /* rows x coordinates of the nodes */
    double curvature[18][18]; /* G: coordinates x coordinates */
} constraint_matrices;

/* f += what a force element with this load presses on the node in `slot`. */
void element_add_force(taut_kind kind, const double* load, int slot, double f[3]);
/* df/dx of a force element at x and v of its nodes: coordinates x coordinates. */
void element_tangent(taut_kind kind, const double* x, const double* v, const double* rest, double out[12][12]);
/* df/dv likewise; 0 of those whose forces do not depend on velocities. */
void element_viscosity(taut_kind kind, const double* x, const double* v, const double* rest, double out[12][12]);

/* R^T R of the factor that stands in A for the geometric stiffness of a constraint. */
void constraint_gamma(taut_kind kind, const double* x, const double* rest, const float* stiffness, double out[18][18]);

/* At x of the nodes, as many values each as evaluate reads, for multipliers lam of the rows. Not for linear rows. */
void constraint_rows(taut_kind kind, const double* x, const double* rest, const double* lam, constraint_matrices* out);

#endif
