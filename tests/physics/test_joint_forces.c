/* Springs with dampers on joints, used as forces: they stand in A, as finite elements do. A body on a hinge with a
 * driven angle is a damped oscillator, I theta'' + (d theta' + theta)/c = 0. */
#include "phys_exact.h"
#include "phys_formulations.h"
#include "phys_frames.h"

#include <math.h>
#include <string.h>

#define START 0.1 /* rad */

typedef struct hinge_spring {
    double compliance, damping; /* rad/(N m), s */
    double arm;                 /* m: from the hinge to the centre of mass */
    bool force;
} hinge_spring;

#define MASS    2.0
#define INERTIA 0.5

static double inertia_of(const hinge_spring* s) {
    return INERTIA + MASS * s->arm * s->arm;
}

/* Weightless, at rest, turned by START from where the spring rests. */
static taut_scene* hinge_scene(const hinge_spring* s, taut_body* body) {
    taut_scene* scene = phys_empty_scene();
    phys_body bar = {.x = {s->arm, 0, 0}, .q = {1, 0, 0, 0}, .mass = MASS, .inertia = {INERTIA, INERTIA, INERTIA}};
    *body = phys_add_body(scene, &bar);
    taut_joints_def def = taut_default_joints();
    taut_joint_batches batches;
    double q[4];
    phys_hinge_about_z(q);
    def.type = TAUT_JOINT_HINGE;
    def.count = 1;
    def.bodies = (const taut_body[]){TAUT_WORLD, *body};
    def.positions = (const double[]){0, 0, 0};
    def.orientations = q;
    def.drive = true;
    def.targets = (const double[]){-START};
    def.drive_compliance = s->compliance;
    def.drive_damping = s->damping;
    CHECK_OK(taut_scene_add_joints(scene, &def, &batches));
    if (s->force) {
        CHECK_OK(taut_scene_use_as_forces(scene, batches.drive));
    }
    return scene;
}

/* Rotation about z. */
static double angle_of(taut_world* world, taut_body body) {
    phys_body at;
    phys_read_body(world, body, &at);
    return 2 * atan2(at.q[3], at.q[0]);
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

/* Largest error in two units of time of 1/w each, over START. */
static double oscillator_error(taut_backend_kind backend, formulation_id id, const hinge_spring* s, double step) {
    const double w = 1 / sqrt(s->compliance * inertia_of(s)), h = step / w;
    double worst = 0;
    taut_body body;
    taut_scene* scene = hinge_scene(s, &body);
    taut_world* world = phys_formulation_world(backend, scene, id, true);
    for (int i = 1; i <= lround(2 / step) && phys_run(world, 1, h); i++) {
        const double exact = phys_oscillation(inertia_of(s), s->compliance, s->damping, START, 0, i * h) - START;
        worst = phys_worse(worst, fabs(angle_of(world, body) - exact) / START);
    }
    taut_world_destroy(world);
    return worst;
}

static const struct {
    formulation_id id;
    double order;
} schemes[] = {{IMPLICIT_EULER, 1}, {MOMENTUM, 1},           {THETA, 1},
               {MIDPOINT, 2},       {MIDPOINT_TWO_STAGE, 2}, {ACCELERATIONS, 1}};

#define SCHEME_COUNT (sizeof schemes / sizeof *schemes)

/* About its centre, so that nothing but the spring is in the way of the order; as a force, and as a constraint. */
TAUT_TEST(joint_forces, oscillators_have_the_order_of_the_scheme) {
    for (size_t i = 0; i < SCHEME_COUNT; i++) {
        for (int variant = 0; variant < 4; variant++) {
            const double ratio = variant / 2 == 0 ? 0 : 0.3, compliance = 1e-4;
            const hinge_spring s = {compliance, 2 * ratio * sqrt(compliance * INERTIA), 0, variant % 2 == 0};
            const double coarse = oscillator_error(backend, schemes[i].id, &s, 0.05);
            const double fine = oscillator_error(backend, schemes[i].id, &s, 0.025);
            test_note("%s, %s, ratio %g: %.3g and %.3g", formulations[schemes[i].id].name,
                      s.force ? "force" : "constraint", ratio, coarse, fine);
            CHECK_NEAR(phys_order(coarse, fine), schemes[i].order, 0.2);
            CHECK(fine < (schemes[i].order > 1 ? 1e-3 : 0.05));
        }
    }
}

/* ---- stability --------------------------------------------------------------------------------------------------- */

static double energy_of(taut_world* world) {
    taut_step_info info;
    CHECK_OK(taut_world_info(world, &info));
    return info.kinetic + info.elastic;
}

/* Steps of `step` / w: energy never rises above what the spring held, and a scheme that damps comes to rest. */
static void check_stiff(taut_backend_kind backend, formulation_id id, const hinge_spring* s, double step) {
    const double h = step * sqrt(s->compliance * inertia_of(s)), stored = START * START / (2 * s->compliance);
    taut_body body;
    taut_scene* scene = hinge_scene(s, &body);
    taut_world* world = phys_formulation_world(backend, scene, id, true);
    double most = 0, last = 0;
    for (int i = 0; i < 100 && phys_run(world, 1, h); i++) {
        last = energy_of(world);
        most = phys_worse(most, last / stored);
    }
    test_note("%s, steps of %g/w, d/h %g, arm %g: at most %.9f of the energy, then %.3g", formulations[id].name, step,
              s->damping / h, s->arm, most, last / stored);
    CHECK(most <= 1 + 1e-6);
    if (id == IMPLICIT_EULER || id == MOMENTUM || id == ACCELERATIONS) {
        CHECK(last / stored < 1e-6);
        CHECK_NEAR(angle_of(world, body), -START, 1e-3 * START);
    }
    taut_world_destroy(world);
}

TAUT_TEST(joint_forces, stiff_springs_are_stable_at_any_step) {
    static const double steps[] = {1, 30, 1000};
    for (size_t i = 0; i < SCHEME_COUNT; i++) {
        for (int k = 0; k < 3; k++) {
            for (int damped = 0; damped < 2; damped++) {
                const double compliance = 1e-6, h = steps[k] * sqrt(compliance * INERTIA);
                const hinge_spring s = {compliance, damped ? 2 * h : 0, 0, true};
                check_stiff(backend, schemes[i].id, &s, steps[k]);
            }
        }
    }
}

/* With the hinge's own rows at work. */
TAUT_TEST(joint_forces, stiff_springs_at_an_arm) {
    for (int damped = 0; damped < 2; damped++) {
        const double compliance = 1e-5, step = 50;
        hinge_spring s = {compliance, 0, 0.3, true};
        s.damping = damped ? step * sqrt(compliance * inertia_of(&s)) : 0;
        check_stiff(backend, IMPLICIT_EULER, &s, step);
        check_stiff(backend, MOMENTUM, &s, step);
        check_stiff(backend, ACCELERATIONS_BAUMGARTE, &s, step);
    }
}

/* ---- A ----------------------------------------------------------------------------------------------------------- */

/* Of the body's turn about z, for a step of h: I + (h^2 + h d)/c of implicit Euler, I + (h^2/4 + h d/2)/c of the
 * midpoint rule; a M + (c h^2 + b h d)/compliance of the primal family. A constraint is not in it. */
static void check_matrix(taut_backend_kind backend, formulation_id id, bool force, double expected) {
    const hinge_spring s = {1e-3, 0.04, 0, force};
    taut_body body;
    taut_scene* scene = hinge_scene(&s, &body);
    taut_world* world = phys_formulation_world(backend, scene, id, true);
    double in[3 * 8] = {0}, out[3 * 8], back[3 * 8], rows[8];
    const size_t at = 3 * (taut_world_particle_count(world) + body.frame) + 2;
    CHECK(at < 3 * 8 && taut_world_row_count(world) == 6);
    CHECK_OK(taut_world_linearise(world, 0.02));
    in[at] = 1;
    CHECK_OK(taut_world_apply(world, TAUT_OPERATOR_A, in, out));
    CHECK_NEAR(out[at] / expected, 1, 1e-6);
    CHECK_OK(taut_world_apply(world, TAUT_OPERATOR_A_INVERSE, in, back));
    CHECK_NEAR(back[at] * expected, 1, 1e-6);
    CHECK_OK(taut_world_apply(world, TAUT_OPERATOR_J, in, rows));
    CHECK_NEAR(fabs(rows[5]), force ? 0 : 1, 1e-6); /* the drive's row is the last */
    taut_world_destroy(world);
}

TAUT_TEST(joint_forces, springs_and_dampers_stand_in_the_matrix) {
    const double h = 0.02, d = 0.04, c = 1e-3;
    check_matrix(backend, IMPLICIT_EULER, true, INERTIA + (h * h + h * d) / c);
    check_matrix(backend, MOMENTUM, true, INERTIA + (h * h + h * d) / c);
    check_matrix(backend, ACCELERATIONS, true, INERTIA + (h * h + h * d) / c);
    check_matrix(backend, MIDPOINT, true, INERTIA + (h * h / 4 + h * d / 2) / c);
    check_matrix(backend, IMPLICIT_EULER, false, INERTIA);
    check_matrix(backend, MOMENTUM, false, INERTIA);
}
