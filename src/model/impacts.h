/* Substeps that are cut at impacts. Solids that come together by more than a half of their thickness within a substep
 * would meet somewhere in the middle of it, and one system has one configuration for all of it. So the substep is made
 * in pieces: up to the moment in which the first two of them meet they fly, a piece of next to no time is the impact,
 * in which the law of restitution holds between velocities before and after, and what is left begins anew. Impacts are
 * few; what meets beyond that, meets as in a substep that is not cut.
 *
 * Free flight. Implicit Euler, x' = x + h v', v' = v + h g, is on a parabola whose velocity is v + (beta - 1/2) h g
 * where x is. Pieces of other lengths stay on it if v changes by (beta - 1/2)(h_last - h) g between them: a kick of the
 * mean of both lengths, as leapfrog with unequal steps has it. What bounces so neither gains nor loses energy.
 *
 * All kicks of a body within a substep add up to none, so that impulses are what changes its momentum. What falls gets
 * back in the end what pieces took from it. What an impact lays on something that stands gets it there: it is stopped
 * but for so much, and rests with all of it. */
#ifndef TAUT_MODEL_IMPACTS_H
#define TAUT_MODEL_IMPACTS_H

#include "base/small_math.h"

#include <stdbool.h>
#include <stdint.h>

/* Impacts of a substep at most. From half of them on pieces have at least their share of what is left. */
#define TAUT_IMPACTS 8
/* The time of an impact in that of the substep. */
#define TAUT_IMPACT_TIME 1e-6
/* An impact without restitution is made in so many stages of equal loss of speed: friction follows what slides. */
#define TAUT_IMPACT_STAGES 2
/* Of the systems of impacts, relative, at most: what is left of one is no overlap that the next step would undo. */
#define TAUT_IMPACT_TOLERANCE 1e-8
/* In halves of the thickness of the thinner one: how far it goes in a substep if it is fast, and how near things are
 * that touch. */
#define TAUT_IMPACT_FAST  1.0
#define TAUT_IMPACT_TOUCH 2e-3
/* Likewise: by how much places that touch may overlap more, as they turn about each other, before it is an impact. */
#define TAUT_IMPACT_SLACK 0.03

/* Part of gravity along a normal from which on what it presses on stands under what falls. */
#define TAUT_IMPACT_BEARS 0.1

/* What a part is of a substep. */
typedef enum taut_piece {
    TAUT_PIECE_WHOLE,  /* all of it, or what is left after the last impact that there may be */
    TAUT_PIECE_FLIGHT, /* nothing fast meets in it */
    TAUT_PIECE_IMPACT
} taut_piece;

/* Of a body. LOOSE and JOINED never change. */
typedef enum taut_flight {
    TAUT_FLIGHT_LOOSE = 1, /* nothing but contact joins it to anything */
    TAUT_FLIGHT_FALLS = 2, /* its velocity is that of the parabola, less what goes with the length of the piece */
    TAUT_FLIGHT_LANDS = 4, /* the impact has laid it on something that stands */
    TAUT_FLIGHT_JOINED = 8 /* there are joints in its component */
} taut_flight;

typedef struct taut_impacts {
    double whole, left, last; /* s: the substep, what is left of it, and the last piece */
    uint32_t count;
} taut_impacts;

typedef struct taut_meeting {
    double time;  /* s; that which is left: nothing meets */
    bool flies;   /* something is fast */
    double touch; /* m: the largest gap at which anything fast touches */
} taut_meeting;

/* s: the shortest piece that is worth it now. */
TAUT_FN double taut_impacts_least(const taut_impacts* i) {
    return 2 * i->count < TAUT_IMPACTS || i->count >= TAUT_IMPACTS ? 0 : i->left / (TAUT_IMPACTS - i->count + 1);
}

#endif
