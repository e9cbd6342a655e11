/* The condensed system against the Schur complement, on the same scenes; which of them a world chooses; hard rows by
 * proximal iteration. Against the float64 reference it is checked in test_oracle.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dense_matrix.h"
#include "harness.h"
#include "refused.h"
#include "scene_graph.h"
#include "small_scenes.h"
#include "unguarded.h"

static const double h = 1.0 / 60;
static const double down[3] = {0.03, -0.1, 0.02};

typedef void build_fn(oracle_scene* scene, scene_material material);

static void build_rope(oracle_scene* scene, scene_material m) {
    scene_rope_bending(scene, scene_rope(scene, 8, down, 0.1, m), 8, (scene_material){1e-2, 0.1});
}

static void build_cloth(oracle_scene* scene, scene_material m) {
    scene_cloth(scene, 6, 6, m, (scene_material){1, 0.02});
}

static void build_membranes(oracle_scene* scene, scene_material m) {
    const scene_grid grid = scene_sheet(scene, 5, 5, 0.1, 0.02);
    scene_sheet_membranes(scene, grid, m);
    scene_sheet_bends(scene, grid, (scene_material){1, 0.02});
    scene_sheet_pin_corners(scene, grid);
}

static void build_block(oracle_scene* scene, scene_material m) {
    const uint32_t first = scene_block(scene, 2, 0.1, 0.05);
    scene_block_strains(scene, first, 2, m);
    scene_block_volumes(scene, first, 2, m);
    scene->particles[first].fixed = true;
}

static void build_held(oracle_scene* scene, scene_material m) {
    const double rate[3] = {0.5, -0.2, 0.1};
    scene_rope(scene, 5, down, 0.1, m);
    scene_attach(scene, 1, 4, m);
    scene_target(scene, 3, rate, m);
}

static void build_mixed(oracle_scene* scene, scene_material m) {
    scene_mixed(scene, m.compliance, m.damping);
}

/* ---- twins of two methods ---------------------------------------------------------------------------------------- */

typedef struct methods {
    taut_world* world[2]; /* Schur, condensed */
    size_t n, m;          /* coordinates of particles and frames, rows */
} methods;

typedef struct state {
    double *v, *lam;
} state;

static bool methods_open(methods* t, const taut_scene* scene, taut_world_def def) {
    bool good = true;
    for (int i = 0; i < 2; i++) {
        def.solver.method = i == 0 ? TAUT_METHOD_SCHUR : TAUT_METHOD_CONDENSED;
        t->world[i] = NULL;
        good = CHECK_OK(taut_world_create(scene, &def, &t->world[i])) && good;
    }
    t->n = 3 * (taut_world_particle_count(t->world[0]) + taut_world_frame_count(t->world[0]));
    t->m = taut_world_row_count(t->world[0]);
    return good;
}

static void methods_close(methods* t) {
    taut_world_destroy(t->world[0]);
    taut_world_destroy(t->world[1]);
}

static state take(const methods* t, int i) {
    const size_t points = taut_world_particle_count(t->world[i]), frames = taut_world_frame_count(t->world[i]);
    state s = {calloc(t->n, sizeof(double)), calloc(t->m + 1, sizeof(double))};
    CHECK_OK(taut_world_read(t->world[i], TAUT_FIELD_VELOCITIES, 0, points, s.v));
    CHECK_OK(taut_world_read(t->world[i], TAUT_FIELD_ANGULAR_VELOCITIES, 0, frames, s.v + 3 * points));
    CHECK_OK(taut_world_read(t->world[i], TAUT_FIELD_MULTIPLIERS, 0, t->m, s.lam));
    return s;
}

/* Of velocities against g h or the largest change, of multipliers against the largest. */
static void compare(const methods* t, double velocities, double forces) {
    const state a = take(t, 0), b = take(t, 1);
    CHECK_NEAR(dense_max_difference(t->n, b.v, a.v) / fmax(dense_max(t->n, a.v), 9.81 * h), 0, velocities);
    CHECK_NEAR(dense_max_difference(t->m, b.lam, a.lam) / fmax(dense_max(t->m, a.lam), 1e-3), 0, forces);
    free(a.v), free(a.lam), free(b.v), free(b.lam);
}

/* Steps both; whether both converged. A method that does not must say so with a residual above its tolerance. */
static bool step(const methods* t, double tolerance) {
    bool good = true;
    for (int i = 0; i < 2; i++) {
        taut_step_info info;
        CHECK_OK(taut_world_step(t->world[i], h));
        CHECK_OK(taut_world_info(t->world[i], &info));
        CHECK((info.outcome == TAUT_SOLVE_CONVERGED) == (info.residual <= tolerance));
        good = good && info.outcome == TAUT_SOLVE_CONVERGED;
    }
    return good;
}

static taut_world_def tight(taut_backend_kind backend, double alpha, double beta, taut_geometric_stiffness geometric) {
    taut_world_def def = unguarded_world();
    def.backend = backend;
    def.gravity[0] = 0.7;
    def.integrator.alpha = alpha;
    def.integrator.beta = beta;
    def.integrator.geometric_stiffness = geometric;
    def.integrator.hard_row_damping = alpha < 1 ? 1 : 0;
    def.solver.tolerance = 1e-9;
    def.solver.max_iterations = 100000;
    return def;
}

/* The stiffest rows differ by their condition: J in float32 is the same for both, but residuals of 1e-9 are not. */
static void check_scene(const char* name, build_fn* build, double compliance, int steps, const taut_world_def* def,
                        double velocities, double forces) {
    oracle_scene description = {0};
    taut_scene* scene = NULL;
    methods t = {{NULL, NULL}, 0, 0};
    build(&description, (scene_material){compliance, 0.01});
    scene_shake(&description, 3, 0.003, 0.2);
    if (CHECK_OK(oracle_scene_build(&description, &scene)) && methods_open(&t, scene, *def)) {
        for (int k = 0; k < steps; k++) {
            test_note("%s, compliance %g, alpha %g, beta %g, geometric stiffness %d, step %d", name, compliance,
                      def->integrator.alpha, def->integrator.beta, (int)def->integrator.geometric_stiffness, k);
            if (!step(&t, def->solver.tolerance)) {
                CHECK(compliance < 1e-5); /* redundant stiff rows have no bound on their condition */
                break;
            }
            compare(&t, velocities, forces);
        }
    }
    test_note(NULL);
    methods_close(&t);
    taut_scene_destroy(scene);
    oracle_scene_free(&description);
}

static const double compliances[5] = {1e-2, 1e-4, 1e-6, 1e-8, 0};

static void check_step(taut_backend_kind backend, const char* name, build_fn* build) {
    static const double schemes[4][2] = {{1, 1}, {0.6, 0.7}, {1, 0}, {0.5, 0.5}};
    for (int c = 0; c < 5; c++) {
        const int some = backend == TAUT_BACKEND_CUDA ? 1 : 4; /* an emulator takes one scheme of each */
        for (int s = 0; s < some; s++) {
            const double* scheme = schemes[(s + c) % 4];
            const taut_world_def def =
                tight(backend, scheme[0], scheme[1], (s + c) % 2 ? TAUT_GEOMETRIC_NONE : TAUT_GEOMETRIC_FULL);
            const double worse = compliances[c] < 1e-7 ? 10 : 1;
            check_scene(name, build, compliances[c], 2, &def, worse * 1e-6, worse * 1e-4);
        }
    }
}

/* 20 steps on, differences of the velocities have moved positions that change the forces. */
static void check_course(taut_backend_kind backend, const char* name, build_fn* build) {
    for (int c = 0; c < 3; c++) {
        const taut_world_def def = tight(backend, 1, 1, TAUT_GEOMETRIC_FULL);
        check_scene(name, build, compliances[c], backend == TAUT_BACKEND_CUDA ? 4 : 20, &def, 1e-5, 1e-3);
    }
}

#define CONDENSED_SCENE(name)                                                                                          \
    TAUT_TEST(condensed, name##_step) {                                                                                \
        check_step(backend, #name, build_##name);                                                                      \
    }                                                                                                                  \
    TAUT_TEST(condensed, name##_course) {                                                                              \
        check_course(backend, #name, build_##name);                                                                    \
    }
CONDENSED_SCENE(rope)
CONDENSED_SCENE(cloth)
CONDENSED_SCENE(membranes)
CONDENSED_SCENE(block)
CONDENSED_SCENE(held)
CONDENSED_SCENE(mixed)

/* Bodies, joints, a rod and mapped points in several levels, some with masses. */
static void check_graph(int steps, taut_world_def def) {
    const taut_scene_def plain = taut_default_scene();
    taut_scene* scene = NULL;
    scene_graph graph = {0};
    methods t = {{NULL, NULL}, 0, 0};
    if (CHECK_OK(taut_scene_create(&plain, &scene)) && CHECK_OK(scene_graph_add(scene, &graph)) &&
        methods_open(&t, scene, def)) {
        for (int k = 0; k < steps; k++) {
            test_note("alpha %g, beta %g, geometric stiffness %d, step %d", def.integrator.alpha, def.integrator.beta,
                      (int)def.integrator.geometric_stiffness, k);
            if (!CHECK(step(&t, def.solver.tolerance))) {
                break;
            }
            compare(&t, k == 0 ? 1e-6 : 1e-5, k == 0 ? 1e-4 : 1e-3);
        }
    }
    test_note(NULL);
    methods_close(&t);
    taut_scene_destroy(scene);
}

TAUT_TEST(condensed, graph_step) {
    check_graph(1, tight(backend, 1, 1, TAUT_GEOMETRIC_NONE));
    check_graph(1, tight(backend, 0.6, 0.7, TAUT_GEOMETRIC_FULL));
    check_graph(1, tight(backend, 0.5, 0.5, TAUT_GEOMETRIC_NONE));
}
TAUT_TEST(condensed, graph_course) {
    check_graph(backend == TAUT_BACKEND_CUDA ? 3 : 20, tight(backend, 1, 1, TAUT_GEOMETRIC_FULL));
}

/* ---- what a step leaves ------------------------------------------------------------------------------------------ */

/* With no geometric stiffness A is the mass, and the step can be checked by operators afterwards, at the state before:
 * M dv = h f + J^T gam and J dv + W gam = the right-hand side with J u taken out. */
TAUT_TEST(condensed, step_balances_forces) {
    oracle_scene description = {0};
    taut_world_def def = tight(backend, 1, 1, TAUT_GEOMETRIC_NONE);
    taut_world* world = NULL;
    def.solver.method = TAUT_METHOD_CONDENSED;
    build_membranes(&description, (scene_material){1e-5, 0.01});
    REQUIRE_OK(oracle_scene_world(&description, &def, &world));
    const size_t n = 3 * description.particle_count, m = oracle_row_count(&description);
    double* memory = calloc(6 * n + 4 * m, sizeof *memory);
    double *x = memory, *v = x + n, *dv = v + n, *Mdv = dv + n, *pulled = Mdv + n, *u = pulled + n;
    double *gam = u + n, *b = gam + m, *Sg = b + m, *Wg = Sg + m;
    CHECK_OK(taut_world_step(world, h)); /* so that the next one has a first guess */
    CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, 0, n / 3, x));
    CHECK_OK(taut_world_read(world, TAUT_FIELD_VELOCITIES, 0, n / 3, v));
    CHECK_OK(taut_world_linearise(world, h));
    CHECK_OK(taut_world_right_hand_side(world, b));
    CHECK_OK(taut_world_step(world, h));
    CHECK_OK(taut_world_read(world, TAUT_FIELD_MULTIPLIERS, 0, m, gam));
    CHECK_OK(taut_world_read(world, TAUT_FIELD_VELOCITIES, 0, n / 3, dv));
    for (size_t i = 0; i < n; i++) {
        const bool fixed = description.particles[i / 3].fixed;
        dv[i] = fixed ? 0 : dv[i] - v[i];
        u[i] = fixed ? 0 : h * def.gravity[i % 3];
    }
    for (size_t i = 0; i < m; i++) {
        gam[i] *= h;
    }
    CHECK_OK(taut_world_write(world, TAUT_FIELD_POSITIONS, 0, n / 3, x));
    CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, 0, n / 3, v));
    CHECK_OK(taut_world_linearise(world, h));
    CHECK_OK(taut_world_apply(world, TAUT_OPERATOR_JT, gam, pulled));
    for (size_t i = 0; i < n; i++) {
        u[i] = description.particles[i / 3].fixed ? 0 : dv[i] - u[i];
        pulled[i] = description.particles[i / 3].fixed ? 0 : pulled[i];
    }
    CHECK_OK(taut_world_apply(world, TAUT_OPERATOR_A, u, Mdv));
    CHECK_NEAR(dense_max_difference(n, Mdv, pulled) / dense_max(n, Mdv), 0, 1e-7);
    CHECK_OK(taut_world_apply(world, TAUT_OPERATOR_J, u, Sg));
    CHECK_OK(taut_world_apply(world, TAUT_OPERATOR_W, gam, Wg));
    for (size_t i = 0; i < m; i++) {
        Sg[i] += Wg[i];
    }
    CHECK_NEAR(dense_max_difference(m, Sg, b) / dense_max(m, b), 0, 1e-7);
    free(memory);
    taut_world_destroy(world);
    oracle_scene_free(&description);
}

/* ---- hard rows --------------------------------------------------------------------------------------------------- */

static const scene_material hard = {0, 0};

/* A body held together by more hard rows than it needs, none of which contradict each other: a step leaves what its
 * straight path does, as by the Schur complement, and what the tolerance allows. */
TAUT_TEST(condensed, hard_rows_are_kept) {
    static const double tolerances[2] = {1e-3, 1e-6};
    for (int i = 0; i < 2; i++) {
        oracle_scene description = {0};
        taut_scene* scene = NULL;
        methods t = {{NULL, NULL}, 0, 0};
        taut_world_def def = tight(backend, 1, 1, TAUT_GEOMETRIC_FULL);
        def.solver.tolerance = tolerances[i];
        build_block(&description, hard);
        if (CHECK_OK(oracle_scene_build(&description, &scene)) && methods_open(&t, scene, def)) {
            for (int k = 0; k < 6; k++) {
                taut_step_info schur, condensed;
                CHECK(step(&t, tolerances[i]));
                CHECK_OK(taut_world_info(t.world[0], &schur));
                CHECK_OK(taut_world_info(t.world[1], &condensed));
                test_note("tolerance %g, step %d", tolerances[i], k);
                CHECK_NEAR(condensed.max_violation[TAUT_TET_STRAIN], schur.max_violation[TAUT_TET_STRAIN],
                           (k + 1) * tolerances[i]); /* what the steps so far have left adds up */
            }
        }
        test_note(NULL);
        methods_close(&t);
        taut_scene_destroy(scene);
        oracle_scene_free(&description);
    }
}

/* A sheared hard cloth, redundant all over, swings for a second and keeps its edges. */
TAUT_TEST(condensed, redundant_hard_cloth) {
    oracle_scene description = {0};
    taut_world_def def = unguarded_world();
    taut_world* world = NULL;
    taut_step_info info;
    taut_choice choice;
    def.backend = backend;
    build_cloth(&description, hard);
    REQUIRE_OK(oracle_scene_world(&description, &def, &world));
    CHECK_OK(taut_world_choice(world, &choice));
    CHECK_INT(choice.schur_rows, 0);
    for (int k = 0; k < (backend == TAUT_BACKEND_CUDA ? 3 : 60); k++) {
        CHECK_OK(taut_world_step(world, h));
        CHECK_OK(taut_world_info(world, &info));
        test_note("step %d: residual %g", k, info.residual);
        CHECK(isfinite(info.residual));
        CHECK(info.max_violation[TAUT_DISTANCE] < 0.01 * 0.1);
    }
    test_note(NULL);
    taut_world_destroy(world);
    oracle_scene_free(&description);
}

/* Two hard links of different lengths between the same ends, one of which is held: nothing satisfies both. */
TAUT_TEST(condensed, contradictory_hard_rows) {
    oracle_scene description = {0};
    taut_world_def def = unguarded_world();
    taut_world* world = NULL;
    taut_step_info info;
    double x[3 * 37];
    def.backend = backend;
    def.solver.method = TAUT_METHOD_CONDENSED;
    def.solver.max_iterations = 20000;
    build_cloth(&description, hard);
    scene_distance(&description, 0, 35, hard);
    scene_distance(&description, 0, 35, hard);
    for (size_t i = 0; i < description.constraint_count; i++) {
        oracle_constraint* c = &description.constraints[i];
        const bool tie = c->kind == TAUT_DISTANCE && c->particles[0] == 0 && c->particles[1] == 35;
        c->rest[0] *= tie ? 1 + 0.01 * (double)(i % 2) : 1;
    }
    REQUIRE_OK(oracle_scene_world(&description, &def, &world));
    for (int k = 0; k < 3; k++) {
        CHECK_OK(taut_world_step(world, h));
        CHECK_OK(taut_world_info(world, &info));
        test_note("step %d: residual %g after %u iterations in %u passes", k, info.residual, info.iterations,
                  info.outer_iterations);
        CHECK_INT(info.outcome, TAUT_SOLVE_CONVERGED);
        CHECK(info.max_violation[TAUT_DISTANCE] > 1e-3); /* between the lengths that both ties want */
        CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, 0, 36, x));
        CHECK(dense_max(3 * 36, x) < 2);
    }
    test_note(NULL);
    taut_world_destroy(world);
    oracle_scene_free(&description);
}

/* Rows between fixed particles have nothing to move, be they hard or soft. */
TAUT_TEST(condensed, rows_between_fixed_particles) {
    for (int soft = 0; soft < 2; soft++) {
        const double compliance = soft ? 1e-3 : 0;
        oracle_scene description = {0};
        methods t = {{NULL, NULL}, 0, 0};
        taut_scene* scene = NULL;
        build_cloth(&description, (scene_material){compliance, 0});
        for (uint32_t i = 0; i < 6; i++) {
            description.particles[i].fixed = true;
        }
        description.constraints[0].rest[0] *= 1.1;
        if (CHECK_OK(oracle_scene_build(&description, &scene)) &&
            methods_open(&t, scene, tight(backend, 1, 1, TAUT_GEOMETRIC_FULL))) {
            const bool good = step(&t, 1e-9);
            if (soft) {
                CHECK(good);
                compare(&t, 1e-6, 1e-4);
            }
            state s = take(&t, 1);
            CHECK(isfinite(dense_max_difference(t.n, s.v, s.v)) && isfinite(dense_max_difference(t.m, s.lam, s.lam)));
            free(s.v), free(s.lam);
        }
        methods_close(&t);
        taut_scene_destroy(scene);
        oracle_scene_free(&description);
    }
}

/* Elements so soft that C/(h l) leaves float32, and ones without a compliance for their volume. */
TAUT_TEST(condensed, extreme_materials) {
    static const double compliance[3] = {1e30, 1e-14, 1e-4}, poisson[3] = {0.3, 0.3, 0.4999999};
    for (int i = 0; i < 3; i++) {
        oracle_scene description = {0};
        taut_world_def def = unguarded_world();
        taut_world* world = NULL;
        taut_step_info info;
        def.backend = backend;
        def.solver.method = TAUT_METHOD_CONDENSED;
        build_block(&description, (scene_material){compliance[i], 0});
        for (size_t k = 0; k < description.constraint_count; k++) {
            description.constraints[k].poisson = poisson[i];
        }
        REQUIRE_OK(oracle_scene_world(&description, &def, &world));
        for (int k = 0; k < 3; k++) {
            test_note("compliance %g, Poisson's ratio %g, step %d", compliance[i], poisson[i], k);
            CHECK_OK(taut_world_step(world, h));
            CHECK_OK(taut_world_info(world, &info));
            CHECK(isfinite(info.residual) && info.kinetic < 1);
            if (compliance[i] == 1e30) { /* falls freely: sum m (g h (k + 1))^2 / 2 of 26 particles */
                const double fall = 0.5 * 26 * 0.05 * 9.81 * 9.81 * h * h * (k + 1) * (k + 1);
                CHECK_NEAR(info.kinetic / fall, 1, 1e-6);
            }
        }
        test_note(NULL);
        taut_world_destroy(world);
        oracle_scene_free(&description);
    }
}

/* ---- choice ------------------------------------------------------------------------------------------------------ */

/* A rope, a cloth and a mechanism apart from each other. */
static taut_scene* three_parts(size_t* cloth_rows) {
    oracle_scene description = {0};
    taut_scene* scene = NULL;
    scene_graph graph = {0};
    scene_rope(&description, 10, down, 0.1, (scene_material){1e-6, 0});
    const size_t links = oracle_row_count(&description);
    const size_t first = description.particle_count;
    build_cloth(&description, (scene_material){1e-4, 0.01});
    *cloth_rows = oracle_row_count(&description) - links;
    for (size_t i = first; i < description.particle_count; i++) {
        description.particles[i].x[2] += 3;
    }
    CHECK_OK(oracle_scene_build(&description, &scene));
    CHECK_OK(scene_graph_add(scene, &graph));
    oracle_scene_free(&description);
    return scene;
}

static taut_world* forced(const taut_scene* scene, taut_world_def def, taut_method method) {
    taut_world* world = NULL;
    def.solver.method = method;
    CHECK_OK(taut_world_create(scene, &def, &world));
    return world;
}

TAUT_TEST(condensed, parts_choose_for_themselves) {
    size_t cloth_rows = 0;
    taut_world_def def = tight(backend, 1, 1, TAUT_GEOMETRIC_FULL);
    def.solver.cycle = TAUT_CYCLE_ADDITIVE; /* not factors */
    taut_scene* scene = three_parts(&cloth_rows);
    taut_world* both = forced(scene, def, TAUT_METHOD_AUTO);
    methods t = {{forced(scene, def, TAUT_METHOD_SCHUR), both}, 0, 0};
    methods u = {{forced(scene, def, TAUT_METHOD_CONDENSED), both}, 0, 0};
    taut_choice choice;
    t.n = u.n = 3 * (taut_world_particle_count(both) + taut_world_frame_count(both));
    t.m = u.m = taut_world_row_count(both);
    CHECK_OK(taut_world_choice(both, &choice));
    CHECK_INT(choice.condensed_rows, cloth_rows);
    CHECK_INT(choice.schur_rows, t.m - cloth_rows);
    CHECK(choice.schur != TAUT_PRECONDITIONER_NONE && choice.condensed != TAUT_PRECONDITIONER_NONE);
    CHECK(choice.schur != TAUT_PRECONDITIONER_AUTO && choice.condensed != TAUT_PRECONDITIONER_AUTO);
    CHECK_OK(taut_world_choice(t.world[0], &choice));
    CHECK_INT(choice.condensed_rows, 0);
    CHECK_INT(choice.condensed, TAUT_PRECONDITIONER_NONE);
    CHECK_OK(taut_world_choice(u.world[0], &choice));
    CHECK_INT(choice.schur_rows, 0);
    CHECK_INT(choice.schur, TAUT_PRECONDITIONER_NONE);
    for (int k = 0; k < (backend == TAUT_BACKEND_CUDA ? 2 : 5); k++) {
        test_note("step %d", k);
        CHECK(step(&t, 1e-9));
        CHECK_OK(taut_world_step(u.world[0], h));
        compare(&t, 1e-5, 1e-3);
        compare(&u, 1e-5, 1e-3);
    }
    test_note(NULL);
    taut_world_destroy(both);
    taut_world_destroy(t.world[0]);
    taut_world_destroy(u.world[0]);
    taut_scene_destroy(scene);
}

/* A mechanism that hangs on a cloth's fixed corner, which is freed in the middle: parts that share a fixed node go by
 * one method from the start. */
TAUT_TEST(condensed, freed_corner_between_parts) {
    oracle_scene description = {0};
    taut_scene* scene = NULL;
    methods t = {{NULL, NULL}, 0, 0};
    taut_world_def def = tight(backend, 1, 1, TAUT_GEOMETRIC_FULL);
    const uint32_t corner = 0;
    build_cloth(&description, (scene_material){1e-4, 0.01});
    REQUIRE(description.particles[corner].fixed);
    uint32_t last = corner;
    for (int i = 1; i <= 6; i++) { /* a rope from that corner */
        const uint32_t next = oracle_scene_particle(&description, -0.1 * i, 0, 0, 0.1, false);
        scene_distance(&description, last, next, (scene_material){1e-6, 0});
        last = next;
    }
    REQUIRE_OK(oracle_scene_build(&description, &scene));
    t.world[0] = forced(scene, def, TAUT_METHOD_SCHUR);
    t.world[1] = forced(scene, def, TAUT_METHOD_AUTO);
    t.n = 3 * description.particle_count;
    t.m = taut_world_row_count(t.world[0]);
    for (int k = 0; k < 4; k++) {
        test_note("step %d", k);
        CHECK(step(&t, 1e-9));
        compare(&t, 1e-5, 1e-3);
        if (k == 1) {
            CHECK_OK(taut_world_set_fixed(t.world[0], 1, &corner, false));
            CHECK_OK(taut_world_set_fixed(t.world[1], 1, &corner, false));
        }
    }
    test_note(NULL);
    methods_close(&t);
    taut_scene_destroy(scene);
    oracle_scene_free(&description);
}

/* ---- interface --------------------------------------------------------------------------------------------------- */

static void expect_methods(taut_backend_kind backend, taut_method method, taut_preconditioner preconditioner,
                           bool condensed) {
    oracle_scene description = {0};
    taut_world_def def = unguarded_world();
    taut_world* world = NULL;
    taut_choice choice;
    def.backend = backend;
    def.solver.method = method;
    def.solver.preconditioner = preconditioner;
    scene_rope(&description, 10, down, 0.1, (scene_material){1e-6, 0});
    test_note("method %d, preconditioner %d", (int)method, (int)preconditioner);
    if (CHECK_OK(oracle_scene_world(&description, &def, &world))) {
        CHECK_OK(taut_world_choice(world, &choice));
        CHECK_INT(choice.condensed_rows, condensed ? 10 : 0);
        CHECK_INT(choice.schur_rows, condensed ? 0 : 10);
        CHECK_OK(taut_world_step(world, h));
    }
    test_note(NULL);
    taut_world_destroy(world);
    oracle_scene_free(&description);
}

TAUT_TEST(condensed, preconditioners_decide_the_method) {
    expect_methods(backend, TAUT_METHOD_AUTO, TAUT_PRECONDITIONER_AUTO, false);
    expect_methods(backend, TAUT_METHOD_AUTO, TAUT_PRECONDITIONER_BLOCK, false);
    expect_methods(backend, TAUT_METHOD_AUTO, TAUT_PRECONDITIONER_CHEBYSHEV, false);
    expect_methods(backend, TAUT_METHOD_AUTO, TAUT_PRECONDITIONER_MULTILEVEL, false);
    expect_methods(backend, TAUT_METHOD_SCHUR, TAUT_PRECONDITIONER_MULTILEVEL, false);
    expect_methods(backend, TAUT_METHOD_CONDENSED, TAUT_PRECONDITIONER_MULTILEVEL, true);
    expect_methods(backend, TAUT_METHOD_CONDENSED, TAUT_PRECONDITIONER_NONE, true);
    expect_methods(backend, TAUT_METHOD_CONDENSED, TAUT_PRECONDITIONER_JACOBI, true);
}

TAUT_TEST(condensed, refused) {
    oracle_scene description = {0};
    taut_world_def def = unguarded_world();
    taut_world* world = NULL;
    taut_choice choice;
    def.backend = backend;
    build_cloth(&description, (scene_material){1e-4, 0});
    def.solver.method = TAUT_METHOD_CONDENSED;
    def.solver.preconditioner = TAUT_PRECONDITIONER_BLOCK;
    INVALID(oracle_scene_world(&description, &def, &world));
    def.solver.preconditioner = TAUT_PRECONDITIONER_CHEBYSHEV;
    INVALID(oracle_scene_world(&description, &def, &world));
    def.solver.preconditioner = (taut_preconditioner)9;
    INVALID(oracle_scene_world(&description, &def, &world));
    def.solver = unguarded_world().solver;
    def.solver.cycle = (taut_cycle)9;
    INVALID(oracle_scene_world(&description, &def, &world));
    def.solver = unguarded_world().solver;
    def.solver.method = (taut_method)7;
    INVALID(oracle_scene_world(&description, &def, &world));
    def.solver = unguarded_world().solver;
    REQUIRE_OK(oracle_scene_world(&description, &def, &world));
    def.solver.method = TAUT_METHOD_CONDENSED;
    INVALID(taut_world_set_solver(world, &def.solver));
    def.solver.method = TAUT_METHOD_AUTO;
    def.solver.tolerance = 1e-3;
    CHECK_OK(taut_world_set_solver(world, &def.solver));
    INVALID(taut_world_choice(NULL, &choice));
    INVALID(taut_world_choice(world, NULL));
    taut_world_destroy(world);
    oracle_scene_free(&description);
}
