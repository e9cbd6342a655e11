/* Contact events and forces of pairs: what a ball that bounces, a stack and a slope must say of themselves. */
#include "contact_scenes.h"
#include "refused.h"
#include "surface_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define H 0.01
#define G 9.81

enum { ROOM = 64 };

static taut_world* make_world(taut_backend_kind backend, taut_scene* scene, uint32_t events, uint32_t substeps) {
    taut_world_def def = contact_world_def(backend);
    def.contact.events = events;
    def.integrator.substeps = substeps;
    return phys_world(scene, &def);
}

/* Those of the last step, of which none must be lost. */
static size_t read_pairs(taut_world* world, taut_contact_pair pairs[ROOM]) {
    size_t count = 0, lost = 7;
    CHECK_OK(taut_world_read_pairs(world, ROOM, pairs, &count, &lost));
    CHECK_INT(lost, 0);
    return count;
}

static const taut_contact_pair* pair_between(const taut_contact_pair* pairs, size_t count, taut_object first,
                                             uint32_t a, taut_object second, uint32_t b) {
    for (size_t i = 0; i < count; i++) {
        if (pairs[i].first == first && pairs[i].first_number == a && pairs[i].second == second &&
            pairs[i].second_number == b) {
            return &pairs[i];
        }
    }
    return NULL;
}

static taut_body add_box(taut_scene* scene, double y, const double half[3], double mass, uint32_t material) {
    phys_body body = contact_at(0, y, 0);
    body.mass = mass;
    taut_inertia_of_box(mass, (const double[]){2 * half[0], 2 * half[1], 2 * half[2]}, body.inertia);
    const taut_body handle = phys_add_body(scene, &body);
    contact_shape(scene, TAUT_SHAPE_BOX, half, handle, NULL, NULL, material);
    return handle;
}

/* A ball falls on the ground, bounces and touches nothing again: the impulse of the bounce is what changed its
 * momentum, and its events come in order. */
static void bounce(taut_backend_kind backend, uint32_t substeps) {
    taut_scene* scene = phys_empty_scene();
    const uint32_t hard = contact_material(scene, 0, 1), ground = contact_ground(scene, hard);
    const phys_body at = contact_at(0.3, 0.5, 0);
    const taut_body ball = contact_ball(scene, &at, 2, 0.1, hard);
    taut_world* world = make_world(backend, scene, 100, substeps);
    taut_contact_pair pairs[ROOM];
    uint32_t began = 0, ended = 0;
    double momentum = 0, v[3];
    for (int i = 0; i < 50; i++) {
        CHECK_OK(taut_world_step(world, H));
        const size_t count = read_pairs(world, pairs);
        for (size_t k = 0; k < count; k++) {
            const taut_contact_pair* pair =
                pair_between(pairs, count, TAUT_OBJECT_BODY, ball.frame, TAUT_OBJECT_COLLIDER, ground);
            REQUIRE(pair == &pairs[k]);
            began += pair->began;
            ended += pair->ended;
            CHECK_INT(began - ended, pair->touching);
            momentum += pair->impulse[1];
            CHECK_NEAR(pair->impulse[1], H * pair->force[1], 1e-12);
            if (pair->largest > 0) {
                CHECK_NEAR(pair->normal[1], 1, 1e-12);
                CHECK_NEAR(pair->position[0], 0.3, 1e-9);
                CHECK_NEAR(pair->position[1], 0, 0.03);
            }
        }
        phys_velocity(world, ball.point, v);
        CHECK_NEAR(2 * v[1], momentum - 2 * G * H * (i + 1), 1e-6);
    }
    CHECK_INT(began, 1);
    CHECK_INT(ended, 1);
    taut_world_destroy(world);
}

TAUT_TEST(contact_events, of_a_bounce) {
    bounce(backend, 1);
    bounce(backend, 4);
}

/* Boxes on each other at rest: each bears all that are above it, and so says the pair. */
TAUT_TEST(contact_events, of_a_stack) {
    enum { BOXES = 4 };
    const double half[3] = {0.2, 0.1, 0.2}, mass[BOXES] = {4, 1, 3, 2};
    taut_scene* scene = phys_empty_scene();
    const uint32_t material = contact_material(scene, 0.5, 0), ground = contact_ground(scene, material);
    taut_body box[BOXES];
    taut_contact_pair pairs[ROOM];
    double above = 0;
    for (int i = 0; i < BOXES; i++) {
        box[i] = add_box(scene, 0.1 + 0.2 * i, half, mass[i], material);
    }
    taut_world* world = make_world(backend, scene, 1000, 2);
    CHECK(phys_run(world, 150, H));
    const size_t count = read_pairs(world, pairs);
    CHECK_INT(count, BOXES);
    for (int i = BOXES; i-- > 0;) {
        above += mass[i] * G;
        const taut_contact_pair* pair =
            i > 0 ? pair_between(pairs, count, TAUT_OBJECT_BODY, box[i - 1].frame, TAUT_OBJECT_BODY, box[i].frame)
                  : pair_between(pairs, count, TAUT_OBJECT_BODY, box[0].frame, TAUT_OBJECT_COLLIDER, ground);
        REQUIRE(pair != NULL);
        const double sign = i > 0 ? -1 : 1; /* on the lower one, but for the ground */
        CHECK_NEAR(sign * pair->force[1], above, 1e-4 * above);
        CHECK_NEAR(sign * pair->normal[1], 1, 1e-9);
        CHECK(pair->contacts >= 4); /* more where one is turned by next to nothing */
        CHECK(pair->touching && !pair->began && !pair->ended);
        CHECK_NEAR(pair->position[1], 0.2 * i, 1e-3);
        CHECK_NEAR(fabs(pair->position[0]), 0.2, 1e-3);
    }
    taut_world_destroy(world);
}

/* Kinds come before numbers: a body is the first of a pair with the ground, whatever its number. */
TAUT_TEST(contact_events, are_ordered_by_kinds) {
    const double half[3] = {0.1, 0.1, 0.1};
    taut_scene* scene = phys_empty_scene();
    taut_contact_pair pairs[ROOM];
    const uint32_t material = contact_material(scene, 0.5, 0);
    contact_ground(scene, material);
    for (int i = 0; i < 3; i++) {
        const phys_body at = contact_at(i, 0.1, 0);
        const taut_body body = contact_box(scene, &at, 2, half, material);
        contact_shape(scene, TAUT_SHAPE_BOX, half, body, NULL, NULL, material);
    }
    taut_world* world = make_world(backend, scene, 1000, 2);
    CHECK(phys_run(world, 10, H));
    CHECK_INT(read_pairs(world, pairs), 3);
    for (int i = 0; i < 3; i++) {
        CHECK(pairs[i].first == TAUT_OBJECT_BODY && pairs[i].second == TAUT_OBJECT_COLLIDER);
        CHECK_NEAR(pairs[i].force[1], 2 * G, 1);
        CHECK(i == 0 || pairs[i].first_number > pairs[i - 1].first_number);
    }
    taut_world_destroy(world);
}

/* A box at rest on a slope: the force is its weight, normal and friction together. */
TAUT_TEST(contact_events, of_a_slope) {
    const double tilt = 0.3, half[3] = {0.2, 0.1, 0.2}, normal[3] = {-sin(0.3), cos(0.3), 0};
    taut_scene* scene = phys_empty_scene();
    const uint32_t material = contact_material(scene, 0.6, 0);
    phys_body body = contact_at(0, 0, 0);
    const uint32_t slope =
        contact_plane(scene, normal, (const double[]){0.1 * sin(tilt), -0.1 * cos(tilt), 0}, material);
    taut_contact_pair pairs[ROOM];
    body.mass = 3;
    phys_turn((const double[]){0, 0, 1}, tilt, body.q);
    taut_inertia_of_box(3, (const double[]){0.4, 0.2, 0.4}, body.inertia);
    const taut_body box = phys_add_body(scene, &body);
    contact_shape(scene, TAUT_SHAPE_BOX, half, box, NULL, NULL, material);
    taut_world* world = make_world(backend, scene, 1000, 1);
    CHECK(phys_run(world, 100, H));
    const size_t count = read_pairs(world, pairs);
    const taut_contact_pair* pair =
        pair_between(pairs, count, TAUT_OBJECT_BODY, box.frame, TAUT_OBJECT_COLLIDER, slope);
    REQUIRE(pair != NULL && count == 1);
    CHECK_NEAR(pair->force[0], 0, 3e-4 * 3 * G);
    CHECK_NEAR(pair->force[1], 3 * G, 3e-4 * 3 * G);
    CHECK_NEAR(phys_dot(pair->normal, normal), 1, 1e-6);
    taut_world_destroy(world);
}

/* A sheet that lies on a ball in the world, and a particle on the sheet: the objects have their numbers, and all the
 * weight goes to the ball. */
TAUT_TEST(contact_events, of_a_sheet) {
    taut_scene* scene = phys_empty_scene();
    const double radius[3] = {0.3};
    const uint32_t material = contact_material(scene, 0.8, 0);
    const uint32_t ball =
        contact_shape(scene, TAUT_SHAPE_SPHERE, radius, TAUT_WORLD, (const double[]){0, -0.3, 0}, NULL, material);
    const surface_sheet sheet = {.columns = 6,
                                 .rows = 6,
                                 .width = 0.5,
                                 .height = 0.5,
                                 .mass = 0.4,
                                 .radius = 0.01,
                                 .at = {0, 0.012, 0},
                                 .material = material};
    const double grain[3] = {0.003, 0.043, 0.002};
    taut_contact_pair pairs[ROOM];
    double force = 0, change = 0, *v;
    surface_add_sheet(scene, &sheet);
    surface_add_ball(scene, grain, 0.2, 0.02, material);
    taut_world* world = make_world(backend, scene, 4000, 2);
    for (int i = 0; i < 20; i++) {
        CHECK_OK(taut_world_step(world, H));
        const size_t count = read_pairs(world, pairs);
        const taut_contact_pair* pair = pair_between(pairs, count, TAUT_OBJECT_COLLIDER, ball, TAUT_OBJECT_SURFACE, 0);
        force += pair != NULL ? pair->impulse[1] : 0;
        if (i == 19) {
            const taut_contact_pair* on = pair_between(pairs, count, TAUT_OBJECT_SURFACE, 0, TAUT_OBJECT_POINT, 49);
            REQUIRE(pair != NULL && on != NULL);
            CHECK(on->impulse[1] < 0);
            CHECK_NEAR(phys_apart(on->position, (const double[]){0.003, 0.02, 0.002}), 0, 0.02);
        }
    }
    v = phys_field(world, TAUT_FIELD_VELOCITIES);
    for (int n = 0; n < 50; n++) {
        change += (n < 49 ? 0.4 / 49 : 0.2) * v[3 * n + 1];
    }
    CHECK_NEAR(change, -force - 0.6 * G * H * 20, 2e-4 * 0.6 * G * H * 20);
    free(v);
    taut_world_destroy(world);
}

/* What there is no room for is counted, and the rest is told. */
TAUT_TEST(contact_events, without_room) {
    const double half[3] = {0.2, 0.1, 0.2};
    taut_scene* scene = phys_empty_scene();
    contact_ground(scene, 0);
    add_box(scene, 0.1, half, 1, 0);
    taut_world* world = make_world(backend, scene, 6, 2);
    taut_contact_pair pairs[ROOM];
    size_t count = 0, lost = 0;
    CHECK(phys_run(world, 20, H));
    CHECK_OK(taut_world_read_pairs(world, ROOM, pairs, &count, &lost));
    CHECK_INT(lost, 3 * 4 - 6);
    CHECK_INT(count, 1);
    CHECK_OK(taut_world_read_pairs(world, 0, NULL, &count, NULL));
    CHECK_INT(count, 1);
    taut_world_destroy(world);
}

/* Events change no bit of the motion; worlds without them say so. */
TAUT_TEST(contact_events, leave_the_motion) {
    const double half[3] = {0.2, 0.1, 0.2};
    double* x[2];
    for (uint32_t k = 0; k < 2; k++) {
        taut_scene* scene = phys_empty_scene();
        contact_ground(scene, 0);
        add_box(scene, 0.15, half, 1, 0);
        add_box(scene, 0.4, half, 1, 0);
        taut_world* world = make_world(backend, scene, 500 * k, 2);
        taut_contact_pair pairs[ROOM];
        size_t count;
        for (int i = 0; i < 30; i++) {
            CHECK_OK(taut_world_step(world, H));
            CHECK_STATUS(taut_world_read_pairs(world, ROOM, pairs, &count, NULL),
                         k == 0 ? TAUT_INVALID_ARGUMENT : TAUT_OK);
        }
        x[k] = phys_field(world, TAUT_FIELD_POSITIONS);
        taut_world_destroy(world);
    }
    CHECK(memcmp(x[0], x[1], 6 * sizeof *x[0]) == 0);
    free(x[0]);
    free(x[1]);
}
