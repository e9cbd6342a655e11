/* Edges that go through triangles (kernels/stages/contact/cuts.h), by walks of several edges together. */
#define TAUT_REAL double
#include "kernels/stages/contact/tangles.h"

#include "host/cpu/cpu_cuts.h"
#include "host/cpu/cpu_walks.h"

/* Those of edges that share a walk. */
static void cuts_together(const taut_plan* plan, const uint32_t* edges, size_t count, uint32_t* cuts) {
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    const taut_tree tree = face_tree(f, s);
    float box[WALK_TOGETHER][6], all[6];
    uint32_t near[WALK_MOST + 1];
    met_boxes met;
    box_clear(all);
    for (size_t i = 0; i < count; i++) {
        box_of_edge_now(f, f->edge_corner + 4 * (size_t)edges[i], box[i]);
        box_join(all, box[i], all);
    }
    const bool few = walk_together(&tree, all, NULL, &met);
    for (size_t i = 0; i < count; i++) {
        const uint32_t found = few ? walk_choose(box[i], &met, near) : 0;
        cuts[i] = few ? 0 : cuts_of_edge(f, s, edges[i]);
        for (uint32_t k = 0; k < found; k++) {
            cuts[i] += edge_cuts_item(f, s, f->edge_corner + 4 * (size_t)edges[i], near[k]);
        }
    }
}

uint32_t cpu_cuts_of_edges(const taut_plan* plan, size_t group, bool all, uint32_t* counts) {
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    uint32_t edges[WALK_TOGETHER] = {0}, cuts[WALK_TOGETHER] = {0}, sum = 0;
    size_t count = 0;
    for (size_t i = WALK_TOGETHER * group; i < s->edges && i < WALK_TOGETHER * (group + 1); i++) {
        const uint32_t edge = f->edge_order[i];
        if (all || may_be_tangled(f, s, edge)) {
            edges[count++] = edge;
        } else if (counts != NULL) {
            counts[edge] = 0;
        }
    }
    cuts_together(plan, edges, count, cuts);
    for (size_t i = 0; i < count; i++) {
        sum += cuts[i];
        if (counts != NULL) {
            counts[edges[i]] = cuts[i];
        }
    }
    return sum;
}

size_t cpu_cut_groups(const taut_plan* plan) {
    return (plan->sizes.edges + WALK_TOGETHER - 1) / WALK_TOGETHER;
}
