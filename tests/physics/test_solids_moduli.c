/* Moduli of solids that change while a world runs: a bar that is pulled is as long as its modulus says before and
 * after, and a body comes to the shape that a world created with the new values has.
 *
 * With Poisson's ratio 0 a clamp does not hinder the sections and the bar stretches evenly: corotational elements,
 * whose stress is linear in the stretches, follow u = F L/(E A) for any mesh and any load. */
#include "force_scenes.h"
#include "phys_frames.h"
#include "solid_scenes.h"

#include <math.h>
#include <stdlib.h>

#define LENGTH   0.6 /* m */
#define WIDTH    0.1
#define YOUNG    1e5   /* Pa */
#define TRACTION 5e3   /* Pa: stretches a bar of YOUNG by a twentieth */
#define TO_REST  1e-10 /* m/s, with steps of 10 s */

typedef struct bar {
    phys_mesh mesh;
    phys_tuples tip; /* the loaded face */
    taut_scene* scene;
    taut_batch batch;
} bar;

/* Along x, clamped at 0. */
static bar make_bar(taut_elasticity elasticity, double young, double poisson, const double traction[3]) {
    bar b = {.mesh = phys_block((const size_t[]){4, 1, 1}, (const double[]){LENGTH, WIDTH, WIDTH})};
    b.scene = phys_scene(b.mesh.point_count, b.mesh.points, NULL);
    b.batch = force_solids(b.scene, b.mesh.cell_count, b.mesh.cells, elasticity, young, poisson, 0);
    b.tip = phys_side(&b.mesh, 0, LENGTH, 1e-9);
    CHECK_INT(solid_fix_side(b.scene, &b.mesh, 0, 0, 1e-9), 4);
    solid_apply_jacobian_transpose(b.scene, &b.tip, traction);
    return b;
}

static void free_bar(bar* b) {
    phys_mesh_free(&b->mesh);
    free(b->tip.items);
}

static taut_world* bar_world(taut_backend_kind backend, const bar* b) {
    taut_world_def def = phys_world_def(backend, 1, 1);
    def.integrator = phys_preset(TAUT_PRESET_IMPLICIT_EULER);
    def.gravity[1] = 0;
    return phys_world(b->scene, &def);
}

static void settle(taut_world* world) {
    phys_settle(world, 0.1, 10, TO_REST, 100);
}

static void set_all(taut_world* world, const bar* b, const double* young, const double* poisson) {
    const size_t count = b->mesh.cell_count;
    double* values = phys_array(2 * count, sizeof *values);
    for (size_t c = 0; c < count; c++) {
        values[c] = young != NULL ? *young : 0;
        values[count + c] = poisson != NULL ? *poisson : 0;
    }
    CHECK_OK(taut_world_set_moduli(world, b->batch, 0, count, young != NULL ? values : NULL,
                                   poisson != NULL ? values + count : NULL));
    free(values);
}

/* ---- a bar that is pulled --------------------------------------------------------------------------------------- */

static double middle_of(const phys_mesh* mesh, size_t cell) {
    double sum = 0;
    for (size_t k = 0; k < 4; k++) {
        sum += mesh->points[3 * mesh->cells[4 * cell + k]];
    }
    return sum / 4;
}

/* Elements of the half next to the clamp, one by one. */
static void set_half(taut_world* world, const bar* b, double young) {
    for (size_t c = 0; c < b->mesh.cell_count; c++) {
        if (middle_of(&b->mesh, c) < LENGTH / 2) {
            CHECK_OK(taut_world_set_moduli(world, b->batch, c, 1, &young, NULL));
        }
    }
}

static void check_stretch(taut_world* world, const bar* b, double expected) {
    double u[3];
    settle(world);
    solid_face_displacement(world, &b->mesh, &b->tip, u);
    CHECK_NEAR(u[0], expected, 1e-7 * expected); /* masses and Jacobians are in float32 */
    CHECK_NEAR(u[1], 0, 1e-7 * expected);
}

TAUT_TEST(solids_moduli, stretch_as_the_modulus_says) {
    bar b = make_bar(TAUT_ELASTICITY_COROTATIONAL, YOUNG, 0, (const double[]){TRACTION, 0, 0});
    taut_world* world = bar_world(backend, &b);
    const double pull = TRACTION * LENGTH, stiff = 3 * YOUNG;
    check_stretch(world, &b, pull / YOUNG);
    set_all(world, &b, &stiff, NULL);
    check_stretch(world, &b, pull / stiff);
    set_half(world, &b, 0.5 * YOUNG); /* two springs, one after the other */
    check_stretch(world, &b, pull / 2 * (1 / (0.5 * YOUNG) + 1 / stiff));
    taut_world_destroy(world);
    free_bar(&b);
}

/* ---- shapes of worlds that were created so ---------------------------------------------------------------------- */

static const double askew[3] = {0.4 * TRACTION, -0.05 * TRACTION, 0}; /* pulls and bends */

/* Positions at rest; a world of `from` that gets `to`, where that is not NULL. To be freed. */
static double* shape_of(taut_backend_kind backend, taut_elasticity elasticity, const double from[2],
                        const double* young, const double* poisson, size_t* count) {
    bar b = make_bar(elasticity, from[0], from[1], askew);
    taut_world* world = bar_world(backend, &b);
    phys_run(world, 5, 0.05); /* on its way */
    if (young != NULL || poisson != NULL) {
        set_all(world, &b, young, poisson);
    }
    settle(world);
    double* x = phys_field(world, TAUT_FIELD_POSITIONS);
    *count = 3 * b.mesh.point_count;
    taut_world_destroy(world);
    free_bar(&b);
    return x;
}

static void check_same_shape(taut_backend_kind backend, taut_elasticity elasticity, bool young, bool poisson) {
    const double before[2] = {YOUNG, 0.1}, after[2] = {young ? 4 * YOUNG : YOUNG, poisson ? 0.45 : 0.1};
    size_t count = 0;
    double* plain = shape_of(backend, elasticity, before, NULL, NULL, &count);
    double* made = shape_of(backend, elasticity, after, NULL, NULL, &count);
    double* set = shape_of(backend, elasticity, before, young ? after : NULL, poisson ? after + 1 : NULL, &count);
    const double effect = phys_farthest(made, plain, count);
    test_note("%s%s%s", taut_elasticity_name(elasticity), young ? ", Young's modulus" : "",
              poisson ? ", Poisson's ratio" : "");
    CHECK(effect > 1e-4);
    CHECK_NEAR(phys_farthest(set, made, count), 0, 1e-5 * effect);
    free(plain);
    free(made);
    free(set);
}

TAUT_TEST(solids_moduli, shape_of_a_world_created_so) {
    for (int e = 0; e < (int)TAUT_ELASTICITY_COUNT; e++) {
        check_same_shape(backend, (taut_elasticity)e, true, true);
        check_same_shape(backend, (taut_elasticity)e, true, false);
        check_same_shape(backend, (taut_elasticity)e, false, true);
    }
}

/* ---- what a world keeps beside them ------------------------------------------------------------------------------ */

/* What is made of the moduli follows: with a half that is 10,000 times as stiff a solve takes about the iterations that
 * it takes in a world in which it always was. */
static uint32_t iterations(taut_backend_kind backend, taut_preconditioner by, bool beforehand) {
    bar b = make_bar(TAUT_ELASTICITY_COROTATIONAL, YOUNG, 0.3, askew);
    taut_world_def def = phys_world_def(backend, 1, 1);
    def.solver.method = TAUT_METHOD_CONDENSED;
    def.solver.preconditioner = by;
    def.solver.tolerance = 1e-6;
    taut_world* world = phys_world(b.scene, &def);
    taut_step_info info = {0};
    if (beforehand) {
        set_half(world, &b, 1e4 * YOUNG);
    }
    phys_run(world, 1, 1e-6); /* all is made, and nothing moves */
    if (!beforehand) {
        set_half(world, &b, 1e4 * YOUNG);
    }
    phys_run(world, 1, 0.1);
    CHECK_OK(taut_world_info(world, &info));
    CHECK_INT(info.outcome, TAUT_SOLVE_CONVERGED);
    taut_world_destroy(world);
    free_bar(&b);
    return info.iterations;
}

TAUT_TEST(solids_moduli, preconditioners_follow) {
    static const taut_preconditioner by[] = {TAUT_PRECONDITIONER_JACOBI, TAUT_PRECONDITIONER_MULTILEVEL};
    for (size_t i = 0; i < sizeof by / sizeof *by; i++) {
        const uint32_t before = iterations(backend, by[i], true), after = iterations(backend, by[i], false);
        test_note("preconditioner %d: %u iterations, %u with what was set before", (int)by[i], after, before);
        CHECK(after <= before + before / 5 + 3);
    }
}

/* Without a step in between: the clamp holds what the elements exert now, and an operator is linearised anew. At rest
 * A = M + h^2 K, with masses of 1 kg, and K goes with Young's modulus. */
TAUT_TEST(solids_moduli, forces_and_operators_follow_at_once) {
    bar b = make_bar(TAUT_ELASTICITY_COROTATIONAL, YOUNG, 0, (const double[]){TRACTION, 0, 0});
    taut_world* world = bar_world(backend, &b);
    const double stiff = 3 * YOUNG, h = 0.1, pull = TRACTION * WIDTH * WIDTH;
    const size_t values = 3 * b.mesh.point_count;
    double *x = phys_array(3 * values, sizeof *x), *before = x + values, *after = before + values;
    x[values - 3] = 1;
    CHECK_OK(taut_world_linearise(world, h));
    CHECK_OK(taut_world_apply(world, TAUT_OPERATOR_A, x, before));
    set_all(world, &b, &stiff, NULL);
    CHECK_STATUS(taut_world_apply(world, TAUT_OPERATOR_A, x, after), TAUT_INVALID_ARGUMENT);
    CHECK_OK(taut_world_linearise(world, h));
    CHECK_OK(taut_world_apply(world, TAUT_OPERATOR_A, x, after));
    for (size_t i = 0; i < values; i++) {
        CHECK_NEAR(after[i] - x[i], 3 * (before[i] - x[i]), 1e-5 * fabs(before[values - 3]));
    }
    settle(world);
    CHECK_NEAR(solid_balance_of(world).reaction[0], -pull, 1e-6 * pull);
    set_all(world, &b, &(double){YOUNG}, NULL);
    CHECK_NEAR(solid_balance_of(world).reaction[0], -pull / 3, 1e-6 * pull);
    taut_world_destroy(world);
    free_bar(&b);
    free(x);
}

/* What sleeps wakes, and gives way. */
TAUT_PLAIN_TEST(solids_moduli, changes_wake) {
    bar b = make_bar(TAUT_ELASTICITY_COROTATIONAL, YOUNG, 0, (const double[]){TRACTION, 0, 0});
    taut_world_def def = phys_world_def(TAUT_BACKEND_CPU, 1, 1);
    const double stiff = 2 * YOUNG;
    bool asleep = false;
    def.gravity[1] = 0;
    def.sleep.speed = 1e-3;
    taut_world* world = phys_world(b.scene, &def);
    settle(world);
    phys_run(world, 50, 0.02);
    CHECK_OK(taut_world_read_asleep(world, b.mesh.point_count - 1, 1, &asleep));
    CHECK(asleep);
    set_all(world, &b, &stiff, NULL);
    phys_run(world, 1, 0.02);
    CHECK_OK(taut_world_read_asleep(world, b.mesh.point_count - 1, 1, &asleep));
    CHECK(!asleep);
    taut_world_destroy(world);
    free_bar(&b);
}
