/* Contacts of loose bodies solved to a tolerance: sweeps and Newton's method in turn. */
#ifndef TAUT_CPU_CPU_PAIRS_SOLVE_H
#define TAUT_CPU_CPU_PAIRS_SOLVE_H

#include "host/cpu/cpu_contact_pairs.h"

/* A solve of a heap under way. Impulses in gam are those that `residual` is of. */
typedef struct pairs_solve {
    contact_pairs* pairs;
    double scale, residual;
    uint32_t iterations, outer_iterations;
    void* context;
    double (*measure)(void* context); /* the residual of what stands in gam */
    bool (*slides)(void* context);    /* whether contacts slide otherwise than told; NULL: nobody asks */
} pairs_solve;

bool pairs_solve_is_within(const pairs_solve* p);
/* What has been gathered, whose residual is known; INFINITY: where this begins decides nothing. Without sweeps where
 * they have all but ended before, unless they have just solved nearly the same system. */
void pairs_solve_run(pairs_solve* p);
/* The heaps that have been gathered, of the Schur complement or beside other systems, each to its own end; reports the
 * worst. Leaves dv - u of their nodes in g_f64, but of what is paused. */
void pairs_solve_heaps(taut_backend_state* state, contact_pairs* all, const taut_factors* step, bool schur);
/* |b| of contacts that would press where nothing acts, in the norm of T. Finds 1/T. */
double pairs_scale(contact_pairs* s, const taut_factors* step, bool schur);
/* The motion of bodies into that of nodes, n x 4. */
void pairs_store_motion(const contact_pairs* s, double* w);
/* Sweeps for all iterations that are left, where that has not been enough. */
void pairs_solve_sweep_on(pairs_solve* p);

#endif
