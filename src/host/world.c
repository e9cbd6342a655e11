/* Worlds: creation, the step, and what it reports. */
#define _POSIX_C_SOURCE 199309L /* clock_gettime */
#include "host/world.h"

#include "host/compile.h"
#include "host/defaults.h"
#include "host/ranges.h"
#include "host/status.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define SHORTEST_STEP 1e-9
#define LONGEST_STEP  1e6

/* ---- creation -------------------------------------------------------------------------------------------------- */

taut_status world_check_integrator(const taut_integrator* i) {
    if (!(i->alpha > 0 && i->alpha <= 1)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "integrator: alpha is %g; it must lie in (0, 1].", i->alpha);
    }
    if (!(i->beta >= 0 && i->beta <= 1)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "integrator: beta is %g; it must lie in [0, 1].", i->beta);
    }
    if (i->geometric_stiffness != TAUT_GEOMETRIC_NONE && i->geometric_stiffness != TAUT_GEOMETRIC_FULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "integrator: geometric stiffness %d does not exist.",
                         (int)i->geometric_stiffness);
    }
    if (!(i->hard_row_damping >= 0 && i->hard_row_damping <= 1e6)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "integrator: hard_row_damping is %g; it must lie in [0, 1e6].",
                         i->hard_row_damping);
    }
    if (i->substeps == 0 || i->substeps > 100000) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "integrator: substeps is %u; it must lie in 1 to 100000.", i->substeps);
    }
    return TAUT_OK;
}

taut_status world_check_solver(const taut_solver* s) {
    if ((unsigned)s->preconditioner > TAUT_PRECONDITIONER_CHEBYSHEV) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "solver: preconditioner %d does not exist.", (int)s->preconditioner);
    }
    if (!(s->tolerance > 0 && s->tolerance < 1)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "solver: tolerance is %g; it must lie in (0, 1).", s->tolerance);
    }
    if (s->max_iterations == 0) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "solver: max_iterations must be at least 1.");
    }
    if (!(s->proximal <= 1e6)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "solver: proximal is %g; it must be a number up to 1e6.", s->proximal);
    }
    if (s->block_size == 0 || s->block_size > 256) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "solver: block_size is %u; it must lie in 1 to 256.", s->block_size);
    }
    if (s->chebyshev_degree == 0 || s->chebyshev_degree > 64) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "solver: chebyshev_degree is %u; it must lie in 1 to 64.",
                         s->chebyshev_degree);
    }
    return TAUT_OK;
}

static taut_status check_world(const taut_scene* scene, const taut_world_def* def, taut_world** world) {
    if (scene == NULL || def == NULL || world == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "taut_world_create: scene, def and world must not be NULL.");
    }
    if (def->cookie != TAUT_COOKIE_WORLD) {
        return taut_fail(TAUT_INVALID_DEFINITION, "world definition was not made by taut_default_world.");
    }
    if (scene->particle_count == 0) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "taut_world_create: the scene has no particles.");
    }
    for (int i = 0; i < 3; i++) {
        if (!(fabs(def->gravity[i]) <= TAUT_MAX_LENGTH)) {
            return taut_fail(TAUT_INVALID_ARGUMENT, "world: gravity[%d] is %g; it must be finite.", i, def->gravity[i]);
        }
    }
    if (!(def->speed_limit > 0 && isfinite(def->speed_limit))) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "world: speed_limit is %g; it must be positive and finite.",
                         def->speed_limit);
    }
    if (def->cuda_device < -1) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "world: cuda_device is %d; it must be -1 or a device's number.",
                         def->cuda_device);
    }
    if (def->threads > 4096) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "world: threads is %u; at most 4096.", def->threads);
    }
    const taut_status status = world_check_integrator(&def->integrator);
    return status == TAUT_OK ? world_check_solver(&def->solver) : status;
}

taut_status taut_backend_available(taut_backend_kind backend) {
    switch (backend) {
    case TAUT_BACKEND_AUTO:
    case TAUT_BACKEND_CPU:
        return TAUT_OK;
    case TAUT_BACKEND_CUDA:
#ifdef TAUT_WITH_CUDA
        return taut_cuda_backend.available();
#else
        return taut_fail(TAUT_BACKEND_UNAVAILABLE, "the CUDA backend is not built into this library.");
#endif
    }
    return taut_fail(TAUT_INVALID_ARGUMENT, "backend %d does not exist.", (int)backend);
}

int taut_cuda_device_count(void) {
#ifdef TAUT_WITH_CUDA
    return taut_cuda_devices();
#else
    return 0;
#endif
}

taut_status taut_cuda_device_describe(int device, taut_device_info* info) {
    const int count = taut_cuda_device_count();
    if (info == NULL || device < 0 || device >= count) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "CUDA device %d does not exist (there are %d), or info is NULL.", device,
                         count);
    }
#ifdef TAUT_WITH_CUDA
    return taut_cuda_describe(device, info);
#else
    return TAUT_BACKEND_UNAVAILABLE;
#endif
}

static taut_status choose_backend(const taut_world_def* def, const taut_backend** backend) {
    const taut_status status = taut_backend_available(def->backend);
    if (status != TAUT_OK) {
        return status;
    }
    *backend = &taut_cpu_backend;
#ifdef TAUT_WITH_CUDA
    if (def->backend == TAUT_BACKEND_CUDA ||
        (def->backend == TAUT_BACKEND_AUTO && taut_cuda_backend.available() == TAUT_OK)) {
        *backend = &taut_cuda_backend;
    }
    if (*backend == &taut_cuda_backend) {
        const taut_status admitted = taut_cuda_admits(def->cuda_device, def->cuda_stream);
        if (admitted != TAUT_OK) {
            return admitted;
        }
    }
#endif
    if (def->backend == TAUT_BACKEND_AUTO && def->log != NULL) {
        char text[128];
        snprintf(text, sizeof text, "backend: %s.", (*backend)->name);
        def->log(TAUT_LOG_INFO, text, def->log_user);
    }
    return TAUT_OK;
}

static taut_settings make_settings(const taut_world_def* def) {
    taut_settings s = {.integrator = def->integrator,
                       .solver = def->solver,
                       .preconditioner = def->solver.preconditioner,
                       .speed_limit = def->speed_limit,
                       .threads = def->threads > 0 ? def->threads : (uint32_t)omp_get_max_threads()};
    memcpy(s.gravity, def->gravity, sizeof s.gravity);
    return s;
}

static taut_status copy_batches(const taut_scene* scene, taut_world* world) {
    world->batch_count = scene->batches.count;
    if (world->batch_count == 0) {
        return TAUT_OK;
    }
    world->batches = taut_allocate(&world->allocator, world->batch_count * sizeof *world->batches);
    if (world->batches == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    memcpy(world->batches, scene->batches.data, world->batch_count * sizeof *world->batches);
    return TAUT_OK;
}

static taut_status allocate_staged(taut_world* world) {
    const taut_sizes* s = &world->plan.sizes;
    if (!s->nodes_move && !s->rows_move) {
        return TAUT_OK;
    }
    world->staged_values = 3 * s->nodes > s->rows ? 3 * s->nodes : s->rows;
    world->staged = taut_allocate(&world->allocator, 2 * world->staged_values * sizeof *world->staged);
    return world->staged != NULL ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

static taut_status build_world(const taut_scene* scene, taut_world* world) {
    taut_range_push(world->plan.ranges, "create");
    taut_status status = copy_batches(scene, world);
    if (status == TAUT_OK) {
        status = taut_compile(scene, world->backend, &world->allocator, &world->plan);
    }
    if (status == TAUT_OK) {
        status = allocate_staged(world);
    }
    if (status == TAUT_OK) {
        status = world->backend->create(&world->plan, &world->allocator, &world->state);
    }
    taut_range_pop(world->plan.ranges);
    return status;
}

taut_status taut_world_create(const taut_scene* scene, const taut_world_def* def, taut_world** world) {
    const taut_backend* backend = NULL;
    taut_allocator allocator;
    taut_status status = check_world(scene, def, world);
    if (status == TAUT_OK) {
        status = choose_backend(def, &backend);
    }
    if (status == TAUT_OK) {
        status = taut_allocator_resolve(&def->allocator, &allocator);
    }
    if (status != TAUT_OK) {
        return status;
    }
    taut_world* made = taut_allocate(&allocator, sizeof *made);
    if (made == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    made->allocator = allocator;
    made->backend = backend;
    made->stale = true;
    made->plan.on_device = backend != &taut_cpu_backend;
    made->plan.settings = make_settings(def);
    made->plan.profile = def->profile;
    made->plan.reorder = def->reorder;
    made->plan.cuda_device = def->cuda_device;
    made->plan.cuda_stream = def->cuda_stream;
    made->plan.ranges = taut_ranges_open();
    status = build_world(scene, made);
    if (status != TAUT_OK) {
        taut_world_destroy(made);
        return status;
    }
    *world = made;
    return TAUT_OK;
}

void taut_world_destroy(taut_world* world) {
    if (world == NULL) {
        return;
    }
    const taut_allocator allocator = world->allocator;
    if (world->state != NULL) {
        world->backend->destroy(world->state);
    }
    taut_ranges_close(world->plan.ranges);
    taut_plan_free(&allocator, &world->plan);
    taut_release(&allocator, world->staged, 2 * world->staged_values * sizeof *world->staged);
    taut_release(&allocator, world->batches, world->batch_count * sizeof *world->batches);
    taut_release(&allocator, world, sizeof *world);
}

/* ---- the step --------------------------------------------------------------------------------------------------- */

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef struct stage_clock {
    taut_world* world;
    double last;
} stage_clock;

static void stage_begin(stage_clock* clock, taut_stage stage) {
    taut_range_push(clock->world->plan.ranges, taut_stage_name(stage));
    if (clock->world->plan.profile) {
        clock->last = seconds();
    }
}

static void stage_end(stage_clock* clock, taut_stage stage) {
    if (clock->world->plan.profile) {
        clock->world->stage_seconds[stage] += seconds() - clock->last;
    }
    taut_range_pop(clock->world->plan.ranges);
}

static taut_status diverged(const taut_world* world, const taut_report* report) {
    return taut_fail(TAUT_DIVERGED,
                     "a step after %llu good ones diverged at t = %g s: the new state is not finite or faster than %g m/s; "
                     "the last good state is kept.",
                     (unsigned long long)report->steps, report->time, world->plan.settings.speed_limit);
}

static taut_status substep(taut_world* world, double h, stage_clock* clock) {
    const taut_backend* backend = world->backend;
    taut_report report;
    stage_begin(clock, TAUT_STAGE_ASSEMBLE);
    backend->assemble(world->state, h);
    stage_end(clock, TAUT_STAGE_ASSEMBLE);
    stage_begin(clock, TAUT_STAGE_SOLVE);
    backend->solve(world->state, h);
    stage_end(clock, TAUT_STAGE_SOLVE);
    stage_begin(clock, TAUT_STAGE_INTEGRATE);
    backend->integrate(world->state, h);
    stage_end(clock, TAUT_STAGE_INTEGRATE);
    const taut_status status = backend->sync(world->state, &report);
    if (status != TAUT_OK || report.diverged) {
        return status == TAUT_OK ? diverged(world, &report) : status;
    }
    stage_begin(clock, TAUT_STAGE_EVALUATE);
    backend->evaluate(world->state);
    stage_end(clock, TAUT_STAGE_EVALUATE);
    return TAUT_OK;
}

/* Where the backend does not do so itself. */
static void publish(taut_world* world) {
    if (world->backend->publish != NULL) {
        world->backend->publish(world->state);
    }
}

taut_status world_ready(taut_world* world) {
    return world->backend->ready != NULL ? world->backend->ready(world->state) : TAUT_OK;
}

taut_status world_refresh(taut_world* world) {
    const taut_status status = world_ready(world);
    if (status == TAUT_OK && world->stale) {
        world->backend->evaluate(world->state);
        publish(world);
        world->stale = false;
    }
    return status;
}

taut_status world_retune(taut_world* world) {
    world->linear_h = 0;
    return world->backend->retune != NULL ? world->backend->retune(world->state) : TAUT_OK;
}

/* The step stage by stage, for backends that work where the host does. */
static taut_status step_by_stages(taut_world* world, double dt) {
    stage_clock clock = {.world = world};
    const uint32_t substeps = world->plan.settings.integrator.substeps;
    taut_status status = world_refresh(world);
    memset(world->stage_seconds, 0, sizeof world->stage_seconds);
    world->backend->begin(world->state, dt);
    for (uint32_t i = 0; status == TAUT_OK && i < substeps; i++) {
        status = substep(world, dt / substeps, &clock);
    }
    if (status == TAUT_OK) {
        world->backend->end(world->state);
        world->steps++;
    }
    publish(world);
    return status;
}

/* A step that goes into a graph of the user's evaluates there, before each of its runs. */
static taut_status step_at_once(taut_world* world, double dt) {
    bool captured = false;
    taut_status status = TAUT_OK;
    if (world_ready(world) == TAUT_OK) {
        status = world_refresh(world);
    }
    if (status == TAUT_OK) {
        status = world->backend->step(world->state, dt, &captured);
    }
    world->steps += status == TAUT_OK && !captured;
    return status;
}

static taut_status check_step(const taut_world* world, double dt, uint32_t substeps) {
    if (world == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "world must not be NULL.");
    }
    if (!(dt / substeps >= SHORTEST_STEP && dt <= LONGEST_STEP)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "the step is %g s in %u parts; each must lie in [%g, %g].", dt,
                         substeps, SHORTEST_STEP, LONGEST_STEP);
    }
    return TAUT_OK;
}

taut_status taut_world_step(taut_world* world, double dt) {
    taut_status status = check_step(world, dt, world != NULL ? world->plan.settings.integrator.substeps : 1);
    if (status != TAUT_OK) {
        return status;
    }
    world->linear_h = 0;
    taut_range_push(world->plan.ranges, "step");
    status = world->backend->step != NULL ? step_at_once(world, dt) : step_by_stages(world, dt);
    taut_range_pop(world->plan.ranges);
    if (status != TAUT_OK) {
        world->fault = status;
    }
    return status;
}

taut_status taut_world_note_steps(taut_world* world, uint64_t steps) {
    if (world == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "taut_world_note_steps: world must not be NULL.");
    }
    world->steps += steps;
    world->linear_h = 0;
    return TAUT_OK;
}

/* Waits for the backend; what it has to say replaces what was assumed. */
static taut_status synchronise(taut_world* world) {
    taut_status status = world_ready(world);
    if (status != TAUT_OK) {
        return status;
    }
    taut_range_push(world->plan.ranges, "sync");
    status = world->backend->sync(world->state, &world->report);
    taut_range_pop(world->plan.ranges);
    if (status != TAUT_OK) { /* what was enqueued may not have run */
        world->stale = true;
        world->linear_h = 0;
        return status;
    }
    world->steps = world->report.steps;
    if (world->report.divergences != world->divergences) {
        world->divergences = world->report.divergences;
        world->fault = diverged(world, &world->report);
    }
    return TAUT_OK;
}

taut_status taut_world_sync(taut_world* world) {
    if (world == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "world must not be NULL.");
    }
    taut_status status = world_ready(world);
    if (status != TAUT_OK) { /* faults are told after the capture */
        return status;
    }
    status = synchronise(world);
    status = status == TAUT_OK ? world->fault : status;
    world->fault = TAUT_OK;
    return status;
}

static void tell(const taut_world* world, const taut_report* r, taut_step_info* info) {
    taut_step_info out = {.step = r->steps,
                          .time = r->time,
                          .outcome = r->outcome,
                          .iterations = r->iterations,
                          .passes = r->passes,
                          .residual = r->residual,
                          .kinetic = r->kinetic,
                          .potential = r->potential,
                          .elastic = r->elastic};
    memcpy(out.max_violation, r->max_violation, sizeof out.max_violation);
    for (int i = 0; i < TAUT_STAGE_COUNT; i++) {
        out.stage_seconds[i] = world->stage_seconds[i] + r->stage_seconds[i];
    }
    *info = out;
}

taut_status taut_world_info(taut_world* world, taut_step_info* info) {
    if (world == NULL || info == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "taut_world_info: world and info must not be NULL.");
    }
    taut_status status = world_refresh(world);
    if (status == TAUT_OK) {
        status = synchronise(world);
    }
    if (status == TAUT_OK) {
        tell(world, &world->report, info);
    }
    return status;
}

taut_status taut_world_poll(taut_world* world, taut_step_info* info) {
    if (world == NULL || info == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "taut_world_poll: world and info must not be NULL.");
    }
    taut_report report = world->report;
    world->backend->poll(world->state, &report);
    tell(world, &report, info);
    return TAUT_OK;
}

const char* taut_stage_name(taut_stage stage) {
    static const char* const names[TAUT_STAGE_COUNT] = {"evaluate", "assemble", "solve", "integrate"};
    return (unsigned)stage < TAUT_STAGE_COUNT ? names[stage] : "unknown";
}

/* ---- operators -------------------------------------------------------------------------------------------------- */

taut_status taut_world_linearise(taut_world* world, double h) {
    taut_status status = check_step(world, h, 1);
    if (status == TAUT_OK) {
        status = world_refresh(world);
    }
    if (status != TAUT_OK) {
        return status;
    }
    world->backend->approach(world->state, h);
    world->backend->assemble(world->state, h);
    world->linear_h = h;
    return TAUT_OK;
}

static taut_status check_linearised(const taut_world* world, const void* in, const void* out) {
    if (world == NULL || in == NULL || out == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "operators: world and arrays must not be NULL.");
    }
    if (world->linear_h == 0) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "operators: call taut_world_linearise first.");
    }
    return TAUT_OK;
}

/* Vectors over the nodes or the rows between the user's numbers and ours. */
static void nodes_to_inside(const taut_world* world, const double* from, double* to) {
    for (size_t n = 0; n < world->plan.sizes.nodes; n++) {
        memcpy(to + 3 * world_node(world, n), from + 3 * n, 3 * sizeof(double));
    }
}

static void nodes_from_inside(const taut_world* world, const double* from, double* to) {
    for (size_t n = 0; n < world->plan.sizes.nodes; n++) {
        memcpy(to + 3 * n, from + 3 * world_node(world, n), 3 * sizeof(double));
    }
}

static size_t row_inside(const taut_world* world, size_t row) {
    return world->plan.sizes.rows_move ? world->plan.fields.row_at[row] : row;
}

static void rows_to_inside(const taut_world* world, const double* from, double* to) {
    for (size_t i = 0; i < world->plan.sizes.rows; i++) {
        to[row_inside(world, i)] = from[i];
    }
}

static void rows_from_inside(const taut_world* world, const double* from, double* to) {
    for (size_t i = 0; i < world->plan.sizes.rows; i++) {
        to[i] = from[row_inside(world, i)];
    }
}

static taut_status apply(taut_world* world, taut_operator op, const double* in, double* out) {
    if (world->staged == NULL) {
        return world->backend->apply(world->state, op, in, out);
    }
    const bool from_rows = op == TAUT_OPERATOR_JT || op == TAUT_OPERATOR_S || op == TAUT_OPERATOR_W;
    const bool to_rows = op == TAUT_OPERATOR_J || op == TAUT_OPERATOR_S || op == TAUT_OPERATOR_W;
    double *before = world->staged, *after = world->staged + world->staged_values;
    (from_rows ? rows_to_inside : nodes_to_inside)(world, in, before);
    const taut_status status = world->backend->apply(world->state, op, before, after);
    if (status == TAUT_OK) {
        (to_rows ? rows_from_inside : nodes_from_inside)(world, after, out);
    }
    return status;
}

taut_status taut_world_apply(taut_world* world, taut_operator op, const double* in, double* out) {
    taut_status status = check_linearised(world, in, out);
    if (status == TAUT_OK && (unsigned)op > TAUT_OPERATOR_G) {
        status = taut_fail(TAUT_INVALID_ARGUMENT, "operator %d does not exist.", (int)op);
    }
    if (status == TAUT_OK) {
        status = world_ready(world);
    }
    return status == TAUT_OK ? apply(world, op, in, out) : status;
}

taut_status taut_world_right_hand_side(taut_world* world, double* out) {
    taut_status status = check_linearised(world, out, out);
    if (status == TAUT_OK) {
        status = world_ready(world);
    }
    if (status != TAUT_OK || world->staged == NULL) {
        return status == TAUT_OK ? world->backend->right_hand_side(world->state, out) : status;
    }
    status = world->backend->right_hand_side(world->state, world->staged);
    if (status == TAUT_OK) {
        rows_from_inside(world, world->staged, out);
    }
    return status;
}
