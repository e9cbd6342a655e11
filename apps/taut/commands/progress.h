/* A progress bar on standard error, on a terminal only. */
#ifndef TAUT_APP_PROGRESS_H
#define TAUT_APP_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct progress {
    bool shown;
    size_t frames;
    double next_update; /* s, of now_seconds() */
} progress;

/* Monotonic time. */
double now_seconds(void);

progress progress_begin(size_t frames);
void progress_update(progress* p, size_t frame, double step_ms);
void progress_end(progress* p);

#endif
