#include "build/polyline.h"

#include "base/array.h"
#include "base/vector.h"

#include <stdlib.h>
#include <string.h>

static double polyline_length(size_t count, const double (*points)[3]) {
    double length = 0;
    for (size_t i = 0; i + 1 < count; i++) {
        length += vector_distance(points[i], points[i + 1]);
    }
    return length;
}

/* `out_count` points at equal distances along the polyline, its two ends among them. */
static void resample(size_t count, const double (*points)[3], size_t out_count, double (*out)[3]) {
    const double spacing = polyline_length(count, points) / (double)(out_count - 1);
    size_t leg = 0;
    double leg_start = 0;
    double leg_length = vector_distance(points[0], points[1]);
    for (size_t k = 0; k < out_count; k++) {
        const double at = spacing * (double)k;
        while (at > leg_start + leg_length && leg + 2 < count) {
            leg_start += leg_length;
            leg++;
            leg_length = vector_distance(points[leg], points[leg + 1]);
        }
        const double s = leg_length > 0 ? (at - leg_start) / leg_length : 0;
        for (int a = 0; a < 3; a++) {
            out[k][a] = points[leg][a] + s * (points[leg + 1][a] - points[leg][a]);
        }
    }
    memcpy(out[out_count - 1], points[count - 1], sizeof out[0]);
}

static bool measure(scene_builder* b, polyline* line) {
    line->lengths = array_new(line->count - 1, sizeof *line->lengths, b->r);
    for (size_t i = 0; line->lengths && i + 1 < line->count; i++) {
        line->lengths[i] = vector_distance(line->points[i], line->points[i + 1]);
        if (!(line->lengths[i] > 0)) {
            return build_fail(b, ".points", "segment %zu has no length", i);
        }
    }
    return line->lengths != NULL;
}

bool polyline_make(scene_builder* b, const placement* place, size_t count, const double (*points)[3], uint32_t segments,
                   polyline* out) {
    double(*placed)[3] = build_placed(b, place, count, points);
    if (!placed || segments == 0) {
        *out = (polyline){.count = count, .points = placed};
    } else {
        *out = (polyline){.count = segments + (size_t)1};
        out->points = array_new(out->count, sizeof *out->points, b->r);
        if (out->points) {
            resample(count, (const double(*)[3])placed, out->count, out->points);
        }
        free(placed);
    }
    return out->points && measure(b, out);
}

void polyline_free(polyline* line) {
    free(line->points);
    free(line->lengths);
}
