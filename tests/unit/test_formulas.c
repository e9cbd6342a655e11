/* Every formula against central differences, against automatic differentiation, and against itself. */
#include <math.h>
#include <string.h>

#include "formula_cases.h"
#include "harness.h"

enum { CASES = 300 };
static const double two_pi = 6.28318530717958647693;

/* Runs `check` on random cases of every kind. */
static void for_each_case(void (*check)(const formula_case* c, random_state* state)) {
    for (int k = 0; k < FORMULA_COUNT; k++) {
        random_state state = {17};
        for (int i = 0; i < CASES; i++) {
            const formula_case c = formula_case_random(&formulas[k], &state);
            test_note("%s, case %d", formulas[k].name, i);
            check(&c, &state);
        }
    }
    test_note(NULL);
}

/* f(x + s dx) for the differences below. */
typedef void field_fn(const formula_case* c, const double* x, double* out);

static void field_phi(const formula_case* c, const double* x, double* out) {
    c->f->phi(x, c->rest, out);
}
static void field_force(const formula_case* c, const double* x, double* out) {
    c->f->pull(x, c->rest, c->lam, out);
}

/* Directional derivative by five points: error s^4 f'''''/30. Differences of an angle are taken modulo a turn. */
static void difference(const formula_case* c, field_fn* field, int count, const double* dx, bool angle, double* out) {
    static const double weights[4] = {1. / 12, -8. / 12, 8. / 12, -1. / 12};
    static const double steps[4] = {-2, -1, 1, 2};
    const double s = 2e-4;
    double at[FORMULA_MAX];
    field(c, c->x, at);
    memset(out, 0, (size_t)count * sizeof *out);
    for (int k = 0; k < 4; k++) {
        double x[FORMULA_MAX], value[FORMULA_MAX];
        for (int i = 0; i < c->dofs; i++) {
            x[i] = c->x[i] + s * steps[k] * dx[i];
        }
        field(c, x, value);
        for (int i = 0; i < count; i++) {
            const double change = value[i] - at[i];
            out[i] += weights[k] / s * (angle ? remainder(change, two_pi) : change);
        }
    }
}

static void check_jacobian(const formula_case* c, random_state* state) {
    double dx[FORMULA_MAX], expected[FORMULA_MAX], actual[FORMULA_MAX];
    random_fill(state, -1, 1, FORMULA_MAX, dx);
    c->f->forward(c->x, c->rest, dx, actual);
    difference(c, field_phi, c->f->rows, dx, c->f->kind == TAUT_BEND, expected);
    for (int r = 0; r < c->f->rows; r++) {
        CHECK_NEAR(actual[r], expected[r], 1e-8 * (1 + fabs(expected[r])));
    }
}

TAUT_PLAIN_TEST(formulas, jacobian_is_the_derivative) {
    for_each_case(check_jacobian);
}

static void check_adjoint(const formula_case* c, random_state* state) {
    double dx[FORMULA_MAX], dphi[FORMULA_MAX], f[FORMULA_MAX];
    random_fill(state, -1, 1, FORMULA_MAX, dx);
    c->f->forward(c->x, c->rest, dx, dphi);
    c->f->pull(c->x, c->rest, c->lam, f);
    const double expected = dense_dot((size_t)c->f->rows, dphi, c->lam);
    CHECK_NEAR(dense_dot((size_t)c->dofs, f, dx), expected, 1e-13 * (1 + dense_max((size_t)c->dofs, f)) * 12);
}

TAUT_PLAIN_TEST(formulas, pull_is_the_adjoint_of_forward) {
    for_each_case(check_adjoint);
}

static void check_factor_adjoint(const formula_case* c, random_state* state) {
    double dx[FORMULA_MAX], z[FORMULA_MAX], rows[FORMULA_MAX] = {0}, f[FORMULA_MAX];
    random_fill(state, -1, 1, FORMULA_MAX, dx);
    random_fill(state, -1, 1, FORMULA_MAX, z);
    c->f->apply_factor(c->x, c->rest, c->lam, dx, rows);
    c->f->apply_factor_transpose(c->x, c->rest, c->lam, z, f);
    const double expected = dense_dot((size_t)c->f->factor_rows, rows, z);
    CHECK_NEAR(dense_dot((size_t)c->dofs, f, dx), expected, 1e-12 * (1 + dense_max((size_t)c->dofs, f)));
}

TAUT_PLAIN_TEST(formulas, root_pull_is_the_adjoint_of_root_forward) {
    for_each_case(check_factor_adjoint);
}

static void check_curvature(const formula_case* c, random_state* state) {
    double dx[FORMULA_MAX], expected[FORMULA_MAX], actual[FORMULA_MAX];
    random_fill(state, -1, 1, FORMULA_MAX, dx);
    c->f->curvature(c->x, c->rest, c->lam, dx, actual);
    difference(c, field_force, c->dofs, dx, false, expected);
    CHECK_NEAR(dense_max_difference((size_t)c->dofs, actual, expected), 0,
               1e-8 * (1 + dense_max((size_t)c->dofs, expected)));
}

TAUT_PLAIN_TEST(formulas, curvature_is_the_derivative_of_the_force) {
    for_each_case(check_curvature);
}

static void check_symmetry(const formula_case* c, random_state* state) {
    (void)state;
    double hessian[FORMULA_MAX * FORMULA_MAX];
    const double tolerance = 1e-13 * formula_scale(c);
    formula_hessian(c, hessian);
    for (int i = 0; i < c->dofs; i++) {
        for (int j = 0; j < i; j++) {
            CHECK_NEAR(hessian[i * c->dofs + j], hessian[j * c->dofs + i], tolerance);
        }
    }
}

TAUT_PLAIN_TEST(formulas, curvature_is_symmetric) {
    for_each_case(check_symmetry);
}

/* x^T (R^T R + G) x >= 0 for every x: its smallest eigenvalue, up to rounding. */
static void check_bound(const formula_case* c, random_state* state) {
    (void)state;
    double sum[FORMULA_MAX * FORMULA_MAX], hessian[FORMULA_MAX * FORMULA_MAX], v[FORMULA_MAX * FORMULA_MAX];
    const int n = c->dofs;
    formula_gamma(c, sum);
    formula_hessian(c, hessian);
    for (int i = 0; i < n * n; i++) {
        sum[i] += hessian[i];
    }
    dense_eigen((size_t)n, sum, v);
    for (int i = 0; i < n; i++) {
        CHECK(sum[i * n + i] >= -1e-12 * formula_scale(c));
    }
}

TAUT_PLAIN_TEST(formulas, root_bounds_the_curvature) {
    for_each_case(check_bound);
}

/* phi, J, G and R^T R against the reference, which differentiates its own formulas automatically. */
static void check_reference(const formula_case* c, random_state* state) {
    (void)state;
    oracle_terms terms;
    double phi[FORMULA_MAX], gamma[FORMULA_MAX * FORMULA_MAX], hessian[FORMULA_MAX * FORMULA_MAX];
    oracle_constraint_terms(&c->oracle, c->x, c->lam, &terms);
    c->f->phi(c->x, c->rest, phi);
    formula_gamma(c, gamma);
    formula_hessian(c, hessian);
    const double tolerance = 1e-11 * formula_scale(c);
    CHECK_NEAR(dense_max_difference((size_t)c->f->rows, phi, terms.phi), 0, 1e-12);
    for (int i = 0; i < c->dofs; i++) {
        double unit[FORMULA_MAX] = {0}, column[FORMULA_MAX];
        unit[i] = 1;
        c->f->forward(c->x, c->rest, unit, column);
        for (int r = 0; r < c->f->rows; r++) {
            CHECK_NEAR(column[r], terms.J[ORACLE_DOFS * r + i], 1e-12 * (1 + fabs(column[r])));
        }
        for (int j = 0; j < c->dofs; j++) {
            CHECK_NEAR(hessian[i * c->dofs + j], terms.hessian[ORACLE_DOFS * i + j], tolerance);
            CHECK_NEAR(gamma[i * c->dofs + j], terms.gamma[ORACLE_DOFS * i + j], tolerance);
        }
    }
}

TAUT_PLAIN_TEST(formulas, agree_with_automatic_differentiation) {
    for_each_case(check_reference);
}

/* phi of the kinds that measure a shape does not see a rigid motion. */
static void check_invariance(const formula_case* c, random_state* state) {
    if (c->f->kind == TAUT_ATTACHMENT || c->f->kind == TAUT_TARGET) {
        return;
    }
    double turn[9], shift[3], moved[FORMULA_MAX], before[FORMULA_MAX], after[FORMULA_MAX];
    random_rotation(state, turn);
    random_fill(state, -2, 2, 3, shift);
    for (int k = 0; k < c->f->nodes; k++) {
        dense_apply(3, 3, turn, c->x + 3 * k, moved + 3 * k);
        for (int i = 0; i < 3; i++) {
            moved[3 * k + i] += shift[i];
        }
    }
    c->f->phi(c->x, c->rest, before);
    c->f->phi(moved, c->rest, after);
    for (int r = 0; r < c->f->rows; r++) {
        const double change = after[r] - before[r];
        CHECK_NEAR(c->f->kind == TAUT_BEND ? remainder(change, two_pi) : change, 0, 1e-13 * (10 + fabs(before[r])));
    }
}

TAUT_PLAIN_TEST(formulas, shapes_do_not_see_rigid_motion) {
    for_each_case(check_invariance);
}

/* Flat is 0; positive where the apexes rise towards (x1 - x0) x (x2 - x0). */
TAUT_PLAIN_TEST(formulas, bend_sign) {
    const formula* bend = &formulas[3];
    CHECK_TEXT(bend->name, "bend");
    const double rest = 0, half_pi = two_pi / 4;
    double phi;
    for (double rise = -1.5; rise <= 1.5; rise += 0.25) {
        /* Both triangles turned by `rise` about the edge on the x axis: their angle is twice that. */
        const double c = cos(rise), s = sin(rise);
        const double x[12] = {0, 0, 0, 1, 0, 0, 0.3, c, s, 0.6, -2 * c, 2 * s};
        bend->phi(x, &rest, &phi);
        CHECK_NEAR(phi, 2 * rise, 1e-14);
    }
    const double square[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    bend->phi(square, &rest, &phi);
    CHECK_NEAR(phi, half_pi, 1e-14);
}

/* An angle just above pi is close to one just below -pi. */
TAUT_PLAIN_TEST(formulas, bend_wraps) {
    const formula* bend = &formulas[3];
    for (double off = -0.2; off <= 0.21; off += 0.05) {
        const double theta = two_pi / 2 - off, rest = two_pi / 2 - 0.1;
        const double x[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0.5, -cos(theta), sin(theta)};
        double phi;
        bend->phi(x, &rest, &phi);
        CHECK_NEAR(phi, 0.1 - off, 1e-14);
    }
}
