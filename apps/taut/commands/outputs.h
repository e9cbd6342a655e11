/* Everything a run writes: exports, statistics and traces. */
#ifndef TAUT_APP_OUTPUTS_H
#define TAUT_APP_OUTPUTS_H

#include "build/frame_points.h"
#include "commands/arguments.h"
#include "commands/stats.h"
#include "commands/trace.h"

typedef struct outputs {
    const built_scene* built;
    size_t start;        /* frame after which the run begins: 0, or that of the checkpoint */
    exporter* frames;    /* NULL: none */
    whole_file stats;    /* stream NULL: none */
    double (*forces)[6]; /* on colliders; NULL: not asked for */
    size_t trace_count;
    trace* traces;
    frame_points points; /* empty where nothing needs them */
} outputs;

/* Opens all or none. */
bool outputs_open(const arguments* a, const scene_file* file, const built_scene* built, size_t start, outputs* out,
                  report* r);
/* Frame 0 is the start; reads the state of the world. */
bool outputs_frame(outputs* o, taut_world* world, size_t frame, double time, report* r);
bool outputs_stats(outputs* o, taut_world* world, const frame_stats* s, report* r);
/* Completes all files with what they hold so far, each even where another fails; reports the first failure. */
bool outputs_close(outputs* o, report* r);

#endif
