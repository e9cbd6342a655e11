/* The formulas of force elements behind one set of function pointers, in float64 and in float32, so that every check is
 * written once for all of them. Arrays are flat: x, v and forces nodes x 3, matrices row by row.
 *
 * A file that defines TAUT_REAL and FORCE_TABLE before it includes this one gets the table of that name. */
#ifndef TAUT_TEST_FORCE_FORMULAS_H
#define TAUT_TEST_FORCE_FORMULAS_H

enum { FORCE_DOFS = 12, FORCE_FACTOR_ROWS = 9, FORCE_REST = 13, FORCE_LOAD = 9 };

typedef struct force_formula {
    const char* name;
    int nodes, factor_rows, rest_count, order;
    double (*load)(const double* x, const double* v, const double* rest, double* f); /* energy, and forces on nodes */
    void (*apply_factor)(const double* x, const double* v, const double* rest, double s, const double* dx,
                         double* rows);
    void (*apply_factor_transpose)(const double* x, const double* v, const double* rest, double s, const double* rows,
                                   double* f);
    void (*curvature)(const double* x, const double* rest, const double* dx, double* df);
    void (*viscosity)(const double* x, const double* v, const double* rest, const double* dv, double* df); /* or NULL */
} force_formula;

enum { FORCE_SOLID, FORCE_SURFACE, FORCE_ATTRACTION, FORCE_FORMULA_COUNT };

typedef struct force_table {
    force_formula formulas[FORCE_FORMULA_COUNT];
    double (*solid_rest)(const double* shape, double young, double poisson, int material, double* rest);
    void (*svd)(const double* f, double* u, double* s, double* v); /* svd3.h */
    void (*quaternion)(const double* r, double* q);                /* rotation_math.h: quat_of_axes */
} force_table;

extern const force_table forces_f64, forces_f32;

#ifdef FORCE_TABLE

#include "kernels/formulas/attraction.h"
#include "kernels/formulas/solid.h"
#include "kernels/formulas/surface.h"

#include <stddef.h>

typedef const real (*force_nodes)[3];

#include "formula_precision.h"

#define FORCE_WRAPPERS(kind)                                                                                           \
    static double kind##_w_at(const double* x, const double* v, const double* rest, double* f, kind##_jacobian* jac) { \
        real at[FORCE_DOFS], speeds[FORCE_DOFS], rests[FORCE_REST], load[FORCE_LOAD], out[FORCE_DOFS] = {0};           \
        to_real(x, kind##_NODES * 3, at);                                                                              \
        to_real(v, kind##_NODES * 3, speeds);                                                                          \
        to_real(rest, kind##_REST, rests);                                                                             \
        for (int i = 0; i < FORCE_LOAD; i++) {                                                                         \
            load[i] = (real)NAN;                                                                                       \
        }                                                                                                              \
        const real energy = kind##_load((force_nodes)at, (force_nodes)speeds, rests, load, jac);                       \
        for (int slot = 0; slot < kind##_NODES; slot++) {                                                              \
            kind##_add_force(load, slot, out + 3 * slot);                                                              \
        }                                                                                                              \
        from_real(out, kind##_NODES * 3, f);                                                                           \
        return (double)energy;                                                                                         \
    }                                                                                                                  \
    static double kind##_w_load(const double* x, const double* v, const double* rest, double* f) {                     \
        kind##_jacobian jac;                                                                                           \
        return kind##_w_at(x, v, rest, f, &jac);                                                                       \
    }                                                                                                                  \
    static void kind##_w_factor(const double* x, const double* v, const double* rest, double s, kind##_jacobian* jac,  \
                                kind##_stiffness* k) {                                                                 \
        const real scale = (real)s;                                                                                    \
        double f[FORCE_DOFS];                                                                                          \
        kind##_w_at(x, v, rest, f, jac);                                                                               \
        kind##_factor(jac, &scale, k);                                                                                 \
        forget((int)(sizeof *jac / sizeof(real)), kind##_AUX, (real*)jac);                                             \
        kind##_apply_jacobian(jac, NULL, NULL);                                                                        \
        kind##_apply_jacobian_transpose(jac, NULL, 0, NULL);                                                           \
    }                                                                                                                  \
    static void kind##_w_apply_factor(const double* x, const double* v, const double* rest, double s,                  \
                                      const double* dx, double* rows) {                                                \
        kind##_jacobian jac;                                                                                           \
        kind##_stiffness k;                                                                                            \
        real by[FORCE_DOFS], out[FORCE_FACTOR_ROWS] = {0};                                                             \
        kind##_w_factor(x, v, rest, s, &jac, &k);                                                                      \
        to_real(dx, kind##_NODES * 3, by);                                                                             \
        kind##_apply_factor(&jac, &k, (force_nodes)by, out);                                                           \
        from_real(out, kind##_FACTOR_ROWS, rows);                                                                      \
    }                                                                                                                  \
    static void kind##_w_apply_factor_transpose(const double* x, const double* v, const double* rest, double s,        \
                                                const double* rows, double* f) {                                       \
        kind##_jacobian jac;                                                                                           \
        kind##_stiffness k;                                                                                            \
        real by[FORCE_FACTOR_ROWS] = {0}, out[FORCE_DOFS] = {0};                                                       \
        kind##_w_factor(x, v, rest, s, &jac, &k);                                                                      \
        to_real(rows, kind##_FACTOR_ROWS, by);                                                                         \
        for (int slot = 0; slot < kind##_NODES; slot++) {                                                              \
            kind##_apply_factor_transpose(&jac, &k, by, slot, out + 3 * slot);                                         \
        }                                                                                                              \
        from_real(out, kind##_NODES * 3, f);                                                                           \
    }                                                                                                                  \
    static void kind##_w_curvature(const double* x, const double* rest, const double* dx, double* df) {                \
        real at[FORCE_DOFS], rests[FORCE_REST], by[FORCE_DOFS], out[FORCE_DOFS] = {0};                                 \
        to_real(x, kind##_NODES * 3, at);                                                                              \
        to_real(rest, kind##_REST, rests);                                                                             \
        to_real(dx, kind##_NODES * 3, by);                                                                             \
        kind##_curvature((force_nodes)at, rests, NULL, (force_nodes)by, (real(*)[3])out);                              \
        from_real(out, kind##_NODES * 3, df);                                                                          \
    }

#define FORCE_ENTRY(kind, viscosity)                                                                                   \
    {                                                                                                                  \
#kind, kind##_NODES, kind##_FACTOR_ROWS, kind##_REST, kind##_ORDER, kind##_w_load, kind##_w_apply_factor,      \
            kind##_w_apply_factor_transpose, kind##_w_curvature, viscosity                                             \
    }

FORCE_WRAPPERS(solid)
FORCE_WRAPPERS(surface)
FORCE_WRAPPERS(attraction)

static void surface_w_viscosity(const double* x, const double* v, const double* rest, const double* dv, double* df) {
    real at[9], speeds[9], rests[surface_REST], by[9], out[9] = {0};
    to_real(x, 9, at);
    to_real(v, 9, speeds);
    to_real(rest, surface_REST, rests);
    to_real(dv, 9, by);
    surface_viscosity((force_nodes)at, (force_nodes)speeds, rests, (force_nodes)by, (real(*)[3])out);
    from_real(out, 9, df);
}

static double w_solid_rest(const double* shape, double young, double poisson, int material, double* rest) {
    real at[12], out[solid_REST];
    to_real(shape, 12, at);
    const real volume = solid_rest((force_nodes)at, (real)young, (real)poisson, material, out);
    from_real(out, solid_REST, rest);
    return (double)volume;
}

static void w_svd(const double* f, double* u, double* s, double* v) {
    real columns[3][3], left[3][3], values[3], right[3][3];
    for (int i = 0; i < 9; i++) {
        columns[i % 3][i / 3] = (real)f[i];
    }
    svd3((force_nodes)columns, left, values, right);
    from_real(values, 3, s);
    for (int i = 0; i < 9; i++) {
        u[i] = (double)left[i % 3][i / 3];
        v[i] = (double)right[i % 3][i / 3];
    }
}

static void w_quaternion(const double* r, double* q) {
    real columns[3][3], out[4];
    for (int i = 0; i < 9; i++) {
        columns[i % 3][i / 3] = (real)r[i];
    }
    quat_of_axes((force_nodes)columns, out);
    from_real(out, 4, q);
}

const force_table FORCE_TABLE = {
    {FORCE_ENTRY(solid, NULL), FORCE_ENTRY(surface, surface_w_viscosity), FORCE_ENTRY(attraction, NULL)},
    w_solid_rest,
    w_svd,
    w_quaternion,
};

#endif
#endif
