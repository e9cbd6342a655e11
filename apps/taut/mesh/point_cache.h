/* Positions of the points of a mesh at times: a point cache (PC2, MDD), or a sequence of OBJ files. */
#ifndef TAUT_APP_POINT_CACHE_H
#define TAUT_APP_POINT_CACHE_H

#include "mesh/mesh.h"

typedef struct point_cache {
    size_t point_count, sample_count;
    double* times;       /* s, increasing, the first one 0 */
    double (*points)[3]; /* m, sample after sample, all finite */
} point_cache;

void point_cache_free(point_cache* c); /* leaves a zeroed one; a zeroed one is allowed */

/* Reads a cache of the points of `m`, by the file's ending. PC2: samples are frames_per_sample / fps apart. MDD: 1 /
 * fps apart, or with fps 0 at the times that the file states. Sequence (base/file_sequence.h): from number `first` on
 * until a file is missing, 1 / fps apart; only positions may differ. Otherwise fps 0 stands for `usual_fps`. Names
 * file, place and cause of what it refuses, and leaves `out` untouched then: other numbers of points than `m` has,
 * files that are truncated, numbers that are not finite. */
bool point_cache_read(const char* path, const mesh* m, size_t first, double fps, double usual_fps, point_cache* out,
                      report* r);

/* Positions at a time, along straight lines between samples; before the first and after the last one at these. */
void point_cache_at(const point_cache* c, double time, double (*out)[3]);

#endif
