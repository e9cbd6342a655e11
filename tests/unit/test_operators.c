/* The public operators against each other and against the reference's matrices. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "dense_matrix.h"
#include "harness.h"
#include "small_scenes.h"

static const double h = 0.01;

/* A mixed scene some steps into its motion, linearised for a step of h. */
typedef struct setup {
    companion c;
    oracle_step_def step;
    oracle_matrices ref;
    size_t n, m;
    random_state random;
} setup;

static bool setup_open(setup* s, taut_backend_kind backend, double alpha, double beta) {
    oracle_scene scene = {0};
    taut_world_def def = taut_default_world();
    def.backend = backend;
    def.integrator.alpha = alpha;
    def.integrator.beta = beta;
    def.integrator.hard_row_damping = alpha < 1 ? 1 : 0;
    scene_mixed(&scene, 1e-5, 0.01);
    scene.particles[2].fixed = true;
    memset(scene.particles[2].v, 0, sizeof scene.particles[2].v);
    memset(s, 0, sizeof *s);
    s->random.s = 99;
    if (!companion_open(&s->c, scene, &def)) {
        return false;
    }
    for (int k = 0; k < 3; k++) {
        companion_prepare(&s->c, h); /* keeps lam_G in step */
        if (!CHECK_OK(oracle_scene_drive(&s->c.scene, s->c.world, h)) || !CHECK_OK(taut_world_step(s->c.world, h)) ||
            !CHECK_OK(oracle_scene_follow(&s->c.scene, s->c.world, h))) {
            companion_close(&s->c);
            return false;
        }
    }
    for (size_t i = 0; i < s->c.scene.constraint_count; i++) {
        memset(s->c.scene.constraints[i].rate, 0, sizeof s->c.scene.constraints[i].rate);
    }
    s->n = s->c.n;
    s->m = s->c.m;
    s->step = companion_prepare(&s->c, h);
    oracle_assemble(&s->c.scene, &s->step, &s->ref);
    return CHECK_OK(taut_world_linearise(s->c.world, h));
}

static void setup_close(setup* s) {
    oracle_matrices_free(&s->ref);
    companion_close(&s->c);
}

static double* vector(setup* s, size_t count) {
    double* v = malloc((count + 1) * sizeof *v);
    random_fill(&s->random, -1, 1, count, v);
    return v;
}

static double* applied(setup* s, taut_operator op, const double* in, size_t rows) {
    double* out = calloc(rows + 1, sizeof *out);
    CHECK_OK(taut_world_apply(s->c.world, op, in, out));
    return out;
}

/* u.(Op v) against v.(Op^T u); the same operator and size for symmetry. */
static void check_adjoint(setup* s, taut_operator op, taut_operator transposed, size_t rows, size_t columns,
                          double tolerance) {
    for (int k = 0; k < 5; k++) {
        double *u = vector(s, rows), *v = vector(s, columns);
        double *forward = applied(s, op, v, rows), *back = applied(s, transposed, u, columns);
        const double scale = dense_norm(rows, u) * dense_norm(rows, forward) + 1e-300;
        CHECK_NEAR(dense_dot(rows, u, forward) / scale, dense_dot(columns, v, back) / scale, tolerance);
        free(u), free(v), free(forward), free(back);
    }
}

TAUT_TEST(operators, adjoint_and_symmetric) {
    setup s;
    if (!setup_open(&s, backend, 0.6, 0.7)) {
        return;
    }
    check_adjoint(&s, TAUT_OPERATOR_J, TAUT_OPERATOR_JT, s.m, s.n, 1e-12);
    check_adjoint(&s, TAUT_OPERATOR_A, TAUT_OPERATOR_A, s.n, s.n, 1e-12);
    check_adjoint(&s, TAUT_OPERATOR_W, TAUT_OPERATOR_W, s.m, s.m, 1e-12);
    check_adjoint(&s, TAUT_OPERATOR_G, TAUT_OPERATOR_G, s.n, s.n, 1e-12);
    check_adjoint(&s, TAUT_OPERATOR_A_INVERSE, TAUT_OPERATOR_A_INVERSE, s.n, s.n, 1e-9);
    check_adjoint(&s, TAUT_OPERATOR_S, TAUT_OPERATOR_S, s.m, s.m, 1e-9);
    setup_close(&s);
}

TAUT_TEST(operators, positive) {
    setup s;
    if (!setup_open(&s, backend, 1, 1)) {
        return;
    }
    for (int k = 0; k < 10; k++) {
        double *gam = vector(&s, s.m), *v = vector(&s, s.n);
        double *Sg = applied(&s, TAUT_OPERATOR_S, gam, s.m), *Av = applied(&s, TAUT_OPERATOR_A, v, s.n);
        CHECK(dense_dot(s.m, gam, Sg) > 0);
        CHECK(dense_dot(s.n, v, Av) > 0);
        free(gam), free(v), free(Sg), free(Av);
    }
    setup_close(&s);
}

/* S = J A^+ J^T + W out of the public pieces, and A A^+ = P. */
TAUT_TEST(operators, compose) {
    setup s;
    if (!setup_open(&s, backend, 1, 1)) {
        return;
    }
    double *gam = vector(&s, s.m), *v = vector(&s, s.n);
    double *Sg = applied(&s, TAUT_OPERATOR_S, gam, s.m), *Wg = applied(&s, TAUT_OPERATOR_W, gam, s.m);
    double* JTg = applied(&s, TAUT_OPERATOR_JT, gam, s.n);
    double* AJTg = applied(&s, TAUT_OPERATOR_A_INVERSE, JTg, s.n);
    double* JAJTg = applied(&s, TAUT_OPERATOR_J, AJTg, s.m);
    double* Av = applied(&s, TAUT_OPERATOR_A_INVERSE, v, s.n);
    double* AAv = applied(&s, TAUT_OPERATOR_A, Av, s.n);
    for (size_t r = 0; r < s.m; r++) {
        Wg[r] += JAJTg[r];
    }
    CHECK_NEAR(dense_max_difference(s.m, Sg, Wg) / dense_max(s.m, Sg), 0, 1e-9);
    for (size_t i = 0; i < s.n; i++) {
        const bool fixed = s.c.scene.particles[i / 3].fixed;
        CHECK_NEAR(AAv[i], fixed ? 0 : v[i], 1e-10);
        CHECK(!fixed || Av[i] == 0);
    }
    free(gam), free(v), free(Sg), free(Wg), free(JTg), free(AJTg), free(JAJTg), free(Av), free(AAv);
    setup_close(&s);
}

/* G dx = d(J^T lam)/dx at fixed lam, by central differences of the public J^T. */
TAUT_TEST(operators, geometric_stiffness_by_differences) {
    setup s;
    if (!setup_open(&s, backend, 1, 1)) {
        return;
    }
    const double step = 1e-4;
    double *lam = calloc(s.m + 1, sizeof *lam), *x = calloc(2 * s.n, sizeof *x), *dx = vector(&s, s.n);
    double *moved = x + s.n, *sides[2];
    REQUIRE_OK(taut_world_read(s.c.world, TAUT_FIELD_MULTIPLIERS, 0, s.m, lam));
    REQUIRE_OK(taut_world_read(s.c.world, TAUT_FIELD_POSITIONS, 0, s.n / 3, x));
    double* Gdx = applied(&s, TAUT_OPERATOR_G, dx, s.n);
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < s.n; i++) {
            moved[i] = x[i] + (side == 0 ? -step : step) * dx[i];
        }
        CHECK_OK(taut_world_write(s.c.world, TAUT_FIELD_POSITIONS, 0, s.n / 3, moved));
        CHECK_OK(taut_world_linearise(s.c.world, h));
        sides[side] = applied(&s, TAUT_OPERATOR_JT, lam, s.n);
    }
    /* J is stored in float32: 6e-8 |J^T lam| / step is what differences can resolve. */
    const double resolution = 1e-3 * dense_max(s.n, sides[0]) + 1e-3 * dense_max(s.n, Gdx);
    for (size_t i = 0; i < s.n; i++) {
        CHECK_NEAR((sides[1][i] - sides[0][i]) / (2 * step), Gdx[i], resolution);
    }
    free(lam), free(x), free(dx), free(Gdx), free(sides[0]), free(sides[1]);
    setup_close(&s);
}

static void check_matrix(setup* s, taut_operator op, size_t rows, size_t columns, const double* expected,
                         double tolerance) {
    double *in = vector(s, columns), *product = calloc(rows + 1, sizeof *product);
    double* out = applied(s, op, in, rows);
    dense_apply(rows, columns, expected, in, product);
    CHECK_NEAR(dense_max_difference(rows, out, product) / dense_max(rows, product), 0, tolerance);
    free(in), free(product), free(out);
}

/* Against the reference's matrices: the float32 storage of J and of the stiffness roots is the difference. */
static void check_reference(taut_backend_kind backend, double alpha, double beta) {
    setup s;
    if (!setup_open(&s, backend, alpha, beta)) {
        return;
    }
    test_note("alpha %g beta %g", alpha, beta);
    double* JT = calloc(s.n * s.m + 1, sizeof *JT);
    for (size_t i = 0; i < s.n; i++) {
        for (size_t r = 0; r < s.m; r++) {
            JT[i * s.m + r] = s.ref.J[r * s.n + i];
        }
    }
    const double single = 4e-7;
    check_matrix(&s, TAUT_OPERATOR_J, s.m, s.n, s.ref.J, single);
    check_matrix(&s, TAUT_OPERATOR_JT, s.n, s.m, JT, single);
    check_matrix(&s, TAUT_OPERATOR_A, s.n, s.n, s.ref.A, single);
    check_matrix(&s, TAUT_OPERATOR_W, s.m, s.m, s.ref.W, single);
    free(JT);
    test_note(NULL);
    setup_close(&s);
}

TAUT_TEST(operators, match_the_reference) {
    check_reference(backend, 1, 1);
    check_reference(backend, 0.6, 0.7);
}

/* TAUT_OPERATOR_G uses the multipliers of the last step, also where the step smooths them. */
TAUT_TEST(operators, geometric_stiffness_matches_the_reference) {
    setup s;
    if (!setup_open(&s, backend, 1, 1)) {
        return;
    }
    check_matrix(&s, TAUT_OPERATOR_G, s.n, s.n, s.ref.G, 1e-6);
    setup_close(&s);
}

/* b of linearise is that of the reference, and the multipliers of the step that follows solve S gam = b. */
TAUT_TEST(operators, right_hand_side) {
    setup s;
    if (!setup_open(&s, backend, 0.6, 0.7)) {
        return;
    }
    oracle_result r;
    double *b = calloc(s.m + 1, sizeof *b), *gam = calloc(s.m + 1, sizeof *gam);
    REQUIRE(oracle_step(&s.c.scene, &s.step, &r));
    CHECK_OK(taut_world_right_hand_side(s.c.world, b));
    CHECK_NEAR(dense_max_difference(s.m, b, r.b) / dense_max(s.m, b), 0, 1e-6);
    CHECK_OK(taut_world_step(s.c.world, h));
    CHECK_OK(taut_world_read(s.c.world, TAUT_FIELD_MULTIPLIERS, 0, s.m, gam));
    for (size_t i = 0; i < s.m; i++) {
        gam[i] *= h;
    }
    CHECK_NEAR(dense_max_difference(s.m, gam, r.gam) / dense_max(s.m, gam), 0, 1e-4);
    CHECK_NEAR(oracle_backward_error(&s.c.scene, &s.step, gam), 0, 5e-6);
    oracle_result_free(&r);
    free(b), free(gam);
    setup_close(&s);
}

/* A fixed particle that was moved to a goal rests in the next step, and a linearisation is one of the next step. */
TAUT_TEST(operators, linearise_knows_what_rests) {
    const double down[3] = {0.02, -0.1, 0}, goal[3] = {0.05, 0.02, 0}, still[3] = {0};
    const uint32_t top = 0;
    oracle_scene scene = {0};
    taut_world_def def = taut_default_world();
    taut_world* world = NULL;
    double b[2][3];
    def.backend = backend;
    scene_rope(&scene, 3, down, 0.1, (scene_material){1e-5, 0});
    REQUIRE_OK(oracle_scene_world(&scene, &def, &world));
    CHECK_OK(taut_world_move_fixed(world, 1, &top, goal));
    CHECK_OK(taut_world_step(world, h));
    CHECK_OK(taut_world_linearise(world, h));
    CHECK_OK(taut_world_right_hand_side(world, b[0]));
    CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, top, 1, still));
    CHECK_OK(taut_world_linearise(world, h));
    CHECK_OK(taut_world_right_hand_side(world, b[1]));
    CHECK_NEAR(dense_max_difference(3, b[0], b[1]), 0, 1e-12);
    taut_world_destroy(world);
    oracle_scene_free(&scene);
}

/* With no geometric stiffness S does not depend on the multipliers, so that the step can be checked afterwards. */
TAUT_TEST(operators, step_solves_the_schur_system) {
    oracle_scene scene = {0};
    taut_world_def def = taut_default_world();
    taut_world* world = NULL;
    def.backend = backend;
    def.solver.method = TAUT_METHOD_SCHUR;
    def.integrator.geometric_stiffness = TAUT_GEOMETRIC_NONE;
    def.solver.tolerance = 1e-9;
    def.solver.max_iterations = 100000;
    scene_mixed(&scene, 1e-5, 0.01);
    REQUIRE_OK(oracle_scene_world(&scene, &def, &world));
    const size_t n = scene.particle_count, m = oracle_row_count(&scene);
    double *b = calloc(3 * m, sizeof *b), *gam = b + m, *Sg = b + 2 * m, *x = calloc(6 * n, sizeof *x);
    CHECK_OK(taut_world_linearise(world, h));
    CHECK_OK(taut_world_right_hand_side(world, b));
    CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, 0, n, x));
    CHECK_OK(taut_world_read(world, TAUT_FIELD_VELOCITIES, 0, n, x + 3 * n));
    CHECK_OK(taut_world_step(world, h));
    CHECK_OK(taut_world_read(world, TAUT_FIELD_MULTIPLIERS, 0, m, gam));
    for (size_t i = 0; i < m; i++) {
        gam[i] *= h;
    }
    CHECK_OK(taut_world_write(world, TAUT_FIELD_POSITIONS, 0, n, x));
    CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, 0, n, x + 3 * n));
    CHECK_OK(taut_world_linearise(world, h));
    CHECK_OK(taut_world_apply(world, TAUT_OPERATOR_S, gam, Sg));
    CHECK_NEAR(dense_max_difference(m, Sg, b) / dense_max(m, b), 0, 1e-7);
    free(b), free(x);
    taut_world_destroy(world);
    oracle_scene_free(&scene);
}
