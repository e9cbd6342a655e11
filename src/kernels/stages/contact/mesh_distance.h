/* Signed distance to a closed mesh, and the direction in which it grows: text for a file that has defined TAUT_REAL as
 * double.
 *
 * Exact: the distance to the nearest triangle, found in a tree of boxes. The side of the surface follows from the
 * normal of the part that is nearest: of its plane, its edge or its corner, these weighted by angles. With other
 * normals of edges and corners it would come out wrong where faces meet at a sharp angle: J. A. Baerentzen and H.
 * Aanaes, Signed distance computation using the angle weighted pseudonormal, IEEE TVCG 11 (2005).
 *
 * Grids: interpolated linearly along each axis; the direction is that of the interpolant's gradient. Beyond a grid, at
 * the distance d from the nearest place c of it, s = sqrt( d^2 + s(c)^2 ), which is continuous, no more than the
 * distance and at least 1/sqrt(2) of it: the surface lies in the convex grid, where every place q has |p - q|^2 >= |p -
 * c|^2 + |c - q|^2, and the distance is at most d + s(c). */
#ifndef TAUT_CONTACT_MESH_DISTANCE_H
#define TAUT_CONTACT_MESH_DISTANCE_H

#include "kernels/stages/contact/deforming.h"
#include "kernels/stages/contact/near.h"
#include "kernels/stages/contact/shapes.h"
#include "kernels/stages/contact/tree.h"
#include "model/layout.h"

#include <assert.h>

static_assert((int)TAUT_MESH_FACE == (int)TAUT_NEAR_FACE && (int)TAUT_MESH_EDGE == (int)TAUT_NEAR_EDGE &&
                  (int)TAUT_MESH_CORNER == (int)TAUT_NEAR_CORNER,
              "parts of triangles have the numbers of features");

/* ---- triangles --------------------------------------------------------------------------------------------------- */

/* Of the place of a mesh that is nearest to p. */
typedef struct mesh_place {
    double squared; /* distance */
    double off[3];  /* p - place */
    uint32_t triangle;
    uint32_t part;
} mesh_place;

/* Offset of p from the nearest place of a triangle, and the part that has it; above the plane by the height, which is
 * exact however near p is. */
TAUT_FN uint32_t off_triangle(const double t[9], const double p[3], double off[3]) {
    double weight[3], ab[3], ac[3], ap[3], n[3];
    const int part = near_by_regions(p, t, t + 3, t + 6, weight);
    vec3_sub(p, t, ap);
    if (part == TAUT_NEAR_FACE) {
        vec3_sub(t + 3, t, ab);
        vec3_sub(t + 6, t, ac);
        vec3_cross(ab, ac, n);
        const double height = vec3_dot(n, ap) / vec3_dot(n, n);
        for (int k = 0; k < 3; k++) {
            off[k] = height * n[k];
        }
        return TAUT_MESH_FACE;
    }
    const int first = part >= TAUT_NEAR_CORNER ? part - TAUT_NEAR_CORNER : part - TAUT_NEAR_EDGE,
              next = (first + 1) % 3;
    for (int k = 0; k < 3; k++) {
        off[k] = p[k] - t[3 * first + k] - weight[next] * (t[3 * next + k] - t[3 * first + k]);
    }
    return (uint32_t)part;
}

/* ---- tree -------------------------------------------------------------------------------------------------------- */

/* Squared distance of a place from a box; infinite from an empty one. */
TAUT_FN double off_box(const float box[6], const double p[3]) {
    double sum = 0;
    for (int a = 0; a < 3; a++) {
        const double below = (double)box[a] - p[a], above = p[a] - (double)box[3 + a];
        const double off = below > 0 ? below : above > 0 ? above : 0; /* fmax would be a call */
        sum += off * off;
    }
    return sum;
}

/* The node that is next after all below node i, on a way that takes one child after the other: bit 0 of `waiting` tells
 * whether i's sibling is still to come, bit 1 the same of its parent's. 0 at the end. */
TAUT_FN uint32_t mesh_tree_next(uint32_t i, uint32_t* waiting) {
    while (i > 1 && (*waiting & 1u) == 0) {
        i /= 2;
        *waiting >>= 1;
    }
    *waiting ^= i > 1;
    return i > 1 ? i ^ 1u : 0;
}

/* Triangles of one mesh, the tree above them, and the normals of their parts, or what those are made of. */
typedef struct mesh_triangles {
    uint32_t leaves;
    const float* box;
    const double* corner;
    const double* normal;
    const taut_deforming* deforming; /* NULL: it is rigid */
} mesh_triangles;

TAUT_FN mesh_triangles mesh_triangles_of(const float* boxes, const double* corners, const double* normals,
                                         const taut_mesh* m) {
    const mesh_triangles out = {m->leaves, boxes + 6 * m->first_box, corners + 9 * m->first_triangle,
                                normals + (size_t)3 * TAUT_MESH_PARTS * m->first_triangle, NULL};
    return out;
}

TAUT_FN mesh_triangles mesh_triangles_now(const taut_fields* f, const taut_mesh* m) {
    mesh_triangles out = mesh_triangles_of(f->mesh_box, f->mesh_corner, f->mesh_normal, m);
    out.deforming = m->vertices > 0 ? f->deforming + m->first_deforming : NULL;
    return out;
}

/* The next triangle whose box meets this one, from node *at on, which begins at 1; TAUT_NO_NODE: there is none. */
TAUT_FN uint32_t next_triangle(const mesh_triangles* m, const float box[6], uint32_t* at) {
    while (*at != 0) {
        const uint32_t i = *at;
        const bool meets = boxes_meet(m->box + 6 * (size_t)i, box);
        if (meets && i < m->leaves) {
            *at = 2 * i;
            continue;
        }
        *at = tree_skip(i);
        if (meets) {
            return i - m->leaves;
        }
    }
    return TAUT_NO_NODE;
}

/* Looks for a place nearer than `found` has, in the nearer child first; whether there is one. */
TAUT_FN bool mesh_nearest(const mesh_triangles* m, const double p[3], mesh_place* found) {
    uint32_t i = 1, waiting = 0;
    bool any = false;
    while (i != 0) {
        const bool near = off_box(m->box + 6 * (size_t)i, p) < found->squared;
        if (near && i < m->leaves) {
            const float* children = m->box + 12 * (size_t)i;
            i = 2 * i + (off_box(children + 6, p) < off_box(children, p));
            waiting = waiting << 1 | 1u;
            continue;
        }
        if (near) {
            double off[3];
            const uint32_t part = off_triangle(m->corner + 9 * (size_t)(i - m->leaves), p, off);
            const double squared = vec3_dot(off, off);
            if (squared < found->squared) {
                const mesh_place better = {squared, {off[0], off[1], off[2]}, i - m->leaves, part};
                *found = better;
                any = true;
            }
        }
        i = mesh_tree_next(i, &waiting);
    }
    return any;
}

/* Offsets that are rounding beside the coordinates have no direction. */
#define MESH_ROUNDING 1e-12

/* Distance with the sign of the side, and its direction: the offset from an edge or a corner, else the normal. */
TAUT_FN double mesh_side(const mesh_triangles* m, const mesh_place* at, double normal[3]) {
    const double* own = m->normal + 3 * (TAUT_MESH_PARTS * (size_t)at->triangle + at->part);
    const double* corner = m->corner + 9 * (size_t)at->triangle;
    double made[3];
    if (m->deforming != NULL) {
        normal_of_deforming(m->deforming, m->corner, at->triangle, at->part, made);
        own = made;
    }
    const double size = fabs(corner[0]) + fabs(corner[1]) + fabs(corner[2]);
    const double sign = vec3_dot(at->off, own) < 0 ? -1 : 1, distance = sign * sqrt(at->squared);
    radial(own, normal);
    if (at->part != TAUT_MESH_FACE && fabs(distance) > MESH_ROUNDING * size) {
        for (int a = 0; a < 3; a++) {
            normal[a] = at->off[a] / distance;
        }
    }
    return distance;
}

/* To triangles, one of which is known to be nearer than `bound`, and which one it is; NAN of places that are not
 * finite.
 */
TAUT_FN double mesh_exact_within(const mesh_triangles* m, double bound, const double p[3], double normal[3],
                                 uint32_t* triangle) {
    mesh_place at = {bound * bound, {0, 0, 0}, 0, 0};
    normal[0] = normal[1] = 0;
    normal[2] = 1;
    const bool finite = fabs(p[0]) + fabs(p[1]) + fabs(p[2]) < INFINITY;
    const double distance = finite && mesh_nearest(m, p, &at) ? mesh_side(m, &at, normal) : NAN;
    *triangle = at.triangle;
    return distance;
}

TAUT_FN double mesh_exact_at(const mesh_triangles* m, const double p[3], double normal[3], uint32_t* triangle) {
    return mesh_exact_within(m, INFINITY, p, normal, triangle);
}

TAUT_FN double mesh_exact(const mesh_triangles* m, const double p[3], double normal[3]) {
    uint32_t triangle;
    return mesh_exact_at(m, p, normal, &triangle);
}

/* ---- grids ------------------------------------------------------------------------------------------------------- */

/* Where a place is in a grid: its cell, how far along that, and the way to there from the nearest place of the grid. */
typedef struct mesh_cell {
    size_t first, stride[3];
    double part[3];
    double beyond[3];
} mesh_cell;

TAUT_FN mesh_cell mesh_cell_of(const taut_mesh* m, const double p[3]) {
    mesh_cell cell = {m->first_value, {1, m->points[0], (size_t)m->points[0] * m->points[1]}, {0}, {0}};
    for (int a = 0; a < 3; a++) {
        const double along = (p[a] - m->origin[a]) / m->spacing;
        const double in = fmin(fmax(along, 0.0), (double)(m->points[a] - 1));
        const double low = fmin(floor(in), (double)(m->points[a] - 2));
        cell.first += (size_t)low * cell.stride[a];
        cell.part[a] = in - low;
        cell.beyond[a] = (along - in) * m->spacing;
    }
    return cell;
}

/* Value of the interpolant, and its gradient. */
TAUT_FN double mesh_interpolate(const taut_mesh* m, const double* values, const mesh_cell* cell, double gradient[3]) {
    double sum = 0;
    gradient[0] = gradient[1] = gradient[2] = 0;
    for (int corner = 0; corner < 8; corner++) {
        double share[3], slope[3];
        size_t at = cell->first;
        for (int a = 0; a < 3; a++) {
            const bool high = (corner >> a & 1) != 0;
            share[a] = high ? cell->part[a] : 1 - cell->part[a];
            slope[a] = high ? 1 / m->spacing : -1 / m->spacing;
            at += high ? cell->stride[a] : 0;
        }
        sum += share[0] * share[1] * share[2] * values[at];
        for (int a = 0; a < 3; a++) {
            gradient[a] += slope[a] * share[(a + 1) % 3] * share[(a + 2) % 3] * values[at];
        }
    }
    return sum;
}

TAUT_FN double mesh_sampled(const taut_mesh* m, const double* values, const double p[3], double normal[3]) {
    const mesh_cell cell = mesh_cell_of(m, p);
    double gradient[3];
    const double in = mesh_interpolate(m, values, &cell, gradient), beyond = vec3_dot(cell.beyond, cell.beyond);
    if (beyond == 0) {
        radial(gradient, normal);
        return in;
    }
    for (int a = 0; a < 3; a++) { /* of d^2 + s(c)^2, halved; c stays where p leaves the grid */
        gradient[a] = cell.beyond[a] != 0 ? cell.beyond[a] : fmax(in, 0.0) * gradient[a];
    }
    radial(gradient, normal);
    return sqrt(beyond + fmax(in, 0.0) * fmax(in, 0.0));
}

/* ---- colliders --------------------------------------------------------------------------------------------------- */

TAUT_FN double mesh_distance(const taut_fields* f, const taut_mesh* m, const double p[3], double normal[3]) {
    const mesh_triangles triangles = mesh_triangles_now(f, m);
    return m->spacing > 0 ? mesh_sampled(m, f->mesh_value, p, normal) : mesh_exact(&triangles, p, normal);
}

/* Of p in the axes of a collider: negative inside; `normal` is a unit vector. */
TAUT_FN double collider_distance(const taut_fields* f, size_t collider, const double p[3], double normal[3]) {
    const uint32_t shape = f->collider_shape[collider];
    return shape == TAUT_SHAPE_MESH ? mesh_distance(f, &f->mesh[f->collider_mesh[collider]], p, normal)
                                    : shape_distance(shape, f->collider_size + 3 * collider, p, normal);
}

/* ---- what is known of contact points ----------------------------------------------------------------------------- */

/* Distances change by no more than the way between two places. So the distance d0 at p0 bounds that at p,
 *     d0 - |p - p0| <= d <= |d0| + |p - p0|,
 * and what has been found for a contact point saves most of later searches, whenever that was: results are the same,
 * bit by bit, whatever is known. Of exact distances to meshes that keep their shape; others cost little, or change. */
#define TAUT_KNOWN_ROUNDING 1e-9 /* of the bounds, in parts of all lengths that are in them */

TAUT_FN bool is_remembered(const taut_fields* f, size_t collider) {
    const taut_mesh* m = &f->mesh[f->collider_mesh[collider]];
    return f->collider_shape[collider] == TAUT_SHAPE_MESH && !(m->spacing > 0) && m->vertices == 0;
}

/* Bounds of the distance of a contact point at p, in the axes of a collider that is remembered. */
typedef struct known_bounds {
    double least, most; /* most: of its size */
} known_bounds;

TAUT_FN known_bounds known_of_point(const taut_fields* f, size_t point, size_t collider, const double p[3]) {
    known_bounds bounds = {-INFINITY, INFINITY};
    const double* known = f->known_distance + 4 * point;
    double way[3];
    vec3_sub(p, known, way);
    const double moved = sqrt(vec3_dot(way, way)), all = moved + fabs(known[3]);
    if (f->known_mesh[point] == collider + 1 && all < INFINITY) {
        const double slack = TAUT_KNOWN_ROUNDING * (all + fabs(p[0]) + fabs(p[1]) + fabs(p[2]));
        bounds.least = known[3] - moved - slack;
        bounds.most = all + slack;
    }
    return bounds;
}

/* Whether a contact point is farther than `reach` from a collider, as far as that is known. */
TAUT_FN bool is_known_beyond(const taut_fields* f, size_t point, size_t collider, const double p[3], double reach) {
    return is_remembered(f, collider) && known_of_point(f, point, collider, p).least > reach;
}

/* As collider_distance, of a contact point: what is known of it shortens the search. */
TAUT_FN double distance_by_known(const taut_fields* f, size_t point, size_t collider, const double p[3],
                                 double normal[3]) {
    if (!is_remembered(f, collider)) {
        return collider_distance(f, collider, p, normal);
    }
    const mesh_triangles triangles = mesh_triangles_now(f, &f->mesh[f->collider_mesh[collider]]);
    const double bound = known_of_point(f, point, collider, p).most;
    uint32_t triangle;
    return mesh_exact_within(&triangles, bound, p, normal, &triangle);
}

/* The same, which is known from then on. */
TAUT_FN double distance_of_point(const taut_fields* f, size_t point, size_t collider, const double p[3],
                                 double normal[3]) {
    const double distance = distance_by_known(f, point, collider, p, normal);
    if (is_remembered(f, collider)) {
        double* known = f->known_distance + 4 * point;
        for (int a = 0; a < 3; a++) {
            known[a] = p[a];
        }
        known[3] = distance;
        f->known_mesh[point] = (uint32_t)collider + 1;
    }
    return distance;
}

#endif
