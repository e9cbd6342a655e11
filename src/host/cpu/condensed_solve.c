/* Solve the condensed system: preconditioned conjugate gradients in float32 inside an outer loop in float64, which
 * renews the residual and the proximal shift at once. kernels/stages/condense.h has the formulas.
 *
 *   repeat   r_c = b - K w - Wt gam,  r = P( K^T (gam + Wh r_c) - M w )     float64
 *            H dw = r, by PCG to a part of |r|                              float32
 *            w += dw,  gam += Wh (b - K w - Wt gam)                         float64
 *
 * The shift is never lowered: that would need Wh, D and the preconditioner anew. Nor is a pass taken back: one that is
 * cut short has lowered the energy of the step, whatever its residual says. */
#define TAUT_REAL double
#include "kernels/stages/condense.h"
#include "kernels/stages/state.h"

#include "host/cpu/apply.h"
#include "host/cpu/condensed.h"
#include "host/cpu/node_vector.h"

#include <string.h>

/* float64 node vectors (n x 4) among node_scratch */
static double* motion(const taut_plan* plan) {
    return plan->fields.node_scratch;
}

static double* force(const taut_plan* plan) {
    return plan->fields.node_scratch + 4 * plan->sizes.nodes;
}

static size_t chunk_end(size_t chunk, size_t n) {
    return n < (chunk + 1) * TAUT_CHUNK ? n : (chunk + 1) * TAUT_CHUNK;
}

/* sums += `item` of `own` over i < n, chunk by chunk; both of a type with the sums a and b. */
#define ADD_CHUNKS(type, a, b, n, item)                                                                                \
    {                                                                                                                  \
        const size_t values = (n), chunks = (values + TAUT_CHUNK - 1) / TAUT_CHUNK;                                    \
        _Pragma("omp parallel for num_threads(plan->settings.threads) schedule(static) if (chunks > 1)")               \
        for (size_t chunk = 0; chunk < chunks; chunk++) {                                                              \
            type own = {0, 0};                                                                                         \
            for (size_t i = chunk * TAUT_CHUNK; i < chunk_end(chunk, values); i++) {                                   \
                item;                                                                                                  \
            }                                                                                                          \
            f->partial[4 * chunk] = own.a;                                                                             \
            f->partial[4 * chunk + 1] = own.b;                                                                         \
        }                                                                                                              \
        for (size_t chunk = 0; chunk < chunks; chunk++) {                                                              \
            sums.a += f->partial[4 * chunk];                                                                           \
            sums.b += f->partial[4 * chunk + 1];                                                                       \
        }                                                                                                              \
    }

/* Residuals are measured as energy. */
static bool measures_energy(const taut_plan* plan) {
    return plan->settings.condensed_preconditioner == TAUT_PRECONDITIONER_MULTILEVEL;
}

/* r from K^T u */
static condensed_motion pull_residual(const taut_plan* plan, const double* u) {
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    const bool energy = measures_energy(plan);
    condensed_motion sums = {0, 0};
    cpu_pull_f64(plan, TAUT_ALL, false, u, force(plan));
    ADD_CHUNKS(condensed_motion, residual, momentum, s->nodes,
               condense_node_residual(f, s, i, motion(plan), force(plan), energy, &own))
    return sums;
}

/* What residuals are relative to. */
static condensed_scale measure(const taut_backend_state* state) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    condensed_sums sums = {0, 0};
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        const size_t rows = taut_kind_shapes[k].rows;
        ADD_CHUNKS(condensed_sums, rows, energy, rows > 0 ? s->count[k] : 0, condense_side(f, s, k, rows, i, &own))
    }
    ADD_CHUNKS(condensed_sums, rows, energy, s->roots, condense_root_side(f, s, s->rows + i, &own))
    const condensed_sums b = sums;
    ADD_CHUNKS(condensed_sums, rows, energy, s->nodes, own.energy += condense_node_drive(f, s, i))
    const double response = measures_energy(plan) ? condense_precondition(state, f->node_r, f->node_z) : 0;
    return condensed_scale_of(&b, sums.energy - b.energy, response);
}

/* |r|^2 in the norm that residuals have; leaves z. */
static condensed_motion measured(const taut_backend_state* state, condensed_motion sums) {
    const taut_fields* f = &state->plan->fields;
    const double rz = condense_precondition(state, f->node_r, f->node_z);
    if (measures_energy(state->plan)) {
        sums.residual = rz;
    }
    return sums;
}

/* The residuals, gam brought up to w before where a pass has changed that. Leaves z. */
static condensed_residual true_residual(const taut_backend_state* state, condensed_scale scale, bool shifted,
                                        bool advance) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    condensed_sums sums = {0, 0};
    cpu_spread_f64(plan, s->active_levels, motion(plan), 4);
    cpu_forward_f64(plan, TAUT_ALL, motion(plan), 4, f->gam, false, f->wide);
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        const size_t rows = taut_kind_shapes[k].rows;
        ADD_CHUNKS(condensed_sums, rows, energy, rows > 0 ? s->count[k] : 0,
                   condense_residual(f, s, k, rows, i, advance, &own))
    }
    const size_t roots = s->roots;
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (roots > CPU_PARALLEL_FROM)
    for (size_t i = 0; i < roots; i++) {
        condense_root(f, s, s->rows + i);
    }
    condensed_motion balance = {0, 0};
    if (shifted) {
        balance = measured(state, pull_residual(plan, f->gam));
    }
    const condensed_motion start = measured(state, pull_residual(plan, f->wide));
    return condensed_residual_of(scale, shifted ? balance : start, start, sums.rows);
}

/* One pass: delta from r and z, scaled so that r has the length 1, to |r| <= goal or `limit` iterations. Returns the
 * iterations. */
static uint32_t conjugate_gradients(taut_backend_state* state, double goal, uint32_t limit) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    const size_t bytes = 4 * plan->sizes.nodes * sizeof(float);
    const taut_preconditioner preconditioner = plan->settings.condensed_preconditioner;
    const bool flexible =
        preconditioner == TAUT_PRECONDITIONER_MULTILEVEL && plan->settings.cycle == TAUT_CYCLE_K;
    double rz = node_vector_dot(plan, f->node_r, f->node_z), length = rz; /* p.B^-1 p */
    uint32_t iterations = 0;
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
        const double next = preconditioner == TAUT_PRECONDITIONER_JACOBI
                                ? residual2
                                : condense_precondition(state, f->node_r, f->node_z);
        if (sqrt(preconditioner == TAUT_PRECONDITIONER_NONE ? residual2 : next) <= goal) {
            break;
        }
        /* z.(r - r_old) / rz: the K-cycle is not linear, and its z not orthogonal to the old r. */
        const double turned = flexible ? -rz / curvature * node_vector_dot(plan, f->node_z, f->node_q) : next;
        node_vector_direction(plan, f->node_z, turned / rz, f->node_p);
        length = next + turned / rz * (turned / rz) * length;
        rz = next;
    }
    return iterations;
}

/* out = Wh (in - less) of what is condensed. */
static void respond(const taut_plan* plan, const double* in, const double* less, double* out) {
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        const size_t rows = taut_kind_shapes[k].rows, count = rows > 0 ? s->count[k] : 0;
        CPU_PARALLEL_OVER_COUNT
        for (size_t c = 0; c < count; c++) {
            condense_respond(f, s, k, rows, c, in, less, out);
        }
    }
    for (size_t i = s->rows; i < s->unknowns; i++) {
        condense_respond_root(f, s, i, in, less, out);
    }
}

static void hold_all(const taut_plan* plan) {
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        const size_t rows = taut_kind_shapes[k].rows, count = rows > 0 ? plan->sizes.count[k] : 0;
        for (size_t c = 0; c < count; c++) {
            condense_hold(&plan->fields, &plan->sizes, k, rows, c);
        }
    }
}

/* r = P force, in parts of its length, which is returned. */
static double scaled_residual(const taut_plan* plan, const double* pulled) {
    const taut_fields* f = &plan->fields;
    double length2 = 0;
    for (size_t n = 0; n < plan->sizes.nodes; n++) {
        length2 += is_condensed_unknown(f, n) ? vec3_dot(pulled + 4 * n, pulled + 4 * n) : 0;
    }
    const double unit = length2 > 0 ? 1 / sqrt(length2) : 0;
    for (size_t n = 0; n < plan->sizes.nodes; n++) {
        for (size_t a = 0; a < 4; a++) {
            f->node_r[4 * n + a] = a < 3 && is_condensed_unknown(f, n) ? (float)(unit * pulled[4 * n + a]) : 0;
        }
    }
    return sqrt(length2);
}

uint32_t condense_pass(taut_backend_state* state, double reduction, uint32_t limit) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    double* scratch = f->gam_before;
    hold_all(plan);
    respond(plan, f->wide, NULL, scratch);
    cpu_pull_f64(plan, TAUT_ALL, false, scratch, force(plan));
    const double length = scaled_residual(plan, force(plan));
    const double rz = condense_precondition(state, f->node_r, f->node_z);
    const uint32_t iterations = conjugate_gradients(state, reduction * sqrt(rz), limit);
    for (size_t i = 0; i < 4 * plan->sizes.nodes; i++) {
        motion(plan)[i] = length * f->node_delta[i];
    }
    cpu_spread_f64(plan, plan->sizes.active_levels, motion(plan), 4);
    cpu_forward_f64(plan, TAUT_ALL, motion(plan), 4, NULL, false, scratch);
    respond(plan, f->wide, scratch, scratch);
    for (size_t i = 0; i < plan->sizes.unknowns; i++) {
        f->delta[i] = (float)scratch[i];
    }
    return iterations > 0 ? iterations : 1;
}

static bool has_shift(const taut_plan* plan) {
    for (size_t i = 0; i < plan->sizes.rows; i++) {
        if (plan->fields.condensed[i] == TAUT_CONDENSED_SHIFTED) {
            return true;
        }
    }
    return false;
}

/* w = dv - u of the iterate; gam is that of the iterate already. */
static void guess_iterate(const taut_plan* plan, taut_phase phase) {
    const taut_fields* f = &plan->fields;
    for (size_t n = 0; n < plan->sizes.nodes; n++) {
        condense_guess_iterate(f, n, motion(plan));
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
        condense_first_guess(f, n, carry, motion(plan));
    }
    for (size_t i = 0; i < plan->sizes.unknowns; i++) {
        if (is_condensed(f, &plan->sizes, i)) {
            carry_over(f, &plan->sizes, i, carry, true);
        }
    }
}

/* w += dw of a pass that solves for r in parts of its length: what is left to correct may be so small that float32 has
 * hardly a number for it. */
static uint32_t correct(taut_backend_state* state, condensed_residual residual, uint32_t limit) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    const size_t values = 4 * plan->sizes.nodes;
    const double unit = residual.length > 0 ? 1 / residual.length : 0;
    const double goal = condensed_pass_goal(residual, plan->settings.solver.tolerance);
    double* w = motion(plan);
    for (size_t i = 0; i < values; i++) {
        f->node_r[i] = (float)(unit * f->node_r[i]);
        f->node_z[i] = (float)(unit * f->node_z[i]);
    }
    const uint32_t iterations = conjugate_gradients(state, goal, limit);
    for (size_t i = 0; i < values; i++) {
        w[i] += residual.length * f->node_delta[i];
    }
    return iterations;
}

static void store_motion(const taut_plan* plan) {
    const taut_fields* f = &plan->fields;
    for (size_t n = 0; n < plan->sizes.nodes; n++) {
        if (f->condensed_node[n]) {
            memcpy(f->g_f64 + 4 * n, motion(plan) + 4 * n, 4 * sizeof(double));
        }
    }
}

void condense_solve(taut_backend_state* state, double h, taut_phase phase) {
    const taut_plan* plan = state->plan;
    const taut_solver* solver = &plan->settings.solver;
    condensed_scale scale = measure(state);
    if (taut_projects(phase)) {
        condensed_scale_least(&scale, cpu_projected_scale(plan, phase));
    }
    const bool shifted = has_shift(plan);
    taut_outer_state outer = {.scale = 1};
    first_guess(state, h, phase, scale.nodes > 0);
    condensed_residual residual = true_residual(state, scale, shifted, false);
    double guide = condensed_guide(residual, solver->tolerance);
    while (taut_outer_decide(&outer, guide, solver->tolerance, solver->max_iterations)) {
        outer.pass_iterations = correct(state, residual, solver->max_iterations - outer.iterations);
        outer.iterations += outer.pass_iterations;
        outer.passes++;
        outer.residual = guide;
        residual = true_residual(state, scale, shifted, true);
        guide = condensed_guide(residual, solver->tolerance);
    }
    store_motion(plan);
    taut_outer_report(&outer, condensed_worst(residual), solver->tolerance, solver->max_iterations, &state->report);
}
