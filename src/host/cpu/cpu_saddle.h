/* The direct method: the saddle system of an outer iteration, by sparse factors in float64.
 *
 *     [ P A P   K^T    ] [ w     ]   [ 0  ]
 *     [ K     -(Wt + E)] [ delta ] = [ -r ]        K = [J; Lh] P,  Wt = C/(h l) (+) I,  A the blocks of the nodes
 *
 * whose Schur complement in delta is (S + E) delta = r. With E > 0 the matrix is quasi-definite: L D L^T exists for
 * every order of the unknowns. Constraints that touch fewer nodes than their nodes do constraints are eliminated first,
 * in closed form; the order of nodes and of the other constraints is chosen at creation by approximate minimum degree,
 * each as a whole. It is frozen with the pattern; a step computes numbers alone. Rows and columns of fixed nodes become
 * those of the unit matrix, so that nodes may be fixed and freed in between. Constraints in reserved places are in no
 * pattern: their rows are solved for around the factors (saddle_added.c). */
#ifndef TAUT_CPU_CPU_SADDLE_H
#define TAUT_CPU_CPU_SADDLE_H

#include "model/backend.h"

typedef struct saddle_solver saddle_solver;

/* Products of a factorisation up to which it takes no longer than conjugate gradients usually do
 * (docs/lab-notes/2026-11-26.md): of cloth that bends freely these take hundreds of iterations. */
#define SADDLE_MOST_PRODUCTS      1e9
#define SADDLE_MOST_FREE_PRODUCTS 3e10

/* The plan must outlive it. TAUT_OUT_OF_CAPACITY where a factorisation takes more than `most` products. */
taut_status saddle_make(const taut_plan* plan, const taut_allocator* allocator, double most, saddle_solver** out);
void saddle_free(saddle_solver* d); /* NULL is allowed */
size_t saddle_factor_values(const saddle_solver* d);

/* Factors of the assembled system. */
void saddle_factor(saddle_solver* d);
/* delta for the residual in `wide`; 0 where there are no factors. */
void saddle_solve(saddle_solver* d);
/* gam += sign delta */
void saddle_correct(const saddle_solver* d, double sign);
/* delta, rounded. */
void saddle_store(const saddle_solver* d, float* delta);

#endif
