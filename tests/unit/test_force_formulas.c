/* Force elements against differences of their energies and forces, their roots against exact tangents cut by a dense
 * eigen decomposition, against themselves, where they degenerate, and in float32. */
#include "force_cases.h"

#include "harness.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { CASES = 300 };

/* Runs `check` on random cases of every subject. */
static void for_each_case(void (*check)(force_case* c, random_state* state)) {
    for (int what = 0; what < FORCE_SUBJECT_COUNT; what++) {
        random_state state = {61};
        for (int i = 0; i < CASES; i++) {
            force_case c = force_case_random((force_subject)what, i, &state);
            test_note("%s, case %d", force_subject_names[what], i);
            check(&c, &state);
        }
    }
    test_note(NULL);
}

/* ---- derivatives ------------------------------------------------------------------------------------------------- */

static const double weights[4] = {1. / 12, -8. / 12, 8. / 12, -1. / 12};
static const double steps[4] = {-2, -1, 1, 2};
static const double step = 2e-4;

/* Derivatives of energy and forces along dx and dv by five points: error step^4 f'''''/30. */
static double difference(const force_case* c, const double* dx, const double* dv, double* df) {
    double slope = 0;
    memset(df, 0, FORCE_DOFS * sizeof *df);
    for (int k = 0; k < 4; k++) {
        double x[FORCE_DOFS], v[FORCE_DOFS], f[FORCE_DOFS];
        for (int i = 0; i < c->dofs; i++) {
            x[i] = c->x[i] + step * steps[k] * dx[i];
            v[i] = c->v[i] + step * steps[k] * dv[i];
        }
        slope += weights[k] / step * c->f->load(x, v, c->rest, f);
        for (int i = 0; i < c->dofs; i++) {
            df[i] += weights[k] / step * f[i];
        }
    }
    return slope;
}

/* A force on an open surface has no energy: the formula returns 0. */
static void check_gradient(force_case* c, random_state* state) {
    static const double still[FORCE_DOFS] = {0};
    double dx[FORCE_DOFS], f[FORCE_DOFS], df[FORCE_DOFS];
    random_fill(state, -1, 1, FORCE_DOFS, dx);
    const double energy = c->f->load(c->x, c->v, c->rest, f);
    const double slope = difference(c, dx, still, df);
    if (c->what == SURFACE) {
        CHECK(energy == 0);
    } else {
        CHECK_NEAR(-dense_dot((size_t)c->dofs, f, dx), slope, 1e-9 * (force_scale(c) + fabs(energy)));
    }
}

TAUT_PLAIN_TEST(force_formulas, force_is_the_gradient_of_the_energy) {
    for_each_case(check_gradient);
}

/* Of a surface the stiffness is that at v = 0. */
static void check_curvature(force_case* c, random_state* state) {
    static const double still[FORCE_DOFS] = {0};
    double dx[FORCE_DOFS], expected[FORCE_DOFS], actual[FORCE_DOFS];
    random_fill(state, -1, 1, FORCE_DOFS, dx);
    if (c->what == SURFACE) {
        memset(c->v, 0, sizeof c->v);
    }
    c->f->curvature(c->x, c->rest, dx, actual);
    difference(c, dx, still, expected);
    CHECK_NEAR(dense_max_difference((size_t)c->dofs, actual, expected), 0, 1e-8 * force_scale(c));
}

TAUT_PLAIN_TEST(force_formulas, curvature_is_the_derivative_of_the_force) {
    for_each_case(check_curvature);
}

/* Forces of order 1 do not see v. */
static void check_viscosity(force_case* c, random_state* state) {
    static const double still[FORCE_DOFS] = {0};
    double dv[FORCE_DOFS], expected[FORCE_DOFS], actual[FORCE_DOFS] = {0};
    random_fill(state, -1, 1, FORCE_DOFS, dv);
    if (c->f->order == 2) {
        c->f->viscosity(c->x, c->v, c->rest, dv, actual);
    }
    difference(c, still, dv, expected);
    CHECK_NEAR(dense_max_difference((size_t)c->dofs, actual, expected), 0, 1e-9 * force_scale(c));
}

TAUT_PLAIN_TEST(force_formulas, viscosity_is_the_derivative_by_velocity) {
    for_each_case(check_viscosity);
}

/* ---- roots ------------------------------------------------------------------------------------------------------- */

static void check_adjoint(force_case* c, random_state* state) {
    double dx[FORCE_DOFS], z[FORCE_FACTOR_ROWS], rows[FORCE_FACTOR_ROWS], f[FORCE_DOFS];
    random_fill(state, -1, 1, FORCE_DOFS, dx);
    random_fill(state, -1, 1, FORCE_FACTOR_ROWS, z);
    c->f->apply_factor(c->x, c->v, c->rest, 1, dx, rows);
    c->f->apply_factor_transpose(c->x, c->v, c->rest, 1, z, f);
    const double expected = dense_dot((size_t)c->f->factor_rows, rows, z);
    CHECK_NEAR(dense_dot((size_t)c->dofs, f, dx), expected, 1e-13 * (fabs(expected) + dense_max((size_t)c->dofs, f)));
}

TAUT_PLAIN_TEST(force_formulas, root_pull_is_the_adjoint_of_root_forward) {
    for_each_case(check_adjoint);
}

/* R^T R is linear in s; nothing at 0 and below. */
static void check_scaling(force_case* c, random_state* state) {
    double one[FORCE_DOFS * FORCE_DOFS], other[FORCE_DOFS * FORCE_DOFS];
    const double s = pow(10, random_in(state, -6, 3));
    const size_t count = (size_t)(c->dofs * c->dofs);
    force_gamma(c, 1, one);
    force_gamma(c, s, other);
    for (size_t i = 0; i < count; i++) {
        CHECK_NEAR(other[i], s * one[i], 1e-14 * s * dense_max(count, one));
    }
    force_gamma(c, 0, other);
    CHECK(dense_max(count, other) == 0);
}

TAUT_PLAIN_TEST(force_formulas, factor_rows_scale) {
    for_each_case(check_scaling);
}

static void symmetrise(int n, double* m) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            m[n * i + j] = m[n * j + i] = (m[n * i + j] + m[n * j + i]) / 2;
        }
    }
}

/* R^T R is the positive part of the symmetric part of the exact tangent. A solid is cut in the space of F, and compared
 * there in test_force_solid.c. */
static void check_projection(force_case* c, random_state* state) {
    (void)state;
    double tangent[FORCE_DOFS * FORCE_DOFS], expected[FORCE_DOFS * FORCE_DOFS], gamma[FORCE_DOFS * FORCE_DOFS];
    const size_t count = (size_t)(c->dofs * c->dofs);
    if (c->f->nodes == 4) {
        return;
    }
    force_tangent(c, tangent);
    symmetrise(c->dofs, tangent);
    dense_positive_part((size_t)c->dofs, tangent, expected);
    force_gamma(c, 1, gamma);
    CHECK_NEAR(dense_max_difference(count, gamma, expected), 0, 1e-14 * force_scale(c));
}

TAUT_PLAIN_TEST(force_formulas, root_is_the_positive_part_of_the_tangent) {
    for_each_case(check_projection);
}

/* R^T R without the tangent: no eigenvalue below zero. */
static void check_bound(force_case* c, random_state* state) {
    (void)state;
    double tangent[FORCE_DOFS * FORCE_DOFS], gamma[FORCE_DOFS * FORCE_DOFS], v[FORCE_DOFS * FORCE_DOFS];
    force_tangent(c, tangent);
    symmetrise(c->dofs, tangent);
    force_gamma(c, 1, gamma);
    for (int i = 0; i < c->dofs * c->dofs; i++) {
        gamma[i] -= tangent[i];
    }
    dense_eigen((size_t)c->dofs, gamma, v);
    for (int i = 0; i < c->dofs; i++) {
        CHECK(gamma[(c->dofs + 1) * i] >= -1e-13 * force_scale(c));
    }
}

TAUT_PLAIN_TEST(force_formulas, root_bounds_the_tangent) {
    for_each_case(check_bound);
}

/* ---- motions of the whole ---------------------------------------------------------------------------------------- */

static void turn_all(int count, const double* turn, const double* shift, double* vectors) {
    for (int k = 0; k < count; k++) {
        double turned[3];
        dense_apply(3, 3, turn, vectors + 3 * k, turned);
        for (int i = 0; i < 3; i++) {
            vectors[3 * k + i] = turned[i] + (shift ? shift[i] : 0);
        }
    }
}

/* The element and what is around it, wind, load and centre, turned and shifted: forces and R^T R turn with them. */
static void check_invariance(force_case* c, random_state* state) {
    double turn[9], shift[3], f[FORCE_DOFS], moved_f[FORCE_DOFS], dx[FORCE_DOFS], rows[FORCE_FACTOR_ROWS];
    double pulled[FORCE_DOFS], moved_pulled[FORCE_DOFS];
    random_rotation(state, turn);
    random_fill(state, -2, 2, 3, shift);
    random_fill(state, -1, 1, FORCE_DOFS, dx);
    force_case moved = *c;
    turn_all(c->f->nodes, turn, shift, moved.x);
    turn_all(c->f->nodes, turn, NULL, moved.v);
    if (c->what == SURFACE) {
        turn_all(1, turn, NULL, moved.rest + 1);
        turn_all(1, turn, NULL, moved.rest + 7);
    } else if (c->what == ATTRACTION) {
        turn_all(1, turn, shift, moved.rest);
    }
    const double energy = c->f->load(c->x, c->v, c->rest, f), scale = force_scale(c);
    CHECK_NEAR(c->f->load(moved.x, moved.v, moved.rest, moved_f), energy, 1e-13 * (scale + fabs(energy)));
    turn_all(c->f->nodes, turn, NULL, f);
    CHECK_NEAR(dense_max_difference((size_t)c->dofs, moved_f, f), 0, 1e-13 * scale);
    c->f->apply_factor(c->x, c->v, c->rest, 1, dx, rows);
    c->f->apply_factor_transpose(c->x, c->v, c->rest, 1, rows, pulled);
    turn_all(c->f->nodes, turn, NULL, pulled);
    turn_all(c->f->nodes, turn, NULL, dx);
    c->f->apply_factor(moved.x, moved.v, moved.rest, 1, dx, rows);
    c->f->apply_factor_transpose(moved.x, moved.v, moved.rest, 1, rows, moved_pulled);
    CHECK_NEAR(dense_max_difference((size_t)c->dofs, moved_pulled, pulled), 0, 2e-13 * scale);
}

TAUT_PLAIN_TEST(force_formulas, forces_turn_with_the_whole) {
    for_each_case(check_invariance);
}

/* ---- float32 and degenerate shapes ------------------------------------------------------------------------------- */

static void round_all(int count, double* values) {
    for (int i = 0; i < count; i++) {
        values[i] = (double)(float)values[i];
    }
}

static void check_close(const force_case* c, const double* single, const double* wide, double scale) {
    CHECK_NEAR(dense_max_difference((size_t)c->dofs, single, wide), 0, 60 * FLT_EPSILON * scale);
}

static void check_single(force_case* c, random_state* state) {
    const force_formula* single = &forces_f32.formulas[c->f - forces_f64.formulas];
    double dx[FORCE_DOFS], a[FORCE_DOFS], b[FORCE_DOFS], rows[FORCE_FACTOR_ROWS];
    random_fill(state, -1, 1, FORCE_DOFS, dx);
    round_all(FORCE_DOFS, c->x);
    round_all(FORCE_DOFS, c->v);
    round_all(FORCE_REST, c->rest);
    round_all(FORCE_DOFS, dx);
    const double scale = force_scale(c);
    const double energy = c->f->load(c->x, c->v, c->rest, b);
    CHECK_NEAR(single->load(c->x, c->v, c->rest, a), energy, 60 * FLT_EPSILON * (scale + fabs(energy)));
    check_close(c, a, b, scale);
    c->f->curvature(c->x, c->rest, dx, b);
    single->curvature(c->x, c->rest, dx, a);
    check_close(c, a, b, scale + dense_max((size_t)c->dofs, b));
    if (c->f->viscosity) {
        c->f->viscosity(c->x, c->v, c->rest, dx, b);
        single->viscosity(c->x, c->v, c->rest, dx, a);
        check_close(c, a, b, scale);
    }
    /* R^T R: rounding moves R itself by its square root where an eigenvalue is zero */
    c->f->apply_factor(c->x, c->v, c->rest, 1, dx, rows);
    c->f->apply_factor_transpose(c->x, c->v, c->rest, 1, rows, b);
    single->apply_factor(c->x, c->v, c->rest, 1, dx, rows);
    single->apply_factor_transpose(c->x, c->v, c->rest, 1, rows, a);
    check_close(c, a, b, scale);
}

TAUT_PLAIN_TEST(force_formulas, float32_agrees) {
    for_each_case(check_single);
}

/* Everything that a formula computes. */
static void check_finite(const force_case* c, random_state* state) {
    double dx[FORCE_DOFS], out[FORCE_DOFS], rows[FORCE_FACTOR_ROWS];
    random_fill(state, -1, 1, FORCE_DOFS, dx);
    for (int single = 0; single < 2; single++) {
        const force_table* table = single ? &forces_f32 : &forces_f64;
        const force_formula* f = &table->formulas[c->f - forces_f64.formulas];
        CHECK(isfinite(f->load(c->x, c->v, c->rest, out)));
        CHECK(dense_all_finite(c->dofs, out));
        f->apply_factor(c->x, c->v, c->rest, 1, dx, rows);
        CHECK(dense_all_finite(f->factor_rows, rows));
        f->apply_factor_transpose(c->x, c->v, c->rest, 1, rows, out);
        CHECK(dense_all_finite(c->dofs, out));
        f->curvature(c->x, c->rest, dx, out);
        CHECK(dense_all_finite(c->dofs, out));
        if (f->viscosity) {
            f->viscosity(c->x, c->v, c->rest, dx, out);
            CHECK(dense_all_finite(c->dofs, out));
        }
    }
}

/* Node `to` is put at (1 - s) x_a + s x_b. */
static void place(force_case* c, int to, int a, int b, double s) {
    for (int i = 0; i < 3; i++) {
        c->x[3 * to + i] = (1 - s) * c->x[3 * a + i] + s * c->x[3 * b + i];
    }
}

static void scale_all(int count, double scale, double* values) {
    for (int i = 0; i < count; i++) {
        values[i] *= scale;
    }
}

enum { NEEDLE, FLAT, POINT, PAIR, TINY, LARGE, STILL, SLACK, DEGENERATION_COUNT };

static void degenerate(force_case* c, int how, random_state* state) {
    static const double tiny[5] = {1e-300, 1e-40, 1e-20, 1e-12, 1e-7};
    const int last = c->f->nodes - 1, pick = (int)random_in(state, 0, 5);
    switch (how) {
    case NEEDLE: /* on a line, or next to it */
        for (int k = 2; k <= last; k++) {
            place(c, k, 0, 1, random_in(state, -1, 2));
            c->x[3 * k] += pick % 2 == 0 ? 0 : tiny[pick] * random_in(state, -1, 1);
        }
        break;
    case FLAT:
        for (int k = 0; k <= last; k++) {
            c->x[3 * k + 2] *= pick % 2 == 0 ? 0 : tiny[pick];
        }
        break;
    case POINT:
        for (int k = 0; k <= last; k++) {
            place(c, k, 0, 0, 0);
        }
        break;
    case PAIR:
        place(c, last, last > 0 ? last - 1 : 0, 0, 0);
        break;
    case TINY: /* about the centre of an attraction */
        scale_all(c->dofs, tiny[pick], c->x);
        memset(c->rest, 0, (c->what == ATTRACTION ? 3 : 0) * sizeof *c->rest);
        c->rest[4] *= c->what == ATTRACTION && pick % 2 == 0 ? tiny[pick] : 1;
        break;
    case LARGE:
        scale_all(c->dofs, 1e5, c->x);
        break;
    case STILL: /* air at rest, moving with the surface, or nearly so */
        scale_all(FORCE_DOFS, pick == 0 ? 0 : tiny[pick], c->v);
        scale_all(c->what == SURFACE ? 3 : 0, pick == 0 ? 0 : tiny[pick], c->rest + 7);
        break;
    default: /* no stiffness, no loads, no mass */
        memset(c->rest + (c->f->nodes == 4 ? 9 : 0), 0, 4 * sizeof *c->rest);
    }
}

TAUT_PLAIN_TEST(force_formulas, degenerate_shapes_are_finite) {
    random_state state = {62};
    for (int what = 0; what < FORCE_SUBJECT_COUNT; what++) {
        for (int how = 0; how < DEGENERATION_COUNT; how++) {
            for (int i = 0; i < 60; i++) {
                force_case c = force_case_random((force_subject)what, i, &state);
                degenerate(&c, how, &state);
                test_note("%s, degeneration %d, case %d", force_subject_names[what], how, i);
                check_finite(&c, &state);
            }
        }
    }
    test_note(NULL);
}

/* ---- surface ----------------------------------------------------------------------------------------------------- */

/* Numbers by hand: half a unit square in the xy plane. */
TAUT_PLAIN_TEST(force_formulas, surface_by_hand) {
    const force_formula* surface = &forces_f64.formulas[FORCE_SURFACE];
    const double x[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const double v[9] = {1, 0, 0, 1, 0, 0, 1, 0, 0};
    const double pressed[10] = {6, 0, 0, 0, 0.5, 0, 0, 0, 0, 0};     /* 6 Pa on 1/2 m^2, to +z */
    const double pulled[10] = {0, 3, 6, 9, 0.25, 0, 0, 0, 0, 0};     /* per rest area */
    const double across[10] = {0, 0, 0, 0, 0.5, 1.2, 0.6, 1, 0, -2}; /* wind -z at the same speed along x */
    const double along[10] = {0, 0, 0, 0, 0.5, 1.2, 0.6, 4, -4, 0};  /* 5 m/s along (3, -4, 0) */
    double f[9];
    surface->load(x, v, pressed, f);
    CHECK_NEAR(f[2], 1, 1e-15);
    CHECK_NEAR(fabs(f[0]) + fabs(f[1]), 0, 1e-15);
    surface->load(x, v, pulled, f);
    CHECK_NEAR(f[0], 0.25, 1e-15);
    CHECK_NEAR(f[1], 0.5, 1e-15);
    CHECK_NEAR(f[2], 0.75, 1e-15);
    surface->load(x, v, across, f);
    CHECK_NEAR(f[8], -0.5 * 1.2 * 4 / 3, 1e-15);
    CHECK_NEAR(fabs(f[6]) + fabs(f[7]), 0, 1e-15);
    surface->load(x, v, along, f);
    CHECK_NEAR(f[3], 0.5 * 0.6 * 5 * 3 / 3, 1e-15);
    CHECK_NEAR(f[4], -0.5 * 0.6 * 5 * 4 / 3, 1e-15);
    CHECK_NEAR(f[5], 0, 1e-15);
}

/* Drag takes energy from what moves through the air, and nothing at all where both move alike. */
TAUT_PLAIN_TEST(force_formulas, drag_dissipates) {
    random_state state = {63};
    for (int i = 0; i < CASES; i++) {
        force_case c = force_case_random(SURFACE, i, &state);
        double f[FORCE_DOFS], power = 0, gamma[81];
        memset(c.rest, 0, 4 * sizeof *c.rest);
        c.f->load(c.x, c.v, c.rest, f);
        for (int k = 0; k < 9; k++) {
            power += f[k] * (c.rest[7 + k % 3] - (c.v[k % 3] + c.v[3 + k % 3] + c.v[6 + k % 3]) / 3);
        }
        CHECK(power > 0);
        for (int k = 0; k < 9; k++) {
            c.v[k] = c.rest[7 + k % 3] = c.v[k % 3];
        }
        c.f->load(c.x, c.v, c.rest, f);
        force_gamma(&c, 1, gamma);
        CHECK_NEAR(dense_max(9, f), 0, 1e-30);
        CHECK_NEAR(dense_max(81, gamma), 0, 1e-15);
    }
}

/* Pressure of a closed body adds up to nothing, and its work is p dV: a tetrahedron of four surfaces. */
TAUT_PLAIN_TEST(force_formulas, pressure_of_a_closed_body) {
    static const int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
    random_state state = {64};
    for (int i = 0; i < CASES; i++) {
        force_case solid = force_case_random(NEO_HOOKEAN, 0, &state);
        force_case c = force_case_random(SURFACE, 0, &state);
        double total[3] = {0}, work = 0, edge[3][3];
        memset(c.rest + 1, 0, 9 * sizeof *c.rest);
        for (int face = 0; face < 4; face++) {
            double f[9];
            for (int k = 0; k < 9; k++) {
                c.x[k] = solid.x[3 * faces[face][k / 3] + k % 3];
            }
            c.f->load(c.x, c.v, c.rest, f);
            for (int k = 0; k < 9; k++) {
                total[k % 3] += f[k];
                work += f[k] * c.x[k]; /* dx = x: dV = 3 V */
            }
        }
        for (int k = 0; k < 9; k++) {
            edge[k / 3][k % 3] = solid.x[3 + k] - solid.x[k % 3];
        }
        double twice = 0;
        for (int k = 0; k < 3; k++) {
            const int j = (k + 1) % 3, l = (k + 2) % 3;
            twice += edge[0][k] * (edge[1][j] * edge[2][l] - edge[1][l] * edge[2][j]);
        }
        CHECK_NEAR(dense_max(3, total), 0, 1e-14 * (1 + fabs(c.rest[0]) * 10));
        CHECK_NEAR(work, c.rest[0] * twice / 2, 1e-13 * (1 + fabs(work)) * 10);
    }
}

/* ---- attraction -------------------------------------------------------------------------------------------------- */

/* A tonne above the Earth in float32: numbers of very different size. */
TAUT_PLAIN_TEST(force_formulas, attraction_of_the_earth) {
    const double x[3] = {0, 6.371e6, 0}, v[3] = {0}, rest[6] = {0, 0, 0, 3.986004e14, 0, 1000};
    const double across = 1000 * 3.986004e14 / pow(6.371e6, 3);
    for (int single = 0; single < 2; single++) {
        const force_formula* f = &(single ? &forces_f32 : &forces_f64)->formulas[FORCE_ATTRACTION];
        const double dx[3] = {1, 1, 0}, tolerance = single ? 1e-6 : 1e-14;
        double force[3], rows[3], back[3];
        const double energy = f->load(x, v, rest, force);
        CHECK_NEAR(force[1] / -9820.2519, 1, 1e-6);
        CHECK_NEAR(force[0], 0, 0);
        CHECK_NEAR(energy / (-1000 * 3.986004e14 / 6.371e6), 1, tolerance);
        f->apply_factor(x, v, rest, 1, dx, rows);
        f->apply_factor_transpose(x, v, rest, 1, rows, back);
        CHECK_NEAR(back[0] / across, 1, 4 * tolerance);
        CHECK_NEAR(back[1], 0, 0);
    }
}

/* At the centre: no force, and the stiffness of a ball. Energy and force go on through the ball's surface. */
TAUT_PLAIN_TEST(force_formulas, attraction_at_the_centre) {
    const force_formula* f = &forces_f64.formulas[FORCE_ATTRACTION];
    static const double softening[3] = {0, 5e-7, 0.5};
    const double v[3] = {0};
    for (int i = 0; i < 3; i++) {
        const double e = softening[i], rest[6] = {1, -2, 3, 2, e, 3};
        const double stiffness = 6 / pow(e > 1e-6 ? e : 1e-6, 3);
        const double centre[3] = {1, -2, 3}, dx[3] = {0.3, -0.5, 0.7};
        const double depth = e > 1e-6 ? 1 / e : (3 - e * e / 1e-12) / 2e-6;
        double force[3], rows[3], back[3], change[3];
        CHECK_NEAR(f->load(centre, v, rest, force) / (-6 * depth), 1, 1e-14);
        CHECK(dense_max(3, force) == 0);
        f->apply_factor(centre, v, rest, 1, dx, rows);
        f->apply_factor_transpose(centre, v, rest, 1, rows, back);
        f->curvature(centre, rest, dx, change);
        for (int k = 0; k < 3; k++) {
            CHECK_NEAR(back[k], stiffness * dx[k], 1e-14 * stiffness);
            CHECK_NEAR(change[k], -stiffness * dx[k], 1e-14 * stiffness);
        }
    }
    for (int i = 0; i < 2; i++) {
        const double e = softening[i], surface = sqrt(1e-12 - e * e);
        const double in[3] = {surface * (1 - 1e-12), 0, 0}, out[3] = {surface * (1 + 1e-12), 0, 0};
        const double rest[6] = {0, 0, 0, 2, e, 3};
        double inner[3], outer[3];
        CHECK_NEAR(f->load(in, v, rest, inner), f->load(out, v, rest, outer), 1e-10 * 6e6);
        CHECK_NEAR(inner[0], outer[0], 1e-10 * 6e12);
    }
}
