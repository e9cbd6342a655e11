#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

#define TAUT_TEXT_(x) #x
#define TAUT_TEXT(x)  TAUT_TEXT_(x)

static _Thread_local char last_error[512];

taut_status taut_fail(taut_status status, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last_error, sizeof last_error, format, arguments);
    va_end(arguments);
    return status;
}

const char* taut_last_error(void) {
    return last_error;
}

const char* taut_version(void) {
    return TAUT_TEXT(TAUT_VERSION_MAJOR) "." TAUT_TEXT(TAUT_VERSION_MINOR) "." TAUT_TEXT(TAUT_VERSION_PATCH);
}

const char* taut_status_name(taut_status status) {
    switch (status) {
    case TAUT_OK:
        return "TAUT_OK";
    case TAUT_INVALID_ARGUMENT:
        return "TAUT_INVALID_ARGUMENT";
    case TAUT_INVALID_DEFINITION:
        return "TAUT_INVALID_DEFINITION";
    case TAUT_OUT_OF_MEMORY:
        return "TAUT_OUT_OF_MEMORY";
    case TAUT_BACKEND_UNAVAILABLE:
        return "TAUT_BACKEND_UNAVAILABLE";
    case TAUT_DIVERGED:
        return "TAUT_DIVERGED";
    case TAUT_OUT_OF_CAPACITY:
        return "TAUT_OUT_OF_CAPACITY";
    case TAUT_DEVICE_FAULT:
        return "TAUT_DEVICE_FAULT";
    case TAUT_STOPPED:
        return "TAUT_STOPPED";
    }
    return "unknown status";
}
