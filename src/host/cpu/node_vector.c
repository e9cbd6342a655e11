#define TAUT_REAL float
#include "kernels/stages/precondition.h"

#include "host/cpu/cpu_node_vector.h"
#include "host/cpu/cpu_vector.h"

static size_t chunk_count(const taut_plan* plan) {
    return (plan->sizes.nodes + TAUT_CHUNK - 1) / TAUT_CHUNK;
}

static size_t chunk_end(const taut_plan* plan, size_t chunk) {
    const size_t n = plan->sizes.nodes;
    return n < (chunk + 1) * TAUT_CHUNK ? n : (chunk + 1) * TAUT_CHUNK;
}

static double total(const taut_plan* plan) {
    double sum = 0;
    for (size_t chunk = 0; chunk < chunk_count(plan); chunk++) {
        sum += plan->fields.partial[4 * chunk];
    }
    return sum;
}

/* `item` of `sum` over the nodes of each chunk. */
#define SUM_OVER_NODES(item)                                                                                           \
    _Pragma(                                                                                                           \
        "omp parallel for num_threads(plan->settings.threads) schedule(static) if (chunks > 1)") for (size_t chunk =   \
                                                                                                          0;           \
                                                                                                      chunk < chunks;  \
                                                                                                      chunk++) {       \
        const size_t end = chunk_end(plan, chunk);                                                                     \
        double sum = 0;                                                                                                \
        for (size_t n = chunk * TAUT_CHUNK; n < end; n++) {                                                            \
            item;                                                                                                      \
        }                                                                                                              \
        plan->fields.partial[4 * chunk] = sum;                                                                         \
    }

static inline double dot3(const float* a, const float* b) {
    return (double)a[0] * b[0] + (double)a[1] * b[1] + (double)a[2] * b[2];
}

/* z = D^-1 r at node n; returns r.z. */
static inline double divide(const float* inverse, const float* r, float* z) {
    z[3] = 0;
    return block_divide(inverse, r, z);
}

double node_vector_dot(const taut_plan* plan, const float* a, const float* b) {
    const size_t chunks = chunk_count(plan);
    SUM_OVER_NODES(sum += dot3(a + 4 * n, b + 4 * n))
    return total(plan);
}

double node_vector_advance(const taut_plan* plan, double s, const float* p, const float* q, float* delta, float* r,
                           float* z) {
    const float step = (float)s, *inverse = plan->fields.diagonal_block_inverse;
    const size_t chunks = chunk_count(plan);
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (chunks > 1)
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        const size_t begin = chunk * TAUT_CHUNK, end = chunk_end(plan, chunk);
        double sum = 0;
#pragma omp simd
        for (size_t i = 4 * begin; i < 4 * end; i++) {
            delta[i] += step * p[i];
            r[i] = vector_floored(r[i] - step * q[i]);
        }
        for (size_t n = begin; n < end; n++) {
            sum += divide(inverse + 6 * n, r + 4 * n, z + 4 * n);
        }
        plan->fields.partial[4 * chunk] = sum;
    }
    return total(plan);
}

double node_vector_divide(const taut_plan* plan, const float* r, float* z) {
    const float* inverse = plan->fields.diagonal_block_inverse;
    const size_t chunks = chunk_count(plan);
    SUM_OVER_NODES(sum += divide(inverse + 6 * n, r + 4 * n, z + 4 * n))
    return total(plan);
}

void node_vector_direction(const taut_plan* plan, const float* z, double s, float* p) {
    const size_t values = 4 * plan->sizes.nodes;
    const float keep = (float)s;
#pragma omp parallel for simd num_threads(plan->settings.threads) schedule(static) if (values > CPU_PARALLEL_FROM)
    for (size_t i = 0; i < values; i++) {
        p[i] = vector_floored(z[i] + keep * p[i]);
    }
}
