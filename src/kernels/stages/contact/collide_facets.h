/* Collide: a convex collider and a mesh that is not convex. The convex one has a contact
 *
 * - with each face that is below a corner of the side which faces it, or will be by the end of the step,
 * - with what is nearest to each corner, whatever that is,
 * - with each edge and each corner of the mesh that sticks out, along the normal of their distance, where that is one
 *   of those between the faces around them.
 *
 * So it lies in grooves, on ridges and on peaks, and rolls: the places of a round side go around it. What it has in
 * common with flat parts and hollows of a mesh, its faces tell. A mesh with two sides is met on that on which the
 * origin of the convex one is, at half of its thickness. All of this is in the axes of the mesh.
 *
 * Text for a file that has defined TAUT_REAL as double. */
#ifndef TAUT_CONTACT_COLLIDE_FACETS_H
#define TAUT_CONTACT_COLLIDE_FACETS_H

#include "kernels/stages/contact/manifold.h"
#include "kernels/stages/contact/mesh_distance.h"
#include "kernels/stages/contact/thickness.h"

/* Contacts of a pair: so many with the least gaps by the end of the step, and in so many directions the one that a turn
 * about the middle brings to touch first, of those that are farther out than this part of the solid's reach. */
#define FACETS_MOST    MANIFOLD_MOST
#define FACETS_AROUND  (MANIFOLD_ROOM - MANIFOLD_MOST)
#define FACETS_OUTSIDE 0.1

/* Of the solid's reach: so deep a place may be below a face that is not the nearest part of the mesh, as in a groove;
 * below any face at all; and within the mesh. */
#define FACETS_SLACK 1e-3
#define FACETS_DEEP  0.5
#define FACETS_FAR   0.25

/* A sine: normals so far beyond those of the faces around an edge or a corner belong to it. */
#define FACETS_EDGE 0.02

/* Of the solid beside the mesh, by the end of the step: of its origin, and a rotation vector. */
typedef struct facets_motion {
    double way[3], turn[3];
} facets_motion;

typedef struct facets_meeting {
    mesh_triangles mesh;
    const uint32_t* salient;
    double half, side; /* of a mesh with two sides: half of its thickness, and -1 where the solid is beneath it, or */
    bool beside;       /* it is beside the border: then both sides count, but nothing beneath them */
    double up[3];      /* from what is nearest to the solid's origin */
    convex solid;
    uint32_t shape;
    facets_motion motion;
    double most, closes;   /* gap; and what the motion closes of one at most */
    uint32_t count, worst; /* that has the largest gap by the end of the step, where there is no room for more */
    manifold_point all[FACETS_MOST];
    double end[FACETS_MOST]; /* gaps by the end of the step, if nothing acts */
    double along[FACETS_AROUND][3];
    manifold_point around[FACETS_AROUND];
    double turn[FACETS_AROUND]; /* gaps by the end of the step over how far out they are; infinite: there is none */
} facets_meeting;

/* ---- contacts ---------------------------------------------------------------------------------------------------- */

/* The feature of what is nearest to a place of the solid; the number of the place is added. */
#define FACETS_NEAREST 0x7fffff00u

/* In the feature of a contact, beside the part of a triangle: which of its places, up to 2 CONVEX_SIDE_CORNERS. */
TAUT_FN uint32_t facet_feature(uint32_t triangle, uint32_t part, uint32_t place) {
    return ((triangle * TAUT_MESH_PARTS + part) * (2 * CONVEX_SIDE_CORNERS) + place) & 0x7fffffffu;
}

/* Where a place of the solid is by the end of the step. */
TAUT_FN void place_by_the_end(const facets_meeting* m, const double x[3], double to[3]) {
    double arm[3];
    vec3_sub(x, m->solid.x, arm);
    vec3_cross(m->motion.turn, arm, to);
    vec3_axpy(1, x, to);
    vec3_axpy(1, m->motion.way, to);
}

/* Directions all around a normal, for which there are no contacts yet. */
TAUT_FN void look_around(facets_meeting* m, const double normal[3]) {
    double tangent[3], unit[3], second[3];
    epa_square(normal, tangent);
    radial(tangent, unit);
    vec3_cross(normal, unit, second);
    for (int k = 0; k < FACETS_AROUND; k++) {
        const double angle = 6.283185307179586 * k / FACETS_AROUND;
        m->turn[k] = INFINITY;
        for (int a = 0; a < 3; a++) {
            m->along[k][a] = cos(angle) * unit[a] + sin(angle) * second[a];
        }
    }
}

/* Whether a contact may be one of those that are kept, if its gap is no less than this. */
TAUT_FN bool facet_matters(const facets_meeting* m, double gap) {
    const double end = gap - m->closes;
    bool matters = m->count < FACETS_MOST || end < m->end[m->worst];
    for (int k = 0; !matters && k < FACETS_AROUND; k++) {
        matters = end < m->turn[k] * m->solid.reach;
    }
    return gap <= m->most && matters;
}

/* Among those with the least gaps by the end of the step. */
TAUT_FN void add_deep_facet(facets_meeting* m, const manifold_point* p, double end) {
    const uint32_t at = m->count < FACETS_MOST ? m->count : m->worst;
    if (m->count == FACETS_MOST && !(end < m->end[at])) {
        return;
    }
    m->count += m->count < FACETS_MOST;
    m->all[at] = *p;
    m->end[at] = end;
    for (uint32_t i = 0; m->count == FACETS_MOST && i < FACETS_MOST; i++) {
        m->worst = m->end[i] > m->end[m->worst] ? i : m->worst;
    }
}

TAUT_FN void add_facet(facets_meeting* m, const double x[3], double gap, const double normal[3], uint32_t feature) {
    double to[3], way[3], arm[3];
    const manifold_point p = {{x[0], x[1], x[2]}, gap, feature, {normal[0], normal[1], normal[2]}, 0};
    place_by_the_end(m, x, to);
    vec3_sub(to, x, way);
    vec3_sub(x, m->solid.x, arm);
    const double end = gap + vec3_dot(normal, way);
    add_deep_facet(m, &p, end);
    for (int k = 0; k < FACETS_AROUND; k++) {
        const double out = vec3_dot(arm, m->along[k]);
        if (out > FACETS_OUTSIDE * m->solid.reach && end < m->turn[k] * out) {
            m->turn[k] = end / out;
            m->around[k] = p;
        }
    }
}

/* Numbers of features are not all different: hulls have any number of corners. */
TAUT_FN bool is_one_facet(const manifold_point* a, const manifold_point* b) {
    return a->feature == b->feature && a->x[0] == b->x[0] && a->x[1] == b->x[1] && a->x[2] == b->x[2];
}

/* Those that are kept, each once. */
TAUT_FN void choose_facets(const facets_meeting* m, contact_manifold* out) {
    out->count = 0;
    keep_places(m->all, m->count, out);
    for (int k = 0; m->count == FACETS_MOST && k < FACETS_AROUND; k++) {
        bool known = !(m->turn[k] < INFINITY);
        for (uint32_t i = 0; !known && i < out->count; i++) {
            known = is_one_facet(&out->point[i], &m->around[k]);
        }
        if (!known) {
            keep_places(&m->around[k], 1, out);
        }
    }
}

/* ---- faces ------------------------------------------------------------------------------------------------------- */

TAUT_FN bool is_above_triangle(const double corner[9], const double normal[3], const double x[3]) {
    bool above = true;
    for (int i = 0; above && i < 3; i++) {
        double along[3], to[3], inwards[3];
        vec3_sub(corner + 3 * ((i + 1) % 3), corner + 3 * i, along);
        vec3_sub(x, corner + 3 * i, to);
        vec3_cross(normal, along, inwards);
        above = vec3_dot(inwards, to) >= -1e-9 * vec3_dot(along, along);
    }
    return above;
}

/* Whether what is nearest to a place is at the border. */
TAUT_FN bool is_at_border(const facets_meeting* m, const mesh_place* at) {
    return at->part != TAUT_MESH_FACE && (m->salient[at->triangle] & TAUT_MESH_BIT(at->part + TAUT_MESH_BORDER)) != 0;
}

/* How high a place is above the mesh, on the side on which the solid is, and the normal there; infinite where it is
 * farther than `far` on either side. Beside the border of an open mesh nothing is beneath it. */
TAUT_FN double height_above_mesh(const facets_meeting* m, double far, const double x[3], double normal[3]) {
    mesh_place at = {far * far, {0, 0, 0}, 0, 0};
    normal[0] = normal[1] = 0;
    normal[2] = 1;
    if (!mesh_nearest(&m->mesh, x, &at)) {
        return INFINITY;
    }
    double height = m->side * mesh_side(&m->mesh, &at, normal);
    const bool beside = (m->beside || is_at_border(m, &at)) && at.squared > 0;
    height = beside ? fabs(height) : height;
    for (int a = 0; a < 3; a++) {
        normal[a] = beside ? at.off[a] / height : m->side * normal[a];
    }
    return height;
}

/* Whether the face is the part of the mesh that is nearest to a place below it. */
TAUT_FN bool is_nearest_face(const facets_meeting* m, const double x[3], double height) {
    double normal[3];
    return fabs(height_above_mesh(m, -2 * height, x, normal) - height) <= FACETS_SLACK * m->solid.reach;
}

/* The normal of a part of a triangle, 0 of its face, on the side on which the solid is. */
TAUT_FN void facet_normal(const facets_meeting* m, uint32_t triangle, uint32_t part, double normal[3]) {
    const double* own = m->mesh.normal + 3 * ((size_t)TAUT_MESH_PARTS * triangle + part);
    for (int a = 0; a < 3; a++) {
        normal[a] = m->side * own[a];
    }
}

/* Whether a corner of what is flat belongs to the side that faces a direction, or is the farthest one along it. */
TAUT_FN bool corner_faces(const convex* solid, uint32_t corner, const double d[3]) {
    double local[3];
    convex_inwards(solid, d, local);
    if (solid->core == CONVEX_BOX) {
        const int a = axis_facing(local);
        return (corner >> a & 1u) == (local[a] < 0 ? 0 : 1);
    }
    const taut_hull_face* face = &solid->face[face_facing(solid, local)];
    bool faces = hull_farthest(solid, local) == corner;
    for (uint32_t i = 0; i < face->count; i++) {
        faces = faces || face->corner[i] == corner;
    }
    return faces;
}

/* A place of the core above or below a face. What will be above it must not be below now: beyond a ridge all is. */
TAUT_FN void meet_facet(facets_meeting* m, uint32_t triangle, const double normal[3], uint32_t place,
                        const double x[3]) {
    const double* corner = m->mesh.corner + 9 * (size_t)triangle;
    const double* own = m->mesh.normal + (size_t)3 * TAUT_MESH_PARTS * triangle;
    const double radius = m->solid.radius, back[3] = {-normal[0], -normal[1], -normal[2]};
    double up[3], to[3], at[3] = {x[0], x[1], x[2]};
    vec3_sub(x, corner, up);
    const double height = vec3_dot(up, normal), gap = height - radius - m->half;
    if (gap > m->most || height < (radius > 0 || m->beside ? 0 : -FACETS_DEEP * m->solid.reach)) {
        return;
    }
    bool above = is_above_triangle(corner, own, x);
    if (!above && gap >= 0) {
        place_by_the_end(m, x, to);
        above = is_above_triangle(corner, own, to);
    }
    if (above && (!convex_is_flat(&m->solid) || corner_faces(&m->solid, place, back)) &&
        (height >= -FACETS_SLACK * m->solid.reach || is_nearest_face(m, x, height))) {
        vec3_axpy(-0.5 * (height + radius - m->half), normal, at);
        add_facet(m, at, gap, normal, facet_feature(triangle, TAUT_MESH_FACE, place));
    }
}

/* Of what is round: its side that faces a triangle. */
TAUT_FN void meet_face(facets_meeting* m, uint32_t triangle, const double normal[3]) {
    const double back[3] = {-normal[0], -normal[1], -normal[2]};
    convex_side side;
    convex_side_facing(&m->solid, back, &side);
    for (uint32_t i = 0; i < side.count; i++) {
        meet_facet(m, triangle, normal, i, side.x[i]);
    }
}

/* ---- corners of the solid -----------------------------------------------------------------------------------------
 */

/* A place of the core has a contact with what of the mesh is nearest to it, but where a face has told so. */
TAUT_FN void meet_nearest(facets_meeting* m, uint32_t place, const double x[3]) {
    const double radius = m->solid.radius;
    double normal[3], at[3] = {x[0], x[1], x[2]};
    const double far = m->most + radius + m->half + FACETS_FAR * m->solid.reach;
    const double height = height_above_mesh(m, far, x, normal), gap = height - radius - m->half;
    bool known = !(gap <= m->most);
    vec3_axpy(-0.5 * (height + radius - m->half), normal, at);
    for (uint32_t i = 0; !known && i < m->count; i++) {
        double apart[3];
        vec3_sub(m->all[i].x, at, apart);
        known = vec3_dot(apart, apart) <= FACETS_SLACK * FACETS_SLACK * m->solid.reach * m->solid.reach &&
                vec3_dot(m->all[i].normal, normal) > 1 - FACETS_SLACK;
    }
    if (!known) {
        add_facet(m, at, gap, normal, FACETS_NEAREST + place);
    }
}

/* A corner of what is flat, with the faces that are below it, or will be. */
TAUT_FN void meet_corner(facets_meeting* m, uint32_t place, const double x[3]) {
    double to[3], normal[3];
    uint32_t node = 1, triangle;
    float box[6];
    place_by_the_end(m, x, to);
    box_clear(box);
    box_add(x, m->most, box);
    box_add(to, m->most, box);
    while ((triangle = next_triangle(&m->mesh, box, &node)) != TAUT_NO_NODE) {
        facet_normal(m, triangle, TAUT_MESH_FACE, normal);
        meet_facet(m, triangle, normal, place, x);
        if (m->beside) {
            const double back[3] = {-normal[0], -normal[1], -normal[2]};
            meet_facet(m, triangle, back, place, x);
        }
    }
    meet_nearest(m, place, x);
}

/* Corners of what is flat, or the side that faces what is nearest. */
TAUT_FN void meet_own_corners(facets_meeting* m) {
    const double back[3] = {-m->up[0], -m->up[1], -m->up[2]};
    convex_side side;
    for (uint32_t i = 0; convex_is_flat(&m->solid) && i < convex_corners(&m->solid); i++) {
        double place[3];
        convex_corner(&m->solid, i, place);
        meet_corner(m, i, place);
    }
    if (convex_is_flat(&m->solid)) {
        return;
    }
    convex_side_facing(&m->solid, back, &side);
    for (uint32_t i = 0; i < side.count; i++) {
        meet_nearest(m, i, side.x[i]);
    }
}

/* ---- edges and corners ------------------------------------------------------------------------------------------- */

/* The edge of a triangle from corner i, as a segment with a radius. */
TAUT_FN convex segment_of_edge(const double corner[9], int i, double radius) {
    const double *from = corner + 3 * i, *to = corner + 3 * ((i + 1) % 3);
    convex out = convex_plain(CONVEX_SEGMENT, radius, 0);
    double along[3], square[3];
    vec3_sub(to, from, along);
    for (int a = 0; a < 3; a++) {
        out.x[a] = 0.5 * (from[a] + to[a]);
    }
    radial(along, out.axis[2]);
    epa_square(out.axis[2], square);
    radial(square, out.axis[0]);
    vec3_cross(out.axis[2], out.axis[0], out.axis[1]);
    out.size[1] = 0.5 * sqrt(vec3_dot(along, along));
    out.reach = out.size[1] + radius;
    return out;
}

/* The normal of the face across the edge from corner i: that of the edge is in the middle. */
TAUT_FN void face_across(const double* normals, int i, double other[3]) {
    const double* edge = normals + 3 * (TAUT_MESH_EDGE + (size_t)i);
    const double part = 2 * vec3_dot(normals, edge);
    for (int a = 0; a < 3; a++) {
        other[a] = part * edge[a] - normals[a];
    }
}

/* Whether a normal of an edge is one of those between its two faces, or beyond the border. */
TAUT_FN bool is_between_faces(const double one[3], const double other[3], bool border, const double along[3],
                              const double normal[3]) {
    double in_one[3], in_other[3];
    vec3_cross(one, along, in_one);
    vec3_cross(along, other, in_other);
    return fabs(vec3_dot(normal, along)) <= CONVEX_ACROSS && vec3_dot(normal, in_one) <= FACETS_EDGE &&
           (border || vec3_dot(normal, in_other) <= FACETS_EDGE);
}

/* Likewise of the edge from corner i. */
TAUT_FN bool is_of_edge(const double* normals, int i, bool border, const double along[3], const double normal[3]) {
    double other[3];
    face_across(normals, i, other);
    return is_between_faces(normals, other, border, along, normal);
}

/* The gap of the edge from corner i along its normal, which no other gap of it is less than. */
TAUT_FN double least_gap_of_edge(const facets_meeting* m, const double corner[9], int i, const double normal[3]) {
    const double back[3] = {-normal[0], -normal[1], -normal[2]};
    const double from = vec3_dot(corner + 3 * i, normal), to = vec3_dot(corner + 3 * ((i + 1) % 3), normal);
    double low[3];
    convex_farthest(&m->solid, back, low);
    return vec3_dot(low, normal) - fmax(from, to) - m->solid.radius - m->half;
}

TAUT_FN void meet_edge_of_mesh(facets_meeting* m, uint32_t triangle, int i, bool border) {
    const double* normals = m->mesh.normal + (size_t)3 * TAUT_MESH_PARTS * triangle;
    const double* corner = m->mesh.corner + 9 * (size_t)triangle;
    contact_manifold one;
    double normal[3];
    facet_normal(m, triangle, TAUT_MESH_EDGE + (uint32_t)i, normal);
    if (!facet_matters(m, border ? -m->solid.reach : least_gap_of_edge(m, corner, i, normal))) {
        return;
    }
    const convex edge = segment_of_edge(corner, i, m->half);
    manifold_of(&m->solid, &edge, 0, m->most, &one);
    if (one.count > 0 && is_of_edge(normals, i, border, edge.axis[2], one.normal)) {
        for (uint32_t k = 0; k < one.count; k++) {
            add_facet(m, one.point[k].x, one.point[k].gap, one.normal,
                      facet_feature(triangle, TAUT_MESH_EDGE + (uint32_t)i, k));
        }
    }
}

/* Whether a normal at a corner of the mesh is one of those between the faces around it: no edge that leaves it goes
 * that way. */
TAUT_FN bool is_of_corner(const facets_meeting* m, const double x[3], const double normal[3]) {
    uint32_t node = 1, triangle;
    float box[6];
    box_clear(box);
    box_add(x, 0, box);
    while ((triangle = next_triangle(&m->mesh, box, &node)) != TAUT_NO_NODE) {
        const double* corner = m->mesh.corner + 9 * (size_t)triangle;
        for (int k = 0; k < 3; k++) {
            const double* own = corner + 3 * k;
            for (int side = 1; own[0] == x[0] && own[1] == x[1] && own[2] == x[2] && side < 3; side++) {
                double edge[3];
                vec3_sub(corner + 3 * ((k + side) % 3), x, edge);
                if (vec3_dot(normal, edge) > FACETS_EDGE * sqrt(vec3_dot(edge, edge))) {
                    return false;
                }
            }
        }
    }
    return true;
}

/* The gap of a corner of the mesh, the normal from there, and the place half way. Distances from most shapes have
 * formulas. */
TAUT_FN bool near_corner_of_mesh(const facets_meeting* m, const double x[3], double* gap, double normal[3],
                                 double place[3]) {
    const convex* solid = &m->solid;
    double apart[3], local[3], outwards[3];
    if (solid->core == CONVEX_HULL) {
        convex point = convex_plain(CONVEX_POINT, m->half, m->half);
        vec3_axpy(1, x, point.x);
        contact_manifold one;
        manifold_of(solid, &point, 0, m->most, &one);
        if (one.count == 0) {
            return false;
        }
        for (int a = 0; a < 3; a++) {
            normal[a] = one.normal[a];
            place[a] = one.point[0].x[a];
        }
        *gap = one.point[0].gap;
        return true;
    }
    vec3_sub(x, solid->x, apart);
    convex_inwards(solid, apart, local);
    const double distance = shape_distance(m->shape, solid->size, local, outwards);
    convex_outwards(solid, outwards, normal);
    for (int a = 0; a < 3; a++) {
        place[a] = x[a] - 0.5 * (distance + m->half) * normal[a];
        normal[a] = -normal[a];
    }
    *gap = distance - m->half;
    return *gap <= m->most;
}

TAUT_FN void meet_corner_of_mesh(facets_meeting* m, uint32_t triangle, int i) {
    const double* x = m->mesh.corner + 9 * (size_t)triangle + 3 * i;
    double normal[3], place[3], gap;
    if (near_corner_of_mesh(m, x, &gap, normal, place) && facet_matters(m, gap) && is_of_corner(m, x, normal)) {
        add_facet(m, place, gap, normal, facet_feature(triangle, TAUT_MESH_CORNER + (uint32_t)i, 0));
    }
}

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

/* Whether some of the solid is near enough above the plane of a triangle, and not all of it below. */
TAUT_FN bool is_above_plane(const facets_meeting* m, const double corner[3], const double normal[3]) {
    const double back[3] = {-normal[0], -normal[1], -normal[2]};
    double low[3], high[3];
    convex_farthest(&m->solid, back, low);
    vec3_sub(low, corner, low);
    if (vec3_dot(low, normal) - m->solid.radius - m->half > m->most) {
        return false;
    }
    convex_farthest(&m->solid, normal, high);
    vec3_sub(high, corner, high);
    return vec3_dot(high, normal) + m->solid.radius >= 0;
}

/* Parts of a triangle that are near on one side: its edges, or the rest of it. `all`: those that stick out, of which
 * borders are the first side's. */
TAUT_FN void meet_side(facets_meeting* m, uint32_t triangle, bool edges, uint32_t all, bool borders) {
    const uint32_t salient = m->side < 0 ? all >> TAUT_MESH_INSIDE : all;
    const uint32_t first = edges ? TAUT_MESH_EDGE : TAUT_MESH_CORNER;
    const bool face = !edges && !convex_is_flat(&m->solid);
    double normal[3];
    facet_normal(m, triangle, TAUT_MESH_FACE, normal);
    if ((!face && (salient & 7 * TAUT_MESH_BIT(first)) == 0) ||
        !is_above_plane(m, m->mesh.corner + 9 * (size_t)triangle, normal)) {
        return;
    }
    if (face) {
        meet_face(m, triangle, normal);
    }
    for (int i = 0; i < 3; i++) {
        const uint32_t part = first + (uint32_t)i;
        const bool border = (all & TAUT_MESH_BIT(part + TAUT_MESH_BORDER)) != 0;
        if ((salient & TAUT_MESH_BIT(part)) == 0 || (border && !borders)) {
            continue;
        }
        if (edges) {
            meet_edge_of_mesh(m, triangle, i, border);
        } else {
            meet_corner_of_mesh(m, triangle, i);
        }
    }
}

TAUT_FN void meet_triangle(facets_meeting* m, uint32_t triangle, bool edges) {
    meet_side(m, triangle, edges, m->salient[triangle], true);
    if (m->beside) {
        m->side = -m->side;
        meet_side(m, triangle, edges, m->salient[triangle], false);
        m->side = -m->side;
    }
}

/* On which side of a mesh that has two the origin of the solid is, and what is around the place below it. */
TAUT_FN void look_for_side(facets_meeting* m) {
    mesh_place at = {INFINITY, {0, 0, 0}, 0, 0};
    double normal[3] = {0, 0, 1};
    m->side = 1;
    if (mesh_nearest(&m->mesh, m->solid.x, &at)) {
        const bool below = mesh_side(&m->mesh, &at, normal) < 0;
        m->beside = m->half > 0 && is_at_border(m, &at);
        m->side = m->half > 0 && !m->beside && below ? -1 : 1;
    }
    look_around(m, normal);
    for (int a = 0; a < 3; a++) {
        m->up[a] = m->beside && at.squared > 0 ? at.off[a] / sqrt(at.squared) : m->side * normal[a];
    }
}

/* Triangles whose boxes meet that of the solid; whether there are some. */
TAUT_FN bool meet_triangles(facets_meeting* m, const float box[6], bool edges) {
    uint32_t node = 1, triangle;
    bool any = false;
    while ((triangle = next_triangle(&m->mesh, box, &node)) != TAUT_NO_NODE) {
        if (m->side == 0) {
            look_for_side(m);
        }
        meet_triangle(m, triangle, edges);
        any = true;
    }
    return any;
}

/* The box of a solid, wider by as far as it may touch: `most` is no less than what it goes. */
TAUT_FN void box_of_meeting(const facets_meeting* m, float box[6]) {
    box_clear(box);
    for (int a = 0; a < 3; a++) {
        double d[3] = {0, 0, 0}, place[3];
        for (int side = -1; side < 2; side += 2) {
            d[a] = side;
            convex_farthest(&m->solid, d, place);
            box_add(place, m->most + m->solid.radius, box);
        }
    }
}

/* `solid`: the convex one, of this shape, from the origin of the mesh, in the axes of the world, and so is `motion`.
 * Places of the manifold are from the mesh's origin, normals from the mesh to the solid. */
TAUT_FN void manifold_on_facets(const taut_fields* f, size_t mesh, const convex* solid, uint32_t shape,
                                const facets_motion* motion, double most, contact_manifold* m) {
    const taut_mesh* of = &f->mesh[f->collider_mesh[mesh]];
    const taut_solid* place = &f->solid[mesh];
    facets_meeting meeting;
    float box[6];
    meeting.mesh = mesh_triangles_now(f, of);
    meeting.salient = f->mesh_salient + of->first_triangle;
    meeting.half = of->half;
    meeting.side = 0;
    meeting.beside = false;
    meeting.solid = *solid;
    meeting.shape = shape;
    meeting.most = most;
    meeting.closes =
        sqrt(vec3_dot(motion->way, motion->way)) + solid->reach * sqrt(vec3_dot(motion->turn, motion->turn));
    meeting.count = meeting.worst = 0;
    axes_inwards(place->axis, motion->way, meeting.motion.way);
    axes_inwards(place->axis, motion->turn, meeting.motion.turn);
    axes_inwards(place->axis, solid->x, meeting.solid.x);
    for (int a = 0; a < 3; a++) {
        axes_inwards(place->axis, solid->axis[a], meeting.solid.axis[a]);
    }
    box_of_meeting(&meeting, box);
    if (meet_triangles(&meeting, box, false)) { /* edges last: then most of them do not matter */
        meet_own_corners(&meeting);
        meet_triangles(&meeting, box, true);
    }
    choose_facets(&meeting, m);
    for (uint32_t i = 0; i < m->count; i++) {
        const manifold_point p = m->point[i];
        axes_outwards(place->axis, p.x, m->point[i].x);
        axes_outwards(place->axis, p.normal, m->point[i].normal);
    }
    m->corners = m->count;
}

#endif
