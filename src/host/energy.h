/* Energies and powers of a state, and the ledger of a step that they make. */
#ifndef TAUT_HOST_ENERGY_H
#define TAUT_HOST_ENERGY_H

#include "kernels/small_math.h"

/* Sums over a scene, as an array where they are added up. */
typedef struct taut_energies {
    double kinetic, potential, elastic; /* J */
    double pushed;  /* W: power of the user's forces, of wind, pressure and traction */
    double damped;  /* W: what damping times of constraints and elements dissipate */
    double driven;  /* W: power of targets and drives, by the mean force of the step */
} taut_energies;

#define TAUT_ENERGIES 6

/* Of a step of the world, summed over its substeps, J. */
typedef struct taut_ledger {
    double forces, drives, dissipated, numerical;
} taut_ledger;

/* A substep of h from `before` to `now`: powers by the trapezoidal rule, those of drives and supports (`supported`, W) by
 * the mean forces of the step. */
TAUT_FN void taut_ledger_add(taut_ledger* ledger, const taut_energies* before, const taut_energies* now,
                             double supported, double mass_damping, double h) {
    const double forces = h / 2 * (before->pushed + now->pushed), drives = h * (now->driven + supported);
    const double dissipated =
        h / 2 * (before->damped + now->damped) + h * mass_damping * (before->kinetic + now->kinetic);
    const double start = before->kinetic + before->potential + before->elastic;
    const double end = now->kinetic + now->potential + now->elastic;
    ledger->forces += forces;
    ledger->drives += drives;
    ledger->dissipated += dissipated;
    ledger->numerical += start + forces + drives - dissipated - end;
}

#endif
