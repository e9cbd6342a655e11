#include "convergence_run.h"

#include "bench_scenes.h"
#include "host/world/world_data.h"
#include "levels_cost.h"
#include "measure.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREPARE_TOLERANCE   1e-5
#define REFERENCE_TOLERANCE 1e-8
#define REFERENCE_RESIDUAL  1e-6 /* one that was not met is good enough at this */
#define BASELINE_ITERATIONS 30
#define REPEATS             3
#define BALANCE_TOLERANCE   1e-5  /* of the step that H and b are taken from */
#define ENDLESS_TOLERANCE   1e-12 /* of a step that its limit ends */

/* ---- worlds ------------------------------------------------------------------------------------------------------ */

/* NULL where the library refuses that way of solving. */
static taut_world* make_world(const prepared_case* c, const taut_solver* solver) {
    taut_world* world = NULL;
    taut_world_def def = bench_one_system();
    def.backend = c->settings->backend;
    def.threads = c->settings->threads;
    def.profile = true;
    def.integrator.geometric_stiffness = c->geometric;
    def.solver = *solver;
    return taut_world_create(c->scene, &def, &world) == TAUT_OK ? world : NULL;
}

typedef struct step_result {
    bool diverged;
    taut_step_info info;
    double solve, assemble; /* s */
} step_result;

/* From the prepared state, with nothing known of the solution. */
static step_result step_once(const prepared_case* c, taut_world* world) {
    step_result r = {.diverged = true};
    state_restore(world, &c->state);
    if (taut_world_step(world, c->settings->step) == TAUT_OK && taut_world_sync(world) == TAUT_OK) {
        bench_must(taut_world_info(world, &r.info));
        r.diverged = false;
        r.solve = r.info.stage_seconds[TAUT_STAGE_SOLVE];
        r.assemble = r.info.stage_seconds[TAUT_STAGE_ASSEMBLE];
    }
    return r;
}

static step_result step_repeatedly(const prepared_case* c, taut_world* world) {
    const double begin = omp_get_wtime();
    step_result best = step_once(c, world);
    for (int i = 1; i < REPEATS && !best.diverged && omp_get_wtime() - begin < c->settings->repeat_seconds; i++) {
        const step_result next = step_once(c, world);
        best.solve = fmin(best.solve, next.solve);
        best.assemble = fmin(best.assemble, next.assemble);
    }
    return best;
}

/* ---- preparation --------------------------------------------------------------------------------------------------
 */

static void keep_reference(prepared_case* c, taut_world* world, taut_solver solver) {
    solver.tolerance = REFERENCE_TOLERANCE;
    solver.warm_start = false;
    bench_must(taut_world_set_solver(world, &solver));
    const step_result r = step_once(c, world);
    if (!r.diverged && r.info.residual <= REFERENCE_RESIDUAL) {
        c->reference = bench_allocate(3 * c->state.particles, sizeof *c->reference);
        bench_must(taut_world_read(world, TAUT_FIELD_VELOCITIES, 0, c->state.particles, c->reference));
    }
}

/* H and b from a step by the multilevel preconditioner; nothing where the library refuses it. */
static balance make_balance(const prepared_case* c) {
    const solver_way way = {TAUT_METHOD_CONDENSED, TAUT_PRECONDITIONER_MULTILEVEL, TAUT_CYCLE_ADDITIVE};
    run_settings settings = *c->settings;
    prepared_case on_cpu = *c;
    settings.backend = TAUT_BACKEND_CPU;
    on_cpu.settings = &settings;
    taut_solver solver = solver_of(&way);
    solver.tolerance = BALANCE_TOLERANCE;
    solver.max_iterations = c->settings->max_iterations;
    solver.warm_start = false;
    taut_world* world = make_world(&on_cpu, &solver);
    if (world == NULL) {
        return (balance){0};
    }
    const step_result r = step_once(&on_cpu, world);
    const balance b = r.diverged ? (balance){0} : balance_make(world, &c->state);
    taut_world_destroy(world);
    return b;
}

prepared_case case_prepare(const run_settings* settings, const taut_scene* scene, taut_geometric_stiffness geometric) {
    prepared_case c = {.settings = settings, .scene = scene, .geometric = geometric};
    taut_solver solver = taut_default_world().solver;
    solver.tolerance = PREPARE_TOLERANCE;
    solver.max_iterations = settings->prepare_iterations;
    taut_world* world = make_world(&c, &solver);
    bench_must(world != NULL ? TAUT_OK : TAUT_INVALID_DEFINITION);
    for (uint32_t i = 0; i < settings->frames; i++) {
        taut_step_info info;
        bench_must(taut_world_step(world, settings->step));
        bench_must(taut_world_info(world, &info));
        c.prepared_residual = fmax(c.prepared_residual, info.residual);
    }
    c.state = state_save(world);
    keep_reference(&c, world, solver);
    taut_world_destroy(world);
    if (settings->balance) {
        c.balance = make_balance(&c);
    }
    return c;
}

void case_free(prepared_case* c) {
    state_free(&c->state);
    balance_free(&c->balance);
    free(c->reference);
    *c = (prepared_case){0};
}

/* Time of an iteration and of an assembly without a preconditioner, for a method; with Jacobi's where it needs one. */
static void measure_baseline(prepared_case* c, taut_method method) {
    taut_solver solver = taut_default_world().solver;
    solver.method = method;
    solver.preconditioner = TAUT_PRECONDITIONER_NONE;
    taut_world* world = make_world(c, &solver);
    if (world == NULL) {
        solver.preconditioner = TAUT_PRECONDITIONER_JACOBI;
        world = make_world(c, &solver);
    }
    bench_must(world != NULL ? TAUT_OK : TAUT_INVALID_DEFINITION);
    solver.warm_start = false;
    solver.tolerance = 1e-12;
    solver.max_iterations = BASELINE_ITERATIONS;
    bench_must(taut_world_set_solver(world, &solver));
    const step_result r = step_repeatedly(c, world);
    if (!r.diverged && r.info.iterations > 0) {
        c->baseline[method] = r.solve / r.info.iterations;
        c->baseline_refresh[method] = r.assemble;
    }
    taut_world_destroy(world);
}

/* ---- rows ---------------------------------------------------------------------------------------------------------
 */

/* The method whose plain iterations are the unit of work: what an automatic one came to; Schur for those that have no
 * conjugate gradients. */
static taut_method chosen_method(const taut_world* world, taut_method asked) {
    taut_choice choice;
    if (asked != TAUT_METHOD_AUTO) {
        return takes_preconditioner(asked) ? asked : TAUT_METHOD_SCHUR;
    }
    const bool condensed = state_choice(world, &choice) && choice.condensed_rows > choice.schur_rows;
    return condensed ? TAUT_METHOD_CONDENSED : TAUT_METHOD_SCHUR;
}

static void tell_levels(const taut_world* world, convergence_row* row) {
    taut_choice choice;
    size_t used = 0;
    row->levels_text[0] = '\0';
    if (state_choice(world, &choice)) {
        for (uint32_t i = 0; i < choice.levels && used < sizeof row->levels_text; i++) {
            used += (size_t)snprintf(row->levels_text + used, sizeof row->levels_text - used, "%s%zu", i > 0 ? "/" : "",
                                     choice.level_nodes[i]);
        }
    }
}

/* |dv - dv of the reference| / |dv of the reference| */
static double velocity_error(const prepared_case* c, taut_world* world) {
    if (c->reference == NULL) {
        return NAN;
    }
    double off = 0, change = 0;
    double* v = bench_allocate(3 * c->state.particles, sizeof *v);
    bench_must(taut_world_read(world, TAUT_FIELD_VELOCITIES, 0, c->state.particles, v));
    for (size_t i = 0; i < 3 * c->state.particles; i++) {
        off += (v[i] - c->reference[i]) * (v[i] - c->reference[i]);
        change += (c->reference[i] - c->state.velocities[i]) * (c->reference[i] - c->state.velocities[i]);
    }
    free(v);
    return sqrt(off / change);
}

static void fill_times(const prepared_case* c, taut_method method, const step_result* r, convergence_row* row) {
    const double baseline = c->baseline[method];
    row->solve_ms = 1e3 * r->solve;
    row->assemble_ms = 1e3 * r->assemble;
    row->iteration_ms = row->iterations > 0 ? row->solve_ms / row->iterations : NAN;
    row->refresh_ms = fmax(0, row->assemble_ms - 1e3 * c->baseline_refresh[method]);
    if (baseline > 0) {
        row->work_per_iteration = 1e-3 * row->iteration_ms / baseline;
        row->refresh_in_iterations = 1e-3 * row->refresh_ms / baseline;
        row->work = row->iterations * row->work_per_iteration + row->refresh_in_iterations;
    }
}

/* Whether a step of k iterations leaves |b - H dv|_2 <= tolerance |b|_2. */
static bool balances(const prepared_case* c, taut_world* world, taut_solver solver, uint32_t k, double tolerance) {
    solver.tolerance = ENDLESS_TOLERANCE;
    solver.max_iterations = k;
    bench_must(taut_world_set_solver(world, &solver));
    return !step_once(c, world).diverged && balance_residual(&c->balance, &c->state, world) <= tolerance;
}

/* The least k, as far as residuals fall steadily, for which a step from no guess leaves |b - H dv|_2 <= tolerance
 * |b|_2; NaN where the limit is too few. */
static double balance_iterations(const prepared_case* c, taut_world* world, taut_solver solver, double tolerance) {
    const uint32_t most = c->settings->max_iterations;
    uint32_t low = 0, high = most < 16 ? most : 16;
    while (!balances(c, world, solver, high, tolerance)) {
        if (high == most) {
            return NAN;
        }
        low = high;
        high = most / 2 < high ? most : 2 * high;
    }
    while (high > low + 1) {
        const uint32_t k = low + (high - low) / 2;
        const bool met = balances(c, world, solver, k, tolerance);
        high = met ? k : high;
        low = met ? low : k;
    }
    return high;
}

/* Of a way that has levels, whose products read H. */
static double reads_per_iteration(const taut_world* world) {
    const taut_hierarchy* levels = &world->plan.hierarchy;
    const double once = levels_system_floats(levels);
    return once > 0 ? 1 + levels_floats(levels, world->plan.settings.cycle) / once : NAN;
}

static void fill_step(const prepared_case* c, taut_world* world, taut_method method, const step_result* r,
                      convergence_row* row) {
    row->outcome = bench_outcome_name(r->diverged, r->info.outcome);
    if (!r->diverged) {
        row->iterations = r->info.iterations;
        row->outer_iterations = r->info.outer_iterations;
        row->residual = r->info.residual;
        row->error = velocity_error(c, world);
        fill_times(c, method, r, row);
    }
}

static convergence_row empty_row(const convergence_row* given, const prepared_case* c, const solver_way* way) {
    convergence_row row = *given;
    const bool multilevel = way->preconditioner == TAUT_PRECONDITIONER_MULTILEVEL && way->method != TAUT_METHOD_SCHUR;
    row.geometric = bench_geometric_name(c->geometric);
    row.method = method_name(way->method);
    row.preconditioner = bench_preconditioner_name(way->preconditioner);
    row.cycle = multilevel ? cycle_name(way->cycle) : "-";
    row.threads = c->settings->threads;
    row.rows = (double)c->state.rows;
    row.iterations = row.balance_iterations = row.outer_iterations = row.residual = row.error = NAN;
    row.solve_ms = row.iteration_ms = row.assemble_ms = row.refresh_ms = NAN;
    row.work_per_iteration = row.refresh_in_iterations = row.work = row.unknowns = row.reads = NAN;
    row.levels_text[0] = '\0';
    return row;
}

void case_run(prepared_case* c, const solver_way* way, const double* tolerances, size_t count,
              const convergence_row* given, run_receiver* receive, void* user) {
    convergence_row row = empty_row(given, c, way);
    taut_solver solver = solver_of(way);
    taut_world* world = make_world(c, &solver);
    row.levels = row.levels_text;
    row.outcome = "refused";
    row.tolerance = tolerances[0];
    if (world == NULL) {
        receive(user, &row);
        return;
    }
    const taut_method method = chosen_method(world, way->method);
    if (!(c->baseline[method] > 0)) {
        measure_baseline(c, method);
    }
    tell_levels(world, &row);
    row.unknowns = (double)state_unknowns(world);
    row.reads = reads_per_iteration(world);
    solver.max_iterations = c->settings->max_iterations;
    solver.warm_start = false;
    bool met = true;
    for (size_t i = 0; i < count && met; i++) {
        row.tolerance = solver.tolerance = tolerances[i];
        bench_must(taut_world_set_solver(world, &solver));
        const step_result r = step_repeatedly(c, world);
        fill_step(c, world, method, &r, &row);
        if (!r.diverged && method == TAUT_METHOD_CONDENSED && balance_exists(&c->balance)) {
            row.balance_iterations = balance_iterations(c, world, solver, tolerances[i]);
        }
        receive(user, &row);
        met = !r.diverged && r.info.outcome == TAUT_SOLVE_CONVERGED;
    }
    taut_world_destroy(world);
}
