/* Force elements in motion against closed forms: drag, orbits, a damped mode, soft bodies; the order of each scheme. */
#include "force_scenes.h"
#include "phys_frames.h"

#include "dense_matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- drag ---------------------------------------------------------------------------------------------------------
 */

/* A flat triangle of 1/2 m^2 and 0.6 kg that falls with its face down: v = v_t tanh(g t / v_t), v_t^2 = m g / (a A). */
static double fall_error(taut_backend_kind backend, const taut_integrator* integrator, double h) {
    const double drag = 0.8, terminal = sqrt(0.6 * PHYS_GRAVITY / (drag * 0.5));
    taut_scene* scene = phys_scene(3, (const double[]){0, 0, 0, 0, 0, 1, 1, 0, 0}, (const double[]){0.2, 0.2, 0.2});
    taut_surface_def def = taut_default_surface();
    def.count = 1;
    def.particles = (const uint32_t[]){0, 1, 2};
    def.drag = drag;
    CHECK_OK(taut_scene_add_surfaces(scene, &def, NULL));
    taut_world* world = force_world(backend, scene, integrator, PHYS_GRAVITY);
    double v[3], worst = 0;
    for (int i = 1; i <= lround(0.5 / h) && phys_run(world, 1, h); i++) {
        phys_velocity(world, 1, v);
        worst = fmax(worst, fabs(v[1] + terminal * tanh(PHYS_GRAVITY * i * h / terminal)));
    }
    taut_world_destroy(world);
    return worst;
}

static void check_fall(taut_backend_kind backend, taut_preset which, double h, double order) {
    const taut_integrator integrator = phys_preset(which);
    const double coarse = fall_error(backend, &integrator, h), fine = fall_error(backend, &integrator, h / 2);
    test_note("%s: errors %.3g and %.3g m/s", taut_preset_name(which), coarse, fine);
    CHECK_NEAR(phys_order(coarse, fine), order, 0.2);
    CHECK(fine < 0.1);
}

TAUT_TEST(forces, fall_in_air) {
    check_fall(backend, TAUT_PRESET_EXPLICIT_EULER, 0.01, 1);
    check_fall(backend, TAUT_PRESET_SYMPLECTIC_EULER, 0.01, 1);
    check_fall(backend, TAUT_PRESET_IMPLICIT_EULER, 0.01, 1);
    check_fall(backend, TAUT_PRESET_MIDPOINT, 0.02, 2);
    check_fall(backend, TAUT_PRESET_BAUMGARTE_RK4, 0.1, 4);
}

/* A sheet that starts at rest comes to the speed of the wind, and of a new wind. */
TAUT_TEST(forces, wind_carries_a_leaf) {
    taut_scene* scene = phys_scene(3, (const double[]){0, 0, 0, 0, 1, 0, 0, 0, 1}, (const double[]){0.01, 0.01, 0.01});
    taut_batch batch = {0};
    taut_surface_def def = taut_default_surface();
    def.count = 1;
    def.particles = (const uint32_t[]){0, 1, 2};
    def.drag = 1;
    def.friction = 0.1;
    def.wind[0] = 3;
    CHECK_OK(taut_scene_add_surfaces(scene, &def, &batch));
    const taut_integrator integrator = phys_preset(TAUT_PRESET_IMPLICIT_EULER);
    taut_world* world = force_world(backend, scene, &integrator, 0);
    double v[3];
    phys_run(world, 400, 0.05);
    phys_velocity(world, 0, v);
    CHECK_NEAR(v[0], 3, 0.05);
    CHECK_OK(taut_world_set_wind(world, batch, (const double[]){0, 0, -2}));
    phys_run(world, 1000, 0.1);
    phys_velocity(world, 0, v);
    CHECK_NEAR(v[0], 0, 0.05);
    CHECK_NEAR(v[2], -2, 0.1);
    taut_world_destroy(world);
}

/* ---- attraction -------------------------------------------------------------------------------------------------- */

/* A circular orbit of radius 1 m about a centre of 1 m^3/s^2 at (1, 2, 3): one turn in 2 pi s. Returns the error of the
 * position after a quarter, and the largest change of the energy, -1/2 J of 1 kg. */
static double orbit_error(taut_backend_kind backend, const taut_integrator* integrator, int steps, double* drift) {
    taut_scene* scene = phys_scene(1, (const double[]){2, 2, 3}, NULL);
    taut_attraction_def def = taut_default_attraction();
    const double h = PHYS_PI / 2 / steps;
    double x[3];
    def.count = 1;
    def.particles = (const uint32_t[]){0};
    memcpy(def.centre, (const double[]){1, 2, 3}, sizeof def.centre);
    def.strength = 1;
    CHECK_OK(taut_scene_add_attractions(scene, &def, NULL));
    taut_world* world = force_world(backend, scene, integrator, 0);
    CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, 0, 1, (const double[]){0, 1, 0}));
    *drift = 0;
    for (int i = 0; i < steps && phys_run(world, 1, h); i++) {
        taut_step_info info;
        CHECK_OK(taut_world_info(world, &info));
        *drift = fmax(*drift, fabs(info.kinetic + info.potential + 0.5));
    }
    phys_position(world, 0, x);
    taut_world_destroy(world);
    return phys_apart(x, (const double[]){1, 3, 3});
}

static void check_orbit(taut_backend_kind backend, const char* name, const taut_integrator* integrator, int steps,
                        double order, double most) {
    double coarse_drift, drift;
    const double coarse = orbit_error(backend, integrator, steps, &coarse_drift);
    const double fine = orbit_error(backend, integrator, 2 * steps, &drift);
    test_note("%s: errors %.3g and %.3g m, energy %.3g J", name, coarse, fine, drift);
    CHECK_NEAR(phys_order(coarse, fine), order, 0.25);
    CHECK(drift < most);
}

TAUT_TEST(forces, circular_orbit) {
    const taut_integrator explicit_euler = phys_preset(TAUT_PRESET_EXPLICIT_EULER);
    const taut_integrator symplectic = phys_preset(TAUT_PRESET_SYMPLECTIC_EULER);
    const taut_integrator implicit = force_exact(TAUT_PRESET_IMPLICIT_EULER),
                          midpoint = force_exact(TAUT_PRESET_MIDPOINT);
    const taut_integrator runge_kutta = phys_preset(TAUT_PRESET_BAUMGARTE_RK4);
    check_orbit(backend, "explicit Euler", &explicit_euler, 100, 1, 0.1);
    check_orbit(backend, "symplectic Euler", &symplectic, 100, 1, 0.01);
    check_orbit(backend, "implicit Euler", &implicit, 100, 1, 0.1);
    check_orbit(backend, "midpoint", &midpoint, 50, 2, 1e-8);
    check_orbit(backend, "RK4", &runge_kutta, 10, 4, 1e-5);
}

/* ---- one mode ---------------------------------------------------------------------------------------------------- */

/* The apex of a regular pyramid, H above a base that is fixed, moving along its axis: F = 1 + u/H e e^T, so that the
 * corotational energy is exactly k u^2 / 2, k = (2 mu + lambda) V / H^2, and m u'' + d k u' + k u = 0. */
#define MODE_HEIGHT 0.8
#define MODE_YOUNG  1000.0
#define MODE_START  0.1

static double mode_error(taut_backend_kind backend, const taut_integrator* integrator, double damping, double h) {
    const double side = sqrt(3) / 2, volume = 3 * sqrt(3) / 4 * MODE_HEIGHT / 3;
    const double points[12] = {1, 0, 0, -0.5, 0, -side, -0.5, 0, side, 0, MODE_HEIGHT, 0};
    const double mu = MODE_YOUNG / 2.6, lambda = MODE_YOUNG * 0.3 / (1.3 * 0.4);
    const double w = sqrt((2 * mu + lambda) * volume) / MODE_HEIGHT / sqrt(10), zeta = damping * w / 2;
    const double masses[4] = {1, 1, 1, 10}, start[3] = {0, MODE_HEIGHT + MODE_START, 0};
    taut_scene* scene = phys_scene(4, points, masses);
    phys_fix(scene, 3, (const uint32_t[]){0, 1, 2});
    force_solids(scene, 1, (const uint32_t[]){0, 1, 2, 3}, TAUT_ELASTICITY_COROTATIONAL, MODE_YOUNG, 0.3, damping);
    taut_world* world = force_world(backend, scene, integrator, 0);
    CHECK_OK(taut_world_write(world, TAUT_FIELD_POSITIONS, 3, 1, start));
    double x[3], worst = 0;
    const double s = w * sqrt(1 - zeta * zeta);
    for (int i = 1; i <= lround(1 / h) && phys_run(world, 1, h); i++) {
        const double t = i * h, u = MODE_START * exp(-zeta * w * t) * (cos(s * t) + zeta * w / s * sin(s * t));
        phys_position(world, 3, x);
        worst = fmax(worst, fabs(x[1] - MODE_HEIGHT - u));
    }
    taut_world_destroy(world);
    return worst;
}

static void check_mode(taut_backend_kind backend, taut_preset which, double h, double order, double most) {
    const taut_integrator integrator = phys_preset(which);
    for (int i = 0; i < 2; i++) {
        const double damping = 0.03 * i;
        const double coarse = mode_error(backend, &integrator, damping, h);
        const double fine = mode_error(backend, &integrator, damping, h / 2);
        test_note("%s, d = %g s: errors %.3g and %.3g m", taut_preset_name(which), damping, coarse, fine);
        CHECK_NEAR(phys_order(coarse, fine), order, 0.25);
        CHECK(fine < most);
    }
}

TAUT_TEST(forces, damped_mode) {
    check_mode(backend, TAUT_PRESET_EXPLICIT_EULER, 0.0005, 1, 0.01);
    check_mode(backend, TAUT_PRESET_SYMPLECTIC_EULER, 0.004, 1, 0.01);
    check_mode(backend, TAUT_PRESET_IMPLICIT_EULER, 0.002, 1, 0.02);
    check_mode(backend, TAUT_PRESET_MIDPOINT, 0.01, 2, 1e-3);
    check_mode(backend, TAUT_PRESET_BAUMGARTE, 0.004, 1, 0.02);
    check_mode(backend, TAUT_PRESET_BAUMGARTE_RK4, 0.02, 4, 1e-5);
    check_mode(backend, TAUT_PRESET_MOMENTUM, 0.002, 1, 0.02);
}

/* ---- a soft block ------------------------------------------------------------------------------------------------ */

/* Half a second of a clamped beam of rubber in its weight; positions, to be freed. */
static double* beam(taut_backend_kind backend, const taut_integrator* integrator, double h, size_t* count) {
    phys_mesh mesh = phys_block((const size_t[]){3, 1, 1}, (const double[]){0.9, 0.3, 0.3});
    double* masses = phys_lumped_masses(&mesh, 1000);
    taut_scene* scene = phys_scene(mesh.point_count, mesh.points, masses);
    force_solids(scene, mesh.cell_count, mesh.cells, TAUT_ELASTICITY_NEO_HOOKEAN, 2e5, 0.3, 0.002);
    phys_fix(scene, 4, (const uint32_t[]){0, 4, 8, 12});
    taut_world* world = force_world(backend, scene, integrator, PHYS_GRAVITY);
    phys_run(world, (size_t)lround(0.25 / h), h);
    double* x = phys_field(world, TAUT_FIELD_POSITIONS);
    *count = 3 * mesh.point_count;
    taut_world_destroy(world);
    phys_mesh_free(&mesh);
    free(masses);
    return x;
}

static double beam_error(taut_backend_kind backend, const taut_integrator* integrator, double h, const double* truth) {
    size_t count;
    double* x = beam(backend, integrator, h, &count);
    const double error = phys_farthest(x, truth, count);
    free(x);
    return error;
}

/* One linearisation of the midpoint rule is of first order here: damping has the tangent of the start, and what is cut
 * of a compressed element's is missing. */
TAUT_TEST(forces, soft_beam) {
    static const struct {
        taut_preset which;
        bool exact;
        double h, order;
    } schemes[] = {{TAUT_PRESET_EXPLICIT_EULER, false, 0.00025, 1}, {TAUT_PRESET_SYMPLECTIC_EULER, false, 0.001, 1},
                   {TAUT_PRESET_IMPLICIT_EULER, false, 0.002, 1},   {TAUT_PRESET_MIDPOINT, false, 0.005, 1},
                   {TAUT_PRESET_MIDPOINT, true, 0.005, 2},          {TAUT_PRESET_BAUMGARTE_RK4, false, 0.005, 4}};
    const taut_integrator reference = phys_preset(TAUT_PRESET_BAUMGARTE_RK4);
    size_t count;
    double* truth = beam(backend, &reference, 0.0003125, &count);
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        const taut_integrator integrator = (schemes[i].exact ? force_exact : phys_preset)(schemes[i].which);
        const double coarse = beam_error(backend, &integrator, schemes[i].h, truth);
        const double fine = beam_error(backend, &integrator, schemes[i].h / 2, truth);
        test_note("%s: errors %.3g and %.3g m", taut_preset_name(schemes[i].which), coarse, fine);
        CHECK(phys_order(coarse, fine) > schemes[i].order - 0.3);
        CHECK(phys_order(coarse, fine) < schemes[i].order + 0.5);
        CHECK(fine < 0.01);
    }
    free(truth);
}

/* As soft bodies of constraints are. */
TAUT_TEST(forces, solids_are_condensed) {
    phys_mesh mesh = phys_block((const size_t[]){2, 1, 1}, (const double[]){2, 1, 1});
    taut_scene* scene = phys_scene(mesh.point_count, mesh.points, NULL);
    force_solids(scene, mesh.cell_count, mesh.cells, TAUT_ELASTICITY_COROTATIONAL, 1e4, 0.3, 0);
    taut_world_def def = taut_default_world();
    taut_choice choice;
    def.backend = backend;
    taut_world* world = phys_world(scene, &def);
    CHECK_OK(taut_world_choice(world, &choice));
    CHECK_INT(choice.condensed, TAUT_PRECONDITIONER_MULTILEVEL);
    CHECK_INT(choice.schur, TAUT_PRECONDITIONER_NONE);
    taut_world_destroy(world);
    phys_mesh_free(&mesh);
}

/* Momentum and angular momentum of a free block that spins and vibrates. */
static void momenta(taut_world* world, const double* masses, double linear[3], double angular[3]) {
    double* x = phys_field(world, TAUT_FIELD_POSITIONS);
    double* v = phys_field(world, TAUT_FIELD_VELOCITIES);
    memset(linear, 0, 3 * sizeof(double));
    memset(angular, 0, 3 * sizeof(double));
    for (size_t i = 0; i < taut_world_particle_count(world); i++) {
        double moment[3];
        phys_cross(x + 3 * i, v + 3 * i, moment);
        phys_add(masses[i], v + 3 * i, linear);
        phys_add(masses[i], moment, angular);
    }
    free(x);
    free(v);
}

TAUT_TEST(forces, free_block_keeps_its_momenta) {
    phys_mesh mesh = phys_block((const size_t[]){2, 2, 1}, (const double[]){1, 1, 0.5});
    double* masses = phys_lumped_masses(&mesh, 100);
    taut_scene* scene = phys_scene(mesh.point_count, mesh.points, masses);
    force_solids(scene, mesh.cell_count, mesh.cells, TAUT_ELASTICITY_NEO_HOOKEAN, 1e4, 0.4, 0);
    const taut_integrator integrator = force_exact(TAUT_PRESET_MIDPOINT);
    taut_world* world = force_world(backend, scene, &integrator, 0);
    double* v = phys_array(3 * mesh.point_count, sizeof *v);
    double before[2][3], after[2][3];
    random_state state = {8};
    random_fill(&state, -1, 1, 3 * mesh.point_count, v);
    for (size_t i = 0; i < mesh.point_count; i++) {
        double turning[3];
        phys_cross((const double[]){1, 2, 3}, mesh.points + 3 * i, turning);
        phys_add(1, turning, v + 3 * i);
    }
    CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, 0, mesh.point_count, v));
    momenta(world, masses, before[0], before[1]);
    phys_run(world, 100, 0.01);
    momenta(world, masses, after[0], after[1]);
    test_note("momentum off by %.3g of %.3g, angular by %.3g of %.3g", phys_apart(before[0], after[0]),
              phys_length(before[0]), phys_apart(before[1], after[1]), phys_length(before[1]));
    CHECK(phys_apart(before[0], after[0]) < 1e-7 * phys_length(before[0]));
    CHECK(phys_apart(before[1], after[1]) < 1e-6 * phys_length(before[1]));
    taut_world_destroy(world);
    phys_mesh_free(&mesh);
    free(masses);
    free(v);
}
