/* Exact motions that several tests compare with. */
#ifndef TAUT_TESTS_PHYS_EXACT_H
#define TAUT_TESTS_PHYS_EXACT_H

/* Deviation from rest at time t of a mass on a compliant constraint with damping time d, from `start` with the speed
 * `launch`: the closed form of test_oscillator.c. */
double phys_oscillation(double mass, double compliance, double damping, double start, double launch, double t);

/* Period of a pendulum of this amplitude, and its angle at time t after release at rest (test_pendulum.c). */
double phys_pendulum_period(double length, double amplitude);
double phys_pendulum_angle(double length, double amplitude, double t);

#endif
