/* Fixed particles, frames and targets that turn within a step go along arcs: at the end of each substep they are on the
 * circle. */
#include "phys_frames.h"

#include "taut/save.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEP 0.5

static const double centre[3] = {0.1, -0.2, 0.3};
static const double origin[3];

/* A fixed particle 1 m along x from the centre, and one of 1 kg that is attached to it or held by a target there. */
typedef struct rotor {
    taut_world* world;
    taut_batch batch;
} rotor;

enum { LED, FREE, RUNNER, ROTOR_POINTS };

static taut_world_def rotor_def(taut_backend_kind backend, uint32_t substeps) {
    taut_world_def def = phys_world_def(backend, 1, 1);
    memset(def.gravity, 0, sizeof def.gravity);
    def.integrator.substeps = substeps;
    return def;
}

static taut_scene* rotor_scene(bool target, taut_batch* batch) {
    double x[ROTOR_POINTS][3];
    for (int i = 0; i < ROTOR_POINTS; i++) {
        memcpy(x[i], centre, sizeof x[i]);
        x[i][0] += i < RUNNER ? 1 : 5;
    }
    taut_scene* scene = phys_scene(ROTOR_POINTS, x[0], NULL);
    phys_fix(scene, 1, (const uint32_t[]){LED});
    if (target) {
        taut_target_def def = taut_default_target();
        def.count = 1;
        def.particles = (const uint32_t[]){FREE};
        CHECK_OK(taut_scene_add_targets(scene, &def, batch));
    } else {
        taut_attachment_def def = taut_default_attachment();
        def.count = 1;
        def.particles = (const uint32_t[]){LED, FREE};
        CHECK_OK(taut_scene_add_attachments(scene, &def, batch));
    }
    return scene;
}

static rotor make_rotor(const taut_world_def* def, bool target) {
    rotor out;
    taut_scene* scene = rotor_scene(target, &out.batch);
    out.world = phys_world(scene, def);
    return out;
}

/* Where a point is that has turned about z by an angle, with the axis. */
static void on_circle(double angle, const double shift[3], double out[3]) {
    memcpy(out, centre, 3 * sizeof *out);
    phys_add(1, shift, out);
    phys_add(1, (const double[]){cos(angle), sin(angle), 0}, out);
}

/* Turned by `angle` at the end of the next step, by `turn` in it; the axis is then at centre + shift. */
static void lead(const rotor* r, bool target, double angle, double turn, const double shift[3]) {
    const double rotation[3] = {0, 0, turn};
    double goal[3], axis[3];
    on_circle(angle, shift, goal);
    memcpy(axis, centre, sizeof axis);
    phys_add(1, shift, axis);
    if (target) {
        CHECK_OK(taut_world_turn_targets(r->world, r->batch, 0, 1, goal, rotation, axis));
    } else {
        CHECK_OK(taut_world_turn_fixed(r->world, 1, (const uint32_t[]){LED}, goal, rotation, axis));
    }
}

static void check_place(taut_world* world, uint32_t point, const double expected[3], double tolerance) {
    double x[3];
    phys_position(world, point, x);
    CHECK(phys_apart(x, expected) <= tolerance);
}

/* A velocity is that of the last substep: it tells where that began. */
static void check_last_substep(taut_world* world, uint32_t point, double h, const double began[3]) {
    double x[3], v[3];
    phys_position(world, point, x);
    CHECK_OK(taut_world_read(world, TAUT_FIELD_VELOCITIES, point, 1, v));
    phys_add(-h, v, x);
    CHECK(phys_apart(x, began) <= 1e-6);
}

/* Three steps of 120 degrees: the kinetic energy is 8.773 J, of the chords of substeps a little less. Along the chord
 * of the step it was 6 J, whatever the substeps. */
static void turn_in_substeps(taut_backend_kind backend, bool target, uint32_t substeps) {
    const double turn = 2 * PHYS_PI / 3, part = turn / substeps, h = STEP / substeps;
    const double chord = 2 * sin(part / 2) / h, arc = turn / STEP;
    const taut_world_def def = rotor_def(backend, substeps);
    const rotor r = make_rotor(&def, target);
    for (int k = 1; k <= 3; k++) {
        taut_step_info info;
        double began[3];
        test_note("%u substeps, step %d", substeps, k);
        lead(&r, target, k * turn, turn, origin);
        CHECK(phys_run(r.world, 1, STEP));
        CHECK_OK(taut_world_info(r.world, &info));
        CHECK_NEAR(info.kinetic, chord * chord / 2, 1e-5);
        CHECK(substeps < 10 || fabs(info.kinetic - arc * arc / 2) < 0.01 * arc * arc / 2);
        on_circle(k * turn - part, origin, began);
        check_last_substep(r.world, target ? FREE : LED, h, began);
        check_last_substep(r.world, FREE, h, began);
    }
    test_note(NULL);
    taut_world_destroy(r.world);
}

TAUT_TEST(arcs, of_what_is_attached) {
    static const uint32_t substeps[] = {1, 2, 3, 10, 50};
    for (int i = 0; i < (backend == TAUT_BACKEND_CUDA ? 3 : 5); i++) {
        turn_in_substeps(backend, false, substeps[i]);
    }
}

TAUT_TEST(arcs, of_targets) {
    turn_in_substeps(backend, true, 3);
    turn_in_substeps(backend, true, 10);
}

/* The axis goes straight, and what is not where the motion began comes to it by the end. */
TAUT_TEST(arcs, of_an_axis_that_moves) {
    const double shift[3] = {0.3, 0.6, -0.9}, half[3] = {0.15, 0.3, -0.45};
    const taut_world_def def = rotor_def(backend, 2);
    const rotor r = make_rotor(&def, false);
    double expected[3];
    lead(&r, false, 2, 2, shift);
    CHECK(phys_run(r.world, 1, STEP));
    on_circle(2, shift, expected);
    check_place(r.world, LED, expected, 1e-12);
    on_circle(1, half, expected);
    check_last_substep(r.world, LED, STEP / 2, expected);
    CHECK(phys_run(r.world, 1, STEP)); /* and rests */
    on_circle(2, shift, expected);
    check_place(r.world, LED, expected, 1e-12);
    taut_world_destroy(r.world);
}

/* In the middle of a step, which fails there: what was to run on became too fast. The next one goes on. */
static void fail_after(taut_backend_kind backend, int made) {
    const double turn = 2.4, h = STEP / 4, kick = 100;
    taut_world_def def = rotor_def(backend, 4);
    double expected[3];
    def.integrator.guard = false;
    def.speed_limit = (made + 0.5) * kick;
    const rotor r = make_rotor(&def, false);
    lead(&r, false, turn, turn, origin);
    CHECK_OK(taut_world_set_forces(r.world, RUNNER, 1, (const double[]){kick / h, 0, 0}));
    const taut_status status = taut_world_step(r.world, STEP);
    CHECK_INT(status == TAUT_OK ? taut_world_sync(r.world) : status, TAUT_DIVERGED);
    taut_world_sync(r.world);
    on_circle(turn * made / 4, origin, expected);
    check_place(r.world, LED, expected, 1e-12);
    check_place(r.world, FREE, expected, 1e-6);
    CHECK_OK(taut_world_set_forces(r.world, RUNNER, 1, origin));
    CHECK(phys_run(r.world, 1, STEP - made * h));
    on_circle(turn, origin, expected);
    check_place(r.world, LED, expected, 1e-12);
    on_circle(turn * (1 - (4 - made) / 16.0), origin, expected);
    check_last_substep(r.world, LED, (STEP - made * h) / 4, expected);
    lead(&r, false, 2 * turn, turn, origin); /* from the start again */
    CHECK(phys_run(r.world, 1, STEP));
    on_circle(turn * 7 / 4, origin, expected);
    check_last_substep(r.world, LED, h, expected);
    taut_world_destroy(r.world);
}

TAUT_TEST(arcs, at_the_ends_of_substeps) {
    for (int made = 1; made < 4; made++) {
        test_note("%d substeps", made);
        fail_after(backend, made);
    }
    test_note(NULL);
}

/* The guard halves what a link that is thrown round does; each part has its own chord. From the velocity v at the end
 * x follows the length of the last part, h' = 2 x.v / v.v from the centre, and from that the chord. */
TAUT_TEST(arcs, in_parts) {
    const double rate = 2 / STEP, throw[3] = {0, 200, 0};
    const phys_tuples link = {1, (uint32_t[]){LED, RUNNER}};
    taut_world_def def = rotor_def(backend, 1);
    taut_step_info info;
    rotor r;
    double x[3], v[3];
    def.integrator.guard = true;
    taut_scene* scene = rotor_scene(false, &r.batch);
    phys_add_links(scene, &link, 0, 0);
    r.world = phys_world(scene, &def);
    CHECK_OK(taut_world_write(r.world, TAUT_FIELD_VELOCITIES, RUNNER, 1, throw));
    lead(&r, false, 2, 2, origin);
    CHECK(phys_run(r.world, 1, STEP));
    CHECK_OK(taut_world_info(r.world, &info));
    CHECK(info.subdivided > 0);
    phys_position(r.world, LED, x);
    phys_add(-1, centre, x);
    CHECK_OK(taut_world_read(r.world, TAUT_FIELD_VELOCITIES, LED, 1, v));
    const double h = 2 * phys_dot(x, v) / phys_dot(v, v);
    CHECK(h > 0 && h < 0.6 * STEP);
    CHECK_NEAR(phys_length(v), 2 * sin(rate * h / 2) / h, 1e-9);
    taut_world_destroy(r.world);
}

/* Of any angle; one that does not lead to the goal is not followed. */
TAUT_TEST(arcs, of_frames) {
    static const double turns[] = {0.5, 4.5, -4.5, 12.6};
    const double axis[3] = {0, 0.6, 0.8};
    const phys_body body = {.mass = 1, .inertia = {1, 1, 1}, .q = {0.6, 0, 0.8, 0}, .fixed = true};
    for (int i = 0; i < 5; i++) {
        const double turn = turns[i % 4], w = i < 4 ? turn : -1;
        double q[4], goal[4], rotation[3] = {0}, rate[3], expected[3] = {0};
        taut_scene* scene = phys_empty_scene();
        const taut_body handle = phys_add_body(scene, &body);
        const taut_world_def def = rotor_def(backend, 3);
        taut_world* world = phys_world(scene, &def);
        phys_body now;
        test_note("a turn of %g", turn);
        phys_turn(axis, turn, q);
        phys_multiply(q, body.q, goal);
        phys_add(w, axis, rotation);
        phys_add(turn / STEP, axis, expected);
        CHECK_OK(taut_world_turn_fixed_frames(world, 1, &handle.frame, goal, rotation));
        CHECK(phys_run(world, 1, STEP));
        CHECK_OK(taut_world_read(world, TAUT_FIELD_ANGULAR_VELOCITIES, handle.frame, 1, rate));
        CHECK(phys_apart(rate, expected) < 1e-9);
        phys_read_body(world, handle, &now);
        CHECK(phys_angle_between(now.q, goal) < 1e-7);
        taut_world_destroy(world);
    }
    test_note(NULL);
}

/* Moved or turned, by one call or by one for their points and one for their frames. */
static void lead_bodies(taut_world* world, const taut_body b[2], bool turned, bool apart, const double x[6],
                        const double q[8]) {
    const double rotation[3] = {0, 0, 4.5};
    const uint32_t points[2] = {b[0].point, b[1].point}, frames[2] = {b[0].frame, b[1].frame};
    if (turned && apart) {
        CHECK_OK(taut_world_turn_fixed(world, 2, points, x, rotation, origin));
        CHECK_OK(taut_world_turn_fixed_frames(world, 2, frames, q, rotation));
    } else if (turned) {
        CHECK_OK(taut_world_turn_fixed_bodies(world, 2, b, x, q, rotation, origin));
    } else if (apart) {
        CHECK_OK(taut_world_move_fixed(world, 2, points, x));
        CHECK_OK(taut_world_move_fixed_frames(world, 2, frames, q));
    } else {
        CHECK_OK(taut_world_move_fixed_bodies(world, 2, b, x, q));
    }
}

/* Two bodies after a step in which they turn by 4.5 rad about the origin. */
static void turn_bodies(taut_backend_kind backend, bool turned, bool apart, phys_body out[2]) {
    const double q[8] = {cos(2.25), 0, 0, sin(2.25), cos(2.25), 0, 0, sin(2.25)};
    const double x[6] = {cos(4.5), sin(4.5), 0, -sin(4.5), cos(4.5), 0};
    taut_scene* scene = phys_scene(1, (const double[]){0, 0, 5}, NULL);
    taut_body bodies[2];
    for (int i = 0; i < 2; i++) {
        const phys_body body = {.mass = 1, .inertia = {1, 1, 1}, .q = {1}, .x = {1 - i, i, 0}, .fixed = true};
        bodies[i] = phys_add_body(scene, &body);
    }
    const taut_world_def def = rotor_def(backend, 3);
    taut_world* world = phys_world(scene, &def);
    lead_bodies(world, bodies, turned, apart, x, q);
    CHECK(phys_run(world, 1, STEP));
    for (int i = 0; i < 2; i++) {
        phys_read_body(world, bodies[i], &out[i]);
        CHECK_NEAR(phys_apart(out[i].x, x + 3 * i), 0, 1e-12);
        CHECK(phys_angle_between(out[i].q, q) < 1e-7);
    }
    taut_world_destroy(world);
}

/* Bodies go and turn as their points and their frames do by calls of their own, bit by bit. */
TAUT_TEST(arcs, of_bodies) {
    for (int turned = 0; turned < 2; turned++) {
        phys_body together[2] = {{0}}, apart[2] = {{0}};
        turn_bodies(backend, turned, false, together);
        turn_bodies(backend, turned, true, apart);
        CHECK(memcmp(together, apart, sizeof apart) == 0);
        CHECK_NEAR(phys_length(together[0].w), turned ? 9 : (2 * PHYS_PI - 4.5) / STEP, 1e-6);
    }
}

/* Saved between the call and the step. */
TAUT_TEST(arcs, saved) {
    const taut_world_def def = rotor_def(backend, 3);
    const rotor r = make_rotor(&def, false), other = make_rotor(&def, false);
    size_t bytes;
    double x[2][3], v[2][3];
    lead(&r, false, 2, 2, origin);
    CHECK_OK(taut_world_state_size(r.world, &bytes));
    void* block = phys_array(1, bytes);
    CHECK_OK(taut_world_save(r.world, bytes, block, &bytes));
    CHECK_OK(taut_world_load(other.world, block, bytes));
    for (int i = 0; i < 2; i++) {
        taut_world* world = i == 0 ? r.world : other.world;
        CHECK(phys_run(world, 1, STEP));
        CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, FREE, 1, x[i]));
        CHECK_OK(taut_world_read(world, TAUT_FIELD_VELOCITIES, FREE, 1, v[i]));
    }
    CHECK(memcmp(x[0], x[1], sizeof x[0]) == 0 && memcmp(v[0], v[1], sizeof v[0]) == 0);
    free(block);
    taut_world_destroy(r.world);
    taut_world_destroy(other.world);
}

/* What sleeps is woken by a whole turn, which leads to where it is. */
TAUT_PLAIN_TEST(arcs, whole_turns_wake) {
    taut_world_def def = rotor_def(backend, 4);
    def.sleep.speed = 0.05;
    def.sleep.time = 0.1;
    const rotor r = make_rotor(&def, false);
    taut_step_info info;
    CHECK(phys_run(r.world, 4, STEP));
    CHECK_OK(taut_world_info(r.world, &info));
    CHECK(info.asleep > 0);
    lead(&r, false, 2 * PHYS_PI, 2 * PHYS_PI, origin);
    CHECK(phys_run(r.world, 1, STEP));
    CHECK_OK(taut_world_info(r.world, &info));
    const double chord = sqrt(2) / (STEP / 4);
    CHECK_NEAR(info.kinetic, chord * chord / 2, 1e-2 * chord * chord);
    taut_world_destroy(r.world);
}
