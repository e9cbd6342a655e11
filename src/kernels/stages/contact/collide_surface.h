/* Collide: which parts of contact surfaces are near. A point finds faces, an edge finds edges.
 *
 * A feature - face, edge or corner - counts where it is the nearest one of its surface around, so that what slides
 * along a flat surface meets its faces alone, and never the side of an edge (compare Chen et al., Offset Geometric
 * Contact, 2025). Text for a file that has defined TAUT_REAL as double. */
#ifndef TAUT_CONTACT_COLLIDE_SURFACE_H
#define TAUT_CONTACT_COLLIDE_SURFACE_H

#include "kernels/stages/contact/collide_pair.h"
#include "kernels/stages/contact/held_apart.h"
#include "kernels/stages/contact/layers.h"
#include "kernels/stages/contact/material.h"
#include "kernels/stages/contact/near.h"
#include "kernels/stages/contact/stands_out.h"
#include "kernels/stages/contact/surface_flags.h"
#include "kernels/stages/contact/winding.h"

/* Cosine of an angle that rounding may make of a right one. */
#define TAUT_NEAR_SLACK 1e-6

/* Closest points nearer than so many thicknesses are in one place. */
#define TAUT_ONE_PLACE 1e-9

/* Other corners are at their points: surfaces have no arms. */
TAUT_FN const double* corner_x(const taut_fields* f, size_t corner) {
    return is_skin(f, corner) ? f->skin_x + 3 * (size_t)f->touching_skin[corner]
                              : f->x + 3 * (size_t)f->touching_node[corner].centre;
}

TAUT_FN const double* corner_v(const taut_fields* f, size_t corner) {
    return is_skin(f, corner) ? f->skin_v + 3 * (size_t)f->touching_skin[corner]
                              : f->v + 3 * (size_t)f->touching_node[corner].centre;
}

/* Whether a corner of a mesh that deforms stands out now: of all edges from it. */
TAUT_FN bool tip_stands_out(const taut_sizes* s, const taut_deforming* mesh, const double* corners, uint32_t half,
                            const double outwards[3]) {
    skin_tip tip = {false, false, 0, 0};
    uint32_t at = half;
    do {
        const uint32_t i = at % 3, over = mesh[at / 3].across[i];
        const double *own = corners + 9 * (size_t)(at / 3), *other = corners + 9 * (size_t)(over / 3);
        const skin_bend b = skin_bend_of(own + 3 * i, own + 3 * ((i + 1) % 3), own + 3 * ((i + 2) % 3),
                                         other + 3 * ((over % 3 + 2) % 3));
        add_to_skin_tip(&b, edge_stands_out(&b, s), outwards, &tip);
        at = mesh[at / 3].across[(i + 2) % 3];
    } while (at != half);
    return corner_stands_out(&tip, 0, s);
}

/* Likewise an edge. */
TAUT_FN void turn_edge(const taut_fields* f, const taut_sizes* s, size_t edge) {
    const uint32_t* corner = f->edge_corner + 4 * edge;
    if (is_skin(f, corner[0]) && deforming_mesh(f, s, skin_collider(f, corner[0])) != NULL) {
        const skin_bend b = skin_bend_of(corner_x(f, corner[0]), corner_x(f, corner[1]), corner_x(f, corner[2]),
                                         corner_x(f, corner[3]));
        f->edge_inactive[edge] = !edge_stands_out(&b, s);
    }
}

/* Outwards at a corner of a mesh that deforms. */
TAUT_FN void turn_skin(const taut_fields* f, const taut_sizes* s, size_t skin) {
    const taut_mesh* mesh = deforming_mesh(f, s, f->skin_collider[skin]);
    double sum[3];
    if (mesh != NULL) {
        const taut_deforming* deforming = f->deforming + mesh->first_deforming;
        const double* corners = f->mesh_corner + 9 * mesh->first_triangle;
        corner_of_deforming(deforming, corners, f->skin_half[skin], sum);
        radial(sum, f->skin_normal + 3 * skin);
        f->skin_inactive[skin] = !tip_stands_out(s, deforming, corners, f->skin_half[skin], f->skin_normal + 3 * skin);
    }
}

/* Skins move with their colliders: their corners are placed before anything is looked for. */
TAUT_FN void place_skin(const taut_fields* f, const taut_sizes* s, size_t skin) {
    contact_side_of side = touching_side(f, s, f->skin_corner[skin]);
    place_velocity(f, &side);
    for (size_t a = 0; a < 3; a++) {
        f->skin_x[3 * skin + a] = side.x[a];
        f->skin_v[3 * skin + a] = side.v[a];
    }
    turn_skin(f, s, skin);
}

TAUT_FN bool corner_is_still(const taut_fields* f, const taut_sizes* s, size_t corner) {
    return is_still(f, s, f->touching_body[corner]);
}

TAUT_FN bool corners_are_still(const taut_fields* f, const taut_sizes* s, const uint32_t* corner, int count) {
    bool still = true;
    for (int i = 0; i < count; i++) {
        still = still && corner_is_still(f, s, corner[i]);
    }
    return still;
}

/* Whether two sets of corners are neighbours by an attachment: the way from one to the other through that was no longer
 * than the thickness at the start, so that they are near as parts of one surface are. */
TAUT_FN bool are_sewn(const taut_fields* f, const taut_sizes* s, const uint32_t* a, int na, const uint32_t* b, int nb) {
    bool are = false;
    for (int i = 0; s->seams > 0 && i < na; i++) {
        for (uint32_t e = f->seam_begin[a[i]]; e < f->seam_begin[a[i] + 1]; e++) {
            const uint32_t other = f->seam_corner[e], surface = f->touching_surface[other];
            const double thickness = thickness_of_pair(f, a[0], other);
            for (int k = 0; k < nb && !are; k++) {
                double apart[3];
                vec3_sub(f->corner_start + 3 * (size_t)b[k], f->corner_start + 3 * (size_t)other, apart);
                const bool one = surface != TAUT_NO_NODE && surface == f->touching_surface[b[k]];
                are = b[k] == other || (one && sqrt(vec3_dot(apart, apart)) + f->seam_way[e] <= thickness);
            }
        }
    }
    return are;
}

/* Whether a convex collider has this point: as part of its skin, or in its place. */
TAUT_FN bool is_of_solid(const taut_fields* f, size_t point) {
    const uint32_t flags =
        is_skin(f, point) ? f->collider_class[skin_collider(f, point)].flags : f->touching_class[point].flags;
    return (flags & TAUT_COLLIDER_SOLID) != 0;
}

/* Whether one of two points is of a convex collider, and the other one of a surface in whose place that meets a mesh.
 */
TAUT_FN bool meet_as_sheet(const taut_fields* f, size_t a, size_t b) {
    return ((f->touching_class[b].flags & TAUT_TOUCHING_SHEET) != 0 && is_of_solid(f, a)) ||
           ((f->touching_class[a].flags & TAUT_TOUCHING_SHEET) != 0 && is_of_solid(f, b));
}

/* Whether two sets of corners may meet at all: not where they share a point, or a body, nor two skins of colliders, nor
 * beside an attachment. The first may be a contact point. */
TAUT_FN bool corners_may_touch(const taut_fields* f, const taut_sizes* s, const uint32_t* a, int na, const uint32_t* b,
                               int nb) {
    const uint32_t own = f->touching_surface[a[0]];
    bool apart = classes_meet(f->touching_class[a[0]], f->touching_class[b[0]]) &&
                 !(is_skin(f, a[0]) && is_skin(f, b[0])) && !meet_as_sheet(f, a[0], b[0]) &&
                 (f->touching_class[a[0]].flags & TAUT_TOUCHING_COVERED) == 0;
    for (int i = 0; i < na * nb; i++) {
        const taut_body_nodes one = f->touching_body[a[i / nb]], two = f->touching_body[b[i % nb]];
        apart = apart && one.centre != two.centre && !are_excluded(f, s, one.frame, two.frame) &&
                !bodies_are_joined(f, s, one, two) && !are_excluded_points(f, s, a[i / nb], b[i % nb]);
    }
    return apart && !are_sewn(f, s, a, na, b, nb) &&
           (own != f->touching_surface[b[0]] || own == TAUT_NO_NODE || (own & 1u) != 0);
}

/* Whether parts of surfaces are free of each other, since both are of a tangle that has yet to part: the side on which
 * they are may be the wrong one. */
TAUT_FN bool are_tangled(const taut_fields* f, const taut_sizes* s, const uint32_t* a, int na, const uint32_t* b,
                         int nb) {
    const int loose = TAUT_TANGLE_NEAR | TAUT_TANGLE_BACK;
    int first = 0, second = 0;
    for (int i = 0; s->watches && i < na; i++) {
        first |= f->tangle[a[i]];
    }
    for (int i = 0; (first & loose) != 0 && i < nb; i++) {
        second |= f->tangle[b[i]];
    }
    return (first & loose) != 0 && (second & loose) != 0;
}

/* Whether a place has its nearest point beside an edge from a to b on the triangle to this corner: then that triangle
 * is nearer than the edge, unless it turns away when its corner moves by `turn`, m, or the place comes back by `slip`,
 * m. */
TAUT_FN bool lies_over(const taut_fields* f, const double place[3], size_t a, size_t b, uint32_t corner,
                       const double nearest[3], double turn, double slip) {
    double edge[3], inwards[3], to[3];
    if (corner == TAUT_NO_NODE) {
        return false;
    }
    vec3_sub(corner_x(f, b), corner_x(f, a), edge);
    vec3_sub(corner_x(f, corner), corner_x(f, a), inwards);
    const double length2 = vec3_dot(edge, edge);
    vec3_axpy(length2 > 0 ? -vec3_dot(inwards, edge) / length2 : 0, edge, inwards);
    vec3_sub(place, nearest, to);
    const double distance = sqrt(vec3_dot(to, to)), height = sqrt(vec3_dot(inwards, inwards));
    return height * height > TAUT_PARALLEL * length2 && /* else there is no triangle */
           vec3_dot(to, inwards) > fmax(distance * fmax(TAUT_NEAR_SLACK * height, turn), height * slip);
}

/* Likewise for a place of another edge, on either side of this one. A triangle that shares a corner with that edge does
 * not meet it, however near. An edge that lies along a flat surface is nearest to it at an end, wherever that is; what
 * is between would not be there to hold a surface that bends within the step. */
TAUT_FN bool lies_over_side(const taut_fields* f, const double place[3], const uint32_t* edge, const uint32_t* other,
                            const double nearest[3], double turn, double slip) {
    bool over = false;
    for (int i = 2; i < 4; i++) {
        const bool shared = edge[i] == other[0] || edge[i] == other[1];
        over = over || (!shared && lies_over(f, place, edge[0], edge[1], edge[i], nearest, turn, slip));
    }
    return over;
}

/* Whether a corner of a segment is between two of them, and of nothing else. */
TAUT_FN bool is_within_rope(const taut_fields* f, const uint32_t* segment, size_t corner) {
    return (segment[3] & TAUT_FACE_SEGMENT) != 0 && f->ring_begin[corner + 1] == f->ring_begin[corner] + 2;
}

/* Whether a rope may fold between a point and this corner within it: they have a neighbour in common. */
TAUT_FN bool may_fold(const taut_fields* f, size_t point, size_t corner) {
    const uint32_t first = f->ring_begin[corner];
    return is_beside(f, point, f->ring[first]) || is_beside(f, point, f->ring[first + 1]);
}

/* Likewise beside a corner on the edges from it: within a rope, on those to a fold, whose nearest place is where they
 * are joined, or on the others. */
TAUT_FN bool lies_along(const taut_fields* f, size_t point, const double place[3], size_t corner, bool rope,
                        bool folds) {
    double to[3], edge[3];
    vec3_sub(place, corner_x(f, corner), to);
    for (uint32_t i = f->ring_begin[corner]; i < f->ring_begin[corner + 1]; i++) {
        vec3_sub(corner_x(f, f->ring[i]), corner_x(f, corner), edge);
        if (folds == (rope && is_beside(f, point, f->ring[i])) &&
            vec3_dot(to, edge) > TAUT_NEAR_SLACK * sqrt(vec3_dot(to, to) * vec3_dot(edge, edge))) {
            return true;
        }
    }
    return false;
}

/* Each pair of features meets once: those of a face that are another's are left to that, and so is the half of pairs of
 * corners. Corners of surfaces meet colliders, not their skins. Nor do features meet where another one of the surface
 * is nearer. */
TAUT_FN bool feature_counts(const taut_fields* f, size_t point, size_t face, int feature, const double place[3],
                            const double nearest[3]) {
    const uint32_t *corner = f->face_corner + 4 * face, owns = corner[3];
    if (feature >= TAUT_NEAR_CORNER) {
        const uint32_t own = corner[feature - TAUT_NEAR_CORNER];
        const bool first = f->touching_surface[point] == TAUT_NO_NODE || point < own;
        const bool owned = (owns & (uint32_t)TAUT_FACE_CORNER << (feature - TAUT_NEAR_CORNER)) != 0;
        const bool rope = is_within_rope(f, corner, own);
        return first && !is_skin(f, point) && (owned || lies_along(f, point, place, own, rope, true)) &&
               !lies_along(f, point, place, own, rope, false);
    }
    if (feature >= TAUT_NEAR_EDGE) {
        const int i = feature - TAUT_NEAR_EDGE;
        return (owns & (uint32_t)TAUT_FACE_EDGE << i) != 0 &&
               !lies_over(f, place, corner[i], corner[(i + 1) % 3], f->face_across[3 * face + (size_t)i], nearest, 0,
                          0);
    }
    return true;
}

/* What contact_last says of a pair, and a feature of it; NULL where it was no contact. */
TAUT_FN const double* last_of_pair(const taut_fields* f, size_t finder, uint32_t other, uint32_t feature) {
    for (uint32_t i = f->contact_begin_last[finder]; i < f->contact_begin_last[finder + 1]; i++) {
        if (f->contact_pair_last[2 * (size_t)i + 1] == other && f->contact_feature_last[i] == feature) {
            return f->contact_last + TAUT_CONTACT_LAST * (size_t)i;
        }
    }
    return NULL;
}

/* Outwards at a corner of a skin; 0 of what is round. */
TAUT_FN void skin_normal(const taut_fields* f, const taut_sizes* s, size_t corner, double out[3]) {
    const uint32_t frame = f->collider_body[skin_collider(f, corner)].frame;
    const double* own = f->skin_normal + 3 * (size_t)f->touching_skin[corner];
    for (int a = 0; a < 3; a++) {
        out[a] = own[a];
    }
    if (frame != TAUT_NO_NODE) {
        quat_rotate(orientation_of(f, s, frame), own, out);
    }
}

/* Outwards at an edge of a skin: the sum of its triangles' normals. The first one beside it goes along it. */
TAUT_FN void skin_edge_normal(const taut_fields* f, const uint32_t* edge, double out[3]) {
    double along[3], to[3], area[3];
    vec3_sub(corner_x(f, edge[1]), corner_x(f, edge[0]), along);
    out[0] = out[1] = out[2] = 0;
    for (int i = 0; i < 2; i++) {
        vec3_sub(corner_x(f, edge[2 + i]), corner_x(f, edge[0]), to);
        vec3_cross(along, to, area);
        vec3_axpy((i == 0 ? 1 : -1) / sqrt(vec3_dot(area, area)), area, out);
    }
}

/* The mesh that deforms and has a corner in its skin, or NULL. */
TAUT_FN const taut_mesh* mesh_of_corner(const taut_fields* f, const taut_sizes* s, size_t corner) {
    return s->deforming > 0 && is_skin(f, corner) ? deforming_mesh(f, s, skin_collider(f, corner)) : NULL;
}

/* Whether one of these corners is between two walls of a mesh that have passed into each other. What reaches in from
 * outside goes through the walls beside the line where they cut each other. */
TAUT_FN bool reaches_between(const taut_fields* f, const taut_mesh* mesh, const uint32_t* corner, int count, bool now) {
    bool reaches = false;
    for (int i = 0; i < count && !reaches; i++) {
        reaches = mesh_winding(f, mesh, now, corner_x(f, corner[i])) > 1;
    }
    return reaches;
}

/* Whether a corner of a skin that deforms, or an edge of one at a place of it, holds nothing of another surface back:
 * since it is buried in its own mesh, or since that surface reaches between walls of this. */
TAUT_FN bool corner_lets_through(const taut_fields* f, const taut_sizes* s, size_t corner, const uint32_t* face,
                                 bool now, double thickness) {
    const taut_mesh* mesh = mesh_of_corner(f, s, corner);
    return mesh != NULL && (is_buried(f, mesh, now, corner_x(f, corner),
                                      f->skin_normal + 3 * (size_t)f->touching_skin[corner], thickness / 2) ||
                            reaches_between(f, mesh, face, 3, now));
}

TAUT_FN bool edge_lets_through(const taut_fields* f, const taut_sizes* s, const uint32_t* edge, const double place[3],
                               const uint32_t* other, bool now, double thickness) {
    const taut_mesh* mesh = mesh_of_corner(f, s, edge[0]);
    double out[3];
    if (mesh == NULL) {
        return false;
    }
    skin_edge_normal(f, edge, out);
    return is_buried(f, mesh, now, place, out, thickness / 2) || reaches_between(f, mesh, other, 2, now);
}

/* Whether an edge of the skin from this corner goes through a triangle and has its nearer end here. */
TAUT_FN bool corner_pierces(const taut_fields* f, size_t corner, const double* a, const double* b, const double* c) {
    double ab[3], ac[3], area[3], here[3], there[3];
    const double* x = corner_x(f, corner);
    vec3_sub(b, a, ab);
    vec3_sub(c, a, ac);
    vec3_cross(ab, ac, area);
    vec3_sub(x, a, here);
    for (uint32_t i = f->ring_begin[corner]; i < f->ring_begin[corner + 1]; i++) {
        const double* end = corner_x(f, f->ring[i]);
        vec3_sub(end, a, there);
        if (fabs(vec3_dot(area, here)) <= fabs(vec3_dot(area, there)) && goes_through(x, end, a, b, c)) {
            return true;
        }
    }
    return false;
}

/* Whether a segment goes through a triangle beside an edge of a skin, which it is `distance` from, in the half towards
 * that. */
TAUT_FN bool pierces_edge(const taut_fields* f, const uint32_t* edge, const double* c, const double* e,
                          double distance) {
    const double *a = corner_x(f, edge[0]), *b = corner_x(f, edge[1]);
    double ab[3], to[3], area[3];
    vec3_sub(b, a, ab);
    for (int i = 2; i < 4; i++) {
        if (goes_through(c, e, a, b, corner_x(f, edge[i]))) {
            vec3_sub(corner_x(f, edge[i]), a, to);
            vec3_cross(ab, to, area);
            if (4 * distance * distance * vec3_dot(ab, ab) <= vec3_dot(area, area)) {
                return true;
            }
        }
    }
    return false;
}

/* Turns a normal along another direction. */
TAUT_FN void angular_along(const double along[3], double sign, double normal[3]) {
    const double turn = sign * vec3_dot(along, normal) < 0 ? -1 : 1;
    for (int a = 0; a < 3; a++) {
        normal[a] *= turn;
    }
}

/* Where a surface is to a skin, which is d away from it. */
typedef enum skin_side {
    TAUT_OUTSIDE_SKIN,
    TAUT_BENEATH_SKIN, /* it must go back */
    TAUT_BEHIND_SKIN   /* on the collider's other side: none of this part's business */
} skin_side;

/* `across`, a normal of the face, is turned towards the corner. */
TAUT_FN skin_side side_of_corner(const taut_fields* f, const taut_sizes* s, size_t corner, const double d[3],
                                 const double* a, const double* b, const double* c, double across[3]) {
    double out[3];
    skin_normal(f, s, corner, out);
    angular_along(out, -1, across);
    return vec3_dot(out, d) <= 0                ? TAUT_OUTSIDE_SKIN
           : corner_pierces(f, corner, a, b, c) ? TAUT_BENEATH_SKIN
                                                : TAUT_BEHIND_SKIN;
}

/* Of an edge of a skin and another one, from c to e; `sign` times d goes to the skin, and so does `across` when turned.
 * That of a capsule has no triangles: everything is outside. */
TAUT_FN skin_side side_of_edge(const taut_fields* f, const uint32_t* edge, const double* c, const double* e,
                               double sign, const double d[3], double across[3]) {
    double out[3];
    if (edge[2] == TAUT_NO_NODE) {
        return TAUT_OUTSIDE_SKIN;
    }
    skin_edge_normal(f, edge, out);
    angular_along(out, -sign, across);
    return sign * vec3_dot(out, d) <= 0                        ? TAUT_OUTSIDE_SKIN
           : pierces_edge(f, edge, c, e, sqrt(vec3_dot(d, d))) ? TAUT_BENEATH_SKIN
                                                               : TAUT_BEHIND_SKIN;
}

/* Gap and normal from the difference d of closest points. Points that were on the other side a step ago have passed
 * through, and must go back; so must those beneath a skin, where nothing is `inside`. Where they are in one place, but
 * for rounding, the normal of the last step tells, or `across`. */
TAUT_FN double side_of_pair(const taut_fields* f, size_t finder, uint32_t other, bool inside, bool beneath,
                            const double d[3], const double across[3], double thickness, double normal[3]) {
    const double* pair = inside ? last_of_pair(f, finder, other, 0) : NULL;
    const double* last = pair != NULL ? pair + 6 : NULL;
    const double distance = sqrt(vec3_dot(d, d));
    const bool known = last != NULL && vec3_dot(last, last) > 0;
    const bool passed = known ? vec3_dot(last, d) < 0 : beneath;
    if (distance > TAUT_ONE_PLACE * thickness) {
        for (int a = 0; a < 3; a++) {
            normal[a] = (passed ? -d[a] : d[a]) / distance;
        }
        return (passed ? -distance : distance) - thickness;
    }
    radial(known ? last : across, normal);
    return -thickness;
}

/* Relative speed of the closest points of a pair, and the greatest of a corner. `first`: velocity of a[0], which may be
 * a point of a body. */
TAUT_FN double speed_of_pair(const taut_fields* f, const contact_found* found, const uint32_t* a, int na,
                             const uint32_t* b, int nb, const double* first, double* fastest) {
    double v[3] = {0, 0, 0}, most = 0;
    for (int i = 0; i < na + nb; i++) {
        const double* own = i == 0 ? first : corner_v(f, i < na ? a[i] : b[i - na]);
        vec3_axpy(found->weight[i], own, v);
        most = fmax(most, vec3_dot(own, own));
    }
    *fastest = sqrt(most);
    return sqrt(vec3_dot(v, v));
}

/* The gap up to which a pair is near: what its speed may close within two steps, and, since either may be stopped by
 * something else within a step, what their own speeds may, up to `most`, m: the thickness. Gravity pulls at both alike,
 * unless one cannot move. */
TAUT_FN double reach_of_pair(double speed, double fastest, double most, bool still, const taut_factors* step) {
    return step->near + 2 * step->sight * speed + fmin(2 * step->sight * fastest, most) + (still ? fall_of(step) : 0);
}

/* One of both parties of a pair, of n corners, from slot `first` on. What belongs to a body acts on its centre and
 * frame, at the place of the other party: forces across a gap would be a couple. */
TAUT_FN void found_party(const taut_fields* f, const uint32_t* corner, int n, int first, const double other[3],
                         contact_found* found) {
    contact_side_of side = {
        f->touching_node[corner[0]].centre, f->touching_node[corner[0]].frame, {0, 0, 0}, {0, 0, 0}};
    const int frame = first > 0 ? 1 : 0;
    const bool one = side.frame != TAUT_NO_NODE || side.node == TAUT_NO_NODE;
    for (int i = 0; i < n; i++) {
        const double weight = i > 0 || side.node == TAUT_NO_NODE ? 0 : first > 0 ? -1 : 1;
        found->node[first + i] = one ? side.node : f->touching_node[corner[i]].centre;
        found->weight[first + i] = one ? weight : found->weight[first + i];
    }
    for (int a = 0; a < 3; a++) {
        side.x[a] = other[a];
    }
    found->node[4 + frame] = side.frame;
    arm_of(f, &side, found->arm + 3 * frame);
}

/* The rest of a pair of surfaces that are nearest at p and q, whose weights are known. */
TAUT_FN void found_on_surface(const taut_fields* f, const taut_sizes* s, const uint32_t* a, int na, const double p[3],
                              const uint32_t* b, const double q[3], contact_found* found) {
    found_party(f, a, na, 0, q, found);
    found_party(f, b, 4 - na, na, p, found);
    for (int i = 0; i < 4;
         i++) { /* nothing acts where there is no node: a skin in the world, which never meets another */
        found->node[i] = found->node[i] != TAUT_NO_NODE ? found->node[i] : found->node[i < na ? na : 0];
    }
    found->law = f->touching_class[a[0]].material * s->materials + f->touching_class[b[0]].material;
}

/* Whether two contact points belong to surfaces, or are themselves, attached to each other. */
TAUT_FN bool are_attached(const taut_fields* f, const taut_sizes* s, size_t a, size_t b) {
    bool are = false;
    if (s->attached_parties > 0) {
        const uint32_t x = f->touching_surface[a], y = f->touching_surface[b];
        const uint32_t own = x != TAUT_NO_NODE ? x / 2 : s->surfaces + (uint32_t)a;
        const uint32_t other = y != TAUT_NO_NODE ? y / 2 : s->surfaces + (uint32_t)b;
        for (uint32_t i = f->attached_begin[own]; i < f->attached_begin[own + 1]; i++) {
            are = are || f->attached_party[i] == other;
        }
    }
    return are;
}

/* Where parts of one surface, or of two that are attached to each other, are so near when the world is created, they
 * never meet. */
TAUT_FN bool starts_apart(const taut_fields* f, const taut_sizes* s, size_t a, size_t b, double distance2) {
    const double thickness = thickness_of_pair(f, a, b);
    return distance2 > thickness * thickness || !(of_one_surface(f, a, b) || are_attached(f, s, a, b));
}

/* What a pair keeps of its thickness, m, as it has started. */
TAUT_FN double kept_since_start(const taut_fields* f, const uint32_t* a, int na, const uint32_t* b, taut_start* start) {
    const double thickness = thickness_of_pair(f, a[0], b[0]);
    double keeps = thickness;
    *start = of_one_surface(f, a[0], b[0]) ? start_in_surface(f, a, na, b, thickness, &keeps) : TAUT_STARTS_APART;
    return keeps;
}

/* Whether layers lie over each other: the other parts of one surface that start so near never meet. */
TAUT_FN bool are_layers(taut_start start) {
    return start == TAUT_STARTS_LAYERED || start == TAUT_STARTS_SIDELESS;
}

/* Whether two parts are in one place, as they have started: their difference d has no direction. */
TAUT_FN bool are_in_one_place(taut_start start, const double d[3], double thickness) {
    return start == TAUT_STARTS_SIDELESS &&
           !(vec3_dot(d, d) > TAUT_LAYERS_SIDELESS * TAUT_LAYERS_SIDELESS * thickness * thickness);
}

/* A point and a face, or two edges, of which the start is known. */
typedef struct contact_pair_start {
    const uint32_t *a, *b;
    int own; /* corners of the first */
    taut_start start;
    bool inside;  /* whether its last contact tells the side */
    double keeps; /* m, of the thickness */
} contact_pair_start;

/* Gap and normal of what is in one place, along `across`: to the side of the last contact, or where its layer lies.
 * False where nothing tells. */
TAUT_FN bool side_in_one_place(const taut_fields* f, size_t finder, uint32_t other, const contact_pair_start* pair,
                               const double d[3], const double across[3], contact_found* found) {
    const double* last = last_of_pair(f, finder, other, 0);
    radial(across, found->normal);
    const double along = last != NULL ? vec3_dot(last + 6, found->normal) : 0;
    if (fabs(along) > TAUT_LAYERS_OVER) {
        angular_along(last + 6, 1, found->normal);
    } else if (!turn_to_layer(f, pair->a, pair->own, pair->b, found->normal)) {
        return false;
    }
    found->gap = vec3_dot(found->normal, d) - pair->keeps;
    return true;
}

/* Gap and normal of a pair from the difference d of its closest points; false where it has no side. `across` has no
 * direction yet but that of a skin. */
TAUT_FN bool find_side(const taut_fields* f, size_t finder, uint32_t other, const contact_pair_start* pair,
                       bool beneath, const double d[3], double across[3], contact_found* found) {
    const double thickness = thickness_of_pair(f, pair->a[0], pair->b[0]);
    if (are_in_one_place(pair->start, d, thickness)) {
        return side_in_one_place(f, finder, other, pair, d, across, found);
    }
    if (!(vec3_dot(d, d) > TAUT_ONE_PLACE * TAUT_ONE_PLACE * thickness * thickness)) {
        (void)turn_to_layer(f, pair->a, pair->own, pair->b, across);
    }
    found->gap = side_of_pair(f, finder, other, pair->inside, beneath, d, across, pair->keeps, found->normal);
    return true;
}

/* Whether two parts of a rope could not keep apart where it turns back between them, in a tighter bend than its
 * thickness lets it: no piece between them is long enough to be across the bend. */
TAUT_FN bool turns_back_between(const taut_fields* f, const uint32_t* a, int na, const uint32_t* b, int nb) {
    const uint32_t own = f->touching_surface[a[0]];
    const double thickness = thickness_of_pair(f, a[0], b[0]);
    bool tight = false;
    if (own != f->touching_surface[b[0]] || own == TAUT_NO_NODE) {
        return false;
    }
    for (int i = 0; i < na * nb && !tight; i++) {
        tight = is_near_along(f, a[i / nb], b[i % nb], thickness, thickness, false);
    }
    return tight;
}

TAUT_FN int near_on_face(const double p[3], const double a[3], const double b[3], const double c[3], bool segment,
                         double weight[3], double d[3]) {
    const int feature = segment ? near_on_segment(p, a, b, weight) : near_on_triangle(p, a, b, c, weight);
    for (int i = 0; i < 3; i++) {
        d[i] = p[i] - weight[0] * a[i] - weight[1] * b[i] - weight[2] * c[i];
    }
    return feature;
}

/* Of a point and the feature of a face that it has met: the face may be nearer with other parts. */
TAUT_FN bool feature_starts_apart(const taut_fields* f, const taut_sizes* s, size_t point, const uint32_t* corner,
                                  int feature) {
    const bool on_face = feature == TAUT_NEAR_FACE, on_edge = !on_face && feature < TAUT_NEAR_CORNER;
    const int first = on_face ? 0 : on_edge ? feature - TAUT_NEAR_EDGE : feature - TAUT_NEAR_CORNER;
    const int second = on_face || on_edge ? (first + 1) % 3 : first;
    const double* x = f->corner_start;
    double weight[3], d[3];
    near_on_face(x + 3 * point, x + 3 * (size_t)corner[first], x + 3 * (size_t)corner[second],
                 x + 3 * (size_t)corner[on_face ? 2 : second], !on_face, weight, d);
    return starts_apart(f, s, point, corner[0], vec3_dot(d, d));
}

/* Whether the material of tetrahedra is between a pair of one surface, and nothing that has come around it: a contact
 * knows its side. */
TAUT_FN bool is_through_on_face(const taut_fields* f, size_t point, size_t face, int feature, uint32_t number,
                                const double d[3]) {
    return face_starts_through(f, point, f->face_corner + 4 * face) ||
           (face_is_through(f, point, face, feature, d) && last_of_pair(f, point, number, 0) == NULL);
}

TAUT_FN bool is_through_on_edge(const taut_fields* f, const taut_sizes* s, size_t edge, size_t with,
                                const double d[3]) {
    const uint32_t *own = f->edge_corner + 4 * edge, *other = f->edge_corner + 4 * with;
    return edge_starts_through(f, own, other) ||
           (edge_is_through(f, own, other, d) && last_of_pair(f, s->touching + edge, (uint32_t)with, 0) == NULL);
}

/* A contact point and a face that may touch. */
TAUT_FN bool meet_on_face(const taut_fields* f, const taut_sizes* s, size_t point, size_t face,
                          const taut_factors* step, contact_found* found) {
    const uint32_t *corner = f->face_corner + 4 * face, own = (uint32_t)point;
    double weight[3], d[3], nearest[3], across[3], ab[3], ac[3];
    const bool still = corner_is_still(f, s, point), other_still = corners_are_still(f, s, corner, 3);
    if (are_tangled(f, s, &own, 1, corner, 3)) {
        return false;
    }
    contact_side_of side = touching_side(f, s, point);
    place_velocity(f, &side);
    const double *a = corner_x(f, corner[0]), *b = corner_x(f, corner[1]), *c = corner_x(f, corner[2]);
    const int feature = near_on_face(side.x, a, b, c, (corner[3] & TAUT_FACE_SEGMENT) != 0, weight, d);
    const double thickness = thickness_of_pair(f, point, corner[0]);
    found->weight[0] = 1;
    for (int i = 0; i < 3; i++) {
        found->weight[1 + i] = -weight[i];
        nearest[i] = side.x[i] - d[i];
    }
    double fastest;
    const double speed = speed_of_pair(f, found, &own, 1, corner, 3, side.v, &fastest);
    const bool segment = (corner[3] & TAUT_FACE_SEGMENT) != 0;
    const size_t met = feature < TAUT_NEAR_CORNER ? TAUT_NO_NODE : corner[feature - TAUT_NEAR_CORNER];
    /* ropes fold within a step, where one part is stopped and the next one goes on */
    const bool folds = met != TAUT_NO_NODE && is_within_rope(f, corner, met) && may_fold(f, point, met);
    const double turn = reach_of_pair(speed, fastest, folds ? INFINITY : thickness, still || other_still, step);
    const double reach = thickness + turn;
    if (!(vec3_dot(d, d) <= reach * reach) || !feature_counts(f, point, face, feature, side.x, nearest) ||
        (segment && turns_back_between(f, &own, 1, corner, 2))) {
        return false;
    }
    const uint32_t other = s->colliders + (uint32_t)face;
    taut_start start;
    const double kept = kept_since_start(f, &own, 1, corner, &start);
    if ((!are_layers(start) && !feature_starts_apart(f, s, point, corner, feature)) ||
        is_through_on_face(f, point, face, feature, other, d)) {
        return false;
    }
    vec3_sub(b, a, ab);
    vec3_sub(c, a, ac);
    vec3_cross(ab, ac, across);
    const bool skin = is_skin(f, point);
    const skin_side on = skin ? side_of_corner(f, s, point, d, a, b, c, across) : TAUT_OUTSIDE_SKIN;
    const double left = fmin(kept, thickness_left(f, f, s, &own, 1, corner, 3, thickness, step->h));
    const contact_pair_start pair = {&own, corner, 1, start, feature == TAUT_NEAR_FACE && !skin, left};
    if (on == TAUT_BEHIND_SKIN || passes_held(left, thickness) ||
        !find_side(f, point, other, &pair, on == TAUT_BENEATH_SKIN, d, across, found)) {
        return false;
    }
    if (found->gap < 0 && corner_lets_through(f, s, point, corner, false, thickness)) {
        return false;
    }
    found_on_surface(f, s, &own, 1, side.x, corner, nearest, found);
    return true;
}

/* Whether a contact point and a face may touch: something of them can move. */
TAUT_FN bool face_may_touch(const taut_fields* f, const taut_sizes* s, size_t point, size_t face) {
    const uint32_t *corner = f->face_corner + 4 * face, own = (uint32_t)point;
    return !(corner_is_still(f, s, point) && corners_are_still(f, s, corner, 3)) &&
           corners_may_touch(f, s, &own, 1, corner, 3);
}

TAUT_FN bool edges_start_apart(const taut_fields* f, const taut_sizes* s, const uint32_t* own, const uint32_t* other) {
    const double *a = f->corner_start + 3 * (size_t)own[0], *b = f->corner_start + 3 * (size_t)own[1];
    const double *c = f->corner_start + 3 * (size_t)other[0], *e = f->corner_start + 3 * (size_t)other[1];
    double part[2], d[3], least = INFINITY, weight[3];
    if (near_segments(a, b, c, e, part)) {
        for (int i = 0; i < 3; i++) {
            d[i] = (1 - part[0]) * a[i] + part[0] * b[i] - (1 - part[1]) * c[i] - part[1] * e[i];
        }
        return starts_apart(f, s, own[0], other[0], vec3_dot(d, d));
    }
    for (int i = 0; i < 4; i++) {
        const bool first = i < 2;
        near_on_face(f->corner_start + 3 * (size_t)(first ? own[i] : other[i - 2]), first ? c : a, first ? e : b,
                     first ? e : b, true, weight, d);
        least = fmin(least, vec3_dot(d, d));
    }
    return starts_apart(f, s, own[0], other[0], least);
}

/* Whether two edges may touch, and this one finds the other. */
TAUT_FN bool edge_may_touch(const taut_fields* f, const taut_sizes* s, size_t edge, size_t with) {
    const uint32_t *own = f->edge_corner + 4 * edge, *other = f->edge_corner + 4 * with;
    return (with > edge || corners_are_still(f, s, other, 2)) && corners_may_touch(f, s, own, 2, other, 2);
}

/* Two edges that may touch, and cross where they are nearest; else ends of them meet faces. */
TAUT_FN bool meet_on_edge(const taut_fields* f, const taut_sizes* s, size_t edge, size_t with, const taut_factors* step,
                          contact_found* found) {
    const uint32_t *own = f->edge_corner + 4 * edge, *other = f->edge_corner + 4 * with;
    double part[2], d[3], p[3], q[3], ab[3], cd[3], across[3];
    const bool still = corners_are_still(f, s, other, 2);
    if (are_tangled(f, s, own, 2, other, 2)) {
        return false;
    }
    const double *a = corner_x(f, own[0]), *b = corner_x(f, own[1]);
    const double *c = corner_x(f, other[0]), *e = corner_x(f, other[1]);
    if (!near_segments(a, b, c, e, part)) {
        return false;
    }
    const double weight[4] = {1 - part[0], part[0], part[1] - 1, -part[1]};
    for (int i = 0; i < 3; i++) {
        p[i] = weight[0] * a[i] + weight[1] * b[i];
        q[i] = -weight[2] * c[i] - weight[3] * e[i];
        d[i] = p[i] - q[i];
    }
    for (int i = 0; i < 4; i++) {
        found->weight[i] = weight[i];
    }
    const double thickness = thickness_of_pair(f, own[0], other[0]);
    double fastest;
    const double speed = speed_of_pair(f, found, own, 2, other, 2, corner_v(f, own[0]), &fastest);
    const double turn = reach_of_pair(speed, fastest, thickness, still, step), slip = 2 * step->sight * speed;
    const double reach = thickness + turn;
    if (!(vec3_dot(d, d) <= reach * reach)) {
        return false;
    }
    vec3_sub(b, a, ab);
    vec3_sub(e, c, cd);
    vec3_cross(ab, cd, across);
    const bool first = is_skin(f, own[0]), second = is_skin(f, other[0]);
    const skin_side on = first    ? side_of_edge(f, own, c, e, 1, d, across)
                         : second ? side_of_edge(f, other, a, b, -1, d, across)
                                  : TAUT_OUTSIDE_SKIN;
    /* what is beneath a skin has its triangles before it */
    const bool beneath = on == TAUT_BENEATH_SKIN;
    taut_start start;
    const double kept = kept_since_start(f, own, 2, other, &start);
    const double left = fmin(kept, thickness_left(f, f, s, own, 2, other, 2, thickness, step->h));
    const contact_pair_start pair = {own, other, 2, start, !(first || second), left};
    if (on == TAUT_BEHIND_SKIN || passes_held(left, thickness) ||
        (!(first && beneath) && lies_over_side(f, q, own, other, p, turn, slip)) ||
        (!(second && beneath) && lies_over_side(f, p, other, own, q, turn, slip)) ||
        (!are_layers(start) && !edges_start_apart(f, s, own, other)) || is_through_on_edge(f, s, edge, with, d) ||
        (own[2] == TAUT_NO_NODE && other[2] == TAUT_NO_NODE && turns_back_between(f, own, 2, other, 2)) ||
        !find_side(f, s->touching + edge, (uint32_t)with, &pair, beneath, d, across, found)) {
        return false;
    }
    if (found->gap < 0 && (edge_lets_through(f, s, own, p, other, false, thickness) ||
                           edge_lets_through(f, s, other, q, own, false, thickness))) {
        return false;
    }
    found_on_surface(f, s, own, 2, p, other, q, found);
    return true;
}

#endif
