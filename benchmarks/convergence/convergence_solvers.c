#include "convergence_solvers.h"

const char* method_name(taut_method method) {
    static const char* const names[] = {"auto", "schur", "condensed", "gauss_seidel", "direct"};
    return names[method];
}

const char* cycle_name(taut_cycle cycle) {
    static const char* const names[] = {"auto", "additive", "v"};
    return names[cycle];
}

bool takes_preconditioner(taut_method method) {
    return method != TAUT_METHOD_GAUSS_SEIDEL && method != TAUT_METHOD_DIRECT;
}

bool solver_makes_sense(taut_method method, taut_preconditioner preconditioner) {
    switch (preconditioner) {
    case TAUT_PRECONDITIONER_BLOCK:
    case TAUT_PRECONDITIONER_CHEBYSHEV:
        return method == TAUT_METHOD_SCHUR;
    default:
        return true;
    }
}

taut_solver solver_of(const solver_way* way) {
    taut_solver solver = taut_default_world().solver;
    solver.method = way->method;
    solver.preconditioner = way->preconditioner;
    solver.cycle = way->cycle;
    return solver;
}
