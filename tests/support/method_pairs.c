#include "method_pairs.h"

#include <math.h>
#include <stdlib.h>

#include "dense_matrix.h"
#include "phys_scenes.h"
#include "refused.h"
#include "scene_graph.h"
#include "small_scenes.h"

static const double h = PAIR_STEP;
static const double down[3] = {0.03, -0.1, 0.02};
static const scene_material soft = {1e-4, 0.01}, hard = {0, 0};

/* ---- scenes ------------------------------------------------------------------------------------------------------ */

static taut_scene* built(oracle_scene* description, double shake) {
    taut_scene* scene = NULL;
    scene_shake(description, 3, shake, 50 * shake);
    CHECK_OK(oracle_scene_build(description, &scene));
    oracle_scene_free(description);
    return scene;
}

taut_scene* pair_rope(void) {
    oracle_scene s = {0};
    scene_rope(&s, 8, down, 0.1, hard);
    return built(&s, 0.002);
}

taut_scene* pair_cloth(void) {
    oracle_scene s = {0};
    scene_cloth(&s, 6, 6, soft, (scene_material){1, 0.02});
    return built(&s, 0.002);
}

taut_scene* pair_block(void) {
    oracle_scene s = {0};
    const uint32_t first = scene_block(&s, 2, 0.1, 0.05);
    scene_block_strains(&s, first, 2, soft);
    scene_block_volumes(&s, first, 2, soft);
    s.particles[first].fixed = true;
    return built(&s, 0.002);
}

taut_scene* pair_mixed(void) {
    oracle_scene s = {0};
    scene_mixed(&s, 1e-4, 0.01);
    return built(&s, 0.002);
}

/* Bodies on every joint, a rod, points mapped from them in several levels, some with masses. */
taut_scene* pair_mechanism(void) {
    const taut_scene_def def = taut_default_scene();
    taut_scene* scene = NULL;
    scene_graph graph;
    CHECK_OK(taut_scene_create(&def, &scene));
    CHECK_OK(scene_graph_add(scene, &graph));
    return scene;
}

/* ---- two ways through the same steps ----------------------------------------------------------------------------- */

taut_world_def pair_def(taut_backend_kind backend, taut_method method) {
    taut_world_def def = taut_default_world();
    def.integrator.further = 0; /* one system a step */
    def.backend = backend;
    def.gravity[0] = 0.7;
    def.solver.method = method;
    def.solver.tolerance = 1e-9;
    def.solver.max_iterations = 200000;
    return def;
}

bool pair_open(pair* p, taut_scene* scene, const taut_world_def* tested, const taut_world_def* other) {
    *p = (pair){0};
    const bool good =
        CHECK_OK(taut_world_create(scene, tested, &p->tested)) && CHECK_OK(taut_world_create(scene, other, &p->other));
    taut_scene_destroy(scene);
    if (good) {
        p->n = taut_world_particle_count(p->tested);
        p->frames = taut_world_frame_count(p->tested);
        p->m = taut_world_row_count(p->tested);
    }
    return good;
}

void pair_close(pair* p) {
    taut_world_destroy(p->tested);
    taut_world_destroy(p->other);
    test_note(NULL);
}

/* Velocities of points and frames. */
static double* velocities(const pair* p, taut_world* world) {
    double* v = calloc(3 * (p->n + p->frames), sizeof *v);
    CHECK_OK(taut_world_read(world, TAUT_FIELD_VELOCITIES, 0, p->n, v));
    CHECK_OK(taut_world_read(world, TAUT_FIELD_ANGULAR_VELOCITIES, 0, p->frames, v + 3 * p->n));
    return v;
}

void pair_compare_motion(const pair* p, double tolerance) {
    const size_t count = 3 * (p->n + p->frames);
    double *a = velocities(p, p->tested), *b = velocities(p, p->other);
    CHECK_NEAR(dense_max_difference(count, a, b) / fmax(dense_max(count, b), 9.81 * h), 0, tolerance);
    free(a), free(b);
}

void pair_compare_forces(const pair* p, double tolerance) {
    double* a = calloc(2 * p->m + 2, sizeof *a);
    double* b = a + p->m + 1;
    CHECK_OK(taut_world_read(p->tested, TAUT_FIELD_MULTIPLIERS, 0, p->m, a));
    CHECK_OK(taut_world_read(p->other, TAUT_FIELD_MULTIPLIERS, 0, p->m, b));
    CHECK_NEAR(dense_max_difference(p->m, a, b) / fmax(dense_max(p->m, b), 1e-3), 0, tolerance);
    free(a);
}

taut_step_info pair_step(taut_world* world) {
    taut_step_info info = {0};
    CHECK_OK(taut_world_step(world, h));
    CHECK_OK(taut_world_info(world, &info));
    return info;
}

/* Solutions by factors of a step to 1e-9: the first, and what rounding and the shift have left of it. */
#define FEW_SOLUTIONS 4

/* What a world says of its step is so; whether it converged. */
bool pair_converges(taut_world* world, double tolerance) {
    const taut_step_info info = pair_step(world);
    taut_choice choice;
    CHECK_OK(taut_world_choice(world, &choice));
    CHECK(choice.direct_rows == 0 || info.iterations <= FEW_SOLUTIONS);
    CHECK((info.outcome == TAUT_SOLVE_CONVERGED) == (info.residual <= tolerance));
    return info.outcome == TAUT_SOLVE_CONVERGED;
}

/* Solutions are as far apart as their residuals times the condition, and differences of the first steps have changed
 * the next ones. */
void pair_check_steps(const char* name, pair_scene* make, const taut_world_def* tested, taut_method method, int steps) {
    taut_world_def def = *tested;
    pair p;
    def.solver.method = method;
    if (pair_open(&p, make(), tested, &def)) {
        for (int k = 0; k < steps; k++) {
            test_note("%s, against method %d, step %d", name, (int)method, k);
            const bool first = CHECK(pair_converges(p.tested, tested->solver.tolerance));
            if (!CHECK(pair_converges(p.other, tested->solver.tolerance)) || !first) {
                break;
            }
            pair_compare_motion(&p, (k == 0 ? 1e3 : 1e4) * def.solver.tolerance);
            pair_compare_forces(&p, (k == 0 ? 1e5 : 1e6) * def.solver.tolerance);
        }
    }
    pair_close(&p);
}

/* A straight chain, shorter than what it must span: nothing can be right, and that is said. */
void pair_check_contradiction(taut_world_def def) {
    const double x[9] = {0, 0, 0, 1, 0, 0, 2, 0, 0};
    const uint32_t ends[4] = {0, 1, 1, 2}, pins[2] = {0, 2};
    taut_scene* scene = phys_scene(3, x, NULL);
    const phys_tuples edges = {2, (uint32_t*)ends};
    const double lengths[2] = {0.9, 0.9};
    const taut_batch links = phys_add_links(scene, &edges, 0, 0);
    phys_fix(scene, 2, pins);
    taut_world* world = phys_world(scene, &def);
    CHECK_OK(taut_world_set_rest_values(world, links, 0, 2, lengths));
    const taut_step_info info = pair_step(world);
    const bool sweeps = def.solver.method == TAUT_METHOD_GAUSS_SEIDEL; /* too slow for what is so nearly singular */
    CHECK(sweeps || info.outcome == TAUT_SOLVE_CONVERGED);
    CHECK(info.iterations <= def.solver.max_iterations);
    double v[3] = {NAN, NAN, NAN};
    CHECK_OK(taut_world_read(world, TAUT_FIELD_VELOCITIES, 1, 1, v));
    CHECK_NEAR(v[0], 0, (sweeps ? 0.2 : 1e-4) / h); /* in the middle, as it was */
    CHECK_NEAR(v[2], 0, (sweeps ? 0.2 : 1e-4) / h);
    taut_world_destroy(world);
}

/* ---- nodes that are freed and fixed later ------------------------------------------------------------------------ */

/* The pattern, and the colours, are those of creation. */
static void check_freeing(pair_scene* make, const taut_world_def* def, const uint32_t* freed, size_t count,
                          uint32_t held) {
    taut_world_def schur = *def;
    pair p;
    schur.solver.method = TAUT_METHOD_SCHUR;
    if (pair_open(&p, make(), def, &schur)) {
        taut_world* const worlds[2] = {p.tested, p.other};
        for (int stage = 0; stage < 3; stage++) {
            for (int w = 0; w < 2; w++) {
                CHECK_OK(taut_world_set_fixed(worlds[w], count, freed, stage == 2));
                CHECK_OK(taut_world_set_fixed(worlds[w], 1, &held, stage == 1));
                CHECK(pair_converges(worlds[w], def->solver.tolerance));
            }
            test_note("stage %d", stage);
            pair_compare_motion(&p, 1e-5);
        }
    }
    pair_close(&p);
}

void pair_check_freeing(const taut_world_def* def) {
    const uint32_t top[1] = {0}, corners[2] = {0, 5};
    check_freeing(pair_rope, def, top, 1, 4);
    if (def->backend == TAUT_BACKEND_CPU) {
        check_freeing(pair_cloth, def, corners, 2, 20);
    }
}

/* ---- definitions ------------------------------------------------------------------------------------------------- */

taut_status pair_create(const taut_world_def* def, taut_world** world) {
    taut_scene* scene = pair_rope();
    const taut_status status = taut_world_create(scene, def, world);
    taut_scene_destroy(scene);
    return status;
}

void pair_check_definitions(taut_backend_kind backend, taut_method method) {
    taut_world_def def = pair_def(backend, method);
    taut_world* world = NULL;
    for (int p = TAUT_PRECONDITIONER_JACOBI; p <= TAUT_PRECONDITIONER_MULTILEVEL; p++) {
        def.solver.preconditioner = (taut_preconditioner)p;
        INVALID(pair_create(&def, &world));
    }
    def.solver.preconditioner = TAUT_PRECONDITIONER_NONE;
    REQUIRE_OK(pair_create(&def, &world));
    taut_solver other = def.solver;
    other.method = TAUT_METHOD_SCHUR;
    INVALID(taut_world_set_solver(world, &other));
    other = def.solver;
    other.tolerance = 1e-3;
    CHECK_OK(taut_world_set_solver(world, &other));
    taut_world_destroy(world);
}

/* 8 links, two colours; a factor of a chain has no fill. */
void pair_check_choice(taut_backend_kind backend, taut_method method) {
    const taut_world_def def = pair_def(backend, method);
    taut_world* world = NULL;
    taut_choice choice;
    REQUIRE_OK(pair_create(&def, &world));
    CHECK_OK(taut_world_choice(world, &choice));
    const bool direct = method == TAUT_METHOD_DIRECT;
    CHECK_INT(choice.schur_rows + choice.condensed_rows, 0);
    CHECK_INT(direct ? choice.direct_rows : choice.gauss_seidel_rows, 8);
    CHECK_INT(direct ? choice.gauss_seidel_rows : choice.direct_rows, 0);
    CHECK_INT(choice.colours, direct ? 0 : 2);
    CHECK_INT(choice.factor_values, direct ? (2 * 8 * 12) + (9 * 3) + (8 * 6) : 0);
    CHECK_INT(choice.schur, TAUT_PRECONDITIONER_NONE);
    taut_world_destroy(world);
}

/* ---- nothing to solve -------------------------------------------------------------------------------------------- */

void pair_check_free_fall(taut_world_def def) {
    const double x[3] = {0, 0, 0};
    taut_world* world = phys_world(phys_scene(1, x, NULL), &def);
    double v[3] = {0, 0, 0};
    pair_step(world);
    CHECK_OK(taut_world_read(world, TAUT_FIELD_VELOCITIES, 0, 1, v));
    CHECK_NEAR(v[1], def.gravity[1] * h, 1e-6);
    taut_world_destroy(world);
}
