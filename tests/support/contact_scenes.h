/* Small scenes in which things touch: materials, colliders, balls and boxes, and what a step says of its contacts. */
#ifndef TAUT_TEST_CONTACT_SCENES_H
#define TAUT_TEST_CONTACT_SCENES_H

#include "phys_frames.h"

/* What the solver of these tests is asked for; velocities are then right to about this part of g h, which CONTACT_CLOSE
 * leaves room for: a residual is an energy, and counts a light thing among heavy ones for little. */
#define CONTACT_TOLERANCE 1e-10
#define CONTACT_CLOSE     1e-7

/* ---- scenes --------------------------------------------------------------------------------------------------------
 */

/* Number of a new material with this friction and restitution. */
uint32_t contact_material(taut_scene* scene, double friction, double restitution);
uint32_t contact_material_of(taut_scene* scene, taut_material_def def);

/* Solid below the plane through `at` with this normal; number of the collider. */
uint32_t contact_plane(taut_scene* scene, const double normal[3], const double at[3], uint32_t material);
/* The plane y = 0. */
uint32_t contact_ground(taut_scene* scene, uint32_t material);
/* The ground, and walls round a rectangle with these half sides; number of the first collider. */
uint32_t contact_tray(taut_scene* scene, double x, double z, uint32_t material);
/* A shape on a body, or in the world (TAUT_WORLD) at `at` with the axes q (NULL: the world's). */
uint32_t contact_shape(taut_scene* scene, taut_shape shape, const double size[3], taut_body body, const double at[3],
                       const double q[4], uint32_t material);
/* Likewise a mesh. */
uint32_t contact_mesh(taut_scene* scene, uint32_t mesh, taut_body body, const double at[3], const double q[4],
                      uint32_t material);

/* Numbers of the contact points. */
taut_range contact_touch(taut_scene* scene, size_t count, const uint32_t* particles, double radius, uint32_t material);
taut_range contact_touch_body(taut_scene* scene, taut_body body, size_t count, const double* offsets, double radius,
                              uint32_t material);

/* A homogeneous ball, which touches with its surface and is no collider. Inertia 2/5 m r^2. */
taut_body contact_ball(taut_scene* scene, const phys_body* at, double mass, double radius, uint32_t material);
/* A homogeneous box with these halves of its sides, which touches with its eight corners and is no collider. */
taut_body contact_box(taut_scene* scene, const phys_body* at, double mass, const double half[3], uint32_t material);
/* At rest and not turned at x. */
phys_body contact_at(double x, double y, double z);

/* ---- worlds --------------------------------------------------------------------------------------------------------
 */

/* Implicit Euler, gravity along -y, CONTACT_TOLERANCE. */
taut_world_def contact_world_def(taut_backend_kind backend);

/* What steps took. */
typedef struct contact_effort {
    uint32_t steps, iterations, outer_iterations; /* sums */
    uint32_t most_iterations, most_outer_iterations;
} contact_effort;

/* One step that must converge; `effort` may be NULL. What it says of itself. */
taut_step_info contact_step(taut_world* world, double h, contact_effort* effort);
/* One whose systems must be solved, where some of what is stiff may leave its length on the way. */
taut_step_info contact_step_off(taut_world* world, double h);
/* So many; false as soon as one fails. */
bool contact_run(taut_world* world, size_t steps, double h, contact_effort* effort);
/* As a note of the test. */
void contact_note(const char* what, const contact_effort* effort);

#define CONTACT_MOST 512

typedef struct contact_list {
    size_t count;
    taut_contact contacts[CONTACT_MOST];
} contact_list;

/* Those of the last step, in their order. */
void contact_read(taut_world* world, contact_list* list);
/* Sum of the forces on contact points. */
void contact_sum(taut_world* world, double force[3]);
/* Force of the last step on one collider. */
void contact_force_on(taut_world* world, uint32_t collider, double force[3]);

#endif
