/* Meshes that deform with points of the scene: where their triangles are, the boxes above them, and normals of their
 * parts, which are made where they are asked for: few of them are. Text for a file that has defined TAUT_REAL as
 * double. */
#ifndef TAUT_CONTACT_DEFORMING_H
#define TAUT_CONTACT_DEFORMING_H

#include "kernels/stages/contact/tree.h"
#include "kernels/stages/nodes.h"
#include "model/layout.h"

/* ---- once a substep ---------------------------------------------------------------------------------------------- */

/* Node of a corner. */
TAUT_FN uint32_t deforming_node(const taut_fields* f, const taut_deforming* d, size_t corner) {
    return f->mesh_vertex[d->vertex[corner]];
}

/* Where the corners of a triangle are now, which may be after the search for contacts. */
TAUT_FN void corners_now(const taut_fields* f, const taut_deforming* d, double corner[9]) {
    for (size_t k = 0; k < 3; k++) {
        const size_t node = deforming_node(f, d, k);
        for (size_t a = 0; a < 3; a++) {
            corner[3 * k + a] = f->x[3 * node + a];
        }
    }
}

/* Rounded up. */
TAUT_FN float deforming_speed(double squared) {
    return nextafterf((float)sqrt(squared), INFINITY);
}

/* Triangle i of those that deform, and its leaf of the tree. */
TAUT_FN void place_deforming(const taut_fields* f, size_t i) {
    const taut_deforming* d = &f->deforming[i];
    double *corner = f->mesh_corner + 9 * d->triangle, fastest = 0;
    float* box = f->mesh_box + 6 * d->box;
    box_clear(box);
    corners_now(f, d, corner);
    for (size_t k = 0; k < 3; k++) {
        const size_t node = deforming_node(f, d, k);
        box_add(corner + 3 * k, 0, box);
        fastest = fmax(fastest, vec3_dot(f->v + 3 * node, f->v + 3 * node));
    }
    f->mesh_speed[d->box] = deforming_speed(fastest);
}

/* Node i of the tree of a mesh from its children. */
TAUT_FN void join_deforming(const taut_fields* f, const taut_mesh* m, size_t i) {
    float *box = f->mesh_box + 6 * m->first_box, *speed = f->mesh_speed + m->first_box;
    box_join(box + 12 * i, box + 12 * i + 6, box + 6 * i);
    speed[i] = fmaxf(speed[2 * i], speed[2 * i + 1]);
}

/* ---- normals ----------------------------------------------------------------------------------------------------- */

/* Adds the unit normal of a triangle, weighted; one without area has none. */
TAUT_FN void add_plane(const double corner[9], double weight, double sum[3]) {
    double ab[3], ac[3], normal[3];
    vec3_sub(corner + 3, corner, ab);
    vec3_sub(corner + 6, corner, ac);
    vec3_cross(ab, ac, normal);
    const double length = sqrt(vec3_dot(normal, normal));
    vec3_axpy(length > 0 ? weight / length : 0, normal, sum);
}

/* Of a triangle at its corner i. */
TAUT_FN double corner_angle(const double corner[9], size_t i) {
    double to[3], from[3], across[3];
    vec3_sub(corner + 3 * ((i + 1) % 3), corner + 3 * i, to);
    vec3_sub(corner + 3 * ((i + 2) % 3), corner + 3 * i, from);
    vec3_cross(to, from, across);
    return atan2(sqrt(vec3_dot(across, across)), vec3_dot(to, from));
}

/* Sum around the corner where a half-edge begins, as host/scene/collider_mesh_topology.c has it for rigid meshes. The
 * triangles of a mesh begin at `corners` and `mesh`. */
TAUT_FN void corner_of_deforming(const taut_deforming* mesh, const double* corners, uint32_t half, double sum[3]) {
    uint32_t at = half;
    sum[0] = sum[1] = sum[2] = 0;
    do {
        const uint32_t triangle = at / 3, i = at % 3;
        const double* own = corners + 9 * (size_t)triangle;
        add_plane(own, corner_angle(own, i), sum);
        at = mesh[triangle].across[(i + 2) % 3];
    } while (at != half);
}

/* Of a part of a triangle, a TAUT_MESH_FACE and following; of any length. */
TAUT_FN void normal_of_deforming(const taut_deforming* mesh, const double* corners, uint32_t triangle, uint32_t part,
                                 double sum[3]) {
    if (part >= TAUT_MESH_CORNER) {
        corner_of_deforming(mesh, corners, 3 * triangle + (part - TAUT_MESH_CORNER), sum);
        return;
    }
    sum[0] = sum[1] = sum[2] = 0;
    add_plane(corners + 9 * (size_t)triangle, 1, sum);
    if (part >= TAUT_MESH_EDGE) {
        add_plane(corners + 9 * (size_t)(mesh[triangle].across[part - TAUT_MESH_EDGE] / 3), 1, sum);
    }
}

#endif
