/* Collide: contact points with colliders, by the normal of where they come to. Text for a file that has defined
 * TAUT_REAL as double. */
#ifndef TAUT_CONTACT_COLLIDE_POINT_H
#define TAUT_CONTACT_COLLIDE_POINT_H

#include "kernels/stages/contact/collide_pair.h"

/* Of a point's radius: a shorter way along a collider is none. The cosine of a turn from which on it is one over an
 * edge. */
#define TAUT_AHEAD_STILL 0.01
#define TAUT_AHEAD_TURN  0.8

/* Of a way past an edge: so many places of it are looked at, and so much of its radius a point may overlap there. Its
 * centre stays outside: nothing goes through what is thin. */
#define TAUT_PAST_PLACES 64
#define TAUT_PAST_GRAZES 0.75
/* The cosine of a turn from which on the way leads past a second edge. */
#define TAUT_PAST_ONE -0.1
/* Of a speed: what comes nearer by so much of it may be pulled faster within the step. */
#define TAUT_PAST_COMES 0.1

/* A place of a point on its way past a collider. */
typedef struct way_place {
    double part; /* of the way */
    double gap, normal[3];
} way_place;

/* Of a point at x. `other`, `q`: where the collider is. */
TAUT_FN double gap_at(const taut_fields* f, size_t point, size_t collider, const contact_side_of* other,
                      const double q[4], const double x[3], double normal[3]) {
    double local[3], own[3];
    place_on_axes(other, q, x, local);
    const double distance = distance_by_known(f, point, collider, local, own);
    quat_rotate(q, own, normal);
    return distance - f->touching_place[point].radius;
}

TAUT_FN void place_on_way(const taut_fields* f, size_t point, size_t collider, const contact_side_of* other,
                          const double q[4], const double x[3], const double way[3], double part, way_place* out) {
    double at[3] = {x[0], x[1], x[2]};
    vec3_axpy(part, way, at);
    out->part = part;
    out->gap = gap_at(f, point, collider, other, q, at, out->normal);
}

/* The nearest place of a way from x, along it from one place to the next by the distance that there is. False where the
 * point overlaps by more than it grazes, and does not pass. */
TAUT_FN bool goes_past(const taut_fields* f, size_t point, size_t collider, const contact_side_of* other,
                       const double q[4], const double x[3], const double way[3], way_place* nearest) {
    const double grazes = TAUT_PAST_GRAZES * f->touching_place[point].radius, length = sqrt(vec3_dot(way, way));
    double gone = 0;
    for (int i = 0; i < TAUT_PAST_PLACES; i++) {
        way_place here;
        place_on_way(f, point, collider, other, q, x, way, gone / length, &here);
        if (!(here.gap > -grazes)) {
            return false;
        }
        if (i == 0 || here.gap < nearest->gap) {
            *nearest = here;
        }
        if (gone == length) {
            return true;
        }
        gone = fmin(gone + here.gap + grazes, length);
    }
    return false;
}

/* What passes an edge has the normal of where it comes to in this time, and the gap to the plane there: the plane of
 * where it starts would hold it back. Past a second edge, that of where it is nearest. False where it passes none: most
 * that slides comes to where the normal is much the same, which its end tells. */
TAUT_FN bool look_past(const taut_fields* f, size_t point, size_t collider, const contact_side_of* other,
                       const double q[4], double time, const double x[3], const double v[3], contact_found* found) {
    double way[3];
    way_place to, nearest;
    for (int a = 0; a < 3; a++) {
        way[a] = time * v[a];
    }
    place_on_way(f, point, collider, other, q, x, way, 1, &to);
    if (vec3_dot(to.normal, found->normal) > TAUT_AHEAD_TURN ||
        !goes_past(f, point, collider, other, q, x, way, &nearest)) {
        return false;
    }
    if (!(vec3_dot(to.normal, found->normal) > TAUT_PAST_ONE)) {
        to = nearest;
    }
    if (vec3_dot(to.normal, found->normal) > TAUT_AHEAD_TURN) {
        return false;
    }
    found->gap = to.gap - to.part * vec3_dot(to.normal, way);
    for (int a = 0; a < 3; a++) {
        found->normal[a] = to.normal[a];
    }
    return true;
}

/* The way of what slides with v for this time beside a collider that turns by `turns` meanwhile, in the axes that this
 * has at the start, in which v turns back: int exp(-turns s) v ds. What stands still on a drum that turns goes round
 * it, and not off along a tangent. */
TAUT_FN void way_beside(const double turns[3], const double v[3], double time, double way[3]) {
    const double half = sqrt(vec3_dot(turns, turns)) / 2, chord = half > 0 ? sin(half) / half : 1;
    const double back[3] = {-turns[0] / 2, -turns[1] / 2, -turns[2] / 2};
    double turn[4];
    quat_exp(back, turn);
    quat_rotate(turn, v, way);
    for (int a = 0; a < 3; a++) {
        way[a] *= chord * time;
    }
}

/* A contact at rest with x, of what slides beside the collider with v, has the normal of where it comes to, and of what
 * the collider turns meanwhile, and the gap to the plane there. What pulls has its directions, too, by geometric
 * stiffness: with the normal where it starts, a rope under tension T that runs over a post of radius R would be held
 * back by pi T h v / R. */
TAUT_FN void look_ahead(const taut_fields* f, size_t point, size_t collider, const contact_side_of* other,
                        const double q[4], double time, const double x[3], double v[3], contact_found* found) {
    double ahead[3], turned[3], turn[4], turns[3] = {0, 0, 0};
    vec3_axpy(-vec3_dot(v, found->normal), found->normal, v);
    if (other->frame != TAUT_NO_NODE) {
        vec3_axpy(time, f->v + 3 * (size_t)other->frame, turns);
    }
    way_beside(turns, v, time, ahead);
    vec3_axpy(1, x, ahead);
    const double gap = gap_at(f, point, collider, other, q, ahead, turned);
    quat_exp(turns, turn);
    quat_rotate(turn, turned, turned);
    if (vec3_dot(turned, found->normal) > TAUT_AHEAD_TURN) {
        found->gap = gap - time * vec3_dot(turned, v);
        for (int a = 0; a < 3; a++) {
            found->normal[a] = turned[a];
        }
    }
}

/* Of a contact at x whose point moves with v beside the collider. */
TAUT_FN void look_on(const taut_fields* f, const taut_sizes* s, size_t point, size_t collider, const taut_factors* step,
                     const double x[3], double v[3], contact_found* found) {
    const bool comes = vec3_dot(v, found->normal) < -TAUT_PAST_COMES * sqrt(vec3_dot(v, v));
    double q[4];
    const contact_side_of other = collider_side(f, s, collider, q);
    if (!look_past(f, point, collider, &other, q, step->ahead, x, v, found) &&
        !(comes && look_past(f, point, collider, &other, q, 2 * step->ahead, x, v, found))) {
        look_ahead(f, point, collider, &other, q, step->ahead, x, v, found);
    }
}

/* Of the smaller reach: so much a vertex of a body may overlap where it comes to, and passes. */
#define TAUT_VERTEX_GRAZES 2e-3

/* What a vertex of a body slides past, as over the seam of two floors, has the plane of where it comes to. It moves
 * with v beside the collider; its contact acts at own->x. */
TAUT_FN void look_past_of_vertex(const taut_fields* f, const taut_sizes* s, size_t point, size_t collider,
                                 const taut_factors* step, const double v[3], contact_side_of* own,
                                 contact_found* found) {
    const double* offset = f->touching_place[point].offset;
    const double radius = f->touching_place[point].radius;
    const double grazes = TAUT_VERTEX_GRAZES * fmin(f->solid[collider].reach, sqrt(vec3_dot(offset, offset)));
    double x[3], way[3], q[4];
    way_place to;
    for (int a = 0; a < 3; a++) {
        way[a] = step->h * v[a];
        x[a] = own->x[a] + (radius + found->gap) * found->normal[a];
    }
    if (!(found->gap + vec3_dot(found->normal, way) < -grazes)) {
        return;
    }
    contact_side_of other = collider_side(f, s, collider, q);
    place_on_way(f, point, collider, &other, q, x, way, 1, &to);
    const double before = to.gap - vec3_dot(to.normal, way);
    if (!(fmin(to.gap, before) >= -grazes) || vec3_dot(to.normal, found->normal) > TAUT_AHEAD_TURN) {
        return;
    }
    found->gap = before;
    for (int a = 0; a < 3; a++) {
        found->normal[a] = to.normal[a];
        own->x[a] = other.x[a] = x[a] - (radius + found->gap) * to.normal[a];
    }
    arm_in_turn(f, own, other.node, found->normal, step->h, found->arm);
    arm_in_turn(f, &other, own->node, found->normal, step->h, found->arm + 3);
}

/* A contact point and a collider. Both act at one place (put_on_collider): forces across a gap would be a couple. */
TAUT_FN bool meet_on_collider(const taut_fields* f, const taut_sizes* s, size_t point, size_t collider,
                              const taut_factors* step, contact_found* found) {
    double other[3], v[3];
    const double radius = f->touching_place[point].radius;
    const taut_mesh* mesh = deforming_mesh(f, s, collider);
    contact_side_of own = touching_side(f, s, point);
    if (mesh == NULL ? !meet_collider(f, s, point, collider, step, &own, found, other)
                     : !meet_deforming(f, mesh, radius, &own, found, other)) {
        return false;
    }
    place_velocity(f, &own);
    vec3_sub(own.v, other, v);
    found_of_point(f, s, point, collider, &own, step, found);
    const double speed = sqrt(vec3_dot(v, v));
    if (!(found->gap <= step->near + 2 * step->sight * speed + fall_of(step))) {
        return false;
    }
    if (own.frame == TAUT_NO_NODE && mesh == NULL && step->ahead * speed > TAUT_AHEAD_STILL * radius) {
        vec3_axpy(radius + found->gap, found->normal, own.x);
        look_on(f, s, point, collider, step, own.x, v, found);
    } else if (own.frame != TAUT_NO_NODE && mesh == NULL && step->ahead > 0) {
        look_past_of_vertex(f, s, point, collider, step, v, &own, found);
    }
    return true;
}

#endif
