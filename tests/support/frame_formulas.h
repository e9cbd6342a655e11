/* The formulas of frames and of mapped points behind one set of function pointers, in float64 and in float32, so that
 * every check is written once for all of them. Arrays are flat: x is nodes x state, dx and forces nodes x 3.
 *
 * A file that defines TAUT_REAL and FRAME_TABLE before it includes this one gets the table of that name. */
#ifndef TAUT_TEST_FRAME_FORMULAS_H
#define TAUT_TEST_FRAME_FORMULAS_H

enum { FRAME_X = 24, FRAME_DOFS = 18, FRAME_REST = 28, FRAME_ROWS = 3 };

typedef struct frame_formula {
    const char* name;
    int nodes, rows, factor_rows, rest_count, state, frames;
    void (*phi)(const double* x, const double* rest, double* phi);
    void (*forward)(const double* x, const double* rest, const double* dx, double* dphi);
    void (*pull)(const double* x, const double* rest, const double* lam, double* f);
    void (*apply_factor)(const double* x, const double* rest, const double* lam, const double* dx, double* rows);
    void (*apply_factor_transpose)(const double* x, const double* rest, const double* lam, const double* rows,
                                   double* f);
    void (*curvature)(const double* x, const double* rest, const double* lam, const double* dx, double* df);
    void (*turn)(const double* x, const double* rest, const double* lam, int slot, double* g); /* or NULL */
} frame_formula;

enum {
    FRAME_TRAVEL,
    FRAME_TURN,
    FRAME_ALIGNMENT,
    FRAME_SEGMENT,
    FRAME_INERTIA,
    FRAME_NORM,
    FRAME_CONTACT,
    FRAME_ROLLING,
    FRAME_FORMULA_COUNT
};

typedef struct frame_table {
    frame_formula formulas[FRAME_FORMULA_COUNT];
    /* rotation_math.h */
    void (*multiply)(const double* a, const double* b, double* out);
    void (*rotate)(const double* q, const double* v, double* out);
    void (*axes)(const double* q, double* e);
    void (*log)(const double* q, double* v);
    void (*exp)(const double* v, double* q);
    double (*normalise)(const double* q, double* out);
    void (*coefficients)(double squared, double* c, double* slope);
} frame_table;

extern const frame_table frames_f64, frames_f32;

#ifdef FRAME_TABLE

#include "kernels/formulas/alignment.h"
#include "kernels/formulas/angular.h"
#include "kernels/formulas/contact_rows.h"
#include "kernels/formulas/inertia.h"
#include "kernels/formulas/norm.h"
#include "kernels/formulas/prismatic.h"
#include "kernels/formulas/rolling.h"
#include "kernels/formulas/segment.h"

#include <stddef.h>

#include "formula_precision.h"
#define FRAME_FORGET(kind, jac) forget((int)(sizeof *(jac) / sizeof(real)), kind##_AUX, (real*)(jac))

/* Without rows there is no memory for phi and lam either. */
#define FRAME_VALUES(kind, values) (kind##_ROWS > 0 ? (values) : NULL)

#define FRAME_WRAPPERS(kind)                                                                                           \
    typedef const real(*kind##_state)[kind##_STATE];                                                                   \
    static void kind##_w_evaluate(const double* x, const double* rest, double* phi, kind##_jacobian* jac) {            \
        real at[FRAME_X], rests[FRAME_REST], values[FRAME_ROWS] = {0};                                                 \
        to_real(x, kind##_NODES* kind##_STATE, at);                                                                    \
        to_real(rest, kind##_REST, rests);                                                                             \
        kind##_evaluate((kind##_state)at, rests, FRAME_VALUES(kind, values), jac);                                     \
        from_real(values, kind##_ROWS, phi);                                                                           \
    }                                                                                                                  \
    static void kind##_w_phi(const double* x, const double* rest, double* phi) {                                       \
        kind##_jacobian jac;                                                                                           \
        kind##_w_evaluate(x, rest, phi, &jac);                                                                         \
    }                                                                                                                  \
    static void kind##_w_apply_jacobian(const double* x, const double* rest, const double* dx, double* dphi) {         \
        kind##_jacobian jac;                                                                                           \
        double phi[FRAME_ROWS];                                                                                        \
        real by[FRAME_DOFS], out[FRAME_ROWS] = {0};                                                                    \
        kind##_w_evaluate(x, rest, phi, &jac);                                                                         \
        FRAME_FORGET(kind, &jac);                                                                                      \
        to_real(dx, kind##_NODES * 3, by);                                                                             \
        kind##_apply_jacobian(&jac, (const real(*)[3])by, FRAME_VALUES(kind, out));                                    \
        from_real(out, kind##_ROWS, dphi);                                                                             \
    }                                                                                                                  \
    static void kind##_w_apply_jacobian_transpose(const double* x, const double* rest, const double* lam, double* f) { \
        kind##_jacobian jac;                                                                                           \
        double phi[FRAME_ROWS];                                                                                        \
        real force[FRAME_ROWS], out[FRAME_DOFS] = {0};                                                                 \
        kind##_w_evaluate(x, rest, phi, &jac);                                                                         \
        FRAME_FORGET(kind, &jac);                                                                                      \
        to_real(lam, FRAME_ROWS, force);                                                                               \
        for (int slot = 0; slot < kind##_NODES; slot++) {                                                              \
            kind##_apply_jacobian_transpose(&jac, FRAME_VALUES(kind, force), slot, out + 3 * slot);                    \
        }                                                                                                              \
        from_real(out, kind##_NODES * 3, f);                                                                           \
    }                                                                                                                  \
    static void kind##_w_factor(const double* x, const double* rest, const double* lam, kind##_jacobian* jac,          \
                                kind##_stiffness* k) {                                                                 \
        double phi[FRAME_ROWS];                                                                                        \
        real force[FRAME_ROWS];                                                                                        \
        kind##_w_evaluate(x, rest, phi, jac);                                                                          \
        to_real(lam, FRAME_ROWS, force);                                                                               \
        kind##_factor(jac, force, k);                                                                                  \
        FRAME_FORGET(kind, jac);                                                                                       \
    }                                                                                                                  \
    static void kind##_w_apply_factor(const double* x, const double* rest, const double* lam, const double* dx,        \
                                      double* rows) {                                                                  \
        kind##_jacobian jac;                                                                                           \
        kind##_stiffness k;                                                                                            \
        real by[FRAME_DOFS], out[3] = {0};                                                                             \
        kind##_w_factor(x, rest, lam, &jac, &k);                                                                       \
        to_real(dx, kind##_NODES * 3, by);                                                                             \
        kind##_apply_factor(&jac, &k, (const real(*)[3])by, out);                                                      \
        from_real(out, kind##_FACTOR_ROWS, rows);                                                                      \
    }                                                                                                                  \
    static void kind##_w_apply_factor_transpose(const double* x, const double* rest, const double* lam,                \
                                                const double* rows, double* f) {                                       \
        kind##_jacobian jac;                                                                                           \
        kind##_stiffness k;                                                                                            \
        real by[3] = {0}, out[FRAME_DOFS] = {0};                                                                       \
        kind##_w_factor(x, rest, lam, &jac, &k);                                                                       \
        to_real(rows, kind##_FACTOR_ROWS, by);                                                                         \
        for (int slot = 0; slot < kind##_NODES; slot++) {                                                              \
            kind##_apply_factor_transpose(&jac, &k, by, slot, out + 3 * slot);                                         \
        }                                                                                                              \
        from_real(out, kind##_NODES * 3, f);                                                                           \
    }                                                                                                                  \
    static void kind##_w_curvature(const double* x, const double* rest, const double* lam, const double* dx,           \
                                   double* df) {                                                                       \
        real at[FRAME_X], rests[FRAME_REST], force[FRAME_ROWS], by[FRAME_DOFS], out[FRAME_DOFS] = {0};                 \
        to_real(x, kind##_NODES* kind##_STATE, at);                                                                    \
        to_real(rest, kind##_REST, rests);                                                                             \
        to_real(lam, FRAME_ROWS, force);                                                                               \
        to_real(dx, kind##_NODES * 3, by);                                                                             \
        kind##_curvature((kind##_state)at, rests, force, (const real(*)[3])by, (real(*)[3])out);                       \
        from_real(out, kind##_NODES * 3, df);                                                                          \
    }

#define FRAME_TURN_WRAPPER(kind)                                                                                       \
    static void kind##_w_turn(const double* x, const double* rest, const double* lam, int slot, double* g) {           \
        kind##_jacobian jac;                                                                                           \
        double phi[FRAME_ROWS];                                                                                        \
        real force[FRAME_ROWS], out[6] = {0};                                                                          \
        kind##_w_evaluate(x, rest, phi, &jac);                                                                         \
        to_real(lam, FRAME_ROWS, force);                                                                               \
        real arm[3], at_arm[3];                                                                                        \
        kind##_lever(&jac, force, slot, arm, at_arm);                                                                  \
        sym3_add_turn(1, arm, at_arm, out);                                                                            \
        from_real(out, 6, g);                                                                                          \
    }

#define FRAME_ENTRY(kind, turn)                                                                                        \
    {                                                                                                                  \
#kind, kind##_NODES, kind##_ROWS, kind##_FACTOR_ROWS, kind##_REST, kind##_STATE, kind##_FRAMES, kind##_w_phi,  \
            kind##_w_apply_jacobian, kind##_w_apply_jacobian_transpose, kind##_w_apply_factor,                         \
            kind##_w_apply_factor_transpose, kind##_w_curvature, turn                                                  \
    }

FRAME_WRAPPERS(prismatic)
FRAME_WRAPPERS(angular)
FRAME_WRAPPERS(alignment)
FRAME_WRAPPERS(segment)
FRAME_WRAPPERS(inertia)
FRAME_WRAPPERS(norm)
FRAME_WRAPPERS(contact)
FRAME_WRAPPERS(rolling)
FRAME_TURN_WRAPPER(prismatic)
FRAME_TURN_WRAPPER(segment)

/* A function of one or two arrays of rotation_math.h. */
static void w_multiply(const double* a, const double* b, double* out) {
    real left[4], right[4];
    to_real(a, 4, left);
    to_real(b, 4, right);
    quat_multiply(left, right, left); /* in place, as users may */
    from_real(left, 4, out);
}
static void w_rotate(const double* q, const double* v, double* out) {
    real turn[4], from[3];
    to_real(q, 4, turn);
    to_real(v, 3, from);
    quat_rotate(turn, from, from);
    from_real(from, 3, out);
}
static void w_axes(const double* q, double* e) {
    real turn[4], axes[3][3];
    to_real(q, 4, turn);
    quat_axes(turn, axes);
    from_real(axes[0], 9, e);
}
static void w_log(const double* q, double* v) {
    real turn[4], out[3];
    to_real(q, 4, turn);
    quat_log(turn, out);
    from_real(out, 3, v);
}
static void w_exp(const double* v, double* q) {
    real from[3], out[4];
    to_real(v, 3, from);
    quat_exp(from, out);
    from_real(out, 4, q);
}
static double w_normalise(const double* q, double* out) {
    real turn[4];
    to_real(q, 4, turn);
    const real length = quat_normalise(turn, turn);
    from_real(turn, 4, out);
    return (double)length;
}
static void w_coefficients(double squared, double* c, double* slope) {
    real out[2];
    relative_coefficients((real)squared, &out[0], &out[1]);
    *c = (double)out[0];
    *slope = (double)out[1];
}

const frame_table FRAME_TABLE = {
    {
        FRAME_ENTRY(prismatic, prismatic_w_turn),
        FRAME_ENTRY(angular, NULL),
        FRAME_ENTRY(alignment, NULL),
        FRAME_ENTRY(segment, segment_w_turn),
        FRAME_ENTRY(inertia, NULL),
        FRAME_ENTRY(norm, NULL),
        FRAME_ENTRY(contact, NULL),
        FRAME_ENTRY(rolling, NULL),
    },
    w_multiply,
    w_rotate,
    w_axes,
    w_log,
    w_exp,
    w_normalise,
    w_coefficients,
};

#endif
#endif
