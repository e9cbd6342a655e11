/* The formula headers of src/kernels/formulas behind one set of function pointers, in float64 and in float32, so
 * that every check is written once for all kinds. Arrays are flat: x is nodes x 3 and so on. */
#ifndef TAUT_TEST_FORMULA_TABLE_H
#define TAUT_TEST_FORMULA_TABLE_H

#include <taut/taut.h>

enum { FORMULA_MAX = 12 }; /* bounds nodes x 3, rows, roots and rest values */

typedef struct formula {
    const char* name;
    taut_kind kind;
    int nodes, rows, factor_rows, rest_count;
    void (*phi)(const double* x, const double* rest, double* phi);
    void (*forward)(const double* x, const double* rest, const double* dx, double* dphi);
    void (*pull)(const double* x, const double* rest, const double* lam, double* f);
    void (*apply_factor)(const double* x, const double* rest, const double* lam, const double* dx, double* rows);
    void (*apply_factor_transpose)(const double* x, const double* rest, const double* lam, const double* rows,
                                   double* f);
    void (*curvature)(const double* x, const double* rest, const double* lam, const double* dx, double* df);
} formula;

enum { FORMULA_COUNT = 7 };
extern const formula formulas[FORMULA_COUNT];

#endif
