/* The direction along which two convex cores are nearest, or overlap least.
 *
 * D = A - B holds the origin where they overlap; the point of D that is nearest to the origin is the difference of
 * nearest points (E. G. Gilbert, D. W. Johnson and S. S. Keerthi 1988). Where they overlap, the polytope within D that
 * is grown at its face nearest to the origin ends at the face of D that is (G. van den Bergen 2001). That polytope has
 * an inside of its own, so that cores that just touch need no case of their own: the origin may lie on the face, or a
 * little beyond. Text for a file that has defined TAUT_REAL as double. */
#ifndef TAUT_CONTACT_GJK_H
#define TAUT_CONTACT_GJK_H

#include "kernels/stages/contact/convex.h"
#include "kernels/stages/contact/near.h"

typedef enum convex_relation { CONVEX_FAR, CONVEX_NEAR, CONVEX_TOUCHING } convex_relation;

/* Cores nearer than this part of their size touch: the direction between nearest points would be rounding. */
#define GJK_TOUCH  1e-7
#define GJK_ROUNDS 64
/* Of the square of the size: what rounding leaves of |v|^2 - v.w at the nearest point. */
#define GJK_ROUNDING 1e-15

/* ---- apart ------------------------------------------------------------------------------------------------------- */

/* The nearest point v of the triangle of corners i, j, k to the origin, kept in `best` if it is nearer. */
typedef struct gjk_nearest {
    double squared, v[3], weight[4];
} gjk_nearest;

TAUT_FN void gjk_triangle(double y[4][3], const int corner[3], gjk_nearest* best) {
    const double origin[3] = {0, 0, 0};
    double w[3], v[3] = {0, 0, 0};
    near_on_triangle(origin, y[corner[0]], y[corner[1]], y[corner[2]], w);
    for (int i = 0; i < 3; i++) {
        vec3_axpy(w[i], y[corner[i]], v);
    }
    if (vec3_dot(v, v) < best->squared) {
        best->squared = vec3_dot(v, v);
        for (int i = 0; i < 4; i++) {
            best->weight[i] = 0;
        }
        for (int i = 0; i < 3; i++) {
            best->v[i] = v[i];
            best->weight[corner[i]] = w[i];
        }
    }
}

/* Of four corners: whether the origin is inside; else the nearest of the faces that it is beyond. */
TAUT_FN bool gjk_tetrahedron(double y[4][3], gjk_nearest* best) {
    const int face[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}}; /* and the corner across */
    bool inside = true;
    for (int f = 0; f < 4; f++) {
        double ab[3], ac[3], ad[3], n[3];
        const double* a = y[face[f][0]];
        vec3_sub(y[face[f][1]], a, ab);
        vec3_sub(y[face[f][2]], a, ac);
        vec3_sub(y[face[f][3]], a, ad);
        vec3_cross(ab, ac, n);
        if (!(-vec3_dot(n, a) * vec3_dot(n, ad) > 0)) {
            inside = false;
            gjk_triangle(y, face[f], best);
        }
    }
    return inside;
}

/* The nearest point of a simplex, whose corners without a part in it are dropped; false: the origin is inside. */
TAUT_FN bool gjk_reduce(double y[4][3], int* count, double v[3]) {
    const double origin[3] = {0, 0, 0};
    const int all[3] = {0, 1, 2};
    gjk_nearest best = {INFINITY, {0, 0, 0}, {1, 0, 0, 0}};
    if (*count == 4 && gjk_tetrahedron(y, &best)) {
        return false;
    }
    if (*count == 3) {
        gjk_triangle(y, all, &best);
    } else if (*count == 2) {
        double w[3];
        near_on_segment(origin, y[0], y[1], w);
        best.weight[0] = w[0];
        best.weight[1] = w[1];
    }
    if (*count < 3) {
        for (int a = 0; a < 3; a++) {
            best.v[a] = best.weight[0] * y[0][a] + (*count == 2 ? best.weight[1] * y[1][a] : 0);
        }
    }
    int kept = 0;
    for (int i = 0; i < *count; i++) {
        if (best.weight[i] > 0) {
            for (int a = 0; a < 3; a++) {
                y[kept][a] = y[i][a];
            }
            kept++;
        }
    }
    *count = kept;
    for (int a = 0; a < 3; a++) {
        v[a] = best.v[a];
    }
    return true;
}

/* n: from B to A. Far where the gap of the cores is above `most`. Each round comes nearer to the origin; one that does
 * not, of places in one plane, ends with what the last one had. */
TAUT_FN convex_relation gjk_apart(const convex* a, const convex* b, double most, double n[3]) {
    const double size = a->reach + b->reach, touch = GJK_TOUCH * size,
                 rounding = convex_is_curved(a) || convex_is_curved(b) ? 1e-10 : 1e-13;
    double y[4][3], v[3], next[3], w[3], back[3];
    int count = 0;
    vec3_sub(a->x, b->x, v);
    for (int round = 0; round < GJK_ROUNDS; round++) {
        const double squared = vec3_dot(v, v);
        if (count > 0 && squared <= touch * touch) {
            return CONVEX_TOUCHING;
        }
        for (int i = 0; i < 3; i++) {
            back[i] = -v[i];
        }
        convex_difference(a, b, back, w);
        const double along = vec3_dot(v, w);
        if (along > 0 && along * along > most * most * squared) {
            return CONVEX_FAR;
        }
        bool known = count > 0 && squared - along <= rounding * squared + GJK_ROUNDING * size * size;
        for (int i = 0; i < count; i++) {
            known = known || (y[i][0] == w[0] && y[i][1] == w[1] && y[i][2] == w[2]);
        }
        if (known) {
            break;
        }
        for (int i = 0; i < 3; i++) {
            y[count][i] = w[i];
        }
        count++;
        if (!gjk_reduce(y, &count, next)) {
            return CONVEX_TOUCHING;
        }
        if (round > 0 && !(vec3_dot(next, next) < squared)) {
            break;
        }
        for (int i = 0; i < 3; i++) {
            v[i] = next[i];
        }
    }
    vec3_normalise(v, n);
    return CONVEX_NEAR;
}

/* ---- overlapping ------------------------------------------------------------------------------------------------- */

#define EPA_CORNERS 64
#define EPA_FACES   160
#define EPA_EDGES   128

typedef struct epa_face {
    double normal[3], offset;
    uint8_t corner[3];
} epa_face;

typedef struct epa_polytope {
    int corners, faces;
    double y[EPA_CORNERS][3];
    epa_face face[EPA_FACES];
} epa_polytope;

/* Adds a face whose corners are counterclockwise seen from outside; false where it has no area, or there is no place
 * for it. */
TAUT_FN bool epa_add_face(epa_polytope* p, int i, int j, int k) {
    double ij[3], ik[3], n[3];
    if (p->faces == EPA_FACES) {
        return false;
    }
    epa_face* face = &p->face[p->faces];
    vec3_sub(p->y[j], p->y[i], ij);
    vec3_sub(p->y[k], p->y[i], ik);
    vec3_cross(ij, ik, n);
    const double twice = sqrt(vec3_dot(n, n));
    if (!(twice > 1e-14 * sqrt(vec3_dot(ij, ij) * vec3_dot(ik, ik)))) {
        return false;
    }
    for (int a = 0; a < 3; a++) {
        face->normal[a] = n[a] / twice;
    }
    face->offset = vec3_dot(face->normal, p->y[i]);
    face->corner[0] = (uint8_t)i;
    face->corner[1] = (uint8_t)j;
    face->corner[2] = (uint8_t)k;
    p->faces++;
    return true;
}

/* Of D in d or against it: the place that is farthest from the one before along d, and how far. */
TAUT_FN double epa_farther(const convex* a, const convex* b, const double d[3], const double from[3], double out[3]) {
    const double back[3] = {-d[0], -d[1], -d[2]}, length = sqrt(vec3_dot(d, d));
    double other[3], way[3];
    convex_difference(a, b, d, out);
    convex_difference(a, b, back, other);
    vec3_sub(out, from, way);
    const double forth = vec3_dot(way, d);
    vec3_sub(from, other, way);
    const double against = vec3_dot(way, d);
    for (int i = 0; i < 3 && against > forth; i++) {
        out[i] = other[i];
    }
    return length > 0 ? (against > forth ? against : forth) / length : 0;
}

/* Square to e, from the axis that is least along it. */
TAUT_FN void epa_square(const double e[3], double out[3]) {
    const double x = fabs(e[0]), y = fabs(e[1]), z = fabs(e[2]);
    double from[3] = {0, 0, 0};
    from[x <= y && x <= z ? 0 : y <= z ? 1 : 2] = 1;
    vec3_cross(e, from, out);
}

/* Four places of D that span it. Else `flat` has the normal of D, or one of them where it is a segment or a point. */
TAUT_FN bool epa_begin(const convex* a, const convex* b, epa_polytope* p, double flat[3]) {
    const double least = 1e-9 * (a->reach + b->reach);
    double d[3], e[3], f[3], across[3];
    vec3_sub(a->x, b->x, d);
    if (!(vec3_dot(d, d) > least * least)) {
        d[0] = d[1] = 0;
        d[2] = 1;
    }
    const double back[3] = {-d[0], -d[1], -d[2]};
    convex_difference(a, b, d, p->y[0]);
    convex_difference(a, b, back, p->y[1]);
    vec3_sub(p->y[1], p->y[0], e);
    for (int i = 0; i < 3 && !(vec3_dot(e, e) > least * least); i++) { /* flat across d */
        double axis[3] = {0, 0, 0};
        axis[i] = 1;
        epa_farther(a, b, axis, p->y[0], p->y[1]);
        vec3_sub(p->y[1], p->y[0], e);
    }
    epa_square(vec3_dot(e, e) > 0 ? e : d, f);
    vec3_axpy(1, f, flat);
    if (!(vec3_dot(e, e) > least * least)) {
        return false;
    }
    if (!(epa_farther(a, b, f, p->y[0], p->y[2]) > least)) {
        vec3_cross(e, f, across);
        if (!(epa_farther(a, b, across, p->y[0], p->y[2]) > least)) {
            return false;
        }
    }
    vec3_sub(p->y[2], p->y[0], d);
    vec3_cross(e, d, across);
    for (int i = 0; i < 3; i++) {
        flat[i] = across[i];
    }
    if (!(epa_farther(a, b, across, p->y[0], p->y[3]) > least)) {
        return false;
    }
    vec3_sub(p->y[3], p->y[0], d);
    const bool outside = vec3_dot(d, across) > 0;
    p->corners = 4;
    p->faces = 0;
    const int j = outside ? 2 : 1, k = outside ? 1 : 2;
    return epa_add_face(p, 0, j, k) && epa_add_face(p, 0, k, 3) && epa_add_face(p, k, j, 3) && epa_add_face(p, j, 0, 3);
}

TAUT_FN int epa_nearest(const epa_polytope* p) {
    int best = 0;
    for (int i = 1; i < p->faces; i++) {
        best = p->face[i].offset < p->face[best].offset ? i : best;
    }
    return best;
}

/* Whether an edge of a face that goes is the way back along one of another such face; then both are inside. */
TAUT_FN int epa_add_edge(uint8_t edge[EPA_EDGES][2], int edges, uint8_t from, uint8_t to) {
    for (int i = 0; i < edges; i++) {
        if (edge[i][0] == to && edge[i][1] == from) {
            edge[i][0] = edge[edges - 1][0];
            edge[i][1] = edge[edges - 1][1];
            return edges - 1;
        }
    }
    if (edges < EPA_EDGES) {
        edge[edges][0] = from;
        edge[edges][1] = to;
        edges++;
    }
    return edges;
}

/* Faces that the last corner is beyond, or in the plane of, give way to those from it to the edges around them. */
TAUT_FN bool epa_grow(epa_polytope* p, double rounding) {
    uint8_t edge[EPA_EDGES][2];
    const double* w = p->y[p->corners - 1];
    int edges = 0, kept = 0;
    for (int i = 0; i < p->faces; i++) {
        const epa_face face = p->face[i];
        if (vec3_dot(face.normal, w) - face.offset > -rounding) {
            for (int c = 0; c < 3; c++) {
                edges = epa_add_edge(edge, edges, face.corner[c], face.corner[(c + 1) % 3]);
            }
        } else {
            p->face[kept++] = face;
        }
    }
    p->faces = kept;
    bool good = edges >= 3 && edges < EPA_EDGES;
    for (int i = 0; good && i < edges; i++) {
        good = epa_add_face(p, edge[i][0], edge[i][1], p->corners - 1);
    }
    return good;
}

/* n is d where the gap along that is larger by more than `more`. */
TAUT_FN void convex_prefer(const convex* a, const convex* b, const double d[3], double more, double n[3]) {
    const bool larger = convex_gap(a, b, d) > convex_gap(a, b, n) + more;
    for (int i = 0; i < 3 && larger; i++) {
        n[i] = d[i];
    }
}

/* n is an axis of a shape where the gap along that is larger. A point or a triangle has no axes. */
TAUT_FN void convex_along_axes(const convex* a, const convex* b, const double axis[3][3], double n[3]) {
    for (int i = 0; i < 3 && vec3_dot(axis[i], axis[i]) > 0.5; i++) {
        const double back[3] = {-axis[i][0], -axis[i][1], -axis[i][2]};
        convex_prefer(a, b, axis[i], 0, n);
        convex_prefer(a, b, back, 0, n);
    }
}

/* Grows the polytope until its nearest face is one of D, whose normal is the way out. False where rounding or a lack of
 * places ends it before, as almost parallel edges make folds of it: then n is the shortest way that was looked at. */
TAUT_FN bool epa_find(const convex* a, const convex* b, epa_polytope* p, double enough, double size, double n[3]) {
    double least = INFINITY;
    bool found = false;
    for (bool going = true; going; going = !found && epa_grow(p, 1e-13 * size) && p->corners < EPA_CORNERS) {
        const epa_face best = p->face[epa_nearest(p)];
        double* w = p->y[p->corners++];
        convex_difference(a, b, best.normal, w);
        const double length = vec3_dot(best.normal, w);
        found = length - best.offset <= enough;
        for (int i = 0; i < 3 && (found || length < least); i++) {
            n[i] = -best.normal[i];
        }
        least = fmin(least, length);
    }
    return found;
}

/* n: from B to A, the way out that is shortest. */
TAUT_FN void epa_overlapping(const convex* a, const convex* b, double n[3]) {
    epa_polytope p;
    double centres[3], flat[3] = {0, 0, 0};
    const double size = a->reach + b->reach;
    const double enough = (convex_is_curved(a) || convex_is_curved(b) ? 1e-7 : 1e-10) * size;
    vec3_sub(a->x, b->x, centres);
    if (!epa_begin(a, b, &p, flat)) {
        const double sign = vec3_dot(flat, centres) < 0 ? -1 : 1, length = sqrt(vec3_dot(flat, flat));
        for (int i = 0; i < 3; i++) {
            n[i] = length > 0 ? sign * flat[i] / length : i == 2;
        }
        return;
    }
    if (!epa_find(a, b, &p, enough, size, n)) {
        convex_along_axes(a, b, a->axis, n);
        convex_along_axes(a, b, b->axis, n);
    }
}

/* Across the axis of a cylinder or a cone, towards what is beside it: n, where the gap is larger along that by more
 * than rounding. Of cylinders that are almost parallel the nearest triangles of D are slivers, which tell of no
 * direction. */
TAUT_FN void convex_across(const convex* a, const convex* b, const convex* of, double n[3]) {
    double across[3];
    if (!convex_is_curved(of)) {
        return;
    }
    vec3_sub(a->x, b->x, across);
    vec3_axpy(-vec3_dot(across, of->axis[2]), of->axis[2], across);
    const double length = sqrt(vec3_dot(across, across)), size = a->reach + b->reach;
    if (!(length > GJK_TOUCH * size)) {
        return;
    }
    vec3_normalise(across, across);
    convex_prefer(a, b, across, GJK_TOUCH * size, n);
}

/* The unit vector from B to A along which the gap of two convex shapes is what it is; false where that is above
 * `most`. */
TAUT_FN bool convex_direction(const convex* a, const convex* b, double most, double n[3]) {
    const convex_relation relation = gjk_apart(a, b, most + a->radius + b->radius, n);
    if (relation == CONVEX_TOUCHING) {
        epa_overlapping(a, b, n);
    }
    if (relation != CONVEX_FAR) {
        convex_across(a, b, a, n);
        convex_across(a, b, b, n);
    }
    return relation != CONVEX_FAR;
}

#endif
