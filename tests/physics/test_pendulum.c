/* Planar pendulum: one hard distance row, L = 1 m, released at rest, mostly at 90 degrees.
 *
 * Exact motion (Jacobi): sin(theta/2) = k cd(w t, k), k = sin(theta0/2), w = sqrt(g/L); period 4 K(k)/w. */
#include "phys_exact.h"
#include "phys_scenes.h"

#include <math.h>
#include <stdlib.h>

#define LENGTH 1.0

typedef struct scheme {
    const char* name;
    double alpha, beta, hard_row_damping;
} scheme;

static const scheme implicit_euler = {"(1, 1)", 1, 1, 0};
static const scheme midpoint = {"(1/2, 1/2)", 0.5, 0.5, 1};
static const scheme theta[] = {
    {"(0.6, 0.6)", 0.6, 0.6, 1}, {"(0.65, 0.65)", 0.65, 0.65, 1}, {"(0.7, 0.7)", 0.7, 0.7, 1}};

static taut_world* make_pendulum(taut_backend_kind backend, const scheme* s, double amplitude) {
    taut_batch link;
    const double top[3] = {0, 0, 0}, bob[3] = {LENGTH * sin(amplitude), -LENGTH * cos(amplitude), 0};
    taut_scene* scene = phys_chain(1, top, bob, NULL, 0, &link);
    taut_world_def def = phys_world_def(backend, s->alpha, s->beta);
    def.integrator.hard_row_damping = s->hard_row_damping;
    test_note("scheme %s", s->name);
    return phys_world(scene, &def);
}

/* Largest distance to the exact motion in the first `duration` seconds. */
static double trajectory_error(taut_backend_kind backend, const scheme* s, double h, double duration) {
    taut_world* world = make_pendulum(backend, s, PHYS_PI / 2);
    const int steps = (int)lround(duration / h);
    double worst = 0;
    for (int i = 1; i <= steps && phys_run(world, 1, h); i++) {
        double x[3];
        phys_position(world, 1, x);
        const double angle = phys_pendulum_angle(LENGTH, PHYS_PI / 2, i * h);
        worst = fmax(worst, hypot(x[0] - LENGTH * sin(angle), x[1] + LENGTH * cos(angle)));
    }
    taut_world_destroy(world);
    return worst;
}

/* Time between the first and the third passage through the lowest point: one period. */
static double measured_period(taut_backend_kind backend, const scheme* s, double h) {
    taut_world* world = make_pendulum(backend, s, PHYS_PI / 2);
    double last = LENGTH, crossings[3] = {0, 0, 0};
    int found = 0;
    for (int i = 1; found < 3 && i * h < 6 && phys_run(world, 1, h); i++) {
        double x[3];
        phys_position(world, 1, x);
        if ((x[0] < 0) != (last < 0)) {
            crossings[found++] = (i - x[0] / (x[0] - last)) * h;
        }
        last = x[0];
    }
    CHECK_INT(found, 3);
    taut_world_destroy(world);
    return crossings[2] - crossings[0];
}

/* Amplitude that the energy allows after `duration` seconds, as a part of the first one. */
static double amplitude_kept(taut_backend_kind backend, const scheme* s, double amplitude, double h, double duration) {
    taut_world* world = make_pendulum(backend, s, amplitude);
    double x[3] = {0}, v[3] = {0};
    if (phys_run(world, (size_t)lround(duration / h), h)) {
        phys_position(world, 1, x);
        phys_velocity(world, 1, v);
    }
    taut_world_destroy(world);
    const double height = (v[0] * v[0] + v[1] * v[1]) / (2 * PHYS_GRAVITY) + x[1] + LENGTH;
    return 2 * asin(sqrt(height / (2 * LENGTH))) / amplitude;
}

/* What the theta method makes of u'' = -w^2 u: |growth|^2 = (1 + (w h (1 - alpha))^2) / (1 + (w h alpha)^2) a step. */
static double linear_amplitude_kept(double alpha, double h, double duration) {
    const double wh2 = PHYS_GRAVITY / LENGTH * h * h;
    const double growth = (1 + wh2 * (1 - alpha) * (1 - alpha)) / (1 + wh2 * alpha * alpha);
    return pow(growth, duration / h / 2);
}

/* Largest |phi| of the steps within each of `spans` equal spans of `duration` seconds. */
static void violation_by_span(taut_backend_kind backend, const scheme* s, double h, double duration, int spans,
                              double* worst) {
    taut_world* world = make_pendulum(backend, s, PHYS_PI / 2);
    const int steps = (int)lround(duration / h / spans);
    for (int span = 0; span < spans; span++) {
        worst[span] = 0;
        for (int i = 0; i < steps && phys_run(world, 1, h); i++) {
            double x[3];
            phys_position(world, 1, x);
            worst[span] = fmax(worst[span], fabs(hypot(x[0], x[1]) - LENGTH));
        }
    }
    taut_world_destroy(world);
}

TAUT_PLAIN_TEST(pendulum, exact_solution) {
    CHECK_NEAR(phys_pendulum_period(LENGTH, PHYS_PI / 2), 2.36784, 5e-6);
    CHECK_NEAR(phys_pendulum_period(LENGTH, 1e-4), 2 * PHYS_PI / sqrt(PHYS_GRAVITY), 1e-8);
    CHECK_NEAR(phys_pendulum_angle(LENGTH, PHYS_PI / 2, 0), PHYS_PI / 2, 1e-12);
    CHECK_NEAR(phys_pendulum_angle(LENGTH, PHYS_PI / 2, 2.36784178 / 4), 0, 1e-6);
    /* theta'' = -g/L sin(theta) */
    const double t = 0.37, e = 1e-4;
    const double curvature = (phys_pendulum_angle(LENGTH, 1.5, t + e) - 2 * phys_pendulum_angle(LENGTH, 1.5, t) +
                              phys_pendulum_angle(LENGTH, 1.5, t - e)) /
                             (e * e);
    CHECK_NEAR(curvature, -PHYS_GRAVITY * sin(phys_pendulum_angle(LENGTH, 1.5, t)), 1e-5);
}

/* Trajectory and period at h = 1/240 and 1/480. */
static void check_order(taut_backend_kind backend, const scheme* s, double order, double margin) {
    const double exact = phys_pendulum_period(LENGTH, PHYS_PI / 2);
    const double coarse = trajectory_error(backend, s, 1.0 / 240, 1.2);
    const double fine = trajectory_error(backend, s, 1.0 / 480, 1.2);
    test_note("scheme %s, errors %.3g and %.3g m", s->name, coarse, fine);
    CHECK_NEAR(phys_order(coarse, fine), order, margin);
    const double period_coarse = fabs(measured_period(backend, s, 1.0 / 240) - exact);
    const double period_fine = fabs(measured_period(backend, s, 1.0 / 480) - exact);
    test_note("scheme %s, period errors %.3g and %.3g s", s->name, period_coarse, period_fine);
    CHECK(period_fine < period_coarse);
    CHECK(period_fine < (order > 1 ? 4e-4 : 4e-2));
}

TAUT_TEST(pendulum, implicit_euler_is_first_order) {
    check_order(backend, &implicit_euler, 1, 0.1);
}

TAUT_TEST(pendulum, midpoint_is_second_order) {
    check_order(backend, &midpoint, 2, 0.2);
    CHECK_NEAR(measured_period(backend, &midpoint, 1.0 / 240), 2.36784, 5e-4);
}

TAUT_TEST(pendulum, theta_is_first_order) {
    for (size_t i = 0; i < 3; i++) {
        check_order(backend, &theta[i], 1, 0.15);
    }
}

/* A growing drift would show from span to span. The linearisation error of one step is h^2 v^2/(2 L), v^2 <= 2 g L. */
TAUT_TEST(pendulum, link_does_not_drift) {
    const scheme* schemes[] = {&implicit_euler, &theta[1], &midpoint};
    for (size_t i = 0; i < 3; i++) {
        double coarse[4], fine[4];
        violation_by_span(backend, schemes[i], 1.0 / 60, 10, 4, coarse);
        violation_by_span(backend, schemes[i], 1.0 / 120, 10, 4, fine);
        test_note("scheme %s, violations %.3g .. %.3g m at 1/60 s, %.3g .. %.3g m at 1/120 s", schemes[i]->name,
                  coarse[0], coarse[3], fine[0], fine[3]);
        CHECK(coarse[0] < 2 * PHYS_GRAVITY / 3600);
        CHECK(coarse[3] < 1.6 * coarse[0]);
        CHECK(fine[0] < coarse[0] / 3);
        CHECK(fine[3] < 1.6 * fine[0]);
    }
}

/* Steps of 1/60 and 1/120 s in turn: what a link is longer by in the longer ones it gives back in the shorter ones,
 * where hardly anything was lost. A swing that holds LENGTH g gained 5.7 and 2.7 J a kg. */
TAUT_TEST(pendulum, steps_of_two_lengths_gain_little) {
    const scheme schemes[] = {
        {"(1/2, 1/2)", 0.5, 0.5, 0}, {"(0.55, 0.55)", 0.55, 0.55, 0}, {"(0.65, 0.65)", 0.65, 0.65, 0}};
    for (size_t i = 0; i < 3; i++) {
        taut_world* world = make_pendulum(backend, &schemes[i], PHYS_PI / 2);
        double most = 0;
        for (int n = 0; n < 300 && phys_run(world, 1, n % 2 == 0 ? 1.0 / 120 : 1.0 / 60); n++) {
            double x[3], v[3];
            phys_position(world, 1, x);
            phys_velocity(world, 1, v);
            most = fmax(most, (v[0] * v[0] + v[1] * v[1]) / 2 + PHYS_GRAVITY * x[1]);
        }
        taut_world_destroy(world);
        test_note("scheme %s: %.2g J a kg", schemes[i].name, most);
        CHECK(most < 0.06 * LENGTH * PHYS_GRAVITY);
    }
}

/* A small swing loses what the closed form of its scheme says: 0.52, 0.88, 0.82, 0.77 and 1 are left. */
TAUT_TEST(pendulum, amplitude_kept) {
    const scheme* schemes[] = {&implicit_euler, &theta[0], &theta[1], &theta[2], &midpoint};
    for (size_t i = 0; i < 5; i++) {
        const double kept = amplitude_kept(backend, schemes[i], 0.1, 1.0 / 60, 8);
        CHECK_NEAR(kept, linear_amplitude_kept(schemes[i]->alpha, 1.0 / 60, 8), 0.01);
    }
}
