/* Assemble on the CPU: the items of kernels/stages/assemble.h over constraints, nodes and unknowns. */
#define TAUT_REAL double
#include "kernels/stages/bias.h"
#include "kernels/stages/contact/stalling.h"
#include "kernels/stages/frames.h"

#include "host/cpu/cpu_apply.h"
#include "host/cpu/cpu_condensed.h"
#include "host/cpu/cpu_multilevel.h"
#include "host/cpu/cpu_precondition.h"
#include "host/cpu/cpu_state.h"

#include <string.h>

typedef struct scaled_loop {
    const taut_plan* plan;
    float scale;
} scaled_loop;

#define COEFFICIENTS_AND_DIAGONAL(name, k)                                                                             \
    static void coefficients_range_##name(const void* context, uint32_t part, size_t first, size_t last) {             \
        const cpu_loop* l = context;                                                                                   \
        (void)part;                                                                                                    \
        for (size_t c = first; c < last; c++) {                                                                        \
            coefficients_##name(&l->plan->fields, &l->plan->sizes, c, l->step);                                        \
        }                                                                                                              \
    }                                                                                                                  \
    static void weigh_inner_range_##name(const void* context, uint32_t part, size_t first, size_t last) {              \
        const scaled_loop* l = context;                                                                                \
        (void)part;                                                                                                    \
        for (size_t c = first; c < last; c++) {                                                                        \
            weigh_inner_##name(&l->plan->fields, &l->plan->sizes, c, l->scale);                                        \
        }                                                                                                              \
    }                                                                                                                  \
    static void diagonal_range_##name(const void* context, uint32_t part, size_t first, size_t last) {                 \
        const cpu_loop* l = context;                                                                                   \
        (void)part;                                                                                                    \
        for (size_t c = first; c < last; c++) {                                                                        \
            diagonal_##name(&l->plan->fields, &l->plan->sizes, c, l->step, l->plan->fields.wide);                      \
        }                                                                                                              \
    }
#define BIAS(name, k)                                                                                                  \
    static void bias_range_##name(const void* context, uint32_t part, size_t first, size_t last) {                     \
        const cpu_loop* l = context;                                                                                   \
        (void)part;                                                                                                    \
        for (size_t c = first; c < last; c++) {                                                                        \
            double bias[TAUT_BLOCK_ROWS] = {0};                                                                        \
            bias_##name(&l->plan->fields, &l->plan->sizes, c, bias);                                                   \
            add_bias(&l->plan->fields, &l->plan->sizes, k, name##_ROWS, c, l->step, bias);                             \
        }                                                                                                              \
    }
TAUT_FORMULA_KINDS(BIAS)
BIAS(linear, TAUT_LINEAR)

TAUT_FORMULA_KINDS(COEFFICIENTS_AND_DIAGONAL)
COEFFICIENTS_AND_DIAGONAL(linear, TAUT_LINEAR)

static void constitute_range(const void* context, uint32_t part, size_t first, size_t last) {
    const cpu_loop* l = context;
    (void)part;
    for (size_t c = first; c < last; c++) {
        constitute(&l->plan->fields, &l->plan->sizes, (taut_kind)l->kind, l->rows, c, l->step);
    }
}

/* What rows do by their law alone, where some are force fields or act with the force of the state. */
static void constitute_all(const taut_plan* plan, const taut_factors* step) {
    cpu_apply_jacobian_f64(plan, TAUT_ROWS, plan->fields.v, 3, NULL, false, plan->fields.b);
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        const cpu_loop loop = {plan, step, k, taut_kind_shapes[k].rows};
        cpu_for(plan, 0, loop.rows > 0 ? plan->sizes.count[k] : 0, CPU_PARALLEL_FROM, constitute_range, &loop);
    }
}

/* Masses as they stand in A. */
static void weigh_nodes(const taut_plan* plan, const taut_factors* step) {
    for (size_t n = 0; n < plan->sizes.simple; n++) {
        weigh_node(&plan->fields, n, step);
    }
}

static void free_motion_range(const void* context, uint32_t part, size_t first, size_t last) {
    const cpu_loop* l = context;
    (void)part;
    for (size_t n = first; n < last; n++) {
        if (l->step->phase == TAUT_PHASE_CONSTRAIN) {
            continue_node(&l->plan->fields, n);
        } else {
            free_motion(&l->plan->fields, &l->plan->sizes, n, l->step);
        }
    }
}

static void frame_range(const void* context, uint32_t part, size_t first, size_t last) {
    const cpu_loop* l = context;
    (void)part;
    for (size_t i = first; i < last; i++) {
        prepare_frame(&l->plan->fields, &l->plan->sizes, i, l->step);
    }
}

static void free_motion_all(const taut_plan* plan, const taut_factors* step) {
    const cpu_loop loop = {.plan = plan, .step = step};
    cpu_for(plan, 0, plan->sizes.simple, CPU_PARALLEL_FROM, free_motion_range, &loop);
    cpu_for(plan, 0, plan->sizes.frames, CPU_PARALLEL_FROM, frame_range, &loop);
    cpu_spread_f64(plan, plan->sizes.active_levels, plan->fields.free_dv, 4);
}

static void load_range(const void* context, uint32_t part, size_t first, size_t last) {
    const cpu_loop* l = context;
    (void)part;
    for (size_t n = first; n < last; n++) {
        load_node(&l->plan->fields, &l->plan->sizes, n, l->step);
    }
}

static void hold_range(const void* context, uint32_t part, size_t first, size_t last) {
    const cpu_loop* l = context;
    (void)part;
    for (size_t n = first; n < last; n++) {
        hold_node(&l->plan->fields, &l->plan->sizes, n, l->step);
    }
}

/* Forces on mapped points, the deepest level first; `loads`: those of the constraints, too. */
static void hold_all(const taut_plan* plan, const taut_factors* step, bool loads) {
    const taut_sizes* s = &plan->sizes;
    const cpu_loop loop = {.plan = plan, .step = step};
    for (uint32_t i = 0; i < s->levels; i++) {
        const uint32_t level = hold_order(s, i);
        const size_t begin = s->level_begin[level], end = is_held(s, begin, step) ? s->level_begin[level + 1] : begin;
        cpu_for(plan, begin, end, CPU_PARALLEL_FROM, loads ? load_range : hold_range, &loop);
    }
}

static void prepare_all_mapped(taut_plan* plan) {
    taut_sizes* s = &plan->sizes;
    s->mapped_given = true;
    for (uint32_t level = 0; level < s->active_levels; level++) {
        for (size_t n = s->level_begin[level]; n < s->level_begin[level + 1]; n++) {
            prepare_mapped(&plan->fields, s, n);
            s->mapped_given = s->mapped_given && node_is_given(&plan->fields, s, n);
        }
    }
    s->carries = !s->mapped_given && is_changing(s);
}

/* u += P A^-1 P J^T of what rows do with the force of the state */
static void explicit_rows(const taut_plan* plan) {
    const taut_fields* f = &plan->fields;
    cpu_apply_jacobian_transpose_f64(plan, TAUT_ROWS, true, f->explicit_gam, f->g_f64);
    for (size_t i = 0; i < 4 * plan->sizes.nodes; i++) {
        f->free_dv[i] += f->g_f64[i];
    }
}

/* beta = 0: u -= P A^-1 P Lh^T Lh v, and no factor rows of the geometric stiffness in A. */
static void explicit_factor_rows(const taut_plan* plan, bool term) {
    const taut_fields* f = &plan->fields;
    if (term) { /* else the state is that at which forces are taken */
        cpu_apply_jacobian_f64(plan, TAUT_FACTOR_ROWS, f->v, 3, NULL, false, f->wide);
        cpu_apply_jacobian_transpose_f64(plan, TAUT_FACTOR_ROWS, true, f->wide, f->g_f64);
        for (size_t i = 0; i < 4 * plan->sizes.nodes; i++) {
            f->free_dv[i] -= f->g_f64[i];
        }
    }
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        const size_t values = plan->sizes.count[k] * taut_kind_shapes[k].stiffness;
        if (values > 0 && plan->sizes.has_factor_rows[k] && TAUT_FACTOR_PART(k) == TAUT_FACTOR_ROWS) {
            memset(f->kinds[k].stiffness, 0, values * sizeof(float));
        }
    }
}

/* J v and Lh v; about an iterate dv J v0, and J dv (in `wide`) and Lh dv; of force elements Lh v0, and Lh dv in `wide`.
 */
static void motions(const taut_plan* plan, const taut_factors* step) {
    const taut_fields* f = &plan->fields;
    if (!taut_renews(step->phase)) {
        cpu_apply_jacobian_f64(plan, TAUT_ALL, f->v, 3, NULL, false, f->b);
        return;
    }
    const int by_iterate = TAUT_FACTOR_ROWS | (step->phase == TAUT_PHASE_CONSTRAIN ? TAUT_MASSES : 0);
    cpu_spread_f64(plan, plan->sizes.active_levels, f->iterate, 3);
    cpu_apply_jacobian_f64(plan, TAUT_ALL & ~by_iterate, f->v0, 3, NULL, false, f->b);
    cpu_apply_jacobian_f64(plan, by_iterate, f->iterate, 3, NULL, false, f->b);
    cpu_apply_jacobian_f64(plan, TAUT_ROWS | TAUT_TANGENTS, f->iterate, 3, NULL, false, f->wide);
}

static void side_range(const void* context, uint32_t part, size_t first, size_t last) {
    const cpu_loop* l = context;
    (void)part;
    for (size_t c = first; c < last; c++) {
        constraint_side(&l->plan->fields, &l->plan->sizes, (taut_kind)l->kind, l->rows, c, l->step);
    }
}

static void tangent_range(const void* context, uint32_t part, size_t first, size_t last) {
    const cpu_loop* l = context;
    (void)part;
    for (size_t c = first; c < last; c++) {
        tangent_side(&l->plan->fields, &l->plan->sizes, l->kind, l->rows, c, l->step);
    }
}

static void complete_range(const void* context, uint32_t part, size_t first, size_t last) {
    const cpu_loop* l = context;
    (void)part;
    for (size_t i = first; i < last; i++) {
        complete_side(&l->plan->fields, &l->plan->sizes, i, l->step);
    }
}

static bool raise_to(uint32_t* value, uint32_t node, uint32_t to) {
    const bool raises = node != TAUT_NO_NODE && to > value[node];
    if (raises) {
        value[node] = to;
    }
    return raises;
}

static void link_range(const void* context, uint32_t part, size_t first, size_t last) {
    const cpu_loop* l = context;
    (void)part;
    for (size_t c = first; c < last; c++) {
        find_link(&l->plan->fields, &l->plan->sizes, c, l->step);
    }
}

/* Contacts with a link; those of a pair stand side by side and say the same, and one of them is enough. */
static void list_links(const taut_plan* plan) {
    const taut_fields* f = &plan->fields;
    uint32_t last[2] = {TAUT_NO_NODE, TAUT_NO_NODE}, count = 0;
    for (size_t c = 0; c < plan->sizes.count[TAUT_CONTACT]; c++) {
        const uint32_t* link = f->contact_link + 2 * c;
        const bool links = link[0] != TAUT_NO_NODE || link[1] != TAUT_NO_NODE;
        if (links && (link[0] != last[0] || link[1] != last[1])) {
            f->chain_contact[count++] = (uint32_t)c;
            last[0] = link[0];
            last[1] = link[1];
        }
    }
    *f->chain_contacts = count;
}

static bool follow_links(const taut_fields* f) {
    bool any = false;
    for (uint32_t i = 0; i < *f->chain_contacts; i++) {
        const uint32_t* link = f->contact_link + 2 * (size_t)f->chain_contact[i];
        any = raise_to(f->chain_below, link[1], one_further(f->chain_below, link[0])) || any;
        any = raise_to(f->chain_above, link[0], one_further(f->chain_above, link[1])) || any;
    }
    return any;
}

static bool spread_held(const taut_plan* plan) {
    const taut_fields* f = &plan->fields;
    bool any = false;
    for (size_t c = 0; c < plan->sizes.count[TAUT_CONTACT]; c++) {
        uint32_t node[2];
        if (find_held(f, &plan->sizes, c, node)) {
            any = raise_to(f->chain_held, node[0], 1) || any;
            any = raise_to(f->chain_held, node[1], 1) || any;
        }
    }
    return any;
}

/* kernels/stages/contact/chains.h */
static void find_chains(const taut_plan* plan, const taut_factors* step) {
    const taut_fields* f = &plan->fields;
    const cpu_loop loop = {.plan = plan, .step = step};
    cpu_for(plan, 0, plan->sizes.count[TAUT_CONTACT], CPU_PARALLEL_FROM, link_range, &loop);
    list_links(plan);
    memset(f->chain_below, 0, plan->sizes.nodes * sizeof *f->chain_below);
    memset(f->chain_above, 0, plan->sizes.nodes * sizeof *f->chain_above);
    while (follow_links(f)) {
    }
    for (size_t n = 0; *f->chain_contacts > 0 && n < plan->sizes.nodes; n++) {
        f->chain_held[n] = is_held_by_joints(f, n);
    }
    while (*f->chain_contacts > 0 && spread_held(plan)) {
    }
}

static void right_hand_side(const taut_plan* plan, const taut_factors* step) {
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    motions(plan, step);
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        const cpu_loop loop = {plan, step, k, taut_kind_shapes[k].rows};
        cpu_for(plan, 0, loop.rows > 0 ? s->count[k] : 0, CPU_PARALLEL_FROM, side_range, &loop);
    }
    for (int k = TAUT_FIRST_LOAD_KIND; is_load_kind(k); k++) {
        const cpu_loop loop = {plan, step, k, taut_kind_shapes[k].factor_rows};
        cpu_for(plan, 0, s->count[k], CPU_PARALLEL_FROM, tangent_range, &loop);
    }
    const cpu_loop all = {.plan = plan, .step = step};
    if (step->bias) {
#define ADD_BIAS(name, k)                                                                                              \
    cpu_for(plan, 0, name##_ROWS > 0 ? s->count[k] : 0, CPU_PARALLEL_FROM, bias_range_##name, &all);
        TAUT_FORMULA_KINDS(ADD_BIAS)
        ADD_BIAS(linear, TAUT_LINEAR)
    }
    cpu_apply_jacobian_f64(plan, TAUT_ALL, f->free_dv, 4, NULL, false, f->wide);
    cpu_for_unknowns(plan, false, complete_range, &all);
}

static void invert_range(const void* context, uint32_t part, size_t first, size_t last) {
    const cpu_loop* l = context;
    (void)part;
    for (size_t i = first; i < last; i++) {
        invert_diagonal(&l->plan->fields, &l->plan->sizes, i, l->step);
    }
}

static void diagonals(const taut_plan* plan, const taut_factors* step) {
    const taut_sizes* s = &plan->sizes;
    const cpu_loop loop = {.plan = plan, .step = step};
#define DIAGONAL(name, k) cpu_for(plan, 0, s->count[k], CPU_PARALLEL_FROM, diagonal_range_##name, &loop);
    TAUT_FORMULA_KINDS(DIAGONAL)
    DIAGONAL(linear, TAUT_LINEAR)
    cpu_for_unknowns(plan, false, invert_range, &loop);
}

void cpu_weigh_inner(const taut_plan* plan, float scale) {
    const scaled_loop loop = {plan, scale};
#define WEIGH_INNER(name, k) cpu_for(plan, 0, plan->sizes.count[k], CPU_PARALLEL_FROM, weigh_inner_range_##name, &loop);
    TAUT_FORMULA_KINDS(WEIGH_INNER)
    WEIGH_INNER(linear, TAUT_LINEAR)
}

void cpu_refresh(taut_backend_state* state) {
    if (state->solves_schur) {
        precondition_refresh(state);
    }
    if (state->solves_condensed) {
        condense_refresh(state);
    }
}

/* Impulses of force fields in the motion v* stay; what constraints do about it begins with what they did last. */
static void constrain_all(const taut_plan* plan, double h) {
    const taut_fields* f = &plan->fields;
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        const size_t rows = taut_kind_shapes[k].rows;
        for (size_t c = 0; rows > 0 && c < plan->sizes.count[k]; c++) {
            constrain_rows(f, &plan->sizes, (taut_kind)k, rows, c, h);
        }
    }
}

/* Largest forces of motors that stalled in the last substep. */
static void ease_motors(const taut_plan* plan, const taut_factors* step) {
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    for (size_t c = 0; c < s->count[TAUT_CONTACT]; c++) {
        const pressed_contact at = recall_contact(f, s, c, step);
        note_contact(f, s, &at, true, step);
    }
    for (size_t e = 0; e < s->eager; e++) {
        ease_motor(f, e, step);
    }
}

void cpu_assemble(taut_backend_state* state, double h, taut_phase phase) {
    const taut_plan* plan = state->plan;
    const taut_factors step = taut_phase_factors(&plan->settings, phase, h);
    const bool forces = step.explicit_rows || plan->sizes.forces;
    state->assembled = step;
    state->matrix_stands = false;
    cpu_evaluate_mapped(plan); /* fixed parents may have begun to move */
    if (plan->settings.weighed) {
        weigh_nodes(plan, &step);
    }
    if (forces) {
        constitute_all(plan, &step);
    }
    if (taut_renews(step.phase)) {
        cpu_spread_f64(plan, plan->sizes.active_levels, plan->fields.v0, 3);
        cpu_renew_jacobian_transpose(plan);
    }
    if (phase == TAUT_PHASE_CONSTRAIN) {
        constrain_all(plan, h);
    }
    hold_all(plan, &step, false);
    if (step.factor_scale[TAUT_LAW_CONSTRAINT] > 0) {
        hold_all(plan, &step, true);
    }
    const cpu_loop loop = {.plan = plan, .step = &step};
#define COEFFICIENTS(name, k)                                                                                          \
    cpu_for(plan, 0, plan->sizes.count[k], CPU_PARALLEL_FROM, coefficients_range_##name, &loop);
    TAUT_FORMULA_KINDS(COEFFICIENTS)
    COEFFICIENTS(linear, TAUT_LINEAR)
    free_motion_all(plan, &step);
    prepare_all_mapped(state->plan);
    if (plan->sizes.factor_rows > 0 && step.explicit_factor_rows) {
        explicit_factor_rows(plan, !taut_renews(step.phase));
    }
    if (forces && phase != TAUT_PHASE_CONSTRAIN) {
        explicit_rows(plan);
    }
    diagonals(plan, &step); /* they say how rows are damped, and stay in `wide` for the condensed system */
    cpu_weigh_inner(plan, 1);
    if (state->solves_condensed) {
        condense_weights(state, &step);
    }
    if (TAUT_HAS_CHAINS(&plan->sizes) && step.regularised && taut_begins(step.phase)) {
        find_chains(plan, &step);
    }
    if (eases_motors(&plan->sizes, plan->settings.derived, step.phase)) {
        ease_motors(plan, &step);
    }
    right_hand_side(plan, &step);
    if (taut_begins(step.phase)) {
        if (plan->settings.renews) {
            cpu_newton_scale(state);
        }
        cpu_refresh(state);
    } else if (is_assembled(&plan->hierarchy, &plan->sizes)) {
        system_make(state); /* products need that of this iterate; whether there is a solve is not known yet */
        state->matrix_stands = true;
    }
}
