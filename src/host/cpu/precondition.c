/* Choice of preconditioner, and the Chebyshev polynomial. */
#include "host/cpu/precondition.h"

#include "host/cpu/apply.h"
#include "host/cpu/precondition_block.h"
#include "host/cpu/vector.h"

#include <math.h>
#include <string.h>

/* Power steps for the largest eigenvalue: at first, and per step afterwards from the kept vector. */
#define POWER_STEPS_FIRST 16
#define POWER_STEPS       2
/* A Rayleigh quotient lies below the eigenvalue; the polynomial must not be used beyond its interval. */
#define POWER_SAFETY 1.2

void precondition_multiply(const taut_plan* plan, const float* p, float* q) {
    const taut_fields* f = &plan->fields;
    cpu_pull_f32(plan, TAUT_ALL, true, p, f->g);
    cpu_forward_f32(plan, TAUT_ALL, f->g, 4, p, f->shift, q);
}

/* ---- Chebyshev ------------------------------------------------------------------------------------------------ */

/* A fixed vector without symmetry: bits of a multiplicative hash, in (-1, 1). */
static void seed_vector(float* x, size_t n) {
    for (size_t i = 0; i < n; i++) {
        x[i] = (float)((uint32_t)(i + 1) * 2654435761u) / 2147483648.0F - 1.0F;
    }
}

/* One power step of D^-1 (S + E); returns the Rayleigh quotient of the vector before it. */
static double power_step(const taut_plan* plan, float* x) {
    const taut_fields* f = &plan->fields;
    const size_t n = plan->sizes.unknowns;
    precondition_multiply(plan, x, f->q);
    double above = vector_dot(plan, x, f->q, NULL);
    vector_multiply(plan, f->q, f->inverse_shifted, f->z);
    /* x.D x through the next vector: D z = q, so x.D x needs D itself, 1/inverse_shifted. */
    double below = 0;
    for (size_t i = 0; i < n; i++) {
        below += f->inverse_shifted[i] > 0 ? (double)x[i] * x[i] / f->inverse_shifted[i] : 0;
    }
    const double norm = sqrt(vector_dot(plan, f->z, f->z, NULL));
    for (size_t i = 0; i < n; i++) {
        x[i] = norm > 0 ? (float)(f->z[i] / norm) : 0;
    }
    return below > 0 ? above / below : 0;
}

static void chebyshev_refresh(taut_backend_state* state) {
    const taut_plan* plan = state->plan;
    const bool first = !(state->largest > 0);
    if (first) {
        seed_vector(plan->fields.eigenvector, plan->sizes.unknowns);
    }
    double largest = 0;
    for (int i = 0; i < (first ? POWER_STEPS_FIRST : POWER_STEPS); i++) {
        largest = fmax(largest, power_step(plan, plan->fields.eigenvector));
    }
    state->largest = largest > 0 ? largest : 1;
}

/* z = p(D^-1 S) D^-1 r with the Chebyshev polynomial of the interval [upper / degree^2, upper]. */
static void chebyshev_apply(const taut_backend_state* state, const float* r, float* z) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    const size_t n = plan->sizes.unknowns;
    const double degree = plan->settings.solver.chebyshev_degree;
    const double upper = POWER_SAFETY * state->largest, lower = upper / fmax(degree * degree, 4);
    const double middle = (upper + lower) / 2, half = (upper - lower) / 2;
    double rho = half / middle;
    float *d = f->chebyshev_direction, *rest = f->chebyshev_residual;
    memcpy(rest, r, n * sizeof(float));
    for (size_t i = 0; i < n; i++) {
        d[i] = z[i] = (float)(f->inverse_shifted[i] * r[i] / middle);
    }
    for (int step = 1; step < degree; step++) {
        precondition_multiply(plan, d, f->q);
        const double next = 1 / (2 * middle / half - rho);
        const float keep = (float)(next * rho), gain = (float)(2 * next / half);
#pragma omp parallel for simd num_threads(plan->settings.threads) schedule(static) if (n > CPU_PARALLEL_FROM)
        for (size_t i = 0; i < n; i++) {
            rest[i] -= f->q[i];
            d[i] = keep * d[i] + gain * f->inverse_shifted[i] * rest[i];
            z[i] += d[i];
        }
        rho = next;
    }
}

/* ---- choice --------------------------------------------------------------------------------------------------- */

void precondition_refresh(taut_backend_state* state) {
    switch (state->plan->settings.preconditioner) {
    case TAUT_PRECONDITIONER_BLOCK:
        blocks_refresh(state->plan);
        break;
    case TAUT_PRECONDITIONER_CHEBYSHEV:
        chebyshev_refresh(state);
        break;
    default:
        break;
    }
}

void precondition_apply(const taut_backend_state* state, const float* r, float* z) {
    const taut_plan* plan = state->plan;
    switch (plan->settings.preconditioner) {
    case TAUT_PRECONDITIONER_NONE:
        memcpy(z, r, plan->sizes.unknowns * sizeof(float));
        break;
    case TAUT_PRECONDITIONER_BLOCK:
        blocks_apply(plan, r, z);
        break;
    case TAUT_PRECONDITIONER_CHEBYSHEV:
        chebyshev_apply(state, r, z);
        break;
    default:
        vector_multiply(plan, plan->fields.inverse_shifted, r, z);
        break;
    }
}

void precondition_repair(taut_backend_state* state) { state->largest *= 1.5; }
