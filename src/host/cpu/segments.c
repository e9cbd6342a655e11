#define TAUT_REAL double
#include "host/cpu/cpu_segments.h"

#include "kernels/stages/contact/collide.h"

static bool in_chunks(int set) {
    return set == (int)TAUT_CONTACT || set == (int)TAUT_ROLLING;
}

static size_t given_items(const taut_sizes* s, int set) {
    return set == TAUT_SEGMENT_POINTS ? s->points : set == TAUT_SEGMENT_FRAMES ? s->frames : taut_given_count(s, set);
}

static size_t given_segments(const taut_plan* plan, int set) {
    return plan->segment_begin[set + 1] - plan->segment_begin[set];
}

size_t cpu_segment_count(const taut_plan* plan, int set) {
    const taut_sizes* s = &plan->sizes;
    if (in_chunks(set)) {
        return cpu_chunk_count(s->count[set]);
    }
    return given_segments(plan, set) + (set < TAUT_KIND_COUNT ? s->reserved[set] : 0);
}

/* What is fixed belongs to nothing. */
static uint32_t component_of_node(const taut_plan* plan, size_t n) {
    const taut_sizes* s = &plan->sizes;
    const bool mapped = taut_is_mapped(s, n);
    return mapped || plan->fields.inverse_mass[n] > 0 ? plan->fields.node_component[n] : TAUT_NO_NODE;
}

uint32_t cpu_component_of(const taut_plan* plan, int k, size_t c) {
    const taut_fields* f = &plan->fields;
    uint32_t component = TAUT_NO_NODE;
    if (k == (int)TAUT_LINEAR) {
        for (uint32_t e = f->linear_begin[c]; component == TAUT_NO_NODE && e < f->linear_begin[c + 1]; e++) {
            component = component_of_node(plan, f->linear_coordinate[e] / 3);
        }
        return component;
    }
    const size_t nodes = taut_kind_shapes[k].nodes;
    const bool touching = in_chunks(k);
    for (size_t slot = 0; component == TAUT_NO_NODE && slot < nodes; slot++) {
        if (!touching || touching_acts(f, (taut_kind)k, c, slot)) {
            component = component_of_node(plan, f->kinds[k].nodes[nodes * c + slot]);
        }
    }
    return component;
}

cpu_segment cpu_segment_at(const taut_plan* plan, int set, size_t i) {
    const taut_fields* f = &plan->fields;
    if (in_chunks(set)) {
        const cpu_segment chunk = {i * TAUT_CHUNK, cpu_chunk_end(i, plan->sizes.count[set]), TAUT_NO_NODE};
        return chunk;
    }
    const size_t items = given_items(&plan->sizes, set), given = given_segments(plan, set);
    if (i >= given) {
        const size_t c = items + i - given;
        const bool there = !is_absent(&f->kinds[set], c);
        return (cpu_segment){c, c + 1, there ? cpu_component_of(plan, set, c) : TAUT_NO_NODE};
    }
    const size_t at = plan->segment_begin[set] + i;
    return (cpu_segment){f->segment_first[at], i + 1 < given ? f->segment_first[at + 1] : items,
                         f->segment_component[at]};
}

void cpu_sum_segments(const taut_plan* plan, int set, size_t alone, cpu_range* range, const void* context,
                      size_t values, void* sums, size_t offset) {
    const taut_fields* f = &plan->fields;
    const size_t segments = cpu_segment_count(plan, set);
    cpu_for(plan, 0, segments, alone, range, context);
    for (size_t i = 0; i < segments; i++) {
        const double* own = f->partial + TAUT_PARTIALS * i;
        const uint32_t component = cpu_segment_at(plan, set, i).component;
        cpu_add_doubles(own, values, sums);
        if (component != TAUT_NO_NODE) {
            cpu_add_doubles(own, values, (char*)(f->account + component) + offset);
        }
    }
}
