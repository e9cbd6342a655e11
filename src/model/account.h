/* What the guard of a step knows of each component of a scene, and of each island: components that touch
 * (model/guard.h).
 */
#ifndef TAUT_MODEL_ACCOUNT_H
#define TAUT_MODEL_ACCOUNT_H

#include "model/energy.h"
#include "model/guard_state.h"

/* Scenes of more components have one account. */
#define TAUT_MOST_COMPONENTS 65536

/* What drives, targets and supports that move ask for: model/guard.h. */
typedef struct taut_driven {
    double soft_before, soft; /* J: of sums.plain, in what the step resolves */
    double mass, second;      /* kg, and kg m^2: about the origin, with what arms of joints add */
    double speed[2], turn[2]; /* sums of the squares and fourth powers of speeds that are asked for, m/s and rad/s */
} taut_driven;

/* Of an attempt, J. */
typedef struct taut_guard_sums {
    double plain_before, plain; /* in rows */
    double about_before, about; /* likewise */
    double kick;                /* kinetic energy that forces would give from rest */
    double work;                /* of the user's forces */
    double bounced;             /* error of bounces, whose time within the part is not known */
    double pushed;              /* by contacts of bodies as they close; 0: none touch */
    double plain_hard;          /* in hard constraints, at the end, */
    double hard;                /* and how many they are */
    taut_driven driven;
} taut_guard_sums;

/* Of a component: its energies at the start of a part and as last evaluated, and what else an attempt is judged by. */
typedef struct taut_account {
    taut_energies before, now;
    double stretch; /* taut_violation */
    taut_powers powers;
    taut_guard_sums sums;
    double held, gained, lost, asked; /* J: as in taut_guard, once the part is kept */
} taut_account;

/* Components that contacts, added constraints and moving supports join in an attempt. */
typedef struct taut_island {
    taut_account account;
    taut_guard guard;                     /* as it is judged: with its own energies */
    taut_guard after;                     /* as it was judged last */
    bool solved;                          /* by all its systems */
    bool contradicts;                     /* taut_attempt.contradicts, as it was judged last */
    bool in_schur, in_condensed, in_heap; /* which systems solve for it */
} taut_island;

#endif
