#define TAUT_REAL double
#include "kernels/stages/gauss_seidel_refresh.h"

#include "host/cpu/cpu_gauss_seidel.h"
#include "host/cpu/cpu_state.h"

void gauss_seidel_refresh(const taut_plan* plan) {
    const taut_fields* f = &plan->fields;
    const taut_system* h = &plan->hierarchy.system;
    const size_t blocks = plan->sizes.blocks;
    cpu_system_paths(plan);
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (blocks > CPU_PARALLEL_FROM)
    for (size_t b = 0; b < blocks; b++) {
        double matrix[TAUT_MAX_ROWS * TAUT_MAX_ROWS], scale[TAUT_MAX_ROWS];
        sweep_refresh(f, &plan->sizes, h, b, 0, 1, matrix, scale);
    }
}
