/* Rigid bodies by every formulation: three bars on joints against minimal coordinates, a free top against Euler's
 * equations. */
#include "phys_formulations.h"
#include "phys_pendulums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- three bars in a plane --------------------------------------------------------------------------------------- */

#define BARS     PHYS_MOST_LINKS
#define DURATION 0.25 /* s */

/* Centres of mass and angles at the end. */
typedef struct placement {
    double x[3 * BARS], angle[BARS];
} placement;

static placement bars_after(taut_backend_kind backend, formulation_id id, taut_joint_type type, size_t steps) {
    const phys_links links = phys_bar_links();
    placement out;
    taut_body handles[BARS];
    taut_scene* scene = phys_hang_bars(&links, type, handles);
    taut_world* world = phys_formulation_world(backend, scene, id, false);
    phys_run(world, steps, DURATION / (double)steps);
    for (int i = 0; i < BARS; i++) {
        phys_body bar;
        phys_read_body(world, handles[i], &bar);
        memcpy(out.x + 3 * i, bar.x, sizeof bar.x);
        out.angle[i] = phys_angle_about_z(bar.q) + PHYS_PI / 2; /* x of a bar is along it */
    }
    taut_world_destroy(world);
    return out;
}

/* Largest error of a centre, m, and of an angle times the bar's length. */
static double bars_error(const placement* found, const phys_links* links, const double* y) {
    double worst = 0;
    for (int i = 0; i < BARS; i++) {
        double x[3];
        phys_links_point(links, y, i, links->centre, x);
        worst = phys_worse(worst, phys_apart(found->x + 3 * i, x));
        worst = phys_worse(worst, links->length[i] * fabs(phys_angle_difference(found->angle[i], y[i])));
    }
    return worst;
}

/* The order, steps with which it shows, half as many and these, and the constant of the error, constant h^order, in
 * m/s^order: measured, and twice as much is allowed. */
static const struct {
    double order;
    size_t steps;
    double constant;
} bars[FORMULATION_COUNT] = {
    [EXPLICIT_EULER] = {1, 384, 1.25},
    [SYMPLECTIC_EULER] = {1, 384, 3.92},
    [IMPLICIT_EULER] = {1, 384, 3.92},
    [IMPLICIT_EULER_NEWTON] = {1, 384, 3.92},
    [IMPLICIT_EULER_PROJECTED] = {1, 384, 2.47},
    [MOMENTUM] = {1, 384, 3.92},
    [THETA] = {1, 768, 1.15},
    [MIDPOINT] = {2, 192, 162},
    [MIDPOINT_NEWTON] = {2, 48, 7.26},
    [MIDPOINT_TWO_STAGE] = {2, 48, 3.42},
    [ACCELERATIONS] = {1, 48, 1.39},
    [ACCELERATIONS_BAUMGARTE] = {1, 48, 1.24},
    [ACCELERATIONS_RK4] = {4, 96, 278},
    [ACCELERATIONS_RK4_BAUMGARTE] = {4, 96, 137},
    [ACCELERATIONS_RK4_PROJECTED] = {4, 96, 157},
};

TAUT_TEST(mechanisms, three_bars) {
    const phys_links links = phys_bar_links();
    double y[2 * BARS];
    phys_links_after(&links, phys_first_angles, DURATION, y);
    for (int id = 0; id < FORMULATION_COUNT; id++) {
        const double order = bars[id].order;
        const size_t steps = bars[id].steps;
        const placement halves = bars_after(backend, (formulation_id)id, TAUT_JOINT_HINGE, steps / 2),
                        whole = bars_after(backend, (formulation_id)id, TAUT_JOINT_HINGE, steps);
        const double coarse = bars_error(&halves, &links, y), fine = bars_error(&whole, &links, y);
        const double constant = fine / pow(DURATION / (double)steps, order);
        test_note("%s: errors %.3g and %.3g m, order %.2f, constant %.3g", formulations[id].name, coarse, fine,
                  phys_order(coarse, fine), constant);
        CHECK_NEAR(phys_order(coarse, fine), order, order < 4 ? 0.25 : 0.6);
        CHECK(constant < 2 * bars[id].constant);
    }
}

/* In a plane a hinge holds no more than a ball joint does, so that only what the solver leaves tells them apart: 1e-11
 * of a step's motion. */
TAUT_TEST(mechanisms, three_bars_on_ball_joints) {
    for (int id = 0; id < FORMULATION_COUNT; id++) {
        const placement hinges = bars_after(backend, (formulation_id)id, TAUT_JOINT_HINGE, 24),
                        balls = bars_after(backend, (formulation_id)id, TAUT_JOINT_BALL, 24);
        test_note("%s: %.3g m", formulations[id].name, phys_farthest(hinges.x, balls.x, 3 * BARS));
        CHECK(phys_farthest(hinges.x, balls.x, 3 * BARS) < 1e-11);
        CHECK(phys_farthest(hinges.angle, balls.angle, BARS) < 1e-10);
    }
}

/* ---- a top ------------------------------------------------------------------------------------------------------- */

typedef struct tumble {
    double angle;    /* between the orientation after a second and the reference's, rad */
    double momentum; /* largest change of the angular momentum in the world, but for the torque's, over its length */
    double energy;   /* change at the end, over the first */
} tumble;

static tumble tumble_by(taut_backend_kind backend, formulation_id id, const double torque[3], size_t steps) {
    phys_body body = phys_tumbling_body(), reference = body;
    const double h = 1 / (double)steps, energy = phys_kinetic(&body);
    double expected[3], now[3];
    tumble out = {NAN, 0, 0};
    phys_spin(&body, expected);
    taut_scene* scene = phys_empty_scene();
    const taut_body handle = phys_add_body(scene, &body);
    taut_world* world = phys_formulation_world(backend, scene, id, true);
    CHECK_OK(taut_world_set_torques(world, handle.frame, 1, torque));
    for (size_t i = 0; i < steps && phys_run(world, 1, h); i++) {
        phys_read_body(world, handle, &body);
        phys_spin(&body, now);
        phys_add(h, torque, expected);
        out.momentum = phys_worse(out.momentum, phys_apart(expected, now) / phys_length(expected));
    }
    taut_world_destroy(world);
    phys_move_top(&reference, torque, 1, 4000);
    out.angle = phys_angle_between(body.q, reference.q);
    out.energy = phys_kinetic(&body) / energy - 1;
    return out;
}

/* The constant of the error of the orientation, constant h^order, in rad/s^order, measured; and the sign of the energy
 * that a scheme of first order adds: what is taken at the end of the step turns towards the axis of the largest moment.
 */
static const struct {
    double constant;
    int energy;
} top[FORMULATION_COUNT] = {
    [EXPLICIT_EULER] = {0.67, 1},
    [SYMPLECTIC_EULER] = {0.65, -1},
    [IMPLICIT_EULER] = {0.65, -1},
    [IMPLICIT_EULER_NEWTON] = {0.65, -1},
    [IMPLICIT_EULER_PROJECTED] = {0.65, -1},
    [MOMENTUM] = {0.65, -1},
    [THETA] = {0.19, -1},
    [MIDPOINT] = {0.85, 0},
    [MIDPOINT_NEWTON] = {0.85, 0},
    [MIDPOINT_TWO_STAGE] = {0.85, 0},
    [ACCELERATIONS] = {0.24, 1},
    [ACCELERATIONS_BAUMGARTE] = {0.24, 1},
    [ACCELERATIONS_RK4] = {0.15, 0},
    [ACCELERATIONS_RK4_BAUMGARTE] = {0.15, 0},
    [ACCELERATIONS_RK4_PROJECTED] = {0.15, 0},
};

/* Steps keep the angular momentum, I(q') w' = I(q) w, to rounding, a few units of it each; accelerations keep it to
 * their order. */
TAUT_TEST(mechanisms, free_top) {
    for (int id = 0; id < FORMULATION_COUNT; id++) {
        const double order = bars[id].order, none[3] = {0, 0, 0};
        const tumble coarse = tumble_by(backend, (formulation_id)id, none, 50),
                     fine = tumble_by(backend, (formulation_id)id, none, 100);
        test_note("%s: angles %.3g and %.3g rad, momentum %.3g and %.3g, energy %.3g and %.3g", formulations[id].name,
                  coarse.angle, fine.angle, coarse.momentum, fine.momentum, coarse.energy, fine.energy);
        CHECK_NEAR(phys_order(coarse.angle, fine.angle), order, 0.1);
        CHECK(fine.angle < 2 * top[id].constant * pow(0.01, order));
        CHECK_NEAR(phys_order(fabs(coarse.energy), fabs(fine.energy)), order, 0.15);
        CHECK(fine.energy * top[id].energy >= 0);
        if (formulation_integrator((formulation_id)id).formulation == TAUT_FORMULATION_ACCELERATION) {
            CHECK_NEAR(phys_order(coarse.momentum, fine.momentum), order, 0.1);
        } else {
            CHECK(coarse.momentum < 1e-13 && fine.momentum < 1e-13);
        }
    }
}

/* A torque meets the inertia of the step's beginning, h w off: first order, whatever the scheme has without one.
 * Newton's method, in one stage or in the first of two, keeps the balance I(q') w' = I(q) w + h torque, and RK4 looks
 * in between. */
TAUT_TEST(mechanisms, driven_top) {
    const double torque[3] = {0.1, -0.05, 0.08};
    for (int id = 0; id < FORMULATION_COUNT; id++) {
        const bool balances = formulations[id].newton > 1;
        const double order = balances || bars[id].order == 4 ? bars[id].order : 1;
        const tumble coarse = tumble_by(backend, (formulation_id)id, torque, 50),
                     fine = tumble_by(backend, (formulation_id)id, torque, 100);
        test_note("%s: angles %.3g and %.3g rad, momentum %.3g and %.3g", formulations[id].name, coarse.angle,
                  fine.angle, coarse.momentum, fine.momentum);
        CHECK_NEAR(phys_order(coarse.angle, fine.angle), order, 0.1);
        if (balances) {
            CHECK(coarse.momentum < 1e-13 && fine.momentum < 1e-13);
        } else {
            CHECK_NEAR(phys_order(coarse.momentum, fine.momentum), order, 0.1);
        }
    }
}
