/* taut: one linearisation to a tolerance, or Newton's method by several, with geometric stiffness or, which is
 * Gauss-Newton's method, without. A step of taut minimises the energy linearised
 * where it begins; given x^k and the velocity (y - x^k)/h - h g for that place, its inertial target is y whatever x^k
 * is, so that steps from x^0 = x, x^1, ... are Newton's iterations for the same y. */
#include "bench_scenes.h"
#include "convergence/convergence_solvers.h"
#include "convergence/measured_state.h"
#include "measure.h"
#include "methods.h"
#include "processor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NEWTON_TOLERANCE    1e-2 /* of the first iteration, and half as much in each further one */
#define MOST_ITERATIONS     5000
#define BASELINE_ITERATIONS 40
#define BASELINE_REPEATS    3

#define GAUSS 16 /* of a variant: without geometric stiffness */

typedef struct taut_steps {
    step_problem problem;
    bool newton;
    taut_geometric_stiffness geometric;
    taut_solver solver;
    taut_scene* scene;
    taut_world* world;
    double baseline, baseline_rest; /* s: of an unpreconditioned iteration, and of the rest of its step; 0: unknown */
    double* y;
    double* free_v; /* of Newton's iterations */
} taut_steps;

static const solver_way ways[] = {
    {TAUT_METHOD_AUTO, TAUT_PRECONDITIONER_AUTO, TAUT_CYCLE_AUTO},
    {TAUT_METHOD_SCHUR, TAUT_PRECONDITIONER_JACOBI, TAUT_CYCLE_AUTO},
    {TAUT_METHOD_CONDENSED, TAUT_PRECONDITIONER_JACOBI, TAUT_CYCLE_AUTO},
    {TAUT_METHOD_CONDENSED, TAUT_PRECONDITIONER_MULTILEVEL, TAUT_CYCLE_ADDITIVE},
    {TAUT_METHOD_CONDENSED, TAUT_PRECONDITIONER_MULTILEVEL, TAUT_CYCLE_V},
};

/* ---- worlds -------------------------------------------------------------------------------------------------------
 */

/* NULL where the library refuses the solver. */
static taut_world* make_world(const taut_steps* s, const taut_solver* solver) {
    taut_world* world = NULL;
    taut_world_def def = bench_one_system();
    def.backend = TAUT_BACKEND_CPU;
    def.threads = 1;
    def.gravity[1] = s->problem.gravity;
    def.integrator.geometric_stiffness = s->geometric;
    def.solver = *solver;
    return taut_world_create(s->scene, &def, &world) == TAUT_OK ? world : NULL;
}

static void* make(const compared_method* m, const step_problem* p) {
    taut_steps* s = bench_allocate(1, sizeof *s);
    s->problem = *p;
    s->newton = m->limit == LIMIT_NONLINEAR;
    s->geometric = s->newton && m->variant < GAUSS ? TAUT_GEOMETRIC_FULL : TAUT_GEOMETRIC_NONE;
    s->solver = solver_of(&ways[m->variant % GAUSS]);
    s->solver.max_iterations = MOST_ITERATIONS;
    s->solver.tolerance = NEWTON_TOLERANCE;
    s->scene = springs_scene(p->model);
    s->world = make_world(s, &s->solver);
    bench_must(s->world != NULL ? TAUT_OK : TAUT_INVALID_DEFINITION);
    s->y = bench_allocate(problem_coordinates(p), sizeof(double));
    s->free_v = bench_allocate(problem_coordinates(p), sizeof(double));
    return s;
}

static void destroy(void* self) {
    taut_steps* s = self;
    taut_world_destroy(s->world);
    taut_scene_destroy(s->scene);
    free(s->y);
    free(s->free_v);
    free(s);
}

/* Puts a world into a state with the multipliers of a converged implicit step: lam = -phi/C. */
static void place(taut_world* world, const step_problem* p, double* x, double* v) {
    const springs* m = p->model;
    double* lam = bench_allocate(m->count, sizeof *lam);
    for (size_t j = 0; j < m->count; j++) {
        const double *a = x + 3 * (size_t)m->pairs[2 * j], *b = x + 3 * (size_t)m->pairs[2 * j + 1];
        const double length =
            sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
        lam[j] = (m->lengths[j] - length) / m->compliances[j];
    }
    const saved_state state = {m->particles, m->count, x, v, lam};
    state_restore(world, &state);
    free(lam);
}

/* Evaluates what was written, which a running simulation need not, and then steps. Seconds; NaN after a divergence. */
static double time_step(taut_world* world, double h, taut_step_info* info) {
    bench_must(taut_world_info(world, info));
    const double begin = processor_seconds();
    const taut_status status = taut_world_step(world, h);
    const double seconds = processor_seconds() - begin;
    if (status == TAUT_DIVERGED) {
        taut_world_sync(world); /* takes note of it */
        return NAN;
    }
    bench_must(status);
    bench_must(taut_world_info(world, info));
    return seconds;
}

static int ascending(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

/* Median time of a step of so many iterations; `taken` receives their number. */
static double time_iterations(taut_world* world, const taut_steps* s, taut_solver* solver, const motion* from,
                              uint32_t iterations, double* taken) {
    double seconds[BASELINE_REPEATS];
    solver->max_iterations = iterations;
    bench_must(taut_world_set_solver(world, solver));
    for (int i = 0; i < BASELINE_REPEATS; i++) {
        taut_step_info info;
        place(world, &s->problem, from->x, from->v);
        seconds[i] = time_step(world, s->problem.h, &info);
        *taken = info.iterations;
    }
    qsort(seconds, BASELINE_REPEATS, sizeof *seconds, ascending);
    return seconds[BASELINE_REPEATS / 2];
}

/* An iteration without a preconditioner, or with Jacobi's where the method needs one: the unit of work. */
static void measure_baseline(taut_steps* s, const motion* from) {
    taut_solver solver = s->solver;
    taut_choice choice;
    if (solver.method == TAUT_METHOD_AUTO && state_choice(s->world, &choice)) {
        solver.method = choice.condensed_rows > choice.schur_rows ? TAUT_METHOD_CONDENSED : TAUT_METHOD_SCHUR;
    }
    solver.preconditioner = TAUT_PRECONDITIONER_NONE;
    solver.tolerance = 1e-12;
    solver.warm_start = false;
    taut_world* world = make_world(s, &solver);
    if (world == NULL) {
        solver.preconditioner = TAUT_PRECONDITIONER_JACOBI;
        world = make_world(s, &solver);
    }
    double many = 0, few = 0;
    const double longer = time_iterations(world, s, &solver, from, BASELINE_ITERATIONS, &many);
    const double shorter = time_iterations(world, s, &solver, from, 1, &few);
    s->baseline = (longer - shorter) / (many - few);
    s->baseline_rest = shorter - few * s->baseline;
    taut_world_destroy(world);
}

/* ---- steps --------------------------------------------------------------------------------------------------------
 */

static void count(const taut_steps* s, double seconds, const taut_step_info* info, step_cost* cost) {
    cost->seconds += seconds;
    cost->iterations += info->iterations;
    cost->work += fmax(0, seconds - s->baseline_rest) / s->baseline;
    cost->diverged = cost->diverged || isnan(seconds);
    cost->failed = cost->failed || info->outcome == TAUT_SOLVE_ITERATION_LIMIT;
}

static void set_solver(taut_steps* s, double tolerance, bool warm) {
    s->solver.tolerance = tolerance;
    s->solver.warm_start = warm;
    bench_must(taut_world_set_solver(s->world, &s->solver));
}

static void read_motion(taut_steps* s, motion* to) {
    const size_t n = s->problem.model->particles;
    bench_must(taut_world_read(s->world, TAUT_FIELD_POSITIONS, 0, n, to->x));
    bench_must(taut_world_read(s->world, TAUT_FIELD_VELOCITIES, 0, n, to->v));
}

static void step_once(taut_steps* s, const motion* from, double tolerance, bool cold, motion* to, step_cost* cost) {
    taut_step_info info;
    set_solver(s, tolerance, !cold);
    if (cold) {
        place(s->world, &s->problem, from->x, from->v);
    } else {
        const size_t n = s->problem.model->particles;
        bench_must(taut_world_write(s->world, TAUT_FIELD_POSITIONS, 0, n, from->x));
        bench_must(taut_world_write(s->world, TAUT_FIELD_VELOCITIES, 0, n, from->v));
    }
    count(s, time_step(s->world, s->problem.h, &info), &info, cost);
    read_motion(s, to);
}

static void step_newton(taut_steps* s, const motion* from, size_t iterations, bool cold, motion* to, step_cost* cost) {
    const step_problem* p = &s->problem;
    const size_t n = problem_coordinates(p);
    motion now = motion_make(p);
    motion_copy(p, from, &now);
    problem_target(p, from, s->y);
    for (size_t i = 0; i < iterations; i++) {
        for (size_t k = 0; k < n; k++) {
            const double fall = k % 3 == 1 ? p->h * p->gravity : 0;
            s->free_v[k] = problem_fixed(p, k) ? 0 : (s->y[k] - now.x[k]) / p->h - fall;
        }
        const motion begin = {now.x, s->free_v};
        step_once(s, &begin, ldexp(NEWTON_TOLERANCE, -(int)i), cold && i == 0, &now, cost);
    }
    for (size_t k = 0; k < n; k++) {
        to->x[k] = now.x[k];
        to->v[k] = problem_fixed(p, k) ? 0 : (now.x[k] - from->x[k]) / p->h;
    }
    motion_free(&now);
}

static void step(void* self, const motion* from, double budget, bool cold, motion* to, step_cost* cost) {
    taut_steps* s = self;
    if (!(s->baseline > 0)) {
        measure_baseline(s, from);
    }
    *cost = (step_cost){.assembly = NAN};
    if (s->newton) {
        step_newton(s, from, (size_t)budget, cold, to, cost);
    } else {
        step_once(s, from, budget, cold, to, cost);
    }
}

#define LINEAR(given_name, given_variant)                                                                              \
    {                                                                                                                  \
        .name = given_name, .limit = LIMIT_LINEAR, .budget = BUDGET_TOLERANCE, .substeps = 1,                          \
        .variant = given_variant, .make = make, .step = step, .destroy = destroy                                       \
    }
#define NEWTON(given_name, given_variant)                                                                              \
    {                                                                                                                  \
        .name = given_name, .limit = LIMIT_NONLINEAR, .budget = BUDGET_ITERATIONS, .substeps = 1,                      \
        .variant = given_variant, .make = make, .step = step, .destroy = destroy                                       \
    }

const compared_method taut_methods[] = {
    LINEAR("taut", 0),
    LINEAR("taut-schur-jacobi", 1),
    LINEAR("taut-condensed-jacobi", 2),
    LINEAR("taut-additive", 3),
    LINEAR("taut-v", 4),
    NEWTON("taut-newton", 0),
    NEWTON("taut-newton-additive", 3),
    NEWTON("taut-newton-v", 4),
    NEWTON("taut-gauss", GAUSS),
    NEWTON("taut-gauss-v", GAUSS + 4),
};
const size_t taut_method_count = sizeof taut_methods / sizeof taut_methods[0];
