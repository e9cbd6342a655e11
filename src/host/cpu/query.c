/* Queries on the CPU: kernels/stages/contact/query.h over the queries of a batch. */
#define TAUT_REAL double
#include "kernels/stages/contact/query.h"

#include "host/cpu/cpu_state.h"
#include "host/cpu/cpu_tree.h"

typedef struct query_loop {
    const taut_plan* plan;
    const taut_query_batch* batch;
} query_loop;

static void query_range(const void* context, uint32_t part, size_t first, size_t last) {
    const query_loop* l = context;
    (void)part;
    for (size_t i = first; i < last; i++) {
        query_answer(&l->plan->fields, &l->plan->sizes, l->batch, i);
    }
}

taut_status cpu_query(taut_backend_state* state, const taut_query_batch* batch) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    const query_loop loop = {plan, batch};
    if (!batch->fresh && s->face_leaves > 0) {
        cpu_refit_deforming(plan);
        cpu_build_tree(plan, s->colliders + s->faces, s->face_leaves, box_of_face_query, f->face_order, f->face_box,
                       NULL);
    }
    if (!batch->fresh && s->bare > 0) {
        cpu_build_tree(plan, s->bare, s->loose_leaves, box_of_loose_query, f->loose_order, f->loose_box, NULL);
    }
    cpu_for_uneven(plan, batch->count, 0, query_range, &loop);
    return TAUT_OK;
}
