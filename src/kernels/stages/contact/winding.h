/* How many times a place is within a closed mesh that deforms, which may have passed into itself: the winding number,
 * by the triangles that a ray goes through. What is buried, a part of the surface whose outside is inside the mesh,
 * holds nothing back: nothing that is outside could touch it.
 *
 * Text for a file that has defined TAUT_REAL as double. */
#ifndef TAUT_CONTACT_WINDING_H
#define TAUT_CONTACT_WINDING_H

#include "kernels/stages/contact/mesh_distance.h"
#include "kernels/stages/contact/rays.h"

/* 1 where a ray from p leaves the front of a triangle, -1 where it enters there, 0 where it misses. */
TAUT_FN int ray_leaves(const double p[3], const double d[3], const double t[9]) {
    double ab[3], ac[3], n[3], pa[3], end[3] = {p[0] + d[0], p[1] + d[1], p[2] + d[2]};
    vec3_sub(t + 3, t, ab);
    vec3_sub(t + 6, t, ac);
    vec3_cross(ab, ac, n);
    vec3_sub(t, p, pa);
    const double rate = vec3_dot(d, n), ahead = vec3_dot(pa, n) * rate;
    return !(ahead > 0) || !passes_inside(p, end, t, t + 3, t + 6) ? 0 : rate > 0 ? 1 : -1;
}

/* `now`: of triangles where their nodes are, which are in the boxes of their ways, else where the search for contacts
 * has put them. */
TAUT_FN int mesh_winding(const taut_fields* f, const taut_mesh* mesh, bool now, const double p[3]) {
    const double d[3] = {0.5257311121, 0.8017837257, 0.2841033724};
    const mesh_triangles m = mesh_triangles_now(f, mesh);
    const float* boxes = now ? f->mesh_swept + 6 * mesh->first_box : m.box;
    int count = 0;
    for (uint32_t i = 1; i != 0;) {
        const bool meets = enter_bounds(boxes + 6 * (size_t)i, p, d) < INFINITY;
        if (meets && i < m.leaves) {
            i *= 2;
            continue;
        }
        if (meets) {
            double corner[9];
            const uint32_t triangle = i - m.leaves;
            if (now) {
                corners_now(f, &m.deforming[triangle], corner);
            }
            count += ray_leaves(p, d, now ? corner : m.corner + 9 * (size_t)triangle);
        }
        i = tree_skip(i);
    }
    return count;
}

/* Whether what is `away` in front of a place of the surface of a mesh, along a normal of any length, is within it. */
TAUT_FN bool is_buried(const taut_fields* f, const taut_mesh* mesh, bool now, const double place[3],
                       const double normal[3], double away) {
    const double length = sqrt(vec3_dot(normal, normal));
    double p[3] = {place[0], place[1], place[2]};
    vec3_axpy(length > 0 ? away / length : 0, normal, p);
    return mesh_winding(f, mesh, now, p) > 0;
}

#endif
