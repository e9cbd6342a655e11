/* One sentence about what went wrong: file, place, cause. Functions of the tool return false after setting it. */
#ifndef TAUT_APP_REPORT_H
#define TAUT_APP_REPORT_H

#include <stdbool.h>

typedef struct report {
    char text[1024]; /* "" while nothing went wrong; never holds a line break */
} report;

/* Sets the text (control characters are replaced) and returns false. */
bool report_fail(report* r, const char* format, ...) __attribute__((format(printf, 2, 3)));

#endif
