/* Which solids are meshes that are not convex, how thick solids are, and how much their turns move them. Text for a
 * file that has defined TAUT_REAL as double. */
#ifndef TAUT_CONTACT_THICKNESS_H
#define TAUT_CONTACT_THICKNESS_H

#include "kernels/stages/contact/shapes.h"
#include "kernels/stages/items.h"

#include <math.h>

/* Whether a collider is a mesh that solids meet part by part (collide_facets.h), and whether one of two is. */
TAUT_FN bool is_facets(const taut_fields* f, size_t collider) {
    return (f->collider_class[collider].flags & TAUT_COLLIDER_FACETS) != 0;
}

TAUT_FN bool meet_as_facets(const taut_fields* f, size_t a, size_t b) {
    return is_facets(f, a) || is_facets(f, b);
}

/* Half of the least extent, m; of a mesh that is not convex 0. */
TAUT_FN double half_thickness(const taut_fields* f, size_t collider) {
    const uint32_t shape = f->collider_shape[collider];
    if (shape == TAUT_SHAPE_MESH && f->mesh[f->collider_mesh[collider]].hull == TAUT_NO_HULL) {
        return 0;
    }
    return 0.5 * shape_thickness(shape, f->collider_size + 3 * collider);
}

/* Likewise of the thinner one of the solids of contact c that move, of a mesh along its axes; infinite where there is
 * none, or both are meshes that meet with vertices as well, as points. */
TAUT_FN double thinner_half(const taut_fields* f, const taut_sizes* s, size_t c) {
    const size_t finder = f->contact_pair[2 * c], first = s->touching + s->edges;
    const size_t pair[2] = {finder - first, f->contact_pair[2 * c + 1]};
    const bool solids = finder >= first && !(is_facets(f, pair[0]) && is_facets(f, pair[1]));
    double least = INFINITY;
    for (int k = 0; solids && k < 2; k++) {
        const uint32_t frame = f->collider_body[pair[k]].frame;
        if (frame != TAUT_NO_NODE && f->inverse_mass[frame] > 0) {
            const double half = half_thickness(f, pair[k]);
            least = fmin(least, half > 0 ? half : 0.5 * f->collider_size[3 * pair[k] + 1]);
        }
    }
    return least;
}

/* Whether turns about an axis do not show: z; of a sphere about any. */
TAUT_FN bool is_round(uint32_t shape) {
    return shape == TAUT_SHAPE_SPHERE || shape == TAUT_SHAPE_CAPSULE || shape == TAUT_SHAPE_CYLINDER ||
           shape == TAUT_SHAPE_CONE;
}

/* Of a turn of a collider with the axes q. About a fixed direction the axis of what is round goes by |turn x axis|. */
TAUT_FN double turn_that_shows(uint32_t shape, const double q[4], const double turn[3]) {
    const double unit[3] = {0, 0, 1};
    double axis[3], across[3];
    if (shape == TAUT_SHAPE_SPHERE || !is_round(shape)) {
        return shape == TAUT_SHAPE_SPHERE ? 0 : 1;
    }
    const double all = vec3_dot(turn, turn);
    quat_rotate(q, unit, axis);
    vec3_cross(turn, axis, across);
    return all > 0 ? sqrt(vec3_dot(across, across) / all) : 0;
}

/* The axes of a collider on a body. */
TAUT_FN void axes_on_body(const taut_fields* f, const taut_sizes* s, size_t collider, double q[4]) {
    const double* body = f->orientation + 4 * ((size_t)f->collider_body[collider].frame - s->points);
    quat_multiply(body, f->collider_pose[collider].orientation, q);
}

/* m/s: how fast turns move any place of a solid at most. */
TAUT_FN double turned_speed(const taut_fields* f, const taut_sizes* s, size_t collider) {
    const double* place = f->collider_pose[collider].position;
    const uint32_t frame = f->collider_body[collider].frame;
    double q[4];
    if (frame == TAUT_NO_NODE) {
        return 0;
    }
    axes_on_body(f, s, collider, q);
    const double* turn = f->v + 3 * (size_t)frame;
    const double round = turn_that_shows(f->collider_shape[collider], q, turn);
    return (round * f->solid[collider].reach + sqrt(vec3_dot(place, place))) * sqrt(vec3_dot(turn, turn));
}

#endif
