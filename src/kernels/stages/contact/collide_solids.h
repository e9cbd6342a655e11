/* Collide: pairs of colliders, at least one of which moves. Each pair is looked at once, and has a contact for every
 * place of its manifold. Text for a file that has defined TAUT_REAL as double. */
#ifndef TAUT_CONTACT_COLLIDE_SOLIDS_H
#define TAUT_CONTACT_COLLIDE_SOLIDS_H

#include "kernels/stages/contact/box_pair.h"
#include "kernels/stages/contact/collide_curved.h"
#include "kernels/stages/contact/collide_meshes.h"
#include "kernels/stages/contact/collide_pair.h"
#include "kernels/stages/contact/corners.h"

/* ---- which pairs ------------------------------------------------------------------------------------------------- */

/* Pairs are of two convex colliders; of one and a mesh that is not, which finds the other one if that is still; or of
 * two such meshes that are closed. */

/* Whether a collider has no end: others find it, and it finds none. */
TAUT_FN bool is_plane(const taut_fields* f, size_t collider) {
    return f->collider_shape[collider] == TAUT_SHAPE_PLANE;
}

TAUT_FN bool is_convex(const taut_fields* f, size_t collider) {
    return (f->collider_class[collider].flags & TAUT_COLLIDER_SOLID) != 0;
}

TAUT_FN bool finds_solids(const taut_fields* f, const taut_sizes* s, size_t collider) {
    return is_convex(f, collider) && !is_plane(f, collider) && !is_still(f, s, f->collider_body[collider]);
}

/* Whether it may find something. */
TAUT_FN bool finds_colliders(const taut_fields* f, const taut_sizes* s, size_t collider) {
    return finds_solids(f, s, collider) || (is_facets(f, collider) && !is_still(f, s, f->collider_body[collider]));
}

/* Whether two colliders meet at all. */
TAUT_FN bool colliders_meet(const taut_fields* f, const taut_sizes* s, size_t a, size_t b) {
    const taut_body_nodes one = f->collider_body[a], two = f->collider_body[b];
    return classes_meet(f->collider_class[a], f->collider_class[b]) && one.centre != two.centre &&
           !are_excluded(f, s, one.frame, two.frame) && !bodies_are_joined(f, s, one, two);
}

TAUT_FN bool is_closed(const taut_fields* f, size_t facets) {
    return f->mesh[f->collider_mesh[facets]].half == 0;
}

/* Whether the first of such a pair, which may find something, finds the second. */
TAUT_FN bool facets_may_touch(const taut_fields* f, const taut_sizes* s, size_t a, size_t b) {
    const bool finds = finds_solids(f, s, a) || !finds_solids(f, s, b);
    const bool meshes = is_facets(f, a) && is_facets(f, b) && is_closed(f, a) && is_closed(f, b) &&
                        (b > a || !finds_colliders(f, s, b));
    return (meshes || (finds && is_convex(f, a) != is_convex(f, b))) && !is_plane(f, a) && !is_plane(f, b) &&
           colliders_meet(f, s, a, b);
}

/* Whether the first finds the second, and both are convex. */
TAUT_FN bool solids_may_touch(const taut_fields* f, const taut_sizes* s, size_t a, size_t b) {
    return is_convex(f, b) && (b > a || !finds_solids(f, s, b)) && colliders_meet(f, s, a, b);
}

/* Whether the first, which may find something, finds the second. */
TAUT_FN bool colliders_may_touch(const taut_fields* f, const taut_sizes* s, size_t a, size_t b) {
    return meet_as_facets(f, a, b) ? facets_may_touch(f, s, a, b) : solids_may_touch(f, s, a, b);
}

/* ---- shapes ------------------------------------------------------------------------------------------------------ */

TAUT_FN convex_core core_of_shape(uint32_t shape) {
    switch (shape) {
    case TAUT_SHAPE_SPHERE:
        return CONVEX_POINT;
    case TAUT_SHAPE_CAPSULE:
        return CONVEX_SEGMENT;
    case TAUT_SHAPE_BOX:
        return CONVEX_BOX;
    case TAUT_SHAPE_CYLINDER:
        return CONVEX_CYLINDER;
    case TAUT_SHAPE_CONE:
        return CONVEX_CONE;
    case TAUT_SHAPE_MESH:
        return CONVEX_HULL;
    default:
        return CONVEX_POINT;
    }
}

/* Where a collider is now: before anything is looked for. */
TAUT_FN void place_solid(const taut_fields* f, const taut_sizes* s, size_t collider) {
    taut_solid* solid = &f->solid[collider];
    double q[4];
    solid->reach = shape_reach(f->collider_shape[collider], f->collider_size + 3 * collider);
    contact_side_of side = collider_side(f, s, collider, q);
    place_velocity(f, &side);
    quat_axes(q, solid->axis);
    solid->spin = 0;
    for (int a = 0; a < 3; a++) {
        solid->x[a] = side.x[a];
        solid->v[a] = side.v[a];
    }
    if (side.frame != TAUT_NO_NODE) {
        const double* spin = f->v + 3 * (size_t)side.frame;
        const double turn = sqrt(vec3_dot(spin, spin));
        solid->spin = turn > 0 ? turn * solid->reach : 0;
    }
}

/* A collider that is not a plane, seen from `origin`. */
TAUT_FN convex convex_of(const taut_fields* f, size_t collider, const double origin[3]) {
    const uint32_t shape = f->collider_shape[collider];
    const double* size = f->collider_size + 3 * collider;
    const taut_solid* solid = &f->solid[collider];
    const bool round = shape == TAUT_SHAPE_SPHERE || shape == TAUT_SHAPE_CAPSULE;
    convex out;
    out.core = core_of_shape(shape);
    out.radius = round ? size[0] : 0;
    out.reach = solid->reach;
    out.corners = out.faces = out.number = 0;
    out.corner = NULL;
    out.begin = out.to = NULL;
    out.face = NULL;
    for (int a = 0; a < 3; a++) {
        out.size[a] = size[a];
        for (int k = 0; k < 3; k++) {
            out.axis[a][k] = solid->axis[a][k];
        }
    }
    vec3_sub(solid->x, origin, out.x);
    if (shape == TAUT_SHAPE_MESH) {
        const taut_hull* hull = &f->hull[f->mesh[f->collider_mesh[collider]].hull];
        out.corners = hull->corners;
        out.faces = hull->faces;
        out.corner = f->hull_corner + 3 * hull->first_corner;
        out.begin = f->hull_begin + hull->first_begin;
        out.to = f->hull_link + hull->first_link;
        out.face = f->hull_face + hull->first_face;
    }
    return out;
}

/* ---- planes and balls -------------------------------------------------------------------------------------------- */

/* Adds a place of the core of what touches a plane through `x`. */
TAUT_FN void add_above_plane(const convex* a, const double place[3], const double x[3], double most, uint32_t feature,
                             uint32_t* count, const double normal[3], manifold_point* all) {
    double above[3];
    vec3_sub(place, x, above);
    const double height = vec3_dot(above, normal), gap = height - a->radius;
    if (gap <= most && *count < CLIPPED_CORNERS) {
        manifold_point* p = &all[(*count)++];
        p->gap = gap;
        p->feature = feature;
        for (int k = 0; k < 3; k++) {
            p->x[k] = place[k] - 0.5 * (height + a->radius) * normal[k];
        }
    }
}

/* A plane through `x`: corners, or the side that faces it. */
TAUT_FN void manifold_on_plane(const convex* a, const double x[3], const double normal[3], double most,
                               contact_manifold* m) {
    const double back[3] = {-normal[0], -normal[1], -normal[2]};
    manifold_point all[CLIPPED_CORNERS];
    uint32_t count = 0;
    convex_side side;
    for (int k = 0; k < 3; k++) {
        m->normal[k] = normal[k];
    }
    if (convex_is_flat(a) && convex_corners(a) <= CLIPPED_CORNERS) {
        for (uint32_t i = 0; i < convex_corners(a); i++) {
            double place[3];
            convex_corner(a, i, place);
            add_above_plane(a, place, x, most, i, &count, normal, all);
        }
    } else {
        convex_side_facing(a, back, &side);
        for (uint32_t i = 0; i < side.count; i++) {
            add_above_plane(a, side.x[i], x, most, 64 * side.id + i, &count, normal, all);
        }
    }
    choose_points(all, count, MANIFOLD_LEVEL * a->reach, m);
}

/* A ball and another shape, whose distance has a formula. `first`: the ball is A. */
TAUT_FN void manifold_of_ball(const convex* ball, uint32_t shape, const convex* other, bool first, double most,
                              contact_manifold* m) {
    double apart[3], local[3], normal[3], outwards[3];
    vec3_sub(ball->x, other->x, apart);
    convex_inwards(other, apart, local);
    const double distance = shape_distance(shape, other->size, local, normal), gap = distance - ball->radius;
    convex_outwards(other, normal, outwards);
    m->count = gap <= most ? 1 : 0;
    m->point[0].gap = gap;
    m->point[0].feature = 0;
    for (int k = 0; k < 3; k++) {
        m->normal[k] = first ? outwards[k] : -outwards[k];
        m->point[0].x[k] = ball->x[k] - 0.5 * (distance + ball->radius) * outwards[k];
    }
}

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

/* The gap up to which places of two colliders may be near: what their speeds close within two steps. */
TAUT_FN double reach_of_solids(const taut_fields* f, size_t a, size_t b, const taut_factors* step) {
    const taut_solid *own = &f->solid[a], *other = &f->solid[b];
    double v[3];
    vec3_sub(own->v, other->v, v);
    return step->near + 2 * step->sight * (sqrt(vec3_dot(v, v)) + own->spin + other->spin) + fall_of(step);
}

/* Whether a ball about the first one is farther than that from one about the second, or from the plane that this is. */
TAUT_FN bool are_far_apart(const taut_fields* f, size_t first, size_t second, double most) {
    const taut_solid *a = &f->solid[first], *b = &f->solid[second];
    double apart[3];
    vec3_sub(a->x, b->x, apart);
    if (is_plane(f, second)) {
        return vec3_dot(apart, b->axis[2]) > a->reach + most;
    }
    const double far = a->reach + b->reach + most;
    return vec3_dot(apart, apart) > far * far;
}

/* How two shapes touched in the last step; `finder` is the first one. */
TAUT_FN last_patch last_patch_of(const taut_fields* f, size_t finder, size_t second) {
    last_patch last = {BOX_NEW, 0};
    for (uint32_t i = f->contact_begin_last[finder]; i < f->contact_begin_last[finder + 1]; i++) {
        if (f->contact_pair_last[2 * (size_t)i + 1] == second) {
            const uint32_t feature = f->contact_feature_last[i];
            last.touch = last.touch == BOX_NEW ? box_touch_of(feature) : last.touch;
            last.cuts |= cut_of(feature);
        }
    }
    return last;
}

/* Places are measured from the first one's origin. `way`: the first one is so far from where it is. */
TAUT_FN void manifold_of_solids(const taut_fields* f, size_t first, size_t second, last_patch last, const double way[3],
                                double most, contact_manifold* m) {
    const double* origin = f->solid[first].x;
    const uint32_t shape[2] = {f->collider_shape[first], f->collider_shape[second]};
    convex a = convex_of(f, first, origin);
    const convex b = convex_of(f, second, origin);
    vec3_axpy(1, way, a.x);
    if (shape[0] == TAUT_SHAPE_BOX && shape[1] == TAUT_SHAPE_BOX) {
        manifold_of_boxes(&a, &b, last, most, m);
    } else if (shape[1] == TAUT_SHAPE_PLANE) {
        manifold_on_plane(&a, b.x, b.axis[2], most, m);
    } else if (shape[0] == TAUT_SHAPE_SPHERE && b.core != CONVEX_HULL) {
        manifold_of_ball(&a, shape[1], &b, true, most, m);
    } else if (shape[1] == TAUT_SHAPE_SPHERE && a.core != CONVEX_HULL) {
        manifold_of_ball(&b, shape[0], &a, false, most, m);
    } else {
        manifold_of(&a, &b, MANIFOLD_AT_EDGES, most, m);
    }
    for (uint32_t i = 0; i < m->count; i++) {
        for (int k = 0; k < 3; k++) {
            m->point[i].normal[k] = m->normal[k];
        }
    }
    m->corners = m->count;
    if (m->count > 0 && corners_meet(&a, shape[0], &b, shape[1])) {
        add_corners(&a, shape[0], &b, true, most, m);
    } else if (m->count > 0 && corners_meet(&b, shape[1], &a, shape[0])) {
        add_corners(&b, shape[1], &a, false, most, m);
    }
}

/* Of a collider beside a mesh in this time. */
TAUT_FN facets_motion motion_beside(const taut_fields* f, size_t solid, size_t mesh, double time) {
    const taut_body_nodes body[2] = {f->collider_body[solid], f->collider_body[mesh]};
    facets_motion motion = {{0, 0, 0}, {0, 0, 0}};
    for (int k = 0; k < 2; k++) {
        const double* x = f->solid[solid].x;
        contact_side_of side = {body[k].centre, body[k].frame, {x[0], x[1], x[2]}, {0, 0, 0}};
        place_velocity(f, &side);
        vec3_axpy(k == 0 ? time : -time, side.v, motion.way);
        if (side.frame != TAUT_NO_NODE) {
            vec3_axpy(k == 0 ? time : -time, f->v + 3 * (size_t)side.frame, motion.turn);
        }
    }
    return motion;
}

/* Of a convex collider and a mesh; `time`: what is left of the step. `way`: the first one is so far from where it is.
 */
TAUT_FN void manifold_with_facets(const taut_fields* f, size_t first, size_t second, double time, const double way[3],
                                  double most, contact_manifold* m) {
    const bool own = is_facets(f, first);
    const size_t mesh = own ? first : second, convex_one = own ? second : first;
    const facets_motion motion = motion_beside(f, convex_one, mesh, time);
    const double sign = own ? -1 : 1;
    convex solid = convex_of(f, convex_one, f->solid[mesh].x);
    double apart[3];
    vec3_axpy(sign, way, solid.x);
    manifold_on_facets(f, mesh, &solid, f->collider_shape[convex_one], &motion, most, m);
    vec3_sub(f->solid[mesh].x, f->solid[first].x, apart);
    vec3_axpy(own ? 1 : 0, way, apart);
    for (uint32_t i = 0; i < m->count; i++) {
        vec3_axpy(1, apart, m->point[i].x);
        for (int k = 0; k < 3; k++) {
            m->point[i].normal[k] *= sign;
        }
    }
}

/* Of any pair, where both are. `last`: of boxes; `time`: of meshes that are not convex. */
TAUT_FN void manifold_of_colliders(const taut_fields* f, size_t first, size_t second, last_patch last, double time,
                                   double most, contact_manifold* m) {
    const double here[3] = {0, 0, 0};
    if (is_facets(f, first) && is_facets(f, second)) {
        const facets_motion motion = motion_beside(f, first, second, time);
        manifold_of_meshes(f, first, second, &motion, most, m);
    } else if (meet_as_facets(f, first, second)) {
        manifold_with_facets(f, first, second, time, here, most, m);
    } else {
        manifold_of_solids(f, first, second, last, here, most, m);
    }
}

/* The place of a contact in the world. Across a gap it is in the middle, since a force at one place and its opposite at
 * another one would be a couple; what does not move has none, and there it is on the body: else its arm were as long as
 * the way that is left, and friction would turn the body rather than slow it down. */
TAUT_FN void put_in_world(const taut_fields* f, size_t a, bool on_body, manifold_point* p) {
    vec3_axpy(1, f->solid[a].x, p->x);
    if (on_body) {
        vec3_axpy(p->gap / 2, p->normal, p->x);
    }
}

/* The way of a corner in a step, seen in the axes of a round shape. What turns about its own axis stays as it is. */
TAUT_FN void corner_way(const taut_fields* f, size_t round, const contact_side_of* corner, double h, double way[3]) {
    const taut_solid* solid = &f->solid[round];
    const uint32_t frame = f->collider_body[round].frame;
    double v[3], arm[3], spin[3] = {0, 0, 0}, turned[3];
    vec3_sub(corner->v, solid->v, v);
    if (frame != TAUT_NO_NODE && f->collider_shape[round] != TAUT_SHAPE_SPHERE) {
        vec3_axpy(1, f->v + 3 * (size_t)frame, spin);
        vec3_axpy(-vec3_dot(spin, solid->axis[2]), solid->axis[2], spin);
        vec3_sub(corner->x, solid->x, arm);
        vec3_cross(spin, arm, turned);
        vec3_axpy(-1, turned, v);
    }
    for (int k = 0; k < 3; k++) {
        way[k] = h * vec3_dot(solid->axis[k], v);
    }
}

/* What rolls on a face overlaps it by a little, and corners that it passes; and laws of impact see it fall into them,
 * though the face bears it. What is in the air falls. */
TAUT_FN double corner_slack(const contact_manifold* m, const taut_factors* step) {
    return m->count > 0 ? fmax(0.0, step->h * step->h * sqrt(vec3_dot(step->gravity, step->gravity)) - m->point[0].gap)
                        : 0;
}

/* By how much the gap of a corner of a manifold is more as its way in a step bends away from the plane. */
TAUT_FN double bend_of_corner(const taut_fields* f, size_t a, size_t b, const taut_factors* step,
                              const manifold_point* p, double slack) {
    const bool first = shape_is_round(f->collider_shape[a]);
    const size_t round = first ? a : b, other = first ? b : a;
    const taut_body_nodes body = f->collider_body[other];
    contact_side_of corner = {body.centre, body.frame, {p->x[0], p->x[1], p->x[2]}, {0, 0, 0}};
    double apart[3], local[3], way[3];
    vec3_axpy(1, f->solid[a].x, corner.x);
    vec3_axpy(first ? -p->gap / 2 : p->gap / 2, p->normal, corner.x);
    place_velocity(f, &corner);
    corner_way(f, round, &corner, step->h, way);
    vec3_sub(corner.x, f->solid[round].x, apart);
    for (int k = 0; k < 3; k++) {
        local[k] = vec3_dot(f->solid[round].axis[k], apart);
    }
    return corner_bends(f->collider_shape[round], f->collider_size + 3 * round, local, way, slack);
}

/* ---- what passes ------------------------------------------------------------------------------------------------- */

/* Of the smaller reach: a shorter way is none, and what overlaps less where it comes to passes. */
#define TAUT_PASS_STILL  1e-3
#define TAUT_PASS_GRAZES 2e-3
/* Likewise what is round and touches it not yet, where its plane there is below it here: along a curve it cuts across
 * to the next piece of its track. */
#define TAUT_PASS_ROLLS 5e-2

/* Whether a manifold, as it is where the first one starts, has an overlap at the end of its way. */
TAUT_FN bool manifold_stops(const contact_manifold* m, const double way[3], double grazes) {
    bool stops = false;
    for (uint32_t i = 0; i < m->count; i++) {
        stops = stops || m->point[i].gap + vec3_dot(m->point[i].normal, way) < -grazes;
    }
    return stops;
}

/* The part of a solid's spin that moves its surface, times its reach. */
TAUT_FN double turning_of(const taut_fields* f, size_t collider) {
    const taut_solid* solid = &f->solid[collider];
    const uint32_t shape = f->collider_shape[collider], frame = f->collider_body[collider].frame;
    if (shape == TAUT_SHAPE_SPHERE || frame == TAUT_NO_NODE) {
        return 0;
    }
    double spin[3] = {0, 0, 0};
    vec3_axpy(1, f->v + 3 * (size_t)frame, spin);
    if (shape_is_round(shape)) {
        vec3_axpy(-vec3_dot(spin, solid->axis[2]), solid->axis[2], spin);
    }
    return solid->reach * sqrt(vec3_dot(spin, spin));
}

TAUT_FN double least_gap(const contact_manifold* m) {
    double least = INFINITY;
    for (uint32_t i = 0; i < m->count; i++) {
        least = fmin(least, m->point[i].gap);
    }
    return least;
}

/* What passes has the contacts of where it comes to: those of where it starts would stop a box at the face of the next
 * one, flush with that on which it slides. `m`: of where it starts. The manifold of the end of the way is as far back
 * along its normal, and in place for the one that moves. */
TAUT_FN void manifold_after(const taut_fields* f, size_t a, size_t b, const double way[3], double most,
                            contact_manifold* to) {
    if (meet_as_facets(f, a, b)) {
        manifold_with_facets(f, a, b, 0, way, most, to);
    } else {
        const last_patch none = {BOX_NEW, 0};
        manifold_of_solids(f, a, b, none, way, most, to);
    }
}

TAUT_FN void look_past_solid(const taut_fields* f, size_t a, size_t b, bool still, double time, double most,
                             contact_manifold* m) {
    const bool round = shape_is_round(f->collider_shape[a]) || shape_is_round(f->collider_shape[b]);
    const double size = fmin(f->solid[a].reach, f->solid[b].reach), grazes = TAUT_PASS_GRAZES * size;
    const double most_there = round && least_gap(m) > grazes ? TAUT_PASS_ROLLS * size : grazes;
    double way[3];
    contact_manifold to;
    vec3_sub(f->solid[a].v, f->solid[b].v, way);
    for (int k = 0; k < 3; k++) {
        way[k] *= time;
    }
    if (!(vec3_dot(way, way) > TAUT_PASS_STILL * TAUT_PASS_STILL * size * size) || !manifold_stops(m, way, grazes) ||
        time * (turning_of(f, a) + turning_of(f, b)) > grazes) {
        return;
    }
    manifold_after(f, a, b, way, most, &to);
    for (uint32_t i = 0; i < to.count; i++) {
        const double before = to.point[i].gap - vec3_dot(to.point[i].normal, way);
        if (to.point[i].gap < -most_there || (round && before < -grazes)) {
            return;
        }
    }
    for (uint32_t i = 0; i < to.count; i++) {
        to.point[i].gap -= vec3_dot(to.point[i].normal, way);
        vec3_axpy(still ? -1 : -0.5, way, to.point[i].x);
    }
    *m = to;
}

/* What rolls along what does not turn goes along its curve. */
TAUT_FN void look_along(const taut_fields* f, size_t a, size_t b, const taut_factors* step, double most,
                        contact_manifold* m) {
    const double size = fmin(f->solid[a].reach, f->solid[b].reach);
    double way[3], back[3];
    contact_manifold before, after;
    vec3_sub(f->solid[a].v, f->solid[b].v, way);
    for (int k = 0; k < 3; k++) {
        way[k] *= step->h;
        back[k] = -way[k];
    }
    if (vec3_dot(way, way) > TAUT_PASS_STILL * TAUT_PASS_STILL * size * size && rolls_on_what_rests(f, a, b) &&
        any_bears_along(f, a, b, m, way)) {
        manifold_after(f, a, b, back, most, &before);
        manifold_after(f, a, b, way, most, &after);
        turn_with_way(f, a, b, way, step, &before, &after, m);
    }
}

/* Contacts of a pair, whose places are then in the world. */
TAUT_FN void find_solids(const taut_fields* f, const taut_sizes* s, size_t a, size_t b, const taut_factors* step,
                         contact_manifold* m) {
    const taut_body_nodes own = f->collider_body[a], met = f->collider_body[b];
    const double most = reach_of_solids(f, a, b, step);
    const bool still = collider_is_still(f, s, b);
    uint32_t kept = 0;
    m->count = 0;
    if (are_far_apart(f, a, b, most)) {
        return;
    }
    manifold_of_colliders(f, a, b, last_patch_of(f, s->touching + s->edges + a, b), step->ahead, most, m);
    if (step->ahead > 0 && !is_plane(f, b) && !(is_facets(f, a) && is_facets(f, b))) {
        look_past_solid(f, a, b, still, step->h, most, m);
    }
    for (uint32_t i = 0; i < m->count; i++) {
        m->point[i].curve = 0;
    }
    if (step->ahead > 0 && !is_plane(f, b) && m->count > 0) {
        look_along(f, a, b, step, most, m);
    }
    const double slack = corner_slack(m, step);
    for (uint32_t i = 0; i < m->count; i++) {
        manifold_point* p = &m->point[i];
        contact_side_of one = {own.centre, own.frame, {0, 0, 0}, {0, 0, 0}};
        contact_side_of two = {met.centre, met.frame, {0, 0, 0}, {0, 0, 0}};
        double v[3];
        const double bend = i >= m->corners ? bend_of_corner(f, a, b, step, p, slack) : 0;
        put_in_world(f, a, still && p->gap > 0, p);
        p->gap += bend;
        for (int k = 0; k < 3; k++) {
            one.x[k] = two.x[k] = p->x[k];
        }
        place_velocity(f, &one);
        place_velocity(f, &two);
        vec3_sub(one.v, two.v, v);
        if (p->gap <= step->near + 2 * step->sight * sqrt(vec3_dot(v, v)) + fall_of(step)) {
            m->point[kept++] = *p;
        }
    }
    m->count = kept;
}

/* A place of a pair's manifold as a contact, in a step of the length h. Both act at one place. */
TAUT_FN void found_on_solid(const taut_fields* f, const taut_sizes* s, size_t collider, const taut_solid_contact* c,
                            double h, contact_found* found) {
    const size_t pair[2] = {collider, c->other};
    found->gap = c->gap;
    found->feature = c->feature;
    found->law = f->collider_class[collider].material * s->materials + f->collider_class[c->other].material;
    for (int k = 0; k < 3; k++) {
        found->normal[k] = c->normal[k];
    }
    for (int k = 0; k < 2; k++) {
        found_on_body(f, f->collider_body[pair[k]], f->collider_body[pair[1 - k]].centre, k, c->x, h, found);
    }
}

TAUT_FN taut_solid_contact solid_contact_of(const contact_manifold* m, uint32_t i, uint32_t other) {
    const manifold_point* p = &m->point[i];
    const taut_solid_contact c = {
        p->gap, {p->normal[0], p->normal[1], p->normal[2]}, {p->x[0], p->x[1], p->x[2]}, p->curve, other, p->feature};
    return c;
}

#endif
