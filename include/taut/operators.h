/* Operators. */
#ifndef TAUT_OPERATORS_H
#define TAUT_OPERATORS_H

#include "taut/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* For users' own solvers, and to check ours. Host arrays, float64; n = 3 * (particles + frames), m = rows. Particle i
 * has the places 3 i to 3 i + 2, frame j those of particle number (particles + j), with rotations in world axes. Mapped
 * points have places, too: what is put in there is ignored, what comes out is 0. */

/* Operators of the current linearisation. */
typedef enum taut_operator {
    TAUT_OPERATOR_J,         /* n -> m: J v */
    TAUT_OPERATOR_JT,        /* m -> n: J^T lam */
    TAUT_OPERATOR_A,         /* n -> n: P A P v */
    TAUT_OPERATOR_A_INVERSE, /* n -> n: (P A P)^+ v, to a relative residual of 1e-12 */
    TAUT_OPERATOR_S,         /* m -> m: J (P A P)^+ J^T gam + C/(h l) gam */
    TAUT_OPERATOR_W,         /* m -> m: C/(h l) gam */
    TAUT_OPERATOR_G          /* n -> n: G(lam) dx, exact and unprojected, with the multipliers of the last step; not
                                symmetric where frames are turned: torques are in world axes */
} taut_operator;

/* Evaluates and assembles at the current state for a step of h seconds, without stepping. Must precede
 * taut_world_apply after every step or write. */
TAUT_API taut_status taut_world_linearise(taut_world* world, double h);

/* out = operator * in; `in` and `out` must not overlap. */
TAUT_API taut_status taut_world_apply(taut_world* world, taut_operator op, const double* in, double* out);

/* Splits a motion (n values) into what the constraints let pass and what they react to, in the metric of A on the
 * current linearisation: motion = admissible + reaction, reaction = A^-1 J^T mu, J admissible = 0 of all rows or,
 * `hard_only`, of those without compliance; A-orthogonal to each other, to a relative residual of 1e-12. */
TAUT_API taut_status taut_world_split(taut_world* world, bool hard_only, const double* motion, double* admissible,
                                      double* reaction);

/* Projects the velocities of the state onto J v = 0 of the hard rows, in the metric of M: what is left is admissible
 * while targets and drives rest. */
TAUT_API taut_status taut_world_project_velocities(taut_world* world);
/* Projects the positions of the state onto phi = 0 of the hard rows by Newton's method in the metric of M: at most
 * `most` times, until the largest |phi| is at most `tolerance` (unit of the kind). `worst` (may be NULL) receives it.
 */
TAUT_API taut_status taut_world_project_positions(taut_world* world, uint32_t most, double tolerance, double* worst);

/* Right-hand side b of S gam = b on the current linearisation, m values. */
TAUT_API taut_status taut_world_right_hand_side(taut_world* world, double* out);

#ifdef __cplusplus
}
#endif

#endif
