/* The direct method beside conjugate gradients. Against the float64 reference it is checked in test_oracle.c and
 * test_graph_step.c, with physics by the tests by_direct.*. */
#include "line_scenes.h"
#include "method_pairs.h"
#include "refused.h"
#include "small_scenes.h"

/* Redundant hard rows that do not contradict each other: more than the cloth's vertices carry, unstretched and at rest.
 */
static taut_scene* stiff_cloth(void) {
    oracle_scene s = {0};
    taut_scene* scene = NULL;
    scene_cloth(&s, 5, 5, (scene_material){0, 0}, (scene_material){1, 0.02});
    CHECK_OK(oracle_scene_build(&s, &scene));
    oracle_scene_free(&s);
    return scene;
}

static taut_scene* pinned(void) {
    return line_scene_pinned(20);
}

#define DIRECT_SCENE(name)                                                                                             \
    TAUT_PLAIN_TEST(direct, name) {                                                                                    \
        const taut_world_def def = pair_def(TAUT_BACKEND_CPU, TAUT_METHOD_DIRECT);                                     \
        if (test_direct()) {                                                                                           \
            pair_check_steps(#name, pair_##name, &def, TAUT_METHOD_SCHUR, 8);                                          \
            pair_check_steps(#name, pair_##name, &def, TAUT_METHOD_CONDENSED, 8);                                      \
        }                                                                                                              \
    }
DIRECT_SCENE(rope)
DIRECT_SCENE(cloth)
DIRECT_SCENE(block)
DIRECT_SCENE(mixed)
DIRECT_SCENE(mechanism)

/* ---- what is factored -------------------------------------------------------------------------------------------- */

static size_t factor_values(pair_scene* make) {
    const taut_world_def def = pair_def(TAUT_BACKEND_CPU, TAUT_METHOD_DIRECT);
    taut_world* world = phys_world(make(), &def);
    taut_choice choice;
    CHECK_OK(taut_world_choice(world, &choice));
    taut_world_destroy(world);
    return choice.factor_values;
}

/* The rows of cloth are eliminated before: what is left has no more than a full triangle of its nodes' motions. */
TAUT_PLAIN_TEST(direct, factors_of_cloth_are_of_its_nodes) {
    const size_t motions = (size_t)3 * 6 * 6;
    if (test_direct()) {
        CHECK(factor_values(pair_cloth) <= motions * (motions - 1) / 2);
    }
}

/* ---- redundant and contradictory rows ---------------------------------------------------------------------------- */

/* Where conjugate gradients stagnate (the reference's motion: test_oracle.c). */
TAUT_PLAIN_TEST(direct, redundant_rows) {
    const taut_world_def def = pair_def(TAUT_BACKEND_CPU, TAUT_METHOD_DIRECT);
    pair_scene* const scenes[2] = {stiff_cloth, pinned};
    for (int i = 0; i < 2 && test_direct(); i++) {
        taut_world* world = phys_world(scenes[i](), &def);
        for (int k = 0; k < 3; k++) {
            const taut_step_info info = pair_step(world);
            test_note("scene %d, step %d: %u solutions, residual %.2g", i, k, info.iterations, info.residual);
            CHECK_INT(info.outcome, TAUT_SOLVE_CONVERGED);
        }
        taut_world_destroy(world);
    }
    test_note(NULL);
}

TAUT_PLAIN_TEST(direct, contradiction) {
    if (test_direct()) {
        pair_check_contradiction(pair_def(TAUT_BACKEND_CPU, TAUT_METHOD_DIRECT));
    }
}

static size_t rows_by_factors(pair_scene* make, taut_world_def def) {
    taut_choice choice = {0};
    taut_world* world = phys_world(make(), &def);
    CHECK_OK(taut_world_choice(world, &choice));
    taut_world_destroy(world);
    return choice.direct_rows;
}

/* `auto` factors cloth; not ropes, which chains eliminate as well, bodies of tetrahedra, or where more is asked for. */
TAUT_PLAIN_TEST(direct, chosen_for_cloth) {
    const taut_world_def def = pair_def(TAUT_BACKEND_CPU, TAUT_METHOD_AUTO);
    taut_world_def other = def;
    if (!test_direct()) {
        CHECK_INT(rows_by_factors(pair_cloth, def), 0);
        return;
    }
    CHECK(rows_by_factors(pair_cloth, def) > 0);
    CHECK_INT(rows_by_factors(pair_rope, def), 0);
    CHECK_INT(rows_by_factors(pair_block, def), 0);
    other.solver.cycle = TAUT_CYCLE_V;
    CHECK_INT(rows_by_factors(pair_cloth, other), 0);
    other = def;
    other.solver.preconditioner = TAUT_PRECONDITIONER_JACOBI;
    CHECK_INT(rows_by_factors(pair_cloth, other), 0);
}

enum { SIDE = 9 }; /* particles along a side */

/* A flat square metre of hard threads and both hard diagonals of each cell, pinned at two corners. */
static taut_scene* hard_sheet(void) {
    static const uint32_t to[4][2] = {{1, 0}, {0, 1}, {1, 1}, {1, UINT32_MAX}};
    oracle_scene s = {0};
    taut_scene* scene = NULL;
    for (int n = 0; n < SIDE * SIDE; n++) {
        const int column = n % SIDE;
        oracle_scene_particle(&s, column / (SIDE - 1.0), 0, (n / SIDE) / (SIDE - 1.0), 0.01, n == 0 || n == SIDE - 1);
    }
    for (uint32_t n = 0; n < SIDE * SIDE; n++) {
        for (int i = 0; i < 4; i++) {
            const uint32_t row = n / SIDE + to[i][1], column = n % SIDE + to[i][0];
            if (row < SIDE && column < SIDE) {
                scene_distance(&s, n, row * SIDE + column, (scene_material){0, 0});
            }
        }
    }
    CHECK_OK(oracle_scene_build(&s, &scene));
    oracle_scene_free(&s);
    return scene;
}

/* Its rows contradict each other wherever they are not all met. Nothing holds them across the plane: the far edge
 * begins to fall freely. */
TAUT_PLAIN_TEST(direct, sheet_of_contradicting_rows_falls) {
    const double h = 0.01, t = 20 * h, fall = 9.81 * t * (t + h) / 2;
    const taut_method methods[] = {TAUT_METHOD_AUTO, TAUT_METHOD_CONDENSED, TAUT_METHOD_DIRECT};
    for (int i = 0; i < (test_direct() ? 3 : 2); i++) {
        taut_world_def def = pair_def(TAUT_BACKEND_CPU, methods[i]);
        def.solver.tolerance = 1e-4;
        taut_world* world = phys_world(hard_sheet(), &def);
        taut_step_info info;
        double x[3];
        CHECK(phys_run(world, 20, h));
        CHECK_OK(taut_world_info(world, &info));
        phys_position(world, SIDE * SIDE - SIDE / 2 - 1, x);
        test_note("method %d: fallen by %g m of %g", (int)methods[i], -x[1], fall);
        CHECK_INT(info.outcome, TAUT_SOLVE_CONVERGED);
        CHECK_NEAR(-x[1], fall, 0.01 * fall);
        taut_world_destroy(world);
    }
    test_note(NULL);
}

TAUT_PLAIN_TEST(direct, freed_nodes) {
    const taut_world_def def = pair_def(TAUT_BACKEND_CPU, TAUT_METHOD_DIRECT);
    if (test_direct()) {
        pair_check_freeing(&def);
    }
}

/* What conjugate gradients in float32 need many passes for, and lines with float64: two solutions or three. */
TAUT_PLAIN_TEST(direct, few_passes) {
    taut_world_def def = pair_def(TAUT_BACKEND_CPU, TAUT_METHOD_DIRECT);
    if (!test_direct()) {
        return;
    }
    def.solver.tolerance = 1e-6;
    taut_world* world = phys_world(line_scene_chain(100, 1e4, 0), &def);
    for (int k = 0; k < 10; k++) {
        const taut_step_info info = pair_step(world);
        test_note("%u solutions, residual %.2g", info.iterations, info.residual);
        CHECK_INT(info.outcome, TAUT_SOLVE_CONVERGED);
        CHECK(info.iterations <= 3);
        CHECK_INT(info.iterations, info.outer_iterations);
    }
    test_note(NULL);
    taut_world_destroy(world);
}

/* Panels of all widths: separators of a sheet have up to a hundred unknowns and more. */
TAUT_PLAIN_TEST(direct, wide_panels) {
    taut_world_def def = pair_def(TAUT_BACKEND_CPU, TAUT_METHOD_DIRECT);
    taut_scene* scene = NULL;
    oracle_scene s = {0};
    if (!test_direct()) {
        return;
    }
    scene_cloth(&s, 25, 22, (scene_material){1e-4, 0.01}, (scene_material){1, 0.02});
    CHECK_OK(oracle_scene_build(&s, &scene));
    oracle_scene_free(&s);
    taut_world* world = phys_world(scene, &def);
    for (int k = 0; k < 5; k++) {
        const taut_step_info info = pair_step(world);
        test_note("%u solutions, residual %.2g", info.iterations, info.residual);
        CHECK_INT(info.outcome, TAUT_SOLVE_CONVERGED);
        CHECK(info.iterations <= 2);
    }
    test_note(NULL);
    taut_world_destroy(world);
}

/* A tolerance that the rounding of the residual does not let it meet: it stops there, and keeps the best. How often
 * rounding makes it less once more is chance: few times in the mean. */
TAUT_PLAIN_TEST(direct, stops_at_rounding) {
    taut_world_def def = pair_def(TAUT_BACKEND_CPU, TAUT_METHOD_DIRECT);
    if (!test_direct()) {
        return;
    }
    uint32_t solutions = 0;
    def.solver.tolerance = 1e-12;
    taut_world* world = phys_world(line_scene_chain(100, 1e4, 0), &def);
    for (int k = 0; k < 10; k++) {
        const taut_step_info info = pair_step(world);
        test_note("%u solutions, residual %.2g", info.iterations, info.residual);
        CHECK_INT(info.outcome, TAUT_SOLVE_STAGNATED);
        solutions += info.iterations;
        CHECK(info.residual < 1e-7);
    }
    test_note(NULL);
    CHECK(solutions <= 60);
    taut_world_destroy(world);
}

TAUT_PLAIN_TEST(direct, definitions) {
    taut_world_def def = pair_def(TAUT_BACKEND_AUTO, TAUT_METHOD_DIRECT);
    taut_world* world = NULL;
    if (!test_direct()) {
        REFUSED(pair_create(&def, &world), TAUT_BACKEND_UNAVAILABLE);
        return;
    }
    pair_check_definitions(TAUT_BACKEND_CPU, TAUT_METHOD_DIRECT);
    REQUIRE_OK(pair_create(&def, &world));
    CHECK_TEXT(taut_world_backend(world), "cpu");
    taut_world_destroy(world);
    def.backend = TAUT_BACKEND_CUDA;
    UNMADE(pair_create(&def, &world));
}

TAUT_PLAIN_TEST(direct, choice) {
    if (test_direct()) {
        pair_check_choice(TAUT_BACKEND_CPU, TAUT_METHOD_DIRECT);
    }
}

TAUT_PLAIN_TEST(direct, without_constraints) {
    if (test_direct()) {
        pair_check_free_fall(pair_def(TAUT_BACKEND_CPU, TAUT_METHOD_DIRECT));
    }
}
