/* A flap on a hinge without contact: one triangle is fixed, the apex of the other turns about their edge with the mass
 * m and the radius r. Its bend of compliance C is a spring of the angle, so that
 *
 *   phi = A sin(w t),  w = 1/(r sqrt(m C)),   A = speed/(r w)
 *
 * for angles beyond pi, too, as long as it is followed: |phi| <= 3/2 pi. */
#include "phys_scenes.h"

#include <math.h>

#define MASS       0.01 /* kg */
#define RADIUS     0.1  /* m */
#define COMPLIANCE 100.0
#define STEP       1e-4

/* s: of what is as right in longer steps, of which there are fewer where steps take long. */
static double step_of(taut_backend_kind backend) {
    return backend == TAUT_BACKEND_CUDA ? 20 * STEP : STEP;
}

static const double pi = 3.14159265358979323846;

static double frequency(void) {
    return 1 / (RADIUS * sqrt(MASS * COMPLIANCE));
}

static void add_bend(taut_scene* scene, double rest, double damping) {
    taut_bend_def def = taut_default_bend();
    def.count = 1;
    def.particles = (const uint32_t[]){0, 1, 2, 3};
    def.rest_angles = &rest;
    def.compliance = COMPLIANCE;
    def.damping = damping;
    CHECK_OK(taut_scene_add_bends(scene, &def, NULL));
}

/* The flap begins flat, with phi = -rest, by the scheme (alpha, alpha). */
static taut_world* make_flap(taut_backend_kind backend, double alpha, double turning, double rest, double damping) {
    const double points[12] = {0, 0, 0, 0.2, 0, 0, 0.1, RADIUS, 0, 0.1, -RADIUS, 0};
    taut_scene* scene = phys_scene(4, points, (const double[]){1, 1, 1, MASS});
    phys_fix(scene, 3, (const uint32_t[]){0, 1, 2});
    const phys_tuples edges = {.items = (uint32_t[]){0, 3, 1, 3}, .count = 2};
    phys_add_links(scene, &edges, 0, 0);
    add_bend(scene, rest, damping);
    taut_world_def def = phys_world_def(backend, alpha, alpha);
    def.gravity[1] = 0;
    def.integrator.newton = 10;
    def.integrator.newton_tolerance = 1e-9;
    taut_world* world = phys_world(scene, &def);
    CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, 3, 1, (const double[]){0, 0, turning * RADIUS}));
    return world;
}

static double fold(taut_world* world) {
    double phi[3];
    CHECK_OK(taut_world_read(world, TAUT_FIELD_VIOLATIONS, 0, 3, phi));
    return phi[2];
}

static double law(taut_world* world) {
    taut_step_info info;
    CHECK_OK(taut_world_info(world, &info));
    return info.max_violation[TAUT_BEND];
}

/* There and back, in half a period. */
TAUT_TEST(folds, pass_a_half_turn_and_come_back) {
    const double amplitude = 1.4 * pi;
    const double w = frequency(), h = step_of(backend);
    taut_world* world = make_flap(backend, 0.5, amplitude * w, 0, 0);
    const int steps = (int)(pi / w / h);
    double worst = 0, unlawful = 0;
    for (int i = 1; i <= steps && phys_run(world, 1, h); i++) {
        worst = fmax(worst, fabs(fold(world) - amplitude * sin(w * i * h)));
        unlawful = fmax(unlawful, law(world));
    }
    test_note("angles off by %.3g rad, laws by %.3g rad", worst, unlawful);
    CHECK(worst < 25 * h);
    CHECK(unlawful < 25 * h);
    taut_world_destroy(world);
}

/* What has gone round the edge is as flat as it was: no angle is beyond 3/2 pi. */
TAUT_TEST(folds, hold_no_whole_turn) {
    taut_world* world = make_flap(backend, 0.5, 2 * pi * frequency(), 0, 0);
    const double h = step_of(backend);
    const int steps = (int)(2 * pi / frequency() / h);
    double largest = 0;
    for (int i = 1; i <= steps && phys_run(world, 1, h); i++) {
        largest = fmax(largest, fabs(fold(world)));
    }
    test_note("largest angle %.3g pi", largest / pi);
    CHECK(largest > 1.45 * pi && largest < 1.5 * pi + 1e-12);
    taut_world_destroy(world);
}

/* The force of a damper is none of the angle's: here that of 20 rad, at -2 and 2 rad. */
static void check_damped(taut_backend_kind backend, double rest) {
    taut_world* world = make_flap(backend, 1, 20, rest, 1);
    for (int i = 0; i <= 100; i++) {
        double x[3];
        phys_position(world, 3, x);
        CHECK_NEAR(fold(world), atan2(x[2], -x[1]) - rest, 1e-9);
        CHECK(law(world) < (i == 0 ? 100 : 1e-3));
        phys_run(world, 1, STEP);
    }
    taut_world_destroy(world);
}

TAUT_TEST(folds, do_not_follow_what_damps_them) {
    check_damped(backend, 2);
    check_damped(backend, -2);
}
