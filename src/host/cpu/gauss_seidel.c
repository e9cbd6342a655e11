#define TAUT_REAL float
#include "kernels/stages/gauss_seidel.h"

#include "host/cpu/cpu_gauss_seidel.h"
#include "host/cpu/cpu_precondition.h"
#include "host/cpu/cpu_vector.h"

#include <string.h>

/* Colours with fewer blocks stay on one thread. */
#define PARALLEL_FROM 2048

static void sweep(const taut_plan* plan, const taut_factors* step) {
    const uint32_t* begin = plan->fields.colour_begin;
    for (uint32_t colour = 0; colour < plan->sizes.colours; colour++) {
        const uint32_t first = begin[colour], end = begin[colour + 1];
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (end - first > PARALLEL_FROM)
        for (uint32_t b = first; b < end; b++) {
            sweep_block(&plan->fields, &plan->sizes, &plan->hierarchy.system, b, step);
        }
    }
}

/* |r - (S + E) delta|; renews g, into which sweeps have added up their rounding. */
static double evaluate_residual(const taut_plan* plan, const taut_factors* step) {
    const taut_fields* f = &plan->fields;
    const size_t n = plan->sizes.unknowns;
    precondition_multiply(plan, f->delta, f->q);
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (n > CPU_PARALLEL_FROM)
    for (size_t i = 0; i < n; i++) {
        f->wide[i] = sweep_residual(f, &plan->sizes, i, (double)f->r[i] - f->q[i], step);
    }
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
