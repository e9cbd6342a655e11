/* `--stats FILE`: a JSON object a line and frame. */
#ifndef TAUT_APP_STATS_H
#define TAUT_APP_STATS_H

#include "base/whole_file.h"
#include "build/scene_build.h"

typedef struct frame_stats {
    size_t frame; /* from 1; frame 0 is the start */
    double time;  /* s, simulated */
    double step_ms;
    const char* backend;
    taut_step_info info;
    taut_overlaps overlaps; /* at the end */
} frame_stats;

/* A run that is resumed after a frame keeps the lines up to it. */
bool stats_open(whole_file* f, const char* path, size_t frame, report* r);
/* `forces`: those of taut_world_read_collider_forces on all colliders; NULL: not asked for. */
bool stats_write(FILE* stream, const frame_stats* s, const built_scene* built, const double (*forces)[6], report* r);

#endif
