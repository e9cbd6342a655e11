/* `--trace OBJECT:VERTEX,...=FILE`: the paths of chosen vertices as a table, a row per frame. */
#ifndef TAUT_APP_TRACE_H
#define TAUT_APP_TRACE_H

#include "scene_build.h"
#include "whole_file.h"

typedef struct trace {
    whole_file file;
    size_t count;
    size_t* particles;
} trace;

/* Parses the specification, opens the file and writes the header: time,OBJECT.VERTEX.x,... */
bool trace_open(const char* specification, const built_scene* built, trace* out, report* r);
/* Positions of all particles, count x 3. */
void trace_frame(trace* t, double time, const double (*positions)[3]);
bool trace_close(trace* t, report* r);

#endif
