/* Room for contacts that grows while things move: the step that had too little is made again, and all goes on as if
 * there had been enough from the start. */
#include "contact_scenes.h"

#include <string.h>

enum { BALLS = 5 };

/* Balls that fall on the ground and on each other, a rope of one of them, and a spring, whose factor row stands behind
 * the rows of contacts and, where there is rolling friction, of their couples. */
static taut_scene* make_scene(double rolling) {
    taut_scene* scene = phys_empty_scene();
    taut_material_def law = taut_default_material();
    law.friction = 0.4;
    law.rolling = law.spinning = rolling;
    const uint32_t material = contact_material_of(scene, law);
    contact_ground(scene, material);
    for (int i = 0; i < BALLS; i++) {
        const phys_body at = contact_at(0.13 * i, 0.11 + 0.07 * (i % 2), 0.02 * i);
        const taut_body ball = contact_ball(scene, &at, 1, 0.1, material);
        contact_shape(scene, TAUT_SHAPE_SPHERE, (const double[]){0.1, 1, 1}, ball, NULL, NULL, material);
    }
    const uint32_t pair[2] = {0, BALLS - 1};
    phys_tuples link = {1, (uint32_t*)pair};
    phys_add_links(scene, &link, 1e-2, 0.01);
    return scene;
}

static taut_world* make_world(const taut_scene* scene, taut_backend_kind backend, uint32_t capacity) {
    taut_world_def def = contact_world_def(backend);
    taut_world* world = NULL;
    def.contact.capacity = capacity;
    /* By the exact law, which is not convex, a landing that rolls stops at 4e-6 of 1e-10 with the bits of clang. */
    def.contact.law = TAUT_CONTACT_CONVEX;
    CHECK_OK(taut_world_create(scene, &def, &world));
    return world;
}

/* A step, made again with more room where there is too little; how often there was. */
static int step_and_grow(taut_world* world, double h) {
    int growths = 0;
    taut_step_info info = {0};
    taut_status status;
    for (;;) {
        status = taut_world_step(world, h);
        if (status == TAUT_OK) {
            status = taut_world_sync(world);
        }
        CHECK_OK(taut_world_info(world, &info));
        if (status != TAUT_OUT_OF_CAPACITY || growths > 9) {
            break;
        }
        CHECK_OK(taut_world_grow_contacts(world, info.contacts));
        growths++;
    }
    CHECK_OK(status);
    CHECK_INT(info.outcome, TAUT_SOLVE_CONVERGED);
    return growths;
}

static void read_state(taut_world* world, double state[13 * BALLS]) {
    CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, 0, BALLS, state));
    CHECK_OK(taut_world_read(world, TAUT_FIELD_VELOCITIES, 0, BALLS, state + 3 * BALLS));
    CHECK_OK(taut_world_read(world, TAUT_FIELD_ANGULAR_VELOCITIES, 0, BALLS, state + 6 * BALLS));
    CHECK_OK(taut_world_read(world, TAUT_FIELD_ORIENTATIONS, 0, BALLS, state + 9 * BALLS));
}

/* On the CPU sums end where contacts do, so that room without use changes nothing. */
static void check_growth(taut_backend_kind backend, double rolling) {
    const bool cuda = backend == TAUT_BACKEND_CUDA;
    taut_scene* scene = make_scene(rolling);
    taut_world *grows = make_world(scene, backend, 1), *ample = make_world(scene, backend, 0);
    double a[13 * BALLS], b[13 * BALLS];
    int growths = 0;
    for (int i = 0; i < (cuda ? 12 : 60); i++) {
        growths += step_and_grow(grows, 0.01);
        CHECK_INT(step_and_grow(ample, 0.01), 0);
    }
    read_state(grows, a);
    read_state(ample, b);
    for (int i = 0; i < 13 * BALLS; i++) {
        CHECK_NEAR(a[i], b[i], cuda ? 1e-6 : 0);
    }
    taut_step_info first, second;
    CHECK_OK(taut_world_info(grows, &first));
    CHECK_OK(taut_world_info(ample, &second));
    CHECK_NEAR(first.time, second.time, 0);
    CHECK_INT(first.contacts, second.contacts);
    CHECK_INT(growths >= 2, 1);
    taut_world_destroy(grows);
    taut_world_destroy(ample);
    taut_scene_destroy(scene);
}

TAUT_TEST(contact_growth, goes_on_as_with_room_from_the_start) {
    check_growth(backend, 0);
}

TAUT_TEST(contact_growth, goes_on_with_couples_as_well) {
    check_growth(backend, 1e-3);
}

TAUT_TEST(contact_growth, refuses_what_does_not_fit) {
    taut_scene* scene = make_scene(0);
    taut_world* world = make_world(scene, backend, 30);
    double before[13 * BALLS], after[13 * BALLS];
    step_and_grow(world, 0.01);
    read_state(world, before);
    CHECK_INT(taut_world_grow_contacts(world, 29), TAUT_INVALID_ARGUMENT);
    CHECK_INT(taut_world_grow_contacts(NULL, 40), TAUT_INVALID_ARGUMENT);
    read_state(world, after);
    CHECK_INT(memcmp(before, after, sizeof before), 0);
    CHECK_INT(step_and_grow(world, 0.01), 0);
    taut_world_destroy(world);
    taut_scene_destroy(scene);
}
