/* `--trace OBJECT:VERTEX,...=FILE`: the paths of chosen vertices and bodies as a table, a row per frame. */
#ifndef TAUT_APP_TRACE_H
#define TAUT_APP_TRACE_H

#include "base/whole_file.h"
#include "build/frame_points.h"

typedef struct trace_node {
    size_t particle;
    bool turns; /* a body: its orientation follows its place */
    size_t frame;
} trace_node;

typedef struct trace {
    whole_file file;
    size_t count;
    trace_node* nodes;
} trace;

/* Parses the specification, in which of the objects that fit the one with the longest name counts, opens the file and
 * writes the header: time,OBJECT.VERTEX.x,...; of bodies x, y, z and the quaternion qw, qx, qy, qz. A run that is
 * resumed after a frame keeps the rows up to it. */
bool trace_open(const char* specification, const built_scene* built, double fps, size_t frame, trace* out, report* r);
/* Fails as soon as the disk is full; trace_close keeps the rows before. */
bool trace_frame(trace* t, double time, const frame_points* points, report* r);
bool trace_close(trace* t, report* r);

#endif
