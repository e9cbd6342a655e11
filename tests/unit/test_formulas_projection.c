/* R^T R against the projection that defines it: the stated quadratic form, decomposed by dense Jacobi rotations. */
#include <math.h>
#include <string.h>

#include "formula_cases.h"
#include "harness.h"

enum { CASES = 300, SPACE = 9 };

/* expected += map^T positive_part(form) map, map of size k x dofs. */
static void add_projected(int k, int dofs, const double* form, const double* map, double* expected) {
    double positive[SPACE * SPACE];
    dense_positive_part((size_t)k, form, positive);
    for (int i = 0; i < dofs; i++) {
        for (int j = 0; j < dofs; j++) {
            for (int p = 0; p < k; p++) {
                for (int q = 0; q < k; q++) {
                    expected[i * dofs + j] += map[p * dofs + i] * positive[p * k + q] * map[q * dofs + j];
                }
            }
        }
    }
}

static void check_against(const formula_case* c, const double* expected) {
    double gamma[FORMULA_MAX * FORMULA_MAX];
    formula_gamma(c, gamma);
    CHECK_NEAR(dense_max_difference((size_t)(c->dofs * c->dofs), gamma, expected), 0, 1e-11 * formula_scale(c));
}

static void for_cases_of(taut_kind kind, void (*check)(const formula_case* c)) {
    random_state state = {5};
    for (int k = 0; k < FORMULA_COUNT; k++) {
        for (int i = 0; formulas[k].kind == kind && i < CASES; i++) {
            const formula_case c = formula_case_random(&formulas[k], &state);
            test_note("%s, case %d", formulas[k].name, i);
            check(&c);
        }
    }
    test_note(NULL);
}

/* -lam d2|d| = -lam/|d| (I - n n^T) in the space of the relative displacement. */
static void check_distance(const formula_case* c) {
    double form[9], map[18] = {0}, expected[36] = {0}, d[3];
    for (int i = 0; i < 3; i++) {
        d[i] = c->x[3 + i] - c->x[i];
        map[6 * i + i] = -1;
        map[6 * i + 3 + i] = 1;
    }
    const double length = dense_norm(3, d);
    for (int i = 0; i < 9; i++) {
        form[i] = -c->lam[0] / length * ((i % 4 == 0 ? 1 : 0) - d[i / 3] * d[i % 3] / (length * length));
    }
    add_projected(3, 6, form, map, expected);
    check_against(c, expected);
}

TAUT_PLAIN_TEST(formulas_projection, distance) {
    for_cases_of(TAUT_DISTANCE, check_distance);
}

/* -Sigma (x) I on the columns of dF = sum_k dx_k g_k^T; `axes` of them, Sigma in Voigt order. */
static void check_strain(const formula_case* c, int axes, const double* sigma) {
    double form[SPACE * SPACE] = {0}, map[SPACE * FORMULA_MAX] = {0}, expected[FORMULA_MAX * FORMULA_MAX] = {0};
    const int k = 3 * axes;
    for (int p = 0; p < axes; p++) {
        for (int i = 0; i < 3; i++) {
            for (int q = 0; q < axes; q++) {
                form[(3 * p + i) * k + 3 * q + i] = -sigma[axes * p + q];
            }
            for (int node = 1; node < c->f->nodes; node++) {
                const double g = c->rest[axes * (node - 1) + p];
                map[(3 * p + i) * c->dofs + 3 * node + i] += g;
                map[(3 * p + i) * c->dofs + i] -= g;
            }
        }
    }
    add_projected(k, c->dofs, form, map, expected);
    check_against(c, expected);
}

static void check_membrane(const formula_case* c) {
    const double sigma[4] = {c->lam[0], c->lam[2], c->lam[2], c->lam[1]};
    check_strain(c, 2, sigma);
}

TAUT_PLAIN_TEST(formulas_projection, membrane) {
    for_cases_of(TAUT_MEMBRANE, check_membrane);
}

static void check_tet_strain(const formula_case* c) {
    const double* l = c->lam;
    const double sigma[9] = {l[0], l[5], l[4], l[5], l[1], l[3], l[4], l[3], l[2]};
    check_strain(c, 3, sigma);
}

TAUT_PLAIN_TEST(formulas_projection, tet_strain) {
    for_cases_of(TAUT_TET_STRAIN, check_tet_strain);
}

/* -lam V ((tr D)^2 - tr(D D)) on D = sum_k dx_k grad_k^T, gradients in the current shape. */
static void check_tet_volume(const formula_case* c) {
    double g[9], form[81] = {0}, map[SPACE * FORMULA_MAX] = {0}, expected[FORMULA_MAX * FORMULA_MAX] = {0}, phi[1];
    const double zero = 0;
    formula_rest_gradients(TAUT_TET_STRAIN, c->x, g);
    c->f->phi(c->x, &zero, phi);
    const double scale = -c->lam[0] * phi[0];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) { /* (tr D)^2: D_ii D_jj;  tr(D D): D_ij D_ji */
            form[(3 * i + i) * 9 + 3 * j + j] += scale;
            form[(3 * i + j) * 9 + 3 * j + i] -= scale;
        }
        for (int j = 0; j < 3; j++) {
            for (int node = 1; node < 4; node++) { /* D_ij */
                map[(3 * i + j) * 12 + 3 * node + i] += g[3 * (node - 1) + j];
                map[(3 * i + j) * 12 + i] -= g[3 * (node - 1) + j];
            }
        }
    }
    add_projected(9, 12, form, map, expected);
    check_against(c, expected);
}

TAUT_PLAIN_TEST(formulas_projection, tet_volume) {
    for_cases_of(TAUT_TET_VOLUME, check_tet_volume);
}

/* Rows of the map from node displacements to the displacement gradient of one triangle: components
 * D_tt, D_Nt, D_et, D_te, D_Ne of bend.h, from the two vectors D_t and D_e. */
static void bend_map(const double* x, int apex, double* map) {
    double e[3], a[3], t[3], n[3];
    for (int i = 0; i < 3; i++) {
        e[i] = x[3 + i] - x[i];
        a[i] = x[3 * apex + i] - x[i];
    }
    const double length = dense_norm(3, e), foot = dense_dot(3, a, e) / (length * length);
    for (int i = 0; i < 3; i++) {
        t[i] = a[i] - foot * e[i];
    }
    const double height = dense_norm(3, t);
    for (int i = 0; i < 3; i++) {
        e[i] /= length;
        t[i] /= height;
    }
    n[0] = e[1] * t[2] - e[2] * t[1];
    n[1] = e[2] * t[0] - e[0] * t[2];
    n[2] = e[0] * t[1] - e[1] * t[0];
    /* D e |e| = dx1 - dx0,  D t height = (dx_apex - dx0) - foot (dx1 - dx0) */
    const double across[3] = {-(1 - foot) / height, -foot / height, 1 / height}, along[2] = {-1 / length, 1 / length};
    const double sign = apex == 2 ? 1 : -1; /* the normal of B is the other way round */
    for (int i = 0; i < 3; i++) {
        const double components[3] = {t[i], sign * n[i], e[i]};
        for (int node = 0; node < 3; node++) {
            const int column = 3 * (node == 2 ? apex : node) + i;
            for (int p = 0; p < 3; p++) {
                map[12 * p + column] = across[node] * components[p];
            }
            if (node < 2) {
                map[12 * 3 + column] = along[node] * components[0];
                map[12 * 4 + column] = along[node] * components[1];
            }
        }
    }
}

/* -lam d2(theta) = lam (2 D_tt D_Nt + 2 D_Ne (D_et + D_te / 2)) per triangle. */
static void check_bend(const formula_case* c) {
    const double l = c->lam[0];
    const double form[25] = {0, l, 0, 0, 0, l, 0, 0, 0, 0, 0, 0, 0, 0, l, 0, 0, 0, 0, l / 2, 0, 0, l, l / 2, 0};
    double expected[144] = {0};
    for (int apex = 2; apex < 4; apex++) {
        double map[5 * 12] = {0};
        bend_map(c->x, apex, map);
        add_projected(5, 12, form, map, expected);
    }
    check_against(c, expected);
}

TAUT_PLAIN_TEST(formulas_projection, bend) {
    for_cases_of(TAUT_BEND, check_bend);
}
