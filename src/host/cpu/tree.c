#define TAUT_REAL double
#include "host/cpu/cpu_tree.h"

#include "host/cpu/cpu_parallel.h"
#include "kernels/stages/contact/tree.h"

#include <string.h>

/* By the upper halves, stably: qsort may allocate memory, which no step does. The result lies in `to`. */
static void sort_keys(uint64_t* keys, uint64_t* to, size_t count) {
    for (unsigned shift = 32; shift < 32 + TAUT_MORTON_BITS; shift += 10) {
        size_t begin[1025] = {0};
        for (size_t i = 0; i < count; i++) {
            begin[(keys[i] >> shift & 1023u) + 1]++;
        }
        for (size_t d = 0; d < 1024; d++) {
            begin[d + 1] += begin[d];
        }
        for (size_t i = 0; i < count; i++) {
            to[begin[keys[i] >> shift & 1023u]++] = keys[i];
        }
        uint64_t* swap = keys;
        keys = to;
        to = swap;
    }
}

typedef struct tree_loop {
    const taut_plan* plan;
    const taut_factors* step;
    cpu_box_of* box_at;
    uint32_t items, leaves;
    uint64_t *keys, *sorted;
    uint32_t* order;
    float* boxes;
} tree_loop;

/* Boxes of items stand where those of nodes above leaves will be. */
static void key_range(const void* context, uint32_t part, size_t first, size_t last) {
    const tree_loop* l = context;
    const taut_sizes* s = &l->plan->sizes;
    (void)part;
    for (size_t i = first; i < last; i++) {
        float* box = l->boxes + 6 * i;
        l->box_at(&l->plan->fields, s, i, l->step, box);
        l->keys[i] = (uint64_t)morton_code(box, s->cell) << 32 | i;
    }
}

static void leaf_range(const void* context, uint32_t part, size_t first, size_t last) {
    const tree_loop* l = context;
    (void)part;
    for (size_t i = first; i < last; i++) {
        float* box = l->boxes + 6 * (l->leaves + i);
        if (i < l->items) {
            l->order[i] = (uint32_t)l->sorted[i];
            memcpy(box, l->boxes + 6 * (size_t)l->order[i], 6 * sizeof *box);
        } else {
            box_clear(box);
        }
    }
}

static void refit_range(const void* context, uint32_t part, size_t first, size_t last) {
    const tree_loop* l = context;
    (void)part;
    for (size_t i = first; i < last; i++) {
        l->box_at(&l->plan->fields, &l->plan->sizes, l->order[i], l->step, l->boxes + 6 * (l->leaves + i));
    }
}

void cpu_join_tree(uint32_t leaves, float* boxes) {
    for (size_t i = leaves; i-- > 1;) {
        box_join(boxes + 12 * i, boxes + 12 * i + 6, boxes + 6 * i);
    }
}

void cpu_build_tree(const taut_plan* plan, uint32_t items, uint32_t leaves, cpu_box_of* box_at, uint32_t* order,
                    float* boxes, const taut_factors* step) {
    uint64_t *keys = plan->fields.tree_key, *sorted = keys + items;
    const tree_loop loop = {plan, step, box_at, items, leaves, keys, sorted, order, boxes};
    const size_t alone = items > CPU_TREE_PARALLEL_FROM ? 0 : SIZE_MAX;
    cpu_for(plan, 0, items, alone, key_range, &loop);
    sort_keys(keys, sorted, items); /* three passes: they end in the second half */
    cpu_for(plan, 0, leaves, alone, leaf_range, &loop);
    cpu_join_tree(leaves, boxes);
}

void cpu_refit_tree(const taut_plan* plan, uint32_t items, uint32_t leaves, cpu_box_of* box_at, uint32_t* order,
                    float* boxes, const taut_factors* step) {
    const tree_loop loop = {plan, step, box_at, items, leaves, NULL, NULL, order, boxes};
    cpu_for(plan, 0, items, items > CPU_TREE_PARALLEL_FROM ? 0 : SIZE_MAX, refit_range, &loop);
    cpu_join_tree(leaves, boxes);
}
