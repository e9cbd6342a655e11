/* Operators of the linear system of a step at the current state: for solvers outside the library, and for tests of
 * those inside.
 *
 * All vectors are float64 arrays on the host. n = 3 * (particles + frames) and m = rows of constraints. Particle i has
 * the coordinates 3 i to 3 i + 2. Frame j has the coordinates 3 k to 3 k + 2 with k = particles + j; its rotations are
 * about world axes. Mapped points have coordinates too: operators ignore these entries of their input and write 0 to
 * them. The symbols are those of docs/mathematics.md.
 *
 * Functions with vectors wait for the backend.
 *
 * Batches that are used as forces (taut_scene_use_as_forces) stand in A, as the tangents of force elements do:
 *     A = inertia M + alpha beta h^2 Gamma + rho K + J_f^T W_f^-1 J_f,    W_f = C/(h l) with the theta values of forces
 * Their rows take part in nothing else: operators ignore these entries of their input and write 0 to them.
 *
 * Contacts. The rows of the contacts of the linearisation follow those of constraints, as in assembly.h; m counts them
 * (taut_world_linearised_rows). An operator takes all of them for equations. Which of them are, and whether a contact
 * slides, is the law's: rows that do not act have gam = 0. */
#ifndef TAUT_OPERATORS_H
#define TAUT_OPERATORS_H

#include "taut/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Operators of the current linearisation. */
typedef enum taut_operator {
    TAUT_OPERATOR_J = 0,         /* n -> m: J v */
    TAUT_OPERATOR_JT = 1,        /* m -> n: J^T lam */
    TAUT_OPERATOR_A = 2,         /* n -> n: P A P v */
    TAUT_OPERATOR_A_INVERSE = 3, /* n -> n: (P A P)^+ v, to a relative residual of 1e-12 */
    TAUT_OPERATOR_S = 4,         /* m -> m: J (P A P)^+ J^T gam + C/(h l) gam */
    TAUT_OPERATOR_W = 5,         /* m -> m: C/(h l) gam; rows of absent constraints are 0, in J and S, too */
    TAUT_OPERATOR_G = 6,         /* n -> n: G(lam) dx with the multipliers of the last step, exact: neither projected
                                    by P nor reduced to its stabilising part. G is not symmetric for frames that
                                    rotate, because torques are in world axes */
    TAUT_OPERATOR_H = 7,         /* n -> n: H v, the matrix of the condensed system with its shift of hard rows, in
                                    float32 as the solver has it; on its nodes alone, 0 elsewhere */
    TAUT_OPERATOR_PRECONDITIONER = 8 /* n -> n: B r, the preconditioner of the condensed system, likewise: a cycle of
                                        the multilevel one. With the cycles `additive` and `v` B is symmetric */
} taut_operator;

/* Linearises the constraints at the current state and assembles the system of a step of h seconds, without a step.
 * This call is required before taut_world_apply, and again after every step and every write. Where contacts are
 * possible it finds those of that step, which taut_world_read_contacts then returns with the forces of the last step;
 * more than the capacity are TAUT_OUT_OF_CAPACITY. The next step is not affected. */
TAUT_API taut_status taut_world_linearise(taut_world* world, double h);
/* The number of rows m of the linearisation, contacts included. */
TAUT_API taut_status taut_world_linearised_rows(const taut_world* world, size_t* rows);

/* out = operator * in; `in` and `out` must not overlap. H and the preconditioner are TAUT_INVALID_ARGUMENT in a world
 * without the condensed system, and TAUT_BACKEND_UNAVAILABLE on CUDA. */
TAUT_API taut_status taut_world_apply(taut_world* world, taut_operator op, const double* in, double* out);

/* Splits a motion (n values) into an admissible part and a reaction, motion = admissible + reaction, on the current
 * linearisation. The admissible part satisfies J admissible = 0, and reaction = A^-1 J^T mu for some multipliers mu. J
 * consists of all rows, or of the rows with compliance 0 if `hard_only` is true. Both parts are orthogonal in the
 * metric of A. Contacts take no part. The relative residual is 1e-12. */
TAUT_API taut_status taut_world_split(taut_world* world, bool hard_only, const double* motion, double* admissible,
                                      double* reaction);

/* Projects the velocities of the state onto J v = 0 of the hard rows of constraints, in the metric of M. The result is
 * admissible as long as targets and drives are at rest. */
TAUT_API taut_status taut_world_project_velocities(taut_world* world);
/* Projects the positions of the state onto phi = 0 of the hard rows of constraints, by Newton's method in the metric of
 * M. The projection ends after `most` iterations, or when the largest |phi| is at most `tolerance` (unit of the kind of
 * constraint). `worst` (may be NULL) receives the largest |phi|. */
TAUT_API taut_status taut_world_project_positions(taut_world* world, uint32_t most, double tolerance, double* worst);

/* The right-hand side b of S gam = b on the current linearisation, m values. */
TAUT_API taut_status taut_world_right_hand_side(taut_world* world, double* out);
/* The right-hand side r of A dv = r + J^T gam on the current linearisation, n values: the motion of a step is
 * dv = (P A P)^+ (r + J^T gam). */
TAUT_API taut_status taut_world_velocity_right_hand_side(taut_world* world, double* out);

#ifdef __cplusplus
}
#endif

#endif
