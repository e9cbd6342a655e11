/* Two boxes, by separating axes: the normals of their faces, and the cross products of their edges (S. Gottschalk, M.
 * C. Lin and D. Manocha, OBBTree, 1996). Along one of these the gap of boxes that overlap is greatest, and it is above
 * 0 exactly where they are apart. Text for a file that has defined TAUT_REAL as double. */
#ifndef TAUT_CONTACT_BOX_PAIR_H
#define TAUT_CONTACT_BOX_PAIR_H

#include "kernels/stages/contact/manifold.h"

/* An axis, with the gap along it. */
typedef struct box_axis {
    double gap, normal[3]; /* from B to A */
} box_axis;

/* Edges that are parallel up to this sine have faces instead. */
#define BOX_PARALLEL 1e-3

/* Both boxes, seen from A. */
typedef struct box_pair {
    const convex *a, *b;
    double x[3], along[3];              /* from B's centre to A's, and along A's axes */
    double turn[3][3], unsigned_[3][3]; /* turn[i][j] = a_i.b_j */
} box_pair;

TAUT_FN box_pair box_pair_of(const convex* a, const convex* b) {
    box_pair p = {a, b, {0, 0, 0}, {0, 0, 0}, {{0}}, {{0}}};
    vec3_sub(a->x, b->x, p.x);
    for (int i = 0; i < 3; i++) {
        p.along[i] = vec3_dot(p.x, a->axis[i]);
        for (int j = 0; j < 3; j++) {
            p.turn[i][j] = vec3_dot(a->axis[i], b->axis[j]);
            p.unsigned_[i][j] = fabs(p.turn[i][j]);
        }
    }
    return p;
}

/* The face normal of one box that has the greatest gap; false where that is above `most`. */
TAUT_FN bool best_face(const box_pair* p, bool first, double most, box_axis* best) {
    const convex *own = first ? p->a : p->b, *other = first ? p->b : p->a;
    best->gap = -INFINITY;
    for (int i = 0; i < 3; i++) {
        const double along = vec3_dot(p->x, own->axis[i]);
        double half = own->size[i];
        for (int j = 0; j < 3; j++) {
            half += other->size[j] * (first ? p->unsigned_[i][j] : p->unsigned_[j][i]);
        }
        const double gap = fabs(along) - half, sign = along < 0 ? -1 : 1;
        if (gap > best->gap) {
            best->gap = gap;
            for (int k = 0; k < 3; k++) {
                best->normal[k] = sign * own->axis[i][k];
            }
        }
    }
    return best->gap <= most;
}

/* Half of what boxes cover along a_i x b_j, which is not scaled. */
TAUT_FN double half_along_cross(const box_pair* p, int i, int j) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    return p->a->size[i1] * p->unsigned_[i2][j] + p->a->size[i2] * p->unsigned_[i1][j] +
           p->b->size[j1] * p->unsigned_[i][j2] + p->b->size[j2] * p->unsigned_[i][j1];
}

/* x.(a_i x b_j) */
TAUT_FN double along_cross(const box_pair* p, int i, int j) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    return p->turn[i1][j] * p->along[i2] - p->turn[i2][j] * p->along[i1];
}

/* Likewise of a pair of edges. Those that overlap more than `least` need no root: scaled, they overlap still more. */
TAUT_FN bool best_edges(const box_pair* p, double least, double most, box_axis* best) {
    int which = -1;
    double factor = 0, across[3];
    best->gap = -INFINITY;
    for (int pair = 0; pair < 9; pair++) {
        const int i = pair / 3, j = pair % 3;
        const double sine2 = 1 - p->turn[i][j] * p->turn[i][j];
        const double along = along_cross(p, i, j), unscaled = fabs(along) - half_along_cross(p, i, j);
        if (sine2 > BOX_PARALLEL * BOX_PARALLEL && (unscaled > 0 || unscaled > least)) {
            const double scale = 1 / sqrt(sine2), gap = scale * unscaled;
            which = gap > best->gap ? pair : which;
            factor = gap > best->gap ? (along < 0 ? -scale : scale) : factor;
            best->gap = gap > best->gap ? gap : best->gap;
        }
    }
    if (which >= 0) {
        vec3_cross(p->a->axis[which / 3], p->b->axis[which % 3], across);
        for (int k = 0; k < 3; k++) {
            best->normal[k] = factor * across[k];
        }
    }
    return best->gap <= most;
}

TAUT_FN void take_axis(const box_axis* axis, contact_manifold* m) {
    for (int k = 0; k < 3; k++) {
        m->normal[k] = axis->normal[k];
    }
}

/* Whether a face has places of the other box above it. */
TAUT_FN bool boxes_on_face(const convex* a, const convex* b, bool first, uint32_t cuts, double most,
                           contact_manifold* m) {
    convex_side p, q;
    const double back[3] = {-m->normal[0], -m->normal[1], -m->normal[2]};
    convex_side_facing(a, back, &p);
    convex_side_facing(b, m->normal, &q);
    const double level = MANIFOLD_LEVEL * fmin(a->reach, b->reach);
    patch_on_face(first ? &p : &q, first ? &q : &p, first, 0, 0, cuts, level, most, m);
    return m->count > 0;
}

/* What two boxes touched with last. */
typedef enum box_touch { BOX_NEW, BOX_FACE_OF_A, BOX_FACE_OF_B, BOX_EDGES } box_touch;

TAUT_FN box_touch box_touch_of(uint32_t feature) {
    return (feature & MANIFOLD_EDGES) != 0 ? BOX_EDGES : feature >> 31 != 0 ? BOX_FACE_OF_A : BOX_FACE_OF_B;
}

/* How a pair touched in the last step. */
typedef struct last_patch {
    box_touch touch; /* of boxes */
    uint32_t cuts;   /* which edges of a face cut the other side */
} last_patch;

/* Contacts of two boxes. Faces are preferred to edges, and A's to B's, unless the others overlap clearly less, so that
 * what rests keeps its contacts. By twice as much where they touched with that face last: contacts of either kind bear
 * differently, and would take turns. */
TAUT_FN void manifold_of_boxes(const convex* a, const convex* b, last_patch last, double most, contact_manifold* m) {
    const box_pair pair = box_pair_of(a, b);
    const double slack = 1e-3 * fmin(a->reach, b->reach);
    box_axis own, other, edges;
    m->count = 0;
    if (!best_face(&pair, true, most, &own) || !best_face(&pair, false, most, &other) ||
        !best_edges(&pair, fmax(own.gap, other.gap), most, &edges)) {
        return;
    }
    const bool first = own.gap >= other.gap + (last.touch == BOX_FACE_OF_B ? slack : -slack);
    const box_axis* face = first ? &own : &other;
    const double keeps = last.touch == BOX_FACE_OF_A || last.touch == BOX_FACE_OF_B ? 2 * slack : slack;
    const bool apart = fmax(fmax(own.gap, other.gap), edges.gap) > 0;
    if (edges.gap <= face->gap + keeps) {
        take_axis(face, m);
        if (boxes_on_face(a, b, first, last.cuts, most, m)) {
            return;
        }
    }
    if (apart) { /* corners or edges are nearest, in a direction of their own */
        manifold_of(a, b, last.cuts, most, m);
        return;
    }
    take_axis(edges.gap > -INFINITY ? &edges : face, m);
    patch_of_edges(a, b, most, m);
}

#endif
