/* Where a ray enters a convex solid: text for a file that has defined TAUT_REAL as double.
 *
 * A ray goes from o along the unit vector d. Whatever starts inside is dealt with before; each function looks for an
 * entry that is nearer than the one that is known. The entry into a union is the first one into its parts. */
#ifndef TAUT_CONTACT_RAYS_H
#define TAUT_CONTACT_RAYS_H

#include "kernels/stages/contact/near.h"
#include "kernels/stages/contact/shapes.h"

typedef struct taut_entry {
    double t; /* m; INFINITY: none */
    double normal[3];
} taut_entry;

TAUT_FN void entry_keep(double t, double x, double y, double z, taut_entry* entry) {
    if (t >= 0 && t < entry->t) {
        entry->t = t;
        entry->normal[0] = x;
        entry->normal[1] = y;
        entry->normal[2] = z;
    }
}

/* A ball of radius r > 0 about c. */
TAUT_FN void enter_ball(const double o[3], const double d[3], const double c[3], double r, taut_entry* entry) {
    double off[3];
    vec3_sub(o, c, off);
    const double along = vec3_dot(off, d);
    vec3_axpy(-along, d, off);
    const double half2 = r * r - vec3_dot(off, off);
    if (half2 >= 0) {
        const double half = sqrt(half2);
        entry_keep(-along - half, (off[0] - half * d[0]) / r, (off[1] - half * d[1]) / r, (off[2] - half * d[2]) / r,
                   entry);
    }
}

/* Rays whose sine to an axis is less have no place on the round side about it. */
#define RAYS_ALONG 1e-10

/* The round side of radius r about the segment from a to b. */
TAUT_FN void enter_side(const double o[3], const double d[3], const double a[3], const double b[3], double r,
                        taut_entry* entry) {
    double axis[3], off[3], across[3] = {d[0], d[1], d[2]};
    vec3_sub(b, a, axis);
    vec3_sub(o, a, off);
    const double length = sqrt(vec3_dot(axis, axis));
    if (!(length > 0)) {
        return;
    }
    const double from = vec3_dot(off, axis) / length, rate = vec3_dot(d, axis) / length;
    vec3_axpy(-from / length, axis, off);
    vec3_axpy(-rate / length, axis, across);
    const double sine2 = vec3_dot(across, across);
    if (!(sine2 > RAYS_ALONG * RAYS_ALONG)) {
        return;
    }
    const double middle = -vec3_dot(off, across) / sine2;
    vec3_axpy(middle, across, off);
    const double half2 = (r * r - vec3_dot(off, off)) / sine2;
    if (half2 >= 0) {
        const double half = sqrt(half2), t = middle - half, at = from + t * rate;
        vec3_axpy(-half, across, off);
        if (at >= 0 && at <= length) {
            entry_keep(t, off[0] / r, off[1] / r, off[2] / r, entry);
        }
    }
}

TAUT_FN void enter_capsule(const double o[3], const double d[3], const double a[3], const double b[3], double r,
                           taut_entry* entry) {
    enter_ball(o, d, a, r, entry);
    enter_ball(o, d, b, r, entry);
    enter_side(o, d, a, b, r, entry);
}

/* Everything within r of a triangle: its three edges, and the two sides of its plane above it. */
TAUT_FN void enter_triangle(const double o[3], const double d[3], const double a[3], const double b[3],
                            const double c[3], double r, taut_entry* entry) {
    double ab[3], ac[3], n[3], off[3], place[3], weight[3];
    enter_capsule(o, d, a, b, r, entry);
    enter_capsule(o, d, b, c, r, entry);
    enter_capsule(o, d, c, a, r, entry);
    vec3_sub(b, a, ab);
    vec3_sub(c, a, ac);
    vec3_cross(ab, ac, n);
    const double area = sqrt(vec3_dot(n, n));
    if (!(area > 0)) {
        return;
    }
    vec3_sub(o, a, off);
    const double height = vec3_dot(off, n) / area, side = height < 0 ? -1 : 1, rate = vec3_dot(d, n) / area;
    const double t = rate * side < 0 ? (side * r - height) / rate : -1;
    if (t >= 0 && t < entry->t) {
        for (int i = 0; i < 3; i++) {
            place[i] = o[i] + t * d[i];
        }
        if (near_on_triangle(place, a, b, c, weight) == TAUT_NEAR_FACE) {
            entry_keep(t, side * n[0] / area, side * n[1] / area, side * n[2] / area, entry);
        }
    }
}

/* The part of a ray between two planes across an axis. */
TAUT_FN void clip_slab(double o, double d, double low, double high, double* enter, double* leave) {
    if (d == 0) {
        *leave = o >= low && o <= high ? *leave : -INFINITY;
        return;
    }
    const double one = (low - o) / d, two = (high - o) / d;
    *enter = fmax(*enter, fmin(one, two));
    *leave = fmin(*leave, fmax(one, two));
}

TAUT_FN void enter_box(const double o[3], const double d[3], const double half[3], taut_entry* entry) {
    double enter = -INFINITY, leave = INFINITY;
    int axis = 0;
    for (int a = 0; a < 3; a++) {
        const double before = enter;
        clip_slab(o[a], d[a], -half[a], half[a], &enter, &leave);
        axis = enter > before ? a : axis;
    }
    if (enter <= leave) {
        const double sign = d[axis] < 0 ? 1 : -1;
        entry_keep(enter, axis == 0 ? sign : 0, axis == 1 ? sign : 0, axis == 2 ? sign : 0, entry);
    }
}

/* The disc of radius r across z. */
TAUT_FN void enter_disc(const double o[3], const double d[3], double r, double z, taut_entry* entry) {
    const double sign = z < 0 ? -1 : 1, t = d[2] * sign < 0 ? (z - o[2]) / d[2] : -1;
    const double x = o[0] + t * d[0], y = o[1] + t * d[1];
    if (x * x + y * y <= r * r) {
        entry_keep(t, 0, 0, sign, entry);
    }
}

TAUT_FN void enter_cylinder(const double o[3], const double d[3], double r, double half, taut_entry* entry) {
    const double low[3] = {0, 0, -half}, high[3] = {0, 0, half};
    enter_side(o, d, low, high, r, entry);
    enter_disc(o, d, r, half, entry);
    enter_disc(o, d, r, -half, entry);
}

/* A place on the side of a cone at a root of its equation. */
TAUT_FN void enter_slope(const double o[3], const double d[3], double r, double half, double t, taut_entry* entry) {
    const double x = o[0] + t * d[0], y = o[1] + t * d[1], z = o[2] + t * d[2];
    const double across = sqrt(x * x + y * y), length = sqrt(4 * half * half + r * r);
    if (z >= -half && z <= half) {
        entry_keep(t, across > 0 ? 2 * half / length * x / across : 0, across > 0 ? 2 * half / length * y / across : 0,
                   across > 0 ? r / length : 1, entry);
    }
}

/* x^2 + y^2 = k^2 (half - z)^2 with k = r/(2 half), a t^2 + 2 b t + c = 0. */
TAUT_FN void enter_cone(const double o[3], const double d[3], double r, double half, taut_entry* entry) {
    const double k = r / (2 * half), below = half - o[2];
    const double a = d[0] * d[0] + d[1] * d[1] - k * k * d[2] * d[2];
    const double b = o[0] * d[0] + o[1] * d[1] + k * k * below * d[2];
    const double c = o[0] * o[0] + o[1] * o[1] - k * k * below * below, det = b * b - a * c;
    enter_disc(o, d, r, -half, entry);
    if (det >= 0) {
        const double q = -(b + (b < 0 ? -sqrt(det) : sqrt(det)));
        if (a != 0) {
            enter_slope(o, d, r, half, q / a, entry);
        }
        if (q != 0) {
            enter_slope(o, d, r, half, c / q, entry);
        }
    }
}

/* A shape about the origin, in its axes. */
TAUT_FN void enter_shape(uint32_t shape, const double size[3], const double o[3], const double d[3],
                         taut_entry* entry) {
    const double low[3] = {0, 0, shape == TAUT_SHAPE_CAPSULE ? -size[1] : 0}, high[3] = {0, 0, -low[2]};
    switch (shape) {
    case TAUT_SHAPE_SPHERE:
    case TAUT_SHAPE_CAPSULE:
        enter_capsule(o, d, low, high, size[0], entry);
        break;
    case TAUT_SHAPE_BOX:
        enter_box(o, d, size, entry);
        break;
    case TAUT_SHAPE_CYLINDER:
        enter_cylinder(o, d, size[0], size[1], entry);
        break;
    case TAUT_SHAPE_CONE:
        enter_cone(o, d, size[0], size[1], entry);
        break;
    default:
        if (d[2] < 0) {
            entry_keep(-o[2] / d[2], 0, 0, 1, entry);
        }
        break;
    }
}

/* A triangle without thickness, from either side. */
TAUT_FN void enter_flat(const double o[3], const double d[3], const double a[3], const double b[3], const double c[3],
                        taut_entry* entry) {
    double ab[3], ac[3], n[3], oa[3], end[3] = {o[0] + d[0], o[1] + d[1], o[2] + d[2]};
    vec3_sub(b, a, ab);
    vec3_sub(c, a, ac);
    vec3_cross(ab, ac, n);
    vec3_sub(a, o, oa);
    const double rate = vec3_dot(d, n), area = sqrt(vec3_dot(n, n));
    if (rate != 0 && passes_inside(o, end, a, b, c)) {
        const double sign = rate < 0 ? 1 : -1;
        entry_keep(vec3_dot(oa, n) / rate, sign * n[0] / area, sign * n[1] / area, sign * n[2] / area, entry);
    }
}

/* Where a ray enters a box of a tree; INFINITY: nowhere. */
TAUT_FN double enter_bounds(const float box[6], const double o[3], const double d[3]) {
    double enter = 0, leave = INFINITY;
    for (int a = 0; a < 3; a++) {
        clip_slab(o[a], d[a], (double)box[a], (double)box[3 + a], &enter, &leave);
    }
    return box[0] <= box[3] && enter <= leave ? enter : INFINITY;
}

#endif
