#include "host/cpu/cpu_vector.h"

#define LANES 8

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

/* Vectors of a loop; those that it has none of are NULL. */
typedef struct vector_loop {
    const taut_plan* plan;
    size_t n;
    const float *a, *b;
    float s;
    float *x, *y;
    const double* wide;
} vector_loop;

/* Of chunks, the sum of each in its place. */
static double sum_chunks(const vector_loop* l, cpu_range* range) {
    const size_t chunks = cpu_chunk_count(l->n);
    cpu_for(l->plan, 0, chunks, CPU_PARALLEL_FROM / TAUT_CHUNK, range, l);
    return total(l->plan, chunks);
}

static void dot_chunks(const void* context, uint32_t part, size_t first, size_t last) {
    const vector_loop* l = context;
    (void)part;
    for (size_t chunk = first; chunk < last; chunk++) {
        l->plan->fields.partial[4 * chunk] =
            dot_range(l->a, l->b, NULL, chunk * TAUT_CHUNK, cpu_chunk_end(chunk, l->n));
    }
}

double vector_dot(const taut_plan* plan, const float* a, const float* b) {
    const vector_loop loop = {.plan = plan, .n = plan->sizes.unknowns, .a = a, .b = b};
    return sum_chunks(&loop, dot_chunks);
}

static void norm2_chunks(const void* context, uint32_t part, size_t first, size_t last) {
    const vector_loop* l = context;
    const double* a = l->wide;
    const float* c = l->a;
    (void)part;
    for (size_t chunk = first; chunk < last; chunk++) {
        double sum = 0;
        for (size_t i = chunk * TAUT_CHUNK; i < cpu_chunk_end(chunk, l->n); i++) {
            sum += a[i] * a[i] * c[i];
        }
        l->plan->fields.partial[4 * chunk] = sum;
    }
}

double vector_norm2(const taut_plan* plan, const double* a, const float* c) {
    const vector_loop loop = {.plan = plan, .n = cpu_used_unknowns(&plan->sizes), .wide = a, .a = c};
    return sum_chunks(&loop, norm2_chunks);
}

static void advance_chunks(const void* context, uint32_t part, size_t first, size_t last) {
    const vector_loop* l = context;
    const float *p = l->a, *q = l->b, step = l->s;
    float *delta = l->x, *r = l->y;
    (void)part;
    for (size_t chunk = first; chunk < last; chunk++) {
        const size_t begin = chunk * TAUT_CHUNK, end = cpu_chunk_end(chunk, l->n);
#pragma omp simd
        for (size_t i = begin; i < end; i++) {
            delta[i] += step * p[i];
            r[i] = vector_floored(r[i] - step * q[i]);
        }
        l->plan->fields.partial[4 * chunk] = dot_range(r, r, l->plan->fields.inverse_diagonal, begin, end);
    }
}

double vector_advance(const taut_plan* plan, double s, const float* p, const float* q, float* delta, float* r) {
    const vector_loop loop = {
        .plan = plan, .n = plan->sizes.unknowns, .a = p, .b = q, .s = (float)s, .x = delta, .y = r};
    return sum_chunks(&loop, advance_chunks);
}

static void direction_range(const void* context, uint32_t part, size_t first, size_t last) {
    const vector_loop* l = context;
    const float *z = l->a, keep = l->s;
    float* p = l->x;
    (void)part;
#pragma omp simd
    for (size_t i = first; i < last; i++) {
        p[i] = vector_floored(z[i] + keep * p[i]);
    }
}

void vector_direction(const taut_plan* plan, const float* z, double s, float* p) {
    const vector_loop loop = {.plan = plan, .a = z, .s = (float)s, .x = p};
    cpu_for(plan, 0, plan->sizes.unknowns, CPU_PARALLEL_FROM, direction_range, &loop);
}

static void multiply_range(const void* context, uint32_t part, size_t first, size_t last) {
    const vector_loop* l = context;
    const float *a = l->a, *b = l->b;
    float* out = l->x;
    (void)part;
#pragma omp simd
    for (size_t i = first; i < last; i++) {
        out[i] = a[i] * b[i];
    }
}

void vector_multiply(const taut_plan* plan, const float* a, const float* b, float* out) {
    const vector_loop loop = {.plan = plan, .a = a, .b = b, .x = out};
    cpu_for(plan, 0, plan->sizes.unknowns, CPU_PARALLEL_FROM, multiply_range, &loop);
}

static void multiply_dot_chunks(const void* context, uint32_t part, size_t first, size_t last) {
    const vector_loop* l = context;
    const float *a = l->a, *b = l->b;
    float* out = l->x;
    (void)part;
    for (size_t chunk = first; chunk < last; chunk++) {
        const size_t begin = chunk * TAUT_CHUNK, end = cpu_chunk_end(chunk, l->n);
#pragma omp simd
        for (size_t i = begin; i < end; i++) {
            out[i] = a[i] * b[i];
        }
        l->plan->fields.partial[4 * chunk] = dot_range(b, out, NULL, begin, end);
    }
}

double vector_multiply_dot(const taut_plan* plan, const float* a, const float* b, float* out) {
    const vector_loop loop = {.plan = plan, .n = plan->sizes.unknowns, .a = a, .b = b, .x = out};
    return sum_chunks(&loop, multiply_dot_chunks);
}
