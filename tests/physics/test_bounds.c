/* Bounds of multipliers: the conditions that make a solution one, checked with the operators of the linearisation; and
 * motions that are known. */
#include "method_pairs.h"
#include "phys_frames.h"
#include "refused.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define H (1.0 / 60)

/* ---- the conditions of a solution ----------------------------------------------------------------------------------
 * *
 *
 * r = b - S gam of the step that follows: 0 within the bounds, at most 0 at the lower, at least 0 at the upper one. */

typedef struct bounded_rows {
    size_t count;
    const double *lower, *upper; /* N, of all rows of the world */
} bounded_rows;

/* How far the step that has been made after `b` and S were taken is from them, relative to the largest |b| among what
 * is not held, in the scale of S. */
static double worst_condition(const bounded_rows* rows, const double* gam, const double* r, const double* diagonal,
                              double h, size_t held[3]) {
    double worst = 0;
    memset(held, 0, 3 * sizeof(size_t));
    for (size_t i = 0; i < rows->count; i++) {
        const double lower = h * rows->lower[i], upper = h * rows->upper[i], slack = 1e-9 * (1 + fabs(gam[i]));
        const bool low = gam[i] <= lower + slack, high = gam[i] >= upper - slack;
        CHECK(gam[i] >= lower - slack && gam[i] <= upper + slack);
        const double left = low && r[i] < 0 ? 0 : high && r[i] > 0 ? 0 : fabs(r[i]);
        held[low ? 0 : high ? 2 : 1]++;
        worst = phys_worse(worst, left / sqrt(diagonal[i]));
    }
    return worst;
}

static void check_step(taut_world* world, const bounded_rows* rows, double tolerance) {
    const size_t m = rows->count;
    double *b = phys_array(m, sizeof(double)), *unit = phys_array(m, sizeof(double)),
           *column = phys_array(m, sizeof(double)), *s = phys_array(m * m, sizeof(double)),
           *diagonal = phys_array(m, sizeof(double)), *r = phys_array(m, sizeof(double));
    taut_step_info info;
    size_t held[3];
    double scale = 0;
    REQUIRE_OK(taut_world_linearise(world, H));
    REQUIRE_OK(taut_world_right_hand_side(world, b));
    for (size_t i = 0; i < m; i++) {
        unit[i] = 1;
        REQUIRE_OK(taut_world_apply(world, TAUT_OPERATOR_S, unit, column));
        unit[i] = 0;
        memcpy(s + m * i, column, m * sizeof(double));
        diagonal[i] = column[i];
    }
    REQUIRE_OK(taut_world_step(world, H));
    CHECK_OK(taut_world_info(world, &info));
    CHECK_INT(info.outcome, TAUT_SOLVE_CONVERGED);
    double* gam = phys_field(world, TAUT_FIELD_MULTIPLIERS);
    for (size_t i = 0; i < m; i++) {
        gam[i] *= H;
    }
    for (size_t i = 0; i < m; i++) {
        r[i] = b[i];
        for (size_t j = 0; j < m; j++) {
            r[i] -= s[m * i + j] * gam[j];
        }
        scale = phys_worse(scale, fabs(b[i]) / sqrt(diagonal[i]));
    }
    const double worst = worst_condition(rows, gam, r, diagonal, H, held);
    test_note("%zu lower, %zu within, %zu upper; worst %.2g of %.2g; %u iterations in %u passes, residual %.2g, "
              "complementarity %.2g",
              held[0], held[1], held[2], worst, scale, info.iterations, info.outer_iterations, info.residual,
              info.complementarity);
    CHECK(worst <= tolerance * scale);
    CHECK(info.complementarity <= 1e-9);
    free(b), free(unit), free(column), free(s), free(diagonal), free(r), free(gam);
}

/* A net of 6 x 6 points in all directions of its triangles, crumpled, whose threads only pull; some are too short, some
 * slack, some hard; the last ones take no more than 3 N either way. */
typedef struct net {
    taut_scene* scene;
    size_t rows;
    double lower[256], upper[256];
} net;

static net make_net(double softest) {
    net n = {.rows = 0};
    phys_mesh mesh = phys_grid(5, 5, 1, 1, PHYS_ALTERNATING);
    for (size_t i = 0; i < mesh.point_count; i++) {
        mesh.points[3 * i] += 0.04 * sin(7.0 * (double)i);
        mesh.points[3 * i + 2] += 0.1 * sin(3.0 * (double)i);
    }
    phys_tuples edges = phys_edges(&mesh);
    n.scene = phys_scene(mesh.point_count, mesh.points, NULL);
    phys_fix(n.scene, 2, (const uint32_t[]){0, 5});
    for (size_t e = 0; e < edges.count; e++) {
        const double *a = mesh.points + 3 * edges.items[2 * e], *b = mesh.points + 3 * edges.items[2 * e + 1];
        const double rest = phys_apart(a, b) * (e % 3 == 0 ? 1.02 : e % 3 == 1 ? 0.98 : 1);
        const bool strut = e + 12 > edges.count;
        taut_distance_def def = taut_default_distance();
        taut_batch batch;
        def.count = 1;
        def.particles = edges.items + 2 * e;
        def.rest_lengths = &rest;
        def.compliance = e % 4 == 0 ? 0 : softest;
        def.damping = e % 5 == 0 ? 0.01 : 0;
        CHECK_OK(taut_scene_add_distances(n.scene, &def, &batch));
        n.lower[n.rows] = strut ? -3 : -INFINITY;
        n.upper[n.rows] = strut ? 3 : 0;
        CHECK_OK(taut_scene_set_bounds(n.scene, batch, n.lower[n.rows], n.upper[n.rows], INFINITY));
        n.rows++;
    }
    phys_mesh_free(&mesh);
    free(edges.items);
    return n;
}

static void check_net(taut_world_def def, double softest, int steps, double tolerance) {
    net n = make_net(softest);
    const bounded_rows rows = {n.rows, n.lower, n.upper};
    taut_world* world = phys_world(n.scene, &def);
    for (int i = 0; world != NULL && i < steps; i++) {
        check_step(world, &rows, tolerance);
    }
    taut_world_destroy(world);
}

static void check_preconditioners(taut_backend_kind backend, taut_method method, const taut_preconditioner* all,
                                  int count) {
    for (int i = 0; i < count; i++) {
        taut_world_def def = pair_def(backend, method);
        def.solver.preconditioner = all[i];
        def.solver.tolerance = 1e-10;
        check_net(def, 1e-4, 4, 1e-6);
    }
}

TAUT_TEST(bounds, schur) {
    const taut_preconditioner all[] = {TAUT_PRECONDITIONER_JACOBI, TAUT_PRECONDITIONER_BLOCK,
                                       TAUT_PRECONDITIONER_CHEBYSHEV, TAUT_PRECONDITIONER_MULTILEVEL,
                                       TAUT_PRECONDITIONER_NONE};
    check_preconditioners(backend, TAUT_METHOD_SCHUR, all, 5);
}

TAUT_TEST(bounds, condensed) {
    const taut_preconditioner all[] = {TAUT_PRECONDITIONER_JACOBI, TAUT_PRECONDITIONER_MULTILEVEL};
    check_preconditioners(backend, TAUT_METHOD_CONDENSED, all, 2);
}

TAUT_TEST(bounds, gauss_seidel) {
    taut_world_def def = pair_def(backend, TAUT_METHOD_GAUSS_SEIDEL);
    def.solver.max_iterations = 100000;
    check_net(def, 1e-3, 2, 1e-6);
}

TAUT_TEST(bounds, direct) {
    if (backend == TAUT_BACKEND_CPU && test_direct()) {
        check_net(pair_def(backend, TAUT_METHOD_DIRECT), 1e-4, 4, 1e-6);
    }
}

/* ---- ropes and stops ------------------------------------------------------------------------------------------------
 */

/* A ball on a thread of this length from the origin, thrown upwards from just below the height of its end. */
static taut_world* make_thrown(taut_backend_kind backend, taut_preset preset, bool bound, taut_batch* thread) {
    const double points[6] = {0, 0, 0, 0.6, -0.1, 0}, length = 1;
    taut_scene* scene = phys_scene(2, points, NULL);
    taut_distance_def def = taut_default_distance();
    phys_fix(scene, 1, (const uint32_t[]){0});
    if (bound) {
        def.count = 1;
        def.particles = (const uint32_t[]){0, 1};
        def.rest_lengths = &length;
        CHECK_OK(taut_scene_add_distances(scene, &def, thread));
        CHECK_OK(taut_scene_set_bounds(scene, *thread, -INFINITY, 0, INFINITY));
    }
    taut_world_def world_def = phys_world_def(backend, 1, 1);
    world_def.integrator = phys_preset(preset);
    taut_world* world = phys_world(scene, &world_def);
    CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, 1, 1, (const double[]){0.5, 3, 0}));
    return world;
}

/* While it is slack it flies as without it; it is never longer than its length; it pulls and does not push. */
static void check_thrown(taut_backend_kind backend, taut_preset preset, double longest) {
    taut_batch thread;
    taut_world *tied = make_thrown(backend, preset, true, &thread), *loose = make_thrown(backend, preset, false, NULL);
    bool slack = true, ended = false;
    for (int i = 0; i < 300 && phys_run(tied, 1, 0.005) && phys_run(loose, 1, 0.005); i++) {
        double x[3], loose_x[3], lam = phys_multiplier(tied, thread, 0);
        phys_position(tied, 1, x);
        phys_position(loose, 1, loose_x);
        slack = slack && lam == 0;
        ended = ended || !slack;
        CHECK(lam <= 0);
        CHECK(phys_length(x) <= longest);
        if (slack) {
            CHECK_NEAR(phys_apart(x, loose_x), 0, 1e-12);
        }
    }
    CHECK(ended);
    taut_world_destroy(tied);
    taut_world_destroy(loose);
}

TAUT_TEST(bounds, thread_only_pulls) {
    /* A linearised row is off by k h^2 v^2 / (2 L): k = 1, and 1.5 in the middle (test_mechanisms_drift.c); v from the
     * energy. */
    const double off = 0.005 * 0.005 * (0.25 + 9 + 2 * PHYS_GRAVITY * 0.9) / 2;
    check_thrown(backend, TAUT_PRESET_IMPLICIT_EULER, 1 + off);
    check_thrown(backend, TAUT_PRESET_MIDPOINT, 1 + 1.5 * off);
}

/* A ball of 1 kg falls on a stop that only pushes, 1e-4 m/N soft: without damping it comes back to its height, and the
 * time of a bounce is 2 sqrt(2 H / g) and the half period that its weight makes longer: x = x0 cos w t + v0/w sin w t
 * about x0 = -g/w^2, from x = 0 with v0 back to it. */
#define STOP_SOFTNESS 1e-4

static taut_world* make_ball(taut_backend_kind backend, const taut_integrator* integrator, double height,
                             double damping, taut_batch* stop) {
    const double points[3] = {0, height, 0};
    taut_scene* scene = phys_scene(1, points, NULL);
    taut_linear_def def = taut_default_linear();
    def.count = 1;
    def.offsets = (const size_t[]){0, 1};
    def.coordinates = (const uint32_t[]){1};
    def.weights = (const double[]){1};
    def.rest_values = (const double[]){0};
    def.compliance = STOP_SOFTNESS;
    def.damping = damping;
    CHECK_OK(taut_scene_add_linear(scene, &def, stop));
    CHECK_OK(taut_scene_set_bounds(scene, *stop, 0, INFINITY, INFINITY));
    taut_world_def world_def = phys_world_def(backend, 1, 1);
    world_def.integrator = *integrator;
    return phys_world(scene, &world_def);
}

TAUT_TEST(bounds, ball_bounces_back) {
    const double height = 0.5, w = 1 / sqrt(STOP_SOFTNESS), g = PHYS_GRAVITY;
    const double speed = sqrt(2 * g * height), contact = (2 * PHYS_PI - 2 * atan(speed * w / g)) / w;
    const double period = 2 * speed / g + contact, h = 2e-4;
    taut_integrator integrator = phys_preset(TAUT_PRESET_MIDPOINT);
    integrator.newton = 20;
    integrator.newton_tolerance = 1e-11;
    taut_batch stop;
    taut_world* world = make_ball(backend, &integrator, height, 0, &stop);
    double top = 0, deepest = 0, x[3], v[3];
    taut_step_info info;
    for (int i = 0; i < (int)lround(period / h) && phys_run(world, 1, h); i++) {
        phys_position(world, 0, x);
        phys_velocity(world, 0, v);
        deepest = fmin(deepest, x[1]);
        top = v[1] > 0 || i * h > period / 2 ? fmax(top, x[1]) : top;
        CHECK_OK(taut_world_info(world, &info));
        CHECK(phys_multiplier(world, stop, 0) >= 0);
    }
    /* Of w h = 0.02: the midpoint's period is longer by (w h)^2 / 12; it touches and leaves within a step. */
    const double amplitude = sqrt(g * g / (w * w * w * w) + speed * speed / (w * w));
    CHECK_NEAR(-deepest, g / (w * w) + amplitude, 2e-3 * amplitude);
    CHECK_NEAR(top, height, 2e-3 * height);
    CHECK_NEAR(v[1], 0, g * 2 * h);
    CHECK_NEAR(info.kinetic + info.potential + info.elastic, g * height, 2e-3 * g * height);
    taut_world_destroy(world);
}

/* At rest it has sunk by m g c. */
TAUT_TEST(bounds, ball_comes_to_rest) {
    const taut_integrator integrator = phys_preset(TAUT_PRESET_IMPLICIT_EULER);
    taut_batch stop;
    double x[3], v[3];
    taut_world* world = make_ball(backend, &integrator, 0.05, 0.02, &stop);
    phys_run(world, 300, 0.01);
    phys_position(world, 0, x);
    phys_velocity(world, 0, v);
    CHECK_NEAR(x[1], -PHYS_GRAVITY * STOP_SOFTNESS, 1e-9);
    CHECK_NEAR(v[1], 0, 1e-9);
    CHECK_NEAR(phys_multiplier(world, stop, 0), PHYS_GRAVITY, 1e-6);
    taut_world_destroy(world);
}

/* ---- what forces can do at most -------------------------------------------------------------------------------------
 */

/* A brake: a row of velocity that takes F at most stops a mass after v^2 m / (2 F), and then holds it against less. */
TAUT_TEST(bounds, brake) {
    const double points[3] = {0, 0, 0}, speed = 2, force = 4, h = 0.001;
    taut_scene* scene = phys_scene(1, points, NULL);
    taut_linear_def def = taut_default_linear();
    taut_batch brake;
    def.count = 1;
    def.offsets = (const size_t[]){0, 1};
    def.coordinates = (const uint32_t[]){0};
    def.weights = (const double[]){1};
    def.of_velocities = true;
    CHECK_OK(taut_scene_add_linear(scene, &def, &brake));
    CHECK_OK(taut_scene_set_bounds(scene, brake, -force, force, INFINITY));
    taut_world_def world_def = phys_world_def(backend, 1, 1);
    world_def.gravity[1] = 0;
    taut_world* world = phys_world(scene, &world_def);
    CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, 0, 1, (const double[]){speed, 0, 0}));
    phys_run(world, 100, h);
    double x[3], v[3];
    phys_velocity(world, 0, v);
    CHECK_NEAR(v[0], speed - force * 0.1, 1e-7);
    CHECK_NEAR(phys_multiplier(world, brake, 0), -force, 1e-9);
    phys_run(world, 500, h);
    phys_position(world, 0, x);
    phys_velocity(world, 0, v);
    /* implicit Euler adds up the speeds at the ends of steps */
    CHECK_NEAR(x[0], speed * speed / (2 * force) - speed * h / 2, 1e-6);
    CHECK_NEAR(v[0], 0, 1e-9);
    CHECK_OK(taut_world_set_forces(world, 0, 1, (const double[]){3.5, 0, 0}));
    phys_run(world, 50, h);
    phys_velocity(world, 0, v);
    CHECK_NEAR(v[0], 0, 1e-9);
    CHECK_NEAR(phys_multiplier(world, brake, 0), -3.5, 1e-6);
    CHECK_OK(taut_world_set_forces(world, 0, 1, (const double[]){5, 0, 0}));
    phys_run(world, 50, h);
    phys_velocity(world, 0, v);
    CHECK_NEAR(v[0], (5 - force) * 0.05, 1e-7);
    taut_world_destroy(world);
}

/* A bar on a hinge falls until a row for its angle, which only pushes back, stops it at the limit. */
TAUT_TEST(bounds, hinge_with_a_limit) {
    const double from[3] = {0, 0, 0}, to[3] = {1, 0, 0};
    phys_body bar = phys_bar(from, to, 0.05, 2);
    double axes[4];
    taut_scene* scene = phys_empty_scene();
    const taut_body handle = phys_add_body(scene, &bar);
    phys_hinge_about_z(axes);
    taut_joints_def def = taut_default_joints();
    taut_joint_batches batches;
    def.type = TAUT_JOINT_HINGE;
    def.count = 1;
    def.bodies = (const taut_body[]){TAUT_WORLD, handle};
    def.positions = from;
    def.orientations = axes;
    def.drive = true;
    def.targets = (const double[]){-0.7};
    CHECK_OK(taut_scene_add_joints(scene, &def, &batches));
    /* The angle, at 0 now, falls; from -0.7 on the row pushes it up. */
    CHECK_OK(taut_scene_set_bounds(scene, batches.drive, 0, INFINITY, INFINITY));
    taut_world_def world_def = phys_world_def(backend, 1, 1);
    taut_world* world = phys_world(scene, &world_def);
    double least = 0;
    for (int i = 0; i < 150 && phys_run(world, 1, 0.01); i++) {
        phys_read_body(world, handle, &bar);
        least = fmin(least, phys_angle_about_z(bar.q));
    }
    CHECK_NEAR(least, -0.7, 1e-4);
    CHECK_NEAR(phys_angle_about_z(bar.q), -0.7, 1e-6);
    CHECK_NEAR(fabs(phys_multiplier(world, batches.drive, 0)), 2 * PHYS_GRAVITY * 0.5 * cos(0.7), 1e-3);
    taut_world_destroy(world);
}

/* ---- strength -------------------------------------------------------------------------------------------------------
 */

/* Three links in a row with 1 kg at each end but the first; the load grows. The upmost carries most and breaks first,
 * at its strength; what hangs on it falls, and can be tied again. */
TAUT_TEST(bounds, chain_breaks) {
    const double from[3] = {0, 0, 0}, to[3] = {0, -3, 0};
    taut_batch links;
    taut_scene* scene = phys_chain(3, from, to, NULL, 1e-5, &links);
    CHECK_OK(taut_scene_set_bounds(scene, links, -INFINITY, INFINITY, 40));
    taut_world_def def = phys_world_def(backend, 1, 1);
    taut_world* world = phys_world(scene, &def);
    taut_step_info info;
    bool broken[3];
    double v[3], lam = 0;
    phys_run(world, 50, 0.01);
    CHECK_OK(taut_world_info(world, &info));
    CHECK_INT(info.broken, 0);
    int steps = 0;
    for (; info.broken == 0 && steps < 200; steps++) {
        const double pull[3] = {0, -0.1 * steps, 0};
        lam = phys_multiplier(world, links, 0);
        CHECK_OK(taut_world_set_forces(world, 3, 1, pull));
        phys_run(world, 1, 0.01);
        CHECK_OK(taut_world_info(world, &info));
    }
    test_note("broke after %d steps, with %g N before", steps, lam);
    CHECK_INT(info.broken, 1);
    CHECK(lam < -38 && lam >= -40);
    CHECK(fabs(phys_multiplier(world, links, 0)) > 40);
    CHECK_OK(taut_world_read_broken(world, links, 0, 3, broken));
    CHECK(broken[0] && !broken[1] && !broken[2]);
    CHECK_OK(taut_world_set_forces(world, 3, 1, (const double[]){0, 0, 0}));
    phys_run(world, 1, 0.01);
    CHECK_NEAR(phys_multiplier(world, links, 0), 0, 0);
    phys_velocity(world, 1, v);
    phys_run(world, 10, 0.01);
    double later[3];
    phys_velocity(world, 1, later);
    CHECK_NEAR(later[1] - v[1], -PHYS_GRAVITY * 0.1, 0.05); /* it falls, and swings a little against the others */
    CHECK_OK(taut_world_set_bounds(world, links, 0, 1, (const double[]){-INFINITY}, (const double[]){INFINITY},
                                   (const double[]){1e9}));
    CHECK_OK(taut_world_read_broken(world, links, 0, 3, broken));
    CHECK(!broken[0]);
    phys_run(world, 1, 0.01);
    CHECK(fabs(phys_multiplier(world, links, 0)) > 1);
    taut_world_destroy(world);
}

/* ---- many -----------------------------------------------------------------------------------------------------------
 */

/* 100 links that only pull, with 1e4 times their weight at the end: taut all along, they are those of a chain without
 * bounds; thrown upwards, they let go and catch again without a push on the way. */
TAUT_TEST(bounds, heavy_load_on_links_that_only_pull) {
    enum { LINKS = 100 };
    const double from[3] = {0, 0, 0}, to[3] = {0, -1, 0};
    double masses[LINKS + 1];
    taut_batch links;
    taut_world* worlds[2];
    for (int i = 0; i <= LINKS; i++) {
        masses[i] = i == LINKS ? 100 : 1e-4;
    }
    for (int bound = 0; bound < 2; bound++) {
        taut_scene* scene = phys_chain(LINKS, from, to, masses, 0, &links);
        if (bound) {
            CHECK_OK(taut_scene_set_bounds(scene, links, -INFINITY, 0, INFINITY));
        }
        taut_world_def def = phys_world_def(backend, 1, 1);
        def.integrator.guard = false; /* a part of a step would let links go at another time */
        worlds[bound] = phys_world(scene, &def);
        CHECK_OK(taut_world_write(worlds[bound], TAUT_FIELD_VELOCITIES, LINKS, 1, (const double[]){1, 0, 0}));
        phys_run(worlds[bound], 20, H);
    }
    double loose[3], tied[3];
    taut_step_info info;
    phys_position(worlds[0], LINKS, loose);
    phys_position(worlds[1], LINKS, tied);
    CHECK_NEAR(phys_apart(loose, tied), 0, 1e-6);
    CHECK_OK(taut_world_write(worlds[1], TAUT_FIELD_VELOCITIES, LINKS, 1, (const double[]){-1, 5, 0}));
    uint32_t outer_iterations = 0;
    for (int i = 0; i < 60 && phys_run(worlds[1], 1, H); i++) {
        CHECK_OK(taut_world_info(worlds[1], &info));
        CHECK_INT(info.outcome, TAUT_SOLVE_CONVERGED);
        outer_iterations = info.outer_iterations > outer_iterations ? info.outer_iterations : outer_iterations;
        double* lam = phys_field(worlds[1], TAUT_FIELD_MULTIPLIERS);
        for (int r = 0; r < LINKS; r++) {
            CHECK(lam[r] <= 0);
        }
        free(lam);
    }
    test_note("at most %u passes a step", outer_iterations);
    taut_world_destroy(worlds[0]);
    taut_world_destroy(worlds[1]);
}

TAUT_PLAIN_TEST(bounds, refused) {
    const double points[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    taut_scene* scene = refused_scene(3, points);
    taut_membrane_def membrane = taut_default_membrane();
    taut_distance_def distance = taut_default_distance();
    taut_batch sheet, link, other;
    membrane.count = distance.count = 1;
    membrane.particles = (const uint32_t[]){0, 1, 2};
    distance.particles = (const uint32_t[]){0, 1};
    distance.compliance = 1;
    CHECK_OK(taut_scene_add_membranes(scene, &membrane, &sheet));
    CHECK_OK(taut_scene_add_distances(scene, &distance, &link));
    CHECK_OK(taut_scene_add_distances(scene, &distance, &other));
    INVALID(taut_scene_set_bounds(NULL, link, 0, 1, 1));
    INVALID(taut_scene_set_bounds(scene, (taut_batch){99}, 0, 1, 1));
    INVALID(taut_scene_set_bounds(scene, sheet, 0, 1, 1));
    INVALID(taut_scene_set_bounds(scene, link, 0.1, 1, 1));
    INVALID(taut_scene_set_bounds(scene, link, 0, -0.1, 1));
    INVALID(taut_scene_set_bounds(scene, link, 0, (double)NAN, 1));
    INVALID(taut_scene_set_bounds(scene, link, 0, 1, 0));
    INVALID(taut_scene_set_bounds(scene, link, 0, 1, (double)NAN));
    CHECK_OK(taut_scene_use_as_forces(scene, other));
    INVALID(taut_scene_set_bounds(scene, other, 0, 1, 1));
    CHECK_OK(taut_scene_set_bounds(scene, link, 0, 1, 1));
    INVALID(taut_scene_use_as_forces(scene, link));
    taut_world_def def = phys_world_def(TAUT_BACKEND_CPU, 1, 1);
    taut_world* world = NULL;
    CHECK_OK(taut_world_create(scene, &def, &world));
    taut_scene_destroy(scene);
    const double low = -1, high = 2, wrong = 3;
    bool broken = true;
    INVALID(taut_world_set_bounds(world, other, 0, 1, &low, &high, NULL));
    INVALID(taut_world_set_bounds(world, link, 0, 2, &low, &high, NULL));
    INVALID(taut_world_set_bounds(world, link, 0, 1, NULL, &high, NULL));
    INVALID(taut_world_set_bounds(world, link, 0, 1, &low, NULL, NULL));
    INVALID(taut_world_set_bounds(world, link, 0, 1, &wrong, &high, NULL));
    INVALID(taut_world_set_bounds(world, link, 0, 1, &low, &high, &low));
    INVALID(taut_world_read_broken(world, other, 0, 1, &broken));
    CHECK_OK(taut_world_set_bounds(world, link, 0, 1, &low, &high, &wrong));
    CHECK_OK(taut_world_read_broken(world, link, 0, 1, &broken));
    CHECK(!broken);
    taut_world_destroy(world);
}
