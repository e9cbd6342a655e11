/* Solid colliders that would pass through each other in a part of a substep: each goes straight and turns evenly, from
 * its start to its end. Contacts may overlap by a part of the thinner one, and hold what is slow: of pairs that have
 * one, what moves by no more than half of its thickness is not looked at. What is thrown within the part by something
 * else may meet what it was too far from to have a contact. Text for a file that has defined TAUT_REAL as double. */
#ifndef TAUT_CONTACT_CROSSING_SOLIDS_H
#define TAUT_CONTACT_CROSSING_SOLIDS_H

#include "kernels/stages/contact/collide_facets.h"
#include "kernels/stages/contact/crossing_paths.h"
#include "kernels/stages/contact/thickness.h"
#include "kernels/stages/frames.h"

/* Overlap that is left to contacts, in halves of the least extent; and that for which nothing is held that rows have
 * not stopped. */
#define TAUT_SOLID_OVERLAP      0.05
#define TAUT_SOLID_OVERLAP_HELD 0.25

/* x = from + t way + t^2 fall, plus an arm that turns with it; q = exp(t turn) q, or as a part of t h turns what has
 * the inertia of a frame and nothing acts on. */
typedef struct solid_way {
    double from[3], way[3], q[4], turn[3], reach;
    double fall[3], arm[3];
    double round;          /* how much of a turn moves its surface: that about the axis of what is round does not */
    const double* inertia; /* NULL: it turns evenly */
    double frame[4], h, beta;
} solid_way;

TAUT_FN solid_way way_of_solid(const taut_fields* was, const taut_fields* f, const taut_sizes* s, size_t collider) {
    solid_way out;
    double q[4], inverse[4], turn[4];
    const contact_side_of start = collider_side(was, s, collider, out.q), end = collider_side(f, s, collider, q);
    quat_conjugate(out.q, inverse);
    quat_multiply(q, inverse, turn);
    quat_log(turn, out.turn);
    out.reach = shape_reach(f->collider_shape[collider], f->collider_size + 3 * collider);
    for (int a = 0; a < 3; a++) {
        out.from[a] = start.x[a];
        out.way[a] = end.x[a] - start.x[a];
        out.fall[a] = out.arm[a] = 0;
    }
    out.round = turn_that_shows(f->collider_shape[collider], out.q, out.turn);
    out.inertia = NULL;
    return out;
}

/* How far any place of it goes at most, about the way of its origin; planes do not turn. */
TAUT_FN double turned_way(const solid_way* w) {
    const double arm = sqrt(vec3_dot(w->arm, w->arm));
    return w->reach < INFINITY ? (w->round * w->reach + arm) * sqrt(vec3_dot(w->turn, w->turn)) : 0;
}

/* How far any place of it goes at most. */
TAUT_FN double longest_way(const solid_way* w) {
    return sqrt(vec3_dot(w->way, w->way)) + sqrt(vec3_dot(w->fall, w->fall)) + turned_way(w);
}

/* How much two may come together at most. */
TAUT_FN double longest_approach(const solid_way w[2]) {
    double way[3], fall[3];
    vec3_sub(w[0].way, w[1].way, way);
    vec3_sub(w[0].fall, w[1].fall, fall);
    return sqrt(vec3_dot(way, way)) + sqrt(vec3_dot(fall, fall)) + turned_way(&w[0]) + turned_way(&w[1]);
}

/* By how much a pair may come together along a normal, from the second one to the first, from a time on in the rest of
 * its way: it keeps that much of the gap that it has along it, and so of any. */
TAUT_FN double approach_along(const solid_way w[2], double time, const double normal[3]) {
    double way[3], fall[3];
    vec3_sub(w[0].way, w[1].way, way);
    vec3_sub(w[0].fall, w[1].fall, fall);
    const double closes = -vec3_dot(normal, way), falls = -2 * vec3_dot(normal, fall);
    const double most = closes + fmax(time * falls, falls) + turned_way(&w[0]) + turned_way(&w[1]);
    return fmax(most, 0.0);
}

/* The turn in a part of the time `time`, of which `part` is what it were if it turned evenly. */
TAUT_FN void turn_freely(const solid_way* w, double time, double part[3]) {
    const double none[3] = {0, 0, 0}, h = time * w->h;
    double omega[3], d[3];
    if (w->inertia != NULL && h > 0) {
        for (int a = 0; a < 3; a++) {
            omega[a] = w->turn[a] / w->h;
        }
        momentum_change(w->frame, w->inertia, omega, none, h, w->beta, d);
        vec3_axpy(h * w->beta, d, part);
    }
}

/* Origin and axes at a time. */
TAUT_FN void pose_on_way(const solid_way* w, double time, double x[3], double q[4]) {
    double part[3], turn[4], arm[3];
    for (int a = 0; a < 3; a++) {
        x[a] = w->from[a] + time * w->way[a] + time * time * w->fall[a];
        part[a] = time * w->turn[a];
    }
    turn_freely(w, time, part);
    quat_exp(part, turn);
    quat_multiply(turn, w->q, q);
    quat_rotate(turn, w->arm, arm);
    vec3_axpy(1, arm, x);
}

TAUT_FN convex solid_on_way(const taut_fields* f, size_t collider, const solid_way* w, double time,
                            const double origin[3]) {
    double x[3], q[4], axis[3][3];
    convex out = convex_of(f, collider, origin);
    pose_on_way(w, time, x, q);
    quat_axes(q, axis);
    vec3_sub(x, origin, out.x);
    for (int a = 0; a < 3; a++) {
        for (int k = 0; k < 3; k++) {
            out.axis[a][k] = axis[a][k];
        }
    }
    return out;
}

/* The normal of two boxes that overlap, by their axes; false where they do not. */
TAUT_FN bool normal_of_boxes(const convex* a, const convex* b, double normal[3]) {
    const box_pair pair = box_pair_of(a, b);
    box_axis axis[3];
    int best = 0;
    best_face(&pair, true, INFINITY, &axis[0]);
    best_face(&pair, false, INFINITY, &axis[1]);
    best_edges(&pair, fmax(axis[0].gap, axis[1].gap), INFINITY, &axis[2]);
    for (int i = 1; i < 3; i++) {
        best = axis[i].gap > axis[best].gap ? i : best;
    }
    for (int k = 0; k < 3; k++) {
        normal[k] = axis[best].normal[k];
    }
    return axis[best].gap <= 0;
}

/* How far a pair may reach into each other that starts with this gap, m: little more than at the start while there are
 * rounds of rows. */
TAUT_FN double overlap_of_solids(const taut_fields* f, double half, double gap) {
    const double most = TAUT_SOLID_OVERLAP_HELD * half, more = TAUT_SOLID_OVERLAP * half - fmin(gap, 0.0);
    return f->crossing_count[TAUT_CROSSING_ROUNDS - 1] > 0 ? most : fmin(more, most);
}

/* The gap of a pair at a time, negative where it overlaps, and the normal from the second one to the first. */
TAUT_FN double solids_gap(const taut_fields* f, const size_t pair[2], const solid_way w[2], double time,
                          double normal[3]) {
    double origin[3], x[3], q[4], axis[3][3], far[3], back[3];
    pose_on_way(&w[0], time, origin, q);
    const convex a = solid_on_way(f, pair[0], &w[0], time, origin);
    if (is_plane(f, pair[1])) {
        pose_on_way(&w[1], time, x, q);
        quat_axes(q, axis);
        for (int k = 0; k < 3; k++) {
            normal[k] = axis[2][k];
            back[k] = -normal[k];
            x[k] -= origin[k];
        }
        convex_farthest(&a, back, far);
        return vec3_dot(normal, far) - vec3_dot(normal, x) - a.radius;
    }
    const convex b = solid_on_way(f, pair[1], &w[1], time, origin);
    if (a.core != CONVEX_BOX || b.core != CONVEX_BOX || !normal_of_boxes(&a, &b, normal)) {
        convex_direction(&a, &b, TAUT_FARTHEST, normal);
    }
    return convex_gap(&a, &b, normal);
}

/* ---- meshes that are not convex ---------------------------------------------------------------------------------- */

/* The same of a convex collider, the first one, and a triangle of such a mesh, the second one. */
TAUT_FN double facet_gap(const taut_fields* f, const size_t pair[2], const solid_way w[2], double time,
                         uint32_t triangle, double normal[3]) {
    const taut_mesh* mesh = &f->mesh[f->collider_mesh[pair[1]]];
    convex facet = convex_plain(CONVEX_TRIANGLE, mesh->half, w[1].reach);
    double x[3], q[4];
    pose_on_way(&w[1], time, x, q);
    quat_axes(q, facet.axis);
    facet.corners = 3;
    facet.corner = f->mesh_corner + 9 * (mesh->first_triangle + triangle);
    facet.number = triangle;
    const convex solid = solid_on_way(f, pair[0], &w[0], time, x);
    convex_direction(&solid, &facet, TAUT_FARTHEST, normal);
    return convex_gap(&solid, &facet, normal);
}

/* The box, in the axes of the mesh as it starts, of all that the solid comes to. */
TAUT_FN void box_of_swept_facets(const solid_way w[2], float box[6]) {
    double axis[3][3], from[3], way[3], at[3];
    const double reach = w[0].reach + turned_way(&w[0]) + turned_way(&w[1]);
    quat_axes(w[1].q, axis);
    vec3_sub(w[0].from, w[1].from, from);
    vec3_sub(w[0].way, w[1].way, way);
    box_clear(box);
    for (int end = 0; end < 2; end++) {
        for (int a = 0; a < 3; a++) {
            at[a] = vec3_dot(axis[a], from) + end * vec3_dot(axis[a], way);
        }
        box_add(at, reach, box);
    }
}

/* ---- times ------------------------------------------------------------------------------------------------------- */

/* Whether the search at the start has found a pair. */
TAUT_FN bool have_contact(const taut_fields* f, const taut_sizes* s, size_t a, size_t b) {
    const size_t finder = first_solid(s) + a;
    bool any = false;
    for (size_t c = f->contact_begin[finder]; !any && c < f->contact_begin[finder + 1]; c++) {
        any = f->contact_pair[2 * c + 1] == b && f->contact_feature[c] < TAUT_CROSSING_FEATURE;
    }
    return any;
}

/* The gap of a pair, or of its first one and a triangle of the second, which is TAUT_NO_NODE where there is none. */
TAUT_FN double gap_on_way(const taut_fields* f, const size_t pair[2], const solid_way w[2], double time,
                          uint32_t triangle, double normal[3]) {
    return triangle != TAUT_NO_NODE ? facet_gap(f, pair, w, time, triangle, normal)
                                    : solids_gap(f, pair, w, time, normal);
}

/* When a pair overlaps by too much, in [0, 1]; 2: never, or from the start. */
TAUT_FN double time_of_overlapping(const taut_fields* f, const size_t pair[2], const solid_way w[2], double half,
                                   uint32_t triangle) {
    double normal[3], time = 0;
    const double gap = gap_on_way(f, pair, w, 0, triangle, normal), overlap = overlap_of_solids(f, half, gap);
    double distance = overlap + gap;
    const meeting_bound bound = bound_of_meeting(distance, 0, overlap);
    if (!(distance > TAUT_SIDELESS * overlap)) {
        return 2;
    }
    for (int i = 0; i < TAUT_ADVANCES; i++) {
        const double next = time + (distance - bound.sure) / approach_along(w, time, normal);
        const bool last = !(next < 1);
        time = last ? 1 : next;
        distance = overlap + gap_on_way(f, pair, w, time, triangle, normal);
        if (distance <= bound.floor) {
            return time;
        }
        if (last) {
            return 2;
        }
    }
    return time;
}

/* Of a solid and a mesh that is not convex: also the first triangle. */
TAUT_FN double time_on_facets(const taut_fields* f, const size_t pair[2], const solid_way w[2], double half,
                              uint32_t* triangle) {
    const taut_mesh* of = &f->mesh[f->collider_mesh[pair[1]]];
    const mesh_triangles mesh = mesh_triangles_now(f, of);
    uint32_t node = 1, next;
    double first = 2;
    float box[6];
    box_of_swept_facets(w, box);
    while ((next = next_triangle(&mesh, box, &node)) != TAUT_NO_NODE) {
        const double time = time_of_overlapping(f, pair, w, half, next);
        if (time < first) {
            first = time;
            *triangle = next;
        }
    }
    return first;
}

/* Whether a pair that comes together by no more than l need not be looked at. */
TAUT_FN bool keeps_apart(const taut_fields* f, const taut_sizes* s, size_t a, size_t b, double half, double l) {
    return !(half > 0 && l > TAUT_SOLID_OVERLAP * half) || (l <= half && have_contact(f, s, a, b));
}

/* Where a collider starts, and the way of its origin. */
typedef struct solid_start {
    double from[3], axis[3][3], way[3];
    double turned; /* by how much more any place of it goes */
} solid_start;

TAUT_FN solid_start start_of_solid(const taut_fields* was, const taut_fields* f, const taut_sizes* s, size_t collider) {
    solid_start out;
    double q[4], end_q[4];
    const contact_side_of start = collider_side(was, s, collider, q), end = collider_side(f, s, collider, end_q);
    quat_axes(q, out.axis);
    vec3_sub(end.x, start.x, out.way);
    for (int k = 0; k < 3; k++) {
        out.from[k] = start.x[k];
    }
    out.turned = f->collider_way[collider] - sqrt(vec3_dot(out.way, out.way));
    return out;
}

TAUT_FN convex solid_at_start(const taut_fields* f, size_t collider, const solid_start* start) {
    convex out = convex_of(f, collider, start->from);
    for (int a = 0; a < 3; a++) {
        out.x[a] = start->from[a];
        for (int k = 0; k < 3; k++) {
            out.axis[a][k] = start->axis[a][k];
        }
    }
    return out;
}

/* Whether a pair starts farther apart, by what tells that quickly, than it may come together: balls about both, and of
 * boxes the normals of faces. Most pairs that are looked at need no more. A plane does not turn. */
TAUT_FN bool start_far_apart(const taut_fields* was, const taut_fields* f, const taut_sizes* s, size_t a, size_t b) {
    const solid_start one = start_of_solid(was, f, s, a), two = start_of_solid(was, f, s, b);
    const double reach = f->solid[a].reach;
    double apart[3], way[3];
    box_axis along;
    vec3_sub(one.from, two.from, apart);
    vec3_sub(one.way, two.way, way);
    const double most = sqrt(vec3_dot(way, way)) + one.turned + two.turned;
    if (is_plane(f, b)) {
        return vec3_dot(two.axis[2], apart) > reach + most;
    }
    const double far = reach + f->solid[b].reach + most;
    if (f->collider_shape[a] != TAUT_SHAPE_BOX || f->collider_shape[b] != TAUT_SHAPE_BOX ||
        vec3_dot(apart, apart) > far * far) {
        return vec3_dot(apart, apart) > far * far;
    }
    const convex box = solid_at_start(f, a, &one), other = solid_at_start(f, b, &two);
    const box_pair pair = box_pair_of(&box, &other);
    return !best_face(&pair, true, most, &along) || !best_face(&pair, false, most, &along);
}

/* After the boxes of the part were found: they tell how far each one goes. */
TAUT_FN double time_on_solid(const taut_fields* was, const taut_fields* f, const taut_sizes* s, size_t a, size_t b) {
    const size_t pair[2] = {a, b};
    double apart[3];
    uint32_t triangle;
    const bool facets = meet_as_facets(f, a, b), plane = is_plane(f, b);
    const double half = plane || facets ? half_thickness(f, a) : fmin(half_thickness(f, a), half_thickness(f, b));
    if (is_facets(f, a) || !colliders_may_touch(f, s, a, b) ||
        keeps_apart(f, s, a, b, half, f->collider_way[a] + f->collider_way[b]) || start_far_apart(was, f, s, a, b)) {
        return 2;
    }
    const solid_way w[2] = {way_of_solid(was, f, s, a), way_of_solid(was, f, s, b)};
    vec3_sub(w[0].from, w[1].from, apart);
    const double l = longest_approach(w);
    const double reach = w[0].reach + w[1].reach + l;
    if ((plane && vec3_dot(w[1].turn, w[1].turn) > 0) || vec3_dot(apart, apart) > reach * reach ||
        keeps_apart(f, s, a, b, half, l)) {
        return 2;
    }
    return facets ? time_on_facets(f, pair, w, half, &triangle) : time_of_overlapping(f, pair, w, half, TAUT_NO_NODE);
}

/* The place of the first core farthest towards the second one at a time, where it starts; or with `sign` -1 the other
 * way round. */
TAUT_FN void meeting_place(const taut_fields* f, size_t collider, const solid_way* w, double time,
                           const double normal[3], double sign, double place[3]) {
    double x[3], q[4], inverse[4], local[3], far[3];
    const double origin[3] = {0, 0, 0}, d[3] = {-sign * normal[0], -sign * normal[1], -sign * normal[2]};
    const convex at = solid_on_way(f, collider, w, time, origin);
    convex_farthest(&at, d, far);
    pose_on_way(w, time, x, q);
    quat_conjugate(q, inverse);
    vec3_axpy(at.radius, d, far);
    vec3_sub(far, x, far);
    quat_rotate(inverse, far, local);
    quat_rotate(w->q, local, place);
    vec3_axpy(1, w->from, place);
}

/* Where that place of the second one starts which is `gap` beneath one of the first, that starts at `own`, at a time.
 */
TAUT_FN void place_beside(const solid_way w[2], double time, const double own[3], double gap, const double normal[3],
                          double place[3]) {
    double x[3], q[4], inverse[4], local[3], at[3];
    vec3_sub(own, w[0].from, local);
    quat_conjugate(w[0].q, inverse);
    quat_rotate(inverse, local, at);
    pose_on_way(&w[0], time, x, q);
    quat_rotate(q, at, place);
    vec3_axpy(1, x, place);
    vec3_axpy(-gap, normal, place);
    pose_on_way(&w[1], time, x, q);
    vec3_sub(place, x, local);
    quat_conjugate(q, inverse);
    quat_rotate(inverse, local, at);
    quat_rotate(w[1].q, at, place);
    vec3_axpy(1, w[1].from, place);
}

/* Rows of the plane between the places that are to meet, each where it starts. */
TAUT_FN void found_of_solids(const taut_fields* was, const taut_fields* f, const taut_sizes* s, size_t a, size_t b,
                             double time, contact_found* found) {
    const size_t pair[2] = {a, b};
    const solid_way w[2] = {way_of_solid(was, f, s, a), way_of_solid(was, f, s, b)};
    double place[2][3], apart[3], gap = 0;
    if (is_facets(f, b)) {
        uint32_t triangle = 0;
        time_on_facets(f, pair, w, half_thickness(f, a), &triangle);
        gap = facet_gap(f, pair, w, time, triangle, found->normal);
    } else {
        solids_gap(f, pair, w, time, found->normal);
    }
    found->law = f->collider_class[a].material * s->materials + f->collider_class[b].material;
    for (int k = 0; k < 2; k++) {
        if (is_plane(f, pair[k])) { /* beneath the other one */
            vec3_sub(place[0], w[1].from, apart);
            for (int i = 0; i < 3; i++) {
                place[1][i] = place[0][i];
            }
            vec3_axpy(-vec3_dot(apart, found->normal), found->normal, place[1]);
        } else if (k == 1 && is_facets(f, b)) { /* as far from the other one as they are apart */
            place_beside(w, time, place[0], gap, found->normal, place[1]);
        } else {
            meeting_place(f, pair[k], &w[k], time, found->normal, k == 0 ? 1 : -1, place[k]);
        }
        found_on_body(was, f->collider_body[pair[k]], TAUT_NO_NODE, k, place[k], 0, found);
    }
    vec3_sub(place[0], place[1], apart);
    found->gap = vec3_dot(found->normal, apart);
}

#endif
