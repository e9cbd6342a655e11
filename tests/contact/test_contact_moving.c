/* Colliders on bodies that the user moves, and the same bits from any number of threads. */
#include "contact_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define H 0.01

/* ---- a plate that is pulled away ------------------------------------------------------------------------------------
 */

typedef struct plate {
    taut_world* world;
    taut_body plate, block;
} plate;

/* A block on a fixed plate. */
static plate make_plate(taut_backend_kind backend, double friction) {
    const double half[3] = {0.1, 0.05, 0.1}, size[3] = {2, 0.2, 2};
    const phys_body on = contact_at(0, 0.05, 0);
    phys_body under = contact_at(0, -0.2, 0);
    plate p;
    taut_scene* scene = phys_empty_scene();
    const uint32_t material = contact_material(scene, friction, 0);
    under.fixed = true;
    taut_inertia_of_box(1, size, under.inertia);
    p.plate = phys_add_body(scene, &under);
    p.block = contact_box(scene, &on, 1.3, half, material);
    contact_shape(scene, TAUT_SHAPE_BOX, size, p.plate, NULL, NULL, material);
    const taut_world_def def = contact_world_def(backend);
    p.world = phys_world(scene, &def);
    return p;
}

/* The plate's velocity grows by a h (0.6, 0, 0.8) in each step: the block has it up to a = mu g, and lags beyond. */
static void check_carried(taut_backend_kind backend, double friction, double a) {
    plate p = make_plate(backend, friction);
    double at[3] = {0, -0.2, 0}, v[3];
    for (int i = 1; i <= 12; i++) {
        const double speed = a * i * H, carried = fmin(a, friction * PHYS_GRAVITY) * i * H;
        phys_add(speed * H, (const double[]){0.6, 0, 0.8}, at);
        CHECK_OK(taut_world_move_fixed(p.world, 1, &p.plate.point, at));
        contact_run(p.world, 1, H, NULL);
        phys_velocity(p.world, p.block.point, v);
        test_note("friction %g, acceleration %g, step %d", friction, a, i);
        CHECK_NEAR(v[0], 0.6 * carried, CONTACT_CLOSE);
        CHECK_NEAR(v[1], 0, CONTACT_CLOSE);
        CHECK_NEAR(v[2], 0.8 * carried, CONTACT_CLOSE);
    }
    test_note(NULL);
    taut_world_destroy(p.world);
}

TAUT_TEST(contact_moving, plate_carries_a_block) {
    const double friction = 0.4, most = friction * PHYS_GRAVITY;
    check_carried(backend, friction, 0.5 * most);
    check_carried(backend, friction, 0.99 * most);
    check_carried(backend, friction, 2 * most);
}

/* A plate that rises takes the block with it, and one that falls faster than g leaves it behind. */
TAUT_TEST(contact_moving, plate_lifts_a_block) {
    const double speeds[] = {0.5, -1};
    for (int i = 0; i < 2; i++) {
        plate p = make_plate(backend, 0.4);
        double v[3];
        CHECK_OK(taut_world_move_fixed(p.world, 1, &p.plate.point, (const double[]){0, -0.2 + speeds[i] * H, 0}));
        contact_run(p.world, 1, H, NULL);
        phys_velocity(p.world, p.block.point, v);
        CHECK_NEAR(v[1], fmax(speeds[i], -PHYS_GRAVITY * H), CONTACT_CLOSE);
        taut_world_destroy(p.world);
    }
}

/* A turntable: a block that is not turned along slides, one that sticks goes round with w r; in the first step exactly.
 */
TAUT_TEST(contact_moving, turntable) {
    const double angle = 0.002, way[4] = {cos(angle / 2), 0, sin(angle / 2), 0};
    plate p = make_plate(backend, 2);
    double w[3];
    CHECK_OK(taut_world_move_fixed_frames(p.world, 1, &p.plate.frame, way));
    contact_run(p.world, 1, H, NULL);
    CHECK_OK(taut_world_read(p.world, TAUT_FIELD_ANGULAR_VELOCITIES, p.block.frame, 1, w));
    CHECK_NEAR(w[1], angle / H, CONTACT_CLOSE);
    CHECK_NEAR(hypot(w[0], w[2]), 0, CONTACT_CLOSE);
    taut_world_destroy(p.world);
}

/* A block and a particle that lie on a turntable stay at their distances from its axis, at any rate. */
TAUT_TEST(contact_moving, turntable_keeps_what_lies_on_it) {
    const double half[3] = {0.1, 0.05, 0.1}, size[3] = {2, 0.2, 2}, fps = 24, turn = 2;
    const phys_body on = contact_at(0.5, 0.05, 0);
    phys_body under = contact_at(0, -0.2, 0);
    taut_scene* scene = phys_scene(1, (const double[]){0, 0.01, 0.4}, NULL);
    const uint32_t material = contact_material(scene, 0.9, 0);
    taut_world_def def = contact_world_def(backend);
    under.fixed = true;
    taut_inertia_of_box(1, size, under.inertia);
    const taut_body table = phys_add_body(scene, &under), block = contact_box(scene, &on, 1.3, half, material);
    contact_touch(scene, 1, (const uint32_t[]){0}, 0.01, material);
    contact_shape(scene, TAUT_SHAPE_BOX, size, table, NULL, NULL, material);
    def.contact.law = TAUT_CONTACT_CONVEX;
    taut_world* world = phys_world(scene, &def);
    for (int i = 1; i <= 24; i++) {
        const double angle = turn * i / fps, way[4] = {cos(angle / 2), 0, sin(angle / 2), 0};
        CHECK_OK(taut_world_move_fixed_frames(world, 1, &table.frame, way));
        contact_run(world, 1, 1 / fps, NULL);
    }
    double x[3];
    phys_position(world, block.point, x);
    CHECK_NEAR(hypot(x[0], x[2]), 0.5, 3e-3); /* both slide while they are taken along */
    phys_position(world, 0, x);
    CHECK_NEAR(hypot(x[0], x[2]), 0.4, 3e-3);
    taut_world_destroy(world);
}

/* A ball that turns is met by a particle of a radius, which does not turn: with friction, they keep their angular
 * momentum. */
TAUT_TEST(contact_moving, particles_of_a_radius_give_no_moment) {
    const double size[3] = {0.5, 0, 0}, moment = 0.2, spin = 3, mass = 0.3, from[3] = {0.7, 0, 0},
                 v[3] = {-1, 0.7, 0.2};
    taut_scene* scene = phys_scene(1, from, &mass);
    const uint32_t material = contact_material(scene, 0.8, 0);
    phys_body ball = contact_at(0, 0, 0);
    ball.mass = 2;
    ball.inertia[0] = ball.inertia[1] = ball.inertia[2] = moment;
    ball.w[2] = spin;
    const taut_body body = phys_add_body(scene, &ball);
    contact_touch(scene, 1, (const uint32_t[]){0}, 0.2, material);
    contact_shape(scene, TAUT_SHAPE_SPHERE, size, body, NULL, NULL, material);
    taut_world_def def = contact_world_def(backend);
    def.gravity[1] = 0;
    taut_world* world = phys_world(scene, &def);
    CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, 0, 1, v));
    contact_run(world, 1, H, NULL);
    double after[3], w[3], gained[3];
    CHECK_OK(taut_world_read(world, TAUT_FIELD_VELOCITIES, 0, 1, after));
    CHECK_OK(taut_world_read(world, TAUT_FIELD_ANGULAR_VELOCITIES, body.frame, 1, w));
    for (int i = 0; i < 3; i++) {
        gained[i] = mass * (after[i] - v[i]);
    }
    CHECK(gained[1] > 0.01); /* friction takes it along */
    CHECK_NEAR(moment * w[0], 0, CONTACT_CLOSE);
    CHECK_NEAR(moment * w[1] - from[0] * gained[2], 0, CONTACT_CLOSE);
    CHECK_NEAR(moment * (w[2] - spin) + from[0] * gained[1], 0, CONTACT_CLOSE);
    taut_world_destroy(world);
}

/* Likewise a block on a table that a hinge holds, and nothing drives: heavy beside the block, or light. */
TAUT_TEST(contact_moving, hinged_table_keeps_what_lies_on_it) {
    const double half[3] = {0.05, 0.05, 0.05}, size[3] = {2, 0.2, 2}, turns = 3;
    for (int light = 0; light < 2; light++) {
        taut_scene* scene = phys_empty_scene();
        const uint32_t material = contact_material(scene, 0.9, 0);
        phys_body on = contact_at(0.3, 0.05, 0), under = contact_at(0, -0.2, 0);
        double axes[4];
        under.mass = light != 0 ? 1 : 100;
        taut_inertia_of_box(under.mass, (const double[]){4, 0.4, 4}, under.inertia);
        on.v[2] = -0.3 * turns;
        on.w[1] = under.w[1] = turns;
        phys_turn((const double[]){0, 0, 1}, 1.5707963267948966, axes); /* from x to y */
        const taut_body table = phys_add_body(scene, &under), block = contact_box(scene, &on, 1, half, material);
        contact_shape(scene, TAUT_SHAPE_BOX, size, table, NULL, NULL, material);
        phys_add_joint(scene, TAUT_JOINT_HINGE, TAUT_WORLD, table, under.x, axes);
        taut_world_def def = contact_world_def(backend);
        def.contact.law = TAUT_CONTACT_CONVEX;
        taut_world* world = phys_world(scene, &def);
        contact_run(world, backend == TAUT_BACKEND_CUDA ? 5 : 60, 1.0 / 60, NULL);
        double x[3];
        phys_position(world, block.point, x);
        test_note("%s table", light != 0 ? "light" : "heavy");
        CHECK_NEAR(hypot(x[0], x[2]), 0.3, 2e-4);
        taut_world_destroy(world);
    }
    test_note(NULL);
}

/* ---- the same bits ----------------------------------------------------------------------------------------------- */

/* A heap of particles on a slope with a ball in it: enough of them for the CPU to share, few for an emulator. */
static taut_scene* make_heap(uint32_t side) {
    const size_t count = (size_t)side * side;
    double* points = phys_array(3 * count, sizeof *points);
    uint32_t* all = phys_array(count, sizeof *all);
    for (uint32_t i = 0; i < count; i++) {
        all[i] = i;
        points[3 * i] = 0.05 * (i % side);
        points[3 * i + 1] = 0.3 + 0.02 * sin(5.0 * i);
        points[3 * i + 2] = 0.05 * (i / side);
    }
    const double middle = 0.025 * side;
    const phys_body at = contact_at(middle, 0.2, middle);
    taut_scene* scene = phys_scene(count, points, NULL);
    contact_touch(scene, count, all, 0.005, 0);
    const taut_body ball = contact_ball(scene, &at, 5, 0.1, 0);
    contact_shape(scene, TAUT_SHAPE_SPHERE, (const double[]){0.1, 1, 1}, ball, NULL, NULL, 0);
    contact_plane(scene, (const double[]){0.3, 0.9, 0.1}, NULL, 0);
    free(points), free(all);
    return scene;
}

/* Everything that a world says after some steps: positions, velocities, contacts. To be freed. */
static double* end_of_heap(taut_backend_kind backend, uint32_t threads, uint32_t side, size_t* values) {
    taut_world_def def = contact_world_def(backend);
    def.threads = threads;
    def.solver.tolerance = 1e-6;
    taut_world* world = phys_world(make_heap(side), &def);
    for (int i = 0; i < 12; i++) {
        CHECK_OK(taut_world_step(world, 0.02));
    }
    const size_t n = 3 * taut_world_particle_count(world), most = 2 * (size_t)side * side;
    double *x = phys_field(world, TAUT_FIELD_POSITIONS), *v = phys_field(world, TAUT_FIELD_VELOCITIES);
    taut_contact* contacts = phys_array(most, sizeof *contacts);
    size_t count = 0;
    CHECK_OK(taut_world_read_contacts(world, most, contacts, &count));
    CHECK(count > side);
    *values = 2 * n + 5 * most;
    double* out = phys_array(*values, sizeof *out);
    memcpy(out, x, n * sizeof *x);
    memcpy(out + n, v, n * sizeof *v);
    for (size_t i = 0; i < count; i++) {
        const double one[5] = {contacts[i].point, contacts[i].collider, contacts[i].force[0], contacts[i].force[1],
                               contacts[i].force[2]};
        memcpy(out + 2 * n + 5 * i, one, sizeof one);
    }
    free(x), free(v), free(contacts);
    taut_world_destroy(world);
    return out;
}

TAUT_TEST(contact_moving, same_bits_from_any_threads) {
    const uint32_t threads[] = {1, 1, 2, 4}, side = backend == TAUT_BACKEND_CUDA ? 3 : 24;
    size_t values = 0;
    double* expected = end_of_heap(backend, 1, side, &values);
    for (int i = 1; i < (backend == TAUT_BACKEND_CUDA ? 2 : 4); i++) {
        double* again = end_of_heap(backend, threads[i], side, &values);
        test_note("%u threads", threads[i]);
        CHECK(memcmp(expected, again, values * sizeof *again) == 0);
        free(again);
    }
    test_note(NULL);
    free(expected);
}

/* Paths are looked at as soon as a collider moves somewhere: what has no radius comes to lie on the ground, a box and a
 * mesh as it does without, and goes through none. */
TAUT_TEST(contact_moving, points_without_a_radius_come_to_lie) {
    const double half[3] = {1, 0.05, 1};
    const double speeds[] = {0, 30};
    for (int i = 0; i < 4; i++) {
        phys_body mover = contact_at(9, 9, 9);
        const taut_world_def def = contact_world_def(backend);
        taut_scene* scene = phys_scene(1, (const double[]){0, 0.01, 0}, NULL);
        mover.fixed = true;
        taut_inertia_of_box(1, half, mover.inertia);
        contact_shape(scene, TAUT_SHAPE_BOX, half, phys_add_body(scene, &mover), NULL, NULL, 0);
        if (i % 2 == 0) {
            contact_ground(scene, 0);
        } else {
            contact_shape(scene, TAUT_SHAPE_BOX, half, TAUT_WORLD, (const double[]){0, -0.05, 0}, NULL, 0);
        }
        contact_touch(scene, 1, (const uint32_t[]){0}, 0, 0);
        taut_world* world = phys_world(scene, &def);
        CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, 0, 1, (const double[]){0, -speeds[i / 2], 0}));
        for (int n = 0; n < 30; n++) {
            test_note("%s, %g m/s, step %d", i % 2 == 0 ? "ground" : "box", speeds[i / 2], n + 1);
            CHECK_INT(contact_step(world, 1.0 / 24, NULL).zones, 0);
        }
        double x[3], v[3];
        phys_position(world, 0, x);
        phys_velocity(world, 0, v);
        CHECK_NEAR(x[1], 0, 1e-3);
        CHECK_NEAR(v[1], 0, 1e-3);
        taut_world_destroy(world);
    }
    test_note(NULL);
}
