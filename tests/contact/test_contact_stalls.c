/* Motors without a largest force stall at what does not give way, and have what force they need for all else
 * (kernels/stages/contact/stalling.h). */
#include "contact_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define H (1.0 / 60)

/* Axes of a joint whose x is the world's y, and the world's own. */
static const double upright[4] = {0.70710678118654752, 0, 0, 0.70710678118654752}, level[4] = {1, 0, 0, 0};
static const double half[3] = {0.05, 0.05, 0.05};

static taut_world* world_of(taut_scene* scene, taut_backend_kind backend, double fall) {
    taut_world_def def = contact_world_def(backend);
    def.contact.law = TAUT_CONTACT_CONVEX;
    def.solver.tolerance = 1e-5;
    def.gravity[1] = -fall;
    return phys_world(scene, &def);
}

static taut_body solid_box(taut_scene* scene, const phys_body* at, double mass, const double sides[3],
                           uint32_t material) {
    phys_body body = *at;
    body.mass = mass;
    taut_inertia_of_box(mass, (const double[]){2 * sides[0], 2 * sides[1], 2 * sides[2]}, body.inertia);
    const taut_body handle = phys_add_body(scene, &body);
    contact_shape(scene, TAUT_SHAPE_BOX, sides, handle, NULL, NULL, material);
    return handle;
}

/* A slider between two bodies with a motor without a largest force. */
static taut_batch driven_slider(taut_scene* scene, taut_body first, taut_body second, const double axes[4],
                                double speed) {
    const taut_body pair[2] = {first, second};
    double at[3] = {0, 0, 0};
    taut_motors_def def = taut_default_motors();
    taut_batch batch = {0};
    phys_add_joint(scene, TAUT_JOINT_SLIDER, first, second, at, axes);
    def.motion = TAUT_MOTION_SLIDE;
    def.count = 1;
    def.bodies = pair;
    def.positions = at;
    def.orientations = axes;
    def.speeds = &speed;
    CHECK_OK(taut_scene_add_motors(scene, &def, &batch));
    return batch;
}

static double height(taut_world* world, taut_body body) {
    double x[3];
    phys_position(world, body.point, x);
    return x[1];
}

/* A press that comes down on boxes stops on them, however fast it is and whatever it weighs. It went through them and
 * the ground. */
TAUT_TEST(contact_stalls, presses_stop) {
    static const struct {
        double speed, mass, fall;
        int boxes;
    } cases[] = {{0.5, 100, 9.81, 1}, {2, 4, 9.81, 1},   {0.05, 1, 9.81, 1},
                 {0.5, 4, 0, 1},      {0.5, 1, 9.81, 4}, {0.02, 20, 9.81, 1}};
    const size_t count = backend == TAUT_BACKEND_CPU ? sizeof cases / sizeof *cases : 2;
    for (size_t i = 0; i < count; i++) {
        const double top = 0.1 * cases[i].boxes;
        taut_scene* scene = phys_empty_scene();
        const uint32_t material = contact_material(scene, 0.5, 0);
        const phys_body high = contact_at(0, top + half[1] + 0.005, 0);
        taut_body boxes[4];
        contact_ground(scene, material);
        for (int k = 0; k < cases[i].boxes; k++) {
            const phys_body low = contact_at(0, 0.1 * k + half[1], 0);
            boxes[k] = solid_box(scene, &low, 1, half, material);
        }
        const taut_body press = solid_box(scene, &high, cases[i].mass, half, material);
        const taut_batch motor = driven_slider(scene, TAUT_WORLD, press, upright, -cases[i].speed);
        taut_world* world = world_of(scene, backend, cases[i].fall);
        double lam, deepest = 0;
        test_note("%g m/s, %g kg, %d boxes, %g m/s2", cases[i].speed, cases[i].mass, cases[i].boxes, cases[i].fall);
        for (int k = 0; k < 30 && contact_run(world, 1, H, NULL); k++) {
            deepest = fmax(deepest, half[1] - height(world, boxes[0]));
        }
        phys_multipliers(world, motor, 1, &lam);
        CHECK(deepest < 0.004 + cases[i].speed * H); /* before it is noticed */
        CHECK_NEAR(height(world, press), top + half[1] - 0.005, 0.006);
        CHECK(fabs(lam) < 1e6);
        taut_world_destroy(world);
    }
}

/* Two jaws on a hand that go towards each other grip a box, and a third motor lifts all: none is taken for another. */
TAUT_TEST(contact_stalls, grippers_lift_what_they_hold) {
    taut_scene* scene = phys_empty_scene();
    const uint32_t material = contact_material(scene, 0.5, 0);
    const double wide[3] = {0.25, 0.025, 0.05}, thin[3] = {0.01, 0.1, 0.05}, speed = 0.2;
    const phys_body places[4] = {contact_at(0, 0.3, 0), contact_at(-0.12, 0.12, 0), contact_at(0.12, 0.12, 0),
                                 contact_at(0, half[1], 0)};
    contact_ground(scene, material);
    const taut_body hand = solid_box(scene, &places[0], 2.5, wide, material),
                    left = solid_box(scene, &places[1], 0.4, thin, material),
                    right = solid_box(scene, &places[2], 0.4, thin, material),
                    box = solid_box(scene, &places[3], 1, half, material);
    const taut_batch lift = driven_slider(scene, TAUT_WORLD, hand, upright, 0);
    driven_slider(scene, hand, left, level, speed);
    driven_slider(scene, hand, right, level, -speed);
    taut_world* world = world_of(scene, backend, PHYS_GRAVITY);
    double x[3];
    contact_run(world, 40, H, NULL);
    phys_position(world, left.point, x);
    CHECK_NEAR(x[0], -half[0] - thin[0], 2e-3);
    CHECK_NEAR(height(world, box), half[1], 1e-3);
    CHECK_OK(taut_world_set_rest_values(world, lift, 0, 1, &speed));
    contact_run(world, 60, H, NULL);
    CHECK_NEAR(height(world, hand), 0.3 + speed * 60 * H, 2e-3);
    CHECK_NEAR(height(world, box), half[1] + speed * 60 * H, 4e-3);
    phys_position(world, box.point, x);
    CHECK_NEAR(x[0], 0, 2e-3);
    taut_world_destroy(world);
}

/* A lift carries what is far heavier than itself at the speed that it is asked for. */
TAUT_TEST(contact_stalls, lifts_carry_heavy_loads) {
    const double masses[3] = {1, 4, 20}, flat[3] = {0.1, 0.025, 0.1}, speed = 0.2;
    taut_scene* scene = phys_empty_scene();
    const uint32_t material = contact_material(scene, 0.5, 0);
    const phys_body low = contact_at(0, 0.3, 0);
    const taut_body lift = solid_box(scene, &low, 0.1, flat, material);
    taut_body boxes[3];
    for (int k = 0; k < 3; k++) {
        const phys_body at = contact_at(0, 0.325 + 0.1 * k + half[1], 0);
        boxes[k] = solid_box(scene, &at, masses[k], half, material);
    }
    driven_slider(scene, TAUT_WORLD, lift, upright, speed);
    taut_world* world = world_of(scene, backend, PHYS_GRAVITY);
    contact_run(world, 30, H, NULL);
    CHECK_NEAR(height(world, lift), 0.3 + speed * 30 * H, 1e-4);
    CHECK_NEAR(height(world, boxes[0]) - height(world, lift), 0.025 + half[1], 1e-3);
    taut_world_destroy(world);
}

/* A motor at rest is a brake, which nothing that lands on it moves. */
TAUT_TEST(contact_stalls, brakes_hold_what_hits_them) {
    taut_scene* scene = phys_empty_scene();
    const uint32_t material = contact_material(scene, 0.5, 0);
    const phys_body low = contact_at(0, 1, 0);
    phys_body high = contact_at(0, 1.15, 0);
    high.v[1] = -10;
    const taut_body held = solid_box(scene, &low, 1, half, material),
                    hits = solid_box(scene, &high, 50, half, material);
    driven_slider(scene, TAUT_WORLD, held, upright, 0);
    taut_world* world = world_of(scene, backend, PHYS_GRAVITY);
    contact_run(world, 30, H, NULL);
    CHECK_NEAR(height(world, held), 1, 1e-6);
    CHECK(height(world, hits) > 1.09);
    taut_world_destroy(world);
}

/* What a motor that stalls remembers is state: a world restored in between goes on bit for bit. */
TAUT_TEST(contact_stalls, stalling_is_state) {
    taut_scene* scene = phys_empty_scene();
    const uint32_t material = contact_material(scene, 0.5, 0);
    const phys_body low = contact_at(0, half[1], 0), high = contact_at(0, 3 * half[1] + 0.01, 0);
    contact_ground(scene, material);
    const taut_body box = solid_box(scene, &low, 1, half, material), press = solid_box(scene, &high, 4, half, material);
    driven_slider(scene, TAUT_WORLD, press, upright, -0.5);
    taut_world* world = world_of(scene, backend, PHYS_GRAVITY);
    double first[2][3], again[2][3];
    size_t bytes = 0;
    contact_run(world, 6, H, NULL);
    CHECK_OK(taut_world_state_size(world, &bytes));
    void* block = malloc(bytes);
    CHECK_OK(taut_world_save(world, bytes, block, &bytes));
    contact_run(world, 10, H, NULL);
    phys_position(world, box.point, first[0]);
    phys_position(world, press.point, first[1]);
    CHECK_OK(taut_world_load(world, block, bytes));
    contact_run(world, 10, H, NULL);
    phys_position(world, box.point, again[0]);
    phys_position(world, press.point, again[1]);
    CHECK(memcmp(first, again, sizeof first) == 0);
    free(block);
    taut_world_destroy(world);
}

/* A hard drive whose target goes through what does not give way stalls, too. Once its target comes back it goes along
 * with it, no faster than that and what closes what it was late by. */
TAUT_TEST(contact_stalls, drives_stall_and_come_back) {
    const double slow = 1.0 / 120, down = -0.15, up = 0.05;
    taut_scene* scene = phys_empty_scene();
    const uint32_t material = contact_material(scene, 0.5, 0);
    const phys_body low = contact_at(0, half[1], 0), high = contact_at(0, 3 * half[1] + 0.01, 0);
    taut_joints_def def = taut_default_joints();
    taut_joint_batches batches;
    taut_body bodies[2] = {TAUT_WORLD};
    contact_ground(scene, material);
    const taut_body box = solid_box(scene, &low, 1, half, material), press = solid_box(scene, &high, 4, half, material);
    bodies[1] = press;
    def.type = TAUT_JOINT_SLIDER;
    def.count = 1;
    def.bodies = bodies;
    def.positions = high.x;
    def.orientations = upright;
    def.drive = true;
    CHECK_OK(taut_scene_add_joints(scene, &def, &batches));
    taut_world* world = world_of(scene, backend, PHYS_GRAVITY);
    double last = height(world, press), fastest = 0;
    for (int k = 0; k < 20; k++) {
        CHECK_OK(taut_world_move_targets(world, batches.drive, 0, 1, (const double[]){down * (k + 1) / 20}));
        contact_run(world, 1, slow, NULL);
    }
    CHECK_NEAR(height(world, press), 3 * half[1], 2e-3);
    CHECK_NEAR(height(world, box), half[1], 2e-3);
    for (int k = 0; k < 60; k++) {
        const double share = k < 30 ? (k + 1) / 30.0 : 1;
        CHECK_OK(taut_world_move_targets(world, batches.drive, 0, 1, (const double[]){down + (up - down) * share}));
        contact_run(world, 1, slow, NULL);
        fastest = fmax(fastest, fabs(height(world, press) - last) / slow);
        last = height(world, press);
    }
    CHECK_NEAR(height(world, press), high.x[1] + up, 2e-3);
    CHECK_NEAR(height(world, box), half[1], 1e-3);
    test_note("%g m/s", fastest);
    CHECK(fastest < 2.5 * (up - down) / (30 * slow));
    taut_world_destroy(world);
}
