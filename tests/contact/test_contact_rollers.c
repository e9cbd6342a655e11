/* What round things that turn about their own axes bear: they do not change their place, and the force along the normal
 * goes through the axle. So nothing sinks in or goes aside, at any speed, and a light roller bears what is heavy. */
#include "contact_scenes.h"

#include <math.h>
#include <string.h>

#define RADIUS 0.045
#define APART  0.1
#define HALF   0.05
#define H      (1.0 / 60)

static size_t steps_of(taut_backend_kind backend) {
    return backend == TAUT_BACKEND_CUDA ? 12 : 60;
}

/* A round body about an axis along z. */
static phys_body roller_at(double x, double y, double mass, bool fixed) {
    phys_body body = contact_at(x, y, 0);
    body.mass = mass;
    body.fixed = fixed;
    taut_inertia_of_cylinder(mass, RADIUS, 0.4, body.inertia);
    return body;
}

static taut_body add_round(taut_scene* scene, const phys_body* body, taut_shape shape, double radius,
                           uint32_t material) {
    const taut_body handle = phys_add_body(scene, body);
    contact_shape(scene, shape, (const double[]){radius, 0.2, 0}, handle, NULL, NULL, material);
    return handle;
}

/* One that an axle holds. */
static taut_body add_on_axle(taut_scene* scene, const phys_body* body, taut_shape shape, uint32_t material) {
    const taut_body handle = add_round(scene, body, shape, RADIUS, material);
    double axes[4];
    phys_turn((const double[]){0, -1, 0}, PHYS_PI / 2, axes); /* from x to z */
    phys_add_joint(scene, TAUT_JOINT_HINGE, TAUT_WORLD, handle, body->x, axes);
    return handle;
}

static taut_body add_crate(taut_scene* scene, double x, double mass, uint32_t material) {
    const double half[3] = {0.25, HALF, 0.1};
    phys_body body = contact_at(x, RADIUS + HALF, 0);
    body.mass = mass;
    taut_inertia_of_box(mass, (const double[]){2 * half[0], 2 * half[1], 2 * half[2]}, body.inertia);
    const taut_body handle = phys_add_body(scene, &body);
    contact_shape(scene, TAUT_SHAPE_BOX, half, handle, NULL, NULL, material);
    return handle;
}

static void turn_fixed(taut_world* world, taut_body handle, double angle) {
    const double q[4] = {cos(angle / 2), 0, 0, sin(angle / 2)};
    CHECK_OK(taut_world_move_fixed_frames(world, 1, &handle.frame, q));
}

/* Where a body is after a second of the scene; on CUDA after a fifth. */
static phys_body run_guarded(taut_backend_kind backend, taut_scene* scene, taut_body handle) {
    taut_world_def def = contact_world_def(backend);
    def.contact.law = TAUT_CONTACT_CONVEX;
    def.integrator.guard = true;
    taut_world* world = phys_world(scene, &def);
    phys_body body = {0};
    contact_run(world, steps_of(backend), H, NULL);
    phys_read_body(world, handle, &body);
    taut_world_destroy(world);
    return body;
}

/* A crate beside the middle of two rollers, thirty times as heavy as one: it may slide as far as it leans, where one of
 * them bears more. */
static void check_free_rollers(taut_backend_kind backend, taut_shape shape, double friction) {
    taut_scene* scene = phys_empty_scene();
    const uint32_t material = contact_material(scene, friction, 0);
    for (int i = -1; i <= 1; i += 2) {
        const phys_body roller = roller_at(i * APART, 0, 0.1, false);
        add_on_axle(scene, &roller, shape, material);
    }
    const taut_body handle = add_crate(scene, 0.03, 3, material);
    const phys_body crate = run_guarded(backend, scene, handle);
    test_note("shape %d, friction %g", (int)shape, friction);
    const double sinks = 5e-4, time = H * (double)steps_of(backend);
    CHECK_NEAR(crate.x[0], 0.03, PHYS_GRAVITY * time * time / 2 * sinks / APART / 2);
    CHECK_NEAR(crate.x[1], RADIUS + HALF, sinks);
    CHECK_NEAR(phys_length(crate.w), 0, 5e-3);
    test_note(NULL);
}

TAUT_TEST(contact_rollers, free_ones_bear_a_crate) {
    const taut_shape shapes[] = {TAUT_SHAPE_CYLINDER, TAUT_SHAPE_SPHERE, TAUT_SHAPE_CAPSULE};
    for (size_t i = 0; i < (backend == TAUT_BACKEND_CUDA ? 2 : 3); i++) {
        check_free_rollers(backend, shapes[i], 0);
        check_free_rollers(backend, shapes[i], 0.5);
    }
}

/* Two that turn fast the same way, without friction: a crate stays where it is. With it, they take it along. */
TAUT_TEST(contact_rollers, driven_ones_bear_a_crate) {
    for (int with = 0; with < 2; with++) {
        const double spin = -20, friction = 0.4 * with;
        const size_t steps = steps_of(backend) / 6;
        taut_scene* scene = phys_empty_scene();
        const uint32_t material = contact_material(scene, friction, 0);
        taut_body roller[2];
        for (int i = 0; i < 2; i++) {
            const phys_body body = roller_at(i == 0 ? -APART : APART, 0, 1, true);
            roller[i] = add_round(scene, &body, TAUT_SHAPE_CYLINDER, RADIUS, material);
        }
        const taut_body handle = add_crate(scene, 0, 3, material);
        taut_world_def def = contact_world_def(backend);
        def.contact.law = TAUT_CONTACT_CONVEX;
        taut_world* world = phys_world(scene, &def);
        for (size_t i = 1; i <= steps; i++) {
            turn_fixed(world, roller[0], spin * H * (double)i);
            turn_fixed(world, roller[1], spin * H * (double)i);
            contact_run(world, 1, H, NULL);
        }
        phys_body crate = {0};
        phys_read_body(world, handle, &crate);
        test_note("friction %g", friction);
        CHECK_NEAR(crate.v[0], fmin(friction * PHYS_GRAVITY * H * (double)steps, -spin * RADIUS), 1e-3);
        CHECK_NEAR(crate.x[1], RADIUS + HALF, 5e-4);
        taut_world_destroy(world);
    }
    test_note(NULL);
}

/* A particle without friction in the groove between two drums that turn fast. */
TAUT_TEST(contact_rollers, particle_stays_in_a_groove) {
    const double drum = 0.1, beside = 0.105, radius = 0.01, reach = drum + radius, spin = 20;
    const double height = sqrt(reach * reach - beside * beside);
    taut_scene* scene = phys_scene(1, (const double[]){0, height, 0}, NULL);
    const uint32_t material = contact_material(scene, 0, 0);
    taut_body drums[2];
    for (int i = 0; i < 2; i++) {
        const phys_body body = roller_at(i == 0 ? -beside : beside, 0, 1, true);
        drums[i] = add_round(scene, &body, TAUT_SHAPE_CYLINDER, drum, material);
    }
    contact_touch(scene, 1, (const uint32_t[]){0}, radius, material);
    taut_world_def def = contact_world_def(backend);
    def.contact.law = TAUT_CONTACT_CONVEX;
    taut_world* world = phys_world(scene, &def);
    for (size_t i = 1; i <= steps_of(backend); i++) {
        turn_fixed(world, drums[0], spin * H * (double)i);
        turn_fixed(world, drums[1], -spin * H * (double)i);
        contact_run(world, 1, H, NULL);
    }
    double x[3];
    phys_position(world, 0, x);
    CHECK_NEAR(x[0], 0, 1e-4);
    CHECK_NEAR(x[1], height, 1e-3);
    taut_world_destroy(world);
}

/* One roller beneath the middle of a crate thirty times as heavy: it is no lever, and what it bears is lifted
 * back as fast as anywhere. */
TAUT_TEST(contact_rollers, light_one_is_not_pressed_in) {
    taut_scene* scene = phys_empty_scene();
    const uint32_t material = contact_material(scene, 0, 0);
    const phys_body roller = roller_at(0, 0, 0.1, false);
    add_on_axle(scene, &roller, TAUT_SHAPE_CYLINDER, material);
    const taut_body handle = add_crate(scene, 0.02, 3, material);
    const double at[3] = {0, RADIUS + HALF, 0};
    double axes[4];
    phys_turn((const double[]){0, 0, 1}, PHYS_PI / 2, axes); /* from x to y */
    phys_add_joint(scene, TAUT_JOINT_SLIDER, TAUT_WORLD, handle, at, axes);
    const phys_body crate = run_guarded(backend, scene, handle);
    CHECK_NEAR(crate.x[1], RADIUS + HALF, 1e-3);
}
