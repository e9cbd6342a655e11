#define TAUT_REAL double
#include "kernels/stages/turning.h"

#include "host/cpu/cpu_state.h"

static void turning_range(const void* context, uint32_t part, size_t first, size_t last) {
    const cpu_loop* l = context;
    (void)part;
    for (size_t i = first; i < last; i++) {
        give_turn_back(&l->plan->fields, &l->plan->sizes, (uint32_t)i, l->step);
    }
}

void cpu_give_turns_back(const taut_plan* plan, const taut_factors* step, taut_move move) {
    const cpu_loop loop = {.plan = plan, .step = step};
    if (gives_turns_back(&plan->sizes, move, step)) {
        cpu_for(plan, 0, plan->sizes.turning_parts, 1, turning_range, &loop);
    }
}
