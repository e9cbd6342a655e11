/* Pendulums of one, two and three particles on hard links, by every formulation, against minimal coordinates. */
#include "phys_exact.h"
#include "phys_formulations.h"
#include "phys_pendulums.h"

#include <math.h>
#include <stdlib.h>

/* ---- the reference ----------------------------------------------------------------------------------------------- */

static void check_energy(const phys_links* links, double duration) {
    double y[2 * PHYS_MOST_LINKS];
    phys_links_after(links, phys_first_angles, 0, y);
    const double before = phys_links_energy(links, y);
    phys_links_after(links, phys_first_angles, duration, y);
    test_note("%d links: %.3g J of %.3g J", links->count, phys_links_energy(links, y) - before, before);
    CHECK(phys_largest(y + links->count, (size_t)links->count) > 1);
    CHECK_NEAR(phys_links_energy(links, y), before, 1e-11);
}

TAUT_PLAIN_TEST(mechanisms, minimal_coordinates_keep_energy) {
    for (int count = 1; count <= PHYS_MOST_LINKS; count++) {
        const phys_links points = phys_point_links(count);
        check_energy(&points, 0.5);
    }
    const phys_links bars = phys_bar_links();
    check_energy(&bars, 0.5);
}

TAUT_PLAIN_TEST(mechanisms, minimal_coordinates_of_one_link) {
    const phys_links links = phys_point_links(1);
    for (double t = 0.25; t < 2.1; t += 0.25) {
        double y[2];
        phys_links_after(&links, phys_first_angles, t, y);
        CHECK_NEAR(y[0], phys_pendulum_angle(links.length[0], phys_first_angles[0], t), 1e-11);
    }
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

#define DURATION 0.5 /* s */

/* Largest distance of a particle from where it should be at the end, m. */
static double pendulum_error(taut_backend_kind backend, formulation_id id, const phys_links* links, const double* end,
                             size_t steps) {
    double worst = 0;
    taut_world* world = phys_formulation_world(backend, phys_hang_points(links), id, false);
    phys_run(world, steps, DURATION / (double)steps);
    for (int i = 0; i < links->count; i++) {
        double found[3], expected[3];
        phys_position(world, (size_t)i + 1, found);
        phys_links_point(links, end, i, 1, expected);
        worst = phys_worse(worst, phys_apart(found, expected));
    }
    taut_world_destroy(world);
    return worst;
}

/* The order; steps with which it shows, half as many and these; and the constant of the error, constant h^order, in
 * m/s^order, of one to three links: measured, and twice as much is allowed. */
static const struct {
    double order; /* of theory */
    size_t steps;
    double constant[PHYS_MOST_LINKS];
} expected[FORMULATION_COUNT] = {
    [EXPLICIT_EULER] = {1, 400, {1.14, 2.03, 2.17}},
    [SYMPLECTIC_EULER] = {1, 400, {2.83, 2.54, 2.77}},
    [IMPLICIT_EULER] = {1, 400, {2.83, 2.54, 2.77}},
    [IMPLICIT_EULER_NEWTON] = {1, 400, {2.84, 2.54, 2.78}},
    [IMPLICIT_EULER_PROJECTED] = {1, 400, {1.83, 1.83, 1.36}},
    [MOMENTUM] = {1, 400, {2.83, 2.54, 2.77}},
    [THETA] = {1, 1600, {0.84, 0.76, 0.78}},
    [MIDPOINT] = {2, 800, {44, 43.3, 141}},
    [MIDPOINT_NEWTON] = {2, 100, {5.3, 8.03, 14.5}},
    [MIDPOINT_TWO_STAGE] = {2, 100, {5.3, 7.98, 13.4}},
    [ACCELERATIONS] = {1, 200, {2.11, 2.38, 3.7}},
    [ACCELERATIONS_BAUMGARTE] = {1, 200, {1.96, 2.68, 3.18}},
    [ACCELERATIONS_RK4] = {4, 80, {12.4, 46.3, 461}},
    [ACCELERATIONS_RK4_BAUMGARTE] = {4, 80, {22.3, 23.3, 179}},
    [ACCELERATIONS_RK4_PROJECTED] = {4, 80, {11.1, 22.4, 249}},
};

static void check_orders(taut_backend_kind backend, int count) {
    const phys_links links = phys_point_links(count);
    double end[2 * PHYS_MOST_LINKS];
    phys_links_after(&links, phys_first_angles, DURATION, end);
    for (int id = 0; id < FORMULATION_COUNT; id++) {
        const double order = expected[id].order;
        const size_t steps = expected[id].steps;
        const double coarse = pendulum_error(backend, (formulation_id)id, &links, end, steps / 2);
        const double fine = pendulum_error(backend, (formulation_id)id, &links, end, steps);
        const double constant = fine / pow(DURATION / (double)steps, order);
        test_note("%s, %d links: errors %.3g and %.3g m, order %.2f, constant %.3g", formulations[id].name, count,
                  coarse, fine, phys_order(coarse, fine), constant);
        CHECK_NEAR(phys_order(coarse, fine), order, order < 4 ? 0.15 : 0.3);
        CHECK(constant < 2 * expected[id].constant[count - 1]);
    }
}

TAUT_TEST(mechanisms, single_pendulum) {
    check_orders(backend, 1);
}

TAUT_TEST(mechanisms, double_pendulum) {
    check_orders(backend, 2);
}

TAUT_TEST(mechanisms, triple_pendulum) {
    check_orders(backend, 3);
}

/* ---- what formulations have in common ---------------------------------------------------------------------------- */

/* Positions of the particles of a triple pendulum at the end. */
static void end_of(taut_backend_kind backend, formulation_id id, size_t steps, double x[3 * PHYS_MOST_LINKS]) {
    const phys_links links = phys_point_links(PHYS_MOST_LINKS);
    taut_world* world = phys_formulation_world(backend, phys_hang_points(&links), id, false);
    phys_run(world, steps, DURATION / (double)steps);
    for (size_t i = 0; i < PHYS_MOST_LINKS; i++) {
        phys_position(world, i + 1, x + 3 * i);
    }
    taut_world_destroy(world);
}

/* Where there are no forces but weight, they differ in the way that they are written alone: in rounding and in what the
 * solver leaves, 1e-11 of a step's motion, 0.05 m/s, for 0.5 s. */
TAUT_TEST(mechanisms, eulers_of_hard_links_agree) {
    const formulation_id same[] = {SYMPLECTIC_EULER, MOMENTUM};
    double implicit[3 * PHYS_MOST_LINKS], x[3 * PHYS_MOST_LINKS];
    end_of(backend, IMPLICIT_EULER, 100, implicit);
    for (int i = 0; i < 2; i++) {
        end_of(backend, same[i], 100, x);
        test_note("%s: %.3g m apart", formulations[same[i]].name, phys_farthest(x, implicit, 3 * PHYS_MOST_LINKS));
        CHECK(phys_farthest(x, implicit, 3 * PHYS_MOST_LINKS) < 1e-10);
    }
}

/* The part of the error that is linear in h, m/s: of e = a h + b h^2, a = (4 e(h/2) - e(h)) / h, but for h^2. */
static void linear_part(taut_backend_kind backend, formulation_id id, size_t steps, double part[3 * PHYS_MOST_LINKS]) {
    const phys_links links = phys_point_links(PHYS_MOST_LINKS);
    double coarse[3 * PHYS_MOST_LINKS], fine[3 * PHYS_MOST_LINKS], y[2 * PHYS_MOST_LINKS];
    end_of(backend, id, steps, coarse);
    end_of(backend, id, 2 * steps, fine);
    phys_links_after(&links, phys_first_angles, DURATION, y);
    for (int i = 0; i < PHYS_MOST_LINKS; i++) {
        double x[3];
        phys_links_point(&links, y, i, 1, x);
        for (int a = 0; a < 3; a++) {
            part[3 * i + a] = (4 * (fine[3 * i + a] - x[a]) - (coarse[3 * i + a] - x[a])) * (double)steps / DURATION;
        }
    }
}

/* Distance of the linear part of theta from 2 theta - 1 times that of implicit Euler, relative to this. */
static double off_the_share(taut_backend_kind backend, size_t steps) {
    double theta[3 * PHYS_MOST_LINKS], implicit[3 * PHYS_MOST_LINKS];
    linear_part(backend, THETA, steps, theta);
    linear_part(backend, IMPLICIT_EULER, steps, implicit);
    for (int i = 0; i < 3 * PHYS_MOST_LINKS; i++) {
        implicit[i] *= 2 * formulations[THETA].theta - 1;
    }
    return phys_farthest(theta, implicit, 3 * PHYS_MOST_LINKS) / phys_largest(implicit, 3 * PHYS_MOST_LINKS);
}

/* The theta method is the midpoint rule and 2 theta - 1 times what implicit Euler has beyond it. */
TAUT_TEST(mechanisms, theta_errs_between_midpoint_and_implicit_euler) {
    const double coarse = off_the_share(backend, 200), fine = off_the_share(backend, 400);
    test_note("%.3g and %.3g apart", coarse, fine);
    phys_check_order(coarse, fine, 2);
    CHECK(fine < 0.03);
}
