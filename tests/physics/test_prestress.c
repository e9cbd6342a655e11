/* What is under prestress turns as it would without: forces that balance each other take nothing from turns. */
#include "phys_pendulums.h"

#include <math.h>

#define MOST_POINTS 6
#define MOST_BARS   12

typedef struct truss {
    size_t points, bars;
    size_t
        cables; /* the first bars: elastic and too short, all others hard; 0: all bars alike, the last one too short */
    const double* x;      /* points x 3, m */
    const uint32_t* ends; /* bars x 2 */
} truss;

/* A panel with both diagonals. */
static const double panel_x[] = {0, 0, 0, 1, 0, 0, 1, -0.3, 0, 0, -0.3, 0};
static const uint32_t panel_ends[] = {0, 1, 1, 2, 2, 3, 3, 0, 0, 2, 1, 3};
static const truss panel = {4, 6, 0, panel_x, panel_ends};

/* Two tetrahedra on one triangle, and a bar between their tops. */
static const double pyramids_x[] = {0.5, 0, 0, -0.25, 0.433, 0, -0.25, -0.433, 0, 0, 0, 0.4, 0, 0, -0.4};
static const uint32_t pyramids_ends[] = {0, 1, 1, 2, 2, 0, 0, 3, 1, 3, 2, 3, 0, 4, 1, 4, 2, 4, 3, 4};
static const truss pyramids = {5, 10, 0, pyramids_x, pyramids_ends};

/* Three struts in nine cables: only that these pull makes it stiff. */
static const double prism_x[] = {0.5,    0,   0,    -0.25, 0,   0.433, -0.25, 0,   -0.433,
                                 -0.433, 0.8, 0.25, 0,     0.8, -0.5,  0.433, 0.8, 0.25};
static const uint32_t prism_ends[] = {0, 1, 1, 2, 2, 0, 3, 4, 4, 5, 5, 3, 0, 5, 1, 3, 2, 4, 0, 3, 1, 4, 2, 5};
static const truss prism = {6, 12, 9, prism_x, prism_ends};

/* Points of 1 kg at rest but for a turn by omega. */
static taut_scene* make_truss(const truss* t, double off, double compliance, const double omega[3]) {
    double v[3 * MOST_POINTS], lengths[MOST_BARS], compliances[MOST_BARS];
    for (size_t i = 0; i < t->points; i++) {
        phys_cross(omega, t->x + 3 * i, v + 3 * i);
    }
    for (size_t i = 0; i < t->bars; i++) {
        const double length = phys_apart(t->x + 3 * t->ends[2 * i], t->x + 3 * t->ends[2 * i + 1]);
        const bool is_short = t->cables > 0 ? i < t->cables : i + 1 == t->bars;
        lengths[i] = is_short ? length * (1 - off) : length;
        compliances[i] = t->cables > 0 && i >= t->cables ? 0 : compliance;
    }
    taut_scene* scene = phys_empty_scene();
    taut_particles_def points = taut_default_particles();
    points.count = t->points;
    points.positions = t->x;
    points.velocities = v;
    CHECK_OK(taut_scene_add_particles(scene, &points, NULL));
    taut_distance_def bars = taut_default_distance();
    bars.count = t->bars;
    bars.particles = t->ends;
    bars.rest_lengths = lengths;
    bars.compliances = compliances;
    CHECK_OK(taut_scene_add_distances(scene, &bars, NULL));
    return scene;
}

/* Implicit Euler by the solver that the part would have, or the condensed one. */
static taut_world* make_world(taut_backend_kind backend, taut_scene* scene, taut_method method) {
    taut_world_def def = phys_world_def(backend, 1, 1);
    def.solver.method = method;
    def.solver.tolerance = 1e-6;
    return phys_world(scene, &def);
}

/* Centre of all points, and their angular momentum about it, of 1 kg each. */
static void measure(taut_world* world, size_t count, double centre[3], double spin[3]) {
    double x[3], v[3], all[3] = {0, 0, 0}, turn[3], mean[3] = {0, 0, 0};
    for (size_t a = 0; a < 3; a++) {
        centre[a] = spin[a] = 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        phys_position(world, i, x);
        phys_velocity(world, i, v);
        phys_cross(x, v, turn);
        for (size_t a = 0; a < 3; a++) {
            centre[a] += x[a] / (double)count;
            mean[a] += v[a];
            all[a] += turn[a];
        }
    }
    phys_cross(centre, mean, turn);
    for (size_t a = 0; a < 3; a++) {
        spin[a] = all[a] - turn[a];
    }
}

typedef struct spin_case {
    const truss* truss;
    double off, compliance; /* relative; m/N */
    taut_method method;
} spin_case;

/* Falls and spins: x' = x + h v' keeps the angular momentum exactly, and the centre falls by g h^2 n (n + 1)/2. */
static void check_spin(taut_backend_kind backend, const spin_case* c) {
    const double omega[3] = {1, 2, 3}, h = 1.0 / 60;
    const size_t steps = 40, count = c->truss->points;
    double centre[3], v[3], spin[3], now[3], spin_now[3];
    taut_world* world = make_world(backend, make_truss(c->truss, c->off, c->compliance, omega), c->method);
    measure(world, count, centre, spin);
    phys_run(world, steps, h);
    measure(world, count, now, spin_now);
    phys_cross(omega, centre, v);
    const double fallen = PHYS_GRAVITY * h * h * (double)(steps * (steps + 1)) / 2 - v[1] * h * (double)steps;
    const double zero[3] = {0, 0, 0}, lost = phys_apart(spin, spin_now) / phys_apart(spin, zero);
    test_note("%zu points, off by %g, compliance %g, method %d: loses %.2g of its spin", count, c->off, c->compliance,
              (int)c->method, lost);
    CHECK_NEAR(centre[1] - now[1], fallen, 1e-3 * fabs(fallen));
    CHECK(lost < 2e-3);
    taut_world_destroy(world);
}

TAUT_TEST(prestress, spins_in_the_air) {
    static const spin_case cases[] = {
        {&pyramids, 0.001, 1e-7, TAUT_METHOD_SCHUR}, {&pyramids, 0.01, 1e-7, TAUT_METHOD_SCHUR},
        {&pyramids, -0.01, 1e-7, TAUT_METHOD_SCHUR}, {&pyramids, 0.05, 1e-7, TAUT_METHOD_CONDENSED},
        {&pyramids, 0.01, 0, TAUT_METHOD_CONDENSED}, {&panel, 0.01, 1e-6, TAUT_METHOD_SCHUR},
        {&prism, 0.02, 1e-6, TAUT_METHOD_SCHUR},     {&prism, 0.02, 1e-5, TAUT_METHOD_CONDENSED},
        {&prism, 0.02, 1e-4, TAUT_METHOD_SCHUR},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_spin(backend, &cases[i]);
    }
}

/* ---- hung by a corner -------------------------------------------------------------------------------------------- */

static void swing_rate(const void* length, const double* y, double* rate) {
    rate[0] = y[1];
    rate[1] = -PHYS_GRAVITY / *(const double*)length * sin(y[0]);
}

/* The panel about its first point, from where it begins at rest: a pendulum of the length sum r^2 / |sum r|. */
static void check_swing(taut_backend_kind backend, double off, double compliance) {
    const double still[3] = {0, 0, 0}, h = 1.0 / 240, duration = 0.6;
    double square = 0, sum[3] = {0, 0, 0}, centre[3], spin[3];
    for (size_t i = 0; i < 3 * panel.points; i++) {
        square += panel_x[i] * panel_x[i];
        sum[i % 3] += panel_x[i];
    }
    const double reach = sqrt(sum[0] * sum[0] + sum[1] * sum[1]), length = square / reach;
    double y[2] = {atan2(sum[0], -sum[1]), 0};
    taut_scene* scene = make_truss(&panel, off, compliance, still);
    phys_fix(scene, 1, (const uint32_t[]){0});
    taut_world* world = make_world(backend, scene, TAUT_METHOD_AUTO);
    phys_run(world, (size_t)lround(duration / h), h);
    phys_rk4(swing_rate, &length, 2, y, duration, 1000);
    measure(world, panel.points, centre, spin);
    const double angle = atan2(centre[0], -centre[1]);
    test_note("off by %g, compliance %g: at %.4f rad, exact %.4f rad", off, compliance, angle, y[0]);
    CHECK_NEAR(angle, y[0], 0.05);
    taut_world_destroy(world);
}

TAUT_TEST(prestress, swings_from_a_corner) {
    static const double off[] = {0.001, 0.01, -0.01}, compliances[] = {1e-7, 1e-6};
    for (size_t i = 0; i < 6; i++) {
        check_swing(backend, off[i % 3], compliances[i / 3]);
    }
}
