/* The step as one graph: captured once per scheme (taut_scheme); everything else that
 * may change reaches it through the parameters in device memory. */
#include "kernels/cuda/crossings.cuh"
#include "kernels/cuda/guard.cuh"
#include "kernels/cuda/solve.cuh"
#include "kernels/cuda/state.cuh"

extern "C" {
#include "base/ranges.h"
#include "base/status.h"
#include "model/step_program.h"
}

/* Ends the time of `stage`, or starts the clock: the stages of a substep follow each other without a gap. */
static __global__ void mark_kernel(const __grid_constant__ taut_view view, int stage) {
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    if (stage < TAUT_STAGE_COUNT) {
        view.control->report.stage_seconds[stage] += 1e-9 * (double)(now - view.control->mark);
    }
    view.control->mark = now;
}

static void mark(const taut_backend_state* s, const taut_view& view, int stage, taut_launch* launch) {
    if (s->plan->profile) {
        TAUT_LAUNCH_ONE(launch, mark_kernel, view, stage);
    }
}

static void stage_begin(const taut_backend_state* s, taut_stage stage) {
    taut_range_push(s->plan->ranges, taut_stage_name(stage));
}

static void stage_end(const taut_backend_state* s, const taut_view& view, taut_stage stage, taut_launch* launch) {
    mark(s, view, stage, launch);
    taut_range_pop(s->plan->ranges);
}

/* The operations of model/step_program.h, enqueued. */
typedef struct enqueuer {
    const taut_backend_state* state;
    taut_view view;
    taut_launch* launch;
    taut_while newton, solving;
} enqueuer;

static taut_view view_of(const enqueuer* e, taut_phase phase) {
    taut_view view = e->view;
    view.phase = phase;
    return view;
}

static void do_collide(void* self) {
    const enqueuer* e = (const enqueuer*)self;
    if (e->view.s.touches) {
        stage_begin(e->state, TAUT_STAGE_COLLIDE);
        cuda_collide(e->view, e->state->collide, e->launch);
        stage_end(e->state, e->view, TAUT_STAGE_COLLIDE, e->launch);
    }
    const taut_integrator* own = &e->state->plan->settings.integrator;
    if (own->guard || own->newton > 1) {
        cuda_guard_note(e->view, e->launch);
    }
}

static void do_assemble(void* self, taut_phase phase) {
    const enqueuer* e = (const enqueuer*)self;
    stage_begin(e->state, TAUT_STAGE_ASSEMBLE);
    cuda_assemble(view_of(e, phase), e->state->plan->settings, e->launch);
    stage_end(e->state, e->view, TAUT_STAGE_ASSEMBLE, e->launch);
}

static void do_solve(void* self, taut_phase phase) {
    const enqueuer* e = (const enqueuer*)self;
    stage_begin(e->state, TAUT_STAGE_SOLVE);
    cuda_solve(view_of(e, phase), e->state->plan->settings, e->launch);
    stage_end(e->state, e->view, TAUT_STAGE_SOLVE, e->launch);
}

static void do_move(void* self, taut_phase phase, taut_move move) {
    const enqueuer* e = (const enqueuer*)self;
    stage_begin(e->state, TAUT_STAGE_INTEGRATE);
    cuda_move(view_of(e, phase), move, e->launch);
    stage_end(e->state, e->view, TAUT_STAGE_INTEGRATE, e->launch);
}

static void do_evaluate(void* self) {
    const enqueuer* e = (const enqueuer*)self;
    stage_begin(e->state, TAUT_STAGE_EVALUATE);
    cuda_evaluate(e->view, e->launch);
    stage_end(e->state, e->view, TAUT_STAGE_EVALUATE, e->launch);
}

static void do_check_residual(void* self, taut_phase phase) {
    enqueuer* e = (enqueuer*)self;
    while_handle(e->launch, &e->solving);
    stage_begin(e->state, TAUT_STAGE_SOLVE);
    cuda_check_residual(view_of(e, phase), e->newton.handle, e->solving.handle, e->launch);
    stage_end(e->state, e->view, TAUT_STAGE_SOLVE, e->launch);
}

static void do_repeat(void* self, taut_program_part* body, taut_phase phase);
static void do_if_solving(void* self, taut_program_part* body, taut_phase phase);
static void do_if_ahead(void* self, bool ahead, taut_program_part* body, taut_phase phase);
static void do_if_stretched(void* self, taut_program_part* body, taut_phase phase);

static taut_program program_of(enqueuer* e) {
    const taut_program program = {
        e,         do_collide,    do_assemble, do_solve,       do_move, do_evaluate, do_check_residual,
        do_repeat, do_if_solving, do_if_ahead, do_if_stretched};
    return program;
}

static void do_repeat(void* self, taut_program_part* body, taut_phase phase) {
    enqueuer* e = (enqueuer*)self;
    const taut_program program = program_of(e);
    while_handle(e->launch, &e->newton);
    cuda_set_handle(e->view, e->newton.handle, true, e->launch);
    while_begin(e->launch, &e->newton);
    body(&program, phase);
    while_end(e->launch, &e->newton);
}

/* A loop of one round. */
static void do_if_solving(void* self, taut_program_part* body, taut_phase phase) {
    enqueuer* e = (enqueuer*)self;
    const taut_program program = program_of(e);
    taut_while once = e->solving;
    while_begin(e->launch, &once);
    cuda_set_handle(e->view, once.handle, false, e->launch);
    body(&program, phase);
    while_end(e->launch, &once);
}

/* Likewise, if the handle is set. */
static void once_if(enqueuer* e, taut_while* once, taut_program_part* body, taut_phase phase) {
    const taut_program program = program_of(e);
    while_begin(e->launch, once);
    cuda_set_handle(e->view, once->handle, false, e->launch);
    body(&program, phase);
    while_end(e->launch, once);
}

static void do_if_ahead(void* self, bool ahead, taut_program_part* body, taut_phase phase) {
    enqueuer* e = (enqueuer*)self;
    taut_while once = {};
    while_handle(e->launch, &once);
    cuda_look_ahead(e->view, once.handle, ahead, e->launch);
    once_if(e, &once, body, phase);
}

static void do_if_stretched(void* self, taut_program_part* body, taut_phase phase) {
    enqueuer* e = (enqueuer*)self;
    taut_while once = {};
    while_handle(e->launch, &once);
    cuda_look_stretched(e->view, once.handle, e->launch);
    once_if(e, &once, body, phase);
}

static void enqueue_substep(const taut_backend_state* s, const taut_view& view, taut_launch* launch) {
    const taut_integrator& integrator = s->plan->settings.integrator;
    enqueuer e = {s, view, launch, {}, {}};
    const taut_program program = program_of(&e);
    mark(s, view, TAUT_STAGE_COUNT, launch);
    cuda_turn_targets(view, launch);
    taut_program_substep(&program, &integrator);
    cuda_record_events(view, false, s->collide, launch);
    cuda_end_substep(view, launch);
}

static void enqueue_zones(const enqueuer* e, taut_while* zones, taut_launch* launch) {
    while_begin(launch, zones);
    cuda_move_zones(e->view, zones->handle, e->state->collide, launch);
    while_end(launch, zones);
}

/* The substep, again with contacts of what would have passed through each other; then zones of what still would. */
static void enqueue_watched(enqueuer* e, taut_launch* launch) {
    taut_while rounds = {}, again = {}, zones = {};
    const taut_program program = program_of(e);
    while_handle(launch, &rounds);
    while_handle(launch, &zones);
    taut_crossing_loops loops = {rounds.handle, no_loop, zones.handle};
    cuda_begin_crossings(e->view, loops, launch);
    while_begin(launch, &rounds);
    while_handle(launch, &again);
    loops.again = again.handle;
    taut_program_substep(&program, &e->state->plan->settings.integrator);
    cuda_find_crossings(e->view, launch);
    cuda_judge_crossings(e->view, loops, launch);
    while_begin(launch, &again);
    cuda_list_crossings(e->view, e->state->collide, launch);
    cuda_guard_rewind(e->view, launch);
    cuda_again_crossings(e->view, loops, launch);
    while_end(launch, &again);
    while_end(launch, &rounds);
    enqueue_zones(e, &zones, launch);
}

/* What was slowed down may be overtaken by what moves on. Then the part is over. */
static void enqueue_overtaken(const enqueuer* e, const taut_guard_loops& loops, taut_while* overtaken,
                              taut_while* zones, taut_launch* launch) {
    while_begin(launch, overtaken);
    cuda_find_crossings(e->view, launch);
    cuda_judge_overtaken(e->view, overtaken->handle, zones->handle, launch);
    while_end(launch, overtaken);
    enqueue_zones(e, zones, launch);
    cuda_guard_finish(e->view, loops, launch);
    cuda_turn_contacts(e->view, launch);
}

/* The substep in parts: a WHILE node over attempts, and within it one for less motion and one that restores. */
static void enqueue_guarded(const taut_backend_state* s, const taut_view& view, taut_launch* launch) {
    taut_while parts = {}, calmer = {}, again = {}, overtaken = {}, zones = {};
    taut_view live = view;
    live.params = params_of(s->view.params, TAUT_PARAMS_LIVE);
    enqueuer e = {s, live, launch, {}, {}};
    const taut_program program = program_of(&e);
    while_handle(launch, &parts);
    taut_guard_loops loops = {parts.handle, no_loop, no_loop, no_loop, no_loop};
    cuda_guard_begin(live, loops, launch);
    while_begin(launch, &parts);
    while_handle(launch, &calmer);
    while_handle(launch, &again);
    loops.calmer = calmer.handle;
    loops.again = again.handle;
    cuda_guard_keep(live, view.params, launch);
    mark(s, live, TAUT_STAGE_COUNT, launch);
    if (live.s.watches) {
        while_handle(launch, &overtaken);
        while_handle(launch, &zones);
        loops.overtaken = overtaken.handle;
        loops.zones = zones.handle;
        enqueue_watched(&e, launch);
    } else {
        taut_program_substep(&program, &s->plan->settings.integrator);
    }
    cuda_guard_judge(live, loops, launch);
    while_begin(launch, &calmer);
    cuda_guard_calm(live, launch);
    cuda_guard_judge(live, loops, launch);
    while_end(launch, &calmer);
    if (live.s.watches) {
        enqueue_overtaken(&e, loops, &overtaken, &zones, launch);
    }
    cuda_record_events(live, false, s->collide, launch);
    while_begin(launch, &again);
    cuda_guard_restore(live, loops, launch);
    while_end(launch, &again);
    while_end(launch, &parts);
}

static void enqueue_step(const taut_backend_state* s, const taut_view& view, taut_launch* launch) {
    cuda_record_events(view, true, s->collide, launch);
    cuda_begin(view, launch);
    for (uint32_t i = 0; i < s->plan->settings.integrator.substeps; i++) {
        (s->plan->settings.integrator.guard ? enqueue_guarded : enqueue_substep)(s, view, launch);
    }
    cuda_end(view, s->mailbox.device, launch);
}

void step_graph_drop(taut_backend_state* s) {
    if (s->graph != NULL) {
        cudaGraphExecDestroy(s->graph);
    }
    if (s->source != NULL) {
        cudaGraphDestroy(s->source);
    }
    s->graph = NULL;
    s->source = NULL;
}

static taut_status capture(taut_backend_state* s) {
    taut_launch launch = {s->side, cudaSuccess};
    taut_status status =
        taut_cuda_check(cudaStreamBeginCapture(s->side, cudaStreamCaptureModeThreadLocal), "beginning a capture");
    if (status != TAUT_OK) {
        return status;
    }
    enqueue_step(s, s->view, &launch);
    const cudaError_t ended = cudaStreamEndCapture(s->side, &s->source);
    status = taut_cuda_check(launch.error != cudaSuccess ? launch.error : ended, "capturing the step");
    if (status == TAUT_OK) {
        status = taut_cuda_check(cudaGraphInstantiate(&s->graph, s->source, 0), "instantiating the step");
    }
    if (status == TAUT_OK) { /* now, so that the first launch has no more to do than the others */
        status = taut_cuda_check(cudaGraphUpload(s->graph, s->stream), "uploading the step");
    }
    return status;
}

taut_status step_graph_prepare(taut_backend_state* s) {
    const taut_scheme scheme = scheme_of(s->plan->settings);
    if (s->graph != NULL && same_scheme(scheme, s->captured)) {
        return TAUT_OK;
    }
    taut_range_push(s->plan->ranges, "capture");
    /* Steps under way need the handles of their loops. */
    taut_status status = s->graph != NULL ? taut_cuda_check(cudaStreamSynchronize(s->stream), "a step") : TAUT_OK;
    step_graph_drop(s);
    if (status == TAUT_OK) {
        status = capture(s);
    }
    if (status != TAUT_OK) {
        step_graph_drop(s);
    }
    s->captured = scheme;
    taut_range_pop(s->plan->ranges);
    return status;
}

taut_status step_graph_launch(taut_backend_state* s) {
    return taut_cuda_check(cudaGraphLaunch(s->graph, s->stream), "launching the step");
}

/* Parameters are a node of the graph: written by the host they would reach steps that still run. Evaluates first:
 * between launches of the user's graph the state may have been written. */
taut_status step_graph_join(taut_backend_state* s, const taut_device_params params[TAUT_LEVELS_OF_PARAMS]) {
    taut_launch launch = {s->stream, cudaSuccess};
    for (int level = 0; level < levels_of_params(s); level++) {
        taut_view joined = s->joined;
        joined.params += level;
        cuda_set_joined_params(joined, params_of(s->view.params, TAUT_PARAMS_RETUNED) + level, params[level], &launch);
    }
    cuda_evaluate(s->joined, &launch);
    enqueue_step(s, s->joined, &launch);
    if (launch.error == cudaSuccess) {
        s->joined_scheme = scheme_of(s->plan->settings);
    }
    return taut_cuda_check(launch.error, "capturing the step");
}
