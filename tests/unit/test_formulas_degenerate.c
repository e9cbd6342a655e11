/* Formulas where the shape has no direction, no height or no volume: finite always, right where they are smooth. */
#include <math.h>
#include <string.h>

#include "formula_cases.h"
#include "harness.h"

static bool all_finite(const double* a, int count) {
    for (int i = 0; i < count; i++) {
        if (!isfinite(a[i])) {
            return false;
        }
    }
    return true;
}

/* Everything that a formula computes, on its own inputs. */
static void check_finite(const formula_case* c) {
    double phi[FORMULA_MAX] = {0}, out[FORMULA_MAX] = {0}, rows[FORMULA_MAX] = {0};
    double matrix[FORMULA_MAX * FORMULA_MAX];
    c->f->phi(c->x, c->rest, phi);
    CHECK(all_finite(phi, c->f->rows));
    c->f->forward(c->x, c->rest, c->lam, out);
    CHECK(all_finite(out, c->f->rows));
    c->f->pull(c->x, c->rest, c->lam, out);
    CHECK(all_finite(out, c->dofs));
    c->f->apply_factor(c->x, c->rest, c->lam, c->lam, rows);
    CHECK(all_finite(rows, c->f->factor_rows));
    formula_gamma(c, matrix);
    CHECK(all_finite(matrix, c->dofs * c->dofs));
    formula_hessian(c, matrix);
    CHECK(all_finite(matrix, c->dofs * c->dofs));
}

/* Node `to` of the constraint is put at (1 - s) x_a + s x_b. */
static void place(formula_case* c, int to, int a, int b, double s) {
    for (int i = 0; i < 3; i++) {
        c->x[3 * to + i] = (1 - s) * c->x[3 * a + i] + s * c->x[3 * b + i];
    }
}

enum degeneration {
    COINCIDENT_ALL,
    COINCIDENT_PAIR,
    COINCIDENT_LAST,
    COLLINEAR,
    NEARLY_COLLINEAR,
    FLAT,
    TINY,
    HUGE_SHAPE,
    ZERO_MULTIPLIER,
    DEGENERATION_COUNT
};

static void degenerate(formula_case* c, int how, random_state* state) {
    const int last = c->f->nodes - 1;
    switch (how) {
    case COINCIDENT_ALL:
        for (int k = 1; k <= last; k++) {
            place(c, k, 0, 0, 0);
        }
        break;
    case COINCIDENT_PAIR:
        place(c, last > 0 ? 1 : 0, 0, 0, 0);
        break;
    case COINCIDENT_LAST:
        place(c, last, last > 0 ? last - 1 : 0, 0, 0);
        break;
    case COLLINEAR:
    case NEARLY_COLLINEAR:
        for (int k = 2; k <= last; k++) {
            place(c, k, 0, 1, random_in(state, -1, 2));
            c->x[3 * k] += how == COLLINEAR ? 0 : random_in(state, -1, 1) * pow(10, random_in(state, -18, -6));
        }
        break;
    case FLAT:
        for (int k = 0; k <= last; k++) {
            c->x[3 * k + 2] = 0;
        }
        break;
    case TINY:
    case HUGE_SHAPE:
        for (int i = 0; i < c->dofs; i++) {
            c->x[i] *= how == TINY ? 1e-12 : 1e8;
        }
        break;
    default:
        memset(c->lam, 0, sizeof c->lam);
    }
}

TAUT_PLAIN_TEST(formulas_degenerate, finite) {
    random_state state = {3};
    for (int k = 0; k < FORMULA_COUNT; k++) {
        for (int how = 0; how < DEGENERATION_COUNT; how++) {
            for (int i = 0; i < 40; i++) {
                formula_case c = formula_case_random(&formulas[k], &state);
                degenerate(&c, how, &state);
                test_note("%s, degeneration %d, case %d", formulas[k].name, how, i);
                check_finite(&c);
            }
        }
    }
    test_note(NULL);
}

static formula_case case_of(taut_kind kind, random_state* state) {
    int k = 0;
    while (formulas[k].kind != kind) {
        k++;
    }
    return formula_case_random(&formulas[k], state);
}

/* Two coincident points are 0 apart, and a force can still part them. */
TAUT_PLAIN_TEST(formulas_degenerate, coincident_distance) {
    random_state state = {4};
    formula_case c = case_of(TAUT_DISTANCE, &state);
    place(&c, 1, 0, 0, 0);
    double phi, f[6];
    c.f->phi(c.x, c.rest, &phi);
    c.f->pull(c.x, c.rest, c.lam, f);
    CHECK_NEAR(phi, -c.rest[0], 0);
    CHECK_NEAR(dense_norm(3, f), fabs(c.lam[0]), 1e-15);
}

/* Unstretched triangles and tetrahedra, turned somehow: strain 0, and the reference's derivatives. */
TAUT_PLAIN_TEST(formulas_degenerate, zero_strain) {
    random_state state = {6};
    for (int i = 0; i < 200; i++) {
        formula_case c = case_of(i % 2 == 0 ? TAUT_MEMBRANE : TAUT_TET_STRAIN, &state);
        double turn[9], phi[6];
        random_rotation(&state, turn);
        const int axes = i % 2 == 0 ? 2 : 3;
        for (int k = 0; k < c.f->nodes; k++) {
            double rest[3] = {0, 0, 0};
            memcpy(rest, c.oracle.rest + axes * k, (size_t)axes * sizeof *rest);
            dense_apply(3, 3, turn, rest, c.x + 3 * k);
        }
        c.f->phi(c.x, c.rest, phi);
        CHECK_NEAR(dense_max((size_t)c.f->rows, phi), 0, 1e-14);
    }
}

/* Strain is a polynomial in x: inverted, flat and collapsed shapes are ordinary, as is the volume. */
TAUT_PLAIN_TEST(formulas_degenerate, polynomials_stay_exact) {
    static const taut_kind kinds[3] = {TAUT_MEMBRANE, TAUT_TET_STRAIN, TAUT_TET_VOLUME};
    random_state state = {7};
    for (int i = 0; i < 300; i++) {
        formula_case c = case_of(kinds[i % 3], &state);
        const int how = i / 3 % 5;
        oracle_terms terms;
        double phi[6], f[FORMULA_MAX], hessian[FORMULA_MAX * FORMULA_MAX];
        degenerate(&c, how, &state);
        oracle_constraint_terms(&c.oracle, c.x, c.lam, &terms);
        c.f->phi(c.x, c.rest, phi);
        c.f->pull(c.x, c.rest, c.lam, f);
        formula_hessian(&c, hessian);
        test_note("%s, degeneration %d", c.f->name, how);
        CHECK_NEAR(dense_max_difference((size_t)c.f->rows, phi, terms.phi), 0, 1e-13);
        for (int p = 0; p < c.dofs; p++) {
            double force = 0;
            for (int r = 0; r < c.f->rows; r++) {
                force += c.lam[r] * terms.J[ORACLE_DOFS * r + p];
            }
            CHECK_NEAR(f[p], force, 1e-12 * (1 + fabs(force)));
            for (int q = 0; q < c.dofs; q++) {
                CHECK_NEAR(hessian[c.dofs * p + q], terms.hessian[ORACLE_DOFS * p + q], 1e-11 * formula_scale(&c));
            }
        }
    }
    test_note(NULL);
}

/* Two unit triangles on the x axis whose angle is theta. */
static void fold(formula_case* c, double theta) {
    const double x[12] = {0, 0, 0, 1, 0, 0, 0.25, 1, 0, 0.5, -cos(theta), sin(theta)};
    memcpy(c->x, x, sizeof x);
    c->rest[0] = c->oracle.rest[0] = 0;
}

/* Flat and close to fully folded: the angle is smooth there, only its value jumps by a turn. */
TAUT_PLAIN_TEST(formulas_degenerate, folded_bend) {
    static const double offsets[6] = {0, 1e-15, 1e-9, 1e-4, -1e-9, -1e-4};
    const double pi = 3.14159265358979323846;
    random_state state = {8};
    formula_case c = case_of(TAUT_BEND, &state);
    for (int i = 0; i < 12; i++) {
        const double theta = (i < 6 ? pi : 0) + offsets[i % 6];
        oracle_terms terms;
        double phi, gamma[144];
        fold(&c, theta);
        test_note("theta = %.17g", theta);
        check_finite(&c);
        c.f->phi(c.x, c.rest, &phi);
        CHECK_NEAR(remainder(phi - theta, 2 * pi), 0, 1e-14);
        CHECK(phi > -pi - 1e-15 && phi <= pi);
        oracle_constraint_terms(&c.oracle, c.x, c.lam, &terms);
        formula_gamma(&c, gamma);
        CHECK_NEAR(dense_max_difference(144, gamma, terms.gamma), 0, 1e-12);
        for (int k = 0; k < 12; k++) {
            double unit[12] = {0}, dphi;
            unit[k] = 1;
            c.f->forward(c.x, c.rest, unit, &dphi);
            CHECK_NEAR(dphi, terms.J[k], 1e-13);
        }
    }
    test_note(NULL);
}

/* A triangle without height has no angle: no force, no stiffness from its side, nothing infinite. */
TAUT_PLAIN_TEST(formulas_degenerate, bend_without_height) {
    random_state state = {9};
    for (int i = 0; i < 200; i++) {
        formula_case c = case_of(TAUT_BEND, &state);
        double f[12];
        place(&c, 2, 0, 1, 0.5); /* exact in binary: collinear to the last bit or nearly so */
        place(&c, 3, 0, 1, i % 2 == 0 ? 0 : 1);
        check_finite(&c);
        c.f->pull(c.x, c.rest, c.lam, f);
        CHECK(dense_max(12, f) == 0);
    }
}

/* The volume's root is cut off where the tetrahedron is flat, and bounds the curvature up to there. */
TAUT_PLAIN_TEST(formulas_degenerate, flat_and_inverted_tetrahedron) {
    random_state state = {10};
    for (int i = 0; i < 200; i++) {
        formula_case c = case_of(TAUT_TET_VOLUME, &state);
        const double thickness = i == 0 ? 0 : pow(10, random_in(&state, -12, 0)) * (i % 2 == 0 ? 1 : -1);
        for (int k = 0; k < 4; k++) {
            c.x[3 * k + 2] *= thickness;
        }
        double gamma[144], hessian[144], v[144];
        check_finite(&c);
        formula_gamma(&c, gamma);
        formula_hessian(&c, hessian);
        const double scale = 1 + dense_max(144, gamma);
        for (int k = 0; k < 144; k++) {
            gamma[k] += hessian[k];
        }
        dense_eigen(12, gamma, v);
        for (int k = 0; k < 12 && fabs(thickness) > 1e-4; k++) {
            CHECK(gamma[13 * k] >= -1e-12 * scale);
        }
    }
}
