/* Paths of what may pass through each other in a part of a substep (crossing.h): straight ones, from the state that the
 * part started from to the one that it has come to. Text for a file that has defined TAUT_REAL as double. */
#ifndef TAUT_CONTACT_CROSSING_PATHS_H
#define TAUT_CONTACT_CROSSING_PATHS_H

#include "kernels/stages/contact/collide.h"
#include "kernels/stages/contact/continuous.h"

/* The fields with the state that a part of a substep started from. */
TAUT_FN taut_fields fields_at_start(const taut_fields* f) {
    taut_fields was = *f;
    was.x = f->kept_x;
    was.v = f->kept_v;
    was.orientation = f->kept_orientation;
    was.skin_x = f->skin_start;
    return was;
}

/* m: as far as a corner is solid: spheres and capsules are; threads and cloth have a thickness that gives way. */
TAUT_FN double solid_radius(const taut_fields* f, size_t corner) {
    return is_skin(f, corner) ? f->touching_place[corner].radius : 0;
}

TAUT_FN double swept_margin(const taut_fields* f, size_t corner) {
    return solid_radius(f, corner) + TAUT_LEFT_OF_THICKNESS * f->touching_place[corner].radius;
}

TAUT_FN void path_of_corner(const taut_fields* was, const taut_fields* f, size_t corner, int i, moving_pair* pair) {
    for (int a = 0; a < 3; a++) {
        pair->from[i][a] = corner_x(was, corner)[a];
        pair->way[i][a] = corner_x(f, corner)[a] - pair->from[i][a];
    }
}

/* A point may be anywhere on a body. */
TAUT_FN void path_of_point(const taut_fields* was, const taut_fields* f, const taut_sizes* s, size_t point,
                           double from[3], double way[3]) {
    const contact_side_of start = touching_side(was, s, point), end = touching_side(f, s, point);
    for (int a = 0; a < 3; a++) {
        from[a] = start.x[a];
        way[a] = end.x[a] - start.x[a];
    }
}

TAUT_FN void pair_of_face(const taut_fields* was, const taut_fields* f, const taut_sizes* s, size_t point, size_t face,
                          moving_pair* pair) {
    const uint32_t* corner = f->face_corner + 4 * face;
    pair->own = 1;
    pair->segment = (corner[3] & TAUT_FACE_SEGMENT) != 0;
    path_of_point(was, f, s, point, pair->from[0], pair->way[0]);
    for (int i = 0; i < 3; i++) {
        path_of_corner(was, f, corner[i], 1 + i, pair);
    }
}

TAUT_FN void pair_of_edges(const taut_fields* was, const taut_fields* f, size_t edge, size_t with, moving_pair* pair) {
    pair->own = 2;
    pair->segment = false;
    for (int i = 0; i < 2; i++) {
        path_of_corner(was, f, f->edge_corner[4 * edge + (size_t)i], i, pair);
        path_of_corner(was, f, f->edge_corner[4 * with + (size_t)i], 2 + i, pair);
    }
}

#endif
