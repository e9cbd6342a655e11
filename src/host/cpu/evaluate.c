/* Evaluate: phi and J of every constraint in float64 from float64 positions (exact far from the origin), J stored in
 * float32; what the state is worth: violations and energies. */
#define TAUT_REAL double
#include "host/cpu/state.h"
#include "kernels/formulas/kinds.h"

#include <string.h>

#define VALUES(type) (sizeof(type) / sizeof(real))

static void store(const double* values, size_t count, float* out) {
    for (size_t i = 0; i < count; i++) {
        out[i] = (float)values[i];
    }
}

static void gather(const double* vectors, const uint32_t* nodes, size_t count, double out[][3]) {
    for (size_t i = 0; i < count; i++) {
        memcpy(out[i], vectors + 3 * (size_t)nodes[i], 3 * sizeof(double));
    }
}

/* d(phi)/dt at fixed positions: only targets move by themselves. */
static void subtract_rate(const taut_kind_fields* f, size_t c, size_t rows, double* phidot) {
    for (size_t i = 0; f->rate != NULL && i < rows; i++) {
        phidot[i] -= f->rate[rows * c + i];
    }
}

/* Elastic energy -1/2 lam.phi, and the worst |phi + d phidot + C lam|, with lam = gam / step. */
static void measure(const taut_kind_fields* f, size_t c, size_t rows, const double* phi, const double* phidot,
                    const double* gam, double step, double* elastic, double* violation) {
    const double* packed = f->compliance + TAUT_PACKED(rows) * c;
    for (size_t r = 0; r < rows; r++) {
        double residual = phi[r] + f->damping[c] * phidot[r];
        for (size_t j = 0; step > 0 && j < rows; j++) {
            const size_t at = j < r ? TAUT_PACKED(r) + j : TAUT_PACKED(j) + r;
            residual += packed[at] * gam[j] / step;
        }
        *elastic -= step > 0 ? gam[r] * phi[r] / (2 * step) : 0;
        *violation = fabs(residual) > *violation ? fabs(residual) : *violation;
    }
}

#define TAUT_KIND_TEXT "host/cpu/evaluate_kind.h"
#include "kernels/formulas/for_each_kind.h"

static void evaluate_linear(const taut_plan* plan, taut_kind k, double step) {
    const taut_fields* f = &plan->fields;
    const size_t count = plan->sizes.count[k], row0 = plan->sizes.first_row[k];
    const size_t chunks = (count + TAUT_CHUNK - 1) / TAUT_CHUNK;
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (count > CPU_PARALLEL_FROM)
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        double elastic = 0, violation = 0;
        const size_t end = count < (chunk + 1) * TAUT_CHUNK ? count : (chunk + 1) * TAUT_CHUNK;
        for (size_t c = chunk * TAUT_CHUNK; c < end; c++) {
            double phi = -f->kinds[k].rest[c], phidot = 0;
            for (uint32_t e = f->linear_begin[c]; e < f->linear_begin[c + 1]; e++) {
                phi += f->linear_weight[e] * f->x[f->linear_coordinate[e]];
                phidot += f->linear_weight[e] * f->v[f->linear_coordinate[e]];
            }
            f->phi[row0 + c] = phi;
            measure(&f->kinds[k], c, 1, &phi, &phidot, f->gam + row0 + c, step, &elastic, &violation);
        }
        f->partial[4 * chunk] = elastic;
        f->partial[4 * chunk + 1] = violation;
    }
}

static void collect(taut_backend_state* state, taut_kind k) {
    const size_t chunks = (state->plan->sizes.count[k] + TAUT_CHUNK - 1) / TAUT_CHUNK;
    const double* partial = state->plan->fields.partial;
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        state->report.elastic += partial[4 * chunk];
        if (partial[4 * chunk + 1] > state->report.max_violation[k]) {
            state->report.max_violation[k] = partial[4 * chunk + 1];
        }
    }
}

/* Kinetic and gravitational energy of the free particles. */
static void evaluate_particles(taut_backend_state* state) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    const double* gravity = plan->settings.gravity;
    const size_t nodes = plan->sizes.nodes, chunks = (nodes + TAUT_CHUNK - 1) / TAUT_CHUNK;
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (nodes > CPU_PARALLEL_FROM)
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        double kinetic = 0, potential = 0;
        const size_t end = nodes < (chunk + 1) * TAUT_CHUNK ? nodes : (chunk + 1) * TAUT_CHUNK;
        for (size_t n = chunk * TAUT_CHUNK; n < end; n++) {
            const double mass = f->inverse_mass[n] > 0 ? f->mass[n] : 0;
            kinetic += mass / 2 * vec3_dot(f->v + 3 * n, f->v + 3 * n);
            potential -= mass * vec3_dot(gravity, f->x + 3 * n);
        }
        f->partial[4 * chunk] = kinetic;
        f->partial[4 * chunk + 1] = potential;
    }
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        state->report.kinetic += f->partial[4 * chunk];
        state->report.potential += f->partial[4 * chunk + 1];
    }
}

void cpu_evaluate(taut_backend_state* state) {
    const taut_plan* plan = state->plan;
    state->report.kinetic = state->report.potential = state->report.elastic = 0;
    memset(state->report.max_violation, 0, sizeof state->report.max_violation);
#define EVALUATE(name, k)                                                                                              \
    if (plan->sizes.count[k] > 0) {                                                                                    \
        evaluate_##name(plan, k, state->impulse_step);                                                                 \
        collect(state, k);                                                                                             \
    }
    TAUT_FORMULA_KINDS(EVALUATE)
    EVALUATE(linear, TAUT_LINEAR)
    evaluate_particles(state);
}
