/* How far hard links drift: a triple pendulum, against what each formulation makes of a point on a circle.
 *
 * phi of a link of length L changes by h phidot + c in a step, c = h^2 w^2/(2 L), w the speed across it, and phidot by
 * 2 c/h and what the row does. */
#include "phys_formulations.h"
#include "phys_pendulums.h"

#include <math.h>
#include <stdlib.h>

#define LINKS PHYS_MOST_LINKS

typedef struct link_motion {
    double violation;   /* phi, m */
    double centripetal; /* w^2/L, m/s^2 */
} link_motion;

static taut_world* make_pendulum(taut_backend_kind backend, formulation_id id) {
    const phys_links links = phys_point_links(LINKS);
    return phys_formulation_world(backend, phys_hang_points(&links), id, false);
}

static link_motion motion_of(taut_world* world, size_t link) {
    double x[6], v[6], across[3], along[3] = {0}, violation;
    CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, link, 2, x));
    CHECK_OK(taut_world_read(world, TAUT_FIELD_VELOCITIES, link, 2, v));
    CHECK_OK(taut_world_read(world, TAUT_FIELD_VIOLATIONS, link, 1, &violation));
    phys_add(1, x + 3, along);
    phys_add(-1, x, along);
    const double length = phys_length(along), speed[3] = {v[3] - v[0], v[4] - v[1], v[5] - v[2]};
    phys_cross(along, speed, across);
    return (link_motion){violation, phys_dot(across, across) / (length * length * length)};
}

/* ---- violations that follow the motion --------------------------------------------------------------------------- */

/* phi / c where it has settled. Linearised rows, with l = alpha (h beta + d) and d = r h,
 *     phi' = phi + h (phidot + beta change) + c,   phidot' = phidot + change + 2 c/h,
 *     change = -(phi + (d + alpha h) phidot)/l,
 * rest at phi = [ 2 alpha (beta + r) - (alpha + r)(2 beta - 1) ] c. Newton's midpoint rule has the row
 * (phi + phi')/2 - c/4 + r (phi' - phi) = 0, c/4 the rise of an arc over its chord, and two stages come to the same. */
static double settled(formulation_id id) {
    const taut_integrator i = formulation_integrator(id);
    if (id == MIDPOINT_NEWTON || id == MIDPOINT_TWO_STAGE) {
        return 0.25;
    }
    return 2 * i.alpha * (i.beta + i.hard_row_damping) - (i.alpha + i.hard_row_damping) * (2 * i.beta - 1);
}

/* Largest |phi - settled c| in a second; *violation the largest |phi|. */
static double off_the_curvature(taut_backend_kind backend, formulation_id id, double h, double* violation) {
    double worst = 0;
    taut_world* world = make_pendulum(backend, id);
    *violation = 0;
    for (int step = 0; step < lround(1 / h) && phys_run(world, 1, h); step++) {
        for (size_t i = 0; i < LINKS; i++) {
            const link_motion m = motion_of(world, i);
            worst = phys_worse(worst, fabs(m.violation - settled(id) * h * h * m.centripetal / 2));
            *violation = phys_worse(*violation, fabs(m.violation));
        }
    }
    taut_world_destroy(world);
    return worst;
}

/* What is not settled is the change of c from step to step: a power of h more. */
TAUT_TEST(mechanisms, violations_follow_the_curvature) {
    const formulation_id ids[] = {EXPLICIT_EULER, SYMPLECTIC_EULER, IMPLICIT_EULER,  MOMENTUM,
                                  THETA,          MIDPOINT,         MIDPOINT_NEWTON, MIDPOINT_TWO_STAGE};
    for (int i = 0; i < 8; i++) {
        double violation;
        const double coarse = off_the_curvature(backend, ids[i], 0.005, &violation),
                     fine = off_the_curvature(backend, ids[i], 0.0025, &violation);
        test_note("%s: %.3g and %.3g m off %.2f c, violation %.3g m", formulations[ids[i]].name, coarse, fine,
                  settled(ids[i]), violation);
        phys_check_order(coarse, fine, 3);
        CHECK(fine < 0.06 * violation);
    }
}

/* ---- violations that are taken to rounding ----------------------------------------------------------------------- */

static double worst_in_a_second(taut_backend_kind backend, formulation_id id, double h) {
    double worst = 0;
    taut_world* world = make_pendulum(backend, id);
    for (int step = 0; step < lround(1 / h) && phys_run(world, 1, h); step++) {
        worst = phys_worse(worst, phys_worst_violation(world));
    }
    taut_world_destroy(world);
    test_note("%s: %.3g m", formulations[id].name, worst);
    return worst;
}

/* Newton's method ends where |phi| / (h sqrt(S_ii)) is 1e-9 of a step's motion, which is below 1 m/s sqrt(kg). */
TAUT_TEST(mechanisms, newton_meets_hard_links_at_the_end) {
    const double h = 0.005;
    CHECK(worst_in_a_second(backend, IMPLICIT_EULER_NEWTON, h) < 1e-9 * h * sqrt(1 / 0.6 + 1 / 0.8));
}

/* The Jacobian is rounded to float32, 6e-8, and so is what a projection leaves of the second order terms: three of them
 * go from 1e-4 m below the floor that projections have, |phi| / sqrt(S_ii) = 1e-14 |x|, where |x|^2 = sum m x^2 is
 * largest hanging and S_ii of the lowest link. */
TAUT_TEST(mechanisms, projections_reach_rounding) {
    const double length = sqrt(1 * 0.25 + 0.6 * 0.81 + 0.8 * 1.44), floor = 1e-14 * length * sqrt(1 / 0.6 + 1 / 0.8);
    CHECK(worst_in_a_second(backend, IMPLICIT_EULER_PROJECTED, 0.005) < 1.1 * floor);
    CHECK(worst_in_a_second(backend, ACCELERATIONS_RK4_PROJECTED, 0.01) < 1.1 * floor);
}

/* ---- accelerations ----------------------------------------------------------------------------------------------- */

/* Without terms of Baumgarte's, symplectic Euler has phidot = h w^2/L left of every step, so that
 * phi = h/2 integral of w^2/L: of first order, and it grows. With them
 *     phi'' + ka phi' + kb phi = h/2 [ (w^2/L)' - ka w^2/L ],
 * critically damped with the time constant T: |phi| <= (1 + 1/e) h T max w^2/L, whatever happens. */
typedef struct wandering {
    double grown; /* largest | phi / (h/2 integral of w^2/L) - 1 | of a link at the end */
    double bound; /* largest |phi| / (h T max w^2/L) of a link on the way */
} wandering;

static wandering wander(taut_backend_kind backend, formulation_id id, double h, double duration) {
    const double time_constant = 1 / sqrt(formulation_integrator(ACCELERATIONS_BAUMGARTE).baumgarte_position);
    double swept[LINKS] = {0}, fastest[LINKS] = {0}, farthest[LINKS] = {0};
    link_motion m[LINKS] = {{0}};
    wandering out = {0, 0};
    taut_world* world = make_pendulum(backend, id);
    for (int step = 0; step < lround(duration / h) && phys_run(world, 1, h); step++) {
        for (size_t i = 0; i < LINKS; i++) {
            m[i] = motion_of(world, i);
            swept[i] += h * m[i].centripetal;
            fastest[i] = phys_worse(fastest[i], m[i].centripetal);
            farthest[i] = phys_worse(farthest[i], fabs(m[i].violation));
        }
    }
    taut_world_destroy(world);
    for (int i = 0; i < LINKS; i++) {
        out.grown = phys_worse(out.grown, fabs(m[i].violation / (h / 2 * swept[i]) - 1));
        out.bound = phys_worse(out.bound, farthest[i] / (h * time_constant * fastest[i]));
    }
    test_note("%s: %.3g off the growth, %.3g of the bound", formulations[id].name, out.grown, out.bound);
    return out;
}

TAUT_TEST(mechanisms, accelerations_drift) {
    const double coarse = wander(backend, ACCELERATIONS, 0.01, 0.5).grown,
                 fine = wander(backend, ACCELERATIONS, 0.005, 0.5).grown;
    phys_check_order(coarse, fine, 1);
    CHECK(fine < 0.07);
    CHECK(wander(backend, ACCELERATIONS, 0.01, 4).bound > 3 * (1 + exp(-1)));
}

TAUT_TEST(mechanisms, baumgarte_bounds_the_drift) {
    CHECK(wander(backend, ACCELERATIONS_BAUMGARTE, 0.01, 4).bound < 1 + exp(-1));
    CHECK(wander(backend, ACCELERATIONS_BAUMGARTE, 0.005, 4).bound < 1 + exp(-1));
}

#define SPANS 4

/* Largest |phi| within each of the equal spans of 4 s. */
static void drift_by_span(taut_backend_kind backend, formulation_id id, double h, double worst[SPANS]) {
    taut_world* world = make_pendulum(backend, id);
    for (int span = 0; span < SPANS; span++) {
        worst[span] = 0;
        for (int step = 0; step < lround(1 / h) && phys_run(world, 1, h); step++) {
            worst[span] = phys_worse(worst[span], phys_worst_violation(world));
        }
    }
    taut_world_destroy(world);
}

/* RK4 leaves h^4 of it. What it adds each second is what the terms take away in 2 T = 1/3 s. */
TAUT_TEST(mechanisms, runge_kutta_drifts_by_the_fourth_order) {
    double loose[2][SPANS], bound[2][SPANS];
    for (int i = 0; i < 2; i++) {
        drift_by_span(backend, ACCELERATIONS_RK4, 0.01 / (1 + i), loose[i]);
        drift_by_span(backend, ACCELERATIONS_RK4_BAUMGARTE, 0.01 / (1 + i), bound[i]);
        test_note("%.3g, %.3g, %.3g, %.3g m; stabilised %.3g, %.3g, %.3g, %.3g m", loose[i][0], loose[i][1],
                  loose[i][2], loose[i][3], bound[i][0], bound[i][1], bound[i][2], bound[i][3]);
        for (int span = 1; span < SPANS; span++) {
            const double rate = loose[i][span] - loose[i][span - 1];
            CHECK(rate > loose[i][0]);
            CHECK(bound[i][span] < rate / 3);
        }
    }
    CHECK_NEAR(phys_order(loose[0][SPANS - 1], loose[1][SPANS - 1]), 4, 0.3);
    CHECK_NEAR(phys_order(bound[0][SPANS - 1], bound[1][SPANS - 1]), 4, 0.3);
}
