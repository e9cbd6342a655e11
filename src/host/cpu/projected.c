/* Solve the Schur complement with bounds and friction by projected gradients:
 * kernels/stages/contact/projected.h. */
#define TAUT_REAL double
#include "kernels/stages/contact/projected.h"
#include "kernels/stages/integrate.h"
#include "kernels/stages/project.h"

#include "host/cpu/cpu_apply.h"
#include "host/cpu/cpu_deadline.h"
#include "host/cpu/cpu_pairs_solve.h"
#include "host/cpu/cpu_solvers.h"
#include "host/cpu/cpu_vector.h"

#include <string.h>

typedef struct projected_loop {
    taut_backend_state* state;
    const taut_plan* plan;
    taut_factors step;
    taut_outer_state outer;
    taut_projected_state own;
    taut_bound_sums bounds;
    double residual;
} projected_loop;

/* wide = S v; leaves g_f64 = P M^-1 P J^T v. */
static void multiply(const taut_plan* plan, const double* v) {
    const taut_fields* f = &plan->fields;
    cpu_apply_jacobian_transpose_f64(plan, TAUT_ALL, true, v, f->g_f64);
    cpu_apply_jacobian_f64(plan, TAUT_ALL, f->g_f64, 4, v, false, f->wide);
}

/* Unknowns from `begin` on, `count` of them. */
typedef struct unknowns_loop {
    const taut_plan* plan;
    const taut_factors* step;
    size_t begin, count;
    double t;
    const double* y;
    double* out;
} unknowns_loop;

static void step_chunks(const void* context, uint32_t part, size_t first, size_t last) {
    const unknowns_loop* l = context;
    const taut_fields* f = &l->plan->fields;
    (void)part;
    CPU_SUM_CHUNKS(taut_projected_sums, f, l->count,
                   projected_step(f, &l->plan->sizes, l->begin + i, l->step, l->t, l->y, l->out, &own))
}

static void step_range(const projected_loop* l, size_t first, size_t count, double t, const double* y, double* out,
                       taut_projected_sums* total) {
    const unknowns_loop loop = {l->plan, &l->step, first, count, t, y, out};
    taut_projected_sums sums = {0};
    cpu_sum(l->plan, count, step_chunks, &loop, sizeof sums / sizeof(double), &sums);
    cpu_add_doubles((const double*)&sums, sizeof sums / sizeof(double), total);
}

static taut_projected_sums take_step(const projected_loop* l, double t, const double* y, double* out) {
    const taut_sizes* s = &l->plan->sizes;
    taut_projected_sums sums = {0};
    step_range(l, 0, cpu_live_rows(s), t, y, out, &sums); /* couples go with their contacts */
    step_range(l, s->rows, s->unknowns - s->rows, t, y, out, &sums);
    return sums;
}

/* Where things stand, with gam within bounds. */
static void measure_residual(projected_loop* l) {
    const taut_fields* f = &l->plan->fields;
    multiply(l->plan, f->gam);
    const taut_projected_sums sums = take_step(l, 1, f->gam, f->wide);
    l->residual = sqrt(sums.length2);
    l->bounds.complementarity = sums.bounded;
}

/* Where things stand; brings gam within bounds. */
static void evaluate_residual(projected_loop* l) {
    take_step(l, 0, l->plan->fields.gam, l->plan->fields.gam);
    measure_residual(l);
}

static void power_chunks(const void* context, uint32_t part, size_t first, size_t last) {
    const unknowns_loop* l = context;
    const taut_fields* f = &l->plan->fields;
    (void)part;
    CPU_SUM_CHUNKS(double, f, l->count, own += power_step(f, &l->plan->sizes, l->begin + i))
}

static double power_range(const taut_plan* plan, size_t first, size_t count) {
    const unknowns_loop loop = {.plan = plan, .begin = first, .count = count};
    double sum = 0;
    cpu_sum(plan, count, power_chunks, &loop, 1, &sum);
    return sum;
}

static void find_step_length(projected_loop* l) {
    const taut_plan* plan = l->plan;
    const taut_sizes* s = &plan->sizes;
    double last = 0, before = 0;
    for (size_t i = 0; i < s->unknowns; i++) {
        plan->fields.gam_before[i] = power_start(&plan->fields, s, i);
    }
    for (int n = 0; n < TAUT_STEP_POWERS; n++) {
        multiply(plan, plan->fields.gam_before);
        before = last;
        last = power_range(plan, 0, cpu_live_rows(s)) + power_range(plan, s->rows, s->unknowns - s->rows);
        last += s->rolls ? power_range(plan, s->first_row[TAUT_ROLLING], rolling_ROWS * s->count[TAUT_ROLLING]) : 0;
    }
    l->own.step = taut_power_step_length(last, before);
    l->outer.iterations += TAUT_STEP_POWERS;
}

static void move_range(const void* context, uint32_t part, size_t first, size_t last) {
    const unknowns_loop* l = context;
    (void)part;
    for (size_t i = first; i < last; i++) {
        projected_move(&l->plan->fields, i, l->t);
    }
}

static void iterate(projected_loop* l) {
    const taut_plan* plan = l->plan;
    const taut_fields* f = &plan->fields;
    multiply(plan, f->gam_before);
    const taut_projected_sums sums = take_step(l, l->own.step, f->gam_before, f->wide);
    taut_projected_decide(&l->own, &sums);
    const unknowns_loop loop = {.plan = plan, .t = l->own.k};
    cpu_for_unknowns(plan, false, move_range, &loop);
}

static void outer_iteration(projected_loop* l) {
    const taut_plan* plan = l->plan;
    const taut_solver* solver = &plan->settings.solver;
    const cpu_goal goal = cpu_outer_goal(plan, &l->outer, l->residual, true);
    if (!(l->own.step > 0)) { /* sweeps and Newton's method may have come first */
        find_step_length(l);
    }
    memcpy(plan->fields.gam_before, plan->fields.gam, plan->sizes.unknowns * sizeof(double)); /* y */
    taut_projected_begin(&l->own);
    l->outer.inner_iterations = 0;
    do {
        iterate(l);
        l->outer.inner_iterations++;
        l->outer.iterations++;
    } while (sqrt(l->own.length2) > cpu_goal_now(plan, goal) * l->own.step &&
             l->outer.iterations < solver->max_iterations);
    l->outer.outer_iterations++;
    l->outer.residual = l->residual;
    evaluate_residual(l);
}

/* Places for contacts that none takes keep nothing of those that they had: only loops over couples come there. */
static void clear_vacant(const taut_plan* plan) {
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    for (size_t i = cpu_live_rows(s); i < s->rows; i++) {
        const size_t first = s->first_row[TAUT_ROLLING];
        if (i < first || i >= first + rolling_ROWS * s->count[TAUT_ROLLING]) {
            f->gam[i] = f->gam_before[i] = f->wide[i] = f->b[i] = 0;
        }
    }
}

static void side_range(const void* context, uint32_t part, size_t first, size_t last) {
    const unknowns_loop* l = context;
    (void)part;
    for (size_t i = first; i < last; i++) {
        l->plan->fields.wide[i] = bounded_side(&l->plan->fields, &l->plan->sizes, i, l->step);
    }
}

static void begin(projected_loop* l) {
    const taut_plan* plan = l->plan;
    const taut_fields* f = &plan->fields;
    if (plan->sizes.rolls) {
        clear_vacant(plan);
    }
    cpu_first_guess(l->state, l->step.h, l->step.phase);
    if (l->state->pairs != NULL && l->step.regularised) {
        contact_pairs_recall(l->state->pairs);
    }
    const unknowns_loop sides = {.plan = plan, .step = &l->step};
    cpu_for_unknowns(plan, false, side_range, &sides);
    l->outer.scale = sqrt(vector_norm2(plan, f->wide, f->inverse_diagonal));
    if (taut_projects(l->step.phase)) {
        const double least = cpu_projected_scale(plan, l->step.phase);
        l->outer.scale = l->outer.scale > least ? l->outer.scale : least;
    }
    for (size_t i = 0; i < plan->sizes.unknowns && !(l->outer.scale > 0); i++) {
        f->gam[i] = 0;
    }
}

static double measure_pairs(void* context) {
    projected_loop* l = context;
    measure_residual(l);
    return l->residual;
}

static bool pairs_slide(void* context) {
    const projected_loop* l = context;
    multiply(l->plan, l->plan->fields.gam);
    return cpu_slides_otherwise(l->plan, &l->step);
}

/* Loose bodies by the convex law. */
static bool gathers_pairs(const projected_loop* l) {
    contact_pairs* pairs = l->state->pairs;
    return pairs != NULL && l->outer.scale > 0 && l->step.regularised && !taut_projects(l->step.phase) &&
           contact_pairs_gather(pairs, PAIRS_ALL);
}

/* One heap. What this leaves, and what it cannot take, is left to the iterations above. False: to these alone. */
static bool minimise(projected_loop* l) {
    contact_pairs* pairs = l->state->pairs;
    pairs_solve solve = {pairs, l->outer.scale, INFINITY, 0, 0, l, measure_pairs, pairs_slide};
    const bool follows = pairs->paused;
    pairs->paused = false;
    if (!follows) { /* else b has changed since the pause, so that where this begins decides nothing */
        solve.residual = measure_pairs(l);
    }
    if (pairs_solve_is_within(&solve)) {
        return false;
    }
    solve.iterations = l->outer.iterations;
    pairs_solve_run(&solve);
    l->outer.iterations = solve.iterations;
    l->outer.outer_iterations += solve.outer_iterations;
    l->residual = solve.residual;
    return true;
}

void cpu_projected_solve(taut_backend_state* state, double h, taut_phase phase) {
    const taut_plan* plan = state->plan;
    projected_loop l = {.state = state, .plan = plan, .step = taut_phase_factors(&plan->settings, phase, h)};
    begin(&l);
    const bool gathered = gathers_pairs(&l);
    if (gathered && state->pairs->heaps > 1) {
        pairs_solve_heaps(state, state->pairs, &l.step, true);
        multiply(plan, plan->fields.gam);
        return;
    }
    if (state->pairs != NULL && !gathered) {
        state->pairs->paused = false;
    }
    if (!gathered || !minimise(&l)) {
        evaluate_residual(&l);
    }
    if (state->pairs != NULL && state->pairs->paused) { /* the system that counts comes after this one */
        state->report.iterations += l.outer.iterations;
        state->report.outer_iterations += l.outer.outer_iterations;
        return;
    }
    while (cpu_outer_goes_on(state, &l.outer, l.residual)) {
        outer_iteration(&l);
    }
    cpu_outer_report(state, &l.outer, l.residual);
    taut_bounds_report(&l.bounds, l.outer.scale, &state->report);
}
