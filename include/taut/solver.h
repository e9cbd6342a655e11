/* The solver: by which method, to which tolerance, and with which preconditioner a world solves the linear system of a
 * step.
 *
 * The Schur complement S (unknowns: constraint impulses gam) and the condensed system (unknowns: velocity changes dv)
 * are two forms of one system and have the same solution; world.h states both. */
#ifndef TAUT_SOLVER_H
#define TAUT_SOLVER_H

#include "taut/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The method, which also decides the unknowns of a step: constraint impulses or velocities. Without contacts `auto`
 * chooses for each connected component of the scene. If contacts are possible, `auto` makes one choice for the whole
 * scene: projected gradients if contacts are the only connection between free bodies and particles, and their masses
 * differ by a factor of at most 100; the condensed system otherwise.
 *
 * On the CPU, if the library has the direct method, `auto` chooses it for a scene with a condensed component, without
 * contacts, bounds and tetrahedra, if one factorisation takes at most 1e9 products; not if a preconditioner or a cycle
 * is given. */
typedef enum taut_method {
    TAUT_METHOD_AUTO = 0,              /* condensed for a component that has at least about as many rows as degrees
                                          of freedom and is neither a mechanism nor a rod; Schur otherwise */
    TAUT_METHOD_SCHUR = 1,             /* Schur complement by conjugate gradients: ropes, rods, thread nets,
                                          mechanisms */
    TAUT_METHOD_CONDENSED = 2,         /* condensed system by conjugate gradients: cloth with shear or bending, soft
                                          bodies. Proximal iteration (augmented Lagrangian) solves hard rows */
    TAUT_METHOD_GAUSS_SEIDEL = 3,      /* block Gauss-Seidel on impulses, in place of a preconditioner: small or
                                          soft scenes. An iteration is a sweep there and back, and makes a step of
                                          conjugate gradients. Rows with bounds take sweeps forward alone; there the
                                          number of sweeps grows with the square of the length of a chain.
                                          TAUT_INVALID_ARGUMENT if contacts are possible */
    TAUT_METHOD_DIRECT = 4,            /* the reference: impulses and velocities together by a sparse factorisation
                                          in float64. TAUT_INVALID_DEFINITION on any backend but the CPU;
                                          TAUT_BACKEND_UNAVAILABLE if the library was built without LDL and AMD of
                                          SuiteSparse */
    TAUT_METHOD_PROJECTED_GRADIENT = 5 /* accelerated projected gradients on impulses: many loose bodies with
                                          contacts, bounds and short joints. Applies to the whole scene, without a
                                          preconditioner. Long chains and cloth need far more iterations than by the
                                          methods above. 6 was nonsmooth conjugate gradients, which did not do more */
} taut_method;

/* The preconditioner of conjugate gradients. */
typedef enum taut_preconditioner {
    TAUT_PRECONDITIONER_AUTO = 0,      /* Schur: multilevel for ropes, rods, thread nets and mechanisms, else Jacobi;
                                          condensed: multilevel, but Jacobi for bodies and particles that nothing joins,
                                          in a world without a reserve or with the exact law */
    TAUT_PRECONDITIONER_NONE = 1,      /* conjugate gradients without a preconditioner */
    TAUT_PRECONDITIONER_JACOBI = 2,    /* Schur: the diagonal; condensed: the 3 x 3 diagonal blocks */
    TAUT_PRECONDITIONER_BLOCK = 3,     /* Schur only: dense inverses of blocks, which grow along the strongest
                                          couplings */
    TAUT_PRECONDITIONER_CHEBYSHEV = 4, /* Schur only: a Chebyshev polynomial of the Jacobi-scaled operator */
    TAUT_PRECONDITIONER_MULTILEVEL = 5 /* Schur: exact elimination along chains of constraints; each level eliminates
                                          half of each chain. Condensed: algebraic multigrid by aggregates with the
                                          six rigid-body modes each, on several levels */
} taut_preconditioner;

/* The cycle in which the multilevel preconditioner of the condensed system visits its levels. */
typedef enum taut_cycle {
    TAUT_CYCLE_AUTO = 0,     /* additive, the fastest on the CPU (docs/lab-notes/2026-11-22.md) */
    TAUT_CYCLE_ADDITIVE = 1, /* the sum of a correction on the unknowns and a V-cycle on the coarser levels: the
                                cheapest */
    TAUT_CYCLE_V = 2         /* V-cycle: Chebyshev smoothing before and after each coarser level */
} taut_cycle;

/* The largest number of levels of the multilevel preconditioner of the condensed system. */
#define TAUT_MAX_LEVELS 12

/* Parameters of the solver. */
typedef struct taut_solver {
    taut_method method;                 /* default auto; fixed at creation. The block and Chebyshev preconditioners need
                                           Schur: with one of them `auto` chooses Schur */
    taut_preconditioner preconditioner; /* default auto; fixed at creation */
    taut_cycle cycle;                   /* default auto; fixed at creation */
    double tolerance;          /* (0, 1): tolerance of the relative residual, see taut_step_info; default 1e-4 */
    uint32_t max_iterations;   /* >= 1: the most iterations (Gauss-Seidel: sweeps) per substep; default 1000 */
    bool warm_start;           /* true: a solve starts from the multipliers of the last step; default true */
    double proximal;           /* regularisation of hard rows within an outer iteration (proximal shift), relative to
                                  the diagonal of S. 0: none; > 0: for redundant hard rows; < 0: automatic; default -1.
                                  The condensed system needs a shift and treats 0 as automatic; the direct method
                                  uses its own shift. The converged result does not depend on the shift */
    uint32_t block_size;       /* 1 to 256: unknowns per dense block of the block preconditioner; default 64; fixed at
                                  creation */
    uint32_t chebyshev_degree; /* 1 to 64: degree of the Chebyshev preconditioner; default 8 */
    uint64_t reserved[8];      /* 0 */
} taut_solver;

#ifdef __cplusplus
}
#endif

#endif
