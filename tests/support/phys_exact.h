/* Exact motions that several tests compare with. */
#ifndef TAUT_TEST_PHYS_EXACT_H
#define TAUT_TEST_PHYS_EXACT_H

/* Deviation from rest at time t of a mass on a compliant constraint with damping time d, from `start` with the speed
 * `launch`: the closed form of test_oscillator.c. */
double phys_oscillation(double mass, double compliance, double damping, double start, double launch, double t);

/* Period of a pendulum of this amplitude, and its angle at time t after release at rest (test_pendulum.c). */
double phys_pendulum_period(double length, double amplitude);
double phys_pendulum_angle(double length, double amplitude, double t);

typedef struct phys_elastica {
    double drop, retreat; /* of the tip, over the length */
} phys_elastica;

/* Inextensible cantilever with a dead tip load, load = P L^2/(E I). */
phys_elastica phys_exact_elastica(double load);

/* Euler-Bernoulli beam of unit length, E I and weight at 0 <= x <= 1: what it sinks by (moordyn_beams.json). */
double phys_cantilever_sag(double x);
double phys_simply_supported_sag(double x);

#endif
