#define _POSIX_C_SOURCE 199309L /* clock_gettime */
#include "base/clock.h"

#include <time.h>

double taut_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
