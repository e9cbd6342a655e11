/* What is changed while things touch: steps of other lengths, states that are written, points that are fixed, gravity,
 * and a step that failed. Contacts follow at once, and nothing is kicked. */
#include "contact_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define H      0.01
#define RADIUS 0.1

enum { BALLS = 3 };

/* Balls of unlike masses on one another, at rest on the ground. */
typedef struct tower {
    taut_world* world;
    taut_body balls[BALLS];
    uint32_t ground;
    double mass[BALLS], weight;
} tower;

static tower make_tower(const taut_world_def* def, double friction) {
    tower t = {.weight = 0};
    taut_scene* scene = phys_empty_scene();
    const uint32_t material = contact_material(scene, friction, 0);
    t.ground = contact_ground(scene, material);
    for (int i = 0; i < BALLS; i++) {
        const phys_body at = contact_at(0, RADIUS * (2 * i + 1), 0);
        t.mass[i] = 1 + 0.7 * i;
        t.weight += t.mass[i] * PHYS_GRAVITY;
        t.balls[i] = contact_ball(scene, &at, t.mass[i], RADIUS, material);
        contact_shape(scene, TAUT_SHAPE_SPHERE, (const double[]){RADIUS, 1, 1}, t.balls[i], NULL, NULL, material);
    }
    t.world = phys_world(scene, def);
    return t;
}

static void check_ground(const tower* t, double force, double h) {
    double on_ground[3];
    contact_force_on(t->world, t->ground, on_ground);
    CHECK_NEAR(on_ground[1], -force, t->weight / PHYS_GRAVITY * CONTACT_CLOSE / h);
}

static void check_velocity(const tower* t, int ball, double vx, double vy) {
    double v[3];
    phys_velocity(t->world, t->balls[ball].point, v);
    CHECK_NEAR(v[0], vx, CONTACT_CLOSE);
    CHECK_NEAR(v[1], vy, CONTACT_CLOSE);
    CHECK_NEAR(v[2], 0, CONTACT_CLOSE);
}

/* All at rest, and the ground carries them. */
static void check_rest(const tower* t, double h) {
    for (int i = 0; i < BALLS; i++) {
        check_velocity(t, i, 0, 0);
    }
    check_ground(t, t->weight, h);
}

/* Of a resting tower steps of six lengths, after one of H. */
static contact_effort take_steps(taut_backend_kind backend, bool warm) {
    const double lengths[] = {H, 0.1 * H, 3 * H, 0.5 * H, 2 * H, 0.7 * H};
    contact_effort effort = {0};
    taut_world_def def = contact_world_def(backend);
    def.solver.warm_start = warm;
    tower t = make_tower(&def, 0.5);
    contact_step(t.world, H, NULL);
    for (int i = 0; i < 6; i++) {
        test_note("step %d of %g ms, %s", i, 1e3 * lengths[i], warm ? "warm" : "cold");
        contact_step(t.world, lengths[i], &effort);
        check_rest(&t, lengths[i]);
    }
    test_note(NULL);
    taut_world_destroy(t.world);
    return effort;
}

/* Impulses that are carried over follow the length of the step: what carried the weight before is no kick now, and as a
 * guess it spares work, as no guess does not. */
TAUT_TEST(contact_changes, steps_of_other_lengths) {
    const contact_effort warm = take_steps(backend, true), cold = take_steps(backend, false);
    test_note("%u iterations with a guess, %u without", warm.iterations, cold.iterations);
    CHECK(2 * warm.iterations < cold.iterations);
    test_note(NULL);
}

/* The upper balls are carried off and fly; the first carries itself at once. Put back, they rest as before. */
TAUT_TEST(contact_changes, written_positions) {
    const taut_world_def def = contact_world_def(backend);
    const double none[3] = {0, 0, 0};
    tower t = make_tower(&def, 0.5);
    taut_step_info info;
    contact_run(t.world, 3, H, NULL);
    for (int i = 1; i < BALLS; i++) {
        CHECK_OK(taut_world_write(t.world, TAUT_FIELD_POSITIONS, t.balls[i].point, 1, (const double[]){i, 3, 0}));
    }
    for (int k = 1; k <= 3; k++) {
        info = contact_step(t.world, H, NULL);
        CHECK_INT(info.contacts, 1);
        check_ground(&t, t.mass[0] * PHYS_GRAVITY, H);
        check_velocity(&t, 0, 0, 0);
        check_velocity(&t, 1, 0, -PHYS_GRAVITY * k * H);
        check_velocity(&t, 2, 0, -PHYS_GRAVITY * k * H);
    }
    for (int i = 1; i < BALLS; i++) {
        const double at[3] = {0, RADIUS * (2 * i + 1), 0};
        CHECK_OK(taut_world_write(t.world, TAUT_FIELD_POSITIONS, t.balls[i].point, 1, at));
        CHECK_OK(taut_world_write(t.world, TAUT_FIELD_VELOCITIES, t.balls[i].point, 1, none));
    }
    contact_run(t.world, 2, H, NULL);
    check_rest(&t, H);
    taut_world_destroy(t.world);
}

/* A ball that is thrown up leaves what it lay on; one that is pushed along the ground is held by the friction of its
 * weight alone, and rolls: v falls by mu g h in each step. */
TAUT_TEST(contact_changes, written_velocities) {
    const taut_world_def def = contact_world_def(backend);
    const double friction = 0.3;
    tower t = make_tower(&def, friction);
    contact_run(t.world, 3, H, NULL);
    CHECK_OK(taut_world_write(t.world, TAUT_FIELD_VELOCITIES, t.balls[2].point, 1, (const double[]){0, 2, 0}));
    contact_run(t.world, 1, H, NULL);
    check_velocity(&t, 2, 0, 2 - PHYS_GRAVITY * H);
    check_velocity(&t, 1, 0, 0);
    check_ground(&t, (t.mass[0] + t.mass[1]) * PHYS_GRAVITY, H);
    CHECK_OK(taut_world_write(t.world, TAUT_FIELD_POSITIONS, t.balls[1].point, 1, (const double[]){9, 5, 0}));
    CHECK_OK(taut_world_write(t.world, TAUT_FIELD_VELOCITIES, t.balls[0].point, 1, (const double[]){1, 0, 0}));
    for (int k = 1; k <= 3; k++) {
        contact_run(t.world, 1, H, NULL);
        check_velocity(&t, 0, 1 - friction * PHYS_GRAVITY * k * H, 0);
        check_ground(&t, t.mass[0] * PHYS_GRAVITY, H);
    }
    taut_world_destroy(t.world);
}

/* A fixed ball carries what lies on it, and does not touch the ground, which is fixed too; free again it presses on it
 * with all. */
TAUT_TEST(contact_changes, fixed_and_free_again) {
    const taut_world_def def = contact_world_def(backend);
    tower t = make_tower(&def, 0.5);
    contact_run(t.world, 3, H, NULL);
    for (int k = 0; k < 2; k++) {
        CHECK_OK(taut_world_set_bodies_fixed(t.world, 1, &t.balls[0], true));
        for (int i = 0; i < 2; i++) {
            contact_run(t.world, 1, H, NULL);
            check_ground(&t, 0, H);
            check_velocity(&t, 1, 0, 0);
            check_velocity(&t, 2, 0, 0);
        }
        CHECK_OK(taut_world_set_bodies_fixed(t.world, 1, &t.balls[0], false));
        contact_run(t.world, 1, H, NULL);
        check_rest(&t, H);
    }
    taut_world_destroy(t.world);
}

/* Twice the weight, none, a pull upwards that lifts all of them together, and the weight again. */
TAUT_TEST(contact_changes, gravity) {
    const taut_world_def def = contact_world_def(backend);
    tower t = make_tower(&def, 0.5);
    contact_run(t.world, 2, H, NULL);
    const double pulls[] = {-2, 0, 1};
    for (int k = 0; k < 3; k++) {
        const double up = pulls[k] * PHYS_GRAVITY;
        CHECK_OK(taut_world_set_gravity(t.world, (const double[]){0, up, 0}));
        contact_run(t.world, 1, H, NULL);
        for (int i = 0; i < BALLS; i++) {
            check_velocity(&t, i, 0, fmax(up, 0) * H);
        }
        check_ground(&t, fmax(-pulls[k], 0) * t.weight, H);
    }
    CHECK_OK(taut_world_set_gravity(t.world, (const double[]){0, -PHYS_GRAVITY, 0}));
    contact_run(t.world, 6, H, NULL);
    check_rest(&t, H);
    taut_world_destroy(t.world);
}

/* A step that runs away leaves the state as it was, and the next good one goes on from there, though without a guess.
 */
TAUT_TEST(contact_changes, goes_on_after_a_diverged_step) {
    taut_world_def def = contact_world_def(backend);
    def.speed_limit = 50;
    tower t = make_tower(&def, 0.5);
    contact_run(t.world, 3, H, NULL);
    double* kept = phys_field(t.world, TAUT_FIELD_POSITIONS);
    CHECK_OK(taut_world_set_forces(t.world, t.balls[2].point, 1, (const double[]){1e9, -1e9, 0}));
    const taut_status status = taut_world_step(t.world, H), told = taut_world_sync(t.world);
    CHECK_STATUS(status == TAUT_OK ? told : status, TAUT_DIVERGED);
    CHECK_OK(taut_world_set_forces(t.world, t.balls[2].point, 1, (const double[]){0, 0, 0}));
    double* now = phys_field(t.world, TAUT_FIELD_POSITIONS);
    CHECK_INT(memcmp(kept, now, (size_t)3 * BALLS * sizeof *kept), 0);
    for (int k = 0; k < 3; k++) {
        contact_run(t.world, 1, H, NULL);
        check_rest(&t, H);
    }
    free(kept), free(now);
    taut_world_destroy(t.world);
}
