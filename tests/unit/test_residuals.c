/* What a solve has left at the nodes: against the operators of the linearisation, and where it must be. */
#include "harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 30 };

/* A chain from a fixed point along x, with a heavy last link, and a point that nothing holds. */
static taut_world* make_chain(taut_backend_kind backend, taut_method method, double compliance, uint32_t iterations,
                              bool keeps) {
    taut_scene_def scene_def = taut_default_scene();
    taut_particles_def particles = taut_default_particles();
    taut_distance_def links = taut_default_distance();
    taut_world_def def = taut_default_world();
    taut_scene* scene = NULL;
    taut_world* world = NULL;
    double x[3 * POINTS] = {0}, masses[POINTS];
    uint32_t ends[2 * (POINTS - 2)];
    bool fixed[POINTS] = {true};
    for (uint32_t i = 0; i < POINTS; i++) {
        x[3 * i] = 0.1 * i;
        masses[i] = i == POINTS - 2 ? 2 : 0.1;
    }
    for (uint32_t i = 0; i < POINTS - 2; i++) { /* the last point is alone */
        ends[2 * i] = i;
        ends[2 * i + 1] = i + 1;
    }
    particles.count = POINTS;
    particles.positions = x;
    particles.masses = masses;
    particles.fixed = fixed;
    links.count = POINTS - 2;
    links.particles = ends;
    links.compliance = compliance;
    def.backend = backend;
    def.residuals = keeps;
    def.solver.method = method;
    def.solver.preconditioner = method == TAUT_METHOD_SCHUR ? TAUT_PRECONDITIONER_JACOBI : TAUT_PRECONDITIONER_AUTO;
    def.solver.max_iterations = iterations;
    def.solver.tolerance = 1e-6;
    def.integrator.guard = false;
    def.integrator.further = 0;
    CHECK_OK(taut_scene_create(&scene_def, &scene));
    CHECK_OK(taut_scene_add_particles(scene, &particles, NULL));
    CHECK_OK(taut_scene_add_distances(scene, &links, NULL));
    CHECK_OK(taut_world_create(scene, &def, &world));
    taut_scene_destroy(scene);
    return world;
}

static double largest(taut_world* world, size_t first, size_t count) {
    double out[3 * POINTS], most = 0;
    CHECK_OK(taut_world_read_residuals(world, first, count, out));
    for (size_t i = 0; i < 3 * count; i++) {
        most = fmax(most, fabs(out[i]));
    }
    return most;
}

static void check_method(taut_backend_kind backend, taut_method method, double compliance) {
    taut_world* few = make_chain(backend, method, compliance, 2, true);
    taut_world* many = make_chain(backend, method, compliance, 2000, true);
    for (int i = 0; i < 4; i++) {
        CHECK_OK(taut_world_step(few, 1.0 / 60));
        CHECK_OK(taut_world_step(many, 1.0 / 60));
    }
    CHECK(largest(few, 0, POINTS) > 1e-3);            /* of steps of 0.16 m/s */
    CHECK(largest(many, 0, POINTS) < 3e-5);           /* the tolerance, over the lightest mass */
    CHECK_NEAR(largest(few, 0, 1), 0, 0);             /* what is fixed, */
    CHECK_NEAR(largest(few, POINTS - 1, 1), 0, 1e-9); /* and what nothing holds, has none */
    taut_world_destroy(few);
    taut_world_destroy(many);
}

TAUT_TEST(residuals, of_conjugate_gradients) {
    check_method(backend, TAUT_METHOD_SCHUR, 1e-6);
}

TAUT_TEST(residuals, of_the_condensed_system) {
    check_method(backend, TAUT_METHOD_CONDENSED, 1e-6);
}

TAUT_TEST(residuals, of_gauss_seidel) {
    check_method(backend, TAUT_METHOD_GAUSS_SEIDEL, 1e-6);
}

/* A^-1 J^T D^-1 (b - S gam) by b, S and its diagonal D as the linearisation has them at the same state. The step before
 * bends the chain, so that its links pull. */
TAUT_TEST(residuals, are_those_of_the_operators) {
    taut_world* world = make_chain(backend, TAUT_METHOD_SCHUR, 1e-6, 3, true);
    taut_world* same = make_chain(backend, TAUT_METHOD_SCHUR, 1e-6, 3, false);
    const double h = 1.0 / 60;
    const size_t rows = taut_world_row_count(same);
    double b[POINTS], gam[POINTS], s[POINTS], unit[POINTS], column[POINTS], pull[3 * POINTS], expected[3 * POINTS],
        got[3 * POINTS];
    for (int i = 0; i < 2; i++) {
        CHECK_OK(taut_world_step(world, h));
    }
    CHECK_OK(taut_world_step(same, h));
    CHECK_OK(taut_world_read(world, TAUT_FIELD_MULTIPLIERS, 0, rows, gam));
    CHECK_OK(taut_world_read_residuals(world, 0, POINTS, got));
    CHECK_OK(taut_world_linearise(same, h));
    CHECK_OK(taut_world_right_hand_side(same, b));
    for (size_t i = 0; i < rows; i++) {
        gam[i] *= h;
    }
    CHECK_OK(taut_world_apply(same, TAUT_OPERATOR_S, gam, s));
    for (size_t i = 0; i < rows; i++) {
        memset(unit, 0, sizeof unit);
        unit[i] = 1;
        CHECK_OK(taut_world_apply(same, TAUT_OPERATOR_S, unit, column));
        gam[i] = (b[i] - s[i]) / column[i];
    }
    CHECK_OK(taut_world_apply(same, TAUT_OPERATOR_JT, gam, pull));
    CHECK_OK(taut_world_apply(same, TAUT_OPERATOR_A_INVERSE, pull, expected));
    for (size_t i = 0; i < 3 * POINTS; i++) {
        CHECK_NEAR(got[i], expected[i], 1e-5);
    }
    CHECK(largest(world, 0, POINTS) > 1e-3);
    taut_world_destroy(world);
    taut_world_destroy(same);
}

/* Reading them changes nothing, and a world that does not keep them says so. */
TAUT_TEST(residuals, change_nothing) {
    taut_world* keeps = make_chain(backend, TAUT_METHOD_AUTO, 1e-7, 20, true);
    taut_world* plain = make_chain(backend, TAUT_METHOD_AUTO, 1e-7, 20, false);
    double a[3 * POINTS], b[3 * POINTS];
    for (int i = 0; i < 5; i++) {
        CHECK_OK(taut_world_step(keeps, 1.0 / 60));
        CHECK_OK(taut_world_step(plain, 1.0 / 60));
    }
    CHECK_OK(taut_world_read(keeps, TAUT_FIELD_POSITIONS, 0, POINTS, a));
    CHECK_OK(taut_world_read(plain, TAUT_FIELD_POSITIONS, 0, POINTS, b));
    CHECK_INT(memcmp(a, b, sizeof a), 0);
    CHECK_STATUS(taut_world_read_residuals(plain, 0, POINTS, a), TAUT_INVALID_ARGUMENT);
    CHECK_STATUS(taut_world_read_residuals(keeps, 1, POINTS, a), TAUT_INVALID_ARGUMENT);
    taut_world_destroy(keeps);
    taut_world_destroy(plain);
}
