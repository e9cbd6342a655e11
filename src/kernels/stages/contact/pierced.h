/* Edges of colliders that go through faces of surfaces, deeper than contacts reach: where a body has been put into a
 * cloth by hand, its corners and edges stand out of triangles whose vertices are all outside, so that no vertex is
 * pushed out. Such a face comes off the edge over one of its ends, or past it with one of its own edges. The shortest
 * of these ways on which it goes outwards is taken at the speed of recovery, without friction. The next face is cut
 * then, until all are off. What is not deeper than the thickness is left to contacts.
 *
 * Skins that deform are left out: where they fold, what is between their walls has no place to go. Text for a file that
 * has defined TAUT_REAL as double. */
#ifndef TAUT_CONTACT_PIERCED_H
#define TAUT_CONTACT_PIERCED_H

#include "kernels/stages/contact/cuts.h"

/* Part of the thickness by which what is drawn through a face goes beyond it; then it is a contact as others are. */
#define DRAWN_BEYOND 0.5

/* How a face comes off an edge. */
typedef struct pierced_way {
    uint32_t finder, other; /* a corner of the collider and the face, or an edge of this and that of the collider */
    double depth;           /* m; infinite: there is no way */
    double out[3];          /* to the place on the collider */
    double weight[4];
    uint32_t own[2]; /* corners of the edge of the face */
} pierced_way;

/* Whether cuts of an edge of a skin are looked for. */
TAUT_FN bool skin_edge_pierces(const taut_fields* f, const taut_sizes* s, size_t edge) {
    return !edge_is_inactive(f, s, edge) && mesh_of_corner(f, s, f->edge_corner[4 * edge]) == NULL;
}

/* The edge between two corners of a surface. */
TAUT_FN uint32_t edge_between(const taut_fields* f, const taut_sizes* s, uint32_t a, uint32_t b) {
    const taut_tree tree = edge_tree(f, s);
    const uint32_t ends[2] = {a, b};
    uint32_t at = 1, edge;
    float box[6];
    box_of_edge_now(f, ends, box);
    while ((edge = tree_next(&tree, box, &at)) != UINT32_MAX) {
        const uint32_t* own = f->edge_corner + 4 * (size_t)edge;
        if ((own[0] == a && own[1] == b) || (own[0] == b && own[1] == a)) {
            return edge;
        }
    }
    return TAUT_NO_NODE;
}

/* Over an end of the edge. */
TAUT_FN void try_over_end(const taut_fields* f, const taut_sizes* s, uint32_t end, uint32_t face, pierced_way* way) {
    const uint32_t* c = f->face_corner + 4 * (size_t)face;
    double weight[3], d[3], out[3];
    near_on_face(corner_x(f, end), corner_x(f, c[0]), corner_x(f, c[1]), corner_x(f, c[2]), false, weight, d);
    skin_normal(f, s, end, out);
    const double depth = sqrt(vec3_dot(d, d));
    if (vec3_dot(out, d) > 0 && depth < way->depth) {
        const pierced_way over = {
            end, s->colliders + face, depth, {d[0], d[1], d[2]}, {1, -weight[0], -weight[1], -weight[2]}, {0, 0}};
        *way = over;
    }
}

/* Past it with the edge of the face from a to b. */
TAUT_FN void try_past(const taut_fields* f, uint32_t edge, uint32_t a, uint32_t b, pierced_way* way) {
    const uint32_t* own = f->edge_corner + 4 * (size_t)edge;
    double part[2], d[3], out[3];
    if (!near_segments(corner_x(f, a), corner_x(f, b), corner_x(f, own[0]), corner_x(f, own[1]), part)) {
        return;
    }
    for (int i = 0; i < 3; i++) {
        d[i] = (1 - part[1]) * corner_x(f, own[0])[i] + part[1] * corner_x(f, own[1])[i] -
               (1 - part[0]) * corner_x(f, a)[i] - part[0] * corner_x(f, b)[i];
    }
    skin_edge_normal(f, own, out);
    const double depth = sqrt(vec3_dot(d, d));
    if (vec3_dot(out, d) > 0 && depth < way->depth) {
        const pierced_way past = {
            TAUT_NO_NODE, edge, depth, {d[0], d[1], d[2]}, {1 - part[0], part[0], part[1] - 1, -part[1]}, {a, b}};
        *way = past;
    }
}

/* How a face comes off the edge of a collider that goes through it. */
TAUT_FN pierced_way way_off(const taut_fields* f, const taut_sizes* s, uint32_t edge, uint32_t face) {
    const uint32_t *own = f->edge_corner + 4 * (size_t)edge, *c = f->face_corner + 4 * (size_t)face;
    pierced_way way = {TAUT_NO_NODE, TAUT_NO_NODE, INFINITY, {0, 0, 0}, {0, 0, 0, 0}, {0, 0}};
    for (int i = 0; i < 2; i++) {
        try_over_end(f, s, own[i], face, &way);
    }
    for (int i = 0; i < 3 && own[2] != TAUT_NO_NODE; i++) {
        try_past(f, edge, c[i], c[(i + 1) % 3], &way);
    }
    if (way.depth < INFINITY && way.finder == TAUT_NO_NODE) {
        const uint32_t found = edge_between(f, s, way.own[0], way.own[1]);
        way.finder = (uint32_t)s->touching + found;
        way.depth = found != TAUT_NO_NODE ? way.depth : INFINITY;
        if (found != TAUT_NO_NODE && f->edge_corner[4 * (size_t)found] != way.own[0]) {
            const double first = way.weight[0];
            way.weight[0] = way.weight[1];
            way.weight[1] = first;
        }
    }
    return way;
}

/* Lists the cuts of skins that are deeper than contacts reach behind those that are listed, for what they draw: of each
 * finder the nearest one. Returns how many there are then. */
TAUT_FN uint32_t list_pierced(const taut_fields* f, const taut_sizes* s, uint32_t cuts) {
    for (uint32_t edge = 0; edge < s->edges; edge++) {
        const uint32_t* own = f->edge_corner + 4 * (size_t)edge;
        uint32_t at = 1, face;
        while (f->crossing_other[edge] > 0 && is_skin(f, own[0]) && cuts < TAUT_CUT_ROOM(s) &&
               (face = next_cut(f, s, edge, &at)) != TAUT_NO_NODE) {
            const pierced_way way = way_off(f, s, edge, face);
            const double thickness = thickness_of_pair(f, own[0], f->face_corner[4 * (size_t)face]);
            if (way.depth > thickness && way.depth < INFINITY) {
                const uint32_t before = f->drawn_by[way.finder];
                const taut_cut cut = {edge, face, cuts, false, false};
                if (before == TAUT_NO_NODE ||
                    way.depth < way_off(f, s, f->cut[before].edge, f->cut[before].face).depth) {
                    f->drawn_by[way.finder] = cuts;
                }
                f->cut[cuts++] = cut;
            }
        }
    }
    return cuts;
}

/* The rows by which a face comes off an edge of a collider. */
TAUT_FN void list_off(const taut_fields* f, const taut_sizes* s, const taut_cut* cut, taut_crossing* to) {
    const pierced_way way = way_off(f, s, cut->edge, cut->face);
    const bool over = way.finder < s->touching;
    const uint32_t* a = over ? &way.finder : f->edge_corner + 4 * (size_t)(way.finder - s->touching);
    const uint32_t* b = over ? f->face_corner + 4 * (size_t)cut->face : f->edge_corner + 4 * (size_t)cut->edge;
    const int own = over ? 1 : 2;
    double p[3] = {0, 0, 0}, q[3] = {0, 0, 0};
    to->finder = way.finder;
    to->other = way.other;
    for (int i = 0; i < 4; i++) {
        const uint32_t corner = i < own ? a[i] : b[i - own];
        to->found.weight[i] = way.weight[i];
        vec3_axpy(fabs(way.weight[i]), corner_x(f, corner), i < own ? p : q);
    }
    for (int i = 0; i < 3; i++) { /* towards the finder, which is on the wrong side */
        to->found.normal[i] = (over ? -1 : 1) * way.out[i] / way.depth;
    }
    to->found.gap = -way.depth - DRAWN_BEYOND * thickness_of_pair(f, a[0], b[0]);
    found_on_surface(f, s, a, own, p, b, q, &to->found);
    to->found.feature = TAUT_PIERCED_FEATURE;
}

#endif
