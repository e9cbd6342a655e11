/* Evaluate on the CPU: the items of kernels/stages/evaluate.h over chunks, whose sums are added in order. */
#define TAUT_REAL double
#include "kernels/stages/evaluate.h"
#include "kernels/stages/frames.h"

#include "host/cpu/cpu_apply.h"
#include "host/cpu/cpu_state.h"

#include <string.h>

static size_t chunk_count(size_t n) {
    return (n + TAUT_CHUNK - 1) / TAUT_CHUNK;
}

static size_t chunk_end(size_t chunk, size_t n) {
    return n < (chunk + 1) * TAUT_CHUNK ? n : (chunk + 1) * TAUT_CHUNK;
}

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
    static void evaluate_all_##name(const taut_backend_state* state) {                                                 \
        const taut_plan* plan = state->plan;                                                                           \
        const taut_fields* f = &plan->fields;                                                                          \
        const size_t count = plan->sizes.count[k], chunks = chunk_count(count);                                        \
        CPU_PARALLEL_OVER_COUNT                                                                                        \
        for (size_t chunk = 0; chunk < chunks; chunk++) {                                                              \
            taut_energies sums = {0};                                                                                  \
            double violation = 0;                                                                                      \
            for (size_t c = chunk * TAUT_CHUNK; c < chunk_end(chunk, count); c++) {                                    \
                evaluate_##name(f, &plan->sizes, c, &sums, &violation);                                                \
            }                                                                                                          \
            memcpy(f->partial + TAUT_PARTIALS * chunk, &sums, sizeof sums);                                            \
            f->partial[TAUT_PARTIALS * chunk + TAUT_ENERGIES] = violation;                                             \
        }                                                                                                              \
    }
TAUT_FORMULA_KINDS(EVALUATE_ALL)
EVALUATE_ALL(linear, TAUT_LINEAR)

static void collect(taut_backend_state* state, taut_kind k) {
    const size_t chunks = chunk_count(state->plan->sizes.count[k]);
    add_energies(state->plan, chunks, &state->energies);
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        const double violation = state->plan->fields.partial[TAUT_PARTIALS * chunk + TAUT_ENERGIES];
        if (violation > state->report.max_violation[k]) {
            state->report.max_violation[k] = violation;
        }
    }
}

void cpu_evaluate_mapped(const taut_plan* plan) {
    const taut_sizes* s = &plan->sizes;
    for (uint32_t level = 0; level < s->levels; level++) {
        const size_t count = s->level_begin[level + 1] - s->level_begin[level];
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (count > CPU_PARALLEL_FROM)
        for (size_t n = s->level_begin[level]; n < s->level_begin[level + 1]; n++) {
            evaluate_mapped(&plan->fields, s, n);
        }
    }
}

static void evaluate_frames(taut_backend_state* state) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    const size_t frames = plan->sizes.frames, chunks = chunk_count(frames);
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (chunks > 1)
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        taut_energies sums = {0};
        for (size_t i = chunk * TAUT_CHUNK; i < chunk_end(chunk, frames); i++) {
            evaluate_frame(f, &plan->sizes, i, &sums);
        }
        memcpy(f->partial + TAUT_PARTIALS * chunk, &sums, sizeof sums);
    }
    add_energies(plan, chunks, &state->energies);
}

static void evaluate_particles(taut_backend_state* state) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    const size_t nodes = plan->sizes.points, chunks = chunk_count(nodes);
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (chunks > 1)
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        taut_energies sums = {0};
        for (size_t n = chunk * TAUT_CHUNK; n < chunk_end(chunk, nodes); n++) {
            evaluate_particle(f, &plan->sizes, n, &sums);
        }
        memcpy(f->partial + TAUT_PARTIALS * chunk, &sums, sizeof sums);
    }
    add_energies(plan, chunks, &state->energies);
}

void cpu_evaluate(taut_backend_state* state) {
    state->energies = (taut_energies){0};
    memset(state->report.max_violation, 0, sizeof state->report.max_violation);
    cpu_evaluate_mapped(state->plan);
#define EVALUATE(name, k)                                                                                              \
    evaluate_all_##name(state);                                                                                        \
    collect(state, k);
    TAUT_FORMULA_KINDS(EVALUATE)
    EVALUATE(linear, TAUT_LINEAR)
    evaluate_particles(state);
    evaluate_frames(state);
    state->report.kinetic = state->energies.kinetic;
    state->report.potential = taut_potential(&state->energies, state->plan->settings.gravity);
    state->report.elastic = taut_elastic(&state->energies);
}
