/* Pairs that would pass through each other between the start of a part of a substep and the state that it has come to:
 * every contact point with faces and colliders, every edge with edges, along straight paths (continuous.h). `was` are
 * the fields with the state at the start. Pairs that cut each other at the start are left out: they must come apart.
 *
 * Text for a file that has defined TAUT_REAL as double. */
#ifndef TAUT_CONTACT_CROSSING_H
#define TAUT_CONTACT_CROSSING_H

#include "kernels/stages/contact/crossing_mesh.h"
#include "kernels/stages/contact/crossing_solids.h"

/* Overlap of a point without a thickness that is left to contacts, in reaches of a collider that is not convex. */
#define TAUT_THIN_OVERLAP 1e-3

/* Points, edges, and solid colliders. */
TAUT_FN size_t crossing_finders(const taut_sizes* s) {
    return s->watches ? finder_count(s) : 0;
}

/* ---- boxes ------------------------------------------------------------------------------------------------------- */

/* Corners of skins move with their colliders. */
TAUT_FN void sweep_skin(const taut_fields* was, const taut_fields* f, const taut_sizes* s, size_t skin) {
    const contact_side_of start = touching_side(was, s, f->skin_corner[skin]);
    const contact_side_of end = touching_side(f, s, f->skin_corner[skin]);
    for (size_t a = 0; a < 3; a++) {
        f->skin_start[3 * skin + a] = start.x[a];
        f->skin_x[3 * skin + a] = end.x[a];
    }
}

TAUT_FN void box_of_swept_corners(const taut_fields* was, const taut_fields* f, const uint32_t* corner, int count,
                                  float box[6]) {
    box_clear(box);
    for (int i = 0; i < count; i++) {
        box_add(corner_x(was, corner[i]), swept_margin(f, corner[i]), box);
        box_add(corner_x(f, corner[i]), swept_margin(f, corner[i]), box);
    }
}

TAUT_FN void box_add_collider(const taut_fields* f, const taut_sizes* s, size_t collider, float box[6]) {
    double q[4], axis[3][3], half[3];
    const contact_side_of side = collider_side(f, s, collider, q);
    quat_axes(q, axis);
    shape_extent(f->collider_shape[collider], f->collider_size + 3 * collider, axis, half);
    for (int a = 0; a < 3; a++) {
        const float low = float_below((float)(side.x[a] - half[a])), high = float_above((float)(side.x[a] + half[a]));
        box[a] = low < box[a] ? low : box[a];
        box[3 + a] = high > box[3 + a] ? high : box[3 + a];
    }
}

/* Between its ends a shape that turns comes out by no more than its reach times 1 - cos of half of the angle. */
TAUT_FN void box_of_swept_collider(const taut_fields* was, const taut_fields* f, const taut_sizes* s, size_t collider,
                                   const solid_way* w, float box[6]) {
    const double angle = sqrt(vec3_dot(w->turn, w->turn));
    box_add_collider(was, s, collider, box);
    box_add_collider(f, s, collider, box);
    widen(w->reach * (1 - cos(fmin(angle / 2, 1.5707963267948966))), box);
}

/* Of a collider, also how far it goes. */
TAUT_FN void box_of_swept_item(const taut_fields* was, const taut_fields* f, const taut_sizes* s, size_t item,
                               float box[6]) {
    if (item >= s->colliders) {
        box_of_swept_corners(was, f, f->face_corner + 4 * (item - s->colliders), 3, box);
        return;
    }
    const taut_mesh* mesh = deforming_mesh(f, s, item);
    const solid_way w = way_of_solid(was, f, s, item);
    f->collider_way[item] = longest_way(&w);
    box_clear(box);
    if (mesh != NULL) {
        const float* all = f->mesh_swept + 6 * (mesh->first_box + 1);
        box_join(all, all, box);
    } else if (w.reach < INFINITY) {
        box_of_swept_collider(was, f, s, item, &w, box);
    }
}

/* What cannot come through a surface that keeps its thickness; of a mesh that deforms everything takes part. */
TAUT_FN bool edge_stays_out(const taut_fields* f, const taut_sizes* s, size_t edge) {
    return edge_is_inactive(f, s, edge) && mesh_of_corner(f, s, f->edge_corner[4 * edge]) == NULL;
}

TAUT_FN bool point_stays_out(const taut_fields* f, const taut_sizes* s, size_t point) {
    return point_is_inactive(f, point) && mesh_of_corner(f, s, point) == NULL;
}

TAUT_FN void box_of_swept_edge(const taut_fields* was, const taut_fields* f, const taut_sizes* s, size_t edge,
                               float box[6]) {
    box_clear(box);
    if (!edge_stays_out(f, s, edge)) {
        box_of_swept_corners(was, f, f->edge_corner + 4 * edge, 2, box);
    }
}

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

/* What a finder meets first; `other` is TAUT_NO_NODE where that is nothing. */
typedef struct crossing_met {
    uint32_t other;
    double time;
} crossing_met;

/* Whether the edge from p to q goes through a triangle at the start; not where it shares a corner with it. */
TAUT_FN bool cuts_at_start(const taut_fields* was, uint32_t p, uint32_t q, uint32_t a, uint32_t b, uint32_t c) {
    const bool shares = p == a || p == b || p == c || q == a || q == b || q == c;
    return !shares &&
           goes_through(corner_x(was, p), corner_x(was, q), corner_x(was, a), corner_x(was, b), corner_x(was, c));
}

/* Of the edges from a corner, and a triangle. */
TAUT_FN bool corner_cuts(const taut_fields* was, size_t corner, const uint32_t* face) {
    bool cuts = false;
    for (uint32_t i = was->ring_begin[corner]; i < was->ring_begin[corner + 1]; i++) {
        cuts = cuts || cuts_at_start(was, (uint32_t)corner, was->ring[i], face[0], face[1], face[2]);
    }
    return cuts;
}

/* Of an edge, and the triangles beside another one. */
TAUT_FN bool edge_cuts(const taut_fields* was, const uint32_t* edge, const uint32_t* beside) {
    bool cuts = false;
    for (int i = 2; i < 4 && beside[i] != TAUT_NO_NODE; i++) {
        cuts = cuts || cuts_at_start(was, edge[0], edge[1], beside[0], beside[1], beside[i]);
    }
    return cuts;
}

/* The way of the first of a pair relative to the second, where they meet. */
TAUT_FN void way_at(const moving_pair* pair, double time, double way[3]) {
    double weight[4], d[3];
    pair_at(pair, time, weight, d);
    way[0] = way[1] = way[2] = 0;
    for (int i = 0; i < 4; i++) {
        vec3_axpy(weight[i], pair->way[i], way);
    }
}

/* Whether a pair of a tangle that meets comes apart so: what goes back goes the way that it is drawn. */
TAUT_FN bool comes_apart(const taut_fields* f, const taut_sizes* s, const uint32_t* a, const uint32_t* b,
                         const moving_pair* pair, double time) {
    bool drawn = false, back = true;
    double way[3];
    if (!are_tangled(f, s, a, pair->own, b, 4 - pair->own)) {
        return false;
    }
    way_at(pair, time, way);
    for (int i = 0; i < 4; i++) {
        const uint32_t corner = i < pair->own ? a[i] : b[i - pair->own];
        const taut_crossing* draws =
            (f->tangle[corner] & TAUT_TANGLE_BACK) != 0 ? crossing_of(f, s, TAUT_DRAWN_LIST, corner) : NULL;
        if (draws != NULL) {
            drawn = true;
            back = back && (i < pair->own ? 1 : -1) * vec3_dot(draws->found.normal, way) > 0;
        }
    }
    return drawn && back;
}

/* Parts of surfaces that are attached to each other never meet where they start within their thickness. */
TAUT_FN bool attached_there(const taut_fields* f, const taut_sizes* s, size_t a, size_t b, double distance2) {
    return f->touching_surface[a] != f->touching_surface[b] && !starts_apart(f, s, a, b, distance2);
}

/* Whether a pair starts on the side where it does not belong, as its contact in the last step says: it goes back. */
TAUT_FN bool starts_beyond(const taut_fields* f, size_t finder, uint32_t other, const moving_pair* pair) {
    const double* last = last_of_pair(f, finder, other, 0);
    double weight[4], d[3];
    pair_at(pair, 0, weight, d);
    return last != NULL && vec3_dot(last + 6, d) < 0;
}

/* When a part is kept: whether the parties of contact c have come to each other's other side in it, while nothing
 * passed through anything: what has gone around something need not go back. */
TAUT_FN void turn_contact(const taut_fields* f, const taut_sizes* s, size_t c, bool through) {
    const size_t at = row_of_contact(s, c, 0);
    const double* rest = f->kinds[TAUT_CONTACT].rest + contact_REST * c;
    const uint32_t finder = f->contact_pair[2 * c], other = f->contact_pair[2 * c + 1];
    const bool points = finder < s->touching ? other >= s->colliders : finder < first_solid(s);
    const bool surfaces = points && is_inside(f, c);
    moving_pair pair;
    double weight[4], d[3];
    f->contact_turned[c] = 0;
    if (through || !surfaces || !(f->phi_before[at] + rest[contact_offset] > 0)) {
        return;
    }
    if (finder >= s->touching) {
        pair_of_edges(f, f, finder - s->touching, other, &pair);
    } else {
        pair_of_face(f, f, s, finder, other - s->colliders, &pair);
    }
    pair_at(&pair, 0, weight, d);
    f->contact_turned[c] = vec3_dot(rest + contact_normal, d) < 0;
}

/* What a pair keeps of its thickness from the start of a part of a substep on, m; 0 where it has no side to stay on. */
TAUT_FN double kept_on_way(const taut_fields* was, const taut_fields* f, const taut_sizes* s, size_t finder,
                           uint32_t other, const uint32_t* a, const uint32_t* b, const moving_pair* pair,
                           taut_start* start) {
    const double thickness = thickness_of_pair(f, a[0], b[0]);
    const double kept = kept_since_start(f, a, pair->own, b, start);
    double weight[4], d[3];
    (void)pair_at(pair, 0, weight, d);
    if (are_in_one_place(*start, d, thickness) && last_of_pair(f, finder, other, 0) == NULL) {
        return 0;
    }
    return fmin(kept, thickness_left(was, f, s, a, pair->own, b, 4 - pair->own, thickness, 0));
}

/* When a pair meets, for what its start and its fixed corners leave of the thickness. Fixed corners that pass each
 * other make their parts do so, too. */
TAUT_FN double time_of_parts(const taut_fields* was, const taut_fields* f, const taut_sizes* s, size_t finder,
                             uint32_t other, const uint32_t* a, const uint32_t* b, const moving_pair* pair) {
    const double solid = solid_radius(f, a[0]) + solid_radius(f, b[0]);
    const double thickness = thickness_of_pair(f, a[0], b[0]);
    const double time = time_of_meeting(pair, solid, thickness - solid);
    taut_start start;
    const double left = time > 1 ? thickness : kept_on_way(was, f, s, finder, other, a, b, pair, &start);
    return !(left < thickness)            ? time
           : passes_held(left, thickness) ? 2
                                          : time_of_meeting(pair, solid, fmax(left - solid, 0.0));
}

/* Whether the material of tetrahedra is between a corner and a face of one surface until they meet. */
TAUT_FN bool meets_through_face(const taut_fields* f, size_t point, const uint32_t* corner, const moving_pair* pair,
                                double time) {
    double x[3][3], weight[4], d[3], out[3] = {0, 0, 0};
    if (!have_one_material(f, point, corner[0])) {
        return false;
    }
    for (int i = 0; i < 9; i++) {
        x[i / 3][i % 3] = pair->from[1 + i / 3][i % 3] + time * pair->way[1 + i / 3][i % 3];
    }
    pair_at(pair, time, weight, d);
    add_outward(x[0], x[1], x[2], 1, out);
    return face_starts_through(f, point, corner) || vec3_dot(out, d) < 0;
}

/* Likewise of two edges. */
TAUT_FN bool meets_through_edge(const taut_fields* was, const taut_fields* f, const uint32_t* own,
                                const uint32_t* other, const moving_pair* pair, double time) {
    double weight[4], d[3];
    if (!have_one_material(f, own[0], other[0])) {
        return false;
    }
    pair_at(pair, time, weight, d);
    return edge_starts_through(f, own, other) || edge_is_through(was, own, other, d);
}

TAUT_FN double time_on_face(const taut_fields* was, const taut_fields* f, const taut_sizes* s, size_t point,
                            size_t face) {
    const uint32_t *corner = f->face_corner + 4 * face, own = (uint32_t)point;
    const double* x = f->corner_start;
    moving_pair pair;
    double weight[3], d[3];
    if (!face_may_touch(f, s, point, face)) {
        return 2;
    }
    pair_of_face(was, f, s, point, face, &pair);
    const double thickness = thickness_of_pair(f, point, corner[0]);
    const double time = time_of_parts(was, f, s, point, s->colliders + (uint32_t)face, &own, corner, &pair);
    const taut_mesh* mesh = mesh_of_corner(f, s, point);
    if (time > 1 || comes_apart(f, s, &own, corner, &pair, time) || meets_through_face(f, point, corner, &pair, time) ||
        (!pair.segment && corner_cuts(was, point, corner)) ||
        starts_beyond(f, point, s->colliders + (uint32_t)face, &pair) ||
        (mesh != NULL && pair_starts_within(f, mesh, &pair, false, thickness))) {
        return 2;
    }
    near_on_face(x + 3 * point, x + 3 * (size_t)corner[0], x + 3 * (size_t)corner[1], x + 3 * (size_t)corner[2],
                 pair.segment, weight, d);
    return attached_there(f, s, point, corner[0], vec3_dot(d, d)) ? 2 : time;
}

TAUT_FN double time_on_edge(const taut_fields* was, const taut_fields* f, const taut_sizes* s, size_t edge,
                            size_t with) {
    const uint32_t *own = f->edge_corner + 4 * edge, *other = f->edge_corner + 4 * with;
    moving_pair pair;
    if (!edge_may_touch(f, s, edge, with)) {
        return 2;
    }
    pair_of_edges(was, f, edge, with, &pair);
    const double thickness = thickness_of_pair(f, own[0], other[0]);
    const double time = time_of_parts(was, f, s, s->touching + edge, (uint32_t)with, own, other, &pair);
    const taut_mesh *first = mesh_of_corner(f, s, own[0]), *second = mesh_of_corner(f, s, other[0]);
    if (time > 1 || comes_apart(f, s, own, other, &pair, time) || meets_through_edge(was, f, own, other, &pair, time) ||
        edge_cuts(was, own, other) || edge_cuts(was, other, own) ||
        starts_beyond(f, s->touching + edge, (uint32_t)with, &pair) ||
        (first != NULL && pair_starts_within(f, first, &pair, false, thickness)) ||
        (second != NULL && pair_starts_within(f, second, &pair, true, thickness))) {
        return 2;
    }
    const bool two = f->touching_surface[own[0]] != f->touching_surface[other[0]];
    return two && !edges_start_apart(f, s, own, other) ? 2 : time;
}

/* The place x of the world in the axes of a collider. */
TAUT_FN void place_in_collider(const taut_fields* f, const taut_sizes* s, size_t collider, const double x[3],
                               double local[3]) {
    double q[4];
    const contact_side_of side = collider_side(f, s, collider, q);
    place_on_axes(&side, q, x, local);
}

/* The path of a point in the axes of a collider. */
TAUT_FN void path_in_collider(const taut_fields* was, const taut_fields* f, const taut_sizes* s, size_t point,
                              size_t collider, double from[3], double way[3]) {
    double start[3], along[3], end[3];
    path_of_point(was, f, s, point, start, along);
    place_in_collider(was, s, collider, start, from);
    vec3_axpy(1, start, along);
    place_in_collider(f, s, collider, along, end);
    vec3_sub(end, from, way);
}

/* How deep contacts may leave a point without a thickness in a collider, m: they hold no better than their system is
 * solved. A plane has no other side to come out of; what is not convex is thin somewhere. */
TAUT_FN double depth_of_thin_point(const taut_fields* f, size_t collider) {
    const double half = is_plane(f, collider) ? INFINITY : half_thickness(f, collider);
    return half > 0 ? TAUT_SOLID_OVERLAP * half
                    : TAUT_THIN_OVERLAP * shape_reach(f->collider_shape[collider], f->collider_size + 3 * collider);
}

/* Likewise of what may go into a collider; what is inside already may come out. */
TAUT_FN double time_on_collider(const taut_fields* was, const taut_fields* f, const taut_sizes* s, size_t point,
                                size_t collider) {
    const taut_mesh* mesh = deforming_mesh(f, s, collider);
    double from[3], way[3], normal[3], x[3], time = 0;
    if (f->touching_body[point].frame != TAUT_NO_NODE || !may_touch(f, s, point, collider)) {
        return 2;
    }
    if (mesh != NULL) {
        uint32_t triangle;
        return time_on_mesh(was, f, s, point, mesh, &triangle);
    }
    path_in_collider(was, f, s, point, collider, from, way);
    const double l = sqrt(vec3_dot(way, way)), radius = f->touching_place[point].radius;
    if (is_known_beyond(f, point, collider, from, (radius + l) * (1 + TAUT_KNOWN_ROUNDING))) {
        return 2;
    }
    const double depth = radius > 0 ? 0 : depth_of_thin_point(f, collider), thickness = radius > 0 ? radius : depth;
    double distance = depth + distance_of_point(f, point, collider, from, normal);
    if (!(distance > TAUT_SIDELESS * thickness && depth < INFINITY)) {
        return 2;
    }
    const meeting_bound bound = bound_of_meeting(distance, 0, thickness);
    for (int i = 0; i < TAUT_ADVANCES; i++) {
        const bool last = !(time + (distance - bound.sure) / l < 1);
        time = last ? 1 : time + (distance - bound.sure) / l;
        for (int a = 0; a < 3; a++) {
            x[a] = from[a] + time * way[a];
        }
        distance = depth + distance_of_point(f, point, collider, x, normal);
        if (distance <= bound.floor) {
            return time;
        }
        if (last) {
            return 2;
        }
    }
    return time;
}

/* ---- searching --------------------------------------------------------------------------------------------------- */

/* Where a pair of edges is nearest at the end, on each. */
TAUT_FN void edges_at_end(const taut_fields* f, const uint32_t* own, const uint32_t* other, double p[3], double q[3]) {
    const double *a = corner_x(f, own[0]), *b = corner_x(f, own[1]);
    const double *c = corner_x(f, other[0]), *e = corner_x(f, other[1]);
    double part[2] = {0.5, 0.5};
    (void)near_segments(a, b, c, e, part);
    for (int i = 0; i < 3; i++) {
        p[i] = (1 - part[0]) * a[i] + part[0] * b[i];
        q[i] = (1 - part[1]) * c[i] + part[1] * e[i];
    }
}

/* Whether a pair meets where a mesh has passed into itself by the end, so that nothing could stay outside it. */
TAUT_FN bool is_let_through(const taut_fields* f, const taut_sizes* s, size_t finder, uint32_t other) {
    if (s->deforming == 0 || finder >= first_solid(s)) {
        return false;
    }
    if (finder >= s->touching) {
        const uint32_t *own = f->edge_corner + 4 * (finder - s->touching), *met = f->edge_corner + 4 * (size_t)other;
        const double thickness = thickness_of_pair(f, own[0], met[0]);
        double p[3], q[3];
        edges_at_end(f, own, met, p, q);
        return edge_lets_through(f, s, own, p, met, true, thickness) ||
               edge_lets_through(f, s, met, q, own, true, thickness);
    }
    if (other < s->colliders) {
        return false; /* time_on_mesh has left out what is so */
    }
    const uint32_t* corner = f->face_corner + 4 * (size_t)(other - s->colliders);
    return corner_lets_through(f, s, finder, corner, true, thickness_of_pair(f, finder, corner[0]));
}

TAUT_FN double time_with(const taut_fields* was, const taut_fields* f, const taut_sizes* s, size_t finder,
                         uint32_t other) {
    const double time = finder >= first_solid(s) ? time_on_solid(was, f, s, finder - first_solid(s), other)
                        : finder >= s->touching  ? time_on_edge(was, f, s, finder - s->touching, other)
                        : other < s->colliders   ? time_on_collider(was, f, s, finder, other)
                                                 : time_on_face(was, f, s, finder, other - s->colliders);
    return time <= 1 && is_let_through(f, s, finder, other) ? 2 : time;
}

/* Whether a finder is none now. */
TAUT_FN bool crosses_nothing(const taut_fields* f, const taut_sizes* s, size_t finder) {
    const size_t edge = finder - s->touching;
    return finder >= first_solid(s) ? !finds_solids(f, s, finder - first_solid(s))
           : finder >= s->touching ? edge_stays_out(f, s, edge) || corners_are_still(f, s, f->edge_corner + 4 * edge, 2)
                                   : point_stays_out(f, s, finder);
}

/* What finder meets first; ties go to the first one in the order of the search. */
TAUT_FN crossing_met find_crossing(const taut_fields* was, const taut_fields* f, const taut_sizes* s, size_t finder) {
    const bool is_solid = finder >= first_solid(s), is_edge = finder >= s->touching && !is_solid;
    const size_t edge = is_edge ? finder - s->touching : 0;
    const taut_tree tree = is_edge ? edge_tree(f, s) : face_tree(f, s);
    crossing_met met = {TAUT_NO_NODE, 2};
    uint32_t wide = is_edge ? s->wide : 0, at = 1;
    float box[6];
    if (crosses_nothing(f, s, finder)) {
        return met;
    }
    if (is_solid) {
        const solid_way w = way_of_solid(was, f, s, finder - first_solid(s));
        box_clear(box);
        box_of_swept_collider(was, f, s, finder - first_solid(s), &w, box);
    } else if (is_edge) {
        box_of_swept_edge(was, f, s, edge, box);
    } else {
        box_of_swept_point(was, f, s, finder, box);
    }
    while (true) {
        const uint32_t other = wide < s->wide ? f->wide_collider[wide++] : tree_next(&tree, box, &at);
        if (other == UINT32_MAX) {
            return met;
        }
        const double time = is_solid && other >= s->colliders ? 2 : time_with(was, f, s, finder, other);
        if (time < met.time) {
            met.other = other;
            met.time = time;
        }
    }
}

/* Corners of surfaces in a crossing. */
TAUT_FN int corners_of_crossing(const taut_fields* f, const taut_sizes* s, size_t finder, uint32_t other,
                                uint32_t corner[4]) {
    const bool edge = finder >= s->touching, face = !edge && other >= s->colliders;
    const uint32_t* own = edge ? f->edge_corner + 4 * (finder - s->touching) : NULL;
    const uint32_t* met = edge   ? f->edge_corner + 4 * (size_t)other
                          : face ? f->face_corner + 4 * (size_t)(other - s->colliders)
                                 : NULL;
    int count = 0;
    for (int i = 0; i < (edge ? 2 : 1); i++) {
        corner[count++] = edge ? own[i] : (uint32_t)finder;
    }
    for (int i = 0; met != NULL && i < (edge ? 2 : 3); i++) {
        corner[count++] = met[i];
    }
    return count;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* Rows of a pair that meets: of the plane between the places that are to meet, each where it starts. */
TAUT_FN void found_of_pair(const taut_fields* was, const taut_fields* f, const taut_sizes* s, size_t finder,
                           uint32_t other, const uint32_t* a, const uint32_t* b, const moving_pair* pair, double time,
                           contact_found* found) {
    taut_start start;
    double d[3], p[3] = {0, 0, 0}, q[3] = {0, 0, 0};
    const double distance = pair_at(pair, time, found->weight, d);
    for (int i = 0; i < 4; i++) {
        vec3_axpy(i < pair->own ? found->weight[i] : -found->weight[i], pair->from[i], i < pair->own ? p : q);
    }
    for (int i = 0; i < 3; i++) {
        found->normal[i] = d[i] / distance;
    }
    vec3_sub(p, q, d);
    const double now = vec3_dot(found->normal, d);
    const double left = kept_on_way(was, f, s, finder, other, a, b, pair, &start);
    /* Parts of a material that started nearer than their thickness, and those beside each other in a surface, only do
     * not pass through each other. */
    const bool starts_near =
        start == TAUT_STARTS_BESIDE || (have_one_material(f, a[0], b[0]) && start != TAUT_STARTS_APART);
    found->gap = now - (starts_near ? fmin(left, fmax(now, 0.0) / 2) : left);
    vec3_axpy(-solid_radius(was, a[0]), found->normal, p);
    vec3_axpy(solid_radius(was, b[0]), found->normal, q);
    found_on_surface(was, s, a, pair->own, q, b, p, found); /* forces act where the places meet: each at its own */
}

/* A point and a collider: the plane that it meets. */
TAUT_FN void found_of_collider(const taut_fields* was, const taut_fields* f, const taut_sizes* s, size_t point,
                               size_t collider, double time, contact_found* found) {
    double from[3], way[3], x[3], normal[3], q[4];
    path_in_collider(was, f, s, point, collider, from, way);
    for (int a = 0; a < 3; a++) {
        x[a] = from[a] + time * way[a];
    }
    const double distance = collider_distance(f, collider, x, normal);
    const double radius = f->touching_place[point].radius;
    contact_side_of own = touching_side(was, s, point), other = collider_side(was, s, collider, q);
    quat_rotate(q, normal, found->normal);
    found->gap = distance - time * vec3_dot(normal, way) - radius;
    put_on_collider(radius + found->gap, found->normal, &own, &other);
    const uint32_t node[6] = {own.node, other.node, TAUT_NO_NODE, TAUT_NO_NODE, own.frame, other.frame};
    const double weight[4] = {1, other.node != TAUT_NO_NODE ? -1.0 : 0.0, 0, 0};
    for (int i = 0; i < 6; i++) {
        found->node[i] = node[i];
        found->weight[i % 4] = weight[i % 4];
    }
    arm_of(was, &own, found->arm);
    arm_of(was, &other, found->arm + 3);
    found->law = f->touching_class[point].material * s->materials + f->collider_class[collider].material;
}

TAUT_FN void found_crossing(const taut_fields* was, const taut_fields* f, const taut_sizes* s, size_t finder,
                            const crossing_met* met, contact_found* found) {
    moving_pair pair;
    if (finder >= first_solid(s)) {
        found_of_solids(was, f, s, finder - first_solid(s), met->other, met->time, found);
    } else if (finder >= s->touching) {
        const size_t edge = finder - s->touching;
        const uint32_t *own = f->edge_corner + 4 * edge, *other = f->edge_corner + 4 * (size_t)met->other;
        pair_of_edges(was, f, edge, met->other, &pair);
        found_of_pair(was, f, s, finder, met->other, own, other, &pair, met->time, found);
    } else if (met->other < s->colliders) {
        const taut_mesh* mesh = deforming_mesh(f, s, met->other);
        if (mesh != NULL) {
            found_of_deforming(was, f, s, finder, met->other, mesh, found);
        } else {
            found_of_collider(was, f, s, finder, met->other, met->time, found);
        }
    } else {
        const size_t face = met->other - s->colliders;
        const uint32_t *corner = f->face_corner + 4 * face, own = (uint32_t)finder;
        pair_of_face(was, f, s, finder, face, &pair);
        found_of_pair(was, f, s, finder, met->other, &own, corner, &pair, met->time, found);
    }
}

/* What a finder was found to pass through, in the list of a round. */
TAUT_FN void list_crossing(const taut_fields* was, const taut_fields* f, const taut_sizes* s, size_t finder,
                           uint32_t round, taut_crossing* to) {
    const crossing_met met = {f->crossing_other[finder], time_with(was, f, s, finder, f->crossing_other[finder])};
    to->finder = (uint32_t)finder;
    to->other = met.other;
    found_crossing(was, f, s, finder, &met, &to->found);
    to->found.feature = TAUT_CROSSING_FEATURE + round;
}

#endif
