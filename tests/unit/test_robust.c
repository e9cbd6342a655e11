/* Scenes that try the solver: redundant, contradictory, starved of iterations, torn apart. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dense_matrix.h"
#include "harness.h"
#include "small_scenes.h"
#include "unguarded.h"

static const double dt = 1.0 / 60;
static const scene_material hard = {0, 0};

static taut_world* make(taut_backend_kind backend, oracle_scene* scene, taut_world_def* def) {
    taut_world* world = NULL;
    def->backend = backend;
    CHECK_OK(oracle_scene_world(scene, def, &world));
    return world;
}

static bool finite_state(taut_world* world) {
    const size_t n = taut_world_particle_count(world);
    double* values = calloc(6 * n, sizeof *values);
    CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, 0, n, values));
    CHECK_OK(taut_world_read(world, TAUT_FIELD_VELOCITIES, 0, n, values + 3 * n));
    const double size = dense_max(6 * n, values);
    free(values);
    return isfinite(size) && size < 1e4;
}

/* Largest |phi| / L over the distance rows of the world. */
static double largest_strain(const oracle_scene* scene, taut_world* world) {
    double worst = 0;
    for (size_t i = 0; i < scene->constraint_count && scene->constraints[i].kind == TAUT_DISTANCE; i++) {
        double phi;
        CHECK_OK(taut_world_read(world, TAUT_FIELD_VIOLATIONS, i, 1, &phi));
        worst = fmax(worst, fabs(phi) / scene->constraints[i].rest[0]);
    }
    return worst;
}

/* ---- hard rows -------------------------------------------------------------------------------------------------- */

/* Every cell of the cloth has four edges and both diagonals: half as many rows again as it can use. */
TAUT_TEST(robust, redundant_hard_cloth) {
    oracle_scene scene = {0};
    taut_world_def def = taut_default_world();
    taut_step_info info;
    const scene_grid grid = scene_sheet(&scene, 10, 10, 0.1, 0.01);
    scene_sheet_edges(&scene, grid, hard);
    scene_sheet_diagonals(&scene, grid, hard);
    scene_sheet_pin_corners(&scene, grid);
    taut_world* world = make(backend, &scene, &def);
    REQUIRE(world != NULL);
    for (int k = 0; k < 60; k++) {
        CHECK_OK(taut_world_step(world, dt));
        CHECK_OK(taut_world_info(world, &info));
        test_note("step %d, outcome %d, residual %g, %u iterations", k, (int)info.outcome, info.residual,
                  info.iterations);
        CHECK_NEAR(largest_strain(&scene, world), 0, 1e-3);
        CHECK(info.outcome == TAUT_SOLVE_CONVERGED ? info.residual <= def.solver.tolerance
                                                   : info.residual > def.solver.tolerance);
    }
    test_note(NULL);
    CHECK(finite_state(world));
    taut_world_destroy(world);
    oracle_scene_free(&scene);
}

/* Hard links between two fixed points that are further apart than the links reach: the least of squares, weighted by
 * 1/w, lengthens links with a fixed end by half as much as others. One particle on the line and beside it, and a rope.
 */
static void check_spanned(taut_backend_kind backend, taut_method method, uint32_t links, double beside) {
    oracle_scene scene = {0};
    taut_world_def def = taut_default_world();
    taut_step_info info;
    taut_choice choice;
    double x[3];
    const double length = 1.0 / links, span = 1.25;
    def.solver.method = method;
    for (uint32_t i = 0; i <= links; i++) {
        const double at = i == links ? span : i * length;
        oracle_scene_particle(&scene, at, i == 1 ? beside : 0, 0, 0.1, i == 0 || i == links);
    }
    for (uint32_t i = 0; i < links; i++) {
        const oracle_constraint c = {.kind = TAUT_DISTANCE, .particles = {i, i + 1}, .rest = {length}};
        oracle_scene_constraint(&scene, &c);
    }
    taut_world* world = make(backend, &scene, &def);
    REQUIRE(world != NULL);
    CHECK_OK(taut_world_choice(world, &choice));
    CHECK_INT(choice.contradicting_rows, links);
    for (int k = 0; k < 60; k++) {
        CHECK_OK(taut_world_step(world, dt));
        CHECK_OK(taut_world_info(world, &info));
        test_note("method %d, %u links, step %d, outcome %d", (int)method, links, k, (int)info.outcome);
        const bool swings = beside != 0 && k < 5;
        const bool off = info.overstretch > 0.2;
        CHECK(swings || info.residual <= def.solver.tolerance);
        CHECK(info.outcome == (off ? TAUT_SOLVE_OVERSTRETCHED : TAUT_SOLVE_CONVERGED) ||
              (swings && info.outcome == TAUT_SOLVE_DAMPED));
        /* Half the violation squared over h^2 w, w = 20/kg: what hard rows turn into motion. */
        CHECK(info.kinetic < links * 0.5 * 0.25 * 0.25 / (dt * dt * 20));
    }
    test_note(NULL);
    for (uint32_t i = 1; i < links; i++) {
        CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, i, 1, x));
        CHECK_NEAR(x[0], i * length + (i - 0.5) * 0.25 / (links - 1), 1e-4);
        CHECK_NEAR(x[1], 0, 1e-5);
    }
    taut_world_destroy(world);
    oracle_scene_free(&scene);
}

TAUT_TEST(robust, links_that_do_not_reach_share_what_is_left) {
    static const taut_method methods[] = {TAUT_METHOD_AUTO, TAUT_METHOD_SCHUR, TAUT_METHOD_CONDENSED};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        check_spanned(backend, methods[m], 2, 0);
        check_spanned(backend, methods[m], 2, 0.05);
        check_spanned(backend, methods[m], 7, 0);
    }
}

/* Two hard links of different lengths between the same ends, and few other rows: the middle of both is what leaves the
 * least squares, for equal masses. A pendulum of three points with both links doubled, the first one by its like. */
TAUT_TEST(robust, links_of_two_lengths_meet_in_the_middle) {
    static const taut_method methods[] = {TAUT_METHOD_AUTO, TAUT_METHOD_SCHUR, TAUT_METHOD_CONDENSED};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        oracle_scene scene = {0};
        taut_world_def def = taut_default_world();
        taut_step_info info;
        double x[9];
        def.solver.method = methods[m];
        for (int i = 0; i < 3; i++) {
            oracle_scene_particle(&scene, i, 0, 0, 1, i == 0);
        }
        for (uint32_t i = 0; i < 3; i++) {
            const uint32_t from = i / 2;
            const oracle_constraint c = {
                .kind = TAUT_DISTANCE, .particles = {from, from + 1}, .rest = {i == 2 ? 1.02 : 1}};
            oracle_scene_constraint(&scene, &c);
        }
        const oracle_constraint again = {.kind = TAUT_DISTANCE, .particles = {1, 2}, .rest = {1}};
        oracle_scene_constraint(&scene, &again);
        taut_world* world = make(backend, &scene, &def);
        REQUIRE(world != NULL);
        for (int k = 0; k < 30; k++) {
            CHECK_OK(taut_world_step(world, dt));
            CHECK_OK(taut_world_info(world, &info));
            test_note("method %d, step %d, outcome %d, residual %g", (int)methods[m], k, (int)info.outcome,
                      info.residual);
            CHECK_INT(info.outcome, TAUT_SOLVE_CONVERGED);
        }
        test_note(NULL);
        CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, 0, 3, x));
        CHECK_NEAR(hypot(hypot(x[6] - x[3], x[7] - x[4]), x[8] - x[5]), 1.01, 2e-4);
        CHECK_NEAR(hypot(hypot(x[3], x[4]), x[5]), 1, 5e-3); /* one linearisation lengthens what turns */
        taut_world_destroy(world);
        oracle_scene_free(&scene);
    }
}

/* Hard attachments round a loop, whose offsets do not add up by one metre in x: nothing meets them all. For equal
 * masses the least of squares is the same for each. The loop falls as if it were free. */
TAUT_TEST(robust, loops_of_offsets_that_do_not_add_up_fall) {
    enum { POINTS = 12, STEPS = 40 };
    static const taut_method methods[] = {TAUT_METHOD_AUTO, TAUT_METHOD_SCHUR, TAUT_METHOD_CONDENSED};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        oracle_scene scene = {0};
        taut_world_def def = taut_default_world();
        taut_step_info info;
        double x[3 * POINTS];
        uint32_t softened = 0;
        def.solver.method = methods[m];
        for (int i = 0; i < POINTS; i++) {
            oracle_scene_particle(&scene, i, 0, 0, 0.1, false);
        }
        for (uint32_t i = 0; i < POINTS; i++) {
            const bool back = i == POINTS - 1;
            const oracle_constraint c = {
                .kind = TAUT_ATTACHMENT, .particles = {i, back ? 0 : i + 1}, .rest = {back ? 2.0 - POINTS : 1, 0, 0}};
            oracle_scene_constraint(&scene, &c);
        }
        taut_world* world = make(backend, &scene, &def);
        REQUIRE(world != NULL);
        for (int k = 0; k < STEPS; k++) {
            CHECK_OK(taut_world_step(world, dt));
            CHECK_OK(taut_world_info(world, &info));
            test_note("method %d, step %d, outcome %d, residual %g", (int)methods[m], k, (int)info.outcome,
                      info.residual);
            CHECK_INT(info.outcome, TAUT_SOLVE_CONVERGED);
            softened += info.softened;
        }
        CHECK(softened > 0);
        CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, 0, POINTS, x));
        for (int i = 1; i < POINTS; i++) {
            CHECK_NEAR(x[3 * i] - x[3 * i - 3], 1 - 1.0 / POINTS, 1e-3);
            CHECK_NEAR(x[3 * i + 1], -9.81 * dt * dt * STEPS * (STEPS + 1) / 2, 1e-3);
        }
        test_note(NULL);
        taut_world_destroy(world);
        oracle_scene_free(&scene);
    }
}

/* Which rows are made softer: those of the doubled link of two lengths, and of a sheet of hard threads and diagonals.
 */
TAUT_TEST(robust, contradicting_rows_are_told) {
    oracle_scene scene = {0};
    taut_world_def def = taut_default_world();
    taut_choice choice;
    uint32_t rows[3] = {9, 9, 9};
    size_t count = 9;
    for (int i = 0; i < 4; i++) {
        oracle_scene_particle(&scene, i, 0, 0, 1, i == 0);
    }
    static const struct {
        uint32_t from;
        double length;
    } links[] = {{2, 1}, {0, 1}, {1, 1.02}, {0, 1}, {1, 1}};
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        const oracle_constraint c = {.kind = TAUT_DISTANCE,
                                     .particles = {links[i].from, links[i].from + 1},
                                     .rest = {links[i].length},
                                     .compliance = i == 0 ? 0.1 : 0};
        oracle_scene_constraint(&scene, &c);
    }
    taut_world* world = make(backend, &scene, &def);
    REQUIRE(world != NULL);
    CHECK_OK(taut_world_choice(world, &choice));
    CHECK_INT(choice.contradicting_rows, 2);
    CHECK_OK(taut_world_contradicting_rows(world, scene.constraints[2].batch, 3, rows, &count));
    size_t all = 0;
    for (size_t i = 0; i < scene.constraint_count; i++) {
        taut_range own;
        CHECK_OK(taut_world_batch_rows(world, scene.constraints[i].batch, &own));
        const uint32_t row = own.first + scene.constraints[i].member;
        bool told = false;
        CHECK_OK(taut_world_contradicting_rows(world, scene.constraints[i].batch, 3, rows, &count));
        for (size_t k = 0; k < count && k < 3; k++) {
            told |= rows[k] == row;
        }
        CHECK_INT(told, i == 2 || i == 4);
        all += told;
    }
    CHECK_INT(all, 2);
    CHECK_OK(taut_world_contradicting_rows(world, scene.constraints[2].batch, 0, NULL, &count));
    CHECK(count >= 1);
    CHECK_STATUS(taut_world_contradicting_rows(world, scene.constraints[2].batch, 1, NULL, &count),
                 TAUT_INVALID_ARGUMENT);
    CHECK_STATUS(taut_world_contradicting_rows(world, (taut_batch){77}, 3, rows, &count), TAUT_INVALID_ARGUMENT);
    taut_world_destroy(world);
    oracle_scene_free(&scene);
}

/* A row between fixed points can do nothing: no force, no harm, and the others are solved. */
TAUT_TEST(robust, rows_between_fixed_points) {
    const double down[3] = {0.02, -0.1, 0};
    oracle_scene scene = {0};
    taut_world_def def = taut_default_world();
    taut_step_info info;
    double lam[6];
    scene_rope(&scene, 4, down, 0.1, hard);
    scene.particles[1].fixed = true;
    scene.constraints[0].rest[0] *= 1.5;
    taut_world* world = make(backend, &scene, &def);
    REQUIRE(world != NULL);
    for (int k = 0; k < 10; k++) {
        CHECK_OK(taut_world_step(world, dt));
    }
    CHECK_OK(taut_world_info(world, &info));
    CHECK_OK(taut_world_read(world, TAUT_FIELD_MULTIPLIERS, 0, 4, lam));
    CHECK(isfinite(lam[0]) && lam[1] < 0);
    CHECK(finite_state(world));
    taut_world_destroy(world);
    oracle_scene_free(&scene);
}

/* l = alpha (h beta + d) is 0 for an undamped row with beta = 0: refused or solved, but nothing infinite gets through.
 */
TAUT_TEST(robust, explicit_positions_without_damping) {
    const double down[3] = {0.02, -0.1, 0};
    for (int soft = 0; soft < 2; soft++) {
        oracle_scene scene = {0};
        taut_world_def def = taut_default_world();
        taut_world* world = NULL;
        def.backend = backend;
        def.integrator.beta = 0;
        scene_rope(&scene, 4, down, 0.1, (scene_material){soft == 0 ? 0 : 1e-3, 0});
        taut_status status = oracle_scene_world(&scene, &def, &world);
        if (status == TAUT_OK) {
            status = taut_world_step(world, dt);
            CHECK(status == TAUT_OK || status == TAUT_INVALID_ARGUMENT || status == TAUT_DIVERGED);
            CHECK(finite_state(world));
        } else {
            CHECK_INT(status, TAUT_INVALID_ARGUMENT);
        }
        taut_world_destroy(world);
        oracle_scene_free(&scene);
    }
}

TAUT_TEST(robust, iteration_limit_is_reported) {
    const double down[3] = {0.02, -0.1, 0};
    oracle_scene scene = {0};
    taut_world_def def = unguarded_world();
    taut_step_info info;
    def.solver.max_iterations = 3;
    def.solver.preconditioner = TAUT_PRECONDITIONER_JACOBI;
    scene_rope(&scene, 40, down, 0.01, hard);
    scene.particles[40].mass = 1;
    taut_world* world = make(backend, &scene, &def);
    REQUIRE(world != NULL);
    CHECK_OK(taut_world_step(world, dt));
    CHECK_OK(taut_world_info(world, &info));
    CHECK_INT(info.outcome, TAUT_SOLVE_ITERATION_LIMIT);
    CHECK_INT(info.iterations, 3);
    CHECK(info.residual > def.solver.tolerance);
    taut_world_destroy(world);
    oracle_scene_free(&scene);
}

/* ---- stiffness does not depend on the iteration limit ------------------------------------------------------------ */

/* y of the last particle after the scene has come to rest. */
static double rest_height(taut_backend_kind backend, void (*build)(oracle_scene* scene), uint32_t limit, int steps) {
    oracle_scene scene = {0};
    taut_world_def def = taut_default_world();
    double x[3] = {0};
    def.solver.max_iterations = limit;
    build(&scene);
    taut_world* world = make(backend, &scene, &def);
    for (int k = 0; world != NULL && k < steps; k++) {
        CHECK_OK(taut_world_step(world, dt));
    }
    if (world != NULL) {
        CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, scene.particle_count - 1, 1, x));
    }
    taut_world_destroy(world);
    oracle_scene_free(&scene);
    return x[1];
}

static const double chain_compliance = 2e-4;

static void build_chain(oracle_scene* scene) {
    const double down[3] = {0, -0.05, 0};
    scene_rope(scene, 20, down, 0.1, (scene_material){chain_compliance, 0.1});
}

/* Extension sum_i c m_i g with m_i = (20 - i) m below link i. */
TAUT_TEST(robust, equal_stiffness_of_a_chain) {
    const double extension = chain_compliance * 9.81 * 0.1 * (20 * 21 / 2);
    const double few = rest_height(backend, build_chain, 50, 600);
    const double many = rest_height(backend, build_chain, 5000, 600);
    CHECK_NEAR(-1 - few, extension, 1e-3 * extension);
    CHECK_NEAR(-1 - many, extension, 1e-3 * extension);
    CHECK_NEAR(few, many, 1e-3 * extension);
}

static void build_patch(oracle_scene* scene) {
    const scene_grid grid = scene_sheet(scene, 8, 8, 0.1, 0.05);
    const scene_material soft = {1e-3, 0.1};
    scene_sheet_edges(scene, grid, soft);
    scene_sheet_diagonals(scene, grid, soft);
    for (uint32_t i = 0; i < 8; i++) {
        scene->particles[i].fixed = true;
    }
}

TAUT_TEST(robust, equal_stiffness_of_a_cloth) {
    const double few = rest_height(backend, build_patch, 50, 400);
    const double many = rest_height(backend, build_patch, 5000, 400);
    CHECK(many < -0.701); /* it does stretch */
    CHECK_NEAR(few, many, 1e-3 * (-0.7 - many));
}

/* ---- divergence -------------------------------------------------------------------------------------------------- */

typedef struct snapshot {
    double *x, *v, *lam;
    size_t n, m;
} snapshot;

static snapshot take(taut_world* world) {
    snapshot s = {.n = taut_world_particle_count(world), .m = taut_world_row_count(world)};
    s.x = calloc(3 * s.n, sizeof *s.x);
    s.v = calloc(3 * s.n, sizeof *s.v);
    s.lam = calloc(s.m + 1, sizeof *s.lam);
    CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, 0, s.n, s.x));
    CHECK_OK(taut_world_read(world, TAUT_FIELD_VELOCITIES, 0, s.n, s.v));
    CHECK_OK(taut_world_read(world, TAUT_FIELD_MULTIPLIERS, 0, s.m, s.lam));
    return s;
}

static void check_same(taut_world* world, snapshot* before) {
    snapshot after = take(world);
    CHECK(memcmp(before->x, after.x, 3 * after.n * sizeof *after.x) == 0);
    CHECK(memcmp(before->v, after.v, 3 * after.n * sizeof *after.v) == 0);
    CHECK(memcmp(before->lam, after.lam, after.m * sizeof *after.lam) == 0);
    free(after.x), free(after.v), free(after.lam);
}

/* A step and what it comes to, which a backend that only enqueues it tells later. */
static taut_status settled_step(taut_world* world) {
    const taut_status status = taut_world_step(world, dt), told = taut_world_sync(world);
    return status != TAUT_OK ? status : told;
}

/* Breaks a world in motion, checks that nothing of it changed, mends it, and goes on beside a twin that was spared. */
static void check_divergence(taut_backend_kind backend, void (*disturb)(taut_world*), void (*mend)(taut_world*)) {
    oracle_scene scene = {0};
    taut_world_def def = taut_default_world();
    taut_step_info before, after;
    def.speed_limit = 100;
    def.solver.tolerance = 1e-9; /* both solves are then the same, whatever they start from */
    def.solver.max_iterations = 20000;
    scene_cloth(&scene, 5, 5, (scene_material){1e-3, 0}, (scene_material){1, 0});
    taut_world *world = make(backend, &scene, &def), *twin = make(backend, &scene, &def);
    REQUIRE(world != NULL && twin != NULL);
    for (int k = 0; k < 5; k++) {
        CHECK_OK(taut_world_step(world, dt));
        CHECK_OK(taut_world_step(twin, dt));
    }
    CHECK_OK(taut_world_info(world, &before));
    snapshot kept = take(world);
    disturb(world);
    CHECK_STATUS(settled_step(world), TAUT_DIVERGED);
    CHECK(strlen(taut_last_error()) > 0);
    mend(world);
    check_same(world, &kept);
    CHECK_OK(taut_world_info(world, &after));
    CHECK_INT(after.step, before.step);
    CHECK_NEAR(after.time, before.time, 0);
    for (int k = 0; k < 5; k++) {
        CHECK_OK(taut_world_step(world, dt));
        CHECK_OK(taut_world_step(twin, dt));
    }
    snapshot a = take(world), b = take(twin);
    CHECK_NEAR(dense_max_difference(3 * a.n, a.x, b.x), 0, 1e-7);
    free(a.x), free(a.v), free(a.lam), free(b.x), free(b.v), free(b.lam), free(kept.x), free(kept.v), free(kept.lam);
    taut_world_destroy(world);
    taut_world_destroy(twin);
    oracle_scene_free(&scene);
}

static void push(taut_world* world) {
    const double force[3] = {0, 9e8, 1e8};
    CHECK_OK(taut_world_set_forces(world, 12, 1, force));
}

static void release(taut_world* world) {
    const double none[3] = {0};
    CHECK_OK(taut_world_set_forces(world, 12, 1, none));
}

TAUT_TEST(robust, diverging_force) {
    check_divergence(backend, push, release);
}

static void limit_speed(taut_world* world) {
    const double gravity[3] = {0, -1e9, 0};
    CHECK_OK(taut_world_set_gravity(world, gravity));
}

static void restore_gravity(taut_world* world) {
    const double gravity[3] = {0, -9.81, 0};
    CHECK_OK(taut_world_set_gravity(world, gravity));
}

TAUT_TEST(robust, diverging_gravity) {
    check_divergence(backend, limit_speed, restore_gravity);
}

/* The state before the failed substep is kept, also where it is not the first. */
TAUT_TEST(robust, divergence_in_a_substep) {
    oracle_scene scene = {0};
    taut_world_def def = taut_default_world();
    double v[3];
    def.integrator.substeps = 4;
    def.speed_limit = 0.25; /* 9.81/60 m/s after a step, 0.0409 more with every substep */
    oracle_scene_particle(&scene, 0, 0, 0, 1, false);
    taut_world* world = make(backend, &scene, &def);
    REQUIRE(world != NULL);
    CHECK_OK(taut_world_step(world, dt));
    CHECK_STATUS(settled_step(world), TAUT_DIVERGED);
    CHECK_OK(taut_world_read(world, TAUT_FIELD_VELOCITIES, 0, 1, v));
    CHECK(fabs(v[1]) <= 0.25 && fabs(v[1]) >= 9.81 / 60 - 1e-12);
    taut_world_destroy(world);
    oracle_scene_free(&scene);
}

/* Whatever steps follow, a divergence is told by the next sync, and by that one alone. */
TAUT_TEST(robust, a_divergence_is_told_once) {
    oracle_scene scene = {0};
    taut_world_def def = taut_default_world();
    taut_step_info info;
    def.speed_limit = 100;
    scene_cloth(&scene, 5, 5, (scene_material){1e-3, 0}, (scene_material){1, 0});
    taut_world* world = make(backend, &scene, &def);
    REQUIRE(world != NULL);
    for (int good = 0; good < 2; good++) {
        push(world);
        taut_world_step(world, dt); /* says so itself where it does not only enqueue */
        release(world);
        if (good) {
            CHECK_OK(taut_world_step(world, dt));
        }
        CHECK_STATUS(taut_world_sync(world), TAUT_DIVERGED);
        CHECK_OK(taut_world_sync(world));
        CHECK_OK(taut_world_info(world, &info));
        CHECK_OK(taut_world_step(world, dt));
        CHECK_OK(taut_world_sync(world));
    }
    taut_world_destroy(world);
    oracle_scene_free(&scene);
}

/* A handle and a target go on to their goals after a bad step, also when nobody has waited to hear of it. */
TAUT_TEST(robust, goals_after_a_divergence) {
    oracle_scene scene = {0};
    taut_world_def def = taut_default_world();
    const uint32_t handle = 0;
    const double still[3] = {0, 0, 0};
    double goal[3] = {0}, x[3];
    def.speed_limit = 100;
    scene_cloth(&scene, 5, 5, (scene_material){1e-3, 0}, (scene_material){1, 0});
    scene_target(&scene, 14, still, (scene_material){1e-6, 0});
    taut_world* world = make(backend, &scene, &def);
    REQUIRE(world != NULL);
    for (int frame = 0; frame < 8; frame++) {
        const double before = goal[2];
        goal[2] = 0.001 * (frame + 1) * (frame + 1);
        CHECK_OK(taut_world_move_fixed(world, 1, &handle, goal));
        if (frame == 3) {
            push(world);
        }
        const taut_status status = taut_world_step(world, dt);
        CHECK(status == TAUT_OK || frame == 3);
        release(world);
        if (frame > 4) { /* reading does not wait to hear */
            CHECK_OK(taut_world_read(world, TAUT_FIELD_VELOCITIES, handle, 1, x));
            CHECK_NEAR(x[2], (goal[2] - before) / dt, 1e-9);
        }
    }
    taut_world_sync(world);
    CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, handle, 1, x));
    CHECK_NEAR(x[2], goal[2], 0);
    CHECK_OK(taut_world_step(world, dt));
    CHECK_OK(taut_world_step(world, dt));
    CHECK_OK(taut_world_read(world, TAUT_FIELD_VELOCITIES, handle, 1, x));
    CHECK_NEAR(dense_max_difference(3, x, still), 0, 0);
    taut_world_destroy(world);
    oracle_scene_free(&scene);
}
