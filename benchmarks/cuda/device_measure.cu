#include "calls.h"
#include "iteration.cuh"
#include "product.cuh"

extern "C" {
#include "device_row.h"
#include "host/world/world_data.h"
#include "measure.h"
#include "model.h"
}

#include <algorithm>
#include <cmath>

namespace {

constexpr double step = 1.0 / 60; // s
constexpr int warm_up = 2;        // frames: the first ones start from nothing

taut_preconditioner preconditioner_of(const device_case& c) {
    return c.method == TAUT_METHOD_CONDENSED ? TAUT_PRECONDITIONER_MULTILEVEL : c.scene->preconditioner;
}

taut_world* make_world(const device_case& c, bench_counts* counts) {
    taut_world_def def = taut_default_world();
    taut_world* world = nullptr;
    taut_scene* scene = c.scene->make(c.size, counts);
    def.backend = TAUT_BACKEND_CUDA;
    def.integrator.geometric_stiffness = c.geometric;
    def.solver.method = c.method;
    def.solver.preconditioner = preconditioner_of(c);
    calls_reset();
    bench_must(taut_world_create(scene, &def, &world));
    taut_scene_destroy(scene);
    return world;
}

void put(const Spread& seconds, double scale, double* median, double* least, double* most) {
    *median = scale * seconds.median;
    *least = scale * seconds.least;
    *most = scale * seconds.most;
}

/* Calls of `frames` steps and of the waits after them. */
struct FrameCalls {
    call_counts steps{};
    size_t waits = 0;
};

double run_frame(taut_world* world, const Stopwatch& watch, FrameCalls* calls) {
    watch.start();
    const call_counts before = calls_read();
    bench_must(taut_world_step(world, step));
    const call_counts after = calls_read();
    const double seconds = watch.stop();
    const size_t syncs = calls_read().synchronisations;
    bench_must(taut_world_sync(world));
    calls->waits += calls_read().synchronisations - syncs;
    calls->steps.launches += after.launches - before.launches;
    calls->steps.graph_launches += after.graph_launches - before.graph_launches;
    calls->steps.synchronisations += after.synchronisations - before.synchronisations;
    calls->steps.copies += after.copies - before.copies;
    calls->steps.allocations += after.allocations - before.allocations;
    return seconds;
}

void put_calls(const FrameCalls& calls, uint32_t frames, const taut_plan& plan, device_row* row) {
    row->launches = (double)calls.steps.launches / frames;
    row->graph_launches = (double)calls.steps.graph_launches / frames;
    row->synchronisations = (double)calls.steps.synchronisations / frames;
    row->copies = (double)calls.steps.copies / frames;
    row->allocations = (double)calls.steps.allocations / frames;
    row->waits = (double)calls.waits / frames;
    /* The guard has a loop around all, the condensed solver one of one round before its outer one. */
    const graph_shape shape = calls_graph();
    const bool guards = plan.settings.integrator.guard;
    const size_t outer = (size_t)plan.sizes.condensed + guards;
    row->step_nodes = (double)shape.nodes + (guards ? (double)shape.body_nodes[0] : 0);
    row->outer_nodes = shape.bodies > outer ? (double)shape.body_nodes[outer] : NAN;
    row->round_nodes = shape.bodies > outer + 1 ? (double)shape.body_nodes[outer + 1] : NAN;
}

void measure_frames(taut_world* world, uint32_t frames, device_row* row) {
    static const char* const outcomes[] = {"converged", "limit", "stagnated"};
    const Stopwatch watch(cuda_backend_stream(world->state));
    FrameCalls calls, discarded;
    std::vector<double> samples;
    taut_outcome worst = TAUT_SOLVE_CONVERGED;
    for (int i = 0; i < warm_up; i++) {
        run_frame(world, watch, &discarded);
    }
    row->iterations = row->outer_iterations = row->residual = 0;
    for (uint32_t i = 0; i < frames; i++) {
        taut_step_info info;
        samples.push_back(run_frame(world, watch, &calls));
        bench_must(taut_world_info(world, &info));
        row->iterations += (double)info.iterations / frames;
        row->outer_iterations += (double)info.outer_iterations / frames;
        row->residual = std::max(row->residual, info.residual);
        worst = std::max(worst, info.outcome);
    }
    row->outcome = outcomes[worst];
    put(spread_of(samples), 1e3, &row->frame_ms, &row->frame_ms_least, &row->frame_ms_most);
    put_calls(calls, frames, world->plan, row);
}

void put_iteration(const device_case& c, const taut_settings& settings, const taut_hierarchy& hierarchy,
                   const bench_counts& counts, const IterationTimes& times, device_row* row) {
    const bool factor_rows = c.geometric == TAUT_GEOMETRIC_FULL;
    const bench_method method = {TAUT_BACKEND_CUDA, settings.preconditioner, factor_rows, settings.solver.block_size,
                                 settings.solver.chebyshev_degree};
    put(times.loop, times.complete ? 1e6 : NAN, &row->loop_us, &row->loop_us_least, &row->loop_us_most);
    put(times.straight, times.complete ? 1e6 : NAN, &row->straight_us, &row->straight_us_least, &row->straight_us_most);
    put(times.plain, times.complete ? 1e6 : NAN, &row->plain_us, &row->plain_us_least, &row->plain_us_most);
    row->loop_overhead = row->loop_us / row->straight_us - 1;
    put(times.refresh, 1e6, &row->refresh_us, &row->refresh_us_least, &row->refresh_us_most);
    row->refresh_in_iterations = row->refresh_us / row->loop_us;
    row->iteration_bytes = c.method == TAUT_METHOD_CONDENSED ? model_condensed(&counts, factor_rows, &hierarchy)
                                                             : model_iteration(&counts, &method);
    row->gb_s = 1e-3 * row->iteration_bytes / row->loop_us;
    row->cache_gb_s = c.copy.cache_gb_s;
    row->memory_gb_s = c.copy.memory_gb_s;
    row->copy_gb_s = row->iteration_bytes <= (double)c.copy.cache_bytes ? c.copy.cache_gb_s : c.copy.memory_gb_s;
    row->copy_fraction = row->gb_s / row->copy_gb_s;
}

void put_product(const ProductTimes& times, device_row* row) {
    put(times.free, 1e6, &row->product_us, &row->product_us_least, &row->product_us_most);
    put(times.assembled, 1e6, &row->assembled_us, &row->assembled_us_least, &row->assembled_us_most);
    row->assembled_ratio = row->assembled_us / row->product_us;
    row->nonzeros = times.nonzeros;
    row->difference = times.difference;
}

} // namespace

extern "C" device_row device_measure(const device_case* c) {
    bench_counts counts = {};
    taut_world* world = make_world(*c, &counts);
    const taut_view& view = *cuda_backend_view(world->state);
    const taut_settings& settings = world->plan.settings;
    const cudaStream_t stream = cuda_backend_stream(world->state);
    device_row row = {};
    row.product_us = row.product_us_least = row.product_us_most = row.assembled_us = row.assembled_us_least = NAN;
    row.assembled_us_most = row.assembled_ratio = row.nonzeros = row.difference = NAN;
    row.scene = c->scene->name;
    row.method = c->method == TAUT_METHOD_CONDENSED ? "condensed" : "schur";
    row.preconditioner = bench_preconditioner_name(preconditioner_of(*c));
    row.geometric = bench_geometric_name(c->geometric);
    row.unknowns = (double)view.s.unknowns;
    row.particles = (double)counts.particles;
    for (const size_t count : counts.constraints) {
        row.constraints += (double)count;
    }
    measure_frames(world, c->repeats, &row);
    bench_must(taut_world_linearise(world, step));
    put_iteration(*c, settings, world->plan.hierarchy, counts,
                  measure_iteration(view, settings, stream, (int)c->repeats, c->smoke), &row);
    if (c->method == TAUT_METHOD_SCHUR) {
        put_product(measure_product(view, stream, (int)c->repeats), &row);
    }
    taut_world_destroy(world);
    return row;
}
