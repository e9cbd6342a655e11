/* Residuals of the condensed system in float64 on the CPU: what is left of rows, then r, then norms.
 *
 * Where all rows but those of contacts follow w alone, and linearly, their forces K^T gam are kept. At the end of a
 * step they follow from the matrix, to the accuracy of Wh; for a part of the step they lie between those of its ends,
 * and while multipliers of contacts follow they stay. From rows they are found at the start, and before a solve counts
 * as done. For files with TAUT_REAL double. */
#ifndef TAUT_CPU_CPU_CONDENSED_RESIDUAL_H
#define TAUT_CPU_CPU_CONDENSED_RESIDUAL_H

#include "host/cpu/cpu_state.h"
#include "kernels/stages/condensed.h"

typedef struct cpu_residual {
    const taut_backend_state* state;
    const taut_factors* step;
    condensed_scale scale;
    bool shifted;  /* some rows have a shift: what holds with gam + Wh r_c does not yet with gam */
    bool linear;   /* u of all rows but contacts follows w linearly, */
    bool exact;    /* and none of them has a shift; */
    bool splits;   /* both: their forces are kept, */
    int kept;      /* in this one of two vectors, */
    bool whole;    /* and the multipliers of these rows belong to w */
    bool balanced; /* now.nodes is known, not infinite */
    double rows2;  /* r_c^2 */
    condensed_motion start;
    taut_bound_sums bounds;
    taut_impulse_change impulse_change;
    condensed_residual now; /* as measured last */
} cpu_residual;

static const taut_residual_mode cpu_still = {false, 1, 1, 0}, cpu_updating = {true, 1, 1, 0};

/* w = dv - u: a float64 node vector (n x 4). */
double* cpu_motion(const taut_plan* plan);
/* K^T u of the last residual, likewise. */
double* cpu_force(const taut_plan* plan);
/* Whether residuals are measured as energy. */
bool cpu_measures_energy(const taut_plan* plan);

/* Which contacts the first guess has open, sticking and sliding: H is that of these. */
void cpu_contact_states(const taut_backend_state* state, const taut_factors* step);
/* Of the first guess, measured. */
cpu_residual cpu_residual_begin(const taut_backend_state* state, const taut_factors* step, condensed_scale scale);
/* r of w as it is now. */
void cpu_residual_look(cpu_residual* r, taut_residual_mode how);
/* Likewise, after a step of `length` delta from where it was known last. */
void cpu_residual_step(cpu_residual* r, const float* delta, double length);
/* Of a part `share` of the last step, to which w has been cut. */
void cpu_residual_cut(cpu_residual* r, double share);
/* Of the same w, where multipliers follow. */
void cpu_residual_follow(cpu_residual* r, taut_residual_mode how);
/* The norms, and z. `now.nodes` only where `balance`, or rows are solved: else nothing looks at it. */
void cpu_residual_measure(cpu_residual* r, bool balance);
/* Those of rows; all of them where rows are solved. */
void cpu_residual_measure_rows(cpu_residual* r);
/* The root of `rows2` up to which rows are solved. */
double cpu_residual_enough(const cpu_residual* r);
/* r of gam itself of contacts, in the place of gam + Wh r_c, and of that of all other rows. */
void cpu_residual_pull(cpu_residual* r);
/* r of the same w, where multipliers of all rows but contacts follow. */
void cpu_residual_follow_lasting(cpu_residual* r);
/* |r| in the norm of another preconditioner than it was measured with, and z. */
void cpu_residual_renorm(cpu_residual* r);

#endif
