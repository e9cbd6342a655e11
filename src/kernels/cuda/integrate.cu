/* Begin, integrate and end of a step: motion to goals, the new state, and its rejection when it is not sound. */
#define TAUT_REAL double
#include "kernels/stages/bounds.h"
#include "kernels/stages/integrate.h"

#include "kernels/cuda/mailbox.cuh"

static __global__ void params_kernel(taut_device_params* to, taut_device_params from) {
    *to = from;
}

/* Of a step in a graph of the user's: what it was captured with, or what has been set since. */
static __global__ void joined_params_kernel(taut_device_params* to, const taut_device_params* since,
                                            taut_device_params from) {
    *to = since->number > from.number ? *since : from;
}

static __global__ void reset_kernel(const __grid_constant__ taut_view view) {
    view.control->tick = TAUT_FIRST_TICK;
}

/* `fresh`: a step begins, with a new report. */
static __global__ void kinematic_targets_kernel(const __grid_constant__ taut_view view, bool fresh) {
    const size_t i = thread_index();
    taut_control* control = view.control;
    if (i < view.s.nodes) {
        begin_node(&view.f, &view.s, i, control->tick, view.params->dt, 1 - control->done);
    }
#define BEGIN_TARGET(name, k)                                                                                          \
    if (name##_MOVES > 0 && i < view.s.count[k]) {                                                                     \
        begin_target(&view.f.kinds[k], i, name##_MOVES, name##_REST, control->tick, view.params->dt);                  \
    }
    TAUT_FORMULA_KINDS(BEGIN_TARGET)
    if (i == 0) {
        control->shifted = control->condensed.shifted = 0;
    }
    if (i == 0 && fresh) {
        taut_report report = {};
        report.steps = control->report.steps;
        report.divergences = control->report.divergences;
        report.time = control->report.time;
        report.broken = control->report.broken;
        report.stretch = control->report.stretch;
        control->report = report;
        control->unsound = control->rejected = 0;
        control->before = control->energies;
        control->rate = (1 - control->done) / view.params->dt;
    }
}

/* Before a part of a step, or a whole substep: velocities of what turns on its way to a goal. */
static __global__ void turn_targets_kernel(const __grid_constant__ taut_view view) {
    const size_t i = thread_index();
    const taut_control* control = view.control;
    const double h = view.params->part;
    const double left = 1 - control->done, next = left - control->rate * h;
    if (i < view.s.nodes && !control->unsound) {
        turn_node(&view.f, &view.s, i, control->tick, left, next, h);
    }
    if (i < view.s.count[TAUT_TARGET] && !control->unsound) {
        turn_target(&view.f.kinds[TAUT_TARGET], i, control->tick, left, next, h);
    }
}

/* Impulses of a move: Newton's iterate goes half way back with them, projections spare them. */
static __global__ void impulses_kernel(const __grid_constant__ taut_view view, taut_move move) {
    const size_t i = thread_index();
    taut_control* control = view.control;
    if (i < view.s.rows && !control->unsound) {
        if (move == TAUT_MOVE_SPARE) {
            view.f.gam_last[i] = view.f.gam[i];
        } else if (move == TAUT_MOVE_RESTORE) {
            view.f.gam[i] = view.f.gam_last[i];
        } else if (move == TAUT_MOVE_AGAIN && control->newton.action == NEWTON_BACK) {
            back_impulse(&view.f, i);
        }
    }
    if (i == 0 && move == TAUT_MOVE_BEGIN) {
        newton_begin(&control->newton);
    }
}

/* The first iterate, and the impulses that go with it. */
static __global__ void guess_kernel(const __grid_constant__ taut_view view) {
    const taut_control* control = view.control;
    const bool warm = view.params->warm_start && control->impulse_step > 0;
    const double carry = warm ? view_factors(view).h / control->impulse_step : 0;
    const size_t i = thread_index();
    if (i < view.s.rows && !control->unsound) {
        carry_over(&view.f, &view.s, i, carry, view.params->proximal);
    }
    if (i < view.s.nodes && !control->unsound) {
        guess_node(&view.f, &view.s, i, carry);
    }
}

/* Keeps the state as the start of a substep. */
static __global__ void start_kernel(const __grid_constant__ taut_view view) {
    const size_t n = thread_index();
    if (n < view.s.nodes && !view.control->unsound) {
        start_node(&view.f, &view.s, n);
    }
    if (n < view.s.count[TAUT_ANGULAR] && !view.control->unsound) {
        start_angle(&view.f, n);
    }
}

/* Angles follow the frames that a move has turned. */
static __global__ void angles_kernel(const __grid_constant__ taut_view view, taut_move move) {
    const size_t c = thread_index();
    if (c < view.s.count[TAUT_ANGULAR] && !view.control->unsound) {
        move_angle(&view.f, &view.s, c, move, view.f.node_scratch);
    }
}

/* After a substep that diverged the rest of the step leaves the state alone: unsound stays set until the next begin. */
static __global__ void advance_kernel(const __grid_constant__ taut_view view, taut_move move) {
    const size_t n = thread_index();
    if (n >= view.s.nodes || view.control->unsound) {
        return;
    }
    double* x_new = view.f.node_scratch;
    double* v_new = x_new + 3 * view.s.nodes;
    if (!advance_node(&view.f, &view.s, n, move, view.control->newton.action, &view_factors(view),
                      view.params->speed_limit, x_new, v_new)) {
        view.control->unsound = 1; /* every writer writes the same */
    }
}

/* Once after the move that failed: the state that the substep began with. */
static __device__ void reject(const taut_view& view, size_t i, taut_move move) {
    const double undo = -moved_share(move) * view_factors(view).h;
    if (i < view.s.nodes && has_begun(move)) {
        return_node(&view.f, &view.s, i);
    }
    if (i < view.s.count[TAUT_ANGULAR] && has_begun(move) && !keeps_start(move)) {
        return_angle(&view.f, i);
    }
    if (i < view.s.unknowns) {
        view.f.gam[i] = 0;
    }
#define UNDO_TARGET(name, k)                                                                                           \
    if (name##_MOVES > 0 && i < view.s.count[k]) {                                                                     \
        move_target(&view.f.kinds[k], i, name##_MOVES, name##_REST, undo);                                             \
    }
    TAUT_FORMULA_KINDS(UNDO_TARGET)
    if (i == 0) {
        advance_clock(&view.f, undo);
    }
}

static __device__ void accept(const taut_view& view, size_t i, taut_move move) {
    const taut_factors& step = view_factors(view);
    const double part = move_share(move, &step) * step.h;
    double *x_new = view.f.node_scratch, *v_new = view.f.node_scratch + 3 * view.s.nodes;
    if (i < 3 * view.s.simple) {
        commit_value(&view.f, &view.s, i, move, view.control->tick, x_new, v_new);
    }
    if (i < view.s.frames) {
        commit_frame(&view.f, &view.s, i, move, view.control->tick, x_new, v_new);
    }
    if (i < view.s.rows && brings_multipliers(move, view.phase)) {
        commit_multiplier(&view.f, &view.s, i, move, &step, smoothing_weight(&step, view.control->samples));
    }
#define MOVE_TARGET(name, k)                                                                                           \
    if (name##_MOVES > 0 && i < view.s.count[k]) {                                                                     \
        move_target(&view.f.kinds[k], i, name##_MOVES, name##_REST, part);                                             \
    }
    TAUT_FORMULA_KINDS(MOVE_TARGET)
    if (i == 0) {
        advance_clock(&view.f, part);
    }
}

static __global__ void commit_kernel(const __grid_constant__ taut_view view, taut_move move) {
    const size_t i = thread_index();
    taut_control* control = view.control;
    const bool sound = !control->unsound;
    const double h = view_factors(view).h;
    if (sound) {
        accept(view, i, move);
    } else if (!control->rejected) {
        reject(view, i, move);
    }
    if (grid_done(view)) {
        control->impulse_step = sound ? h : 0;
        control->samples += sound && is_end(move);
        control->rejected = !sound;
        control->report.diverged = !sound;
        if (sound && move == TAUT_MOVE_END && (view.params->newton > 1 || control->newton.solves > 1)) {
            newton_report(&control->newton, &control->report);
        }
    }
}

static __global__ void reopen_kernel(const __grid_constant__ taut_view view) {
    const size_t i = thread_index();
    taut_control* control = view.control;
    const bool sound = !control->unsound;
    if (sound && i < view.s.nodes) {
        reopen_node(&view.f, &view.s, i);
    }
    if (sound && i < view.s.rows) {
        reopen_row(&view.f, &view.s, i);
    }
#define REOPEN_REST(name, k)                                                                                           \
    for (size_t a = name##_REST * i; name##_MOVES > 0 && sound && i < view.s.count[k] && a < name##_REST * (i + 1);    \
         a++) {                                                                                                        \
        reopen_rest(&view.f.kinds[k], a);                                                                              \
    }
    TAUT_FORMULA_KINDS(REOPEN_REST)
    if (i == 0 && sound) {
        reopen_clock(&view.f);
        control->samples = control->kept_samples;
        control->report.broken = control->kept_report.broken;
    }
}

/* Constraints with more force in them than they can bear. */
static __global__ void break_kernel(const __grid_constant__ taut_view view) {
    double sums[1] = {0};
    for (size_t m = thread_index(); m < member_total(view.s) && !view.control->unsound; m += thread_count()) {
        size_t c;
        switch (kind_of_member(&view.s, m, &c)) {
#define BREAK(name, k)                                                                                                 \
    case k:                                                                                                            \
        if (name##_ROWS > 0) {                                                                                         \
            sums[0] += break_constraint(&view.f, &view.s, k, name##_ROWS, c);                                          \
        }                                                                                                              \
        break;
            TAUT_FORMULA_KINDS(BREAK)
        default:
            sums[0] += break_constraint(&view.f, &view.s, TAUT_LINEAR, 1, c);
            break;
        }
    }
    if (grid_sums(view, sums, 1)) {
        view.control->report.broken += (uint32_t)sums[0];
    }
}

/* Sends the report unless `slots` is NULL. */
static __global__ void end_kernel(const __grid_constant__ taut_view view, taut_letter* slots) {
    const size_t i = thread_index();
    taut_control* control = view.control;
    const bool sound = !control->unsound;
    if (sound && i < view.s.nodes) {
        end_node(&view.f, &view.s, i, control->tick);
    }
#define END_TARGET(name, k)                                                                                            \
    if (name##_MOVES > 0 && sound && i < view.s.count[k]) {                                                            \
        end_target(&view.f.kinds[k], i, name##_MOVES, name##_REST, control->tick);                                     \
    }
    TAUT_FORMULA_KINDS(END_TARGET)
    if (grid_done(view)) {
        control->report.steps += sound;
        control->report.divergences += !sound;
        control->done = sound ? 0 : control->done;
        control->tick = (uint32_t)(TAUT_FIRST_TICK + control->report.steps);
        if (slots != NULL) {
            send_report(control, slots);
        }
    }
}

/* What users see; then the report is sent. */
static __global__ void publish_kernel(const __grid_constant__ taut_view view, taut_letter* slots) {
    const size_t i = thread_index();
    if (view.s.nodes_move && i < view.s.points) {
        publish_node(&view.f, i);
    }
    if (view.s.rows_move && i < view.s.rows) {
        publish_row(&view.f, i);
    }
    if (grid_done(view)) {
        send_report(view.control, slots);
    }
}

static size_t largest(size_t a, size_t b) {
    return a > b ? a : b;
}

/* Constraints of the largest kind with rest values that move. */
static size_t movers(const taut_view& view) {
    size_t most = 0;
#define COUNT_MOVERS(name, k) most = name##_MOVES > 0 ? largest(most, view.s.count[k]) : most;
    TAUT_FORMULA_KINDS(COUNT_MOVERS)
    return most;
}

void cuda_set_params(const taut_view& view, const taut_device_params& params, taut_launch* launch) {
    TAUT_LAUNCH_ONE(launch, params_kernel, (taut_device_params*)view.params, params);
}

void cuda_set_joined_params(const taut_view& view, const taut_device_params* since, const taut_device_params& params,
                            taut_launch* launch) {
    TAUT_LAUNCH_ONE(launch, joined_params_kernel, (taut_device_params*)view.params, since, params);
}

void cuda_reset(const taut_view& view, taut_launch* launch) {
    TAUT_LAUNCH_ONE(launch, reset_kernel, view);
}

static void kinematic_targets(const taut_view& view, bool fresh, taut_launch* launch) {
    TAUT_LAUNCH(launch, kinematic_targets_kernel, taut_grid(largest(view.s.nodes, movers(view))), view, fresh);
}

void cuda_kinematic_targets(const taut_view& view, taut_launch* launch) {
    kinematic_targets(view, false, launch);
}

void cuda_begin(const taut_view& view, taut_launch* launch) {
    kinematic_targets(view, true, launch);
}

void cuda_turn_targets(const taut_view& view, taut_launch* launch) {
    const size_t items = largest(view.s.nodes, view.s.count[TAUT_TARGET]);
    TAUT_LAUNCH(launch, turn_targets_kernel, taut_grid(items), view);
}

/* The scale of residuals is that of the system of the step. */
static void reopen(taut_view view, taut_launch* launch) {
    view.phase = TAUT_PHASE_STEP;
    cuda_newton_scale(view, launch);
    TAUT_LAUNCH(launch, reopen_kernel, taut_grid(largest(largest(view.s.nodes, view.s.rows), movers(view))), view);
}

void cuda_move(const taut_view& view, taut_move move, taut_launch* launch) {
    const size_t items = largest(largest(3 * view.s.nodes, view.s.unknowns), movers(view));
    const bool spares = move == TAUT_MOVE_SPARE || move == TAUT_MOVE_RESTORE;
    if (move == TAUT_MOVE_START) {
        TAUT_LAUNCH(launch, start_kernel, taut_grid(largest(view.s.nodes, view.s.count[TAUT_ANGULAR])), view);
        return;
    }
    if (move == TAUT_MOVE_REOPEN) {
        reopen(view, launch);
        return;
    }
    if (spares || move == TAUT_MOVE_BEGIN || move == TAUT_MOVE_AGAIN) {
        TAUT_LAUNCH(launch, impulses_kernel, taut_grid(view.s.rows), view, move);
    }
    if (move == TAUT_MOVE_GUESS) {
        TAUT_LAUNCH(launch, guess_kernel, taut_grid(largest(view.s.nodes, view.s.rows)), view);
    }
    if (!spares) {
        cuda_give_turns_back(view, move, launch);
        TAUT_LAUNCH(launch, advance_kernel, taut_grid(view.s.nodes), view, move);
        TAUT_LAUNCH(launch, commit_kernel, taut_grid(items), view, move);
    }
    if (view.s.count[TAUT_ANGULAR] > 0 && !spares) {
        TAUT_LAUNCH(launch, angles_kernel, taut_grid(view.s.count[TAUT_ANGULAR]), view, move);
    }
    if (view.s.bounded && is_end(move)) {
        TAUT_LAUNCH(launch, break_kernel, taut_sum_grid(member_total(view.s)), view);
    }
}

void cuda_end(const taut_view& view, taut_letter* slots, taut_launch* launch) {
    const bool moved = view.s.nodes_move || view.s.rows_move;
    TAUT_LAUNCH(launch, end_kernel, taut_grid(largest(view.s.nodes, movers(view))), view, moved ? NULL : slots);
    if (moved) {
        cuda_publish(view, slots, launch);
    }
}

void cuda_publish(const taut_view& view, taut_letter* slots, taut_launch* launch) {
    const size_t nodes = view.s.nodes_move ? view.s.points : 0, rows = view.s.rows_move ? view.s.rows : 0;
    TAUT_LAUNCH(launch, publish_kernel, taut_grid(largest(nodes, rows)), view, slots);
}
