#include "measure.h"

#include "counter.h"
#include "model.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>

#define STEP             (1.0 / 60) /* s */
#define WARM_UP          2          /* steps: the first ones start from nothing */
#define PROBE_ITERATIONS 8
#define LEAST_ITERATIONS 20

typedef struct samples {
    size_t count;
    double *step, *stage[TAUT_STAGE_COUNT];
    double *iterations, *outer_iterations;
    double residual;
    taut_outcome outcome;
    bool diverged;
} samples;

taut_world_def bench_one_system(void) {
    taut_world_def def = taut_default_world();
    def.integrator.further = 0;
    def.integrator.guard = false;
    return def;
}

const char* bench_preconditioner_name(taut_preconditioner preconditioner) {
    static const char* const names[] = {"auto", "none", "jacobi", "block", "chebyshev", "multilevel"};
    return names[preconditioner];
}

const char* bench_outcome_name(bool diverged, taut_outcome outcome) {
    static const char* const names[] = {"converged", "limit", "stagnated", "damped", "overstretched"};
    _Static_assert(sizeof names / sizeof *names == TAUT_SOLVE_OVERSTRETCHED + 1, "an outcome without a name");
    return diverged ? "diverged" : names[outcome];
}

const char* bench_geometric_name(taut_geometric_stiffness geometric) {
    return geometric == TAUT_GEOMETRIC_FULL ? "full" : "none";
}

const char* bench_backend_name(taut_backend_kind backend) {
    return backend == TAUT_BACKEND_CPU ? "cpu" : "cuda";
}

/* ---- statistics ------------------------------------------------------------------------------------------------ */

static int ascending(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

/* Sorts; NaN without values. */
static double median(double* values, size_t count) {
    if (count == 0) {
        return NAN;
    }
    qsort(values, count, sizeof *values, ascending);
    return count % 2 == 1 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static samples make_samples(size_t most) {
    samples s = {.step = bench_allocate(most, sizeof(double)),
                 .iterations = bench_allocate(most, sizeof(double)),
                 .outer_iterations = bench_allocate(most, sizeof(double))};
    for (int i = 0; i < TAUT_STAGE_COUNT; i++) {
        s.stage[i] = bench_allocate(most, sizeof(double));
    }
    return s;
}

static void free_samples(samples* s) {
    free(s->step);
    free(s->iterations);
    free(s->outer_iterations);
    for (int i = 0; i < TAUT_STAGE_COUNT; i++) {
        free(s->stage[i]);
    }
}

/* ---- steps ----------------------------------------------------------------------------------------------------- */

/* A few iterations to learn what one costs, after which positions and velocities are put back. */
static double probe_iteration(taut_world* world, taut_solver solver) {
    const size_t particles = taut_world_particle_count(world);
    double* state = bench_allocate(6 * particles, sizeof *state);
    bench_must(taut_world_read(world, TAUT_FIELD_POSITIONS, 0, particles, state));
    bench_must(taut_world_read(world, TAUT_FIELD_VELOCITIES, 0, particles, state + 3 * particles));
    solver.max_iterations = PROBE_ITERATIONS;
    bench_must(taut_world_set_solver(world, &solver));
    taut_step_info info = {0};
    const double before = omp_get_wtime();
    if (taut_world_step(world, STEP) == TAUT_OK) {
        bench_must(taut_world_info(world, &info));
    }
    const double seconds = omp_get_wtime() - before;
    bench_must(taut_world_write(world, TAUT_FIELD_POSITIONS, 0, particles, state));
    bench_must(taut_world_write(world, TAUT_FIELD_VELOCITIES, 0, particles, state + 3 * particles));
    free(state);
    const double solving = info.stage_seconds[TAUT_STAGE_SOLVE];
    return info.iterations > 0 ? (solving > 0 ? solving : seconds) / info.iterations : 0;
}

/* As many iterations as the library allows by default, or fewer so that a step fits into `seconds`. */
static uint32_t limit_iterations(taut_world* world, taut_solver solver, double seconds) {
    const double fit = floor(seconds / fmax(probe_iteration(world, solver), 1e-9));
    const double limit = fmin(solver.max_iterations, fmax(fit, LEAST_ITERATIONS));
    solver.max_iterations = (uint32_t)limit;
    bench_must(taut_world_set_solver(world, &solver));
    return solver.max_iterations;
}

static void record(taut_world* world, double seconds, samples* s) {
    taut_step_info info;
    bench_must(taut_world_info(world, &info));
    s->step[s->count] = seconds;
    for (int i = 0; i < TAUT_STAGE_COUNT; i++) {
        s->stage[i][s->count] = info.stage_seconds[i];
    }
    s->iterations[s->count] = info.iterations;
    s->outer_iterations[s->count] = info.outer_iterations;
    s->residual = fmax(s->residual, info.residual);
    s->outcome = info.outcome > s->outcome ? info.outcome : s->outcome;
    s->count++;
}

static void run_steps(taut_world* world, const bench_case* c, samples* s) {
    const double begin = omp_get_wtime();
    for (uint32_t i = 0; i < WARM_UP + c->repeats; i++) {
        const double before = omp_get_wtime();
        taut_status status = taut_world_step(world, STEP);
        if (status == TAUT_OK) {
            status = taut_world_sync(world);
        }
        const double seconds = omp_get_wtime() - before;
        if (status != TAUT_OK) {
            s->diverged = true;
            return;
        }
        if (i >= WARM_UP) {
            record(world, seconds, s);
        }
        if (s->count > 0 && omp_get_wtime() - begin > c->max_seconds) {
            return;
        }
    }
}

/* ---- the row --------------------------------------------------------------------------------------------------- */

static double mean(const double* values, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += values[i] / (double)count;
    }
    return count > 0 ? sum : NAN;
}

/* Whether the backend said what its stages took. */
static bool timed(const samples* s) {
    return s->count > 0 && s->stage[TAUT_STAGE_SOLVE][0] > 0;
}

/* Sorts the times: after fill_speed, which needs them step by step. */
static void fill_times(samples* s, bench_row* row) {
    row->steps = (double)s->count;
    row->outcome = bench_outcome_name(s->diverged, s->outcome);
    row->step_ms = 1e3 * median(s->step, s->count);
    row->step_ms_least = s->count > 0 ? 1e3 * s->step[0] : NAN;
    row->step_ms_most = s->count > 0 ? 1e3 * s->step[s->count - 1] : NAN;
    double* const stages[] = {[TAUT_STAGE_EVALUATE] = &row->evaluate_ms,
                              [TAUT_STAGE_ASSEMBLE] = &row->assemble_ms,
                              [TAUT_STAGE_SOLVE] = &row->solve_ms,
                              [TAUT_STAGE_INTEGRATE] = &row->integrate_ms,
                              [TAUT_STAGE_COLLIDE] = &row->collide_ms};
    _Static_assert(sizeof stages / sizeof *stages == TAUT_STAGE_COUNT, "a stage without a column");
    for (int i = 0; i < TAUT_STAGE_COUNT; i++) {
        *stages[i] = timed(s) ? 1e3 * median(s->stage[i], s->count) : NAN;
    }
    row->iterations = mean(s->iterations, s->count);
    row->outer_iterations = mean(s->outer_iterations, s->count);
    row->residual = s->count > 0 ? s->residual : NAN;
}

/* Time of an iteration and bandwidth over the solve stage as a whole: iterations, and the float64 residuals before,
 * between and after the passes. Of the best step, as the triad is of its best sweep. */
static void fill_speed(const bench_counts* counts, const bench_method* method, const samples* s, bench_row* row) {
    const double bytes = model_iteration(counts, method), residual_bytes = model_residual(counts, method->factor_rows);
    row->unknowns = (double)model_unknowns(counts, method->factor_rows);
    row->iteration_bytes = bytes > 0 ? bytes : NAN;
    row->step_us = row->iteration_us = row->gb_s = NAN;
    for (size_t i = 0; i < s->count; i++) {
        const double seconds = timed(s) ? s->stage[TAUT_STAGE_SOLVE][i] : NAN;
        const double moved = s->iterations[i] * row->iteration_bytes + (s->outer_iterations[i] + 1) * residual_bytes;
        row->gb_s = fmax(row->gb_s, 1e-9 * moved / seconds);
        if (s->iterations[i] > 0) {
            row->iteration_us = fmin(row->iteration_us, 1e6 * seconds / s->iterations[i]);
            row->step_us = fmin(row->step_us, 1e6 * s->step[i] / s->iterations[i]);
        }
    }
    row->stream_fraction = row->gb_s / row->stream_gb_s;
}

static taut_world* make_world(const taut_scene* scene, const bench_case* c, bench_counter* counter, taut_world_def* def,
                              double* seconds) {
    taut_world* world = NULL;
    *def = bench_one_system();
    def->backend = c->backend;
    def->threads = c->threads;
    def->profile = true;
    def->integrator.geometric_stiffness = c->geometric;
    def->solver.method = TAUT_METHOD_SCHUR; /* which the traffic model is of */
    def->solver.preconditioner = c->preconditioner;
    def->allocator = counting_allocator(counter);
    const double begin = omp_get_wtime();
    bench_must(taut_world_create(scene, def, &world));
    *seconds = omp_get_wtime() - begin;
    return world;
}

bench_row bench_measure(const bench_case* c) {
    bench_counts counts = {0};
    bench_counter counter = {0};
    bench_row row = {.scene = c->scene->name,
                     .backend = bench_backend_name(c->backend),
                     .preconditioner = bench_preconditioner_name(c->preconditioner),
                     .geometric = bench_geometric_name(c->geometric),
                     .threads = c->threads,
                     .stream_gb_s = c->backend == TAUT_BACKEND_CPU && c->stream_gb_s > 0 ? c->stream_gb_s : NAN,
                     .against_jacobi = NAN,
                     .step_speed_up = NAN,
                     .iteration_speed_up = NAN};
    taut_world_def def;
    taut_scene* scene = c->scene->make(c->size, &counts);
    taut_world* world = make_world(scene, c, &counter, &def, &row.create_s);
    taut_scene_destroy(scene);
    row.bytes = (double)counter.bytes;
    row.peak_bytes = (double)counter.peak;
    row.particles = (double)counts.particles;
    row.rows = (double)taut_world_row_count(world);
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        row.constraints += (double)counts.constraints[k];
    }
    row.iteration_limit = limit_iterations(world, def.solver, c->max_seconds / (WARM_UP + c->repeats));
    samples s = make_samples(c->repeats);
    run_steps(world, c, &s);
    const bench_method method = {c->backend, c->preconditioner, c->geometric == TAUT_GEOMETRIC_FULL,
                                 def.solver.block_size, def.solver.chebyshev_degree};
    fill_speed(&counts, &method, &s, &row);
    fill_times(&s, &row);
    free_samples(&s);
    taut_world_destroy(world);
    return row;
}
