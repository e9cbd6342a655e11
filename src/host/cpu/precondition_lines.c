/* The multilevel preconditioner of the Schur complement: lines, level by level. */
#define TAUT_REAL double
#include "kernels/stages/line_elimination.h"

#include "host/cpu/cpu_parallel.h"
#include "host/cpu/cpu_precondition_lines.h"

/* Levels with fewer groups stay on one thread. */
#define PARALLEL_FROM 2048
/* So that no thread waits long for another. */
#define LINES_OF_A_THREAD 16

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

/* Whole lines, in which groups are eliminated level by level: so that what one has read is there on the way back. */
static void line_range(const void* context, uint32_t part, size_t first, size_t last) {
    const lines_loop* l = context;
    const taut_fields* f = &l->plan->fields;
    (void)part;
    for (size_t line = first; line < last; line++) {
        const uint32_t low = f->line_begin[line], high = f->line_begin[line + 1];
        uint32_t step = 1;
        for (; step <= high - low; step *= 2) {
            for (uint32_t group = low + step - 1; group < high; group += 2 * step) {
                line_down(f, group, l->r, 0, 1);
            }
        }
        for (; step > 0; step /= 2) {
            for (uint32_t group = low + step - 1; group < high; group += 2 * step) {
                line_up(f, group, l->z, 0, 1);
            }
        }
    }
}

/* One level of all lines. */
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

/* Threads share lines where each has several of them, else the groups of a level; bits are the same. */
void lines_apply(const taut_plan* plan, const float* r, float* z) {
    const uint32_t* begin = plan->sizes.line_level_begin;
    const size_t lines = plan->sizes.lines;
    const lines_loop loop = {plan, r, z};
    if (plan->settings.threads <= 1 || lines >= LINES_OF_A_THREAD * plan->settings.threads) {
        cpu_for(plan, 0, lines, begin[plan->sizes.line_levels] < PARALLEL_FROM ? lines : 0, line_range, &loop);
        return;
    }
    for (uint32_t level = 0; level < plan->sizes.line_levels; level++) {
        cpu_for(plan, begin[level], begin[level + 1], PARALLEL_FROM, down_range, &loop);
    }
    for (uint32_t level = plan->sizes.line_levels; level-- > 0;) {
        cpu_for(plan, begin[level], begin[level + 1], PARALLEL_FROM, up_range, &loop);
    }
}
