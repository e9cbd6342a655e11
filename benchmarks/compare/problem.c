#include "problem.h"

#include "bench_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

motion motion_make(const step_problem* p) {
    const size_t n = problem_coordinates(p);
    return (motion){bench_allocate(n, sizeof(double)), bench_allocate(n, sizeof(double))};
}

void motion_free(motion* m) {
    free(m->x);
    free(m->v);
    *m = (motion){0};
}

void motion_copy(const step_problem* p, const motion* from, motion* to) {
    memcpy(to->x, from->x, problem_coordinates(p) * sizeof(double));
    memcpy(to->v, from->v, problem_coordinates(p) * sizeof(double));
}

size_t problem_coordinates(const step_problem* p) {
    return 3 * p->model->particles;
}

bool problem_fixed(const step_problem* p, size_t coordinate) {
    return p->model->fixed[coordinate / 3];
}

void problem_target(const step_problem* p, const motion* from, double* y) {
    for (size_t i = 0; i < problem_coordinates(p); i++) {
        const double fall = i % 3 == 1 ? p->h * p->h * p->gravity : 0;
        y[i] = from->x[i] + (problem_fixed(p, i) ? 0 : p->h * from->v[i] + fall);
    }
}

/* Direction of spring s, from its first particle to its second; returns its length. */
static double direction(const step_problem* p, const double* x, size_t s, double n[3]) {
    const double *a = x + 3 * (size_t)p->model->pairs[2 * s], *b = x + 3 * (size_t)p->model->pairs[2 * s + 1];
    double squares = 0;
    for (size_t k = 0; k < 3; k++) {
        n[k] = b[k] - a[k];
        squares += n[k] * n[k];
    }
    const double length = sqrt(squares);
    for (size_t k = 0; k < 3; k++) {
        n[k] /= length;
    }
    return length;
}

double problem_energy(const step_problem* p, const double* y, const double* x) {
    const springs* m = p->model;
    double inertia = 0, elastic = 0, n[3];
    for (size_t i = 0; i < problem_coordinates(p); i++) {
        inertia += problem_fixed(p, i) ? 0 : m->masses[i / 3] * (x[i] - y[i]) * (x[i] - y[i]);
    }
    for (size_t s = 0; s < m->count; s++) {
        const double longer = direction(p, x, s, n) - m->lengths[s];
        elastic += longer * longer / m->compliances[s];
    }
    return (inertia / (p->h * p->h) + elastic) / 2;
}

void problem_gradient(const step_problem* p, const double* y, const double* x, double* out) {
    const springs* m = p->model;
    double n[3];
    for (size_t i = 0; i < problem_coordinates(p); i++) {
        out[i] = m->masses[i / 3] * (x[i] - y[i]) / (p->h * p->h);
    }
    for (size_t s = 0; s < m->count; s++) {
        const double force = (direction(p, x, s, n) - m->lengths[s]) / m->compliances[s];
        for (size_t k = 0; k < 3; k++) {
            out[3 * (size_t)m->pairs[2 * s] + k] -= force * n[k];
            out[3 * (size_t)m->pairs[2 * s + 1] + k] += force * n[k];
        }
    }
    for (size_t i = 0; i < problem_coordinates(p); i++) {
        out[i] = problem_fixed(p, i) ? 0 : out[i];
    }
}

/* ---- Hessian ------------------------------------------------------------------------------------------------------
 */

static int ascending(const void* a, const void* b) {
    const int x = *(const int*)a, y = *(const int*)b;
    return (x > y) - (x < y);
}

/* Neighbours of every particle, itself among them, ascending: those of i begin at begins[i]. */
static int* find_neighbours(const springs* m, size_t* begins) {
    for (size_t i = 0; i < 2 * m->count; i++) {
        begins[m->pairs[i] + 1]++;
    }
    for (size_t i = 0; i < m->particles; i++) {
        begins[i + 1] += begins[i] + 1;
    }
    int* neighbours = bench_allocate(begins[m->particles], sizeof *neighbours);
    size_t* filled = bench_allocate(m->particles, sizeof *filled);
    for (size_t i = 0; i < m->particles; i++) {
        neighbours[begins[i] + filled[i]++] = (int)i;
    }
    for (size_t i = 0; i < 2 * m->count; i++) {
        const uint32_t a = m->pairs[i], b = m->pairs[i ^ 1];
        neighbours[begins[a] + filled[a]++] = (int)b;
    }
    for (size_t i = 0; i < m->particles; i++) {
        qsort(neighbours + begins[i], filled[i], sizeof *neighbours, ascending);
    }
    free(filled);
    return neighbours;
}

sparse problem_pattern(const step_problem* p) {
    const springs* m = p->model;
    size_t* begins = bench_allocate(m->particles + 1, sizeof *begins);
    int* neighbours = find_neighbours(m, begins);
    const size_t n = problem_coordinates(p), nonzeros = 9 * begins[m->particles];
    sparse a = {.rows = n};
    a.offsets = bench_allocate(n + 1, sizeof *a.offsets);
    a.columns = bench_allocate(nonzeros, sizeof *a.columns);
    a.values = bench_allocate(nonzeros, sizeof *a.values);
    int filled = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t e = begins[i / 3]; e < begins[i / 3 + 1]; e++) {
            for (int k = 0; k < 3; k++) {
                a.columns[filled++] = 3 * neighbours[e] + k;
            }
        }
        a.offsets[i + 1] = filled;
    }
    free(neighbours);
    free(begins);
    return a;
}

/* Where column 3 b begins in row i. */
static double* entry(sparse* a, size_t i, uint32_t b) {
    int low = a->offsets[i], high = a->offsets[i + 1];
    while (high - low > 3) { /* blocks of three columns */
        const int middle = low + (high - low) / 6 * 3;
        if (a->columns[middle] <= (int)(3 * b)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return a->values + low;
}

static void add_block(const step_problem* p, uint32_t row, uint32_t column, const double block[9], double sign,
                      sparse* out) {
    for (size_t k = 0; k < 3; k++) {
        double* values = entry(out, 3 * (size_t)row + k, column);
        for (size_t j = 0; j < 3 && !p->model->fixed[row] && !p->model->fixed[column]; j++) {
            values[j] += sign * block[3 * k + j];
        }
    }
}

void problem_hessian(const step_problem* p, const double* x, bool exact, sparse* out) {
    const springs* m = p->model;
    memset(out->values, 0, (size_t)out->offsets[out->rows] * sizeof *out->values);
    for (size_t i = 0; i < out->rows; i++) {
        entry(out, i, (uint32_t)(i / 3))[i % 3] = problem_fixed(p, i) ? 1 : m->masses[i / 3] / (p->h * p->h);
    }
    for (size_t s = 0; s < m->count; s++) {
        double n[3], block[9];
        const double length = direction(p, x, s, n), stiffness = 1 / m->compliances[s];
        const double across = fmax(exact ? -INFINITY : 0, 1 - m->lengths[s] / length);
        for (size_t k = 0; k < 9; k++) {
            const double along = n[k / 3] * n[k % 3];
            block[k] = stiffness * (along + across * ((k % 4 == 0) - along));
        }
        const uint32_t a = m->pairs[2 * s], b = m->pairs[2 * s + 1];
        add_block(p, a, a, block, 1, out);
        add_block(p, b, b, block, 1, out);
        add_block(p, a, b, block, -1, out);
        add_block(p, b, a, block, -1, out);
    }
}

/* ---- distances ----------------------------------------------------------------------------------------------------
 */

double problem_distance(const step_problem* p, const double* a, const double* b) {
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < problem_coordinates(p); i++) {
        sum += problem_fixed(p, i) ? 0 : (a[i] - b[i]) * (a[i] - b[i]);
        count += !problem_fixed(p, i);
    }
    return sqrt(3 * sum / (double)count);
}

double problem_largest(const step_problem* p, const double* a, const double* b) {
    double largest = 0;
    for (size_t i = 0; i < problem_coordinates(p); i += 3) {
        const double d[3] = {a[i] - b[i], a[i + 1] - b[i + 1], a[i + 2] - b[i + 2]};
        const double far = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        largest = !(far <= largest) ? far : largest; /* NaN counts */
    }
    return largest;
}

double problem_strain(const step_problem* p, const double* x) {
    double sum = 0, n[3];
    for (size_t s = 0; s < p->model->count; s++) {
        const double strain = direction(p, x, s, n) / p->model->lengths[s] - 1;
        sum += strain * strain;
    }
    return sqrt(sum / (double)p->model->count);
}
