/* Chains of distance rows: hanging at rest, as a catenary, and under a load many times their own weight. */
#include "phys_scenes.h"

#include <math.h>
#include <stdlib.h>

#define MAX_LINKS 64

/* ---- hanging straight down ------------------------------------------------------------------------------------ */

#define HANGING_LINKS 10

static double hanging_mass(size_t node) {
    return 0.05 + 0.01 * (double)(node % 3);
}

/* Weight carried by link i, from node i to node i + 1. */
static double weight_below(size_t link) {
    double weight = 0;
    for (size_t node = link + 1; node <= HANGING_LINKS; node++) {
        weight += hanging_mass(node) * PHYS_GRAVITY;
    }
    return weight;
}

/* Ten links of 0.1 m, unstretched at first, run to rest: link i is longer by c (weight below), and lam_i is minus that
 * weight. */
static void check_hanging(taut_backend_kind backend, double compliance, taut_preconditioner preconditioner) {
    double masses[HANGING_LINKS + 1];
    for (size_t i = 0; i <= HANGING_LINKS; i++) {
        masses[i] = hanging_mass(i);
    }
    taut_batch links;
    const double top[3] = {0, 2, 0}, bottom[3] = {0, 1, 0};
    taut_scene* scene = phys_chain(HANGING_LINKS, top, bottom, masses, compliance, &links);
    taut_world_def def = phys_world_def(backend, 1, 1);
    def.solver.preconditioner = preconditioner;
    taut_world* world = phys_world(scene, &def);
    test_note("compliance %g m/N, preconditioner %d", compliance, (int)preconditioner);
    double extension = 0;
    if (phys_settle(world, 0.1, 0.3, 1e-7, 300)) {
        for (size_t i = 0; i < HANGING_LINKS; i++) {
            CHECK_NEAR(phys_multiplier(world, links, i), -weight_below(i), 1e-6 * weight_below(0));
            extension += compliance * weight_below(i);
        }
        double x[3];
        phys_position(world, HANGING_LINKS, x);
        CHECK_NEAR(1 - x[1], extension, 1e-8 + 1e-6 * extension);
        CHECK_NEAR(hypot(x[0], x[2]), 0, 1e-9);
    }
    taut_world_destroy(world);
}

TAUT_TEST(chain, hangs_by_its_compliance) {
    for (double compliance = 1e-7; compliance < 0.2; compliance *= 10) {
        check_hanging(backend, compliance, TAUT_PRECONDITIONER_AUTO);
    }
    check_hanging(backend, 0, TAUT_PRECONDITIONER_AUTO);
}

TAUT_TEST(chain, hangs_alike_with_every_preconditioner) {
    const double compliances[] = {0, 1e-5, 1e-2};
    for (int p = TAUT_PRECONDITIONER_NONE; p <= TAUT_PRECONDITIONER_MULTILEVEL; p++) {
        for (int i = 0; i < 3; i++) {
            check_hanging(backend, compliances[i], (taut_preconditioner)p);
        }
    }
}

/* ---- drawn straight between two pins ---------------------------------------------------------------------------- */

#define WIRE_LINKS 40
#define WIRE_LOAD  200.0 /* N, at its middle */

/* Sag of two halves of 1 m each with stiffness EA, N: 2 T s/l = F, T = EA (l - 1), l^2 = 1 + s^2. */
static double wire_sag(double stiffness) {
    double low = 0, high = 1;
    for (int i = 0; i < 100; i++) {
        const double s = (low + high) / 2, l = hypot(1, s);
        *(2 * stiffness * (l - 1) * s / l < WIRE_LOAD ? &low : &high) = s;
    }
    return (low + high) / 2;
}

/* A wire of 0.15 kg/m, straight and unstretched at first, under a load alone, in steps that resolve nothing of it. */
static void check_wire(taut_backend_kind backend, double stiffness, double h) {
    double masses[WIRE_LINKS + 1], forces[3 * (WIRE_LINKS + 1)] = {0};
    for (size_t i = 0; i <= WIRE_LINKS; i++) {
        masses[i] = 0.15 * 2 / WIRE_LINKS;
    }
    taut_batch links;
    taut_scene* scene = phys_chain(WIRE_LINKS, (const double[]){-1, 0, 0}, (const double[]){1, 0, 0}, masses,
                                   2.0 / WIRE_LINKS / stiffness, &links);
    phys_fix(scene, 2, (const uint32_t[]){0, WIRE_LINKS});
    taut_world_def def = phys_world_def(backend, 1, 1);
    def.gravity[0] = def.gravity[1] = def.gravity[2] = 0;
    taut_world* world = phys_world(scene, &def);
    forces[3 * (WIRE_LINKS / 2) + 1] = -WIRE_LOAD;
    CHECK_OK(taut_world_set_forces(world, 0, WIRE_LINKS + 1, forces));
    test_note("EA %g N, steps of %g s", stiffness, h);
    if (phys_settle(world, h, h, 1e-5, 600)) {
        const double sag = wire_sag(stiffness), tension = stiffness * (hypot(1, sag) - 1);
        double x[3];
        phys_position(world, WIRE_LINKS / 2, x);
        CHECK_NEAR(-x[1], sag, 1e-3 * sag);
        CHECK_NEAR(phys_multiplier(world, links, 0), -tension, 2e-3 * tension);
        CHECK_NEAR(phys_multiplier(world, links, WIRE_LINKS / 2), -tension, 2e-3 * tension);
    }
    taut_world_destroy(world);
}

TAUT_TEST(chain, sags_as_far_as_it_stretches) {
    static const double steps[] = {1.0 / 24, 1.0 / 60};
    static const double stiffness[] = {1e6, 1e4, 4e6}; /* steel: sound goes at 5,000 m/s in the last one */
    for (int i = 0; i < (backend == TAUT_BACKEND_CUDA ? 1 : 6); i++) {
        check_wire(backend, stiffness[i % 3], steps[i / 3]);
    }
}

/* ---- catenary ------------------------------------------------------------------------------------------------- */

#define CATENARY_LENGTH 1.5
#define CATENARY_SPAN   1.0
#define CATENARY_MASS   1.0

typedef struct catenary {
    double sag;     /* m */
    double tension; /* N, horizontal */
} catenary;

/* Root of a decreasing f in (low, high). */
static double bisect(double (*f)(double, size_t), size_t n, double low, double high) {
    for (int i = 0; i < 200; i++) {
        const double middle = (low + high) / 2;
        *(f(middle, n) > 0 ? &low : &high) = middle;
    }
    return (low + high) / 2;
}

/* y = a cosh(x/a): the length between the pins is 2 a sinh(span / 2a), the tension a w. */
static double excess_length(double a, size_t unused) {
    (void)unused;
    return 2 * a * sinh(CATENARY_SPAN / (2 * a)) - CATENARY_LENGTH;
}

static catenary continuous_catenary(void) {
    const double a = bisect(excess_length, 0, 0.01, 10);
    return (catenary){a * (cosh(CATENARY_SPAN / (2 * a)) - 1), a * CATENARY_MASS * PHYS_GRAVITY / CATENARY_LENGTH};
}

/* n links with a mass M/n at every joint: link i climbs by the weight between it and the middle over the tension. */
static double link_slope(size_t link, size_t links, double tension) {
    return ((double)link + 0.5 - (double)links / 2) * CATENARY_MASS * PHYS_GRAVITY / (double)links / tension;
}

static double missing_span(double tension, size_t links) {
    double span = 0;
    for (size_t i = 0; i < links; i++) {
        span += CATENARY_LENGTH / (double)links / hypot(1, link_slope(i, links, tension));
    }
    return CATENARY_SPAN - span;
}

static catenary discrete_catenary(size_t links) {
    catenary result = {0, bisect(missing_span, links, 1e-3, 1e3)};
    for (size_t i = links / 2; i < links; i++) {
        const double slope = link_slope(i, links, result.tension);
        result.sag += CATENARY_LENGTH / (double)links * slope / hypot(1, slope);
    }
    return result;
}

/* The chain pinned at both ends, started as a V of the right length. */
static taut_world* make_catenary(taut_backend_kind backend, size_t links, taut_batch* batch) {
    double points[3 * (MAX_LINKS + 1)], masses[MAX_LINKS + 1];
    uint32_t pairs[2 * MAX_LINKS];
    const double drop = sqrt(CATENARY_LENGTH * CATENARY_LENGTH - CATENARY_SPAN * CATENARY_SPAN) / 2;
    for (size_t i = 0; i <= links; i++) {
        const double t = (double)i / (double)links;
        points[3 * i] = CATENARY_SPAN * t;
        points[3 * i + 1] = -drop * (1 - fabs(2 * t - 1));
        points[3 * i + 2] = 0;
        masses[i] = CATENARY_MASS / (double)links;
    }
    for (size_t i = 0; i < 2 * links; i++) {
        pairs[i] = (uint32_t)((i + 1) / 2);
    }
    taut_scene* scene = phys_scene(links + 1, points, masses);
    *batch = phys_add_links(scene, &(phys_tuples){links, pairs}, 0, 0);
    phys_fix(scene, 2, (const uint32_t[]){0, (uint32_t)links});
    const taut_world_def def = phys_world_def(backend, 1, 1);
    return phys_world(scene, &def);
}

static catenary simulated_catenary(taut_backend_kind backend, size_t links) {
    taut_batch batch;
    catenary result = {NAN, NAN};
    taut_world* world = make_catenary(backend, links, &batch);
    test_note("%zu links", links);
    if (phys_settle(world, 0.02, 0.5, 1e-7, 3000)) {
        double low[3], first[3];
        phys_position(world, links / 2, low);
        phys_position(world, 1, first);
        result.sag = -low[1];
        result.tension = -phys_multiplier(world, batch, 0) * first[0] / hypot(first[0], first[1]);
    }
    taut_world_destroy(world);
    return result;
}

TAUT_PLAIN_TEST(chain, catenary_formulas) {
    const catenary exact = continuous_catenary();
    CHECK_NEAR(exact.sag, 0.502633, 1e-6);
    CHECK_NEAR(exact.tension, 2.01587, 1e-5);
    const catenary fine = discrete_catenary(4096);
    CHECK_NEAR(fine.sag, exact.sag, 1e-6);
    CHECK_NEAR(fine.tension, exact.tension, 1e-5);
}

TAUT_TEST(chain, rests_as_a_catenary) {
    const catenary exact = continuous_catenary();
    double sag_error[4], tension_error[4];
    for (int i = 0; i < 4; i++) {
        const size_t links = (size_t)8 << i;
        const catenary found = simulated_catenary(backend, links), expected = discrete_catenary(links);
        CHECK_NEAR(found.sag, expected.sag, 1e-5);
        CHECK_NEAR(found.tension, expected.tension, 1e-4);
        sag_error[i] = fabs(found.sag - exact.sag);
        tension_error[i] = fabs(found.tension - exact.tension);
    }
    for (int i = 1; i < 4; i++) {
        test_note("errors %.3g m and %.3g N with %d links", sag_error[i], tension_error[i], 8 << i);
        CHECK_NEAR(phys_order(sag_error[i - 1], sag_error[i]), 2, 0.1);
        CHECK_NEAR(phys_order(tension_error[i - 1], tension_error[i]), 2, 0.1);
    }
}

/* ---- a heavy load on a light chain ---------------------------------------------------------------------------- */

#define LOADED_LINKS  20
#define LOADED_LENGTH 1.0
#define SWING         0.1

typedef struct swing_result {
    double period;        /* s, mean */
    double worst_tension; /* largest error of the top multiplier over the weight, after half a second */
    double amplitude;     /* largest angle after 10 s, rad */
    double violation;     /* largest |phi|, m, after half a second */
    bool lost;            /* the step failed or the load left */
} swing_result;

static taut_world* make_swing(taut_backend_kind backend, double load, double alpha, taut_geometric_stiffness geometric,
                              taut_batch* links) {
    double masses[LOADED_LINKS + 1];
    for (size_t i = 0; i < LOADED_LINKS; i++) {
        masses[i] = 1.0 / LOADED_LINKS;
    }
    masses[LOADED_LINKS] = load;
    const double top[3] = {0, 0, 0}, end[3] = {LOADED_LENGTH * sin(SWING), -LOADED_LENGTH * cos(SWING), 0};
    taut_scene* scene = phys_chain(LOADED_LINKS, top, end, masses, 0, links);
    taut_world_def def = phys_world_def(backend, alpha, alpha);
    def.integrator.hard_row_damping = alpha < 1 ? 1 : 0;
    def.integrator.geometric_stiffness = geometric;
    def.solver.tolerance = 1e-7;
    return phys_world(scene, &def);
}

/* Top tension of a taut chain at angle t: load (g cos t + v^2 / L), the chain's own weight left out. */
static double tension_error(taut_world* world, taut_batch links, double load, const double x[3]) {
    double v[3];
    phys_velocity(world, LOADED_LINKS, v);
    const double centripetal = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / LOADED_LENGTH;
    const double tension = (load + 0.5) * (PHYS_GRAVITY * -x[1] / hypot(x[0], x[1]) + centripetal);
    return fabs(phys_multiplier(world, links, 0) + tension) / (load * PHYS_GRAVITY);
}

/* 14 s at h = 1/60: seven swings. */
static swing_result swing(taut_backend_kind backend, double load, double alpha, taut_geometric_stiffness geometric) {
    taut_batch links;
    taut_world* world = make_swing(backend, load, alpha, geometric, &links);
    swing_result result = {0};
    const double h = 1.0 / 60;
    double last = SWING, first_crossing = 0, last_crossing = 0;
    int crossings = 0;
    for (int i = 1; i <= 14 * 60 && !result.lost; i++) {
        double x[3] = {0};
        result.lost = taut_world_step(world, h) != TAUT_OK;
        phys_position(world, LOADED_LINKS, x);
        const double angle = atan2(x[0], -x[1]);
        result.lost = result.lost || !(hypot(x[0], x[1]) < 2 * LOADED_LENGTH);
        if (last > 0 && angle <= 0) {
            last_crossing = (i - angle / (angle - last)) * h;
            first_crossing = crossings++ == 0 ? last_crossing : first_crossing;
        }
        if (i >= 30) {
            result.worst_tension = fmax(result.worst_tension, tension_error(world, links, load, x));
            result.violation = fmax(result.violation, phys_worst_violation(world));
        }
        result.amplitude = i * h > 10 ? fmax(result.amplitude, fabs(angle)) : 0;
        last = angle;
    }
    result.period = crossings > 1 ? (last_crossing - first_crossing) / (crossings - 1) : 0;
    taut_world_destroy(world);
    return result;
}

/* 2 pi sqrt(L/g) (1 + amplitude^2 / 16): 2.0073 s; the swing shrinks, so its mean lies between that and 2.0061. */
static bool swings_right(const swing_result* r) {
    return !r->lost && fabs(r->period - 2.0073) < 0.005 * 2.0073 && r->worst_tension < 0.01 && r->amplitude < SWING &&
           r->violation < 1e-3;
}

static void check_swing(taut_backend_kind backend, double load, double alpha) {
    const swing_result r = swing(backend, load, alpha, TAUT_GEOMETRIC_FULL);
    test_note("load %g, alpha %g: lost %d, period %.5f s, tension error %.3g, amplitude %.4f, |phi| %.3g m", load,
              alpha, r.lost, r.period, r.worst_tension, r.amplitude, r.violation);
    CHECK(swings_right(&r));
}

TAUT_TEST(chain, swings_a_heavy_load_with_implicit_euler) {
    for (double load = 1e3; load < 2e5; load *= 10) {
        check_swing(backend, load, 1);
    }
}

TAUT_TEST(chain, swings_a_heavy_load_with_theta) {
    for (double load = 1e3; load < 2e5; load *= 10) {
        check_swing(backend, load, 0.65);
    }
}

/* What the two tests above would see if the geometric stiffness were lost. */
TAUT_TEST(chain, heavy_load_needs_geometric_stiffness) {
    const swing_result r = swing(backend, 1e3, 1, TAUT_GEOMETRIC_NONE);
    test_note("lost %d, period %.5f s, tension error %.3g", r.lost, r.period, r.worst_tension);
    CHECK(!swings_right(&r));
}
