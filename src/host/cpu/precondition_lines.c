/* The multilevel preconditioner of the Schur complement: lines, each from end to end. */
#define TAUT_REAL double
#include "kernels/stages/line_elimination.h"

#include "host/cpu/cpu_parallel.h"
#include "host/cpu/cpu_precondition_lines.h"

/* Fewer groups stay on one thread. */
#define PARALLEL_FROM 2048

typedef struct lines_loop {
    const taut_plan* plan;
    const float* r;
    float* z;
} lines_loop;

static void refresh_range(const void* context, uint32_t part, size_t first, size_t last) {
    const lines_loop* l = context;
    double coupling[TAUT_LINE_GROUP * TAUT_LINE_GROUP], scale[TAUT_LINE_GROUP];
    (void)part;
    for (size_t line = first; line < last; line++) {
        line_sweep_refresh(&l->plan->fields, &l->plan->sizes, (uint32_t)line, coupling, scale);
    }
}

static void apply_range(const void* context, uint32_t part, size_t first, size_t last) {
    const lines_loop* l = context;
    (void)part;
    for (size_t line = first; line < last; line++) {
        line_sweep(&l->plan->fields, (uint32_t)line, l->r, l->z);
    }
}

static void over_lines(const lines_loop* loop, cpu_range* range) {
    const taut_sizes* s = &loop->plan->sizes;
    cpu_for(loop->plan, 0, s->lines, s->blocks < PARALLEL_FROM ? s->lines : 0, range, loop);
}

void lines_refresh(const taut_plan* plan) {
    const lines_loop loop = {.plan = plan};
    over_lines(&loop, refresh_range);
}

void lines_apply(const taut_plan* plan, const float* r, float* z) {
    const lines_loop loop = {plan, r, z};
    over_lines(&loop, apply_range);
}
