/* Contacts that slide otherwise than the start of a substep told: kernels/stages/contact/sliding.h. */
#define TAUT_REAL double
#include "kernels/stages/contact/sliding.h"

#include "host/cpu/cpu_state.h"

#include <string.h>

typedef struct sliding_loop {
    const taut_plan* plan;
    const taut_factors* step;
    bool (*item)(const taut_fields* f, const taut_sizes* s, size_t c, const taut_factors* step);
} sliding_loop;

static void sliding_chunks(const void* context, uint32_t part, size_t first, size_t last) {
    const sliding_loop* l = context;
    const taut_fields* f = &l->plan->fields;
    const taut_sizes* s = &l->plan->sizes;
    (void)part;
    CPU_SUM_CHUNKS(double, f, s->count[TAUT_CONTACT], own += l->item(f, s, i, l->step))
}

static bool any_contact(const sliding_loop* loop) {
    double count = 0;
    cpu_sum(loop->plan, loop->plan->sizes.count[TAUT_CONTACT], sliding_chunks, loop, 1, &count);
    return count > 0;
}

bool cpu_follow_sliding(const taut_plan* plan, const taut_factors* step, uint32_t round) {
    const sliding_loop look = {plan, step, slides_otherwise}, follow = {plan, step, follow_sliding};
    if (!step->regularised || taut_projects(step->phase) || round >= TAUT_SLIDING_ROUNDS) {
        return false;
    }
    return (round > 0 || any_contact(&look)) && any_contact(&follow);
}
