/* The numbers of one step that the formulas of every constraint and node share: each formulation is a choice of them.
 */
#ifndef TAUT_MODEL_FACTORS_H
#define TAUT_MODEL_FACTORS_H

#include "base/small_math.h"
#include "model/impacts.h"

#include <stdbool.h>

/* Rows and factor rows of one constraint, at most. */
#define TAUT_MAX_ROWS 16

/* What a linear system is for. */
typedef enum taut_phase {
    TAUT_PHASE_STEP,       /* a step, or a stage of one, about the current state */
    TAUT_PHASE_AHEAD,      /* the same about a guess of its end */
    TAUT_PHASE_RENEW,      /* about the last iterate of Newton's method */
    TAUT_PHASE_FREE,       /* the motion without constraints */
    TAUT_PHASE_FREE_RENEW, /* likewise */
    TAUT_PHASE_CONSTRAIN,  /* constraints about that motion */
    TAUT_PHASE_POSITIONS,  /* projection of positions */
    TAUT_PHASE_VELOCITIES, /* projection of velocities */
    TAUT_PHASE_COUNT
} taut_phase;

/* Whether it is about an iterate dv of the step, whose state is the current one; x0, v0 are those of the start. */
TAUT_FN bool taut_renews(taut_phase phase) {
    return phase == TAUT_PHASE_AHEAD || phase == TAUT_PHASE_RENEW || phase == TAUT_PHASE_FREE_RENEW ||
           phase == TAUT_PHASE_CONSTRAIN;
}

/* Whether it is the first one, which finds what those about later iterates keep. */
TAUT_FN bool taut_begins(taut_phase phase) {
    return phase == TAUT_PHASE_AHEAD || !taut_renews(phase);
}

TAUT_FN bool taut_projects(taut_phase phase) {
    return phase == TAUT_PHASE_POSITIONS || phase == TAUT_PHASE_VELOCITIES;
}

#define TAUT_RK4_STAGES 4

/* Of the length of a step: so long J v that it has left waits in shorter ones. */
#define TAUT_DEFERRED_PART 0.125

/* Two stages of implicit Euler of g h each make a step of second order that damps what is stiff (SDIRK2, Alexander
 * 1977): y1 = y0 + g h f(y1),   y' = y0 + (1 - g) h f(y1) + g h f(y'),   g = 1 - 1/sqrt 2 The second begins at y0 + (1
 * - g) / g (y1 - y0). */
#define TAUT_SDIRK_STAGE 0.29289321881345254
#define TAUT_SDIRK_REACH 2.4142135623730949 /* (1 - g) / g */

/* What becomes of the state when a system has been solved for dv. */
typedef enum taut_move {
    TAUT_MOVE_STEP,                                    /* x' = x + h (v + beta dv), v' = v + dv: the step is done */
    TAUT_MOVE_RK4,                                     /* the four stages; the last one ends the step */
    TAUT_MOVE_BEGIN = TAUT_MOVE_RK4 + TAUT_RK4_STAGES, /* Newton: the state is kept as the start, dv is the iterate, and
                                                          the state becomes the one to look at */
    TAUT_MOVE_AGAIN,     /* likewise from another judgement: dv is the iterate, or half way back to the last one */
    TAUT_MOVE_LOOK,      /* the state to look at in another phase */
    TAUT_MOVE_AHEAD,     /* where the second of two stages begins, beyond the end of the first */
    TAUT_MOVE_GUESS,     /* the state is kept as the start, the last dv is the iterate, and the state becomes the one to
                            look at; impulses are those of such a step */
    TAUT_MOVE_ARRIVE,    /* x', v' from dv about a guess: the step is done */
    TAUT_MOVE_END,       /* x', v' from the iterate, or from dv about it: the step is done */
    TAUT_MOVE_START,     /* before a step that ends in projections: the state is kept */
    TAUT_MOVE_SPARE,     /* before them: so are the impulses */
    TAUT_MOVE_POSITIONS, /* x' = x + dv */
    TAUT_MOVE_VELOCITIES, /* v' = v + dv */
    TAUT_MOVE_RESTORE,    /* the impulses are those of the step again */
    TAUT_MOVE_REOPEN      /* after STEP, before BEGIN: the state is that of the start of the part, but for impulses and
                             the system's dv */
} taut_move;

/* What becomes of rows with compliance. */
typedef enum taut_soft_rows {
    TAUT_SOFT_SOLVED,   /* as all rows */
    TAUT_SOFT_EXPLICIT, /* their force is that of the current state */
    TAUT_SOFT_LEFT_OUT
} taut_soft_rows;

/* The law of a row, with D = damped d + plain:
 *     J dv + (C / D) gam = -( phi phi + (rate_damped d + rate) phidot + bias Jdot v ) / D
 * Where D = 0, rows act with their force of the state, gam = -h C^-1 ( phi + (d + ahead) phidot ). */
typedef struct taut_law {
    double damped; /* s */
    double plain;  /* s^2 */
    double phi;    /* s */
    double rate_damped, rate, bias;
    double ahead;         /* s */
    double least_damping; /* s, of hard rows */
    bool by_change;       /* about an iterate that damping acts on what phi has changed by in the step */
    taut_soft_rows soft;
    bool off;        /* all rows are left out */
    bool velocities; /* there is no phi, and the rest value is a velocity */
} taut_law;

/* The tangent K = R^T R of a force element with the damping time d, whose force is f - d K v:
 *     A += rho K,   A u = ... - sigma K v      rho = plain + damped d,   sigma = rate + rate_damped d
 * and of an element whose tangent is a damping, -df/dv = K: rho = damped, sigma = 0. Where rho = 0, sigma K v is a
 * force of the state. */
typedef struct taut_tangent {
    double plain;       /* s^2 */
    double damped;      /* s */
    double rate;        /* s^2 */
    double rate_damped; /* s */
} taut_tangent;

/* What turns a frame by itself. */
typedef enum taut_turning {
    TAUT_TURN_BY_MOMENTUM, /* the angular momentum is kept */
    TAUT_TURN_BY_TORQUE,   /* -omega x I omega */
    TAUT_TURN_NOT
} taut_turning;

/* A constraint that is absent has been removed, or has not been added yet: phi and J are 0, and nothing acts. */
enum { TAUT_LAW_CONSTRAINT, TAUT_LAW_FORCE, TAUT_LAW_VELOCITY, TAUT_LAW_CONTACT, TAUT_LAW_ABSENT, TAUT_LAW_COUNT };

typedef struct taut_factors {
    double h;
    double sight; /* s: so far ahead contacts are looked for; h, or less */
    taut_phase phase;
    double alpha;
    double beta;
    double reach;          /* TAUT_MOVE_AHEAD: x0 + reach (x - x0), likewise v */
    double look_q, look_v; /* that state: x0 + look_q h (v0 + beta dv), v0 + look_v dv */
    double inertia;        /* A = inertia M + ... */
    double carried;        /* A u = carried M v + pushed f + ... */
    double pushed;         /* s */
    taut_turning turning;
    taut_law law[TAUT_LAW_COUNT];
    taut_tangent tangent;
    double factor_scale[TAUT_LAW_COUNT]; /* Lh^T Lh = factor_scale * R^T R; 0 without geometric stiffness */
    double factor_rate;                  /* of those: Lh dv + s = -factor_rate Lh v; 0 where that term is explicit */
    bool explicit_factor_rows;           /* Lh v is in the free motion, and the geometric stiffness not in A */
    bool explicit_tangents;              /* so may tangents of force elements be */
    bool bias;                           /* laws have it */
    bool explicit_rows;                  /* rows may act with the force that they have */
    double proximal;                     /* of the solver, < 0: automatic */
    double condensed_proximal;           /* of the condensed system: E of a hard row relative to J M^-1 J^T */
    double condensed_soft;               /* W from which on a row has no E, likewise */
    double gravity[3];
    double slow_impact;  /* m/s: slower ones do not bounce */
    double slow_slip;    /* m/s: what slides no faster has static friction */
    double ahead;        /* s: the normal of a contact is that of where a point will have slid by then */
    double near;         /* m: contacts are found so near, */
    bool convex;         /* and their friction is the relaxed law, */
    bool regularised;    /* with compliance that the step resolves */
    bool gives_bounds;   /* to friction of what is joined or wedged, and to what is jammed: contact/wedged.h,
                            kept_load.h, pushing.h */
    bool passive_forces; /* the user has put forces on passive mapped points */
    double rest;         /* s: what a piece of a substep is shorter by than all of it, or a substep than the pace */
    double newest;       /* of the pace; 1 where there is none: weight of multipliers in those of late */
    double due;       /* kernels/stages/deferred.h: part of what is violated that it undoes; 1 where it is no blow; */
    double turned;    /* s: and what is left of the step that has left J v; h where that is over */
    double paced;     /* s: h, or the longer step that decides how soft contacts are */
    double closing;   /* of the speed at which overlaps are undone */
    double share;     /* of an impact: of the speed of approach that a stage takes */
    taut_piece piece; /* which it is */
    bool begins;      /* it is the first one of the substep */
    double closing_time; /* s: kernels/stages/misfit.h; gradients do not know of it */
    bool softened;       /* every hard row has the least compliance of those that contradict each other */
} taut_factors;

#endif
