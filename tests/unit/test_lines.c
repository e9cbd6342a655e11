/* The multilevel preconditioner of the Schur complement: how few iterations it takes, and that the result is the same.
 */
#include "line_scenes.h"
#include "unguarded.h"

#include <math.h>
#include <stdlib.h>

#define STEP (1.0 / 60)

static taut_world* make_world(taut_backend_kind backend, taut_scene* scene, taut_preconditioner preconditioner,
                              taut_geometric_stiffness geometric, double tolerance) {
    taut_world_def def = unguarded_world();
    def.backend = backend;
    def.threads = 1;
    def.integrator.geometric_stiffness = geometric;
    def.solver.method = TAUT_METHOD_SCHUR;
    def.solver.preconditioner = preconditioner;
    def.solver.tolerance = tolerance;
    return phys_world(scene, &def);
}

/* Every one of four steps converges within so many iterations. */
static void check_geometric(taut_backend_kind backend, taut_scene* scene, taut_geometric_stiffness geometric,
                            double tolerance, uint32_t most) {
    taut_world* world = make_world(backend, scene, TAUT_PRECONDITIONER_MULTILEVEL, geometric, tolerance);
    for (int k = 0; world != NULL && k < 4; k++) {
        taut_step_info info;
        REQUIRE_OK(taut_world_step(world, STEP));
        REQUIRE_OK(taut_world_info(world, &info));
        test_note("step %d: %u iterations, residual %.1e", k, info.iterations, info.residual);
        CHECK_INT(info.outcome, TAUT_SOLVE_CONVERGED);
        CHECK(info.iterations <= most);
    }
    test_note(NULL);
    taut_world_destroy(world);
}

static void check(taut_backend_kind backend, taut_scene* scene, double tolerance, uint32_t most) {
    check_geometric(backend, scene, TAUT_GEOMETRIC_FULL, tolerance, most);
}

/* A direct solution in float32 takes a pass or two; the bounds leave one more. */
TAUT_TEST(lines, chain) {
    check(backend, line_scene_chain(1, 0, 0), 1e-4, 2);
    check(backend, line_scene_chain(2, 0, 0), 1e-4, 4);
    check(backend, line_scene_chain(300, 0, 0), 1e-4, 5);
    check(backend, line_scene_chain(300, 0, 0), 1e-6, 6);
    check_geometric(backend, line_scene_chain(300, 0, 0), TAUT_GEOMETRIC_NONE, 1e-6, 6);
}
TAUT_TEST(lines, compliant_chain) {
    check(backend, line_scene_chain(300, 0, 1e-6), 1e-6, 6);
}
/* Three forces that balance along the chain have a curvature of 1e-11 of the largest. */
TAUT_TEST(lines, heavy_load) {
    check(backend, line_scene_chain(100, 1e4, 0), 1e-4, 8);
    check(backend, line_scene_chain(300, 1e4, 0), 1e-6, 16);
}
TAUT_TEST(lines, bending) {
    check(backend, line_scene_bending(100, 1e-2), 1e-6, 5);
}
/* Hard springs against bending depend on the links as long as all are straight. */
TAUT_TEST(lines, hard_bending) {
    check(backend, line_scene_bending(100, 0), 1e-4, 40);
}
TAUT_TEST(lines, branch) {
    check(backend, line_scene_branch(60), 1e-4, 8);
}
TAUT_TEST(lines, loop) {
    check(backend, line_scene_loop(65), 1e-6, 8);
}
/* Its threads are lines; without geometric stiffness they hardly meet each other. */
TAUT_TEST(lines, net) {
    check_geometric(backend, line_scene_net(20), TAUT_GEOMETRIC_NONE, 1e-4, 20);
    check(backend, line_scene_net(10), 1e-4, 60);
}
TAUT_TEST(lines, net_and_rope) {
    check(backend, line_scene_tied(8, 40), 1e-4, 60);
}
TAUT_TEST(lines, rod) {
    check(backend, line_scene_rod(10), 1e-6, 5);
    check(backend, line_scene_rod(100), 1e-6, 8);
}

/* ---- the same solution ------------------------------------------------------------------------------------------ */

typedef taut_scene* build_fn(void);

static taut_scene* short_chain(void) {
    return line_scene_chain(20, 1, 0);
}
static taut_scene* short_branch(void) {
    return line_scene_branch(12);
}
static taut_scene* small_net(void) {
    return line_scene_net(6);
}
static taut_scene* short_rod(void) {
    return line_scene_rod(6);
}

static double* solve(taut_backend_kind backend, build_fn* build, taut_preconditioner preconditioner, taut_field field) {
    taut_world* world = make_world(backend, build(), preconditioner, TAUT_GEOMETRIC_FULL, 1e-9);
    for (int k = 0; k < 3; k++) {
        CHECK_OK(taut_world_step(world, STEP));
    }
    double* values = phys_field(world, field);
    taut_world_destroy(world);
    return values;
}

static void check_same(taut_backend_kind backend, build_fn* build, size_t count, taut_field field) {
    double* lines = solve(backend, build, TAUT_PRECONDITIONER_MULTILEVEL, field);
    double* blocks = solve(backend, build, TAUT_PRECONDITIONER_BLOCK, field);
    const double scale = phys_largest(blocks, count);
    for (size_t i = 0; i < count; i++) {
        CHECK_NEAR(lines[i], blocks[i], 1e-5 * scale);
    }
    free(lines);
    free(blocks);
}

TAUT_TEST(lines, same_motion_as_blocks) {
    check_same(backend, short_chain, 60, TAUT_FIELD_VELOCITIES);
    check_same(backend, short_branch, 78, TAUT_FIELD_VELOCITIES);
    check_same(backend, small_net, 108, TAUT_FIELD_VELOCITIES);
    check_same(backend, short_rod, 21, TAUT_FIELD_VELOCITIES);
}
TAUT_TEST(lines, same_forces_as_blocks) {
    check_same(backend, short_chain, 20, TAUT_FIELD_MULTIPLIERS);
    check_same(backend, small_net, 60, TAUT_FIELD_MULTIPLIERS);
}

/* ---- what changes between steps ---------------------------------------------------------------------------------- */

/* Points that are freed or fixed after creation couple groups that were none, or no more. */
TAUT_TEST(lines, freed_and_fixed) {
    taut_world* world =
        make_world(backend, line_scene_loop(40), TAUT_PRECONDITIONER_MULTILEVEL, TAUT_GEOMETRIC_FULL, 1e-6);
    const uint32_t held = 0, other = 17;
    taut_step_info info;
    CHECK_OK(taut_world_step(world, STEP));
    CHECK_OK(taut_world_set_fixed(world, 1, &held, false));
    CHECK_OK(taut_world_set_fixed(world, 1, &other, true));
    for (int k = 0; k < 3; k++) {
        CHECK_OK(taut_world_step(world, STEP));
        CHECK_OK(taut_world_info(world, &info));
        CHECK_INT(info.outcome, TAUT_SOLVE_CONVERGED);
        CHECK(info.iterations <= 20);
    }
    taut_world_destroy(world);
}

/* A row that depends on the others is left out of the elimination: no iteration is wasted on it. */
TAUT_TEST(lines, dependent_row) {
    taut_world* world =
        make_world(backend, line_scene_pinned(50), TAUT_PRECONDITIONER_MULTILEVEL, TAUT_GEOMETRIC_FULL, 1e-4);
    for (int k = 0; k < 6; k++) {
        taut_step_info info;
        REQUIRE_OK(taut_world_step(world, STEP));
        REQUIRE_OK(taut_world_info(world, &info));
        test_note("step %d: %u iterations, residual %.1e", k, info.iterations, info.residual);
        CHECK(info.iterations <= 10);
        CHECK(k == 0 || info.outcome == TAUT_SOLVE_CONVERGED);
    }
    test_note(NULL);
    taut_world_destroy(world);
}

TAUT_TEST(lines, is_what_ropes_get) {
    taut_world_def def = unguarded_world();
    def.backend = backend;
    def.solver.method = TAUT_METHOD_SCHUR;
    taut_world* world = phys_world(line_scene_chain(200, 1e3, 0), &def);
    for (int k = 0; k < 3; k++) {
        taut_step_info info;
        REQUIRE_OK(taut_world_step(world, STEP));
        REQUIRE_OK(taut_world_info(world, &info));
        CHECK(info.iterations <= 10);
    }
    taut_world_destroy(world);
}
