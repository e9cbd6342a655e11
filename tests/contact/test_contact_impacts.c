/* Impacts of fast bodies with one substep, where they happen: heights and speeds as formulas have them, whatever the
 * time of arrival within a step. CUDA does not cut its substeps. */
#include "contact_scenes.h"
#include "dense_matrix.h"

#include <math.h>
#include <string.h>

typedef struct impact_scene {
    taut_scene* scene;
    taut_world* world;
    uint32_t material;
} impact_scene;

static impact_scene begin_scene(double friction, double restitution) {
    impact_scene s = {.scene = phys_empty_scene()};
    s.material = contact_material(s.scene, friction, restitution);
    return s;
}

static void begin_world(impact_scene* s, taut_backend_kind backend, double gravity, uint32_t substeps) {
    taut_world_def def = taut_default_world();
    def.backend = backend;
    def.gravity[0] = def.gravity[2] = 0;
    def.gravity[1] = -gravity;
    def.integrator.substeps = substeps;
    def.contact.capacity = 2000;
    s->world = phys_world(s->scene, &def);
}

static taut_body add_solid(const impact_scene* s, taut_shape shape, const double half[3], const phys_body* at) {
    phys_body body = *at;
    const double sides[3] = {2 * half[0], 2 * half[1], 2 * half[2]};
    if (shape == TAUT_SHAPE_SPHERE) {
        taut_inertia_of_sphere(body.mass, half[0], body.inertia);
    } else {
        taut_inertia_of_box(body.mass, sides, body.inertia);
    }
    const taut_body handle = phys_add_body(s->scene, &body);
    contact_shape(s->scene, shape, half, handle, NULL, NULL, s->material);
    return handle;
}

static void throw_body(taut_world* world, taut_body body, const double v[3], const double spin[3]) {
    CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, body.point, 1, v));
    CHECK_OK(taut_world_write(world, TAUT_FIELD_ANGULAR_VELOCITIES, body.frame, 1, spin));
}

static const double none[3] = {0, 0, 0};

/* ---- heights ------------------------------------------------------------------------------------------------------
 */

/* The top of the parabola on which a step of h leaves a body whose lowest place is at y: its velocity there is v - h
 * g/2.
 */
static double top_of(double y, double v, double h) {
    const double there = v - h * PHYS_GRAVITY / 2;
    return y + there * there / (2 * PHYS_GRAVITY);
}

/* Falls from 2 m; every bounce leaves e^2 of the height, until that is slow. */
static void check_heights(taut_shape shape, double size, double e, double h, double seconds) {
    impact_scene s = begin_scene(0.3, e);
    const double half[3] = {size, size, size}, start = 2;
    const phys_body at = contact_at(0, start + size, 0);
    const taut_body body = add_solid(&s, shape, half, &at);
    contact_ground(s.scene, s.material);
    begin_world(&s, TAUT_BACKEND_CPU, PHYS_GRAVITY, 1);
    double x[3], v[3], last = 0, top = top_of(start, 0, h);
    for (int i = 0; i < (int)(seconds / h) && top > 0.2; i++) {
        CHECK_OK(taut_world_step(s.world, h));
        phys_position(s.world, body.point, x);
        phys_velocity(s.world, body.point, v);
        top *= v[1] > 0 && last <= 0 ? e * e : 1;
        last = v[1];
        test_note("size %g, restitution %g, step %d of %g s: %g of %g m", size, e, i, h, top_of(x[1] - size, v[1], h),
                  top);
        CHECK_NEAR(top_of(x[1] - size, v[1], h), top, 1e-3 * top);
        CHECK(x[1] - size >= -1e-3 * size);
    }
    test_note(NULL);
    taut_world_destroy(s.world);
}

TAUT_PLAIN_TEST(contact_impacts, heights) {
    static const double fps[] = {24, 30, 60};
    for (int i = 0; i < 3; i++) {
        for (int shape = 0; shape < 2; shape++) {
            const taut_shape own = shape == 0 ? TAUT_SHAPE_SPHERE : TAUT_SHAPE_BOX;
            check_heights(own, 0.1, 1, 1 / fps[i], 10);
            check_heights(own, 0.1, 0.5, 1 / fps[i], 5);
            check_heights(own, 0.02, 0.8, 1 / fps[i], 5);
        }
        check_heights(TAUT_SHAPE_SPHERE, 0.01, 1, 1 / fps[i], 30);
    }
}

/* ---- pairs --------------------------------------------------------------------------------------------------------
 */

/* Two balls of radius r that fly at each other with an offset d: their centres are on a line n with |n x v| = d/(2 r) v
 * when they meet, and along n the relative speed turns by -e:   v1' = v1 - (1 + e) m2/(m1 + m2) (n.u) n, u = v1 - v2 */
static void check_balls(double speed, double h, double e, double offset, double phase, double mass) {
    const double r = 0.1, d = offset * 2 * r, along = sqrt(4 * r * r - d * d), part = (1 + e) / (1 + 1 / mass);
    const double apart = along + speed * h * (1 + phase);
    impact_scene s = begin_scene(0, e);
    phys_body left = contact_at(-apart / 2, 0, 0), right = contact_at(apart / 2, d, 0);
    right.mass = mass * left.mass;
    const taut_body a = add_solid(&s, TAUT_SHAPE_SPHERE, (const double[]){r, 0, 0}, &left);
    const taut_body b = add_solid(&s, TAUT_SHAPE_SPHERE, (const double[]){r, 0, 0}, &right);
    begin_world(&s, TAUT_BACKEND_CPU, 0, 1);
    throw_body(s.world, a, (const double[]){speed / 2, 0, 0}, none);
    throw_body(s.world, b, (const double[]){-speed / 2, 0, 0}, none);
    double v[2][3];
    for (int i = 0; i < 3; i++) {
        CHECK_OK(taut_world_step(s.world, h));
    }
    phys_velocity(s.world, a.point, v[0]);
    phys_velocity(s.world, b.point, v[1]);
    const double n[2] = {along / (2 * r), offset}, met = part * speed * n[0];
    test_note("%g m/s, steps of %g s, restitution %g, offset %g, phase %g", speed, h, e, offset, phase);
    for (int k = 0; k < 2; k++) {
        const double own = (k == 0 ? speed / 2 : 0) - met * n[k], other = (k == 0 ? -speed / 2 : 0) + met * n[k] / mass;
        CHECK_NEAR(v[0][k], own, 0.01 * speed);
        CHECK_NEAR(v[1][k], other, 0.01 * speed);
    }
    test_note(NULL);
    taut_world_destroy(s.world);
}

TAUT_PLAIN_TEST(contact_impacts, balls_off_centre) {
    static const double speeds[] = {8, 20, 50}, fps[] = {24, 30, 60};
    for (int i = 0; i < 27; i++) {
        const double phase = 0.04 + 0.036 * i;
        check_balls(speeds[i % 3], 1 / fps[i / 3 % 3], i % 2 == 0 ? 0.5 : 0, 0.1 + 0.3 * (i / 9), phase, 1 + i % 4);
    }
}

/* ---- boxes --------------------------------------------------------------------------------------------------------
 */

/* The velocity with which a box leaves the ground that it meets with an edge or a corner. */
static void tumble(double speed, double e, double h, uint32_t turn, uint32_t substeps, double v[3]) {
    static const double half[3] = {0.06, 0.08, 0.1};
    impact_scene s = begin_scene(0.3, e);
    phys_body at = contact_at(0, 0.3 + speed * h * (0.5 + 0.09 * turn), 0);
    phys_turn((const double[]){1, 0.3 * turn, 2 - 0.5 * turn}, 0.4 + 0.7 * turn, at.q);
    const taut_body box = add_solid(&s, TAUT_SHAPE_BOX, half, &at);
    contact_ground(s.scene, s.material);
    begin_world(&s, TAUT_BACKEND_CPU, PHYS_GRAVITY, substeps);
    throw_body(s.world, box, (const double[]){0.6 * speed, -0.8 * speed, 0}, none);
    for (int i = 0; i < 4; i++) {
        CHECK_OK(taut_world_step(s.world, h));
    }
    phys_velocity(s.world, box.point, v);
    taut_world_destroy(s.world);
}

/* What a box does that meets the ground with several corners in turn depends on all that was before: 64 and 256
 * substeps differ. One substep is no farther from 256 than 64 are, in the mean, but for 3 % of the speed. */
TAUT_PLAIN_TEST(contact_impacts, tumbling_boxes) {
    for (int i = 0; i < 4; i++) {
        const double speed = i % 2 == 0 ? 50 : 20, e = i < 2 ? 0 : 0.4, h = 1.0 / 24;
        double off[2] = {0, 0};
        for (uint32_t turn = 0; turn < 10; turn++) {
            double v[3], some[3], fine[3];
            tumble(speed, e, h, turn, 1, v);
            tumble(speed, e, h, turn, 64, some);
            tumble(speed, e, h, turn, 256, fine);
            off[0] += phys_apart(v, fine) / 10;
            off[1] += phys_apart(some, fine) / 10;
        }
        test_note("%g m/s, restitution %g: off by %g m/s, with 64 substeps %g", speed, e, off[0], off[1]);
        CHECK(off[0] <= off[1] + 0.03 * speed);
    }
    test_note(NULL);
}

/* Without restitution they end on a wall, not in it, thick or thin, and never behind it. */
TAUT_PLAIN_TEST(contact_impacts, walls) {
    for (uint32_t turn = 0; turn < 12; turn++) {
        const double size = 0.05, h = 1.0 / (turn % 2 == 0 ? 24 : 60), thick = turn % 3 == 0 ? 0.3 : 0.01;
        impact_scene s = begin_scene(0.3, 0);
        phys_body at = contact_at(-0.2 - 50 * h * (1 + 0.08 * turn), 0, 0);
        phys_turn((const double[]){1, 0.4 * turn, 1 - 0.2 * turn}, 0.9 * turn, at.q);
        const taut_shape shape = turn % 4 == 3 ? TAUT_SHAPE_SPHERE : TAUT_SHAPE_BOX;
        const taut_body body = add_solid(&s, shape, (const double[]){size, size, size}, &at);
        contact_shape(s.scene, TAUT_SHAPE_BOX, (const double[]){thick, 20, 20}, TAUT_WORLD,
                      (const double[]){thick, 0, 0}, NULL, s.material);
        begin_world(&s, TAUT_BACKEND_CPU, 0, 1);
        throw_body(s.world, body, (const double[]){50, 6, -3}, none);
        for (int i = 0; i < 8; i++) {
            taut_overlaps overlaps = {.bodies = 0};
            double x[3];
            CHECK_OK(taut_world_step(s.world, h));
            CHECK_OK(taut_world_read_overlaps(s.world, &overlaps));
            phys_position(s.world, body.point, x);
            test_note("throw %u, step %d: overlap %g m, at %g m", turn, i, overlaps.bodies, x[0]);
            CHECK(overlaps.bodies < 0.02 * size);
            CHECK(x[0] < 0);
        }
        test_note(NULL);
        taut_world_destroy(s.world);
    }
}

/* ---- many ---------------------------------------------------------------------------------------------------------
 */

/* Balls that meet more often within a step than it is cut. What of them overlaps at most, of their size, depends on
 * every impact before: this is that of one throw, and few tell nothing. They do not gain energy, but for that of their
 * parabolas, h g v/2. */
static double swarm(int turn) {
    const double r = 0.1, h = 1.0 / 24, g = PHYS_GRAVITY;
    impact_scene s = begin_scene(0.3, 1);
    taut_body ball[27];
    for (int i = 0; i < 27; i++) {
        const phys_body at = contact_at(0.3 * (i % 3), 0.3 + 0.35 * (i / 9), 0.3 * (i / 3 % 3));
        ball[i] = add_solid(&s, TAUT_SHAPE_SPHERE, (const double[]){r, 0, 0}, &at);
    }
    contact_ground(s.scene, s.material);
    for (int i = 0; i < 4; i++) {
        const double side = i % 2 == 0 ? 1 : -1, normal[3] = {i < 2 ? side : 0, 0, i < 2 ? 0 : side};
        const double place[3] = {0.3 - 0.8 * normal[0], 0, 0.3 - 0.8 * normal[2]};
        contact_plane(s.scene, normal, place, s.material);
    }
    begin_world(&s, TAUT_BACKEND_CPU, g, 1);
    for (int i = 0; i < 27; i++) {
        const double v[3] = {((i + turn) * 7 % 5) - 2.0, -3 - (i + turn) % 4, (i * 3 % 7) - 3.0};
        throw_body(s.world, ball[i], v, none);
    }
    double begun = 0, most = 0;
    for (int i = 0; i < 40; i++) {
        taut_overlaps overlaps = {.bodies = 0};
        taut_step_info info;
        CHECK_OK(taut_world_step(s.world, h));
        CHECK_OK(taut_world_info(s.world, &info));
        CHECK_OK(taut_world_read_overlaps(s.world, &overlaps));
        const double energy = info.kinetic + info.potential, speed = sqrt(2 * info.kinetic * 27) / 27;
        begun = i == 0 ? energy : begun;
        most = fmax(most, overlaps.bodies_relative);
        test_note("throw %d, step %d: %g of %g J, overlap %g", turn, i, energy, begun, overlaps.bodies_relative);
        CHECK(energy <= begun + 27 * h * g * speed);
    }
    test_note(NULL);
    taut_world_destroy(s.world);
    return most;
}

#define SWARMS 12

TAUT_PLAIN_TEST(contact_impacts, swarm) {
    double sum = 0;
    for (int turn = 0; turn < SWARMS; turn++) {
        sum += swarm(turn);
    }
    test_note("overlap %g of the size in the mean", sum / SWARMS);
    CHECK(sum / SWARMS < 0.05);
    test_note(NULL);
}

/* ---- sliding ------------------------------------------------------------------------------------------------------
 */

/* Fast on the ground, from there or from a little above it: what slides and rolls gains no height, and sinks in by no
 * more than a fiftieth of its radius. */
static void check_slide(taut_shape shape, const double half[3], double height, double speed, double h, double friction,
                        double drop) {
    impact_scene s = begin_scene(friction, 0);
    const phys_body at = contact_at(0, height + drop, 0);
    const taut_body body = add_solid(&s, shape, half, &at);
    contact_ground(s.scene, s.material);
    begin_world(&s, TAUT_BACKEND_CPU, PHYS_GRAVITY, 1);
    throw_body(s.world, body, (const double[]){speed, 0, 0}, none);
    for (int i = 0; i < 40; i++) {
        double x[3];
        CHECK_OK(taut_world_step(s.world, h));
        phys_position(s.world, body.point, x);
        test_note("%g m/s, friction %g, from %g m, step %d of %g s: %g m", speed, friction, drop, i, h, x[1] - height);
        CHECK(x[1] - height < drop + 0.02 * height);
        CHECK(x[1] - height > -0.02 * height);
    }
    test_note(NULL);
    taut_world_destroy(s.world);
}

TAUT_PLAIN_TEST(contact_impacts, fast_on_the_ground) {
    static const double speeds[] = {5, 20, 50}, fps[] = {24, 60}, radii[] = {0.05, 0.02};
    for (int i = 0; i < 24; i++) {
        const double r = radii[i % 2], speed = speeds[i / 2 % 3], h = 1 / fps[i / 6 % 2], drop = i < 12 ? 0 : 0.01;
        const double flat[3] = {3 * r, r, 3 * r};
        check_slide(TAUT_SHAPE_SPHERE, (const double[]){r, 0, 0}, r, speed, h, 0.3, drop);
        check_slide(TAUT_SHAPE_SPHERE, (const double[]){r, 0, 0}, r, speed, h, 1, drop);
        check_slide(TAUT_SHAPE_BOX, flat, r, speed, h, 0.3, drop);
    }
}

/* ---- one after the other ----------------------------------------------------------------------------------------- */

/* A ball meets the ground in one step and a wall in the next: after a step that was cut it falls as after any. With
 * restitution 1 it keeps E + h g.P/2. */
TAUT_PLAIN_TEST(contact_impacts, steps_that_are_cut_follow_each_other) {
    static const double places[] = {0.2, 0.5, 0.8};
    const double r = 0.1, speed = 6, h = 1.0 / 24;
    for (int i = 0; i < 9; i++) {
        const double met = (2 + places[i % 3]) * h, beside = (3 + places[i / 3]) * h;
        const phys_body at = contact_at(0, r + speed * met + PHYS_GRAVITY * met * met / 2, 0);
        impact_scene s = begin_scene(0, 1);
        const taut_body ball = add_solid(&s, TAUT_SHAPE_SPHERE, (const double[]){r, 0, 0}, &at);
        contact_ground(s.scene, s.material);
        contact_plane(s.scene, (const double[]){-1, 0, 0}, (const double[]){speed * beside + r, 0, 0}, s.material);
        begin_world(&s, TAUT_BACKEND_CPU, PHYS_GRAVITY, 1);
        throw_body(s.world, ball, (const double[]){speed, -speed, 0}, none);
        double all = 0;
        for (int step = 0; step < 8; step++) {
            const taut_step_info info = contact_step(s.world, h, NULL);
            const double energy = info.kinetic + info.potential - h * PHYS_GRAVITY * info.momentum[1] / 2;
            all = step == 0 ? energy : all;
            test_note("%g and %g of a step, step %d", places[i % 3], places[i / 3], step);
            CHECK_NEAR(energy, all, 1e-3 * all);
        }
        test_note(NULL);
        taut_world_destroy(s.world);
    }
}

/* ---- columns ----------------------------------------------------------------------------------------------------- */

typedef struct ball_column {
    int balls;
    double radius, ratio; /* of the first one, and of each to the one below */
    double speed, fps, restitution, friction;
    double aside, apart; /* how far each is beside the one below, in first radii; from it, in sums of both radii */
} ball_column;

/* m: how far ball i is in the ground or in a ball below it, in thicknesses of the thinner one */
static double depth_in_column(const ball_column* c, const double x[][3], int i) {
    const double r = c->radius * pow(c->ratio, i);
    double deepest = (r - x[i][1]) / (2 * r);
    for (int j = 0; j < i; j++) {
        const double other = c->radius * pow(c->ratio, j);
        const double d[3] = {x[i][0] - x[j][0], x[i][1] - x[j][1], x[i][2] - x[j][2]};
        deepest = fmax(deepest, (r + other - dense_norm(3, d)) / (2 * fmin(r, other)));
    }
    return deepest;
}

static void check_column(const ball_column* c) {
    impact_scene s = begin_scene(c->friction, c->restitution);
    taut_body ball[8];
    double x[8][3], height = 2 * c->radius;
    for (int i = 0; i < c->balls; i++) {
        const double r = c->radius * pow(c->ratio, i);
        height += i > 0 ? c->apart * (r + r / c->ratio) : 0;
        phys_body at = contact_at(i * c->aside * c->radius, height, 0);
        at.mass = pow(c->ratio, 3 * i);
        ball[i] = add_solid(&s, TAUT_SHAPE_SPHERE, (const double[]){r, 0, 0}, &at);
    }
    contact_ground(s.scene, s.material);
    begin_world(&s, TAUT_BACKEND_CPU, PHYS_GRAVITY, 1);
    for (int i = 0; i < c->balls; i++) {
        throw_body(s.world, ball[i], (const double[]){0, -c->speed, 0}, none);
    }
    for (int step = 0; step < c->fps / 2; step++) {
        CHECK_OK(taut_world_step(s.world, 1 / c->fps));
        for (int i = 0; i < c->balls; i++) {
            phys_position(s.world, ball[i].point, x[i]);
            const double depth = depth_in_column(c, (const double(*)[3])x, i);
            test_note("%d balls of %g m at %g m/s, %g aside, step %d of 1/%g s: ball %d by %g", c->balls, c->radius,
                      c->speed, c->aside, step, c->fps, i, depth);
            CHECK(depth < 0.125);
        }
    }
    test_note(NULL);
    taut_world_destroy(s.world);
}

/* What one impact throws into another one within the same substep. */
TAUT_PLAIN_TEST(contact_impacts, columns) {
    static const ball_column all[] = {
        {3, 0.025, 1, 8, 120, 0.3, 1, 0.6, 1.8},    {6, 0.2, 1, 8, 60, 0.8, 0, 0.6, 1.05},
        {4, 0.025, 1, 1, 120, 0, 0.3, 0.3, 1.05},   {6, 0.025, 1, 20, 24, 0, 0.3, 0.3, 1.05},
        {4, 0.05, 1.5, 8, 60, 0.3, 1, 0.3, 3},      {3, 0.2, 1, 1, 60, 0.8, 0.3, 0, 1.05},
        {4, 0.2, 1, 4, 24, 0.8, 0, 0.3, 1.05},      {3, 0.05, 1.5, 20, 120, 0.8, 0, 0, 1.8},
        {6, 0.01, 0.6, 8, 60, 0.3, 0.3, 0.3, 1.05}, {5, 0.05, 1, 4, 30, 0, 1, 0.01, 3}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        check_column(&all[i]);
    }
}
