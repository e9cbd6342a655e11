/* Worlds number particles and constraints as they like; users must not notice. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "dense_matrix.h"
#include "harness.h"
#include "host/world/world_data.h"
#include "small_scenes.h"

static const double dt = 0.01;

/* A sheet with some of everything else, in an order without meaning. */
static void build(oracle_scene* scene) {
    const scene_material edges = {1e-5, 0.01}, bends = {1, 0.01};
    const double rate[3] = {0.2, -0.1, 0.05};
    const scene_grid grid = scene_cloth(scene, 7, 6, edges, bends);
    scene_mixed(scene, 1e-4, 0.02);
    scene_target(scene, grid.first + 20, rate, edges);
    scene_target(scene, grid.first + 30, rate, edges);
    scene_shake(scene, 5, 0.004, 0.3);
    scene_shuffle(scene, 17);
}

static taut_world_def definition(taut_backend_kind backend, bool reorder) {
    taut_world_def def = taut_default_world();
    def.backend = backend;
    def.reorder = reorder;
    return def;
}

/* Against the reference, which knows the user's numbers only. */
static void check_steps(taut_backend_kind backend, bool reorder, taut_geometric_stiffness geometric) {
    taut_world_def def = definition(backend, reorder);
    oracle_scene scene = {0};
    companion c;
    def.integrator.geometric_stiffness = geometric;
    build(&scene);
    if (!companion_open(&c, scene, &def)) {
        return;
    }
    CHECK(c.world->plan.sizes.nodes_move == reorder);
    CHECK(!reorder || c.world->plan.sizes.rows_move);
    for (int k = 0; k < 3; k++) {
        step_difference d;
        if (!companion_step(&c, dt, &d)) {
            break;
        }
        CHECK_INT(d.outcome, TAUT_SOLVE_CONVERGED);
        CHECK_NEAR(d.dv, 0, 1e-5); /* float32 Jacobians, as in test_oracle.c */
        CHECK_NEAR(d.gam, 0, 1e-3);
        CHECK_NEAR(d.position, 0, 1e-5);
        CHECK_NEAR(d.phi, 0, 1e-11);
    }
    companion_close(&c);
}

TAUT_TEST(ordering, reference) {
    check_steps(backend, true, TAUT_GEOMETRIC_NONE);
    check_steps(backend, true, TAUT_GEOMETRIC_FULL);
}

TAUT_TEST(ordering, reference_as_given) {
    check_steps(backend, false, TAUT_GEOMETRIC_FULL);
}

/* ---- the same world with and without renumbering ---------------------------------------------------------------- */

typedef struct twins {
    oracle_scene scene;
    taut_world* world[2]; /* as given, renumbered */
} twins;

static bool twins_open(taut_backend_kind backend, twins* t) {
    *t = (twins){0};
    build(&t->scene);
    for (int i = 0; i < 2; i++) {
        taut_world_def def = definition(backend, i == 1);
        def.solver.tolerance = 1e-10;
        def.solver.max_iterations = 10000;
        if (!CHECK_OK(oracle_scene_world(&t->scene, &def, &t->world[i]))) {
            return false;
        }
    }
    return CHECK(t->world[1]->plan.sizes.nodes_move && t->world[1]->plan.sizes.rows_move);
}

static void twins_close(twins* t) {
    taut_world_destroy(t->world[0]);
    taut_world_destroy(t->world[1]);
    oracle_scene_free(&t->scene);
}

static double largest_difference(const double* a, const double* b, size_t count) {
    return dense_max_difference(count, a, b) / fmax(dense_max(count, a), 1e-6);
}

/* Solved to 1e-10 for float32 Jacobians that are the same in both: what differs is the order of sums. */
static void check_field(const twins* t, taut_field field, size_t count, double tolerance) {
    double* values[2];
    for (int i = 0; i < 2; i++) {
        values[i] = calloc(3 * count, sizeof(double));
        CHECK_OK(taut_world_read(t->world[i], field, 0, count, values[i]));
    }
    const size_t columns = field == TAUT_FIELD_VIOLATIONS || field == TAUT_FIELD_MULTIPLIERS ? 1 : 3;
    test_note("field %d", (int)field);
    CHECK_NEAR(largest_difference(values[0], values[1], columns * count), 0, tolerance);
    test_note(NULL);
    free(values[0]);
    free(values[1]);
}

static void check_twins(const twins* t) {
    const size_t nodes = t->scene.particle_count, rows = oracle_row_count(&t->scene);
    check_field(t, TAUT_FIELD_POSITIONS, nodes, 1e-8);
    check_field(t, TAUT_FIELD_POSITIONS_F32, nodes, 1e-6);
    check_field(t, TAUT_FIELD_VELOCITIES, nodes, 1e-5);
    check_field(t, TAUT_FIELD_VIOLATIONS, rows, 1e-5);
    check_field(t, TAUT_FIELD_MULTIPLIERS, rows, 1e-3);
}

static void step_twins(const twins* t, int steps) {
    for (int i = 0; i < 2 * steps; i++) {
        CHECK_OK(taut_world_step(t->world[i % 2], dt));
    }
}

/* First constraint of a kind. */
static const oracle_constraint* first_of(const oracle_scene* scene, taut_kind kind) {
    const oracle_constraint* c = scene->constraints;
    while (c->kind != kind) {
        c++;
    }
    return c;
}

TAUT_TEST(ordering, writing) {
    twins t;
    if (!twins_open(backend, &t)) {
        return;
    }
    const uint32_t held[2] = {3, 11};
    for (int i = 0; i < 2; i++) {
        taut_world* w = t.world[i];
        double x[12], goals[6];
        const double forces[6] = {1, 2, 3, -2, 1, 0.5};
        CHECK_OK(taut_world_set_forces(w, 5, 2, forces));
        CHECK_OK(taut_world_read(w, TAUT_FIELD_POSITIONS, 9, 4, x));
        x[4] += 0.003;
        CHECK_OK(taut_world_write(w, TAUT_FIELD_POSITIONS, 9, 4, x));
        CHECK_OK(taut_world_write(w, TAUT_FIELD_VELOCITIES, 14, 2, forces));
        CHECK_OK(taut_world_set_fixed(w, 2, held, true));
        for (int k = 0; k < 2; k++) {
            CHECK_OK(taut_world_read(w, TAUT_FIELD_POSITIONS, held[k], 1, goals + 3 * k));
            goals[3 * k + 1] += 0.002;
        }
        CHECK_OK(taut_world_move_fixed(w, 2, held, goals));
    }
    step_twins(&t, 2);
    check_twins(&t);
    twins_close(&t);
}

TAUT_TEST(ordering, tuning) {
    twins t;
    if (!twins_open(backend, &t)) {
        return;
    }
    const taut_batch links = first_of(&t.scene, TAUT_DISTANCE)->batch, aims = first_of(&t.scene, TAUT_TARGET)->batch;
    const taut_batch volumes = first_of(&t.scene, TAUT_TET_VOLUME)->batch;
    for (int i = 0; i < 2; i++) {
        const double compliances[3] = {1e-3, 2e-3, 5e-4}, dampings[2] = {0.05, 0.1}, lengths[2] = {0.07, 0.09};
        const double volume = 2e-4, target[3] = {0.1, -0.1, 0.2};
        CHECK_OK(taut_world_set_compliances(t.world[i], links, 2, 3, compliances));
        CHECK_OK(taut_world_set_dampings(t.world[i], links, 7, 2, dampings));
        CHECK_OK(taut_world_set_rest_values(t.world[i], links, 11, 2, lengths));
        CHECK_OK(taut_world_set_rest_values(t.world[i], volumes, 0, 1, &volume));
        CHECK_OK(taut_world_move_targets(t.world[i], aims, 1, 1, target));
    }
    step_twins(&t, 2);
    check_twins(&t);
    twins_close(&t);
}

/* Bends as forces, taken at the start of the step, and a row that gives a particle a speed. */
static void open_with_laws(taut_backend_kind backend, bool laws, bool reorder, oracle_scene* described,
                           taut_world** world) {
    taut_world_def def = definition(backend, reorder);
    taut_linear_def speed = taut_default_linear();
    taut_scene* scene = NULL;
    def.solver.tolerance = 1e-10;
    def.solver.max_iterations = 10000;
    CHECK_OK(taut_integrator_preset(TAUT_PRESET_SYMPLECTIC_EULER, &def.integrator));
    speed.count = 1;
    speed.offsets = (const size_t[]){0, 1};
    speed.coordinates = (const uint32_t[]){3 * 11 + 1};
    speed.weights = (const double[]){1};
    speed.rest_values = (const double[]){0.4};
    speed.of_velocities = true;
    CHECK_OK(oracle_scene_build(described, &scene));
    if (laws) {
        CHECK_OK(taut_scene_use_as_forces(scene, first_of(described, TAUT_BEND)->batch));
        CHECK_OK(taut_scene_add_linear(scene, &speed, NULL));
    }
    CHECK_OK(taut_world_create(scene, &def, world));
    taut_scene_destroy(scene);
}

TAUT_TEST(ordering, laws) {
    twins t = {0};
    taut_world* without = NULL;
    double v[3];
    build(&t.scene);
    open_with_laws(backend, true, false, &t.scene, &t.world[0]);
    open_with_laws(backend, true, true, &t.scene, &t.world[1]);
    open_with_laws(backend, false, true, &t.scene, &without);
    if (CHECK(t.world[1] != NULL && t.world[1]->plan.sizes.nodes_move && without != NULL)) {
        step_twins(&t, 3);
        check_twins(&t);
        CHECK_OK(taut_world_read(t.world[1], TAUT_FIELD_VELOCITIES, 11, 1, v));
        CHECK_NEAR(v[1], 0.4, 1e-6);
        /* They matter. */
        double *with = calloc(t.scene.particle_count, 3 * sizeof(double)),
               *other = calloc(t.scene.particle_count, 3 * sizeof(double));
        for (int i = 0; i < 3; i++) {
            CHECK_OK(taut_world_step(without, dt));
        }
        CHECK_OK(taut_world_read(t.world[1], TAUT_FIELD_VELOCITIES, 0, t.scene.particle_count, with));
        CHECK_OK(taut_world_read(without, TAUT_FIELD_VELOCITIES, 0, t.scene.particle_count, other));
        CHECK(largest_difference(with, other, 3 * t.scene.particle_count) > 1e-3);
        free(with);
        free(other);
    }
    taut_world_destroy(without);
    twins_close(&t);
}

TAUT_TEST(ordering, operators) {
    twins t;
    if (!twins_open(backend, &t)) {
        return;
    }
    const size_t n = 3 * t.scene.particle_count, m = oracle_row_count(&t.scene), most = n > m ? n : m;
    double* in = calloc(most, sizeof *in);
    double* out[2] = {calloc(most, sizeof(double)), calloc(most, sizeof(double))};
    for (size_t i = 0; i < most; i++) {
        in[i] = sin(1.7 * (double)i);
    }
    CHECK_OK(taut_world_linearise(t.world[0], dt));
    CHECK_OK(taut_world_linearise(t.world[1], dt));
    for (int op = 0; op <= TAUT_OPERATOR_G; op++) {
        CHECK_OK(taut_world_apply(t.world[0], (taut_operator)op, in, out[0]));
        CHECK_OK(taut_world_apply(t.world[1], (taut_operator)op, in, out[1]));
        const bool rows = op == TAUT_OPERATOR_J || op == TAUT_OPERATOR_S || op == TAUT_OPERATOR_W;
        test_note("operator %d", op);
        CHECK_NEAR(largest_difference(out[0], out[1], rows ? m : n), 0, 1e-9);
    }
    CHECK_OK(taut_world_right_hand_side(t.world[0], out[0]));
    CHECK_OK(taut_world_right_hand_side(t.world[1], out[1]));
    CHECK_NEAR(largest_difference(out[0], out[1], m), 0, 1e-9);
    test_note(NULL);
    free(in);
    free(out[0]);
    free(out[1]);
    twins_close(&t);
}

/* A grid that was given row by row keeps its particles' numbers. */
TAUT_TEST(ordering, good_order_stays) {
    oracle_scene scene = {0};
    taut_world* world = NULL;
    const taut_world_def def = definition(backend, true);
    scene_sheet_edges(&scene, scene_sheet(&scene, 20, 20, 0.1, 0.01), (scene_material){1e-4, 0});
    if (CHECK_OK(oracle_scene_world(&scene, &def, &world))) {
        CHECK(!world->plan.sizes.nodes_move);
    }
    taut_world_destroy(world);
    oracle_scene_free(&scene);
}
