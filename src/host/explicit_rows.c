#define TAUT_REAL double
#include "host/explicit_rows.h"

#include "kernels/formulas/kinds.h"

#include <stddef.h>
#include <string.h>

static void load(const float* stored, size_t count, real* out) {
    for (size_t i = 0; i < count; i++) {
        out[i] = stored[i];
    }
}

#define TAUT_KIND_TEXT "host/explicit_rows_kind.h"
#include "kernels/formulas/for_each_kind.h"

uint32_t explicit_rows(taut_kind kind, const float* jacobian, const float* stiffness, uint32_t slot,
                       double rows[TAUT_MAX_ROWS][3]) {
    memset(rows, 0, TAUT_MAX_ROWS * sizeof rows[0]);
    switch (kind) {
#define ROWS_CASE(name, enumerator)                                                                                    \
    case enumerator:                                                                                                   \
        return rows_of_##name(jacobian, stiffness, slot, rows);
        TAUT_FORMULA_KINDS(ROWS_CASE)
    default:
        return 0;
    }
}

void explicit_jacobian(taut_kind kind, const double* x, const double* rest, float* jacobian) {
    switch (kind) {
#define JACOBIAN_CASE(name, enumerator)                                                                                \
    case enumerator:                                                                                                   \
        jacobian_of_##name(x, rest, jacobian);                                                                         \
        break;
        TAUT_FORMULA_KINDS(JACOBIAN_CASE)
    default:
        break;
    }
}
