/* One mass on one compliant constraint with damping time d: m u'' + (d/c) u' + u/c = 0, so
 *
 *   w^2 = 1/(m c),  zeta = d w / 2
 *   zeta < 1:  u = e^(-zeta w t) (u0 cos(s t) + (v0 + zeta w u0)/s sin(s t)),  s = w sqrt(1 - zeta^2)
 *   zeta = 1:  u = e^(-w t) (u0 + (v0 + w u0) t)
 *   zeta > 1:  the same as zeta < 1 with cosh, sinh and s = w sqrt(zeta^2 - 1), as a sum of two decays */
#include "phys_exact.h"
#include "phys_scenes.h"

#include <math.h>
#include <stdlib.h>

#define MASS   1.0
#define START  0.1 /* m */
#define LAUNCH 0.3 /* m/s */

typedef enum support { ON_TARGET, ON_LINK } support;

typedef struct oscillator {
    support support;
    double compliance;
    double damping;
    double alpha;
} oscillator;

static double exact_deviation(const oscillator* o, double t) {
    return phys_oscillation(MASS, o->compliance, o->damping, START, LAUNCH, t);
}

/* Rest position: on a target the origin plus the sag, on a link one metre and the sag below a fixed particle. */
static double rest_height(const oscillator* o) {
    return -MASS * PHYS_GRAVITY * o->compliance - (o->support == ON_LINK ? 1 : 0);
}

static void add_support(taut_scene* scene, const oscillator* o) {
    if (o->support == ON_TARGET) {
        taut_target_def def = taut_default_target();
        def.count = 1;
        def.particles = (const uint32_t[]){1};
        def.targets = (const double[]){0, 0, 0};
        def.compliance = o->compliance;
        def.damping = o->damping;
        CHECK_OK(taut_scene_add_targets(scene, &def, NULL));
        return;
    }
    taut_distance_def def = taut_default_distance();
    def.count = 1;
    def.particles = (const uint32_t[]){0, 1};
    def.rest_lengths = (const double[]){1};
    def.compliance = o->compliance;
    def.damping = o->damping;
    CHECK_OK(taut_scene_add_distances(scene, &def, NULL));
}

static taut_world* make_oscillator(taut_backend_kind backend, const oscillator* o) {
    const double points[6] = {0, 0, 0, 0, rest_height(o) + START, 0};
    taut_scene* scene = phys_scene(2, points, (const double[]){1, MASS});
    phys_fix(scene, 1, (const uint32_t[]){0});
    add_support(scene, o);
    const taut_world_def def = phys_world_def(backend, o->alpha, o->alpha);
    taut_world* world = phys_world(scene, &def);
    CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, 1, 1, (const double[]){0, LAUNCH, 0}));
    return world;
}

static double deviation(taut_world* world, const oscillator* o) {
    double x[3];
    phys_position(world, 1, x);
    return x[1] - rest_height(o);
}

static double largest_error(taut_backend_kind backend, const oscillator* o, double h, double duration) {
    taut_world* world = make_oscillator(backend, o);
    const int steps = (int)lround(duration / h);
    double worst = 0;
    for (int i = 1; i <= steps && phys_run(world, 1, h); i++) {
        worst = fmax(worst, fabs(deviation(world, o) - exact_deviation(o, i * h)));
    }
    taut_world_destroy(world);
    return worst;
}

static void check_order(taut_backend_kind backend, const oscillator* o, double order) {
    const double coarse = largest_error(backend, o, 0.004, 1), fine = largest_error(backend, o, 0.002, 1);
    test_note("support %d, damping %g s, alpha %g: errors %.3g and %.3g m", (int)o->support, o->damping, o->alpha,
              coarse, fine);
    CHECK_NEAR(phys_order(coarse, fine), order, 0.1);
    CHECK(fine < (order > 1 ? 1e-4 : 0.012));
}

/* c = 0.01 m/N: w = 10 /s, so damping times of 0.02, 0.2 and 0.6 s give zeta = 0.1, 1 and 3. */
static void check_damping(taut_backend_kind backend, double damping) {
    const support supports[] = {ON_TARGET, ON_LINK};
    for (int i = 0; i < 2; i++) {
        check_order(backend, &(oscillator){supports[i], 0.01, damping, 1}, 1);
        check_order(backend, &(oscillator){supports[i], 0.01, damping, 0.5}, 2);
    }
}

TAUT_PLAIN_TEST(oscillator, closed_form) {
    for (double damping = 0; damping < 0.7; damping += 0.1) {
        const oscillator o = {ON_TARGET, 0.01, damping, 1};
        const double t = 0.23, e = 1e-4;
        const double before = exact_deviation(&o, t - e), at = exact_deviation(&o, t),
                     after = exact_deviation(&o, t + e);
        const double force = -(at + damping * (after - before) / (2 * e)) / o.compliance;
        CHECK_NEAR((after - 2 * at + before) / (e * e), force / MASS, 1e-4);
        CHECK_NEAR(exact_deviation(&o, 0), START, 1e-15);
        CHECK_NEAR((exact_deviation(&o, e) - exact_deviation(&o, -e)) / (2 * e), LAUNCH, 1e-5);
    }
}

TAUT_TEST(oscillator, undamped) {
    check_damping(backend, 0);
}

TAUT_TEST(oscillator, under_damped) {
    check_damping(backend, 0.02);
}

TAUT_TEST(oscillator, critically_damped) {
    check_damping(backend, 0.2);
}

TAUT_TEST(oscillator, over_damped) {
    check_damping(backend, 0.6);
}

/* Energy about the rest position; gravity shifts that position and nothing else. */
static double oscillation_energy(taut_world* world, const oscillator* o) {
    double v[3];
    phys_velocity(world, 1, v);
    const double u = deviation(world, o);
    return (MASS * v[1] * v[1] + u * u / o->compliance) / 2;
}

/* The midpoint scheme keeps quadratic energies exactly: what is left is the rounding of float32 impulses, 1000 times
 * 6e-8 at the very worst. Implicit Euler divides the energy by 1 + w^2 h^2 each step. */
TAUT_TEST(oscillator, midpoint_keeps_energy) {
    const double h = 0.01;
    for (int i = 0; i < 2; i++) {
        oscillator o = {i == 0 ? ON_TARGET : ON_LINK, 0.01, 0, 0.5};
        taut_world* world = make_oscillator(backend, &o);
        const double first = oscillation_energy(world, &o);
        double worst = 0;
        for (int step = 0; step < 1000 && phys_run(world, 1, h); step++) {
            worst = fmax(worst, fabs(oscillation_energy(world, &o) / first - 1));
        }
        test_note("relative energy error %.3g", worst);
        CHECK(worst < 1e-6);
        taut_world_destroy(world);

        o.alpha = 1;
        world = make_oscillator(backend, &o);
        phys_run(world, 20, h);
        CHECK_NEAR(oscillation_energy(world, &o) / first, pow(1.01, -20), 1e-5);
        taut_world_destroy(world);
    }
}

/* Where a pendulum of compliance c is after half a second. */
static void pendulum_after(taut_backend_kind backend, double compliance, double x[3]) {
    taut_batch link;
    const double top[3] = {0, 0, 0}, bob[3] = {1, 0, 0};
    taut_scene* scene = phys_chain(1, top, bob, NULL, compliance, &link);
    const taut_world_def def = phys_world_def(backend, 1, 1);
    taut_world* world = phys_world(scene, &def);
    phys_run(world, 60, 1.0 / 120);
    phys_position(world, 1, x);
    taut_world_destroy(world);
}

/* Nothing happens at c = 0 that does not happen at c = 1e-9: the way there is linear in c. */
TAUT_TEST(oscillator, compliance_tends_to_hard) {
    double hard[3], x[3], last = 0;
    pendulum_after(backend, 0, hard);
    for (double compliance = 1e-4; compliance > 5e-9; compliance /= 10) {
        pendulum_after(backend, compliance, x);
        const double distance = hypot(x[0] - hard[0], x[1] - hard[1]);
        test_note("compliance %g: %.4g m from the hard result", compliance, distance);
        if (last > 0) {
            CHECK_NEAR(last / distance, 10, 1);
        }
        CHECK(distance < 100 * compliance);
        last = distance;
    }
}
