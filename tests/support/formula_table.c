#define TAUT_REAL double
#include "formula_table.h"

#include <string.h>

#include "kernels/formulas/attachment.h"
#include "kernels/formulas/bend.h"
#include "kernels/formulas/distance.h"
#include "kernels/formulas/membrane.h"
#include "kernels/formulas/target.h"
#include "kernels/formulas/tet_strain.h"
#include "kernels/formulas/tet_volume.h"

typedef const double (*nodes3)[3];

#define FORMULA_WRAPPERS(kind)                                                                                         \
    static void kind##_w_phi(const double* x, const double* rest, double* phi) {                                       \
        kind##_jacobian jac;                                                                                           \
        kind##_evaluate((nodes3)x, rest, phi, &jac);                                                                   \
    }                                                                                                                  \
    static kind##_jacobian kind##_w_at(const double* x, const double* rest) {                                          \
        kind##_jacobian jac;                                                                                           \
        double phi[kind##_ROWS];                                                                                       \
        kind##_evaluate((nodes3)x, rest, phi, &jac);                                                                   \
        return jac;                                                                                                    \
    }                                                                                                                  \
    static void kind##_w_apply_jacobian(const double* x, const double* rest, const double* dx, double* dphi) {         \
        const kind##_jacobian jac = kind##_w_at(x, rest);                                                              \
        kind##_apply_jacobian(&jac, (nodes3)dx, dphi);                                                                 \
    }                                                                                                                  \
    static void kind##_w_apply_jacobian_transpose(const double* x, const double* rest, const double* lam, double* f) { \
        const kind##_jacobian jac = kind##_w_at(x, rest);                                                              \
        memset(f, 0, 3 * kind##_NODES * sizeof *f);                                                                    \
        for (int slot = 0; slot < kind##_NODES; slot++) {                                                              \
            kind##_apply_jacobian_transpose(&jac, lam, slot, f + 3 * slot);                                            \
        }                                                                                                              \
    }                                                                                                                  \
    static void kind##_w_apply_factor(const double* x, const double* rest, const double* lam, const double* dx,        \
                                      double* rows) {                                                                  \
        const kind##_jacobian jac = kind##_w_at(x, rest);                                                              \
        kind##_stiffness k;                                                                                            \
        kind##_factor(&jac, lam, &k);                                                                                  \
        kind##_apply_factor(&jac, &k, (nodes3)dx, rows);                                                               \
    }                                                                                                                  \
    static void kind##_w_apply_factor_transpose(const double* x, const double* rest, const double* lam,                \
                                                const double* rows, double* f) {                                       \
        const kind##_jacobian jac = kind##_w_at(x, rest);                                                              \
        kind##_stiffness k;                                                                                            \
        kind##_factor(&jac, lam, &k);                                                                                  \
        memset(f, 0, 3 * kind##_NODES * sizeof *f);                                                                    \
        for (int slot = 0; slot < kind##_NODES; slot++) {                                                              \
            kind##_apply_factor_transpose(&jac, &k, rows, slot, f + 3 * slot);                                         \
        }                                                                                                              \
    }                                                                                                                  \
    static void kind##_w_curvature(const double* x, const double* rest, const double* lam, const double* dx,           \
                                   double* df) {                                                                       \
        memset(df, 0, 3 * kind##_NODES * sizeof *df);                                                                  \
        kind##_curvature((nodes3)x, rest, lam, (nodes3)dx, (double(*)[3])df);                                          \
    }

#define FORMULA_ENTRY(kind, id)                                                                                        \
    {                                                                                                                  \
#kind, id, kind##_NODES, kind##_ROWS, kind##_FACTOR_ROWS, kind##_REST, kind##_w_phi, kind##_w_apply_jacobian,  \
            kind##_w_apply_jacobian_transpose, kind##_w_apply_factor, kind##_w_apply_factor_transpose,                 \
            kind##_w_curvature                                                                                         \
    }

FORMULA_WRAPPERS(distance)
FORMULA_WRAPPERS(attachment)
FORMULA_WRAPPERS(target)
FORMULA_WRAPPERS(bend)
FORMULA_WRAPPERS(membrane)
FORMULA_WRAPPERS(tet_volume)
FORMULA_WRAPPERS(tet_strain)

const formula formulas[FORMULA_COUNT] = {
    FORMULA_ENTRY(distance, TAUT_DISTANCE),     FORMULA_ENTRY(attachment, TAUT_ATTACHMENT),
    FORMULA_ENTRY(target, TAUT_TARGET),         FORMULA_ENTRY(bend, TAUT_BEND),
    FORMULA_ENTRY(membrane, TAUT_MEMBRANE),     FORMULA_ENTRY(tet_volume, TAUT_TET_VOLUME),
    FORMULA_ENTRY(tet_strain, TAUT_TET_STRAIN),
};
