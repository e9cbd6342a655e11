/* The CUDA backend: device memory, streams, and the seam. The step itself is a graph (step_graph.cu). */
#include "kernels/cuda/build.cuh"
#include "kernels/cuda/operators.cuh"
#include "kernels/cuda/state.cuh"

extern "C" {
#include "base/memory.h"
#include "base/ranges.h"
#include "base/status.h"
}

#include <stdio.h>
#include <string.h>

taut_status taut_cuda_check(cudaError_t error, const char* what) {
    if (error == cudaSuccess) {
        return TAUT_OK;
    }
    cudaGetLastError(); /* the error is dealt with */
    const taut_status status = error == cudaErrorMemoryAllocation ? TAUT_OUT_OF_MEMORY : TAUT_DEVICE_FAULT;
    return taut_fail(status, "CUDA: %s failed: %s.", what, cudaGetErrorString(error));
}

/* Oldest compute capability that taut has code for, times ten. */
#define OLDEST 75

static bool is_new_enough(int device) {
    int major = 0, minor = 0;
    return cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess &&
           cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) == cudaSuccess &&
           10 * major + minor >= OLDEST;
}

static taut_status available(void) {
    int devices = 0;
    const cudaError_t error = cudaGetDeviceCount(&devices);
    cudaGetLastError(); /* the error is dealt with */
    if (error != cudaSuccess || devices == 0) {
        return taut_fail(TAUT_BACKEND_UNAVAILABLE, "CUDA: %s.",
                         error != cudaSuccess ? cudaGetErrorString(error) : "no device");
    }
    for (int i = 0; i < devices; i++) {
        if (is_new_enough(i)) {
            return TAUT_OK;
        }
    }
    return taut_fail(TAUT_BACKEND_UNAVAILABLE, "CUDA: no device of compute capability %d.%d or later.", OLDEST / 10,
                     OLDEST % 10);
}

/* ---- devices ----------------------------------------------------------------------------------------------------- */

extern "C" int taut_cuda_devices(void) {
    int devices = 0;
    const cudaError_t error = cudaGetDeviceCount(&devices);
    cudaGetLastError(); /* the error is dealt with */
    return error == cudaSuccess ? devices : 0;
}

extern "C" taut_status taut_cuda_describe(int device, taut_device_info* info) {
    cudaDeviceProp properties;
    const taut_status status = taut_cuda_check(cudaGetDeviceProperties(&properties, device), "describing a device");
    if (status == TAUT_OK) {
        taut_device_info out = {};
        snprintf(out.name, sizeof out.name, "%s", properties.name);
        out.memory = properties.totalGlobalMem;
        out.major = properties.major;
        out.minor = properties.minor;
        out.multiprocessors = properties.multiProcessorCount;
        *info = out;
    }
    return status;
}

static bool captures(cudaStream_t stream) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    if (cudaStreamIsCapturing(stream, &status) != cudaSuccess) { /* the legacy stream beside another's capture */
        cudaGetLastError();
        return false;
    }
    return status != cudaStreamCaptureStatusNone;
}

extern "C" taut_status taut_cuda_admits(int device, void* stream) {
    int devices = 0;
    const taut_status status = taut_cuda_check(cudaGetDeviceCount(&devices), "counting devices");
    if (status == TAUT_OK && device >= devices) {
        return taut_fail(TAUT_BACKEND_UNAVAILABLE, "CUDA: device %d does not exist; there are %d.", device, devices);
    }
    if (status == TAUT_OK && device >= 0 && !is_new_enough(device)) {
        return taut_fail(TAUT_BACKEND_UNAVAILABLE, "CUDA: device %d is older than compute capability %d.%d.", device,
                         OLDEST / 10, OLDEST % 10);
    }
    if (status == TAUT_OK && stream != NULL && captures((cudaStream_t)stream)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "world: cuda_stream is being captured.");
    }
    return status;
}

/* ---- creation ---------------------------------------------------------------------------------------------------- */

static size_t aligned(size_t bytes) {
    return (bytes + 255) / 256 * 256;
}

/* `levels`: where the description of the levels goes in device memory. */
static void point_levels(taut_backend_state* s, void* levels) {
    taut_fields unused;
    s->levels.host = s->plan->hierarchy;
    s->levels.device = (const taut_hierarchy*)levels;
    taut_hierarchy_pack(&s->levels.host, s->block, taut_layout_pack(&s->plan->sizes, NULL, &unused));
    s->view.levels = &s->levels;
}

static void point_views(taut_backend_state* s, size_t params, size_t control, size_t partials) {
    taut_layout_pack(&s->plan->sizes, s->block, &s->view.f);
    point_levels(s, (char*)s->extra + params + control + partials);
    s->view.s = s->plan->sizes;
    s->view.params = (taut_device_params*)s->extra;
    s->view.control = (taut_control*)((char*)s->extra + params);
    s->view.partials = (double*)((char*)s->extra + params + control);
    s->inspect = s->joined = s->view;
    s->inspect.params = params_of(s->view.params, TAUT_PARAMS_INSPECT);
    s->joined.params = params_of(s->view.params, TAUT_PARAMS_JOINED);
}

static taut_status allocate_device(taut_backend_state* s) {
    const size_t params = aligned(TAUT_PARAMS_COUNT * TAUT_LEVELS_OF_PARAMS * sizeof(taut_device_params)),
                 control = aligned(sizeof(taut_control));
    const size_t partials = aligned(TAUT_MAX_SUMS * TAUT_MAX_GRID * sizeof(double));
    const size_t bytes = params + control + partials + sizeof(taut_hierarchy);
    cudaError_t error = cudaMalloc(&s->block, s->plan->bytes);
    if (error == cudaSuccess) {
        error = cudaMalloc(&s->extra, bytes);
    }
    if (error != cudaSuccess) {
        cudaGetLastError(); /* the error is dealt with */
        return taut_fail(error == cudaErrorMemoryAllocation ? TAUT_OUT_OF_MEMORY : TAUT_DEVICE_FAULT,
                         "CUDA: allocating the world's %zu bytes failed: %s.", s->plan->bytes + bytes,
                         cudaGetErrorString(error));
    }
    point_views(s, params, control, partials);
    return taut_cuda_check(cudaMemsetAsync(s->extra, 0, bytes, s->stream), "clearing the world");
}

static taut_status fill_device(taut_backend_state* s) {
    taut_launch launch = {s->stream, cudaSuccess};
    cudaError_t error = cudaMemcpyAsync(s->block, s->plan->block, s->plan->bytes, cudaMemcpyHostToDevice, s->stream);
    if (error == cudaSuccess) {
        error = cudaMemcpyAsync((void*)s->levels.device, &s->levels.host, sizeof(taut_hierarchy),
                                cudaMemcpyHostToDevice, s->stream);
    }
    cuda_reset(s->view, &launch);
    return taut_cuda_check(error != cudaSuccess ? error : launch.error, "copying the world");
}

static bool capturing(const taut_backend_state* s) {
    return captures(s->stream);
}

static taut_status open_streams(taut_backend_state* s) {
    cudaError_t error = cudaSuccess;
    s->stream = (cudaStream_t)s->plan->cuda_stream;
    if (s->stream == NULL) {
        error = cudaStreamCreateWithFlags(&s->own, cudaStreamNonBlocking);
        s->stream = s->own;
    }
    if (error == cudaSuccess) {
        error = cudaStreamCreateWithFlags(&s->side, cudaStreamNonBlocking);
    }
    if (error == cudaSuccess) {
        error = mailbox_open(&s->mailbox);
    }
    if (error == cudaSuccess) {
        error = uploads_open(&s->uploads);
    }
    return taut_cuda_check(error, "opening streams");
}

static void close_stream(cudaStream_t stream) {
    if (stream != NULL) {
        cudaStreamDestroy(stream);
    }
}

static void destroy(taut_backend_state* s) {
    const taut_allocator allocator = s->allocator;
    {
        const taut_device_scope scope(s->device);
        cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed; /* freeing concerns no capture of the program's */
        cudaThreadExchangeStreamCaptureMode(&mode);
        if (s->stream != NULL && !capturing(s)) {
            cudaStreamSynchronize(s->stream);
        }
        blas_close(&s->blas);
        collide_close(&s->collide);
        step_graph_drop(s);
        close_stream(s->side);
        close_stream(s->own);
        mailbox_close(&s->mailbox);
        uploads_close(&s->uploads);
        cudaFree(s->extra);
        cudaFree(s->block);
        cudaGetLastError(); /* freeing after a fault fails again; that is known */
        cudaThreadExchangeStreamCaptureMode(&mode);
    }
    taut_release(&allocator, s, sizeof *s);
}

static taut_status choose_device(taut_backend_state* s) {
    s->device = s->plan->cuda_device;
    return s->device < 0 ? taut_cuda_check(cudaGetDevice(&s->device), "asking for the device") : TAUT_OK;
}

static taut_status open_world(taut_backend_state* s) {
    const taut_device_scope scope(s->device);
    taut_status status = taut_cuda_check(scope.error(), "choosing the device");
    if (status == TAUT_OK) {
        status = open_streams(s);
    }
    if (status == TAUT_OK) {
        status = allocate_device(s);
    }
    if (status == TAUT_OK) {
        status = fill_device(s);
    }
    if (status == TAUT_OK) {
        status = cuda_build_incidence(s->view, s->stream);
    }
    if (status == TAUT_OK) {
        status = collide_open(s->view, &s->collide);
    }
    if (status == TAUT_OK) {
        status = step_graph_prepare(s);
    }
    return status == TAUT_OK ? taut_cuda_check(cudaStreamSynchronize(s->stream), "creating the world") : status;
}

static taut_status create(taut_plan* plan, const taut_allocator* allocator, taut_backend_state** state) {
    taut_backend_state* s = (taut_backend_state*)taut_allocate(allocator, sizeof *s);
    if (s == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    s->plan = plan;
    s->allocator = *allocator;
    taut_status status = choose_device(s);
    if (status == TAUT_OK) {
        status = open_world(s);
    }
    if (status != TAUT_OK) {
        destroy(s);
        return status;
    }
    *state = s;
    return TAUT_OK;
}

/* Reports that were sent stay where they are; the next one goes to the new mailbox. */
static taut_status carry(const taut_backend_state* from, taut_backend_state* to) {
    const taut_device_scope scope(to->device);
    cudaError_t error = cudaMemcpyAsync(to->view.control, from->view.control, sizeof(taut_control),
                                        cudaMemcpyDeviceToDevice, to->stream);
    if (error == cudaSuccess) {
        error = cudaStreamSynchronize(to->stream);
    }
    return taut_cuda_check(error, "growing the world");
}

/* ---- parameters -------------------------------------------------------------------------------------------------- */

static taut_device_params make_params(const taut_settings* settings, double dt) {
    taut_device_params params;
    memset(&params, 0, sizeof params); /* compared byte by byte, padding included */
    for (int phase = 0; phase < TAUT_PHASE_COUNT; phase++) {
        params.factors[phase] = taut_phase_factors(settings, (taut_phase)phase, dt / settings->integrator.substeps);
    }
    params.newton = settings->integrator.newton;
    params.further = newton_most_further(&settings->integrator);
    params.mass_damping = settings->integrator.mass_damping;
    params.newton_tolerance = settings->integrator.newton_tolerance;
    params.dt = dt;
    params.part = dt / settings->integrator.substeps;
    params.whole = fmax(taut_undoing_time(settings), params.part);
    params.undamped = taut_guard_undamped(&settings->integrator);
    params.guards = settings->integrator.guard;
    params.watches = taut_guard_watches(&settings->integrator);
    params.mends = taut_guard_mends(&settings->integrator);
    params.speed_limit = settings->speed_limit;
    params.tolerance = settings->solver.tolerance;
    params.chebyshev_degree = settings->solver.chebyshev_degree;
    params.max_iterations = settings->solver.max_iterations;
    params.warm_start = settings->solver.warm_start;
    params.proximal = settings->solver.proximal != 0;
    return params;
}

/* Those of an attempt on a level of the guard. */
static taut_device_params level_params(const taut_settings* settings, double dt, int level) {
    taut_settings own = *settings;
    own.integrator = taut_guard_integrator(&settings->integrator, (uint32_t)level, 0);
    own.staged = settings->integrator.sdirk;
    const double h = dt / settings->integrator.substeps / (1u << taut_guard_halvings((uint32_t)level));
    taut_device_params params = make_params(settings, dt);
    params.newton = own.integrator.newton;
    params.further = newton_most_further(&own.integrator);
    params.part = h;
    for (int phase = 0; phase < TAUT_PHASE_COUNT; phase++) {
        params.factors[phase] =
            taut_phase_factors(&own, (taut_phase)phase, h * taut_guard_stage(&settings->integrator, (uint32_t)level));
    }
    return params;
}

/* Sets what has changed of the parameters behind `view`, number `which`. */
static taut_status set_params(taut_backend_state* s, int which, const taut_view& view, double dt, uint32_t substeps,
                              cudaStream_t stream) {
    taut_settings settings = s->plan->settings;
    settings.integrator.substeps = substeps;
    const bool steps = which == TAUT_PARAMS_STEP;
    const taut_device_params params = steps ? level_params(&settings, dt, 0) : make_params(&settings, dt);
    if (memcmp(&params, &s->params[which], sizeof params) == 0) {
        return TAUT_OK;
    }
    taut_launch launch = {stream, cudaSuccess};
    cuda_set_params(view, params, &launch);
    for (int level = 1; steps && level < levels_of_params(s); level++) {
        taut_view of_level = view;
        of_level.params += level;
        cuda_set_params(of_level, level_params(&settings, dt, level), &launch);
    }
    if (launch.error == cudaSuccess) {
        memcpy(&s->params[which], &params, sizeof params);
    }
    return taut_cuda_check(launch.error, "setting parameters");
}

/* A linearisation for h is one of a step of h in one part. */
static taut_status set_linearisation(taut_backend_state* s, double h) {
    return set_params(s, TAUT_PARAMS_INSPECT, s->inspect, h, 1, s->stream);
}

/* Of steps in graphs of the user's, which have the number of substeps that they were captured with. */
static void joined_params(taut_backend_state* s, double dt, uint32_t substeps,
                          taut_device_params params[TAUT_LEVELS_OF_PARAMS]) {
    taut_settings settings = s->plan->settings;
    settings.integrator.substeps = substeps;
    s->joins++;
    for (int level = 0; level < levels_of_params(s); level++) {
        params[level] = level_params(&settings, dt, level);
        params[level].number = s->joins;
    }
    s->params[TAUT_PARAMS_JOINED] = params[0];
}

/* Such graphs have nobody else to bring them new settings, where these fit their structure. */
static taut_status retune(taut_backend_state* s) {
    const taut_device_scope scope(s->device);
    const double dt = s->params[TAUT_PARAMS_JOINED].dt;
    if (!(dt > 0) || !fits_scheme(s->joined_scheme, scheme_of(s->plan->settings))) {
        return TAUT_OK;
    }
    taut_view retuned = s->view;
    taut_launch launch = {s->stream, cudaSuccess};
    taut_device_params params[TAUT_LEVELS_OF_PARAMS];
    joined_params(s, dt, s->joined_scheme.substeps, params);
    retuned.params = params_of(s->view.params, TAUT_PARAMS_RETUNED);
    for (int level = 0; level < levels_of_params(s); level++, retuned.params++) {
        cuda_set_params(retuned, params[level], &launch);
    }
    return taut_cuda_check(launch.error, "setting parameters");
}

/* ---- the step ---------------------------------------------------------------------------------------------------- */

static taut_status join_capture(taut_backend_state* s, double dt) {
    taut_device_params params[TAUT_LEVELS_OF_PARAMS];
    joined_params(s, dt, s->plan->settings.integrator.substeps, params);
    return step_graph_join(s, params);
}

static taut_status launch_step(taut_backend_state* s, double dt) {
    taut_status status = step_graph_prepare(s);
    if (status == TAUT_OK) {
        status = set_params(s, TAUT_PARAMS_STEP, s->view, dt, s->plan->settings.integrator.substeps, s->stream);
    }
    return status == TAUT_OK ? step_graph_launch(s) : status;
}

static taut_status step(taut_backend_state* s, double dt, bool* captured) {
    const taut_device_scope scope(s->device);
    *captured = capturing(s);
    return *captured ? join_capture(s, dt) : launch_step(s, dt);
}

static taut_status ready(taut_backend_state* s) {
    return capturing(s) ? taut_fail(TAUT_INVALID_ARGUMENT, "the world's stream is being captured: steps alone "
                                                           "may take part.")
                        : TAUT_OK;
}

/* ---- other stages ------------------------------------------------------------------------------------------------ */

/* Keeps the first error of what cannot return one, until sync. */
static void latch(taut_backend_state* s, taut_status status, cudaError_t error, const char* place) {
    if (s->fault == cudaSuccess && (status != TAUT_OK || error != cudaSuccess)) {
        s->fault = error != cudaSuccess ? error : cudaErrorUnknown;
        s->fault_place = place;
    }
}

static void assemble(taut_backend_state* s, double h, taut_phase phase) {
    (void)phase; /* linearisations are of a first phase */
    const taut_device_scope scope(s->device);
    taut_launch launch = {s->stream, cudaSuccess};
    const taut_status status = set_linearisation(s, h);
    cuda_assemble(s->inspect, s->plan->settings, &launch);
    latch(s, status, launch.error, "assembling");
}

static void kinematic_targets(taut_backend_state* s, double dt) {
    const taut_device_scope scope(s->device);
    taut_launch launch = {s->stream, cudaSuccess};
    const taut_status status = set_linearisation(s, dt);
    cuda_kinematic_targets(s->inspect, &launch);
    latch(s, status, launch.error, "approaching goals");
}

/* Of the parameters only gravity matters. */
static void evaluate(taut_backend_state* s) {
    const taut_device_scope scope(s->device);
    taut_launch launch = {s->stream, cudaSuccess};
    const taut_status status = set_linearisation(s, 1);
    cuda_evaluate(s->inspect, &launch);
    cuda_publish(s->inspect, s->mailbox.device, &launch);
    latch(s, status, launch.error, "evaluating");
}

static void poll(taut_backend_state* s, taut_report* report) {
    mailbox_read(&s->mailbox, report);
}

static taut_status synchronise(taut_backend_state* s, taut_report* report) {
    const taut_device_scope scope(s->device);
    const cudaError_t fault = s->fault;
    s->fault = cudaSuccess;
    const taut_status status = fault != cudaSuccess ? taut_cuda_check(fault, s->fault_place)
                                                    : taut_cuda_check(cudaStreamSynchronize(s->stream), "a step");
    if (status == TAUT_OK) {
        poll(s, report);
    }
    return status;
}

static void* on_device(const taut_backend_state* s, const void* field) {
    return (char*)s->block + ((const char*)field - (const char*)s->plan->block);
}

static taut_status download(taut_backend_state* s, void* field, size_t bytes) {
    const taut_device_scope scope(s->device);
    cudaError_t error = cudaMemcpyAsync(field, on_device(s, field), bytes, cudaMemcpyDeviceToHost, s->stream);
    if (error == cudaSuccess) {
        error = cudaStreamSynchronize(s->stream);
    }
    return taut_cuda_check(error, "reading a field");
}

static taut_status upload(taut_backend_state* s, const void* field, size_t bytes) {
    const taut_device_scope scope(s->device);
    return taut_cuda_check(uploads_copy(&s->uploads, on_device(s, field), field, bytes, s->stream), "writing a field");
}

static taut_status apply(taut_backend_state* s, taut_operator op, const double* in, double* out) {
    const taut_device_scope scope(s->device);
    taut_launch launch = {s->stream, cudaSuccess};
    return cuda_apply(s->inspect, op, &s->blas, in, out, &launch);
}

static taut_status right_hand_side(taut_backend_state* s, double* out) {
    const taut_device_scope scope(s->device);
    taut_launch launch = {s->stream, cudaSuccess};
    return cuda_right_hand_side(s->inspect, &s->blas, out, &launch);
}

static taut_status read_control(taut_backend_state* s, taut_control* control) {
    cudaError_t error = cudaMemcpyAsync(control, s->view.control, sizeof *control, cudaMemcpyDeviceToHost, s->stream);
    if (error == cudaSuccess) {
        error = cudaStreamSynchronize(s->stream);
    }
    return taut_cuda_check(error, "reading what the world remembers");
}

static taut_status velocity_side(taut_backend_state* s, double* out) {
    const taut_device_scope scope(s->device);
    taut_launch launch = {s->stream, cudaSuccess};
    return cuda_velocity_side(s->inspect, out, &launch);
}

/* As an attempt that is taken back: the next step looks again. */
static taut_status find_contacts(taut_backend_state* s, double h, uint32_t* needed) {
    const taut_device_scope scope(s->device);
    taut_launch launch = {s->stream, cudaSuccess};
    taut_control control;
    taut_status status = read_control(s, &control);
    if (status == TAUT_OK) {
        status = set_linearisation(s, h);
    }
    if (status == TAUT_OK) {
        cuda_collide(s->inspect, s->collide, &launch);
        cuda_forget_search(s->inspect, control.report.contacts, control.report.tangled, control.report.diverged,
                           &launch);
        status = taut_cuda_check(launch.error, "finding contacts");
    }
    uint32_t* counts = s->plan->fields.contact_count;
    if (status == TAUT_OK) {
        status = download(s, counts, TAUT_CONTACT_COUNTS * sizeof *counts);
    }
    *needed = status == TAUT_OK ? counts[TAUT_CONTACTS_NEEDED] : 0;
    return status;
}

static taut_status find_overlaps(taut_backend_state* s) {
    const taut_device_scope scope(s->device);
    taut_launch launch = {s->stream, cudaSuccess};
    cuda_find_overlaps(s->view, s->plan->settings.contact.margin, s->collide, &launch);
    return taut_cuda_check(launch.error, "finding overlaps");
}

static taut_status query(taut_backend_state* s, const taut_query_batch* batch) {
    const taut_device_scope scope(s->device);
    taut_launch launch = {s->stream, cudaSuccess};
    cuda_query(s->view, *batch, s->collide, &launch);
    return taut_cuda_check(launch.error, "answering queries");
}

static void view(taut_backend_state* s, taut_field field, taut_array* out) {
    *out = taut_view_of(&s->view.f, &s->view.s, field, true);
}

/* ---- what it remembers ------------------------------------------------------------------------------------------- */

static taut_status cuda_remember(taut_backend_state* s, taut_memory* memory) {
    const taut_device_scope scope(s->device);
    taut_control control;
    const taut_status status = read_control(s, &control);
    if (status == TAUT_OK) {
        memory->report = control.report;
        memory->impulse_step = control.impulse_step;
        memory->largest = control.largest;
        memory->samples = control.samples;
        memory->retries = control.retries != 0;
        memory->done = control.done;
        memory->energies = control.energies;
        memory->guard = control.guard;
    }
    return status;
}

static taut_status cuda_recall(taut_backend_state* s, const taut_memory* memory) {
    const taut_device_scope scope(s->device);
    taut_launch launch = {s->stream, cudaSuccess};
    taut_control control;
    const taut_status status = read_control(s, &control);
    if (status != TAUT_OK) {
        return status;
    }
    control.report = memory->report;
    control.impulse_step = memory->impulse_step;
    control.largest = memory->largest;
    control.samples = memory->samples;
    control.retries = memory->retries;
    control.done = memory->done;
    control.energies = memory->energies;
    control.guard = memory->guard;
    control.tick = (uint32_t)(TAUT_FIRST_TICK + memory->report.steps);
    cudaError_t error = cudaMemcpyAsync(s->view.control, &control, sizeof control, cudaMemcpyHostToDevice, s->stream);
    if (error == cudaSuccess) {
        error = cudaStreamSynchronize(s->stream);
    }
    cuda_publish(s->inspect, s->mailbox.device, &launch);
    return taut_cuda_check(error != cudaSuccess ? error : launch.error, "restoring what the world remembers");
}

static void forget_bytes(const taut_backend_state* state, void* field, size_t bytes, cudaError_t* error) {
    if (*error == cudaSuccess && bytes > 0) {
        *error = cudaMemsetAsync(field, 0, bytes, state->stream);
    }
}

#define FORGET(type, name, count, columns)                                                                             \
    forget_bytes(state, f->name, (size_t)(count) * (size_t)(columns) * sizeof(type), &error);

/* The search clears what contacts leave behind. */
static taut_status cuda_forget(taut_backend_state* state) {
    const taut_device_scope scope(state->device);
    const taut_fields* f = &state->view.f;
    const taut_sizes* s = &state->view.s;
    taut_control* control = state->view.control;
    cudaError_t error = cudaSuccess;
    TAUT_FORGOTTEN_FIELDS(FORGET)
    forget_bytes(state, &control->impulse_step, sizeof control->impulse_step, &error);
    forget_bytes(state, &control->largest, sizeof control->largest, &error);
    forget_bytes(state, &control->samples, sizeof control->samples, &error);
    forget_bytes(state, &control->guard, sizeof control->guard, &error);
    forget_bytes(state, &control->retries, sizeof control->retries, &error);
    return taut_cuda_check(error, "forgetting impulses");
}

const taut_view* cuda_backend_view(const taut_backend_state* s) {
    return &s->view;
}

cudaStream_t cuda_backend_stream(const taut_backend_state* s) {
    return s->stream;
}

/* The stages of a step are NULL: the device runs a step as one graph. So is the direct method. */
static constexpr taut_backend cuda_backend() {
    taut_backend b = {};
    b.name = "cuda";
    b.available = available;
    b.sort = cuda_sort;
    b.create = create;
    b.destroy = destroy;
    b.carry = carry;
    b.assemble = assemble;
    b.evaluate = evaluate;
    b.step = step;
    b.retune = retune;
    b.ready = ready;
    b.kinematic_targets = kinematic_targets;
    b.sync = synchronise;
    b.poll = poll;
    b.download = download;
    b.upload = upload;
    b.apply = apply;
    b.right_hand_side = right_hand_side;
    b.velocity_side = velocity_side;
    b.find_contacts = find_contacts;
    b.find_overlaps = find_overlaps;
    b.query = query;
    b.view = view;
    b.remember = cuda_remember;
    b.recall = cuda_recall;
    b.forget = cuda_forget;
    return b;
}

extern "C" const taut_backend taut_cuda_backend = cuda_backend();
