/* Values between the tests' float64 and the precision of the formula headers, for files that have chosen `real`. */
#ifndef TAUT_TEST_FORMULA_PRECISION_H
#define TAUT_TEST_FORMULA_PRECISION_H

#include "base/small_math.h"

#include <math.h>

static inline void to_real(const double* from, int count, real* to) {
    for (int i = 0; i < count; i++) {
        to[i] = (real)from[i];
    }
}

static inline void from_real(const real* from, int count, double* to) {
    for (int i = 0; i < count; i++) {
        to[i] = (double)from[i];
    }
}

/* Products see a stored Jacobian, without the values at its end that they do not use: those become NaN. */
static inline void forget(int values, int aux, real* jac) {
    for (int i = values - aux; i < values; i++) {
        jac[i] = (real)NAN;
    }
}

#endif
