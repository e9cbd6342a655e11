/* What things that may touch have in common of their motion (kernels/stages/contact/collide.h). */
#define TAUT_REAL double
#include "kernels/stages/contact/collide.h"

#include "host/cpu/cpu_state.h"

static void sum_chunks(const void* context, uint32_t part, size_t first, size_t last) {
    const taut_plan* plan = context;
    (void)part;
    CPU_SUM_CHUNKS(drift_sums, &plan->fields, plan->sizes.simple, drift_add(&plan->fields, i, &own))
}

static void beside_chunks(const void* context, uint32_t part, size_t first, size_t last) {
    const taut_plan* plan = context;
    (void)part;
    CPU_SUM_CHUNKS(drift_sums, &plan->fields, plan->sizes.simple, drift_beside(&plan->fields, i, &own))
}

void cpu_find_drift(const taut_plan* plan) {
    const size_t values = sizeof(drift_sums) / sizeof(double);
    double* drift = plan->fields.drift;
    drift_sums sums = {{0, 0, 0}, 0, 0, 0};
    cpu_sum(plan, plan->sizes.simple, sum_chunks, plan, values, &sums);
    for (int a = 0; a < 3; a++) {
        drift[a] = sums.count > 0 ? sums.sum[a] / sums.count : 0;
    }
    cpu_sum(plan, plan->sizes.simple, beside_chunks, plan, values, &sums);
    for (int a = 0; a < 3; a++) {
        drift[a] = 2 * sums.beside < sums.speeds ? drift[a] : 0;
    }
}
