/* The reference: one full step in float64 with a sparse direct solver, and the terms of a single constraint by
 * automatic differentiation. It shares no code with the library. */
#ifndef TAUT_TEST_ORACLE_H
#define TAUT_TEST_ORACLE_H

#include "oracle_scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct oracle_step_def {
    double h, alpha, beta;
    bool geometric;
    double hard_row_damping;
    double gravity[3];
    const double* multipliers; /* lam in the geometric stiffness, one per row; NULL: zero */
    bool minimum_norm;         /* for redundant hard rows: dense, gam of least norm */
} oracle_step_def;

/* n = 3 x particles, m = rows. */
typedef struct oracle_result {
    size_t n, m;
    double* dv;    /* n */
    double* x;     /* n, at the end */
    double* v;     /* n, at the end */
    double* gam;   /* m */
    double* b;     /* m */
    double* phi;   /* m, at the start */
    double* scale; /* m: sqrt of the diagonal of J P M^-1 P J^T + C/(h l), which gives gam_r scale_r one unit */
    double kinetic, potential; /* at the end, of the free particles */
} oracle_result;

/* false where the linear solver failed. */
bool oracle_step(const oracle_scene* scene, const oracle_step_def* def, oracle_result* result);
void oracle_result_free(oracle_result* result);

/* |b - S gam| / (|b| + |gam|) with the reference's b and S, where b is divided and gam multiplied by `scale`: the
 * relative change of the system that would make gam its solution, whatever its condition. */
double oracle_backward_error(const oracle_scene* scene, const oracle_step_def* def, const double* gam);

/* Condition of S scaled to a unit diagonal, its null space (eigenvalues below 1e-10) set aside. Dense: for a few
 * hundred rows. */
double oracle_condition(const oracle_scene* scene, const oracle_step_def* def);

/* What a residual of the velocities, 1 in energy relative to that of the free motion and of dv together, may add to the
 * backward error of multipliers that follow from dv: r0 leaves J A^-1 r0 of the rows, whose norm is at most
 * sqrt(s r0.H^-1 r0), s the largest eigenvalue of W^-1 J A^+ J^T over the rows that are not hard. Dense, likewise. */
double oracle_backward_part(const oracle_scene* scene, const oracle_step_def* def, const double* gam, const double* dv);

/* Dense matrices of the step, row by row: A is P A P (n x n), J (m x n), W = C/(h l) (m x m), G(lam) exact (n x n). */
typedef struct oracle_matrices {
    size_t n, m;
    double *A, *J, *W, *G;
} oracle_matrices;

void oracle_assemble(const oracle_scene* scene, const oracle_step_def* def, oracle_matrices* matrices);
void oracle_matrices_free(oracle_matrices* matrices);

/* phi of every row at the current positions. */
void oracle_phi(const oracle_scene* scene, double* phi);

enum { ORACLE_DOFS = 12, ORACLE_ROWS = 6 };

/* One constraint of any kind but linear at nodes x (nodes x 3). J is rows x 12, hessian = sum_r lam_r d2 phi_r and
 * gamma, the stabilising part of its negative, are 12 x 12; unused entries are 0. */
typedef struct oracle_terms {
    double phi[ORACLE_ROWS];
    double J[ORACLE_ROWS * ORACLE_DOFS];
    double hessian[ORACLE_DOFS * ORACLE_DOFS];
    double gamma[ORACLE_DOFS * ORACLE_DOFS];
} oracle_terms;

void oracle_constraint_terms(const oracle_constraint* constraint, const double* x, const double* lam,
                             oracle_terms* terms);

#ifdef __cplusplus
}
#endif

#endif
