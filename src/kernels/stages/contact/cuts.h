/* Where contact surfaces cut each other: edges that go through triangles. Nothing of it depends on what has been a
 * contact. Text for a file that has defined TAUT_REAL as double. */
#ifndef TAUT_CONTACT_CUTS_H
#define TAUT_CONTACT_CUTS_H

#include "kernels/stages/contact/collide.h"

/* An end that is nearer to a plane than this part of the edge lies in it: a flat surface does not cut itself, wherever
 * rounding and the tolerance of the solver have left its vertices. */
#define TAUT_CUT_SLACK 1e-7

/* Distance of x from the plane of a triangle, times twice its area. */
TAUT_FN double height_above(const double x[3], const double a[3], const double normal[3]) {
    double apart[3];
    vec3_sub(x, a, apart);
    return vec3_dot(normal, apart);
}

TAUT_FN bool cuts_triangle(const double p[3], const double q[3], const double a[3], const double b[3],
                           const double c[3]) {
    double ab[3], ac[3], pq[3], normal[3];
    vec3_sub(b, a, ab);
    vec3_sub(c, a, ac);
    vec3_sub(q, p, pq);
    vec3_cross(ab, ac, normal);
    const double least = TAUT_CUT_SLACK * sqrt(vec3_dot(normal, normal) * vec3_dot(pq, pq));
    return fabs(height_above(p, a, normal)) > least && fabs(height_above(q, a, normal)) > least &&
           goes_through(p, q, a, b, c);
}

/* Whether an edge goes through an item of the tree of colliders and faces. */
TAUT_FN bool edge_cuts_item(const taut_fields* f, const taut_sizes* s, const uint32_t* own, uint32_t item) {
    const uint32_t* corner = f->face_corner + 4 * (size_t)(item < s->colliders ? 0 : item - s->colliders);
    if (item < s->colliders || (corner[3] & TAUT_FACE_SEGMENT) != 0) {
        return false;
    }
    bool joined = false;
    for (int i = 0; i < 6; i++) {
        joined = joined || own[i / 3] == corner[i % 3];
    }
    return !joined &&
           cuts_triangle(corner_x(f, own[0]), corner_x(f, own[1]), corner_x(f, corner[0]), corner_x(f, corner[1]),
                         corner_x(f, corner[2])) &&
           !(corners_are_still(f, s, own, 2) && corners_are_still(f, s, corner, 3)) &&
           corners_may_touch(f, s, own, 2, corner, 3);
}

TAUT_FN void box_of_edge_now(const taut_fields* f, const uint32_t* own, float box[6]) {
    box_clear(box);
    box_add(corner_x(f, own[0]), 0, box);
    box_add(corner_x(f, own[1]), 0, box);
}

/* The next face that an edge goes through, from *at on, which begins at 1; TAUT_NO_NODE: there is none. */
TAUT_FN uint32_t next_cut(const taut_fields* f, const taut_sizes* s, size_t edge, uint32_t* at) {
    const uint32_t* own = f->edge_corner + 4 * edge;
    const taut_tree tree = face_tree(f, s);
    uint32_t item;
    float box[6];
    box_of_edge_now(f, own, box);
    while ((item = tree_next(&tree, box, at)) != UINT32_MAX) {
        if (edge_cuts_item(f, s, own, item)) {
            return item - s->colliders;
        }
    }
    return TAUT_NO_NODE;
}

/* How many triangles an edge goes through. */
TAUT_FN uint32_t cuts_of_edge(const taut_fields* f, const taut_sizes* s, size_t edge) {
    uint32_t cuts = 0, at = 1;
    while (next_cut(f, s, edge, &at) != TAUT_NO_NODE) {
        cuts++;
    }
    return cuts;
}

#endif
