/* The adjoint of a step: what a record of a step has, and what its derivatives are added to. In numbers inside. */
#ifndef TAUT_MODEL_ADJOINT_H
#define TAUT_MODEL_ADJOINT_H

#include "model/layout.h"

/* Of the velocity of a node at the start of a step: it is the state's; or that of a way to a goal; or it ended with
 * such a way. */
enum { TAUT_NODE_AS_IT_WAS, TAUT_NODE_WENT, TAUT_NODE_ARRIVED };

/* A step of h that Newton's method has solved. */
typedef struct taut_step_record {
    double h;
    double *x, *v;  /* nodes x 3: at its start; of nodes on a way to a goal the velocity of that */
    double* dv;     /* nodes x 3 */
    double* gam;    /* rows of given constraints: impulses */
    double* rate;   /* targets x 3: their velocities */
    uint8_t* moved; /* targets: 1: it went to a goal */
    uint8_t* led;   /* nodes: what became of their velocity at its start */
} taut_step_record;

/* Derivatives of a function L of the state after a step. */
typedef struct taut_adjoint_sums {
    double *x, *v; /* nodes x 3: dL/dx', dL/dv'; then dL/dx, dL/dv */
    double* force; /* nodes x 3: by the user's forces; the following are added to likewise */
    double* goal;  /* nodes x 3: by the places that fixed nodes are moved to */
    double* mass;  /* nodes */
    double gravity[3];
    double *rest, *target; /* rows: by rest values at the start, and by the goals of those that move */
    double* damping;       /* constraints, kind by kind */
    double* compliance;    /* likewise, by each value of the packed block */
} taut_adjoint_sums;

/* Places of a kind's constraints in `damping` and `compliance`. */
static inline size_t taut_adjoint_first(const taut_sizes* s, int kind, bool packed) {
    size_t first = 0;
    for (int k = 0; k < kind; k++) {
        first += s->count[k] * (packed ? taut_kind_shapes[k].packed : 1);
    }
    return first;
}

/* What a backend has for the adjoint of a world's steps. */
typedef struct taut_adjoint taut_adjoint;

#endif
