/* Contact points that pass an edge within a step: what they pass is not in their way, and what they meet is. */
#include "contact_scenes.h"

#include <math.h>

static const double h = 1.0 / 60, radius = 0.01, speed = 4, half = 0.05; /* s, m, m/s, m */

typedef struct passing {
    taut_world* world;
    taut_body box;
} passing;

/* A particle on smooth ground, linked to one that follows, 5 cm before a box of 10 cm that floats at this height over
 * the ground and is this thick. Nothing falls. `held`: it is fixed. */
static passing make(taut_backend_kind backend, double height, double thick, bool held) {
    passing p;
    const double x[6] = {-half - 0.05 - radius, radius, 0, -half - 0.15, radius, 0}, mass[2] = {0.05, 0.05},
                 size[3] = {thick / 2, half, half};
    taut_scene* scene = phys_scene(2, x, mass);
    taut_world_def def = contact_world_def(backend);
    phys_body body = contact_at(thick / 2 - half, height + half, 0);
    const uint32_t material = contact_material(scene, 0, 0);
    body.mass = 1;
    body.fixed = held;
    taut_inertia_of_box(1, (const double[]){thick, 2 * half, 2 * half}, body.inertia);
    phys_add_links(scene, &(phys_tuples){1, (uint32_t[]){0, 1}}, 0, 0);
    contact_ground(scene, material);
    contact_touch(scene, 1, (const uint32_t[]){0}, radius, material);
    p.box = phys_add_body(scene, &body);
    contact_shape(scene, TAUT_SHAPE_BOX, size, p.box, (const double[]){0, 0, 0}, NULL, material);
    def.gravity[1] = 0;
    def.contact.law = TAUT_CONTACT_CONVEX;
    p.world = phys_world(scene, &def);
    CHECK_OK(taut_world_write(p.world, TAUT_FIELD_VELOCITIES, 0, 2, (const double[]){speed, 0, 0, speed, 0, 0}));
    return p;
}

static double speed_along(taut_world* world, uint32_t particle) {
    double v[3];
    phys_velocity(world, particle, v);
    return v[0];
}

/* Where it passes with room to spare, and where it overlaps by a tenth and a half of its radius: 4 m/s are 7 cm a step.
 */
TAUT_TEST(contact_passing, beneath_a_box) {
    const double heights[] = {2.05 * radius, 1.9 * radius, 1.5 * radius};
    for (int i = 0; i < 3; i++) {
        passing p = make(backend, heights[i], 2 * half, false);
        contact_run(p.world, 6, h, NULL);
        const double along = speed_along(p.world, 0), pushed = speed_along(p.world, p.box.point);
        test_note("height %.1f mm: %.3f m/s, the box %.3f", 1e3 * heights[i], along, pushed);
        CHECK(along > 0.95 * speed && fabs(pushed) < 0.05 * 0.1 * speed);
        taut_world_destroy(p.world);
    }
}

/* It meets the side of a box that is held, and of a wall of a millimetre, which it does not go through. */
TAUT_TEST(contact_passing, not_through_a_box) {
    const double thick[] = {2 * half, 1e-3};
    for (int i = 0; i < 2; i++) {
        passing p = make(backend, 0.2 * radius, thick[i], true);
        double x[3];
        contact_run(p.world, 6, h, NULL);
        phys_position(p.world, 0, x);
        test_note("%.0f mm: %.3f m before it, at %.3f m/s", 1e3 * thick[i], -half - x[0], speed_along(p.world, 0));
        CHECK(fabs(speed_along(p.world, 0)) < 0.05 * speed && x[0] < -half - 0.9 * radius);
        taut_world_destroy(p.world);
    }
}

/* ---- solids that pass seams -------------------------------------------------------------------------------------- */

/* A smooth floor of three boxes, of which the next one is so much higher, and a body that goes over its seams for half
 * a second. Its end. */
static void go_over_seams(taut_backend_kind backend, taut_shape shape, double side, double fast, double step,
                          double x[3]) {
    const double tile[3] = {0.4, 0.1, 1}, size[3] = {side / 2, side / 2, side / 2};
    taut_scene* scene = phys_empty_scene();
    taut_world_def def = contact_world_def(backend);
    phys_body body = contact_at(-0.1, side / 2, 0);
    const uint32_t material = contact_material(scene, 0, 0);
    for (int i = 0; i < 3; i++) {
        contact_shape(scene, TAUT_SHAPE_BOX, tile, TAUT_WORLD, (const double[]){0.8 * i - 0.4, i * step - 0.1, 0}, NULL,
                      material);
    }
    body.mass = 1;
    taut_inertia_of_box(1, (const double[]){side, side, side}, body.inertia);
    const taut_body moved = phys_add_body(scene, &body);
    contact_shape(scene, shape, size, moved, (const double[]){0, 0, 0}, NULL, material);
    def.contact.law = TAUT_CONTACT_CONVEX;
    taut_world* world = phys_world(scene, &def);
    CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, moved.point, 1, (const double[]){fast, 0, 0}));
    contact_run(world, 30, h, NULL);
    phys_position(world, moved.point, x);
    taut_world_destroy(world);
}

/* The side of the next box is not in the way of what slides and rolls on flush ones; a step of a millimetre is. */
TAUT_TEST(contact_passing, over_flush_boxes) {
    const double sides[] = {0.2, 0.05}, speeds[] = {1, 2.5};
    const taut_shape shapes[] = {TAUT_SHAPE_BOX, TAUT_SHAPE_SPHERE};
    double x[3];
    for (int i = 0; i < 4; i++) {
        go_over_seams(backend, shapes[i / 2], sides[i % 2], speeds[i % 2], 0, x);
        test_note("shape %d, side %g m, %g m/s: %.4f m, rise %.2e", i / 2, sides[i % 2], speeds[i % 2], x[0] + 0.1,
                  x[1] - sides[i % 2] / 2);
        CHECK(x[0] + 0.1 > 0.98 * speeds[i % 2] / 2);
        CHECK(fabs(x[1] - sides[i % 2] / 2) < 0.005 * sides[i % 2]);
    }
    go_over_seams(backend, TAUT_SHAPE_BOX, 0.2, 1, 1e-3, x);
    CHECK(x[0] < 0.02);
    test_note(NULL);
}

/* Nor is it where substeps are cut at impacts: a box that is turned and an upright cylinder go straight on, and lie
 * flat.
 */
TAUT_PLAIN_TEST(contact_passing, fast_over_flush_boxes) {
    const double tile[3] = {0.5, 0.1, 0.5}, size[3] = {0.1, 0.1, 0.1}, up[3] = {0, 1, 0}, flat[3] = {1, 0, 0};
    for (int i = 0; i < 4; i++) {
        const double fast = i % 2 == 0 ? 5 : 8;
        const bool box = i < 2;
        taut_scene* scene = phys_empty_scene();
        const uint32_t smooth = contact_material(scene, 0, 0);
        phys_body body = contact_at(0, 0.1, 0);
        for (int k = 0; k < 6; k++) {
            contact_shape(scene, TAUT_SHAPE_BOX, tile, TAUT_WORLD, (const double[]){k, -0.1, 0}, NULL, smooth);
        }
        body.mass = 1;
        body.v[0] = fast;
        phys_turn(box ? up : flat, box ? 0.5 : 1.5707963267948966, body.q);
        taut_inertia_of_box(1, (const double[]){0.2, 0.2, 0.2}, body.inertia);
        const taut_body moved = phys_add_body(scene, &body);
        contact_shape(scene, box ? TAUT_SHAPE_BOX : TAUT_SHAPE_CYLINDER, size, moved, NULL, NULL, smooth);
        taut_world_def def = taut_default_world();
        def.backend = TAUT_BACKEND_CPU;
        taut_world* world = phys_world(scene, &def);
        contact_run(world, 30, h, NULL);
        phys_read_body(world, moved, &body);
        test_note("%s, %g m/s", box ? "box" : "cylinder", fast);
        CHECK_NEAR(body.x[0], fast / 2, 1e-3);
        CHECK_NEAR(body.x[1], 0.1, 1e-3);
        taut_world_destroy(world);
    }
    test_note(NULL);
}
