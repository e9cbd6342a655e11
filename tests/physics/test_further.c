/* Further linearisations of steps in which one stretches something: how far joints open, that they are those of
 * Newton's method, and that a step which needs none makes none. */
#include "phys_frames.h"

#include <math.h>
#include <stdlib.h>

/* Two bars of 1 m on hinges, the first one at a wall, that fall from where they are level. They turn against each
 * other, the first one at `spin`, rad/s. */
static taut_world* make_bars(taut_backend_kind backend, const taut_integrator* like, double spin, taut_body bars[2]) {
    taut_scene* scene = phys_empty_scene();
    taut_body last = TAUT_WORLD;
    double axes[4];
    phys_hinge_about_z(axes);
    for (int i = 0; i < 2; i++) {
        phys_body bar = phys_bar((const double[]){i, 0, 0}, (const double[]){i + 1, 0, 0}, 0.1, 10);
        bar.v[1] = spin / 2;
        bar.w[2] = i == 0 ? spin : -spin;
        bars[i] = phys_add_body(scene, &bar);
        phys_add_joint(scene, TAUT_JOINT_HINGE, last, bars[i], (const double[]){i, 0, 0}, axes);
        last = bars[i];
    }
    taut_world_def def = phys_world_def(backend, 1, 1);
    def.integrator.newton = like->newton;
    def.integrator.newton_tolerance = like->newton_tolerance;
    def.integrator.further = like->further;
    return phys_world(scene, &def);
}

typedef struct bars_run {
    double open;   /* m, at most */
    double gained; /* J */
    uint32_t linearisations;
    uint32_t again; /* steps that were linearised again */
} bars_run;

static bars_run run_bars(taut_backend_kind backend, uint32_t further, double h, int steps) {
    const taut_integrator integrator = {.newton = 1, .further = further};
    bars_run run = {0};
    taut_body bars[2];
    taut_step_info info;
    taut_world* world = make_bars(backend, &integrator, 0, bars);
    CHECK_OK(taut_world_info(world, &info));
    const double start = info.kinetic + info.potential;
    for (int i = 0; i < steps; i++) {
        CHECK_OK(taut_world_step(world, h));
        CHECK_OK(taut_world_info(world, &info));
        CHECK(info.outcome == TAUT_SOLVE_CONVERGED);
        run.open = fmax(run.open, info.max_violation[TAUT_PRISMATIC]);
        run.gained = fmax(run.gained, info.kinetic + info.potential - start);
        run.linearisations += info.linearisations;
        run.again += info.linearisations > 0;
    }
    taut_world_destroy(world);
    return run;
}

TAUT_TEST(further, joints_stay_closed_in_long_steps) {
    const uint32_t further = taut_default_world().integrator.further;
    const bars_run once = run_bars(backend, 0, 1.0 / 24, 36), more = run_bars(backend, further, 1.0 / 24, 36);
    test_note("open by %.3g mm with one linearisation, by %.3g with up to %u more", 1e3 * once.open, 1e3 * more.open,
              further);
    CHECK(once.open > 0.01);
    CHECK(more.open < 2.5e-3);
    CHECK(more.gained <= 1e-3 * 10 * PHYS_GRAVITY);
    CHECK_INT(once.linearisations, 0);
}

/* Nothing is linearised again where a step is short. */
TAUT_TEST(further, steps_that_need_none_make_none) {
    const bars_run once = run_bars(backend, 0, 1e-3, 100), more = run_bars(backend, 2, 1e-3, 100);
    CHECK_INT(more.linearisations, 0);
    CHECK(more.open == once.open);
}

/* Motion that goes on is guessed: of bars that turn, each of whose steps one linearisation about its start stretches,
 * hardly any is linearised again. */
TAUT_TEST(further, motion_that_goes_on_is_guessed) {
    const bars_run run = run_bars(backend, 2, 1.0 / 24, 36);
    test_note("%u of 36 steps were linearised again; open by %.3g mm", run.again, 1e3 * run.open);
    CHECK(run.again > 0);
    CHECK(run.again < 8);
    CHECK(run.open < 1e-3);
}

/* Where the bars are after a step of 1/24 s, and its linearisations. */
static uint32_t step_spinning_bars(taut_backend_kind backend, const taut_integrator* integrator, double x[6]) {
    taut_body bars[2];
    taut_step_info info;
    taut_world* world = make_bars(backend, integrator, 6, bars);
    CHECK_OK(taut_world_step(world, 1.0 / 24));
    CHECK_OK(taut_world_info(world, &info));
    phys_position(world, bars[0].point, x);
    phys_position(world, bars[1].point, x + 3);
    taut_world_destroy(world);
    return info.linearisations;
}

/* A step that is linearised once more is that of two linearisations, bit for bit. */
TAUT_TEST(further, linearisations_are_those_of_newton) {
    const taut_integrator twice = {.newton = 2}, once_more = {.newton = 1, .further = 1}, once = {.newton = 1};
    double x[6], y[6], z[6];
    CHECK_INT(step_spinning_bars(backend, &twice, x), 2);
    CHECK_INT(step_spinning_bars(backend, &once_more, y), 2);
    CHECK_INT(step_spinning_bars(backend, &once, z), 0);
    CHECK(phys_farthest(x, y, 6) == 0);
    CHECK(phys_farthest(x, z, 6) > 1e-3);
}

/* How far a hard link of 1 m that turns by 0.4 radians a step is off its length at most, with its damping time in steps
 * and the most linearisations. */
static double turn_link(taut_backend_kind backend, double damping, uint32_t newton) {
    taut_scene* scene = phys_empty_scene();
    taut_world_def def = phys_world_def(backend, 1, 1);
    const double h = 1.0 / 60, x[6] = {0, 0, 0, 1, 0, 0}, v[6] = {0, 0, 0, 0, 0.4 / h, 0};
    const bool fixed[2] = {true, false};
    const uint32_t ends[2] = {0, 1};
    taut_particles_def particles = taut_default_particles();
    taut_distance_def link = taut_default_distance();
    double off = 0;
    particles.count = 2;
    particles.positions = x;
    particles.velocities = v;
    particles.fixed = fixed;
    link.count = 1;
    link.particles = ends;
    CHECK_OK(taut_scene_add_particles(scene, &particles, NULL));
    CHECK_OK(taut_scene_add_distances(scene, &link, NULL));
    def.gravity[1] = 0;
    def.integrator.hard_row_damping = damping;
    def.integrator.newton = newton;
    taut_world* world = phys_world(scene, &def);
    for (int i = 0; i < 20; i++) {
        double end[3];
        CHECK_OK(taut_world_step(world, h));
        CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, 1, 1, end));
        off = fmax(off, fabs(sqrt(end[0] * end[0] + end[1] * end[1] + end[2] * end[2]) - 1));
    }
    taut_world_destroy(world);
    return off;
}

/* A hard row that closes slowly keeps the length of what turns: its damping acts on how phi changes in the step, and
 * not on J v', which turning makes another. */
TAUT_TEST(further, what_turns_keeps_its_length_where_hard_rows_close_slowly) {
    const double at_once = turn_link(backend, 0, 20), slowly = turn_link(backend, 3, 20);
    test_note("off by %.3g, and by %.3g where it closes in four steps", at_once, slowly);
    CHECK(at_once < 1e-5);
    CHECK(slowly < 1e-5);
}
