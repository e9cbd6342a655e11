/* Walls that close on each other, as the skin of a character in the crook of an arm does: both press on what is between
 * them, and sooner or later they pass into each other. A contact point then meets the nearest wall and the nearest one
 * that faces it. Where the room between two walls that nothing moves is less than the thickness, no place is outside
 * both: they give way alike, until they leave so much room that they hold what is between them. So it goes with the
 * mean of both, in its order, and comes out again when they part (compare Baraff, Witkin and Kass, Untangling Cloth,
 * 2003).
 *
 * Text for a file that has defined TAUT_REAL as double. */
#ifndef TAUT_CONTACT_OPPOSITE_H
#define TAUT_CONTACT_OPPOSITE_H

#include "kernels/stages/contact/collide_pair.h"
#include "kernels/stages/contact/winding.h"

/* Walls face each other if the product of their normals is less. */
#define TAUT_WALLS_FACE -0.2
/* Of the depth and the thickness of a point within both: how far the second wall is, at most. */
#define TAUT_WALLS_REACH 4.0
/* Of the radius of a point: by so much walls without room press on it, together. */
#define TAUT_WALLS_PRESS 1.0

/* ---- the second wall --------------------------------------------------------------------------------------------- */

/* The nearest triangle to p that faces a wall with the normal n, with p in front of it, or behind; at.squared: how far
 * it may be. */
TAUT_FN bool mesh_facing(const mesh_triangles* m, const double p[3], const double n[3], bool behind, mesh_place* at) {
    uint32_t i = 1, waiting = 0;
    bool any = false;
    while (i != 0) {
        const bool near = off_box(m->box + 6 * (size_t)i, p) < at->squared;
        if (near && i < m->leaves) {
            i *= 2;
            waiting = waiting << 1 | 1u;
            continue;
        }
        if (near) {
            const double* t = m->corner + 9 * (size_t)(i - m->leaves);
            double off[3], ab[3], ac[3], own[3];
            vec3_sub(t + 3, t, ab);
            vec3_sub(t + 6, t, ac);
            vec3_cross(ab, ac, own);
            if (vec3_dot(own, n) < TAUT_WALLS_FACE * sqrt(vec3_dot(own, own))) {
                const uint32_t part = off_triangle(t, p, off);
                const double squared = vec3_dot(off, off);
                if (squared < at->squared && (vec3_dot(off, own) < 0) == behind) {
                    const mesh_place better = {squared, {off[0], off[1], off[2]}, i - m->leaves, part};
                    *at = better;
                    any = true;
                }
            }
        }
        i = mesh_tree_next(i, &waiting);
    }
    return any;
}

/* A point and the wall of a mesh that it has met already: its normal, and the signed distance. */
typedef struct taut_wall {
    double normal[3], distance;
} taut_wall;

/* The wall of the same mesh that faces the first one, with the point between both; false: there is none near. */
TAUT_FN bool meet_opposite(const taut_fields* f, const taut_sizes* s, size_t point, size_t collider,
                           const taut_factors* step, const taut_wall* first, contact_found* found) {
    const taut_mesh* mesh = deforming_mesh(f, s, collider);
    const double radius = f->touching_place[point].radius;
    const double reach = radius - first->distance; /* beyond, both leave half of the thickness: one serves */
    contact_side_of own = touching_side(f, s, point);
    const mesh_triangles triangles = mesh_triangles_now(f, mesh);
    mesh_place at = {reach * reach, {0, 0, 0}, 0, 0};
    double v[3], side = 1;
    if (!(reach > 0)) {
        return false;
    }
    if (!mesh_facing(&triangles, own.x, first->normal, false, &at)) {
        const double far = TAUT_WALLS_REACH * (radius + fabs(first->distance));
        const bool outside = first->distance >= 0;
        const bool looks = !outside || last_of_pair(f, point, (uint32_t)collider, TAUT_OPPOSITE_FEATURE) != NULL;
        at.squared = far * far;
        side = -1;
        if (!looks || mesh_winding(f, mesh, false, own.x) < (outside ? 1 : 2) ||
            !mesh_facing(&triangles, own.x, first->normal, true, &at)) {
            return false;
        }
    }
    const double distance = mesh_side(&triangles, &at, found->normal), size = side * fabs(distance);
    for (int a = 0; a < 3; a++) { /* an edge or a corner may tell another side than its triangle */
        found->normal[a] *= (distance < 0) == (side < 0) ? 1 : -1;
    }
    found->gap = size - radius;
    found->feature = TAUT_OPPOSITE_FEATURE;
    if (!found_on_triangle(f, &triangles, at.triangle, radius, &own, found, v)) {
        return false;
    }
    found_of_point(f, s, point, collider, &own, step, found);
    return true;
}

/* ---- room between walls ------------------------------------------------------------------------------------------ */

/* Where contact c of a point is at the end of the step if the point stays where it is: the gap to a wall that is moved,
 * and its normal. */
TAUT_FN double gap_to_wall(const taut_fields* f, size_t c, double h, double normal[3]) {
    const taut_kind_fields* kind = &f->kinds[TAUT_CONTACT];
    const double* rest = kind->rest + contact_REST * c;
    const uint32_t* nodes = kind->nodes + contact_NODES * c;
    const double* arm = rest + contact_arm + 3;
    double d[3] = {0, 0, 0}, wall[3] = {0, 0, 0};
    for (int i = 0; i < 4; i++) {
        vec3_axpy(rest[contact_weight + i], f->x + 3 * (size_t)nodes[i], d);
        vec3_axpy(i > 0 ? -rest[contact_weight + i] : 0, f->v + 3 * (size_t)nodes[i], wall);
    }
    if (arm[0] != 0 || arm[1] != 0 || arm[2] != 0) {
        double spun[3];
        vec3_cross(f->v + 3 * (size_t)nodes[5], arm, spun);
        vec3_axpy(1, spun, wall);
    }
    for (int a = 0; a < 3; a++) {
        normal[a] = rest[contact_normal + a];
    }
    return vec3_dot(normal, d) - rest[contact_offset] - h * vec3_dot(normal, wall);
}

/* Whether contact c of a point is with a wall: a collider that nothing moves. */
TAUT_FN bool meets_wall(const taut_fields* f, const taut_sizes* s, size_t c) {
    const uint32_t other = f->contact_pair[2 * c + 1];
    return other < s->colliders && f->contact_feature[c] < TAUT_CROSSING_FEATURE && collider_is_still(f, s, other);
}

/* A wall gives way by `less`, m. What it bore was for the other wall, and is forgotten: both would keep it for ever. */
TAUT_FN void give_way(const taut_fields* f, const taut_sizes* s, size_t c, double less) {
    f->kinds[TAUT_CONTACT].rest[contact_REST * c + contact_offset] -= less;
    for (size_t r = 0; r < contact_ROWS; r++) {
        const size_t row = row_of_contact(s, c, r);
        f->gam[row] = f->lam[row] = f->lam_smooth[row] = 0;
    }
}

/* Two walls that leave a point of this radius no room give way, and let it pass. */
TAUT_FN void share_between(const taut_fields* f, const taut_sizes* s, double radius, size_t i, size_t j, double h) {
    double one[3], two[3];
    const double room = gap_to_wall(f, i, h, one) + gap_to_wall(f, j, h, two), least = -TAUT_WALLS_PRESS * radius;
    if (vec3_dot(one, two) < TAUT_WALLS_FACE && room < least) {
        give_way(f, s, i, (least - room) / 2);
        give_way(f, s, j, (least - room) / 2);
    }
}

/* All that a finder meets, if that is a point with a radius, in contacts [begin, end). */
TAUT_FN void share_room(const taut_fields* f, const taut_sizes* s, size_t finder, size_t begin, size_t end, double h) {
    const double radius = finder < s->touching ? f->touching_place[finder].radius : 0;
    for (size_t i = begin; i < end && radius > 0; i++) {
        for (size_t j = i + 1; j < end && meets_wall(f, s, i); j++) {
            if (meets_wall(f, s, j)) {
                share_between(f, s, radius, i, j, h);
            }
        }
    }
}

#endif
