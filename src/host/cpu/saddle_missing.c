/* A library without the direct method: world creation asks first, so that nothing else here is ever called. */
#include "host/cpu/cpu_adjoint.h"
#include "host/cpu/cpu_saddle.h"

#include "base/status.h"

taut_status taut_direct_available(void) {
    return taut_fail(TAUT_BACKEND_UNAVAILABLE,
                     "solver: the direct method is not built into this library (it needs LDL and AMD of SuiteSparse).");
}

taut_status saddle_make(const taut_plan* plan, const taut_allocator* allocator, double most, saddle_solver** out) {
    (void)plan, (void)allocator, (void)most, (void)out;
    return taut_direct_available();
}

void saddle_free(saddle_solver* d) {
    (void)d;
}

size_t saddle_factor_values(const saddle_solver* d) {
    (void)d;
    return 0;
}

void saddle_factor(saddle_solver* d) {
    (void)d;
}

void saddle_solve(saddle_solver* d) {
    (void)d;
}

void saddle_correct(const saddle_solver* d, double sign) {
    (void)d, (void)sign;
}

void saddle_store(const saddle_solver* d, float* delta) {
    (void)d, (void)delta;
}

taut_status cpu_adjoint_make(taut_backend_state* state, taut_adjoint** out) {
    (void)state, (void)out;
    return taut_fail(TAUT_BACKEND_UNAVAILABLE,
                     "gradients: they are not built into this library (they need LDL and AMD of SuiteSparse).");
}

void cpu_adjoint_free(taut_adjoint* a) {
    (void)a;
}

const char* cpu_adjoint_note(taut_adjoint* a, taut_step_record* record) {
    (void)a, (void)record;
    return NULL;
}

bool cpu_adjoint_back(taut_adjoint* a, const taut_step_record* record, taut_adjoint_sums* sums) {
    (void)a, (void)record, (void)sums;
    return false;
}
