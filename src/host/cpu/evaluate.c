/* Evaluate on the CPU: the items of kernels/stages/evaluate.h over segments, whose sums are added in order. */
#define TAUT_REAL double
#include "kernels/stages/evaluate.h"
#include "kernels/stages/frames.h"

#include "host/cpu/cpu_apply.h"
#include "host/cpu/cpu_segments.h"
#include "host/cpu/cpu_state.h"

#include <math.h>
#include <string.h>

#define EVALUATE_ALL(name, k)                                                                                          \
    static void evaluate_segments_##name(const void* context, uint32_t part, size_t first, size_t last) {              \
        const taut_plan* plan = context;                                                                               \
        const taut_fields* f = &plan->fields;                                                                          \
        (void)part;                                                                                                    \
        for (size_t at = first; at < last; at++) {                                                                     \
            const cpu_segment segment = cpu_segment_at(plan, k, at);                                                   \
            taut_energies sums = {0};                                                                                  \
            taut_violation violation = {0, 0};                                                                         \
            for (size_t c = segment.first; c < segment.end; c++) {                                                     \
                evaluate_##name(f, &plan->sizes, c, &sums, &violation);                                                \
            }                                                                                                          \
            memcpy(f->partial + TAUT_PARTIALS * at, &sums, sizeof sums);                                               \
            memcpy(f->partial + TAUT_PARTIALS * at + TAUT_ENERGIES, &violation, sizeof violation);                     \
        }                                                                                                              \
    }                                                                                                                  \
    static void evaluate_all_##name(taut_backend_state* state) {                                                       \
        cpu_sum_segments(state->plan, k, CPU_PARALLEL_FROM / TAUT_CHUNK, evaluate_segments_##name, state->plan,        \
                         TAUT_ENERGIES, &state->energies, offsetof(taut_account, now));                                \
    }
TAUT_FORMULA_KINDS(EVALUATE_ALL)
EVALUATE_ALL(linear, TAUT_LINEAR)

static void note_violations(taut_backend_state* state, taut_kind k) {
    const taut_fields* f = &state->plan->fields;
    for (size_t i = 0; i < cpu_segment_count(state->plan, k); i++) {
        const double* violation = f->partial + TAUT_PARTIALS * i + TAUT_ENERGIES;
        const uint32_t component = cpu_segment_at(state->plan, k, i).component;
        state->report.max_violation[k] = fmax(state->report.max_violation[k], violation[0]);
        state->report.stretch = fmax(state->report.stretch, violation[1]);
        if (component != TAUT_NO_NODE) {
            f->account[component].stretch = fmax(f->account[component].stretch, violation[1]);
        }
    }
}

static void evaluate_mapped_range(const void* context, uint32_t part, size_t first, size_t last) {
    const taut_plan* plan = context;
    (void)part;
    for (size_t n = first; n < last; n++) {
        evaluate_mapped(&plan->fields, &plan->sizes, n);
    }
}

void cpu_evaluate_mapped(const taut_plan* plan) {
    const uint32_t* begin = plan->sizes.level_begin;
    for (uint32_t level = 0; level < plan->sizes.levels; level++) {
        cpu_for(plan, begin[level], begin[level + 1], CPU_PARALLEL_FROM, evaluate_mapped_range, plan);
    }
}

static void evaluate_frame_segments(const void* context, uint32_t part, size_t first, size_t last) {
    const taut_plan* plan = context;
    (void)part;
    CPU_SUM_SEGMENTS(taut_energies, plan, TAUT_SEGMENT_FRAMES, evaluate_frame(&plan->fields, &plan->sizes, i, &own))
}

static void evaluate_particle_segments(const void* context, uint32_t part, size_t first, size_t last) {
    const taut_plan* plan = context;
    (void)part;
    CPU_SUM_SEGMENTS(taut_energies, plan, TAUT_SEGMENT_POINTS, evaluate_particle(&plan->fields, &plan->sizes, i, &own))
}

/* Energies of nodes. */
static void evaluate_nodes(taut_backend_state* state) {
    const size_t now = offsetof(taut_account, now);
    cpu_sum_segments(state->plan, TAUT_SEGMENT_POINTS, 1, evaluate_particle_segments, state->plan, TAUT_ENERGIES,
                     &state->energies, now);
    cpu_sum_segments(state->plan, TAUT_SEGMENT_FRAMES, 1, evaluate_frame_segments, state->plan, TAUT_ENERGIES,
                     &state->energies, now);
}

static void clear_energies(taut_backend_state* state) {
    state->energies = (taut_energies){0};
    memset(state->report.max_violation, 0, sizeof state->report.max_violation);
    state->report.stretch = 0;
    for (size_t i = 0; i < state->plan->sizes.components; i++) {
        state->plan->fields.account[i].now = (taut_energies){0};
        state->plan->fields.account[i].stretch = 0;
    }
}

void cpu_evaluate(taut_backend_state* state) {
    clear_energies(state);
    cpu_evaluate_mapped(state->plan);
    if (state->plan->sizes.levels > 0) {
        cpu_spread_f64(state->plan, state->plan->sizes.levels, state->plan->fields.dv, 3);
    }
#define EVALUATE(name, k)                                                                                              \
    evaluate_all_##name(state);                                                                                        \
    note_violations(state, k);
    TAUT_FORMULA_KINDS(EVALUATE)
    EVALUATE(linear, TAUT_LINEAR)
    evaluate_nodes(state);
    state->report.kinetic = state->energies.kinetic;
    state->report.potential = taut_potential(&state->energies, state->plan->settings.gravity);
    state->report.elastic = taut_elastic(&state->energies);
    memcpy(state->report.momentum, state->energies.momentum, sizeof state->report.momentum);
    state->report.inverted = state->energies.inverted;
}

void cpu_begin_energies(taut_backend_state* state) {
    taut_account* account = state->plan->fields.account;
    state->before = state->energies;
    for (size_t i = 0; i < state->plan->sizes.components; i++) {
        account[i].before = account[i].now;
    }
}
