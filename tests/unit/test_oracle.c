/* Steps of the world against the float64 reference: every kind, every scheme, soft to hard. */
#include <math.h>
#include <string.h>

#include "compare.h"
#include "harness.h"
#include "small_scenes.h"
#include "unguarded.h"

/* ---- scenes ---------------------------------------------------------------------------------------------------- */

typedef void build_fn(oracle_scene* scene, scene_material material);

static const double down[3] = {0.03, -0.1, 0.02};
static const scene_material stiff = {1e-6, 0.005}; /* damped, since l = alpha (h beta + d) must be positive */

static void build_distances(oracle_scene* scene, scene_material material) {
    scene_rope(scene, 6, down, 0.1, material);
    scene_rope(scene, 2, down, 3, material);
}

static void build_attachments(oracle_scene* scene, scene_material material) {
    scene_rope(scene, 4, down, 0.1, stiff);
    scene_attach(scene, 1, 4, material);
    scene_attach(scene, 0, 2, material);
}

static void build_targets(oracle_scene* scene, scene_material material) {
    const double rate[3] = {0.5, -0.2, 0.1}, still[3] = {0, 0, 0};
    scene_rope(scene, 4, down, 0.1, stiff);
    scene_target(scene, 2, rate, material);
    scene_target(scene, 4, still, material);
}

static void build_bends(oracle_scene* scene, scene_material material) {
    scene_sheet_bends(scene, scene_sheet(scene, 3, 3, 0.1, 0.05), material);
}

/* Two triangles that share a corner: independent rows even when hard. */
static void build_membranes(oracle_scene* scene, scene_material material) {
    static const double x[5][3] = {{0, 0, 0}, {0.1, 0.02, 0}, {0, 0.12, 0.03}, {-0.1, 0, 0.05}, {-0.03, -0.1, 0}};
    for (int i = 0; i < 5; i++) {
        oracle_scene_particle(scene, x[i][0], x[i][1], x[i][2], 0.02 + 0.01 * i, i == 4);
    }
    oracle_constraint c = {.kind = TAUT_MEMBRANE,
                           .particles = {0, 1, 2},
                           .rest = {0, 0, 0.1, 0, 0, 0.12},
                           .compliance = material.compliance,
                           .damping = material.damping,
                           .poisson = 0.3};
    oracle_scene_constraint(scene, &c);
    const uint32_t other[3] = {0, 3, 4};
    memcpy(c.particles, other, sizeof other);
    c.poisson = -0.4;
    oracle_scene_constraint(scene, &c);
}

static void build_tet_volumes(oracle_scene* scene, scene_material material) {
    scene_block_volumes(scene, scene_block(scene, 1, 0.2, 0.05), 1, material);
}

static void build_tet_strain(oracle_scene* scene, scene_material material) {
    static const double x[7][3] = {{0, 0, 0},    {0.1, 0, 0},  {0, 0.1, 0},        {0, 0.02, 0.1},
                                   {-0.1, 0, 0}, {0, -0.1, 0}, {-0.05, -0.05, 0.1}};
    for (int i = 0; i < 7; i++) {
        oracle_scene_particle(scene, x[i][0], x[i][1], x[i][2], 0.02 + 0.01 * i, i == 6);
    }
    oracle_constraint c = {.kind = TAUT_TET_STRAIN,
                           .particles = {0, 1, 2, 3},
                           .compliance = material.compliance,
                           .rest = {0, 0, 0, 0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1},
                           .damping = material.damping,
                           .poisson = 0.45};
    oracle_scene_constraint(scene, &c);
    const uint32_t other[4] = {0, 4, 5, 6};
    memcpy(c.particles, other, sizeof other);
    oracle_scene_constraint(scene, &c);
}

static void build_linear(oracle_scene* scene, scene_material material) {
    scene_rope_bending(scene, scene_rope(scene, 5, down, 0.1, stiff), 5, material);
}

/* A fixed particle on the move, with distances to it. */
static void build_moving_fixed(oracle_scene* scene, scene_material material) {
    const double v[3] = {1, 0.5, -0.4};
    scene_rope(scene, 6, down, 0.1, material);
    memcpy(scene->particles[0].v, v, sizeof v);
    scene->particles[3].fixed = true;
}

static void build_cloth(oracle_scene* scene, scene_material material) {
    scene_cloth(scene, 8, 8, material, material);
}

static void build_sheet(oracle_scene* scene, scene_material material) {
    const scene_grid grid = scene_sheet(scene, 5, 5, 0.1, 0.02);
    scene_sheet_membranes(scene, grid, material);
    scene_sheet_pin_corners(scene, grid);
}

static void build_block(oracle_scene* scene, scene_material material) {
    const uint32_t first = scene_block(scene, 2, 0.1, 0.05);
    scene_block_strains(scene, first, 2, material);
    scene_block_volumes(scene, first, 2, material);
    scene->particles[first].fixed = true;
}

static void build_rope(oracle_scene* scene, scene_material material) {
    scene_rope_bending(scene, scene_rope(scene, 20, down, 0.01, material), 20, (scene_material){1e-3, 0.1});
}

static void build_mixed(oracle_scene* scene, scene_material material) {
    scene_mixed(scene, material.compliance, material.damping);
}

/* ---- settings -------------------------------------------------------------------------------------------------- */

static const double schemes[5][2] = {{1, 1}, {0.6, 0.7}, {0.5, 0.5}, {1, 0}, {0.5, 1}};
static const double compliances[5] = {0, 1e-8, 1e-4, 1, 1e6};

enum { SETTINGS = 5 * 5 * 2 * 2 };

typedef struct setting {
    double alpha, beta, hard_row_damping;
    bool geometric;
    scene_material material;
} setting;

/* All combinations. l = alpha (h beta + d) must be positive, so beta = 0 goes with damping only. */
static setting setting_at(int i) {
    const double* scheme = schemes[i % 5];
    const bool damped = i / 50 % 2 == 1 || scheme[1] == 0;
    return (setting){
        scheme[0], scheme[1], scheme[0] < 1 ? 1 : 0, i / 25 % 2 == 1, {compliances[i / 5 % 5], damped ? 0.02 : 0}};
}

static taut_world_def world_of(taut_backend_kind backend, taut_method method, const setting* s) {
    taut_world_def def = unguarded_world();
    def.backend = backend;
    def.solver.method = method;
    def.gravity[0] = 0.7;
    def.integrator.alpha = s->alpha;
    def.integrator.beta = s->beta;
    def.integrator.hard_row_damping = s->hard_row_damping;
    def.integrator.geometric_stiffness = s->geometric ? TAUT_GEOMETRIC_FULL : TAUT_GEOMETRIC_NONE;
    return def;
}

static void note(const char* scene, const setting* s, int step, const step_difference* d) {
    test_note("%s: alpha %g beta %g %s C %g d %g, step %d: outcome %d after %u iterations, residual %.2g, condition "
              "%.2g; dv %.2g gam %.2g backward %.2g (%.2g) x %.2g phi %.2g",
              scene, s->alpha, s->beta, s->geometric ? "full" : "none", s->material.compliance, s->material.damping,
              step, (int)d->outcome, d->iterations, d->residual, d->condition, d->dv, d->gam, d->backward, d->part,
              d->position, d->phi);
}

/* A condition that conjugate gradients in float32 with a float64 residual must master: 1e6 times the unit roundoff of
 * float32 is 0.06, so that every pass gains a digit. Beyond, giving up is allowed when it is said. */
static const double reach = 1e6;

static void check_surrender(const step_difference* d) {
    CHECK(d->condition > reach);
    CHECK(d->residual > 1e-10);
    CHECK(isfinite(d->dv) && isfinite(d->gam));
}

/* Jacobians and roots are stored in float32 (unit roundoff 6e-8) and the residual is driven to 1e-10 in float64: gam
 * solves a system perturbed by some 1e-7 a row, which the backward error shows whatever the condition; where gam
 * follows from dv, that has a part of the residual as well. Velocities follow it closely; multipliers of nearly
 * redundant stiff rows are worse determined, by up to |J M^-1 J^T| / (C/(h l)). Where that is beyond reach and the
 * solver gets there all the same, soft motions are as uncertain as stiff rows of float32 make them: by the root of the
 * condition. */
static void check_difference(const char* scene, const setting* s, int step, const step_difference* d, double asked) {
    const double rounded = d->condition > reach ? 6e-8 * sqrt(d->condition) : 0;
    const double tolerance = rounded > asked ? rounded : asked;
    note(scene, s, step, d);
    if (d->outcome == TAUT_SOLVE_CONVERGED || d->residual <= d->rounding) {
        CHECK_NEAR(d->residual, 0, fmax(1e-10, d->rounding));
        CHECK_NEAR(d->backward, 0, COMPARE_ROUNDING + d->residual * d->part);
        CHECK_NEAR(d->dv, 0, tolerance);
        CHECK_NEAR(d->gam, 0, 100 * tolerance);
        CHECK_NEAR(d->position, 0, tolerance);
        CHECK_NEAR(d->kinetic, 0, tolerance);
        CHECK_NEAR(d->potential, 0, tolerance);
    } else {
        check_surrender(d);
    }
    CHECK_NEAR(d->phi, 0, 1e-11);
    test_note(NULL);
}

static void check_steps(taut_backend_kind backend, taut_method method, const char* name, build_fn* build,
                        const setting* s, int steps, double tolerance) {
    const taut_world_def def = world_of(backend, method, s);
    oracle_scene scene = {0};
    companion c;
    build(&scene, s->material);
    scene_shake(&scene, 7, 0.004, 0.3);
    test_note("%s", name);
    if (!companion_open(&c, scene, &def)) {
        return;
    }
    for (int k = 0; k < steps; k++) {
        step_difference d;
        if (!companion_step(&c, 0.01, &d)) {
            break;
        }
        check_difference(name, s, k, &d, tolerance);
    }
    companion_close(&c);
}

static void check_all(taut_backend_kind backend, taut_method method, const char* name, build_fn* build, int stride,
                      int steps, double tolerance) {
    for (int i = 0; i < SETTINGS; i += stride) {
        const setting s = setting_at(i);
        check_steps(backend, method, name, build, &s, steps, tolerance);
    }
}

/* All settings; on CUDA, which may be an emulator, every third: any stride without 2 and 5 visits every value. */
#define ORACLE_KIND(kind)                                                                                              \
    TAUT_TEST(oracle_step, kind) {                                                                                     \
        check_all(backend, TAUT_METHOD_SCHUR, #kind, build_##kind, backend == TAUT_BACKEND_CUDA ? 3 : 1, 5, 1e-5);     \
    }                                                                                                                  \
    TAUT_TEST(oracle_condensed, kind) {                                                                                \
        check_all(backend, TAUT_METHOD_CONDENSED, #kind, build_##kind, backend == TAUT_BACKEND_CUDA ? 3 : 1, 5, 1e-5); \
    }                                                                                                                  \
    TAUT_PLAIN_TEST(oracle_direct, kind) {                                                                             \
        if (test_direct()) {                                                                                           \
            check_all(TAUT_BACKEND_CPU, TAUT_METHOD_DIRECT, #kind, build_##kind, 1, 5, 1e-5);                          \
        }                                                                                                              \
    }
ORACLE_KIND(distances)
ORACLE_KIND(attachments)
ORACLE_KIND(targets)
ORACLE_KIND(bends)
ORACLE_KIND(membranes)
ORACLE_KIND(tet_volumes)
ORACLE_KIND(tet_strain)
ORACLE_KIND(linear)
ORACLE_KIND(moving_fixed)

/* Larger scenes: a stride that visits every value of every parameter. Rows are redundant when hard. */
static void check_soft(taut_backend_kind backend, taut_method method, const char* name, build_fn* build) {
    for (int i = 0; i < SETTINGS; i += 7) {
        const setting s = setting_at(i);
        if (s.material.compliance > 0) {
            check_steps(backend, method, name, build, &s, 3, 1e-5);
        }
    }
}

#define ORACLE_SCENE(name)                                                                                             \
    TAUT_TEST(oracle_step, name) {                                                                                     \
        check_soft(backend, TAUT_METHOD_SCHUR, #name, build_##name);                                                   \
    }                                                                                                                  \
    TAUT_TEST(oracle_condensed, name) {                                                                                \
        check_soft(backend, TAUT_METHOD_CONDENSED, #name, build_##name);                                               \
    }                                                                                                                  \
    TAUT_PLAIN_TEST(oracle_direct, name) {                                                                             \
        if (test_direct()) {                                                                                           \
            check_soft(TAUT_BACKEND_CPU, TAUT_METHOD_DIRECT, #name, build_##name);                                     \
        }                                                                                                              \
    }
ORACLE_SCENE(cloth)
ORACLE_SCENE(sheet)
ORACLE_SCENE(block)
ORACLE_SCENE(rope)
ORACLE_SCENE(mixed)

/* Hard and redundant, yet free of contradictions: started unstretched and at rest, phi = 0 and J v = 0, so that
 * b = -J A^+ h f lies in the range of S. gam is not unique there; dv is. */
static void check_redundant(taut_backend_kind backend, taut_method method, const char* name, build_fn* build) {
    const setting s = {.alpha = 1, .beta = 1, .geometric = true};
    const taut_world_def def = world_of(backend, method, &s);
    oracle_scene scene = {0};
    companion c;
    step_difference d;
    build(&scene, s.material);
    if (!companion_open(&c, scene, &def)) {
        return;
    }
    c.minimum_norm = true;
    if (companion_step(&c, 0.01, &d)) {
        note(name, &s, 0, &d);
        if (d.condition <= reach) { /* float32 rows may stop the residual short of 1e-10, not the motion */
            CHECK_NEAR(d.dv, 0, 1e-4);
        } else {
            check_surrender(&d);
        }
    }
    test_note(NULL);
    companion_close(&c);
}

TAUT_TEST(oracle_step, redundant_hard_cloth) {
    check_redundant(backend, TAUT_METHOD_SCHUR, "cloth", build_cloth);
}
TAUT_TEST(oracle_condensed, redundant_hard_cloth) {
    check_redundant(backend, TAUT_METHOD_CONDENSED, "cloth", build_cloth);
}
TAUT_TEST(oracle_step, redundant_hard_sheet) {
    check_redundant(backend, TAUT_METHOD_SCHUR, "sheet", build_sheet);
}
TAUT_TEST(oracle_condensed, redundant_hard_sheet) {
    check_redundant(backend, TAUT_METHOD_CONDENSED, "sheet", build_sheet);
}
TAUT_TEST(oracle_step, redundant_hard_block) {
    check_redundant(backend, TAUT_METHOD_SCHUR, "block", build_block);
}
TAUT_TEST(oracle_condensed, redundant_hard_block) {
    check_redundant(backend, TAUT_METHOD_CONDENSED, "block", build_block);
}

TAUT_PLAIN_TEST(oracle_direct, redundant_hard) {
    if (test_direct()) {
        check_redundant(TAUT_BACKEND_CPU, TAUT_METHOD_DIRECT, "cloth", build_cloth);
        check_redundant(TAUT_BACKEND_CPU, TAUT_METHOD_DIRECT, "sheet", build_sheet);
        check_redundant(TAUT_BACKEND_CPU, TAUT_METHOD_DIRECT, "block", build_block);
    }
}

/* Where sweeps are not too many: kinds whose rows are not all stiff; on CUDA, which may be an emulator, fewer settings.
 */
#define ORACLE_SWEEPS(kind)                                                                                            \
    TAUT_TEST(oracle_gauss_seidel, kind) {                                                                             \
        check_all(backend, TAUT_METHOD_GAUSS_SEIDEL, #kind, build_##kind, backend == TAUT_BACKEND_CUDA ? 21 : 3, 3,    \
                  1e-5);                                                                                               \
    }
ORACLE_SWEEPS(distances)
ORACLE_SWEEPS(attachments)
ORACLE_SWEEPS(targets)
ORACLE_SWEEPS(bends)
ORACLE_SWEEPS(membranes)
ORACLE_SWEEPS(tet_volumes)
ORACLE_SWEEPS(tet_strain)
ORACLE_SWEEPS(moving_fixed)
/* Too many for an emulator. */
TAUT_PLAIN_TEST(oracle_gauss_seidel, rope) {
    check_soft(TAUT_BACKEND_CPU, TAUT_METHOD_GAUSS_SEIDEL, "rope", build_rope);
}
TAUT_PLAIN_TEST(oracle_gauss_seidel, redundant_hard) {
    check_redundant(TAUT_BACKEND_CPU, TAUT_METHOD_GAUSS_SEIDEL, "sheet", build_sheet);
}

TAUT_TEST(oracle_step, every_preconditioner) {
    for (int p = TAUT_PRECONDITIONER_AUTO; p <= TAUT_PRECONDITIONER_MULTILEVEL; p++) {
        const setting s = {0.6, 0.7, 1, true, {1e-5, 0.01}};
        taut_world_def def = world_of(backend, TAUT_METHOD_SCHUR, &s);
        oracle_scene scene = {0};
        companion c;
        step_difference d;
        def.solver.preconditioner = (taut_preconditioner)p;
        build_mixed(&scene, s.material);
        if (!companion_open(&c, scene, &def)) {
            return;
        }
        for (int k = 0; k < 3 && companion_step(&c, 0.01, &d); k++) {
            check_difference(p == TAUT_PRECONDITIONER_BLOCK ? "block" : "mixed", &s, k, &d, 1e-5);
        }
        companion_close(&c);
    }
}

TAUT_TEST(oracle_condensed, every_preconditioner) {
    static const taut_preconditioner all[3] = {TAUT_PRECONDITIONER_AUTO, TAUT_PRECONDITIONER_JACOBI,
                                               TAUT_PRECONDITIONER_MULTILEVEL};
    for (int p = 0; p < 3; p++) {
        const setting s = {0.6, 0.7, 1, true, {1e-5, 0.01}};
        taut_world_def def = world_of(backend, TAUT_METHOD_CONDENSED, &s);
        oracle_scene scene = {0};
        companion c;
        step_difference d;
        def.solver.preconditioner = all[p];
        build_mixed(&scene, s.material);
        if (!companion_open(&c, scene, &def)) {
            return;
        }
        for (int k = 0; k < 3 && companion_step(&c, 0.01, &d); k++) {
            check_difference("mixed", &s, k, &d, 1e-5);
        }
        companion_close(&c);
    }
}

/* Masses over six orders of magnitude on one rope. */
static void check_mass_ratios(taut_backend_kind backend, taut_method method) {
    const setting s = {1, 1, 0, true, {0, 0}};
    const taut_world_def def = world_of(backend, method, &s);
    oracle_scene scene = {0};
    companion c;
    step_difference d;
    build_distances(&scene, s.material);
    for (size_t i = 0; i < scene.particle_count; i++) {
        scene.particles[i].mass = i % 3 == 0 ? 1e-3 : i % 3 == 1 ? 1 : 1e3;
    }
    scene_shake(&scene, 3, 0.002, 0.1);
    if (!companion_open(&c, scene, &def)) {
        return;
    }
    for (int k = 0; k < 5 && companion_step(&c, 1.0 / 60, &d); k++) {
        check_difference("mass ratios", &s, k, &d, 1e-4);
    }
    companion_close(&c);
}

TAUT_TEST(oracle_step, mass_ratios) {
    check_mass_ratios(backend, TAUT_METHOD_SCHUR);
}
TAUT_TEST(oracle_condensed, mass_ratios) {
    check_mass_ratios(backend, TAUT_METHOD_CONDENSED);
}
TAUT_PLAIN_TEST(oracle_direct, mass_ratios) {
    if (test_direct()) {
        check_mass_ratios(TAUT_BACKEND_CPU, TAUT_METHOD_DIRECT);
    }
}
