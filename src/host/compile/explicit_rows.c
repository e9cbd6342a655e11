#define TAUT_REAL double
#include "kernels/stages/assemble.h"

#include "host/compile/explicit_rows.h"

uint32_t explicit_rows(taut_kind kind, const float* record, const float* stiffness, uint32_t slot,
                       double rows[TAUT_MAX_ROWS][3]) {
    switch (kind) {
#define ROWS_CASE(name, enumerator)                                                                                    \
    case enumerator:                                                                                                   \
        return (uint32_t)explicit_rows_##name(record, stiffness, (int)slot, rows);
        TAUT_FORMULA_KINDS(ROWS_CASE)
    default:
        return 0;
    }
}

void explicit_jacobian(taut_kind kind, const double* x, const double* rest, float* record) {
    double phi[TAUT_MAX_ROWS];
    switch (kind) {
#define JACOBIAN_CASE(name, enumerator)                                                                                \
    case enumerator: {                                                                                                 \
        name##_jacobian jac;                                                                                           \
        name##_evaluate((const double(*)[name##_STATE])x, rest, phi, &jac);                                            \
        store((const double*)&jac, VALUES(name##_jacobian) - name##_AUX, record);                                      \
        break;                                                                                                         \
    }
        TAUT_FORMULA_KINDS(JACOBIAN_CASE)
    default:
        break;
    }
}

bool explicit_tangent(taut_kind kind, const double* x, const double* rest, float* stiffness) {
    const double unit = 1;
    switch (kind) {
#define TANGENT_CASE(name, enumerator)                                                                                 \
    case enumerator: {                                                                                                 \
        name##_jacobian jac;                                                                                           \
        name##_stiffness factor;                                                                                       \
        name##_evaluate((const double(*)[name##_STATE])x, rest, NULL, &jac);                                           \
        name##_factor(&jac, &unit, &factor);                                                                           \
        store((const double*)&factor, VALUES(name##_stiffness), stiffness);                                            \
        return true;                                                                                                   \
    }
        TAUT_LOAD_KINDS(TANGENT_CASE)
    default:
        return false;
    }
}
