/* Every stage of a step on CUDA against the CPU backend: what a wrong stage does must not be left to the next one to
 * hide. Both backends compile the same formulas, so that only the order of sums, fused multiply-adds and the last bits
 * of library functions differ. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../harness.h"
#include "dense.h"
#include "scenes.h"

static const double dt = 0.01;

/* Float64 formulas of numbers of order 1; the worst are angles and areas, with some dozen operations. */
static const double formula = 1e-13;
/* J and the roots of the stiffness are stored in float32: where the last bits of float64 differ, one may round up and
 * the other down, by 6e-8 of an entry; products in float64. */
static const double stored = 3e-7;
/* The solver drives its residual to 1e-10; J differs as above, and the condition of these systems lifts that by some
 * ten to a thousand. */
static const double solved = 1e-6;
/* Ten steps on, differences of the velocities have moved positions that change the forces. */
static const double followed = 1e-5;

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

typedef struct twins {
    oracle_scene scene;
    taut_world *cpu, *cuda;
    size_t n, m;   /* coordinates, rows */
    double *a, *b; /* n + m each: of the CPU, of CUDA */
} twins;

static bool twins_open(twins* t, build_fn* build, taut_world_def def) {
    *t = (twins){.cpu = NULL};
    build(&t->scene);
    if (build != build_redundant) {
        scene_shake(&t->scene, 7, 0.004, 0.3);
    }
    def.solver.max_iterations = 100000;
    def.backend = TAUT_BACKEND_CPU;
    bool good = CHECK_OK(oracle_scene_world(&t->scene, &def, &t->cpu));
    def.backend = TAUT_BACKEND_CUDA;
    good = CHECK_OK(oracle_scene_world(&t->scene, &def, &t->cuda)) && good;
    t->n = 3 * taut_world_particle_count(t->cpu);
    t->m = taut_world_row_count(t->cpu);
    t->a = calloc(t->n + t->m, sizeof *t->a);
    t->b = calloc(t->n + t->m, sizeof *t->b);
    return good;
}

static void twins_close(twins* t) {
    taut_world_destroy(t->cpu);
    taut_world_destroy(t->cuda);
    oracle_scene_free(&t->scene);
    free(t->a), free(t->b);
}

static void twins_step(twins* t) {
    CHECK_OK(oracle_scene_drive(&t->scene, t->cpu, dt));
    CHECK_OK(oracle_scene_drive(&t->scene, t->cuda, dt));
    CHECK_OK(taut_world_step(t->cpu, dt));
    CHECK_OK(taut_world_step(t->cuda, dt));
    CHECK_OK(oracle_scene_follow(&t->scene, t->cpu, dt)); /* targets have moved on */
}

/* Relative to the largest of the CPU's values, and at least to `floor`. */
static void check_close(const char* what, size_t count, const double* cpu, const double* cuda, double floor,
                        double tolerance) {
    const double size = fmax(dense_max(count, cpu), floor);
    test_note("%s, up to %g", what, size);
    CHECK_NEAR(dense_max_difference(count, cuda, cpu) / size, 0, tolerance);
    test_note(NULL);
}

static void check_field(twins* t, taut_field field, const char* what, double floor, double tolerance) {
    const bool of_rows = field == TAUT_FIELD_VIOLATIONS || field == TAUT_FIELD_MULTIPLIERS;
    const size_t rows = of_rows ? t->m : t->n / 3, count = of_rows ? t->m : t->n;
    CHECK_OK(taut_world_read(t->cpu, field, 0, rows, t->a));
    CHECK_OK(taut_world_read(t->cuda, field, 0, rows, t->b));
    check_close(what, count, t->a, t->b, floor, tolerance);
}

/* ---- stages ------------------------------------------------------------------------------------------------------ */

/* `state`: how far positions agree; `forces`: multipliers, which energies and worst violations contain. */
static void check_evaluate(twins* t, double state, double forces) {
    taut_step_info a, b;
    check_field(t, TAUT_FIELD_VIOLATIONS, "evaluate: phi", 0.1, formula + state);
    CHECK_OK(taut_world_info(t->cpu, &a));
    CHECK_OK(taut_world_info(t->cuda, &b));
    const double of_cpu[3] = {a.kinetic, a.potential, a.elastic}, of_cuda[3] = {b.kinetic, b.potential, b.elastic};
    check_close("evaluate: kinetic and potential energy", 2, of_cpu, of_cuda, 1e-3, formula + state);
    check_close("evaluate: elastic energy", 1, of_cpu + 2, of_cuda + 2, 1e-3, formula + forces);
    check_close("evaluate: worst violations", TAUT_KIND_COUNT, a.max_violation, b.max_violation, 0.1, formula + forces);
}

static void check_operator(twins* t, taut_operator op, bool from_rows, bool to_rows, double tolerance) {
    static const char* const names[] = {"J", "J^T", "A", "A^-1", "S", "W", "G"};
    const size_t size = t->n + t->m;
    double* in = calloc(size, sizeof *in);
    random_state random = {41 + (uint64_t)op};
    char what[64];
    random_fill(&random, -1, 1, from_rows ? t->m : t->n, in);
    CHECK_OK(taut_world_apply(t->cpu, op, in, t->a));
    CHECK_OK(taut_world_apply(t->cuda, op, in, t->b));
    snprintf(what, sizeof what, "assemble: %s", names[op]);
    check_close(what, to_rows ? t->m : t->n, t->a, t->b, 1e-9, tolerance);
    free(in);
}

/* W has no rounding but that of its own numbers; the others have the Jacobians', and what depends on multipliers
 * those'. */
static void check_assemble(twins* t, double state, double forces) {
    CHECK_OK(taut_world_linearise(t->cpu, dt));
    CHECK_OK(taut_world_linearise(t->cuda, dt));
    CHECK_OK(taut_world_right_hand_side(t->cpu, t->a));
    CHECK_OK(taut_world_right_hand_side(t->cuda, t->b));
    check_close("assemble: right-hand side", t->m, t->a, t->b, 1e-3, stored + state + forces);
    check_operator(t, TAUT_OPERATOR_J, false, true, stored + state);
    check_operator(t, TAUT_OPERATOR_JT, true, false, stored + state);
    check_operator(t, TAUT_OPERATOR_A, false, false, stored + state + forces);
    check_operator(t, TAUT_OPERATOR_A_INVERSE, false, false, stored + state + forces);
    check_operator(t, TAUT_OPERATOR_S, true, true, stored + state + forces);
    check_operator(t, TAUT_OPERATOR_W, true, true, formula);
    check_operator(t, TAUT_OPERATOR_G, false, false, stored + state + forces);
}

static void check_solve(twins* t, double forces) {
    taut_step_info a, b;
    CHECK_OK(taut_world_info(t->cpu, &a));
    CHECK_OK(taut_world_info(t->cuda, &b));
    CHECK_INT(b.outcome, a.outcome);
    CHECK_NEAR(a.residual, 0, 1e-10);
    CHECK_NEAR(b.residual, 0, 1e-10);
    CHECK_NEAR(b.passes, a.passes, 1);
    CHECK_INT(b.step, a.step);
    CHECK_NEAR(b.time, a.time, 0);
    check_field(t, TAUT_FIELD_MULTIPLIERS, "solve: multipliers", 1e-3, forces);
}

static void check_integrate(twins* t, double tolerance) {
    check_field(t, TAUT_FIELD_VELOCITIES, "integrate: velocities", 0.1, tolerance);
    check_field(t, TAUT_FIELD_POSITIONS, "integrate: positions", 1, dt * tolerance + formula);
    check_field(t, TAUT_FIELD_POSITIONS_F32, "integrate: positions in float32", 1, dt * tolerance + 1.2e-7);
}

/* Both start over from the CPU's state, so that the stages that follow are compared alone. */
static void align(twins* t) {
    for (int f = 0; f < 2; f++) {
        const taut_field field = f == 0 ? TAUT_FIELD_POSITIONS : TAUT_FIELD_VELOCITIES;
        CHECK_OK(taut_world_read(t->cpu, field, 0, t->n / 3, t->a));
        CHECK_OK(taut_world_write(t->cpu, field, 0, t->n / 3, t->a));
        CHECK_OK(taut_world_write(t->cuda, field, 0, t->n / 3, t->a));
    }
}

static void check_twins(twins* t, int steps) {
    check_evaluate(t, 0, 0);
    check_assemble(t, 0, 0);
    twins_step(t);
    check_solve(t, solved);
    check_integrate(t, solved);
    check_evaluate(t, solved, 2 * solved);
    for (int k = 1; k < steps; k++) {
        twins_step(t);
    }
    check_solve(t, 10 * followed);
    check_integrate(t, followed);
    align(t);
    check_evaluate(t, 0, 10 * followed);
    check_assemble(t, 0, 10 * followed);
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
    return def;
}

/* To where users stop, before the limits of float32 make iterations go astray: the last bits cost an iteration or two.
 */
static void check_iterations(build_fn* build, taut_world_def def) {
    twins t;
    def.solver.tolerance = 1e-4;
    if (twins_open(&t, build, def)) {
        taut_step_info a, b;
        twins_step(&t);
        CHECK_OK(taut_world_info(t.cpu, &a));
        CHECK_OK(taut_world_info(t.cuda, &b));
        CHECK(a.iterations > 0);
        CHECK_NEAR(b.iterations, a.iterations, 2 + 0.02 * a.iterations);
        CHECK_INT(b.passes, a.passes);
        CHECK_INT(b.outcome, a.outcome);
    }
    twins_close(&t);
}

static void check_kind(build_fn* build) {
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        twins t;
        if (twins_open(&t, build, definition(&schemes[i]))) {
            check_twins(&t, 10);
        }
        twins_close(&t);
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
    for (int p = TAUT_PRECONDITIONER_NONE; p <= TAUT_PRECONDITIONER_CHEBYSHEV; p++) {
        twins t;
        taut_world_def def = definition(&schemes[0]);
        def.solver.preconditioner = (taut_preconditioner)p;
        def.solver.block_size = 24;
        def.solver.chebyshev_degree = 4;
        if (twins_open(&t, build_mixed, def)) {
            check_twins(&t, 2);
        }
        twins_close(&t);
        check_iterations(build_mixed, def);
    }
}

/* The proximal shift: what is unique must agree. */
TAUT_CUDA_TEST(stages, redundant_hard_rows) {
    twins t;
    taut_world_def def = definition(&schemes[0]);
    def.solver.tolerance = 1e-6;
    if (twins_open(&t, build_redundant, def)) {
        check_evaluate(&t, 0, 0);
        check_assemble(&t, 0, 0);
        twins_step(&t);
        check_integrate(&t, 1e-4);
    }
    twins_close(&t);
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
