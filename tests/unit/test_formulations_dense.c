/* The formulations of a step on scenes with some of everything, against dense float64 references with the formulas of
 * the oracle, which share nothing with the library. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dense_matrix.h"
#include "dense_solve.h"
#include "harness.h"
#include "oracle.h"
#include "small_scenes.h"
#include "unguarded.h"

#define H 0.01

/* ---- a scene, its matrices and its world --------------------------------------------------------------------------
 */

typedef struct fixture {
    oracle_scene scene;
    taut_world* world;
    oracle_matrices m;      /* at the start; W is C / H^2, for alpha = beta = 1 */
    double *phi, *v, *mass; /* m, n, n */
} fixture;

static const double gravity[3] = {0.7, -9.81, 0};

static taut_world_def definition(taut_backend_kind backend, taut_method method, const taut_integrator* integrator) {
    taut_world_def def = unguarded_world();
    def.backend = backend;
    def.threads = 1;
    memcpy(def.gravity, gravity, sizeof gravity);
    def.integrator = *integrator;
    def.solver.method = method;
    def.solver.tolerance = 1e-12;
    def.solver.max_iterations = 20000;
    return def;
}

static void open_matrices(fixture* f) {
    const oracle_step_def def = {.h = H, .alpha = 1, .beta = 1};
    oracle_assemble(&f->scene, &def, &f->m);
    f->phi = calloc(f->m.m, sizeof *f->phi);
    f->v = calloc(f->m.n, sizeof *f->v);
    f->mass = calloc(f->m.n, sizeof *f->mass);
    oracle_phi(&f->scene, f->phi);
    for (size_t i = 0; i < f->m.n; i++) {
        const oracle_particle* p = &f->scene.particles[i / 3];
        f->v[i] = p->v[i % 3];
        f->mass[i] = p->fixed ? 0 : p->mass;
    }
}

static void close_matrices(fixture* f) {
    oracle_matrices_free(&f->m);
    free(f->phi);
    free(f->v);
    free(f->mass);
}

/* The matrices where the world is now, dt later than the description. */
static void follow(fixture* f, double dt) {
    CHECK_OK(oracle_scene_follow(&f->scene, f->world, dt));
    close_matrices(f);
    open_matrices(f);
}

typedef void build_fn(oracle_scene* scene);

static fixture fixture_open(taut_backend_kind backend, taut_method method, const taut_integrator* integrator,
                            build_fn* build) {
    fixture f = {{0}, NULL, {0}, NULL, NULL, NULL};
    const taut_world_def def = definition(backend, method, integrator);
    build(&f.scene);
    open_matrices(&f);
    CHECK_OK(oracle_scene_world(&f.scene, &def, &f.world));
    CHECK_OK(oracle_scene_drive(&f.scene, f.world, H));
    return f;
}

static void fixture_close(fixture* f) {
    taut_world_destroy(f->world);
    close_matrices(f);
    oracle_scene_free(&f->scene);
}

/* Velocities after a step of the world, n values. */
static double* stepped(fixture* f) {
    double* v = calloc(f->m.n, sizeof *v);
    taut_step_info info;
    CHECK_OK(taut_world_step(f->world, H));
    CHECK_OK(taut_world_info(f->world, &info));
    test_note("residual %.2g after %u iterations", info.residual, info.iterations);
    CHECK(info.outcome == TAUT_SOLVE_CONVERGED);
    test_note(NULL);
    CHECK_OK(taut_world_read(f->world, TAUT_FIELD_VELOCITIES, 0, f->m.n / 3, v));
    return v;
}

/* Solves [A, -J^T; J, W] [x; lam] = [p; r] for x, A diagonal, with x = 0 where A is. */
static double* saddle(const fixture* f, const double* a, const double* w, const double* p, const double* r) {
    const size_t n = f->m.n, m = f->m.m, all = n + m;
    double *k = calloc(all * all, sizeof *k), *right = calloc(all, sizeof *right), *x = calloc(all, sizeof *x);
    for (size_t i = 0; i < n; i++) {
        k[i * all + i] = a[i] > 0 ? a[i] : 1;
        right[i] = a[i] > 0 ? p[i] : 0;
        for (size_t j = 0; j < m; j++) {
            k[i * all + n + j] = a[i] > 0 ? -f->m.J[j * n + i] : 0;
            k[(n + j) * all + i] = a[i] > 0 ? f->m.J[j * n + i] : 0;
        }
    }
    for (size_t j = 0; j < m; j++) {
        memcpy(k + (n + j) * all + n, w + j * m, m * sizeof *k);
        right[n + j] = r[j];
    }
    CHECK(dense_solve(all, 1, k, right, x));
    free(k);
    free(right);
    return x;
}

static void check_velocities(const fixture* f, const double* v, const double* expected, double tolerance) {
    double scale = 0;
    for (size_t i = 0; i < f->m.n; i++) {
        scale = fmax(scale, fabs(expected[i] - f->v[i]));
    }
    test_note("largest change of a velocity: %g m/s", scale);
    CHECK_NEAR(dense_max_difference(f->m.n, v, expected) / scale, 0, tolerance);
    test_note(NULL);
}

/* Some of everything with compliance. */
static void build_soft(oracle_scene* scene) {
    scene_mixed(scene, 1e-4, 0);
    scene_shake(scene, 3, 0.004, 0.3);
}

/* A rope with hard links and a compliant one beside it, targets that move, bending rows. */
static void build_hard(oracle_scene* scene) {
    static const double down[3] = {0.03, -0.1, 0.02}, rate[3] = {0.5, -0.2, 0.1};
    const uint32_t hard = scene_rope(scene, 6, down, 0.1, (scene_material){0, 0});
    const uint32_t soft = scene_rope(scene, 5, down, 0.1, (scene_material){1e-4, 0});
    scene_rope_bending(scene, soft, 5, (scene_material){1e-2, 0});
    scene_attach(scene, hard + 6, soft + 5, (scene_material){0, 0});
    scene_target(scene, soft + 2, rate, (scene_material){1e-3, 0});
    scene_shake(scene, 5, 0.003, 0.3);
}

static build_fn* const builds[2] = {build_soft, build_hard};
static const taut_method methods[2] = {TAUT_METHOD_SCHUR, TAUT_METHOD_CONDENSED};

/* J v - rates, m values. */
static double* phidot(const fixture* f) {
    double* out = calloc(f->m.m, sizeof *out);
    size_t row = 0;
    dense_apply(f->m.m, f->m.n, f->m.J, f->v, out);
    for (size_t i = 0; i < f->scene.constraint_count; i++) {
        const oracle_constraint* c = &f->scene.constraints[i];
        for (int r = 0; r < oracle_rows(c->kind); r++, row++) {
            out[row] -= c->kind == TAUT_TARGET ? c->rate[r] : 0;
        }
    }
    return out;
}

/* ---- the primal family --------------------------------------------------------------------------------------------
 */

/* a M v' - J^T lam = e (M v + h f),  J v' + C/(c h^2) lam = -(g/(c h)) phi + rates, without dampings. */
static double* primal_reference(const fixture* f, const taut_primal* p) {
    const size_t n = f->m.n, m = f->m.m;
    double *a = calloc(n, sizeof *a), *push = calloc(n, sizeof *push), *w = calloc(m * m, sizeof *w);
    double *r = calloc(m, sizeof *r), *rates = phidot(f), *along = calloc(m, sizeof *along);
    dense_apply(m, n, f->m.J, f->v, along);
    for (size_t i = 0; i < n; i++) {
        a[i] = p->a * f->mass[i];
        push[i] = p->e * f->mass[i] * (f->v[i] + H * gravity[i % 3]);
    }
    for (size_t i = 0; i < m * m; i++) {
        w[i] = f->m.W[i] / p->c;
    }
    for (size_t j = 0; j < m; j++) { /* what fixed particles bring is known */
        r[j] = -p->g / (p->c * H) * f->phi[j] + (along[j] - rates[j]);
        for (size_t i = 0; i < n; i++) {
            r[j] -= f->mass[i] > 0 ? 0 : f->m.J[j * n + i] * f->v[i];
        }
    }
    double* v = saddle(f, a, w, push, r);
    for (size_t i = 0; i < n; i++) {
        v[i] = f->mass[i] > 0 ? v[i] : f->v[i];
    }
    free(a), free(push), free(w), free(r), free(rates), free(along);
    return v;
}

TAUT_TEST(formulations_dense, primal_family) {
    static const taut_primal members[] = {
        {1, 1, 1, 1, 1}, {1, 1, 0.5, 1, 1}, {1.3, 1, 0.7, 0.9, 0.4}, {0.8, 0, 2, 1.1, 0}};
    for (int i = 0; i < 4 * 2 * 2; i++) {
        taut_integrator integrator = unguarded_world().integrator;
        integrator.formulation = TAUT_FORMULATION_PRIMAL;
        integrator.primal = members[i % 4];
        integrator.geometric_stiffness = TAUT_GEOMETRIC_NONE;
        fixture f = fixture_open(backend, methods[i / 8], &integrator, builds[i / 4 % 2]);
        double *v = stepped(&f), *expected = primal_reference(&f, &members[i % 4]);
        check_velocities(&f, v, expected, 1e-5);
        free(v), free(expected);
        fixture_close(&f);
    }
}

/* The momentum saddle point and implicit Euler are one: with damping and geometric stiffness, over several steps. */
TAUT_TEST(formulations_dense, momentum_is_implicit_euler) {
    taut_integrator euler = unguarded_world().integrator, momentum = euler;
    CHECK_OK(taut_integrator_preset(TAUT_PRESET_MOMENTUM, &momentum));
    for (int i = 0; i < 4; i++) {
        fixture a = fixture_open(backend, methods[i / 2], &euler, builds[i % 2]);
        fixture b = fixture_open(backend, methods[i / 2], &momentum, builds[i % 2]);
        for (int step = 0; step < 3; step++) {
            double *v = stepped(&a), *w = stepped(&b);
            check_velocities(&a, w, v, 1e-9);
            free(v), free(w);
        }
        fixture_close(&a);
        fixture_close(&b);
    }
}

/* ---- accelerations ------------------------------------------------------------------------------------------------
 */

/* v.phi''(v) of every row, by the oracle's second derivatives. */
static double* bias(const fixture* f) {
    double* out = calloc(f->m.m, sizeof *out);
    size_t row = 0;
    for (size_t i = 0; i < f->scene.constraint_count; i++) {
        const oracle_constraint* c = &f->scene.constraints[i];
        const int rows = oracle_rows(c->kind), nodes = oracle_nodes(c->kind);
        for (int r = 0; r < rows; r++, row++) {
            double x[12] = {0}, v[12] = {0}, lam[6] = {0}, image[12];
            oracle_terms terms;
            lam[r] = 1;
            for (int k = 0; k < 3 * nodes; k++) {
                x[k] = f->scene.particles[c->particles[k / 3]].x[k % 3];
                v[k] = f->scene.particles[c->particles[k / 3]].v[k % 3];
            }
            if (nodes > 0) {
                oracle_constraint_terms(c, x, lam, &terms);
                dense_apply(12, 12, terms.hessian, v, image);
                out[row] = dense_dot(12, v, image);
            }
        }
    }
    return out;
}

/* v + h a: hard rows by Jdot v + ka phidot + kb phi, compliant ones by their force. */
static double* acceleration_reference(const fixture* f, double ka, double kb) {
    const size_t n = f->m.n, m = f->m.m;
    double *push = calloc(n, sizeof *push), *w = calloc(m * m, sizeof *w), *r = calloc(m, sizeof *r);
    double *rates = phidot(f), *second = bias(f), *lam = calloc(m, sizeof *lam), *c = calloc(m * m, sizeof *c);
    for (size_t i = 0; i < m * m; i++) {
        c[i] = f->m.W[i] * H * H;
        w[i] = i % (m + 1) == 0 && f->m.W[i] > 0;
    }
    for (size_t j = 0; j < m; j++) {
        const bool hard = f->m.W[j * m + j] == 0;
        r[j] = hard ? -H * (second[j] + ka * rates[j] + kb * f->phi[j]) : 0;
        lam[j] = hard ? 0 : -f->phi[j];
        c[j * m + j] += hard;
    }
    CHECK(dense_solve(m, 1, c, lam, lam));
    for (size_t i = 0; i < n; i++) {
        push[i] = H * f->mass[i] * gravity[i % 3];
        for (size_t j = 0; j < m; j++) {
            push[i] += H * f->m.J[j * n + i] * lam[j];
        }
    }
    for (size_t j = 0; j < m * n; j++) { /* rows that are no constraints */
        f->m.J[j] = w[j / n * (m + 1)] > 0 ? 0 : f->m.J[j];
    }
    double* dv = saddle(f, f->mass, w, push, r);
    for (size_t i = 0; i < n; i++) {
        dv[i] += f->v[i];
    }
    free(push), free(w), free(r), free(rates), free(second), free(lam), free(c);
    return dv;
}

TAUT_TEST(formulations_dense, accelerations) {
    for (int i = 0; i < 4; i++) {
        taut_integrator integrator = unguarded_world().integrator;
        integrator.formulation = TAUT_FORMULATION_ACCELERATION;
        integrator.baumgarte_velocity = 12;
        integrator.baumgarte_position = 36;
        fixture f = fixture_open(backend, methods[i / 2], &integrator, builds[i % 2]);
        double *v = stepped(&f), *expected = acceleration_reference(&f, 12, 36);
        check_velocities(&f, v, expected, 1e-5);
        free(v), free(expected);
        fixture_close(&f);
    }
}

/* ---- Newton's method ----------------------------------------------------------------------------------------------
 */

/* Moves the description to x + share h (v + beta dv), targets with it. */
static void look(fixture* f, const double* dv, double share, double beta) {
    for (size_t i = 0; i < f->m.n; i++) {
        const double change = f->mass[i] > 0 ? dv[i] : 0;
        f->scene.particles[i / 3].x[i % 3] += share * H * (f->v[i] + beta * change);
    }
    for (size_t i = 0; i < f->scene.constraint_count; i++) {
        oracle_constraint* c = &f->scene.constraints[i];
        for (int r = 0; c->kind == TAUT_TARGET && r < 3; r++) {
            c->rest[r] += share * H * c->rate[r];
        }
    }
}

/* r_u and r_c of the exact step at the world's dv and lam, over the largest of the terms that they are made of. */
static void exact_residuals(fixture* f, const double* v, double theta, double* balance, double* rows) {
    const size_t n = f->m.n, m = f->m.m;
    double *dv = calloc(n, sizeof *dv), *lam = calloc(m, sizeof *lam), *phi = calloc(m, sizeof *phi);
    double largest = 0, worst = 0, gap = 0;
    oracle_matrices at = {0};
    const oracle_step_def def = {.h = H, .alpha = 1, .beta = 1};
    for (size_t i = 0; i < n; i++) {
        dv[i] = v[i] - f->v[i];
    }
    CHECK_OK(taut_world_read(f->world, TAUT_FIELD_MULTIPLIERS, 0, m, lam));
    look(f, dv, theta, theta);
    oracle_assemble(&f->scene, &def, &at);
    oracle_phi(&f->scene, phi);
    for (size_t i = 0; i < n; i++) {
        double pulled = 0;
        for (size_t j = 0; j < m; j++) {
            pulled += H * at.J[j * n + i] * lam[j];
            largest = fmax(largest, fabs(H * at.J[j * n + i] * lam[j]));
        }
        worst = f->mass[i] > 0 ? fmax(worst, fabs(f->mass[i] * (dv[i] - H * gravity[i % 3]) - pulled)) : worst;
    }
    for (size_t j = 0; j < m; j++) {
        double left = phi[j];
        for (size_t k = 0; k < m; k++) {
            left += f->m.W[j * m + k] * H * H * lam[k];
        }
        gap = fmax(gap, fabs(left));
    }
    *balance = worst / largest;
    *rows = gap;
    oracle_matrices_free(&at);
    free(dv), free(lam), free(phi);
}

static taut_integrator newton_of(double theta, uint32_t most, double tolerance) {
    taut_integrator integrator = unguarded_world().integrator;
    integrator.alpha = integrator.beta = theta;
    integrator.newton = most;
    integrator.newton_tolerance = tolerance;
    return integrator;
}

/* The exact step is met, by formulas that are not the library's: implicit Euler, midpoint and between. */
TAUT_TEST(formulations_dense, newton_solves_the_exact_step) {
    static const double thetas[3] = {1, 0.5, 0.7};
    for (int i = 0; i < 3 * 2 * 2; i++) {
        const taut_integrator integrator = newton_of(thetas[i % 3], 60, 1e-10);
        fixture f = fixture_open(backend, methods[i / 6], &integrator, builds[i / 3 % 2]);
        taut_step_info info;
        double *v = stepped(&f), balance, rows;
        CHECK_OK(taut_world_info(f.world, &info));
        exact_residuals(&f, v, thetas[i % 3], &balance, &rows);
        test_note("scene %d, method %d, theta %g: %u linearisations, residual %.2g; |r_u| %.2g of a force, |r_c| %.2g",
                  i / 3 % 2, i / 6, thetas[i % 3], info.linearisations, info.newton_residual, balance, rows);
        CHECK(info.newton_residual <= 1e-10);
        CHECK_NEAR(balance, 0, 1e-9);
        CHECK_NEAR(rows, 0, 1e-9);
        CHECK(info.linearisations > 1);
        test_note(NULL);
        free(v);
        fixture_close(&f);
    }
}

/* A step that stops after its first linearisation is the linearised step, bit for bit. */
TAUT_TEST(formulations_dense, one_iteration_is_the_linearised_step) {
    for (int i = 0; i < 4; i++) {
        const taut_integrator once = newton_of(0.6, 1, 0.9), loose = newton_of(0.6, 5, 0.9);
        fixture a = fixture_open(backend, methods[i / 2], &once, builds[i % 2]);
        fixture b = fixture_open(backend, methods[i / 2], &loose, builds[i % 2]);
        double *v = stepped(&a), *w = stepped(&b);
        taut_step_info info;
        CHECK_OK(taut_world_info(b.world, &info));
        CHECK_INT(info.linearisations, 1);
        CHECK(memcmp(v, w, a.m.n * sizeof *v) == 0);
        free(v), free(w);
        v = calloc(a.m.n, sizeof *v), w = calloc(a.m.n, sizeof *w);
        CHECK_OK(taut_world_read(a.world, TAUT_FIELD_POSITIONS, 0, a.m.n / 3, v));
        CHECK_OK(taut_world_read(b.world, TAUT_FIELD_POSITIONS, 0, a.m.n / 3, w));
        CHECK(memcmp(v, w, a.m.n * sizeof *v) == 0);
        free(v), free(w);
        fixture_close(&a);
        fixture_close(&b);
    }
}

/* ---- projections --------------------------------------------------------------------------------------------------
 */

static double worst_hard(const fixture* f, const double* values) {
    double worst = 0;
    for (size_t j = 0; j < f->m.m; j++) {
        worst = f->m.W[j * f->m.m + j] == 0 ? fmax(worst, fabs(values[j])) : worst;
    }
    return worst;
}

/* After a step with projections hard rows hold, in positions and velocities, and targets' rates count. */
TAUT_TEST(formulations_dense, projections_of_a_step) {
    taut_integrator integrator = unguarded_world().integrator;
    integrator.alpha = integrator.beta = 0.7;
    integrator.hard_row_damping = 1;
    integrator.project_positions = 4;
    integrator.project_velocities = true;
    for (int i = 0; i < 2; i++) {
        fixture f = fixture_open(backend, methods[i], &integrator, build_hard);
        double* v = stepped(&f);
        double* phi = calloc(f.m.m, sizeof *phi);
        CHECK_OK(taut_world_read(f.world, TAUT_FIELD_VIOLATIONS, 0, f.m.m, phi));
        CHECK(worst_hard(&f, f.phi) > 1e-3);
        CHECK_NEAR(worst_hard(&f, phi), 0, 1e-10);
        follow(&f, H);
        double* rates = phidot(&f);
        CHECK_NEAR(worst_hard(&f, rates), 0, 1e-6);
        free(v), free(phi), free(rates);
        fixture_close(&f);
    }
}

/* ---- projections as operators --------------------------------------------------------------------------------------
 */

static double largest(size_t n, const double* a) {
    double most = 0;
    for (size_t i = 0; i < n; i++) {
        most = fmax(most, fabs(a[i]));
    }
    return most;
}

/* motion = admissible + reaction, J admissible = 0, and the two are A-orthogonal. */
static void check_split(fixture* f, bool hard_only) {
    const size_t n = f->m.n, m = f->m.m;
    double *motion = calloc(n, sizeof *motion), *admissible = calloc(n, sizeof *motion);
    double *reaction = calloc(n, sizeof *motion), *along = calloc(m, sizeof *along), *held = calloc(n, sizeof *held);
    random_state random = {11};
    random_fill(&random, -1, 1, n, motion);
    for (size_t i = 0; i < n; i++) {
        motion[i] = f->mass[i] > 0 ? motion[i] : 0;
    }
    CHECK_OK(taut_world_split(f->world, hard_only, motion, admissible, reaction));
    for (size_t i = 0; i < n; i++) {
        CHECK_NEAR(admissible[i] + reaction[i], motion[i], 1e-12);
    }
    dense_apply(m, n, f->m.J, admissible, along);
    const double all = largest(m, along);
    const double hard = worst_hard(f, along);
    CHECK_OK(taut_world_apply(f->world, TAUT_OPERATOR_A, reaction, held));
    test_note("J admissible: %.2g of all rows, %.2g of hard ones; reaction %.2g", all, hard, largest(n, reaction));
    CHECK_NEAR(hard, 0, 3e-6); /* rows of the library are rounded to float32 */
    CHECK(hard_only ? all > 0.1 : all < 1e-4);
    CHECK_NEAR(dense_dot(n, held, admissible) / dense_dot(n, held, motion), 0, 1e-9);
    CHECK(largest(n, reaction) > 0.1);
    test_note(NULL);
    free(motion), free(admissible), free(reaction), free(along), free(held);
}

TAUT_TEST(formulations_dense, split_of_a_motion) {
    const taut_integrator integrator = unguarded_world().integrator;
    for (int i = 0; i < 2; i++) {
        fixture f = fixture_open(backend, methods[i], &integrator, build_hard);
        CHECK_OK(taut_world_step(f.world, H)); /* so that A has geometric stiffness */
        follow(&f, H);
        CHECK_OK(taut_world_linearise(f.world, H));
        check_split(&f, true);
        check_split(&f, false);
        fixture_close(&f);
    }
}

TAUT_TEST(formulations_dense, projections_of_the_state) {
    const taut_integrator integrator = unguarded_world().integrator;
    fixture f = fixture_open(backend, TAUT_METHOD_SCHUR, &integrator, build_hard);
    double worst = 1;
    CHECK(worst_hard(&f, f.phi) > 1e-3);
    CHECK_OK(taut_world_project_positions(f.world, 10, 1e-13, &worst));
    CHECK_NEAR(worst, 0, 1e-13);
    CHECK_OK(taut_world_project_velocities(f.world));
    for (size_t i = 0; i < f.scene.constraint_count; i++) { /* targets rest */
        memset(f.scene.constraints[i].rate, 0, sizeof f.scene.constraints[i].rate);
    }
    follow(&f, 0);
    double* along = calloc(f.m.m, sizeof *along);
    dense_apply(f.m.m, f.m.n, f.m.J, f.v, along);
    CHECK_NEAR(worst_hard(&f, f.phi), 0, 1e-13);
    CHECK_NEAR(worst_hard(&f, along), 0, 1e-6);
    CHECK(largest(f.m.n, f.v) > 0.1);
    free(along);
    fixture_close(&f);
    CHECK_STATUS(taut_world_project_positions(NULL, 1, 0, NULL), TAUT_INVALID_ARGUMENT);
    CHECK_STATUS(taut_world_project_velocities(NULL), TAUT_INVALID_ARGUMENT);
}
