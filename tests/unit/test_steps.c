/* What a sequence of steps promises: conservation, driven particles, substeps, distance from the origin, views. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dense_matrix.h"
#include "harness.h"
#include "small_scenes.h"

static const double dt = 1.0 / 60;

static taut_world* make(taut_backend_kind backend, oracle_scene* scene, taut_world_def* def) {
    taut_world* world = NULL;
    def->backend = backend;
    CHECK_OK(oracle_scene_world(scene, def, &world));
    return world;
}

static double* read_field(taut_world* world, taut_field field) {
    const bool rows = field == TAUT_FIELD_VIOLATIONS || field == TAUT_FIELD_MULTIPLIERS;
    const bool frames = field == TAUT_FIELD_ORIENTATIONS || field == TAUT_FIELD_ANGULAR_VELOCITIES;
    const size_t of_nodes = frames ? taut_world_frame_count(world) : taut_world_particle_count(world);
    const size_t count = rows ? taut_world_row_count(world) : of_nodes;
    double* values = calloc(4 * count + 1, sizeof *values);
    CHECK_OK(taut_world_read(world, field, 0, count, values));
    return values;
}

/* ---- momentum -------------------------------------------------------------------------------------------------- */

typedef struct momentum {
    double linear[3], angular[3];
    double size; /* sum of m |v|, and of m |x| |v| with |x| of order 1 */
} momentum;

static momentum momentum_of(const oracle_scene* scene, taut_world* world) {
    momentum p = {{0}, {0}, 0};
    double *x = read_field(world, TAUT_FIELD_POSITIONS), *v = read_field(world, TAUT_FIELD_VELOCITIES);
    for (size_t i = 0; i < scene->particle_count; i++) {
        const double m = scene->particles[i].mass, *xi = x + 3 * i, *vi = v + 3 * i;
        for (int a = 0; a < 3; a++) {
            const int b = (a + 1) % 3, c = (a + 2) % 3;
            p.linear[a] += m * vi[a];
            p.angular[a] += m * (xi[b] * vi[c] - xi[c] * vi[b]);
        }
        p.size += m * dense_norm(3, vi);
    }
    free(x), free(v);
    return p;
}

/* A free body of every kind that sees shapes only; linear rows and attachments too where only p is to be kept. */
static void build_free_body(oracle_scene* scene, bool shapes_only) {
    const scene_material soft = {1e-5, 0.01};
    const scene_grid cloth = scene_cloth(scene, 5, 5, soft, soft);
    const scene_grid sheet = scene_sheet(scene, 3, 3, 0.12, 0.02);
    const double along[3] = {0.1, 0, 0.02};
    const uint32_t block = scene_block(scene, 1, 0.2, 0.05), rope = scene_rope(scene, 5, along, 0.02, soft);
    scene_sheet_membranes(scene, sheet, soft);
    scene_block_strains(scene, block, 1, soft);
    scene_block_volumes(scene, block, 1, soft);
    scene_distance(scene, cloth.first + 1, sheet.first + 5, soft);
    scene_distance(scene, sheet.first + 3, block + 7, soft);
    scene_distance(scene, block + 2, rope + 3, soft);
    if (!shapes_only) {
        scene_rope_bending(scene, rope, 5, soft);
        scene_attach(scene, cloth.first + 7, rope + 4, soft);
    }
    for (size_t i = 0; i < scene->particle_count; i++) {
        scene->particles[i].fixed = false;
    }
    scene_shake(scene, 5, 0.01, 1);
}

/* Rows are sums of float32 numbers that cancel: an impulse of size 1 leaves up to some 1e-7. Velocities from the Schur
 * complement are sums of impulses, whatever its tolerance; those of the condensed system balance within it. */
static void check_momentum_by(taut_backend_kind backend, taut_method method, bool shapes_only,
                              taut_geometric_stiffness stiffness, double alpha, double beta) {
    oracle_scene scene = {0};
    taut_world_def def = taut_default_world();
    def.solver.method = method;
    if (method == TAUT_METHOD_CONDENSED) {
        def.solver.tolerance = 1e-8;
        def.solver.max_iterations = 20000;
    }
    memset(def.gravity, 0, sizeof def.gravity);
    def.integrator.geometric_stiffness = stiffness;
    def.integrator.alpha = alpha;
    def.integrator.beta = beta;
    def.integrator.further = 0; /* one linearisation keeps what the exact step of implicit Euler does not */
    build_free_body(&scene, shapes_only);
    taut_world* world = make(backend, &scene, &def);
    REQUIRE(world != NULL);
    const momentum before = momentum_of(&scene, world);
    for (int k = 0; k < 60; k++) {
        CHECK_OK(taut_world_step(world, dt));
    }
    const momentum after = momentum_of(&scene, world);
    for (int a = 0; a < 3; a++) {
        CHECK_NEAR(after.linear[a], before.linear[a], 2e-6 * before.size);
        if (shapes_only) {
            CHECK_NEAR(after.angular[a], before.angular[a], 2e-6 * before.size);
        }
    }
    taut_world_destroy(world);
    oracle_scene_free(&scene);
}

static void check_momentum(taut_backend_kind backend, bool shapes_only, taut_geometric_stiffness stiffness,
                           double alpha, double beta) {
    check_momentum_by(backend, TAUT_METHOD_SCHUR, shapes_only, stiffness, alpha, beta);
    if (backend == TAUT_BACKEND_CPU) {
        check_momentum_by(backend, TAUT_METHOD_CONDENSED, shapes_only, stiffness, alpha, beta);
    }
}

TAUT_TEST(steps, linear_momentum) {
    check_momentum(backend, false, TAUT_GEOMETRIC_FULL, 1, 1);
    check_momentum(backend, false, TAUT_GEOMETRIC_FULL, 0.6, 0.7);
}

/* With x' = x + h v' the angular momentum of the end is sum x x m v' exactly, and impulses J^T gam have no torque
 * about x. Geometric stiffness resists rotation (that is where its dissipation comes from), so it is off here. */
TAUT_TEST(steps, angular_momentum) {
    check_momentum(backend, true, TAUT_GEOMETRIC_NONE, 1, 1);
}

/* ---- driven particles ------------------------------------------------------------------------------------------ */

TAUT_TEST(steps, fixed_particles_arrive_exactly) {
    for (uint32_t substeps = 1; substeps <= 7; substeps += 3) {
        const double down[3] = {0.01, -0.1, 0}, goal[3] = {0.123456789, -0.1, 1.0 / 3};
        const uint32_t top = 0;
        oracle_scene scene = {0};
        taut_world_def def = taut_default_world();
        double x[3], v[3];
        def.integrator.substeps = substeps;
        scene_rope(&scene, 5, down, 0.1, (scene_material){0, 0});
        taut_world* world = make(backend, &scene, &def);
        REQUIRE(world != NULL);
        test_note("%u substeps", substeps);
        CHECK_OK(taut_world_move_fixed(world, 1, &top, goal));
        for (int k = 0; k < 3; k++) {
            CHECK_OK(taut_world_step(world, dt));
            CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, 0, 1, x));
            CHECK(memcmp(x, goal, sizeof x) == 0); /* there, and staying */
        }
        CHECK_OK(taut_world_read(world, TAUT_FIELD_VELOCITIES, 0, 1, v));
        CHECK_NEAR(dense_norm(3, v), 0, 0);
        taut_world_destroy(world);
        oracle_scene_free(&scene);
    }
    test_note(NULL);
}

/* Without a goal a fixed particle keeps its velocity; forces do not touch it. */
TAUT_TEST(steps, fixed_particles_keep_their_velocity) {
    const double v[3] = {0.5, -0.25, 0.125}, force[3] = {100, 100, 100};
    oracle_scene scene = {0};
    taut_world_def def = taut_default_world();
    double x[3], after[3];
    oracle_scene_particle(&scene, 1, 2, 3, 1, true);
    memcpy(scene.particles[0].v, v, sizeof v);
    taut_world* world = make(backend, &scene, &def);
    REQUIRE(world != NULL);
    CHECK_OK(taut_world_set_forces(world, 0, 1, force));
    for (int k = 0; k < 8; k++) {
        CHECK_OK(taut_world_step(world, 0.125));
    }
    CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, 0, 1, x));
    CHECK_OK(taut_world_read(world, TAUT_FIELD_VELOCITIES, 0, 1, after));
    for (int a = 0; a < 3; a++) {
        CHECK_NEAR(x[a], scene.particles[0].x[a] + v[a], 1e-15);
        CHECK_NEAR(after[a], v[a], 0);
    }
    taut_world_destroy(world);
    oracle_scene_free(&scene);
}

/* Particles without constraints fall: v' = v + h g, x' = x + h v' for alpha = beta = 1. */
TAUT_TEST(steps, free_fall) {
    oracle_scene scene = {0};
    taut_world_def def = taut_default_world();
    oracle_scene_particle(&scene, 1, 2, 3, 7, false);
    taut_world* world = make(backend, &scene, &def);
    REQUIRE(world != NULL);
    double x[3], v = 0, y = 2;
    for (int k = 0; k < 60; k++) {
        CHECK_OK(taut_world_step(world, dt));
        v -= 9.81 * dt;
        y += v * dt;
    }
    CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, 0, 1, x));
    CHECK_NEAR(x[0], 1, 0);
    CHECK_NEAR(x[1], y, 1e-13);
    taut_world_destroy(world);
    oracle_scene_free(&scene);
}

/* ---- substeps and distance from the origin --------------------------------------------------------------------- */

TAUT_TEST(steps, substeps_are_steps) {
    oracle_scene scene = {0};
    taut_world_def def = taut_default_world();
    taut_step_info once, four;
    uint32_t iterations = 0;
    scene_cloth(&scene, 6, 6, (scene_material){1e-6, 0}, (scene_material){1e-3, 0});
    scene_shake(&scene, 3, 0.005, 0.5);
    taut_world* small = make(backend, &scene, &def);
    def.integrator.substeps = 4;
    taut_world* large = make(backend, &scene, &def);
    REQUIRE(small != NULL && large != NULL);
    for (int k = 0; k < 10; k++) {
        iterations = 0;
        for (int i = 0; i < 4; i++) {
            CHECK_OK(taut_world_step(small, dt / 4));
            CHECK_OK(taut_world_info(small, &once));
            iterations += once.iterations;
        }
        CHECK_OK(taut_world_step(large, dt));
    }
    CHECK_OK(taut_world_info(large, &four));
    CHECK_INT(four.step, 10);
    CHECK_INT(once.step, 40);
    CHECK_INT(four.iterations, iterations);
    CHECK_NEAR(four.time, 10 * dt, 1e-14);
    double *a = read_field(small, TAUT_FIELD_POSITIONS), *b = read_field(large, TAUT_FIELD_POSITIONS);
    CHECK_NEAR(dense_max_difference(3 * scene.particle_count, a, b), 0, 0);
    free(a), free(b);
    taut_world_destroy(small);
    taut_world_destroy(large);
    oracle_scene_free(&scene);
}

/* Positions relative to the offset after a second; rounding of x at 1e5 m is 1.5e-11 m. */
TAUT_TEST(steps, far_from_the_origin) {
    const double far[3] = {1e5, -1e5, 1e5}, origin[3] = {0, 0, 0};
    double* positions[2];
    size_t n = 0;
    for (int k = 0; k < 2; k++) {
        const double along[3] = {0.1, 0, 0};
        oracle_scene scene = {0};
        taut_world_def def = taut_default_world();
        def.solver.tolerance = 1e-8;
        def.solver.max_iterations = 20000;
        scene_cloth(&scene, 6, 6, (scene_material){1e-6, 0.01}, (scene_material){1e-3, 0.01});
        scene_rope(&scene, 8, along, 0.1, (scene_material){0, 0});
        scene_shift(&scene, k == 0 ? origin : far);
        taut_world* world = make(backend, &scene, &def);
        REQUIRE(world != NULL);
        for (int i = 0; i < 60; i++) {
            CHECK_OK(taut_world_step(world, dt));
        }
        positions[k] = read_field(world, TAUT_FIELD_POSITIONS);
        n = 3 * scene.particle_count;
        taut_world_destroy(world);
        oracle_scene_free(&scene);
    }
    for (size_t i = 0; i < n; i++) {
        positions[1][i] -= far[i % 3];
    }
    CHECK_NEAR(dense_max_difference(n, positions[0], positions[1]), 0, 1e-5);
    free(positions[0]), free(positions[1]);
}

/* ---- views ----------------------------------------------------------------------------------------------------- */

static double element(const taut_array* view, size_t row, size_t column) {
    const char* at = (const char*)view->data + row * view->stride;
    return view->type == TAUT_FLOAT64 ? ((const double*)(const void*)at)[column]
                                      : (double)((const float*)(const void*)at)[column];
}

TAUT_TEST(steps, views) {
    oracle_scene scene = {0};
    taut_world_def def = taut_default_world();
    scene_mixed(&scene, 1e-5, 0.01);
    taut_world* world = make(backend, &scene, &def);
    REQUIRE(world != NULL);
    const size_t particles = scene.particle_count, rows = oracle_row_count(&scene);
    for (int k = 0; k < 3; k++) {
        CHECK_OK(taut_world_step(world, dt));
        for (int f = 0; f < TAUT_FIELD_COUNT; f++) {
            const bool of_rows = f == TAUT_FIELD_VIOLATIONS || f == TAUT_FIELD_MULTIPLIERS;
            taut_array view = {0};
            test_note("field %d", f);
            REQUIRE_OK(taut_world_view(world, (taut_field)f, &view));
            const bool of_frames = f == TAUT_FIELD_ORIENTATIONS || f == TAUT_FIELD_ANGULAR_VELOCITIES;
            CHECK_INT(view.rows, of_rows ? rows : of_frames ? 0 : particles);
            CHECK_INT(view.columns, of_rows ? 1 : f == TAUT_FIELD_ORIENTATIONS ? 4 : 3);
            CHECK_INT(view.type, f == TAUT_FIELD_POSITIONS_F32 ? TAUT_FLOAT32 : TAUT_FLOAT64);
            REQUIRE(view.data != NULL);
            double* copy = read_field(world, (taut_field)f);
            for (size_t i = 0; !view.on_device && i < view.rows * view.columns; i++) {
                CHECK(element(&view, i / view.columns, i % view.columns) == copy[i]);
            }
            free(copy);
        }
        double *x = read_field(world, TAUT_FIELD_POSITIONS), *single = read_field(world, TAUT_FIELD_POSITIONS_F32);
        for (size_t i = 0; i < 3 * particles; i++) {
            CHECK(single[i] == (double)(float)x[i]);
        }
        free(x), free(single);
    }
    test_note(NULL);
    taut_world_destroy(world);
    oracle_scene_free(&scene);
}

/* What is written is what is read, and the rest stays. */
TAUT_TEST(steps, write_and_read) {
    const double down[3] = {0, -0.1, 0};
    oracle_scene scene = {0};
    taut_world_def def = taut_default_world();
    double values[6] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}, out[6];
    scene_rope(&scene, 5, down, 0.1, (scene_material){0, 0});
    taut_world* world = make(backend, &scene, &def);
    REQUIRE(world != NULL);
    CHECK_OK(taut_world_write(world, TAUT_FIELD_POSITIONS, 2, 2, values));
    CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, 2, 2, out));
    CHECK(memcmp(values, out, sizeof out) == 0);
    CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, 1, 1, out));
    CHECK_NEAR(out[1], -0.1, 0);
    CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, 4, 1, out));
    CHECK_NEAR(out[1], 4 * -0.1, 0);
    CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, 4, 2, values));
    CHECK_OK(taut_world_read(world, TAUT_FIELD_VELOCITIES, 4, 2, out));
    CHECK(memcmp(values, out, sizeof out) == 0);
    CHECK_OK(taut_world_step(world, dt));
    taut_world_destroy(world);
    oracle_scene_free(&scene);
}
