/* Gauss-Seidel beside conjugate gradients. Against the float64 reference it is checked in test_oracle.c and
 * test_graph_step.c. */
#include <math.h>
#include <stdlib.h>

#include "line_scenes.h"
#include "method_pairs.h"

/* Sweeps are many where the condition is high: so exact on small scenes alone, and less so where an emulator sweeps. */
static taut_world_def sweeping(taut_backend_kind backend) {
    taut_world_def def = pair_def(backend, TAUT_METHOD_GAUSS_SEIDEL);
    def.solver.tolerance = backend == TAUT_BACKEND_CUDA ? 1e-6 : 1e-9;
    return def;
}

#define SWEEP_SCENE(name)                                                                                              \
    TAUT_TEST(gauss_seidel, name) {                                                                                    \
        const taut_world_def def = sweeping(backend);                                                                  \
        pair_check_steps(#name, pair_##name, &def, TAUT_METHOD_SCHUR, backend == TAUT_BACKEND_CUDA ? 1 : 4);           \
    }
SWEEP_SCENE(rope)
SWEEP_SCENE(cloth)
SWEEP_SCENE(block)
SWEEP_SCENE(mechanism)

TAUT_TEST(gauss_seidel, contradiction) {
    taut_world_def def = pair_def(backend, TAUT_METHOD_GAUSS_SEIDEL);
    def.solver.max_iterations = 500;
    pair_check_contradiction(def);
}

TAUT_TEST(gauss_seidel, freed_nodes) {
    const taut_world_def def = pair_def(backend, TAUT_METHOD_GAUSS_SEIDEL);
    pair_check_freeing(&def);
}

/* ---- how fast ---------------------------------------------------------------------------------------------------- */

static uint32_t iterations_of_chain(taut_backend_kind backend, size_t links) {
    taut_world_def def = pair_def(backend, TAUT_METHOD_GAUSS_SEIDEL);
    def.integrator.geometric_stiffness = TAUT_GEOMETRIC_NONE;
    def.solver.tolerance = 1e-5;
    taut_world* world = phys_world(line_scene_chain(links, 0, 0), &def);
    const taut_step_info info = pair_step(world);
    CHECK_INT(info.outcome, TAUT_SOLVE_CONVERGED);
    taut_world_destroy(world);
    return info.iterations;
}

/* Red and black links of a chain: after a sweep there and back no error is left at the red ones, so that conjugate
 * gradients go on as with the black ones alone, n / 2 unknowns with as many eigenvalues. So many iterations are enough
 * without rounding; one more begins the look in float64. Sweeps alone leave cos^2(pi / (2 n + 1)) of an error and take
 * ln(1e5) / (pi / (2 n + 1))^2, which is 4,928 for 32 links. */
TAUT_TEST(gauss_seidel, iterations_grow_with_the_length) {
    const uint32_t few = iterations_of_chain(backend, 16), many = iterations_of_chain(backend, 32);
    test_note("%u and %u iterations", few, many);
    CHECK(few <= 16 / 2 + 1 && many <= 32 / 2 + 1);
    test_note(NULL);
}

static uint32_t iterations_of_second_step(taut_backend_kind backend, bool warm) {
    const double from[3] = {0, 0, 0}, to[3] = {0, -1, 0};
    taut_world_def def = pair_def(backend, TAUT_METHOD_GAUSS_SEIDEL);
    taut_batch links;
    def.gravity[0] = 0;
    def.solver.tolerance = 1e-5;
    def.solver.warm_start = warm;
    taut_world* world = phys_world(phys_chain(10, from, to, NULL, 0, &links), &def);
    pair_step(world);
    const taut_step_info info = pair_step(world);
    CHECK_INT(info.outcome, TAUT_SOLVE_CONVERGED);
    taut_world_destroy(world);
    return info.iterations;
}

/* A chain that hangs still: the same forces again. */
TAUT_TEST(gauss_seidel, starts_warm) {
    const uint32_t warm = iterations_of_second_step(backend, true), cold = iterations_of_second_step(backend, false);
    test_note("%u iterations, %u from nothing", warm, cold);
    CHECK(4 * warm < cold);
    test_note(NULL);
}

/* A tetrahedron alone is one block, its six rows and their roots: done with the first iteration. */
TAUT_TEST(gauss_seidel, one_constraint_at_once) {
    const double size[3] = {0.1, 0.1, 0.1}, shift[3] = {0.02, 0.01, 0.03};
    const uint32_t held = 0;
    phys_mesh mesh = phys_block((size_t[3]){1, 1, 1}, size);
    phys_mesh one = mesh;
    taut_world_def def = pair_def(backend, TAUT_METHOD_GAUSS_SEIDEL);
    def.solver.tolerance = 1e-4;
    one.cell_count = 1;
    taut_scene* scene = phys_scene(mesh.point_count, mesh.points, NULL);
    phys_add_strain(scene, &one, 1e-5, 0.3, 0.01);
    phys_fix(scene, 1, &held);
    taut_world* world = phys_world(scene, &def);
    CHECK_OK(taut_world_write(world, TAUT_FIELD_POSITIONS, mesh.cells[1], 1, shift));
    const taut_step_info info = pair_step(world);
    CHECK_INT(info.outcome, TAUT_SOLVE_CONVERGED);
    CHECK_INT(info.iterations, 1);
    taut_world_destroy(world);
    phys_mesh_free(&mesh);
}

TAUT_TEST(gauss_seidel, keeps_to_its_limit) {
    taut_world_def def = pair_def(backend, TAUT_METHOD_GAUSS_SEIDEL);
    def.integrator.guard = false;
    def.solver.max_iterations = 13;
    taut_world* world = phys_world(line_scene_chain(40, 0, 0), &def);
    const taut_step_info info = pair_step(world);
    CHECK_INT(info.outcome, TAUT_SOLVE_ITERATION_LIMIT);
    CHECK_INT(info.iterations, 13);
    CHECK(info.residual > 1e-9);
    taut_world_destroy(world);
}

/* A chain with two short branches from one vertex: two colours that a device takes with a kernel each, two that it does
 * not. Both backends go through the same sweeps, so that they agree without being anywhere near the solution. Far from
 * it, rounding grows with every iteration: after 21 of them this scene is 7e-5 from itself on a processor that fuses
 * products into sums, as devices do, after 9 it is 7e-7. */
TAUT_CUDA_TEST(gauss_seidel, wide_and_narrow_colours) {
    enum { LINKS = 1300, BRANCHES = 2, POINTS = LINKS + 1 + BRANCHES };
    double* x = calloc(3 * POINTS, sizeof *x);
    uint32_t* ends = calloc(2 * (LINKS + BRANCHES), sizeof *ends);
    for (uint32_t i = 0; i < POINTS; i++) {
        const bool branch = i > LINKS;
        x[3 * i] = 0.01 * (branch ? 600 : i);
        x[3 * i + 2] = branch ? 0.01 * (i - LINKS) : 0;
    }
    for (uint32_t i = 0; i < LINKS + BRANCHES; i++) {
        ends[2 * i] = i < LINKS ? i : 600;
        ends[2 * i + 1] = i + 1;
    }
    const phys_tuples edges = {LINKS + BRANCHES, ends};
    const uint32_t top = 0;
    taut_scene* scene = phys_scene(POINTS, x, NULL);
    taut_world_def cuda = pair_def(backend, TAUT_METHOD_GAUSS_SEIDEL),
                   cpu = pair_def(TAUT_BACKEND_CPU, TAUT_METHOD_GAUSS_SEIDEL);
    taut_choice choice;
    pair p;
    phys_add_links(scene, &edges, 0, 0);
    phys_fix(scene, 1, &top);
    cuda.solver.max_iterations = cpu.solver.max_iterations = 9;
    if (pair_open(&p, scene, &cuda, &cpu)) {
        CHECK_OK(taut_world_choice(p.tested, &choice));
        CHECK_INT(choice.colours, 4);
        for (int k = 0; k < 2; k++) {
            CHECK_INT(pair_step(p.tested).iterations, 9);
            CHECK_INT(pair_step(p.other).iterations, 9);
            pair_compare_motion(&p, 1e-5);
            pair_compare_forces(&p, 1e-5);
        }
    }
    pair_close(&p);
    free(x), free(ends);
}

TAUT_TEST(gauss_seidel, definitions) {
    pair_check_definitions(backend, TAUT_METHOD_GAUSS_SEIDEL);
}

TAUT_TEST(gauss_seidel, choice) {
    pair_check_choice(backend, TAUT_METHOD_GAUSS_SEIDEL);
}

TAUT_TEST(gauss_seidel, without_constraints) {
    pair_check_free_fall(pair_def(backend, TAUT_METHOD_GAUSS_SEIDEL));
}
