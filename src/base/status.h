/* Error text of the calling thread. */
#ifndef TAUT_BASE_STATUS_H
#define TAUT_BASE_STATUS_H

#include "taut/base.h"

/* Stores one sentence for taut_last_error and returns `status`. */
taut_status taut_fail(taut_status status, const char* format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

#endif
