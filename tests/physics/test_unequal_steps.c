/* Steps of different lengths: what a long one leaves violated, a short one undoes at the long one's pace, and its
 * forces count for no more than its part of that. */
#include "phys_scenes.h"

#include <math.h>

#define LONG (1.0 / 60)

static taut_world* make_swing(taut_backend_kind backend, size_t links, double alpha) {
    static const double from[3] = {0, 0, 0}, to[3] = {1, 0, 0};
    taut_batch batch;
    taut_scene* scene = phys_chain(links, from, to, NULL, 0, &batch);
    taut_world_def def = phys_world_def(backend, alpha, alpha);
    def.integrator.hard_row_damping = 1;
    return phys_world(scene, &def);
}

static double energy_of(taut_world* world, double* kinetic) {
    taut_step_info info = {0};
    CHECK_OK(taut_world_info(world, &info));
    CHECK_INT(info.outcome, TAUT_SOLVE_CONVERGED);
    *kinetic = info.kinetic;
    return info.kinetic + info.potential;
}

/* A swing goes on as if a short step had not been: without a pace it left a hundredth of the energy, or less. */
TAUT_TEST(unequal_steps, one_that_is_short) {
    static const double lengths[] = {1e-3, 1e-5, 1e-8};
    const int cases = backend == TAUT_BACKEND_CUDA ? 1 : 3;
    for (int k = 0; k < cases; k++) {
        taut_world *plain = make_swing(backend, 3, 0.65), *world = make_swing(backend, 3, 0.65);
        const double length = cases == 1 ? 1e-5 : lengths[k];
        double swings, before, within, after;
        test_note("%g s", length);
        phys_run(plain, 25, LONG);
        phys_run(world, 24, LONG);
        energy_of(world, &before);
        phys_run(world, 1, length);
        energy_of(world, &within);
        phys_run(world, 1, LONG);
        energy_of(plain, &swings);
        energy_of(world, &after);
        CHECK_NEAR(within, before, 0.02 * before);
        CHECK_NEAR(after, swings, 0.03 * swings);
        taut_world_destroy(plain);
        taut_world_destroy(world);
    }
    test_note(NULL);
}

/* By implicit Euler, after a step that was longer than those before and has been linearised further. */
TAUT_TEST(unequal_steps, a_longer_one_before) {
    static const double steps[] = {0.03, 1e-8, 1e-4};
    taut_world* world = make_swing(backend, 2, 1);
    double kinetic, before = 0;
    phys_run(world, backend == TAUT_BACKEND_CUDA ? 12 : 25, LONG);
    for (int i = 0; i < 3; i++) {
        phys_run(world, 1, steps[i]);
        const double now = energy_of(world, &kinetic);
        test_note("%g s: %g J after %g", steps[i], now, before);
        CHECK(i == 0 || fabs(now - before) < 0.01);
        before = now;
    }
    test_note(NULL);
    taut_world_destroy(world);
}

/* What something compliant bears at rest it bears in shorter steps: a chain of links that h does not resolve. */
TAUT_TEST(unequal_steps, loads_stay) {
    static const double from[3] = {0, 0, 0}, to[3] = {0, -1, 0}, compliances[] = {1e-9, 1e-5, 1e-4};
    const bool cuda = backend == TAUT_BACKEND_CUDA;
    for (int k = cuda ? 1 : 0; k < (cuda ? 2 : 3); k++) {
        taut_batch batch;
        taut_scene* scene = phys_chain(4, from, to, NULL, compliances[k], &batch);
        taut_world_def def = phys_world_def(backend, 1, 1);
        taut_world* world = phys_world(scene, &def);
        double x[3], x_short[3], lam[4];
        test_note("%g m/N", compliances[k]);
        phys_run(world, cuda ? 30 : 400, LONG);
        phys_position(world, 4, x);
        for (int i = 0; i < (cuda ? 3 : 30); i++) {
            phys_run(world, 1, i % 3 == 0 ? LONG / 10 : LONG / 4);
            CHECK_OK(taut_world_read(world, TAUT_FIELD_MULTIPLIERS, 0, 4, lam));
            CHECK_NEAR(fabs(lam[0]), 4 * PHYS_GRAVITY, 0.01 * PHYS_GRAVITY);
        }
        phys_position(world, 4, x_short);
        CHECK_NEAR(x_short[1], x[1], 1e-5);
        taut_world_destroy(world);
    }
    test_note(NULL);
}

/* Energy that a pendulum has lost in so long. */
static double lost_in_turn(taut_backend_kind backend, const double lengths[2], double seconds) {
    taut_world* world = make_swing(backend, 1, 0.65);
    double kinetic, t = 0;
    for (int i = 0; t < seconds && phys_run(world, 1, lengths[i % 2]); i++) {
        t += lengths[i % 2];
    }
    const double lost = -energy_of(world, &kinetic);
    taut_world_destroy(world);
    return lost;
}

/* Steps of two lengths in turn take no more from a pendulum than the longer ones alone. */
TAUT_TEST(unequal_steps, in_turn) {
    static const double others[] = {LONG / 2, LONG / 4, 1e-4, 1e-7};
    const bool cuda = backend == TAUT_BACKEND_CUDA;
    const double seconds = cuda ? 0.3 : 4, equal = lost_in_turn(backend, (const double[]){LONG, LONG}, seconds);
    for (int k = cuda ? 1 : 0; k < (cuda ? 2 : 4); k++) {
        test_note("%g s", others[k]);
        const double lost = lost_in_turn(backend, (const double[]){LONG, others[k]}, seconds);
        test_note("%g s: %g of %g", others[k], lost, equal);
        CHECK(lost > 0 && lost < 1.05 * equal);
    }
    test_note(NULL);
}

/* After shorter steps for a while a row is as hard as these make it. */
TAUT_PLAIN_TEST(unequal_steps, long_ones_are_forgotten) {
    taut_world *world = make_swing(TAUT_BACKEND_CPU, 1, 0.65), *fine = make_swing(TAUT_BACKEND_CPU, 1, 0.65);
    double x[3], x_fine[3];
    phys_run(world, 4, LONG);
    phys_run(world, 400, LONG / 10);
    phys_run(fine, 440, LONG / 10);
    phys_position(world, 1, x);
    phys_position(fine, 1, x_fine);
    CHECK_NEAR(hypot(x[0], x[1]), hypot(x_fine[0], x_fine[1]), 1e-6);
    taut_world_destroy(world);
    taut_world_destroy(fine);
}
