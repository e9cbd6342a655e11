/* Nothing passes through a surface, whatever the speed and however few iterations: random scenes, of sheets, ropes,
 * balls and boxes, looked at after every step by intersections.h. */
#include "crossing_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CELLS  6
#define CORNER ((CELLS + 1) * (CELLS + 1))
#define LINKS  12

/* ---- two sheets -------------------------------------------------------------------------------------------------- */

typedef struct meeting {
    size_t cuts;
    uint32_t resolved, zones;
    double lost[3], kinetic[2]; /* of momentum; before and after */
} meeting;

static void momentum_of(taut_world* world, size_t points, double out[3]) {
    double* v = phys_field(world, TAUT_FIELD_VELOCITIES);
    out[0] = out[1] = out[2] = 0;
    for (size_t i = 0; i < 3 * points; i++) {
        out[i % 3] += 0.03 / CORNER * v[i];
    }
    free(v);
}

/* Sheets that fly at each other without gravity, one substep each. */
static meeting meet_within(double speed, uint32_t limit, bool unchecked, double seconds) {
    crossing_cloud c = crossing_begin(CELLS);
    random_state r = {7};
    meeting out = {0};
    double before[3], after[3];
    crossing_add_sheet(&c, &r, 0.2, (const double[]){0, 0, 0});
    crossing_add_sheet(&c, &r, 0.2, (const double[]){0.03, 0.12, 0.05});
    taut_world* world = crossing_world(&c, TAUT_BACKEND_CPU, limit, unchecked);
    CHECK_OK(taut_world_set_gravity(world, (const double[]){0, 0, 0}));
    crossing_set_velocity(world, c.first[0], CORNER, (const double[]){0, speed / 2, 0});
    crossing_set_velocity(world, c.first[1], CORNER, (const double[]){0.1 * speed, -speed / 2, 0});
    momentum_of(world, 2 * (size_t)CORNER, before);
    for (int i = 0; i < 12; i++) {
        taut_step_info info;
        CHECK_OK(seconds > 0 ? taut_world_step_for(world, CROSSING_H, seconds) : taut_world_step(world, CROSSING_H));
        CHECK_OK(taut_world_info(world, &info));
        out.resolved += info.resolved;
        out.zones += info.zones;
        out.kinetic[1] = info.kinetic;
        out.kinetic[0] = i == 0 ? 0.03 * (0.5 * speed * speed + 0.01 * speed * speed) / 2 : out.kinetic[0];
        out.cuts += crossing_cuts(world, &c);
    }
    momentum_of(world, 2 * (size_t)CORNER, after);
    for (int a = 0; a < 3; a++) {
        out.lost[a] = after[a] - before[a];
    }
    taut_world_destroy(world);
    crossing_end(&c);
    return out;
}

static meeting meet(double speed, uint32_t limit, bool unchecked) {
    return meet_within(speed, limit, unchecked, 0);
}

TAUT_PLAIN_TEST(contact_crossings, sheets_at_any_speed_and_limit) {
    const double speeds[] = {5, 15, 50};
    const uint32_t limits[] = {1, 2, 5, 10, 20, 2000};
    uint32_t zones = 0;
    for (size_t i = 0; i < 3; i++) {
        for (size_t k = 0; k < 6; k++) {
            const meeting m = meet(speeds[i], limits[k], false);
            test_note("%g m/s, %u iterations: %u solved again, %u zones, kinetic %g from %g J, momentum %g %g %g",
                      speeds[i], limits[k], m.resolved, m.zones, m.kinetic[1], m.kinetic[0], m.lost[0], m.lost[1],
                      m.lost[2]);
            CHECK_INT(m.cuts, 0);
            CHECK(m.kinetic[1] <= 1.001 * m.kinetic[0]);
            zones += m.zones;
        }
    }
    test_note(NULL);
    CHECK(zones > 0); /* they have been tried */
}

TAUT_PLAIN_TEST(contact_crossings, sheets_at_any_speed_and_budget) {
    const double speeds[] = {5, 15, 50}, budgets[] = {1e-9, 1e-3, 1e-2};
    for (size_t i = 0; i < 3; i++) {
        for (size_t k = 0; k < 3; k++) {
            const meeting m = meet_within(speeds[i], 2000, false, budgets[k]);
            test_note("%g m/s within %g s: %u solved again, %u zones, kinetic %g from %g J", speeds[i], budgets[k],
                      m.resolved, m.zones, m.kinetic[1], m.kinetic[0]);
            CHECK_INT(m.cuts, 0);
            CHECK(m.kinetic[1] <= 1.001 * m.kinetic[0]);
        }
    }
    test_note(NULL);
}

/* What is not looked for happens: the scene above is one in which it matters. */
TAUT_PLAIN_TEST(contact_crossings, unchecked_sheets_pass) {
    const meeting m = meet(50, 1, true);
    CHECK(m.cuts > 0);
    CHECK_INT(m.resolved, 0);
    CHECK_INT(m.zones, 0);
}

/* Contacts that are made of crossings keep the momentum, as the solver is right. */
TAUT_PLAIN_TEST(contact_crossings, momentum_is_kept) {
    const meeting m = meet(15, 2000, false);
    for (int a = 0; a < 3; a++) {
        CHECK_NEAR(m.lost[a], 0, CROSSING_TOLERANCE * 0.03 * 15);
    }
}

/* ---- random scenes ----------------------------------------------------------------------------------------------- */

/* Sheets above each other that fall or are thrown, a ball or a box from below, and a rope. */
static void check_random(uint64_t seed, const uint32_t* limits, size_t limit_count) {
    random_state r = {seed};
    crossing_cloud c = crossing_begin(CELLS);
    const double speeds[] = {1, 5, 15, 50}, speed = speeds[(int)random_in(&r, 0, 3.999)];
    const uint32_t limit = limits[(size_t)random_in(&r, 0, (double)limit_count - 1e-3)];
    const size_t sheets = random_in(&r, 0, 1) < 0.5 ? 2 : 3;
    for (size_t i = 0; i < sheets; i++) {
        const double at[3] = {random_in(&r, -0.05, 0.05), 0.5 * (double)i, random_in(&r, -0.05, 0.05)};
        crossing_add_sheet(&c, &r, 0.8, at);
    }
    phys_body body = contact_at(random_in(&r, -0.05, 0.05), -0.45, random_in(&r, -0.05, 0.05));
    const bool ball = random_in(&r, 0, 1) < 0.6;
    const double half[3] = {0.05, 0.03, 0.07}, radius = 0.08;
    const double size[3] = {ball ? radius : half[0], half[1], half[2]};
    body.v[1] = random_in(&r, 0, speed);
    const taut_body handle = ball ? contact_ball(c.scene, &body, 0.2, radius, c.material)
                                  : contact_box(c.scene, &body, 0.2, half, c.material);
    const uint32_t shape =
        contact_shape(c.scene, ball ? TAUT_SHAPE_SPHERE : TAUT_SHAPE_BOX, size, handle, NULL, NULL, c.material);
    CHECK_OK(taut_scene_add_collider_features(c.scene, shape, NULL));
    crossing_add_rope(&c, LINKS);
    taut_world* world = crossing_world(&c, TAUT_BACKEND_CPU, limit, false);
    for (size_t i = 0; i < sheets; i++) {
        const double v[3] = {random_in(&r, -0.2, 0.2) * speed, (i == 0 ? 0.5 : -1) * random_in(&r, 0, speed), 0};
        crossing_set_velocity(world, c.first[i], CORNER, v);
    }
    CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, handle.point, 1, body.v));
    test_note("seed %llu, %g m/s, %u iterations", (unsigned long long)seed, speed, limit);
    for (int i = 0; i < 10; i++) {
        double at[3];
        CHECK_OK(taut_world_step(world, CROSSING_H));
        phys_position(world, handle.point, at);
        CHECK_INT(crossing_cuts(world, &c), 0);
        CHECK(crossing_distance(world, &c, at) >= (ball ? radius : 0.03));
    }
    test_note(NULL);
    taut_world_destroy(world);
    crossing_end(&c);
}

TAUT_PLAIN_TEST(contact_crossings, random_scenes_at_few_iterations) {
    const uint32_t limits[] = {1, 2, 5, 10, 20};
    for (uint64_t seed = 1; seed <= 40; seed++) {
        check_random(seed, limits, 5);
    }
}

TAUT_PLAIN_TEST(contact_crossings, random_scenes_that_are_solved) {
    const uint32_t limits[] = {2000};
    for (uint64_t seed = 101; seed <= 110; seed++) {
        check_random(seed, limits, 1);
    }
}

/* ---- small scenes, on both backends ------------------------------------------------------------------------------ */

/* Two sheets of a few cells that fly at each other, one of them with a corner that is held. */
static taut_world* small_world(crossing_cloud* c, taut_backend_kind backend, double speed, uint32_t limit,
                               bool unchecked) {
    random_state r = {7};
    *c = crossing_begin(2);
    crossing_add_sheet(c, &r, 0.2, (const double[]){0, 0, 0});
    crossing_add_sheet(c, &r, 0.2, (const double[]){0.03, 0.06, 0.05});
    phys_fix(c->scene, 1, (const uint32_t[]){0});
    taut_world* world = crossing_world(c, backend, limit, unchecked);
    crossing_set_velocity(world, c->first[0] + 1, crossing_points(c) - 1, (const double[]){0, speed / 2, 0});
    crossing_set_velocity(world, c->first[1], crossing_points(c), (const double[]){0.1 * speed, -speed / 2, 0});
    return world;
}

static meeting meet_small(taut_backend_kind backend, double speed, uint32_t limit, bool unchecked) {
    crossing_cloud c;
    meeting out = {0};
    taut_world* world = small_world(&c, backend, speed, limit, unchecked);
    for (int i = 0; i < 3; i++) {
        taut_step_info info;
        CHECK_OK(taut_world_step(world, CROSSING_H));
        CHECK_OK(taut_world_info(world, &info));
        out.resolved += info.resolved;
        out.zones += info.zones;
        out.cuts += crossing_cuts(world, &c);
    }
    taut_world_destroy(world);
    crossing_end(&c);
    return out;
}

TAUT_TEST(contact_crossings, small_sheets) {
    const double speeds[] = {15, 50, 100};
    const uint32_t limits[] = {5, 5, 1};
    for (int i = 0; i < 3; i++) {
        const meeting m = meet_small(backend, speeds[i], limits[i], false);
        test_note("%g m/s, %u iterations: %u solved again, %u zones", speeds[i], limits[i], m.resolved, m.zones);
        CHECK_INT(m.cuts, 0);
        CHECK(m.resolved > 0 && m.zones > 0);
    }
    test_note(NULL);
}

TAUT_TEST(contact_crossings, small_unchecked_sheets_pass) {
    const meeting m = meet_small(backend, 15, 5, true);
    CHECK(m.cuts > 0);
    CHECK_INT(m.resolved + m.zones, 0);
}

/* Lists, zones and their sums have the order that they have on the CPU. */
TAUT_CUDA_TEST(contact_crossings, as_on_the_cpu) {
    crossing_cloud c[2];
    taut_world* world[2];
    uint32_t zones = 0;
    world[0] = small_world(&c[0], TAUT_BACKEND_CPU, 15, 5, false);
    world[1] = small_world(&c[1], backend, 15, 5, false);
    for (int i = 0; i < 3; i++) {
        taut_step_info info[2];
        double* x[2];
        for (int k = 0; k < 2; k++) {
            CHECK_OK(taut_world_step(world[k], CROSSING_H));
            CHECK_OK(taut_world_info(world[k], &info[k]));
            x[k] = phys_field(world[k], TAUT_FIELD_POSITIONS);
        }
        test_note("step %d: %u solved again, %u zones", i, info[0].resolved, info[0].zones);
        CHECK_INT(info[1].resolved, info[0].resolved);
        CHECK_INT(info[1].zones, info[0].zones);
        CHECK_NEAR(phys_farthest(x[1], x[0], 6 * crossing_points(&c[0])), 0, 1e-6);
        zones += info[0].zones;
        free(x[0]), free(x[1]);
    }
    test_note(NULL);
    CHECK(zones > 0);
    for (int k = 0; k < 2; k++) {
        taut_world_destroy(world[k]);
        crossing_end(&c[k]);
    }
}
