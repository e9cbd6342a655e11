/* Queries: rays, closest points and overlaps, over trees of boxes of what there is now.
 *
 * Things are numbered: colliders, faces, then loose contact points, which belong to no surface and no skin. Text for a
 * file that has defined TAUT_REAL as double. */
#ifndef TAUT_CONTACT_QUERY_H
#define TAUT_CONTACT_QUERY_H

#include "kernels/stages/contact/collide.h"
#include "kernels/stages/contact/rays.h"

/* ---- things ------------------------------------------------------------------------------------------------------ */

TAUT_FN uint32_t first_loose(const taut_sizes* s) {
    return s->colliders + s->faces;
}

/* Of two corners more for a face. */
TAUT_FN const uint32_t* query_corners(const taut_fields* f, const taut_sizes* s, uint32_t item) {
    return item < first_loose(s) ? f->face_corner + 4 * (size_t)(item - s->colliders)
                                 : f->loose_point + (item - first_loose(s));
}

/* Points that a collider of their body stands for are seen as that. */
TAUT_FN bool query_sees(const taut_fields* f, const taut_sizes* s, uint32_t item, taut_query_filter filter) {
    const taut_contact_class own =
        item < s->colliders ? f->collider_class[item] : f->touching_class[*query_corners(f, s, item)];
    const bool loose = item >= first_loose(s), face = item >= s->colliders && !loose;
    const bool stood_for = (loose && own.flags != 0) || (face && (own.flags & TAUT_TOUCHING_SHEET) != 0);
    return !stood_for && (own.group & filter.mask) != 0 && (filter.group & own.mask) != 0;
}

/* The box of a leaf of the tree of colliders and faces, as things are now. */
TAUT_FN void box_of_face_query(const taut_fields* f, const taut_sizes* s, size_t item, const taut_factors* step,
                               float box[6]) {
    const taut_mesh* mesh = item < s->colliders ? deforming_mesh(f, s, item) : NULL;
    (void)step;
    box_clear(box);
    if (mesh != NULL) {
        box_join(box, f->mesh_box + 6 * (mesh->first_box + 1), box);
        return;
    }
    if (item < s->colliders && shape_reach(f->collider_shape[item], f->collider_size + 3 * item) < INFINITY) {
        double q[4], axis[3][3], half[3];
        const contact_side_of side = collider_side(f, s, item, q);
        quat_axes(q, axis);
        shape_extent(f->collider_shape[item], f->collider_size + 3 * item, axis, half);
        const double low[3] = {side.x[0] - half[0], side.x[1] - half[1], side.x[2] - half[2]};
        const double high[3] = {side.x[0] + half[0], side.x[1] + half[1], side.x[2] + half[2]};
        box_add(low, 0, box);
        box_add(high, 0, box);
    }
    for (size_t i = 0; item >= s->colliders && i < 3; i++) {
        const uint32_t* corner = f->face_corner + 4 * (item - s->colliders);
        box_add(corner_x(f, corner[i]), f->touching_place[corner[0]].radius, box);
    }
}

/* Of the tree of loose points. */
TAUT_FN void box_of_loose_query(const taut_fields* f, const taut_sizes* s, size_t item, const taut_factors* step,
                                float box[6]) {
    const uint32_t point = f->loose_point[item];
    const contact_side_of side = touching_side(f, s, point);
    (void)step;
    box_clear(box);
    if (f->touching_class[point].flags == 0) {
        box_add(side.x, f->touching_place[point].radius, box);
    }
}

TAUT_FN taut_tree loose_tree(const taut_fields* f, const taut_sizes* s) {
    const taut_tree tree = {s->bare, s->loose_leaves, f->loose_order, f->loose_box};
    return tree;
}

/* Number of a leaf's thing. */
TAUT_FN uint32_t query_item(const taut_sizes* s, const taut_tree* tree, bool loose, uint32_t node) {
    return tree->order[node - tree->leaves] + (loose ? first_loose(s) : 0);
}

/* A place and a direction in the axes of a collider. */
TAUT_FN void query_inwards(const double x[3], const double q[4], const double place[3], double local[3]) {
    double inverse[4], apart[3];
    vec3_sub(place, x, apart);
    quat_conjugate(q, inverse);
    quat_rotate(inverse, apart, local);
}

TAUT_FN taut_hit query_nothing(double reach) {
    const uint32_t none = UINT32_MAX;
    const taut_hit hit = {TAUT_FOUND_NOTHING, none,      none,      none, {none, none, none},
                          {0, 0, 0},          {0, 0, 0}, {0, 0, 0}, reach};
    return hit;
}

/* Who a thing is. */
TAUT_FN taut_overlap query_name(const taut_fields* f, const taut_sizes* s, uint32_t item) {
    const uint32_t none = UINT32_MAX;
    taut_overlap name = {TAUT_FOUND_COLLIDER, item, none, none, {none, none, none}};
    if (item >= s->colliders) {
        const uint32_t* corner = query_corners(f, s, item);
        const bool face = item < first_loose(s);
        name.found = face ? TAUT_FOUND_FACE : TAUT_FOUND_POINT;
        name.collider = none;
        name.surface = face ? f->touching_surface[corner[0]] / 2 : none;
        name.face = face ? item - s->colliders : none;
        for (int i = 0; i < (face ? 3 : 1); i++) {
            name.corners[i] = corner[i];
        }
    }
    return name;
}

/* Names what was found, or says that nothing was. */
TAUT_FN void query_finish(const taut_fields* f, const taut_sizes* s, uint32_t item, taut_hit* hit) {
    if (item == UINT32_MAX) {
        *hit = query_nothing(INFINITY);
        return;
    }
    const taut_overlap name = query_name(f, s, item);
    hit->found = name.found;
    hit->collider = name.collider;
    hit->surface = name.surface;
    hit->face = name.face;
    for (int i = 0; i < 3; i++) {
        hit->corners[i] = name.corners[i];
    }
    if (name.found == TAUT_FOUND_FACE) {
        double d[3];
        near_on_face(hit->position, corner_x(f, name.corners[0]), corner_x(f, name.corners[1]),
                     corner_x(f, name.corners[2]), name.corners[1] == name.corners[2], hit->weights, d);
    }
}

/* ---- closest points ---------------------------------------------------------------------------------------------- */

/* Distance of a place from a thing, negative inside, and its normal there. */
TAUT_FN double query_distance_of_collider(const taut_fields* f, const taut_sizes* s, uint32_t item, const double p[3],
                                          double normal[3]) {
    double q[4], local[3], own[3];
    const contact_side_of side = collider_side(f, s, item, q);
    query_inwards(side.x, q, p, local);
    const uint32_t shape = f->collider_shape[item];
    double distance;
    if (shape == TAUT_SHAPE_MESH) {
        const taut_mesh* of = &f->mesh[f->collider_mesh[item]];
        const mesh_triangles mesh = mesh_triangles_now(f, of);
        distance = mesh_exact(&mesh, local, own);
        if (of->half > 0) { /* on either side */
            const double sign = distance < 0 ? -1 : 1;
            distance = sign * distance - of->half;
            for (int a = 0; a < 3; a++) {
                own[a] *= sign;
            }
        }
    } else {
        distance = shape_distance(shape, f->collider_size + 3 * (size_t)item, local, own);
    }
    quat_rotate(q, own, normal);
    return distance;
}

/* Where a place lies on a face, its normal tells. */
TAUT_FN double query_distance_of_face(const taut_fields* f, const uint32_t* corner, const double p[3],
                                      double normal[3]) {
    const double *a = corner_x(f, corner[0]), *b = corner_x(f, corner[1]), *c = corner_x(f, corner[2]);
    double weight[3], d[3], ab[3], ac[3], across[3];
    near_on_face(p, a, b, c, corner[1] == corner[2], weight, d);
    vec3_sub(b, a, ab);
    vec3_sub(c, a, ac);
    vec3_cross(ab, ac, across);
    const double distance = sqrt(vec3_dot(d, d));
    radial(distance > 0 ? d : across, normal);
    return distance - f->touching_place[corner[0]].radius;
}

TAUT_FN double query_distance(const taut_fields* f, const taut_sizes* s, uint32_t item, const double p[3],
                              double normal[3]) {
    if (item < s->colliders) {
        return query_distance_of_collider(f, s, item, p, normal);
    }
    if (item < first_loose(s)) {
        return query_distance_of_face(f, query_corners(f, s, item), p, normal);
    }
    const uint32_t point = *query_corners(f, s, item);
    const contact_side_of side = touching_side(f, s, point);
    double d[3];
    vec3_sub(p, side.x, d);
    return radial(d, normal) - f->touching_place[point].radius;
}

/* Keeps a thing that is nearer, or as near and comes before. */
TAUT_FN void query_nearer(const taut_fields* f, const taut_sizes* s, uint32_t item, const double p[3],
                          taut_query_filter filter, uint32_t* best, taut_hit* hit) {
    double normal[3];
    if (!query_sees(f, s, item, filter)) {
        return;
    }
    const double distance = query_distance(f, s, item, p, normal);
    if (distance < hit->distance || (distance == hit->distance && item < *best)) {
        *best = item;
        hit->distance = distance;
        for (int a = 0; a < 3; a++) {
            hit->normal[a] = normal[a];
            hit->position[a] = p[a] - distance * normal[a];
        }
    }
}

/* Whether a box may hold what is as near: what is inside of things lies in their boxes. */
TAUT_FN bool query_reaches(const float box[6], const double p[3], double distance) {
    const double off2 = off_box(box, p), reach = fmax(distance, 0.0);
    return off2 < INFINITY && off2 <= reach * reach;
}

TAUT_FN void query_nearest_in(const taut_fields* f, const taut_sizes* s, bool loose, const double p[3],
                              taut_query_filter filter, uint32_t* best, taut_hit* hit) {
    const taut_tree tree = loose ? loose_tree(f, s) : face_tree(f, s);
    uint32_t i = tree.items > 0 ? 1 : 0, waiting = 0;
    while (i != 0) {
        const bool near = query_reaches(tree.box + 6 * (size_t)i, p, hit->distance);
        if (near && i < tree.leaves) {
            const float* children = tree.box + 12 * (size_t)i;
            i = 2 * i + (off_box(children + 6, p) < off_box(children, p));
            waiting = waiting << 1 | 1u;
            continue;
        }
        if (near) {
            query_nearer(f, s, query_item(s, &tree, loose, i), p, filter, best, hit);
        }
        i = mesh_tree_next(i, &waiting);
    }
}

TAUT_FN void query_closest(const taut_fields* f, const taut_sizes* s, const double p[3], double reach,
                           taut_query_filter filter, taut_hit* hit) {
    uint32_t best = UINT32_MAX;
    *hit = query_nothing(reach);
    for (uint32_t i = 0; i < s->wide; i++) {
        query_nearer(f, s, f->wide_collider[i], p, filter, &best, hit);
    }
    query_nearest_in(f, s, false, p, filter, &best, hit);
    query_nearest_in(f, s, true, p, filter, &best, hit);
    query_finish(f, s, best, hit);
}

/* ---- rays -------------------------------------------------------------------------------------------------------- */

TAUT_FN void enter_mesh(const mesh_triangles* m, double half, const double o[3], const double d[3], taut_entry* entry) {
    uint32_t i = 1, waiting = 0;
    while (i != 0) {
        const double from = enter_bounds(m->box + 6 * (size_t)i, o, d);
        const bool near = from < INFINITY && from <= entry->t;
        if (near && i < m->leaves) {
            const float* children = m->box + 12 * (size_t)i;
            i = 2 * i + (enter_bounds(children + 6, o, d) < enter_bounds(children, o, d));
            waiting = waiting << 1 | 1u;
            continue;
        }
        if (near) {
            const double* t = m->corner + 9 * (size_t)(i - m->leaves);
            if (half > 0) {
                enter_triangle(o, d, t, t + 3, t + 6, half, entry);
            } else {
                enter_flat(o, d, t, t + 3, t + 6, entry);
            }
        }
        i = mesh_tree_next(i, &waiting);
    }
}

TAUT_FN void query_enter_collider(const taut_fields* f, const taut_sizes* s, uint32_t item, const taut_ray* ray,
                                  taut_entry* entry) {
    double q[4], inverse[4], o[3], d[3], normal[3];
    const contact_side_of side = collider_side(f, s, item, q);
    query_inwards(side.x, q, ray->origin, o);
    quat_conjugate(q, inverse);
    quat_rotate(inverse, ray->direction, d);
    if (f->collider_shape[item] == TAUT_SHAPE_MESH) {
        const taut_mesh* of = &f->mesh[f->collider_mesh[item]];
        const mesh_triangles mesh = mesh_triangles_now(f, of);
        enter_mesh(&mesh, of->half, o, d, entry);
    } else {
        enter_shape(f->collider_shape[item], f->collider_size + 3 * (size_t)item, o, d, entry);
    }
    quat_rotate(q, entry->normal, normal);
    for (int a = 0; a < 3; a++) {
        entry->normal[a] = normal[a];
    }
}

TAUT_FN void query_enter(const taut_fields* f, const taut_sizes* s, uint32_t item, const taut_ray* ray,
                         taut_entry* entry) {
    if (item < s->colliders) {
        query_enter_collider(f, s, item, ray, entry);
        return;
    }
    const uint32_t* corner = query_corners(f, s, item);
    const double radius = f->touching_place[corner[0]].radius;
    if (item >= first_loose(s)) {
        const contact_side_of side = touching_side(f, s, corner[0]);
        enter_ball(ray->origin, ray->direction, side.x, radius, entry);
    } else if (corner[1] == corner[2]) {
        enter_capsule(ray->origin, ray->direction, corner_x(f, corner[0]), corner_x(f, corner[1]), radius, entry);
    } else {
        enter_triangle(ray->origin, ray->direction, corner_x(f, corner[0]), corner_x(f, corner[1]),
                       corner_x(f, corner[2]), radius, entry);
    }
}

/* Keeps a thing that a ray meets before, or as soon and comes before. */
TAUT_FN void query_cast_on(const taut_fields* f, const taut_sizes* s, uint32_t item, const taut_ray* ray,
                           taut_query_filter filter, uint32_t* best, taut_hit* hit) {
    taut_entry entry = {INFINITY, {0, 0, 0}};
    double normal[3];
    const bool point = item >= first_loose(s);
    if (!query_sees(f, s, item, filter) || (point && !(f->touching_place[*query_corners(f, s, item)].radius > 0))) {
        return;
    }
    if (query_distance(f, s, item, ray->origin, normal) <= 0) {
        entry.t = 0;
        for (int a = 0; a < 3; a++) {
            entry.normal[a] = -ray->direction[a];
        }
    } else {
        query_enter(f, s, item, ray, &entry);
    }
    if (entry.t < INFINITY && (entry.t < hit->distance || (entry.t == hit->distance && item < *best))) {
        *best = item;
        hit->distance = entry.t;
        for (int a = 0; a < 3; a++) {
            hit->normal[a] = entry.normal[a];
            hit->position[a] = ray->origin[a] + entry.t * ray->direction[a];
        }
    }
}

TAUT_FN void query_cast_in(const taut_fields* f, const taut_sizes* s, bool loose, const taut_ray* ray,
                           taut_query_filter filter, uint32_t* best, taut_hit* hit) {
    const taut_tree tree = loose ? loose_tree(f, s) : face_tree(f, s);
    const double *o = ray->origin, *d = ray->direction;
    uint32_t i = tree.items > 0 ? 1 : 0, waiting = 0;
    while (i != 0) {
        const double from = enter_bounds(tree.box + 6 * (size_t)i, o, d);
        const bool near = from < INFINITY && from <= hit->distance;
        if (near && i < tree.leaves) {
            const float* children = tree.box + 12 * (size_t)i;
            i = 2 * i + (enter_bounds(children + 6, o, d) < enter_bounds(children, o, d));
            waiting = waiting << 1 | 1u;
            continue;
        }
        if (near) {
            query_cast_on(f, s, query_item(s, &tree, loose, i), ray, filter, best, hit);
        }
        i = mesh_tree_next(i, &waiting);
    }
}

/* `ray`: with a direction of length 1. */
TAUT_FN void query_cast(const taut_fields* f, const taut_sizes* s, const taut_ray* ray, taut_query_filter filter,
                        taut_hit* hit) {
    uint32_t best = UINT32_MAX;
    *hit = query_nothing(ray->length);
    for (uint32_t i = 0; i < s->wide; i++) {
        query_cast_on(f, s, f->wide_collider[i], ray, filter, &best, hit);
    }
    query_cast_in(f, s, false, ray, filter, &best, hit);
    query_cast_in(f, s, true, ray, filter, &best, hit);
    query_finish(f, s, best, hit);
}

/* ---- overlaps ---------------------------------------------------------------------------------------------------- */

/* Whether two convex shapes have a place in common. */
TAUT_FN bool convex_overlap(const convex* a, const convex* b) {
    double n[3];
    return gjk_apart(a, b, a->radius + b->radius, n) != CONVEX_FAR;
}

/* A triangle, measured from `origin`; `corner` has room for its places. */
TAUT_FN convex convex_of_triangle(const double* a, const double* b, const double* c, double radius,
                                  const double origin[3], double corner[9]) {
    const double* x[3] = {a, b, c};
    convex out = convex_plain(CONVEX_TRIANGLE, radius, 0);
    out.corners = 3;
    out.corner = corner;
    vec3_sub(a, origin, out.x);
    for (int i = 0; i < 3; i++) {
        out.axis[i][i] = 1;
        vec3_sub(x[i], a, corner + 3 * i);
        out.reach = fmax(out.reach, sqrt(vec3_dot(corner + 3 * i, corner + 3 * i)));
    }
    return out;
}

/* A shape at x, with these axes, measured from `origin`. */
TAUT_FN convex convex_of_shape(uint32_t shape, const double size[3], const double x[3], const double q[4],
                               const double origin[3]) {
    const bool round = shape == TAUT_SHAPE_SPHERE || shape == TAUT_SHAPE_CAPSULE;
    convex out = {core_of_shape(shape),
                  {size[0], size[1], size[2]},
                  round ? size[0] : 0,
                  shape_reach(shape, size),
                  {0, 0, 0},
                  {{0}},
                  1, /* of a hull, which it is not */
                  0,
                  size,
                  NULL,
                  NULL,
                  NULL,
                  0};
    quat_axes(q, out.axis);
    vec3_sub(x, origin, out.x);
    return out;
}

/* A mesh and a shape, in the axes of the mesh: a triangle overlaps it, or it lies all within. */
TAUT_FN bool overlaps_mesh(const mesh_triangles* m, double half, const convex* other, const float box[6]) {
    double normal[3], corner[9];
    const double origin[3] = {0, 0, 0};
    uint32_t node = 1, found;
    while ((found = next_triangle(m, box, &node)) != TAUT_NO_NODE) {
        const double* t = m->corner + 9 * (size_t)found;
        const convex triangle = convex_of_triangle(t, t + 3, t + 6, half, origin, corner);
        if (convex_overlap(&triangle, other)) {
            return true;
        }
    }
    return !(half > 0) && mesh_exact(m, other->x, normal) < 0;
}

/* The box of a shape about its origin with these axes. */
TAUT_FN void box_of_shape(uint32_t shape, const double size[3], const double x[3], const double q[4], float box[6]) {
    double axis[3][3], half[3];
    quat_axes(q, axis);
    shape_extent(shape, size, axis, half);
    const double low[3] = {x[0] - half[0], x[1] - half[1], x[2] - half[2]};
    const double high[3] = {x[0] + half[0], x[1] + half[1], x[2] + half[2]};
    box_clear(box);
    box_add(low, 0, box);
    box_add(high, 0, box);
}

TAUT_FN bool overlaps_collider(const taut_fields* f, const taut_sizes* s, uint32_t item,
                               const taut_query_shape* query) {
    const uint32_t shape = f->collider_shape[item];
    const double zero[3] = {0, 0, 0};
    double q[4], local[3], inverse[4], turned[4];
    const contact_side_of side = collider_side(f, s, item, q);
    if (shape == TAUT_SHAPE_MESH) {
        float box[6];
        const taut_mesh* of = &f->mesh[f->collider_mesh[item]];
        const mesh_triangles mesh = mesh_triangles_now(f, of);
        query_inwards(side.x, q, query->position, local);
        quat_conjugate(q, inverse);
        quat_multiply(inverse, query->orientation, turned);
        const convex own = convex_of_shape((uint32_t)query->shape, query->size, local, turned, zero);
        box_of_shape((uint32_t)query->shape, query->size, local, turned, box);
        return overlaps_mesh(&mesh, of->half, &own, box);
    }
    const convex own =
        convex_of_shape((uint32_t)query->shape, query->size, query->position, query->orientation, side.x);
    const convex other = convex_of_shape(shape, f->collider_size + 3 * (size_t)item, side.x, q, side.x);
    if (shape == TAUT_SHAPE_PLANE) {
        const double down[3] = {-other.axis[2][0], -other.axis[2][1], -other.axis[2][2]};
        double deepest[3];
        convex_farthest(&own, down, deepest);
        return vec3_dot(other.axis[2], deepest) <= own.radius;
    }
    return convex_overlap(&own, &other);
}

TAUT_FN bool query_overlaps(const taut_fields* f, const taut_sizes* s, uint32_t item, const taut_query_shape* query) {
    if (item < s->colliders) {
        return overlaps_collider(f, s, item, query);
    }
    const uint32_t* corner = query_corners(f, s, item);
    const double radius = f->touching_place[corner[0]].radius;
    const contact_side_of side = touching_side(f, s, corner[0]);
    const bool face = item < first_loose(s);
    double places[9];
    const convex own =
        convex_of_shape((uint32_t)query->shape, query->size, query->position, query->orientation, side.x);
    const convex other = convex_of_triangle(side.x, face ? corner_x(f, corner[1]) : side.x,
                                            face ? corner_x(f, corner[2]) : side.x, radius, side.x, places);
    return convex_overlap(&own, &other);
}

/* Things that overlap, of which the first ones are written; returns how many there are. */
typedef struct query_list {
    uint32_t count, capacity;
    uint32_t* items;
} query_list;

TAUT_FN void query_list_add(const taut_fields* f, const taut_sizes* s, uint32_t item, const taut_query_shape* query,
                            taut_query_filter filter, query_list* list) {
    if (query_sees(f, s, item, filter) && query_overlaps(f, s, item, query)) {
        if (list->count < list->capacity) {
            list->items[list->count] = item;
        }
        list->count++;
    }
}

TAUT_FN uint32_t query_overlap(const taut_fields* f, const taut_sizes* s, const taut_query_shape* query,
                               taut_query_filter filter, uint32_t capacity, uint32_t* items) {
    query_list list = {0, capacity, items};
    float box[6];
    box_of_shape((uint32_t)query->shape, query->size, query->position, query->orientation, box);
    for (uint32_t i = 0; i < s->wide; i++) {
        query_list_add(f, s, f->wide_collider[i], query, filter, &list);
    }
    for (int loose = 0; loose < 2; loose++) {
        const taut_tree tree = loose != 0 ? loose_tree(f, s) : face_tree(f, s);
        uint32_t at = tree.items > 0 ? 1 : 0, item;
        while ((item = tree_next(&tree, box, &at)) != UINT32_MAX) {
            query_list_add(f, s, item + (loose != 0 ? first_loose(s) : 0), query, filter, &list);
        }
    }
    return list.count;
}

/* ---- batches ----------------------------------------------------------------------------------------------------- */

/* Query i of a batch, into its place. */
TAUT_FN void query_answer(const taut_fields* f, const taut_sizes* s, const taut_query_batch* batch, size_t i) {
    switch (batch->kind) {
    case TAUT_QUERY_RAYS:
        query_cast(f, s, &f->query_ray[i], batch->filter, &f->query_hit[i]);
        break;
    case TAUT_QUERY_POINTS:
        query_closest(f, s, f->query_point + 3 * i, batch->reach, batch->filter, &f->query_hit[i]);
        break;
    default:
        f->query_count[i] = query_overlap(f, s, &f->query_shape[i], batch->filter, batch->capacity,
                                          f->query_item + (size_t)batch->capacity * i);
        break;
    }
}

#endif
