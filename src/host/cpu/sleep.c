/* Which islands sleep (taut_sleep): decided where a step begins, by what components have done in the steps before. */
#define TAUT_REAL double
#include "kernels/stages/contact/collide.h"
#include "kernels/stages/evaluate.h"

#include "host/cpu/cpu_islands.h"
#include "host/cpu/cpu_segments.h"
#include "host/cpu/cpu_sleep.h"

#include <string.h>

/* The mean velocity is that of the last quarter of the time: what rattles where it is has none. By how much faster than
 * the limit it may be for a moment. */
#define SLEEP_MEAN  0.25
#define SLEEP_BURST 4
/* The part of the speed limit by which the mean velocity of what rests may change while it hardly moves: what turns
 * back, as a pendulum does, is slow for a while and does not rest. */
#define SLEEP_CHANGE 0.25

static double square_of(const double* v) {
    return vec3_dot(v, v);
}

/* ---- islands ----------------------------------------------------------------------------------------------------- */

static void find_islands(const taut_plan* plan) {
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    cpu_join_touching(plan);
    for (size_t i = 0; i < s->frames; i++) { /* both nodes of a body */
        if (f->frame_centre[i] != TAUT_NO_NODE) {
            cpu_join_two(plan, f->node_component[f->frame_centre[i]], f->node_component[s->points + i]);
        }
    }
    cpu_name_islands(plan);
    memcpy(f->sleep_island, f->island_of, s->components * sizeof *f->sleep_island);
}

/* Drives and targets that move. */
static void stir_moving_targets(const taut_plan* plan) {
    const taut_fields* f = &plan->fields;
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        const size_t moves = taut_kind_shapes[k].moves, nodes = taut_kind_shapes[k].nodes;
        for (size_t i = 0; moves > 0 && i < moves * plan->sizes.count[k]; i++) {
            for (size_t slot = 0; f->kinds[k].rate[i] != 0 && slot < nodes; slot++) {
                cpu_stir(plan, f->node_component[f->kinds[k].nodes[nodes * (i / moves) + slot]]);
            }
        }
    }
}

/* Motors: rows that ask for a speed. */
static void stir_motors(const taut_plan* plan) {
    const taut_fields* f = &plan->fields;
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        const taut_kind_fields* kind = &f->kinds[k];
        const size_t nodes = taut_kind_shapes[k].nodes;
        for (size_t c = 0; may_be_motor(k) && c < plan->sizes.count[k]; c++) {
            const bool drives = asks_for_speed(kind, c) && asked_speed(kind, k, c) != 0;
            for (size_t slot = 0; drives && slot < nodes; slot++) {
                cpu_stir(plan, f->node_component[kind->nodes[nodes * c + slot]]);
            }
        }
    }
    const taut_kind_fields* kind = &f->kinds[TAUT_LINEAR];
    for (size_t c = 0; c < plan->sizes.count[TAUT_LINEAR]; c++) {
        const bool drives = asks_for_speed(kind, c) && asked_speed(kind, TAUT_LINEAR, c) != 0;
        for (uint32_t e = f->linear_begin[c]; drives && e < f->linear_begin[c + 1]; e++) {
            cpu_stir(plan, f->node_component[f->linear_coordinate[e] / 3]);
        }
    }
}

/* Components that are not quiet, and supports that move. */
static void find_stirred(const taut_plan* plan) {
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    memset(f->component_state, 0, s->components);
    for (size_t n = 0; n < s->nodes; n++) {
        const uint32_t own = f->node_component[n];
        const bool free = f->inverse_mass[n] > 0, moves = is_carried(f, s, n);
        f->component_state[own] |= free || moves ? SLEEP_LIVES : 0;
        if (moves) {
            cpu_stir(plan, own);
        }
    }
    for (uint32_t i = 0; i < s->components; i++) {
        const bool ready = f->component_asleep[i] || f->component_quiet[i] >= plan->settings.sleep.time;
        if ((f->component_state[i] & SLEEP_LIVES) != 0 && !ready) {
            cpu_stir(plan, i);
        }
    }
    stir_moving_targets(plan);
    stir_motors(plan);
}

/* An island sleeps whole, or not at all. */
static void settle(const taut_plan* plan) {
    const taut_fields* f = &plan->fields;
    for (uint32_t i = 0; i < plan->sizes.components; i++) {
        const bool stirred = (f->component_state[f->sleep_island[i]] & SLEEP_STIRRED) != 0;
        if (stirred && f->component_asleep[i]) {
            f->component_quiet[i] = 0;
        }
        f->component_asleep[i] = !stirred && (f->component_state[i] & SLEEP_LIVES) != 0;
    }
}

static uint32_t count_asleep(const taut_plan* plan) {
    const taut_fields* f = &plan->fields;
    uint32_t count = 0;
    for (size_t n = 0; n < plan->sizes.points; n++) {
        count += f->component_asleep[f->node_component[n]];
    }
    return count;
}

/* Of a step of dt; how many points. */
static uint32_t find_sleepers(const taut_plan* plan, double dt) {
    find_islands(plan);
    find_stirred(plan);
    settle(plan);
    if (count_asleep(plan) > 0) {
        cpu_stir_near_supports(plan, dt);
        settle(plan);
    }
    return count_asleep(plan);
}

/* ---- a step in which something rests ----------------------------------------------------------------------------- */

/* Whether nothing is left to do in a step. */
static bool all_sleep(const taut_plan* plan) {
    const taut_fields* f = &plan->fields;
    bool all = true;
    for (size_t n = 0; n < plan->sizes.nodes && all; n++) {
        const bool moves = f->inverse_mass[n] > 0 || square_of(f->v + 3 * n) > 0;
        all = !moves || f->component_asleep[f->node_component[n]];
    }
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        for (size_t i = 0; i < taut_kind_shapes[k].moves * plan->sizes.count[k] && all; i++) {
            all = f->kinds[k].rate[i] == 0;
        }
    }
    return all;
}

/* What sleeps stands still. */
static void stop(const taut_plan* plan) {
    const taut_fields* f = &plan->fields;
    for (size_t n = 0; n < plan->sizes.nodes; n++) {
        if (f->component_asleep[f->node_component[n]]) {
            memset(f->v + 3 * n, 0, 3 * sizeof *f->v);
            memset(f->mean_v + 3 * n, 0, 3 * sizeof *f->mean_v);
            if (plan->sizes.solids > 0) {
                f->flight[n] &= TAUT_FLIGHT_LOOSE | TAUT_FLIGHT_JOINED;
            }
        }
    }
}

static void lay_down(taut_backend_state* state) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    for (size_t n = 0; n < s->nodes; n++) {
        f->node_rests[n] = f->component_asleep[f->node_component[n]];
        f->rest_inverse_mass[n] = f->inverse_mass[n];
        f->inverse_mass[n] = f->node_rests[n] ? 0 : f->inverse_mass[n];
    }
    memcpy(f->rest_gam, f->gam, s->unknowns * sizeof *f->gam);
    memcpy(f->rest_lam, f->lam, s->rows * sizeof *f->lam);
    memcpy(f->rest_lam_smooth, f->lam_smooth, s->rows * sizeof *f->lam_smooth);
    state->sleep->rest_step = state->impulse_step;
    sleeping_take(state);
    state->sleep->resting = true;
    cpu_evaluate(state); /* the energies that a part begins with are those of what is awake */
    cpu_begin_energies(state);
}

/* A step in which nothing happens: contacts go on to bear what they bear. */
static void pass_by(taut_backend_state* state, double dt) {
    state->report.outcome = TAUT_SOLVE_CONVERGED;
    state->report.contacts = (uint32_t)state->plan->sizes.count[TAUT_CONTACT];
    state->report.time += dt;
    cpu_evaluate(state);
    cpu_record_events(state, dt);
}

bool cpu_rest(taut_backend_state* state, double dt) {
    const taut_plan* plan = state->plan;
    if (state->sleep == NULL || find_sleepers(plan, dt) == 0) {
        return false;
    }
    const bool all = all_sleep(plan);
    stop(plan);
    if (all) {
        pass_by(state, dt);
    } else {
        lay_down(state);
    }
    return all;
}

/* ---- waking ------------------------------------------------------------------------------------------------------ */

/* Forces of constraints of the scene that rest (`resting`), or did so until now, as they were. */
static void restore_rows(const taut_backend_state* state, bool resting) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    const double began = state->sleep->rest_step, scale = began > 0 ? state->impulse_step / began : 1;
    uint32_t unknown[TAUT_MAX_ROWS];
    for (int k = 0; k < (int)TAUT_CONTACT; k++) {
        for (uint32_t c = 0; c < plan->sizes.count[k]; c++) {
            const uint32_t own = cpu_component_of(plan, k, c);
            const bool is_one = own != TAUT_NO_NODE && (resting ? f->component_asleep[own] != 0
                                                                : (f->component_state[own] & SLEEP_WOKEN) != 0);
            const uint32_t count = is_one ? taut_list_unknowns(&plan->sizes, (taut_kind)k, c, unknown) : 0;
            for (uint32_t i = 0; i < count; i++) {
                f->gam[unknown[i]] = scale * f->rest_gam[unknown[i]];
                if (unknown[i] < plan->sizes.rows) {
                    f->lam[unknown[i]] = f->rest_lam[unknown[i]];
                    f->lam_smooth[unknown[i]] = f->rest_lam_smooth[unknown[i]];
                }
            }
        }
    }
}

static void free_node(taut_backend_state* state, size_t n) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    taut_account* account = &f->account[f->node_component[n]];
    taut_energies* const sums[] = {&state->before, &state->energies, &account->before, &account->now};
    f->node_rests[n] = 0;
    f->inverse_mass[n] = f->rest_inverse_mass[n];
    for (size_t i = 0; n < plan->sizes.simple && i < sizeof sums / sizeof *sums; i++) {
        evaluate_particle(f, &plan->sizes, n, sums[i]);
    }
}

/* Islands that are stirred, in the middle of a step; what they bore is there to begin with. */
static void wake_stirred(taut_backend_state* state) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    for (uint32_t i = 0; i < plan->sizes.components; i++) {
        const bool wakes = f->component_asleep[i] && (f->component_state[f->sleep_island[i]] & SLEEP_STIRRED) != 0;
        f->component_state[i] &= (uint8_t)~SLEEP_WOKEN;
        if (wakes) {
            f->component_state[i] |= SLEEP_WOKEN;
            f->component_asleep[i] = 0;
            f->component_quiet[i] = 0;
        }
    }
    sleeping_return(state);
    for (size_t n = 0; n < plan->sizes.nodes; n++) {
        if (f->node_rests[n] && !f->component_asleep[f->node_component[n]]) {
            free_node(state, n);
        }
    }
    restore_rows(state, false);
    sleeping_take(state);
}

/* Whether a node can move a contact: it is awake, or a support that moves. */
static bool can_push(const taut_plan* plan, size_t n) {
    const taut_fields* f = &plan->fields;
    const bool lives = (f->component_state[f->node_component[n]] & SLEEP_LIVES) != 0;
    return !f->node_rests[n] &&
           ((taut_is_mapped(&plan->sizes, n) && lives) || f->inverse_mass[n] > 0 || square_of(f->v + 3 * n) > 0);
}

bool cpu_wake_touched(taut_backend_state* state) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    bool any = false;
    if (state->sleep == NULL || !state->sleep->resting) {
        return false;
    }
    for (size_t c = 0; c < plan->sizes.count[TAUT_CONTACT]; c++) {
        const uint32_t* nodes = f->kinds[TAUT_CONTACT].nodes + contact_NODES * c;
        uint32_t sleeper = TAUT_NO_NODE;
        bool pushed = false;
        for (size_t slot = 0; slot < contact_NODES; slot++) {
            const bool acts = contact_acts(f, c, slot);
            sleeper = acts && f->node_rests[nodes[slot]] ? nodes[slot] : sleeper;
            pushed = pushed || (acts && can_push(plan, nodes[slot]));
        }
        if (sleeper != TAUT_NO_NODE && pushed) {
            cpu_stir(plan, f->node_component[sleeper]);
            any = true;
        }
    }
    if (any) {
        wake_stirred(state);
    }
    return any;
}

bool cpu_wake_near_fast(taut_backend_state* state, double h) {
    const bool any = state->sleep != NULL && state->sleep->resting && cpu_stir_near_fast(state->plan, h);
    if (any) {
        wake_stirred(state);
    }
    return any;
}

/* ---- after a step ------------------------------------------------------------------------------------------------ */

static void get_up(taut_backend_state* state) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    for (size_t n = 0; n < plan->sizes.nodes; n++) {
        f->inverse_mass[n] = f->node_rests[n] ? f->rest_inverse_mass[n] : f->inverse_mass[n];
        f->node_rests[n] = 0;
    }
    restore_rows(state, true);
    sleeping_return(state);
    state->sleep->resting = false;
    cpu_evaluate(state);
}

/* Of a node that can move; m/s, of frames at frame_reach. */
static void note_speed(const taut_plan* plan, size_t n, double dt) {
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    const double reach = n < s->points ? 1 : f->frame_reach[n - s->points];
    const double most = plan->settings.sleep.speed / reach, burst = SLEEP_BURST * most, change = SLEEP_CHANGE * most;
    const double weight = dt / (dt + SLEEP_MEAN * plan->settings.sleep.time);
    const double* v = f->v + 3 * n;
    double *mean = f->mean_v + 3 * n, off[3], turned[3];
    vec3_sub(v, mean, off);
    vec3_axpy(weight, off, mean);
    vec3_sub(mean, f->quiet_v + 3 * n, turned);
    uint8_t* state = &f->component_state[f->node_component[n]];
    *state |= square_of(mean) > most * most || square_of(v) > burst * burst ? SLEEP_FAST : 0;
    *state |= square_of(turned) > change * change ? SLEEP_TURNS : 0;
}

/* What the guard slows down, or a solve leaves unsolved, may stand still anywhere. */
static bool is_in_trouble(const taut_plan* plan, uint32_t component) {
    const taut_island* island = cpu_island_of(plan, component);
    return island->after.damped || !island->solved;
}

/* For how long components have hardly moved. */
static void note_motion(const taut_plan* plan, double dt) {
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    memset(f->component_state, 0, s->components);
    for (size_t n = 0; n < s->nodes; n++) {
        if (f->inverse_mass[n] > 0 && !f->component_asleep[f->node_component[n]]) {
            note_speed(plan, n, dt);
        }
    }
    for (uint32_t i = 0; i < s->components; i++) {
        double* quiet = &f->component_quiet[i];
        const uint8_t state = f->component_state[i];
        const bool turns = (state & SLEEP_TURNS) != 0 && *quiet + dt >= plan->settings.sleep.time;
        const bool moves = (state & SLEEP_FAST) != 0 || turns || is_in_trouble(plan, i);
        *quiet = f->component_asleep[i] ? *quiet : moves ? 0 : *quiet + dt;
    }
    for (size_t n = 0; n < s->nodes; n++) {
        if (f->component_quiet[f->node_component[n]] == 0) {
            memcpy(f->quiet_v + 3 * n, f->mean_v + 3 * n, 3 * sizeof *f->mean_v);
        }
    }
}

void cpu_rise(taut_backend_state* state, double dt, bool done) {
    if (state->sleep == NULL) {
        return;
    }
    const bool passed = !state->sleep->resting && count_asleep(state->plan) > 0;
    if (state->sleep->resting) {
        get_up(state);
    }
    if (done && !passed) { /* else nothing has moved */
        note_motion(state->plan, dt);
    }
    state->report.asleep = count_asleep(state->plan);
}
