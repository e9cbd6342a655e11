/* The outer loop of either solver: its scalars in the control block, set by one thread. */
#ifndef TAUT_CUDA_OUTER_CUH
#define TAUT_CUDA_OUTER_CUH

#include "kernels/cuda/device.cuh"
#include "kernels/stages/solve.h"

/* Before the first look at the residual. */
static __device__ inline void outer_begin(taut_control* control) {
    control->iterations = control->outer_iterations = control->stalled = control->lowerings = control->outer_start = 0;
    control->made = 0;
    control->inner = control->outer = control->undo = 0;
    control->closeness = taut_closeness_begin();
    control->residual = INFINITY;
}

/* What taut_outer_decide looks at. */
static __device__ inline taut_outer_state outer_state(const taut_control* control, double scale, bool shifted) {
    const taut_outer_state state = {scale,
                                    control->residual,
                                    control->iterations,
                                    control->outer_iterations,
                                    control->stalled,
                                    0,
                                    control->lowerings,
                                    control->iterations - control->outer_start,
                                    shifted,
                                    false,
                                    false};
    return state;
}

/* With the residual of the Schur complement just found, by one thread: whether another outer iteration follows. */
static __device__ inline void outer_decide(taut_control* control, const taut_device_params* params, double residual,
                                           bool active_set_changed, loop_handle outer) {
    taut_outer_state state = outer_state(control, control->scale, control->shifted != 0);
    state.active_set_changed = active_set_changed;
    control->outer = taut_outer_decide(&state, residual, params->tolerance, params->max_iterations);
    control->undo = state.undo;
    control->residual = state.undo ? state.residual : residual;
    control->stalled = state.stalled;
    control->lowerings = state.lowerings;
    control->lower = state.lower;
    go_on(outer, control->outer);
    if (!control->outer) {
        taut_outer_report(&state, control->residual, params->tolerance, params->max_iterations, &control->report);
    }
}

/* An outer iteration without iterations of its own counts as one. */
static __device__ inline void skip_pass(taut_control* control, loop_handle inner) {
    control->outer_start = control->iterations;
    control->iterations++;
    control->outer_iterations++;
    control->inner = 0;
    go_on(inner, false);
}

/* Opens an outer iteration to |r| <= goal, from r.z of its first direction. */
static __device__ inline void open_outer_iteration(taut_control* control, double goal, double rz, loop_handle inner) {
    control->goal = goal;
    control->rz = control->length = rz;
    control->beta = 0;
    control->outer_start = control->iterations;
    control->inner = 1;
    control->outer_iterations++;
    go_on(inner, 1);
}

#endif
