/* Contact points and meshes that deform, in a part of a substep: as crossing.h has it of points and faces, for those of
 * the triangles that the point may meet. What starts within a mesh may come out.
 *
 * Text for a file that has defined TAUT_REAL as double. */
#ifndef TAUT_CONTACT_CROSSING_MESH_H
#define TAUT_CONTACT_CROSSING_MESH_H

#include "kernels/stages/contact/crossing_paths.h"
#include "kernels/stages/contact/winding.h"

/* ---- boxes ------------------------------------------------------------------------------------------------------- */

/* Of triangle i of those that deform, on its way. */
TAUT_FN void sweep_deforming(const taut_fields* was, const taut_fields* f, size_t i) {
    const taut_deforming* d = &f->deforming[i];
    float* box = f->mesh_swept + 6 * d->box;
    box_clear(box);
    for (size_t k = 0; k < 3; k++) {
        const size_t node = deforming_node(f, d, k);
        box_add(was->x + 3 * node, 0, box);
        box_add(f->x + 3 * node, 0, box);
    }
}

/* Node i of the tree of a mesh from its children. */
TAUT_FN void join_swept(const taut_fields* f, const taut_mesh* m, size_t i) {
    float* box = f->mesh_swept + 6 * m->first_box;
    box_join(box + 12 * i, box + 12 * i + 6, box + 6 * i);
}

TAUT_FN void box_of_swept_point(const taut_fields* was, const taut_fields* f, const taut_sizes* s, size_t point,
                                float box[6]) {
    double from[3], to[3];
    path_of_point(was, f, s, point, from, to);
    vec3_axpy(1, from, to);
    box_clear(box);
    box_add(from, swept_margin(f, point), box);
    box_add(to, swept_margin(f, point), box);
}

/* ---- sides ------------------------------------------------------------------------------------------------------- */

/* Whether a place is within a mesh that deforms, or on it, at the start; its triangles are where the search for
 * contacts has put them. */
TAUT_FN bool starts_within(const taut_fields* f, const taut_mesh* mesh, const double place[3], double thickness) {
    const mesh_triangles triangles = mesh_triangles_now(f, mesh);
    double normal[3];
    return !(mesh_exact(&triangles, place, normal) > TAUT_SIDELESS * thickness);
}

/* Likewise the place of the second part of a pair that is nearest to the first, or with `first` the other way round:
 * that one is on the mesh. */
TAUT_FN bool pair_starts_within(const taut_fields* f, const taut_mesh* mesh, const moving_pair* pair, bool first,
                                double thickness) {
    double weight[4], d[3], place[3] = {0, 0, 0};
    pair_at(pair, 0, weight, d);
    for (int i = first ? 0 : pair->own; i < (first ? pair->own : 4); i++) {
        vec3_axpy(first ? weight[i] : -weight[i], pair->from[i], place);
    }
    return starts_within(f, mesh, place, thickness);
}

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

TAUT_FN void pair_of_deforming(const taut_fields* was, const taut_fields* f, const taut_sizes* s, size_t point,
                               const taut_deforming* triangle, moving_pair* pair) {
    pair->own = 1;
    pair->segment = false;
    path_of_point(was, f, s, point, pair->from[0], pair->way[0]);
    for (size_t k = 0; k < 3; k++) {
        const size_t node = deforming_node(f, triangle, k);
        for (size_t a = 0; a < 3; a++) {
            pair->from[1 + k][a] = was->x[3 * node + a];
            pair->way[1 + k][a] = f->x[3 * node + a] - was->x[3 * node + a];
        }
    }
}

/* Of a point and one triangle; 2 where the point is a corner of it. */
TAUT_FN double time_on_deforming(const taut_fields* was, const taut_fields* f, const taut_sizes* s, size_t point,
                                 const taut_deforming* triangle) {
    moving_pair pair;
    for (size_t k = 0; k < 3; k++) {
        if (deforming_node(f, triangle, k) == f->touching_node[point].centre) {
            return 2;
        }
    }
    pair_of_deforming(was, f, s, point, triangle, &pair);
    return time_of_meeting(&pair, 0, f->touching_place[point].radius);
}

/* Whether the mesh has passed into itself by the end where a point meets this triangle: it leaves it no room. */
TAUT_FN bool triangle_is_buried(const taut_fields* f, const taut_sizes* s, size_t point, const taut_mesh* mesh,
                                uint32_t triangle) {
    const mesh_triangles m = mesh_triangles_now(f, mesh);
    const contact_side_of end = touching_side(f, s, point);
    double t[9], weight[3], place[3] = {0, 0, 0}, ab[3], ac[3], normal[3];
    corners_now(f, &m.deforming[triangle], t);
    near_by_regions(end.x, t, t + 3, t + 6, weight);
    for (int k = 0; k < 3; k++) {
        vec3_axpy(weight[k], t + 3 * k, place);
    }
    vec3_sub(t + 3, t, ab);
    vec3_sub(t + 6, t, ac);
    vec3_cross(ab, ac, normal);
    return is_buried(f, mesh, true, place, normal, f->touching_place[point].radius);
}

/* The first triangle of a mesh that a point meets, and when. */
TAUT_FN double time_on_mesh(const taut_fields* was, const taut_fields* f, const taut_sizes* s, size_t point,
                            const taut_mesh* mesh, uint32_t* triangle) {
    const float* boxes = f->mesh_swept + 6 * mesh->first_box;
    const taut_deforming* all = f->deforming + mesh->first_deforming;
    double first = 2;
    float box[6];
    box_of_swept_point(was, f, s, point, box);
    for (uint32_t i = 1; i != 0;) {
        const bool meets = boxes_meet(boxes + 6 * (size_t)i, box);
        if (meets && i < mesh->leaves) {
            i *= 2;
            continue;
        }
        const double time = meets ? time_on_deforming(was, f, s, point, &all[i - mesh->leaves]) : 2;
        if (time < first && !triangle_is_buried(f, s, point, mesh, i - mesh->leaves)) {
            first = time;
            *triangle = i - mesh->leaves;
        }
        i = tree_skip(i);
    }
    const contact_side_of start = touching_side(was, s, point);
    return first <= 1 && starts_within(f, mesh, start.x, f->touching_place[point].radius) ? 2 : first;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* Of the plane between the places that are to meet, each where it starts. */
TAUT_FN void found_of_deforming(const taut_fields* was, const taut_fields* f, const taut_sizes* s, size_t point,
                                size_t collider, const taut_mesh* mesh, contact_found* found) {
    double d[3], p[3], weight[3];
    uint32_t at = 0;
    moving_pair pair;
    const double time = time_on_mesh(was, f, s, point, mesh, &at);
    const taut_deforming* triangle = &f->deforming[mesh->first_deforming + at];
    pair_of_deforming(was, f, s, point, triangle, &pair);
    const double distance = pair_at(&pair, time, found->weight, d);
    for (int i = 0; i < 3; i++) {
        found->normal[i] = d[i] / distance;
        weight[i] = -found->weight[1 + i];
        p[i] = pair.from[0][i];
        found->arm[i] = found->arm[3 + i] = 0;
    }
    round_weights(weight);
    found->node[0] = f->touching_node[point].centre;
    found->node[4] = found->node[5] = TAUT_NO_NODE;
    for (int i = 0; i < 3; i++) {
        found->weight[1 + i] = -weight[i];
        found->node[1 + i] = deforming_node(f, triangle, (size_t)i);
        vec3_axpy(-weight[i], pair.from[1 + i], p);
    }
    found->gap = vec3_dot(found->normal, p) - f->touching_place[point].radius;
    found->law = f->touching_class[point].material * s->materials + f->collider_class[collider].material;
}

#endif
