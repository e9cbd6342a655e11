/* Evaluate: phi and J of every constraint, one thread each; violations and energies. */
#define TAUT_REAL double
#include "kernels/stages/evaluate.h"
#include "kernels/stages/frames.h"

#include "kernels/cuda/device.cuh"

static __device__ void evaluate_member(const taut_view& view, size_t m, taut_energies* sums) {
    taut_violation violation = {0, 0};
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
    keep_largest(&view.control->violation_bits[kind], violation.law);
    if (violation.stretch > 0) {
        keep_largest(&view.control->violation_bits[TAUT_KIND_COUNT], violation.stretch);
    }
}

static __global__ void evaluate_kernel(const __grid_constant__ taut_view view) {
    taut_energies own = {};
    for (size_t m = thread_index(); m < member_total(view.s); m += thread_count()) {
        evaluate_member(view, m, &own);
    }
    for (size_t n = thread_index(); n < view.s.points; n += thread_count()) {
        evaluate_particle(&view.f, &view.s, n, &own);
    }
    for (size_t i = thread_index(); i < view.s.frames; i += thread_count()) {
        evaluate_frame(&view.f, &view.s, i, &own);
    }
    double* sums = (double*)&own;
    if (grid_sums(view, sums, TAUT_ENERGIES)) {
        const taut_energies all = own;
        taut_report* report = &view.control->report;
        view.control->energies = all;
        report->kinetic = all.kinetic;
        report->potential = taut_potential(&all, view_factors(view).gravity);
        report->elastic = taut_elastic(&all);
        for (int a = 0; a < 3; a++) {
            report->momentum[a] = all.momentum[a];
        }
        report->inverted = all.inverted;
        for (int k = 0; k < TAUT_KIND_COUNT; k++) { /* and ready for the next time */
            report->max_violation[k] = take_largest(&view.control->violation_bits[k]);
        }
        report->stretch = take_largest(&view.control->violation_bits[TAUT_KIND_COUNT]);
    }
}

/* A substep is over: its ledger, and its time. */
static __global__ void end_substep_kernel(const __grid_constant__ taut_view view) {
    taut_powers own = {};
    for (size_t n = thread_index(); n < view.s.nodes; n += thread_count()) {
        add_powers(&view.f, &view.s, n, view.f.g_f64, &own);
    }
    taut_control* control = view.control;
    double sums[2] = {own.forces, own.supports};
    if (grid_sums(view, sums, 2) && !control->unsound) {
        const taut_factors& step = view_factors(view);
        const taut_powers powers = {sums[0], sums[1], 0, 0};
        const double h = step.h;
        const taut_ledger part =
            taut_ledger_of(&control->before, &control->energies, &powers, step.gravity, view.params->mass_damping, h);
        taut_ledger_add(&control->report.ledger, &part, 0);
        control->before = control->energies;
        control->report.time += h;
        control->done += control->rate * view.params->part;
        control->report.overstretch = taut_larger(control->report.stretch, control->report.overstretch);
    }
}

void cuda_end_substep(const taut_view& view, taut_launch* launch) {
    if (view.s.levels > 0) {
        cuda_apply_jacobian_transpose_f64(view, TAUT_ROWS, false, view.f.lam, view.f.g_f64, launch);
    }
    TAUT_LAUNCH(launch, end_substep_kernel, taut_sum_grid(view.s.nodes), view);
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
    if (view.s.levels > 0) {
        cuda_spread_f64(view, view.s.levels, view.f.dv, 3, launch);
    }
    const size_t members = member_total(view.s);
    const size_t items = members > view.s.nodes ? members : view.s.nodes;
    TAUT_LAUNCH(launch, evaluate_kernel, taut_sum_grid(items), view);
}
