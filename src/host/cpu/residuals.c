/* What a solve has left at the nodes, on the CPU. */
#define TAUT_REAL double
#include "kernels/stages/residuals.h"

#include "host/cpu/cpu_apply.h"
#include "host/cpu/cpu_state.h"

void cpu_note_residuals(const taut_backend_state* state) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    cpu_apply_jacobian_f64(plan, TAUT_ALL, f->g_f64, 4, f->gam, false, f->wide);
    for (size_t i = 0; i < s->unknowns; i++) {
        sweep_unknown(f, s, i, &state->assembled);
    }
    cpu_apply_jacobian_transpose_f64(plan, TAUT_ALL, true, f->swept, f->residual);
    for (size_t n = 0; n < s->nodes; n++) {
        leave_node(f, n);
    }
    cpu_spread_f64(plan, s->levels, f->residual, 4);
}
