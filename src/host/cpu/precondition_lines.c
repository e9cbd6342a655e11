/* The multilevel preconditioner of the Schur complement: lines, level by level. */
#define TAUT_REAL double
#include "kernels/stages/line_elimination.h"

#include "host/cpu/cpu_parallel.h"
#include "host/cpu/cpu_precondition_lines.h"

/* Levels with fewer groups stay on one thread. */
#define PARALLEL_FROM 2048

typedef struct lines_loop {
    const taut_plan* plan;
    const float* r;
    float* z;
} lines_loop;

static void refresh_range(const void* context, uint32_t part, size_t first, size_t last) {
    const lines_loop* l = context;
    const taut_fields* f = &l->plan->fields;
    (void)part;
    for (size_t i = first; i < last; i++) {
        double scale[TAUT_LINE_GROUP];
        line_assemble(f, &l->plan->sizes, f->line_order[i], 0, 1);
        line_eliminate(f, f->line_order[i], 0, 1, scale);
    }
}

static void down_range(const void* context, uint32_t part, size_t first, size_t last) {
    const lines_loop* l = context;
    const taut_fields* f = &l->plan->fields;
    (void)part;
    for (size_t i = first; i < last; i++) {
        line_down(f, f->line_order[i], l->r, 0, 1);
    }
}

static void up_range(const void* context, uint32_t part, size_t first, size_t last) {
    const lines_loop* l = context;
    const taut_fields* f = &l->plan->fields;
    (void)part;
    for (size_t i = first; i < last; i++) {
        line_up(f, f->line_order[i], l->z, 0, 1);
    }
}

void lines_refresh(const taut_plan* plan) {
    const uint32_t* begin = plan->sizes.line_level_begin;
    const lines_loop loop = {.plan = plan};
    for (uint32_t level = 0; level < plan->sizes.line_levels; level++) {
        cpu_for(plan, begin[level], begin[level + 1], PARALLEL_FROM, refresh_range, &loop);
    }
}

void lines_apply(const taut_plan* plan, const float* r, float* z) {
    const uint32_t* begin = plan->sizes.line_level_begin;
    const lines_loop loop = {plan, r, z};
    for (uint32_t level = 0; level < plan->sizes.line_levels; level++) {
        cpu_for(plan, begin[level], begin[level + 1], PARALLEL_FROM, down_range, &loop);
    }
    for (uint32_t level = plan->sizes.line_levels; level-- > 0;) {
        cpu_for(plan, begin[level], begin[level + 1], PARALLEL_FROM, up_range, &loop);
    }
}
