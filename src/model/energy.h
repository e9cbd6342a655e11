/* Energies and powers of a state, and the ledger of a step that they make. */
#ifndef TAUT_MODEL_ENERGY_H
#define TAUT_MODEL_ENERGY_H

#include "base/small_math.h"

/* Sums over a scene, as an array where they are added up. */
typedef struct taut_energies {
    double kinetic;     /* J */
    double strained;    /* J: elastic energy of rows, */
    double loaded;      /* J: and of force elements */
    double attracted;   /* J: potential energy of force elements */
    double moment[3];   /* kg m: sum of m x, which gravity makes a potential energy of, */
    double momentum[3]; /* kg m/s: and of m v */
    double pushed;      /* W: power of wind, pressure and traction */
    double carried;     /* W: of fixed particles that move, against force elements */
    double damped;      /* W: what damping times of constraints and elements dissipate */
    double driven;      /* W: power of targets and drives, by the mean force of the step */
    double rubbed;      /* W: what contacts and rows that slip take, by that and the mean velocity of the step */
    double inverted;    /* tetrahedra that are inside out */
} taut_energies;

#define TAUT_ENERGIES 16

TAUT_FN double taut_potential(const taut_energies* e, const double gravity[3]) {
    const double* m = e->moment;
    return e->attracted - (gravity[0] * m[0] + gravity[1] * m[1] + gravity[2] * m[2]);
}

TAUT_FN double taut_elastic(const taut_energies* e) {
    return e->strained + e->loaded;
}

/* Of a step of the world, summed over its substeps, J. */
typedef struct taut_ledger {
    double forces, drives, dissipated, numerical;
} taut_ledger;

/* Powers in a substep as a whole, W. */
typedef struct taut_powers {
    double forces, supports; /* of the user's forces, and of fixed nodes that move */
    double pushed, staged;   /* of wind, pressure and traction in a part of two stages, and on how many triangles */
} taut_powers;

/* W, of wind, pressure and traction: by the trapezoidal rule, but as measured where a part had two stages. */
TAUT_FN double taut_mean_pushed(const taut_energies* before, const taut_energies* now, const taut_powers* powers) {
    return powers->staged > 0 ? powers->pushed : (before->pushed + now->pushed) / 2;
}

/* A substep of h from `before` to `now`, J: powers of states by the trapezoidal rule, those of drives and of what rubs
 * by the mean forces of the step. */
TAUT_FN taut_ledger taut_ledger_of(const taut_energies* before, const taut_energies* now, const taut_powers* powers,
                                   const double gravity[3], double mass_damping, double h) {
    const double start = before->kinetic + taut_potential(before, gravity) + taut_elastic(before);
    const double end = now->kinetic + taut_potential(now, gravity) + taut_elastic(now);
    taut_ledger out;
    out.forces = h * (powers->forces + taut_mean_pushed(before, now, powers));
    out.drives = h * (now->driven + powers->supports + (before->carried + now->carried) / 2);
    out.dissipated =
        h / 2 * (before->damped + now->damped) + h * now->rubbed + h * mass_damping * (before->kinetic + now->kinetic);
    out.numerical = start + out.forces + out.drives - out.dissipated - end;
    return out;
}

/* J: of the work of drives what energies do not show. Where drives contradict what they drive, their forces are not
 * unique, and hard rows, which hold no energy, take and give any work: there only so much of it is known, of either
 * sign. */
TAUT_FN double taut_unseen_drives(const taut_ledger* l) {
    const double shown = l->drives - l->numerical, most = l->drives > 0 ? l->drives : -l->drives;
    return l->drives - (shown > most ? most : shown < -most ? -most : shown);
}

/* `unseen`: of the work of drives, is left out. */
TAUT_FN void taut_ledger_add(taut_ledger* ledger, const taut_ledger* part, double unseen) {
    ledger->forces += part->forces;
    ledger->drives += part->drives - unseen;
    ledger->dissipated += part->dissipated;
    ledger->numerical += part->numerical - unseen;
}

#endif
