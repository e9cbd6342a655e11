/* Every stage of a step of bodies, joints, rods and mapped points on CUDA against the CPU backend, as test_stages.c
 * does it for particles, and every change that may come between two steps. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dense_matrix.h"
#include "harness.h"
#include "scene_graph.h"
#include "twins.h"

static const double dt = 0.01;

/* ---- the same world twice ---------------------------------------------------------------------------------------- */

typedef struct pair {
    twins t;
    scene_graph g;
} pair;

/* Rows of a batch are compared among themselves: units and sizes differ from kind to kind. */
static void name_rows(pair* p) {
    p->t.group_count = p->g.batch_count;
    for (size_t i = 0; i < p->g.batch_count; i++) {
        CHECK_OK(taut_world_batch_rows(p->t.cpu, p->g.batches[i], &p->t.groups[i]));
    }
}

static bool pair_open(pair* p, taut_world_def def) {
    taut_scene_def scene_def = taut_default_scene();
    taut_scene* scene = NULL;
    *p = (pair){.t = {.dt = dt}};
    const bool good = CHECK_OK(taut_scene_create(&scene_def, &scene)) && CHECK_OK(scene_graph_add(scene, &p->g)) &&
                      twins_open(&p->t, scene, def, dt);
    taut_scene_destroy(scene);
    if (good) {
        const scene_graph* g = &p->g;
        const taut_range unknown[] = {g->bodies.points, g->rope, g->rod.points, g->sheet, g->corners};
        name_rows(p);
        memcpy(p->t.free, unknown, sizeof unknown);
        p->t.free_count = sizeof unknown / sizeof *unknown;
    }
    return good;
}

/* ---- stages ------------------------------------------------------------------------------------------------------ */

typedef struct scheme {
    double alpha, beta;
    taut_geometric_stiffness stiffness;
} scheme;

static const scheme schemes[] = {{1, 1, TAUT_GEOMETRIC_FULL},
                                 {1, 1, TAUT_GEOMETRIC_NONE},
                                 {0.65, 0.65, TAUT_GEOMETRIC_FULL},
                                 {1, 0, TAUT_GEOMETRIC_FULL}};

static taut_world_def definition(const scheme* s) {
    taut_world_def def = taut_default_world();
    def.integrator.alpha = s->alpha;
    def.integrator.beta = s->beta;
    def.integrator.geometric_stiffness = s->stiffness;
    def.integrator.hard_row_damping = s->alpha < 1 || s->beta == 0 ? 1 : 0; /* l = alpha (h beta + d) must not be 0 */
    def.solver.tolerance = 1e-10;
    def.solver.method = TAUT_METHOD_SCHUR;
    return def;
}

/* Mapped points follow their parents before anything else looks at them. */
static void check_mapped(pair* p) {
    twins_check_field(&p->t, TAUT_FIELD_POSITIONS, "mapped points: positions", 1, TWINS_FORMULA);
    twins_check_field(&p->t, TAUT_FIELD_VELOCITIES, "mapped points: velocities", 1, TWINS_FORMULA);
}

static void check_scheme(taut_world_def def, int steps) {
    pair p;
    if (pair_open(&p, def)) {
        check_mapped(&p);
        twins_check_evaluate(&p.t, 0, 0);
        twins_check_assemble(&p.t, 0, 0);
        twins_step(&p.t);
        twins_check_solve(&p.t, TWINS_SOLVED);
        twins_check_integrate(&p.t, TWINS_SOLVED);
        twins_check_evaluate(&p.t, TWINS_SOLVED, 2 * TWINS_SOLVED);
        for (int k = 1; k < steps; k++) {
            twins_step(&p.t);
        }
        twins_check_solve(&p.t, 10 * TWINS_FOLLOWED);
        twins_check_integrate(&p.t, TWINS_FOLLOWED);
        twins_align(&p.t);
        check_mapped(&p);
        twins_check_evaluate(&p.t, 0, 10 * TWINS_FOLLOWED);
        twins_check_assemble(&p.t, 0, 10 * TWINS_FOLLOWED);
    }
    twins_close(&p.t);
}

TAUT_CUDA_TEST(graph_stages, implicit) {
    check_scheme(definition(&schemes[0]), 10);
}
TAUT_CUDA_TEST(graph_stages, without_geometric_stiffness) {
    check_scheme(definition(&schemes[1]), 10);
}
TAUT_CUDA_TEST(graph_stages, less_damped) {
    check_scheme(definition(&schemes[2]), 10);
}
TAUT_CUDA_TEST(graph_stages, explicit_positions) {
    check_scheme(definition(&schemes[3]), 10);
}

static taut_world_def preconditioned(taut_preconditioner preconditioner) {
    taut_world_def def = definition(&schemes[0]);
    def.solver.preconditioner = preconditioner;
    def.solver.block_size = 24;
    def.solver.chebyshev_degree = 4;
    return def;
}

static void check_preconditioner(taut_preconditioner preconditioner) {
    pair p;
    taut_world_def def = preconditioned(preconditioner);
    check_scheme(def, 2);
    def.solver.tolerance = 1e-4;
    if (pair_open(&p, def)) {
        twins_step(&p.t);
        twins_check_iterations(&p.t);
    }
    twins_close(&p.t);
}

/* Thousands of iterations, in which float32 goes astray: their number is not compared. */
TAUT_CUDA_TEST(graph_stages, no_preconditioner) {
    check_scheme(preconditioned(TAUT_PRECONDITIONER_NONE), 1);
}
/* Nor here: the first guess of the largest eigenvalue depends on numbers, which differ inside. */
TAUT_CUDA_TEST(graph_stages, chebyshev) {
    check_scheme(preconditioned(TAUT_PRECONDITIONER_CHEBYSHEV), 2);
}
TAUT_CUDA_TEST(graph_stages, jacobi) {
    check_preconditioner(TAUT_PRECONDITIONER_JACOBI);
}
TAUT_CUDA_TEST(graph_stages, block) {
    check_preconditioner(TAUT_PRECONDITIONER_BLOCK);
}
TAUT_CUDA_TEST(graph_stages, multilevel) {
    check_preconditioner(TAUT_PRECONDITIONER_MULTILEVEL);
}

/* The condensed system: paths through mapped points, frames among the nodes of the levels. */
static taut_world_def condensed(taut_preconditioner preconditioner, taut_cycle cycle) {
    taut_world_def def = preconditioned(preconditioner);
    def.solver.method = TAUT_METHOD_CONDENSED;
    def.solver.cycle = cycle;
    return def;
}

static void check_condensed(taut_world_def def) {
    pair p;
    if (pair_open(&p, def)) {
        twins_step(&p.t);
        twins_step(&p.t);
        twins_check_integrate(&p.t, TWINS_FOLLOWED);
    }
    twins_close(&p.t);
}

TAUT_CUDA_TEST(graph_stages, condensed_jacobi) {
    check_condensed(condensed(TAUT_PRECONDITIONER_JACOBI, TAUT_CYCLE_AUTO));
}
TAUT_CUDA_TEST(graph_stages, condensed_additive) {
    check_condensed(condensed(TAUT_PRECONDITIONER_MULTILEVEL, TAUT_CYCLE_ADDITIVE));
}
TAUT_CUDA_TEST(graph_stages, condensed_v_cycle) {
    check_condensed(condensed(TAUT_PRECONDITIONER_MULTILEVEL, TAUT_CYCLE_V));
}

/* ---- changes between steps --------------------------------------------------------------------------------------- */

static void push(taut_world* world, taut_range points, double size) {
    random_state random = {3};
    double forces[3 * GRAPH_BODIES];
    random_fill(&random, -size, size, 3 * (size_t)points.count, forces);
    CHECK_OK(taut_world_set_forces(world, points.first, points.count, forces));
}

static void push_active(const scene_graph* g, taut_world* world) {
    push(world, g->skinned, 1);
    push(world, g->combinations, 0.5);
    push(world, g->length_of_lengths, 0.5);
}

static void push_passive(const scene_graph* g, taut_world* world) {
    push(world, g->passive, 1);
}

static void push_passive_on_passive(const scene_graph* g, taut_world* world) {
    push(world, g->passive_on_passive, 1);
}

static void push_passive_on_a_length(const scene_graph* g, taut_world* world) {
    push(world, g->passive_on_a_length, 1);
}

static void push_bodies(const scene_graph* g, taut_world* world) {
    push(world, g->bodies.points, 1);
}

static void twist(const scene_graph* g, taut_world* world) {
    double torques[3 * GRAPH_BODIES];
    random_state random = {4};
    random_fill(&random, -0.2, 0.2, 3 * GRAPH_BODIES, torques);
    CHECK_OK(taut_world_set_torques(world, g->bodies.frames.first, GRAPH_BODIES, torques));
    random_fill(&random, -0.01, 0.01, 6, torques);
    CHECK_OK(taut_world_set_torques(world, g->rod.frames.first + 1, 2, torques));
}

static void drive_hinges(const scene_graph* g, taut_world* world) {
    static const double angles[2] = {0.05, -0.03};
    CHECK_OK(taut_world_move_targets(world, g->joints[TAUT_JOINT_HINGE].drive, 0, 2, angles));
}

static void drive_sliders(const scene_graph* g, taut_world* world) {
    static const double length[1] = {0.02};
    CHECK_OK(taut_world_move_targets(world, g->joints[TAUT_JOINT_SLIDER].drive, 1, 1, length));
}

static void drive_alignments(const scene_graph* g, taut_world* world) {
    static const double turns[6] = {0.05, 0, 0.02, -0.03, 0.04, 0};
    CHECK_OK(taut_world_move_targets(world, g->rod.bends, 1, 2, turns));
    CHECK_OK(taut_world_move_targets(world, g->clamp, 0, 1, turns));
}

static void drive_target(const scene_graph* g, taut_world* world) {
    static const double place[3] = {2.21, 0.5, 0.18};
    CHECK_OK(taut_world_move_targets(world, g->target, 0, 1, place));
}

/* Moves fixed points from where they are. */
static void move_points(const scene_graph* g, taut_world* world) {
    const uint32_t points[3] = {g->bodies.points.first + GRAPH_HELD, g->rod.points.first, g->sheet.first};
    static const double by[3] = {0.004, -0.003, 0.002};
    double x[9];
    for (int i = 0; i < 3; i++) {
        CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, points[i], 1, x + 3 * i));
        for (int a = 0; a < 3; a++) {
            x[3 * i + a] += by[a] * (i + 1);
        }
    }
    CHECK_OK(taut_world_move_fixed(world, 3, points, x));
}

/* Orientations a little off those they have. */
static void turned(taut_world* world, uint32_t frame, double q[4]) {
    CHECK_OK(taut_world_read(world, TAUT_FIELD_ORIENTATIONS, frame, 1, q));
    for (int a = 0; a < 4; a++) {
        q[a] += 0.02 * (a - 1.4);
    }
}

static void move_frames(const scene_graph* g, taut_world* world) {
    const uint32_t frames[2] = {g->bodies.frames.first + GRAPH_HELD, g->rod.frames.first};
    double q[8];
    turned(world, frames[0], q);
    turned(world, frames[1], q + 4);
    CHECK_OK(taut_world_move_fixed_frames(world, 2, frames, q));
}

static void write_orientations(const scene_graph* g, taut_world* world) {
    const uint32_t frame = g->bodies.frames.first + GRAPH_SWINGING;
    double q[8];
    turned(world, frame, q);
    turned(world, frame + 1, q + 4);
    CHECK_OK(taut_world_write(world, TAUT_FIELD_ORIENTATIONS, frame, 2, q));
}

static void write_angular_velocities(const scene_graph* g, taut_world* world) {
    static const double omega[6] = {1, -2, 0.5, 0.3, 0.2, 0.1};
    CHECK_OK(taut_world_write(world, TAUT_FIELD_ANGULAR_VELOCITIES, g->bodies.frames.first + GRAPH_TIP, 2, omega));
}

static void write_positions(const scene_graph* g, taut_world* world) {
    double x[6];
    CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, g->bodies.points.first + GRAPH_HINGED, 2, x));
    x[1] += 0.003;
    x[3] -= 0.002;
    CHECK_OK(taut_world_write(world, TAUT_FIELD_POSITIONS, g->bodies.points.first + GRAPH_HINGED, 2, x));
}

static void fix_frames(const scene_graph* g, taut_world* world) {
    const uint32_t frames[2] = {g->bodies.frames.first + GRAPH_SPUN, g->rod.frames.first + 2};
    CHECK_OK(taut_world_set_frames_fixed(world, 2, frames, true));
}

static void free_frames(const scene_graph* g, taut_world* world) {
    const uint32_t frames[2] = {g->bodies.frames.first + GRAPH_HELD, g->rod.frames.first};
    CHECK_OK(taut_world_set_frames_fixed(world, 2, frames, false));
}

static void free_a_body(const scene_graph* g, taut_world* world) {
    const uint32_t point = g->bodies.points.first + GRAPH_HELD;
    CHECK_OK(taut_world_set_fixed(world, 1, &point, false));
}

static void fix_a_body(const scene_graph* g, taut_world* world) {
    const uint32_t point = g->bodies.points.first + GRAPH_TIP;
    CHECK_OK(taut_world_set_fixed(world, 1, &point, true));
}

static void soften(const scene_graph* g, taut_world* world) {
    static const double softer[6] = {2e-2, 0, 1e-2, 3e-2, 1e-2, 0}, slower[2] = {0.05, 0};
    CHECK_OK(taut_world_set_compliances(world, g->rod.bends, 0, 2, softer));
    CHECK_OK(taut_world_set_compliances(world, g->joints[TAUT_JOINT_FIXED].prismatic, 1, 3, softer));
    CHECK_OK(taut_world_set_dampings(world, g->joints[TAUT_JOINT_HINGE].angular, 1, 2, slower));
}

static void set_rest_values(const scene_graph* g, taut_world* world) {
    static const double rest[3] = {0.05, -0.02, 0.03};
    CHECK_OK(taut_world_set_rest_values(world, g->clamp, 0, 1, rest));
    CHECK_OK(taut_world_set_rest_values(world, g->joints[TAUT_JOINT_BALL].prismatic, 1, 2, rest));
    CHECK_OK(taut_world_set_rest_values(world, g->joints[TAUT_JOINT_UNIVERSAL].angular, 1, 1, rest));
}

typedef struct change {
    const char* name;
    void (*make)(const scene_graph* g, taut_world* world);
} change;

static const change forces[] = {{"forces on active points", push_active},
                                {"forces on passive points", push_passive},
                                {"forces on points of passive points", push_passive_on_passive},
                                {"forces on points of lengths", push_passive_on_a_length},
                                {"forces on bodies", push_bodies},
                                {"torques", twist}};
static const change goals[] = {{"hinges", drive_hinges},  {"sliders", drive_sliders},    {"rods", drive_alignments},
                               {"targets", drive_target}, {"fixed points", move_points}, {"fixed frames", move_frames}};
static const change writes[] = {{"orientations", write_orientations},
                                {"angular velocities", write_angular_velocities},
                                {"positions", write_positions}};
static const change fixing[] = {{"frames are fixed", fix_frames},
                                {"frames are freed", free_frames},
                                {"a body is freed", free_a_body},
                                {"a body is fixed", fix_a_body}};
static const change tuning[] = {{"compliances and dampings", soften}, {"rest values", set_rest_values}};

static double largest_difference(twins* t, taut_world* a, taut_world* b) {
    CHECK_OK(taut_world_read(a, TAUT_FIELD_VELOCITIES, 0, t->points, t->a));
    CHECK_OK(taut_world_read(b, TAUT_FIELD_VELOCITIES, 0, t->points, t->b));
    CHECK_OK(taut_world_read(a, TAUT_FIELD_ANGULAR_VELOCITIES, 0, t->frames, t->a + 3 * t->points));
    CHECK_OK(taut_world_read(b, TAUT_FIELD_ANGULAR_VELOCITIES, 0, t->frames, t->b + 3 * t->points));
    return dense_max_difference(t->n, t->a, t->b);
}

/* A change that does nothing would be equal on both. `p` has made no step. */
static void check_effect(pair* p, const change* c) {
    taut_world_def def = definition(&schemes[0]);
    taut_world *with = NULL, *without = NULL;
    scene_graph g;
    def.backend = TAUT_BACKEND_CPU;
    test_note("%s", c->name);
    if (CHECK_OK(scene_graph_world(&def, &g, &with)) && CHECK_OK(scene_graph_world(&def, &g, &without))) {
        c->make(&g, with);
        CHECK_OK(taut_world_step(with, dt));
        CHECK_OK(taut_world_step(without, dt));
        CHECK(largest_difference(&p->t, with, without) > 1e-4);
    }
    taut_world_destroy(with);
    taut_world_destroy(without);
    test_note(NULL);
}

/* The first step has the changes; in the second one goals are left behind. */
static void check_changes(const change* changes, size_t count) {
    pair p;
    if (pair_open(&p, definition(&schemes[0]))) {
        for (size_t i = 0; i < count; i++) {
            check_effect(&p, &changes[i]);
        }
        twins_step(&p.t);
        for (size_t i = 0; i < count; i++) {
            changes[i].make(&p.g, p.t.cpu);
            changes[i].make(&p.g, p.t.cuda);
        }
        twins_check_evaluate(&p.t, TWINS_SOLVED, 2 * TWINS_SOLVED);
        twins_check_assemble(&p.t, TWINS_SOLVED, 2 * TWINS_SOLVED);
        for (int k = 0; k < 2; k++) {
            twins_step(&p.t);
            twins_check_solve(&p.t, 10 * TWINS_FOLLOWED);
            twins_check_integrate(&p.t, TWINS_FOLLOWED);
        }
    }
    twins_close(&p.t);
}

#define CHANGES(name)                                                                                                  \
    TAUT_CUDA_TEST(graph_stages, changed_##name) {                                                                     \
        check_changes(name, sizeof name / sizeof *name);                                                               \
    }
CHANGES(forces)
CHANGES(goals)
CHANGES(writes)
CHANGES(fixing)
CHANGES(tuning)
