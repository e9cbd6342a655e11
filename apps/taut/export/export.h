/* Writers of simulated frames. Every file appears whole or not at all: it is written under a temporary name beside
 * its place and renamed when complete; files that grow over frames are completed by export_close, also after an
 * interruption. */
#ifndef TAUT_APP_EXPORT_H
#define TAUT_APP_EXPORT_H

#include "base/report.h"

#include <stddef.h>
#include <stdint.h>

typedef enum export_format {
    EXPORT_OBJ = 1,  /* DIR/NAME.0000.obj, ...: a file per object and frame */
    EXPORT_PLY = 2,  /* DIR/NAME.0000.ply, binary little endian */
    EXPORT_USDA = 4, /* DIR/scene.usda: one file, time samples; Mesh, BasisCurves (ropes), Points */
    EXPORT_PC2 = 8   /* DIR/NAME.pc2: point cache, a file per object */
} export_format;

/* Comma-separated names to a set of formats; fails on an unknown or repeated one. */
bool export_parse_formats(const char* names, unsigned* formats, report* r);

typedef enum export_shape { EXPORT_POINTS, EXPORT_SURFACE, EXPORT_CURVE } export_shape;

typedef struct export_object {
    const char* name; /* unique; made safe for file names and USD prim names by the exporter */
    export_shape shape;
    size_t first_point; /* into the positions of a frame */
    size_t point_count;
    const uint32_t (*triangles)[3]; /* SURFACE: indices relative to first_point; caller keeps them alive */
    size_t triangle_count;
    double width; /* CURVE and POINTS: m, for display */
} export_object;

typedef struct exporter exporter;

/* Creates DIR where needed, with its parents. Objects and names are copied, triangles are not. Files that grow have the
 * first frame in their name where that is not 0 (scene.0061.usda, NAME.0061.pc2): what was written before stays.
 * Numbers have the digits of the last frame, at least four, by which names sort; further frames may come, of more
 * digits. */
bool export_open(const char* directory, unsigned formats, const export_object* objects, size_t object_count, double fps,
                 size_t first_frame, size_t last_frame, exporter** out, report* r);
/* Positions of all points of all objects, in world order, m; finite and within float32. Frames come in order from
 * the first, 0 at the start, without gaps. After a frame that could not be written no other one is taken. */
bool export_frame(exporter* e, size_t frame, const double (*positions)[3], report* r);
/* Completes all files with the frames that every format got, and frees the exporter, also on failure; NULL is
 * allowed. Without such a frame no growing file is left. */
bool export_close(exporter* e, report* r);

#endif
