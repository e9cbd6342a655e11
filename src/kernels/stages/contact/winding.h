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
    const double v[3] = {volume_between(p, end, t, t + 3), volume_between(p, end, t + 3, t + 6),
                         volume_between(p, end, t + 6, t)};
    const bool meets = (v[0] >= 0 && v[1] >= 0 && v[2] >= 0) || (v[0] <= 0 && v[1] <= 0 && v[2] <= 0);
    return !meets || !(ahead > 0) ? 0 : rate > 0 ? 1 : -1;
}

/* Where the corners of a triangle are now, which may be after the search for contacts. */
TAUT_FN void corners_now(const taut_fields* f, const mesh_triangles* m, uint32_t triangle, double t[9]) {
    for (size_t k = 0; k < 3; k++) {
        const size_t node = deforming_node(f, &m->deforming[triangle], k);
        for (size_t a = 0; a < 3; a++) {
            t[3 * k + a] = f->x[3 * node + a];
        }
    }
}

/* `boxes`: of the tree, about all places that are asked for; `now`: of triangles where their nodes are, else where the
 * search for contacts has put them. */
TAUT_FN int mesh_winding(const taut_fields* f, const mesh_triangles* m, const float* boxes, bool now,
                         const double p[3]) {
    const double d[3] = {0.5257311121, 0.8017837257, 0.2841033724};
    int count = 0;
    for (uint32_t i = 1; i != 0;) {
        const bool meets = enter_bounds(boxes + 6 * (size_t)i, p, d) < INFINITY;
        if (meets && i < m->leaves) {
            i *= 2;
            continue;
        }
        if (meets) {
            double t[9];
            const double* own = m->corner + 9 * (size_t)(i - m->leaves);
            if (now) {
                corners_now(f, m, i - m->leaves, t);
            }
            count += ray_leaves(p, d, now ? t : own);
        }
        i = tree_skip(i);
    }
    return count;
}

/* Likewise of a mesh with the place that it has now, or had in the search. */
TAUT_FN int winding_in(const taut_fields* f, const taut_mesh* mesh, bool now, const double p[3]) {
    const mesh_triangles m = mesh_triangles_now(f, mesh);
    return mesh_winding(f, &m, now ? f->mesh_swept + 6 * mesh->first_box : m.box, now, p);
}

/* Whether what is `away` in front of a place of the surface of a mesh, along a normal of any length, is within it. */
TAUT_FN bool is_buried(const taut_fields* f, const taut_mesh* mesh, bool now, const double place[3],
                       const double normal[3], double away) {
    const double length = sqrt(vec3_dot(normal, normal));
    double p[3] = {place[0], place[1], place[2]};
    vec3_axpy(length > 0 ? away / length : 0, normal, p);
    return winding_in(f, mesh, now, p) > 0;
}

#endif
