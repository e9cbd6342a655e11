/* The convex hull of one mesh that colliders have, where the mesh is convex. */
#ifndef TAUT_MODEL_HULL_H
#define TAUT_MODEL_HULL_H

#include <stddef.h>
#include <stdint.h>

/* Corners of one face of a hull; larger faces are stored with so many of theirs. */
#define TAUT_HULL_FACE_CORNERS 24

/* Where one hull is in the arrays of all. Corner i has the links from begin[i] to begin[i + 1]; there are corners + 1
 * begins. Links and corners of faces are numbers of corners of the hull. */
typedef struct taut_hull {
    size_t first_corner, first_begin, first_link, first_face;
    uint32_t corners, faces;
} taut_hull;

/* A face: its plane, normal.x = offset, outwards, and its corners counterclockwise seen from outside. */
typedef struct taut_hull_face {
    double normal[3], offset; /* m */
    uint32_t count;
    uint32_t corner[TAUT_HULL_FACE_CORNERS];
} taut_hull_face;

#endif
