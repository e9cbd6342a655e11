/* All points that a frame of the exporters holds: those of the world, and behind them the surfaces of rigid bodies and
 * colliders, which are no points of the simulation. */
#ifndef TAUT_APP_FRAME_POINTS_H
#define TAUT_APP_FRAME_POINTS_H

#include "build/scene_build.h"

typedef struct frame_points {
    const built_scene* built;
    size_t point_count; /* of the world */
    double (*positions)[3];
    size_t frame_count;
    double (*orientations)[4];
    size_t export_count;
    export_object* exports;
} frame_points;

bool frame_points_make(const built_scene* built, frame_points* out, report* r);
/* For a world with so many points and frames, which need not be of `built->scene`. */
bool frame_points_make_for(const built_scene* built, size_t points, size_t frames, frame_points* out, report* r);
void frame_points_free(frame_points* p); /* a zeroed one is allowed */

/* Reads the state of the world, and places the surfaces of bodies there. */
bool frame_points_read(frame_points* p, taut_world* world, size_t frame, report* r);
/* The same, but of the points of the world in `count` ranges alone. */
bool frame_points_read_some(frame_points* p, taut_world* world, size_t count, const taut_range* ranges, size_t frame,
                            report* r);

#endif
