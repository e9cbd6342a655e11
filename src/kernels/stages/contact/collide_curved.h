/* Collide: balls and rolls that go along what is curved.
 *
 * A normal kept for a step takes from what goes by d = h w, with the relative velocity w, the part that its surface
 * turns it by: sin^2 of the angle of its energy, 23 % in a swing of 60 degrees in a bowl of 1 m at 60 steps a second.
 * So the contact has the normal and the turn that the gap g of the pair tells, at x - d, x and x + d:
 *     n.d = (g(d) - g(-d))/2 + (1 - beta) (g(d) - 2 g(0) + g(-d)),   c = -(g(d) - 2 g(0) + g(-d))/(2 h)
 * n at the place half way of x' = x + h (v + beta dv), and c half of the change of n.w while the surface is followed:
 * n.dw = 2 c keeps |w|. Differences of gaps see through the faces of a mesh: those change by a face's sagitta, normals
 * by its angle. c stands in the contact's rest values (contact_curve).
 *
 * Text for a file that has defined TAUT_REAL as double. */
#ifndef TAUT_CONTACT_COLLIDE_CURVED_H
#define TAUT_CONTACT_COLLIDE_CURVED_H

#include "kernels/stages/contact/collide_pair.h"
#include "kernels/stages/contact/corners.h"
#include "kernels/stages/contact/manifold.h"

/* The cosine of the turn of a step, 20 degrees, from which on it is an edge. */
#define TAUT_CURVED_TURN 0.94
/* Of the radius: it bears across no larger gap. Of its speed: what comes nearer faster meets it anew. */
#define TAUT_CURVED_NEAR  0.01
#define TAUT_CURVED_MEETS 0.25
/* The sine of an angle: so nearly along the axis of a roll. */
#define TAUT_CURVED_ACROSS 0.02

/* Of how far a curve bends in a step. */
#define TAUT_CURVED_SLACK 0.1
/* Along the axis of a roll, in its radius: places so near to each other are one. */
#define TAUT_CURVED_BESIDE 0.5

/* What rolls: the first collider of a pair, with `radius` > 0, or the second one, with it < 0; 0: neither. A ball has
 * no `axis`. */
typedef struct curved_roll {
    double radius;
    const double* axis;
} curved_roll;

/* Whether a collider rolls by `way` on a place with this normal: its centre is that of its body. */
TAUT_FN bool rolls_by(const taut_fields* f, size_t collider, const double normal[3], const double way[3]) {
    const uint32_t shape = f->collider_shape[collider];
    const double *axis = f->solid[collider].axis[2], *centre = f->x + 3 * (size_t)f->collider_body[collider].centre;
    double apart[3];
    if (!shape_is_round(shape) || shape == TAUT_SHAPE_CONE || f->collider_body[collider].frame == TAUT_NO_NODE) {
        return false;
    }
    const double radius = f->collider_size[3 * collider], along = TAUT_CURVED_ACROSS * sqrt(vec3_dot(way, way));
    vec3_sub(f->solid[collider].x, centre, apart);
    const bool across = shape == TAUT_SHAPE_SPHERE ||
                        (fabs(vec3_dot(axis, normal)) < TAUT_CURVED_ACROSS && fabs(vec3_dot(axis, way)) < along);
    return across && vec3_dot(apart, apart) < 1e-12 * radius * radius;
}

TAUT_FN curved_roll roll_of_pair(const taut_fields* f, size_t a, size_t b, const double normal[3],
                                 const double way[3]) {
    const bool own = rolls_by(f, a, normal, way), met = !own && rolls_by(f, b, normal, way);
    const size_t one = own ? a : b;
    curved_roll out = {0, NULL};
    out.radius = own || met ? (own ? 1 : -1) * f->collider_size[3 * one] : 0;
    out.axis = f->collider_shape[one] != TAUT_SHAPE_SPHERE ? f->solid[one].axis[2] : NULL;
    return out;
}

/* Whether one of two colliders may roll along the other one, which goes on without turning. */
TAUT_FN bool rolls_on_what_rests(const taut_fields* f, size_t a, size_t b) {
    const bool round[2] = {shape_is_round(f->collider_shape[a]), shape_is_round(f->collider_shape[b])};
    const double spin[2] = {f->solid[a].spin, f->solid[b].spin};
    return (round[0] && spin[1] == 0) || (round[1] && spin[0] == 0);
}

/* Whether two places of one roll may be of one curve. */
TAUT_FN bool are_alike(const manifold_point* a, const manifold_point* b, const curved_roll* roll) {
    double apart[3];
    vec3_sub(a->x, b->x, apart);
    const bool beside =
        roll->axis == NULL || fabs(vec3_dot(roll->axis, apart)) < TAUT_CURVED_BESIDE * fabs(roll->radius);
    return beside && vec3_dot(a->normal, b->normal) > TAUT_CURVED_TURN;
}

/* The nearest place of a manifold that is of one curve with p; `count` where there is none. */
TAUT_FN uint32_t nearest_along(const contact_manifold* m, const manifold_point* p, const curved_roll* roll) {
    uint32_t nearest = m->count;
    for (uint32_t i = 0; i < m->count; i++) {
        const bool nearer = nearest == m->count || m->point[i].gap < m->point[nearest].gap;
        nearest = nearer && are_alike(&m->point[i], p, roll) ? i : nearest;
    }
    return nearest;
}

/* Turns a place of a manifold to have the normal and the curve that the gaps before it and after it tell. */
TAUT_FN void turn_by_gaps(manifold_point* p, double before, double after, const double way[3], const taut_factors* step,
                          double radius) {
    const double bends = after - 2 * p->gap + before, along = (after - before) / 2 + (1 - step->beta) * bends;
    const double from[3] = {p->normal[0], p->normal[1], p->normal[2]};
    double turned[3] = {from[0], from[1], from[2]};
    vec3_axpy((along - vec3_dot(from, way)) / vec3_dot(way, way), way, turned);
    radial(turned, p->normal);
    vec3_sub(from, p->normal, turned);
    vec3_axpy(radius, turned, p->x);
    p->curve = -bends / (2 * step->h);
}

/* Other faces of the curve that place p has are no nearer than where p leads to, and a little less: they would turn
 * once more what comes along it. `falls`: the acceleration of the first collider beside the second one. */
TAUT_FN void lead_along(contact_manifold* m, uint32_t p, const curved_roll* roll, const double way[3],
                        const double falls[3], const taut_factors* step) {
    const manifold_point* bears = &m->point[p];
    const double slack = TAUT_CURVED_SLACK * 2 * step->h * fabs(bears->curve);
    double end[3] = {way[0], way[1], way[2]};
    vec3_axpy(step->beta * step->h * step->h, falls, end);
    const double along = vec3_dot(bears->normal, end), flat = (1 - step->beta) * vec3_dot(bears->normal, way);
    vec3_axpy(step->beta * step->h * bears->curve + flat - along, bears->normal, end);
    for (uint32_t i = 0; i < m->count; i++) {
        manifold_point* other = &m->point[i];
        const double more = slack - vec3_dot(other->normal, end) - other->gap;
        const bool leads = i != p && more > 0 && more < 4 * slack + TAUT_CURVED_NEAR * fabs(roll->radius);
        other->gap += leads && are_alike(other, bears, roll) ? more : 0;
    }
}

/* Of a pair that goes by `way` in a step: `m` where it starts, and where it was before and comes to after it. */
TAUT_FN void turn_with_way(const taut_fields* f, size_t a, size_t b, const double way[3], const taut_factors* step,
                           const contact_manifold* before, const contact_manifold* after, contact_manifold* m) {
    const bool falls[2] = {f->collider_body[a].frame != TAUT_NO_NODE, f->collider_body[b].frame != TAUT_NO_NODE};
    double fall[3] = {0, 0, 0};
    vec3_axpy((falls[0] ? 1 : 0) - (falls[1] ? 1 : 0), step->gravity, fall);
    const double speed = sqrt(vec3_dot(way, way));
    const contact_manifold start = *m;
    for (uint32_t i = 0; i < m->count; i++) {
        const manifold_point* p = &start.point[i];
        const curved_roll roll = roll_of_pair(f, a, b, p->normal, way);
        if (roll.radius == 0 || nearest_along(&start, p, &roll) != i) {
            continue;
        }
        const uint32_t from = nearest_along(before, p, &roll), to = nearest_along(after, p, &roll);
        if (from < before->count && to < after->count && p->gap < TAUT_CURVED_NEAR * fabs(roll.radius) &&
            fabs(vec3_dot(p->normal, way)) < TAUT_CURVED_MEETS * speed) {
            turn_by_gaps(&m->point[i], before->point[from].gap, after->point[to].gap, way, step, roll.radius);
            lead_along(m, i, &roll, way, fall, step);
        }
    }
}

#endif
