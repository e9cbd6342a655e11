/* Steps with a budget of time, and qualities. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "phys_scenes.h"

enum { CELLS = 12, CORNER = (CELLS + 1) * (CELLS + 1), STEPS = 30 };

static const double dt = 1.0 / 60;

/* A level sheet that is let go, but for two corners. */
static taut_world* hanging(taut_backend_kind backend) {
    phys_mesh mesh = phys_grid(CELLS, CELLS, 1, 1, PHYS_ALTERNATING);
    const phys_tuples edges = phys_edges(&mesh), hinges = phys_hinges(&mesh);
    double* masses = phys_lumped_masses(&mesh, 0.2);
    double* bends = phys_array(hinges.count, sizeof *bends);
    for (size_t i = 0; i < hinges.count; i++) {
        bends[i] = 1e3;
    }
    for (size_t i = 0; i < mesh.point_count; i++) { /* level */
        mesh.points[3 * i + 2] = mesh.points[3 * i + 1];
        mesh.points[3 * i + 1] = 1;
    }
    taut_scene* scene = phys_scene(mesh.point_count, mesh.points, masses);
    phys_add_links(scene, &edges, 1e-5, 0);
    phys_add_hinges(scene, &hinges, bends, 0);
    phys_fix(scene, 2, (const uint32_t[]){0, CELLS});
    taut_world_def def = taut_default_world();
    def.backend = backend;
    def.threads = 1;
    def.integrator.substeps = 4;
    def.solver.tolerance = 1e-6;
    def.solver.method = TAUT_METHOD_CONDENSED;
    free(masses);
    free(bends);
    free(edges.items);
    free(hinges.items);
    phys_mesh_free(&mesh);
    return phys_world(scene, &def);
}

static taut_step_info info_of(taut_world* world) {
    taut_step_info info = {0};
    CHECK_OK(taut_world_info(world, &info));
    return info;
}

/* A budget that is never used up changes no bit. */
TAUT_PLAIN_TEST(budget, more_than_enough_is_a_step) {
    taut_world *a = hanging(TAUT_BACKEND_CPU), *b = hanging(TAUT_BACKEND_CPU);
    for (int i = 0; i < STEPS; i++) {
        CHECK_OK(taut_world_step(a, dt));
        CHECK_OK(taut_world_step_for(b, dt, 1e6));
        CHECK_INT(info_of(b).substeps, 4);
        CHECK_INT(info_of(b).hurried, 0);
        CHECK_INT(info_of(b).outcome, TAUT_SOLVE_CONVERGED);
    }
    double *x = phys_field(a, TAUT_FIELD_POSITIONS), *y = phys_field(b, TAUT_FIELD_POSITIONS);
    CHECK(memcmp(x, y, 3 * CORNER * sizeof *x) == 0);
    free(x);
    free(y);
    taut_world_destroy(a);
    taut_world_destroy(b);
}

static double energy(const taut_step_info* info) {
    return info->kinetic + info->potential + info->elastic;
}

/* Where there is no time each step is one substep that ends as soon as it may, says so, and gains no energy. */
TAUT_PLAIN_TEST(budget, without_time_steps_are_few_rough_and_safe) {
    taut_world *world = hanging(TAUT_BACKEND_CPU), *whole = hanging(TAUT_BACKEND_CPU);
    double before = 0;
    uint32_t iterations = 0, whole_iterations = 0;
    for (int i = 0; i < STEPS; i++) {
        CHECK_OK(taut_world_step_for(world, dt, 1e-9));
        const taut_step_info info = info_of(world);
        test_note("step %d: %u substeps, %u hurried, residual %g", i, info.substeps, info.hurried, info.residual);
        CHECK(info.substeps <= (i == 0 ? 2 : 1)); /* the first one finds out */
        CHECK(info.residual <= 0.01 || info.outcome == TAUT_SOLVE_DAMPED);
        CHECK((info.residual > 1e-6) == (info.outcome != TAUT_SOLVE_CONVERGED));
        CHECK((info.hurried > 0) == (info.outcome == TAUT_SOLVE_ITERATION_LIMIT));
        CHECK(i == 0 || energy(&info) <= before + 1e-3 * info.kinetic);
        CHECK_NEAR(info.time, (i + 1) * dt, 1e-12);
        before = energy(&info);
        iterations += info.iterations;
        CHECK_OK(taut_world_step(whole, dt));
        whole_iterations += info_of(whole).iterations;
    }
    test_note("%u iterations; %u in steps without a budget", iterations, whole_iterations);
    CHECK(iterations < whole_iterations / 3);
    test_note(NULL);
    taut_world_destroy(whole);
    taut_world_destroy(world);
}

/* Between the two, whatever the clock says: tolerances give way before substeps do. */
TAUT_PLAIN_TEST(budget, what_is_left_is_told) {
    taut_world* world = hanging(TAUT_BACKEND_CPU);
    for (int i = 0; i < STEPS; i++) {
        CHECK_OK(taut_world_step_for(world, dt, 1e-4 * (1 + i)));
        const taut_step_info info = info_of(world);
        CHECK(info.substeps >= 1 && info.substeps <= 4);
        CHECK((info.residual > 1e-6) == (info.outcome != TAUT_SOLVE_CONVERGED));
        CHECK_NEAR(info.time, (i + 1) * dt, 1e-12);
    }
    CHECK_OK(taut_world_step(world, dt)); /* and nothing of it stays */
    CHECK_INT(info_of(world).substeps, 4);
    CHECK_INT(info_of(world).hurried, 0);
    CHECK_INT(info_of(world).outcome, TAUT_SOLVE_CONVERGED);
    taut_world_destroy(world);
}

/* What is stopped fails, and steps go on from there. */
TAUT_PLAIN_TEST(budget, steps_stop) {
    taut_world* world = hanging(TAUT_BACKEND_CPU);
    CHECK_OK(taut_world_step(world, dt));
    taut_world_stop(NULL);
    taut_world_stop(world);
    CHECK_STATUS(taut_world_step(world, dt), TAUT_STOPPED);
    CHECK_STATUS(taut_world_sync(world), TAUT_STOPPED);
    CHECK_NEAR(info_of(world).time, dt, 1e-12);
    CHECK_OK(taut_world_step(world, dt));
    CHECK_NEAR(info_of(world).time, 2 * dt, 1e-12);
    CHECK_INT(info_of(world).outcome, TAUT_SOLVE_CONVERGED);
    taut_world_destroy(world);
}

TAUT_TEST(budget, refusals) {
    taut_world* world = hanging(backend);
    CHECK_STATUS(taut_world_step_for(NULL, dt, 1), TAUT_INVALID_ARGUMENT);
    CHECK_STATUS(taut_world_step_for(world, dt, 0), TAUT_INVALID_ARGUMENT);
    CHECK_STATUS(taut_world_step_for(world, dt, NAN), TAUT_INVALID_ARGUMENT);
    CHECK_STATUS(taut_world_step_for(world, -1, 1),
                 backend == TAUT_BACKEND_CPU ? TAUT_INVALID_ARGUMENT : TAUT_INVALID_DEFINITION);
    CHECK_STATUS(taut_world_step_for(world, dt, 1), backend == TAUT_BACKEND_CPU ? TAUT_OK : TAUT_INVALID_DEFINITION);
    CHECK_OK(taut_world_step(world, dt));
    CHECK_INT(info_of(world).substeps, 4);
    taut_world_destroy(world);
}

TAUT_PLAIN_TEST(budget, qualities) {
    taut_world_def def = taut_default_world();
    def.integrator.substeps = 5;
    def.solver.tolerance = 1e-4;
    CHECK_OK(taut_quality_preset(TAUT_QUALITY_PREVIEW, &def.integrator, &def.solver));
    CHECK_INT(def.integrator.substeps, 3);
    CHECK_NEAR(def.solver.tolerance, 1e-2, 0);
    CHECK_OK(taut_quality_preset(TAUT_QUALITY_FINAL, &def.integrator, &def.solver));
    CHECK_INT(def.integrator.substeps, 6);
    CHECK_NEAR(def.solver.tolerance, 1e-5, 0);
    def.solver.tolerance = 0.1;
    CHECK_OK(taut_quality_preset(TAUT_QUALITY_PREVIEW, &def.integrator, &def.solver));
    CHECK_NEAR(def.solver.tolerance, 0.1, 0);
    CHECK_STATUS(taut_quality_preset(TAUT_QUALITY_COUNT, &def.integrator, &def.solver), TAUT_INVALID_ARGUMENT);
    CHECK_STATUS(taut_quality_preset(TAUT_QUALITY_FINAL, NULL, &def.solver), TAUT_INVALID_ARGUMENT);
    CHECK_TEXT(taut_quality_name(TAUT_QUALITY_FINAL), "final");
    CHECK_TEXT(taut_quality_name(TAUT_QUALITY_COUNT), "unknown");
}
