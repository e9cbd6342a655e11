/* The adjoint of a step: what a record of a step has, and what its derivatives are added to. In numbers inside. */
#ifndef TAUT_MODEL_ADJOINT_H
#define TAUT_MODEL_ADJOINT_H

#include "model/layout.h"

/* Of the velocity of a node at the start of a step: it is the state's; or that of a way to a goal; or it ended with
 * such a way. */
enum { TAUT_NODE_AS_IT_WAS, TAUT_NODE_WENT, TAUT_NODE_ARRIVED };

/* A contact that pressed in a step: what its impulse follows from, beside the states of its nodes
 * (kernels/stages/contact/regularised.h). */
typedef struct taut_contact_note {
    uint32_t finder, other, feature, law;
    uint32_t node[6]; /* as contact_rows.h has them; TAUT_NO_NODE: nothing acts there */
    uint32_t cuts;    /* of two convex solids: edges that cut a side in the last step */
    double place[3];  /* of two solids: where it acts, m */
    double side;      /* of surfaces: -1: what has passed through goes back; else 1 */
    double last[3];   /* force of the last step on the first thing, in the world, N */
    double friction;
    double chain;   /* contacts on the way through it */
    double stiffer; /* its R over that of its masses and its load */
    double norm[3]; /* the inverse diagonal of S over that of its masses and R */
} taut_contact_note;

/* dL/d(force of the last step) of a contact. */
typedef struct taut_contact_seed {
    uint32_t finder, other, feature;
    double force[3]; /* 1/N, world */
} taut_contact_seed;

/* A step of h that Newton's method has solved. */
typedef struct taut_step_record {
    double h;
    double *x, *v;       /* nodes x 3: at its start; of nodes on a way to a goal the velocity of that */
    double* dv;          /* nodes x 3 */
    double* orientation; /* frames x 4, at its start */
    double* gam;         /* rows of given constraints: impulses */
    double* rate;        /* likewise: velocities of the goals that they follow; 0 where there are none */
    uint8_t* moved;      /* likewise: 1: it went to a goal */
    uint8_t* led;        /* nodes: what became of their velocity at its start */
    uint64_t parameters; /* host/world/gradient_parameters.h */
    uint64_t steps;      /* of the world, with this one */
    size_t contact_count, contact_room;
    taut_contact_note* contacts;
} taut_step_record;

/* Derivatives of a function L of the state after a step. */
typedef struct taut_adjoint_sums {
    double *x, *v;                  /* nodes x 3: dL/dx', dL/dv'; then dL/dx, dL/dv */
    double* force;                  /* nodes x 3: by the user's forces; the following are added to likewise */
    double* goal;                   /* nodes x 3: by the places that fixed nodes are moved to */
    double* mass;                   /* nodes */
    double* inertia;                /* frames x 6 */
    double *friction, *restitution; /* of pairs of materials, one way round */
    double gravity[3];
    double *rest, *target; /* rows: by rest values at the start, and by the goals of those that move */
    double* damping;       /* constraints, kind by kind */
    double* compliance;    /* likewise, by each value of the packed block */
    size_t seed_count;
    taut_contact_seed* seeds; /* by the contacts of the step before, which the next one began with */
} taut_adjoint_sums;

/* Places of a kind's constraints in `damping` and `compliance`. */
static inline size_t taut_adjoint_first(const taut_sizes* s, int kind, bool packed) {
    size_t first = 0;
    for (int k = 0; k < kind; k++) {
        first += s->count[k] * (packed ? taut_kind_shapes[k].packed : 1);
    }
    return first;
}

/* Parents of a mapped point at most. */
#define TAUT_ADJOINT_PARENTS 24

/* Contacts of a record. */
static inline size_t taut_adjoint_contacts(const taut_sizes* s) {
    return s->touches ? s->contact_capacity : 0;
}

/* What a backend has for the adjoint of a world's steps. */
typedef struct taut_adjoint taut_adjoint;

#endif
