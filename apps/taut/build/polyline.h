/* The line that a rope or rod is drawn along. */
#ifndef TAUT_APP_POLYLINE_H
#define TAUT_APP_POLYLINE_H

#include "build/scene_builder.h"

typedef struct polyline {
    size_t count;
    double (*points)[3];
    double* lengths; /* count - 1: of segment i, from point i to i + 1; all > 0 */
} polyline;

/* Places the points, and sets `segments` of them at equal distances where that is not 0. */
bool polyline_make(scene_builder* b, const placement* place, size_t count, const double (*points)[3], uint32_t segments,
                   polyline* out);
void polyline_free(polyline* line);

#endif
