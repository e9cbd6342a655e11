/* A mass on a spring with a damper, at every stiffness from none to hard, by every formulation: the closed form of
 * test_oscillator.c. */
#include "phys_exact.h"
#include "phys_formulations.h"
#include "phys_frames.h"

#include <math.h>
#include <stdlib.h>

/* ---- one mass on one spring -------------------------------------------------------------------------------------- */

#define START 0.1 /* m */

typedef struct spring {
    double compliance, damping;
    double launch; /* m/s */
    bool force;    /* used as a force field, not as a constraint */
} spring;

/* 1 kg without weight on a target at the origin, START off it. */
static taut_world* make_spring(taut_backend_kind backend, formulation_id id, const spring* s) {
    taut_scene* scene = phys_scene(1, (const double[]){0, START, 0}, NULL);
    taut_target_def def = taut_default_target();
    taut_batch batch;
    def.count = 1;
    def.particles = (const uint32_t[]){0};
    def.targets = (const double[]){0, 0, 0};
    def.compliance = s->compliance;
    def.damping = s->damping;
    CHECK_OK(taut_scene_add_targets(scene, &def, &batch));
    if (s->force) {
        CHECK_OK(taut_scene_use_as_forces(scene, batch));
    }
    taut_world* world = phys_formulation_world(backend, scene, id, true);
    CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, 0, 1, (const double[]){0, s->launch, 0}));
    return world;
}

/* phi + d phidot = 0 where the compliance is 0. */
static double exact(const spring* s, double t) {
    return s->compliance > 0 ? phys_oscillation(1, s->compliance, s->damping, START, s->launch, t)
                             : START * exp(-t / s->damping);
}

/* Largest error on the way, over START. */
static double spring_error(taut_backend_kind backend, formulation_id id, const spring* s, double h, size_t steps) {
    double worst = 0;
    taut_world* world = make_spring(backend, id, s);
    for (size_t i = 1; i <= steps && phys_run(world, 1, h); i++) {
        double x[3];
        phys_position(world, 0, x);
        worst = phys_worse(worst, fabs(x[1] - exact(s, (double)i * h)) / START);
    }
    taut_world_destroy(world);
    return worst;
}

static double order_of(formulation_id id) {
    const taut_integrator i = formulation_integrator(id);
    if (i.formulation == TAUT_FORMULATION_ACCELERATION) {
        return i.stepper == TAUT_STEPPER_RK4 ? 4 : 1;
    }
    return i.formulation == TAUT_FORMULATION_THETA && i.alpha == 0.5 ? 2 : 1;
}

/* ---- every regime, at every stiffness ---------------------------------------------------------------------------- */

static const double ratios[] = {0, 0.1, 1, 3}; /* d w/2: undamped, under-, critically and over-damped */

/* Of angular frequency w, so that time is counted in 1/w. */
static spring spring_of(double compliance, double ratio, bool force) {
    const double w = sqrt(1 / compliance);
    return (spring){compliance, 2 * ratio / w, 0.3 * START * w, force};
}

/* Of two units of time in steps of that part of one. */
static double scaled_error(taut_backend_kind backend, formulation_id id, const spring* s, double step) {
    return spring_error(backend, id, s, step * sqrt(s->compliance), (size_t)lround(2 / step));
}

/* The constant of the error over START, constant (h w)^order, in the regime where it is largest, as a constraint and as
 * a force: measured, and twice as much is allowed. */
static const double constants[FORMULATION_COUNT][2] = {
    [EXPLICIT_EULER] = {0.53, 0.41},
    [SYMPLECTIC_EULER] = {0.39, 0.5},
    [IMPLICIT_EULER] = {0.39, 0.39},
    [IMPLICIT_EULER_NEWTON] = {0.39, 0.39},
    [IMPLICIT_EULER_PROJECTED] = {0.39, 0.39},
    [MOMENTUM] = {0.39, 0.39},
    [THETA] = {0.12, 0.12},
    [MIDPOINT] = {0.17, 0.17},
    [MIDPOINT_NEWTON] = {0.17, 0.17},
    [MIDPOINT_TWO_STAGE] = {0.17, 0.17},
    [ACCELERATIONS] = {0.54, 0.54},
    [ACCELERATIONS_BAUMGARTE] = {0.54, 0.54},
    [ACCELERATIONS_RK4] = {0.37, 0.37},
    [ACCELERATIONS_RK4_BAUMGARTE] = {0.37, 0.37},
    [ACCELERATIONS_RK4_PROJECTED] = {0.37, 0.37},
};

static void check_spring(taut_backend_kind backend, formulation_id id, double ratio, bool force) {
    const spring s = spring_of(0.01, ratio, force);
    const double order = order_of(id), step = order < 4 ? 0.05 : 0.1;
    const double coarse = scaled_error(backend, id, &s, step), fine = scaled_error(backend, id, &s, step / 2);
    const double constant = fine / pow(step / 2, order);
    test_note("%s, %s, ratio %g: errors %.3g and %.3g, order %.2f, constant %.3g", formulations[id].name,
              force ? "force" : "constraint", ratio, coarse, fine, phys_order(coarse, fine), constant);
    CHECK_NEAR(phys_order(coarse, fine), order, order < 4 ? 0.2 : 0.4);
    CHECK(constant < 2 * constants[id][force]);
}

TAUT_TEST(mechanisms, springs_in_every_regime) {
    for (int id = 0; id < FORMULATION_COUNT; id++) {
        for (int i = 0; i < 4; i++) {
            check_spring(backend, (formulation_id)id, ratios[i], false);
            check_spring(backend, (formulation_id)id, ratios[i], true);
        }
    }
}

/* In units of 1/w the motion is the same for every stiffness, and so must be its error; C/(h l) is rounded to float32.
 */
TAUT_TEST(mechanisms, springs_of_every_stiffness) {
    for (int i = 0; i < 4 * FORMULATION_COUNT; i++) {
        const formulation_id id = (formulation_id)(i / 4);
        const bool force = i % 2 == 1;
        const double ratio = i / 2 % 2 == 0 ? 0.1 : 3;
        const spring unit = spring_of(1, ratio, force);
        const double expected = scaled_error(backend, id, &unit, 0.2);
        double worst = 0;
        for (double compliance = 1e-12; compliance < 2e6; compliance *= 1e3) {
            const spring s = spring_of(compliance, ratio, force);
            worst = phys_worse(worst, fabs(scaled_error(backend, id, &s, 0.2) - expected));
        }
        test_note("%s, %s, ratio %g: %.3g apart of %.3g", formulations[id].name, force ? "force" : "constraint", ratio,
                  worst, expected);
        CHECK(worst < 1e-10);
    }
}

/* ---- dampers up to hard ------------------------------------------------------------------------------------------ */

/* Whether a stiff spring may be stepped over: not where rows with compliance act with the force that they have. */
static bool is_stiffly_stable(formulation_id id, bool force) {
    const taut_integrator i = formulation_integrator(id);
    return i.formulation != TAUT_FORMULATION_ACCELERATION && !(force && i.split_forces);
}

/* Over-damped in every case and on the slow one of its two decays, which is exp(-t/d) where the compliance is 0. */
static spring damper_of(double compliance, bool force) {
    const double d = 0.2, slow = 2 / (d + sqrt(d * d - 4 * compliance));
    return (spring){compliance, d, -START * slow, force};
}

static void check_damper(taut_backend_kind backend, formulation_id id, double compliance, bool force) {
    const spring s = damper_of(compliance, force);
    const double coarse = spring_error(backend, id, &s, 0.01, 40), fine = spring_error(backend, id, &s, 0.005, 80);
    test_note("%s, %s, compliance %g: errors %.3g and %.3g", formulations[id].name, force ? "force" : "constraint",
              compliance, coarse, fine);
    CHECK_NEAR(phys_order(coarse, fine), order_of(id), 0.15);
}

/* One order, whatever the stiffness. Projections take a hard damper to its target at once. */
TAUT_TEST(mechanisms, dampers_up_to_hard) {
    const double compliances[] = {1e-3, 1e-6, 1e-9, 1e-12, 0};
    for (int id = 0; id < FORMULATION_COUNT; id++) {
        for (int i = 0; i < 5; i++) {
            const bool hard = compliances[i] == 0;
            if (is_stiffly_stable((formulation_id)id, false) && !(hard && formulations[id].projections > 0)) {
                check_damper(backend, (formulation_id)id, compliances[i], false);
            }
            if (is_stiffly_stable((formulation_id)id, true) && !hard) {
                check_damper(backend, (formulation_id)id, compliances[i], true);
            }
        }
    }
}

/* ---- links up to hard -------------------------------------------------------------------------------------------- */

#define STEP (1.0 / 120)

/* Where a mass on a link is, let go level, after half a second. A hard row has the damping time that its scheme gives
 * it; so has a compliant one here. */
static void swing(taut_backend_kind backend, formulation_id id, double compliance, double x[3]) {
    const taut_integrator i = formulation_integrator(id);
    taut_scene* scene = phys_scene(2, (const double[]){0, 0, 0, 1, 0, 0}, NULL);
    phys_fix(scene, 1, (const uint32_t[]){0});
    phys_add_links(scene, &(phys_tuples){1, (uint32_t[]){0, 1}}, compliance, i.hard_row_damping * STEP);
    taut_world* world = phys_formulation_world(backend, scene, id, false);
    phys_run(world, 60, STEP);
    phys_position(world, 1, x);
    taut_world_destroy(world);
}

/* The way to the hard link is straight: its length goes with the compliance. Jacobians jump by roundings of float32 on
 * it, as many as it is long, so that its last part is rough. Where hard rows are projected compliant ones are not:
 * their limit is the scheme without projections. */
TAUT_TEST(mechanisms, links_tend_to_hard) {
    for (int id = 0; id < FORMULATION_COUNT; id++) {
        const formulation_id limit = id == IMPLICIT_EULER_PROJECTED ? IMPLICIT_EULER : (formulation_id)id;
        double hard[3], x[3], last = 0;
        if (!is_stiffly_stable((formulation_id)id, false)) {
            continue;
        }
        swing(backend, limit, 0, hard);
        for (double compliance = 1e-5; compliance > 5e-13; compliance /= 10) {
            swing(backend, (formulation_id)id, compliance, x);
            const double distance = phys_apart(x, hard);
            test_note("%s, compliance %g: %.4g m, then %.4g m from the hard link", formulations[id].name, compliance,
                      last, distance);
            CHECK(distance < 50 * compliance);
            if (last > 0) {
                CHECK_NEAR(last / distance, 10, distance > 1e-7 ? 0.5 : 2);
            }
            last = distance;
        }
    }
}

/* ---- no stiffness ------------------------------------------------------------------------------------------------ */

/* A spring of 1e-30 N/m lets it fly. */
static void check_flight(taut_backend_kind backend, formulation_id id, const spring* s) {
    double x[3];
    taut_world* world = make_spring(backend, id, s);
    phys_run(world, 10, 0.05);
    phys_position(world, 0, x);
    test_note("%s, %s: %.3g m off", formulations[id].name, s->force ? "force" : "constraint",
              x[1] - (START + 0.5 * s->launch));
    CHECK_NEAR(x[1], START + 0.5 * s->launch, 1e-14);
    taut_world_destroy(world);
}

TAUT_TEST(mechanisms, springs_without_stiffness) {
    for (int id = 0; id < FORMULATION_COUNT; id++) {
        for (int force = 0; force < 2; force++) {
            check_flight(backend, (formulation_id)id, &(spring){1e30, 0, 0.3, force == 1});
            check_flight(backend, (formulation_id)id, &(spring){1e30, 0.1, 0.3, force == 1});
        }
    }
}
