/* The adjoint of a step: what a record of a step has, and what its derivatives are added to. In numbers inside. */
#ifndef TAUT_MODEL_ADJOINT_H
#define TAUT_MODEL_ADJOINT_H

#include "model/layout.h"

/* Of the velocity of a node at the start of a step: it is the state's; or that of a way to a goal; or it ended with
 * such a way. */
enum { TAUT_NODE_AS_IT_WAS, TAUT_NODE_WENT, TAUT_NODE_ARRIVED };

/* A contact of a particle with a collider that stands still, which pressed in a step: what its impulse gam = P(y),
 * y = (b - J dv)/R, follows from (kernels/stages/contact/regularised.h). */
typedef struct taut_contact_note {
    uint32_t node, finder, other, feature;
    double axes[3][3];                      /* the normal and both tangents */
    double bend[3][3];                      /* 1/m: of the normal by the place of the particle */
    double start[3], dv[3];                 /* m/s: of the particle */
    double gam[3];                          /* N s, along these */
    double conductance[3][3];               /* G = dP/dy R^-1, 1/R of what presses */
    double by_fall;                         /* of b along the normal: by the gravity against that, m/s^2 */
    double by_gap, by_gravity, by_speed[3]; /* of b along the normal: by phi, by |g|, by the speed at the start */
    double last[3];                         /* h times the force of the last step, N s */
    double kept[2];                         /* of b along the normal, and along the tangents: by `last`; 0, or R */
    bool loaded;                            /* R falls with the force of the last step, not with 1/m */
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
    size_t contact_count;
    taut_contact_note* contacts; /* room for taut_adjoint_contacts */
} taut_step_record;

/* Derivatives of a function L of the state after a step. */
typedef struct taut_adjoint_sums {
    double *x, *v;   /* nodes x 3: dL/dx', dL/dv'; then dL/dx, dL/dv */
    double* force;   /* nodes x 3: by the user's forces; the following are added to likewise */
    double* goal;    /* nodes x 3: by the places that fixed nodes are moved to */
    double* mass;    /* nodes */
    double* inertia; /* frames x 6 */
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

/* Contacts of a record at most. */
static inline size_t taut_adjoint_contacts(const taut_sizes* s) {
    return 2 * (size_t)s->touching;
}

/* What a backend has for the adjoint of a world's steps. */
typedef struct taut_adjoint taut_adjoint;

#endif
