/* Contacts with compliance are springs that only push. */
#include "contact_scenes.h"
#include "phys_exact.h"

#include <math.h>

#define MASS     2.0
#define SOFTNESS 1e-4 /* m/N */

/* A particle in the plane y = 0, or just above, with the speed `launch` along y. */
static taut_world* make_soft(taut_backend_kind backend, double damping, double at, double launch) {
    const double mass = MASS;
    taut_material_def law = taut_default_material();
    law.compliance = SOFTNESS;
    law.damping = damping;
    taut_scene* scene = phys_scene(1, (const double[]){0, at, 0}, &mass);
    contact_ground(scene, 0);
    contact_touch(scene, 1, (const uint32_t[]){0}, 0, contact_material_of(scene, law));
    const taut_world_def def = contact_world_def(backend);
    taut_world* world = phys_world(scene, &def);
    CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, 0, 1, (const double[]){0, launch, 0}));
    return world;
}

/* It sinks in by m g C, and no overlap is left unexplained. */
TAUT_TEST(contact_soft, rests_in_the_depth_of_its_weight) {
    taut_world* world = make_soft(backend, 0.03, 0, 0);
    double x[3], force[3];
    taut_step_info info = {0};
    for (int i = 0; i < 150; i++) {
        info = contact_step(world, 0.02, NULL);
    }
    phys_position(world, 0, x);
    contact_sum(world, force);
    const double depth = MASS * PHYS_GRAVITY * SOFTNESS;
    CHECK_NEAR(x[1], -depth, CONTACT_CLOSE * depth);
    CHECK_NEAR(force[1], MASS * PHYS_GRAVITY, CONTACT_CLOSE * MASS * PHYS_GRAVITY);
    CHECK_NEAR(info.penetration, 0, CONTACT_CLOSE * depth);
    CHECK_NEAR(info.elastic, depth * depth / (2 * SOFTNESS), CONTACT_CLOSE);
    taut_world_destroy(world);
}

/* About the depth of rest it is the linear oscillator m x'' = -(x + d x') / C, while it pushes: from the surface at
 * rest that is so from the start, for a critical d = 2 sqrt(m C) and less damped ones, until it leaves. */
static double approach_error(taut_backend_kind backend, double ratio, size_t steps) {
    const double damping = 2 * ratio * sqrt(MASS * SOFTNESS), depth = MASS * PHYS_GRAVITY * SOFTNESS;
    const double duration = 2 * sqrt(MASS * SOFTNESS);
    taut_world* world = make_soft(backend, damping, 0, 0);
    double x[3];
    contact_run(world, steps, duration / (double)steps, NULL);
    phys_position(world, 0, x);
    taut_world_destroy(world);
    return fabs(x[1] + depth - phys_oscillation(MASS, SOFTNESS, damping, depth, 0, duration)) / depth;
}

TAUT_TEST(contact_soft, approaches_as_an_oscillator) {
    const double ratios[] = {1, 0.3};
    for (int i = 0; i < 2; i++) {
        const double coarse = approach_error(backend, ratios[i], 40), fine = approach_error(backend, ratios[i], 80);
        test_note("ratio %g: off by %.3g and %.3g of the depth", ratios[i], coarse, fine);
        CHECK(fine < 0.02);
        CHECK_NEAR(phys_order(coarse, fine), 1, 0.15);
    }
    test_note(NULL);
}

/* It leaves the surface where a spring would begin to pull, and flies: without gravity with the speed that is left of
 * the impact. A damped spring lets go before its length is that of rest, where x + d x' = 0. With c = d / C the
 * deviation is exp(-s t) sin(w t) v / w, s = c / 2m, w^2 = 1/(m C) - s^2, and x' = 0 - x / d at tan(w t) = -w d / (1 -
 * s d). */
static double launch_error(taut_backend_kind backend, double ratio, size_t steps) {
    const double speed = 0.5, damping = 2 * ratio * sqrt(MASS * SOFTNESS), s = ratio / sqrt(MASS * SOFTNESS);
    const double w = sqrt(1 / (MASS * SOFTNESS) - s * s);
    const double leaves = (PHYS_PI - atan2(w * damping, 1 - s * damping)) / w;
    const double exact = speed * exp(-s * leaves) * (cos(w * leaves) - s / w * sin(w * leaves));
    taut_world* world = make_soft(backend, damping, 0, -speed);
    double v[3], force[3];
    CHECK_OK(taut_world_set_gravity(world, (const double[]){0, 0, 0}));
    contact_run(world, 2 * steps, leaves / (double)steps, NULL);
    phys_velocity(world, 0, v);
    contact_sum(world, force);
    CHECK(force[1] == 0);
    taut_world_destroy(world);
    return fabs(v[1] + exact) / speed * (exact < 0 ? 1 : INFINITY);
}

TAUT_TEST(contact_soft, lets_go_where_it_would_pull) {
    const double coarse = launch_error(backend, 0.2, 50), fine = launch_error(backend, 0.2, 100);
    test_note("off by %.3g and %.3g of the speed", coarse, fine);
    CHECK(fine < 0.05);
    CHECK_NEAR(phys_order(coarse, fine), 1, 0.15);
    test_note(NULL);
}
