/* Where contact surfaces cut each other: edges that go through triangles. Nothing of it depends on what has been a
 * contact. Text for a file that has defined TAUT_REAL as double. */
#ifndef TAUT_CONTACT_CUTS_H
#define TAUT_CONTACT_CUTS_H

#include "kernels/stages/contact/collide.h"

/* Of a leaf of the tree of colliders and faces, as things are now, whatever the step: colliders are none of its
 * business. */
TAUT_FN void box_of_face_now(const taut_fields* f, const taut_sizes* s, size_t item, const taut_factors* step,
                             float box[6]) {
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
