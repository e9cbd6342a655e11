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

/* Of a place in the half plane (across, along) of an axis as a normal in space. */
TAUT_FN void normal_about_axis(const double p[3], const double flat[2], double normal[3]) {
    const double across = sqrt(p[0] * p[0] + p[1] * p[1]);
    normal[0] = across > 0 ? flat[0] * p[0] / across : flat[0];
    normal[1] = across > 0 ? flat[0] * p[1] / across : 0;
    normal[2] = flat[1];
}

/* To a cylinder about z with a radius and half of its height: in the half plane through p it is a rectangle. */
TAUT_FN double cylinder_distance(double radius, double half, const double p[3], double normal[3]) {
    const double size[3] = {radius, half, INFINITY}, flat[3] = {sqrt(p[0] * p[0] + p[1] * p[1]), p[2], 0};
    double out[3];
    const double distance = box_distance(size, flat, out);
    normal_about_axis(p, out, normal);
    return distance;
}

/* To a cone about z with its tip at +half: in the half plane through p it is a triangle, whose side from the rim to the
 * tip has the normal (2 half, radius), and whose base goes from the axis to the rim. */
TAUT_FN double cone_distance(double radius, double half, const double p[3], double normal[3]) {
    const double across = sqrt(p[0] * p[0] + p[1] * p[1]), length = sqrt(4 * half * half + radius * radius);
    const double side[2] = {2 * half / length, radius / length}, base[2] = {0, -1};
    const double over_side = side[0] * across + side[1] * (p[2] - half), under = -half - p[2];
    if (over_side <= 0 && under <= 0) {
        normal_about_axis(p, over_side > under ? side : base, normal);
        return over_side > under ? over_side : under;
    }
    /* from the tip along the side, and from the axis along the base */
    const double along = fmin(length, fmax(0.0, side[1] * across - side[0] * (p[2] - half)));
    const double to_side[2] = {across - side[1] * along, p[2] - half + side[0] * along};
    const double to_base[2] = {across - fmin(across, radius), p[2] + half};
    const double first = sqrt(to_side[0] * to_side[0] + to_side[1] * to_side[1]);
    const double second = sqrt(to_base[0] * to_base[0] + to_base[1] * to_base[1]);
    const double* off = first < second ? to_side : to_base;
    const double distance = fmin(first, second);
    const double flat[2] = {distance > 0 ? off[0] / distance : side[0], distance > 0 ? off[1] / distance : side[1]};
    normal_about_axis(p, flat, normal);
    return distance;
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
    case TAUT_SHAPE_CYLINDER:
        return cylinder_distance(size[0], size[1], p, normal);
    case TAUT_SHAPE_CONE:
        return cone_distance(size[0], size[1], p, normal);
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
    case TAUT_SHAPE_CYLINDER:
    case TAUT_SHAPE_CONE:
        return sqrt(size[0] * size[0] + size[1] * size[1]);
    default:
        return INFINITY;
    }
}

/* The least extent, m: of a hull across its faces, of other meshes along their axes. */
TAUT_FN double shape_thickness(uint32_t shape, const double size[3]) {
    switch (shape) {
    case TAUT_SHAPE_SPHERE:
    case TAUT_SHAPE_CAPSULE:
        return 2 * size[0];
    case TAUT_SHAPE_MESH: /* layout: collider_size */
        return size[1];
    case TAUT_SHAPE_BOX:
        return 2 * fmin(size[0], fmin(size[1], size[2]));
    case TAUT_SHAPE_CYLINDER:
    case TAUT_SHAPE_CONE:
        return 2 * fmin(size[0], size[1]);
    default:
        return INFINITY;
    }
}

/* Halves of the sides of the box about its origin, along the axes of the world, that holds a shape with these axes. */
TAUT_FN void shape_extent(uint32_t shape, const double size[3], double axis[3][3], double half[3]) {
    for (int a = 0; a < 3; a++) {
        const double z = fabs(axis[2][a]), across = sqrt(fmax(0.0, 1 - z * z));
        switch (shape) {
        case TAUT_SHAPE_CAPSULE:
            half[a] = size[0] + size[1] * z;
            break;
        case TAUT_SHAPE_BOX:
            half[a] = size[0] * fabs(axis[0][a]) + size[1] * fabs(axis[1][a]) + size[2] * z;
            break;
        case TAUT_SHAPE_CYLINDER:
        case TAUT_SHAPE_CONE:
            half[a] = size[0] * across + size[1] * z;
            break;
        default:
            half[a] = shape_reach(shape, size);
            break;
        }
    }
}

#endif
