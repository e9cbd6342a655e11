/* Choice of preconditioner, and the Chebyshev polynomial. */
#include "host/cpu/cpu_precondition.h"

#include "host/cpu/cpu_apply.h"
#include "host/cpu/cpu_precondition_block.h"
#include "host/cpu/cpu_precondition_lines.h"
#include "host/cpu/cpu_vector.h"
#include "kernels/stages/precondition.h"

#include <math.h>
#include <string.h>

void precondition_multiply(const taut_plan* plan, const float* p, float* q) {
    const taut_fields* f = &plan->fields;
    cpu_apply_jacobian_transpose_f32(plan, TAUT_ALL, true, p, f->g);
    cpu_apply_jacobian_f32(plan, TAUT_ALL, f->g, 4, p, true, q);
}

/* ---- Chebyshev ------------------------------------------------------------------------------------------------ */

/* One power step of D^-1 (S + E); returns the Rayleigh quotient of the vector before it. */
static double power_step(const taut_plan* plan, float* x) {
    const taut_fields* f = &plan->fields;
    const size_t n = plan->sizes.unknowns;
    precondition_multiply(plan, x, f->q);
    double above = vector_dot(plan, x, f->q);
    vector_multiply(plan, f->q, f->inverse_shifted, f->z);
    /* x.D x through the next vector: D z = q, so x.D x needs D itself, 1/inverse_shifted. */
    double below = 0;
    for (size_t i = 0; i < n; i++) {
        below += f->inverse_shifted[i] > 0 ? (double)x[i] * x[i] / f->inverse_shifted[i] : 0;
    }
    const double norm = sqrt(vector_dot(plan, f->z, f->z));
    for (size_t i = 0; i < n; i++) {
        x[i] = norm > 0 ? (float)(f->z[i] / norm) : 0;
    }
    return below > 0 && above > 0 ? above / below : 1;
}

static void chebyshev_refresh(taut_backend_state* state) {
    const taut_plan* plan = state->plan;
    float* x = plan->fields.eigenvector;
    for (size_t i = 0; i < plan->sizes.unknowns; i++) {
        x[i] += chebyshev_mix(i, plan->sizes.unknowns);
    }
    for (int i = 0; i < TAUT_POWER_STEPS; i++) {
        state->largest = power_step(plan, x);
    }
}

typedef struct chebyshev_loop {
    const taut_fields* f;
    chebyshev_factors factors;
    float* z;
} chebyshev_loop;

static void chebyshev_range(const void* context, uint32_t part, size_t first, size_t last) {
    const chebyshev_loop* l = context;
    const taut_fields* f = l->f;
    const chebyshev_factors factors = l->factors;
    float *d = f->chebyshev_direction, *rest = f->chebyshev_residual, *z = l->z;
    (void)part;
#pragma omp simd
    for (size_t i = first; i < last; i++) {
        rest[i] -= f->q[i];
        d[i] = factors.keep * d[i] + factors.gain * f->inverse_shifted[i] * rest[i];
        z[i] += d[i];
    }
}

/* z = p(D^-1 S) D^-1 r with the Chebyshev polynomial of the interval. */
static void chebyshev_apply(const taut_backend_state* state, const float* r, float* z) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    const size_t n = plan->sizes.unknowns;
    const uint32_t degree = plan->settings.solver.chebyshev_degree;
    const chebyshev_interval on = chebyshev_of(state->largest, degree);
    float *d = f->chebyshev_direction, *rest = f->chebyshev_residual;
    memcpy(rest, r, n * sizeof(float));
    for (size_t i = 0; i < n; i++) {
        d[i] = z[i] = (float)(f->inverse_shifted[i] * r[i] / on.middle);
    }
    for (uint32_t step = 1; step < degree; step++) {
        const chebyshev_loop loop = {f, chebyshev_step(on, (int)step), z};
        precondition_multiply(plan, d, f->q);
        cpu_for(plan, 0, n, CPU_PARALLEL_FROM, chebyshev_range, &loop);
    }
}

/* ---- choice --------------------------------------------------------------------------------------------------- */

void precondition_refresh(taut_backend_state* state) {
    switch (state->plan->settings.preconditioner) {
    case TAUT_PRECONDITIONER_BLOCK:
        blocks_refresh(state->plan);
        break;
    case TAUT_PRECONDITIONER_MULTILEVEL:
        lines_refresh(state->plan);
        break;
    case TAUT_PRECONDITIONER_CHEBYSHEV:
        chebyshev_refresh(state);
        break;
    default:
        break;
    }
}

/* Blocks and lines do not have what is added to the scene. */
static void apply_reserved(const taut_plan* plan, const float* r, float* z) {
    const taut_fields* f = &plan->fields;
    for (size_t i = 0; i < plan->sizes.reserved_unknowns; i++) {
        const size_t u = f->reserved_unknown[i];
        z[u] = f->inverse_shifted[u] * r[u];
    }
}

double precondition_apply(const taut_backend_state* state, const float* r, float* z) {
    const taut_plan* plan = state->plan;
    switch (plan->settings.preconditioner) {
    case TAUT_PRECONDITIONER_NONE:
        memcpy(z, r, plan->sizes.unknowns * sizeof(float));
        break;
    case TAUT_PRECONDITIONER_BLOCK:
        blocks_apply(plan, r, z);
        apply_reserved(plan, r, z);
        break;
    case TAUT_PRECONDITIONER_MULTILEVEL:
        lines_apply(plan, r, z);
        apply_reserved(plan, r, z);
        break;
    case TAUT_PRECONDITIONER_CHEBYSHEV:
        chebyshev_apply(state, r, z);
        break;
    default:
        return vector_multiply_dot(plan, plan->fields.inverse_shifted, r, z);
    }
    return vector_dot(plan, r, z);
}

void precondition_repair(taut_backend_state* state) {
    state->largest *= 2;
}
