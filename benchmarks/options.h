/* The command line. */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include "bench_scenes.h"
#include "option_values.h"

typedef struct bench_options {
    size_t scenes[OPTIONS_MOST], scene_count; /* into bench_scenes */
    size_t sizes[OPTIONS_MOST], size_count;
    taut_backend_kind backends[OPTIONS_MOST];
    size_t backend_count;
    taut_preconditioner preconditioners[OPTIONS_MOST];
    size_t preconditioner_count; /* 0: the scene's own, and on small scenes all of them */
    taut_geometric_stiffness geometrics[OPTIONS_MOST];
    size_t geometric_count; /* 0: full, and on small scenes none too */
    uint32_t threads;
    uint32_t repeats;
    double max_seconds;
    bool full;       /* larger sizes, more time */
    const char* csv; /* NULL: none */
} bench_options;

/* Says what is wrong in one line on stderr, or prints the help; `options` is complete where the verdict is to run. */
options_verdict options_read(int argc, char** argv, bench_options* options);

#endif
