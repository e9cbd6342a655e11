#include "formula_cases.h"

#include <math.h>
#include <string.h>

static void edge(const double* x, int from, int to, double out[3]) {
    for (int i = 0; i < 3; i++) {
        out[i] = x[3 * to + i] - x[3 * from + i];
    }
}

static void cross(const double a[3], const double b[3], double out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static double triangle_height(const double* x, int a, int b, int apex) {
    double e[3], f[3], n[3];
    edge(x, a, b, e);
    edge(x, a, apex, f);
    cross(e, f, n);
    return dense_norm(3, n) / fmax(dense_norm(3, e), 1e-300);
}

static double tet_volume6(const double* x) {
    double a[3], b[3], c[3], n[3];
    edge(x, 0, 1, a);
    edge(x, 0, 2, b);
    edge(x, 0, 3, c);
    cross(a, b, n);
    return dense_dot(3, n, c);
}

static bool well_shaped(taut_kind kind, const double* x) {
    double e[3];
    edge(x, 0, 1, e);
    const bool long_edge = dense_norm(3, e) > 0.3;
    switch (kind) {
    case TAUT_DISTANCE:
        return long_edge;
    case TAUT_BEND:
        return long_edge && triangle_height(x, 0, 1, 2) > 0.3 && triangle_height(x, 0, 1, 3) > 0.3;
    case TAUT_TET_VOLUME:
    case TAUT_TET_STRAIN:
        return fabs(tet_volume6(x)) > 0.2;
    default:
        return true;
    }
}

/* A triangle or tetrahedron whose gradients stay of size 1. */
static void random_rest_shape(taut_kind kind, random_state* state, double* rest) {
    double size;
    do {
        random_fill(state, -1, 1, 12, rest);
        const double a[2] = {rest[2] - rest[0], rest[3] - rest[1]}, b[2] = {rest[4] - rest[0], rest[5] - rest[1]};
        size = kind == TAUT_MEMBRANE ? a[0] * b[1] - a[1] * b[0] : tet_volume6(rest);
    } while (size < 0.4);
}

static void random_rest(taut_kind kind, random_state* state, double* rest) {
    switch (kind) {
    case TAUT_DISTANCE:
        rest[0] = random_in(state, 0, 2);
        break;
    case TAUT_BEND:
        rest[0] = random_in(state, -3.14, 3.14);
        break;
    case TAUT_MEMBRANE:
    case TAUT_TET_STRAIN:
        random_rest_shape(kind, state, rest);
        break;
    default:
        random_fill(state, -1, 1, 3, rest);
    }
}

/* Row k of the inverse of the edge matrix: dual to edge k. */
void formula_rest_gradients(taut_kind kind, const double* rest, double* g) {
    if (kind == TAUT_MEMBRANE) {
        const double a = rest[2] - rest[0], b = rest[4] - rest[0], c = rest[3] - rest[1], d = rest[5] - rest[1];
        const double det = a * d - b * c;
        const double out[4] = {d / det, -b / det, -c / det, a / det};
        memcpy(g, out, sizeof out);
        return;
    }
    for (int k = 0; k < 3; k++) {
        double p[3], q[3];
        edge(rest, 0, 1 + (k + 1) % 3, p);
        edge(rest, 0, 1 + (k + 2) % 3, q);
        cross(p, q, g + 3 * k);
        for (int i = 0; i < 3; i++) {
            g[3 * k + i] /= tet_volume6(rest);
        }
    }
}

formula_case formula_case_random(const formula* f, random_state* state) {
    formula_case c = {.f = f, .dofs = 3 * f->nodes, .oracle = {.kind = f->kind}};
    do {
        random_fill(state, -1, 1, 12, c.x);
    } while (!well_shaped(f->kind, c.x));
    random_rest(f->kind, state, c.oracle.rest);
    random_fill(state, -1, 1, FORMULA_MAX, c.lam);
    memcpy(c.rest, c.oracle.rest, sizeof c.rest);
    if (f->kind == TAUT_MEMBRANE || f->kind == TAUT_TET_STRAIN) {
        formula_rest_gradients(f->kind, c.oracle.rest, c.rest);
    }
    return c;
}

void formula_gamma(const formula_case* c, double* gamma) {
    for (int j = 0; j < c->dofs; j++) {
        double unit[FORMULA_MAX] = {0}, rows[FORMULA_MAX] = {0}, column[FORMULA_MAX];
        unit[j] = 1;
        c->f->apply_factor(c->x, c->rest, c->lam, unit, rows);
        c->f->apply_factor_transpose(c->x, c->rest, c->lam, rows, column);
        for (int i = 0; i < c->dofs; i++) {
            gamma[i * c->dofs + j] = column[i];
        }
    }
}

void formula_hessian(const formula_case* c, double* hessian) {
    for (int j = 0; j < c->dofs; j++) {
        double unit[FORMULA_MAX] = {0}, column[FORMULA_MAX];
        unit[j] = 1;
        c->f->curvature(c->x, c->rest, c->lam, unit, column);
        for (int i = 0; i < c->dofs; i++) {
            hessian[i * c->dofs + j] = column[i];
        }
    }
}

double formula_scale(const formula_case* c) {
    double hessian[FORMULA_MAX * FORMULA_MAX];
    formula_hessian(c, hessian);
    return 1 + dense_max((size_t)(c->dofs * c->dofs), hessian);
}
