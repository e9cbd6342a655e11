/* A world beside the reference, step by step. */
#ifndef TAUT_TEST_COMPARE_H
#define TAUT_TEST_COMPARE_H

#include "oracle.h"

/* The description, its world, and the multipliers that the next step's geometric stiffness uses. */
typedef struct companion {
    oracle_scene scene;
    taut_world* world;
    taut_world_def def;
    size_t n, m;
    double* smoothed; /* lam_G, m */
    int prepared;     /* calls of companion_prepare */
    bool minimum_norm;
} companion;

/* Takes the scene over. `def` as given, but for a tolerance and iteration limit that leave the solver no excuse.
 * false where the world could not be made (already reported). */
bool companion_open(companion* c, oracle_scene scene, const taut_world_def* def);
void companion_close(companion* c);

/* What the next step of dt will be, for the reference. Updates lam_G: call once per step, before it. */
oracle_step_def companion_prepare(companion* c, double dt);

/* What float32 rows may do to the backward error of gam. */
#define COMPARE_ROUNDING 5e-6

/* Relative differences of one step between world and reference. */
typedef struct step_difference {
    double dv;                 /* largest component, over the largest |dv|, or h g where that is larger */
    double gam;                /* norm of (gam - gam_ref) scale, over that of gam_ref scale */
    double backward;           /* oracle_backward_error of gam */
    double position;           /* largest component, m, over h max|v| */
    double phi;                /* of the violations at the end, over the largest of its kind (at least 1e-3) */
    double kinetic, potential; /* of the info, relative */
    taut_outcome outcome;
    double condition; /* of S; 0 unless the solver gave up or dv is off by more than 1e-5 */
    double part;      /* oracle_backward_part; 0 unless gam follows from dv and its backward error exceeds rounding */
    double rounding;  /* what float64 leaves of the residual of a gam that is much larger than b: 4 eps |gam| / |b| */
    uint32_t iterations;
    double residual;
} step_difference;

/* Steps the world by dt, compares, and copies the world's state into the description. */
bool companion_step(companion* c, double dt, step_difference* out);

#endif
