/* Points and frames that follow the triangles of an animated mesh. */
#ifndef TAUT_APP_FOLLOWERS_H
#define TAUT_APP_FOLLOWERS_H

#include "base/report.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A place in a triangle, and what is beside it. The axes of a triangle are its normal and two in its plane, which turn
 * by the rotation that is nearest to how it deforms. */
typedef struct follower {
    uint32_t corners[3];
    double weights[3];  /* of the corners: the place, within the triangle */
    double start[2][2]; /* m: both sides from the first corner along the axes in the plane, at the start */
    double offset[3];   /* m, in the axes of the triangle, from the place to the point */
    double back[4];     /* the rotation from the axes at the start to the world's */
} follower;

/* Binds each of `count` points to the nearest triangle. `vertices`: of the mesh at the start. False after setting the
 * report: no memory. */
bool followers_bind(size_t triangle_count, const uint32_t (*triangles)[3], const double* vertices, size_t count,
                    const double (*points)[3], follower* out, report* r);

/* Whether its triangle has an area among these vertices. */
bool follower_has_area(const follower* f, const double (*vertices)[3]);

/* Where the point is when the vertices are here; without an area, the place in the triangle. */
void follower_point(const follower* f, const double (*vertices)[3], double out[3]);
/* How it has turned since the start; without an area, not at all. */
void follower_turn(const follower* f, const double (*vertices)[3], double out[4]);

#endif
