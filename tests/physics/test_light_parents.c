/* A mass on a mapped point between two light particles on springs: with the total mass M = m + 2 l, the stiffness
 * k = 2/C and alpha = beta, one step is
 *
 *   dv = -h (g + k/M (y + alpha h v)) / (1 + alpha^2 h^2 k/M),   y' = y + h (v + alpha dv),   v' = v + dv
 *
 * Whatever the ratio of masses, a method is right or says that it did not converge. */
#include "phys_frames.h"
#include "unguarded.h"

#include <math.h>

#define STEP       (1.0 / 60)
#define STEPS      10
#define COMPLIANCE 1e-2
#define CARRIED    1.0
#define RATIOS     5

static const double light[RATIOS] = {1, 1e-3, 1e-5, 1e-7, 1e-9};

static taut_scene* make_carrier(double mass, double compliance) {
    const double points[12] = {-1, 0, 0, 1, 0, 0, -1, 1, 0, 1, 1, 0};
    taut_scene* scene = phys_scene(4, points, (const double[]){mass, mass, 1, 1});
    phys_fix(scene, 2, (const uint32_t[]){2, 3});
    phys_add_links(scene, &(phys_tuples){2, (uint32_t[]){0, 2, 1, 3}}, compliance, 0);
    taut_combinations_def def = taut_default_combinations();
    def.count = 1;
    def.offsets = (const size_t[]){0, 2};
    def.parents = (const uint32_t[]){0, 1};
    def.weights = (const double[]){0.5, 0.5};
    def.masses = (const double[]){CARRIED};
    CHECK_OK(taut_scene_add_combinations(scene, &def, NULL));
    return scene;
}

static double exact_height(double mass, double compliance, double alpha) {
    const double w2 = compliance > 0 ? 2 / compliance / (CARRIED + 2 * mass) : 0;
    double y = 0, v = 0;
    for (int i = 0; i < STEPS && compliance > 0; i++) {
        const double dv = -STEP * (PHYS_GRAVITY + w2 * (y + alpha * STEP * v)) / (1 + alpha * alpha * STEP * STEP * w2);
        y += STEP * (v + alpha * dv);
        v += dv;
    }
    return y;
}

static void check_carrier(taut_backend_kind backend, taut_method method, double mass, double compliance, double alpha) {
    taut_world_def def = unguarded_world();
    def.backend = backend;
    def.solver.method = method;
    def.solver.tolerance = 1e-6;
    def.solver.max_iterations = 300;
    def.integrator.alpha = def.integrator.beta = alpha;
    def.integrator.hard_row_damping = alpha < 1;
    taut_world* world = phys_world(make_carrier(mass, compliance), &def);
    bool converged = true;
    double x[3];
    for (int i = 0; i < STEPS; i++) {
        taut_step_info info;
        CHECK_OK(taut_world_step(world, STEP));
        CHECK_OK(taut_world_info(world, &info));
        converged = converged && info.outcome == TAUT_SOLVE_CONVERGED;
    }
    CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, 0, 1, x));
    taut_world_destroy(world);
    const double exact = exact_height(mass, compliance, alpha);
    test_note("method %d, mass %g, compliance %g, alpha %g: %s, y %.6f m, exact %.6f", (int)method, mass, compliance,
              alpha, converged ? "converged" : "not converged", x[1], exact);
    CHECK(!converged || fabs(x[1] - exact) < 1e-5);
    CHECK(converged || (method != TAUT_METHOD_AUTO && method != TAUT_METHOD_SCHUR));
}

TAUT_TEST(light_parents, are_right_or_not_converged) {
    static const taut_method methods[] = {TAUT_METHOD_AUTO, TAUT_METHOD_SCHUR, TAUT_METHOD_CONDENSED,
                                          TAUT_METHOD_GAUSS_SEIDEL, TAUT_METHOD_PROJECTED_GRADIENT};
    for (int m = 0; m < 5; m++) {
        for (int r = 0; r < RATIOS; r++) {
            check_carrier(backend, methods[m], light[r], COMPLIANCE, 1);
            check_carrier(backend, methods[m], light[r], COMPLIANCE, 0.5);
            check_carrier(backend, methods[m], light[r], 0, 1);
        }
    }
}

/* ---- as users have it -------------------------------------------------------------------------------------------- */

/* The height after ten steps. */
static double height(taut_scene* scene, const taut_world_def* def, double h) {
    taut_world* world = phys_world(scene, def);
    double x[3];
    for (int i = 0; i < STEPS; i++) {
        taut_step_info info;
        CHECK_OK(taut_world_step(world, h));
        CHECK_OK(taut_world_info(world, &info));
        CHECK_INT(info.outcome, TAUT_SOLVE_CONVERGED);
    }
    phys_position(world, 0, x);
    taut_world_destroy(world);
    return x[1];
}

/* With the guard, which knows that the springs are resolved, as they move what their ends carry; and with the usual
 * tolerance. */
TAUT_TEST(light_parents, are_right_by_default) {
    static const double steps[] = {1.0 / 24, 1.0 / 60, 1.0 / 240};
    for (int i = 0; i < 3; i++) {
        for (double mass = 1e-3; mass > 5e-13; mass /= 10) {
            taut_world_def def = taut_default_world(), exact = unguarded_world();
            def.integrator.alpha = def.integrator.beta = exact.integrator.alpha = exact.integrator.beta = 0.5;
            def.integrator.hard_row_damping = exact.integrator.hard_row_damping = 1;
            def.backend = exact.backend = backend;
            exact.solver.method = TAUT_METHOD_CONDENSED;
            exact.solver.tolerance = 1e-9;
            const double y = height(make_carrier(mass, COMPLIANCE), &def, steps[i]);
            const double reference = height(make_carrier(mass, COMPLIANCE), &exact, steps[i]);
            test_note("mass %g, step %g s: y %.6f m, exact %.6f m", mass, steps[i], y, reference);
            CHECK_NEAR(y, reference, 2e-3 * fabs(reference));
            def.solver.method = TAUT_METHOD_SCHUR;
            def.solver.tolerance = 1e-6;
            if (mass > 5e-9) {
                CHECK_NEAR(height(make_carrier(mass, COMPLIANCE), &def, steps[i]), reference, 2e-3 * fabs(reference));
            }
        }
    }
}

/* ---- bodies --------------------------------------------------------------------------------------------------------
 */

/* A body of next to no mass that carries three masses, by a hard link from a point that has none. */
static taut_scene* make_hung_body(double mass) {
    taut_scene* scene = phys_scene(1, (const double[]){0, 1, 0}, NULL);
    phys_fix(scene, 1, (const uint32_t[]){0});
    const phys_body body = {.mass = mass, .inertia = {0.01 * mass, 0.01 * mass, 0.01 * mass}, .q = {1, 0, 0, 0}};
    const taut_body handle = phys_add_body(scene, &body);
    taut_body_points_def def = taut_default_body_points();
    taut_range points;
    def.count = 4;
    def.body = handle;
    def.local = (const double[]){0.1, 0.1, 0, 0.3, 0, 0.1, -0.2, -0.1, 0, 0, 0.2, -0.2};
    def.masses = (const double[]){0, 1, 0.5, 0.5};
    CHECK_OK(taut_scene_add_body_points(scene, &def, &points));
    phys_add_links(scene, &(phys_tuples){1, (uint32_t[]){0, points.first}}, 0, 0);
    return scene;
}

static bool hang(taut_backend_kind backend, double mass, int rate, double x[3]) {
    taut_world_def def = taut_default_world();
    bool converged = true;
    def.backend = backend;
    taut_world* world = phys_world(make_hung_body(mass), &def);
    for (int i = 0; i < rate / 4; i++) {
        taut_step_info info;
        CHECK_OK(taut_world_step(world, 1.0 / rate));
        CHECK_OK(taut_world_info(world, &info));
        converged = converged && info.outcome == TAUT_SOLVE_CONVERGED;
    }
    phys_position(world, 1, x);
    taut_world_destroy(world);
    return converged;
}

/* The less mass the body has, the less it matters: it hangs where one of 0.01 g does. */
TAUT_TEST(light_parents, bodies_hang) {
    const int rates[] = {24, 60, 240};
    for (int r = 0; r < 3; r++) {
        double heavy[3], x[3];
        CHECK(hang(backend, 1e-5, rates[r], heavy));
        for (double mass = 1e-6; mass > 5e-11; mass /= 10) {
            const bool converged = hang(backend, mass, rates[r], x);
            test_note("%d Hz, mass %g: y %.5f m, with 0.01 g %.5f m", rates[r], mass, x[1], heavy[1]);
            CHECK(converged);
            CHECK(phys_farthest(x, heavy, 3) < 2e-3);
        }
    }
}
