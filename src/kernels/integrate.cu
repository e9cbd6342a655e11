/* Begin, integrate and end of a step: motion to goals, the new state, and its rejection when it is not sound. */
#define TAUT_REAL double
#include "kernels/stages/state.h"

#include "kernels/device.cuh"

static __global__ void params_kernel(taut_device_params* to, taut_device_params from) { *to = from; }

static __global__ void begin_kernel(const __grid_constant__ taut_view view) {
    const size_t i = thread_index();
    const double dt = view.params->dt;
    if (i < view.s.nodes) {
        begin_node(&view.f, i, dt);
    }
    if (i < view.s.count[TAUT_TARGET]) {
        begin_target(&view.f.kinds[TAUT_TARGET], i, dt);
    }
    if (i == 0) {
        const taut_report none = {};
        view.control->report = none;
        view.control->unsound = 0;
        view.control->shifted = 0;
    }
}

/* After a substep that diverged the rest of the step leaves the state alone: unsound stays set until the next begin. */
static __global__ void advance_kernel(const __grid_constant__ taut_view view) {
    const size_t n = thread_index();
    if (n >= view.s.nodes || view.control->unsound) {
        return;
    }
    double* x_new = view.f.node_scratch;
    double* v_new = x_new + 3 * view.s.nodes;
    const taut_device_params* params = view.params;
    if (!advance_node(&view.f, n, params->factors.h, params->factors.beta, params->speed_limit, x_new, v_new)) {
        view.control->unsound = 1; /* every writer writes the same */
    }
}

static __global__ void commit_kernel(const __grid_constant__ taut_view view) {
    const size_t i = thread_index();
    const bool sound = !view.control->unsound;
    const double h = view.params->factors.h;
    if (sound && i < 3 * view.s.nodes) {
        commit_value(&view.f, i, view.f.node_scratch, view.f.node_scratch + 3 * view.s.nodes);
    }
    if (i < view.s.rows) {
        if (sound) {
            commit_multiplier(&view.f, i, h, view.params->factors.alpha);
        } else {
            view.f.lam_smooth[i] = 0;
        }
    }
    if (sound && i < view.s.count[TAUT_TARGET]) {
        move_target(&view.f.kinds[TAUT_TARGET], i, h);
    }
    if (!sound && i < view.s.unknowns) {
        view.f.gam[i] = 0;
    }
    if (!sound && i == 0) {
        view.control->impulse_step = 0;
        view.control->report.diverged = true;
    }
}

static __global__ void end_kernel(const __grid_constant__ taut_view view) {
    const size_t i = thread_index();
    if (view.control->unsound) {
        return;
    }
    if (i < view.s.nodes) {
        end_node(&view.f, i);
    }
    if (i < view.s.count[TAUT_TARGET]) {
        end_target(&view.f.kinds[TAUT_TARGET], i);
    }
}

static size_t largest(size_t a, size_t b) { return a > b ? a : b; }

void cuda_set_params(const taut_view& view, const taut_device_params& params, taut_launch* launch) {
    params_kernel<<<1, 1, 0, launch->stream>>>((taut_device_params*)view.params, params);
    launch->error = launch->error == cudaSuccess ? cudaGetLastError() : launch->error;
}

void cuda_begin(const taut_view& view, taut_launch* launch) {
    TAUT_LAUNCH(launch, begin_kernel, taut_grid(largest(view.s.nodes, view.s.count[TAUT_TARGET])), view);
}

void cuda_integrate(const taut_view& view, taut_launch* launch) {
    const size_t items = largest(largest(3 * view.s.nodes, view.s.unknowns), view.s.count[TAUT_TARGET]);
    TAUT_LAUNCH(launch, advance_kernel, taut_grid(view.s.nodes), view);
    TAUT_LAUNCH(launch, commit_kernel, taut_grid(items), view);
}

void cuda_end(const taut_view& view, taut_launch* launch) {
    TAUT_LAUNCH(launch, end_kernel, taut_grid(largest(view.s.nodes, view.s.count[TAUT_TARGET])), view);
}
