/* How far things reach into each other: overlaps that closed forms know, whatever the contacts of the last step say. */
#include "closed_meshes.h"
#include "refused.h"
#include "surface_scenes.h"

#include <math.h>
#include <string.h>

static taut_overlaps overlaps_of(taut_world* world) {
    taut_overlaps out;
    memset(&out, 0xff, sizeof out);
    CHECK_OK(taut_world_read_overlaps(world, &out));
    return out;
}

static taut_body solid(taut_scene* scene, taut_shape shape, const double size[3], double x, double y, double z) {
    phys_body body = contact_at(x, y, z);
    taut_inertia_of_sphere(1, 0.1, body.inertia);
    const taut_body handle = phys_add_body(scene, &body);
    contact_shape(scene, shape, size, handle, NULL, NULL, 0);
    return handle;
}

/* A box in a box, a ball in the ground, and bodies that do not meet: the deepest counts, and the largest part. */
TAUT_TEST(contact_overlaps, bodies) {
    const double half[3] = {0.3, 0.2, 0.1}, ball[3] = {0.05, 0, 0};
    const taut_world_def def = contact_world_def(backend);
    taut_scene* scene = phys_empty_scene();
    solid(scene, TAUT_SHAPE_BOX, half, 0, 1, 0);
    solid(scene, TAUT_SHAPE_BOX, half, 0.1, 1 + 0.4 - 0.03, 0.02);
    const taut_body small = solid(scene, TAUT_SHAPE_SPHERE, ball, 2, 0.05 - 0.02, 0);
    solid(scene, TAUT_SHAPE_CAPSULE, (const double[]){0.1, 0.2, 0}, 4, 1, 0);
    contact_ground(scene, 0);
    taut_world* world = phys_world(scene, &def);
    taut_overlaps now = overlaps_of(world);
    CHECK_NEAR(now.bodies, 0.03, 1e-7);
    CHECK_NEAR(now.bodies_relative, 0.02 / (2 * 0.05), 1e-6);
    CHECK_NEAR(now.points, 0, 0);
    CHECK_INT(now.points_inside, 0);
    CHECK_INT(now.intersections, 0);
    /* of the state, not of the step */
    CHECK_OK(taut_world_write(world, TAUT_FIELD_POSITIONS, small.point, 1, (const double[]){2, 0.4, 0}));
    now = overlaps_of(world);
    CHECK_NEAR(now.bodies_relative, 0.03 / (2 * 0.1), 1e-6);
    taut_world_destroy(world);
}

#define THIN 0.0015 /* m: half of the least extent of what follows */
#define TILT 0.4    /* rad, about z: of a mesh in its own axes */

/* A box as a mesh, none of its own axes across it. */
static uint32_t tilted_box(taut_scene* scene) {
    const double half[3] = {0.006, THIN, 0.0045}, q[4] = {cos(TILT / 2), 0, 0, sin(TILT / 2)};
    phys_mesh box = closed_box(half);
    for (size_t k = 0; k < box.point_count; k++) {
        double x[3];
        phys_rotate(q, box.points + 3 * k, x);
        memcpy(box.points + 3 * k, x, sizeof x);
    }
    const uint32_t mesh = closed_add(scene, &box, 0);
    phys_mesh_free(&box);
    return mesh;
}

/* Dominoes, discs, pins and balls that lie 0.36 mm deep in the ground or in a large box, and are 3 mm thick: 12 %. */
TAUT_TEST(contact_overlaps, bodies_have_the_thickness_of_their_thinnest_side) {
    const double depth = 0.00036, s = sqrt(0.5);
    const struct {
        taut_shape shape;
        double size[3], q[4];
    } cases[] = {{TAUT_SHAPE_BOX, {THIN, 0.006, 0.0045}, {s, 0, 0, s}},
                 {TAUT_SHAPE_MESH, {0}, {cos(TILT / 2), 0, 0, -sin(TILT / 2)}},
                 {TAUT_SHAPE_CYLINDER, {0.006, THIN}, {s, -s, 0, 0}},
                 {TAUT_SHAPE_CONE, {0.006, THIN}, {s, -s, 0, 0}},
                 {TAUT_SHAPE_CYLINDER, {THIN, 0.006}, {1, 0, 0, 0}},
                 {TAUT_SHAPE_CAPSULE, {THIN, 0.006}, {1, 0, 0, 0}},
                 {TAUT_SHAPE_SPHERE, {THIN}, {1, 0, 0, 0}}};
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        const taut_world_def def = contact_world_def(backend);
        const taut_shape shape = cases[i / 2].shape;
        phys_body body = contact_at(0, THIN - depth, 0);
        taut_scene* scene = phys_empty_scene();
        taut_inertia_of_sphere(1, 0.1, body.inertia);
        const taut_body handle = phys_add_body(scene, &body);
        if (shape == TAUT_SHAPE_MESH) {
            contact_mesh(scene, tilted_box(scene), handle, NULL, cases[i / 2].q, 0);
        } else {
            contact_shape(scene, shape, cases[i / 2].size, handle, NULL, cases[i / 2].q, 0);
        }
        if (i % 2 == 0) {
            contact_ground(scene, 0);
        } else {
            const double half[3] = {1, 1, 1}, at[3] = {0, -1, 0};
            contact_shape(scene, TAUT_SHAPE_BOX, half, TAUT_WORLD, at, NULL, 0);
        }
        taut_world* world = phys_world(scene, &def);
        test_note("case %zu", i);
        CHECK_NEAR(overlaps_of(world).bodies, depth, 1e-8);
        CHECK_NEAR(overlaps_of(world).bodies_relative, 0.12, 1e-5);
        taut_world_destroy(world);
    }
    test_note(NULL);
}

/* Balls that fly at bodies which they meet off their middles. */
static taut_world* throw_balls(taut_shape target, double speed, double h) {
    const double half[3] = {0.1, 0.1, 0.1};
    taut_scene* scene = phys_empty_scene();
    taut_body ball[8];
    taut_world_def def = taut_default_world();
    def.backend = TAUT_BACKEND_CPU;
    for (int k = 0; k < 8; k++) {
        ball[k] = solid(scene, TAUT_SHAPE_SPHERE, half, -0.5 - 0.11 * speed * h * k, 0.02 * k, k);
        solid(scene, target, half, 0, 0, k);
    }
    taut_world* world = phys_world(scene, &def);
    for (int k = 0; k < 8; k++) {
        CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, ball[k].point, 1, (const double[]){speed, 0, 0}));
    }
    return world;
}

/* Boxes turn by two radians in a step; no overlap is one that is seen. */
TAUT_PLAIN_TEST(contact_overlaps, thrown_balls) {
    static const double speeds[] = {5, 15, 50}, steps[] = {1.0 / 60, 1.0 / 60, 1.0 / 240};
    for (int i = 0; i < 6; i++) {
        const double speed = speeds[i / 2], h = steps[i / 2];
        taut_world* world = throw_balls(i % 2 == 0 ? TAUT_SHAPE_BOX : TAUT_SHAPE_SPHERE, speed, h);
        for (int n = 0; n < 6 + 1 / (speed * h) && CHECK_OK(taut_world_step(world, h)); n++) {
            test_note("%g m/s at %s, step %d", speed, i % 2 == 0 ? "boxes" : "balls", n);
            CHECK(overlaps_of(world).bodies_relative < 0.08);
        }
        taut_world_destroy(world);
    }
    test_note(NULL);
}

static taut_body box_of(taut_scene* scene, const double half[3], double x, double y, double z) {
    const double sides[3] = {2 * half[0], 2 * half[1], 2 * half[2]};
    phys_body body = contact_at(x, y, z);
    body.mass = 500 * sides[0] * sides[1] * sides[2];
    taut_inertia_of_box(body.mass, sides, body.inertia);
    const taut_body handle = phys_add_body(scene, &body);
    contact_shape(scene, TAUT_SHAPE_BOX, half, handle, NULL, NULL, 0);
    return handle;
}

/* A box that flies low over the ground and meets another one off its middle. What they lose is friction of the ground,
 * no more than mu times its impulse, which is what both have upwards at the end and what gravity has taken of that. */
static void check_shot(taut_backend_kind backend, double side, double h) {
    const double half[3] = {side / 2, side / 2, side / 2}, speed = 50;
    taut_scene* scene = phys_empty_scene();
    taut_world_def def = taut_default_world();
    const taut_body shot = box_of(scene, half, -0.37, side / 2 + 0.2 * side, 0);
    const taut_body target = box_of(scene, half, 0, side / 2, 0.2 * side);
    contact_ground(scene, 0);
    def.backend = backend;
    taut_world* world = phys_world(scene, &def);
    CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, shot.point, 1, (const double[]){speed, 0, 0}));
    for (int n = 0; n < (int)ceil(0.1 / h); n++) {
        taut_step_info info;
        CHECK_OK(taut_world_step(world, h));
        CHECK_OK(taut_world_info(world, &info));
        test_note("sides of %g m, steps of %g s, step %d", side, h, n);
        CHECK_INT(info.outcome, TAUT_SOLVE_CONVERGED);
    }
    double v[2][3];
    phys_velocity(world, shot.point, v[0]);
    phys_velocity(world, target.point, v[1]);
    test_note("%g m, %g s: %g and %g m/s", side, h, v[0][0], v[1][0]);
    const double time = h * ceil(0.1 / h), mu = 0.5; /* by default */
    CHECK(speed - v[0][0] - v[1][0] <= 1.01 * mu * (v[0][1] + v[1][1] + 2 * PHYS_GRAVITY * time));
    CHECK(v[0][0] > 0 && v[1][0] > 0);
    test_note(NULL);
    taut_world_destroy(world);
}

TAUT_TEST(contact_overlaps, shot_boxes_go_on) {
    check_shot(backend, 0.03, 1.0 / 24);
    for (double side = 0.02; backend == TAUT_BACKEND_CPU && side < 0.06; side += 0.01) {
        check_shot(backend, side, 1.0 / 30);
        check_shot(backend, side, 1.0 / 60);
    }
}

/* Particles with a radius above, in and below the ground and a ball. */
TAUT_TEST(contact_overlaps, points) {
    const double radius = 0.02;
    const struct {
        double height, depth;
        size_t inside;
    } cases[] = {{0.021, 0, 0}, {0.005, 0.015, 0}, {-0.005, 0.025, 1}};
    for (int i = 0; i < 3; i++) {
        for (int on_ball = 0; on_ball < 2; on_ball++) {
            const taut_world_def def = contact_world_def(backend);
            taut_scene* scene = phys_scene(2, (const double[]){0, cases[i].height, 0, 0, 1, 0}, NULL);
            if (on_ball) {
                contact_shape(scene, TAUT_SHAPE_SPHERE, (const double[]){0.3, 0, 0}, TAUT_WORLD,
                              (const double[]){0, -0.3, 0}, NULL, 0);
            } else {
                contact_ground(scene, 0);
            }
            contact_touch(scene, 2, (const uint32_t[]){0, 1}, radius, 0);
            taut_world* world = phys_world(scene, &def);
            const taut_overlaps now = overlaps_of(world);
            test_note("case %d, ball %d", i, on_ball);
            CHECK_NEAR(now.points, cases[i].depth, 1e-8);
            CHECK_NEAR(now.points_relative, cases[i].depth / (2 * radius), 1e-6);
            CHECK_INT(now.points_inside, cases[i].inside);
            CHECK_NEAR(now.bodies, 0, 0);
            taut_world_destroy(world);
        }
    }
    test_note(NULL);
}

/* A contact surface of two triangles between the first four particles. */
static void add_plate(taut_scene* scene, double radius) {
    static const uint32_t triangles[] = {0, 2, 1, 0, 3, 2};
    taut_contact_surface_def surface = taut_default_contact_surface();
    surface.triangle_count = 2;
    surface.triangles = triangles;
    surface.radius = radius;
    CHECK_OK(taut_scene_add_contact_surface(scene, &surface, NULL));
}

/* A sheet 10 mm thick, and what is 4 mm deep in it: a ball of 0.2 m as a body or a particle, and a corner of a box; or
 * a particle that is 2 mm thick. */
TAUT_TEST(contact_overlaps, of_a_thick_sheet_and_what_is_pressed_into_it) {
    const double radius = 0.005, depth = 0.004, sizes[] = {0.2, 0.2, 0, 0.001};
    for (int i = 0; i < 4; i++) {
        const double at = sizes[i] + radius - depth;
        const double points[] = {-1, 0, -1, 1, 0, -1, 1, 0, 1, -1, 0, 1, 0.1, at, 0};
        const taut_world_def def = contact_world_def(backend);
        taut_scene* scene = phys_scene(5, points, NULL);
        add_plate(scene, radius);
        if (i == 0) {
            const uint32_t ball = contact_shape(scene, TAUT_SHAPE_SPHERE, (const double[]){0.2, 0, 0}, TAUT_WORLD,
                                                (const double[]){0.1, at, 0}, NULL, 0);
            CHECK_OK(taut_scene_add_collider_features(scene, ball, NULL));
        } else {
            contact_touch(scene, 1, (const uint32_t[]){4}, sizes[i], 0);
        }
        taut_world* world = phys_world(scene, &def);
        test_note("case %d", i);
        CHECK_NEAR(overlaps_of(world).points, depth, 1e-7);
        CHECK_NEAR(overlaps_of(world).points_relative, depth / (i == 3 ? 0.002 : 0.01), 1e-5);
        taut_world_destroy(world);
    }
    test_note(NULL);
}

/* What rests on a collider within the margin lies on it, with or without a radius. */
TAUT_TEST(contact_overlaps, points_that_lie_on_something_are_not_inside) {
    const double height[] = {0, -5e-5, -2e-4};
    for (int i = 0; i < 3; i++) {
        const taut_world_def def = contact_world_def(backend);
        taut_scene* scene = phys_scene(1, (const double[]){0, height[i], 0}, NULL);
        contact_ground(scene, 0);
        contact_touch(scene, 1, (const uint32_t[]){0}, 0, 0);
        taut_world* world = phys_world(scene, &def);
        test_note("at %g m", height[i]);
        CHECK_INT(overlaps_of(world).points_inside, height[i] < -def.contact.margin);
        CHECK_NEAR(overlaps_of(world).points, -height[i], 1e-9);
        taut_world_destroy(world);
    }
    test_note(NULL);
}

#define HEIGHT 1e3 /* where places have fewer digits */

static void put(taut_world* world, size_t vertex, const double q[4], const double local[3]) {
    double place[3];
    phys_rotate(q, local, place);
    place[1] += HEIGHT;
    CHECK_OK(taut_world_write(world, TAUT_FIELD_POSITIONS, vertex, 1, place));
}

/* A sheet with all of it in one plane does not cut itself, however it is turned; one that is folded through itself
 * does. */
TAUT_TEST(contact_overlaps, flat_sheets_cut_nothing) {
    enum { SIDE = 9, POINTS = SIDE * SIDE, TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1) };
    double points[3 * POINTS];
    uint32_t triangles[3 * TRIANGLES];
    for (int turn = 0; turn < 6; turn++) {
        double q[4];
        phys_turn((const double[]){1, 0.3 * turn, 0.1}, PHYS_PI / 2 + 0.07 * turn, q);
        for (int i = 0; i < POINTS; i++) {
            const double flat[3] = {0.1 * (i % SIDE) / 3, 0.1 * (i / SIDE) / 3, 0};
            phys_rotate(q, flat, points + 3 * i);
            points[3 * i + 1] += HEIGHT;
        }
        for (int c = 0, t = 0; c < (SIDE - 1) * (SIDE - 1); c++) {
            const uint32_t at = (uint32_t)(c / (SIDE - 1) * SIDE + c % (SIDE - 1));
            const uint32_t corner[6] = {at, at + 1, at + SIDE, at + 1, at + SIDE + 1, at + SIDE};
            memcpy(triangles + 3 * t, corner, sizeof corner);
            t += 2;
        }
        taut_contact_surface_def surface = taut_default_contact_surface();
        surface.triangle_count = TRIANGLES;
        surface.triangles = triangles;
        surface.radius = 0.001;
        const taut_world_def def = contact_world_def(backend);
        taut_scene* scene = phys_scene(POINTS, points, NULL);
        CHECK_OK(taut_scene_add_contact_surface(scene, &surface, NULL));
        taut_world* world = phys_world(scene, &def);
        test_note("turn %d", turn);
        CHECK_INT(overlaps_of(world).intersections, 0);
        /* its last corner above the middle of it; then a tent over that corner */
        put(world, POINTS - 1, q, (const double[]){0.1, 0.1, 0.03});
        CHECK_INT(overlaps_of(world).intersections, 0);
        put(world, 3 * SIDE + 3, q, (const double[]){0.1, 0.1, 0.06});
        CHECK(overlaps_of(world).intersections > 0);
        taut_world_destroy(world);
    }
    test_note(NULL);
}

/* A plate of two triangles at some height in a ball or a capsule, none of its corners near: cut where it is in what is
 * solid, not where the thickness alone overlaps. */
TAUT_TEST(contact_overlaps, a_plate_through_a_ball) {
    const double radius = 0.1, heights[] = {0, 0.09, -0.0995, 0.1005, 0.2};
    for (int i = 0; i < 10; i++) {
        const bool ball = i < 5;
        const double height = heights[i % 5];
        const double points[] = {-1, height, -1, 1, height, -1, 1, height, 1, -1, height, 1};
        const taut_world_def def = contact_world_def(backend);
        taut_scene* scene = phys_scene(4, points, NULL);
        add_plate(scene, 0.002);
        const uint32_t collider =
            contact_shape(scene, ball ? TAUT_SHAPE_SPHERE : TAUT_SHAPE_CAPSULE, (const double[]){radius, 0.05, 0},
                          TAUT_WORLD, (const double[]){0.02, 0, 0.01}, NULL, 0);
        CHECK_OK(taut_scene_add_collider_features(scene, collider, NULL));
        taut_world* world = phys_world(scene, &def);
        const taut_overlaps now = overlaps_of(world);
        test_note("%s at %g m: %zu", ball ? "ball" : "capsule", height, now.intersections);
        CHECK((now.intersections > 0) == (fabs(height) < radius));
        CHECK_INT(now.points_inside, 0);
        taut_world_destroy(world);
    }
    test_note(NULL);
}

TAUT_TEST(contact_overlaps, of_nothing) {
    const taut_world_def def = contact_world_def(backend);
    taut_world* world = phys_world(phys_scene(1, (const double[]){0, 0, 0}, NULL), &def);
    const taut_overlaps now = overlaps_of(world);
    CHECK_NEAR(now.bodies + now.points + (double)(now.intersections + now.points_inside), 0, 0);
    INVALID(taut_world_read_overlaps(world, NULL));
    INVALID(taut_world_read_overlaps(NULL, &(taut_overlaps){0}));
    taut_world_destroy(world);
}

/* A thing of 2.5 g and 2 cm that 10 N press onto the ground, 400 times its weight: it sinks in by a tenth of its radius
 * at most, however long the steps. */
TAUT_TEST(contact_overlaps, what_is_pressed_keeps_its_thickness) {
    const double radius = 0.01, steps[] = {1.0 / 24, 1.0 / 60};
    for (int i = 0; i < 2; i++) {
        const double mass = 0.0025;
        const taut_world_def def = contact_world_def(backend);
        taut_scene* scene = phys_scene(1, (const double[]){0, radius, 0}, &mass);
        contact_ground(scene, 0);
        contact_touch(scene, 1, (const uint32_t[]){0}, radius, 0);
        taut_world* world = phys_world(scene, &def);
        CHECK_OK(taut_world_set_forces(world, 0, 1, (const double[]){0, -10, 0}));
        contact_run(world, 40, steps[i], NULL);
        test_note("steps of %g s: %g of the radius", steps[i], overlaps_of(world).points / radius);
        CHECK(overlaps_of(world).points < 0.105 * radius);
        taut_world_destroy(world);
    }
    test_note(NULL);
}
