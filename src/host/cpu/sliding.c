/* Contacts that bounce or slide otherwise than the start of a substep told: kernels/stages/contact/bouncing.h and
 * sliding.h. */
#define TAUT_REAL double
#include "kernels/stages/contact/bouncing.h"

#include "host/cpu/cpu_state.h"

#include <string.h>

typedef struct sliding_loop {
    const taut_plan* plan;
    const taut_factors* step;
    uint32_t round;
} sliding_loop;

static void look_chunks(const void* context, uint32_t part, size_t first, size_t last) {
    const sliding_loop* l = context;
    const taut_fields* f = &l->plan->fields;
    const taut_sizes* s = &l->plan->sizes;
    (void)part;
    CPU_SUM_CHUNKS(double, f, s->count[TAUT_CONTACT], own += slides_otherwise(f, s, i, l->step))
}

static void follow_chunks(const void* context, uint32_t part, size_t first, size_t last) {
    const sliding_loop* l = context;
    const taut_fields* f = &l->plan->fields;
    const taut_sizes* s = &l->plan->sizes;
    (void)part;
    CPU_SUM_CHUNKS(double, f, s->count[TAUT_CONTACT], own += follow_sliding(f, s, i, l->step, l->round))
}

static void bounce_chunks(const void* context, uint32_t part, size_t first, size_t last) {
    const sliding_loop* l = context;
    const taut_fields* f = &l->plan->fields;
    const taut_sizes* s = &l->plan->sizes;
    (void)part;
    CPU_SUM_CHUNKS(double, f, s->count[TAUT_CONTACT], own += note_bounce(f, s, i, l->step, l->round))
}

static bool any_contact(const sliding_loop* loop, cpu_range* chunks) {
    double count = 0;
    cpu_sum(loop->plan, loop->plan->sizes.count[TAUT_CONTACT], chunks, loop, 1, &count);
    return count > 0;
}

static void guess_motion(const taut_plan* plan) {
    for (size_t n = 0; n < plan->sizes.nodes; n++) {
        guess_from_solution(&plan->fields, &plan->sizes, n);
    }
}

bool cpu_follow_bounces(const taut_plan* plan, const taut_factors* step, uint32_t round) {
    const sliding_loop loop = {plan, step, round};
    const bool may = may_follow_sliding(&plan->sizes, step->regularised, step->phase) && !plan->settings.derived;
    const bool again = may && round < TAUT_BOUNCE_ROUNDS && any_contact(&loop, bounce_chunks);
    for (size_t c = 0; again && c < plan->sizes.count[TAUT_CONTACT]; c++) {
        follow_bounce(&plan->fields, &plan->sizes, c);
    }
    if (again) {
        guess_motion(plan);
    }
    return again;
}

bool cpu_slides_otherwise(const taut_plan* plan, const taut_factors* step) {
    const sliding_loop loop = {.plan = plan, .step = step};
    return may_follow_sliding(&plan->sizes, step->regularised, step->phase) && any_contact(&loop, look_chunks);
}

bool cpu_follow_sliding(const taut_plan* plan, const taut_factors* step, uint32_t round) {
    const sliding_loop loop = {plan, step, round};
    const bool may = may_follow_sliding(&plan->sizes, step->regularised, step->phase) && round < TAUT_SLIDING_ROUNDS;
    const bool again = may && (round > 0 || cpu_slides_otherwise(plan, step)) && any_contact(&loop, follow_chunks);
    if (again) {
        guess_motion(plan);
    }
    return again;
}
