/* What the condensed solver does with r.z, by one thread. For files with TAUT_REAL double. */
#ifndef TAUT_CUDA_CONDENSED_DECIDE_CUH
#define TAUT_CUDA_CONDENSED_DECIDE_CUH

#include "kernels/cuda/condensed.cuh"
#include "kernels/cuda/outer.cuh"
#include "kernels/stages/condensed.h"
#include "kernels/stages/solve.h"

static __device__ inline condensed_residual condense_residual_now(const taut_control* control) {
    const taut_condensed_control* own = &control->condensed;
    const condensed_residual r = {own->rows, own->nodes, own->length, own->scale};
    return r;
}

/* The residuals just found. */
static __device__ inline condensed_residual condense_note(taut_control* control) {
    taut_condensed_control* own = &control->condensed;
    const condensed_scale scale = {own->rows_scale, own->nodes_scale, own->response};
    const condensed_motion start = {own->start[0], own->start[1]}, kept = {own->balance[0], own->balance[1]};
    const condensed_residual r = condensed_residual_of(scale, own->shifted ? kept : start, start, own->rows2);
    own->rows = r.rows;
    own->nodes = r.nodes;
    own->length = r.length;
    own->scale = r.scale;
    return r;
}

/* Whether another outer iteration follows, with the residuals just found. */
static __device__ void condense_decide(taut_control* control, const taut_device_params* params, loop_handle outer) {
    const condensed_residual r = condense_note(control);
    const condensed_residual before = {control->condensed.rows_before, control->condensed.nodes_before, r.length,
                                       r.scale};
    const double guide = condensed_guide(r, params->tolerance);
    taut_outer_state state = outer_state(control, 1, false);
    state.extra_stalls = control->condensed.extra_stalls;
    state.residual = condensed_guide_before(before, r, params->tolerance);
    state.active_set_changed = control->active_set_changed != 0;
    control->outer = taut_outer_decide(&state, guide, params->tolerance, params->max_iterations);
    control->stalled = state.stalled;
    control->condensed.rows_before = r.rows;
    control->condensed.nodes_before = r.nodes;
    go_on(outer, control->outer);
    if (!control->outer) {
        taut_outer_report(&state, condensed_worst(r), params->tolerance, params->max_iterations, &control->report);
        taut_bounds_report(&control->bound_sums, control->condensed.rows_scale, &control->report);
    }
}

/* `energy`: r.z is what the residual is measured in. */
static __device__ void condense_use(taut_control* control, const taut_device_params* params, bool energy,
                                    condense_role role, double rz, loop_handle loop) {
    taut_condensed_control* own = &control->condensed;
    switch (role) {
    case FOR_RESPONSE:
        own->response = rz;
        break;
    case FOR_BALANCE:
        own->balance[0] = energy ? rz : own->balance[0];
        go_on(loop, false);
        break;
    case FOR_START:
        own->start[0] = energy ? rz : own->start[0];
        condense_decide(control, params, loop);
        break;
    case FOR_LOOK:
        own->start[0] = energy ? rz : own->start[0];
        break;
    default:
        conclude_iteration(control, params, rz, loop);
        next_direction(control, rz);
        break;
    }
}

/* One case per kind with rows, for member m, constraint c of kind k. */
#define CONDENSED_ROWS_SWITCH(item)                                                                                    \
    switch (kind_of_member(&view.s, m, &c)) {                                                                          \
        TAUT_FORMULA_KINDS(item)                                                                                       \
    default:                                                                                                           \
        item##_OF(TAUT_LINEAR, 1);                                                                                     \
        break;                                                                                                         \
    }

#endif
