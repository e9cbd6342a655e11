/* A method beside conjugate gradients, through the same steps; checks that Gauss-Seidel and the direct method share. */
#ifndef TAUT_TEST_METHOD_PAIRS_H
#define TAUT_TEST_METHOD_PAIRS_H

#include "harness.h"

#define PAIR_STEP (1.0 / 60)

/* A hard rope, soft cloth, a soft block, some of every kind; bodies on every joint, a rod, and points mapped from them
 * in several levels, some with masses. */
typedef taut_scene* pair_scene(void);
pair_scene pair_rope, pair_cloth, pair_block, pair_mixed, pair_mechanism;

/* To a residual of 1e-9. */
taut_world_def pair_def(taut_backend_kind backend, taut_method method);

typedef struct pair {
    taut_world *tested, *other;
    size_t n, frames, m;
} pair;

/* Takes the scene. */
bool pair_open(pair* p, taut_scene* scene, const taut_world_def* tested, const taut_world_def* other);
void pair_close(pair* p);
/* Velocities of points and frames, relative to the largest and at least to g h; multipliers, to the largest. */
void pair_compare_motion(const pair* p, double tolerance);
void pair_compare_forces(const pair* p, double tolerance);

taut_step_info pair_step(taut_world* world);
/* Steps; whether the world converged. What it says of that is so, and factors took few solutions. */
bool pair_converges(taut_world* world, double tolerance);

/* The same steps by `method`. Solutions are as far apart as their residuals times the condition, and differences of the
 * first steps have changed the next ones. */
void pair_check_steps(const char* name, pair_scene* make, const taut_world_def* tested, taut_method method, int steps);
/* Two links that are too short for the points that they join: nothing can be right, and that is said. */
void pair_check_contradiction(taut_world_def def);
/* Nodes that are freed and fixed later, against conjugate gradients: pattern and colours are those of creation. */
void pair_check_freeing(const taut_world_def* def);
/* What the method does not take is refused. */
void pair_check_definitions(taut_backend_kind backend, taut_method method);
void pair_check_choice(taut_backend_kind backend, taut_method method);
/* A point without constraints. */
void pair_check_free_fall(taut_world_def def);
/* A world of the rope. */
taut_status pair_create(const taut_world_def* def, taut_world** world);

#endif
