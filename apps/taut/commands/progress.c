#include "commands/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static const double update_seconds = 0.1;
enum { BAR_WIDTH = 40 };

double now_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

progress progress_begin(size_t frames) {
    return (progress){.shown = isatty(STDERR_FILENO) && frames > 0, .frames = frames};
}

void progress_update(progress* p, size_t frame, double step_ms) {
    const double now = p->shown ? now_seconds() : 0;
    if (!p->shown || (now < p->next_update && frame < p->frames)) {
        return;
    }
    p->next_update = now + update_seconds;
    char bar[BAR_WIDTH + 1];
    const size_t filled = frame * BAR_WIDTH / p->frames;
    for (size_t i = 0; i < BAR_WIDTH; i++) {
        bar[i] = i < filled ? '#' : '.';
    }
    bar[BAR_WIDTH] = '\0';
    fprintf(stderr, "\r[%s] %zu/%zu  %.1f ms\x1b[K", bar, frame, p->frames, step_ms);
    fflush(stderr);
}

void progress_end(progress* p) {
    if (p->shown) {
        fputs("\r\x1b[K", stderr);
        fflush(stderr);
    }
    p->shown = false;
}
