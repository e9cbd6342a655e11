/* The problem that all compared solvers solve: one step of implicit Euler of springs,
 *
 *     x' = argmin  1/(2 h^2) (x' - y)^T M (x' - y) + sum_s (|d_s| - L_s)^2 / (2 c_s),   y = x + h v + h^2 g,
 *
 * and v' = (x' - x) / h. Fixed particles stay. */
#ifndef COMPARE_PROBLEM_H
#define COMPARE_PROBLEM_H

#include "convergence/springs.h"
#include "sparse.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct step_problem {
    const springs* model; /* compliances above 0 */
    double h;             /* s */
    double gravity;       /* m/s^2, along y */
} step_problem;

/* Positions and velocities, particles x 3 each. */
typedef struct motion {
    double* x;
    double* v;
} motion;

motion motion_make(const step_problem* p);
void motion_free(motion* m);
void motion_copy(const step_problem* p, const motion* from, motion* to);

size_t problem_coordinates(const step_problem* p);
bool problem_fixed(const step_problem* p, size_t coordinate);

/* y */
void problem_target(const step_problem* p, const motion* from, double* y);
double problem_energy(const step_problem* p, const double* y, const double* x);
void problem_gradient(const step_problem* p, const double* y, const double* x, double* out);

/* The Hessian of that energy, exact or with springs under pressure less their negative part, which makes it positive
 * definite; identity at fixed coordinates. The pattern is one of 3 x 3 blocks and depends on the springs alone. */
sparse problem_pattern(const step_problem* p);
void problem_hessian(const step_problem* p, const double* x, bool exact, sparse* out);

/* |a - b|, rms over free particles, and the largest distance of one. */
double problem_distance(const step_problem* p, const double* a, const double* b);
double problem_largest(const step_problem* p, const double* a, const double* b);
/* Rms of strain. */
double problem_strain(const step_problem* p, const double* x);

#ifdef __cplusplus
}
#endif

#endif
