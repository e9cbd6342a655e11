/* The multilevel preconditioner of the Schur complement: lines, level by level. */
#define TAUT_REAL double
#include "kernels/stages/line_elimination.h"

#include "host/cpu/cpu_precondition_lines.h"

/* Levels with fewer groups stay on one thread. */
#define PARALLEL_FROM 2048

void lines_refresh(const taut_plan* plan) {
    const taut_fields* f = &plan->fields;
    const uint32_t* begin = plan->sizes.line_level_begin;
    for (uint32_t level = 0; level < plan->sizes.line_levels; level++) {
        const uint32_t first = begin[level], end = begin[level + 1];
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (end - first > PARALLEL_FROM)
        for (uint32_t i = first; i < end; i++) {
            double scale[TAUT_LINE_GROUP];
            line_assemble(f, &plan->sizes, f->line_order[i], 0, 1);
            line_eliminate(f, f->line_order[i], 0, 1, scale);
        }
    }
}

void lines_apply(const taut_plan* plan, const float* r, float* z) {
    const taut_fields* f = &plan->fields;
    const uint32_t* begin = plan->sizes.line_level_begin;
    for (uint32_t level = 0; level < plan->sizes.line_levels; level++) {
        const uint32_t first = begin[level], end = begin[level + 1];
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (end - first > PARALLEL_FROM)
        for (uint32_t i = first; i < end; i++) {
            line_down(f, f->line_order[i], r, 0, 1);
        }
    }
    for (uint32_t level = plan->sizes.line_levels; level-- > 0;) {
        const uint32_t first = begin[level], end = begin[level + 1];
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (end - first > PARALLEL_FROM)
        for (uint32_t i = first; i < end; i++) {
            line_up(f, f->line_order[i], z, 0, 1);
        }
    }
}
