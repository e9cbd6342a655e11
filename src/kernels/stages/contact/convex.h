/* Convex shapes: points that stick out farthest in a direction, and the faces and edges that lie across it.
 *
 * A shape is everything within `radius` of its core: a point, a segment, a box, a cylinder, a cone, the hull of a mesh,
 * or one triangle. Places are measured from an origin that a pair of shapes shares, so that digits are not lost far
 * from that of the world. Text for a file that has defined TAUT_REAL as double. */
#ifndef TAUT_CONTACT_CONVEX_H
#define TAUT_CONTACT_CONVEX_H

#include "kernels/formulas/rotation_math.h"
#include "model/hull.h"

#include <stdbool.h>

typedef enum convex_core {
    CONVEX_POINT,
    CONVEX_SEGMENT,  /* size[1]: half of its length, along z */
    CONVEX_BOX,      /* size: halves of its sides */
    CONVEX_CYLINDER, /* size[0]: radius, size[1]: half of its height, along z */
    CONVEX_CONE,     /* likewise; its tip is at +size[1] */
    CONVEX_HULL,
    CONVEX_TRIANGLE
} convex_core;

typedef struct convex {
    convex_core core;
    double size[3], radius, reach; /* m; all of it is within `reach` of x */
    double x[3];                   /* its origin */
    double axis[3][3];             /* its axes */
    /* of hulls and triangles: */
    uint32_t corners, faces;
    const double* corner;       /* corners x 3, in the shape's axes */
    const uint32_t *begin, *to; /* corners that edges join to a corner */
    const taut_hull_face* face;
    uint32_t number; /* of a triangle in its mesh */
} convex;

/* A core alone, at the origin, without axes. */
TAUT_FN convex convex_plain(convex_core core, double radius, double reach) {
    const convex out = {core, {0, 0, 0}, radius, reach, {0, 0, 0}, {{0}}, 0, 0, NULL, NULL, NULL, NULL, 0};
    return out;
}

/* A direction of the world in these axes, and one of these axes in the world. */
TAUT_FN void axes_inwards(const double axis[3][3], const double d[3], double local[3]) {
    for (int a = 0; a < 3; a++) {
        local[a] = vec3_dot(axis[a], d);
    }
}

TAUT_FN void axes_outwards(const double axis[3][3], const double local[3], double d[3]) {
    for (int a = 0; a < 3; a++) {
        d[a] = axis[0][a] * local[0] + axis[1][a] * local[1] + axis[2][a] * local[2];
    }
}

TAUT_FN void convex_inwards(const convex* s, const double d[3], double local[3]) {
    axes_inwards(s->axis, d, local);
}

TAUT_FN void convex_outwards(const convex* s, const double local[3], double d[3]) {
    axes_outwards(s->axis, local, d);
}

TAUT_FN void convex_place(const convex* s, const double local[3], double x[3]) {
    convex_outwards(s, local, x);
    vec3_axpy(1, s->x, x);
}

/* Of what is flat: how many corners it has, and where one is. Bit a of a box's corner tells its side along axis a. */
TAUT_FN bool convex_is_flat(const convex* s) {
    return s->core == CONVEX_BOX || s->core == CONVEX_HULL;
}

TAUT_FN uint32_t convex_corners(const convex* s) {
    return s->core == CONVEX_BOX ? 8 : s->corners;
}

TAUT_FN void convex_corner(const convex* s, uint32_t i, double x[3]) {
    const double of_box[3] = {(i & 1u) != 0 ? s->size[0] : -s->size[0], (i & 2u) != 0 ? s->size[1] : -s->size[1],
                              (i & 4u) != 0 ? s->size[2] : -s->size[2]};
    convex_place(s, s->core == CONVEX_BOX ? of_box : s->corner + 3 * (size_t)i, x);
}

/* ---- farthest points --------------------------------------------------------------------------------------------- */

/* Hulls with more corners are climbed along their edges: on a convex one, a corner that none beside it passes is the
 * farthest. */
#define CONVEX_CLIMB 24

TAUT_FN uint32_t hull_farthest(const convex* s, const double d[3]) {
    uint32_t best = 0;
    double most = vec3_dot(s->corner, d);
    if (s->corners <= CONVEX_CLIMB) {
        for (uint32_t i = 1; i < s->corners; i++) {
            const double along = vec3_dot(s->corner + 3 * (size_t)i, d);
            best = along > most ? i : best;
            most = along > most ? along : most;
        }
        return best;
    }
    for (uint32_t from = UINT32_MAX; from != best;) {
        from = best;
        for (uint32_t i = s->begin[from]; i < s->begin[from + 1]; i++) {
            const double along = vec3_dot(s->corner + 3 * (size_t)s->to[i], d);
            best = along > most ? s->to[i] : best;
            most = along > most ? along : most;
        }
    }
    return best;
}

/* Farthest on a circle about z, and whether there is one such place alone. */
TAUT_FN void circle_farthest(double radius, const double d[3], double out[3]) {
    const double across = sqrt(d[0] * d[0] + d[1] * d[1]);
    out[0] = across > 0 ? radius * d[0] / across : radius;
    out[1] = across > 0 ? radius * d[1] / across : 0;
}

/* Of the core, in the shape's axes. */
TAUT_FN void convex_farthest_local(const convex* s, const double d[3], double out[3]) {
    out[0] = out[1] = out[2] = 0;
    switch (s->core) {
    case CONVEX_SEGMENT:
        out[2] = d[2] < 0 ? -s->size[1] : s->size[1];
        break;
    case CONVEX_BOX:
        for (int a = 0; a < 3; a++) {
            out[a] = d[a] < 0 ? -s->size[a] : s->size[a];
        }
        break;
    case CONVEX_CYLINDER:
        circle_farthest(s->size[0], d, out);
        out[2] = d[2] < 0 ? -s->size[1] : s->size[1];
        break;
    case CONVEX_CONE:
        circle_farthest(s->size[0], d, out);
        out[2] = -s->size[1];
        if (vec3_dot(out, d) < s->size[1] * d[2]) {
            out[0] = out[1] = 0;
            out[2] = s->size[1];
        }
        break;
    case CONVEX_HULL:
    case CONVEX_TRIANGLE:
        vec3_axpy(1, s->corner + 3 * (size_t)hull_farthest(s, d), out);
        break;
    default:
        break;
    }
}

TAUT_FN void convex_farthest(const convex* s, const double d[3], double out[3]) {
    double local[3], place[3];
    convex_inwards(s, d, local);
    convex_farthest_local(s, local, place);
    convex_place(s, place, out);
}

/* Farthest of A - B, the differences of all places of two cores. */
TAUT_FN void convex_difference(const convex* a, const convex* b, const double d[3], double out[3]) {
    const double back[3] = {-d[0], -d[1], -d[2]};
    double other[3];
    convex_farthest(a, d, out);
    convex_farthest(b, back, other);
    vec3_axpy(-1, other, out);
}

/* The gap of both along a unit vector n from B to A. */
TAUT_FN double convex_gap(const convex* a, const convex* b, const double n[3]) {
    const double back[3] = {-n[0], -n[1], -n[2]};
    double d[3];
    convex_difference(a, b, back, d);
    return vec3_dot(n, d) - a->radius - b->radius;
}

TAUT_FN bool convex_is_curved(const convex* s) {
    return s->core == CONVEX_CYLINDER || s->core == CONVEX_CONE;
}

/* ---- faces and edges --------------------------------------------------------------------------------------------- */

#define CONVEX_SIDE_CORNERS TAUT_HULL_FACE_CORNERS

/* What lies across a direction: a face of at least three corners, counterclockwise seen from outside, an edge of two,
 * or one point. */
typedef struct convex_side {
    uint32_t count, id;
    double normal[3]; /* outwards */
    double x[CONVEX_SIDE_CORNERS][3];
} convex_side;

/* A round face: so many places of its rim, which turn with the body, and the one that is farthest in d. */
#define CONVEX_RIM 12

TAUT_FN void side_of_disc(const convex* s, double z, const double d[3], convex_side* out) {
    const double sign = z < 0 ? -1 : 1, local[3] = {0, 0, sign}, turn = 6.283185307179586 / CONVEX_RIM;
    const double across = sqrt(d[0] * d[0] + d[1] * d[1]);
    const double at = across > 1e-6 ? sign * atan2(d[1], d[0]) / turn : 0, part = at < 0 ? at + CONVEX_RIM : at;
    const bool between = across > 1e-6 && part - floor(part) > 1e-3 && part - floor(part) < 1 - 1e-3;
    convex_outwards(s, local, out->normal);
    out->count = 0;
    out->id = z < 0 ? 1 : 2;
    for (int i = 0; i < CONVEX_RIM; i++) {
        const double place[3] = {s->size[0] * cos(turn * i), sign * s->size[0] * sin(turn * i), z};
        convex_place(s, place, out->x[out->count++]);
        if (between && (int)floor(part) == i) {
            const double deepest[3] = {s->size[0] * d[0] / across, s->size[0] * d[1] / across, z};
            convex_place(s, deepest, out->x[out->count++]);
        }
    }
}

/* A line of the side of a cylinder or a cone, the one that faces d. */
TAUT_FN void side_of_round(const convex* s, const double normal[3], const double d[3], convex_side* out) {
    double low[3], high[3];
    circle_farthest(s->size[0], d, low);
    low[2] = -s->size[1];
    high[0] = s->core == CONVEX_CONE ? 0 : low[0];
    high[1] = s->core == CONVEX_CONE ? 0 : low[1];
    high[2] = s->size[1];
    convex_outwards(s, normal, out->normal);
    convex_place(s, low, out->x[0]);
    convex_place(s, high, out->x[1]);
    out->count = 2;
    out->id = 0;
}

/* Of a cylinder or a cone: a disc or a line. */
TAUT_FN void side_of_curved(const convex* s, const double d[3], convex_side* out) {
    const bool cone = s->core == CONVEX_CONE;
    const double across = sqrt(d[0] * d[0] + d[1] * d[1]);
    const double radial = cone ? 2 * s->size[1] : 1, axial = cone ? s->size[0] : 0;
    const double length = sqrt(radial * radial + axial * axial);
    const double normal[3] = {across > 0 ? radial / length * d[0] / across : radial / length,
                              across > 0 ? radial / length * d[1] / across : 0, axial / length};
    const double round = vec3_dot(normal, d), flat = cone ? -d[2] : fabs(d[2]);
    if (flat > round) {
        side_of_disc(s, cone || d[2] < 0 ? -s->size[1] : s->size[1], d, out);
    } else {
        side_of_round(s, normal, d, out);
    }
}

/* The axis that is nearest to a direction. */
TAUT_FN int axis_facing(const double d[3]) {
    const double over[3] = {fabs(d[0]), fabs(d[1]), fabs(d[2])};
    return over[0] >= over[1] && over[0] >= over[2] ? 0 : over[1] >= over[2] ? 1 : 2;
}

TAUT_FN void side_of_box(const convex* s, const double d[3], convex_side* out) {
    const int a = axis_facing(d);
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    const double sign = d[a] < 0 ? -1 : 1;
    double local[3] = {0, 0, 0};
    local[a] = sign;
    convex_outwards(s, local, out->normal);
    out->count = 4;
    out->id = (uint32_t)(2 * a + (sign > 0));
    for (int i = 0; i < 4; i++) {
        local[a] = sign * s->size[a];
        local[b] = i == 0 || i == 3 ? -s->size[b] : s->size[b];
        local[c] = sign * (i < 2 ? -s->size[c] : s->size[c]);
        convex_place(s, local, out->x[i]);
    }
}

/* The face whose normal is nearest to a direction. */
TAUT_FN uint32_t face_facing(const convex* s, const double d[3]) {
    uint32_t best = 0;
    double most = -2;
    for (uint32_t i = 0; i < s->faces; i++) {
        const double along = vec3_dot(s->face[i].normal, d);
        best = along > most ? i : best;
        most = along > most ? along : most;
    }
    return best;
}

TAUT_FN void side_of_hull(const convex* s, const double d[3], convex_side* out) {
    const uint32_t best = face_facing(s, d);
    const taut_hull_face* face = &s->face[best];
    convex_outwards(s, face->normal, out->normal);
    out->count = face->count;
    out->id = best;
    for (uint32_t i = 0; i < face->count; i++) {
        convex_place(s, s->corner + 3 * (size_t)face->corner[i], out->x[i]);
    }
}

/* Either side of it. */
TAUT_FN void side_of_triangle(const convex* s, const double d[3], convex_side* out) {
    double ab[3], ac[3], area[3], normal[3];
    vec3_sub(s->corner + 3, s->corner, ab);
    vec3_sub(s->corner + 6, s->corner, ac);
    vec3_cross(ab, ac, area);
    const bool back = vec3_dot(area, d) < 0;
    const double scale = (back ? -1 : 1) / sqrt(vec3_dot(area, area));
    for (int a = 0; a < 3; a++) {
        normal[a] = scale * area[a];
    }
    convex_outwards(s, normal, out->normal);
    out->count = 3;
    out->id = s->number;
    for (int i = 0; i < 3; i++) {
        convex_place(s, s->corner + 3 * (back ? 2 - i : i), out->x[i]);
    }
}

/* The side of the core that faces a unit vector of the world most. */
TAUT_FN void convex_side_facing(const convex* s, const double d[3], convex_side* out) {
    double local[3];
    const double ends[2][3] = {{0, 0, -s->size[1]}, {0, 0, s->size[1]}};
    convex_inwards(s, d, local);
    switch (s->core) {
    case CONVEX_BOX:
        side_of_box(s, local, out);
        break;
    case CONVEX_HULL:
        side_of_hull(s, local, out);
        break;
    case CONVEX_TRIANGLE:
        side_of_triangle(s, local, out);
        break;
    case CONVEX_CYLINDER:
    case CONVEX_CONE:
        side_of_curved(s, local, out);
        break;
    default:
        out->count = s->core == CONVEX_SEGMENT ? 2 : 1;
        out->id = 0;
        for (int i = 0; i < 3; i++) {
            out->normal[i] = d[i];
        }
        for (uint32_t i = 0; i < out->count; i++) {
            convex_place(s, s->core == CONVEX_SEGMENT ? ends[i] : out->normal, out->x[i]);
        }
        if (s->core == CONVEX_POINT) {
            out->x[0][0] = s->x[0];
            out->x[0][1] = s->x[1];
            out->x[0][2] = s->x[2];
        }
        break;
    }
}

/* Edges lie across a direction up to this sine. */
#define CONVEX_ACROSS 0.05

/* Of corners of a hull: the edge from the farthest one that is most nearly across d, or that corner. */
TAUT_FN void edge_of_hull(const convex* s, const double d[3], convex_side* out) {
    const uint32_t from = hull_farthest(s, d);
    const double* a = s->corner + 3 * (size_t)from;
    double least = CONVEX_ACROSS;
    uint32_t end = from;
    for (uint32_t i = s->begin[from]; i < s->begin[from + 1]; i++) {
        double along[3];
        vec3_sub(a, s->corner + 3 * (size_t)s->to[i], along);
        const double sine = fabs(vec3_dot(along, d)) / sqrt(vec3_dot(along, along));
        end = sine < least ? s->to[i] : end;
        least = sine < least ? sine : least;
    }
    out->count = end != from ? 2 : 1;
    out->id = (from < end ? from : end) * 61 + (from < end ? end : from);
    convex_place(s, s->corner + 3 * (size_t)(from < end ? from : end), out->x[0]);
    convex_place(s, s->corner + 3 * (size_t)(from < end ? end : from), out->x[1]);
}

TAUT_FN void edge_of_box(const convex* s, const double d[3], convex_side* out) {
    const double over[3] = {fabs(d[0]), fabs(d[1]), fabs(d[2])};
    const int a = over[0] <= over[1] && over[0] <= over[2] ? 0 : over[1] <= over[2] ? 1 : 2;
    double local[3];
    convex_farthest_local(s, d, local);
    out->count = over[a] < CONVEX_ACROSS ? 2 : 1;
    out->id = (uint32_t)(a + 3 * (local[(a + 1) % 3] > 0) + 6 * (local[(a + 2) % 3] > 0));
    for (uint32_t i = 0; i < out->count; i++) {
        local[a] = out->count == 1 ? local[a] : i == 0 ? -s->size[a] : s->size[a];
        convex_place(s, local, out->x[i]);
    }
}

/* The edge of the core that is farthest in a unit vector of the world and lies across it, or the farthest point. */
TAUT_FN void convex_edge_facing(const convex* s, const double d[3], convex_side* out) {
    double local[3];
    convex_inwards(s, d, local);
    if (s->core == CONVEX_BOX) {
        edge_of_box(s, local, out);
    } else if (s->core == CONVEX_HULL || s->core == CONVEX_TRIANGLE) {
        edge_of_hull(s, local, out);
    } else {
        convex_side_facing(s, d, out);
        if (out->count > 2 || (convex_is_curved(s) && vec3_dot(out->normal, d) < 1 - CONVEX_ACROSS * CONVEX_ACROSS)) {
            out->count = 1;
            convex_farthest(s, d, out->x[0]);
        }
    }
}

#endif
