/* Where meshes that deform carry what is around them: each place goes with the nearest triangle as that one moves and
 * deforms within its plane, and keeps its height over it. So what is between stays between, however far a mesh goes.
 *
 * Of places at the start of a part of a substep. Text for a file that has defined TAUT_REAL as double. */
#ifndef TAUT_CONTACT_CARRIED_H
#define TAUT_CONTACT_CARRIED_H

#include "kernels/stages/contact/mesh_distance.h"

/* How an offset from a triangle turns and stretches with it: r = u e + v g + w n for its sides e, g and its normal n.
 */
TAUT_FN void carried_offset(const double was[9], const double now[9], const double r[3], double out[3]) {
    double e[2][3], g[2][3], n[2][3], area[2];
    for (int i = 0; i < 2; i++) {
        const double* corner = i == 0 ? was : now;
        vec3_sub(corner + 3, corner, e[i]);
        vec3_sub(corner + 6, corner, g[i]);
        vec3_cross(e[i], g[i], n[i]);
        area[i] = sqrt(vec3_dot(n[i], n[i]));
    }
    const bool flat = !(area[0] > 0 && area[1] > 0);
    double across[2][3];
    vec3_cross(r, g[0], across[0]);
    vec3_cross(e[0], r, across[1]);
    const double u = vec3_dot(across[0], n[0]) / (area[0] * area[0]);
    const double v = vec3_dot(across[1], n[0]) / (area[0] * area[0]);
    const double w = vec3_dot(r, n[0]) / (area[0] * area[1]);
    for (int a = 0; a < 3; a++) {
        out[a] = flat ? r[a] : u * e[1][a] + v * g[1][a] + w * n[1][a];
    }
}

/* The way of a place; 0 where no mesh deforms. */
TAUT_FN void carried_way(const taut_fields* f, const taut_sizes* s, const double x[3], double way[3]) {
    mesh_place at = {INFINITY, {0, 0, 0}, 0, 0};
    const taut_mesh* nearest = NULL;
    way[0] = way[1] = way[2] = 0;
    for (size_t m = 0; s->deforming > 0 && m < s->meshes; m++) {
        const mesh_triangles triangles = mesh_triangles_now(f, &f->mesh[m]);
        nearest = triangles.deforming != NULL && mesh_nearest(&triangles, x, &at) ? &f->mesh[m] : nearest;
    }
    if (nearest == NULL) {
        return;
    }
    const mesh_triangles triangles = mesh_triangles_now(f, nearest);
    const double* was = triangles.corner + 9 * (size_t)at.triangle;
    double now[9], place[3], weight[3], off[3];
    for (size_t k = 0; k < 3; k++) {
        const size_t node = deforming_node(f, &triangles.deforming[at.triangle], k);
        for (size_t a = 0; a < 3; a++) {
            now[3 * k + a] = f->x[3 * node + a];
        }
    }
    near_by_regions(x, was, was + 3, was + 6, weight);
    carried_offset(was, now, at.off, off);
    for (int a = 0; a < 3; a++) {
        place[a] = weight[0] * now[a] + weight[1] * now[3 + a] + weight[2] * now[6 + a];
        way[a] = place[a] + off[a] - x[a];
    }
}

#endif
