/* Where touching surfaces cut each other: edges that go through triangles. Nothing of it depends on what has been a contact.
 * Text for a file that has defined TAUT_REAL as double. */
#ifndef TAUT_STAGE_CUTS_H
#define TAUT_STAGE_CUTS_H

#include "kernels/stages/collide.h"

/* Six times the volume between the segment from p to q and that from a to b. */
TAUT_FN double volume_between(const double p[3], const double q[3], const double a[3], const double b[3]) {
    double pq[3], pa[3], pb[3], area[3];
    vec3_sub(q, p, pq);
    vec3_sub(a, p, pa);
    vec3_sub(b, p, pb);
    vec3_cross(pa, pb, area);
    return vec3_dot(pq, area);
}

/* Whether the segment from p to q goes through a triangle: its ends are on both sides, and it passes all edges on one. One
 * through an edge of two triangles goes through both. */
TAUT_FN bool goes_through(const double p[3], const double q[3], const double a[3], const double b[3], const double c[3]) {
    double ab[3], ac[3], ap[3], aq[3], normal[3];
    vec3_sub(b, a, ab);
    vec3_sub(c, a, ac);
    vec3_sub(p, a, ap);
    vec3_sub(q, a, aq);
    vec3_cross(ab, ac, normal);
    const double first = vec3_dot(normal, ap), second = vec3_dot(normal, aq);
    if (!((first < 0 && second > 0) || (first > 0 && second < 0))) {
        return false;
    }
    const double v[3] = {volume_between(p, q, a, b), volume_between(p, q, b, c), volume_between(p, q, c, a)};
    return (v[0] >= 0 && v[1] >= 0 && v[2] >= 0) || (v[0] <= 0 && v[1] <= 0 && v[2] <= 0);
}

/* Of a leaf of the tree of colliders and faces, as things are now, whatever the step: colliders are none of its business. */
TAUT_FN void box_of_face_now(const taut_fields* f, const taut_sizes* s, size_t item, const taut_factors* step, float box[6]) {
    (void)step;
    box_clear(box);
    for (size_t i = 0; item >= s->colliders && i < 3; i++) {
        box_add(corner_x(f, f->face_corner[4 * (item - s->colliders) + i]), 0, box);
    }
}

/* How many triangles an edge goes through, by a tree of those boxes. */
TAUT_FN uint32_t cuts_of_edge(const taut_fields* f, const taut_sizes* s, size_t edge) {
    const uint32_t* own = f->edge_corner + 4 * edge;
    const double *p = corner_x(f, own[0]), *q = corner_x(f, own[1]);
    const bool still = corners_are_still(f, s, own, 2);
    const taut_tree tree = face_tree(f, s);
    uint32_t cuts = 0, at = 1, item;
    float box[6];
    box_clear(box);
    box_add(p, 0, box);
    box_add(q, 0, box);
    while ((item = tree_next(&tree, box, &at)) != UINT32_MAX) {
        const uint32_t* corner = f->face_corner + 4 * (size_t)(item - s->colliders);
        const bool matters = (corner[3] & TAUT_FACE_SEGMENT) == 0 && !(still && corners_are_still(f, s, corner, 3)) &&
                             corners_may_touch(f, s, own, 2, corner, 3);
        cuts += matters && goes_through(p, q, corner_x(f, corner[0]), corner_x(f, corner[1]), corner_x(f, corner[2]));
    }
    return cuts;
}

#endif
