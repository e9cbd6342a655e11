/* Contacts that bounce or slide otherwise than the start of a substep told: kernels/stages/contact/bouncing.h and
 * sliding.h. */
#define TAUT_REAL double
#include "kernels/stages/contact/bouncing.h"
#include "kernels/stages/contact/stalling.h"

#include "host/cpu/cpu_state.h"

#include <string.h>

typedef struct sliding_loop {
    const taut_plan* plan;
    const taut_factors* step;
    uint32_t round;
} sliding_loop;

/* Contacts that change, and of these those that no heap solved apart has. */
typedef struct sliding_counts {
    double all, others;
} sliding_counts;

static void look_chunks(const void* context, uint32_t part, size_t first, size_t last) {
    const sliding_loop* l = context;
    const taut_fields* f = &l->plan->fields;
    const taut_sizes* s = &l->plan->sizes;
    (void)part;
    CPU_SUM_CHUNKS(sliding_counts, f, s->count[TAUT_CONTACT], own.all += slides_otherwise(f, s, i, l->step))
}

static bool is_of_others(const taut_plan* plan, size_t c) {
    return !is_apart(&plan->fields, &plan->sizes, row_of_contact(&plan->sizes, c, 0));
}

static void follow_contact(const sliding_loop* l, size_t c, sliding_counts* sums) {
    const taut_fields* f = &l->plan->fields;
    const taut_sizes* s = &l->plan->sizes;
    const size_t row = row_of_contact(s, c, 0);
    const double before = f->b[row];
    const bool follows = follow_sliding(f, s, c, l->step, l->round);
    sums->all += follows;
    sums->others += (follows || f->b[row] != before) && is_of_others(l->plan, c);
}

static void follow_chunks(const void* context, uint32_t part, size_t first, size_t last) {
    const sliding_loop* l = context;
    const taut_fields* f = &l->plan->fields;
    (void)part;
    CPU_SUM_CHUNKS(sliding_counts, f, l->plan->sizes.count[TAUT_CONTACT], follow_contact(l, i, &own))
}

static void bounce_chunks(const void* context, uint32_t part, size_t first, size_t last) {
    const sliding_loop* l = context;
    const taut_fields* f = &l->plan->fields;
    const taut_sizes* s = &l->plan->sizes;
    (void)part;
    CPU_SUM_CHUNKS(sliding_counts, f, s->count[TAUT_CONTACT], own.all += note_bounce(f, s, i, l->step, l->round))
}

static sliding_counts count_contacts(const sliding_loop* loop, cpu_range* chunks) {
    sliding_counts counts = {0, 0};
    cpu_sum(loop->plan, loop->plan->sizes.count[TAUT_CONTACT], chunks, loop, sizeof counts / sizeof(double), &counts);
    return counts;
}

static void guess_motion(const taut_plan* plan) {
    for (size_t n = 0; n < plan->sizes.nodes; n++) {
        guess_from_solution(&plan->fields, &plan->sizes, n);
    }
}

/* What is to be solved again where b of so many contacts follows. */
static cpu_again again_of(const taut_plan* plan, sliding_counts counts) {
    if (counts.all > 0) {
        guess_motion(plan);
    }
    return !(counts.all > 0) ? CPU_SOLVED : counts.others > 0 ? CPU_ALL_AGAIN : CPU_HEAPS_AGAIN;
}

cpu_again cpu_follow_bounces(const taut_plan* plan, const taut_factors* step, uint32_t round) {
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    const sliding_loop loop = {plan, step, round};
    sliding_counts counts = {0, 0};
    if (may_follow_sliding(s, step->regularised, step->phase) && !plan->settings.derived &&
        round < TAUT_BOUNCE_ROUNDS) {
        counts = count_contacts(&loop, bounce_chunks);
    }
    for (size_t c = 0; counts.all > 0 && c < s->count[TAUT_CONTACT]; c++) {
        const size_t row = row_of_contact(s, c, 0);
        const double before = f->b[row];
        follow_bounce(f, s, c);
        counts.others += f->b[row] != before && is_of_others(plan, c);
    }
    return again_of(plan, counts);
}

bool cpu_slides_otherwise(const taut_plan* plan, const taut_factors* step) {
    const sliding_loop loop = {.plan = plan, .step = step};
    return may_follow_sliding(&plan->sizes, step->regularised, step->phase) &&
           count_contacts(&loop, look_chunks).all > 0;
}

bool cpu_any_slides_otherwise(const taut_plan* plan, const taut_factors* step, const uint32_t* contacts, size_t count) {
    bool any = false;
    for (size_t i = 0; may_follow_sliding(&plan->sizes, step->regularised, step->phase) && !any && i < count; i++) {
        any = slides_otherwise(&plan->fields, &plan->sizes, contacts[i], step);
    }
    return any;
}

bool cpu_motors_stall(const taut_plan* plan, const taut_factors* step) {
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    const bool may = s->eager > 0 && !plan->settings.derived && may_follow_sliding(s, step->regularised, step->phase);
    bool any = false;
    for (size_t c = 0; may && c < s->count[TAUT_CONTACT]; c++) {
        const pressed_contact at = look_at_contact(f, s, c, step);
        note_contact(f, s, &at, false, step);
    }
    for (size_t e = 0; may && e < s->eager; e++) {
        any = stall_motor(f, e, step) || any;
    }
    return any;
}

cpu_again cpu_follow_sliding(const taut_plan* plan, const taut_factors* step, uint32_t round) {
    const sliding_loop loop = {plan, step, round};
    const bool may = may_follow_sliding(&plan->sizes, step->regularised, step->phase) && round < TAUT_SLIDING_ROUNDS;
    const bool stalls = may && cpu_motors_stall(plan, step);
    sliding_counts counts = {0, 0};
    if (may && (round > 0 || cpu_slides_otherwise(plan, step))) {
        counts = count_contacts(&loop, follow_chunks);
    }
    counts.all += stalls;
    counts.others += stalls;
    return again_of(plan, counts);
}
