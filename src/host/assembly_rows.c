#define TAUT_REAL double
#include "kernels/formulas/kinds.h"

#include "host/assembly_rows.h"

#include <string.h>

#define TAUT_KIND_TEXT "host/assembly_kind.h"
#include "kernels/formulas/for_each_kind.h"

void assembly_rows(taut_kind kind, const double* x, const double* rest, const double* lam,
                   constraint_matrices* out) {
    memset(out, 0, sizeof *out);
    switch (kind) {
#define EXACT_CASE(name, enumerator)                                                                                   \
    case enumerator:                                                                                                   \
        exact_##name((const double(*)[name##_STATE])x, rest, lam, out);                                                                              \
        break;
        TAUT_FORMULA_KINDS(EXACT_CASE)
    default:
        break;
    }
}
