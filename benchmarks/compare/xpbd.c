/* XPBD: Gauss-Seidel over constraints, one at a time, in the order given or colour by colour; with several substeps of
 * one sweep each ("small steps", Macklin et al. 2019); in double and single precision. `xpbd-linear` keeps directions
 * and lengths as they were at the beginning of the step: then it is Gauss-Seidel on the Schur system. */
#include "bench_scenes.h"
#include "methods.h"
#include "processor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REAL       double
#define SQRT       sqrt
#define NAME(name) double_##name
#include "xpbd_sweeps.h"
#undef REAL
#undef SQRT
#undef NAME
#define REAL       float
#define SQRT       sqrtf
#define NAME(name) single_##name
#include "xpbd_sweeps.h"

enum { XPBD_PLAIN = 0, XPBD_COLOURED = 1, XPBD_SINGLE = 2, XPBD_LINEAR = 4 };

typedef struct xpbd {
    step_problem problem; /* of a substep */
    uint32_t substeps;
    int variant;
    uint32_t* pairs; /* in the order of the sweep */
    double_arrays wide;
    single_arrays narrow;
    double* y;
    double* normal; /* of every constraint at the beginning of the step: linear */
    motion now;
} xpbd;

/* ---- order --------------------------------------------------------------------------------------------------------
 */

/* The least colour that no constraint at either particle has; sets of colours as bits. */
static int least_colour(uint64_t used) {
    int colour = 0;
    while ((used >> colour & 1) != 0) {
        colour++;
    }
    return colour;
}

static int* colour_springs(const springs* m) {
    uint64_t* used = bench_allocate(m->particles, sizeof *used);
    int* colours = bench_allocate(m->count, sizeof *colours);
    for (size_t j = 0; j < m->count; j++) {
        uint64_t *a = &used[m->pairs[2 * j]], *b = &used[m->pairs[2 * j + 1]];
        colours[j] = least_colour(*a | *b);
        *a |= UINT64_C(1) << colours[j];
        *b |= UINT64_C(1) << colours[j];
    }
    free(used);
    return colours;
}

static size_t* order_springs(const springs* m, bool coloured) {
    size_t* order = bench_allocate(m->count, sizeof *order);
    int* colours = coloured ? colour_springs(m) : bench_allocate(m->count, sizeof *colours);
    size_t filled = 0;
    for (int colour = 0; filled < m->count; colour++) {
        for (size_t j = 0; j < m->count; j++) {
            if (colours[j] == colour) {
                order[filled++] = j;
            }
        }
    }
    free(colours);
    return order;
}

/* ---- linear ---------------------------------------------------------------------------------------------------------
 */

static void linearise(xpbd* s, const double* x) {
    for (size_t j = 0; j < s->problem.model->count; j++) {
        const double *a = x + 3 * (size_t)s->pairs[2 * j], *b = x + 3 * (size_t)s->pairs[2 * j + 1];
        double* n = s->normal + 3 * j;
        double length = 0;
        for (size_t k = 0; k < 3; k++) {
            n[k] = b[k] - a[k];
            length += n[k] * n[k];
        }
        length = sqrt(length);
        for (size_t k = 0; k < 3; k++) {
            n[k] /= length;
        }
    }
}

/* C = n.(x_b - x_a) - L: the length's linear part, as n.(x_b - x_a) is the length where n was taken. */
static void sweep_linear(const xpbd* s) {
    const double_arrays* w = &s->wide;
    for (size_t j = 0; j < s->problem.model->count; j++) {
        const uint32_t a = s->pairs[2 * j], b = s->pairs[2 * j + 1];
        double *xa = w->x + 3 * (size_t)a, *xb = w->x + 3 * (size_t)b;
        const double* n = s->normal + 3 * j;
        const double length = n[0] * (xb[0] - xa[0]) + n[1] * (xb[1] - xa[1]) + n[2] * (xb[2] - xa[2]);
        const double wa = w->inverse_mass[a], wb = w->inverse_mass[b], t = w->softness[j];
        const double dlam = (w->length[j] - length - t * w->lam[j]) / (wa + wb + t);
        w->lam[j] += dlam;
        for (int k = 0; k < 3; k++) {
            xa[k] -= wa * dlam * n[k];
            xb[k] += wb * dlam * n[k];
        }
    }
}

static void solve_linear(xpbd* s, double sweeps) {
    linearise(s, s->now.x);
    memset(s->wide.lam, 0, s->problem.model->count * sizeof *s->wide.lam);
    for (double i = 0; i < sweeps; i++) {
        sweep_linear(s);
    }
}

/* ---- the method -----------------------------------------------------------------------------------------------------
 */

static void* make(const compared_method* m, const step_problem* p) {
    xpbd* s = bench_allocate(1, sizeof *s);
    const size_t n = problem_coordinates(p);
    s->problem = *p;
    s->problem.h = p->h / m->substeps;
    s->substeps = m->substeps;
    s->variant = m->variant;
    size_t* order = order_springs(p->model, (m->variant & XPBD_COLOURED) != 0);
    s->pairs = bench_allocate(2 * p->model->count, sizeof *s->pairs);
    for (size_t j = 0; j < p->model->count; j++) {
        s->pairs[2 * j] = p->model->pairs[2 * order[j]];
        s->pairs[2 * j + 1] = p->model->pairs[2 * order[j] + 1];
    }
    s->wide = double_make(p, order, s->problem.h);
    s->narrow = single_make(p, order, s->problem.h);
    s->y = bench_allocate(n, sizeof(double));
    s->normal = bench_allocate(3 * p->model->count, sizeof(double));
    s->now = motion_make(p);
    free(order);
    return s;
}

static void destroy(void* self) {
    xpbd* s = self;
    double_free(&s->wide);
    single_free(&s->narrow);
    motion_free(&s->now);
    free(s->pairs);
    free(s->y);
    free(s->normal);
    free(s);
}

static void solve(xpbd* s, double sweeps) {
    const size_t n = problem_coordinates(&s->problem), count = s->problem.model->count;
    if ((s->variant & XPBD_SINGLE) != 0) {
        single_load(&s->narrow, s->y, n);
        single_solve(&s->narrow, s->pairs, count, sweeps);
        single_store(&s->narrow, s->y, n);
        return;
    }
    double_load(&s->wide, s->y, n);
    if ((s->variant & XPBD_LINEAR) != 0) {
        solve_linear(s, sweeps);
    } else {
        double_solve(&s->wide, s->pairs, count, sweeps);
    }
    double_store(&s->wide, s->y, n);
}

static void step(void* self, const motion* from, double budget, bool cold, motion* to, step_cost* cost) {
    (void)cold; /* XPBD starts every step from lam = 0 */
    xpbd* s = self;
    const size_t n = problem_coordinates(&s->problem);
    motion_copy(&s->problem, from, &s->now);
    const double begin = processor_seconds();
    for (uint32_t i = 0; i < s->substeps; i++) {
        problem_target(&s->problem, &s->now, s->y);
        solve(s, budget);
        for (size_t k = 0; k < n; k++) {
            s->now.v[k] = (s->y[k] - s->now.x[k]) / s->problem.h;
            s->now.x[k] = s->y[k];
        }
    }
    cost->seconds = processor_seconds() - begin;
    cost->iterations = budget;
    cost->work = budget * s->substeps;
    motion_copy(&s->problem, &s->now, to);
}

#define XPBD(given_name, given_limit, given_substeps, given_variant)                                                   \
    {                                                                                                                  \
        .name = given_name, .limit = given_limit, .budget = BUDGET_SWEEPS, .substeps = given_substeps,                 \
        .variant = given_variant, .make = make, .step = step, .destroy = destroy                                       \
    }

const compared_method xpbd_methods[] = {
    XPBD("xpbd", LIMIT_NONLINEAR, 1, XPBD_PLAIN),
    XPBD("xpbd-coloured", LIMIT_NONLINEAR, 1, XPBD_COLOURED),
    XPBD("xpbd-float", LIMIT_NONLINEAR, 1, XPBD_SINGLE),
    XPBD("xpbd-coloured-float", LIMIT_NONLINEAR, 1, XPBD_COLOURED | XPBD_SINGLE),
    XPBD("xpbd-substeps", LIMIT_NONLINEAR, 10, XPBD_PLAIN),
    XPBD("xpbd-linear", LIMIT_LINEAR, 1, XPBD_LINEAR),
};
const size_t xpbd_method_count = sizeof xpbd_methods / sizeof xpbd_methods[0];
