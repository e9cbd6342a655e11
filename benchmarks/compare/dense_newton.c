#include "dense_newton.h"

#include "bench_scenes.h"
#include "processor.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of the distance from y: an iteration that moved less is the last one, and so is one that moved as far as the one
 * before where that was next to nothing. */
#define ENOUGH 1e-13
#define NEARLY 1e-7

struct newton {
    step_problem problem;
    direct* solver;
    sparse hessian;
    double *y, *gradient, *move, *trial;
};

newton* newton_make(direct_kind kind, const step_problem* p) {
    newton* n = bench_allocate(1, sizeof *n);
    const size_t count = problem_coordinates(p);
    n->problem = *p;
    n->hessian = problem_pattern(p);
    problem_hessian(p, p->model->positions, false, &n->hessian);
    n->solver = direct_make(kind, &n->hessian);
    double** const vectors[] = {&n->y, &n->gradient, &n->move, &n->trial};
    for (size_t i = 0; i < 4; i++) {
        *vectors[i] = bench_allocate(count, sizeof(double));
    }
    return n;
}

void newton_free(newton* n) {
    direct_free(n->solver);
    sparse_free(&n->hessian);
    free(n->y);
    free(n->gradient);
    free(n->move);
    free(n->trial);
    free(n);
}

static double dot(const double* a, const double* b, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

static bool factorise(newton* n, const double* x, bool exact, double* seconds) {
    problem_hessian(&n->problem, x, exact, &n->hessian);
    const double begin = processor_seconds();
    const bool definite = direct_factorise(n->solver, &n->hessian);
    *seconds += processor_seconds() - begin;
    return definite;
}

/* The exact Hessian converges quadratically where it is positive definite, as it is near a minimum. */
static void solve(newton* n, const double* x, double* seconds) {
    problem_gradient(&n->problem, n->y, x, n->gradient);
    if (!factorise(n, x, true, seconds) && !factorise(n, x, false, seconds)) {
        fprintf(stderr, "taut-compare: the Hessian has no factorisation\n");
        exit(1);
    }
    const double begin = processor_seconds();
    direct_solve(n->solver, n->gradient, n->move);
    *seconds += processor_seconds() - begin;
}

/* x -= t move, halving t until the energy falls; near the solution, where its difference drowns, t = 1. */
static void search(newton* n, double* x) {
    const size_t count = problem_coordinates(&n->problem);
    const double energy = problem_energy(&n->problem, n->y, x), slope = dot(n->gradient, n->move, count);
    double part = 1;
    for (int i = 0; i < 30; i++, part /= 2) {
        for (size_t k = 0; k < count; k++) {
            n->trial[k] = x[k] - part * n->move[k];
        }
        if (slope < 1e-11 * energy || problem_energy(&n->problem, n->y, n->trial) <= energy - 1e-4 * part * slope) {
            break;
        }
    }
    memcpy(x, n->trial, count * sizeof *x);
}

size_t newton_step(newton* n, const motion* from, size_t limit, motion* to, double* seconds) {
    const size_t count = problem_coordinates(&n->problem);
    double ignored = 0;
    size_t iterations = 0;
    problem_target(&n->problem, from, n->y);
    memcpy(to->x, n->y, count * sizeof *to->x);
    double last = INFINITY;
    for (bool moved = true; moved && iterations < limit; iterations++) {
        solve(n, to->x, seconds != NULL ? seconds : &ignored);
        search(n, to->x);
        const double move = sqrt(dot(n->move, n->move, count) / (double)count);
        const double all = problem_distance(&n->problem, to->x, n->y);
        moved = move > ENOUGH * all && !(last < NEARLY * all && move > last / 2);
        last = move;
    }
    for (size_t i = 0; i < count; i++) {
        to->v[i] = problem_fixed(&n->problem, i) ? 0 : (to->x[i] - from->x[i]) / n->problem.h;
    }
    return iterations;
}
