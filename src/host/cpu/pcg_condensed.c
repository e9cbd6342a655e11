/* Solve the condensed system: preconditioned conjugate gradients in float32 inside an outer loop in float64, which
 * renews the residual and the proximal shift at once. kernels/stages/condensed.h has the formulas.
 *
 *   repeat   r_c = b - K w - Wt gam,  r = P( K^T (gam + Wh r_c) - M w )     float64
 *            H dw = r, by PCG to a part of |r|                              float32
 *            w += dw,  gam += Wh (b - K w - Wt gam)                         float64
 *
 * The shift is never lowered but for rows with bounds: that would need Wh, D and the preconditioner anew. Nor is an
 * outer iteration taken back: one that is cut short has lowered the energy of the step, whatever its residual says. */
#define TAUT_REAL double
#include "kernels/stages/condensed.h"
#include "kernels/stages/integrate.h"

#include "host/cpu/cpu_condensed.h"
#include "host/cpu/cpu_condensed_factors.h"
#include "host/cpu/cpu_condensed_residual.h"
#include "host/cpu/cpu_contact_duals.h"
#include "host/cpu/cpu_deadline.h"
#include "host/cpu/cpu_heaps.h"
#include "host/cpu/cpu_multilevel.h"
#include "host/cpu/cpu_node_vector.h"
#include "host/cpu/cpu_solvers.h"
#include "model/solvers.h"

#include <math.h>
#include <string.h>

/* Motion alone is unknown after so many steps with impulses of contacts that have left more than this part of what
 * contacts missed of their law. */
#define DUALS_ROUND 10
#define DUALS_LEAVE 0.7

static void side_chunks(const void* context, uint32_t part, size_t first, size_t last) {
    const cpu_loop* l = context;
    const taut_fields* f = &l->plan->fields;
    const taut_sizes* s = &l->plan->sizes;
    (void)part;
    CPU_SUM_CHUNKS(condensed_sums, f, s->count[l->kind], condense_side(f, s, l->kind, l->rows, i, l->step, &own))
}

static void factor_side_chunks(const void* context, uint32_t part, size_t first, size_t last) {
    const taut_plan* plan = context;
    const taut_sizes* s = &plan->sizes;
    (void)part;
    CPU_SUM_CHUNKS(condensed_sums, &plan->fields, s->factor_rows,
                   condense_factor_side(&plan->fields, s, s->rows + i, &own))
}

static void drive_chunks(const void* context, uint32_t part, size_t first, size_t last) {
    const taut_plan* plan = context;
    (void)part;
    CPU_SUM_CHUNKS(condensed_sums, &plan->fields, plan->sizes.nodes,
                   own.energy += condense_node_drive(&plan->fields, &plan->sizes, i))
}

#define SUMS_VALUES (sizeof(condensed_sums) / sizeof(double))

/* What residuals are relative to, but for the response. Leaves the momentum M u as a residual. */
static condensed_scale measure(const taut_backend_state* state, const taut_factors* step) {
    const taut_plan* plan = state->plan;
    const taut_sizes* s = &plan->sizes;
    condensed_sums sums = {0};
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        const cpu_loop loop = {plan, step, k, taut_kind_shapes[k].rows};
        cpu_sum(plan, loop.rows > 0 ? s->count[k] : 0, side_chunks, &loop, SUMS_VALUES, &sums);
    }
    cpu_sum(plan, s->factor_rows, factor_side_chunks, plan, SUMS_VALUES, &sums);
    const condensed_sums b = sums;
    cpu_sum(plan, s->nodes, drive_chunks, plan, SUMS_VALUES, &sums);
    return condensed_scale_of(&b, sums.energy - b.energy, 0);
}

/* Of all constraints to the momentum M u: to that of contacts as the first guess has them. Where factors begin, as an
 * earlier solve of this attempt has found it: they are made for the first step, not for this. */
static double respond(taut_backend_state* state, const taut_factors* step) {
    const taut_fields* f = &state->plan->fields;
    if (state->refresh_due && state->plan->sizes.count[TAUT_CONTACT] > 0) {
        cpu_contact_states(state, step);
        system_renew(state->plan);
    }
    condense_refresh_due(state);
    if (condensed_factors_have_duals(state)) {
        return state->factors->response;
    }
    const double response = cpu_measures_energy(state->plan) ? condense_precondition(state, f->node_r, f->node_z) : 0;
    if (state->factors != NULL) {
        state->factors->response = response;
    }
    return response;
}

/* One outer iteration: delta from r and z, scaled so that r has the length 1, to |r| <= goal or `limit` iterations.
 * Returns the iterations, and r.delta of the first r. */
static uint32_t conjugate_gradients(taut_backend_state* state, cpu_goal goal, uint32_t limit, double* promise) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    const size_t bytes = 4 * plan->sizes.nodes * sizeof(float);
    const taut_preconditioner preconditioner = plan->settings.condensed_preconditioner;
    double rz = node_vector_dot(plan, f->node_r, f->node_z), length = rz; /* p.B^-1 p */
    uint32_t iterations = 0;
    *promise = 0;
    memset(f->node_delta, 0, bytes);
    memcpy(f->node_p, f->node_z, bytes);
    while (iterations < limit) {
        condense_multiply(plan, f->node_p, f->node_q);
        const double curvature = node_vector_dot(plan, f->node_p, f->node_q);
        if (!(curvature > TAUT_LEAST_CURVATURE * length) || !(rz > 0)) {
            /* Nothing left in float32, or not finite: the true residual tells. */
            break;
        }
        const double residual2 =
            node_vector_advance(plan, rz / curvature, f->node_p, f->node_q, f->node_delta, f->node_r, f->node_z);
        iterations++;
        *promise += rz * (rz / curvature);
        const double next = preconditioner == TAUT_PRECONDITIONER_JACOBI
                                ? residual2
                                : condense_precondition(state, f->node_r, f->node_z);
        if (sqrt(preconditioner == TAUT_PRECONDITIONER_NONE ? residual2 : next) <= cpu_goal_now(plan, goal)) {
            break;
        }
        node_vector_direction(plan, f->node_z, next / rz, f->node_p);
        length = next + next / rz * (next / rz) * length;
        rz = next;
    }
    return iterations;
}

/* w = dv - u of the iterate; gam is that of the iterate already. */
static void guess_iterate(const taut_plan* plan, taut_phase phase) {
    const taut_fields* f = &plan->fields;
    for (size_t n = 0; n < plan->sizes.nodes; n++) {
        condense_guess_iterate(f, n, cpu_motion(plan));
    }
    for (size_t i = plan->sizes.rows; phase == TAUT_PHASE_CONSTRAIN && i < plan->sizes.unknowns; i++) {
        f->gam[i] = is_condensed(f, &plan->sizes, i) ? 0 : f->gam[i];
    }
}

/* w and gam from the last step, or zero: also where nothing drives the step. */
static void first_guess(const taut_backend_state* state, double h, taut_phase phase, bool driven) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    const bool warm = plan->settings.solver.warm_start && state->impulse_step > 0 && driven && !taut_projects(phase);
    const double carry = warm ? h / state->impulse_step : 0;
    if (taut_renews(phase)) {
        guess_iterate(plan, phase);
        return;
    }
    for (size_t n = 0; n < plan->sizes.nodes; n++) {
        condense_first_guess(f, &plan->sizes, n, carry, cpu_motion(plan));
    }
    for (size_t i = 0; i < plan->sizes.unknowns; i++) {
        if (is_condensed(f, &plan->sizes, i)) {
            carry_over(f, &plan->sizes, i, carry, true);
        }
    }
}

static void clamp(const taut_plan* plan, const taut_factors* step) {
    const taut_fields* f = &plan->fields;
    for (size_t i = 0; i < plan->sizes.rows && plan->sizes.bounded; i++) {
        if (is_condensed(f, &plan->sizes, i)) {
            clamp_row(f, i, step);
        }
    }
    for (size_t c = 0; c < plan->sizes.count[TAUT_CONTACT]; c++) {
        condense_first_limit(f, &plan->sizes, c);
    }
}

/* An outer iteration, which solves for r in parts of its length: what is left to correct may be so small that float32
 * has hardly a number for it. */
typedef struct condensed_inner_result {
    double length, promise; /* of r.delta, both in those parts */
    uint32_t iterations;
} condensed_inner_result;

/* w += share length delta */
static void correct(const taut_backend_state* state, const condensed_inner_result* inner, double share) {
    const taut_plan* plan = state->plan;
    double* w = cpu_motion(plan);
    if (condensed_factors_active(state)) {
        condensed_factors_correct(state->factors, share, w);
        return;
    }
    for (size_t i = 0; i < 4 * plan->sizes.nodes; i++) {
        w[i] += share * inner->length * plan->fields.node_delta[i];
    }
}

static condensed_inner_result solve_inner(taut_backend_state* state, condensed_residual residual,
                                          bool active_set_changed, uint32_t limit) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    const double unit = residual.length > 0 ? 1 / residual.length : 0;
    const cpu_goal goal = {condensed_outer_goal(residual, plan->settings.solver.tolerance, active_set_changed),
                           condensed_outer_goal(residual, TAUT_LATE_TOLERANCE, active_set_changed)};
    condensed_inner_result inner = {.length = residual.length};
    if (condensed_factors_active(state)) {
        inner.length = 1;
        inner.iterations = condensed_factors_iterations(state->factors);
        inner.promise = condensed_factors_step(state->factors, cpu_force(plan), cpu_motion(plan), f->node_delta);
        return inner;
    }
    for (size_t i = 0; i < 4 * plan->sizes.nodes; i++) {
        f->node_r[i] = (float)(unit * f->node_r[i]);
        f->node_z[i] = (float)(unit * f->node_z[i]);
    }
    inner.iterations = conjugate_gradients(state, goal, limit, &inner.promise);
    return inner;
}

static void store_motion(const taut_plan* plan) {
    const taut_fields* f = &plan->fields;
    for (size_t n = 0; n < plan->sizes.nodes; n++) {
        if (f->condensed_node[n]) {
            memcpy(f->g_f64 + 4 * n, cpu_motion(plan) + 4 * n, 4 * sizeof(double));
        }
    }
}

/* Of the least promise before: what is more is no progress. */
#define STEP_PROGRESS 0.9
/* Of ropes and rods without hard rows: where so many steps with factors have left more than this part of what they
 * promise, the solve ends, and the step is made in shorter parts. Strands that meet in hundreds of places took hundreds
 * of steps, in each of which some change what they do, and take ten in parts of half the length. Hard rows stay as hard
 * in shorter parts. */
#define STEPS_ROUND 16
#define STEPS_SLOW  0.1

/* What the outer iterations of a solve have in common. */
typedef struct condensed_loop {
    taut_backend_state* state;
    cpu_residual residual;
    taut_outer_state outer;
    condensed_inner_result inner;
    taut_closeness closeness;
    double begun, begun_rows; /* its length, and that of rows, when multipliers followed last */
    uint32_t made;            /* iterations when the preconditioner was made, */
    bool aged;                /* for an earlier iterate */
    uint32_t duals;           /* steps made with impulses of contacts as unknowns, */
    double least_rows;        /* and what these left of rows, at the least, */
    double round_rows;        /* and when the last round of them began */
    uint32_t steps;           /* of Newton's method with factors, */
    double least_promise;     /* what they promised at the least, */
    double round_promise;     /* and when the last round of them began */
    bool slow;
} condensed_loop;

typedef struct line_loop {
    cpu_loop rows;
    const taut_line_search* search;
} line_loop;

static void line_chunks(const void* context, uint32_t part, size_t first, size_t last) {
    const line_loop* l = context;
    const taut_fields* f = &l->rows.plan->fields;
    const taut_sizes* s = &l->rows.plan->sizes;
    const int k = l->rows.kind;
    (void)part;
    CPU_SUM_CHUNKS(taut_line_sums, f, s->count[k],
                   condense_line_sums(f, s, k, l->rows.rows, i, l->rows.step, l->search, &own))
}

/* Where r.delta vanishes along the last step, which ended with `slope`. */
static double search_line(const condensed_loop* l, double slope) {
    const taut_plan* plan = l->state->plan;
    const taut_sizes* s = &plan->sizes;
    const double unit = 1 / (l->inner.length * l->inner.length); /* of r.delta */
    taut_line_search search = taut_line_begin(l->inner.promise, slope);
    while (taut_line_goes_on(&search, l->inner.promise)) {
        taut_line_sums sums = {{0}, {0}};
        for (int k = l->residual.splits ? (int)TAUT_CONTACT : 0; k < TAUT_KIND_COUNT; k++) {
            const line_loop loop = {{plan, l->residual.step, k, taut_kind_shapes[k].rows}, &search};
            cpu_sum(plan, loop.rows.rows > 0 ? s->count[k] : 0, line_chunks, &loop, sizeof sums / sizeof(double),
                    &sums);
        }
        taut_line_narrow(&search, &sums, unit);
    }
    return taut_line_end(&search);
}

static void begin_anew(condensed_loop* l) {
    l->begun = l->residual.now.length;
    l->begun_rows = l->residual.now.rows;
}

static void update_multipliers(condensed_loop* l, const taut_step_end* end) {
    const double tolerance = cpu_tolerance(l->state->plan);
    const taut_residual_mode how = taut_update_multipliers(end, tolerance, &l->closeness);
    l->outer.stalled = how.shift < 1 ? 0 : l->outer.stalled;
    cpu_residual_follow(&l->residual, how);
    cpu_residual_measure(&l->residual, false);
    const bool solved = condensed_worst(l->residual.now) <= tolerance;
    const taut_residual_mode extrapolating =
        taut_extrapolate(&l->residual.impulse_change, solved, tolerance, &l->closeness);
    if (extrapolating.extrapolation > 0) {
        l->outer.active_set_changed = l->outer.active_set_changed || l->residual.bounds.changed > 0;
        cpu_residual_follow(&l->residual, extrapolating);
        cpu_residual_measure(&l->residual, false);
    }
    begin_anew(l);
}

/* r.delta at the end of the last step. */
static double slope_after(const condensed_loop* l) {
    const taut_plan* plan = l->state->plan;
    return condensed_factors_active(l->state)
               ? condensed_factors_slope(l->state->factors, cpu_force(plan), cpu_motion(plan))
               : node_vector_dot(plan, plan->fields.node_r, plan->fields.node_delta) / l->inner.length;
}

/* After a step of a system with bounds: less of it where it went too far, and then multipliers of rows with a shift
 * follow where the function is near its minimum. */
static void residual_bounded(condensed_loop* l) {
    const taut_fields* f = &l->state->plan->fields;
    cpu_residual* r = &l->residual;
    cpu_residual_step(r, f->node_delta, l->inner.length);
    const double slope = slope_after(l);
    taut_step_end end = {.changed = r->bounds.changed, .share = 1, .iterations = l->inner.iterations};
    if (!taut_condensed_keeps(l->inner.promise, slope)) {
        end.share = search_line(l, slope);
        correct(l->state, &l->inner, end.share - 1);
        cpu_residual_cut(r, end.share);
        end.changed += r->bounds.changed;
    }
    cpu_residual_measure(r, end.changed == 0);
    end.rows = r->now.rows;
    end.rows_before = l->begun_rows;
    end.nodes = r->now.nodes;
    end.length = r->now.length;
    end.length_before = l->begun;
    end.enough = condensed_enough(r->now, cpu_tolerance(l->state->plan));
    l->outer.active_set_changed = end.changed > 0;
    if (r->shifted && taut_updates_multipliers(&end, &l->closeness)) {
        update_multipliers(l, &end);
        l->outer.active_set_changed = l->outer.active_set_changed || r->bounds.changed > 0;
    }
}

/* The preconditioner anew, of the contacts that there are now, where it is of age. */
static void renew_preconditioner(condensed_loop* l) {
    taut_backend_state* state = l->state;
    const taut_plan* plan = state->plan;
    const double before = l->residual.now.length;
    const bool knows = taut_refresh_waits(&plan->settings, &plan->sizes) && plan->sizes.count[TAUT_CONTACT] > 0;
    if (!(knows || l->aged) || l->outer.iterations - l->made < TAUT_PRECONDITIONER_AGE ||
        condensed_factors_active(state)) {
        return;
    }
    l->made = l->outer.iterations;
    l->aged = false;
    state->refresh_due = true;
    state->levels_stand = false;
    if (knows) {
        system_renew(plan);
    }
    condense_refresh_due(state);
    cpu_residual_renorm(&l->residual);
    l->begun *= before > 0 ? l->residual.now.length / before : 1;
}

static void begin_motion(condensed_loop* l) {
    l->residual = cpu_residual_begin(l->state, l->residual.step, l->residual.scale);
    l->closeness = taut_closeness_begin();
    begin_anew(l);
}

/* Newton's method with factors goes on from here, where conjugate gradients have taken `iterations`, as long as it
 * would. */
static void take_over(condensed_loop* l, uint32_t iterations) {
    const bool duals = contact_duals_serve(&l->residual);
    if (condensed_factors_take_over(l->state, l->outer.outer_iterations, iterations, duals)) {
        l->outer.stalled = 0;
        if (!duals || !l->residual.exact) {
            begin_motion(l);
        }
    }
}

static void count_iterations(condensed_loop* l) {
    l->outer.inner_iterations = l->inner.iterations;
    l->outer.iterations += l->inner.iterations;
    l->outer.outer_iterations++;
}

/* One that ends short of a solution counts as one that changes what contacts do, since only many in a row tell. */
static void dual_iteration(condensed_loop* l) {
    taut_backend_state* state = l->state;
    const bool first = l->duals == 0;
    contact_duals_step(state, &l->residual, first);
    const double rows = l->residual.now.rows;
    l->inner.iterations = condensed_factors_iterations(state->factors);
    count_iterations(l);
    l->outer.active_set_changed = true;
    l->least_rows = first || !(rows > l->least_rows) ? rows : l->least_rows;
    l->round_rows = first ? rows : l->round_rows;
    if (++l->duals % DUALS_ROUND != 0 || rows <= cpu_tolerance(state->plan)) {
        return;
    }
    if (l->least_rows > DUALS_LEAVE * l->round_rows) {
        condensed_factors_leave_duals(state->factors);
        begin_motion(l);
    }
    l->round_rows = l->least_rows;
}

static void note_slowness(condensed_loop* l) {
    if (l->state->factors->mechanisms && l->steps++ % STEPS_ROUND == 0) {
        l->slow = l->steps > 1 && l->inner.promise > STEPS_SLOW * l->round_promise;
        l->round_promise = l->inner.promise;
    }
}

/* With factors, multipliers of hard rows follow at the end alone, and nodes are not seen to come closer before: what
 * steps promise tells. */
static void note_step(condensed_loop* l) {
    if (!condensed_factors_active(l->state)) {
        return;
    }
    if (!l->residual.shifted) {
        note_slowness(l);
    } else if (l->inner.promise < STEP_PROGRESS * l->least_promise) {
        l->least_promise = l->inner.promise;
        l->outer.stalled = 0;
    }
}

static void outer_iteration(condensed_loop* l, uint32_t limit) {
    const taut_plan* plan = l->state->plan;
    if (condensed_factors_lost(l->state)) {
        begin_motion(l);
    }
    take_over(l, l->outer.iterations);
    if (condensed_factors_have_duals(l->state)) {
        dual_iteration(l);
        return;
    }
    renew_preconditioner(l);
    for (size_t i = 0; i < plan->sizes.rows && plan->sizes.bounded; i++) {
        condense_line_begin(&plan->fields, i);
    }
    const uint32_t patience = condensed_factors_patience(l->state, l->outer.outer_iterations, l->outer.iterations,
                                                         contact_duals_serve(&l->residual));
    l->inner = solve_inner(l->state, l->residual.now, l->outer.active_set_changed, limit < patience ? limit : patience);
    correct(l->state, &l->inner, 1);
    count_iterations(l);
    if (plan->sizes.bounded) {
        residual_bounded(l);
    } else {
        cpu_residual_look(&l->residual, cpu_updating);
        cpu_residual_measure(&l->residual, false);
    }
    note_step(l);
}

/* Whether another outer iteration follows one that began with `before`. What has been put together from parts is found
 * as a whole before it counts as solved. */
static bool goes_on(condensed_loop* l, const condensed_residual* before) {
    const double tolerance = cpu_tolerance(l->state->plan);
    if (isnan(l->residual.now.length)) { /* the preconditioner is not positive: conjugate gradients end here */
        take_over(l, UINT32_MAX);
    }
    double guide = condensed_guide(l->residual.now, tolerance);
    const bool balances = !l->residual.balanced && l->residual.now.rows <= tolerance; /* that of a solve that is late */
    if (balances || (!l->residual.whole && guide <= tolerance)) {
        cpu_residual_look(&l->residual, cpu_still);
        cpu_residual_measure(&l->residual, true);
        guide = condensed_guide(l->residual.now, tolerance);
    }
    cpu_note_residual(l->state, condensed_worst(l->residual.now));
    l->outer.residual = before != NULL ? condensed_guide_before(*before, l->residual.now, tolerance) : 0;
    if (l->slow && guide > tolerance) {
        l->outer.stalled = TAUT_STALLS + l->outer.extra_stalls;
        return false;
    }
    return taut_outer_decide(&l->outer, guide, tolerance, l->state->plan->settings.solver.max_iterations);
}

void cpu_condensed_solve(taut_backend_state* state, double h, taut_phase phase) {
    const taut_plan* plan = state->plan;
    const taut_solver* solver = &plan->settings.solver;
    const taut_factors step = taut_phase_factors(&plan->settings, phase, h);
    condensed_loop l = {.state = state,
                        .closeness = taut_closeness_begin(),
                        .least_promise = INFINITY,
                        .outer = {.scale = 1, .extra_stalls = plan->sizes.bounded ? TAUT_BOUNDED_PATIENCE : 0}};
    condensed_factors_begin(state);
    l.aged = taut_keeps_levels(&plan->settings, &plan->sizes, phase) && state->levels_stand;
    condensed_scale scale = measure(state, &step);
    if (taut_projects(phase)) {
        condensed_scale_least(&scale, cpu_projected_scale(plan, phase));
    }
    first_guess(state, h, phase, scale.nodes > 0);
    clamp(plan, &step);
    heaps_guess(state, &step, cpu_motion(plan));
    scale.response = respond(state, &step);
    l.residual = cpu_residual_begin(state, &step, scale);
    begin_anew(&l);
    for (bool more = goes_on(&l, NULL); more;) {
        const condensed_residual before = l.residual.now;
        outer_iteration(&l, solver->max_iterations - l.outer.iterations);
        more = goes_on(&l, &before);
    }
    if (!l.residual.whole || !l.residual.balanced) {
        cpu_residual_look(&l.residual, cpu_still);
        cpu_residual_measure(&l.residual, true);
    }
    condensed_factors_rest(state);
    store_motion(plan);
    cpu_outer_report(state, &l.outer, condensed_worst(l.residual.now));
    taut_bounds_report(&l.residual.bounds, scale.rows, &state->report);
}
