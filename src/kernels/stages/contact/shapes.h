/* Signed distances to shapes, and the directions in which they grow fastest: text for a file that has defined TAUT_REAL
 * as double. */
#ifndef TAUT_CONTACT_SHAPES_H
#define TAUT_CONTACT_SHAPES_H

#include "kernels/formulas/rotation_math.h"
#include "taut/contact.h"

/* |p|, and p / |p|; along z where p vanishes. */
TAUT_FN double radial(const double p[3], double out[3]) {
    const double length = sqrt(vec3_dot(p, p));
    for (int a = 0; a < 3; a++) {
        out[a] = length > 0 ? p[a] / length : a == 2;
    }
    return length;
}

/* To a box with these halves of its sides; inside, to the nearest side. */
TAUT_FN double box_distance(const double half[3], const double p[3], double normal[3]) {
    double beyond[3], out[3];
    int nearest = 0;
    bool outside = false;
    for (int a = 0; a < 3; a++) {
        beyond[a] = fabs(p[a]) - half[a];
        out[a] = beyond[a] > 0 ? copysign(beyond[a], p[a]) : 0;
        outside = outside || beyond[a] > 0;
        nearest = beyond[a] > beyond[nearest] ? a : nearest;
    }
    if (outside) {
        return radial(out, normal);
    }
    for (int a = 0; a < 3; a++) {
        normal[a] = a == nearest ? copysign(1.0, p[a]) : 0;
    }
    return beyond[nearest];
}

/* Of p in the shape's axes: negative inside; `normal` is a unit vector. */
TAUT_FN double shape_distance(uint32_t shape, const double size[3], const double p[3], double normal[3]) {
    const double along = shape == TAUT_SHAPE_CAPSULE ? size[1] : 0;
    const double from[3] = {p[0], p[1], p[2] > along ? p[2] - along : p[2] < -along ? p[2] + along : 0};
    switch (shape) {
    case TAUT_SHAPE_SPHERE:
        return radial(p, normal) - size[0];
    case TAUT_SHAPE_CAPSULE:
        return radial(from, normal) - size[0];
    case TAUT_SHAPE_BOX:
        return box_distance(size, p, normal);
    default:
        normal[0] = normal[1] = 0;
        normal[2] = 1;
        return p[2];
    }
}

/* The radius of a ball about the origin that holds the shape. */
TAUT_FN double shape_reach(uint32_t shape, const double size[3]) {
    switch (shape) {
    case TAUT_SHAPE_SPHERE:
    case TAUT_SHAPE_MESH: /* layout: collider_size */
        return size[0];
    case TAUT_SHAPE_CAPSULE:
        return size[0] + size[1];
    case TAUT_SHAPE_BOX:
        return sqrt(vec3_dot(size, size));
    default:
        return INFINITY;
    }
}

/* Halves of the sides of the box about its origin, along the axes of the world, that holds a shape with these axes. */
TAUT_FN void shape_extent(uint32_t shape, const double size[3], double axis[3][3], double half[3]) {
    for (int a = 0; a < 3; a++) {
        const double z = fabs(axis[2][a]);
        half[a] = shape == TAUT_SHAPE_CAPSULE ? size[0] + size[1] * z
                  : shape == TAUT_SHAPE_BOX   ? size[0] * fabs(axis[0][a]) + size[1] * fabs(axis[1][a]) + size[2] * z
                                              : shape_reach(shape, size);
    }
}

#endif
