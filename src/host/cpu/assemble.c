/* Assemble on the CPU: the items of kernels/stages/assemble.h over constraints, nodes and unknowns. */
#define TAUT_REAL double
#include "kernels/stages/bias.h"
#include "kernels/stages/frames.h"

#include "host/cpu/cpu_apply.h"
#include "host/cpu/cpu_condensed.h"
#include "host/cpu/cpu_precondition.h"
#include "host/cpu/cpu_state.h"

#include <string.h>

#define COEFFICIENTS_AND_DIAGONAL(name, k)                                                                             \
    static void coefficients_all_##name(const taut_plan* plan, const taut_factors* step) {                             \
        const size_t count = plan->sizes.count[k];                                                                     \
        CPU_PARALLEL_OVER_COUNT                                                                                        \
        for (size_t c = 0; c < count; c++) {                                                                           \
            coefficients_##name(&plan->fields, &plan->sizes, c, step);                                                 \
        }                                                                                                              \
    }                                                                                                                  \
    static void weigh_inner_all_##name(const taut_plan* plan, float scale) {                                           \
        const size_t count = plan->sizes.count[k];                                                                     \
        CPU_PARALLEL_OVER_COUNT                                                                                        \
        for (size_t c = 0; c < count; c++) {                                                                           \
            weigh_inner_##name(&plan->fields, &plan->sizes, c, scale);                                                 \
        }                                                                                                              \
    }                                                                                                                  \
    static void diagonal_all_##name(const taut_plan* plan, const taut_factors* step) {                                 \
        const size_t count = plan->sizes.count[k];                                                                     \
        CPU_PARALLEL_OVER_COUNT                                                                                        \
        for (size_t c = 0; c < count; c++) {                                                                           \
            diagonal_##name(&plan->fields, &plan->sizes, c, step, plan->fields.wide);                                  \
        }                                                                                                              \
    }
#define BIAS(name, k)                                                                                                  \
    static void add_bias_all_##name(const taut_plan* plan, const taut_factors* step) {                                 \
        const size_t count = name##_ROWS > 0 ? plan->sizes.count[k] : 0;                                               \
        CPU_PARALLEL_OVER_COUNT                                                                                        \
        for (size_t c = 0; c < count; c++) {                                                                           \
            double bias[TAUT_BLOCK_ROWS] = {0};                                                                        \
            bias_##name(&plan->fields, &plan->sizes, c, bias);                                                         \
            add_bias(&plan->fields, &plan->sizes, k, name##_ROWS, c, step, bias);                                      \
        }                                                                                                              \
    }
TAUT_FORMULA_KINDS(BIAS)
BIAS(linear, TAUT_LINEAR)

TAUT_FORMULA_KINDS(COEFFICIENTS_AND_DIAGONAL)
COEFFICIENTS_AND_DIAGONAL(linear, TAUT_LINEAR)

/* What rows do by their law alone, where some are force fields or act with the force of the state. */
static void constitute_all(const taut_plan* plan, const taut_factors* step) {
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    cpu_apply_jacobian_f64(plan, TAUT_ROWS, f->v, 3, NULL, false, f->b);
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        const size_t rows = taut_kind_shapes[k].rows, count = rows > 0 ? s->count[k] : 0;
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (count > CPU_PARALLEL_FROM)
        for (size_t c = 0; c < count; c++) {
            constitute(f, s, (taut_kind)k, rows, c, step);
        }
    }
}

/* Masses as they stand in A. */
static void weigh_nodes(const taut_plan* plan, const taut_factors* step) {
    for (size_t n = 0; n < plan->sizes.simple; n++) {
        weigh_node(&plan->fields, n, step);
    }
}

static void free_motion_all(const taut_plan* plan, const taut_factors* step) {
    const size_t points = plan->sizes.simple, frames = plan->sizes.frames;
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (points > CPU_PARALLEL_FROM)
    for (size_t n = 0; n < points; n++) {
        if (step->phase == TAUT_PHASE_CONSTRAIN) {
            continue_node(&plan->fields, n);
        } else {
            free_motion(&plan->fields, &plan->sizes, n, step);
        }
    }
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (frames > CPU_PARALLEL_FROM)
    for (size_t i = 0; i < frames; i++) {
        prepare_frame(&plan->fields, &plan->sizes, i, step);
    }
    cpu_spread_f64(plan, plan->sizes.active_levels, plan->fields.free_dv, 4);
}

/* Forces on mapped points, the deepest level first; `loads`: those of the constraints, too. */
static void hold_all(const taut_plan* plan, const taut_factors* step, bool loads) {
    const taut_sizes* s = &plan->sizes;
    for (uint32_t i = 0; i < s->levels; i++) {
        const uint32_t level = hold_order(s, i);
        const size_t begin = s->level_begin[level], end = is_held(s, begin, step) ? s->level_begin[level + 1] : begin;
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (end - begin > CPU_PARALLEL_FROM)
        for (size_t n = begin; n < end; n++) {
            if (loads) {
                load_node(&plan->fields, s, n, step);
            } else {
                hold_node(&plan->fields, s, n, step);
            }
        }
    }
}

static void prepare_all_mapped(const taut_plan* plan) {
    const taut_sizes* s = &plan->sizes;
    for (uint32_t level = 0; level < s->active_levels; level++) {
        for (size_t n = s->level_begin[level]; n < s->level_begin[level + 1]; n++) {
            prepare_mapped(&plan->fields, s, n);
        }
    }
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

static void right_hand_side(const taut_plan* plan, const taut_factors* step) {
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    motions(plan, step);
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        const size_t rows = taut_kind_shapes[k].rows, count = rows > 0 ? s->count[k] : 0;
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (count > CPU_PARALLEL_FROM)
        for (size_t c = 0; c < count; c++) {
            constraint_side(f, s, (taut_kind)k, rows, c, step);
        }
    }
    for (int k = TAUT_FIRST_LOAD_KIND; is_load_kind(k); k++) {
        const size_t factor_rows = taut_kind_shapes[k].factor_rows, count = s->count[k];
        CPU_PARALLEL_OVER_COUNT
        for (size_t c = 0; c < count; c++) {
            tangent_side(f, s, k, factor_rows, c, step);
        }
    }
    if (step->bias) {
#define ADD_BIAS(name, k) add_bias_all_##name(plan, step);
        TAUT_FORMULA_KINDS(ADD_BIAS)
        ADD_BIAS(linear, TAUT_LINEAR)
    }
    cpu_apply_jacobian_f64(plan, TAUT_ALL, f->free_dv, 4, NULL, false, f->wide);
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (s->unknowns > CPU_PARALLEL_FROM)
    for (size_t i = 0; i < s->unknowns; i++) {
        complete_side(f, s, i, step);
    }
}

static void diagonals(const taut_plan* plan, const taut_factors* step) {
    const taut_sizes* s = &plan->sizes;
#define DIAGONAL(name, k) diagonal_all_##name(plan, step);
    TAUT_FORMULA_KINDS(DIAGONAL)
    DIAGONAL(linear, TAUT_LINEAR)
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (s->unknowns > CPU_PARALLEL_FROM)
    for (size_t i = 0; i < s->unknowns; i++) {
        invert_diagonal(&plan->fields, s, i, step);
    }
}

void cpu_weigh_inner(const taut_plan* plan, float scale) {
#define WEIGH_INNER(name, k) weigh_inner_all_##name(plan, scale);
    TAUT_FORMULA_KINDS(WEIGH_INNER)
    WEIGH_INNER(linear, TAUT_LINEAR)
}

void cpu_refresh(taut_backend_state* state) {
    if (state->plan->sizes.schur) {
        precondition_refresh(state);
    }
    if (state->plan->sizes.condensed) {
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

void cpu_assemble(taut_backend_state* state, double h, taut_phase phase) {
    const taut_plan* plan = state->plan;
    const taut_factors step = taut_phase_factors(&plan->settings, phase, h);
    const bool forces = step.explicit_rows || plan->sizes.forces;
    state->assembled = step;
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
#define COEFFICIENTS(name, k) coefficients_all_##name(plan, &step);
    TAUT_FORMULA_KINDS(COEFFICIENTS)
    COEFFICIENTS(linear, TAUT_LINEAR)
    free_motion_all(plan, &step);
    prepare_all_mapped(plan);
    if (plan->sizes.factor_rows > 0 && step.explicit_factor_rows) {
        explicit_factor_rows(plan, !taut_renews(step.phase));
    }
    if (forces && phase != TAUT_PHASE_CONSTRAIN) {
        explicit_rows(plan);
    }
    diagonals(plan, &step); /* they say how rows are damped, and stay in `wide` for the condensed system */
    cpu_weigh_inner(plan, 1);
    if (plan->sizes.condensed) {
        condense_weights(plan, &step);
    }
    right_hand_side(plan, &step);
    if (!taut_renews(step.phase)) {
        if (plan->settings.integrator.newton > 1) {
            cpu_newton_scale(state);
        }
        cpu_refresh(state);
    }
}
