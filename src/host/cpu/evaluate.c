/* Evaluate on the CPU: the items of kernels/stages/evaluate.h over chunks, whose sums are added in order. */
#define TAUT_REAL double
#include "kernels/stages/evaluate.h"
#include "kernels/stages/frames.h"

#include "host/cpu/state.h"

#include <string.h>

static size_t chunk_count(size_t n) {
    return (n + TAUT_CHUNK - 1) / TAUT_CHUNK;
}

static size_t chunk_end(size_t chunk, size_t n) {
    return n < (chunk + 1) * TAUT_CHUNK ? n : (chunk + 1) * TAUT_CHUNK;
}

#define EVALUATE_ALL(name, k)                                                                                          \
    static void evaluate_all_##name(const taut_backend_state* state) {                                                 \
        const taut_plan* plan = state->plan;                                                                           \
        const taut_fields* f = &plan->fields;                                                                          \
        const size_t count = plan->sizes.count[k], chunks = chunk_count(count);                                        \
        CPU_PARALLEL_OVER_COUNT                                                                                        \
        for (size_t chunk = 0; chunk < chunks; chunk++) {                                                              \
            double elastic = 0, violation = 0;                                                                         \
            for (size_t c = chunk * TAUT_CHUNK; c < chunk_end(chunk, count); c++) {                                    \
                evaluate_##name(f, &plan->sizes, c, &elastic, &violation);                                                                     \
            }                                                                                                          \
            f->partial[4 * chunk] = elastic;                                                                           \
            f->partial[4 * chunk + 1] = violation;                                                                     \
        }                                                                                                              \
    }
TAUT_FORMULA_KINDS(EVALUATE_ALL)
EVALUATE_ALL(linear, TAUT_LINEAR)

static void collect(taut_backend_state* state, taut_kind k) {
    const double* partial = state->plan->fields.partial;
    for (size_t chunk = 0; chunk < chunk_count(state->plan->sizes.count[k]); chunk++) {
        *(has_potential(k) ? &state->report.potential : &state->report.elastic) += partial[4 * chunk];
        if (partial[4 * chunk + 1] > state->report.max_violation[k]) {
            state->report.max_violation[k] = partial[4 * chunk + 1];
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
        double kinetic = 0;
        for (size_t i = chunk * TAUT_CHUNK; i < chunk_end(chunk, frames); i++) {
            evaluate_frame(f, &plan->sizes, i, &kinetic);
        }
        f->partial[4 * chunk] = kinetic;
    }
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        state->report.kinetic += f->partial[4 * chunk];
    }
}

static void evaluate_particles(taut_backend_state* state) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    const size_t nodes = plan->sizes.points, chunks = chunk_count(nodes);
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (chunks > 1)
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        double kinetic = 0, potential = 0;
        for (size_t n = chunk * TAUT_CHUNK; n < chunk_end(chunk, nodes); n++) {
            evaluate_particle(f, &plan->sizes, n, plan->settings.gravity, &kinetic, &potential);
        }
        f->partial[4 * chunk] = kinetic;
        f->partial[4 * chunk + 1] = potential;
    }
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        state->report.kinetic += f->partial[4 * chunk];
        state->report.potential += f->partial[4 * chunk + 1];
    }
}

void cpu_evaluate(taut_backend_state* state) {
    state->report.kinetic = state->report.potential = state->report.elastic = 0;
    memset(state->report.max_violation, 0, sizeof state->report.max_violation);
    cpu_evaluate_mapped(state->plan);
#define EVALUATE(name, k)                                                                                              \
    evaluate_all_##name(state);                                                                                        \
    collect(state, k);
    TAUT_FORMULA_KINDS(EVALUATE)
    EVALUATE(linear, TAUT_LINEAR)
    evaluate_particles(state);
    evaluate_frames(state);
}
