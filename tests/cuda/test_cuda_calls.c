/* What the CUDA backend asks of the runtime, and what it makes of refusals. */
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#include "counting.h"
#include "cuda_calls.h"
#include "dense_matrix.h"
#include "refused.h"
#include "scene_graph.h"
#include "small_scenes.h"

static const double dt = 0.01;

/* ---- worlds ----------------------------------------------------------------------------------------------------- */

/* A world of every kind of constraint, whose memory is counted. */
typedef struct subject {
    oracle_scene description;
    scene_graph graph; /* behind that, where it was asked for */
    taut_scene* scene;
    taut_world_def def;
    taut_world* world;
    counting host;
} subject;

/* Few iterations: what is asked of the runtime does not depend on how many there are. */
static taut_world_def quick(taut_preconditioner preconditioner) {
    taut_world_def def = taut_default_world();
    def.backend = TAUT_BACKEND_CUDA;
    def.solver.preconditioner = preconditioner;
    def.solver.max_iterations = 3;
    def.solver.chebyshev_degree = 2;
    def.solver.block_size = 16;
    return def;
}

/* Without a world as yet. */
static bool subject_open(subject* s, taut_world_def def) {
    *s = (subject){.def = def};
    s->def.allocator = counting_allocator(&s->host);
    scene_mixed(&s->description, 1e-4, 0.01);
    return CHECK_OK(oracle_scene_build(&s->description, &s->scene));
}

/* With bodies, joints, rods and mapped points. */
static bool subject_open_graph(subject* s, taut_world_def def) {
    return subject_open(s, def) && CHECK_OK(scene_graph_add(s->scene, &s->graph));
}

static bool subject_create(subject* s) {
    return CHECK_OK(taut_world_create(s->scene, &s->def, &s->world));
}

static void subject_close(subject* s) {
    cuda_calls_ignore();
    taut_world_destroy(s->world);
    taut_scene_destroy(s->scene);
    oracle_scene_free(&s->description);
}

/* x, v and lam in one array. */
static double* state_of(taut_world* world, size_t* count) {
    const size_t n = taut_world_particle_count(world), m = taut_world_row_count(world);
    double* values = calloc(6 * n + m, sizeof *values);
    CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, 0, n, values));
    CHECK_OK(taut_world_read(world, TAUT_FIELD_VELOCITIES, 0, n, values + 3 * n));
    CHECK_OK(taut_world_read(world, TAUT_FIELD_MULTIPLIERS, 0, m, values + 6 * n));
    *count = 6 * n + m;
    return values;
}

static void check_same_state(taut_world* a, taut_world* b) {
    size_t count, other;
    double *of_a = state_of(a, &count), *of_b = state_of(b, &other);
    CHECK(count == other && memcmp(of_a, of_b, count * sizeof *of_a) == 0);
    free(of_a), free(of_b);
}

/* ---- the step ---------------------------------------------------------------------------------------------------- */

static void check_group(cuda_group group, size_t expected) {
    if (cuda_calls_in(group) == expected) {
        return;
    }
    for (int f = 0; f < CUDA_FUNCTION_COUNT; f++) {
        const cuda_function function = (cuda_function)f;
        if (cuda_function_group(function) == group && cuda_calls_of(function) > 0) {
            test_note("%s: %zu calls", cuda_function_name(function), cuda_calls_of(function));
            CHECK_INT(cuda_calls_in(group), expected);
        }
    }
    CHECK_INT(cuda_calls_in(group), expected);
}

/* One launch of a graph and nothing else that does something. */
static void check_one_launch(subject* s) {
    cuda_calls_watch();
    const size_t requests = s->host.requests;
    CHECK_OK(taut_world_step(s->world, dt));
    for (int g = CUDA_LAUNCHES; g < CUDA_QUERIES; g++) {
        check_group((cuda_group)g, g == CUDA_GRAPH_LAUNCHES ? 1 : 0);
    }
    CHECK_INT(s->host.requests, requests);
}

/* Ways to solve, each with a step of its own. */
typedef struct way {
    taut_method method;
    taut_preconditioner preconditioner;
    taut_cycle cycle;
} way;

static const way ways[] = {{TAUT_METHOD_AUTO, TAUT_PRECONDITIONER_AUTO, TAUT_CYCLE_AUTO},
                           {TAUT_METHOD_SCHUR, TAUT_PRECONDITIONER_NONE, TAUT_CYCLE_AUTO},
                           {TAUT_METHOD_SCHUR, TAUT_PRECONDITIONER_JACOBI, TAUT_CYCLE_AUTO},
                           {TAUT_METHOD_SCHUR, TAUT_PRECONDITIONER_BLOCK, TAUT_CYCLE_AUTO},
                           {TAUT_METHOD_SCHUR, TAUT_PRECONDITIONER_CHEBYSHEV, TAUT_CYCLE_AUTO},
                           {TAUT_METHOD_SCHUR, TAUT_PRECONDITIONER_MULTILEVEL, TAUT_CYCLE_AUTO},
                           {TAUT_METHOD_CONDENSED, TAUT_PRECONDITIONER_NONE, TAUT_CYCLE_AUTO},
                           {TAUT_METHOD_CONDENSED, TAUT_PRECONDITIONER_JACOBI, TAUT_CYCLE_AUTO},
                           {TAUT_METHOD_CONDENSED, TAUT_PRECONDITIONER_MULTILEVEL, TAUT_CYCLE_ADDITIVE},
                           {TAUT_METHOD_CONDENSED, TAUT_PRECONDITIONER_MULTILEVEL, TAUT_CYCLE_V},
                           {TAUT_METHOD_GAUSS_SEIDEL, TAUT_PRECONDITIONER_AUTO, TAUT_CYCLE_AUTO}};

static void check_steps(bool (*open)(subject* s, taut_world_def def), uint32_t substeps) {
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        subject s;
        taut_world_def def = quick(ways[w].preconditioner);
        def.solver.method = ways[w].method;
        def.solver.cycle = ways[w].cycle;
        def.integrator.substeps = substeps;
        if (open(&s, def) && subject_create(&s)) {
            CHECK_OK(taut_world_step(s.world, dt));
            for (int k = 0; k < 4; k++) {
                test_note("method %d, preconditioner %d, cycle %d, %u substeps, step %d", (int)ways[w].method,
                          (int)ways[w].preconditioner, (int)ways[w].cycle, substeps, k);
                check_one_launch(&s);
            }
        }
        subject_close(&s);
    }
    test_note(NULL);
}

TAUT_CUDA_TEST(calls, a_step_is_one_graph_launch) {
    check_steps(subject_open, 1);
    check_steps(subject_open, 2);
}
TAUT_CUDA_TEST(calls, a_step_of_bodies_is_one_graph_launch) {
    check_steps(subject_open_graph, 1);
}

/* ---- changes between steps --------------------------------------------------------------------------------------- */

static taut_status change_gravity(subject* s) {
    const double gravity[3] = {1, -9, 0.5};
    return taut_world_set_gravity(s->world, gravity);
}

static taut_status change_solver(subject* s) {
    s->def.solver.tolerance = 1e-3;
    s->def.solver.max_iterations = 2;
    s->def.solver.warm_start = false;
    return taut_world_set_solver(s->world, &s->def.solver);
}

static taut_status change_alpha(subject* s) {
    s->def.integrator.alpha = 0.8;
    s->def.integrator.hard_row_damping = 1;
    return taut_world_set_integrator(s->world, &s->def.integrator);
}

static taut_status change_forces(subject* s) {
    const double forces[6] = {0.1, 0.2, 0.3, -0.1, -0.2, -0.3};
    return taut_world_set_forces(s->world, 4, 2, forces);
}

static taut_status change_compliances(subject* s) {
    const double softer[2] = {2e-4, 3e-4};
    return taut_world_set_compliances(s->world, s->description.constraints[0].batch, 0, 2, softer);
}

static taut_status change_dampings(subject* s) {
    const double slower[2] = {0.02, 0.03};
    return taut_world_set_dampings(s->world, s->description.constraints[0].batch, 0, 2, slower);
}

static taut_status change_rest_values(subject* s) {
    const double longer[2] = {0.11, 0.12};
    return taut_world_set_rest_values(s->world, s->description.constraints[0].batch, 0, 2, longer);
}

static taut_status change_targets(subject* s) {
    return oracle_scene_drive(&s->description, s->world, dt);
}

static taut_status change_goals(subject* s) {
    const uint32_t top = 0;
    const double goal[3] = {0.01, 0, 0.01};
    return taut_world_move_fixed(s->world, 1, &top, goal);
}

static taut_status change_fixed(subject* s) {
    const uint32_t particle = 6;
    return taut_world_set_fixed(s->world, 1, &particle, true);
}

static taut_status change_velocities(subject* s) {
    const double v[3] = {0.1, 0.2, 0.3};
    return taut_world_write(s->world, TAUT_FIELD_VELOCITIES, 5, 1, v);
}

static taut_status change_positions(subject* s) {
    double x[3];
    memcpy(x, s->description.particles[5].x, sizeof x);
    return taut_world_write(s->world, TAUT_FIELD_POSITIONS, 5, 1, x);
}

/* Those of a graph scene. */
static uint32_t frame_of(const subject* s, uint32_t body) {
    return s->graph.bodies.frames.first + body;
}

static taut_status change_torques(subject* s) {
    const double torques[6] = {0.1, 0, 0, 0, 0.1, 0};
    return taut_world_set_torques(s->world, frame_of(s, GRAPH_TIP), 2, torques);
}

static taut_status change_passive_forces(subject* s) {
    const double force[3] = {0, 1, 0};
    return taut_world_set_forces(s->world, s->graph.passive_on_passive.first, 1, force);
}

static taut_status change_drives(subject* s) {
    const double angles[2] = {0.1, -0.1};
    return taut_world_move_targets(s->world, s->graph.joints[TAUT_JOINT_HINGE].drive, 0, 2, angles);
}

static taut_status change_bends(subject* s) {
    const double turn[3] = {0.1, 0, 0};
    return taut_world_move_targets(s->world, s->graph.rod.bends, 1, 1, turn);
}

static taut_status change_frame_goals(subject* s) {
    const uint32_t frames[2] = {frame_of(s, GRAPH_HELD), s->graph.rod.frames.first};
    const double goals[8] = {1, 0.1, 0, 0, 0.9, 0, 0.1, 0};
    return taut_world_move_fixed_frames(s->world, 2, frames, goals);
}

static taut_status change_fixed_frames(subject* s) {
    const uint32_t frame = frame_of(s, GRAPH_SPUN);
    return taut_world_set_frames_fixed(s->world, 1, &frame, true);
}

static taut_status change_orientations(subject* s) {
    const double q[4] = {1, 0, 0.2, 0};
    return taut_world_write(s->world, TAUT_FIELD_ORIENTATIONS, frame_of(s, GRAPH_SWINGING), 1, q);
}

static taut_status change_angular_velocities(subject* s) {
    const double omega[3] = {0.1, 0.2, 0.3};
    return taut_world_write(s->world, TAUT_FIELD_ANGULAR_VELOCITIES, frame_of(s, GRAPH_TIP), 1, omega);
}

/* Those below change the step's structure. */
static taut_status change_substeps(subject* s) {
    s->def.integrator.substeps++;
    return taut_world_set_integrator(s->world, &s->def.integrator);
}

static taut_status change_beta(subject* s) {
    s->def.integrator.beta = s->def.integrator.beta > 0 ? 0 : 1;
    return taut_world_set_integrator(s->world, &s->def.integrator);
}

static taut_status change_degree(subject* s) {
    s->def.solver.chebyshev_degree++;
    return taut_world_set_solver(s->world, &s->def.solver);
}

typedef struct change {
    const char* name;
    taut_status (*make)(subject* s);
    size_t instantiations;
} change;

static const change changes[] = {{"gravity", change_gravity, 0},
                                 {"solver", change_solver, 0},
                                 {"alpha", change_alpha, 0},
                                 {"forces", change_forces, 0},
                                 {"compliances", change_compliances, 0},
                                 {"dampings", change_dampings, 0},
                                 {"rest values", change_rest_values, 0},
                                 {"targets", change_targets, 0},
                                 {"goals", change_goals, 0},
                                 {"fixed", change_fixed, 0},
                                 {"velocities", change_velocities, 0},
                                 {"positions", change_positions, 0},
                                 {"substeps", change_substeps, 1},
                                 {"beta", change_beta, 1},
                                 {"degree", change_degree, 1}};
enum { CHANGES = sizeof changes / sizeof *changes };

static const change graph_changes[] = {{"torques", change_torques, 0},
                                       {"forces on passive points", change_passive_forces, 0},
                                       {"drives", change_drives, 0},
                                       {"bends", change_bends, 0},
                                       {"goals of frames", change_frame_goals, 0},
                                       {"fixed frames", change_fixed_frames, 0},
                                       {"orientations", change_orientations, 0},
                                       {"angular velocities", change_angular_velocities, 0}};
enum { GUARD_LEVELS = 6 };
enum { GRAPH_CHANGES = sizeof graph_changes / sizeof *graph_changes };

/* At most: parameters of the step, for each of the guard's levels, and of a linearisation, three kernels that evaluate
 * and one that reports, one per level of mapped points; the words of a handful of particles or constraints. */
static void check_small(size_t instantiations, size_t levels) {
    CHECK_INT(cuda_calls_of(CALL_cudaGraphInstantiate), instantiations);
    CHECK_INT(cuda_calls_in(CUDA_GRAPH_LAUNCHES), 1);
    CHECK_INT(cuda_calls_in(CUDA_WAITS), instantiations); /* for steps under way */
    CHECK_INT(cuda_calls_in(CUDA_ALLOCATIONS), 0);
    CHECK_INT(cuda_calls_in(CUDA_CREATIONS), 0);
    CHECK(cuda_calls_at_once() <= 5 + GUARD_LEVELS + levels);
    CHECK(cuda_calls_in(CUDA_COPIES) <= 6 || instantiations > 0);
    CHECK(cuda_calls_bytes() <= 1024 || instantiations > 0);
}

static void check_change(subject* s, const change* c, size_t levels) {
    const size_t requests = s->host.requests;
    test_note("%s", c->name);
    cuda_calls_watch();
    CHECK_OK(c->make(s));
    CHECK_OK(taut_world_step(s->world, dt));
    check_small(c->instantiations, levels);
    if (c->instantiations > 0) { /* shorter substeps leave something of longer ones for as long as these took */
        CHECK_OK(taut_world_step(s->world, dt));
    }
    check_one_launch(s);
    CHECK_INT(s->host.requests, requests);
    test_note(NULL);
}

TAUT_CUDA_TEST(calls, changes_are_small) {
    subject s;
    if (subject_open(&s, quick(TAUT_PRECONDITIONER_CHEBYSHEV)) && subject_create(&s)) {
        CHECK_OK(taut_world_step(s.world, dt));
        for (int i = 0; i < CHANGES; i++) {
            check_change(&s, &changes[i], 0);
        }
        cuda_calls_watch();
        CHECK_OK(taut_world_step(s.world, 2 * dt));
        test_note("step length");
        check_small(0, 0);
        CHECK_INT(cuda_calls_at_once(), GUARD_LEVELS);
        CHECK_OK(taut_world_sync(s.world));
    }
    subject_close(&s);
}

TAUT_CUDA_TEST(calls, changes_of_bodies_are_small) {
    enum { LEVELS = 7 }; /* 4 of active points, 3 of passive ones */
    subject s;
    if (subject_open_graph(&s, quick(TAUT_PRECONDITIONER_JACOBI)) && subject_create(&s)) {
        CHECK_OK(taut_world_step(s.world, dt));
        for (int i = 0; i < GRAPH_CHANGES; i++) {
            check_change(&s, &graph_changes[i], LEVELS);
        }
        CHECK_OK(taut_world_sync(s.world));
    }
    subject_close(&s);
}

/* A new structure while steps of the old one are still on their way. */
TAUT_CUDA_TEST(calls, a_new_structure_does_not_disturb_steps_under_way) {
    subject waiting, hasty;
    const taut_world_def def = quick(TAUT_PRECONDITIONER_JACOBI);
    if (subject_open(&waiting, def) && subject_open(&hasty, def) && subject_create(&waiting) &&
        subject_create(&hasty)) {
        for (int k = 0; k < 3; k++) {
            CHECK_OK(taut_world_step(hasty.world, dt));
            CHECK_OK(change_substeps(&hasty));
            CHECK_OK(taut_world_step(waiting.world, dt));
            CHECK_OK(taut_world_sync(waiting.world));
            CHECK_OK(change_substeps(&waiting));
        }
        CHECK_OK(taut_world_sync(hasty.world));
        check_same_state(waiting.world, hasty.world);
    }
    subject_close(&waiting);
    subject_close(&hasty);
}

/* ---- refusals at creation ---------------------------------------------------------------------------------------- */

/* An error of the kind that the function gives, and what it has to become. */
static int error_of(cuda_function function, taut_status* status) {
    *status = TAUT_DEVICE_FAULT;
    if (cuda_function_group(function) == CUDA_ALLOCATIONS) {
        *status = TAUT_OUT_OF_MEMORY;
        return cudaErrorMemoryAllocation;
    }
    if (function == CALL_cublasCreate_v2) {
        *status = TAUT_OUT_OF_MEMORY;
        return CUBLAS_STATUS_ALLOC_FAILED;
    }
    return function == CALL_cublasSetStream_v2 ? (int)CUBLAS_STATUS_NOT_INITIALIZED : (int)cudaErrorUnknown;
}

/* The n-th call of a function fails during creation: a status, a sentence, nothing left behind, no kernel out of its
 * place in the step run by mistake, and no trace in the next creation. */
static void check_refusal(subject* s, cuda_function function, size_t n, size_t calls) {
    taut_status expected;
    const int error = error_of(function, &expected);
    if (function == CALL_cudaGetDeviceCount && n == 1) {
        expected = TAUT_BACKEND_UNAVAILABLE;
    }
    cuda_calls_watch();
    cuda_calls_fail(function, n, error);
    const taut_status status = taut_world_create(s->scene, &s->def, &s->world);
    test_note("call %zu of %zu of %s: \"%s\"", n, calls, cuda_function_name(function), taut_last_error());
    CHECK_STATUS(status, expected);
    CHECK(is_one_sentence(taut_last_error()));
    CHECK(s->world == NULL);
    CHECK_INT(cuda_calls_astray(), 0);
    CHECK_INT(cuda_live_total(cuda_calls_live()), 0);
    CHECK_INT(s->host.live, 0);
    CHECK_INT(cudaPeekAtLastError(), cudaSuccess);
    test_note(NULL);
}

/* Queries whose failure changes nothing may be overlooked. */
static bool must_be_noticed(cuda_function function) {
    return cuda_function_group(function) != CUDA_RELEASES && function != CALL_cudaGetDevice &&
           function != CALL_cudaStreamIsCapturing;
}

static void check_refusals(taut_preconditioner preconditioner) {
    subject s;
    size_t calls[CUDA_FUNCTION_COUNT];
    if (!subject_open(&s, quick(preconditioner))) {
        return;
    }
    subject_create(&s); /* CUB asks for some things once per process */
    taut_world_destroy(s.world);
    cuda_calls_watch();
    subject_create(&s);
    for (int f = 0; f < CUDA_FUNCTION_COUNT; f++) {
        calls[f] = cuda_calls_of((cuda_function)f);
    }
    taut_world_destroy(s.world);
    s.world = NULL;
    CHECK_INT(cuda_live_total(cuda_calls_live()), 0);
    for (int f = 0; f < CUDA_FUNCTION_COUNT; f++) {
        for (size_t n = 1; must_be_noticed((cuda_function)f) && n <= calls[f]; n++) {
            check_refusal(&s, (cuda_function)f, n, calls[f]);
        }
    }
    cuda_calls_ignore();
    if (subject_create(&s)) {
        CHECK_OK(taut_world_step(s.world, dt));
        CHECK_OK(taut_world_sync(s.world));
    }
    subject_close(&s);
}

TAUT_CUDA_TEST(calls, refused_at_creation) {
    check_refusals(TAUT_PRECONDITIONER_JACOBI);
    check_refusals(TAUT_PRECONDITIONER_BLOCK);
    check_refusals(TAUT_PRECONDITIONER_CHEBYSHEV);
    check_refusals(TAUT_PRECONDITIONER_MULTILEVEL);
}

/* Ending an invalidated capture into the body of a conditional node crashes the driver: there is none to invalidate. */
TAUT_CUDA_TEST(calls, bodies_of_loops_are_not_captured) {
    subject s;
    if (subject_open(&s, quick(TAUT_PRECONDITIONER_JACOBI))) {
        cuda_calls_watch();
        subject_create(&s);
        CHECK(cuda_calls_of(CALL_cudaGraphConditionalHandleCreate) > 0);
        CHECK_INT(cuda_calls_of(CALL_cudaStreamBeginCaptureToGraph), 0);
    }
    subject_close(&s);
}

/* ---- refusals later ---------------------------------------------------------------------------------------------- */

/* The world after a fault, beside one that had none: nothing happened to it. */
typedef struct pair {
    subject hurt, well;
} pair;

static bool pair_open(pair* p) {
    const taut_world_def def = quick(TAUT_PRECONDITIONER_JACOBI);
    const bool good = subject_open(&p->hurt, def) & subject_open(&p->well, def) && subject_create(&p->hurt) &&
                      subject_create(&p->well) && CHECK_OK(taut_world_step(p->hurt.world, dt)) &&
                      CHECK_OK(taut_world_step(p->well.world, dt)) && CHECK_OK(taut_world_sync(p->hurt.world));
    cuda_calls_watch();
    return good;
}

static void pair_close(pair* p) {
    CHECK_INT(cudaPeekAtLastError(), cudaSuccess); /* told, so not left for the program to find */
    cuda_calls_ignore();
    CHECK_OK(taut_world_step(p->hurt.world, dt));
    CHECK_OK(taut_world_step(p->well.world, dt));
    check_same_state(p->hurt.world, p->well.world);
    CHECK_OK(taut_world_sync(p->hurt.world));
    subject_close(&p->hurt);
    subject_close(&p->well);
}

TAUT_CUDA_TEST(calls, refused_launch_of_the_step) {
    pair p;
    if (pair_open(&p)) {
        taut_step_info info;
        cuda_calls_fail(CALL_cudaGraphLaunch, 1, cudaErrorLaunchOutOfResources);
        REFUSED(taut_world_step(p.hurt.world, dt), TAUT_DEVICE_FAULT);
        cuda_calls_fail(CALL_cudaGraphLaunch, 1, cudaErrorMemoryAllocation);
        REFUSED(taut_world_step(p.hurt.world, dt), TAUT_OUT_OF_MEMORY);
        CHECK_STATUS(taut_world_sync(p.hurt.world), TAUT_OUT_OF_MEMORY);
        CHECK_OK(taut_world_sync(p.hurt.world));
        CHECK_OK(taut_world_info(p.hurt.world, &info));
        CHECK_INT(info.step, 1);
    }
    pair_close(&p);
}

/* Parameters that did not arrive are sent again. */
TAUT_CUDA_TEST(calls, refused_parameters) {
    pair p;
    const double gravity[3] = {0, 3, 0};
    if (pair_open(&p)) {
        CHECK_OK(taut_world_set_gravity(p.hurt.world, gravity));
        CHECK_OK(taut_world_set_gravity(p.well.world, gravity));
        cuda_calls_fail_in(CUDA_LAUNCHES, 1, cudaErrorLaunchOutOfResources);
        REFUSED(taut_world_step(p.hurt.world, dt), TAUT_DEVICE_FAULT);
        CHECK_STATUS(taut_world_sync(p.hurt.world), TAUT_DEVICE_FAULT);
    }
    pair_close(&p);
}

/* A new structure that could not be made is made by the next step. */
TAUT_CUDA_TEST(calls, refused_structure) {
    static const cuda_function stages[] = {CALL_cudaStreamBeginCapture, CALL_cudaGraphAddNode,
                                           CALL_cudaStreamEndCapture, CALL_cudaGraphInstantiate};
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        pair p;
        if (pair_open(&p)) {
            CHECK_OK(change_substeps(&p.hurt));
            CHECK_OK(change_substeps(&p.well));
            cuda_calls_fail(stages[i], 1, cudaErrorUnknown);
            test_note("%s", cuda_function_name(stages[i]));
            CHECK_STATUS(taut_world_step(p.hurt.world, dt), TAUT_DEVICE_FAULT);
            CHECK_INT(cuda_calls_at_once(), 0);
            CHECK_STATUS(taut_world_sync(p.hurt.world), TAUT_DEVICE_FAULT);
        }
        pair_close(&p);
        test_note(NULL);
    }
}

static void check_latched(taut_world* world) {
    REFUSED(taut_world_sync(world), TAUT_DEVICE_FAULT);
    CHECK_OK(taut_world_sync(world));
}

/* Each kernel of an evaluation in turn, its parameters and its report included. */
TAUT_CUDA_TEST(calls, refused_evaluation_is_told_once) {
    for (size_t n = 1; n <= 5; n++) {
        pair p;
        if (pair_open(&p)) {
            taut_array view;
            double x[3];
            CHECK_OK(taut_world_read(p.hurt.world, TAUT_FIELD_POSITIONS, 5, 1, x));
            x[0] += 0.01;
            CHECK_OK(taut_world_write(p.hurt.world, TAUT_FIELD_POSITIONS, 5, 1, x));
            CHECK_OK(taut_world_write(p.well.world, TAUT_FIELD_POSITIONS, 5, 1, x));
            cuda_calls_watch();
            cuda_calls_fail_in(CUDA_LAUNCHES, n, cudaErrorLaunchOutOfResources);
            test_note("kernel %zu", n);
            CHECK_OK(taut_world_view(p.hurt.world, TAUT_FIELD_VIOLATIONS, &view));
            if (cuda_calls_in(CUDA_LAUNCHES) >= n) {
                check_latched(p.hurt.world);
            }
            test_note("kernel %zu", n);
        }
        pair_close(&p);
    }
    test_note(NULL);
}

TAUT_CUDA_TEST(calls, refused_linearisation_is_told_once) {
    pair p;
    if (pair_open(&p)) {
        const size_t m = taut_world_row_count(p.hurt.world);
        double* b = calloc(2 * m, sizeof *b);
        CHECK_OK(taut_world_linearise(p.hurt.world, dt));
        const size_t launches = cuda_calls_in(CUDA_LAUNCHES);
        CHECK(launches > 3);
        CHECK_OK(taut_world_right_hand_side(p.hurt.world, b));
        for (size_t n = 1; n <= launches; n++) {
            test_note("kernel %zu of %zu", n, launches);
            CHECK_OK(taut_world_linearise(p.hurt.world, 2 * dt)); /* so that parameters change, too */
            cuda_calls_fail_in(CUDA_LAUNCHES, n, cudaErrorLaunchOutOfResources);
            CHECK_OK(taut_world_linearise(p.hurt.world, dt));
            check_latched(p.hurt.world);
        }
        CHECK_OK(taut_world_linearise(p.hurt.world, dt));
        CHECK_OK(taut_world_right_hand_side(p.hurt.world, b + m));
        CHECK_NEAR(dense_max_difference(m, b, b + m), 0, 0);
        free(b);
    }
    test_note(NULL);
    pair_close(&p);
}

/* Every copy, launch and wait of an operator in turn. */
static void check_refused_operator(taut_world* world, taut_operator op, const double* in, double* out) {
    static const cuda_group groups[] = {CUDA_COPIES, CUDA_LAUNCHES, CUDA_WAITS};
    for (int g = 0; g < 3; g++) {
        cuda_calls_watch();
        CHECK_OK(taut_world_apply(world, op, in, out));
        const size_t calls = cuda_calls_in(groups[g]);
        CHECK(calls > 0);
        for (size_t n = 1; n <= calls && n <= 12; n++) {
            test_note("operator %d, group %d, call %zu of %zu", (int)op, (int)groups[g], n, calls);
            cuda_calls_fail_in(groups[g], n, cudaErrorUnknown);
            CHECK_STATUS(taut_world_apply(world, op, in, out), TAUT_DEVICE_FAULT);
        }
    }
    cuda_calls_watch();
    test_note(NULL);
}

/* Reading, writing and operators return what their own calls say. */
TAUT_CUDA_TEST(calls, refused_copies) {
    pair p;
    if (pair_open(&p)) {
        taut_world* world = p.hurt.world;
        const size_t size = 3 * taut_world_particle_count(world) + taut_world_row_count(world);
        double* values = calloc(size, 2 * sizeof *values);
        cuda_calls_fail(CALL_cudaMemcpyAsync, 1, cudaErrorUnknown);
        REFUSED(taut_world_read(world, TAUT_FIELD_POSITIONS, 0, 1, values), TAUT_DEVICE_FAULT);
        cuda_calls_fail(CALL_cudaStreamSynchronize, 1, cudaErrorUnknown);
        REFUSED(taut_world_read(world, TAUT_FIELD_POSITIONS, 0, 1, values), TAUT_DEVICE_FAULT);
        cuda_calls_fail(CALL_cudaMemcpyAsync, 1, cudaErrorUnknown);
        REFUSED(taut_world_set_forces(world, 0, 1, values), TAUT_DEVICE_FAULT);
        CHECK_OK(taut_world_set_forces(world, 0, 1, values));
        CHECK_OK(taut_world_linearise(world, dt));
        values[0] = values[size - 1] = 1;
        for (int op = TAUT_OPERATOR_J; op <= TAUT_OPERATOR_G; op++) {
            check_refused_operator(world, (taut_operator)op, values, values + size);
        }
        cuda_calls_fail_in(CUDA_LAUNCHES, 1, cudaErrorUnknown);
        CHECK_STATUS(taut_world_right_hand_side(world, values), TAUT_DEVICE_FAULT);
        cuda_calls_watch();
        CHECK_OK(taut_world_sync(world));
        free(values);
    }
    pair_close(&p);
}

/* What the program's own calls did wrong is none of the world's business. */
TAUT_CUDA_TEST(calls, errors_of_the_program_are_not_the_worlds) {
    pair p;
    const double gravity[3] = {0, 3, 0};
    if (pair_open(&p)) {
        CHECK_OK(taut_world_set_gravity(p.hurt.world, gravity));
        CHECK_OK(taut_world_set_gravity(p.well.world, gravity));
        CHECK(cudaMemcpy(NULL, NULL, 1, (enum cudaMemcpyKind)77) != cudaSuccess);
        CHECK_OK(taut_world_step(p.hurt.world, dt));
        CHECK_OK(taut_world_step(p.well.world, dt));
        CHECK(cudaGetLastError() != cudaSuccess);
        CHECK(cudaMemcpy(NULL, NULL, 1, (enum cudaMemcpyKind)77) != cudaSuccess);
        taut_world_destroy(p.hurt.world);
        p.hurt.world = NULL;
        subject_create(&p.hurt); /* creation may take the error away, but not for its own */
        cudaGetLastError();
        CHECK_OK(taut_world_set_gravity(p.hurt.world, gravity));
        taut_world_destroy(p.well.world);
        subject_create(&p.well);
        CHECK_OK(taut_world_set_gravity(p.well.world, gravity));
    }
    pair_close(&p);
}

/* ---- machines without a device ------------------------------------------------------------------------------------
 */

typedef struct message {
    char text[256];
} message;

static void keep_message(taut_log_level level, const char* text, void* user) {
    message* m = user;
    (void)level;
    strncat(m->text, text, sizeof m->text - strlen(m->text) - 1);
}

/* `auto` makes do with the CPU and says so; `cuda` is refused. */
static void check_without_device(const char* why) {
    oracle_scene scene = {0};
    taut_world_def def = taut_default_world();
    taut_world* world = NULL;
    message log = {""};
    taut_device_info info;
    const cudaError_t before = cudaPeekAtLastError(); /* without a driver never cudaSuccess */
    scene_mixed(&scene, 1e-4, 0.01);
    def.log = keep_message;
    def.log_user = &log;
    test_note("%s", why);
    CHECK_OK(oracle_scene_world(&scene, &def, &world));
    CHECK_TEXT(taut_world_backend(world), "cpu");
    CHECK(strstr(log.text, "cpu") != NULL);
    CHECK_OK(taut_world_step(world, dt));
    taut_world_destroy(world);
    world = NULL;
    def.backend = TAUT_BACKEND_CUDA;
    REFUSED(oracle_scene_world(&scene, &def, &world), TAUT_BACKEND_UNAVAILABLE);
    test_note("%s: \"%s\"", why, taut_last_error());
    CHECK(strstr(taut_last_error(), why) != NULL);
    CHECK(world == NULL);
    CHECK_STATUS(taut_backend_available(TAUT_BACKEND_CUDA), TAUT_BACKEND_UNAVAILABLE);
    CHECK_OK(taut_backend_available(TAUT_BACKEND_AUTO));
    CHECK_INT(taut_cuda_device_count(), 0);
    CHECK_STATUS(taut_cuda_device_describe(0, &info), TAUT_INVALID_ARGUMENT);
    CHECK_INT(cudaPeekAtLastError(), before);
    test_note(NULL);
    oracle_scene_free(&scene);
}

TAUT_PLAIN_TEST(calls, no_device) {
    static const cudaError_t errors[2] = {cudaErrorInsufficientDriver, cudaErrorNoDevice};
    for (int i = 0; i < 2; i++) {
        cuda_calls_watch();
        cuda_calls_fail(CALL_cudaGetDeviceCount, CUDA_EVERY_CALL, errors[i]);
        check_without_device(cudaGetErrorString(errors[i]));
    }
    cuda_calls_watch();
    cuda_calls_devices(0);
    check_without_device("no device");
    cuda_calls_ignore();
}

/* `auto` makes do with the CPU where the step cannot become a graph, and says why; `cuda` does not. */
TAUT_CUDA_TEST(calls, auto_does_without_a_graph) {
    static const cuda_function stages[] = {CALL_cudaStreamBeginCapture, CALL_cudaGraphAddNode,
                                           CALL_cudaStreamEndCapture, CALL_cudaGraphInstantiate};
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        subject s;
        message log = {""};
        taut_world_def def = quick(TAUT_PRECONDITIONER_JACOBI);
        def.backend = TAUT_BACKEND_AUTO;
        def.log = keep_message;
        def.log_user = &log;
        test_note("%s", cuda_function_name(stages[i]));
        if (subject_open(&s, def)) {
            cuda_calls_watch();
            cuda_calls_fail(stages[i], 1, cudaErrorNotSupported);
            if (subject_create(&s)) {
                CHECK_TEXT(taut_world_backend(s.world), "cpu");
                CHECK(strstr(log.text, "backend: cpu") != NULL && strstr(log.text, "CUDA: ") != NULL);
                CHECK(strstr(log.text, "backend: cuda") == NULL);
                CHECK_INT(cuda_live_total(cuda_calls_live()), 0);
                CHECK_INT(cudaPeekAtLastError(), cudaSuccess);
                CHECK_OK(taut_world_step(s.world, dt));
            }
            taut_world_destroy(s.world);
            s.world = NULL;
            s.def.backend = TAUT_BACKEND_CUDA;
            cuda_calls_fail(stages[i], 1, cudaErrorNotSupported);
            REFUSED(taut_world_create(s.scene, &s.def, &s.world), TAUT_DEVICE_FAULT);
        }
        subject_close(&s);
    }
    test_note(NULL);
}

/* cuBLAS is asked for by the operator that needs it: a refusal ends that call alone. */
TAUT_CUDA_TEST(calls, cublas_is_opened_when_it_is_needed) {
    const cuda_function opening[2] = {CALL_cublasCreate_v2, CALL_cublasSetStream_v2};
    const taut_status expected[2] = {TAUT_OUT_OF_MEMORY, TAUT_DEVICE_FAULT};
    subject s;
    if (!subject_open(&s, quick(TAUT_PRECONDITIONER_JACOBI))) {
        return;
    }
    cuda_calls_watch();
    if (subject_create(&s) && CHECK_OK(taut_world_step(s.world, dt)) && CHECK_OK(taut_world_linearise(s.world, dt))) {
        CHECK_INT(cuda_calls_of(CALL_cublasCreate_v2), 0);
        const size_t size = 3 * s.description.particle_count;
        double* v = calloc(2 * size, sizeof *v);
        for (int i = 0; i < 2; i++) {
            cuda_calls_fail(opening[i], 1, error_of(opening[i], &(taut_status){TAUT_OK}));
            REFUSED(taut_world_apply(s.world, TAUT_OPERATOR_A_INVERSE, v, v + size), expected[i]);
            CHECK_INT(cuda_calls_live().handles, 0);
        }
        CHECK_OK(taut_world_apply(s.world, TAUT_OPERATOR_A_INVERSE, v, v + size));
        CHECK_OK(taut_world_apply(s.world, TAUT_OPERATOR_A_INVERSE, v, v + size));
        CHECK_INT(cuda_calls_live().handles, 1);
        CHECK_INT(cuda_calls_of(CALL_cublasCreate_v2), 3); /* refused, without a stream, kept */
        free(v);
    }
    taut_world_destroy(s.world);
    s.world = NULL;
    CHECK_INT(cuda_live_total(cuda_calls_live()), 0);
    subject_close(&s);
}

/* A device that does not exist is refused before anything is made. */
TAUT_CUDA_TEST(calls, device_out_of_range) {
    subject s;
    int count = 0;
    taut_device_info info;
    CHECK_INT(cudaGetDeviceCount(&count), cudaSuccess);
    if (subject_open(&s, quick(TAUT_PRECONDITIONER_JACOBI))) {
        const int wrong[2] = {count, count + 1000};
        for (int i = 0; i < 2; i++) {
            s.def.cuda_device = wrong[i];
            cuda_calls_watch();
            REFUSED(taut_world_create(s.scene, &s.def, &s.world), TAUT_BACKEND_UNAVAILABLE);
            CHECK_INT(cuda_calls_in(CUDA_ALLOCATIONS) + cuda_calls_in(CUDA_CREATIONS), 0);
            CHECK(s.world == NULL);
            INVALID(taut_cuda_device_describe(wrong[i], &info));
        }
        s.def.cuda_device = -2;
        INVALID(taut_world_create(s.scene, &s.def, &s.world));
        s.def.cuda_device = count - 1;
        subject_create(&s);
        CHECK_OK(taut_world_step(s.world, dt));
    }
    INVALID(taut_cuda_device_describe(-1, &info));
    CHECK_OK(taut_cuda_device_describe(count - 1, &info));
    CHECK(info.name[0] != '\0' && info.memory > 0 && info.multiprocessors > 0 && info.major > 0);
    CHECK_INT(taut_cuda_device_count(), count);
    subject_close(&s);
}
