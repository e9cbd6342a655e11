/* Gradients: derivatives of a function of the state after some steps, by the state before them and by the parameters of
 * the world (docs/mathematics.md, "Adjoint of a step").
 *
 *     taut_gradients_create(world, 60, &gradients);                       room for 60 steps
 *     taut_gradients_step(gradients, 1.0 / 60);  ...                      steps of the world, recorded
 *     dL/dx' and dL/dv' of the last state into `positions` and `velocities`
 *     taut_gradients_back(gradients, positions, velocities);  ...         once per step, the last one first
 *     taut_gradients_read_batch(gradients, batch, TAUT_GRADIENT_COMPLIANCES, 0, count, out);
 *
 * They are derivatives of the exact step of the theta method: `newton` above 1, beta above 0, one substep and
 * hard_row_damping = 0, without two_stage, sdirk and projections. A step is recorded only if Newton's method has
 * converged to newton_tolerance (1e-7 or so; solver.tolerance must be a tenth of that, or it stands still) and the
 * guard has kept it whole. Errors are of the order of newton_tolerance, and at best 1e-7: masses are in float32.
 *
 * Worlds of particles, bodies and rods have gradients, with constraints, joints, limits, drives, bounds, and force
 * elements without damping, and at mapped points without mass, on the CPU backend, in libraries with the direct method.
 * A reserve is refused; steps in which frames go to goals or turn by more than a radian have none.
 *
 * Contact has them by the convex law: of particles, bodies, and contact surfaces of particles, with shapes and meshes
 * that stand still or are on bodies, and with each other. Without compliance and resistance to rolling, and not of
 * mapped points and meshes that deform. Particles with constraints need a method on the Schur complement for it
 * (projected_gradient). What is at a bound, sticks, slides, bounces or is open is taken to stay so, and so are the
 * features of a pair that are nearest. Steps that an impact cuts, that are more than 1e5 times as long as those
 * before, or in which something is stopped that would have passed through another thing, have none; nor have those in
 * which a round face lies flat, whose deepest place may be anywhere on its rim. */
#ifndef TAUT_GRADIENTS_H
#define TAUT_GRADIENTS_H

#include "taut/base.h"
#include "taut/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Records of steps of a world, and sums of derivatives. */
typedef struct taut_gradients taut_gradients;

/* By what a function is derived, beside the state. */
typedef enum taut_gradient {
    TAUT_GRADIENT_FORCES = 0,      /* particles x 3, 1/N: taut_world_set_forces */
    TAUT_GRADIENT_MASSES = 1,      /* particles x 1, 1/kg: the masses of free particles */
    TAUT_GRADIENT_GRAVITY = 2,     /* 1 x 3, s^2/m */
    TAUT_GRADIENT_FIXED_GOALS = 3, /* particles x 3, 1/m: taut_world_move_fixed */
    TAUT_GRADIENT_COMPLIANCES = 4, /* of a batch, as taut_world_set_compliances has them */
    TAUT_GRADIENT_DAMPINGS = 5,    /* of a batch, as taut_world_set_dampings; 1/s */
    TAUT_GRADIENT_REST_VALUES = 6, /* of a batch, as taut_world_set_rest_values; of targets x 3: their places where they
                                      rest, else those at the start of the step; of drives likewise */
    TAUT_GRADIENT_TARGETS = 7,     /* of a batch of targets or drives, as taut_world_move_targets */
    TAUT_GRADIENT_TORQUES = 8,     /* frames x 3, 1/(N m): taut_world_set_torques */
    TAUT_GRADIENT_INERTIAS = 9,    /* frames x 6, 1/(kg m^2): xx, yy, zz, yz, zx, xy in the axes of the frame */
    TAUT_GRADIENT_FRICTIONS = 10,  /* materials x materials: by `friction` of a pair of them, in both places of it */
    TAUT_GRADIENT_RESTITUTIONS = 11 /* likewise by `restitution`, where that is above 0 */
} taut_gradient;

/* Room for the records of `steps` steps; allocates all memory for them. Must be destroyed before the world.
 * TAUT_INVALID_ARGUMENT with the reason if the world, or its integrator, has no gradients; TAUT_BACKEND_UNAVAILABLE on
 * CUDA and without the direct method. */
TAUT_API taut_status taut_gradients_create(taut_world* world, uint32_t steps, taut_gradients** gradients);
/* NULL is allowed. */
TAUT_API void taut_gradients_destroy(taut_gradients* gradients);

/* taut_world_step, recorded, but that contacts of a face that bounce together are not solved for once more: they part
 * by up to 1 % faster or slower than they should, and that what joints hold has the friction of loose bodies.
 * TAUT_DIVERGED with the reason if the step has no gradient, such as one that Newton's method did not converge on: the
 * world then has the state before the step. TAUT_OUT_OF_CAPACITY if there is no room left, and TAUT_INVALID_ARGUMENT if
 * the world has made a step that is not recorded since the last one that is. */
TAUT_API taut_status taut_gradients_step(taut_gradients* gradients, double dt);
/* Number of steps that are recorded. */
TAUT_API uint32_t taut_gradients_count(const taut_gradients* gradients);

/* Replaces the derivatives by positions and velocities after the last recorded step ((particles + frames) x 3 each; 1/m
 * and s/m of a function without unit; of frames by small turns about world axes, 1/rad, and by angular velocities,
 * s/rad) by those before it, adds its derivatives by parameters to the sums, and drops its record. Parameters that the
 * adjoint takes from the world must be as they were at that step: compliances, damping times, moduli of solids, bounds,
 * pressures, wind, what is fixed, broken or taken away, alpha, beta and mass_damping; TAUT_INVALID_ARGUMENT if they are
 * not, until they are set back. The state of the world does not matter and is not changed; where it was written or
 * loaded between two recorded steps, the caller derives that himself: the result is by the state that the later step
 * has begun with. TAUT_INVALID_ARGUMENT, too, if a derivative is not finite; TAUT_DIVERGED if the linear system has no
 * accurate solution. Where other things touch each other than in the step that came back before it, memory is allocated
 * for the system. */
TAUT_API taut_status taut_gradients_back(taut_gradients* gradients, double* positions, double* velocities);
/* Drops all records, and sets the sums to 0. */
TAUT_API taut_status taut_gradients_clear(taut_gradients* gradients);
/* Sets the sums to 0. */
TAUT_API taut_status taut_gradients_clear_sums(taut_gradients* gradients);

/* Rows that there are to read of what belongs to no batch; 0: it belongs to one. */
TAUT_API size_t taut_gradients_rows(const taut_gradients* gradients, taut_gradient by);
/* Reads sums of derivatives by what belongs to no batch: rows [first, first + count). */
TAUT_API taut_status taut_gradients_read(const taut_gradients* gradients, taut_gradient by, size_t first, size_t count,
                                         double* out);
/* Reads sums of derivatives by parameters of constraints [first, first + count) of a batch. */
TAUT_API taut_status taut_gradients_read_batch(const taut_gradients* gradients, taut_batch batch, taut_gradient by,
                                               size_t first, size_t count, double* out);

#ifdef __cplusplus
}
#endif

#endif
