/* Assemble on the CPU: the items of kernels/stages/assemble.h over constraints, nodes and unknowns. */
#define TAUT_REAL double
#include "kernels/stages/frames.h"

#include "host/cpu/apply.h"
#include "host/cpu/condensed.h"
#include "host/cpu/precondition.h"
#include "host/cpu/state.h"

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
    static void diagonal_all_##name(const taut_plan* plan) {                                                           \
        const size_t count = plan->sizes.count[k];                                                                     \
        CPU_PARALLEL_OVER_COUNT                                                                                        \
        for (size_t c = 0; c < count; c++) {                                                                           \
            diagonal_##name(&plan->fields, &plan->sizes, c, plan->fields.wide);                                        \
        }                                                                                                              \
    }
TAUT_FORMULA_KINDS(COEFFICIENTS_AND_DIAGONAL)
COEFFICIENTS_AND_DIAGONAL(linear, TAUT_LINEAR)

static void free_motion_all(const taut_plan* plan, const taut_factors* step) {
    const size_t points = plan->sizes.simple, frames = plan->sizes.frames;
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (points > CPU_PARALLEL_FROM)
    for (size_t n = 0; n < points; n++) {
        free_motion(&plan->fields, &plan->sizes, n, step);
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
                hold_node(&plan->fields, n, step);
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

/* beta = 0: u -= P M^-1 P Lh^T Lh v, and no root rows in A. */
static void explicit_roots(const taut_plan* plan) {
    const taut_fields* f = &plan->fields;
    cpu_forward_f64(plan, TAUT_ROOTS, f->v, 3, NULL, false, f->wide);
    cpu_pull_f64(plan, TAUT_ROOTS, true, f->wide, f->g_f64);
    for (size_t i = 0; i < 4 * plan->sizes.nodes; i++) {
        f->free_dv[i] -= f->g_f64[i];
    }
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        const size_t values = plan->sizes.count[k] * taut_kind_shapes[k].stiffness;
        if (values > 0 && plan->sizes.has_roots[k]) {
            memset(f->kinds[k].stiffness, 0, values * sizeof(float));
        }
    }
}

static void right_hand_side(const taut_plan* plan, const taut_factors* step) {
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    memset(f->b, 0, s->unknowns * sizeof(double)); /* masses on mapped points have no part of it */
    cpu_forward_f64(plan, TAUT_ROWS | TAUT_ROOTS, f->v, 3, NULL, false, f->b);
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        const size_t rows = taut_kind_shapes[k].rows, count = rows > 0 ? s->count[k] : 0;
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (count > CPU_PARALLEL_FROM)
        for (size_t c = 0; c < count; c++) {
            constraint_side(f, s, (taut_kind)k, rows, c, step);
        }
    }
    cpu_forward_f64(plan, TAUT_ALL, f->free_dv, 4, NULL, false, f->wide);
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (s->unknowns > CPU_PARALLEL_FROM)
    for (size_t i = 0; i < s->unknowns; i++) {
        complete_side(f, s, i, step);
    }
}

static void diagonals(const taut_plan* plan, const taut_factors* step) {
    const taut_sizes* s = &plan->sizes;
#define DIAGONAL(name, k) diagonal_all_##name(plan);
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

void cpu_assemble(taut_backend_state* state, double h) {
    const taut_plan* plan = state->plan;
    const taut_factors step = taut_step_factors(&plan->settings, h);
    cpu_evaluate_mapped(plan); /* fixed parents may have begun to move */
    hold_all(plan, &step, false);
    if (step.root_scale > 0) {
        hold_all(plan, &step, true);
    }
#define COEFFICIENTS(name, k) coefficients_all_##name(plan, &step);
    TAUT_FORMULA_KINDS(COEFFICIENTS)
    COEFFICIENTS(linear, TAUT_LINEAR)
    free_motion_all(plan, &step);
    prepare_all_mapped(plan);
    if (plan->sizes.roots > 0 && step.beta == 0) {
        explicit_roots(plan);
    }
    right_hand_side(plan, &step);
    diagonals(plan, &step);
    cpu_weigh_inner(plan, 1);
    if (plan->sizes.schur) {
        precondition_refresh(state);
    }
    if (plan->sizes.condensed) {
        condense_weights(plan, &step);
        condense_refresh(state);
    }
}
