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
/* Of the turn t of a step: the normal is later by as much, and t^2/4. That takes 1 in 10^3 of what swings at 60 steps a
 * second, so that errors of higher order in t give none. */
#define TAUT_CURVED_LATE 3e-3
/* The sine of an angle: so nearly along the axis of a roll. */
#define TAUT_CURVED_ACROSS 0.02

/* Of the radius: places that differ by less are equally near; what is nearer by more than a curve leads is an edge. */
#define TAUT_CURVED_LEVEL 1e-3
#define TAUT_CURVED_EDGE  0.1
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

TAUT_FN bool face_alike(const manifold_point* a, const manifold_point* b) {
    return vec3_dot(a->normal, b->normal) > TAUT_CURVED_TURN;
}

/* Whether two places of one roll may be of one curve there. */
TAUT_FN bool are_alike(const manifold_point* a, const manifold_point* b, const curved_roll* roll) {
    double apart[3];
    vec3_sub(a->x, b->x, apart);
    const bool beside =
        roll->axis == NULL || fabs(vec3_dot(roll->axis, apart)) < TAUT_CURVED_BESIDE * fabs(roll->radius);
    return beside && face_alike(a, b);
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

/* The least gap of places that face as p does, also at the other end of a roll. */
TAUT_FN double least_facing(const contact_manifold* m, const manifold_point* p) {
    double least = p->gap;
    for (uint32_t i = 0; i < m->count; i++) {
        least = face_alike(&m->point[i], p) ? fmin(least, m->point[i].gap) : least;
    }
    return least;
}

/* Whether place p bears: it is as near as the nearest one of its curve, where an end of the roll is near and met by no
 * blow. */
TAUT_FN bool bears_along(const contact_manifold* m, const manifold_point* p, const curved_roll* roll,
                         const double way[3]) {
    const double radius = fabs(roll->radius), speed = sqrt(vec3_dot(way, way));
    if (!(radius > 0)) {
        return false;
    }
    const double level = m->point[nearest_along(m, p, roll)].gap + TAUT_CURVED_LEVEL * radius;
    return p->gap <= level && least_facing(m, p) < TAUT_CURVED_NEAR * radius &&
           fabs(vec3_dot(p->normal, way)) < TAUT_CURVED_MEETS * speed;
}

TAUT_FN bool any_bears_along(const taut_fields* f, size_t a, size_t b, const contact_manifold* m, const double way[3]) {
    bool any = false;
    for (uint32_t i = 0; !any && i < m->count; i++) {
        const curved_roll roll = roll_of_pair(f, a, b, m->point[i].normal, way);
        any = bears_along(m, &m->point[i], &roll, way);
    }
    return any;
}

/* What gaps tell of a curve: the mean of all places that bear on it, so that both ends of a roll turn alike. */
typedef struct curved_way {
    double along, bends; /* m: sums of (g(d) - g(-d))/2, and of g(d) - 2 g(0) + g(-d) */
    uint32_t count;
} curved_way;

/* Adds what the gaps before and after place p tell. Beyond a border the curve goes on: g(d) = g(-d) + 2 n.d. */
TAUT_FN void add_gaps(const manifold_point* p, const curved_roll* roll, const double way[3],
                      const contact_manifold* before, const contact_manifold* after, curved_way* sum) {
    const uint32_t from = nearest_along(before, p, roll), to = nearest_along(after, p, roll);
    const bool begins = from == before->count, ends = to == after->count;
    if (begins && ends) {
        return;
    }
    const double flat = 2 * vec3_dot(p->normal, way);
    const double first = begins ? after->point[to].gap - flat : before->point[from].gap;
    const double last = ends ? first + flat : after->point[to].gap;
    sum->along += (last - first) / 2;
    sum->bends += last - 2 * p->gap + first;
    sum->count++;
}

/* Turns a place of a manifold to have the normal and the curve of its way. */
TAUT_FN void turn_by_gaps(manifold_point* p, const curved_way* sum, const double way[3], const taut_factors* step,
                          double radius) {
    const double bends = sum->bends / sum->count, turn2 = bends * bends / vec3_dot(way, way);
    const double along = sum->along / sum->count + (1 - step->beta + TAUT_CURVED_LATE + turn2 / 4) * bends;
    const double from[3] = {p->normal[0], p->normal[1], p->normal[2]};
    double turned[3] = {from[0], from[1], from[2]};
    vec3_axpy((along - vec3_dot(from, way)) / vec3_dot(way, way), way, turned);
    radial(turned, p->normal);
    vec3_sub(from, p->normal, turned);
    vec3_axpy(radius, turned, p->x);
    p->curve = -bends / (2 * step->h);
}

/* How much nearer place `other` of the curve of p is than where p leads to. `falls`: the acceleration of the first
 * collider beside the second one. */
TAUT_FN double nearer_by(const manifold_point* p, const manifold_point* other, const double way[3],
                         const double falls[3], const taut_factors* step) {
    double end[3] = {way[0], way[1], way[2]};
    vec3_axpy(step->beta * step->h * step->h, falls, end);
    const double along = vec3_dot(p->normal, end), flat = (1 - step->beta) * vec3_dot(p->normal, way);
    vec3_axpy(step->beta * step->h * p->curve + flat - along, p->normal, end);
    return -vec3_dot(other->normal, end) - other->gap;
}

/* Takes off the places of a curve that do not bear: they would turn once more what comes along it. But for what is
 * nearer than the curve leads by far, an edge. */
TAUT_FN void keep_bearing(contact_manifold* m, const bool bears[MANIFOLD_ROOM], const curved_roll* roll,
                          const double way[3], const double falls[3], const taut_factors* step) {
    const contact_manifold all = *m;
    m->count = m->corners = 0;
    for (uint32_t i = 0; i < all.count; i++) {
        bool leads = false;
        for (uint32_t k = 0; k < all.count && !bears[i]; k++) {
            const manifold_point *p = &all.point[k], *other = &all.point[i];
            leads = leads || (bears[k] && are_alike(p, other, roll) &&
                              nearer_by(p, other, way, falls, step) < TAUT_CURVED_EDGE * fabs(roll->radius));
        }
        if (!leads) {
            m->point[m->count++] = all.point[i];
            m->corners += i < all.corners;
        }
    }
}

/* Of a pair that goes by `way` in a step: `m` where it starts, and where it was before and comes to after it. Where the
 * surface falls away the contact stays as it is: one that followed it would push what parts. */
TAUT_FN void turn_with_way(const taut_fields* f, size_t a, size_t b, const double way[3], const taut_factors* step,
                           const contact_manifold* before, const contact_manifold* after, contact_manifold* m) {
    const bool falls[2] = {f->collider_body[a].frame != TAUT_NO_NODE, f->collider_body[b].frame != TAUT_NO_NODE};
    const contact_manifold start = *m;
    bool bears[MANIFOLD_ROOM] = {false};
    double fall[3] = {0, 0, 0};
    curved_roll roll = {0, NULL};
    vec3_axpy((falls[0] ? 1 : 0) - (falls[1] ? 1 : 0), step->gravity, fall);
    for (uint32_t i = 0; i < start.count; i++) {
        const manifold_point* p = &start.point[i];
        const curved_roll own = roll_of_pair(f, a, b, p->normal, way);
        curved_way sum = {0, 0, 0};
        if (bears[i] || !bears_along(&start, p, &own, way)) {
            continue;
        }
        roll = own;
        for (uint32_t k = 0; k < start.count; k++) {
            if (face_alike(&start.point[k], p) && bears_along(&start, &start.point[k], &roll, way)) {
                add_gaps(&start.point[k], &roll, way, before, after, &sum);
            }
        }
        for (uint32_t k = i; k < start.count && sum.bends < 0; k++) {
            if (!bears[k] && face_alike(&start.point[k], p) && bears_along(&start, &start.point[k], &roll, way)) {
                turn_by_gaps(&m->point[k], &sum, way, step, roll.radius);
                bears[k] = true;
            }
        }
    }
    keep_bearing(m, bears, &roll, way, fall, step);
}

#endif
