/* Contacts that slide or bounce otherwise than the start of a substep told, on the device: the solve as a WHILE node,
 * whose rounds are counted in the control block (stages/contact/sliding.h, bouncing.h). */
#define TAUT_REAL double
#include "kernels/stages/contact/bouncing.h"
#include "kernels/stages/contact/stalling.h"

#include "kernels/cuda/solve.cuh"

static __global__ void begin_kernel(const __grid_constant__ taut_view view, loop_handle rounds) {
    taut_control* control = view.control;
    control->sliding_round = 0;
    control->bounce_round = 0;
    control->slides = control->bounces = control->stalls = 0;
    control->sliding_before = control->report.outcome;
    control->residual_before = control->report.residual;
    control->complementarity_before = control->report.complementarity;
    go_on(rounds, true);
}

/* For one thread, after all contacts. */
static __device__ bool stall_motors(const taut_view& view) {
    bool any = false;
    for (size_t e = 0; e < view.s.eager; e++) {
        any = stall_motor(&view.f, e, &view_factors(view)) || any;
    }
    return any;
}

static __device__ void return_to_ends(taut_control* control) {
    control->report.outcome = control->sliding_before;
    control->report.residual = control->residual_before;
    control->report.complementarity = control->complementarity_before;
}

static __device__ void forget_pressed(const taut_view& view) {
    for (size_t e = 0; e < view.s.eager; e++) {
        view.f.eager_pressed[e] = 0;
    }
}

/* After a solve: whether contacts follow, first what bounces; and motors. */
static __global__ void look_kernel(const __grid_constant__ taut_view view) {
    taut_control* control = view.control;
    double sums[2] = {0, 0};
    for (size_t c = thread_index(); view.s.eager > 0 && c < view.s.count[TAUT_CONTACT]; c += thread_count()) {
        const pressed_contact at = look_at_contact(&view.f, &view.s, c, &view_factors(view));
        note_contact(&view.f, &view.s, &at, false, &view_factors(view));
    }
    for (size_t c = thread_index(); c < view.s.count[TAUT_CONTACT] && control->sliding_round == 0;
         c += thread_count()) {
        sums[0] += slides_otherwise(&view.f, &view.s, c, &view_factors(view));
        sums[1] += control->bounce_round < TAUT_BOUNCE_ROUNDS &&
                   note_bounce(&view.f, &view.s, c, &view_factors(view), control->bounce_round);
    }
    if (grid_sums(view, sums, 2)) {
        const bool solved = control->report.outcome <= control->sliding_before;
        const bool any = control->sliding_round > 0 ? control->sliding_round < TAUT_SLIDING_ROUNDS : sums[0] > 0;
        control->bounces = solved && sums[1] > 0;
        control->stalls = (solved ? control->bounces == 0 && control->sliding_round < TAUT_SLIDING_ROUNDS
                                  : control->sliding_round + control->bounce_round == 0) &&
                          stall_motors(view);
        forget_pressed(view);
        if (!solved && control->stalls != 0) { /* a system in which they do not may be one that cannot be solved */
            return_to_ends(control);
        }
        control->slides = solved && any && control->bounces == 0;
        const bool begins_anew = !solved && control->stalls != 0;
        control->bounce_round = control->bounces != 0 ? control->bounce_round + 1
                                : begins_anew         ? 0
                                                      : TAUT_BOUNCE_ROUNDS;
    }
}

static __global__ void follow_kernel(const __grid_constant__ taut_view view, loop_handle rounds) {
    taut_control* control = view.control;
    double sums[1] = {0};
    for (size_t c = thread_index(); c < view.s.count[TAUT_CONTACT] && control->slides != 0; c += thread_count()) {
        sums[0] += follow_sliding(&view.f, &view.s, c, &view_factors(view), control->sliding_round);
    }
    for (size_t c = thread_index(); c < view.s.count[TAUT_CONTACT] && control->bounces != 0; c += thread_count()) {
        follow_bounce(&view.f, &view.s, c);
    }
    for (size_t n = thread_index();
         n < view.s.nodes && (control->slides != 0 || control->bounces != 0 || control->stalls != 0);
         n += thread_count()) {
        guess_from_solution(&view.f, &view.s, n);
    }
    if (grid_sums(view, sums, 1)) {
        const bool again = sums[0] > 0 || control->bounces != 0 || control->stalls != 0;
        control->sliding_round += again && control->bounces == 0;
        control->impulse_step = again ? view_factors(view).h : control->impulse_step; /* gam is that of this system */
        go_on(rounds, again);
    }
}

bool cuda_sliding_follows(const taut_view& view, const taut_settings& settings) {
    return may_follow_sliding(&view.s, settings.contact.law == TAUT_CONTACT_CONVEX, view.phase);
}

void cuda_begin_sliding(const taut_view& view, loop_handle rounds, taut_launch* launch) {
    TAUT_LAUNCH_ONE(launch, begin_kernel, view, rounds);
}

void cuda_follow_sliding(const taut_view& view, loop_handle rounds, taut_launch* launch) {
    const unsigned grid = taut_sum_grid(view.s.count[TAUT_CONTACT]);
    TAUT_LAUNCH(launch, look_kernel, grid, view);
    TAUT_LAUNCH(launch, follow_kernel, grid, view, rounds);
}
