#define TAUT_REAL double
#include "kernels/stages/system.h"

#include "host/cpu/cpu_state.h"

static void paths_range(const void* context, uint32_t part, size_t first, size_t last) {
    const taut_plan* plan = context;
    (void)part;
    for (size_t p = first; p < last; p++) {
        system_path(&plan->fields, &plan->hierarchy.system, p);
    }
}

void cpu_system_paths(const taut_plan* plan) {
    cpu_for(plan, 0, plan->hierarchy.system.s.paths, CPU_PARALLEL_FROM, paths_range, plan);
}
