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

static __device__ void evaluate_member(const taut_view& view, size_t m, taut_energies* sums) {
    double violation = 0;
    size_t c;
    const int kind = kind_of_member(&view.s, m, &c);
    switch (kind) {
#define EVALUATE_CASE(name, k)                                                                                         \
    case k:                                                                                                            \
        evaluate_##name(&view.f, &view.s, c, sums, &violation);                                                        \
        break;
        TAUT_FORMULA_KINDS(EVALUATE_CASE)
    default:
        evaluate_linear(&view.f, &view.s, c, sums, &violation);
        break;
    }
    worst(view.control, kind, violation);
}

static __global__ void evaluate_kernel(const __grid_constant__ taut_view view) {
    taut_energies own = {};
    for (size_t m = thread_index(); m < member_total(view.s); m += thread_count()) {
        evaluate_member(view, m, &own);
    }
    for (size_t n = thread_index(); n < view.s.points; n += thread_count()) {
        evaluate_particle(&view.f, &view.s, n, view_factors(view).gravity, &own);
    }
    for (size_t i = thread_index(); i < view.s.frames; i += thread_count()) {
        evaluate_frame(&view.f, &view.s, i, &own);
    }
    double sums[TAUT_ENERGIES] = {own.kinetic, own.potential, own.elastic, own.pushed, own.damped, own.driven};
    if (grid_sums(view, sums, TAUT_ENERGIES)) {
        const taut_energies all = {sums[0], sums[1], sums[2], sums[3], sums[4], sums[5]};
        taut_report* report = &view.control->report;
        view.control->energies = all;
        report->kinetic = all.kinetic;
        report->potential = all.potential;
        report->elastic = all.elastic;
        for (int k = 0; k < TAUT_KIND_COUNT; k++) { /* and ready for the next time */
            const unsigned long long bits = atomicExch(&view.control->violation_bits[k], 0);
            report->max_violation[k] = __longlong_as_double((long long)bits);
        }
    }
}

/* A substep is over: its ledger, and its time. */
static __global__ void pass_kernel(const __grid_constant__ taut_view view) {
    double sums[1] = {0};
    for (size_t n = thread_index(); n < view.s.nodes; n += thread_count()) {
        sums[0] += support_power(&view.f, &view.s, n, view.f.g_f64);
    }
    taut_control* control = view.control;
    if (grid_sums(view, sums, 1) && !control->unsound) {
        const double h = view_factors(view).h;
        taut_ledger_add(&control->report.ledger, &control->before, &control->energies, sums[0],
                        view.params->mass_damping, h);
        control->before = control->energies;
        control->report.time += h;
    }
}

void cuda_pass(const taut_view& view, taut_launch* launch) {
    if (view.s.active_levels > 0) {
        cuda_pull_f64(view, TAUT_ROWS, false, view.f.lam, view.f.g_f64, launch);
    }
    TAUT_LAUNCH(launch, pass_kernel, taut_sum_grid(view.s.nodes), view);
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
