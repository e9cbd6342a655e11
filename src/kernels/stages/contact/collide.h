/* Collide: which pairs are near, and the contacts that they make.
 *
 * Finders are contact points, then edges of surfaces, then colliders. Points find colliders, then faces of surfaces
 * (one numbering); edges find edges with higher numbers, or that nothing can move; colliders find colliders likewise.
 * Contacts stand in the order of finders, and of each in that of a walk through a tree of boxes, so that every run
 * finds them in the same places.
 *
 * A pair is near where its gap is no more than `near` and what its speed, and gravity, may close within two steps.
 * Where the time for a search is up, it looks less far ahead (taut_factors.sight): what closes more is a crossing.
 *
 * Text for a file that has defined TAUT_REAL as double. */
#ifndef TAUT_CONTACT_COLLIDE_H
#define TAUT_CONTACT_COLLIDE_H

#include "kernels/stages/contact/collide_point.h"
#include "kernels/stages/contact/collide_solids.h"
#include "kernels/stages/contact/collide_surface.h"
#include "kernels/stages/contact/opposite.h"
#include "kernels/stages/contact/tree.h"

/* ---- boxes ------------------------------------------------------------------------------------------------------- */

/* Boxes reach as far as things move beside a common velocity, `drift`: pairs close in by no more than the sum of both,
 * whatever that is. So what falls or blows along together has small boxes. Of nodes, their mean, where that leaves less
 * than half of their speeds; else 0. */
typedef struct drift_sums {
    double sum[3], count, speeds, beside;
} drift_sums;

TAUT_FN void drift_add(const taut_fields* f, size_t n, drift_sums* sums) {
    if (f->inverse_mass[n] > 0) {
        const double* v = f->v + 3 * n;
        vec3_axpy(1, v, sums->sum);
        sums->count += 1;
        sums->speeds += sqrt(vec3_dot(v, v));
    }
}

TAUT_FN void drift_beside(const taut_fields* f, size_t n, drift_sums* sums) {
    double v[3];
    vec3_sub(f->v + 3 * n, f->drift, v);
    sums->beside += f->inverse_mass[n] > 0 ? sqrt(vec3_dot(v, v)) : 0;
}

/* How far a surface's part may be met from by what speeds are told `beside`, too: half of what reach_of_pair says of
 * two. */
TAUT_FN void box_of_corners(const taut_fields* f, const taut_sizes* s, const uint32_t* corner, int count,
                            const taut_factors* step, const double beside[3], float box[6]) {
    const double radius = f->touching_place[corner[0]].radius;
    const double fall = corners_are_still(f, s, corner, count) ? fall_of(step) : 0;
    double fastest = 0;
    for (int i = 0; i < count; i++) {
        double v[3];
        vec3_sub(corner_v(f, corner[i]), beside, v);
        fastest = vec3_dot(v, v) > fastest ? vec3_dot(v, v) : fastest;
    }
    box_clear(box);
    for (int i = 0; i < count; i++) {
        box_add(corner_x(f, corner[i]), 2 * radius + 2 * step->sight * sqrt(fastest) + fall, box);
    }
}

/* Of a mesh that deforms: the box of all of its triangles, and what the fastest of them may do. */
TAUT_FN void box_of_deforming(const taut_fields* f, const taut_mesh* mesh, const taut_factors* step, float box[6]) {
    const float* all = f->mesh_box + 6 * (mesh->first_box + 1);
    const double along = sqrt(vec3_dot(f->drift, f->drift));
    const double way = 2 * step->sight * ((double)f->mesh_speed[mesh->first_box + 1] + along) + fall_of(step);
    const double low[3] = {all[0], all[1], all[2]}, high[3] = {all[3], all[4], all[5]};
    box_clear(box);
    box_add(low, way, box);
    box_add(high, way, box);
}

TAUT_FN void box_of_collider(const taut_fields* f, const taut_sizes* s, size_t collider, const taut_factors* step,
                             float box[6]) {
    double q[4], axis[3][3], half[3];
    const double* size = f->collider_size + 3 * collider;
    const taut_mesh* mesh = deforming_mesh(f, s, collider);
    if (mesh != NULL) {
        box_of_deforming(f, mesh, step, box);
        return;
    }
    const double reach = shape_reach(f->collider_shape[collider], size);
    box_clear(box);
    if (reach < INFINITY) {
        contact_side_of side = collider_side(f, s, collider, q);
        const double way = 2 * step->sight * speed_around(f, &side, reach, f->drift) + fall_of(step);
        quat_axes(q, axis);
        shape_extent(f->collider_shape[collider], size, axis, half);
        for (int a = 0; a < 3; a++) {
            double from[3] = {side.x[0], side.x[1], side.x[2]}; /* only this axis of it counts */
            float sides[6];
            box_clear(sides);
            box_add(from, half[a] + way, sides);
            box[a] = sides[a];
            box[3 + a] = sides[3 + a];
        }
    }
}

/* Of a leaf of the tree of colliders and faces. */
TAUT_FN void box_of_face_item(const taut_fields* f, const taut_sizes* s, size_t item, const taut_factors* step,
                              float box[6]) {
    if (item < s->colliders) {
        box_of_collider(f, s, item, step, box);
    } else {
        box_of_corners(f, s, f->face_corner + 4 * (item - s->colliders), 3, step, f->drift, box);
    }
}

/* What cannot come through a surface has no box, and finds nothing. */
TAUT_FN bool edge_is_inactive(const taut_fields* f, const taut_sizes* s, size_t edge) {
    return s->skins > 0 && f->edge_inactive[edge] != 0;
}

TAUT_FN bool point_is_inactive(const taut_fields* f, size_t point) {
    return is_skin(f, point) && f->skin_inactive[f->touching_skin[point]] != 0;
}

TAUT_FN void box_of_edge(const taut_fields* f, const taut_sizes* s, size_t edge, const taut_factors* step,
                         float box[6]) {
    if (edge_is_inactive(f, s, edge)) {
        box_clear(box);
    } else {
        box_of_corners(f, s, f->edge_corner + 4 * edge, 2, step, f->drift, box);
    }
}

TAUT_FN void box_of_point(const taut_fields* f, const taut_sizes* s, size_t point, const taut_factors* step,
                          float box[6]) {
    contact_side_of side = touching_side(f, s, point);
    const double radius = f->touching_place[point].radius;
    const double fall = corner_is_still(f, s, point) ? fall_of(step) : 0;
    box_clear(box);
    box_add(side.x, 2 * radius + step->near + 2 * step->sight * speed_around(f, &side, radius, f->drift) + fall, box);
}

/* Trees of the world. */
TAUT_FN taut_tree face_tree(const taut_fields* f, const taut_sizes* s) {
    const taut_tree tree = {s->colliders + s->faces, s->face_leaves, f->face_order, f->face_box};
    return tree;
}

TAUT_FN taut_tree edge_tree(const taut_fields* f, const taut_sizes* s) {
    const taut_tree tree = {s->edges, s->edge_leaves, f->edge_order, f->edge_box};
    return tree;
}

/* ---- searching --------------------------------------------------------------------------------------------------- */

/* Points, then edges, then colliders where those touch each other. */
TAUT_FN size_t finder_count(const taut_sizes* s) {
    return (size_t)s->touching + s->edges + s->solids;
}

/* Places of surfaces that a point remembers to have met. */
#define TAUT_PLACES 4

/* What a finder has still to look at: the other wall of a mesh, colliders without end, then the tree; and where a point
 * has met surfaces last. */
typedef struct contact_search {
    size_t finder;
    uint32_t wide, at;
    float box[6];
    uint32_t places, surface[TAUT_PLACES];
    double place[TAUT_PLACES][3];
    uint32_t walls; /* the mesh of which a point has met one wall last, or TAUT_NO_NODE */
    taut_wall wall;
} contact_search;

/* Of a collider: also the contacts with another one, from `next` on still to be told. */
typedef struct solid_search {
    contact_search all;
    uint32_t other, next;
    contact_manifold manifold;
} solid_search;

TAUT_FN void widen(double by, float box[6]) {
    for (int a = 0; a < 3; a++) {
        box[a] = float_below(box[a] - (float)by);
        box[3 + a] = float_above(box[3 + a] + (float)by);
    }
}

TAUT_FN contact_search search_begin(const taut_fields* f, const taut_sizes* s, size_t finder,
                                    const taut_factors* step) {
    contact_search search;
    search.finder = finder;
    search.wide = search.places = 0;
    search.at = 1;
    search.walls = TAUT_NO_NODE;
    if (finder >= first_solid(s)) {
        const size_t collider = finder - first_solid(s);
        const bool finds = finds_colliders(f, s, collider);
        search.wide = finds ? 0 : s->wide;
        search.at = finds ? 1 : 0;
        box_of_collider(f, s, collider, step, search.box);
        widen(step->near, search.box);
        return search;
    }
    if (finder < s->touching && point_is_inactive(f, finder)) {
        search.wide = s->wide;
        search.at = 0;
        box_clear(search.box);
        return search;
    }
    if (finder < s->touching) {
        box_of_point(f, s, finder, step, search.box);
        return search;
    }
    const size_t edge = finder - s->touching;
    search.wide = s->wide;
    search.at = corners_are_still(f, s, f->edge_corner + 4 * edge, 2) || edge_is_inactive(f, s, edge) ? 0 : 1;
    box_of_edge(f, s, edge, step, search.box);
    widen(step->near, search.box);
    return search;
}

/* The next one whose box is near, or TAUT_NO_NODE. */
TAUT_FN uint32_t search_next(const taut_fields* f, const taut_sizes* s, contact_search* search) {
    if (search->wide < s->wide) {
        return f->wide_collider[search->wide++];
    }
    const bool edge = search->finder >= s->touching && search->finder < first_solid(s);
    const taut_tree tree = edge ? edge_tree(f, s) : face_tree(f, s);
    return tree_next(&tree, search->box, &search->at);
}

/* Whether a pair may be a contact as long as the same things can move. */
TAUT_FN bool may_be_contact(const taut_fields* f, const taut_sizes* s, size_t finder, uint32_t other) {
    return finder >= s->touching  ? edge_may_touch(f, s, finder - s->touching, other)
           : other < s->colliders ? may_touch(f, s, finder, other)
                                  : face_may_touch(f, s, finder, other - s->colliders);
}

/* Whether such a pair is one now. */
TAUT_FN bool meet_contact(const taut_fields* f, const taut_sizes* s, size_t finder, uint32_t other,
                          const taut_factors* step, contact_found* found) {
    found->feature = 0;
    if (finder >= s->touching) {
        return meet_on_edge(f, s, finder - s->touching, other, step, found);
    }
    return other < s->colliders ? meet_on_collider(f, s, finder, other, step, found)
                                : meet_on_face(f, s, finder, other - s->colliders, step, found);
}

TAUT_FN bool find_contact(const taut_fields* f, const taut_sizes* s, size_t finder, uint32_t other,
                          const taut_factors* step, contact_found* found) {
    return may_be_contact(f, s, finder, other) && meet_contact(f, s, finder, other, step, found);
}

/* Whether a point that has met a collider may meet another wall of it, too; `wall`: that which it has met. */
TAUT_FN bool may_meet_opposite(const taut_fields* f, const taut_sizes* s, size_t finder, uint32_t other,
                               const contact_found* first, taut_wall* wall) {
    if (finder >= s->touching || other >= s->colliders || deforming_mesh(f, s, other) == NULL) {
        return false;
    }
    for (int a = 0; a < 3; a++) {
        wall->normal[a] = first->normal[a];
    }
    wall->distance = first->gap + f->touching_place[finder].radius;
    return true;
}

/* The second contact of a point with a collider, after the first one. */
TAUT_FN bool find_opposite(const taut_fields* f, const taut_sizes* s, size_t finder, uint32_t other,
                           const taut_factors* step, const contact_found* first, contact_found* found) {
    taut_wall wall;
    return may_meet_opposite(f, s, finder, other, first, &wall) &&
           meet_opposite(f, s, finder, other, step, &wall, found);
}

/* Whether a point has met the surface in this place already: over edges and corners, rounding may find it on more than
 * one face. Else it is remembered. */
TAUT_FN bool met_before(const taut_fields* f, const taut_sizes* s, contact_search* search, uint32_t other,
                        const contact_found* found) {
    double place[3] = {0, 0, 0}, apart[3];
    if (search->finder >= s->touching || other < s->colliders) {
        return false;
    }
    const size_t corner = f->face_corner[4 * (size_t)(other - s->colliders)];
    const double slack = 2 * TAUT_NEAR_SLACK *
                         (found->gap + f->touching_place[search->finder].radius + f->touching_place[corner].radius);
    for (int i = 1; i < 4; i++) {
        vec3_axpy(-found->weight[i], f->x + 3 * (size_t)found->node[i], place);
    }
    for (uint32_t i = 0; i < TAUT_PLACES && i < search->places; i++) {
        vec3_sub(place, search->place[i], apart);
        if (search->surface[i] == f->touching_surface[corner] && vec3_dot(apart, apart) <= slack * slack) {
            return true;
        }
    }
    const uint32_t to = search->places++ % TAUT_PLACES;
    search->surface[to] = f->touching_surface[corner];
    for (int a = 0; a < 3; a++) {
        search->place[to][a] = place[a];
    }
    return false;
}

TAUT_FN void solid_begin(const taut_fields* f, const taut_sizes* s, size_t finder, const taut_factors* step,
                         solid_search* search) {
    search->all = search_begin(f, s, finder, step);
    search->next = search->manifold.count = 0;
}

/* The next contact of a collider; false: there is none. */
TAUT_FN bool next_on_solid(const taut_fields* f, const taut_sizes* s, solid_search* search, const taut_factors* step,
                           taut_solid_contact* contact) {
    const size_t own = search->all.finder - first_solid(s);
    while (search->next == search->manifold.count) {
        search->other = search_next(f, s, &search->all);
        search->next = search->manifold.count = 0;
        if (search->other == TAUT_NO_NODE) {
            return false;
        }
        if (search->other < s->colliders && colliders_may_touch(f, s, own, search->other)) {
            find_solids(f, s, own, search->other, step, &search->manifold);
        }
    }
    *contact = solid_contact_of(&search->manifold, search->next++, search->other);
    return true;
}

/* Contacts of a collider with others, of which the first ones are kept. */
TAUT_FN uint32_t count_on_solid(const taut_fields* f, const taut_sizes* s, size_t finder, const taut_factors* step) {
    taut_solid_contact* kept = f->solid_contact + TAUT_SOLID_CONTACTS * (finder - first_solid(s));
    taut_solid_contact contact;
    solid_search search;
    uint32_t count = 0;
    solid_begin(f, s, finder, step, &search);
    while (next_on_solid(f, s, &search, step, &contact)) {
        if (count < TAUT_SOLID_CONTACTS) {
            kept[count] = contact;
        }
        count++;
    }
    return count;
}

/* The next contact of a finder: with whom, or TAUT_NO_NODE. */
TAUT_FN uint32_t next_contact(const taut_fields* f, const taut_sizes* s, contact_search* search,
                              const taut_factors* step, contact_found* found) {
    uint32_t other = search->walls;
    search->walls = TAUT_NO_NODE;
    if (other != TAUT_NO_NODE && meet_opposite(f, s, search->finder, other, step, &search->wall, found)) {
        return other;
    }
    while ((other = search_next(f, s, search)) != TAUT_NO_NODE) {
        if (find_contact(f, s, search->finder, other, step, found) && !met_before(f, s, search, other, found)) {
            const bool walls = may_meet_opposite(f, s, search->finder, other, found, &search->wall);
            search->walls = walls ? other : TAUT_NO_NODE;
            break;
        }
    }
    return other;
}

/* ---- pairs that would have passed through each other ------------------------------------------------------------- */

/* In a list, the first crossing whose finder is no less than this one. */
TAUT_FN uint32_t first_crossing(const taut_fields* f, const taut_sizes* s, uint32_t round, size_t finder) {
    const taut_crossing* list = f->crossing + (size_t)round * TAUT_CROSSING_ROOM(s);
    uint32_t low = 0, high = f->crossing_count[round];
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        const bool less = list[middle].finder < finder;
        low = less ? middle + 1 : low;
        high = less ? high : middle;
    }
    return low;
}

/* The crossing of a finder in a list; NULL: none. */
TAUT_FN const taut_crossing* crossing_of(const taut_fields* f, const taut_sizes* s, uint32_t round, size_t finder) {
    const uint32_t at = s->watches ? first_crossing(f, s, round, finder) : 0;
    const taut_crossing* crossing = f->crossing + (size_t)round * TAUT_CROSSING_ROOM(s) + at;
    return s->watches && at < f->crossing_count[round] && crossing->finder == finder ? crossing : NULL;
}

TAUT_FN uint32_t count_crossings(const taut_fields* f, const taut_sizes* s, size_t finder) {
    uint32_t count = 0;
    for (uint32_t round = 0; s->watches && round < TAUT_CROSSING_LISTS; round++) {
        count += crossing_of(f, s, round, finder) != NULL;
    }
    return count;
}

/* Contacts of a finder. */
TAUT_FN uint32_t count_contacts(const taut_fields* f, const taut_sizes* s, size_t finder, const taut_factors* step) {
    if (finder >= first_solid(s)) {
        return count_crossings(f, s, finder) + count_on_solid(f, s, finder, step);
    }
    contact_search search = search_begin(f, s, finder, step);
    contact_found found;
    uint32_t count = count_crossings(f, s, finder);
    while (next_contact(f, s, &search, step, &found) != TAUT_NO_NODE) {
        count++;
    }
    return count;
}

/* ---- making one -------------------------------------------------------------------------------------------------- */

/* A unit vector square to a normal, always the same one: from the axis that is least along it. */
TAUT_FN void tangent_of_normal(const double normal[3], double tangent[3]) {
    const double x = fabs(normal[0]), y = fabs(normal[1]), z = fabs(normal[2]);
    const int axis = x <= y && x <= z ? 0 : y <= z ? 1 : 2;
    double from[3] = {0, 0, 0}, across[3];
    from[axis] = 1;
    vec3_cross(normal, from, across);
    radial(across, tangent);
}

/* sum_i w_i y_i of what nodes have, three numbers each. */
TAUT_FN void found_sum(const contact_found* found, const double* y, double sum[3]) {
    sum[0] = sum[1] = sum[2] = 0;
    for (int i = 0; i < 4; i++) {
        if (found->weight[i] != 0) {
            vec3_axpy(found->weight[i], y + 3 * (size_t)found->node[i], sum);
        }
    }
}

/* Whether what touches slides no faster than `slow` across the normal. */
TAUT_FN bool found_sticks(const taut_fields* f, const contact_found* found, double slow) {
    double v[3], turned[3];
    found_sum(found, f->v, v);
    for (int i = 0; i < 2; i++) {
        if (found->node[4 + i] != TAUT_NO_NODE) {
            vec3_cross(f->v + 3 * (size_t)found->node[4 + i], found->arm + 3 * i, turned);
            vec3_axpy(i == 0 ? 1 : -1, turned, v);
        }
    }
    vec3_axpy(-vec3_dot(v, found->normal), found->normal, v);
    return vec3_dot(v, v) <= slow * slow;
}

/* The rest values of the formula: (n, t, n x t).d - offset = (gap, 0, 0). */
TAUT_FN void contact_rest(const taut_fields* f, const taut_sizes* s, const contact_found* found,
                          double rest[contact_REST]) {
    double second[3], d[3];
    for (int i = 0; i < contact_REST; i++) {
        rest[i] = i >= contact_weight && i < contact_arm    ? found->weight[i - contact_weight]
                  : i >= contact_arm && i < contact_arm + 6 ? found->arm[i - contact_arm]
                                                            : 0;
    }
    for (int i = 0; i < 2; i++) {
        for (int a = 0; found->node[4 + i] != TAUT_NO_NODE && a < 4; a++) {
            rest[contact_turn + 4 * i + a] = orientation_of(f, s, found->node[4 + i])[a];
        }
    }
    vec3_axpy(1, found->normal, rest + contact_normal);
    tangent_of_normal(found->normal, rest + contact_tangent);
    vec3_cross(found->normal, rest + contact_tangent, second);
    found_sum(found, f->x, d);
    rest[contact_offset] = vec3_dot(found->normal, d) - found->gap;
    rest[contact_offset + 1] = vec3_dot(rest + contact_tangent, d);
    rest[contact_offset + 2] = vec3_dot(second, d);
}

/* Directions of contact c. */
TAUT_FN contact_jacobian contact_axes(const taut_fields* f, size_t c) {
    const double* rest = f->kinds[TAUT_CONTACT].rest + contact_REST * c;
    contact_jacobian jac = {{rest[0], rest[1], rest[2]}, {rest[3], rest[4], rest[5]}, {0}, {{0}}};
    return jac;
}

/* Sets the rows of contact c (k TAUT_CONTACT) or its couple (TAUT_ROLLING) in an array over the unknowns, to a vector
 * of the world; NULL: 0. */
TAUT_FN void put_contact(const taut_fields* f, const taut_sizes* s, taut_kind k, size_t c, const double* vector,
                         double* unknowns) {
    const contact_jacobian jac = contact_axes(f, c);
    double rows[contact_ROWS] = {0, 0, 0};
    if (vector != NULL) {
        contact_split(&jac, vector, rows);
    }
    store_unknowns_f64(rows, s->count[k], contact_ROWS, c, unknowns + s->first_row[k]);
}

/* The frames that the couple of contact c acts on, or TAUT_NO_NODE; whether there is one: what moves but does not turn,
 * such as a particle or a face, could not bear its other side. */
TAUT_FN bool couple_frames(const taut_fields* f, const taut_sizes* s, size_t c, uint32_t frame[2]) {
    const size_t finder = f->contact_pair[2 * c], other = f->contact_pair[2 * c + 1];
    const bool solid = finder >= first_solid(s);
    if ((finder >= s->touching && !solid) || other >= s->colliders) {
        return false;
    }
    const taut_body_nodes own = solid ? f->collider_body[finder - first_solid(s)] : f->touching_body[finder];
    const taut_body_nodes met = f->collider_body[other];
    frame[0] = own.frame;
    frame[1] = met.frame;
    return (own.frame != TAUT_NO_NODE || is_still(f, s, own)) && (met.frame != TAUT_NO_NODE || is_still(f, s, met));
}

/* The couple of contact c, which has been made; `last`: what contact_last says of the pair. */
TAUT_FN void make_rolling(const taut_fields* f, const taut_sizes* s, size_t c, const double* last) {
    const taut_kind_fields* kind = &f->kinds[TAUT_ROLLING];
    const double* of_contact = f->kinds[TAUT_CONTACT].rest + contact_REST * c;
    const double* couple =
        last != NULL ? f->rolling_last + 6 * ((size_t)(last - f->contact_last) / TAUT_CONTACT_LAST) : NULL;
    double* rest = kind->rest + rolling_REST * c;
    uint32_t frame[2];
    const bool bears = couple_frames(f, s, c, frame);
    for (size_t a = 0; a < 3; a++) {
        rest[rolling_normal + a] = of_contact[contact_normal + a];
        rest[rolling_tangent + a] = of_contact[contact_tangent + a];
    }
    for (size_t side = 0; side < 2; side++) {
        const bool turns = bears && frame[side] != TAUT_NO_NODE;
        rest[rolling_weight + side] = !turns ? 0 : side == 0 ? 1 : -1;
        kind->nodes[rolling_NODES * c + side] = turns ? frame[side] : 0;
    }
    for (size_t i = 0; i < TAUT_PACKED(rolling_ROWS); i++) {
        kind->compliance[TAUT_PACKED(rolling_ROWS) * c + i] = 0;
    }
    kind->damping[c] = 0;
    put_contact(f, s, TAUT_ROLLING, c, couple, f->gam);
    put_contact(f, s, TAUT_ROLLING, c, couple != NULL ? couple + 3 : NULL, f->lam);
}

TAUT_FN void make_contact(const taut_fields* f, const taut_sizes* s, size_t c, size_t finder, uint32_t other,
                          const taut_factors* step, const contact_found* found) {
    const taut_kind_fields* kind = &f->kinds[TAUT_CONTACT];
    double *rest = kind->rest + contact_REST * c, *compliance = kind->compliance + TAUT_PACKED(contact_ROWS) * c;
    const double* pair = f->material_law + TAUT_CONTACT_LAW * (size_t)found->law;
    uint32_t* nodes = kind->nodes + contact_NODES * c;
    const double* last = last_of_pair(f, finder, other, found->feature);
    contact_rest(f, s, found, rest);
    for (int i = 0; i < contact_NODES; i++) {
        nodes[i] = found->node[i] != TAUT_NO_NODE ? found->node[i] : found->node[0];
    }
    for (size_t i = 0; i < TAUT_PACKED(contact_ROWS); i++) {
        compliance[i] = i == 0 ? pair[TAUT_PAIR_COMPLIANCE] : 0;
    }
    kind->damping[c] = pair[TAUT_PAIR_DAMPING];
    const bool drawn =
        finder < first_solid(s) && (found->feature == TAUT_DRAWN_FEATURE || found->feature == TAUT_PIERCED_FEATURE);
    f->contact_friction[c] = drawn                                     ? 0
                             : found_sticks(f, found, step->slow_slip) ? pair[TAUT_PAIR_STATIC]
                                                                       : pair[TAUT_PAIR_FRICTION];
    f->contact_pair[2 * c] = (uint32_t)finder;
    f->contact_pair[2 * c + 1] = other;
    f->contact_feature[c] = found->feature;
    f->contact_law[c] = found->law;
    put_contact(f, s, TAUT_CONTACT, c, last, f->gam);
    put_contact(f, s, TAUT_CONTACT, c, last != NULL ? last + 3 : NULL, f->lam);
    f->contact_load[c] = last != NULL ? last[9] : 1;
    if (s->rolls) {
        make_rolling(f, s, c, last);
    }
}

TAUT_FN void clear_rolling(const taut_fields* f, const taut_sizes* s, size_t c) {
    const taut_kind_fields* kind = &f->kinds[TAUT_ROLLING];
    double* const arrays[] = {f->gam, f->lam, f->phi, f->b, f->wide};
    for (size_t i = 0; i < rolling_REST; i++) {
        kind->rest[rolling_REST * c + i] = 0;
    }
    for (size_t i = 0; i < rolling_NODES; i++) {
        kind->nodes[rolling_NODES * c + i] = 0;
    }
    f->rolling_normal[c] = 0;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        put_contact(f, s, TAUT_ROLLING, c, NULL, arrays[i]);
    }
}

/* A place that no contact needs: nothing acts there. */
TAUT_FN void clear_contact(const taut_fields* f, const taut_sizes* s, size_t c) {
    const taut_kind_fields* kind = &f->kinds[TAUT_CONTACT];
    for (size_t i = 0; i < contact_REST; i++) {
        kind->rest[contact_REST * c + i] = 0;
    }
    for (size_t i = 0; i < contact_NODES; i++) {
        kind->nodes[contact_NODES * c + i] = 0;
    }
    for (size_t i = 0; i < TAUT_PACKED(contact_ROWS); i++) {
        kind->compliance[TAUT_PACKED(contact_ROWS) * c + i] = 0;
    }
    kind->damping[c] = f->contact_friction[c] = f->contact_limit[c] = 0;
    f->contact_law[c] = 0;
    f->contact_load[c] = 1;
    double* const arrays[] = {f->gam, f->lam, f->phi, f->b, f->wide};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        put_contact(f, s, TAUT_CONTACT, c, NULL, arrays[i]);
    }
    if (s->rolls) {
        clear_rolling(f, s, c);
    }
}

/* The crossings of a finder, from contact c on; the place after them. */
TAUT_FN size_t make_crossings(const taut_fields* f, const taut_sizes* s, size_t finder, size_t c,
                              const taut_factors* step) {
    const size_t end = f->contact_begin[finder + 1];
    for (uint32_t round = 0; s->watches && round < TAUT_CROSSING_LISTS; round++) {
        const taut_crossing* crossing = crossing_of(f, s, round, finder);
        if (crossing != NULL && c < end) {
            make_contact(f, s, c++, finder, crossing->other, step, &crossing->found);
        }
    }
    return c;
}

/* The contacts of a collider with others, in the places that were counted for it. */
TAUT_FN void make_on_solid(const taut_fields* f, const taut_sizes* s, size_t finder, const taut_factors* step) {
    const size_t own = finder - first_solid(s), begin = make_crossings(f, s, finder, f->contact_begin[finder], step);
    const size_t count = f->contact_begin[finder + 1] - begin;
    const taut_solid_contact* kept = f->solid_contact + TAUT_SOLID_CONTACTS * own;
    taut_solid_contact contact;
    contact_found found;
    solid_search search;
    if (count > TAUT_SOLID_CONTACTS) {
        solid_begin(f, s, finder, step, &search);
    }
    for (size_t i = 0; i < count; i++) {
        if (count <= TAUT_SOLID_CONTACTS) {
            contact = kept[i];
        } else if (!next_on_solid(f, s, &search, step, &contact)) {
            break; /* never: they were counted */
        }
        found_on_solid(f, s, own, &contact, step->h, &found);
        make_contact(f, s, begin + i, finder, contact.other, step, &found);
        f->kinds[TAUT_CONTACT].rest[contact_REST * (begin + i) + contact_curve] = contact.curve;
    }
}

/* The contacts of a finder, in the places that were counted for it. */
TAUT_FN void make_contacts(const taut_fields* f, const taut_sizes* s, size_t finder, const taut_factors* step) {
    if (finder >= first_solid(s)) {
        make_on_solid(f, s, finder, step);
        return;
    }
    contact_search search = search_begin(f, s, finder, step);
    contact_found found;
    size_t c = make_crossings(f, s, finder, f->contact_begin[finder], step);
    const size_t end = f->contact_begin[finder + 1];
    uint32_t other;
    while (c < end && (other = next_contact(f, s, &search, step, &found)) != TAUT_NO_NODE) {
        make_contact(f, s, c++, finder, other, step, &found);
    }
    for (size_t i = c; i < end; i++) {
        clear_contact(f, s, i);
    }
    share_room(f, s, finder, f->contact_begin[finder], c, step->h);
}

/* Whether contact c is within a face, or two edges, of surfaces. */
TAUT_FN bool is_inside(const taut_fields* f, size_t c) {
    const double* weight = f->kinds[TAUT_CONTACT].rest + contact_REST * c + contact_weight;
    return weight[0] != 0 && weight[1] != 0 && weight[2] != 0 && weight[3] != 0;
}

/* What contact_last has of contact c, and rolling_last where there are couples; on which side a finder was is known
 * within faces and edges. */
TAUT_FN void remember_contact(const taut_fields* f, const taut_sizes* s, size_t c, double* out, double* couples) {
    const contact_jacobian jac = contact_axes(f, c);
    const double* const arrays[] = {f->gam, f->lam_smooth};
    double rows[contact_ROWS];
    const bool inside = is_inside(f, c) && !(s->watches && f->contact_turned[c] != 0);
    for (size_t a = 0; a < 3; a++) {
        out[6 + a] = inside ? jac.normal[a] : 0;
    }
    out[9] = f->contact_load[c];
    for (size_t i = 0; i < 2; i++) {
        load_unknowns_f64(arrays[i] + s->first_row[TAUT_CONTACT], s->count[TAUT_CONTACT], contact_ROWS, c, rows);
        out[3 * i] = out[3 * i + 1] = out[3 * i + 2] = 0;
        contact_join(&jac, rows, out + 3 * i);
    }
    for (size_t i = 0; s->rolls && i < 2; i++) {
        double* couple = couples + 3 * i;
        load_unknowns_f64(arrays[i] + s->first_row[TAUT_ROLLING], s->count[TAUT_ROLLING], rolling_ROWS, c, rows);
        couple[0] = couple[1] = couple[2] = 0;
        contact_join(&jac, rows, couple);
    }
}

/* Contact c becomes one of the last step, in place `to`. */
TAUT_FN void keep_contact(const taut_fields* f, const taut_sizes* s, size_t c, size_t to) {
    remember_contact(f, s, c, f->contact_last + TAUT_CONTACT_LAST * to, s->rolls ? f->rolling_last + 6 * to : NULL);
    f->contact_pair_last[2 * to] = f->contact_pair[2 * c];
    f->contact_pair_last[2 * to + 1] = f->contact_pair[2 * c + 1];
    f->contact_feature_last[to] = f->contact_feature[c];
}

/* ---- incidence --------------------------------------------------------------------------------------------------- */

/* Of contact c and its couple: whether constraint c of kind k acts at the node in `slot`. */
TAUT_FN bool touching_acts(const taut_fields* f, taut_kind k, size_t c, size_t slot) {
    return k == TAUT_ROLLING ? f->kinds[k].rest[rolling_REST * c + rolling_weight + slot] != 0
                             : contact_acts(f, c, slot);
}

#endif
