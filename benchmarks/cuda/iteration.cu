#include "iteration.cuh"
#include "kernels/cuda/condensed.cuh"

#include <memory>

namespace {

struct Lengths {
    uint32_t brief, extended; // iterations of the two runs: multiples of TAUT_ROUND
};

/* The system of a pass from zero: r = b. */
__global__ void vectors_kernel(const __grid_constant__ taut_view view) {
    for (size_t i = thread_index(); i < view.s.unknowns; i += thread_count()) {
        view.f.r[i] = (float)view.f.b[i];
        view.f.delta[i] = view.f.p[i] = 0;
    }
}

/* A pass that only its length ends: no residual is below its goal. One block. */
__global__ void control_kernel(const __grid_constant__ taut_view view, z_source source, uint32_t length,
                               loop_handle loop) {
    __shared__ double warps[TAUT_MAX_SUMS][TAUT_WARPS];
    double sum[1] = {0};
    for (size_t i = threadIdx.x; i < view.s.unknowns; i += TAUT_THREADS) {
        const float r = view.f.r[i];
        sum[0] += (double)r * (source == Z_IS_R          ? r
                               : source == Z_IS_SCALED_R ? view.f.inverse_shifted[i] * r
                                                         : view.f.z[i]);
    }
    block_sums(warps, sum, 1);
    if (threadIdx.x == 0) {
        taut_control* control = view.control;
        const_cast<taut_device_params*>(view.params)->max_iterations = length;
        control->goal = -1;
        control->rz = control->length = sum[0];
        control->beta = 0;
        control->iterations = 0;
        control->inner = 1;
        go_on(loop, 1);
    }
}

/* The same of the condensed system: r = M u, what external forces alone do. */
__global__ void node_vectors_kernel(const __grid_constant__ taut_view view) {
    for (size_t i = thread_index(); i < 4 * view.s.nodes; i += thread_count()) {
        const double w = view.f.inverse_mass[i / 4];
        view.f.node_r[i] = w > 0 && i % 4 < 3 ? (float)(view.f.free_dv[i] / w) : 0;
        view.f.node_delta[i] = view.f.node_p[i] = 0;
    }
}

__global__ void node_control_kernel(const __grid_constant__ taut_view view, uint32_t length, loop_handle loop) {
    taut_control* control = view.control;
    const_cast<taut_device_params*>(view.params)->max_iterations = length;
    control->goal = -1;
    control->rz = control->length = control->condensed.response;
    control->beta = 0;
    control->iterations = 0;
    control->inner = 1;
    go_on(loop, 1);
}

__global__ void restore_kernel(const __grid_constant__ taut_view view, uint32_t max_iterations) {
    const_cast<taut_device_params*>(view.params)->max_iterations = max_iterations;
}

class Runs {
  public:
    Runs(const taut_view& of, const taut_settings& with, cudaStream_t on)
        : view(of), settings(with), stream(on), watch(on) {
        taut_device_params params;
        device_must(cudaStreamSynchronize(stream), "a linearisation");
        device_must(cudaMemcpy(&params, view.params, sizeof params, cudaMemcpyDeviceToHost), "reading parameters");
        allowed = params.max_iterations;
    }
    ~Runs() {
        restore_kernel<<<1, 1, 0, stream>>>(view, allowed);
        device_must(cudaStreamSynchronize(stream), "restoring parameters");
    }
    Runs(const Runs&) = delete;
    Runs& operator=(const Runs&) = delete;

    std::unique_ptr<Replay> record_loop(uint32_t length) {
        return std::make_unique<Replay>(stream, [&](cudaStream_t s) {
            taut_launch launch = {s, cudaSuccess};
            taut_while loop = {};
            while_handle(&launch, &loop);
            begin(length, loop.handle, &launch);
            while_begin(&launch, &loop);
            iterate(TAUT_ROUND, loop.handle, &launch);
            while_end(&launch, &loop);
            device_must(launch.error, "recording a loop");
        });
    }

    std::unique_ptr<Replay> record_straight(uint32_t length) {
        return std::make_unique<Replay>(stream, [&](cudaStream_t s) { enqueue(length, s); });
    }

    void enqueue(uint32_t length, cudaStream_t s) {
        taut_launch launch = {s, cudaSuccess};
        begin(length, no_loop, &launch);
        iterate(length, no_loop, &launch);
        device_must(launch.error, "launching iterations");
    }

    /* Seconds of one run that `work` enqueues. */
    template <class Work> double time(uint32_t length, Work work) {
        watch.start();
        work();
        const double seconds = watch.stop();
        uint32_t done = 0;
        device_must(cudaMemcpy(&done, &view.control->iterations, sizeof done, cudaMemcpyDeviceToHost),
                    "reading a count");
        complete = complete && done == length;
        return seconds;
    }

    /* What the preconditioner of the method computes in a step. */
    std::unique_ptr<Replay> record_refresh() {
        return std::make_unique<Replay>(stream, [&](cudaStream_t s) {
            taut_launch launch = {s, cudaSuccess};
            if (view.s.condensed) {
                cuda_condense_refresh(view, settings, &launch);
            } else {
                cuda_precondition_refresh(view, settings, &launch);
            }
            device_must(launch.error, "recording a refresh");
        });
    }
    double time_refresh(Replay& refresh) {
        watch.start();
        refresh.launch();
        return watch.stop();
    }

    bool complete = true;

  private:
    void begin(uint32_t length, loop_handle loop, taut_launch* launch) {
        if (view.s.condensed) {
            TAUT_LAUNCH(launch, node_vectors_kernel, taut_sum_grid(4 * view.s.nodes), view);
            cuda_condense_precondition(view, settings, FOR_RESPONSE, no_loop, launch);
            TAUT_LAUNCH_ONE(launch, node_control_kernel, view, length, loop);
            return;
        }
        const z_source source = z_source_of(settings);
        TAUT_LAUNCH(launch, vectors_kernel, taut_sum_grid(view.s.unknowns), view);
        if (source == Z_IS_STORED) {
            cuda_precondition_apply(view, settings, view.f.r, view.f.z, launch);
        }
        TAUT_LAUNCH(launch, control_kernel, 1, view, source, length, loop);
    }

    void iterate(uint32_t count, loop_handle loop, taut_launch* launch) {
        for (uint32_t i = 0; i < count; i++) {
            if (view.s.condensed) {
                cuda_condense_iterate(view, settings, loop, launch);
            } else {
                cuda_iterate(view, settings, loop, launch);
            }
        }
    }

    const taut_view& view;
    const taut_settings& settings;
    cudaStream_t stream;
    uint32_t allowed;
    Stopwatch watch;
};

} // namespace

IterationTimes measure_iteration(const taut_view& view, const taut_settings& settings, cudaStream_t stream, int repeats,
                                 bool smoke) {
    const Lengths n = smoke ? Lengths{4, 8} : Lengths{16, 80};
    Runs runs(view, settings, stream);
    const auto loop_brief = runs.record_loop(n.brief), loop_extended = runs.record_loop(n.extended);
    const auto straight_brief = runs.record_straight(n.brief), straight_extended = runs.record_straight(n.extended);
    const auto refresh = runs.record_refresh();
    std::vector<double> loop, straight, plain, refreshed;
    const auto slope = [&](auto brief, auto extended) {
        const double first = runs.time(n.brief, brief);
        return (runs.time(n.extended, extended) - first) / (n.extended - n.brief);
    };
    for (int r = 0; r <= repeats; r++) {
        const double samples[3] = {
            slope([&] { loop_brief->launch(); }, [&] { loop_extended->launch(); }),
            slope([&] { straight_brief->launch(); }, [&] { straight_extended->launch(); }),
            slope([&] { runs.enqueue(n.brief, stream); }, [&] { runs.enqueue(n.extended, stream); })};
        if (r > 0) { // the first round warms up
            loop.push_back(samples[0]);
            straight.push_back(samples[1]);
            plain.push_back(samples[2]);
            refreshed.push_back(runs.time_refresh(*refresh));
        }
    }
    return {spread_of(loop), spread_of(straight), spread_of(plain), spread_of(refreshed), runs.complete};
}
