/* The reference itself against steps worked out by hand. */
#include <math.h>
#include <string.h>

#include "dense_matrix.h"
#include "formula_cases.h"
#include "harness.h"
#include "oracle.h"
#include "small_scenes.h"

static const scene_material hard = {0, 0};

/* A mass on one link from a fixed point. */
typedef struct pendulum {
    oracle_scene scene;
    oracle_step_def def;
    double n[3]; /* unit, along the link */
    double length;
} pendulum;

static pendulum make_pendulum(double compliance, double damping, double alpha, double beta, const double* lam) {
    pendulum p = {.def = {.h = 0.01,
                          .alpha = alpha,
                          .beta = beta,
                          .geometric = lam != NULL,
                          .gravity = {0.5, -9.81, 0.25},
                          .multipliers = lam}};
    const double d[3] = {0.6, -0.7, 0.3};
    oracle_scene_particle(&p.scene, 0, 0, 0, 1, true);
    oracle_scene_particle(&p.scene, d[0], d[1], d[2], 2, false);
    const uint32_t nodes[2] = {0, 1};
    oracle_constraint c = {.kind = TAUT_DISTANCE, .rest = {0.9}, .compliance = compliance, .damping = damping};
    memcpy(c.particles, nodes, sizeof nodes);
    oracle_scene_constraint(&p.scene, &c);
    const double v[3] = {1, 0.5, -0.3};
    memcpy(p.scene.particles[1].v, v, sizeof v);
    p.length = dense_norm(3, d);
    for (int i = 0; i < 3; i++) {
        p.n[i] = d[i] / p.length;
    }
    return p;
}

/* Along the link the step is that of one row with S = 1/m + C/(h l); across it, A = m + alpha beta h^2 T/|d| with
 * the tension T = -lam takes the place of m, and -alpha h^2 T/|d| v joins the force. */
static void check_pendulum(double compliance, double damping, double alpha, double beta, const double* lam) {
    pendulum p = make_pendulum(compliance, damping, alpha, beta, lam);
    const double h = p.def.h, m = 2, l = alpha * (h * beta + damping);
    const double stiffness = lam != NULL ? fmax(-lam[0], 0) / p.length : 0;
    const double* v = p.scene.particles[1].v;
    const double phi = p.length - 0.9, phidot = dense_dot(3, p.n, v), pull = m * dense_dot(3, p.n, p.def.gravity);
    const double b = -(phi + (damping + alpha * h) * phidot) / l - h * pull / m;
    const double gam = b / (1 / m + compliance / (h * l));
    oracle_result r;
    REQUIRE(oracle_step(&p.scene, &p.def, &r));
    CHECK_NEAR(r.phi[0], phi, 1e-15);
    CHECK_NEAR(r.b[0], b, 1e-13 * fabs(b));
    CHECK_NEAR(r.gam[0], gam, 1e-12 * fabs(gam));
    for (int i = 0; i < 3; i++) {
        const double across = v[i] - phidot * p.n[i];
        const double force = m * p.def.gravity[i] - pull * p.n[i] - alpha * h * stiffness * across;
        const double dv = (h * pull + gam) * p.n[i] / m + h * force / (m + alpha * beta * h * h * stiffness);
        CHECK_NEAR(r.dv[3 + i], dv, 1e-12);
        CHECK_NEAR(r.v[3 + i], v[i] + dv, 1e-12);
        CHECK_NEAR(r.x[3 + i], p.scene.particles[1].x[i] + h * (v[i] + beta * dv), 1e-14);
        CHECK_NEAR(r.x[i], 0, 0);
    }
    oracle_result_free(&r);
    oracle_scene_free(&p.scene);
}

TAUT_PLAIN_TEST(oracle, pendulum_by_hand) {
    const double tension = -500, pressure = 500;
    check_pendulum(0, 0, 1, 1, NULL);
    check_pendulum(0, 0.01, 0.5, 0.5, NULL);
    check_pendulum(1e-3, 0.02, 0.6, 0.7, &tension);
    check_pendulum(0, 0, 1, 1, &tension);
    check_pendulum(0, 0, 1, 1, &pressure);
    check_pendulum(1e6, 0.1, 1, 0, &tension);
}

/* After a hard implicit step, phi + h phidot + h beta n.dv = 0: the linearised constraint holds at the end. */
TAUT_PLAIN_TEST(oracle, hard_rows_hold_at_the_end) {
    oracle_scene scene = {0};
    scene_mixed(&scene, 0, 0);
    for (size_t i = 0; i < scene.constraint_count;) { /* leave a set of independent rows */
        const taut_kind kind = scene.constraints[i].kind;
        if (kind == TAUT_ATTACHMENT || kind == TAUT_TARGET) {
            i++;
            continue;
        }
        memmove(&scene.constraints[i], &scene.constraints[i + 1],
                (--scene.constraint_count - i) * sizeof *scene.constraints);
    }
    const oracle_step_def def = {.h = 0.01, .alpha = 1, .beta = 1, .gravity = {0, -9.81, 0}};
    oracle_result r;
    REQUIRE(oracle_step(&scene, &def, &r));
    double phi[64];
    for (size_t i = 0; i < scene.particle_count; i++) {
        memcpy(scene.particles[i].x, r.x + 3 * i, 3 * sizeof *r.x);
    }
    for (size_t i = 0; i < scene.constraint_count; i++) {
        for (int a = 0; a < 3; a++) {
            scene.constraints[i].rest[a] += def.h * scene.constraints[i].rate[a];
        }
    }
    oracle_phi(&scene, phi);
    CHECK_NEAR(dense_max(r.m, phi), 0, 1e-14);
    oracle_result_free(&r);
    oracle_scene_free(&scene);
}

/* Gamma(lam) - Gamma(-lam) = (-F)+ - (F)+ = -F: the pieces that are projected add up to the second derivative. */
TAUT_PLAIN_TEST(oracle, projected_forms_add_up) {
    for (int k = 0; k < FORMULA_COUNT; k++) {
        random_state state = {21};
        for (int i = 0; i < 100; i++) {
            formula_case c = formula_case_random(&formulas[k], &state);
            oracle_terms plus, minus;
            double negative[FORMULA_MAX];
            for (int r = 0; r < FORMULA_MAX; r++) {
                negative[r] = -c.lam[r];
            }
            oracle_constraint_terms(&c.oracle, c.x, c.lam, &plus);
            oracle_constraint_terms(&c.oracle, c.x, negative, &minus);
            const double tolerance = 1e-11 * (1 + dense_max(144, plus.hessian));
            for (int j = 0; j < 144; j++) {
                CHECK_NEAR(plus.gamma[j] - minus.gamma[j], -plus.hessian[j], tolerance);
            }
        }
    }
}

/* On independent rows the dense least-norm path and the sparse saddle path are one. */
TAUT_PLAIN_TEST(oracle, two_paths_agree) {
    oracle_scene scene = {0};
    const double along[3] = {0.1, -0.02, 0.03};
    const uint32_t rope = scene_rope(&scene, 8, along, 0.1, hard);
    scene_attach(&scene, rope + 3, rope + 7, (scene_material){1e-3, 0.1});
    scene_shake(&scene, 2, 0.01, 1);
    double lam[11];
    random_state state = {1};
    random_fill(&state, -10, 10, 11, lam);
    oracle_step_def def = {.h = 0.01,
                           .alpha = 0.7,
                           .beta = 0.6,
                           .geometric = true,
                           .hard_row_damping = 1,
                           .gravity = {0, -9.81, 0},
                           .multipliers = lam};
    oracle_result sparse, dense;
    REQUIRE(oracle_step(&scene, &def, &sparse));
    def.minimum_norm = true;
    REQUIRE(oracle_step(&scene, &def, &dense));
    CHECK_NEAR(dense_max_difference(sparse.n, sparse.dv, dense.dv), 0, 1e-11);
    CHECK_NEAR(dense_max_difference(sparse.m, sparse.gam, dense.gam), 0, 1e-11);
    oracle_result_free(&sparse);
    oracle_result_free(&dense);
    oracle_scene_free(&scene);
}
