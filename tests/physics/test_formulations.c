/* The formulations of a step: their orders on systems with exact solutions, and equality where they coincide. */
#include "phys_exact.h"
#include "phys_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- one mass on one spring --------------------------------------------------------------------------------------
 *
 * m u'' + (d/c) u' + u/c = 0, c = 0.01 m/N and m = 1 kg: w = 10/s; d = 0, 0.02, 0.2, 0.6 s are zeta = 0, 0.1, 1, 3. */
#define COMPLIANCE 0.01
#define START      0.1 /* m */
#define LAUNCH     0.3 /* m/s */

typedef enum what { AS_CONSTRAINT, AS_FORCE } what;

/* Hanging from a target at the origin, `START` above its rest position. */
static taut_world* make_oscillator(taut_backend_kind backend, const taut_integrator* integrator, what as,
                                   double damping) {
    const double points[3] = {0, START - PHYS_GRAVITY * COMPLIANCE, 0};
    taut_scene* scene = phys_scene(1, points, NULL);
    taut_target_def def = taut_default_target();
    taut_batch batch;
    def.count = 1;
    def.particles = (const uint32_t[]){0};
    def.targets = (const double[]){0, 0, 0};
    def.compliance = COMPLIANCE;
    def.damping = damping;
    CHECK_OK(taut_scene_add_targets(scene, &def, &batch));
    if (as == AS_FORCE) {
        CHECK_OK(taut_scene_use_as_forces(scene, batch));
    }
    taut_world_def world_def = phys_world_def(backend, 1, 1);
    world_def.integrator = *integrator;
    taut_world* world = phys_world(scene, &world_def);
    CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, 0, 1, (const double[]){0, LAUNCH, 0}));
    return world;
}

static double oscillator_error(taut_backend_kind backend, const taut_integrator* integrator, what as, double damping,
                               double h) {
    taut_world* world = make_oscillator(backend, integrator, as, damping);
    const int steps = (int)lround(1 / h);
    double worst = 0;
    for (int i = 1; i <= steps && phys_run(world, 1, h); i++) {
        double x[3];
        phys_position(world, 0, x);
        worst = fmax(worst, fabs(x[1] + PHYS_GRAVITY * COMPLIANCE -
                                 phys_oscillation(1, COMPLIANCE, damping, START, LAUNCH, i * h)));
    }
    taut_world_destroy(world);
    return worst;
}

static void check_order(taut_backend_kind backend, const char* name, const taut_integrator* integrator, what as,
                        double damping, double order, double most) {
    const double coarse = oscillator_error(backend, integrator, as, damping, 0.004);
    const double fine = oscillator_error(backend, integrator, as, damping, 0.002);
    test_note("%s, %s, damping %g s: errors %.3g and %.3g m", name, as == AS_FORCE ? "force" : "constraint", damping,
              coarse, fine);
    CHECK_NEAR(phys_order(coarse, fine), order, 0.15);
    CHECK(fine < most);
}

static void check_orders(taut_backend_kind backend, taut_preset which, double order, double most) {
    const taut_integrator integrator = phys_preset(which);
    const double dampings[] = {0, 0.02, 0.2, 0.6};
    for (int i = 0; i < 4; i++) {
        check_order(backend, taut_preset_name(which), &integrator, AS_FORCE, dampings[i], order, most);
        check_order(backend, taut_preset_name(which), &integrator, AS_CONSTRAINT, dampings[i], order, most);
    }
}

TAUT_TEST(formulations, explicit_euler_on_springs) {
    check_orders(backend, TAUT_PRESET_EXPLICIT_EULER, 1, 0.02);
}

TAUT_TEST(formulations, symplectic_euler_on_springs) {
    check_orders(backend, TAUT_PRESET_SYMPLECTIC_EULER, 1, 0.012);
}

TAUT_TEST(formulations, implicit_euler_on_springs) {
    check_orders(backend, TAUT_PRESET_IMPLICIT_EULER, 1, 0.012);
}

TAUT_TEST(formulations, midpoint_on_springs) {
    check_orders(backend, TAUT_PRESET_MIDPOINT, 2, 1e-4);
}

TAUT_TEST(formulations, momentum_on_springs) {
    check_orders(backend, TAUT_PRESET_MOMENTUM, 1, 0.012);
}

TAUT_TEST(formulations, accelerations_on_springs) {
    check_orders(backend, TAUT_PRESET_BAUMGARTE, 1, 0.012);
}

TAUT_TEST(formulations, runge_kutta_on_springs) {
    const taut_integrator integrator = phys_preset(TAUT_PRESET_BAUMGARTE_RK4);
    const double dampings[] = {0, 0.02, 0.2};
    for (int i = 0; i < 3; i++) {
        const double coarse = oscillator_error(backend, &integrator, AS_FORCE, dampings[i], 0.04);
        const double fine = oscillator_error(backend, &integrator, AS_FORCE, dampings[i], 0.02);
        test_note("damping %g s: errors %.3g and %.3g m", dampings[i], coarse, fine);
        CHECK_NEAR(phys_order(coarse, fine), 4, 0.4);
        CHECK(fine < 2e-5);
    }
}

/* ---- pendulums --------------------------------------------------------------------------------------------------- */

#define LENGTH 1.0

static taut_world* make_pendulum(taut_backend_kind backend, const taut_integrator* integrator) {
    taut_batch link;
    const double top[3] = {0, 0, 0}, bob[3] = {LENGTH, 0, 0};
    taut_scene* scene = phys_chain(1, top, bob, NULL, 0, &link);
    taut_world_def def = phys_world_def(backend, 1, 1);
    def.integrator = *integrator;
    return phys_world(scene, &def);
}

static double pendulum_error(taut_backend_kind backend, const taut_integrator* integrator, double h, double* drift) {
    taut_world* world = make_pendulum(backend, integrator);
    const int steps = (int)lround(1.5 / h);
    double x[3] = {0};
    *drift = 0;
    for (int i = 1; i <= steps && phys_run(world, 1, h); i++) {
        phys_position(world, 1, x);
        *drift = fmax(*drift, fabs(hypot(x[0], x[1]) - LENGTH));
    }
    const double angle = phys_pendulum_angle(LENGTH, PHYS_PI / 2, 1.5),
                 error = hypot(x[0] - LENGTH * sin(angle), x[1] + LENGTH * cos(angle));
    taut_world_destroy(world);
    return error;
}

static void check_pendulum(taut_backend_kind backend, const char* name, const taut_integrator* integrator, double h,
                           double order, double most, double most_drift) {
    const double most_order = order < 4 ? order + 0.25 : 6; /* errors of order 4 soon meet float32 */
    double drift, coarse_drift;
    const double coarse = pendulum_error(backend, integrator, h, &coarse_drift);
    const double fine = pendulum_error(backend, integrator, h / 2, &drift);
    test_note("%s: errors %.3g and %.3g m (order %.2f), drift %.3g and %.3g m", name, coarse, fine,
              phys_order(coarse, fine), coarse_drift, drift);
    CHECK(phys_order(coarse, fine) > order - 0.25);
    CHECK(phys_order(coarse, fine) < most_order);
    CHECK(fine < most);
    CHECK(drift < most_drift);
}

TAUT_TEST(formulations, pendulum_by_accelerations) {
    taut_integrator integrator = phys_preset(TAUT_PRESET_BAUMGARTE);
    check_pendulum(backend, "stabilised", &integrator, 0.002, 1, 0.03, 5e-3);
    integrator.baumgarte_velocity = integrator.baumgarte_position = 0;
    check_pendulum(backend, "not stabilised", &integrator, 0.002, 1, 0.03, 0.02);
}

TAUT_TEST(formulations, pendulum_by_runge_kutta) {
    taut_integrator integrator = phys_preset(TAUT_PRESET_BAUMGARTE_RK4);
    check_pendulum(backend, "stabilised", &integrator, 0.03, 4, 2e-5, 1e-4);
    integrator.baumgarte_velocity = integrator.baumgarte_position = 0;
    check_pendulum(backend, "not stabilised", &integrator, 0.03, 4, 1e-4, 1e-4);
}

TAUT_TEST(formulations, pendulum_by_newton) {
    taut_integrator integrator = phys_preset(TAUT_PRESET_MIDPOINT);
    integrator.newton = 20;
    integrator.newton_tolerance = 1e-10;
    check_pendulum(backend, "midpoint", &integrator, 0.01, 2, 2e-3, 1e-2);
    integrator = phys_preset(TAUT_PRESET_IMPLICIT_EULER);
    integrator.newton = 20;
    integrator.newton_tolerance = 1e-10;
    check_pendulum(backend, "implicit Euler", &integrator, 0.004, 1, 0.1, 1e-7);
}

TAUT_TEST(formulations, pendulum_with_projections) {
    taut_integrator integrator = phys_preset(TAUT_PRESET_IMPLICIT_EULER);
    integrator.project_positions = 3;
    integrator.project_velocities = true;
    check_pendulum(backend, "implicit Euler", &integrator, 0.004, 1, 0.1, 1e-12);
    integrator = phys_preset(TAUT_PRESET_BAUMGARTE_RK4);
    integrator.baumgarte_velocity = integrator.baumgarte_position = 0;
    integrator.project_positions = 3;
    integrator.project_velocities = true;
    check_pendulum(backend, "RK4", &integrator, 0.06, 4, 1e-4, 1e-12);
}

TAUT_TEST(formulations, pendulum_in_two_stages) {
    taut_integrator integrator = phys_preset(TAUT_PRESET_MIDPOINT);
    integrator.two_stage = true;
    integrator.newton = 5;
    check_pendulum(backend, "midpoint", &integrator, 0.01, 2, 3e-3, 1e-2);
}

/* ---- what must not stay from one step to the next ------------------------------------------------------------------
 */

/* A projection leaves nothing in the multipliers: a pendulum that starts with a projected speed and one that starts
 * with what is left of it across the link. */
TAUT_TEST(formulations, multipliers_after_a_projection) {
    const taut_integrator integrator = phys_preset(TAUT_PRESET_IMPLICIT_EULER);
    double x[2][3], tension[2];
    for (int projected = 0; projected < 2; projected++) {
        taut_world* world = make_pendulum(backend, &integrator);
        CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, 1, 1, (const double[]){3.0 * projected, 2, 0}));
        if (projected) {
            CHECK_OK(taut_world_project_velocities(world));
        }
        phys_run(world, 5, 0.01);
        phys_position(world, 1, x[projected]);
        CHECK_OK(taut_world_read(world, TAUT_FIELD_MULTIPLIERS, 0, 1, &tension[projected]));
        taut_world_destroy(world);
    }
    CHECK_NEAR(tension[1], tension[0], 1e-6 * fabs(tension[0]));
    CHECK_NEAR(hypot(x[1][0] - x[0][0], x[1][1] - x[0][1]), 0, 1e-9);
}

/* Nor do explicit steps in those of implicit ones, lam = -phi/c at their ends. */
TAUT_TEST(formulations, multipliers_after_a_change_of_formulation) {
    const taut_integrator first = phys_preset(TAUT_PRESET_BAUMGARTE), then = phys_preset(TAUT_PRESET_IMPLICIT_EULER);
    taut_world* world = make_oscillator(backend, &first, AS_CONSTRAINT, 0);
    double phi[3], lam[3];
    phys_run(world, 10, 0.004);
    CHECK_OK(taut_world_set_integrator(world, &then));
    phys_run(world, 1, 0.004);
    CHECK_OK(taut_world_read(world, TAUT_FIELD_VIOLATIONS, 0, 3, phi));
    CHECK_OK(taut_world_read(world, TAUT_FIELD_MULTIPLIERS, 0, 3, lam));
    CHECK_NEAR(lam[1], -phi[1] / COMPLIANCE, 1e-6 * fabs(lam[1]));
    taut_world_destroy(world);
}
