/* The rounds in which impact zones grow and move (kernels/stages/contact/zones.h), the same on both backends: zones
 * grow while something would pass through something; where that does not help, all motion is halved a few times, and in
 * the end nothing moves. */
#ifndef TAUT_MODEL_ZONE_ROUNDS_H
#define TAUT_MODEL_ZONE_ROUNDS_H

#include "base/small_math.h"

#include <stdbool.h>
#include <stdint.h>

/* Rounds in which zones grow, and halvings of the motion of all that still would pass through something. */
#define TAUT_ZONE_ROUNDS 48
#define TAUT_ZONE_STOPS  3

typedef struct taut_zone_rounds {
    uint32_t grown, stopped;
    double share; /* of the motion that is left */
    bool stops;   /* the round takes motion away, else zones grow */
    bool goes_on;
    bool through; /* at the end something still would pass through something */
} taut_zone_rounds;

TAUT_FN taut_zone_rounds taut_zone_begin(bool any) {
    const taut_zone_rounds out = {0, 0, 1, false, any, any};
    return out;
}

/* After a round. `moved`: it changed anything; `any`: something still would pass through something. */
TAUT_FN void taut_zone_next(taut_zone_rounds* z, bool moved, bool any) {
    const bool stopped = z->stops;
    z->through = any;
    z->stops = false;
    if (!any) {
        z->goes_on = false;
    } else if (stopped) {
        z->grown = 0;
    } else if (!moved || ++z->grown >= TAUT_ZONE_ROUNDS) {
        z->goes_on = z->stopped <= TAUT_ZONE_STOPS;
        z->stops = z->goes_on;
        z->share = z->stopped < TAUT_ZONE_STOPS ? 0.5 : 0;
        z->stopped++;
    }
}

#endif
