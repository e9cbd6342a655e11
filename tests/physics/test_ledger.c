/* The energy ledger: kinetic + potential + elastic energy change by work less dissipation less what the scheme takes.
 */
#include "phys_scenes.h"

#include <math.h>
#include <stdlib.h>

#define COMPLIANCE 0.01
#define H          0.01

typedef struct ledger_case {
    taut_integrator integrator;
    double damping;
    double rate[3];  /* of what holds the mass, m/s */
    bool by_support; /* held by a moving fixed particle, else by a moving target */
    double force[3];
} ledger_case;

/* A mass of 2 kg on a spring in all directions, 0.1 m off its rest position. */
static taut_world* make_world(taut_backend_kind backend, const ledger_case* c, taut_batch* batch) {
    const double points[6] = {0.1, -0.05, 0.02, 0, 0, 0};
    taut_scene* scene = phys_scene(2, points, (const double[]){2, 1});
    phys_fix(scene, 1, (const uint32_t[]){1});
    if (c->by_support) {
        taut_attachment_def def = taut_default_attachment();
        def.count = 1;
        def.particles = (const uint32_t[]){1, 0};
        def.compliance = COMPLIANCE;
        def.damping = c->damping;
        CHECK_OK(taut_scene_add_attachments(scene, &def, batch));
    } else {
        taut_target_def def = taut_default_target();
        def.count = 1;
        def.particles = (const uint32_t[]){0};
        def.targets = (const double[]){0, 0, 0};
        def.compliance = COMPLIANCE;
        def.damping = c->damping;
        CHECK_OK(taut_scene_add_targets(scene, &def, batch));
    }
    taut_world_def def = phys_world_def(backend, 1, 1);
    def.integrator = c->integrator;
    taut_world* world = phys_world(scene, &def);
    CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, 0, 1, (const double[]){0.3, 0.2, -0.4}));
    CHECK_OK(taut_world_set_forces(world, 0, 1, c->force));
    return world;
}

/* One step on to where what holds the mass moves. */
static taut_step_info drive(taut_world* world, const ledger_case* c, taut_batch batch, int step) {
    double goal[3];
    taut_step_info info;
    for (int a = 0; a < 3; a++) {
        goal[a] = c->rate[a] * H * (step + 1);
    }
    if (c->by_support) {
        CHECK_OK(taut_world_move_fixed(world, 1, (const uint32_t[]){1}, goal));
    } else {
        CHECK_OK(taut_world_move_targets(world, batch, 0, 1, goal));
    }
    CHECK_OK(taut_world_step(world, H));
    CHECK_OK(taut_world_info(world, &info));
    return info;
}

static double sum_of(const taut_step_info* info) {
    return info->kinetic + info->potential + info->elastic;
}

/* Runs, adds the ledger up, and checks that it closes in every step. */
static taut_step_info run(taut_backend_kind backend, const ledger_case* c, int steps, double numerical) {
    taut_batch batch;
    taut_world* world = make_world(backend, c, &batch);
    taut_step_info info, total = {0};
    CHECK_OK(taut_world_info(world, &info));
    double energy = sum_of(&info);
    for (int i = 0; i < steps; i++) {
        info = drive(world, c, batch, i);
        const double change = info.work_forces + info.work_drives - info.dissipated - info.numerical;
        test_note("step %d: energy %g J, forces %g, drives %g, dissipated %g, numerical %g", i, sum_of(&info),
                  info.work_forces, info.work_drives, info.dissipated, info.numerical);
        CHECK_NEAR(sum_of(&info), energy + change, 1e-12);
        CHECK_NEAR(info.numerical, 0, numerical);
        energy = sum_of(&info);
        total.work_forces += info.work_forces;
        total.work_drives += info.work_drives;
        total.dissipated += info.dissipated;
        total.numerical += info.numerical;
    }
    test_note(NULL);
    taut_world_destroy(world);
    return total;
}

static ledger_case midpoint(void) {
    ledger_case c = {.integrator = taut_default_world().integrator};
    CHECK_OK(taut_integrator_preset(TAUT_PRESET_MIDPOINT, &c.integrator));
    return c;
}

/* On a linear system the midpoint rule takes nothing: what is left is the solver's tolerance. */
TAUT_TEST(ledger, midpoint_takes_nothing) {
    ledger_case c = midpoint();
    run(backend, &c, 20, 1e-7);
    c.force[0] = 3;
    const taut_step_info pushed = run(backend, &c, 20, 1e-7);
    CHECK(fabs(pushed.work_forces) > 0.01);
    c.rate[1] = 0.5;
    const taut_step_info driven = run(backend, &c, 20, 1e-7);
    CHECK(fabs(driven.work_drives) > 0.1);
    c.by_support = true;
    const taut_step_info supported = run(backend, &c, 20, 1e-7);
    CHECK_NEAR(supported.work_drives, driven.work_drives, 1e-6);
}

/* Of particles, by gravity; what is fixed has none. */
TAUT_TEST(ledger, momentum_is_that_of_what_moves) {
    const double masses[3] = {2, 0.5, 7}, v[9] = {1, 2, 3, -4, 0, 1, 0, 0, 0};
    taut_scene* scene = phys_scene(3, (const double[]){0, 0, 0, 1, 0, 0, 2, 0, 0}, masses);
    phys_fix(scene, 1, (const uint32_t[]){2});
    const taut_world_def def = phys_world_def(backend, 1, 1);
    taut_world* world = phys_world(scene, &def);
    taut_step_info info = {0};
    CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, 0, 3, v));
    CHECK_OK(taut_world_step(world, H));
    CHECK_OK(taut_world_info(world, &info));
    for (int a = 0; a < 3; a++) {
        const double fall = a == 1 ? -PHYS_GRAVITY * H : 0;
        CHECK_NEAR(info.momentum[a], masses[0] * (v[a] + fall) + masses[1] * (v[3 + a] + fall), 1e-12);
    }
    taut_world_destroy(world);
}

/* Dampers: powers by the trapezoidal rule leave an error of third order a step. */
TAUT_TEST(ledger, dampers) {
    ledger_case c = midpoint();
    c.damping = 0.02;
    const taut_step_info damped = run(backend, &c, 40, 5e-4);
    CHECK(damped.dissipated > 0.5);
    CHECK_NEAR(damped.numerical, 0, 4e-3);
    c.damping = 0;
    c.integrator.mass_damping = 4;
    const taut_step_info slowed = run(backend, &c, 40, 5e-4);
    CHECK(slowed.dissipated > 0.3);
    CHECK_NEAR(slowed.numerical, 0, 4e-3);
}

/* Implicit Euler takes dv.M dv / 2 + dx.C^-1 dx / 2 in a step of a linear system. */
TAUT_TEST(ledger, implicit_euler_takes_what_theory_says) {
    ledger_case c = midpoint();
    taut_batch batch;
    CHECK_OK(taut_integrator_preset(TAUT_PRESET_IMPLICIT_EULER, &c.integrator));
    taut_world* world = make_world(backend, &c, &batch);
    double x[3], v[3], x1[3], v1[3];
    for (int i = 0; i < 10; i++) {
        phys_position(world, 0, x);
        phys_velocity(world, 0, v);
        const taut_step_info info = drive(world, &c, batch, i);
        double taken = 0;
        phys_position(world, 0, x1);
        phys_velocity(world, 0, v1);
        for (int a = 0; a < 3; a++) {
            taken += (v1[a] - v[a]) * (v1[a] - v[a]) + (x1[a] - x[a]) * (x1[a] - x[a]) / COMPLIANCE / 2;
        }
        CHECK_NEAR(info.numerical, taken, 1e-7);
        CHECK(info.numerical > 1e-3);
    }
    taut_world_destroy(world);
}

/* Substeps add up, and other formulations keep books as well. */
TAUT_TEST(ledger, other_steps) {
    ledger_case c = midpoint();
    c.integrator.substeps = 3;
    c.rate[0] = 0.2;
    run(backend, &c, 10, 1e-7);
    c = midpoint();
    c.integrator.newton = 4;
    c.rate[0] = 0.2;
    run(backend, &c, 10, 1e-7);
    CHECK_OK(taut_integrator_preset(TAUT_PRESET_BAUMGARTE_RK4, &c.integrator));
    c.integrator.newton = 1;
    run(backend, &c, 10, 1e-3);
}
