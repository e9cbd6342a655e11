/* Two stages of implicit Euler in a substep: their formula on an oscillator whose goal moves, their order on a mass
 * that swings on a spring, what stiff springs keep, and what is refused. */
#include "contact_scenes.h"

#include <math.h>

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
