/* The CUDA backend: device memory, stream, and the step as one graph.
 *
 * The graph is captured once per scheme (substeps, beta zero or not, geometric stiffness, Chebyshev degree); everything
 * else that may change reaches it through the parameters in device memory. */
#include "kernels/blas.cuh"
#include "kernels/device.cuh"
#include "kernels/operators.cuh"

extern "C" {
#include "host/memory.h"
#include "host/status.h"
}

#include <nvtx3/nvToolsExt.h>

#include <string.h>

struct taut_backend_state {
    taut_plan* plan;
    taut_allocator allocator;
    taut_view view;
    void* block;             /* device copy of the plan's block */
    void* extra;             /* device: params, control, partial sums */
    taut_control* pinned;    /* host: control after the last step */
    cudaStream_t stream;     /* owned */
    cudaStream_t bodies[2];  /* capture the bodies of loops */
    cudaGraph_t source;      /* of the graph: the handles of its loops live as long as it does */
    cudaGraphExec_t graph;
    taut_integrator captured; /* scheme of the graph */
    uint32_t captured_degree;
    taut_device_params params; /* as on the device */
    taut_blas blas;
    bool has_params;
};

taut_status taut_cuda_check(cudaError_t error, const char* what) {
    if (error == cudaSuccess) {
        return TAUT_OK;
    }
    const taut_status status = error == cudaErrorMemoryAllocation ? TAUT_OUT_OF_MEMORY : TAUT_DEVICE_FAULT;
    return taut_fail(status, "CUDA: %s failed: %s.", what, cudaGetErrorString(error));
}

static taut_status available(void) {
    int devices = 0;
    const cudaError_t error = cudaGetDeviceCount(&devices);
    if (error != cudaSuccess || devices == 0) {
        cudaGetLastError(); /* the error is dealt with */
        return taut_fail(TAUT_BACKEND_UNAVAILABLE, "CUDA: %s.",
                         error != cudaSuccess ? cudaGetErrorString(error) : "no device");
    }
    return TAUT_OK;
}

/* ---- creation ---------------------------------------------------------------------------------------------------- */

static size_t aligned(size_t bytes) { return (bytes + 255) / 256 * 256; }

static taut_status allocate_device(taut_backend_state* s) {
    taut_status status = taut_cuda_check(cudaMalloc(&s->block, s->plan->bytes), "allocating the world");
    if (status != TAUT_OK) {
        return status;
    }
    const size_t params = aligned(sizeof(taut_device_params)), control = aligned(sizeof(taut_control));
    const size_t bytes = params + control + TAUT_MAX_SUMS * TAUT_MAX_GRID * sizeof(double);
    status = taut_cuda_check(cudaMalloc(&s->extra, bytes), "allocating the world");
    if (status != TAUT_OK) {
        return status;
    }
    taut_layout_pack(&s->plan->sizes, s->block, &s->view.f);
    s->view.s = s->plan->sizes;
    s->view.params = (taut_device_params*)s->extra;
    s->view.control = (taut_control*)((char*)s->extra + params);
    s->view.partials = (double*)((char*)s->extra + params + control);
    status = taut_cuda_check(cudaMemsetAsync(s->extra, 0, bytes, s->stream), "clearing the world");
    if (status == TAUT_OK) {
        s->pinned->tick = TAUT_FIRST_TICK;
        status = taut_cuda_check(cudaMemcpyAsync(s->view.control, s->pinned, sizeof *s->pinned, cudaMemcpyHostToDevice,
                                                 s->stream), "clearing the world");
    }
    if (status == TAUT_OK) {
        status = taut_cuda_check(
            cudaMemcpyAsync(s->block, s->plan->block, s->plan->bytes, cudaMemcpyHostToDevice, s->stream),
            "copying the world");
    }
    return status;
}

static taut_status open_streams(taut_backend_state* s) {
    cudaError_t error = cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking);
    for (int i = 0; error == cudaSuccess && i < 2; i++) {
        error = cudaStreamCreateWithFlags(&s->bodies[i], cudaStreamNonBlocking);
    }
    if (error == cudaSuccess) {
        error = cudaMallocHost((void**)&s->pinned, sizeof *s->pinned);
    }
    if (error == cudaSuccess) {
        memset(s->pinned, 0, sizeof *s->pinned);
    }
    return taut_cuda_check(error, "opening streams");
}

static void drop_graph(taut_backend_state* s) {
    if (s->graph != NULL) {
        cudaGraphExecDestroy(s->graph);
    }
    if (s->source != NULL) {
        cudaGraphDestroy(s->source);
    }
    s->graph = NULL;
    s->source = NULL;
}

static void destroy(taut_backend_state* s) {
    const taut_allocator allocator = s->allocator;
    if (s->stream != NULL) {
        cudaStreamSynchronize(s->stream);
    }
    blas_close(&s->blas);
    drop_graph(s);
    for (int i = 0; i < 2; i++) {
        if (s->bodies[i] != NULL) {
            cudaStreamDestroy(s->bodies[i]);
        }
    }
    if (s->stream != NULL) {
        cudaStreamDestroy(s->stream);
    }
    cudaFreeHost(s->pinned);
    cudaFree(s->extra);
    cudaFree(s->block);
    cudaGetLastError(); /* freeing after a fault fails again; that is known */
    taut_release(&allocator, s, sizeof *s);
}

/* ---- parameters and graph ---------------------------------------------------------------------------------------- */

static taut_device_params make_params(const taut_settings* settings, double dt) {
    taut_device_params params;
    memset(&params, 0, sizeof params); /* compared byte by byte, padding included */
    params.factors = taut_step_factors(settings, dt / settings->integrator.substeps);
    params.dt = dt;
    params.speed_limit = settings->speed_limit;
    params.tolerance = settings->solver.tolerance;
    params.chebyshev_degree = settings->solver.chebyshev_degree;
    params.max_iterations = settings->solver.max_iterations;
    params.warm_start = settings->solver.warm_start;
    params.proximal = settings->solver.proximal != 0;
    return params;
}

/* Sets what has changed of the parameters for a step of dt in so many parts. */
static taut_status update_params_for(taut_backend_state* s, double dt, uint32_t substeps) {
    taut_settings settings = s->plan->settings;
    settings.integrator.substeps = substeps;
    const taut_device_params params = make_params(&settings, dt);
    if (s->has_params && memcmp(&params, &s->params, sizeof params) == 0) {
        return TAUT_OK;
    }
    taut_launch launch = {s->stream, cudaSuccess};
    cuda_set_params(s->view, params, &launch);
    s->params = params;
    s->has_params = launch.error == cudaSuccess;
    return taut_cuda_check(launch.error, "setting parameters");
}

static taut_status update_params(taut_backend_state* s, double dt) {
    return update_params_for(s, dt, s->plan->settings.integrator.substeps);
}

static bool same_structure(const taut_backend_state* s) {
    const taut_integrator *now = &s->plan->settings.integrator, *then = &s->captured;
    return now->substeps == then->substeps && (now->beta == 0) == (then->beta == 0) &&
           s->plan->settings.solver.chebyshev_degree == s->captured_degree;
}

static void enqueue_step(taut_backend_state* s, taut_launch* launch) {
    const taut_settings& settings = s->plan->settings;
    const uint32_t substeps = settings.integrator.substeps;
    cuda_begin(s->view, launch);
    for (uint32_t i = 0; i < substeps; i++) {
        cuda_assemble(s->view, settings, launch);
        cuda_solve(s->view, settings, s->bodies, launch);
        cuda_integrate(s->view, launch);
        cuda_evaluate(s->view, launch);
    }
    cuda_end(s->view, launch);
    const cudaError_t copied = cudaMemcpyAsync(s->pinned, s->view.control, sizeof *s->pinned, cudaMemcpyDeviceToHost,
                                               launch->stream);
    launch->error = launch->error == cudaSuccess ? copied : launch->error;
}

static taut_status capture(taut_backend_state* s) {
    taut_launch launch = {s->stream, cudaSuccess};
    drop_graph(s);
    taut_status status =
        taut_cuda_check(cudaStreamBeginCapture(s->stream, cudaStreamCaptureModeThreadLocal), "beginning a capture");
    if (status != TAUT_OK) {
        return status;
    }
    enqueue_step(s, &launch);
    const cudaError_t ended = cudaStreamEndCapture(s->stream, &s->source);
    status = taut_cuda_check(launch.error != cudaSuccess ? launch.error : ended, "capturing the step");
    if (status == TAUT_OK) {
        status = taut_cuda_check(cudaGraphInstantiate(&s->graph, s->source, 0), "instantiating the step");
    }
    s->captured = s->plan->settings.integrator;
    s->captured_degree = s->plan->settings.solver.chebyshev_degree;
    return status;
}

static taut_status create(taut_plan* plan, const taut_allocator* allocator, taut_backend_state** state) {
    taut_backend_state* s = (taut_backend_state*)taut_allocate(allocator, sizeof *s);
    if (s == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    s->plan = plan;
    s->allocator = *allocator;
    taut_status status = open_streams(s);
    if (status == TAUT_OK) {
        status = allocate_device(s);
    }
    if (status == TAUT_OK) {
        status = blas_open(&s->blas, s->stream);
    }
    if (status == TAUT_OK) {
        status = capture(s);
    }
    if (status == TAUT_OK) {
        status = taut_cuda_check(cudaStreamSynchronize(s->stream), "creating the world");
    }
    if (status != TAUT_OK) {
        destroy(s);
        return status;
    }
    *state = s;
    return TAUT_OK;
}

/* ---- the seam ---------------------------------------------------------------------------------------------------- */

static taut_status step(taut_backend_state* s, double dt) {
    nvtxRangePushA("taut step");
    taut_status status = same_structure(s) ? TAUT_OK : capture(s);
    if (status == TAUT_OK) {
        status = update_params(s, dt);
    }
    if (status == TAUT_OK) {
        status = taut_cuda_check(cudaGraphLaunch(s->graph, s->stream), "launching the step");
    }
    nvtxRangePop();
    return status;
}

/* A linearisation for h is one of a step of h in one part; the step after it sets its own parameters again. */
static void assemble(taut_backend_state* s, double h) {
    taut_launch launch = {s->stream, cudaSuccess};
    update_params_for(s, h, 1);
    cuda_assemble(s->view, s->plan->settings, &launch);
    taut_cuda_check(launch.error, "assembling");
}

static void approach(taut_backend_state* s, double dt) {
    taut_launch launch = {s->stream, cudaSuccess};
    update_params_for(s, dt, 1);
    cuda_approach(s->view, &launch);
    taut_cuda_check(launch.error, "approaching goals");
}

static void evaluate(taut_backend_state* s) {
    taut_launch launch = {s->stream, cudaSuccess};
    if (!s->has_params) {
        update_params(s, s->plan->settings.integrator.substeps);
    }
    cuda_evaluate(s->view, &launch);
    cudaMemcpyAsync(s->pinned, s->view.control, sizeof *s->pinned, cudaMemcpyDeviceToHost, s->stream);
    taut_cuda_check(launch.error, "evaluating");
}

static taut_status synchronise(taut_backend_state* s, taut_report* report) {
    const taut_status status = taut_cuda_check(cudaStreamSynchronize(s->stream), "a step");
    if (status == TAUT_OK) {
        *report = s->pinned->report;
    }
    return status;
}

static void* on_device(const taut_backend_state* s, const void* field) {
    return (char*)s->block + ((const char*)field - (const char*)s->plan->block);
}

static taut_status download(taut_backend_state* s, void* field, size_t bytes) {
    cudaError_t error = cudaMemcpyAsync(field, on_device(s, field), bytes, cudaMemcpyDeviceToHost, s->stream);
    if (error == cudaSuccess) {
        error = cudaStreamSynchronize(s->stream);
    }
    return taut_cuda_check(error, "reading a field");
}

static taut_status upload(taut_backend_state* s, const void* field, size_t bytes) {
    return taut_cuda_check(cudaMemcpyAsync(on_device(s, field), field, bytes, cudaMemcpyHostToDevice, s->stream),
                           "writing a field");
}

static taut_status apply(taut_backend_state* s, taut_operator op, const double* in, double* out) {
    taut_launch launch = {s->stream, cudaSuccess};
    return cuda_apply(s->view, op, &s->blas, in, out, &launch);
}

static taut_status right_hand_side(taut_backend_state* s, double* out) {
    taut_launch launch = {s->stream, cudaSuccess};
    return cuda_right_hand_side(s->view, &s->blas, out, &launch);
}

static void view(taut_backend_state* s, taut_field field, taut_array* out) {
    const taut_fields& f = s->view.f;
    const size_t nodes = s->view.s.nodes, rows = s->view.s.rows;
    taut_array array = {f.lam, TAUT_FLOAT64, rows, 1, sizeof(double), true};
    if (field == TAUT_FIELD_VIOLATIONS) {
        array.data = f.phi;
    } else if (field != TAUT_FIELD_MULTIPLIERS) {
        const bool single = field == TAUT_FIELD_POSITIONS_F32;
        const size_t stride = 3 * (single ? sizeof(float) : sizeof(double));
        array.data = single ? (const void*)f.x_f32 : field == TAUT_FIELD_POSITIONS ? f.x : f.v;
        array.type = single ? TAUT_FLOAT32 : TAUT_FLOAT64;
        array.rows = nodes;
        array.columns = 3;
        array.stride = stride;
    }
    *out = array;
}

extern "C" const taut_backend taut_cuda_backend = {
    "cuda", available, create, destroy,
    NULL, /* begin, solve, integrate and end only as one step */
    assemble, NULL, NULL, evaluate, NULL, step, approach,
    synchronise, download, upload, apply, right_hand_side, view,
};
