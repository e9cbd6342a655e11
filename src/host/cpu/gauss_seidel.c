#define TAUT_REAL float
#include "kernels/stages/gauss_seidel.h"

#include "host/cpu/cpu_gauss_seidel.h"
#include "host/cpu/cpu_precondition.h"
#include "host/cpu/cpu_vector.h"

#include <string.h>

/* Colours with fewer blocks stay on one thread. */
#define PARALLEL_FROM 2048

static void sweep_range(const void* context, uint32_t part, size_t first, size_t last) {
    const cpu_loop* l = context;
    (void)part;
    for (size_t b = first; b < last; b++) {
        sweep_block(&l->plan->fields, &l->plan->sizes, &l->plan->hierarchy.system, (uint32_t)b, l->step);
    }
}

static void sweep_colour(const cpu_loop* loop, uint32_t colour) {
    const uint32_t* begin = loop->plan->fields.colour_begin;
    cpu_for(loop->plan, begin[colour], begin[colour + 1], PARALLEL_FROM, sweep_range, loop);
}

static void sweep(const taut_plan* plan, const taut_factors* step) {
    const cpu_loop loop = {.plan = plan, .step = step};
    for (uint32_t colour = 0; colour < plan->sizes.colours; colour++) {
        sweep_colour(&loop, colour);
    }
}

double gauss_seidel_apply(const taut_plan* plan) {
    taut_plan there = *plan;
    const cpu_loop loop = {.plan = &there};
    const uint32_t colours = plan->sizes.colours;
    there.fields.delta = there.fields.z;
    memset(there.fields.z, 0, plan->sizes.unknowns * sizeof(float));
    memset(there.fields.g, 0, 4 * plan->sizes.nodes * sizeof(float));
    for (uint32_t i = 0; i < 2 * colours; i++) {
        if (i != colours) { /* the last colour once */
            sweep_colour(&loop, i < colours ? i : 2 * colours - 1 - i);
        }
    }
    return vector_dot(plan, plan->fields.r, plan->fields.z);
}

static void residual_range(const void* context, uint32_t part, size_t first, size_t last) {
    const cpu_loop* l = context;
    const taut_fields* f = &l->plan->fields;
    (void)part;
    for (size_t i = first; i < last; i++) {
        f->wide[i] = sweep_residual(f, &l->plan->sizes, i, (double)f->r[i] - f->q[i], l->step);
    }
}

/* |r - (S + E) delta|; renews g, into which sweeps have added up their rounding. */
static double evaluate_residual(const taut_plan* plan, const taut_factors* step) {
    const taut_fields* f = &plan->fields;
    const cpu_loop loop = {.plan = plan, .step = step};
    precondition_multiply(plan, f->delta, f->q);
    cpu_for(plan, 0, plan->sizes.unknowns, CPU_PARALLEL_FROM, residual_range, &loop);
    return sqrt(vector_norm2(plan, f->wide, f->inverse_diagonal));
}

uint32_t gauss_seidel_outer_iteration(const taut_plan* plan, const taut_factors* step, double goal, uint32_t limit) {
    const taut_fields* f = &plan->fields;
    taut_sweeping state = {0, 0, 0};
    memset(f->delta, 0, plan->sizes.unknowns * sizeof(float));
    memset(f->g, 0, 4 * plan->sizes.nodes * sizeof(float));
    do {
        for (int i = 0; i < TAUT_SWEEPS && state.sweeps < limit; i++) {
            sweep(plan, step);
            state.sweeps++;
        }
    } while (taut_sweeps_go_on(&state, evaluate_residual(plan, step), goal) && state.sweeps < limit);
    return state.sweeps;
}
