#include "curves.h"

#include "bench_scenes.h"
#include "reference.h"

#include <math.h>
#include <stdlib.h>

#define LOST         100 /* m: a particle that went so far is a divergence */
#define MOST_REPEATS 9
/* Newton's, of steps that only bring the cloth into motion: fine cloth would take hundreds until every fold is found.
 */
#define PREPARE_ITERATIONS 12

typedef struct frames_reference {
    uint32_t substeps;
    size_t frames;
    motion* motions;
} frames_reference;

#define MOST_REFERENCES 4 /* counts of substeps among the methods */

struct curve_case {
    step_problem problem;
    bool compare_nonlinear;
    motion from;
    motion linear; /* x NULL: not made yet */
    frames_reference references[MOST_REFERENCES];
    size_t reference_count;
};

curve_case* curve_case_make(const step_problem* p, size_t prepare, bool compare_nonlinear) {
    curve_case* c = bench_allocate(1, sizeof *c);
    const size_t n = problem_coordinates(p);
    c->problem = *p;
    c->compare_nonlinear = compare_nonlinear;
    c->from = motion_make(p);
    for (size_t i = 0; i < n; i++) {
        c->from.x[i] = p->model->positions[i];
    }
    if (prepare > 0) {
        motion* frames = reference_frames(p, 1, &c->from, prepare, PREPARE_ITERATIONS);
        motion_copy(p, &frames[prepare - 1], &c->from);
        for (size_t i = 0; i < prepare; i++) {
            motion_free(&frames[i]);
        }
        free(frames);
    }
    return c;
}

void curve_case_free(curve_case* c) {
    for (size_t i = 0; i < c->reference_count; i++) {
        for (size_t f = 0; f < c->references[i].frames; f++) {
            motion_free(&c->references[i].motions[f]);
        }
        free(c->references[i].motions);
    }
    motion_free(&c->from);
    motion_free(&c->linear);
    free(c);
}

/* The nonlinear motion in so many parts of a step. */
static const motion* nonlinear(curve_case* c, uint32_t substeps, size_t frames) {
    for (size_t i = 0; i < c->reference_count; i++) {
        if (c->references[i].substeps == substeps && c->references[i].frames >= frames) {
            return c->references[i].motions;
        }
    }
    bench_must(c->reference_count < MOST_REFERENCES ? TAUT_OK : TAUT_INVALID_ARGUMENT);
    frames_reference* r = &c->references[c->reference_count++];
    *r = (frames_reference){substeps, frames,
                            reference_frames(&c->problem, substeps, &c->from, frames, REFERENCE_ITERATIONS)};
    return r->motions;
}

static const motion* limit_of(curve_case* c, const compared_method* m) {
    if (m->limit == LIMIT_NONLINEAR) {
        return nonlinear(c, m->substeps, 1);
    }
    if (c->linear.x == NULL) {
        c->linear = motion_make(&c->problem);
        reference_linear(&c->problem, &c->from, &c->linear);
    }
    return &c->linear;
}

static compare_row begin_row(const curve_case* c, const compared_method* m, const char* mode) {
    const springs* model = c->problem.model;
    return (compare_row){.mode = mode,
                         .method = m->name,
                         .limit = m->limit == LIMIT_LINEAR ? "linear" : "nonlinear",
                         .budget_kind = budget_name(m->budget),
                         .outcome = "done",
                         .vertices = (double)model->particles,
                         .springs = (double)model->count,
                         .compliance = model->compliances[0],
                         .substeps = m->substeps,
                         .frames = 1};
}

static void fill_cost(const step_cost* cost, compare_row* row) {
    row->iterations = cost->iterations;
    row->work = cost->work;
    row->ms = 1e3 * cost->seconds;
    row->assembly_ms = 1e3 * cost->assembly;
    row->outcome = cost->diverged ? "diverged" : cost->failed ? "limit" : "done";
}

/* ---- one step ------------------------------------------------------------------------------------------------------
 */

static int quicker(const void* a, const void* b) {
    const double x = ((const step_cost*)a)->seconds, y = ((const step_cost*)b)->seconds;
    return (x > y) - (x < y);
}

/* The median by time. */
static step_cost step_repeatedly(const curve_case* c, const curve_settings* settings, const compared_method* m,
                                 void* self, double budget, motion* to) {
    step_cost costs[MOST_REPEATS];
    int taken = 0;
    while (taken < settings->repeats && (taken == 0 || costs[0].seconds < settings->seconds / 10)) {
        costs[taken] = (step_cost){.assembly = NAN, .work = NAN};
        m->step(self, &c->from, budget, true, to, &costs[taken++]);
    }
    qsort(costs, (size_t)taken, sizeof *costs, quicker);
    return costs[taken / 2];
}

static void fill_errors(curve_case* c, const compared_method* m, const motion* to, compare_row* row) {
    const step_problem* p = &c->problem;
    const double *limit = limit_of(c, m)->x, *whole = c->compare_nonlinear ? nonlinear(c, 1, 1)->x : NULL;
    row->error = problem_distance(p, to->x, limit) / problem_distance(p, limit, c->from.x);
    row->error_max = problem_largest(p, to->x, limit) / problem_largest(p, limit, c->from.x);
    row->error_nonlinear =
        whole != NULL ? problem_distance(p, to->x, whole) / problem_distance(p, whole, c->from.x) : NAN;
    row->strain = problem_strain(p, to->x);
    row->strain_reference = problem_strain(p, limit);
}

/* Whether the last two budgets changed the error by less than 1e-5 of it: the limit is reached. */
static bool stands_still(const double errors[3]) {
    return fabs(errors[1] - errors[0]) < 1e-5 * errors[0] && fabs(errors[2] - errors[1]) < 1e-5 * errors[1];
}

void curve_step(curve_case* c, const curve_settings* settings, const compared_method* m, curve_receiver* receive,
                void* user) {
    void* self = m->make(m, &c->problem);
    motion to = motion_make(&c->problem);
    compare_row row = begin_row(c, m, "step");
    double errors[3] = {0};
    bool more = true;
    for (size_t k = 0; more && (row.budget = budget_at(m->budget, k)) > 0; k++) {
        const step_cost cost = step_repeatedly(c, settings, m, self, row.budget, &to);
        fill_cost(&cost, &row);
        fill_errors(c, m, &to, &row);
        receive(user, &row);
        errors[0] = errors[1];
        errors[1] = errors[2];
        errors[2] = row.error;
        more = !cost.failed && !cost.diverged && cost.seconds < settings->seconds &&
               !(row.error < settings->least_error) && !stands_still(errors);
    }
    motion_free(&to);
    m->destroy(self);
}

/* ---- many frames ---------------------------------------------------------------------------------------------------
 */

static const double* frame_budgets(budget_kind kind, size_t* count) {
    static const double sweeps[] = {10, 100, 1000}, tolerances[] = {1e-2, 1e-4}, iterations[] = {1, 2}, once[] = {1};
    switch (kind) {
    case BUDGET_SWEEPS:
        *count = 3;
        return sweeps;
    case BUDGET_TOLERANCE:
        *count = 2;
        return tolerances;
    case BUDGET_ITERATIONS:
        *count = 2;
        return iterations;
    default:
        *count = 1;
        return once;
    }
}

/* Sums over frames, squared. */
typedef struct frame_sums {
    double off, off_largest, moved, moved_largest, off_nonlinear, moved_nonlinear;
} frame_sums;

static double square(double x) {
    return x * x;
}

static void add_frame(curve_case* c, const motion* now, const motion* limit, const motion* whole, frame_sums* s,
                      compare_row* row) {
    const step_problem* p = &c->problem;
    s->off += square(problem_distance(p, now->x, limit->x));
    s->moved += square(problem_distance(p, limit->x, c->from.x));
    s->off_largest = fmax(s->off_largest, problem_largest(p, now->x, limit->x));
    s->moved_largest = fmax(s->moved_largest, problem_largest(p, limit->x, c->from.x));
    s->off_nonlinear += square(problem_distance(p, now->x, whole->x));
    s->moved_nonlinear += square(problem_distance(p, whole->x, c->from.x));
    row->strain += problem_strain(p, now->x) / row->frames;
    row->strain_reference += problem_strain(p, limit->x) / row->frames;
}

/* A linear method has the nonlinear motion for a reference here: its linearisation is part of what it gets wrong. */
static void run_frames(curve_case* c, const curve_settings* settings, const compared_method* m, compare_row* row) {
    void* self = m->make(m, &c->problem);
    motion now = motion_make(&c->problem), next = motion_make(&c->problem);
    const motion *limit = nonlinear(c, m->substeps, settings->frames), *whole = nonlinear(c, 1, settings->frames);
    step_cost all = {.assembly = 0, .work = 0};
    frame_sums sums = {0};
    motion_copy(&c->problem, &c->from, &now);
    for (size_t f = 0; f < settings->frames && !all.diverged; f++) {
        step_cost cost = {.assembly = NAN, .work = NAN};
        m->step(self, &now, row->budget, f == 0, &next, &cost);
        motion_copy(&c->problem, &next, &now);
        all.diverged = cost.diverged || !(problem_largest(&c->problem, now.x, c->from.x) < LOST);
        all.seconds += cost.seconds / row->frames;
        all.assembly += cost.assembly / row->frames;
        all.work += cost.work / row->frames;
        all.iterations += cost.iterations / row->frames;
        all.failed = all.failed || cost.failed;
        add_frame(c, &now, &limit[f], &whole[f], &sums, row);
    }
    fill_cost(&all, row);
    row->error = sqrt(sums.off / sums.moved);
    row->error_max = sums.off_largest / sums.moved_largest;
    row->error_nonlinear = sqrt(sums.off_nonlinear / sums.moved_nonlinear);
    if (all.diverged) {
        row->error = row->error_max = row->error_nonlinear = row->ms = row->work = NAN;
    }
    motion_free(&now);
    motion_free(&next);
    m->destroy(self);
}

void curve_frames(curve_case* c, const curve_settings* settings, const compared_method* m, curve_receiver* receive,
                  void* user) {
    size_t count = 0;
    const double* budgets = frame_budgets(m->budget, &count);
    for (size_t k = 0; k < count; k++) {
        compare_row row = begin_row(c, m, "frames");
        row.limit = "nonlinear";
        row.frames = (double)settings->frames;
        row.budget = budgets[k];
        run_frames(c, settings, m, &row);
        receive(user, &row);
    }
}
