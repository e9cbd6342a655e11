#define TAUT_REAL double
#include "kernels/stages/gauss_seidel_refresh.h"

#include "host/cpu/cpu_gauss_seidel.h"
#include "host/cpu/cpu_state.h"

static void refresh_range(const void* context, uint32_t part, size_t first, size_t last) {
    const taut_plan* plan = context;
    (void)part;
    for (size_t b = first; b < last; b++) {
        double matrix[TAUT_MAX_ROWS * TAUT_MAX_ROWS], scale[TAUT_MAX_ROWS];
        sweep_refresh(&plan->fields, &plan->sizes, &plan->hierarchy.system, b, 0, 1, matrix, scale);
    }
}

void gauss_seidel_refresh(const taut_plan* plan) {
    cpu_system_paths(plan);
    cpu_for(plan, 0, plan->sizes.blocks, CPU_PARALLEL_FROM, refresh_range, plan);
}
