/* Elastic tetrahedra against invariants of F, against linear elasticity, and where they are flat, inverted or without
 * rest volume. What holds of every force element is in test_force_formulas.c. */
#include "force_cases.h"

#include "harness.h"

#include <math.h>
#include <string.h>

enum { CASES = 300, MATERIALS = 3 };

/* Runs `check` on random cases of every material. */
static void for_each_solid(void (*check)(force_case* c, random_state* state)) {
    for (int what = 0; what < MATERIALS; what++) {
        random_state state = {71};
        for (int i = 0; i < CASES; i++) {
            force_case c = force_case_random((force_subject)what, i, &state);
            test_note("%s, case %d", force_subject_names[what], i);
            check(&c, &state);
        }
    }
    test_note(NULL);
}

/* ---- matrices, row by row ---------------------------------------------------------------------------------------- */

static double determinant(const double m[9]) {
    return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) + m[2] * (m[3] * m[7] - m[4] * m[6]);
}

/* Edges of a shape as columns. */
static void edges(const double* x, double out[9]) {
    for (int i = 0; i < 9; i++) {
        out[i] = x[3 * (i % 3) + 3 + i / 3] - x[i / 3];
    }
}

static void product(const double a[9], const double b[9], double out[9]) {
    for (int i = 0; i < 9; i++) {
        out[i] = a[3 * (i / 3)] * b[i % 3] + a[3 * (i / 3) + 1] * b[3 + i % 3] + a[3 * (i / 3) + 2] * b[6 + i % 3];
    }
}

static void inverse(const double m[9], double out[9]) {
    const double det = determinant(m);
    for (int i = 0; i < 9; i++) { /* cofactors, transposed */
        const int r = i % 3, c = i / 3, p = (r + 1) % 3, q = (r + 2) % 3, s = (c + 1) % 3, t = (c + 2) % 3;
        out[i] = (m[3 * p + s] * m[3 * q + t] - m[3 * p + t] * m[3 * q + s]) / det;
    }
}

static void deformation(const force_case* c, double f[9]) {
    double now[9], then[9], back[9];
    edges(c->x, now);
    edges(c->shape, then);
    inverse(then, back);
    product(now, back, f);
}

static double volume(const force_case* c) {
    double then[9];
    edges(c->shape, then);
    return fabs(determinant(then)) / 6;
}

/* ---- energy and force -------------------------------------------------------------------------------------------- */

/* psi by invariants: of C = F^T F, and of its root, the stretch, with a sign for inverted F. */
static double reference_psi(const force_case* c) {
    const double mu = c->young / 2 / (1 + c->poisson);
    const double lambda = c->young * c->poisson / (1 + c->poisson) / (1 - 2 * c->poisson);
    double f[9], square[9], v[9], trace = 0, trace2 = 0;
    deformation(c, f);
    const double J = determinant(f);
    for (int i = 0; i < 9; i++) {
        square[i] = f[i / 3] * f[i % 3] + f[3 + i / 3] * f[3 + i % 3] + f[6 + i / 3] * f[6 + i % 3];
    }
    if (c->what == NEO_HOOKEAN) {
        trace = square[0] + square[4] + square[8];
        const double least = 0.2, at = fmax(J, least), beyond = J - at;
        const double barrier = log(at) + beyond / at - beyond * beyond / (2 * at * at);
        return mu / 2 * (trace - 3) - mu * barrier + lambda / 2 * (J - 1) * (J - 1);
    }
    if (c->what == ST_VENANT_KIRCHHOFF) {
        for (int i = 0; i < 9; i++) {
            const double strain = (square[i] - (i % 4 == 0)) / 2;
            trace += i % 4 == 0 ? strain : 0;
            trace2 += strain * strain;
        }
        return mu * trace2 + lambda / 2 * trace * trace;
    }
    dense_eigen(3, square, v);
    double smallest = INFINITY;
    for (int k = 0; k < 3; k++) {
        smallest = fmin(smallest, square[4 * k]);
    }
    for (int k = 0; k < 3; k++) {
        const double size = sqrt(fmax(square[4 * k], 0)), s = J < 0 && square[4 * k] == smallest ? -size : size;
        trace += s - 1;
        trace2 += (s - 1) * (s - 1);
    }
    return mu * trace2 + lambda / 2 * trace * trace;
}

/* The root of an eigenvalue that is 0 but for rounding is good to 1e-8. */
static void check_energy(force_case* c, random_state* state) {
    (void)state;
    double f[12], F[9];
    deformation(c, F);
    const double tolerance = c->what == COROTATIONAL && fabs(determinant(F)) < 1e-6 ? 1e-7 : 1e-12;
    const double energy = c->f->load(c->x, c->v, c->rest, f), expected = volume(c) * reference_psi(c);
    CHECK_NEAR(energy, expected, tolerance * (force_scale(c) + fabs(expected)));
}

TAUT_PLAIN_TEST(force_solid, energy_by_invariants) {
    for_each_solid(check_energy);
}

/* Inner forces have neither a sum nor a moment. */
static void check_balance(force_case* c, random_state* state) {
    (void)state;
    double f[12], total[6] = {0};
    c->f->load(c->x, c->v, c->rest, f);
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < 3; i++) {
            const int p = (i + 1) % 3, q = (i + 2) % 3;
            total[i] += f[3 * k + i];
            total[3 + i] += c->x[3 * k + p] * f[3 * k + q] - c->x[3 * k + q] * f[3 * k + p];
        }
    }
    CHECK_NEAR(dense_max(6, total), 0, 1e-13 * force_scale(c));
}

TAUT_PLAIN_TEST(force_solid, forces_are_balanced) {
    for_each_solid(check_balance);
}

/* ---- tangent ----------------------------------------------------------------------------------------------------- */

typedef void product_fn(const force_case* c, const double* dx, double* df);

static void exact(const force_case* c, const double* dx, double* df) {
    c->f->curvature(c->x, c->rest, dx, df);
    for (int i = 0; i < 12; i++) {
        df[i] = -df[i];
    }
}
static void cut(const force_case* c, const double* dx, double* df) {
    double rows[9];
    c->f->apply_factor(c->x, c->v, c->rest, 1, dx, rows);
    c->f->apply_factor_transpose(c->x, c->v, c->rest, 1, rows, df);
}

/* 9 x 9: dx_k = dF (X_k - X_0) on one side, sum_k f_k (X_k - X_0)^T on the other. */
static void in_space_of_f(const force_case* c, product_fn* multiply, double* out) {
    double edge[9];
    edges(c->shape, edge);
    for (int j = 0; j < 9; j++) {
        double dx[12] = {0}, df[12], total[3] = {0};
        for (int k = 0; k < 3; k++) {
            dx[3 * k + 3 + j / 3] = edge[3 * (j % 3) + k];
        }
        multiply(c, dx, df);
        for (int i = 0; i < 9; i++) {
            out[9 * i + j] = 0;
            for (int k = 0; k < 3; k++) {
                out[9 * i + j] += df[3 * k + 3 + i / 3] * edge[3 * (i % 3) + k];
            }
        }
        for (int i = 0; i < 12; i++) {
            total[i % 3] += df[i];
        }
        CHECK_NEAR(dense_max(3, total), 0, 1e-14 * (dense_max(12, df) + 1e-300) * 10);
    }
}

/* With this and the same force for all shifts, R^T R is known on all motions. */
static void check_projection(force_case* c, random_state* state) {
    double tangent[81], expected[81], gamma[81], shift[12], rows[9];
    in_space_of_f(c, exact, tangent);
    in_space_of_f(c, cut, gamma);
    const double scale = dense_max(81, tangent);
    for (int i = 0; i < 9; i++) {
        for (int j = 0; j < i; j++) {
            CHECK_NEAR(tangent[9 * i + j], tangent[9 * j + i], 1e-13 * scale);
        }
    }
    dense_positive_part(9, tangent, expected);
    CHECK_NEAR(dense_max_difference(81, gamma, expected), 0, 1e-13 * scale);
    random_fill(state, -1, 1, 3, shift);
    for (int k = 3; k < 12; k++) {
        shift[k] = shift[k % 3];
    }
    c->f->apply_factor(c->x, c->v, c->rest, 1, shift, rows);
    CHECK_NEAR(dense_max(9, rows), 0, 1e-15 * sqrt(scale) * 10);
}

TAUT_PLAIN_TEST(force_solid, root_is_the_positive_part_in_the_space_of_f) {
    for_each_solid(check_projection);
}

/* ---- rest -------------------------------------------------------------------------------------------------------- */

/* At rest, turned somehow: no force, no energy, and the tangent of Hooke's law
 *   sigma = E/(1 + nu) ( eps + nu/(1 - 2 nu) tr(eps) I ),   eps the symmetric part of the displacement gradient.
 * Nothing is cut. */
static void check_linear(force_case* c, random_state* state) {
    double turn[9], shift[3], du[9], x[12], f[12], dx[12], local[12], actual[12], gamma[12], edge[9], back[9];
    random_rotation(state, turn);
    random_fill(state, -1, 1, 3, shift);
    force_case_deform(c, turn, shift);
    const double scale = c->young / (1 - 2 * c->poisson) / (1 + c->poisson);
    CHECK_NEAR(c->f->load(c->x, c->v, c->rest, f), 0, 1e-28 * scale);
    CHECK_NEAR(dense_max(12, f), 0, 1e-14 * scale);

    random_fill(state, -1, 1, 9, du);
    double stress[9];
    for (int i = 0; i < 9; i++) {
        const double eps = (du[i] + du[3 * (i % 3) + i / 3]) / 2, trace = du[0] + du[4] + du[8];
        stress[i] = c->young / (1 + c->poisson) * (eps + (i % 4 == 0 ? c->poisson / (1 - 2 * c->poisson) * trace : 0));
    }
    edges(c->shape, edge);
    inverse(edge, back); /* row k: gradient of node k + 1 */
    memset(local, 0, sizeof local);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++) {
            local[3 * k + 3 + i] = -volume(c) * dense_dot(3, stress + 3 * i, back + 3 * k);
            local[i] -= local[3 * k + 3 + i];
        }
    }
    for (int k = 0; k < 4; k++) {
        dense_apply(3, 3, du, c->shape + 3 * k, x + 3 * k);
        dense_apply(3, 3, turn, x + 3 * k, dx + 3 * k);
        dense_apply(3, 3, turn, local + 3 * k, f + 3 * k);
    }
    c->f->curvature(c->x, c->rest, dx, actual);
    CHECK_NEAR(dense_max_difference(12, actual, f), 0, 1e-13 * scale);
    cut(c, dx, gamma);
    for (int i = 0; i < 12; i++) {
        gamma[i] = -gamma[i];
    }
    CHECK_NEAR(dense_max_difference(12, gamma, f), 0, 1e-13 * scale);
}

TAUT_PLAIN_TEST(force_solid, linear_elasticity_at_rest) {
    for_each_solid(check_linear);
}

/* g_k . (X_j - X_0) = 1 or 0, for either orientation, at any place and size. */
TAUT_PLAIN_TEST(force_solid, rest_values) {
    random_state state = {72};
    for (int i = 0; i < CASES; i++) {
        force_case c = force_case_random(NEO_HOOKEAN, i, &state);
        const double size = pow(10, random_in(&state, -6, 6));
        double rest[13], edge[9], unit[9], gradients[9];
        for (int k = 0; k < 12; k++) {
            c.shape[k] = size * (c.shape[k] + 10 * (k % 3));
        }
        const double result = forces_f64.solid_rest(c.shape, 3e6, 0.3, 1, rest);
        edges(c.shape, edge);
        memcpy(gradients, rest, sizeof gradients);
        product(gradients, edge, unit);
        for (int k = 0; k < 9; k++) {
            CHECK_NEAR(unit[k], k % 4 == 0, 1e-13);
        }
        CHECK_NEAR(result / volume(&c), 1, 1e-13);
        CHECK(rest[9] == result && result > 0);
        CHECK_NEAR(rest[10], 3e6 / 2.6, 1e-9);
        CHECK_NEAR(rest[11], 3e6 * 0.3 / (1.3 * 0.4), 1e-8);
        CHECK(rest[12] == 1);
    }
}

/* A flat rest shape, also one that is so but for rounding, has no volume, no forces and no stiffness. */
TAUT_PLAIN_TEST(force_solid, flat_rest_shapes) {
    random_state state = {73};
    for (int i = 0; i < 60; i++) {
        force_case c = force_case_random((force_subject)(i % MATERIALS), i, &state);
        double gamma[144], f[12];
        for (int k = 0; k < 3; k++) {
            c.shape[9 + k] = i % 4 == 0   ? c.shape[6 + k]
                             : i % 4 == 1 ? (c.shape[k] + c.shape[3 + k] + c.shape[6 + k]) / 3
                             : i % 4 == 2 ? 0.5 * c.shape[k] + 0.5 * c.shape[3 + k]
                                          : c.shape[k];
        }
        if (i % 8 == 7) {
            memset(c.shape, 0, sizeof c.shape);
        }
        CHECK(forces_f64.solid_rest(c.shape, c.young, c.poisson, (int)c.what, c.rest) == 0);
        CHECK(c.f->load(c.x, c.v, c.rest, f) == 0);
        force_gamma(&c, 1, gamma);
        CHECK(dense_max(12, f) == 0 && dense_max(144, gamma) == 0);
    }
}

/* ---- far from rest ----------------------------------------------------------------------------------------------- */

/* On the crease of the corotational energy, beside it, and with all stretches 0: finite in both precisions, and the
 * twist no larger than that of a sum of 1e-3. */
TAUT_PLAIN_TEST(force_solid, crease) {
    static const double off[7] = {0, 1e-300, 1e-16, -1e-16, 1e-9, 1e-4, -1e-4};
    random_state state = {74};
    for (int i = 0; i < 210; i++) {
        force_case c = force_case_random((force_subject)(i % MATERIALS), i, &state);
        double u[9], v[9], F[9], s[3] = {i % 2 == 0 ? 0.5 : 8, 0.5, -0.5}, zero[3] = {0};
        random_rotation(&state, u);
        random_rotation(&state, v);
        s[2] += off[i % 7];
        s[1] = i % 5 == 0 ? 0 : s[1];
        s[2] = i % 5 == 0 ? off[i % 7] : s[2];
        s[0] = i % 10 == 0 ? 0 : s[0];
        force_compose(u, s, v, F);
        force_case_deform(&c, F, zero);
        const double largest = c.young / (1 - 2 * c.poisson) / (1 + c.poisson) * 1e5 * 100;
        for (int single = 0; single < 2; single++) {
            const force_formula* f = &(single ? &forces_f32 : &forces_f64)->formulas[FORCE_SOLID];
            double dx[12], df[12], rows[9];
            random_fill(&state, -1, 1, 12, dx);
            test_note("case %d", i);
            CHECK(isfinite(f->load(c.x, c.v, c.rest, df)) && dense_max(12, df) < largest);
            f->apply_factor(c.x, c.v, c.rest, 1, dx, rows);
            f->apply_factor_transpose(c.x, c.v, c.rest, 1, rows, df);
            CHECK(dense_max(12, df) < largest);
            f->curvature(c.x, c.rest, dx, df);
            CHECK(dense_max(12, df) < largest);
        }
    }
    test_note(NULL);
}

/* Pushed through itself, a corotational or neo-Hookean element is pushed back; St. Venant-Kirchhoff lets go at 0. */
TAUT_PLAIN_TEST(force_solid, inverted_elements_come_back) {
    random_state state = {75};
    for (int i = 0; i < CASES; i++) {
        force_case c = force_case_random((force_subject)(i % MATERIALS), 1, &state);
        const double s = random_in(&state, -0.9, 0), zero[3] = {0};
        const double squeezed[9] = {1, 0, 0, 0, 1, 0, 0, 0, s};
        double f[12], pushing = 0;
        c.poisson = 0.3;
        forces_f64.solid_rest(c.shape, c.young, c.poisson, (int)c.what, c.rest);
        force_case_deform(&c, squeezed, zero);
        c.f->load(c.x, c.v, c.rest, f);
        for (int k = 0; k < 4; k++) {
            pushing += f[3 * k + 2] * c.shape[3 * k + 2]; /* what the force does as s grows */
        }
        CHECK(c.what == ST_VENANT_KIRCHHOFF ? pushing < 0 : pushing > 0);
    }
}
