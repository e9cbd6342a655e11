/* Frames in the adjoint of a step: how their orientations follow their angular velocities, and the balance of their
 * angular momentum. All turns are small ones about world axes. */
#ifndef TAUT_CPU_CPU_ADJOINT_TURNS_H
#define TAUT_CPU_CPU_ADJOINT_TURNS_H

#include "model/adjoint.h"
#include "model/factors.h"

/* Of one frame in a step, by rows: a value after, columns: a turn or a velocity before. */
typedef struct adjoint_turn {
    double orientation[4];    /* q_t, at which constraints are taken */
    double end[4];            /* q' */
    double at_turn[3][3];     /* of q_t by a turn of q */
    double at_rate[3][3];     /* of q_t by alpha h (omega + beta domega) */
    double end_turn[3][3];    /* of q' likewise */
    double end_rate[3][3];    /* of q' by h (omega + beta domega) */
    double by_change[3][3];   /* of r_u = I(q') omega' - I(q) omega - ... by domega, */
    double by_speed[3][3];    /* by omega, */
    double by_turn[3][3];     /* and by a turn of q */
    double damping, speed[3]; /* h a0, and omega_t */
    double inverse_inertia;   /* 3 / trace I */
} adjoint_turn;

void adjoint_make_turn(const taut_plan* plan, const taut_factors* step, const taut_step_record* record, size_t frame,
                       adjoint_turn* out);
/* out += scale M^T v */
void adjoint_turn_back(const double m[3][3], double scale, const double v[3], double out[3]);
/* By the inertia in the axes of the frame (xx, yy, zz, yz, zx, xy), for y of it: added to `sums`. */
void adjoint_pull_inertia(const taut_plan* plan, const taut_step_record* record, const adjoint_turn* turn, size_t frame,
                          const double y[3], double sums[6]);

#endif
