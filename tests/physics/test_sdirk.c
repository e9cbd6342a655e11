/* Two stages of implicit Euler in a substep: their formula on an oscillator whose goal moves, their order on a mass
 * that swings on a spring, what stiff springs keep, the work of forces, and what is refused. */
#include "closed_meshes.h"
#include "contact_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STAGE (1 - sqrt(0.5)) /* g = 1 - 1/sqrt 2 */

static taut_world_def sdirk_def(taut_backend_kind backend) {
    taut_world_def def = phys_world_def(backend, 1, 1);
    CHECK_OK(taut_integrator_preset(TAUT_PRESET_SDIRK2, &def.integrator));
    def.integrator.guard = true;
    def.integrator.newton = 10;
    def.integrator.newton_tolerance = 1e-10;
    return def;
}

/* ---- the formula ------------------------------------------------------------------------------------------------- */

typedef struct motion {
    double x, v;
} motion;

/* Implicit Euler of h on a spring of frequency w to `goal`: v' = v - h w^2 (x' - goal), x' = x + h v'. */
static motion euler(motion m, double w, double goal, double h) {
    const double v = (m.v - h * w * w * (m.x - goal)) / (1 + h * h * w * w);
    return (motion){m.x + h * v, v};
}

static motion two_stages(motion m, double w, double goal, double rate, double h) {
    const double reach = (1 - STAGE) / STAGE;
    const motion first = euler(m, w, goal + STAGE * h * rate, STAGE * h);
    const motion from = {m.x + reach * (first.x - m.x), m.v + reach * (first.v - m.v)};
    return euler(from, w, goal + h * rate, STAGE * h);
}

TAUT_TEST(sdirk, stages_are_those_of_the_formula) {
    const double h = 0.02, compliance = 1e-3, mass = 2, w = sqrt(1 / (compliance * mass)), rate = 0.002;
    taut_batch batch;
    taut_scene* scene = phys_scene(1, (const double[]){0.1, 0, 0}, &mass);
    taut_target_def target = taut_default_target();
    target.count = 1;
    target.particles = (const uint32_t[]){0};
    target.targets = (const double[]){0, 0, 0};
    target.compliance = compliance;
    CHECK_OK(taut_scene_add_targets(scene, &target, &batch));
    taut_world_def def = sdirk_def(backend);
    def.gravity[1] = 0;
    taut_world* world = phys_world(scene, &def);
    motion m = {0.1, 0};
    taut_step_info info;
    for (int i = 0; i < 20; i++) {
        double x[3], v[3];
        CHECK_OK(taut_world_move_targets(world, batch, 0, 1, (const double[]){rate * h * (i + 1), 0, 0}));
        CHECK_OK(taut_world_step(world, h));
        CHECK_OK(taut_world_info(world, &info));
        CHECK_INT(info.subdivided, 0);
        m = two_stages(m, w, rate * h * i, rate, h);
        phys_position(world, 0, x);
        phys_velocity(world, 0, v);
        CHECK_NEAR(x[0], m.x, 1e-8);
        CHECK_NEAR(v[0], m.v, 1e-6);
    }
    taut_world_destroy(world);
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

/* The angle of a mass on a spring of a metre after half a second. */
static double link_end(taut_backend_kind backend, size_t steps) {
    taut_batch batch;
    taut_scene* scene = phys_chain(1, (const double[]){0, 0, 0}, (const double[]){1, 0, 0}, NULL, 1e-2, &batch);
    const taut_world_def def = sdirk_def(backend);
    taut_world* world = phys_world(scene, &def);
    double x[3];
    phys_run(world, steps, 0.5 / (double)steps);
    phys_position(world, 1, x);
    taut_world_destroy(world);
    return atan2(x[1], x[0]);
}

TAUT_TEST(sdirk, is_of_second_order) {
    const double coarse = link_end(backend, 24), middle = link_end(backend, 48), fine = link_end(backend, 96);
    const double order = phys_order(fabs(coarse - middle), fabs(middle - fine));
    test_note("angles %.9g, %.9g, %.9g: order %g", coarse, middle, fine, order);
    CHECK(order > 1.8 && order < 2.4);
    test_note(NULL);
}

/* A spring that a step does not resolve keeps nothing of its swing, and a swing that it resolves nearly all: R = (1 +
 * (1 - 2 g) z) / (1 - g z)^2 at z = i w h is 0 at infinity, and has |R| = 1 - 0.0064 z^4 near 0. */
TAUT_TEST(sdirk, damps_what_is_stiff_alone) {
    const double h = 1.0 / 60;
    motion stiff = {0.1, 0}, slow = {0.1, 0};
    for (int i = 0; i < 4; i++) {
        stiff = two_stages(stiff, 1e5, 0, 0, h);
    }
    for (int i = 0; i < 600; i++) {
        slow = two_stages(slow, 6, 0, 0, h);
    }
    CHECK(fabs(stiff.x) < 1e-9);
    CHECK(hypot(slow.x, slow.v / 6) > 0.099);
    (void)backend;
}

/* ---- work of forces ---------------------------------------------------------------------------------------------- */

/* What is stiff moves within a step and rests at its ends, whose velocities then say nothing of its way. */

typedef struct work_sums {
    double forces, numerical, held; /* J; held at the end */
} work_sums;

static work_sums run_work(taut_world* world, size_t steps, double h) {
    work_sums sums = {0, 0, 0};
    taut_step_info info;
    for (size_t i = 0; i < steps && CHECK_OK(taut_world_step(world, h)); i++) {
        CHECK_OK(taut_world_info(world, &info));
        sums.forces += info.work_forces;
        sums.numerical += info.numerical;
        sums.held = info.kinetic + info.elastic;
    }
    return sums;
}

static taut_world* weightless(taut_scene* scene, const taut_world_def* from) {
    taut_world_def def = *from;
    def.gravity[1] = 0;
    return phys_world(scene, &def);
}

/* A force of 3 N pulls a spring of 1 N/mm to its end within a step: the work is force times way. */
TAUT_TEST(sdirk, work_of_a_force_is_that_of_its_way) {
    const double mass = 1e-3;
    taut_batch batch;
    taut_scene* scene = phys_scene(1, (const double[]){0, 0, 0}, &mass);
    taut_target_def target = taut_default_target();
    target.count = 1;
    target.particles = (const uint32_t[]){0};
    target.targets = (const double[]){0, 0, 0};
    target.compliance = 1e-3;
    CHECK_OK(taut_scene_add_targets(scene, &target, &batch));
    const taut_world_def def = sdirk_def(backend);
    taut_world* world = weightless(scene, &def);
    CHECK_OK(taut_world_set_forces(world, 0, 1, (const double[]){3, 0, 0}));
    double x[3];
    for (int i = 0; i < 3; i++) {
        const work_sums sums = run_work(world, 1, 1.0 / 24);
        const double before = i > 0 ? x[0] : 0;
        phys_position(world, 0, x);
        CHECK_NEAR(sums.forces, 3 * (x[0] - before), 1e-12);
    }
    CHECK_NEAR(x[0], 3e-3, 1e-5);
    taut_world_destroy(world);
}

#define SHEET_WEIGHT 0.3 /* kg/m^2 */

static taut_scene* sheet_of(const phys_mesh* mesh, double stiffness, double pressure, const double wind[3]) {
    double* masses = phys_lumped_masses(mesh, SHEET_WEIGHT);
    taut_scene* scene = phys_scene(mesh->point_count, mesh->points, masses);
    free(masses);
    phys_add_strain(scene, mesh, 1 / stiffness, 0.3, 0);
    taut_surface_def def = taut_default_surface();
    def.count = mesh->cell_count;
    def.particles = mesh->cells;
    def.pressure = pressure;
    def.drag = wind != NULL ? 0.6 : 0;
    def.friction = wind != NULL ? 0.01 : 0;
    memcpy(def.wind, wind != NULL ? wind : (const double[]){0, 0, 0}, sizeof def.wind);
    CHECK_OK(taut_scene_add_surfaces(scene, &def, NULL));
    return scene;
}

static double volume_of(taut_world* world, const phys_mesh* mesh) {
    double* x = phys_field(world, TAUT_FIELD_POSITIONS);
    double sum = 0;
    for (size_t i = 0; i < mesh->cell_count; i++) {
        const uint32_t* t = mesh->cells + 3 * i;
        const double *a = x + 3 * (size_t)t[0], *b = x + 3 * (size_t)t[1], *c = x + 3 * (size_t)t[2];
        sum += (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                a[2] * (b[0] * c[1] - b[1] * c[0])) /
               6;
    }
    free(x);
    return sum;
}

/* Points that lie on each other become one. */
static void join_points(phys_mesh* mesh) {
    size_t count = 0;
    for (size_t i = 0; i < 3 * mesh->cell_count; i++) { /* every corner has a point of its own */
        const double* x = mesh->points + 3 * i;
        size_t at = 0;
        while (at < count && memcmp(mesh->points + 3 * at, x, 3 * sizeof *x) != 0) {
            at++;
        }
        memmove(mesh->points + 3 * at, x, 3 * sizeof *x);
        mesh->cells[i] = (uint32_t)at;
        count += at == count;
    }
    mesh->point_count = count;
}

/* A ball grows by a quarter of its volume within a step or two: the work is p dV in each. */
static void check_pressure(taut_backend_kind backend, double h, double pressure) {
    phys_mesh ball = closed_ball(1, 0.15);
    join_points(&ball);
    taut_world_def def = sdirk_def(backend);
    def.integrator.newton = 2;
    taut_world* world = weightless(sheet_of(&ball, 3000, pressure, NULL), &def);
    double before = volume_of(world, &ball), worst = 0;
    const double start = before;
    work_sums all = {0, 0, 0};
    for (int i = 0; i < 6; i++) {
        const work_sums sums = run_work(world, 1, h);
        const double now = volume_of(world, &ball);
        worst = fmax(worst, fabs(sums.forces - pressure * (now - before)));
        all.forces += sums.forces;
        all.numerical += sums.numerical;
        all.held = sums.held;
        before = now;
    }
    const double work = pressure * (before - start);
    test_note(
        "h %g, %g Pa: volume times %.3f, p dV %.6g J, work %.6g, worst step off by %.2g J, held %.4g, numerical %g", h,
        pressure, before / start, work, all.forces, worst, all.held, all.numerical);
    CHECK_NEAR(all.forces, work, 0.002 * work);
    CHECK(worst < 0.002 * work);
    CHECK(all.numerical > 0);
    test_note(NULL);
    taut_world_destroy(world);
    phys_mesh_free(&ball);
}

TAUT_TEST(sdirk, work_of_pressure_is_that_of_the_volume) {
    check_pressure(backend, 1.0 / 24, 3000);
    check_pressure(backend, 1.0 / 60, 50);
}

/* A sheet that hangs by an edge, at rest in a sudden wind, until it is half way up. */
static work_sums blow(taut_backend_kind backend, size_t steps) {
    phys_mesh sheet = phys_grid(4, 4, 1, 1, PHYS_ALTERNATING);
    const double wind[3] = {0, 0, 5};
    taut_scene* scene = sheet_of(&sheet, 3000, 0, wind);
    phys_fix(scene, 5, (const uint32_t[]){20, 21, 22, 23, 24});
    taut_world_def def = sdirk_def(backend);
    def.integrator.newton = 2;
    taut_world* world = weightless(scene, &def);
    const work_sums sums = run_work(world, steps, 0.2 / (double)steps);
    taut_world_destroy(world);
    phys_mesh_free(&sheet);
    return sums;
}

TAUT_TEST(sdirk, work_of_wind_is_that_of_short_steps) {
    const work_sums fine = blow(backend, 48);
    for (size_t steps = 5; steps <= 12; steps += 7) {
        const work_sums coarse = blow(backend, steps);
        test_note("%zu steps: work %g J, in short ones %g; held %g and %g", steps, coarse.forces, fine.forces,
                  coarse.held, fine.held);
        CHECK_NEAR(coarse.forces, fine.forces, 0.01 * fine.forces);
        CHECK(coarse.held < 1.01 * coarse.forces);
    }
    test_note(NULL);
}

/* ---- what is refused --------------------------------------------------------------------------------------------- */

TAUT_PLAIN_TEST(sdirk, refused) {
    taut_world* world = NULL;
    taut_scene* scene = phys_scene(1, (const double[]){0, 1, 0}, NULL);
    taut_world_def def = sdirk_def(TAUT_BACKEND_CPU);
    def.integrator.alpha = 0.6;
    CHECK_STATUS(taut_world_create(scene, &def, &world), TAUT_INVALID_ARGUMENT);
    def = sdirk_def(TAUT_BACKEND_CPU);
    def.integrator.guard = false;
    CHECK_STATUS(taut_world_create(scene, &def, &world), TAUT_INVALID_ARGUMENT);
    def = sdirk_def(TAUT_BACKEND_CPU);
    const uint32_t material = contact_material(scene, 0, 0);
    contact_ground(scene, material);
    contact_touch(scene, 1, (const uint32_t[]){0}, 0.1, material);
    CHECK_STATUS(taut_world_create(scene, &def, &world), TAUT_INVALID_ARGUMENT);
    CHECK_TEXT(taut_last_error(), "integrator: sdirk is for scenes in which nothing can touch.");
    def.integrator.sdirk = false;
    CHECK_OK(taut_world_create(scene, &def, &world));
    def.integrator.sdirk = true;
    CHECK_STATUS(taut_world_set_integrator(world, &def.integrator), TAUT_INVALID_ARGUMENT);
    taut_world_destroy(world);
    taut_scene_destroy(scene);
}
