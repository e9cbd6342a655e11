/* Sparse direct solvers and algebraic multigrid on the linearised step, and Newton's method with those. */
#include "amg.h"
#include "bench_scenes.h"
#include "dense_newton.h"
#include "direct.h"
#include "linear_system.h"
#include "methods.h"
#include "processor.h"

#include <math.h>
#include <stdlib.h>

/* ---- direct ----------------------------------------------------------------------------------------------------- */

typedef struct factorised {
    step_problem problem;
    linear_source* source;
    direct_kind kind;
    direct* solver; /* NULL before the first step: the analysis is not counted */
    int nonzeros;   /* of the pattern analysed */
} factorised;

static bool has_direct(const compared_method* m) {
    return direct_available((direct_kind)m->variant);
}

static void* make_direct(const compared_method* m, const step_problem* p) {
    factorised* s = bench_allocate(1, sizeof *s);
    s->problem = *p;
    s->source = linear_source_make(p);
    s->kind = (direct_kind)m->variant;
    return s;
}

static void destroy_direct(void* self) {
    factorised* s = self;
    if (s->solver != NULL) {
        direct_free(s->solver);
    }
    linear_source_free(s->source);
    free(s);
}

static void analyse(factorised* s, const sparse* h) {
    if (s->solver != NULL && s->nonzeros != h->offsets[h->rows]) {
        direct_free(s->solver);
        s->solver = NULL;
    }
    if (s->solver == NULL) {
        s->solver = direct_make(s->kind, h);
        s->nonzeros = h->offsets[h->rows];
    }
}

static void step_direct(void* self, const motion* from, double budget, bool cold, motion* to, step_cost* cost) {
    (void)budget, (void)cold;
    factorised* s = self;
    const linear_system* a = linear_source_assemble(s->source, from, &cost->assembly);
    double* dv = bench_allocate(a->h.rows, sizeof *dv);
    analyse(s, &a->h);
    const double begin = processor_seconds();
    cost->failed = !direct_factorise(s->solver, &a->h);
    direct_solve(s->solver, a->rhs, dv);
    cost->seconds = processor_seconds() - begin;
    cost->iterations = 1;
    linear_finish(&s->problem, from, dv, to);
    free(dv);
}

/* ---- multigrid ----------------------------------------------------------------------------------------------------
 */

static bool has_amg(const compared_method* m) {
    (void)m;
    return amg_available();
}

typedef struct multigrid {
    step_problem problem;
    linear_source* source;
    amg_kind kind;
} multigrid;

static void* make_amg(const compared_method* m, const step_problem* p) {
    multigrid* s = bench_allocate(1, sizeof *s);
    s->problem = *p;
    s->source = linear_source_make(p);
    s->kind = (amg_kind)m->variant;
    return s;
}

static void destroy_amg(void* self) {
    multigrid* s = self;
    linear_source_free(s->source);
    free(s);
}

static void step_amg(void* self, const motion* from, double budget, bool cold, motion* to, step_cost* cost) {
    (void)cold;
    multigrid* s = self;
    const linear_system* a = linear_source_assemble(s->source, from, &cost->assembly);
    double* dv = bench_allocate(a->h.rows, sizeof *dv);
    amg_cost c = {0};
    cost->failed = !amg_solve(s->kind, &a->h, from->x, a->rhs, budget, dv, &c);
    cost->seconds = c.setup + c.solve;
    cost->iterations = (double)c.iterations;
    linear_finish(&s->problem, from, dv, to);
    free(dv);
}

/* ---- Newton -------------------------------------------------------------------------------------------------------
 */

static void* make_newton(const compared_method* m, const step_problem* p) {
    return newton_make((direct_kind)m->variant, p);
}

static void destroy_newton(void* self) {
    newton_free(self);
}

static void step_newton(void* self, const motion* from, double budget, bool cold, motion* to, step_cost* cost) {
    (void)cold;
    const double begin = processor_seconds();
    cost->seconds = 0;
    cost->iterations = (double)newton_step(self, from, (size_t)budget, to, &cost->seconds);
    cost->assembly = processor_seconds() - begin - cost->seconds;
}

#define LINEAR(given_name, given_budget, given_variant, family, given_available)                                       \
    {                                                                                                                  \
        .name = given_name, .limit = LIMIT_LINEAR, .budget = given_budget, .substeps = 1, .variant = given_variant,    \
        .available = given_available, .make = make_##family, .step = step_##family, .destroy = destroy_##family        \
    }
#define NEWTON(given_name, given_variant)                                                                              \
    {                                                                                                                  \
        .name = given_name, .limit = LIMIT_NONLINEAR, .budget = BUDGET_ITERATIONS, .substeps = 1,                      \
        .variant = given_variant, .available = has_direct, .make = make_newton, .step = step_newton,                   \
        .destroy = destroy_newton                                                                                      \
    }

const compared_method linear_methods[] = {
    LINEAR("eigen-ldlt", BUDGET_NONE, DIRECT_EIGEN, direct, has_direct),
    LINEAR("cholmod", BUDGET_NONE, DIRECT_CHOLMOD, direct, has_direct),
    LINEAR("amgcl-translations", BUDGET_TOLERANCE, AMG_TRANSLATIONS, amg, has_amg),
    LINEAR("amgcl-rigid-modes", BUDGET_TOLERANCE, AMG_RIGID_MODES, amg, has_amg),
    NEWTON("newton-eigen", DIRECT_EIGEN),
    NEWTON("newton-cholmod", DIRECT_CHOLMOD),
};
const size_t linear_method_count = sizeof linear_methods / sizeof linear_methods[0];
