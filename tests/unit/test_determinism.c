/* The same bits for any number of threads and from run to run; no memory taken while stepping. */
#include <stdlib.h>

#include "counting.h"
#include "harness.h"
#include "scene_graph.h"
#include "small_scenes.h"
#include "task_pool.h"

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
    const size_t frames = taut_world_frame_count(world);
    uint64_t hash = 0xcbf29ce484222325u;
    hash = hash_field(world, TAUT_FIELD_POSITIONS, particles, 3, hash);
    hash = hash_field(world, TAUT_FIELD_VELOCITIES, particles, 3, hash);
    hash = hash_field(world, TAUT_FIELD_ORIENTATIONS, frames, 4, hash);
    hash = hash_field(world, TAUT_FIELD_ANGULAR_VELOCITIES, frames, 3, hash);
    return hash_field(world, TAUT_FIELD_MULTIPLIERS, rows, 1, hash);
}

/* What the CPU shares among threads has 1024 items and more; an emulator takes less, in several blocks. */
static const uint32_t side_of_sheet[2] = {50, 24};

static taut_world_def definition(taut_backend_kind backend, taut_preconditioner preconditioner, uint32_t threads) {
    taut_world_def def = taut_default_world();
    def.backend = backend;
    def.threads = threads;
    def.solver.method = TAUT_METHOD_SCHUR;
    def.solver.preconditioner = preconditioner;
    /* Enough to mix everything and to stay on course; convergence does not matter here. */
    def.solver.max_iterations = preconditioner == TAUT_PRECONDITIONER_NONE ? 60 : 8;
    def.solver.chebyshev_degree = 3;
    def.solver.block_size = 24;
    return def;
}

/* Steps a world and leaves nothing of it but the hash. */
static uint64_t run(const taut_scene* scene, const taut_world_def* def, int steps) {
    taut_world* world = NULL;
    uint64_t hash = 0;
    if (CHECK_OK(taut_world_create(scene, def, &world))) {
        bool good = true;
        for (int k = 0; k < steps && good; k++) {
            good = CHECK_OK(taut_world_step(world, dt));
        }
        hash = hash_world(world);
    }
    taut_world_destroy(world);
    return hash;
}

/* Distances, and some of every other kind, unless there is no preconditioner to balance their units. Soft enough for
 * the few iterations to stay on course. */
static taut_status build(bool small, bool every_kind, taut_scene** out) {
    const scene_material soft = {1e-2, 0.05};
    oracle_scene scene = {0};
    const scene_grid grid = scene_sheet(&scene, side_of_sheet[small], side_of_sheet[small], 0.1, 0.01);
    scene_sheet_edges(&scene, grid, soft);
    scene_sheet_diagonals(&scene, grid, soft);
    scene_sheet_pin_corners(&scene, grid);
    if (every_kind) {
        const uint32_t block = scene_block(&scene, 3, 0.1, 0.01);
        scene_mixed(&scene, 1e-2, 0.05);
        scene_sheet_bends(&scene, grid, (scene_material){10, 0.05});
        scene_block_strains(&scene, block, 3, soft);
        scene.particles[block].fixed = true;
    }
    const taut_status status = oracle_scene_build(&scene, out);
    oracle_scene_free(&scene);
    return status;
}

/* CUDA does not look at the number of threads: there it is run after run, of as many steps as an emulator takes
 * quickly. */
static void check_threads(const taut_scene* scene, taut_world_def def, int steps) {
    static const uint32_t threads[3] = {2, 4, 7};
    const taut_backend_kind backend = def.backend;
    const int runs = backend == TAUT_BACKEND_CUDA ? 2 : 3;
    const uint64_t expected = run(scene, &def, steps);
    for (int t = 0; t < runs; t++) {
        def.threads = threads[t];
        test_note("%u threads", threads[t]);
        CHECK(run(scene, &def, steps) == expected);
    }
    if (backend == TAUT_BACKEND_CPU) {
        task_pool* pool = task_pool_open(3);
        size_t loops, items;
        def.tasks = task_pool_tasks(pool);
        test_note("tasks of the program");
        CHECK(run(scene, &def, steps) == expected);
        task_pool_counts(pool, &loops, &items);
        CHECK(loops > 0);
        task_pool_close(pool);
    }
    test_note(NULL);
}

static void check_sheet(taut_backend_kind backend, taut_preconditioner preconditioner) {
    const bool cuda = backend == TAUT_BACKEND_CUDA;
    taut_scene* scene = NULL;
    if (CHECK_OK(build(cuda, preconditioner != TAUT_PRECONDITIONER_NONE, &scene))) {
        check_threads(scene, definition(backend, preconditioner, 1), 3);
    }
    taut_scene_destroy(scene);
}

/* Both at once where it is left to the parts. */
static void check_sheet_by(taut_backend_kind backend, bool small, taut_method method,
                           taut_preconditioner preconditioner) {
    taut_scene* scene = NULL;
    taut_world_def def = definition(backend, preconditioner, 1);
    def.solver.method = method;
    if (CHECK_OK(build(small, true, &scene))) {
        check_threads(scene, def, 3);
    }
    taut_scene_destroy(scene);
}

static void check_method(taut_backend_kind backend, taut_method method, taut_preconditioner preconditioner) {
    check_sheet_by(backend, backend == TAUT_BACKEND_CUDA, method, preconditioner);
}

TAUT_TEST(determinism, condensed) {
    check_method(backend, TAUT_METHOD_CONDENSED, TAUT_PRECONDITIONER_JACOBI);
}
TAUT_TEST(determinism, aggregates) {
    check_method(backend, TAUT_METHOD_CONDENSED, TAUT_PRECONDITIONER_MULTILEVEL);
}
TAUT_TEST(determinism, parts) {
    check_method(backend, TAUT_METHOD_AUTO, TAUT_PRECONDITIONER_JACOBI);
}

TAUT_TEST(determinism, gauss_seidel) {
    check_method(backend, TAUT_METHOD_GAUSS_SEIDEL, TAUT_PRECONDITIONER_AUTO);
}
TAUT_PLAIN_TEST(determinism, direct) {
    if (test_direct()) {
        check_sheet_by(TAUT_BACKEND_CPU, true, TAUT_METHOD_DIRECT, TAUT_PRECONDITIONER_AUTO);
    }
}

TAUT_TEST(determinism, no_preconditioner) {
    check_sheet(backend, TAUT_PRECONDITIONER_NONE);
}
TAUT_TEST(determinism, jacobi) {
    check_sheet(backend, TAUT_PRECONDITIONER_JACOBI);
}
TAUT_TEST(determinism, block) {
    check_sheet(backend, TAUT_PRECONDITIONER_BLOCK);
}
TAUT_TEST(determinism, chebyshev) {
    check_sheet(backend, TAUT_PRECONDITIONER_CHEBYSHEV);
}
TAUT_TEST(determinism, multilevel) {
    check_sheet(backend, TAUT_PRECONDITIONER_MULTILEVEL);
}

/* Points with masses on one body, so that a level of mapped points is long, too. */
static taut_status add_many_points(taut_scene* scene, taut_body body, size_t count) {
    taut_body_points_def def = taut_default_body_points();
    double *local = calloc(3 * count, sizeof *local), *masses = calloc(count, sizeof *masses);
    for (size_t i = 0; i < count; i++) {
        local[3 * i] = 0.1 * (double)(i % 7);
        local[3 * i + 2] = 0.01 * (double)(i % 31);
        masses[i] = 1e-6 * (double)(1 + i % 5);
    }
    def.count = count;
    def.body = body;
    def.local = local;
    def.masses = masses;
    const taut_status status = taut_scene_add_body_points(scene, &def, NULL);
    free(local), free(masses);
    return status;
}

/* The small scene again and again in the same place: its copies do not feel each other. */
static taut_status build_graph(bool cuda, taut_scene** out) {
    const taut_scene_def def = taut_default_scene();
    const int copies = cuda ? 8 : 500;
    scene_graph graph = {0};
    taut_status status = taut_scene_create(&def, out);
    for (int i = 0; status == TAUT_OK && i < copies; i++) {
        status = scene_graph_add(*out, &graph);
    }
    return status == TAUT_OK ? add_many_points(*out, taut_body_of(graph.bodies, 0), cuda ? 300 : 17000) : status;
}

static void check_graph(taut_backend_kind backend, taut_method method, taut_preconditioner preconditioner) {
    taut_scene* scene = NULL;
    taut_world_def def = definition(backend, preconditioner, 1);
    def.solver.method = method;
    if (CHECK_OK(build_graph(backend == TAUT_BACKEND_CUDA, &scene))) {
        check_threads(scene, def, 2);
    }
    taut_scene_destroy(scene);
}

TAUT_TEST(determinism, graph_jacobi) {
    check_graph(backend, TAUT_METHOD_SCHUR, TAUT_PRECONDITIONER_JACOBI);
}
TAUT_TEST(determinism, graph_block) {
    check_graph(backend, TAUT_METHOD_SCHUR, TAUT_PRECONDITIONER_BLOCK);
}
TAUT_TEST(determinism, graph_condensed) {
    check_graph(backend, TAUT_METHOD_CONDENSED, TAUT_PRECONDITIONER_JACOBI);
}
TAUT_TEST(determinism, graph_aggregates) {
    check_graph(backend, TAUT_METHOD_CONDENSED, TAUT_PRECONDITIONER_MULTILEVEL);
}
TAUT_TEST(determinism, graph_multilevel) {
    check_graph(backend, TAUT_METHOD_SCHUR, TAUT_PRECONDITIONER_MULTILEVEL);
}

TAUT_TEST(determinism, graph_gauss_seidel) {
    check_graph(backend, TAUT_METHOD_GAUSS_SEIDEL, TAUT_PRECONDITIONER_AUTO);
}
TAUT_PLAIN_TEST(determinism, graph_direct) {
    if (test_direct()) {
        check_graph(TAUT_BACKEND_CPU, TAUT_METHOD_DIRECT, TAUT_PRECONDITIONER_AUTO);
    }
}

/* ---- memory ---------------------------------------------------------------------------------------------------- */

/* Every call that may be made between two steps. */
static void change_everything(taut_world* world, const oracle_scene* scene, taut_method method) {
    const double gravity[3] = {0, -1, 0}, force[3] = {0, 0.1, 0}, softer = 2e-5, slower = 0.02;
    const uint32_t free_particle = 5, fixed_particle = 0;
    taut_solver solver = taut_default_world().solver;
    taut_integrator integrator = taut_default_world().integrator;
    solver.method = method;
    solver.max_iterations = 30;
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

/* The same of frames and of joints. */
static void change_graph(taut_world* world, const scene_graph* g) {
    const double torque[3] = {0.1, 0, 0}, q[4] = {1, 0.1, 0, 0}, omega[3] = {0, 1, 0}, turns[3] = {0.1, 0, 0};
    const uint32_t held = g->bodies.frames.first + GRAPH_HELD, tip = g->bodies.frames.first + GRAPH_TIP;
    const taut_batch hinge = g->joints[TAUT_JOINT_HINGE].drive;
    CHECK_OK(taut_world_set_torques(world, tip, 1, torque));
    CHECK_OK(taut_world_set_forces(world, g->passive.first, 1, torque));
    CHECK_OK(taut_world_set_frames_fixed(world, 1, &tip, true));
    CHECK_OK(taut_world_move_fixed_frames(world, 1, &held, q));
    CHECK_OK(taut_world_write(world, TAUT_FIELD_ORIENTATIONS, tip + 1, 1, q));
    CHECK_OK(taut_world_write(world, TAUT_FIELD_ANGULAR_VELOCITIES, tip + 1, 1, omega));
    CHECK_OK(taut_world_move_targets(world, hinge, 0, 1, turns));
    CHECK_OK(taut_world_set_rest_values(world, g->rod.bends, 0, 1, turns));
    CHECK_OK(taut_world_set_compliances(world, g->rod.bends, 0, 1, turns));
}

/* A world of some of everything. */
static taut_status create_world(oracle_scene* description, scene_graph* graph, const taut_world_def* def,
                                taut_world** world) {
    taut_scene* scene = NULL;
    scene_mixed(description, 1e-4, 0.01);
    taut_status status = oracle_scene_build(description, &scene);
    if (status == TAUT_OK) {
        status = scene_graph_add(scene, graph);
    }
    if (status == TAUT_OK) {
        status = taut_world_create(scene, def, world);
    }
    taut_scene_destroy(scene);
    return status;
}

static void check_memory(taut_backend_kind backend, taut_method method) {
    counting count = {0};
    oracle_scene scene = {0};
    scene_graph graph;
    taut_world* world = NULL;
    taut_world_def def = taut_default_world();
    taut_step_info info;
    taut_array view;
    def.backend = backend;
    def.allocator = counting_allocator(&count);
    def.solver.method = method;
    def.solver.max_iterations = 20; /* what is allocated does not depend on it */
    REQUIRE_OK(create_world(&scene, &graph, &def, &world));
    const int steps = backend == TAUT_BACKEND_CUDA ? 8 : 60; /* an emulator may take them */
    const size_t after_creation = count.requests;
    CHECK(after_creation > 0);
    const size_t n = 3 * (taut_world_particle_count(world) + taut_world_frame_count(world));
    const size_t m = taut_world_row_count(world);
    double* values = calloc(n + m, 2 * sizeof *values);
    for (int k = 0; k < steps; k++) {
        if (k == steps - 4) {
            change_everything(world, &scene, method);
            change_graph(world, &graph);
        }
        CHECK_OK(taut_world_step(world, dt));
        CHECK_OK(taut_world_info(world, &info));
        CHECK_OK(taut_world_view(world, TAUT_FIELD_POSITIONS_F32, &view));
        CHECK_OK(taut_world_view(world, TAUT_FIELD_ORIENTATIONS, &view));
    }
    CHECK_OK(taut_world_linearise(world, dt));
    for (int op = TAUT_OPERATOR_J; op <= TAUT_OPERATOR_G; op++) {
        CHECK_OK(taut_world_apply(world, (taut_operator)op, values, values + n + m));
    }
    CHECK_INT(count.requests, after_creation);
    taut_world_destroy(world);
    CHECK_INT(count.live, 0);
    CHECK_INT(count.live_bytes, 0);
    CHECK(!count.misuse);
    free(values);
    oracle_scene_free(&scene);
}

TAUT_TEST(memory, nothing_is_allocated_while_stepping) {
    check_memory(backend, TAUT_METHOD_AUTO);
}
TAUT_TEST(memory, gauss_seidel_allocates_nothing) {
    check_memory(backend, TAUT_METHOD_GAUSS_SEIDEL);
}
TAUT_PLAIN_TEST(memory, direct_allocates_nothing) {
    if (test_direct()) {
        check_memory(TAUT_BACKEND_CPU, TAUT_METHOD_DIRECT);
    }
}
