/* Where meshes that deform carry what is around them: each place goes with the triangles near it as these move and
 * deform within their planes, and keeps its height over them. So what is between stays between, however far a mesh
 * goes. On a triangle that one alone carries; between two it is a mean, so that neighbours do not part where another
 * triangle is nearest.
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

/* The way of a place as a triangle carries it. */
TAUT_FN void carried_by(const taut_fields* f, const mesh_triangles* m, uint32_t triangle, const double off[3],
                        const double x[3], double way[3]) {
    const double* was = m->corner + 9 * (size_t)triangle;
    double now[9], weight[3], moved[3];
    corners_now(f, &m->deforming[triangle], now);
    near_by_regions(x, was, was + 3, was + 6, weight);
    carried_offset(was, now, off, moved);
    for (int a = 0; a < 3; a++) {
        way[a] = weight[0] * now[a] + weight[1] * now[3 + a] + weight[2] * now[6 + a] + moved[a] - x[a];
    }
}

/* Adds what the triangles of a mesh that are nearer than `reach` carry a place by, and their weights,
 * (max(0, R^2 - d^2) / d^2)^2, after those of Franke and Nielson (Smooth interpolation of large sets of scattered data,
 * 1980), who take distances instead of their squares. */
TAUT_FN void carried_add(const taut_fields* f, const mesh_triangles* m, const double x[3], double squared_reach,
                         double way[3], double* total) {
    uint32_t i = 1, waiting = 0;
    while (i != 0) {
        const bool near = off_box(m->box + 6 * (size_t)i, x) < squared_reach;
        if (near && i < m->leaves) {
            i = 2 * i;
            waiting = waiting << 1 | 1u;
            continue;
        }
        if (near) {
            double off[3], one[3];
            (void)off_triangle(m->corner + 9 * (size_t)(i - m->leaves), x, off);
            const double squared = vec3_dot(off, off), part = fmax(squared_reach - squared, 0.0) / squared;
            if (part > 0) {
                carried_by(f, m, i - m->leaves, off, x, one);
                vec3_axpy(part * part, one, way);
                *total += part * part;
            }
        }
        i = mesh_tree_next(i, &waiting);
    }
}

/* Distances up to which triangles carry a place, in that of the nearest one. */
#define CARRIED_REACH 8.0

/* The way of a place; 0 where no mesh deforms. */
TAUT_FN void carried_way(const taut_fields* f, const taut_sizes* s, const double x[3], double way[3]) {
    mesh_place at = {INFINITY, {0, 0, 0}, 0, 0};
    const taut_mesh* nearest = NULL;
    double total = 0;
    way[0] = way[1] = way[2] = 0;
    for (size_t m = 0; s->deforming > 0 && m < s->meshes; m++) {
        const mesh_triangles triangles = mesh_triangles_now(f, &f->mesh[m]);
        nearest = triangles.deforming != NULL && mesh_nearest(&triangles, x, &at) ? &f->mesh[m] : nearest;
    }
    for (size_t m = 0; nearest != NULL && m < s->meshes; m++) {
        const mesh_triangles triangles = mesh_triangles_now(f, &f->mesh[m]);
        if (triangles.deforming != NULL) {
            carried_add(f, &triangles, x, CARRIED_REACH * CARRIED_REACH * at.squared, way, &total);
        }
    }
    for (int a = 0; total > 0 && a < 3; a++) {
        way[a] /= total;
    }
    if (nearest != NULL && !(total > 0)) { /* it lies on the triangle */
        const mesh_triangles triangles = mesh_triangles_now(f, nearest);
        carried_by(f, &triangles, at.triangle, at.off, x, way);
    }
}

#endif
