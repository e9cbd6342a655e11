/* The state moves on the CPU: a new one replaces the current one only when all of it is sound. */
#define TAUT_REAL double
#include "kernels/stages/integrate.h"
#include "kernels/stages/bounds.h"

#include "host/cpu/cpu_state.h"

#include <string.h>

/* A move of the state. */
typedef struct move_loop {
    const taut_plan* plan;
    const taut_factors* step;
    taut_move move;
    newton_action action;
    uint32_t tick;
    double weight;
    double *x_new, *v_new;
    _Atomic bool* unsound; /* of some node */
} move_loop;

static void commit_values(const void* context, uint32_t part, size_t first, size_t last) {
    const move_loop* l = context;
    (void)part;
    for (size_t i = first; i < last; i++) {
        commit_value(&l->plan->fields, &l->plan->sizes, i, l->move, l->tick, l->x_new, l->v_new);
    }
}

static void commit(taut_backend_state* state, taut_move move, const taut_factors* step, const double* x_new,
                   const double* v_new) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    const size_t values = 3 * plan->sizes.simple, frames = plan->sizes.frames;
    const double part = move_share(move, step) * step->h;
    const move_loop loop = {
        .plan = plan, .move = move, .tick = cpu_tick(state), .x_new = (double*)x_new, .v_new = (double*)v_new};
    cpu_for(plan, 0, values, CPU_PARALLEL_FROM, commit_values, &loop);
    for (size_t i = 0; i < frames; i++) {
        commit_frame(f, &plan->sizes, i, move, loop.tick, x_new, v_new);
    }
    CPU_OVER_MOVING(move_target(&f->kinds[k], c, moves, width, part))
    advance_clock(f, part);
    for (size_t c = 0; c < plan->sizes.count[TAUT_ANGULAR]; c++) {
        move_angle(f, &plan->sizes, c, move, x_new);
    }
}

/* Constraints with more force in them than they can bear. */
static void break_constraints(taut_backend_state* state) {
    const taut_plan* plan = state->plan;
    for (int k = 0; plan->sizes.bounded && k < TAUT_KIND_COUNT; k++) {
        const size_t rows = taut_kind_shapes[k].rows, count = rows > 0 ? plan->sizes.count[k] : 0;
        for (size_t c = 0; c < count; c++) {
            state->report.broken += break_constraint(&plan->fields, &plan->sizes, k, rows, c);
        }
    }
}

static void commit_rows(const void* context, uint32_t part, size_t first, size_t last) {
    const move_loop* l = context;
    (void)part;
    for (size_t i = first; i < last; i++) {
        commit_multiplier(&l->plan->fields, &l->plan->sizes, i, l->move, l->step, l->weight);
    }
}

static void commit_multipliers(taut_backend_state* state, taut_move move, const taut_factors* step) {
    const taut_plan* plan = state->plan;
    const move_loop loop = {.plan = plan, .step = step, .move = move, .weight = smoothing_weight(step, state->samples)};
    cpu_for_unknowns(plan, true, commit_rows, &loop);
    state->samples += is_end(move);
    if (is_end(move)) {
        break_constraints(state);
    }
}

/* Newton's iterate is kept or taken back with its impulses. */
static void move_impulses(taut_backend_state* state, taut_move move) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    const size_t rows = plan->sizes.rows;
    if (move == TAUT_MOVE_BEGIN) {
        newton_begin(&state->newton);
    }
    if (move == TAUT_MOVE_END && (plan->settings.integrator.newton > 1 || state->newton.solves > 1)) {
        newton_report(&state->newton, &state->report);
    }
    if (move == TAUT_MOVE_SPARE) {
        memcpy(f->gam_last, f->gam, rows * sizeof(double));
    } else if (move == TAUT_MOVE_RESTORE) {
        memcpy(f->gam, f->gam_last, rows * sizeof(double));
    } else if (move == TAUT_MOVE_AGAIN && state->newton.action == NEWTON_BACK) {
        for (size_t i = 0; i < rows; i++) {
            back_impulse(f, i);
        }
    }
}

static void start(const taut_plan* plan) {
    for (size_t n = 0; n < plan->sizes.nodes; n++) {
        start_node(&plan->fields, &plan->sizes, n);
    }
    for (size_t c = 0; c < plan->sizes.count[TAUT_ANGULAR]; c++) {
        start_angle(&plan->fields, c);
    }
}

static void reopen_rows(const void* context, uint32_t part, size_t first, size_t last) {
    const taut_plan* plan = context;
    (void)part;
    for (size_t i = first; i < last; i++) {
        reopen_row(&plan->fields, &plan->sizes, i);
    }
}

static void reopen(taut_backend_state* state) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    cpu_newton_scale(state);
    for (size_t n = 0; n < plan->sizes.nodes; n++) {
        reopen_node(f, &plan->sizes, n);
    }
    cpu_for_unknowns(plan, true, reopen_rows, plan);
    CPU_OVER_MOVING(for (size_t a = width * c; a < width * (c + 1); a++) { reopen_rest(&f->kinds[k], a); })
    reopen_clock(f);
    state->samples = state->kept_samples;
    state->report.broken = state->kept_report.broken;
}

static void guess(const taut_backend_state* state, double h) {
    const taut_plan* plan = state->plan;
    const bool warm = plan->settings.solver.warm_start && state->impulse_step > 0;
    const double carry = warm ? h / state->impulse_step : 0;
    for (size_t i = 0; i < plan->sizes.rows; i++) {
        carry_over(&plan->fields, &plan->sizes, i, carry, plan->settings.solver.proximal != 0);
    }
    for (size_t n = 0; n < plan->sizes.nodes; n++) {
        guess_node(&plan->fields, &plan->sizes, n, carry);
    }
}

static bool moves_state(taut_move move) {
    return move < TAUT_MOVE_START || move == TAUT_MOVE_POSITIONS || move == TAUT_MOVE_VELOCITIES;
}

static void advance_nodes(const void* context, uint32_t part, size_t first, size_t last) {
    const move_loop* l = context;
    const taut_plan* plan = l->plan;
    bool sound = true;
    (void)part;
    for (size_t n = first; n < last; n++) {
        sound = advance_node(&plan->fields, &plan->sizes, n, l->move, l->action, l->step, plan->settings.speed_limit,
                             l->x_new, l->v_new) &&
                sound;
    }
    if (!sound) {
        *l->unsound = true;
    }
}

void cpu_move(taut_backend_state* state, double h, taut_phase phase, taut_move move) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    const taut_factors step = taut_phase_factors(&plan->settings, phase, h);
    const size_t nodes = moves_state(move) ? plan->sizes.nodes : 0;
    double *x_new = f->node_scratch, *v_new = f->node_scratch + 3 * plan->sizes.nodes;
    _Atomic bool unsound = false;
    move_impulses(state, move);
    if (move == TAUT_MOVE_GUESS) {
        guess(state, h);
    }
    cpu_give_turns_back(plan, &step, move);
    const move_loop loop = {plan, &step, move, state->newton.action, 0, 0, x_new, v_new, &unsound};
    cpu_for(plan, 0, nodes, CPU_PARALLEL_FROM, advance_nodes, &loop);
    if (move == TAUT_MOVE_START) {
        start(plan);
    } else if (move == TAUT_MOVE_REOPEN) {
        reopen(state);
    } else if (unsound) {
        state->report.diverged = true;
    } else if (moves_state(move)) {
        commit(state, move, &step, x_new, v_new);
        if (brings_multipliers(move, phase)) {
            commit_multipliers(state, move, &step);
        }
    }
}
