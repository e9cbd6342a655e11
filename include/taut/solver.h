/* The solver: methods, preconditioners, tolerances. */
#ifndef TAUT_SOLVER_H
#define TAUT_SOLVER_H

#include "taut/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Unknowns of a step: constraint impulses or velocities. `auto` decides for each connected component of the scene;
 * where something can touch, for all of it: projected gradients where nothing but contact joins free bodies and
 * particles whose masses are within a factor of 100, else condensed. */
typedef enum taut_method {
    TAUT_METHOD_AUTO,         /* condensed where the rows are about as many as the degrees of freedom, else Schur */
    TAUT_METHOD_SCHUR,        /* ropes, rods, thread nets, mechanisms */
    TAUT_METHOD_CONDENSED,    /* cloth with shear or bending, soft bodies; hard rows by proximal iteration */
    TAUT_METHOD_GAUSS_SEIDEL, /* impulses, constraint by constraint in the place of conjugate gradients: for small or
                                 soft scenes; sweeps grow with the square of the length of a chain. Where something can
                                 touch: projected, contacts by their own blocks, whose colours follow them from step to
                                 step; not with mapped points: TAUT_INVALID_ARGUMENT */
    TAUT_METHOD_DIRECT,       /* impulses and velocities at once, by sparse factors in float64: the reference. CPU
                                 backend only, where the library was built with SuiteSparse's LDL and AMD; else
                                 TAUT_INVALID_DEFINITION, TAUT_BACKEND_UNAVAILABLE */
    TAUT_METHOD_PROJECTED_GRADIENT, /* impulses, by accelerated projected gradients: many loose bodies with contacts,
                                       bounds and short joints */
    TAUT_METHOD_NONSMOOTH_CG /* impulses, by nonsmooth conjugate gradients: likewise. Both look at all of the scene
                                and take no preconditioner; long chains and cloth need far more iterations than
                                by the others */
} taut_method;

/* The preconditioner of conjugate gradients. */
typedef enum taut_preconditioner {
    TAUT_PRECONDITIONER_AUTO,   /* Schur: multilevel on ropes, rods, thread nets and mechanisms, else Jacobi; condensed:
                                   multilevel */
    TAUT_PRECONDITIONER_NONE,   /* plain conjugate gradients */
    TAUT_PRECONDITIONER_JACOBI, /* Schur: the diagonal; condensed: 3 x 3 blocks */
    TAUT_PRECONDITIONER_BLOCK,  /* Schur: dense inverses of blocks grown along the strongest couplings */
    TAUT_PRECONDITIONER_CHEBYSHEV, /* Schur: polynomial in the Jacobi-scaled operator */
    TAUT_PRECONDITIONER_MULTILEVEL /* Schur: exact elimination along chains of constraints, half of each chain a level;
                                      condensed: aggregates with six rigid-body modes each, on several levels */
} taut_preconditioner;

/* How the multilevel preconditioner of the condensed system goes through its levels. */
typedef enum taut_cycle {
    TAUT_CYCLE_AUTO,     /* additive: the least time on the CPU (docs/lab-notes/2026-11-22.md) */
    TAUT_CYCLE_ADDITIVE, /* the unknowns and, beside them, a V-cycle on the coarser levels: the cheapest */
    TAUT_CYCLE_V,        /* Chebyshev smoothing before and after each coarser level */
    TAUT_CYCLE_K         /* two steps of conjugate gradients on each coarser level */
} taut_cycle;

#define TAUT_MAX_LEVELS 12 /* of the multilevel preconditioner of the condensed system */

/* How a step is solved. */
typedef struct taut_solver {
    taut_method method;                 /* default auto; fixed at creation. Block and Chebyshev want Schur: with method
                                           auto they decide it */
    taut_preconditioner preconditioner; /* default auto; fixed at creation */
    taut_cycle cycle;                   /* default auto; fixed at creation */
    bool smoothed_aggregates;           /* prolongators of that multilevel preconditioner are smoothed; default true.
                                           Without, its refresh is cheaper and needs the K-cycle; fixed at creation */
    double tolerance;                   /* on the relative residual as in taut_step_info, in (0, 1); default 1e-4 */
    uint32_t max_iterations;            /* per substep, >= 1; of Gauss-Seidel sweeps; default 1000 */
    bool warm_start;                    /* start from the last multipliers; default true */
    double proximal;           /* regularisation of hard rows within an iteration of the outer loop, relative to the
                                  diagonal of S: 0 none, > 0 for redundant hard rows, < 0 automatic. The condensed
                                  system needs some and takes 0 for automatic; the direct method has its own. The
                                  converged result does not depend on it. Default -1 */
    uint32_t block_size;       /* unknowns per dense block, 1..256; default 64; fixed at creation */
    uint32_t chebyshev_degree; /* 1..64; default 8 */
} taut_solver;

#ifdef __cplusplus
}
#endif

#endif
