/* The same bits for any number of threads and from run to run; no memory taken while stepping. */
#include <stdlib.h>

#include "../harness.h"
#include "counting.h"
#include "scenes.h"

static const double dt = 1.0 / 60;

/* FNV-1a over the bytes of a field. */
static uint64_t hash_field(taut_world* world, taut_field field, size_t rows, size_t columns, uint64_t hash) {
    double* values = calloc(rows * columns + 1, sizeof *values);
    CHECK_OK(taut_world_read(world, field, 0, rows, values));
    const unsigned char* bytes = (const unsigned char*)values;
    for (size_t i = 0; i < rows * columns * sizeof *values; i++) {
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    }
    free(values);
    return hash;
}

static uint64_t hash_world(taut_world* world) {
    const size_t particles = taut_world_particle_count(world), rows = taut_world_row_count(world);
    uint64_t hash = 0xcbf29ce484222325u;
    hash = hash_field(world, TAUT_FIELD_POSITIONS, particles, 3, hash);
    hash = hash_field(world, TAUT_FIELD_VELOCITIES, particles, 3, hash);
    return hash_field(world, TAUT_FIELD_MULTIPLIERS, rows, 1, hash);
}

/* More distances than the loops of one thread take on (2048); and some of every other kind, unless there is no
 * preconditioner to balance their units. Soft enough for the few iterations below to stay on course. */
static void build(oracle_scene* scene, bool every_kind) {
    const scene_material soft = {1e-2, 0.05};
    const scene_grid grid = scene_sheet(scene, 24, 24, 0.1, 0.01);
    scene_sheet_edges(scene, grid, soft);
    scene_sheet_diagonals(scene, grid, soft);
    scene_sheet_pin_corners(scene, grid);
    if (every_kind) {
        const uint32_t block = scene_block(scene, 3, 0.1, 0.01);
        scene_mixed(scene, 1e-2, 0.05);
        scene_sheet_bends(scene, grid, (scene_material){10, 0.05});
        scene_block_strains(scene, block, 3, soft);
        scene->particles[block].fixed = true;
    }
}

static uint64_t run(taut_backend_kind backend, taut_preconditioner preconditioner, uint32_t threads, int steps) {
    oracle_scene scene = {0};
    taut_world* world = NULL;
    taut_world_def def = taut_default_world();
    uint64_t hash = 0;
    def.backend = backend;
    def.threads = threads;
    def.solver.preconditioner = preconditioner;
    /* Enough to mix everything and to stay on course; convergence does not matter here. */
    def.solver.max_iterations = preconditioner == TAUT_PRECONDITIONER_NONE ? 60 : 8;
    def.solver.chebyshev_degree = 3;
    def.solver.block_size = 24;
    build(&scene, preconditioner != TAUT_PRECONDITIONER_NONE);
    if (CHECK_OK(oracle_scene_world(&scene, &def, &world))) {
        bool good = true;
        for (int k = 0; k < steps && good; k++) {
            good = CHECK_OK(taut_world_step(world, dt));
        }
        hash = hash_world(world);
    }
    taut_world_destroy(world);
    oracle_scene_free(&scene);
    return hash;
}

/* CUDA does not look at the number of threads: there it is run after run, of as many steps as an emulator takes
 * quickly. */
static void check_threads(taut_backend_kind backend, taut_preconditioner preconditioner) {
    static const uint32_t threads[5] = {1, 2, 3, 4, 7};
    const bool cuda = backend == TAUT_BACKEND_CUDA;
    const int runs = cuda ? 2 : 5, steps = cuda ? 3 : 60;
    const uint64_t expected = run(backend, preconditioner, 1, steps);
    for (int t = 0; t < runs; t++) {
        test_note("%u threads", threads[t]);
        CHECK(run(backend, preconditioner, threads[t], steps) == expected);
    }
    test_note(NULL);
}

TAUT_TEST(determinism, no_preconditioner) {
    check_threads(backend, TAUT_PRECONDITIONER_NONE);
}
TAUT_TEST(determinism, jacobi) {
    check_threads(backend, TAUT_PRECONDITIONER_JACOBI);
}
TAUT_TEST(determinism, block) {
    check_threads(backend, TAUT_PRECONDITIONER_BLOCK);
}
TAUT_TEST(determinism, chebyshev) {
    check_threads(backend, TAUT_PRECONDITIONER_CHEBYSHEV);
}

/* ---- memory ---------------------------------------------------------------------------------------------------- */

/* Every call that may be made between two steps. */
static void change_everything(taut_world* world, const oracle_scene* scene) {
    const double gravity[3] = {0, -1, 0}, force[3] = {0, 0.1, 0}, softer = 2e-5, slower = 0.02;
    const uint32_t free_particle = 5, fixed_particle = 0;
    taut_solver solver = taut_default_world().solver;
    taut_integrator integrator = taut_default_world().integrator;
    solver.max_iterations = 900;
    solver.chebyshev_degree = 12;
    integrator.substeps = 3;
    integrator.alpha = 0.8;
    integrator.hard_row_damping = 1;
    CHECK_OK(taut_world_set_gravity(world, gravity));
    CHECK_OK(taut_world_set_forces(world, 3, 1, force));
    CHECK_OK(taut_world_set_fixed(world, 1, &free_particle, true));
    CHECK_OK(taut_world_set_solver(world, &solver));
    CHECK_OK(taut_world_set_integrator(world, &integrator));
    CHECK_OK(taut_world_set_compliances(world, scene->constraints[0].batch, 0, 1, &softer));
    CHECK_OK(taut_world_set_dampings(world, scene->constraints[0].batch, 0, 1, &slower));
    CHECK_OK(taut_world_set_rest_values(world, scene->constraints[0].batch, 0, 1, &scene->constraints[0].rest[0]));
    CHECK_OK(taut_world_move_fixed(world, 1, &fixed_particle, scene->particles[0].x));
    CHECK_OK(oracle_scene_drive(scene, world, dt));
}

TAUT_TEST(memory, nothing_is_allocated_while_stepping) {
    counting count = {0};
    oracle_scene scene = {0};
    taut_world* world = NULL;
    taut_world_def def = taut_default_world();
    taut_step_info info;
    taut_array view;
    def.backend = backend;
    def.allocator = counting_allocator(&count);
    scene_mixed(&scene, 1e-4, 0.01);
    REQUIRE_OK(oracle_scene_world(&scene, &def, &world));
    const int steps = backend == TAUT_BACKEND_CUDA ? 8 : 60; /* an emulator may take them */
    const size_t after_creation = count.requests;
    CHECK(after_creation > 0);
    double* values = calloc(3 * scene.particle_count + oracle_row_count(&scene), 2 * sizeof *values);
    for (int k = 0; k < steps; k++) {
        if (k == steps - 4) {
            change_everything(world, &scene);
        }
        CHECK_OK(taut_world_step(world, dt));
        CHECK_OK(taut_world_info(world, &info));
        CHECK_OK(taut_world_view(world, TAUT_FIELD_POSITIONS_F32, &view));
    }
    CHECK_OK(taut_world_linearise(world, dt));
    for (int op = TAUT_OPERATOR_J; op <= TAUT_OPERATOR_G; op++) {
        CHECK_OK(taut_world_apply(world, (taut_operator)op, values,
                                  values + 3 * scene.particle_count + oracle_row_count(&scene)));
    }
    CHECK_INT(count.requests, after_creation);
    taut_world_destroy(world);
    CHECK_INT(count.live, 0);
    CHECK_INT(count.live_bytes, 0);
    CHECK(!count.misuse);
    free(values);
    oracle_scene_free(&scene);
}
