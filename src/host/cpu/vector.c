#include "host/cpu/cpu_vector.h"

#define LANES 8

static size_t chunk_count(size_t n) {
    return (n + TAUT_CHUNK - 1) / TAUT_CHUNK;
}

static size_t chunk_end(size_t chunk, size_t n) {
    return n < (chunk + 1) * TAUT_CHUNK ? n : (chunk + 1) * TAUT_CHUNK;
}

static double total(const taut_plan* plan, size_t chunks) {
    double sum = 0;
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        sum += plan->fields.partial[4 * chunk];
    }
    return sum;
}

/* Lanes are summed apart and then together, an order that the compiler may put into vector registers. `c` is known to
 * be NULL or not where this is inlined. */
static inline double dot_range(const float* a, const float* b, const float* c, size_t begin, size_t end) {
    double lanes[LANES] = {0};
    const size_t whole = begin + (end - begin) / LANES * LANES;
    for (size_t i = begin; i < whole; i += LANES) {
        for (size_t k = 0; k < LANES; k++) {
            lanes[k] += (double)a[i + k] * b[i + k] * (c != NULL ? c[i + k] : 1.0F);
        }
    }
    for (size_t i = whole; i < end; i++) {
        lanes[i - whole] += (double)a[i] * b[i] * (c != NULL ? c[i] : 1.0F);
    }
    double sum = 0;
    for (size_t k = 0; k < LANES; k++) {
        sum += lanes[k];
    }
    return sum;
}

double vector_dot(const taut_plan* plan, const float* a, const float* b) {
    const size_t n = plan->sizes.unknowns, chunks = chunk_count(n);
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (n > CPU_PARALLEL_FROM)
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        plan->fields.partial[4 * chunk] = dot_range(a, b, NULL, chunk * TAUT_CHUNK, chunk_end(chunk, n));
    }
    return total(plan, chunks);
}

double vector_norm2(const taut_plan* plan, const double* a, const float* c) {
    const size_t n = plan->sizes.unknowns, chunks = chunk_count(n);
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (n > CPU_PARALLEL_FROM)
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        double sum = 0;
        for (size_t i = chunk * TAUT_CHUNK; i < chunk_end(chunk, n); i++) {
            sum += a[i] * a[i] * c[i];
        }
        plan->fields.partial[4 * chunk] = sum;
    }
    return total(plan, chunks);
}

double vector_advance(const taut_plan* plan, double s, const float* p, const float* q, float* delta, float* r) {
    const size_t n = plan->sizes.unknowns, chunks = chunk_count(n);
    const float step = (float)s;
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (n > CPU_PARALLEL_FROM)
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        const size_t begin = chunk * TAUT_CHUNK, end = chunk_end(chunk, n);
#pragma omp simd
        for (size_t i = begin; i < end; i++) {
            delta[i] += step * p[i];
            r[i] = vector_floored(r[i] - step * q[i]);
        }
        plan->fields.partial[4 * chunk] = dot_range(r, r, plan->fields.inverse_diagonal, begin, end);
    }
    return total(plan, chunks);
}

void vector_direction(const taut_plan* plan, const float* z, double s, float* p) {
    const size_t n = plan->sizes.unknowns;
    const float keep = (float)s;
#pragma omp parallel for simd num_threads(plan->settings.threads) schedule(static) if (n > CPU_PARALLEL_FROM)
    for (size_t i = 0; i < n; i++) {
        p[i] = vector_floored(z[i] + keep * p[i]);
    }
}

void vector_multiply(const taut_plan* plan, const float* a, const float* b, float* out) {
    const size_t n = plan->sizes.unknowns;
#pragma omp parallel for simd num_threads(plan->settings.threads) schedule(static) if (n > CPU_PARALLEL_FROM)
    for (size_t i = 0; i < n; i++) {
        out[i] = a[i] * b[i];
    }
}

double vector_multiply_dot(const taut_plan* plan, const float* a, const float* b, float* out) {
    const size_t n = plan->sizes.unknowns, chunks = chunk_count(n);
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (n > CPU_PARALLEL_FROM)
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        const size_t begin = chunk * TAUT_CHUNK, end = chunk_end(chunk, n);
#pragma omp simd
        for (size_t i = begin; i < end; i++) {
            out[i] = a[i] * b[i];
        }
        plan->fields.partial[4 * chunk] = dot_range(b, out, NULL, begin, end);
    }
    return total(plan, chunks);
}
