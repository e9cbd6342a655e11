/* Tangles on the CPU (kernels/stages/contact/tangles.h). */
#define TAUT_REAL double
#include "kernels/stages/contact/tangles.h"

#include "host/cpu/cpu_cuts.h"
#include "host/cpu/cpu_state.h"

#include <string.h>

static void count_range(const void* context, uint32_t part, size_t first, size_t last) {
    const taut_plan* plan = context;
    (void)part;
    for (size_t i = first; i < last; i++) {
        cpu_cuts_of_edges(plan, i, false, plan->fields.crossing_other); /* as tangled_cuts */
    }
}

void cpu_leave_tangles(const taut_plan* plan) {
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    for (size_t i = 0; i < (size_t)s->touching + s->edges; i++) {
        if (f->crossing_other[i] != TAUT_NO_NODE && leaves_tangles(f, s, i)) {
            f->crossing_other[i] = TAUT_NO_NODE;
        }
    }
    for (size_t i = 0; i < s->touching; i++) {
        leave_tangle_of(f, i);
    }
    keep_drawn(f, s);
}

uint32_t cpu_find_tangles(const taut_plan* plan) {
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    cpu_for_uneven(plan, cpu_cut_groups(plan), 0, count_range, plan);
    const uint32_t cuts = list_cuts(f, s);
    memset(f->tangle, 0, s->touching);
    memset(f->drawn_by, 0xff, ((size_t)s->touching + s->edges) * sizeof(uint32_t));
    memset(f->flooded, 0, s->touching * sizeof(uint32_t));
    return find_tangles(f, s, cuts);
}
