#define TAUT_REAL float
#include "kernels/stages/precondition.h"

#include "host/cpu/cpu_node_vector.h"
#include "host/cpu/cpu_vector.h"

/* Vectors of a loop over nodes; those that it has none of are NULL. */
typedef struct node_loop {
    const taut_plan* plan;
    const float *a, *b;
    float s;
    float *x, *y, *z;
} node_loop;

/* Of chunks of nodes, the sum of each in its place. */
static double sum_chunks(const node_loop* l, cpu_range* range) {
    const size_t chunks = cpu_chunk_count(l->plan->sizes.nodes);
    double sum = 0;
    cpu_for(l->plan, 0, chunks, 1, range, l);
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        sum += l->plan->fields.partial[4 * chunk];
    }
    return sum;
}

static inline double dot3(const float* a, const float* b) {
    return (double)a[0] * b[0] + (double)a[1] * b[1] + (double)a[2] * b[2];
}

/* z = D^-1 r at node n; returns r.z. */
static inline double divide(const float* inverse, const float* r, float* z) {
    z[3] = 0;
    return block_divide(inverse, r, z);
}

static void dot_chunks(const void* context, uint32_t part, size_t first, size_t last) {
    const node_loop* l = context;
    (void)part;
    for (size_t chunk = first; chunk < last; chunk++) {
        const size_t end = cpu_chunk_end(chunk, l->plan->sizes.nodes);
        double sum = 0;
        for (size_t n = chunk * TAUT_CHUNK; n < end; n++) {
            sum += dot3(l->a + 4 * n, l->b + 4 * n);
        }
        l->plan->fields.partial[4 * chunk] = sum;
    }
}

double node_vector_dot(const taut_plan* plan, const float* a, const float* b) {
    const node_loop loop = {.plan = plan, .a = a, .b = b};
    return sum_chunks(&loop, dot_chunks);
}

static void advance_chunks(const void* context, uint32_t part, size_t first, size_t last) {
    const node_loop* l = context;
    const float *p = l->a, *q = l->b, step = l->s, *inverse = l->plan->fields.diagonal_block_inverse;
    float *delta = l->x, *r = l->y, *z = l->z;
    (void)part;
    for (size_t chunk = first; chunk < last; chunk++) {
        const size_t begin = chunk * TAUT_CHUNK, end = cpu_chunk_end(chunk, l->plan->sizes.nodes);
        double sum = 0;
#pragma omp simd
        for (size_t i = 4 * begin; i < 4 * end; i++) {
            delta[i] += step * p[i];
            r[i] = vector_floored(r[i] - step * q[i]);
        }
        for (size_t n = begin; n < end; n++) {
            sum += divide(inverse + 6 * n, r + 4 * n, z + 4 * n);
        }
        l->plan->fields.partial[4 * chunk] = sum;
    }
}

double node_vector_advance(const taut_plan* plan, double s, const float* p, const float* q, float* delta, float* r,
                           float* z) {
    const node_loop loop = {.plan = plan, .a = p, .b = q, .s = (float)s, .x = delta, .y = r, .z = z};
    return sum_chunks(&loop, advance_chunks);
}

static void divide_chunks(const void* context, uint32_t part, size_t first, size_t last) {
    const node_loop* l = context;
    const float *inverse = l->plan->fields.diagonal_block_inverse, *r = l->a;
    float* z = l->x;
    (void)part;
    for (size_t chunk = first; chunk < last; chunk++) {
        const size_t end = cpu_chunk_end(chunk, l->plan->sizes.nodes);
        double sum = 0;
        for (size_t n = chunk * TAUT_CHUNK; n < end; n++) {
            sum += divide(inverse + 6 * n, r + 4 * n, z + 4 * n);
        }
        l->plan->fields.partial[4 * chunk] = sum;
    }
}

double node_vector_divide(const taut_plan* plan, const float* r, float* z) {
    const node_loop loop = {.plan = plan, .a = r, .x = z};
    return sum_chunks(&loop, divide_chunks);
}

static void direction_range(const void* context, uint32_t part, size_t first, size_t last) {
    const node_loop* l = context;
    const float *z = l->a, keep = l->s;
    float* p = l->x;
    (void)part;
#pragma omp simd
    for (size_t i = first; i < last; i++) {
        p[i] = vector_floored(z[i] + keep * p[i]);
    }
}

void node_vector_direction(const taut_plan* plan, const float* z, double s, float* p) {
    const node_loop loop = {.plan = plan, .a = z, .s = (float)s, .x = p};
    cpu_for(plan, 0, 4 * plan->sizes.nodes, CPU_PARALLEL_FROM, direction_range, &loop);
}
