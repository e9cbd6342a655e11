/* Of a step with a budget of time: when its solves end at a looser tolerance than that of the settings. */
#ifndef TAUT_MODEL_DEADLINE_H
#define TAUT_MODEL_DEADLINE_H

#include <stdint.h>

/* The tolerance of a solve whose time is up; a step with a residual above 1 is not kept. */
#define TAUT_LATE_TOLERANCE 0.01

/* Times are those of base/clock.h. */
typedef struct taut_deadline {
    double at;        /* when the time of solves is up; 0: never */
    double enough;    /* when the solve under way had reached TAUT_LATE_TOLERANCE; 0: it has not */
    double spare;     /* s: how long solves went on since they had; sum */
    double solved;    /* when the last solve ended */
    double search;    /* when the search for contacts is given up for one that looks less far ahead; 0: never */
    double slice;     /* s that it had */
    uint32_t hurried; /* solves that ended above their tolerance, as their time was up; sum */
} taut_deadline;

#endif
