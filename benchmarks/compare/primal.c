/* Gauss-Seidel over vertices, 3 x 3 blocks: on the energy itself, as vertex block descent does (Chen et al. 2024, here
 * one after the other, without acceleration), and on the linearised condensed system. */
#include "bench_scenes.h"
#include "linear_system.h"
#include "methods.h"
#include "processor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* x = a^-1 b for a symmetric positive definite a, by cofactors. */
static void solve_3x3(const double a[9], const double b[3], double x[3]) {
    double c[9];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const int r = (j + 1) % 3, s = (j + 2) % 3, u = (i + 1) % 3, v = (i + 2) % 3;
            c[3 * i + j] = a[3 * r + u] * a[3 * s + v] - a[3 * r + v] * a[3 * s + u];
        }
    }
    const double determinant = a[0] * c[0] + a[1] * c[3] + a[2] * c[6];
    for (int i = 0; i < 3; i++) {
        x[i] = (c[3 * i] * b[0] + c[3 * i + 1] * b[1] + c[3 * i + 2] * b[2]) / determinant;
    }
}

/* ---- on the energy --------------------------------------------------------------------------------------------------
 */

typedef struct descent {
    step_problem problem;
    size_t* begins;     /* of each particle into springs_at */
    size_t* springs_at; /* 2 * spring + which end */
    double* y;
} descent;

static void* make_descent(const compared_method* m, const step_problem* p) {
    (void)m;
    const springs* model = p->model;
    descent* d = bench_allocate(1, sizeof *d);
    d->problem = *p;
    d->y = bench_allocate(problem_coordinates(p), sizeof(double));
    d->begins = bench_allocate(model->particles + 2, sizeof *d->begins);
    d->springs_at = bench_allocate(2 * model->count, sizeof *d->springs_at);
    for (size_t i = 0; i < 2 * model->count; i++) {
        d->begins[model->pairs[i] + 2]++;
    }
    for (size_t i = 2; i < model->particles + 2; i++) {
        d->begins[i] += d->begins[i - 1];
    }
    for (size_t i = 0; i < 2 * model->count; i++) {
        d->springs_at[d->begins[model->pairs[i] + 1]++] = i;
    }
    return d;
}

static void destroy_descent(void* self) {
    descent* d = self;
    free(d->begins);
    free(d->springs_at);
    free(d->y);
    free(d);
}

/* Adds force and stiffness of the spring at its end `at / 2`, without the negative part of the stiffness. */
static void add_spring(const springs* m, const double* x, size_t at, double force[3], double block[9]) {
    const double *here = x + 3 * (size_t)m->pairs[at], *there = x + 3 * (size_t)m->pairs[at ^ 1];
    double n[3], squares = 0;
    for (size_t k = 0; k < 3; k++) {
        n[k] = there[k] - here[k];
        squares += n[k] * n[k];
    }
    const double length = sqrt(squares), stiffness = 1 / m->compliances[at / 2];
    const double across = fmax(0, 1 - m->lengths[at / 2] / length);
    for (size_t k = 0; k < 3; k++) {
        n[k] /= length;
        force[k] += stiffness * (length - m->lengths[at / 2]) * n[k];
    }
    for (size_t k = 0; k < 9; k++) {
        block[k] += stiffness * (across * (k % 4 == 0) + (1 - across) * n[k / 3] * n[k % 3]);
    }
}

static void sweep_descent(const descent* d, double* x) {
    const springs* m = d->problem.model;
    for (size_t i = 0; i < m->particles; i++) {
        const double inertia = m->masses[i] / (d->problem.h * d->problem.h);
        double force[3], move[3], block[9] = {inertia, 0, 0, 0, inertia, 0, 0, 0, inertia};
        for (size_t k = 0; k < 3; k++) {
            force[k] = inertia * (d->y[3 * i + k] - x[3 * i + k]);
        }
        for (size_t e = d->begins[i]; e < d->begins[i + 1] && !m->fixed[i]; e++) {
            add_spring(m, x, d->springs_at[e], force, block);
        }
        solve_3x3(block, force, move);
        for (size_t k = 0; k < 3 && !m->fixed[i]; k++) {
            x[3 * i + k] += move[k];
        }
    }
}

static void finish_step(const step_problem* p, const motion* from, motion* to) {
    for (size_t i = 0; i < problem_coordinates(p); i++) {
        to->v[i] = problem_fixed(p, i) ? 0 : (to->x[i] - from->x[i]) / p->h;
    }
}

static void step_descent(void* self, const motion* from, double budget, bool cold, motion* to, step_cost* cost) {
    (void)cold;
    const descent* d = self;
    const double begin = processor_seconds();
    problem_target(&d->problem, from, d->y);
    memcpy(to->x, d->y, problem_coordinates(&d->problem) * sizeof(double));
    for (double i = 0; i < budget; i++) {
        sweep_descent(d, to->x);
    }
    finish_step(&d->problem, from, to);
    cost->seconds = processor_seconds() - begin;
    cost->iterations = cost->work = budget;
}

/* ---- on the condensed system ------------------------------------------------------------------------------------- */

typedef struct block_sweeps {
    step_problem problem;
    linear_source* source;
} block_sweeps;

static void* make_blocks(const compared_method* m, const step_problem* p) {
    (void)m;
    block_sweeps* s = bench_allocate(1, sizeof *s);
    s->problem = *p;
    s->source = linear_source_make(p);
    return s;
}

static void destroy_blocks(void* self) {
    block_sweeps* s = self;
    linear_source_free(s->source);
    free(s);
}

static void sweep_blocks(const sparse* h, const double* b, double* x) {
    for (size_t i = 0; i < h->rows; i += 3) {
        double residual[3], move[3], block[9] = {0};
        for (size_t k = 0; k < 3; k++) {
            residual[k] = b[i + k];
            for (int e = h->offsets[i + k]; e < h->offsets[i + k + 1]; e++) {
                const size_t column = (size_t)h->columns[e];
                residual[k] -= h->values[e] * x[column];
                if (column - i < 3) {
                    block[3 * k + (column - i)] = h->values[e];
                }
            }
        }
        solve_3x3(block, residual, move);
        for (size_t k = 0; k < 3; k++) {
            x[i + k] += move[k];
        }
    }
}

static void step_blocks(void* self, const motion* from, double budget, bool cold, motion* to, step_cost* cost) {
    (void)cold;
    block_sweeps* s = self;
    const linear_system* a = linear_source_assemble(s->source, from, &cost->assembly);
    double* dv = bench_allocate(a->h.rows, sizeof *dv);
    const double begin = processor_seconds();
    for (double i = 0; i < budget; i++) {
        sweep_blocks(&a->h, a->rhs, dv);
    }
    cost->seconds = processor_seconds() - begin;
    cost->iterations = cost->work = budget;
    linear_finish(&s->problem, from, dv, to);
    free(dv);
}

const compared_method primal_methods[] = {
    {.name = "vertex-descent",
     .limit = LIMIT_NONLINEAR,
     .budget = BUDGET_SWEEPS,
     .substeps = 1,
     .make = make_descent,
     .step = step_descent,
     .destroy = destroy_descent},
    {.name = "block-gauss-seidel",
     .limit = LIMIT_LINEAR,
     .budget = BUDGET_SWEEPS,
     .substeps = 1,
     .make = make_blocks,
     .step = step_blocks,
     .destroy = destroy_blocks},
};
const size_t primal_method_count = sizeof primal_methods / sizeof primal_methods[0];
