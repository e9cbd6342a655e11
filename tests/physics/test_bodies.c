/* Free rigid bodies: tumbling, precession, free fall, torques, and bodies that are moved. */
#include "phys_frames.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static taut_world* world_of(taut_backend_kind backend, const phys_body* body, const phys_scheme* scheme,
                            bool weightless, taut_body* handle) {
    taut_scene* scene = phys_empty_scene();
    *handle = phys_add_body(scene, body);
    return phys_scheme_world(backend, scene, scheme, weightless);
}

/* ---- without forces ---------------------------------------------------------------------------------------------- */

TAUT_PLAIN_TEST(bodies, reference_top_keeps_energy_and_momentum) {
    phys_body body = phys_tumbling_body();
    double before[3], after[3];
    phys_spin(&body, before);
    const double energy = phys_kinetic(&body);
    phys_move_free_top(&body, 2, 2000);
    phys_spin(&body, after);
    CHECK_NEAR(phys_apart(before, after), 0, 1e-9);
    CHECK_NEAR(phys_kinetic(&body), energy, 1e-9);
}

typedef struct tumble {
    double momentum; /* largest change of the angular momentum, over its length */
    double energy;   /* largest change of the energy, over the first one */
    double angle;    /* between the last orientation and the reference's, rad */
} tumble;

static tumble tumble_for(taut_backend_kind backend, const phys_scheme* scheme, double h, double duration) {
    phys_body body = phys_tumbling_body(), reference = body;
    taut_body handle;
    double before[3], now[3];
    tumble result = {0, 0, NAN};
    taut_world* world = world_of(backend, &body, scheme, true, &handle);
    phys_spin(&body, before);
    const double energy = phys_kinetic(&body);
    const size_t steps = (size_t)lround(duration / h);
    for (size_t i = 0; i < steps && phys_run(world, 1, h); i++) {
        phys_read_body(world, handle, &body);
        phys_spin(&body, now);
        result.momentum = phys_worse(result.momentum, phys_apart(before, now) / phys_length(before));
        result.energy = phys_worse(result.energy, fabs(phys_kinetic(&body) / energy - 1));
    }
    taut_world_destroy(world);
    phys_move_free_top(&reference, duration, 4000);
    result.angle = phys_angle_between(body.q, reference.q);
    return result;
}

/* The step solves R' I R'^T w' = R I R^T w to rounding; a hundred steps may add up. */
static void check_tumble(taut_backend_kind backend, const phys_scheme* scheme) {
    const tumble coarse = tumble_for(backend, scheme, 0.01, 1), fine = tumble_for(backend, scheme, 0.005, 1);
    test_note("alpha %g: momentum %.3g, energy %.3g and %.3g, angle %.3g and %.3g rad", scheme->alpha, fine.momentum,
              coarse.energy, fine.energy, coarse.angle, fine.angle);
    CHECK(coarse.momentum < 1e-12 && fine.momentum < 1e-12);
    phys_check_order(coarse.energy, fine.energy, scheme->order);
    phys_check_order(coarse.angle, fine.angle, scheme->order);
    /* (h w)^order t w with w = 3 */
    CHECK(fine.angle < 3 * pow(0.015, scheme->order));
}

TAUT_TEST(bodies, tumbling_top) {
    check_tumble(backend, &phys_implicit_euler);
    check_tumble(backend, &phys_midpoint);
}

/* What the two schemes leave of norm, momentum and energy in 1000 and 200 s. The midpoint is reversible, so that its
 * energy must not drift; implicit Euler ends in the rotation of least energy, about the axis of the largest moment. */
static void check_long_run(const phys_scheme* scheme, int tenth) {
    phys_body body = phys_tumbling_body();
    taut_body handle;
    double before[3], now[3], norm = 0, energy[10] = {0};
    taut_world* world = world_of(TAUT_BACKEND_CPU, &body, scheme, true, &handle);
    phys_spin(&body, before);
    const double first = phys_kinetic(&body);
    for (int i = 0; i < 10 * tenth && phys_run(world, 100, 0.01); i++) {
        phys_read_body(world, handle, &body);
        norm = phys_worse(norm, fabs(sqrt(body.q[0] * body.q[0] + phys_dot(body.q + 1, body.q + 1)) - 1));
        energy[i / tenth] = phys_worse(energy[i / tenth], fabs(phys_kinetic(&body) / first - 1));
    }
    taut_world_destroy(world);
    phys_spin(&body, now);
    test_note("alpha %g: |q| - 1 %.3g, momentum %.3g, energy %.3g, then %.3g", scheme->alpha, norm,
              phys_apart(before, now) / phys_length(before), energy[0], energy[9]);
    CHECK(norm < 1e-12);
    CHECK_NEAR(phys_apart(before, now) / phys_length(before), 0, 1e-9);
    if (scheme->order > 1) {
        CHECK(energy[9] < 1.5 * energy[0]);
    } else {
        CHECK_NEAR(phys_kinetic(&body), phys_dot(before, before) / (2 * 0.06), 1e-6 * first);
    }
}

TAUT_PLAIN_TEST(bodies, a_hundred_thousand_steps) {
    check_long_run(&phys_midpoint, 100);
    check_long_run(&phys_implicit_euler, 20);
}

/* Steps of 1/60 s of a free body, at the most `steps`: how many were good. *energy: the largest over the first,
 * *momentum: the largest relative change of the angular momentum. */
static int spin_freely(taut_backend_kind backend, phys_body* body, const phys_scheme* scheme, int steps, double* energy,
                       double* momentum) {
    taut_body handle;
    double before[3], now[3];
    taut_world* world = world_of(backend, body, scheme, true, &handle);
    phys_spin(body, before);
    const double first = phys_kinetic(body);
    int done = 0;
    *energy = *momentum = 0;
    while (done < steps && phys_run(world, 1, 1.0 / 60)) {
        phys_read_body(world, handle, body);
        phys_spin(body, now);
        *energy = phys_worse(*energy, phys_kinetic(body) / first);
        *momentum = phys_worse(*momentum, phys_apart(before, now) / phys_length(before));
        done++;
    }
    taut_world_destroy(world);
    return done;
}

/* A stick of 1 m and 1.2 kg that turns end over end and a little about itself, as one throws it: 46 times as hard to
 * turn across as along. Implicit Euler takes energy, the midpoint keeps it but for an error of (h w)^2. */
TAUT_TEST(bodies, thrown_stick) {
    const phys_scheme* schemes[] = {&phys_implicit_euler, &phys_midpoint};
    for (int i = 0; i < 4; i++) {
        const double speed = i / 2 == 0 ? 3 : 10; /* of (1, 0, 3) rad/s */
        phys_body stick = {.mass = 1.2, .inertia = {0.002, 0.092, 0.092}, .q = {1, 0, 0, 0}};
        double energy, momentum;
        stick.w[0] = speed;
        stick.w[2] = 3 * speed;
        test_note("alpha %g, %g rad/s", schemes[i % 2]->alpha, 3 * speed);
        CHECK_INT(spin_freely(backend, &stick, schemes[i % 2], 60, &energy, &momentum), 60);
        test_note("alpha %g, %g rad/s: energy %.4f, momentum %.3g", schemes[i % 2]->alpha, 3 * speed, energy, momentum);
        CHECK(momentum < 1e-12);
        CHECK(energy < (i % 2 == 0 ? 1 + 1e-12 : 1.01));
    }
}

/* Half a turn in a step and more: nothing sensible can come of that, but the energy must not run away either. Without
 * the angular momentum it may go up to the ratio of the moments, 3, and again by what a lost momentum brings. */
TAUT_TEST(bodies, spins_too_fast_for_the_step) {
    const phys_scheme* schemes[] = {&phys_implicit_euler, &phys_midpoint};
    for (int i = 0; i < 2; i++) {
        phys_body body = phys_tumbling_body();
        double energy, momentum;
        for (int a = 0; a < 3; a++) {
            body.w[a] *= 70; /* 3.5 rad a step */
        }
        test_note("alpha %g", schemes[i]->alpha);
        CHECK_INT(spin_freely(backend, &body, schemes[i], 100, &energy, &momentum), 100);
        test_note("alpha %g: energy %.4f, momentum %.3g", schemes[i]->alpha, energy, momentum);
        CHECK(energy < 10);
    }
}

/* A top with moments A, A, C about z: its axis turns about the angular momentum L by |L|/A a second. */
static double precession_error(taut_backend_kind backend, const phys_scheme* scheme, double h) {
    phys_body body = {.mass = 1, .inertia = {0.03, 0.03, 0.05}, .q = {1, 0, 0, 0}, .w = {1, 0, 4}};
    taut_body handle;
    double spin[3], q[4], axis[3], found[3];
    phys_spin(&body, spin);
    phys_turn(spin, phys_length(spin) / 0.03 * 1, q);
    phys_rotate(q, (const double[]){0, 0, 1}, axis);
    taut_world* world = world_of(backend, &body, scheme, true, &handle);
    phys_run(world, (size_t)lround(1 / h), h);
    phys_read_body(world, handle, &body);
    phys_rotate(body.q, (const double[]){0, 0, 1}, found);
    taut_world_destroy(world);
    return phys_apart(axis, found);
}

TAUT_TEST(bodies, symmetric_top_precesses) {
    const phys_scheme* schemes[] = {&phys_implicit_euler, &phys_midpoint};
    for (int i = 0; i < 2; i++) {
        const double coarse = precession_error(backend, schemes[i], 0.01);
        const double fine = precession_error(backend, schemes[i], 0.005);
        test_note("alpha %g: errors %.3g and %.3g", schemes[i]->alpha, coarse, fine);
        phys_check_order(coarse, fine, schemes[i]->order);
        CHECK(fine < (i == 0 ? 0.05 : 1e-3));
    }
}

/* ---- weight and torques ------------------------------------------------------------------------------------------ */

/* Steps of constant acceleration a: x_n = x + v t + a h^2 (n (n - 1)/2 + n beta), exactly. */
static double fallen(double a, double h, int n, double beta) {
    return a * h * h * (n * (n - 1) / 2.0 + n * beta);
}

/* The spin about a principal axis stays, and the angle grows evenly, whatever the step. */
TAUT_TEST(bodies, falls_and_spins) {
    const phys_scheme* schemes[] = {&phys_implicit_euler, &phys_midpoint};
    for (int i = 0; i < 2; i++) {
        phys_body body = {.mass = 2, .inertia = {0.02, 0.05, 0.06}, .v = {1, 2, 3}};
        double spin[3], turned[4], expected[4];
        taut_body handle;
        phys_turn((const double[]){1, -1, 2}, 1.2, body.q);
        phys_rotate(body.q, (const double[]){0, 7, 0}, body.w);
        phys_rotate(body.q, (const double[]){0, 7, 0}, spin);
        phys_turn(spin, 7 * 0.5, turned);
        phys_multiply(turned, body.q, expected);
        taut_world* world = world_of(backend, &body, schemes[i], false, &handle);
        phys_run(world, 25, 0.02);
        phys_read_body(world, handle, &body);
        CHECK_NEAR(body.x[0], 0.5, 1e-12);
        CHECK_NEAR(body.x[1], 1 + fallen(-PHYS_GRAVITY, 0.02, 25, schemes[i]->beta), 1e-12);
        CHECK_NEAR(body.x[2], 1.5, 1e-12);
        CHECK_NEAR(body.v[1], 2 - PHYS_GRAVITY * 0.5, 1e-12);
        CHECK_NEAR(phys_apart(body.w, spin), 0, 1e-11);
        CHECK_NEAR(phys_angle_between(body.q, expected), 0, 1e-11);
        taut_world_destroy(world);
    }
}

/* w = torque t/I; the angle is torque t^2/(2 I) with the midpoint, and what `fallen` says with every beta. */
TAUT_TEST(bodies, torque_about_a_principal_axis) {
    const phys_scheme* schemes[] = {&phys_implicit_euler, &phys_midpoint};
    for (int i = 0; i < 2; i++) {
        const double moments[3] = {0.02, 0.05, 0.06}, torque = 0.3, beta = schemes[i]->beta;
        phys_body body = {.mass = 2, .q = {1, 0, 0, 0}};
        double principal[4], axis[3], expected[4], load[3] = {0};
        phys_turn((const double[]){3, 1, 2}, 1, principal);
        phys_turned_inertia(moments, principal, body.inertia);
        phys_rotate(principal, (const double[]){0, 0, 1}, axis);
        phys_add(torque, axis, load);
        taut_scene* scene = phys_empty_scene();
        phys_body idle = body;
        idle.x[0] = 5;
        const taut_body handles[2] = {phys_add_body(scene, &idle), phys_add_body(scene, &body)};
        taut_world* world = phys_scheme_world(backend, scene, schemes[i], true);
        CHECK_OK(taut_world_set_torques(world, handles[1].frame, 1, load));
        phys_run(world, 40, 0.01);
        phys_read_body(world, handles[1], &body);
        phys_read_body(world, handles[0], &idle);
        phys_turn(axis, fallen(torque / 0.06, 0.01, 40, beta), expected);
        CHECK_NEAR(phys_dot(body.w, axis), torque * 0.4 / 0.06, 1e-11);
        CHECK_NEAR(phys_length(body.w), torque * 0.4 / 0.06, 1e-11);
        CHECK_NEAR(phys_angle_between(body.q, expected), 0, 1e-11);
        CHECK_NEAR(phys_length(idle.w), 0, 0);
        if (beta == 0.5) {
            CHECK_NEAR(fallen(torque / 0.06, 0.01, 40, beta), torque * 0.4 * 0.4 / (2 * 0.06), 1e-12);
        }
        taut_world_destroy(world);
    }
}

static double driven_error(taut_backend_kind backend, const phys_scheme* scheme, double h) {
    phys_body body = phys_tumbling_body(), reference = body;
    const double torque[3] = {0.1, -0.05, 0.08};
    taut_body handle;
    taut_world* world = world_of(backend, &body, scheme, true, &handle);
    CHECK_OK(taut_world_set_torques(world, handle.frame, 1, torque));
    phys_run(world, (size_t)lround(1 / h), h);
    phys_read_body(world, handle, &body);
    taut_world_destroy(world);
    phys_move_top(&reference, torque, 1, 4000);
    return phys_angle_between(body.q, reference.q);
}

/* A torque on a tumbling body acts on the inertia of the step's beginning, h w off: first order with every scheme. */
TAUT_TEST(bodies, torque_on_a_tumbling_body) {
    const phys_scheme* schemes[] = {&phys_implicit_euler, &phys_midpoint};
    for (int i = 0; i < 2; i++) {
        const double coarse = driven_error(backend, schemes[i], 0.01), fine = driven_error(backend, schemes[i], 0.005);
        test_note("alpha %g: errors %.3g and %.3g rad", schemes[i]->alpha, coarse, fine);
        phys_check_order(coarse, fine, 1);
        CHECK(fine < 3 * 0.015); /* h w times the angle turned */
    }
}

/* ---- what the world says ----------------------------------------------------------------------------------------- */

/* Both energies of two free bodies; a fixed one has none. */
TAUT_TEST(bodies, energies) {
    taut_scene* scene = phys_empty_scene();
    phys_body bodies[3] = {phys_tumbling_body(), phys_tumbling_body(), phys_tumbling_body()};
    taut_body handles[3];
    for (int i = 0; i < 3; i++) {
        bodies[i].mass = 1 + i;
        bodies[i].x[1] = 3 * i - 2;
        bodies[i].v[0] = i - 0.5;
        bodies[i].fixed = i == 1;
        handles[i] = phys_add_body(scene, &bodies[i]);
    }
    taut_world* world = phys_scheme_world(backend, scene, &phys_midpoint, false);
    phys_run(world, 5, 0.01);
    taut_step_info info = {0};
    CHECK_OK(taut_world_info(world, &info));
    double kinetic = 0, potential = 0;
    for (int i = 0; i < 3; i += 2) {
        phys_read_body(world, handles[i], &bodies[i]);
        kinetic += phys_kinetic(&bodies[i]);
        potential += bodies[i].mass * PHYS_GRAVITY * bodies[i].x[1];
    }
    CHECK_NEAR(info.kinetic, kinetic, 1e-12 * kinetic);
    CHECK_NEAR(info.potential, potential, 1e-12 * fabs(potential));
    CHECK_NEAR(info.elastic, 0, 0);
    taut_world_destroy(world);
}

/* A fixed body turns with its angular velocity; a goal is reached in one step, along the shorter way, and then it
 * rests. */
TAUT_TEST(bodies, fixed_bodies_are_moved) {
    phys_body body = {.mass = 1, .inertia = {1, 2, 3}, .q = {1, 0, 0, 0}, .w = {0, 0.5, 0}, .fixed = true};
    double expected[4], goal[4];
    taut_body handle;
    taut_world* world = world_of(backend, &body, &phys_implicit_euler, false, &handle);
    phys_run(world, 10, 0.1);
    phys_read_body(world, handle, &body);
    phys_turn((const double[]){0, 1, 0}, 0.5, expected);
    CHECK_NEAR(phys_angle_between(body.q, expected), 0, 1e-12);
    CHECK_NEAR(phys_length(body.x), 0, 0);

    phys_turn((const double[]){1, 2, 2}, 2.5, goal);
    phys_multiply(goal, expected, goal);
    CHECK_OK(taut_world_move_fixed_bodies(world, 1, &handle, (const double[]){1, 2, 3}, goal));
    phys_run(world, 1, 0.1);
    phys_read_body(world, handle, &body);
    CHECK_NEAR(phys_angle_between(body.q, goal), 0, 1e-12);
    CHECK_NEAR(phys_apart(body.x, (const double[]){1, 2, 3}), 0, 1e-12);
    phys_run(world, 3, 0.1);
    phys_read_body(world, handle, &body);
    CHECK_NEAR(phys_angle_between(body.q, goal), 0, 1e-12);
    CHECK_NEAR(phys_length(body.w), 0, 0);
    taut_world_destroy(world);
}

/* m/12 (b^2 + c^2); 2/5 m r^2; m r^2/2 and m (3 r^2 + l^2)/12 */
TAUT_PLAIN_TEST(bodies, inertia_of_solids) {
    double box[6], sphere[6], cylinder[6];
    taut_inertia_of_box(12, (const double[]){1, 2, 3}, box);
    taut_inertia_of_sphere(10, 0.5, sphere);
    taut_inertia_of_cylinder(12, 2, 3, cylinder);
    const double expected[3][6] = {{13, 10, 5}, {1, 1, 1}, {21, 21, 24}};
    for (int i = 0; i < 6; i++) {
        CHECK_NEAR(box[i], expected[0][i], 1e-13);
        CHECK_NEAR(sphere[i], expected[1][i], 1e-13);
        CHECK_NEAR(cylinder[i], expected[2][i], 1e-13);
    }
}
