/* Numbers of the condensed system, and its preconditioners. */
#define TAUT_REAL double
#include "kernels/stages/condensed.h"

#include "host/cpu/cpu_condensed.h"
#include "host/cpu/cpu_multilevel.h"
#include "host/cpu/cpu_node_vector.h"

#include <string.h>

/* Blocks of mapped points, the deepest level first, then inverses of the unknowns' blocks; mapped points have none. */
static void refresh_blocks(const taut_plan* plan) {
    const taut_sizes* s = &plan->sizes;
    const taut_fields* f = &plan->fields;
    for (uint32_t level = s->active_levels; level-- > 0;) {
        const size_t begin = s->level_begin[level], end = s->level_begin[level + 1];
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (end - begin > CPU_PARALLEL_FROM)
        for (size_t n = begin; n < end; n++) {
            condense_mapped_block(f, s, n);
        }
    }
    const size_t mapped = s->points - s->simple;
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (s->nodes > CPU_PARALLEL_FROM)
    for (size_t i = 0; i < s->nodes - mapped; i++) {
        condense_node_block(f, s, i < s->simple ? i : i + mapped);
    }
    memset(f->diagonal_block_inverse + 6 * s->simple, 0, 6 * mapped * sizeof(float));
}

void condense_weights(const taut_plan* plan, const taut_factors* step) {
    const taut_sizes* s = &plan->sizes;
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        const size_t rows = taut_kind_shapes[k].rows, count = rows > 0 ? s->count[k] : 0;
        CPU_PARALLEL_OVER_COUNT
        for (size_t c = 0; c < count; c++) {
            condense_weigh(&plan->fields, s, k, rows, c, step);
        }
    }
    const size_t count = s->count[TAUT_CONTACT];
    if (s->touches) { /* their shift follows from all others */
        refresh_blocks(plan);
    }
    CPU_PARALLEL_OVER_COUNT
    for (size_t c = 0; c < count; c++) {
        condense_weigh_contact(&plan->fields, s, c, step);
    }
}

void condense_refresh(taut_backend_state* state) {
    refresh_blocks(state->plan);
    if (state->plan->settings.condensed_preconditioner == TAUT_PRECONDITIONER_MULTILEVEL) {
        multilevel_refresh(state->plan);
    }
}

double condense_precondition(const taut_backend_state* state, const float* r, float* z) {
    const taut_plan* plan = state->plan;
    switch (plan->settings.condensed_preconditioner) {
    case TAUT_PRECONDITIONER_NONE:
        memcpy(z, r, 4 * plan->sizes.nodes * sizeof(float));
        break;
    case TAUT_PRECONDITIONER_MULTILEVEL:
        multilevel_apply(plan, r, z);
        break;
    default:
        return node_vector_divide(plan, r, z);
    }
    return node_vector_dot(plan, r, z);
}
