/* Which corners and edges of a collider's skin can come through a surface at all: what stands out less than the surface
 * is thick, between two places where that rests, does not. Text for a file that has defined TAUT_REAL as double. */
#ifndef TAUT_CONTACT_STANDS_OUT_H
#define TAUT_CONTACT_STANDS_OUT_H

#include "base/small_math.h"
#include "model/layout.h"

#include <math.h>

/* Part of a surface's radius that may stand out of its triangles, which are measured as they start. */
#define MAY_STAND_OUT 0.5

TAUT_FN double angle_between(const double a[3], const double b[3]) {
    double across[3];
    vec3_cross(a, b, across);
    return atan2(sqrt(vec3_dot(across, across)), vec3_dot(a, b));
}

/* How far a bend by `angle` stands out of a flat side of the surfaces that lies across its middle: once, or as an arc
 * where the next bends are `apart`, nearer than the side is long. */
TAUT_FN double bend_stands_out(const taut_sizes* s, double angle, double apart) {
    return angle * s->surface_length / 4 * fmax(1.0, s->surface_length / (2 * apart));
}

/* An edge, and its triangles. */
typedef struct skin_bend {
    double length, normal[2][3]; /* outwards, twice the areas */
    double angle;                /* 0 where it is hollow */
} skin_bend;

/* From a to b; `first` is beyond it on the triangle that goes along it, seen from outside, `second` on the other. */
TAUT_FN skin_bend skin_bend_of(const double a[3], const double b[3], const double first[3], const double second[3]) {
    skin_bend out;
    double along[3], to[3];
    vec3_sub(b, a, along);
    out.length = sqrt(vec3_dot(along, along));
    vec3_sub(first, a, to);
    vec3_cross(along, to, out.normal[0]);
    vec3_sub(second, a, to);
    vec3_cross(to, along, out.normal[1]);
    out.angle = vec3_dot(out.normal[0], to) < 0 ? angle_between(out.normal[0], out.normal[1]) : 0;
    return out;
}

TAUT_FN bool edge_stands_out(const skin_bend* b, const taut_sizes* s) {
    const double twice[2] = {sqrt(vec3_dot(b->normal[0], b->normal[0])), sqrt(vec3_dot(b->normal[1], b->normal[1]))};
    const double height = fmin(twice[0], twice[1]) / b->length;
    return bend_stands_out(s, b->angle, height) > MAY_STAND_OUT * s->surface_radius;
}

/* A ball, or a capsule, comes through a triangle whose corners lie on it by what the middle of the triangle is nearer;
 * the middle is at most L / sqrt(3) from a corner. */
TAUT_FN bool ball_stands_out(double radius, const taut_sizes* s) {
    const double half2 = s->surface_length * s->surface_length / 3;
    return !(half2 < radius * radius) || radius - sqrt(radius * radius - half2) > MAY_STAND_OUT * s->surface_radius;
}

/* Of a corner: whether an edge of it stands out, or bends outwards; the steepest of its triangles; its shortest edge.
 */
typedef struct skin_tip {
    bool out, bends;
    double steepest, shortest;
} skin_tip;

TAUT_FN void add_to_skin_tip(const skin_bend* b, bool out, const double outwards[3], skin_tip* t) {
    t->out = t->out || out;
    t->bends = t->bends || b->angle > 0;
    t->shortest = t->shortest > 0 ? fmin(t->shortest, b->length) : b->length;
    for (int i = 0; i < 2; i++) {
        t->steepest = fmax(t->steepest, angle_between(b->normal[i], outwards));
    }
}

TAUT_FN bool corner_stands_out(const skin_tip* t, double radius, const taut_sizes* s) {
    if (radius > 0) {
        return ball_stands_out(radius, s);
    }
    return t->out || (t->bends && bend_stands_out(s, 2 * t->steepest, t->shortest) > MAY_STAND_OUT * s->surface_radius);
}

#endif
