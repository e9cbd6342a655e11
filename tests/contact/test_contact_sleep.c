/* Islands that sleep: what falls asleep and what must not, what wakes them, and that nothing else tells a world in
 * which things sleep from one in which they do not. */
#include "contact_scenes.h"
#include "refused.h"
#include "surface_scenes.h"

#include "taut/added.h"
#include "taut/events.h"
#include "taut/save.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define H (1.0 / 60)
/* Half of a box's side, m, and its mass, kg. */
#define HALF 0.05
#define MASS 0.5
#define MOST 128

typedef struct sleepers {
    taut_scene* scene;
    taut_world* world;
    size_t count;
    taut_body box[MOST];
    taut_body plate; /* fixed */
} sleepers;

static taut_body add_box(sleepers* s, double x, double y, double z) {
    const double half[3] = {HALF, HALF, HALF}, sides[3] = {2 * HALF, 2 * HALF, 2 * HALF};
    phys_body body = contact_at(x, y, z);
    body.mass = MASS;
    taut_inertia_of_box(MASS, sides, body.inertia);
    const taut_body box = phys_add_body(s->scene, &body);
    contact_shape(s->scene, TAUT_SHAPE_BOX, half, box, NULL, NULL, 0);
    s->box[s->count++] = box;
    return box;
}

static sleepers begin_scene(double friction) {
    sleepers s = {.scene = phys_empty_scene()};
    contact_material(s.scene, friction, 0);
    return s;
}

/* A fixed plate whose top is at y = 0. */
static void add_plate(sleepers* s, double half_length) {
    const double half[3] = {half_length, 0.1, half_length}, sides[3] = {2 * half_length, 0.2, 2 * half_length};
    phys_body body = contact_at(0, -0.1, 0);
    body.fixed = true;
    taut_inertia_of_box(1, sides, body.inertia);
    s->plate = phys_add_body(s->scene, &body);
    contact_shape(s->scene, TAUT_SHAPE_BOX, half, s->plate, NULL, NULL, 0);
}

static taut_world_def sleep_def(void) {
    taut_world_def def = taut_default_world();
    def.backend = TAUT_BACKEND_CPU;
    def.sleep.speed = 0.02;
    return def;
}

static void open_sleepers(sleepers* s) {
    const taut_world_def def = sleep_def();
    s->world = phys_world(s->scene, &def);
    s->scene = NULL;
}

/* Columns of boxes, `high` each, on the plate, a box apart. */
static sleepers make_columns(int columns, int high) {
    sleepers s = begin_scene(0.5);
    add_plate(&s, 3);
    for (int i = 0; i < columns * high; i++) {
        add_box(&s, 4 * HALF * (i / high - (columns - 1) / 2.0), HALF * (1 + 2 * (i % high)), 0);
    }
    open_sleepers(&s);
    return s;
}

static taut_step_info step(const sleepers* s) {
    return contact_step_off(s->world, H);
}

/* Steps until so many bodies sleep; false after ten seconds. */
static bool run_until_asleep(const sleepers* s, uint32_t count) {
    bool asleep = false;
    for (int i = 0; i < 600 && !asleep; i++) {
        asleep = step(s).asleep == count;
    }
    return CHECK(asleep);
}

static void run(const sleepers* s, double seconds) {
    for (int i = 0; i < seconds / H; i++) {
        step(s);
    }
}

static double height_of(const sleepers* s, size_t i) {
    double x[3];
    phys_position(s->world, s->box[i].point, x);
    return x[1];
}

static bool sleeps(const sleepers* s, size_t i) {
    bool asleep = false;
    CHECK_OK(taut_world_read_asleep(s->world, s->box[i].point, 1, &asleep));
    return asleep;
}

/* ---- falling asleep ---------------------------------------------------------------------------------------------- */

/* Nothing is solved for what sleeps; contacts and what they bear are there. */
TAUT_PLAIN_TEST(contact_sleep, columns_fall_asleep) {
    static contact_list before, after;
    sleepers s = make_columns(4, 3);
    taut_step_info info = {0};
    run_until_asleep(&s, 12);
    const double energy = step(&s).potential;
    contact_read(s.world, &before);
    for (int i = 0; i < 30; i++) {
        info = step(&s);
        CHECK_INT(info.iterations, 0);
        CHECK_INT(info.asleep, 12);
        CHECK(info.potential == energy && info.kinetic == 0);
    }
    contact_read(s.world, &after);
    CHECK_INT(info.contacts, before.count);
    CHECK(before.count >= 48 && before.count == after.count);
    CHECK(memcmp(before.contacts, after.contacts, before.count * sizeof before.contacts[0]) == 0);
    double weight = 0;
    for (size_t i = 0; i < after.count; i++) {
        weight += after.contacts[i].position[1] < 0.01 ? fabs(after.contacts[i].force[1]) : 0;
    }
    CHECK_NEAR(weight, 12 * MASS * PHYS_GRAVITY, 0.01 * 12 * MASS * PHYS_GRAVITY);
    taut_world_destroy(s.world);
}

/* Off unless a program asks for it. */
TAUT_PLAIN_TEST(contact_sleep, nothing_sleeps_by_default) {
    sleepers s = begin_scene(0.5);
    taut_world_def def = sleep_def();
    def.sleep = taut_default_world().sleep;
    CHECK(def.sleep.speed == 0 && def.sleep.time == 0.5);
    add_plate(&s, 1);
    add_box(&s, 0, HALF, 0);
    s.world = phys_world(s.scene, &def);
    for (int i = 0; i < 90; i++) {
        CHECK_INT(step(&s).asleep, 0);
    }
    CHECK(!sleeps(&s, 0));
    CHECK_OK(taut_world_wake(s.world));
    CHECK_OK(taut_world_wake_particles(s.world, 1, &s.box[0].point));
    taut_world_destroy(s.world);
}

/* A pendulum that swings by 0.2 mm to 2 m, of 0.1 to 100 m: it is slow where it turns. One whose speed is never above
 * the limit may rest. */
TAUT_PLAIN_TEST(contact_sleep, pendulum_does_not_sleep) {
    static const double lengths[] = {0.1, 1, 10, 100};
    for (int i = 0; i < 4; i++) {
        for (double swing = 0.05; swing < 0.5; swing *= 2) {
            const double top = swing * sqrt(PHYS_GRAVITY * lengths[i]); /* m/s */
            taut_scene* scene = phys_empty_scene();
            taut_particles_def points = taut_default_particles();
            taut_distance_def link = taut_default_distance();
            const double x[6] = {0, 0, 0, lengths[i] * sin(swing), -lengths[i] * cos(swing), 0};
            const bool fixed[2] = {true, false};
            const uint32_t ends[2] = {0, 1};
            points.count = 2;
            points.positions = x;
            points.fixed = fixed;
            link.count = 1;
            link.particles = ends;
            CHECK_OK(taut_scene_add_particles(scene, &points, NULL));
            CHECK_OK(taut_scene_add_distances(scene, &link, NULL));
            taut_world_def def = sleep_def();
            def.integrator.alpha = def.integrator.beta = 0.5;
            sleepers s = {.world = phys_world(scene, &def)};
            test_note("%g m, %g m/s", lengths[i], top);
            for (int n = 0; n < 60 * 4 * sqrt(lengths[i]) && top > 0.04; n++) {
                CHECK_INT(step(&s).asleep, 0);
            }
            taut_world_destroy(s.world);
        }
    }
    test_note(NULL);
}

/* What falls from rest, or is thrown up, is slow for a while. */
TAUT_PLAIN_TEST(contact_sleep, nothing_sleeps_in_the_air) {
    sleepers s = begin_scene(0.5);
    add_plate(&s, 1);
    add_box(&s, 0, 30, 0);
    open_sleepers(&s);
    CHECK_OK(taut_world_set_gravity(s.world, (const double[]){0, -0.05, 0}));
    CHECK_OK(taut_world_write(s.world, TAUT_FIELD_VELOCITIES, s.box[0].point, 1, (const double[]){0, 0.05, 0}));
    for (int i = 0; i < 240; i++) {
        CHECK_INT(step(&s).asleep, 0);
    }
    taut_world_destroy(s.world);
}

/* A box that slides ever more slowly comes to rest where it touches. */
TAUT_PLAIN_TEST(contact_sleep, slope_holds_what_sleeps) {
    sleepers s = begin_scene(0.5);
    contact_list list;
    double x[3], later[3];
    add_plate(&s, 5);
    add_box(&s, 0, HALF, 0);
    open_sleepers(&s);
    const double angle = atan(0.45);
    CHECK_OK(
        taut_world_set_gravity(s.world, (const double[]){PHYS_GRAVITY * sin(angle), -PHYS_GRAVITY * cos(angle), 0}));
    CHECK_OK(taut_world_write(s.world, TAUT_FIELD_VELOCITIES, s.box[0].point, 1, (const double[]){0.5, 0, 0}));
    run_until_asleep(&s, 1);
    phys_position(s.world, s.box[0].point, x);
    contact_read(s.world, &list);
    CHECK(list.count >= 4 && fabs(list.contacts[0].gap) < 1e-3);
    run(&s, 1);
    phys_position(s.world, s.box[0].point, later);
    CHECK(memcmp(x, later, sizeof x) == 0);
    CHECK_OK(taut_world_set_gravity(
        s.world, (const double[]){PHYS_GRAVITY * sin(0.6), -PHYS_GRAVITY * cos(0.6), 0})); /* steeper than friction */
    run(&s, 1);
    phys_position(s.world, s.box[0].point, later);
    const double slid = (sin(0.6) - 0.5 * cos(0.6)) * PHYS_GRAVITY / 2;
    CHECK_NEAR(later[0] - x[0], slid, 0.05 * slid);
    taut_world_destroy(s.world);
}

/* A heap that sleeps would stay where it is. */
TAUT_PLAIN_TEST(contact_sleep, heap_sleeps_where_it_would_stay) {
    sleepers s = begin_scene(0.5);
    double x[MOST][3], later[3];
    srand(7);
    add_plate(&s, 3);
    for (int i = 0; i < 24; i++) {
        add_box(&s, 0.16 * (i % 2) + 0.01 * (rand() % 8), 0.2 + 0.18 * (i / 4),
                0.16 * (i / 2 % 2) + 0.01 * (rand() % 8));
    }
    open_sleepers(&s);
    for (int i = 0; i < 24; i++) {
        const double axis[3] = {rand() % 9 - 4, rand() % 9 - 4, 1};
        double q[4];
        phys_turn(axis, rand() % 6, q);
        CHECK_OK(taut_world_write(s.world, TAUT_FIELD_ORIENTATIONS, s.box[i].frame, 1, q));
    }
    run_until_asleep(&s, 24);
    for (int i = 0; i < 24; i++) {
        phys_position(s.world, s.box[i].point, x[i]);
    }
    CHECK_OK(taut_world_wake(s.world));
    run(&s, 0.4);
    for (int i = 0; i < 24; i++) {
        phys_position(s.world, s.box[i].point, later);
        CHECK_NEAR(phys_apart(later, x[i]), 0, 2e-3);
    }
    taut_world_destroy(s.world);
}

/* A sheet on the ground sleeps with all of its points; what falls on it wakes it. */
TAUT_PLAIN_TEST(contact_sleep, sheet_sleeps_and_wakes) {
    sleepers s = begin_scene(0.5);
    contact_list list;
    const surface_sheet sheet = {.columns = 7,
                                 .rows = 7,
                                 .width = 0.6,
                                 .height = 0.6,
                                 .mass = 0.2,
                                 .radius = 0.005,
                                 .at = {0, 0.01, 0},
                                 .diagonal = PHYS_ALTERNATING,
                                 .link = 1e-4};
    const uint32_t points = (uint32_t)surface_sheet_points(&sheet);
    surface_add_sheet(s.scene, &sheet);
    contact_ground(s.scene, 0);
    add_box(&s, 0, 100, 0);
    open_sleepers(&s);
    run_until_asleep(&s, points);
    contact_read(s.world, &list);
    CHECK(list.count > 0);
    CHECK_OK(taut_world_write(s.world, TAUT_FIELD_POSITIONS, s.box[0].point, 1, (const double[]){0, 1, 0}));
    CHECK_OK(taut_world_write(s.world, TAUT_FIELD_VELOCITIES, s.box[0].point, 1, (const double[]){0, -1, 0}));
    bool touched = false;
    for (int i = 0; i < 60 && !touched; i++) {
        touched = step(&s).asleep == 0;
    }
    CHECK(touched && height_of(&s, 0) > HALF);
    run(&s, 0.4);
    CHECK_NEAR(height_of(&s, 0), HALF + 0.01, 0.01);
    taut_world_destroy(s.world);
}

/* ---- waking ------------------------------------------------------------------------------------------------------ */

/* Of two columns that sleep: a ball hits the second one. The world without sleep says what becomes of it, and the first
 * one sleeps on. */
static sleepers make_shot(double sleep_speed, taut_body* ball) {
    sleepers s = begin_scene(0.5);
    taut_world_def def = sleep_def();
    def.sleep.speed = sleep_speed;
    def.contact.events = 1000;
    add_plate(&s, 3);
    for (int i = 0; i < 6; i++) {
        add_box(&s, i / 3 == 0 ? -1 : 1, HALF * (1 + 2 * (i % 3)), 0);
    }
    phys_body at = contact_at(4, 5 * HALF, 0);
    at.mass = 0.3;
    taut_inertia_of_sphere(at.mass, 0.04, at.inertia);
    at.fixed = true;
    *ball = phys_add_body(s.scene, &at);
    contact_shape(s.scene, TAUT_SHAPE_SPHERE, (const double[]){0.04, 1, 1}, *ball, NULL, NULL, 0);
    s.world = phys_world(s.scene, &def);
    s.scene = NULL;
    return s;
}

static void shoot(const sleepers* s, taut_body ball, double speed) {
    CHECK_OK(taut_world_set_bodies_fixed(s->world, 1, &ball, false));
    run(s, 2 * sleep_def().sleep.time); /* what that has woken sleeps again, and the ball flies */
    CHECK_OK(taut_world_write(s->world, TAUT_FIELD_POSITIONS, ball.point, 1, (const double[]){1, 5 * HALF, 1}));
    CHECK_OK(taut_world_write(s->world, TAUT_FIELD_VELOCITIES, ball.point, 1, (const double[]){0, 0, -speed}));
}

TAUT_PLAIN_TEST(contact_sleep, ball_wakes_what_it_hits) {
    static const double speeds[] = {2, 8, 40};
    for (int k = 0; k < 3; k++) {
        taut_body ball, ball_awake;
        double x[3], x_awake[3], v[3], v_awake[3];
        sleepers s = make_shot(0.02, &ball), awake = make_shot(0, &ball_awake);
        run_until_asleep(&s, 6);
        run(&awake, 0.6);
        shoot(&s, ball, speeds[k]);
        shoot(&awake, ball_awake, speeds[k]);
        CHECK(sleeps(&s, 0) && sleeps(&s, 5));
        const double until = 1.0 / speeds[k] + 0.15;
        run(&s, until);
        run(&awake, until);
        /* At 40 m/s runs that stay awake and wait for 0.6, 0.7 and 1 s differ as much. */
        const double chaos = speeds[k] > 10 ? 2.5 : 1;
        test_note("%g m/s", speeds[k]);
        CHECK(sleeps(&s, 0) && !sleeps(&s, 3) && !sleeps(&s, 5));
        for (int i = 3; i < 6; i++) {
            phys_position(s.world, s.box[i].point, x);
            phys_position(awake.world, awake.box[i].point, x_awake);
            const double moved = phys_apart(x_awake, (const double[]){1, HALF * (2 * i - 5), 0});
            CHECK_NEAR(phys_apart(x, x_awake), 0, chaos * (1e-3 + 0.1 * moved)); /* fast ones magnify what differs */
        }
        phys_velocity(s.world, ball.point, v);
        phys_velocity(awake.world, ball_awake.point, v_awake);
        CHECK_NEAR(phys_apart(v, v_awake), 0, chaos * 0.02 * speeds[k]);
        taut_world_destroy(s.world);
        taut_world_destroy(awake.world);
    }
    test_note(NULL);
}

/* What sleeps beside something that moves keeps its contacts, forces and pairs, bit by bit. */
TAUT_PLAIN_TEST(contact_sleep, sleeping_beside_what_moves_changes_nothing) {
    static contact_list before, after;
    taut_contact_pair pairs[64];
    taut_body ball;
    double x[9], later[9];
    size_t count = 0, lost = 0, touching = 0;
    sleepers s = make_shot(0.02, &ball);
    run_until_asleep(&s, 6);
    CHECK_OK(taut_world_set_bodies_fixed(s.world, 1, &ball, false));
    CHECK_OK(taut_world_write(s.world, TAUT_FIELD_POSITIONS, ball.point, 1, (const double[]){0, 400, 0}));
    run_until_asleep(&s, 6);
    CHECK_OK(taut_world_read(s.world, TAUT_FIELD_POSITIONS, s.box[0].point, 3, x));
    contact_read(s.world, &before);
    for (int i = 0; i < 60; i++) {
        const taut_step_info info = step(&s);
        CHECK_INT(info.asleep, 6);
        CHECK_INT(info.contacts, before.count);
        CHECK(info.kinetic > 0);
        CHECK_NEAR(info.numerical + info.dissipated, 0, 0.05 * info.kinetic + 1e-3);
        contact_read(s.world, &after);
        CHECK(before.count == after.count &&
              memcmp(before.contacts, after.contacts, before.count * sizeof before.contacts[0]) == 0);
        CHECK_OK(taut_world_read_pairs(s.world, 64, pairs, &count, &lost));
        touching = 0;
        for (size_t k = 0; k < count; k++) {
            CHECK(!pairs[k].began && !pairs[k].ended && pairs[k].touching);
            touching += pairs[k].touching;
        }
        CHECK_INT(touching, 6);
    }
    CHECK_OK(taut_world_read(s.world, TAUT_FIELD_POSITIONS, s.box[0].point, 3, later));
    CHECK(memcmp(x, later, sizeof x) == 0);
    taut_world_destroy(s.world);
}

/* The ways in which a support of what sleeps can go. */
typedef enum removal { PULLED, LOWERED, TURNED, WRITTEN_AWAY, FREED, KICKED, PUSHED, REMOVALS } removal;

static void remove_support(const sleepers* s, removal how, int i) {
    const double away = 0.1 * (i + 1);
    double x[3] = {0, -0.1, 0}, q[4];
    switch (how) {
    case PULLED: /* friction does not carry the boxes */
        x[0] = away;
        CHECK_OK(taut_world_move_fixed(s->world, 1, &s->plate.point, x));
        break;
    case LOWERED: /* faster than what falls */
        x[1] -= 4 * away;
        CHECK_OK(taut_world_move_fixed(s->world, 1, &s->plate.point, x));
        break;
    case TURNED:
        phys_turn((const double[]){0, 0, 1}, fmin(0.05 * (i + 1), 1), q);
        CHECK_OK(taut_world_move_fixed_frames(s->world, 1, &s->plate.frame, q));
        break;
    case WRITTEN_AWAY:
        x[0] = 20;
        CHECK_OK(i > 0 ? TAUT_OK : taut_world_write(s->world, TAUT_FIELD_POSITIONS, s->plate.point, 1, x));
        break;
    case FREED:
        if (i == 0) {
            CHECK_OK(taut_world_set_bodies_fixed(s->world, 1, &s->plate, false));
        }
        break;
    case KICKED: /* the lowest box alone */
        CHECK_OK(
            i > 0 ? TAUT_OK
                  : taut_world_write(s->world, TAUT_FIELD_VELOCITIES, s->box[0].point, 1, (const double[]){10, 0, 0}));
        break;
    default:
        CHECK_OK(taut_world_set_forces(s->world, s->box[0].point, 1, (const double[]){200, 0, 0}));
    }
}

TAUT_PLAIN_TEST(contact_sleep, nothing_hangs_where_its_support_was) {
    for (removal how = PULLED; how < REMOVALS; how++) {
        sleepers s = make_columns(1, 3);
        const double fall = how == KICKED || how == PUSHED ? HALF : how == TURNED ? 0.3 * HALF : 0.5;
        run_until_asleep(&s, 3);
        run(&s, 0.5);
        const double top = height_of(&s, 2);
        for (int i = 0; i < 80; i++) {
            remove_support(&s, how, i);
            step(&s);
        }
        test_note("way %d", (int)how);
        CHECK(height_of(&s, 2) < top - fall);
        taut_world_destroy(s.world);
    }
    test_note(NULL);
}

/* A fixed body that comes from afar, and no faster than what sleeps is: it pushes. */
TAUT_PLAIN_TEST(contact_sleep, support_that_comes_wakes) {
    static const double speeds[] = {0.5, 5};
    for (int k = 0; k < 2; k++) {
        sleepers s = begin_scene(0.5);
        double x[3];
        add_plate(&s, 3);
        add_box(&s, 0, HALF, 0);
        const double half[3] = {0.1, 0.1, 0.1};
        phys_body body = contact_at(-1, 0.11, 0);
        body.fixed = true;
        taut_inertia_of_sphere(1, 0.1, body.inertia);
        const taut_body fist = phys_add_body(s.scene, &body);
        contact_shape(s.scene, TAUT_SHAPE_BOX, half, fist, NULL, NULL, 0);
        open_sleepers(&s);
        run_until_asleep(&s, 1);
        for (double at = -1; at < 0.2; at += speeds[k] * H) {
            CHECK_OK(taut_world_move_fixed(s.world, 1, &fist.point, (const double[]){at, 0.11, 0}));
            step(&s);
            phys_position(s.world, s.box[0].point, x);
            CHECK(x[0] > at + 0.1 + HALF - 0.01);
            CHECK(at > -0.5 || sleeps(&s, 0) || k == 1);
        }
        CHECK(!sleeps(&s, 0) && x[0] > 0.2);
        taut_world_destroy(s.world);
    }
}

/* Gravity, forces, and the user's word wake; what stays as it was does not. */
TAUT_PLAIN_TEST(contact_sleep, changes_wake) {
    sleepers s = make_columns(2, 1);
    taut_world* world = s.world;
    double x[3];
    run_until_asleep(&s, 2);
    CHECK_OK(taut_world_set_gravity(world, (const double[]){0, -9.81, 0}));
    CHECK_OK(taut_world_set_forces(world, s.box[0].point, 1, (const double[]){0, 0, 0}));
    phys_position(world, s.plate.point, x);
    CHECK_OK(taut_world_move_fixed(world, 1, &s.plate.point, x));
    CHECK_INT(step(&s).asleep, 2);
    CHECK_OK(taut_world_set_forces(world, s.box[0].point, 1, (const double[]){0, 0.1, 0}));
    CHECK_INT(step(&s).asleep, 1);
    CHECK(!sleeps(&s, 0) && sleeps(&s, 1));
    run_until_asleep(&s, 2);
    CHECK_OK(taut_world_wake_particles(world, 1, &s.box[1].point));
    CHECK_INT(step(&s).asleep, 1);
    run_until_asleep(&s, 2);
    CHECK_OK(taut_world_wake(world));
    CHECK_INT(step(&s).asleep, 0);
    run_until_asleep(&s, 2);
    const double height = height_of(&s, 0);
    CHECK_OK(taut_world_set_gravity(world, (const double[]){0, 9.81, 0}));
    run(&s, 0.5);
    CHECK_NEAR(height_of(&s, 0) - height, 9.81 / 8, 0.1);
    taut_world_destroy(world);
}

/* A load on a link, and one that a target holds: the link goes, and the target moves. */
TAUT_PLAIN_TEST(contact_sleep, links_and_targets_that_change_wake) {
    taut_scene* scene = phys_empty_scene();
    taut_particles_def points = taut_default_particles();
    taut_distance_def link = taut_default_distance();
    taut_target_def target = taut_default_target();
    const double x[9] = {0, 0, 0, 0, -1, 0, 5, 0, 0};
    taut_batch links, targets;
    double y[3];
    points.count = 3;
    points.positions = x;
    points.fixed = (const bool[]){true, false, false};
    link.count = target.count = 1;
    link.particles = (const uint32_t[]){0, 1};
    target.particles = (const uint32_t[]){2};
    target.targets = x + 6;
    CHECK_OK(taut_scene_add_particles(scene, &points, NULL));
    CHECK_OK(taut_scene_add_distances(scene, &link, &links));
    CHECK_OK(taut_scene_add_targets(scene, &target, &targets));
    const taut_world_def def = sleep_def();
    sleepers s = {.world = phys_world(scene, &def)};
    run_until_asleep(&s, 2);
    CHECK_OK(taut_world_move_targets(s.world, targets, 0, 1, (const double[]){5, 0.1, 0}));
    CHECK_INT(step(&s).asleep, 1);
    phys_position(s.world, 2, y);
    CHECK_NEAR(y[1], 0.1, 1e-3);
    run_until_asleep(&s, 2);
    CHECK_OK(taut_world_set_present(s.world, links, 0, 1, false));
    run(&s, 0.5);
    phys_position(s.world, 1, y);
    CHECK_NEAR(y[1], -1 - PHYS_GRAVITY / 8, 0.1);
    taut_world_destroy(s.world);
}

/* ---- joints ------------------------------------------------------------------------------------------------------ */

/* A chain of bars that hangs still beside a ball that falls: forces of joints are there, and a drive wakes it. */
TAUT_PLAIN_TEST(contact_sleep, mechanism_sleeps_and_wakes) {
    taut_scene* scene = phys_empty_scene();
    sleepers s = {0};
    phys_body post = contact_at(0, 0, 0), ball = contact_at(5, 100, 0);
    taut_body bar[3];
    taut_joint_batches joints[3];
    double force[3], later[3], x[3];
    bool asleep = false;
    post.fixed = true;
    taut_inertia_of_sphere(1, 0.1, post.inertia);
    ball.mass = 1;
    taut_inertia_of_sphere(1, 0.1, ball.inertia);
    const taut_body hold = phys_add_body(scene, &post), falls = phys_add_body(scene, &ball);
    for (int i = 0; i < 3; i++) {
        const phys_body b = phys_bar((const double[]){0, -0.5 * i, 0}, (const double[]){0, -0.5 * (i + 1), 0}, 0.05, 1);
        bar[i] = phys_add_body(scene, &b);
        joints[i] = phys_add_joint(scene, TAUT_JOINT_HINGE, i > 0 ? bar[i - 1] : hold, bar[i],
                                   (const double[]){0, -0.5 * i, 0}, NULL);
        contact_shape(scene, TAUT_SHAPE_SPHERE, (const double[]){0.02, 1, 1}, bar[i], NULL, NULL, 0);
    }
    contact_shape(scene, TAUT_SHAPE_SPHERE, (const double[]){0.1, 1, 1}, falls, NULL, NULL, 0);
    const taut_world_def def = sleep_def();
    s.world = phys_world(scene, &def);
    run_until_asleep(&s, 3);
    phys_multipliers(s.world, joints[0].prismatic, 3, force);
    for (int i = 0; i < 120; i++) {
        const taut_step_info info = step(&s);
        CHECK_INT(info.asleep, 3);
        CHECK_INT(info.outcome, TAUT_SOLVE_CONVERGED);
    }
    phys_multipliers(s.world, joints[0].prismatic, 3, later);
    CHECK(memcmp(force, later, sizeof force) == 0);
    CHECK_NEAR(phys_length(force), 3 * PHYS_GRAVITY, 0.01 * PHYS_GRAVITY);
    CHECK_OK(taut_world_write(s.world, TAUT_FIELD_POSITIONS, falls.point, 1, (const double[]){0, -1.2, 1}));
    CHECK_OK(taut_world_write(s.world, TAUT_FIELD_VELOCITIES, falls.point, 1, (const double[]){0, 0, -8}));
    run(&s, 0.3);
    CHECK_OK(taut_world_read_asleep(s.world, bar[0].point, 1, &asleep));
    phys_position(s.world, bar[2].point, x);
    CHECK(!asleep && x[2] < -0.1);
    taut_world_destroy(s.world);
}

/* A motor slower than what may sleep keeps what it drives awake. At rest it sleeps, too, until it is asked for another
 * speed than it has. */
TAUT_PLAIN_TEST(contact_sleep, slow_motors_go_on) {
    const double none = 0, slow = -0.005;
    taut_scene* scene = phys_empty_scene();
    taut_world_def def = sleep_def();
    sleepers s = {0};
    phys_body sled = contact_at(0, 0, 0);
    taut_linear_def motor = taut_default_linear();
    taut_batch batch;
    double x[3];
    sled.mass = 1;
    taut_inertia_of_sphere(1, 0.1, sled.inertia);
    const taut_body body = phys_add_body(scene, &sled);
    contact_shape(scene, TAUT_SHAPE_SPHERE, (const double[]){0.1, 1, 1}, body, NULL, NULL, 0);
    motor.count = 1;
    motor.offsets = (const size_t[]){0, 1};
    motor.coordinates = (const uint32_t[]){3 * (uint32_t)body.point};
    motor.weights = (const double[]){1};
    motor.rest_values = (const double[]){def.sleep.speed / 4};
    motor.of_velocities = true;
    CHECK_OK(taut_scene_add_linear(scene, &motor, &batch));
    memset(def.gravity, 0, sizeof def.gravity);
    s.world = phys_world(scene, &def);
    run(&s, 8 * def.sleep.time);
    CHECK_INT(step(&s).asleep, 0);
    phys_position(s.world, body.point, x);
    CHECK_NEAR(x[0], 2 * def.sleep.speed * def.sleep.time, 0.1 * def.sleep.speed * def.sleep.time);
    CHECK_OK(taut_world_set_rest_values(s.world, batch, 0, 1, &none));
    run(&s, 3 * def.sleep.time);
    CHECK_INT(step(&s).asleep, 1);
    CHECK_OK(taut_world_set_rest_values(s.world, batch, 0, 1, &none));
    CHECK_INT(step(&s).asleep, 1);
    CHECK_OK(taut_world_set_rest_values(s.world, batch, 0, 1, &slow));
    CHECK_INT(step(&s).asleep, 0);
    taut_world_destroy(s.world);
}

/* ---- the same bits ----------------------------------------------------------------------------------------------- */

static void read_all(const sleepers* s, double* x) {
    const size_t count = taut_world_particle_count(s->world);
    CHECK_OK(taut_world_read(s->world, TAUT_FIELD_POSITIONS, 0, count, x));
    CHECK_OK(taut_world_read(s->world, TAUT_FIELD_VELOCITIES, 0, count, x + 3 * count));
}

TAUT_PLAIN_TEST(contact_sleep, threads_and_saving_change_no_bit) {
    enum { VALUES = 6 * 64 };
    static double first[VALUES], other[VALUES];
    for (uint32_t variant = 0; variant < 3; variant++) {
        sleepers s = begin_scene(0.5);
        taut_world_def def = sleep_def();
        taut_world* world = NULL;
        def.threads = variant == 1 ? 3 : 1;
        add_plate(&s, 3);
        for (int i = 0; i < 12; i++) {
            add_box(&s, i / 4 - 1, HALF * (1 + 2 * (i % 4)), 0);
        }
        add_box(&s, 0.01, 4.5, 0.01);
        CHECK_OK(taut_world_create(s.scene, &def, &world));
        s.world = world;
        run(&s, 0.8);
        CHECK(sleeps(&s, 0) && !sleeps(&s, 12));
        if (variant == 2) { /* goes on elsewhere */
            size_t bytes = 0;
            CHECK_OK(taut_world_state_size(s.world, &bytes));
            void* block = malloc(bytes);
            CHECK_OK(taut_world_save(s.world, bytes, block, &bytes));
            CHECK_OK(taut_world_create(s.scene, &def, &s.world));
            CHECK_OK(taut_world_load(s.world, block, bytes));
            taut_world_destroy(world);
            free(block);
            CHECK(sleeps(&s, 0));
        }
        run(&s, 0.4);
        CHECK(!sleeps(&s, 4) && sleeps(&s, 0));
        read_all(&s, variant == 0 ? first : other);
        CHECK(variant == 0 || memcmp(first, other, 6 * taut_world_particle_count(s.world) * sizeof *first) == 0);
        taut_world_destroy(s.world);
        taut_scene_destroy(s.scene);
    }
}

/* ---- refused ----------------------------------------------------------------------------------------------------- */

TAUT_PLAIN_TEST(contact_sleep, refuses_what_is_wrong) {
    sleepers s = begin_scene(0.5);
    taut_world* world = NULL;
    bool asleep;
    add_plate(&s, 1);
    add_box(&s, 0, HALF, 0);
    taut_world_def def = sleep_def();
    def.sleep.speed = -1;
    INVALID(taut_world_create(s.scene, &def, &world));
    def.sleep.speed = 0.1;
    def.sleep.time = 0;
    INVALID(taut_world_create(s.scene, &def, &world));
    def.sleep.time = 0.5;
    def.backend = TAUT_BACKEND_CUDA;
    UNMADE(taut_world_create(s.scene, &def, &world));
    def.backend = TAUT_BACKEND_CPU;
    CHECK_OK(taut_world_create(s.scene, &def, &world));
    INVALID(taut_world_wake(NULL));
    INVALID(taut_world_wake_particles(world, 1, (const uint32_t[]){7}));
    INVALID(taut_world_read_asleep(world, 1, 2, &asleep));
    taut_world_destroy(world);
    taut_scene_destroy(s.scene);
}
