/* Worlds on a stream of the user's: order without waits, steps in graphs of the user's, and reports by poll. */
#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_calls.h"
#include "dense_matrix.h"
#include "refused.h"
#include "scene_graph.h"
#include "small_scenes.h"

static const double dt = 0.01;

#define REQUIRE_CUDA(call) CHECK_INT(call, cudaSuccess)

/* ---- worlds ----------------------------------------------------------------------------------------------------- */

/* One world on a stream of the user's, and one of the same scene that is stepped plainly. */
typedef struct setup {
    oracle_scene scene;
    scene_graph graph; /* behind that, where it was asked for */
    taut_world_def def;
    cudaStream_t stream;
    taut_world *world, *plain;
    size_t particles, frames, rows;
} setup;

static bool create_worlds(setup* s, const taut_scene* scene) {
    if (!CHECK_OK(taut_world_create(scene, &s->def, &s->plain))) {
        return false;
    }
    s->def.cuda_stream = s->stream;
    s->particles = taut_world_particle_count(s->plain);
    s->frames = taut_world_frame_count(s->plain);
    s->rows = taut_world_row_count(s->plain);
    return CHECK_OK(taut_world_create(scene, &s->def, &s->world));
}

/* Accurate enough for a sensible motion; the two worlds have the same bits in any case. `graph`: with bodies, joints,
 * rods and mapped points. */
static bool setup_open_reserving(setup* s, bool graph, taut_reserve reserve) {
    taut_scene* scene = NULL;
    *s = (setup){.def = taut_default_world()};
    s->def.reserve = reserve;
    s->def.backend = TAUT_BACKEND_CUDA;
    s->def.solver.max_iterations = 30;
    scene_mixed(&s->scene, 1e-4, 0.01);
    REQUIRE_CUDA(cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking));
    const bool good = CHECK_OK(oracle_scene_build(&s->scene, &scene)) &&
                      (!graph || CHECK_OK(scene_graph_add(scene, &s->graph))) && create_worlds(s, scene);
    taut_scene_destroy(scene);
    return good;
}

static bool setup_open_with(setup* s, bool graph) {
    return setup_open_reserving(s, graph, (taut_reserve){0});
}

static bool setup_open(setup* s) {
    return setup_open_with(s, false);
}

static void setup_close(setup* s) {
    taut_world_destroy(s->world);
    taut_world_destroy(s->plain);
    REQUIRE_CUDA(cudaStreamDestroy(s->stream));
    oracle_scene_free(&s->scene);
    test_note(NULL);
}

static void check_same_field(const setup* s, taut_field field, size_t count) {
    double *a = calloc(8 * count + 1, sizeof *a), *b = a + 4 * count;
    CHECK_OK(taut_world_read(s->world, field, 0, count, a));
    CHECK_OK(taut_world_read(s->plain, field, 0, count, b));
    CHECK_NEAR(dense_max_difference(4 * count, a, b), 0, 0);
    free(a);
}

/* Bit for bit: state, multipliers, violations and what is reported. */
static void check_same(const setup* s) {
    taut_step_info a, b;
    CHECK_OK(taut_world_info(s->world, &a));
    CHECK_OK(taut_world_info(s->plain, &b));
    CHECK_INT(a.step, b.step);
    CHECK_NEAR(a.time, b.time, 0);
    CHECK_INT(a.iterations, b.iterations);
    CHECK_NEAR(a.residual, b.residual, 0);
    CHECK_NEAR(a.elastic, b.elastic, 0);
    CHECK_NEAR(dense_max_difference(TAUT_KIND_COUNT, a.max_violation, b.max_violation), 0, 0);
    check_same_field(s, TAUT_FIELD_POSITIONS, s->particles);
    check_same_field(s, TAUT_FIELD_VELOCITIES, s->particles);
    check_same_field(s, TAUT_FIELD_ORIENTATIONS, s->frames);
    check_same_field(s, TAUT_FIELD_ANGULAR_VELOCITIES, s->frames);
    check_same_field(s, TAUT_FIELD_MULTIPLIERS, s->rows);
    check_same_field(s, TAUT_FIELD_VIOLATIONS, s->rows);
}

static void step_plainly(const setup* s, int steps) {
    for (int k = 0; k < steps; k++) {
        CHECK_OK(taut_world_step(s->plain, dt));
    }
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

enum { COPIES = 4 };

/* The user's copies stand between the steps of the world without a wait of anybody's. */
TAUT_CUDA_TEST(streams, the_users_work_stands_between_the_steps) {
    setup s;
    taut_array view;
    if (setup_open(&s) && CHECK_OK(taut_world_view(s.world, TAUT_FIELD_POSITIONS, &view))) {
        const size_t count = 3 * s.particles, bytes = count * sizeof(double);
        double *copies = NULL, *x = calloc(count, sizeof *x);
        CHECK(view.on_device && view.stride == 3 * sizeof(double));
        REQUIRE_CUDA(cudaMallocHost((void**)&copies, COPIES * bytes));
        memset(copies, 0xFF, COPIES * bytes);
        cuda_calls_watch();
        for (int k = 0; k < COPIES; k++) {
            CHECK_OK(taut_world_step(s.world, dt));
            REQUIRE_CUDA(cudaMemcpyAsync(copies + k * count, view.data, bytes, cudaMemcpyDeviceToHost, s.stream));
        }
        CHECK_INT(cuda_calls_in(CUDA_WAITS), 0);
        cuda_calls_ignore();
        REQUIRE_CUDA(cudaStreamSynchronize(s.stream));
        for (int k = 0; k < COPIES; k++) {
            test_note("step %d", k);
            CHECK_OK(taut_world_step(s.plain, dt));
            CHECK_OK(taut_world_read(s.plain, TAUT_FIELD_POSITIONS, 0, s.particles, x));
            CHECK_NEAR(dense_max_difference(count, copies + k * count, x), 0, 0);
        }
        check_same(&s);
        REQUIRE_CUDA(cudaFreeHost(copies));
        free(x);
    }
    setup_close(&s);
}

/* Work that the user waits for through an event sees the step that precedes it, on any stream. */
TAUT_CUDA_TEST(streams, events_wait_for_steps) {
    setup s;
    taut_array view;
    if (setup_open(&s) && CHECK_OK(taut_world_view(s.world, TAUT_FIELD_VELOCITIES, &view))) {
        const size_t bytes = 3 * s.particles * sizeof(double);
        double *copy = NULL, *v = calloc(3 * s.particles, sizeof *v);
        cudaStream_t other;
        cudaEvent_t stepped;
        REQUIRE_CUDA(cudaMallocHost((void**)&copy, bytes));
        REQUIRE_CUDA(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
        REQUIRE_CUDA(cudaEventCreateWithFlags(&stepped, cudaEventDisableTiming));
        CHECK_OK(taut_world_step(s.world, dt));
        REQUIRE_CUDA(cudaEventRecord(stepped, s.stream));
        REQUIRE_CUDA(cudaStreamWaitEvent(other, stepped, 0));
        REQUIRE_CUDA(cudaMemcpyAsync(copy, view.data, bytes, cudaMemcpyDeviceToHost, other));
        REQUIRE_CUDA(cudaStreamSynchronize(other));
        CHECK_OK(taut_world_read(s.world, TAUT_FIELD_VELOCITIES, 0, s.particles, v));
        CHECK_NEAR(dense_max_difference(3 * s.particles, copy, v), 0, 0);
        CHECK(dense_max(3 * s.particles, v) > 0);
        REQUIRE_CUDA(cudaEventDestroy(stepped));
        REQUIRE_CUDA(cudaStreamDestroy(other));
        REQUIRE_CUDA(cudaFreeHost(copy));
        free(v);
    }
    setup_close(&s);
}

/* ---- steps in the user's graph ----------------------------------------------------------------------------------- */

/* A graph of `steps` steps of the world. */
static cudaGraphExec_t capture(const setup* s, int steps, cudaGraph_t* source) {
    cudaGraphExec_t graph = NULL;
    CHECK_OK(taut_world_sync(s->world));
    REQUIRE_CUDA(cudaStreamBeginCapture(s->stream, cudaStreamCaptureModeGlobal));
    for (int k = 0; k < steps; k++) {
        CHECK_OK(taut_world_step(s->world, dt));
    }
    REQUIRE_CUDA(cudaStreamEndCapture(s->stream, source));
    REQUIRE_CUDA(cudaGraphInstantiate(&graph, *source, 0));
    return graph;
}

static void launch(const setup* s, cudaGraphExec_t graph, int steps) {
    REQUIRE_CUDA(cudaGraphLaunch(graph, s->stream));
    CHECK_OK(taut_world_note_steps(s->world, (uint64_t)steps));
}

static void drop(cudaGraphExec_t graph, cudaGraph_t source) {
    REQUIRE_CUDA(cudaGraphExecDestroy(graph));
    REQUIRE_CUDA(cudaGraphDestroy(source));
}

/* A captured step runs only when its graph does; then it is a step like any other. */
static void check_captured(int steps, uint32_t substeps, bool bodies) {
    setup s;
    if (setup_open_with(&s, bodies)) {
        taut_integrator integrator = s.def.integrator;
        taut_step_info info;
        cudaGraph_t source = NULL;
        integrator.substeps = substeps;
        CHECK_OK(taut_world_set_integrator(s.world, &integrator));
        CHECK_OK(taut_world_set_integrator(s.plain, &integrator));
        CHECK_OK(taut_world_step(s.world, dt));
        step_plainly(&s, 1);
        const cudaGraphExec_t graph = capture(&s, steps, &source);
        CHECK_OK(taut_world_info(s.world, &info));
        CHECK_INT(info.step, 1);
        check_same(&s);
        for (int k = 0; k < 3; k++) {
            launch(&s, graph, steps);
        }
        step_plainly(&s, 3 * steps);
        check_same(&s);
        CHECK_OK(taut_world_step(s.world, dt)); /* plain steps and launches may alternate */
        launch(&s, graph, steps);
        step_plainly(&s, steps + 1);
        check_same(&s);
        CHECK_OK(taut_world_sync(s.world));
        drop(graph, source);
    }
    setup_close(&s);
}

TAUT_CUDA_TEST(streams, a_captured_step_is_a_step) {
    check_captured(1, 1, false);
}
TAUT_CUDA_TEST(streams, three_captured_steps_are_three_steps) {
    check_captured(3, 1, false);
}
TAUT_CUDA_TEST(streams, captured_substeps_are_substeps) {
    check_captured(1, 2, false);
}
TAUT_CUDA_TEST(streams, a_captured_step_of_bodies_is_a_step) {
    check_captured(1, 1, true);
}

/* A capture leaves alone the step of graphs that were captured before, which may still run. */
TAUT_CUDA_TEST(streams, a_captured_step_keeps_its_time) {
    setup s;
    if (setup_open(&s)) {
        taut_step_info info;
        cudaGraph_t first = NULL, second = NULL;
        const cudaGraphExec_t graph = capture(&s, 1, &first);
        REQUIRE_CUDA(cudaStreamBeginCapture(s.stream, cudaStreamCaptureModeGlobal));
        CHECK_OK(taut_world_step(s.world, dt / 4));
        REQUIRE_CUDA(cudaStreamEndCapture(s.stream, &second));
        launch(&s, graph, 1);
        step_plainly(&s, 1);
        CHECK_OK(taut_world_info(s.world, &info));
        CHECK_NEAR(info.time, dt, 1e-15);
        check_same(&s);
        drop(graph, first);
        REQUIRE_CUDA(cudaGraphDestroy(second));
    }
    setup_close(&s);
}

/* The graph holds steps and other work of the user's, and the stream's own order stands in it. */
TAUT_CUDA_TEST(streams, captured_steps_stand_between_the_users_work) {
    setup s;
    taut_array view;
    if (setup_open(&s) && CHECK_OK(taut_world_view(s.world, TAUT_FIELD_POSITIONS, &view))) {
        const size_t count = 3 * s.particles, bytes = count * sizeof(double);
        double *copies = NULL, *x = calloc(count, sizeof *x);
        cudaGraph_t source = NULL;
        cudaGraphExec_t graph = NULL;
        REQUIRE_CUDA(cudaMallocHost((void**)&copies, 3 * bytes));
        CHECK_OK(taut_world_sync(s.world));
        REQUIRE_CUDA(cudaStreamBeginCapture(s.stream, cudaStreamCaptureModeRelaxed));
        for (int k = 0; k < 3; k++) {
            REQUIRE_CUDA(cudaMemcpyAsync(copies + k * count, view.data, bytes, cudaMemcpyDeviceToHost, s.stream));
            CHECK_OK(taut_world_step(s.world, dt));
        }
        REQUIRE_CUDA(cudaStreamEndCapture(s.stream, &source));
        REQUIRE_CUDA(cudaGraphInstantiate(&graph, source, 0));
        launch(&s, graph, 3);
        REQUIRE_CUDA(cudaStreamSynchronize(s.stream));
        for (int k = 0; k < 3; k++) {
            CHECK_OK(taut_world_read(s.plain, TAUT_FIELD_POSITIONS, 0, s.particles, x));
            CHECK_NEAR(dense_max_difference(count, copies + k * count, x), 0, 0);
            step_plainly(&s, 1);
        }
        check_same(&s);
        drop(graph, source);
        REQUIRE_CUDA(cudaFreeHost(copies));
        free(x);
    }
    setup_close(&s);
}

/* ---- changes between launches ------------------------------------------------------------------------------------ */

static void set_gravity(const setup* s, taut_world* world) {
    const double gravity[3] = {1, -5, 2};
    (void)s;
    CHECK_OK(taut_world_set_gravity(world, gravity));
}

static void set_solver(const setup* s, taut_world* world) {
    taut_solver solver = s->def.solver;
    solver.max_iterations = 7;
    CHECK_OK(taut_world_set_solver(world, &solver));
}

static void set_alpha(const setup* s, taut_world* world) {
    taut_integrator integrator = s->def.integrator;
    integrator.alpha = 0.7;
    integrator.hard_row_damping = 1;
    CHECK_OK(taut_world_set_integrator(world, &integrator));
}

static void set_forces(const setup* s, taut_world* world) {
    const double forces[6] = {0.3, 0.2, 0.1, -0.1, 0.5, 0};
    (void)s;
    CHECK_OK(taut_world_set_forces(world, 6, 2, forces));
}

static void set_constraints(const setup* s, taut_world* world) {
    const taut_batch batch = s->scene.constraints[0].batch;
    const double softer[2] = {1e-3, 2e-3}, slower[2] = {0.1, 0.2}, longer[2] = {0.11, 0.12};
    CHECK_OK(taut_world_set_compliances(world, batch, 0, 2, softer));
    CHECK_OK(taut_world_set_dampings(world, batch, 2, 2, slower));
    CHECK_OK(taut_world_set_rest_values(world, batch, 4, 2, longer));
}

static void set_goals(const setup* s, taut_world* world) {
    const uint32_t corners[2] = {0, 3};
    const double goals[6] = {0.02, 0.01, 0, 0.29, 0, 0.03};
    (void)s;
    CHECK_OK(taut_world_move_fixed(world, 2, corners, goals));
}

static void set_turns(const setup* s, taut_world* world) {
    const uint32_t corners[2] = {0, 3};
    const double goals[6] = {0.02, 0, 0.01, 0.29, 0.03, 0}, rotation[3] = {1, 0.2, 0}, centre[3] = {0.1, 0.1, 0};
    (void)s;
    CHECK_OK(taut_world_turn_fixed(world, 2, corners, goals, rotation, centre));
}

static void set_targets(const setup* s, taut_world* world) {
    CHECK_OK(oracle_scene_drive(&s->scene, world, dt));
}

static void set_fixed(const setup* s, taut_world* world) {
    const uint32_t particle = 9;
    (void)s;
    CHECK_OK(taut_world_set_fixed(world, 1, &particle, true));
}

static void set_positions(const setup* s, taut_world* world) {
    double x[6];
    CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, 5, 2, x));
    x[0] += 0.02;
    x[5] -= 0.01;
    (void)s;
    CHECK_OK(taut_world_write(world, TAUT_FIELD_POSITIONS, 5, 2, x));
}

static void set_velocities(const setup* s, taut_world* world) {
    const double v[3] = {0.5, 0, -0.5};
    (void)s;
    CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, 10, 1, v));
}

static void set_torques(const setup* s, taut_world* world) {
    const double torques[6] = {0.3, 0, 0.1, -0.1, 0.2, 0};
    CHECK_OK(taut_world_set_torques(world, s->graph.bodies.frames.first + GRAPH_TIP, 2, torques));
}

static void set_mapped_forces(const setup* s, taut_world* world) {
    const double force[3] = {0.3, 1, 0};
    CHECK_OK(taut_world_set_forces(world, s->graph.skinned.first, 1, force));
    CHECK_OK(taut_world_set_forces(world, s->graph.passive_on_passive.first, 1, force));
}

static void set_drives(const setup* s, taut_world* world) {
    const double turns[3] = {0.1, -0.1, 0.05};
    CHECK_OK(taut_world_move_targets(world, s->graph.joints[TAUT_JOINT_HINGE].drive, 0, 2, turns));
    CHECK_OK(taut_world_move_targets(world, s->graph.joints[TAUT_JOINT_SLIDER].drive, 1, 1, turns));
    CHECK_OK(taut_world_move_targets(world, s->graph.rod.bends, 1, 1, turns));
}

static void set_frame_goals(const setup* s, taut_world* world) {
    const uint32_t held = s->graph.bodies.frames.first + GRAPH_HELD;
    const double goal[4] = {1, 0.1, 0.2, 0};
    CHECK_OK(taut_world_move_fixed_frames(world, 1, &held, goal));
}

static void set_fixed_frames(const setup* s, taut_world* world) {
    const uint32_t spun = s->graph.bodies.frames.first + GRAPH_SPUN;
    CHECK_OK(taut_world_set_frames_fixed(world, 1, &spun, true));
}

static void set_orientations(const setup* s, taut_world* world) {
    double q[4];
    const uint32_t frame = s->graph.bodies.frames.first + GRAPH_SWINGING;
    CHECK_OK(taut_world_read(world, TAUT_FIELD_ORIENTATIONS, frame, 1, q));
    q[1] += 0.05;
    CHECK_OK(taut_world_write(world, TAUT_FIELD_ORIENTATIONS, frame, 1, q));
}

static void set_angular_velocities(const setup* s, taut_world* world) {
    const double omega[3] = {0.5, 0, -0.5};
    CHECK_OK(taut_world_write(world, TAUT_FIELD_ANGULAR_VELOCITIES, s->graph.bodies.frames.first, 1, omega));
}

typedef struct change {
    const char* name;
    void (*make)(const setup* s, taut_world* world);
} change;

static const change changes[] = {{"gravity", set_gravity},      {"solver", set_solver},
                                 {"alpha", set_alpha},          {"forces", set_forces},
                                 {"goals", set_goals},          {"turns", set_turns},
                                 {"targets", set_targets},      {"constraints", set_constraints},
                                 {"fixed", set_fixed},          {"positions", set_positions},
                                 {"velocities", set_velocities}};
enum { CHANGES = sizeof changes / sizeof *changes };

static const change graph_changes[] = {{"torques", set_torques},
                                       {"forces on mapped points", set_mapped_forces},
                                       {"drives", set_drives},
                                       {"goals of frames", set_frame_goals},
                                       {"fixed frames", set_fixed_frames},
                                       {"orientations", set_orientations},
                                       {"angular velocities", set_angular_velocities}};
enum { GRAPH_CHANGES = sizeof graph_changes / sizeof *graph_changes };

/* What is held and linked of each world. */
static taut_added grabbed[2], linked[2];

static uint32_t free_particle(const setup* s, uint32_t skipped) {
    uint32_t i = 0;
    while (s->scene.particles[i].fixed || skipped-- > 0) {
        i++;
    }
    return i;
}

static void set_grab(const setup* s, taut_world* world) {
    const uint32_t point = free_particle(s, 0);
    double goal[3];
    CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, point, 1, goal));
    goal[1] += 0.01;
    CHECK_OK(taut_world_grab(world, point, goal, 1e-4, &grabbed[world == s->plain]));
}

static void set_link(const setup* s, taut_world* world) {
    const uint32_t pair[2] = {free_particle(s, 1), free_particle(s, 3)};
    taut_distance_def def = taut_default_distance();
    def.count = 1;
    def.particles = pair;
    def.compliance = 1e-3;
    CHECK_OK(taut_world_add_distances(world, &def, &linked[world == s->plain]));
}

static void set_cut(const setup* s, taut_world* world) {
    (void)s;
    CHECK_OK(taut_world_set_present(world, (taut_batch){1}, 0, 2, false));
}

static void set_free(const setup* s, taut_world* world) {
    CHECK_OK(taut_world_release(world, &grabbed[world == s->plain]));
    CHECK_OK(taut_world_remove(world, 1, &linked[world == s->plain]));
    CHECK_OK(taut_world_set_present(world, (taut_batch){1}, 0, 2, true));
}

static const change added_changes[] = {
    {"grab", set_grab}, {"drag", set_grab}, {"link", set_link}, {"cut", set_cut}, {"release", set_free}};
enum { ADDED_CHANGES = sizeof added_changes / sizeof *added_changes };

/* Two launches after each change, so that goals are reached and left behind; no wait but those of the changes. */
static void check_changes(const change* made, int count, bool graph_scene) {
    setup s;
    const taut_reserve room = {.targets = 2, .distances = 2};
    if (setup_open_reserving(&s, graph_scene, made == added_changes ? room : (taut_reserve){0})) {
        cudaGraph_t source = NULL;
        const cudaGraphExec_t graph = capture(&s, 1, &source);
        launch(&s, graph, 1);
        step_plainly(&s, 1);
        for (int i = 0; i < count; i++) {
            test_note("%s", made[i].name);
            made[i].make(&s, s.world);
            made[i].make(&s, s.plain);
            for (int k = 0; k < 2; k++) {
                launch(&s, graph, 1);
                step_plainly(&s, 1);
            }
            if (i == 5 || i + 1 == count) { /* not after each: reports tell the world where it stands */
                check_same(&s);
            }
        }
        drop(graph, source);
    }
    setup_close(&s);
}

TAUT_CUDA_TEST(streams, changes_reach_a_captured_step) {
    check_changes(changes, CHANGES, false);
}
TAUT_CUDA_TEST(streams, changes_of_bodies_reach_a_captured_step) {
    check_changes(graph_changes, GRAPH_CHANGES, true);
}

TAUT_CUDA_TEST(streams, added_constraints_reach_a_captured_step) {
    memset(grabbed, 0, sizeof grabbed);
    memset(linked, 0, sizeof linked);
    check_changes(added_changes, ADDED_CHANGES, false);
}

/* A step of another length or structure between launches leaves the graph what it was. */
TAUT_CUDA_TEST(streams, other_steps_leave_the_graph_alone) {
    setup s;
    if (setup_open(&s)) {
        cudaGraph_t source = NULL;
        taut_integrator integrator = s.def.integrator;
        const cudaGraphExec_t graph = capture(&s, 1, &source);
        launch(&s, graph, 1);
        step_plainly(&s, 1);
        integrator.substeps = 2;
        CHECK_OK(taut_world_step(s.world, 0.3 * dt));
        CHECK_OK(taut_world_step(s.plain, 0.3 * dt));
        CHECK_OK(taut_world_set_integrator(s.world, &integrator));
        CHECK_OK(taut_world_set_integrator(s.plain, &integrator));
        CHECK_OK(taut_world_step(s.world, dt));
        step_plainly(&s, 1);
        CHECK_OK(taut_world_set_integrator(s.plain, &s.def.integrator));
        launch(&s, graph, 1);
        step_plainly(&s, 1);
        check_same(&s);
        drop(graph, source);
    }
    setup_close(&s);
}

/* ---- what may not be captured ------------------------------------------------------------------------------------ */

static void check_refused_parameters(const setup* s) {
    const taut_batch batch = s->scene.constraints[0].batch;
    const double values[6] = {1, 1, 1, 1, 1, 1};
    const uint32_t top = 0;
    taut_batch targets = {0};
    for (size_t i = 0; i < s->scene.constraint_count; i++) {
        targets = s->scene.constraints[i].kind == TAUT_TARGET ? s->scene.constraints[i].batch : targets;
    }
    INVALID(taut_world_set_gravity(s->world, values));
    INVALID(taut_world_set_integrator(s->world, &s->def.integrator));
    INVALID(taut_world_set_solver(s->world, &s->def.solver));
    INVALID(taut_world_set_forces(s->world, 0, 1, values));
    INVALID(taut_world_set_fixed(s->world, 1, &top, true));
    INVALID(taut_world_move_fixed(s->world, 1, &top, values));
    INVALID(taut_world_move_targets(s->world, targets, 0, 1, values));
    INVALID(taut_world_set_compliances(s->world, batch, 0, 1, values));
    INVALID(taut_world_set_dampings(s->world, batch, 0, 1, values));
    INVALID(taut_world_set_rest_values(s->world, batch, 0, 1, values));
}

/* Everything but steps and questions of size. */
static void check_refused(const setup* s, double* in, double* out) {
    taut_step_info info;
    taut_array view;
    taut_range rows;
    for (int f = 0; f < TAUT_FIELD_COUNT; f++) {
        INVALID(taut_world_view(s->world, (taut_field)f, &view));
        INVALID(taut_world_read(s->world, (taut_field)f, 0, 1, out));
    }
    INVALID(taut_world_write(s->world, TAUT_FIELD_POSITIONS, 0, 1, in));
    INVALID(taut_world_write(s->world, TAUT_FIELD_VELOCITIES, 0, 1, in));
    INVALID(taut_world_sync(s->world));
    INVALID(taut_world_info(s->world, &info));
    INVALID(taut_world_linearise(s->world, dt));
    for (int op = TAUT_OPERATOR_J; op <= TAUT_OPERATOR_G; op++) {
        INVALID(taut_world_apply(s->world, (taut_operator)op, in, out));
    }
    INVALID(taut_world_right_hand_side(s->world, out));
    CHECK_INT(taut_world_particle_count(s->world), s->particles);
    CHECK_INT(taut_world_row_count(s->world), s->rows);
    CHECK_OK(taut_world_batch_rows(s->world, s->scene.constraints[0].batch, &rows));
    check_refused_parameters(s);
}

/* The same of frames. */
static void check_refused_frames(const setup* s, const double* in) {
    const uint32_t held = s->graph.bodies.frames.first + GRAPH_HELD;
    INVALID(taut_world_set_torques(s->world, held, 1, in));
    INVALID(taut_world_set_frames_fixed(s->world, 1, &held, true));
    INVALID(taut_world_move_fixed_frames(s->world, 1, &held, in));
    INVALID(taut_world_move_targets(s->world, s->graph.rod.bends, 0, 1, in));
    INVALID(taut_world_write(s->world, TAUT_FIELD_ORIENTATIONS, held, 1, in));
    INVALID(taut_world_write(s->world, TAUT_FIELD_ANGULAR_VELOCITIES, held, 1, in));
}

TAUT_CUDA_TEST(streams, only_steps_of_bodies_are_captured) {
    setup s;
    if (setup_open_with(&s, true)) {
        const double values[4] = {1, 0, 0, 0};
        cudaGraph_t source = NULL;
        cudaGraphExec_t graph = NULL;
        CHECK_OK(taut_world_sync(s.world));
        REQUIRE_CUDA(cudaStreamBeginCapture(s.stream, cudaStreamCaptureModeGlobal));
        check_refused_frames(&s, values);
        CHECK_OK(taut_world_step(s.world, dt));
        REQUIRE_CUDA(cudaStreamEndCapture(s.stream, &source));
        REQUIRE_CUDA(cudaGraphInstantiate(&graph, source, 0));
        launch(&s, graph, 1);
        step_plainly(&s, 1);
        check_same(&s);
        drop(graph, source);
    }
    setup_close(&s);
}

static void check_no_world(setup* s) {
    taut_world* other = NULL;
    INVALID(oracle_scene_world(&s->scene, &s->def, &other));
    CHECK(other == NULL);
}

/* Refused calls change nothing and leave the capture valid, however strict it is. */
TAUT_CUDA_TEST(streams, only_steps_are_captured) {
    for (int mode = cudaStreamCaptureModeGlobal; mode <= cudaStreamCaptureModeRelaxed; mode++) {
        setup s;
        if (setup_open(&s)) {
            const size_t size = 3 * s.particles + s.rows;
            double* values = calloc(size, 2 * sizeof *values);
            cudaGraph_t source = NULL;
            cudaGraphExec_t graph = NULL;
            test_note("mode %d", mode);
            CHECK_OK(taut_world_linearise(s.world, dt)); /* operators would be possible */
            CHECK_OK(taut_world_sync(s.world));
            REQUIRE_CUDA(cudaStreamBeginCapture(s.stream, (enum cudaStreamCaptureMode)mode));
            check_refused(&s, values, values + size);
            check_no_world(&s);
            CHECK_OK(taut_world_step(s.world, dt));
            check_refused(&s, values, values + size);
            REQUIRE_CUDA(cudaStreamEndCapture(s.stream, &source));
            REQUIRE_CUDA(cudaGraphInstantiate(&graph, source, 0));
            launch(&s, graph, 1);
            step_plainly(&s, 1);
            check_same(&s);
            drop(graph, source);
            free(values);
        }
        setup_close(&s);
    }
}

/* A fault from before the capture is told after it, not lost in a refusal. */
TAUT_CUDA_TEST(streams, a_capture_does_not_swallow_faults) {
    setup s;
    if (setup_open(&s)) {
        cudaGraph_t source = NULL;
        CHECK_OK(taut_world_sync(s.world));
        cuda_calls_watch();
        cuda_calls_fail(CALL_cudaGraphLaunch, 1, cudaErrorLaunchOutOfResources);
        CHECK_STATUS(taut_world_step(s.world, dt), TAUT_DEVICE_FAULT);
        cuda_calls_ignore();
        REQUIRE_CUDA(cudaStreamBeginCapture(s.stream, cudaStreamCaptureModeGlobal));
        INVALID(taut_world_sync(s.world));
        REQUIRE_CUDA(cudaStreamEndCapture(s.stream, &source));
        REQUIRE_CUDA(cudaGraphDestroy(source));
        CHECK_STATUS(taut_world_sync(s.world), TAUT_DEVICE_FAULT);
        CHECK_OK(taut_world_sync(s.world));
    }
    setup_close(&s);
}

/* Other worlds go on while one is being captured. */
TAUT_CUDA_TEST(streams, a_capture_does_not_concern_other_worlds) {
    setup s;
    if (setup_open(&s)) {
        cudaGraph_t source = NULL;
        cudaGraphExec_t graph = NULL;
        CHECK_OK(taut_world_step(s.plain, dt));
        CHECK_OK(taut_world_sync(s.world));
        REQUIRE_CUDA(cudaStreamBeginCapture(s.stream, cudaStreamCaptureModeThreadLocal));
        CHECK_OK(taut_world_step(s.plain, dt));
        CHECK_OK(taut_world_step(s.world, dt));
        REQUIRE_CUDA(cudaStreamEndCapture(s.stream, &source));
        REQUIRE_CUDA(cudaGraphInstantiate(&graph, source, 0));
        launch(&s, graph, 1);
        launch(&s, graph, 1);
        check_same(&s);
        drop(graph, source);
    }
    setup_close(&s);
}

/* ---- poll -------------------------------------------------------------------------------------------------------- */

enum { POLLED = 12 };

static bool same_report(const taut_step_info* a, const taut_step_info* b) {
    return a->step == b->step && a->time == b->time && a->outcome == b->outcome && a->iterations == b->iterations &&
           a->outer_iterations == b->outer_iterations && a->residual == b->residual &&
           memcmp(a->max_violation, b->max_violation, sizeof a->max_violation) == 0 && a->kinetic == b->kinetic &&
           a->potential == b->potential && a->elastic == b->elastic;
}

/* Never in the future, never behind an earlier answer, and each time the whole report of one step. */
TAUT_CUDA_TEST(streams, polled_reports_are_those_of_some_step) {
    setup s;
    if (setup_open(&s)) {
        taut_step_info expected[POLLED + 1], info;
        uint64_t last = 0;
        CHECK_OK(taut_world_info(s.plain, &expected[0]));
        for (int k = 1; k <= POLLED; k++) {
            CHECK_OK(taut_world_step(s.plain, dt));
            CHECK_OK(taut_world_info(s.plain, &expected[k]));
        }
        CHECK_OK(taut_world_info(s.world, &info));
        CHECK(same_report(&info, &expected[0]));
        for (uint64_t k = 1; k <= POLLED; k++) {
            CHECK_OK(taut_world_step(s.world, dt));
            cuda_calls_watch();
            CHECK_OK(taut_world_poll(s.world, &info));
            CHECK_INT(cuda_calls_in(CUDA_WAITS), 0);
            cuda_calls_ignore();
            test_note("after %d steps, report of step %d", (int)k, (int)info.step);
            REQUIRE(info.step <= k && info.step >= last);
            CHECK(same_report(&info, &expected[info.step]));
            last = info.step;
        }
        CHECK_OK(taut_world_sync(s.world));
        CHECK_OK(taut_world_poll(s.world, &info));
        CHECK(same_report(&info, &expected[POLLED]));
        CHECK_OK(taut_world_info(s.world, &info));
        CHECK(same_report(&info, &expected[POLLED]));
    }
    setup_close(&s);
}

/* Reports that come as fast as they can while the host reads: a falling particle's can be told by hand. */
TAUT_CUDA_TEST(streams, polled_reports_are_never_torn) {
    oracle_scene scene = {0};
    taut_world_def def = taut_default_world();
    taut_world* world = NULL;
    taut_step_info info;
    def.backend = TAUT_BACKEND_CUDA;
    def.gravity[1] = -1;
    oracle_scene_particle(&scene, 0, 0, 0, 1, false);
    REQUIRE_OK(oracle_scene_world(&scene, &def, &world));
    for (int k = 0; k < 400; k++) {
        CHECK_OK(taut_world_step(world, 1.0 / 1024)); /* so that every number below is exact */
        for (int i = 0; i < 20; i++) {
            CHECK_OK(taut_world_poll(world, &info));
            const double t = (double)info.step / 1024;
            REQUIRE(info.time == t && info.kinetic == t * t / 2 && info.residual == 0);
        }
    }
    CHECK_OK(taut_world_sync(world));
    CHECK_OK(taut_world_poll(world, &info));
    CHECK_INT(info.step, 400);
    taut_world_destroy(world);
    oracle_scene_free(&scene);
}

/* poll does not ask for faults, and does not take them away. */
TAUT_CUDA_TEST(streams, poll_leaves_faults_to_sync) {
    setup s;
    taut_step_info info;
    if (setup_open(&s)) {
        CHECK_OK(taut_world_sync(s.world));
        cuda_calls_watch();
        cuda_calls_fail(CALL_cudaGraphLaunch, 1, cudaErrorLaunchOutOfResources);
        CHECK_STATUS(taut_world_step(s.world, dt), TAUT_DEVICE_FAULT);
        cuda_calls_ignore();
        CHECK_OK(taut_world_poll(s.world, &info));
        CHECK_INT(info.step, 0);
        CHECK_STATUS(taut_world_sync(s.world), TAUT_DEVICE_FAULT);
    }
    setup_close(&s);
}

/* Forces of many steps, from one array that changes as soon as the call is back; more of them than pass at once through
 * what they travel in. Without constraints v is the sum of all. */
TAUT_CUDA_TEST(streams, arrays_may_change_at_once) {
    enum { PARTICLES = 3000, STEPS = 20 };
    oracle_scene scene = {0};
    taut_world* world = NULL;
    taut_world_def def = taut_default_world();
    def.backend = backend;
    memset(def.gravity, 0, sizeof def.gravity);
    for (int i = 0; i < PARTICLES; i++) {
        oracle_scene_particle(&scene, i, 0, 0, 2, false);
    }
    double* forces = calloc(3 * PARTICLES, sizeof *forces);
    double* v = calloc(3 * PARTICLES, sizeof *v);
    double* sums = calloc(3 * PARTICLES, sizeof *sums);
    if (CHECK_OK(oracle_scene_world(&scene, &def, &world))) {
        for (int k = 0; k < STEPS; k++) {
            for (int i = 0; i < 3 * PARTICLES; i++) {
                forces[i] = i + 1000.0 * k;
            }
            CHECK_OK(taut_world_set_forces(world, 0, PARTICLES, forces));
            CHECK_OK(taut_world_step(world, 0.5));
        }
        CHECK_OK(taut_world_read(world, TAUT_FIELD_VELOCITIES, 0, PARTICLES, v));
        for (int i = 0; i < 3 * PARTICLES; i++) {
            sums[i] = (STEPS * (double)i + 1000.0 * STEPS * (STEPS - 1) / 2) * 0.5 / 2;
        }
        CHECK_NEAR(dense_max_difference(3 * PARTICLES, v, sums), 0, 1e-7);
    }
    taut_world_destroy(world);
    oracle_scene_free(&scene);
    free(forces);
    free(sums);
    free(v);
}
