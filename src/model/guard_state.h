/* What the guard of a step knows between parts, and between steps (model/guard.h). */
#ifndef TAUT_MODEL_GUARD_STATE_H
#define TAUT_MODEL_GUARD_STATE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum taut_verdict {
    TAUT_VERDICT_KEPT,  /* the part is over */
    TAUT_VERDICT_AGAIN, /* the state is to be restored, and the part tried as the guard now says */
    TAUT_VERDICT_CALMER /* it is to be given less motion */
} taut_verdict;

/* What first linearisations of whole substeps have stretched of late: about the start, and about a guess of the end. */
typedef struct taut_guess {
    float here, ahead;   /* taut_report.stretch */
    uint32_t remembered; /* parts for which they count */
} taut_guess;

/* Parts become twice as long again once shorter ones were kept. Where the longer one then fails, that is tried later
 * and later. */
typedef struct taut_longer {
    uint32_t kept;  /* the level of the part that was kept last */
    uint32_t rests; /* substeps in which parts become no longer */
    uint32_t last;  /* as many after the last failure; 0: a longer part was kept since */
    float stretch;  /* taut_report.stretch of the attempt that failed last */
} taut_longer;

typedef struct taut_guard {
    uint32_t at;       /* 1/TAUT_GUARD_PARTS of the substep that are over */
    uint32_t level;    /* of the next attempt: halvings, or TAUT_GUARD_SAFE */
    uint32_t calmed;   /* how often this attempt was given less motion */
    uint32_t softened; /* parts for which hard rows still are a little softer */
    double share;      /* of its velocities and of its way that is left, the next time */
    bool damped;       /* the part that was kept last had less velocity than it came to */
    float slower;      /* substeps that hard rows and overlaps take to close in the next attempt, beside one */
    taut_guess guess;
    taut_longer longer;
    uint32_t resigned; /* parts for which nothing is done about what is stretched: it did not help */
    float longest;     /* taut_report.stretch, the most of attempts at this part; 0: none was looked at */
    double held;       /* J: energy of motion and strain, at its highest, fading */
    double asked;      /* J: kinetic energy that drives have asked for, fading */
    double gained;     /* J: energy gained less energy lost of late, fading */
    double lost;       /* J: energy lost less energy gained of late, by the plain measure */
    taut_verdict verdict;
} taut_guard;

#endif
