#include "methods.h"

#include <math.h>

const char* budget_name(budget_kind kind) {
    static const char* const names[] = {"sweeps", "tolerance", "newton", "direct"};
    return names[kind];
}

double budget_at(budget_kind kind, size_t k) {
    switch (kind) {
    case BUDGET_SWEEPS:
        return k < 17 ? ldexp(1, (int)k) : 0;
    case BUDGET_TOLERANCE:
        return k < 13 ? pow(10, -1 - (double)k / 2) : 0;
    case BUDGET_ITERATIONS:
        return k < 16 ? (double)(k + 1) : 0;
    default:
        return k < 1 ? 1 : 0;
    }
}
