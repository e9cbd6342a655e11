/* Angles of drives count whole turns: motors and stops at any angle, on from any state that a world can have. */
#include "phys_frames.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define H (1.0 / 60)

static const double pi = 3.14159265358979323846;

typedef struct wheel {
    taut_world* world;
    taut_body body;
    taut_batch drive;
    double angle; /* as the test counts it, from one step to the next, */
    double step;  /* and by what it has changed in the last one */
} wheel;

/* A body of 0.01 kg m^2 on a hinge about z, with the spin w0 and a drive within bounds. */
static void add_wheel(taut_scene* scene, double w0, double target, double lower, double upper, wheel* out) {
    const double at[3] = {0, 0, 0};
    double axes[4];
    const phys_body body = {.mass = 1, .inertia = {0.01, 0.01, 0.01}, .q = {1, 0, 0, 0}, .w = {0, 0, w0}};
    memset(out, 0, sizeof *out);
    out->body = phys_add_body(scene, &body);
    phys_hinge_about_z(axes);
    taut_joints_def def = taut_default_joints();
    taut_joint_batches batches;
    def.type = TAUT_JOINT_HINGE;
    def.count = 1;
    def.bodies = (const taut_body[]){TAUT_WORLD, out->body};
    def.positions = at;
    def.orientations = axes;
    def.drive = true;
    def.targets = &target;
    CHECK_OK(taut_scene_add_joints(scene, &def, &batches));
    out->drive = batches.drive;
    if (lower > -INFINITY || upper < INFINITY) {
        CHECK_OK(taut_scene_set_bounds(scene, out->drive, lower, upper, INFINITY));
    }
}

static wheel make_wheel(taut_backend_kind backend, double w0, double target, double lower, double upper) {
    wheel out;
    taut_scene* scene = phys_empty_scene();
    add_wheel(scene, w0, target, lower, upper, &out);
    taut_world_def def = phys_world_def(backend, 1, 1);
    memset(def.gravity, 0, sizeof def.gravity);
    out.world = phys_world(scene, &def);
    return out;
}

static double facing(const wheel* w) {
    phys_body body;
    phys_read_body(w->world, w->body, &body);
    return phys_angle_about_z(body.q);
}

/* What the drive is from its target. */
static double deviation(const wheel* w) {
    double phi;
    phys_violations(w->world, w->drive, 1, &phi);
    return phi;
}

/* A step in which the wheel turns by less than half a turn. */
static bool turn(wheel* w, double h) {
    if (!phys_run(w->world, 1, h)) {
        return false;
    }
    w->step = phys_angle_difference(facing(w), w->angle);
    w->angle += w->step;
    return true;
}

/* ---- motors ------------------------------------------------------------------------------------------------------ */

/* At the bound M it has the angle M T (T + h) / (2 I) at the time T, by implicit Euler; the target runs ahead. */
TAUT_TEST(turns, motor_at_its_bound) {
    const int rates[] = {24, 60, 120};
    for (int i = 0; i < 3; i++) {
        const double h = 1.0 / rates[i];
        wheel w = make_wheel(backend, 0, 0, -0.05, 0.05);
        for (int k = 1; k <= 2 * rates[i]; k++) {
            const double target = 10 * pi * k * h;
            CHECK_OK(taut_world_move_targets(w.world, w.drive, 0, 1, &target));
            turn(&w, h);
        }
        test_note("%d Hz", rates[i]);
        CHECK_NEAR(w.angle, 5 * (2 + h), 1e-6);
        CHECK_NEAR(deviation(&w), w.angle - 20 * pi, 1e-6);
        taut_world_destroy(w.world);
    }
    test_note(NULL);
}

/* A target that is turns away from the start is that far, and no energy is gained on the way. */
TAUT_TEST(turns, motor_with_a_far_target) {
    wheel w = make_wheel(backend, 0, 100 * pi, -0.05, 0.05);
    for (int i = 0; i < 120; i++) {
        taut_step_info info;
        turn(&w, H);
        CHECK_OK(taut_world_info(w.world, &info));
        CHECK_NEAR(info.kinetic + info.elastic, 0.05 * 100 * pi, 0.05);
    }
    CHECK_NEAR(w.angle, 5 * (2 + H), 0.01 * w.angle);
    taut_world_destroy(w.world);
}

/* Hard drives follow by more than half a turn in each step: 13 turns a second at 24 Hz. */
TAUT_TEST(turns, motor_that_turns_far_in_a_step) {
    const double h = 1.0 / 24;
    wheel w = make_wheel(backend, 0, 0, -INFINITY, INFINITY);
    for (int k = 1; k <= 48; k++) {
        const double target = 26 * pi * k * h;
        CHECK_OK(taut_world_move_targets(w.world, w.drive, 0, 1, &target));
        CHECK(phys_run(w.world, 1, h));
        CHECK_NEAR(deviation(&w), 0, 1e-6);
        CHECK_NEAR(phys_angle_difference(facing(&w), target), 0, 1e-6);
    }
    taut_world_destroy(w.world);
}

/* ---- stops ------------------------------------------------------------------------------------------------------- */

TAUT_TEST(turns, stops_at_any_angle) {
    const double degrees[] = {150, 200, 270, 810}, spins[] = {6, 30};
    for (int i = 0; i < 8; i++) {
        const double stop = degrees[i / 2] * pi / 180, spin = spins[i % 2];
        wheel w = make_wheel(backend, spin, stop, -INFINITY, 0);
        test_note("stop at %g rad, %g rad/s", stop, spin);
        for (int k = 0; k < (int)(stop / (spin * H)) + 10; k++) {
            turn(&w, H);
            CHECK(fabs(w.step) <= spin * H + 1e-9 && w.angle <= stop + 1e-6);
        }
        CHECK_NEAR(w.angle, stop, 1e-6);
        taut_world_destroy(w.world);
    }
    test_note(NULL);
}

/* The free way is free for any number of turns. */
TAUT_TEST(turns, stop_lets_go) {
    wheel w = make_wheel(backend, -3, 0, -INFINITY, 0);
    for (int k = 0; k < 180; k++) {
        turn(&w, H);
    }
    CHECK_NEAR(w.angle, -9, 1e-6);
    CHECK_NEAR(phys_multiplier(w.world, w.drive, 0), 0, 1e-12);
    taut_world_destroy(w.world);
}

/* ---- states ------------------------------------------------------------------------------------------------------ */

/* A world that has never turned goes on from a state with turns as the one that made them. */
TAUT_TEST(turns, saved) {
    wheel w = make_wheel(backend, 0, 20 * pi, -0.05, 0.05), fresh = make_wheel(backend, 0, 20 * pi, -0.05, 0.05);
    size_t bytes = 0;
    CHECK(phys_run(w.world, 90, H));
    CHECK_OK(taut_world_state_size(w.world, &bytes));
    void* block = malloc(bytes);
    CHECK_OK(taut_world_save(w.world, bytes, block, &bytes));
    CHECK_OK(taut_world_load(fresh.world, block, bytes));
    CHECK(deviation(&w) > -20 * pi + 2 * pi - 1 && deviation(&w) == deviation(&fresh));
    for (int k = 0; k < 60; k++) {
        CHECK(phys_run(w.world, 1, H) && phys_run(fresh.world, 1, H));
        CHECK(facing(&w) == facing(&fresh) && deviation(&w) == deviation(&fresh));
    }
    free(block);
    taut_world_destroy(w.world);
    taut_world_destroy(fresh.world);
}

/* Who writes an orientation begins to count anew. */
TAUT_TEST(turns, written) {
    wheel w = make_wheel(backend, 0, 20 * pi, -0.05, 0.05);
    double q[4];
    CHECK(phys_run(w.world, 120, H));
    CHECK(deviation(&w) > -19 * pi);
    phys_turn((const double[]){0, 0, 1}, -3, q);
    CHECK_OK(taut_world_write(w.world, TAUT_FIELD_ORIENTATIONS, w.body.frame, 1, q));
    CHECK_NEAR(deviation(&w), -3 - 20 * pi, 1e-12);
    taut_world_destroy(w.world);
}

/* A projection turns as far as the target is. */
TAUT_TEST(turns, projected) {
    wheel w = make_wheel(backend, 0, 4.5 * pi, -INFINITY, INFINITY);
    double worst = 1;
    CHECK_OK(taut_world_project_positions(w.world, 20, 1e-9, &worst));
    CHECK(worst <= 1e-9);
    CHECK_NEAR(deviation(&w), 0, 1e-9);
    CHECK_NEAR(facing(&w), pi / 2, 1e-9);
    taut_world_destroy(w.world);
}

/* ---- steps that are taken back ----------------------------------------------------------------------------------- */

/* A sheet of springs on two corners, of which three iterations make too little: the guard takes steps back. */
static void add_troubles(taut_scene* scene) {
    phys_mesh mesh = phys_grid(10, 10, 0.5, 0.5, PHYS_ALTERNATING);
    phys_tuples edges = phys_edges(&mesh);
    double* masses = phys_lumped_masses(&mesh, 0.2);
    taut_particles_def def = taut_default_particles();
    taut_range made = {0};
    def.count = mesh.point_count;
    def.positions = mesh.points;
    def.masses = masses;
    CHECK_OK(taut_scene_add_particles(scene, &def, &made));
    for (size_t i = 0; i < 2 * edges.count; i++) {
        edges.items[i] += made.first;
    }
    phys_add_links(scene, &edges, 1e-4, 0);
    phys_fix(scene, 2, (const uint32_t[]){made.first, made.first + 10});
    free(edges.items);
    free(masses);
    phys_mesh_free(&mesh);
}

/* A drive that is to turn by most of a turn in each step: what is taken back takes its turns with it, and the wheel
 * lags behind but is never ahead. */
TAUT_TEST(turns, taken_back) {
    wheel w;
    uint32_t taken_back = 0, late = 0;
    taut_scene* scene = phys_empty_scene();
    add_wheel(scene, 0, 0, -INFINITY, INFINITY, &w);
    add_troubles(scene);
    taut_world_def def = phys_world_def(backend, 1, 1);
    def.gravity[1] = 0;
    def.gravity[2] = -PHYS_GRAVITY;
    def.solver.tolerance = 1e-4;
    def.solver.method = TAUT_METHOD_CONDENSED;
    def.solver.max_iterations = 3;
    w.world = phys_world(scene, &def);
    for (int k = 1; k <= 60; k++) {
        const double target = 5 * k;
        taut_step_info info;
        CHECK_OK(taut_world_move_targets(w.world, w.drive, 0, 1, &target));
        CHECK(phys_run(w.world, 1, H));
        CHECK_OK(taut_world_info(w.world, &info));
        taken_back += info.subdivided + info.damped;
        CHECK(deviation(&w) < 0.5 && deviation(&w) > -11);
        late += deviation(&w) < -4;
    }
    CHECK(taken_back > 0 && late > 0 && late < 30);
    taut_world_destroy(w.world);
}
