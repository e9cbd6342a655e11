#define TAUT_REAL   double
#define FORCE_TABLE forces_f64
#include "force_cases.h"

#include <math.h>
#include <string.h>

const char* const force_subject_names[FORCE_SUBJECT_COUNT] = {"corotational", "neo-Hookean", "St. Venant-Kirchhoff",
                                                              "surface", "attraction"};

static double volume_of(const double* shape) {
    double edge[3][3];
    for (int k = 0; k < 9; k++) {
        edge[k / 3][k % 3] = shape[3 + k] - shape[k % 3];
    }
    return (edge[0][0] * (edge[1][1] * edge[2][2] - edge[1][2] * edge[2][1]) -
            edge[0][1] * (edge[1][0] * edge[2][2] - edge[1][2] * edge[2][0]) +
            edge[0][2] * (edge[1][0] * edge[2][1] - edge[1][1] * edge[2][0])) /
           6;
}

void force_compose(const double* u, const double* s, const double* v, double* out) {
    for (int i = 0; i < 9; i++) {
        out[i] = 0;
        for (int k = 0; k < 3; k++) {
            out[i] += s[k] * u[3 * (i / 3) + k] * v[3 * (i % 3) + k];
        }
    }
}

void force_case_deform(force_case* c, const double* deformation, const double* shift) {
    for (int k = 0; k < 4; k++) {
        dense_apply(3, 3, deformation, c->shape + 3 * k, c->x + 3 * k);
        for (int i = 0; i < 3; i++) {
            c->x[3 * k + i] += shift[i];
        }
    }
}

/* The sum of any two is 0.3 or more: the corotational energy has its crease at 0. */
static void stretches(int turn, random_state* state, double s[3]) {
    random_fill(state, 0.4, 1.7, 3, s);
    switch (turn % 7) {
    case 1: /* inverted */
        s[2] = random_in(state, -0.7, 0);
        s[1] = random_in(state, 0.3, 1) - s[2];
        s[0] = random_in(state, 0.3, 1) - s[2];
        break;
    case 2:
        s[1] = s[0];
        break;
    case 3:
        s[1] = s[2] = s[0];
        break;
    case 4: /* flat */
        s[2] = 0;
        break;
    case 5: /* close to rest */
        for (int k = 0; k < 3; k++) {
            s[k] = 1 + 1e-3 * (s[k] - 1);
        }
        break;
    case 6: /* a large stretch */
        s[0] *= 3;
        break;
    default:
        break;
    }
}

static void random_solid(force_case* c, int turn, random_state* state) {
    double u[9], v[9], s[3], deformation[9], shift[3];
    do {
        random_fill(state, -1, 1, 12, c->shape);
    } while (fabs(volume_of(c->shape)) < 0.05);
    c->young = pow(10, random_in(state, -2, 2));
    c->poisson = random_in(state, turn % 5 == 0 ? -0.4 : 0, 0.45);
    forces_f64.solid_rest(c->shape, c->young, c->poisson, (int)c->what, c->rest);
    random_rotation(state, u);
    random_rotation(state, v);
    random_fill(state, -1, 1, 3, shift);
    stretches(turn, state, s);
    force_compose(u, s, v, deformation);
    force_case_deform(c, deformation, shift);
}

static void random_surface(force_case* c, int turn, random_state* state) {
    double first[3], second[3], normal[3];
    do {
        random_fill(state, -1, 1, 9, c->x);
        vec3_sub(c->x + 3, c->x, first);
        vec3_sub(c->x + 6, c->x, second);
        vec3_cross(first, second, normal);
    } while (dense_norm(3, normal) < 0.2);
    random_fill(state, -2, 2, 4, c->rest);      /* pressure and traction */
    random_fill(state, 0.2, 2, 3, c->rest + 4); /* area and drag */
    random_fill(state, -3, 3, 3, c->rest + 7);
    c->rest[5] *= turn % 3 == 1 ? 0.05 : 1; /* along the stream alone: the symmetric part is indefinite */
    c->rest[6] *= turn % 3 == 2 ? 0.05 : 1;
}

static void random_attraction(force_case* c, int turn, random_state* state) {
    random_fill(state, -1, 1, 3, c->rest);
    double away;
    do {
        random_fill(state, -1, 1, 3, c->x);
        away = 0;
        for (int i = 0; i < 3; i++) {
            away += (c->x[i] - c->rest[i]) * (c->x[i] - c->rest[i]);
        }
    } while (away < 0.1);
    c->rest[3] = random_in(state, 0.5, 2) * (turn % 5 == 4 ? -1 : 1);
    c->rest[4] = turn % 3 == 0 ? 0 : random_in(state, 0, 3);
    c->rest[5] = random_in(state, 0.5, 2);
}

force_case force_case_random(force_subject what, int turn, random_state* state) {
    force_case c;
    memset(&c, 0, sizeof c);
    c.what = what;
    c.f = &forces_f64.formulas[what == SURFACE ? FORCE_SURFACE : what == ATTRACTION ? FORCE_ATTRACTION : FORCE_SOLID];
    c.dofs = 3 * c.f->nodes;
    random_fill(state, -1, 1, FORCE_DOFS, c.v);
    if (what == SURFACE) {
        random_surface(&c, turn, state);
    } else if (what == ATTRACTION) {
        random_attraction(&c, turn, state);
    } else {
        random_solid(&c, turn, state);
    }
    return c;
}

void force_gamma(const force_case* c, double s, double* gamma) {
    for (int j = 0; j < c->dofs; j++) {
        double unit[FORCE_DOFS] = {0}, rows[FORCE_FACTOR_ROWS], column[FORCE_DOFS];
        unit[j] = 1;
        c->f->apply_factor(c->x, c->v, c->rest, s, unit, rows);
        c->f->apply_factor_transpose(c->x, c->v, c->rest, s, rows, column);
        for (int i = 0; i < c->dofs; i++) {
            gamma[c->dofs * i + j] = column[i];
        }
    }
}

void force_tangent(const force_case* c, double* tangent) {
    for (int j = 0; j < c->dofs; j++) {
        double unit[FORCE_DOFS] = {0}, column[FORCE_DOFS];
        unit[j] = 1;
        if (c->f->order == 2) {
            c->f->viscosity(c->x, c->v, c->rest, unit, column);
        } else {
            c->f->curvature(c->x, c->rest, unit, column);
        }
        for (int i = 0; i < c->dofs; i++) {
            tangent[c->dofs * i + j] = -column[i];
        }
    }
}

double force_scale(const force_case* c) {
    double tangent[FORCE_DOFS * FORCE_DOFS], f[FORCE_DOFS];
    force_tangent(c, tangent);
    c->f->load(c->x, c->v, c->rest, f);
    return fmax(fmax(dense_max((size_t)(c->dofs * c->dofs), tangent), dense_max((size_t)c->dofs, f)), 1e-300);
}
