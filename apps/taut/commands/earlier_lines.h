/* Statistics and traces of a run that is resumed: what the run before wrote of earlier frames stays. */
#ifndef TAUT_APP_EARLIER_LINES_H
#define TAUT_APP_EARLIER_LINES_H

#include "base/whole_file.h"

/* The frame of a line; false where it is of none. */
typedef bool line_frame(const char* line, double fps, size_t* frame);

/* A file of lines that a run goes on with. */
typedef struct lines_spec {
    const char* header; /* a line, or "" */
    line_frame* frame_of;
    double fps;
    size_t last; /* frame after which the run is resumed; 0: it begins at the start */
} lines_spec;

/* Opens PATH for writing, with the header in it. Where the run is resumed, and PATH, or PATH.part as a run that was
 * killed leaves it, begins with the header and has lines without a gap up to the frame `last`, these are in it too. */
bool earlier_lines_open(whole_file* f, const char* path, const lines_spec* spec, report* r);

#endif
