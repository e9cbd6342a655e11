#define TAUT_REAL double
#include "kernels/formulas/kinds.h"

#include "model/constraint_matrices.h"

#include <string.h>

#define TAUT_KIND_TEXT "model/constraint_matrices_kind.h"
#include "kernels/formulas/for_each_kind.h"

#define TAUT_LOAD_TEXT "model/constraint_matrices_load.h"
#include "kernels/formulas/for_each_load.h"

void element_tangent(taut_kind kind, const double* x, const double* v, const double* rest, double out[12][12]) {
    memset(out, 0, 144 * sizeof(double));
    switch (kind) {
#define TANGENT_CASE(name, enumerator)                                                                                 \
    case enumerator:                                                                                                   \
        tangent_##name((const double(*)[3])x, (const double(*)[3])v, rest, out);                                       \
        break;
        TAUT_LOAD_KINDS(TANGENT_CASE)
    default:
        break;
    }
}

void element_viscosity(taut_kind kind, const double* x, const double* v, const double* rest, double out[12][12]) {
    memset(out, 0, 144 * sizeof(double));
    for (int i = 0; kind == TAUT_SURFACE && i < 3 * surface_NODES; i++) {
        double dv[surface_NODES][3] = {{0}}, df[surface_NODES][3] = {{0}};
        dv[i / 3][i % 3] = 1;
        surface_viscosity((const double(*)[3])x, (const double(*)[3])v, rest, (const double(*)[3])dv, df);
        for (int j = 0; j < 3 * surface_NODES; j++) {
            out[j][i] = df[j / 3][j % 3];
        }
    }
}

void element_add_force(taut_kind kind, const double* load, int slot, double f[3]) {
    switch (kind) {
#define PRESS_CASE(name, enumerator)                                                                                   \
    case enumerator:                                                                                                   \
        name##_add_force(load, slot, f);                                                                               \
        break;
        TAUT_LOAD_KINDS(PRESS_CASE)
    default:
        break;
    }
}

void constraint_rows(taut_kind kind, const double* x, const double* rest, const double* lam, constraint_matrices* out) {
    memset(out, 0, sizeof *out);
    switch (kind) {
#define EXACT_CASE(name, enumerator)                                                                                   \
    case enumerator:                                                                                                   \
        exact_##name((const double(*)[name##_STATE])x, rest, lam, out);                                                \
        break;
        TAUT_FORMULA_KINDS(EXACT_CASE)
    default:
        break;
    }
}

void constraint_gamma(taut_kind kind, const double* x, const double* rest, const float* stiffness, double out[18][18]) {
    memset(out, 0, 18 * 18 * sizeof(double));
    switch (kind) {
#define GAMMA_CASE(name, enumerator)                                                                                   \
    case enumerator:                                                                                                   \
        gamma_##name((const double(*)[name##_STATE])x, rest, stiffness, out);                                          \
        break;
        TAUT_FORMULA_KINDS(GAMMA_CASE)
    default:
        break;
    }
}
