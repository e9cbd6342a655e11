/* Corners of a box or a hull before a ball, a capsule, a cylinder or a cone.
 *
 * The nearest place alone would let what tumbles on a round shape turn its corners into it: each corner that is near is
 * a contact, with its own distance from the round shape and the normal there. A round shape is convex, so that the
 * plane of such a contact cuts off space in which a corner may be: one that passes over a ball would meet it. So its
 * gap is greater by as much as the way on which the corner is bends away from the plane. Text for a file that has
 * defined TAUT_REAL as double. */
#ifndef TAUT_CONTACT_CORNERS_H
#define TAUT_CONTACT_CORNERS_H

#include "kernels/stages/contact/manifold.h"
#include "kernels/stages/contact/shapes.h"

/* In the corner of a feature: a corner of a body; its number follows. */
#define MANIFOLD_CORNER 0x20000u

/* Corners count where the normal has a part of that of the pair that is no less, and no other contact is as near to
 * them as this part of the smaller shape's size. */
#define CORNER_FACES 0.7
#define CORNER_APART 1e-3
/* The least radius of what is round, in parts of the other shape's reach. */
#define CORNER_ROUND 0.5

TAUT_FN bool shape_is_round(uint32_t shape) {
    return shape == TAUT_SHAPE_SPHERE || shape == TAUT_SHAPE_CAPSULE || shape == TAUT_SHAPE_CYLINDER ||
           shape == TAUT_SHAPE_CONE;
}

/* Whether the corners of the second shape are looked at: the first one is round, and not small. On a small one a face
 * that turns by an angle t sinks in by 1 - cos t of the radius, and its corners are beside it. */
TAUT_FN bool corners_meet(const convex* round, uint32_t shape, const convex* other, uint32_t of_other) {
    return shape_is_round(shape) && (of_other == TAUT_SHAPE_BOX || of_other == TAUT_SHAPE_MESH) &&
           round->size[0] >= CORNER_ROUND * other->reach;
}

/* How many corners a shape has that are looked at: all, or those of the face that `side` is. */
TAUT_FN uint32_t corner_count(const convex* s, const convex_side* side) {
    return s->core == CONVEX_BOX ? 8 : s->corners <= CLIPPED_CORNERS ? s->corners : side->count;
}

/* Corner i of them, and its number. */
TAUT_FN uint32_t corner_of(const convex* s, const convex_side* side, uint32_t i, double x[3]) {
    const bool all = s->core == CONVEX_BOX || s->corners <= CLIPPED_CORNERS;
    const uint32_t number = all ? i : s->face[side->id].corner[i];
    convex_corner(s, number, x);
    return number;
}

/* The contact of a manifold that is in the same place, or NULL. */
TAUT_FN manifold_point* point_at(contact_manifold* m, const double x[3], double near) {
    for (uint32_t i = 0; i < m->count; i++) {
        double apart[3];
        vec3_sub(m->point[i].x, x, apart);
        if (vec3_dot(apart, apart) <= near * near) {
            return &m->point[i];
        }
    }
    return NULL;
}

/* Adds a corner; of more than there is room for those stay that are nearest, with the `first` ones of the pair. */
TAUT_FN void keep_corner(const manifold_point* corner, uint32_t first, contact_manifold* m) {
    uint32_t to = m->count;
    if (m->count == MANIFOLD_MOST) {
        for (uint32_t i = first; i < m->count; i++) {
            to = to == m->count || m->point[i].gap > m->point[to].gap ? i : to;
        }
        if (to == m->count || !(corner->gap < m->point[to].gap)) {
            return;
        }
    } else {
        m->count++;
    }
    m->point[to] = *corner;
}

/* Adds the corners of a shape that are no farther than `most` from a round one. `first`: the round one is A. */
TAUT_FN void add_corners(const convex* round, uint32_t shape, const convex* other, bool first, double most,
                         contact_manifold* m) {
    const double sign = first ? -1 : 1, near = CORNER_APART * fmin(round->reach, other->reach);
    const double facing[3] = {-sign * m->normal[0], -sign * m->normal[1], -sign * m->normal[2]};
    const uint32_t before = m->count;
    convex_side side;
    side.count = side.id = 0;
    if (other->core == CONVEX_HULL && other->corners > CLIPPED_CORNERS) {
        convex_side_facing(other, facing, &side);
    }
    const uint32_t corners = corner_count(other, &side);
    for (uint32_t i = 0; i < corners; i++) {
        manifold_point p;
        double x[3], apart[3], local[3], normal[3], outwards[3];
        p.feature = MANIFOLD_CORNER + corner_of(other, &side, i, x);
        vec3_sub(x, round->x, apart);
        convex_inwards(round, apart, local);
        p.gap = shape_distance(shape, round->size, local, normal);
        convex_outwards(round, normal, outwards);
        for (int k = 0; k < 3; k++) {
            p.normal[k] = sign * outwards[k];
            p.x[k] = x[k] - 0.5 * p.gap * outwards[k];
        }
        if (p.gap <= most && vec3_dot(p.normal, m->normal) >= CORNER_FACES) {
            manifold_point* same = point_at(m, p.x, near);
            if (same == NULL) {
                keep_corner(&p, before, m);
            } else if (before == 1 && same == &m->point[0]) {
                same->feature = p.feature; /* so that it stays the same contact when another place is nearest */
            }
        }
    }
}

/* Places of a corner's way that are looked at. */
#define CORNER_WAYS 4

/* How much farther from a round shape a corner is, where it is nearest on its way, than in the plane of its contact at
 * the way's end. `x`, `way`: in the shape's axes. By `slack` it is up to twice as much. */
TAUT_FN double corner_bends(uint32_t shape, const double size[3], const double x[3], const double way[3],
                            double slack) {
    double normal[3], other[3], least;
    const double start = shape_distance(shape, size, x, normal), plane = start + vec3_dot(normal, way);
    least = start;
    for (int i = 1; i <= CORNER_WAYS; i++) {
        double place[3] = {x[0], x[1], x[2]};
        vec3_axpy((double)i / CORNER_WAYS, way, place);
        least = fmin(least, shape_distance(shape, size, place, other));
    }
    const double bends = fmax(0.0, least - plane);
    return bends + fmin(bends, slack);
}

#endif
