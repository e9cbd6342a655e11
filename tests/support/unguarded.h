/* For tests of what one system or one scheme yields: steps are single attempts, whatever energy they gain, and undo
 * all that is violated. */
#ifndef TAUT_TESTS_UNGUARDED_H
#define TAUT_TESTS_UNGUARDED_H

#include "taut/taut.h"

static inline taut_world_def unguarded_world(void) {
    taut_world_def def = taut_default_world();
    def.integrator.guard = false;
    def.integrator.closing_time = 0;
    return def;
}

#endif
