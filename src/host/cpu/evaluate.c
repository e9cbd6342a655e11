/* Evaluate on the CPU: the items of kernels/stages/evaluate.h over chunks, whose sums are added in order. */
#define TAUT_REAL double
#include "kernels/stages/evaluate.h"
#include "kernels/stages/frames.h"

#include "host/cpu/cpu_apply.h"
#include "host/cpu/cpu_state.h"

#include <math.h>
#include <string.h>

/* Adds the chunks' sums in order. */
static void add_energies(const taut_plan* plan, size_t chunks, taut_energies* sums) {
    double* to = (double*)sums;
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        for (size_t i = 0; i < TAUT_ENERGIES; i++) {
            to[i] += plan->fields.partial[TAUT_PARTIALS * chunk + i];
        }
    }
}

#define EVALUATE_ALL(name, k)                                                                                          \
    static void evaluate_chunks_##name(const void* context, uint32_t part, size_t first, size_t last) {                \
        const taut_plan* plan = context;                                                                               \
        const taut_fields* f = &plan->fields;                                                                          \
        (void)part;                                                                                                    \
        for (size_t chunk = first; chunk < last; chunk++) {                                                            \
            taut_energies sums = {0};                                                                                  \
            taut_violation violation = {0, 0};                                                                         \
            for (size_t c = chunk * TAUT_CHUNK; c < cpu_chunk_end(chunk, plan->sizes.count[k]); c++) {                 \
                evaluate_##name(f, &plan->sizes, c, &sums, &violation);                                                \
            }                                                                                                          \
            memcpy(f->partial + TAUT_PARTIALS * chunk, &sums, sizeof sums);                                            \
            memcpy(f->partial + TAUT_PARTIALS * chunk + TAUT_ENERGIES, &violation, sizeof violation);                  \
        }                                                                                                              \
    }                                                                                                                  \
    static void evaluate_all_##name(const taut_backend_state* state) {                                                 \
        const taut_plan* plan = state->plan;                                                                           \
        const size_t chunks = cpu_chunk_count(plan->sizes.count[k]);                                                   \
        cpu_for(plan, 0, chunks, CPU_PARALLEL_FROM / TAUT_CHUNK, evaluate_chunks_##name, plan);                        \
    }
TAUT_FORMULA_KINDS(EVALUATE_ALL)
EVALUATE_ALL(linear, TAUT_LINEAR)

static void collect(taut_backend_state* state, taut_kind k) {
    const size_t chunks = cpu_chunk_count(state->plan->sizes.count[k]);
    add_energies(state->plan, chunks, &state->energies);
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        const double* violation = state->plan->fields.partial + TAUT_PARTIALS * chunk + TAUT_ENERGIES;
        state->report.max_violation[k] = fmax(state->report.max_violation[k], violation[0]);
        state->report.stretch = fmax(state->report.stretch, violation[1]);
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

static void evaluate_frame_chunks(const void* context, uint32_t part, size_t first, size_t last) {
    const taut_plan* plan = context;
    (void)part;
    CPU_SUM_CHUNKS(taut_energies, &plan->fields, plan->sizes.frames,
                   evaluate_frame(&plan->fields, &plan->sizes, i, &own))
}

static void evaluate_particle_chunks(const void* context, uint32_t part, size_t first, size_t last) {
    const taut_plan* plan = context;
    (void)part;
    CPU_SUM_CHUNKS(taut_energies, &plan->fields, plan->sizes.points,
                   evaluate_particle(&plan->fields, &plan->sizes, i, &own))
}

void cpu_evaluate(taut_backend_state* state) {
    state->energies = (taut_energies){0};
    memset(state->report.max_violation, 0, sizeof state->report.max_violation);
    state->report.stretch = 0;
    cpu_evaluate_mapped(state->plan);
    if (state->plan->sizes.levels > 0) {
        cpu_spread_f64(state->plan, state->plan->sizes.levels, state->plan->fields.dv, 3);
    }
#define EVALUATE(name, k)                                                                                              \
    evaluate_all_##name(state);                                                                                        \
    collect(state, k);
    TAUT_FORMULA_KINDS(EVALUATE)
    EVALUATE(linear, TAUT_LINEAR)
    const taut_sizes* s = &state->plan->sizes;
    cpu_sum(state->plan, s->points, evaluate_particle_chunks, state->plan, TAUT_ENERGIES, &state->energies);
    cpu_sum(state->plan, s->frames, evaluate_frame_chunks, state->plan, TAUT_ENERGIES, &state->energies);
    state->report.kinetic = state->energies.kinetic;
    state->report.potential = taut_potential(&state->energies, state->plan->settings.gravity);
    state->report.elastic = taut_elastic(&state->energies);
}
