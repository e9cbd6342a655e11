/* Every stage of a step on CUDA against the CPU backend: what a wrong stage does must not be left to the next one to
 * hide. */
#include <string.h>

#include "harness.h"
#include "small_scenes.h"
#include "twins.h"

static const double dt = 0.01;

/* ---- scenes of every kind ---------------------------------------------------------------------------------------- */

typedef void build_fn(oracle_scene* scene);

static const scene_material soft = {1e-4, 0.01}, hard = {0, 0.02};
static const double along[3] = {0.08, -0.06, 0.02};

static void build_distances(oracle_scene* scene) {
    scene_rope(scene, 6, along, 0.1, soft);
}

static void build_hard_distances(oracle_scene* scene) {
    scene_rope(scene, 6, along, 0.1, hard);
}

static void build_attachments(oracle_scene* scene) {
    scene_rope(scene, 4, along, 0.1, soft);
    scene_attach(scene, 1, 4, soft);
    scene_attach(scene, 0, 2, soft);
}

static void build_targets(oracle_scene* scene) {
    const double rate[3] = {0.5, -0.2, 0.1}, still[3] = {0};
    scene_rope(scene, 4, along, 0.1, soft);
    scene_target(scene, 2, rate, soft);
    scene_target(scene, 4, still, soft);
}

static void build_bends(oracle_scene* scene) {
    scene_sheet_bends(scene, scene_sheet(scene, 4, 4, 0.1, 0.05), (scene_material){1, 0.01});
}

static void build_membranes(oracle_scene* scene) {
    const scene_grid grid = scene_sheet(scene, 4, 4, 0.1, 0.02);
    scene_sheet_membranes(scene, grid, (scene_material){1e-2, 0.01});
    scene_sheet_pin_corners(scene, grid);
}

static void build_tet_volumes(oracle_scene* scene) {
    scene_block_volumes(scene, scene_block(scene, 1, 0.2, 0.05), 1, soft);
}

static void build_tet_strains(oracle_scene* scene) {
    scene_block_strains(scene, scene_block(scene, 1, 0.2, 0.05), 1, soft);
}

static void build_linear(oracle_scene* scene) {
    scene_rope_bending(scene, scene_rope(scene, 6, along, 0.1, soft), 6, soft);
}

static void build_moving_fixed(oracle_scene* scene) {
    const double v[3] = {1, 0.5, -0.4};
    scene_rope(scene, 6, along, 0.1, soft);
    memcpy(scene->particles[0].v, v, sizeof v);
    scene->particles[3].fixed = true;
}

static void build_mixed(oracle_scene* scene) {
    scene_mixed(scene, 1e-2, 0.05);
}

/* Hard and redundant: multipliers are not unique. At rest and unstretched, so that the rows do not contradict each
 * other. */
static void build_redundant(oracle_scene* scene) {
    scene_cloth(scene, 5, 5, (scene_material){0, 0}, (scene_material){1e-2, 0.01});
}

/* ---- the same world twice ---------------------------------------------------------------------------------------- */

/* Their description, which knows where targets are. */
typedef struct pair {
    twins t;
    oracle_scene scene;
} pair;

static bool pair_open(pair* p, build_fn* build, taut_world_def def) {
    taut_scene* scene = NULL;
    *p = (pair){.scene = {0}};
    build(&p->scene);
    if (build != build_redundant) {
        scene_shake(&p->scene, 7, 0.004, 0.3);
    }
    const bool good = CHECK_OK(oracle_scene_build(&p->scene, &scene)) && twins_open(&p->t, scene, def, dt);
    taut_scene_destroy(scene);
    return good;
}

static void pair_close(pair* p) {
    twins_close(&p->t);
    oracle_scene_free(&p->scene);
}

static void pair_step(pair* p) {
    CHECK_OK(oracle_scene_drive(&p->scene, p->t.cpu, dt));
    CHECK_OK(oracle_scene_drive(&p->scene, p->t.cuda, dt));
    twins_step(&p->t);
    CHECK_OK(oracle_scene_follow(&p->scene, p->t.cpu, dt)); /* targets have moved on */
}

static void check_pair(pair* p, int steps) {
    twins* t = &p->t;
    twins_check_evaluate(t, 0, 0);
    twins_check_assemble(t, 0, 0);
    pair_step(p);
    twins_check_solve(t, TWINS_SOLVED);
    twins_check_integrate(t, TWINS_SOLVED);
    twins_check_evaluate(t, TWINS_SOLVED, 2 * TWINS_SOLVED);
    for (int k = 1; k < steps; k++) {
        pair_step(p);
    }
    twins_check_solve(t, 10 * TWINS_FOLLOWED);
    twins_check_integrate(t, TWINS_FOLLOWED);
    twins_align(t);
    twins_check_evaluate(t, 0, 10 * TWINS_FOLLOWED);
    twins_check_assemble(t, 0, 10 * TWINS_FOLLOWED);
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

typedef struct scheme {
    double alpha, beta;
    taut_geometric_stiffness stiffness;
} scheme;

static const scheme schemes[] = {{1, 1, TAUT_GEOMETRIC_FULL},
                                 {1, 1, TAUT_GEOMETRIC_NONE},
                                 {0.6, 0.7, TAUT_GEOMETRIC_FULL},
                                 {1, 0, TAUT_GEOMETRIC_FULL},
                                 {0.5, 0, TAUT_GEOMETRIC_NONE}};

static taut_world_def definition(const scheme* s) {
    taut_world_def def = taut_default_world();
    def.integrator.alpha = s->alpha;
    def.integrator.beta = s->beta;
    def.integrator.geometric_stiffness = s->stiffness;
    def.integrator.hard_row_damping = s->alpha < 1 ? 1 : 0;
    def.solver.tolerance = 1e-10;
    def.solver.method = TAUT_METHOD_SCHUR;
    return def;
}

static void check_iterations(build_fn* build, taut_world_def def) {
    pair p;
    def.solver.tolerance = 1e-4;
    if (pair_open(&p, build, def)) {
        pair_step(&p);
        twins_check_iterations(&p.t);
    }
    pair_close(&p);
}

static void check_kind(build_fn* build) {
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        pair p;
        if (pair_open(&p, build, definition(&schemes[i]))) {
            check_pair(&p, 10);
        }
        pair_close(&p);
        check_iterations(build, definition(&schemes[i]));
    }
}

#define STAGES(kind)                                                                                                   \
    TAUT_CUDA_TEST(stages, kind) {                                                                                     \
        check_kind(build_##kind);                                                                                      \
    }
STAGES(distances)
STAGES(hard_distances)
STAGES(attachments)
STAGES(targets)
STAGES(bends)
STAGES(membranes)
STAGES(tet_volumes)
STAGES(tet_strains)
STAGES(linear)
STAGES(moving_fixed)

TAUT_CUDA_TEST(stages, mixed_with_every_preconditioner) {
    for (int p = TAUT_PRECONDITIONER_NONE; p <= TAUT_PRECONDITIONER_MULTILEVEL; p++) {
        pair both;
        taut_world_def def = definition(&schemes[0]);
        def.solver.preconditioner = (taut_preconditioner)p;
        def.solver.block_size = 24;
        def.solver.chebyshev_degree = 4;
        if (pair_open(&both, build_mixed, def)) {
            check_pair(&both, 2);
        }
        pair_close(&both);
        def.reorder = p != TAUT_PRECONDITIONER_MULTILEVEL; /* lines follow the numbers, which differ inside */
        check_iterations(build_mixed, def);
    }
}

/* The condensed system: forces follow from velocities, so that what is left of their residual counts for more. */
static void check_condensed(build_fn* build, taut_world_def def) {
    pair p;
    def.solver.method = TAUT_METHOD_CONDENSED;
    if (pair_open(&p, build, def)) {
        for (int k = 0; k < 3; k++) {
            pair_step(&p);
        }
        twins_check_integrate(&p.t, TWINS_FOLLOWED);
        twins_check_solve(&p.t, 10 * TWINS_FOLLOWED);
    }
    pair_close(&p);
    check_iterations(build, def);
}

TAUT_CUDA_TEST(stages, condensed) {
    static build_fn* const builds[] = {build_mixed, build_membranes, build_hard_distances};
    for (size_t b = 0; b < sizeof builds / sizeof *builds; b++) {
        for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
            check_condensed(builds[b], definition(&schemes[i]));
        }
    }
}

TAUT_CUDA_TEST(stages, condensed_with_every_preconditioner) {
    for (int cycle = TAUT_CYCLE_AUTO; cycle <= TAUT_CYCLE_V; cycle++) {
        taut_world_def def = definition(&schemes[2]);
        def.solver.preconditioner =
            cycle == TAUT_CYCLE_AUTO ? TAUT_PRECONDITIONER_JACOBI : TAUT_PRECONDITIONER_MULTILEVEL;
        def.solver.cycle = (taut_cycle)cycle;
        check_condensed(build_mixed, def);
    }
}

/* The proximal shift: what is unique must agree. */
TAUT_CUDA_TEST(stages, redundant_hard_rows) {
    pair p;
    taut_world_def def = definition(&schemes[0]);
    def.solver.tolerance = 1e-6;
    if (pair_open(&p, build_redundant, def)) {
        twins_check_evaluate(&p.t, 0, 0);
        twins_check_assemble(&p.t, 0, 0);
        pair_step(&p);
        twins_check_integrate(&p.t, 1e-4);
    }
    pair_close(&p);
}

/* ---- times ------------------------------------------------------------------------------------------------------- */

static double sum_of_times(taut_backend_kind backend, bool profile, uint32_t substeps) {
    oracle_scene scene = {0};
    taut_world_def def = taut_default_world();
    taut_world* world = NULL;
    taut_step_info info;
    double sum = 0;
    def.backend = backend;
    def.profile = profile;
    def.integrator.substeps = substeps;
    def.solver.max_iterations = 10;
    scene_mixed(&scene, 1e-4, 0.01);
    if (CHECK_OK(oracle_scene_world(&scene, &def, &world))) {
        for (int k = 0; k < 2; k++) {
            CHECK_OK(taut_world_step(world, dt));
        }
        CHECK_OK(taut_world_info(world, &info));
        for (int i = 0; i < TAUT_STAGE_COUNT; i++) {
            test_note("%s", taut_stage_name((taut_stage)i));
            CHECK(info.stage_seconds[i] >= 0 && info.stage_seconds[i] < 600);
            sum += info.stage_seconds[i];
        }
        test_note(NULL);
    }
    taut_world_destroy(world);
    oracle_scene_free(&scene);
    return sum;
}

TAUT_TEST(stages, timed_when_asked) {
    CHECK_NEAR(sum_of_times(backend, false, 1), 0, 0);
    CHECK(sum_of_times(backend, true, 1) > 0);
    CHECK(sum_of_times(backend, true, 3) > 0);
}
