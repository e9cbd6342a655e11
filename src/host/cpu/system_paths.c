#define TAUT_REAL double
#include "kernels/stages/system.h"

#include "host/cpu/cpu_state.h"

void cpu_system_paths(const taut_plan* plan) {
    const taut_system* h = &plan->hierarchy.system;
    const size_t paths = h->s.paths;
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (paths > CPU_PARALLEL_FROM)
    for (size_t p = 0; p < paths; p++) {
        system_path(&plan->fields, h, p);
    }
}
