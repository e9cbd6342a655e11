/* Numbers of the condensed system, and its preconditioners. */
#define TAUT_REAL double
#include "kernels/stages/condensed.h"

#include "host/cpu/cpu_condensed.h"
#include "host/cpu/cpu_condensed_factors.h"
#include "host/cpu/cpu_multilevel.h"
#include "host/cpu/cpu_node_vector.h"
#include "model/solvers.h"

#include <string.h>

/* E of hard rows with exact factors, relative to J M^-1 J^T: what float64 leaves of the least masses of a chain whose
 * load is 1e4 times as heavy as its links. */
#define FACTORED_PROXIMAL 1e-9

static void mapped_blocks(const void* context, uint32_t part, size_t first, size_t last) {
    const taut_plan* plan = context;
    (void)part;
    for (size_t n = first; n < last; n++) {
        condense_mapped_block(&plan->fields, &plan->sizes, n);
    }
}

/* Of all nodes but mapped points. */
static void node_blocks(const void* context, uint32_t part, size_t first, size_t last) {
    const taut_plan* plan = context;
    const taut_sizes* s = &plan->sizes;
    const size_t mapped = s->points - s->simple;
    (void)part;
    for (size_t i = first; i < last; i++) {
        condense_node_block(&plan->fields, s, i < s->simple ? i : i + mapped);
    }
}

/* Blocks of mapped points, the deepest level first, then inverses of the unknowns' blocks; mapped points have none. */
static void refresh_blocks(const taut_plan* plan) {
    const taut_sizes* s = &plan->sizes;
    for (uint32_t level = s->active_levels; level-- > 0;) {
        cpu_for(plan, s->level_begin[level], s->level_begin[level + 1], CPU_PARALLEL_FROM, mapped_blocks, plan);
    }
    const size_t mapped = s->points - s->simple;
    cpu_for(plan, 0, s->nodes - mapped, CPU_PARALLEL_FROM, node_blocks, plan);
    memset(plan->fields.diagonal_block_inverse + 6 * s->simple, 0, 6 * mapped * sizeof(float));
}

static void weigh_range(const void* context, uint32_t part, size_t first, size_t last) {
    const cpu_loop* l = context;
    (void)part;
    for (size_t c = first; c < last; c++) {
        condense_weigh(&l->plan->fields, &l->plan->sizes, l->kind, l->rows, c, l->step);
    }
}

static void weigh_contacts(const void* context, uint32_t part, size_t first, size_t last) {
    const cpu_loop* l = context;
    (void)part;
    for (size_t c = first; c < last; c++) {
        condense_weigh_contact(&l->plan->fields, &l->plan->sizes, c, l->step);
    }
}

static void blocks_without_contacts(taut_backend_state* state) {
    const taut_plan* plan = state->plan;
    if (is_assembled(&plan->hierarchy, &plan->sizes)) {
        system_make_lasting(state);
        system_invert_blocks(plan);
    } else {
        refresh_blocks(plan);
    }
}

/* Rows of kinds before `end` from the diagonal of S in `wide`. */
static void weigh_rows(const taut_plan* plan, const taut_factors* step, int end) {
    for (int k = 0; k < end; k++) {
        const cpu_loop loop = {plan, step, k, taut_kind_shapes[k].rows};
        cpu_for(plan, 0, loop.rows > 0 ? plan->sizes.count[k] : 0, CPU_PARALLEL_FROM, weigh_range, &loop);
    }
}

/* But for what keeps a matrix regular. */
static taut_factors without_shift(const taut_factors* step) {
    taut_factors exact = *step;
    exact.condensed_proximal = exact.condensed_soft = FACTORED_PROXIMAL;
    return exact;
}

bool condense_has_shift(const taut_plan* plan) {
    bool shifted = false;
    for (size_t i = 0; i < plan->sizes.first_row[TAUT_CONTACT] && !shifted; i++) {
        shifted = plan->fields.condensed[i] == TAUT_CONDENSED_SHIFTED;
    }
    return shifted;
}

void condense_weigh_again(taut_backend_state* state, bool exactly) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    const taut_factors exact = without_shift(&state->assembled);
    if (!condense_has_shift(plan)) {
        return;
    }
    for (size_t i = 0; i < plan->sizes.first_row[TAUT_CONTACT]; i++) {
        f->wide[i] = f->condensed_norm[i] > 0 ? 1 / (double)f->condensed_norm[i] : 0;
    }
    weigh_rows(plan, exactly ? &exact : &state->assembled, TAUT_CONTACT);
    if (exactly) {
        condensed_factors_weigh_bounded(state->factors);
    }
    system_make_again(plan);
}

void condense_weights(taut_backend_state* state, const taut_factors* step) {
    const taut_plan* plan = state->plan;
    const taut_sizes* s = &plan->sizes;
    const bool factored = condensed_factors_of_mechanisms(state);
    const taut_factors exact = without_shift(step);
    weigh_rows(plan, factored ? &exact : step, TAUT_KIND_COUNT);
    if (factored) {
        condensed_factors_weigh_bounded(state->factors);
        condensed_factors_weigh_nodes(plan);
    } else if (s->touches) { /* their shift follows from all others */
        blocks_without_contacts(state);
    }
    const cpu_loop loop = {.plan = plan, .step = step};
    cpu_for(plan, 0, s->count[TAUT_CONTACT], CPU_PARALLEL_FROM, weigh_contacts, &loop);
    if (factored) {
        condensed_factors_weigh_contacts(state->factors);
    }
}

static bool is_multilevel(const taut_plan* plan) {
    return plan->settings.condensed_preconditioner == TAUT_PRECONDITIONER_MULTILEVEL;
}

void condense_refresh(taut_backend_state* state) {
    const taut_plan* plan = state->plan;
    if (is_multilevel(plan) && !state->matrix_stands) {
        system_make(state);
    }
    state->matrix_stands = false;
    state->refresh_due = true;
    state->levels_stand =
        state->levels_stand && taut_keeps_levels(&plan->settings, &plan->sizes, state->assembled.phase);
    if (!taut_refresh_waits(&plan->settings, &plan->sizes)) {
        condense_refresh_due(state);
    }
}

void condense_refresh_due(taut_backend_state* state) {
    const taut_plan* plan = state->plan;
    if (!state->refresh_due) {
        return;
    }
    state->refresh_due = false;
    if (is_assembled(&plan->hierarchy, &plan->sizes)) {
        system_invert_blocks(plan);
    } else {
        refresh_blocks(plan);
    }
    if (condensed_factors_active(state)) {
        state->factors->current = false;
    } else if (is_multilevel(plan)) {
        if (state->levels_stand) {
            multilevel_refresh_finest(plan);
        } else {
            multilevel_refresh(plan);
        }
        state->levels_stand = true;
    }
}

double condense_precondition(const taut_backend_state* state, const float* r, float* z) {
    const taut_plan* plan = state->plan;
    if (condensed_factors_active(state)) {
        return condensed_factors_precondition(state->factors, r, z);
    }
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
