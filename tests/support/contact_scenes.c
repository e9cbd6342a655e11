#include "contact_scenes.h"

#include <math.h>
#include <stdlib.h>

/* ---- scenes --------------------------------------------------------------------------------------------------------
 */

uint32_t contact_material_of(taut_scene* scene, taut_material_def def) {
    uint32_t material = 0;
    CHECK_OK(taut_scene_add_material(scene, &def, &material));
    return material;
}

uint32_t contact_material(taut_scene* scene, double friction, double restitution) {
    taut_material_def def = taut_default_material();
    def.friction = friction;
    def.restitution = restitution;
    return contact_material_of(scene, def);
}

/* Number of one collider whose shape `def` has. */
static uint32_t add_collider(taut_scene* scene, taut_colliders_def* def, taut_body body, const double at[3],
                             const double q[4], uint32_t material) {
    taut_range range = {0, 0};
    def->count = 1;
    def->bodies = &body;
    def->positions = at;
    def->orientations = q;
    def->material = material;
    CHECK_OK(taut_scene_add_colliders(scene, def, &range));
    return range.first;
}

uint32_t contact_shape(taut_scene* scene, taut_shape shape, const double size[3], taut_body body, const double at[3],
                       const double q[4], uint32_t material) {
    taut_colliders_def def = taut_default_colliders();
    def.shape = shape;
    def.sizes = size;
    return add_collider(scene, &def, body, at, q, material);
}

uint32_t contact_mesh(taut_scene* scene, uint32_t mesh, taut_body body, const double at[3], const double q[4],
                      uint32_t material) {
    taut_colliders_def def = taut_default_colliders();
    def.shape = TAUT_SHAPE_MESH;
    def.mesh = mesh;
    return add_collider(scene, &def, body, at, q, material);
}

/* A rotation that takes z to the normal: about z x n, or half a turn where that vanishes. */
static void axes_of_plane(const double normal[3], double q[4]) {
    double axis[3];
    phys_cross((const double[]){0, 0, 1}, normal, axis);
    const double sine = phys_length(axis);
    phys_turn(sine > 0 ? axis : (const double[]){1, 0, 0}, atan2(sine, normal[2]), q);
}

uint32_t contact_plane(taut_scene* scene, const double normal[3], const double at[3], uint32_t material) {
    double q[4];
    axes_of_plane(normal, q);
    return contact_shape(scene, TAUT_SHAPE_PLANE, NULL, TAUT_WORLD, at, q, material);
}

uint32_t contact_ground(taut_scene* scene, uint32_t material) {
    return contact_plane(scene, (const double[]){0, 1, 0}, NULL, material);
}

uint32_t contact_tray(taut_scene* scene, double x, double z, uint32_t material) {
    const uint32_t first = contact_ground(scene, material);
    for (int side = -1; side <= 1; side += 2) {
        contact_plane(scene, (const double[]){-side, 0, 0}, (const double[]){side * x, 0, 0}, material);
        contact_plane(scene, (const double[]){0, 0, -side}, (const double[]){0, 0, side * z}, material);
    }
    return first;
}

taut_range contact_touch(taut_scene* scene, size_t count, const uint32_t* particles, double radius, uint32_t material) {
    taut_contact_points_def def = taut_default_contact_points();
    taut_range range = {0, 0};
    def.count = count;
    def.particles = particles;
    def.radius = radius;
    def.material = material;
    CHECK_OK(taut_scene_add_contact_points(scene, &def, &range));
    return range;
}

taut_range contact_touch_body(taut_scene* scene, taut_body body, size_t count, const double* offsets, double radius,
                              uint32_t material) {
    taut_contact_points_def def = taut_default_contact_points();
    taut_range range = {0, 0};
    taut_body* bodies = phys_array(count, sizeof *bodies);
    for (size_t i = 0; i < count; i++) {
        bodies[i] = body;
    }
    def.count = count;
    def.bodies = bodies;
    def.offsets = offsets;
    def.radius = radius;
    def.material = material;
    CHECK_OK(taut_scene_add_contact_points(scene, &def, &range));
    free(bodies);
    return range;
}

phys_body contact_at(double x, double y, double z) {
    return (phys_body){.mass = 1, .x = {x, y, z}, .q = {1, 0, 0, 0}};
}

taut_body contact_ball(taut_scene* scene, const phys_body* at, double mass, double radius, uint32_t material) {
    phys_body body = *at;
    body.mass = mass;
    taut_inertia_of_sphere(mass, radius, body.inertia);
    const taut_body handle = phys_add_body(scene, &body);
    contact_touch_body(scene, handle, 1, NULL, radius, material);
    return handle;
}

taut_body contact_box(taut_scene* scene, const phys_body* at, double mass, const double half[3], uint32_t material) {
    phys_body body = *at;
    double corners[24];
    body.mass = mass;
    taut_inertia_of_box(mass, (const double[]){2 * half[0], 2 * half[1], 2 * half[2]}, body.inertia);
    for (int i = 0; i < 24; i++) {
        corners[i] = (i / 3 >> i % 3 & 1 ? 1 : -1) * half[i % 3];
    }
    const taut_body handle = phys_add_body(scene, &body);
    contact_touch_body(scene, handle, 8, corners, 0, material);
    return handle;
}

/* ---- worlds --------------------------------------------------------------------------------------------------------
 */

taut_world_def contact_world_def(taut_backend_kind backend) {
    taut_world_def def = phys_world_def(backend, 1, 1);
    def.solver.tolerance = CONTACT_TOLERANCE;
    return def;
}

/* False where there is none. */
static bool make_step(taut_world* world, double h, taut_step_info* info) {
    *info = (taut_step_info){.outcome = TAUT_SOLVE_STAGNATED};
    return CHECK_OK(taut_world_step(world, h)) && CHECK_OK(taut_world_info(world, info));
}

taut_step_info contact_step_off(taut_world* world, double h) {
    taut_step_info info;
    if (make_step(world, h, &info)) {
        CHECK(info.outcome == TAUT_SOLVE_CONVERGED || info.outcome == TAUT_SOLVE_OVERSTRETCHED);
    }
    return info;
}

taut_step_info contact_step(taut_world* world, double h, contact_effort* effort) {
    taut_step_info info;
    if (make_step(world, h, &info)) {
        CHECK_INT(info.outcome, TAUT_SOLVE_CONVERGED);
    }
    if (effort != NULL) {
        effort->steps++;
        effort->iterations += info.iterations;
        effort->outer_iterations += info.outer_iterations;
        effort->most_iterations = info.iterations > effort->most_iterations ? info.iterations : effort->most_iterations;
        effort->most_outer_iterations = info.outer_iterations > effort->most_outer_iterations
                                            ? info.outer_iterations
                                            : effort->most_outer_iterations;
    }
    return info;
}

bool contact_run(taut_world* world, size_t steps, double h, contact_effort* effort) {
    for (size_t i = 0; i < steps; i++) {
        if (contact_step(world, h, effort).outcome != TAUT_SOLVE_CONVERGED) {
            return false;
        }
    }
    return true;
}

void contact_note(const char* what, const contact_effort* effort) {
    const double steps = effort->steps > 0 ? effort->steps : 1;
    test_note("%s: %.1f iterations in %.1f passes per step, at most %u and %u, in %u steps", what,
              effort->iterations / steps, effort->outer_iterations / steps, effort->most_iterations,
              effort->most_outer_iterations, effort->steps);
}

void contact_read(taut_world* world, contact_list* list) {
    list->count = 0;
    CHECK_OK(taut_world_read_contacts(world, CONTACT_MOST, list->contacts, &list->count));
    CHECK(list->count <= CONTACT_MOST);
}

void contact_sum(taut_world* world, double force[3]) {
    contact_list list;
    contact_read(world, &list);
    force[0] = force[1] = force[2] = 0;
    for (size_t i = 0; i < list.count; i++) {
        phys_add(1, list.contacts[i].force, force);
    }
}

void contact_force_on(taut_world* world, uint32_t collider, double force[3]) {
    double sums[6] = {NAN, NAN, NAN};
    CHECK_OK(taut_world_read_collider_forces(world, collider, 1, sums));
    for (int a = 0; a < 3; a++) {
        force[a] = sums[a];
    }
}
