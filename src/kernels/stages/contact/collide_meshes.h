/* Collide: two closed meshes, neither of which is convex. The vertices of bodies are contact points (collide_pair.h);
 * here corners that stick out of what is fixed have a contact with what of the other mesh is nearest, and edges where
 * they cross: along the normal of both, if that is one of those between the faces around either, and no other part of
 * the meshes is nearer to what they have in common. Edges that are nearly parallel meet with their ends.
 *
 * Text for a file that has defined TAUT_REAL as double. */
#ifndef TAUT_CONTACT_COLLIDE_MESHES_H
#define TAUT_CONTACT_COLLIDE_MESHES_H

#include "kernels/stages/contact/collide_facets.h"

/* A sine: edges cross at no less. */
#define EDGES_ACROSS 0.02

/* Of the least extent of the thinner mesh: edges that overlap by less are looked at as if it were so much, and need no
 * contact if their ends have one before that; and so far edges are looked for that have passed each other. */
#define EDGES_SLACK  5e-3
#define EDGES_PASSED 0.25
/* Of the reach of the first mesh: what overlaps by more does not meet. Of the overlap: the depth in both meshes, at
 * least, of what lies in its middle. */
#define EDGES_DEEP  0.5
#define EDGES_DEPTH 0.05

typedef struct mesh_edge {
    double from[3], along[3], face[2][3]; /* normals of both faces, outwards */
    bool ends[2];                         /* at a corner that sticks out, which meets as a vertex */
} mesh_edge;

typedef struct meshes_meeting {
    facets_meeting contacts; /* in the axes of the second mesh, from its origin */
    mesh_triangles mesh[2];
    const uint32_t* salient[2];
    double axis[3][3], x[3]; /* of the first mesh, likewise */
    double thin, slack;      /* least extent of the thinner one; overlap; m */
    double beside;           /* how far beside their ways edges are looked for, m */
} meshes_meeting;

/* A direction in the axes of one of the meshes, seen from the second one. */
TAUT_FN void turn_from_mesh(const meshes_meeting* m, int which, const double local[3], double d[3]) {
    if (which == 0) {
        axes_outwards(m->axis, local, d);
    } else {
        d[0] = local[0], d[1] = local[1], d[2] = local[2];
    }
}

/* Likewise a place; and one as the second mesh sees it, in the axes of one of them. */
TAUT_FN void place_from_mesh(const meshes_meeting* m, int which, const double local[3], double x[3]) {
    turn_from_mesh(m, which, local, x);
    vec3_axpy(which == 0 ? 1 : 0, m->x, x);
}

TAUT_FN void place_in_mesh(const meshes_meeting* m, int which, const double x[3], double local[3]) {
    double apart[3] = {x[0], x[1], x[2]};
    vec3_axpy(which == 0 ? -1 : 0, m->x, apart);
    if (which == 0) {
        axes_inwards(m->axis, apart, local);
    } else {
        local[0] = apart[0], local[1] = apart[1], local[2] = apart[2];
    }
}

/* ---- edges ------------------------------------------------------------------------------------------------------- */

TAUT_FN mesh_edge edge_of_mesh(const mesh_triangles* m, uint32_t triangle, int i) {
    const double* corner = m->corner + 9 * (size_t)triangle;
    const double *from = corner + 3 * i, *to = corner + 3 * ((i + 1) % 3);
    const double* face = m->normal + (size_t)3 * TAUT_MESH_PARTS * triangle;
    mesh_edge out;
    face_across(face, i, out.face[1]);
    vec3_sub(to, from, out.along);
    out.ends[0] = vec3_dot(face + 3 * (TAUT_MESH_CORNER + i), out.along) < 0;
    out.ends[1] = vec3_dot(face + 3 * (TAUT_MESH_CORNER + (i + 1) % 3), out.along) > 0;
    for (int a = 0; a < 3; a++) {
        out.from[a] = from[a];
        out.face[0][a] = face[a];
    }
    return out;
}

/* tan( a/2 ) of the angle between both faces' normals. */
TAUT_FN double half_tangent_of(const mesh_edge* e) {
    const double cosine = vec3_dot(e->face[0], e->face[1]);
    return sqrt(fmax(1 - cosine, 0.0) / fmax(1 + cosine, 1e-12));
}

/* An edge of the first mesh, seen from the second one. */
TAUT_FN mesh_edge edge_beside(const meshes_meeting* m, const mesh_edge* e) {
    mesh_edge out;
    place_from_mesh(m, 0, e->from, out.from);
    turn_from_mesh(m, 0, e->along, out.along);
    turn_from_mesh(m, 0, e->face[0], out.face[0]);
    turn_from_mesh(m, 0, e->face[1], out.face[1]);
    out.ends[0] = e->ends[0];
    out.ends[1] = e->ends[1];
    return out;
}

/* Where two edges cross. */
typedef struct edges_crossing {
    double gap, normal[3]; /* from the second edge to the first */
    double on[2][3];
} edges_crossing;

TAUT_FN bool edge_has_normal(const mesh_edge* e, double sign, const double normal[3]) {
    const double turned[3] = {sign * normal[0], sign * normal[1], sign * normal[2]};
    double unit[3];
    radial(e->along, unit);
    return is_between_faces(e->face[0], e->face[1], false, unit, turned);
}

/* Whether a part of an edge is within it, by some slack where it ends; or where it does not, beyond that by no more
 * than two overlap: a ridge that bends outwards goes on within. */
TAUT_FN bool is_on_edge(const mesh_edge* e, double part, double square, double gap, double slack) {
    const bool late = part > 0.5;
    const double within = late ? 1 - part : part, most = e->ends[late] ? slack : fmin(gap, 0.0);
    return within >= 0 ? !e->ends[late] || within * within * square >= most * most
                       : !e->ends[late] && within * within * square <= most * most;
}

/* With a + s a' - b - t b' along a' x b'. Whether they cross, no farther apart than `most`, and the normal is one of
 * both. */
TAUT_FN bool edges_cross(const mesh_edge* a, const mesh_edge* b, double most, double slack, edges_crossing* out) {
    const double long_a = vec3_dot(a->along, a->along), long_b = vec3_dot(b->along, b->along);
    double apart[3], across[3], one[3], other[3];
    vec3_cross(a->along, b->along, across);
    vec3_sub(a->from, b->from, apart);
    const double square = vec3_dot(across, across);
    if (!(square > EDGES_ACROSS * EDGES_ACROSS * long_a * long_b)) {
        return false;
    }
    vec3_cross(b->along, apart, one);
    vec3_cross(a->along, apart, other);
    const double s = vec3_dot(one, across) / square, t = vec3_dot(other, across) / square;
    const double outwards = vec3_dot(across, b->face[0]) + vec3_dot(across, b->face[1]);
    const double scale = (outwards < 0 ? -1 : 1) / sqrt(square);
    out->gap = scale * vec3_dot(across, apart);
    if (!(out->gap <= most && is_on_edge(a, s, long_a, out->gap, slack) && is_on_edge(b, t, long_b, out->gap, slack))) {
        return false;
    }
    for (int k = 0; k < 3; k++) {
        out->normal[k] = scale * across[k];
        out->on[0][k] = a->from[k] + s * a->along[k];
        out->on[1][k] = b->from[k] + t * b->along[k];
    }
    return edge_has_normal(b, 1, out->normal) && edge_has_normal(a, -1, out->normal);
}

/* Whether edges can overlap before their ends do: by up to l tan( (a + b)/2 ) / 2 where the shorter one has the length
 * l and the faces around them turn by a and b. Those of fine meshes do not. */
TAUT_FN bool edges_stand_out(const mesh_edge* a, const mesh_edge* b, double slack) {
    const double square = fmin(vec3_dot(a->along, a->along), vec3_dot(b->along, b->along));
    const double one = half_tangent_of(a), other = half_tangent_of(b), rest = 1 - one * other;
    const double rise = rest > 0 ? 0.5 * (one + other) / rest : INFINITY;
    return rise * rise * square > slack * slack;
}

/* ---- what they have in common ------------------------------------------------------------------------------------ */

/* Adds what leads from an edge, across a normal, away from the face that is steeper to that. */
TAUT_FN void lead_inwards(const mesh_edge* e, const double normal[3], double inwards[3]) {
    for (int i = 0; i < 2; i++) {
        vec3_axpy(-1, e->face[i], inwards);
        vec3_axpy(vec3_dot(e->face[i], normal), normal, inwards);
    }
}

/* Whether a place is so deep in a mesh; it is no farther from the surface than `far`. */
TAUT_FN bool is_deep_in(const mesh_triangles* m, const double x[3], double depth, double far) {
    mesh_place at = {far * far, {0, 0, 0}, 0, 0};
    double normal[3];
    return mesh_nearest(m, x, &at) && mesh_side(m, &at, normal) <= -depth;
}

/* Whether nothing separates two meshes sooner than edges that cross: as deep as these overlap, or would after a little
 * more, the middle of what they have in common is in both. Beside a corner that lies on a face it is not. */
TAUT_FN bool edges_tell(const meshes_meeting* m, const mesh_edge* a, const mesh_edge* b, const edges_crossing* c) {
    const double overlap = fmax(-c->gap, m->slack), half = 0.5 * overlap;
    double inwards[3] = {0, 0, 0}, place[3], local[3];
    lead_inwards(a, c->normal, inwards);
    lead_inwards(b, c->normal, inwards);
    for (int k = 0; k < 3; k++) {
        place[k] = c->on[1][k] + half * (inwards[k] - c->normal[k]);
    }
    if (!is_deep_in(&m->mesh[1], place, EDGES_DEPTH * overlap, 2 * overlap)) {
        return false;
    }
    for (int k = 0; k < 3; k++) {
        place[k] = c->on[0][k] + half * (inwards[k] + c->normal[k]);
    }
    place_in_mesh(m, 0, place, local);
    return is_deep_in(&m->mesh[0], local, EDGES_DEPTH * overlap, 2 * overlap);
}

/* ---- pairs of edges ---------------------------------------------------------------------------------------------- */

/* Of two edges, each three times its triangle and its number in that. */
TAUT_FN uint32_t feature_of_edges(uint32_t one, uint32_t other) {
    return (one * 2654435761u + other) & 0x7fffffffu;
}

TAUT_FN void meet_edges(meshes_meeting* m, const mesh_edge* a, const mesh_edge* b, uint32_t feature) {
    facets_meeting* to = &m->contacts;
    edges_crossing c;
    if (edges_cross(a, b, to->most, m->slack, &c) && c.gap >= -EDGES_DEEP * to->solid.reach &&
        facet_matters(to, c.gap) && edges_stand_out(a, b, m->slack) && edges_tell(m, a, b, &c)) {
        for (int k = 0; k < 3; k++) {
            c.on[0][k] = 0.5 * (c.on[0][k] + c.on[1][k]);
        }
        add_facet(to, c.on[0], c.gap, c.normal, feature);
    }
}

/* The box of what an edge of the first mesh comes to, and of edges that it has passed: as far as it can before its ends
 * meet something, and a quarter of what is thin. Its way is twice that of the step: what is near within two steps
 * touches.
 */
TAUT_FN void box_of_edge_on_way(const meshes_meeting* m, const mesh_edge* a, float box[6]) {
    const double deep = fmin(EDGES_PASSED * m->thin, 0.5 * sqrt(vec3_dot(a->along, a->along)));
    box_clear(box);
    for (int end = 0; end < 2; end++) {
        double x[3] = {a->from[0], a->from[1], a->from[2]}, to[3], way[3];
        vec3_axpy(end, a->along, x);
        place_by_the_end(&m->contacts, x, to);
        vec3_sub(to, x, way);
        vec3_axpy(1, way, to);
        box_add(x, m->beside + deep, box);
        box_add(to, m->beside + deep, box);
    }
}

/* An edge of the first mesh, and those of the second one that are near. */
TAUT_FN void meet_edge(meshes_meeting* m, uint32_t triangle, int i) {
    const mesh_edge own = edge_of_mesh(&m->mesh[0], triangle, i), a = edge_beside(m, &own);
    uint32_t node = 1, other;
    float box[6];
    box_of_edge_on_way(m, &a, box);
    while ((other = next_triangle(&m->mesh[1], box, &node)) != TAUT_NO_NODE) {
        for (int k = 0; k < 3; k++) {
            if ((m->salient[1][other] & TAUT_MESH_BIT(TAUT_MESH_EDGE + k)) != 0) {
                const mesh_edge b = edge_of_mesh(&m->mesh[1], other, k);
                meet_edges(m, &a, &b, feature_of_edges(3 * triangle + (uint32_t)i, 3 * other + (uint32_t)k));
            }
        }
    }
}

/* ---- corners ----------------------------------------------------------------------------------------------------- */

/* A corner of the mesh `own` of the two. */
TAUT_FN void meet_mesh_corner(meshes_meeting* m, int own, const double corner[3], uint32_t feature) {
    facets_meeting* to = &m->contacts;
    const mesh_triangles* other = &m->mesh[1 - own];
    const double far = to->most + EDGES_DEEP * to->solid.reach;
    double x[3], local[3], outwards[3], normal[3];
    mesh_place at = {far * far, {0, 0, 0}, 0, 0};
    place_from_mesh(m, own, corner, x);
    place_in_mesh(m, 1 - own, x, local);
    if (!mesh_nearest(other, local, &at)) {
        return;
    }
    const double gap = mesh_side(other, &at, outwards);
    if (gap <= to->most && facet_matters(to, gap)) {
        turn_from_mesh(m, 1 - own, outwards, normal);
        vec3_axpy(-0.5 * gap, normal, x);
        for (int k = 0; k < 3; k++) {
            normal[k] = own == 0 ? normal[k] : -normal[k];
        }
        add_facet(to, x, gap, normal, feature);
    }
}

/* Corners that stick out of one of both meshes, near the other one. */
TAUT_FN void meet_mesh_corners(meshes_meeting* m, int own, const float box[6]) {
    uint32_t node = 1, triangle;
    while ((triangle = next_triangle(&m->mesh[own], box, &node)) != TAUT_NO_NODE) {
        for (int i = 0; i < 3; i++) {
            const uint32_t part = TAUT_MESH_CORNER + (uint32_t)i;
            if ((m->salient[own][triangle] & TAUT_MESH_BIT(part)) != 0) {
                meet_mesh_corner(m, own, m->mesh[own].corner + 9 * (size_t)triangle + 3 * i,
                                 facet_feature(triangle, part, 0));
            }
        }
    }
}

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

/* The box of the other mesh in the axes of the mesh `own`, wider by as far as they may touch. */
TAUT_FN void box_of_other_mesh(const meshes_meeting* m, int own, float box[6]) {
    const float* all = m->mesh[1 - own].box + 6; /* of the tree's root */
    box_clear(box);
    for (int corner = 0; corner < 8; corner++) {
        double at[3], x[3], local[3];
        for (int a = 0; a < 3; a++) {
            at[a] = (double)all[(corner >> a & 1) != 0 ? 3 + a : a];
        }
        place_from_mesh(m, 1 - own, at, x);
        place_in_mesh(m, own, x, local);
        box_add(local, m->contacts.most, box);
    }
}

TAUT_FN mesh_triangles facets_of(const taut_fields* f, size_t collider, const uint32_t** salient) {
    const taut_mesh* of = &f->mesh[f->collider_mesh[collider]];
    *salient = f->mesh_salient + of->first_triangle;
    return mesh_triangles_now(f, of);
}

TAUT_FN double least_extent(const taut_fields* f, size_t collider) {
    return shape_thickness(TAUT_SHAPE_MESH, f->collider_size + 3 * collider);
}

/* Where and how the first mesh is and moves beside the second one, and that there are no contacts yet. */
TAUT_FN void meshes_begin(const taut_fields* f, size_t first, size_t second, const facets_motion* motion, double most,
                          meshes_meeting* m) {
    const taut_solid *a = &f->solid[first], *b = &f->solid[second];
    facets_meeting* to = &m->contacts;
    double apart[3];
    m->mesh[0] = facets_of(f, first, &m->salient[0]);
    m->mesh[1] = facets_of(f, second, &m->salient[1]);
    vec3_sub(a->x, b->x, apart);
    axes_inwards(b->axis, apart, m->x);
    for (int k = 0; k < 3; k++) {
        axes_inwards(b->axis, a->axis[k], m->axis[k]);
    }
    to->solid = convex_plain(CONVEX_POINT, 0, a->reach);
    vec3_axpy(1, m->x, to->solid.x);
    m->thin = fmin(least_extent(f, first), least_extent(f, second));
    m->slack = EDGES_SLACK * m->thin;
    to->most = most;
    to->closes = sqrt(vec3_dot(motion->way, motion->way)) + a->reach * sqrt(vec3_dot(motion->turn, motion->turn));
    m->beside = fmax(most - 2 * to->closes, 0.0);
    to->count = to->worst = 0;
    axes_inwards(b->axis, motion->way, to->motion.way);
    axes_inwards(b->axis, motion->turn, to->motion.turn);
    const double up[3] = {m->x[0], m->x[1], m->x[2] + (vec3_dot(m->x, m->x) > 0 ? 0 : 1)};
    look_around(to, up);
}

/* Places of the manifold are from the first one's origin. */
TAUT_FN void manifold_of_meshes(const taut_fields* f, size_t first, size_t second, const facets_motion* motion,
                                double most, contact_manifold* out) {
    meshes_meeting m;
    uint32_t node = 1, triangle;
    float box[6];
    meshes_begin(f, first, second, motion, most, &m);
    for (int own = 0; own < 2; own++) {
        const uint32_t frame = f->collider_body[own == 0 ? first : second].frame;
        if (frame == TAUT_NO_NODE || f->inverse_mass[frame] == 0) {
            box_of_other_mesh(&m, own, box);
            meet_mesh_corners(&m, own, box);
        }
    }
    box_of_other_mesh(&m, 0, box);
    while ((triangle = next_triangle(&m.mesh[0], box, &node)) != TAUT_NO_NODE) {
        for (int i = 0; i < 3; i++) {
            if ((m.salient[0][triangle] & TAUT_MESH_BIT(TAUT_MESH_EDGE + i)) != 0) {
                meet_edge(&m, triangle, i);
            }
        }
    }
    choose_facets(&m.contacts, out);
    for (uint32_t i = 0; i < out->count; i++) {
        const manifold_point p = out->point[i];
        axes_outwards(f->solid[second].axis, p.x, out->point[i].x);
        axes_outwards(f->solid[second].axis, p.normal, out->point[i].normal);
        vec3_axpy(1, f->solid[second].x, out->point[i].x);
        vec3_axpy(-1, f->solid[first].x, out->point[i].x);
    }
    out->corners = out->count;
}

#endif
