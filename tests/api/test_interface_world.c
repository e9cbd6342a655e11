/* Bad arguments of the world's functions: refused with a sentence, and nothing changes. */
#include <math.h>
#include <stdlib.h>

#include "refused.h"
#include "small_scenes.h"

enum { PARTICLES = 4, DISTANCES = 3, ROWS = DISTANCES + 3 };

/* A rope of three links, its end held by a target. */
static void build(oracle_scene* scene) {
    const double down[3] = {0.02, -0.1, 0}, still[3] = {0};
    scene_rope(scene, DISTANCES, down, 0.1, (scene_material){1e-6, 0.01});
    scene_target(scene, DISTANCES, still, (scene_material){1e-3, 0});
}

static taut_world* make_world(taut_backend_kind backend) {
    oracle_scene scene = {0};
    taut_world_def def = taut_default_world();
    taut_world* world = NULL;
    def.backend = backend;
    build(&scene);
    CHECK_OK(oracle_scene_world(&scene, &def, &world));
    oracle_scene_free(&scene);
    return world;
}

static const taut_batch distances = {1}, targets = {2};

/* Each is tried in every double of a definition. */
static const double bad_numbers[3] = {NAN, INFINITY, -INFINITY};

static taut_world_def definition(taut_backend_kind backend) {
    taut_world_def def = taut_default_world();
    def.backend = backend;
    return def;
}

TAUT_TEST(interface_world, create) {
    oracle_scene description = {0};
    taut_scene* scene = NULL;
    taut_world_def def = definition(backend);
    taut_world* const untouched = (taut_world*)(void*)&def;
    taut_world* world = untouched;
    build(&description);
    REQUIRE_OK(oracle_scene_build(&description, &scene));
#define REFUSE(change)                                                                                                 \
    def = definition(backend);                                                                                         \
    change;                                                                                                            \
    INVALID(taut_world_create(scene, &def, &world));
    INVALID(taut_world_create(NULL, &def, &world));
    INVALID(taut_world_create(scene, NULL, &world));
    INVALID(taut_world_create(scene, &def, NULL));
    def.cookie = 0;
    UNMADE(taut_world_create(scene, &def, &world));
    for (int i = 0; i < 3; i++) {
        const double bad = bad_numbers[i];
        REFUSE(def.gravity[1] = bad)
        REFUSE(def.integrator.alpha = bad)
        REFUSE(def.integrator.beta = bad)
        REFUSE(def.integrator.hard_row_damping = bad)
        REFUSE(def.solver.tolerance = bad)
        REFUSE(def.speed_limit = bad)
        if (bad != -INFINITY) {
            REFUSE(def.solver.proximal = bad)
        }
    }
    REFUSE(def.integrator.alpha = 0)
    REFUSE(def.integrator.alpha = 1.01)
    REFUSE(def.integrator.beta = -0.01)
    REFUSE(def.integrator.beta = 1.01)
    REFUSE(def.integrator.hard_row_damping = -1)
    REFUSE(def.integrator.substeps = 0)
    REFUSE(def.integrator.geometric_stiffness = (taut_geometric_stiffness)7)
    REFUSE(def.solver.tolerance = 0)
    REFUSE(def.solver.tolerance = 1)
    REFUSE(def.solver.max_iterations = 0)
    REFUSE(def.solver.preconditioner = (taut_preconditioner)77)
    REFUSE(def.solver.block_size = 0)
    REFUSE(def.solver.block_size = 257)
    REFUSE(def.solver.chebyshev_degree = 0)
    REFUSE(def.solver.chebyshev_degree = 65)
    REFUSE(def.speed_limit = 0)
    REFUSE(def.backend = (taut_backend_kind)77)
    CHECK(world == untouched);
    taut_world_destroy(NULL);
    taut_scene_destroy(scene);
    oracle_scene_free(&description);
}

TAUT_TEST(interface_world, empty_scene) {
    const taut_scene_def scene_def = taut_default_scene();
    const taut_world_def def = definition(backend);
    taut_scene* scene = NULL;
    taut_world* world = NULL;
    REQUIRE_OK(taut_scene_create(&scene_def, &scene));
    INVALID(taut_world_create(scene, &def, &world));
    CHECK(world == NULL);
    taut_scene_destroy(scene);
}

TAUT_PLAIN_TEST(interface_world, unavailable_backend) {
    if (taut_backend_available(TAUT_BACKEND_CUDA) == TAUT_OK) {
        test_skip("CUDA is here");
        return;
    }
    oracle_scene description = {0};
    const taut_world_def def = definition(TAUT_BACKEND_CUDA);
    taut_world* world = NULL;
    build(&description);
    REFUSED(oracle_scene_world(&description, &def, &world), TAUT_BACKEND_UNAVAILABLE);
    REFUSED(taut_backend_available(TAUT_BACKEND_CUDA), TAUT_BACKEND_UNAVAILABLE);
    CHECK(taut_backend_available((taut_backend_kind)77) != TAUT_OK);
    CHECK_OK(taut_backend_available(TAUT_BACKEND_CPU));
    CHECK_OK(taut_backend_available(TAUT_BACKEND_AUTO));
    oracle_scene_free(&description);
}

TAUT_TEST(interface_world, step) {
    taut_world* world = make_world(backend);
    taut_step_info info = {.step = 77};
    static const double bad[6] = {0, -1, NAN, INFINITY, -INFINITY, 1e-320};
    for (int i = 0; i < 6; i++) {
        INVALID(taut_world_step(world, bad[i]));
        INVALID(taut_world_linearise(world, bad[i]));
    }
    INVALID(taut_world_step(NULL, 0.01));
    INVALID(taut_world_linearise(NULL, 0.01));
    INVALID(taut_world_sync(NULL));
    INVALID(taut_world_info(NULL, &info));
    INVALID(taut_world_info(world, NULL));
    CHECK_INT(info.step, 77);
    CHECK_OK(taut_world_info(world, &info));
    CHECK_INT(info.step, 0);
    CHECK_NEAR(info.time, 0, 0);
    CHECK_OK(taut_world_sync(world));
    taut_world_destroy(world);
}

TAUT_TEST(interface_world, fields) {
    taut_world* world = make_world(backend);
    taut_array view = {.rows = 77};
    double values[64] = {0};
    values[0] = 77;
    INVALID(taut_world_view(NULL, TAUT_FIELD_POSITIONS, &view));
    INVALID(taut_world_view(world, TAUT_FIELD_POSITIONS, NULL));
    INVALID(taut_world_view(world, TAUT_FIELD_COUNT, &view));
    INVALID(taut_world_view(world, (taut_field)-1, &view));
    CHECK_INT(view.rows, 77);
    INVALID(taut_world_read(NULL, TAUT_FIELD_POSITIONS, 0, 1, values));
    INVALID(taut_world_read(world, TAUT_FIELD_COUNT, 0, 1, values));
    INVALID(taut_world_read(world, TAUT_FIELD_POSITIONS, 0, 1, NULL));
    INVALID(taut_world_read(world, TAUT_FIELD_POSITIONS, 0, PARTICLES + 1, values));
    INVALID(taut_world_read(world, TAUT_FIELD_POSITIONS, PARTICLES, 1, values));
    INVALID(taut_world_read(world, TAUT_FIELD_POSITIONS, SIZE_MAX, 2, values));
    INVALID(taut_world_read(world, TAUT_FIELD_MULTIPLIERS, 0, ROWS + 1, values));
    CHECK_NEAR(values[0], 77, 0);
    values[0] = 0;
    INVALID(taut_world_write(NULL, TAUT_FIELD_POSITIONS, 0, 1, values));
    INVALID(taut_world_write(world, TAUT_FIELD_POSITIONS, 0, 1, NULL));
    INVALID(taut_world_write(world, TAUT_FIELD_POSITIONS, 1, PARTICLES, values));
    INVALID(taut_world_write(world, TAUT_FIELD_POSITIONS, SIZE_MAX, 2, values));
    INVALID(taut_world_write(world, TAUT_FIELD_POSITIONS_F32, 0, 1, values));
    INVALID(taut_world_write(world, TAUT_FIELD_MULTIPLIERS, 0, 1, values));
    INVALID(taut_world_write(world, TAUT_FIELD_VIOLATIONS, 0, 1, values));
    for (int i = 0; i < 3; i++) {
        values[5] = bad_numbers[i];
        INVALID(taut_world_write(world, TAUT_FIELD_POSITIONS, 1, 2, values));
        INVALID(taut_world_write(world, TAUT_FIELD_VELOCITIES, 1, 2, values));
    }
    CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, 1, 1, values));
    CHECK_NEAR(values[1], -0.1, 0); /* nothing was written */
    taut_world_destroy(world);
}

TAUT_TEST(interface_world, queries) {
    taut_world* world = make_world(backend);
    taut_range rows = {77, 77};
    CHECK_INT(taut_world_particle_count(world), PARTICLES);
    CHECK_INT(taut_world_row_count(world), ROWS);
    CHECK_INT(taut_world_particle_count(NULL), 0);
    CHECK_INT(taut_world_row_count(NULL), 0);
    CHECK_TEXT(taut_world_backend(world), backend == TAUT_BACKEND_CUDA ? "cuda" : "cpu");
    INVALID(taut_world_batch_rows(NULL, distances, &rows));
    INVALID(taut_world_batch_rows(world, distances, NULL));
    INVALID(taut_world_batch_rows(world, (taut_batch){0}, &rows));
    INVALID(taut_world_batch_rows(world, (taut_batch){3}, &rows));
    CHECK_INT(rows.first, 77);
    CHECK_OK(taut_world_batch_rows(world, targets, &rows));
    CHECK_INT(rows.first, DISTANCES);
    CHECK_INT(rows.count, 3);
    taut_world_destroy(world);
}

TAUT_TEST(interface_world, parameters) {
    taut_world* world = make_world(backend);
    const taut_world_def def = taut_default_world();
    taut_integrator integrator = def.integrator;
    taut_solver solver = def.solver;
    double vector[3] = {0};
    const uint32_t node = 0, wrong = PARTICLES;
    INVALID(taut_world_set_gravity(NULL, vector));
    INVALID(taut_world_set_gravity(world, NULL));
    INVALID(taut_world_set_integrator(NULL, &integrator));
    INVALID(taut_world_set_integrator(world, NULL));
    INVALID(taut_world_set_solver(NULL, &solver));
    INVALID(taut_world_set_solver(world, NULL));
    integrator.alpha = 0;
    INVALID(taut_world_set_integrator(world, &integrator));
    integrator = def.integrator;
    integrator.substeps = 0;
    INVALID(taut_world_set_integrator(world, &integrator));
    solver.tolerance = 2;
    INVALID(taut_world_set_solver(world, &solver));
    solver = def.solver;
    solver.preconditioner = TAUT_PRECONDITIONER_CHEBYSHEV;
    INVALID(taut_world_set_solver(world, &solver));
    solver = def.solver;
    solver.block_size = 32;
    INVALID(taut_world_set_solver(world, &solver));
    INVALID(taut_world_set_forces(NULL, 0, 1, vector));
    INVALID(taut_world_set_forces(world, 0, 1, NULL));
    INVALID(taut_world_set_forces(world, PARTICLES, 1, vector));
    INVALID(taut_world_set_forces(world, SIZE_MAX, 2, vector));
    INVALID(taut_world_set_fixed(NULL, 1, &node, true));
    INVALID(taut_world_set_fixed(world, 1, NULL, true));
    INVALID(taut_world_set_fixed(world, 1, &wrong, true));
    INVALID(taut_world_move_fixed(NULL, 1, &node, vector));
    INVALID(taut_world_move_fixed(world, 1, NULL, vector));
    INVALID(taut_world_move_fixed(world, 1, &node, NULL));
    INVALID(taut_world_move_fixed(world, 1, &wrong, vector));
    const uint32_t free_node = 1;
    INVALID(taut_world_move_fixed(world, 1, &free_node, vector));
    static const double axis[3] = {0, 0, 1};
    INVALID(taut_world_turn_fixed(NULL, 1, &node, vector, axis, axis));
    INVALID(taut_world_turn_fixed(world, 1, NULL, vector, axis, axis));
    INVALID(taut_world_turn_fixed(world, 1, &node, NULL, axis, axis));
    INVALID(taut_world_turn_fixed(world, 1, &node, vector, NULL, axis));
    INVALID(taut_world_turn_fixed(world, 1, &node, vector, axis, NULL));
    INVALID(taut_world_turn_fixed(world, 1, &free_node, vector, axis, axis));
    INVALID(taut_world_turn_targets(world, targets, 0, 1, NULL, axis, axis));
    INVALID(taut_world_turn_targets(world, targets, 0, 1, vector, NULL, axis));
    INVALID(taut_world_turn_targets(world, targets, 0, 1, vector, axis, NULL));
    for (int i = 0; i < 3; i++) {
        vector[2] = bad_numbers[i];
        INVALID(taut_world_turn_fixed(world, 1, &node, vector, axis, axis));
        INVALID(taut_world_turn_fixed(world, 1, &node, axis, vector, axis));
        INVALID(taut_world_turn_fixed(world, 1, &node, axis, axis, vector));
        INVALID(taut_world_turn_targets(world, targets, 0, 1, axis, vector, axis));
        INVALID(taut_world_turn_targets(world, targets, 0, 1, axis, axis, vector));
        INVALID(taut_world_set_gravity(world, vector));
        INVALID(taut_world_set_forces(world, 0, 1, vector));
        INVALID(taut_world_move_fixed(world, 1, &node, vector));
        INVALID(taut_world_move_targets(world, targets, 0, 1, vector));
    }
    CHECK_OK(taut_world_step(world, 0.01));
    taut_world_destroy(world);
}

typedef taut_status retune_fn(taut_world* world, taut_batch batch, size_t first, size_t count, const double* values);

static void refuse_retuning(taut_world* world, retune_fn* retune, taut_batch batch, size_t size) {
    double values[12] = {0.1, 0.1, 0.1};
    INVALID(retune(NULL, batch, 0, 1, values));
    INVALID(retune(world, batch, 0, 1, NULL));
    INVALID(retune(world, (taut_batch){0}, 0, 1, values));
    INVALID(retune(world, (taut_batch){99}, 0, 1, values));
    INVALID(retune(world, batch, 0, size + 1, values));
    INVALID(retune(world, batch, size, 1, values));
    INVALID(retune(world, batch, SIZE_MAX, 2, values));
    for (int i = 0; i < 3; i++) {
        values[0] = bad_numbers[i];
        INVALID(retune(world, batch, 0, 1, values));
    }
}

TAUT_TEST(interface_world, retuning) {
    taut_world* world = make_world(backend);
    const double negative = -1, value[3] = {1, 1, 1};
    refuse_retuning(world, taut_world_set_compliances, distances, DISTANCES);
    refuse_retuning(world, taut_world_set_dampings, distances, DISTANCES);
    refuse_retuning(world, taut_world_set_rest_values, distances, DISTANCES);
    refuse_retuning(world, taut_world_move_targets, targets, 1);
    INVALID(taut_world_set_compliances(world, distances, 0, 1, &negative));
    INVALID(taut_world_set_dampings(world, distances, 0, 1, &negative));
    INVALID(taut_world_set_rest_values(world, distances, 0, 1, &negative));
    INVALID(taut_world_set_rest_values(world, targets, 0, 1, value)); /* not a kind with one rest value */
    INVALID(taut_world_move_targets(world, distances, 0, 1, value));
    taut_world_destroy(world);
}

TAUT_TEST(interface_world, operators) {
    taut_world* world = make_world(backend);
    double in[3 * PARTICLES + ROWS] = {0}, out[3 * PARTICLES + ROWS] = {77};
    INVALID(taut_world_apply(world, TAUT_OPERATOR_J, in, out)); /* not linearised yet */
    size_t rows = 77;
    INVALID(taut_world_right_hand_side(world, out));
    INVALID(taut_world_velocity_right_hand_side(world, out));
    INVALID(taut_world_linearised_rows(world, &rows));
    CHECK_OK(taut_world_linearise(world, 0.01));
    INVALID(taut_world_linearised_rows(NULL, &rows));
    INVALID(taut_world_linearised_rows(world, NULL));
    CHECK_INT(rows, 77);
    CHECK_OK(taut_world_linearised_rows(world, &rows));
    CHECK_INT(rows, taut_world_row_count(world));
    INVALID(taut_world_velocity_right_hand_side(NULL, out));
    INVALID(taut_world_velocity_right_hand_side(world, NULL));
    INVALID(taut_world_apply(NULL, TAUT_OPERATOR_J, in, out));
    INVALID(taut_world_apply(world, TAUT_OPERATOR_J, NULL, out));
    INVALID(taut_world_apply(world, TAUT_OPERATOR_J, in, NULL));
    INVALID(taut_world_apply(world, (taut_operator)77, in, out));
    INVALID(taut_world_right_hand_side(NULL, out));
    INVALID(taut_world_right_hand_side(world, NULL));
    CHECK_NEAR(out[0], 77, 0);
    CHECK_OK(taut_world_apply(world, TAUT_OPERATOR_J, in, out));
    CHECK_OK(taut_world_step(world, 0.01));
    INVALID(taut_world_apply(world, TAUT_OPERATOR_J, in, out)); /* must be linearised anew after a step */
    CHECK_OK(taut_world_linearise(world, 0.01));
    CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, 0, 1, in));
    INVALID(taut_world_apply(world, TAUT_OPERATOR_J, in, out)); /* and after a write */
    taut_world_destroy(world);
}
