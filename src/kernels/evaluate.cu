/* Evaluate: phi and J of every constraint, one thread each; violations and energies. */
#define TAUT_REAL double
#include "kernels/stages/evaluate.h"
#include "kernels/stages/frames.h"

#include "kernels/device.cuh"

/* The worst violation of a kind by integer maximum of the bits: those of non-negative numbers order like the numbers, and
 * a maximum does not depend on its order. Most numbers are below what has been seen, and need no atomic operation. */
static __device__ void worst(taut_control* control, int k, double violation) {
    const unsigned long long bits = (unsigned long long)__double_as_longlong(violation);
    if (bits > *(volatile unsigned long long*)&control->violation_bits[k]) {
        atomicMax(&control->violation_bits[k], bits);
    }
}

static __device__ void evaluate_member(const taut_view& view, size_t m, double* elastic, double* potential) {
    double violation = 0;
    size_t c;
    const int kind = kind_of_member(&view.s, m, &c);
    double* energy = has_potential(kind) ? potential : elastic;
    switch (kind) {
#define EVALUATE_CASE(name, k)                                                                                         \
    case k:                                                                                                            \
        evaluate_##name(&view.f, &view.s, c, energy, &violation);                                                     \
        break;
        TAUT_FORMULA_KINDS(EVALUATE_CASE)
    default:
        evaluate_linear(&view.f, &view.s, c, energy, &violation);
        break;
    }
    worst(view.control, kind, violation);
}

static __global__ void evaluate_kernel(const __grid_constant__ taut_view view) {
    double sums[TAUT_MAX_SUMS] = {0, 0, 0}; /* elastic, kinetic, potential */
    for (size_t m = thread_index(); m < member_total(view.s); m += thread_count()) {
        evaluate_member(view, m, &sums[0], &sums[2]);
    }
    for (size_t n = thread_index(); n < view.s.points; n += thread_count()) {
        evaluate_particle(&view.f, &view.s, n, view_factors(view).gravity, &sums[1], &sums[2]);
    }
    for (size_t i = thread_index(); i < view.s.frames; i += thread_count()) {
        evaluate_frame(&view.f, &view.s, i, &sums[1]);
    }
    if (grid_sums(view, sums, 3)) {
        taut_report* report = &view.control->report;
        report->elastic = sums[0];
        report->kinetic = sums[1];
        report->potential = sums[2];
        for (int k = 0; k < TAUT_KIND_COUNT; k++) { /* and ready for the next time */
            const unsigned long long bits = atomicExch(&view.control->violation_bits[k], 0);
            report->max_violation[k] = __longlong_as_double((long long)bits);
        }
    }
}

static __global__ void mapped_kernel(const __grid_constant__ taut_view view, node_range range) {
    const size_t i = thread_index();
    if (i < range.count) {
        evaluate_mapped(&view.f, &view.s, range.first + i);
    }
}

void cuda_evaluate_mapped(const taut_view& view, taut_launch* launch) {
    for (uint32_t level = 0; level < view.s.levels; level++) {
        const node_range range = level_range(view.s, level);
        TAUT_LAUNCH(launch, mapped_kernel, taut_grid(range.count), view, range);
    }
}

void cuda_evaluate(const taut_view& view, taut_launch* launch) {
    cuda_evaluate_mapped(view, launch);
    const size_t members = member_total(view.s);
    const size_t items = members > view.s.nodes ? members : view.s.nodes;
    TAUT_LAUNCH(launch, evaluate_kernel, taut_sum_grid(items), view);
}
