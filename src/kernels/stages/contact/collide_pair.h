/* Collide: a pair that is near, a contact point and a collider. Text for a file that has defined TAUT_REAL as
 * double. */
#ifndef TAUT_CONTACT_COLLIDE_PAIR_H
#define TAUT_CONTACT_COLLIDE_PAIR_H

#include "kernels/stages/contact/mesh_distance.h"
#include "kernels/stages/items.h"
#include "model/factors.h"

/* A place of the world that belongs to a body, or to none. */
typedef struct contact_side_of {
    uint32_t node, frame; /* or TAUT_NO_NODE */
    double x[3];
    double v[3];
} contact_side_of;

TAUT_FN const double* orientation_of(const taut_fields* f, const taut_sizes* s, uint32_t frame) {
    return f->orientation + 4 * ((size_t)frame - s->points);
}

/* v of the place x of what moves with a node and a frame. */
TAUT_FN void place_velocity(const taut_fields* f, contact_side_of* side) {
    double arm[3], turned[3];
    for (int a = 0; a < 3; a++) {
        side->v[a] = side->node != TAUT_NO_NODE ? f->v[3 * (size_t)side->node + (size_t)a] : 0;
    }
    if (side->frame != TAUT_NO_NODE) {
        vec3_sub(side->x, f->x + 3 * (size_t)side->node, arm);
        vec3_cross(f->v + 3 * (size_t)side->frame, arm, turned);
        vec3_axpy(1, turned, side->v);
    }
}

/* Speed, beside a velocity, of a body's places within `reach` of a place of it. */
TAUT_FN double speed_around(const taut_fields* f, contact_side_of* side, double reach, const double beside[3]) {
    const double* spin = f->v + 3 * (size_t)(side->frame != TAUT_NO_NODE ? side->frame : 0);
    double v[3];
    place_velocity(f, side);
    vec3_sub(side->v, beside, v);
    const double speed = sqrt(vec3_dot(v, v));
    return speed + (side->frame != TAUT_NO_NODE ? reach * sqrt(vec3_dot(spin, spin)) : 0);
}

/* Whether nothing can move a body: its centre, and its frame. Mapped points have no mass of their own, but move. */
TAUT_FN bool is_still(const taut_fields* f, const taut_sizes* s, taut_body_nodes body) {
    const bool mapped = body.centre != TAUT_NO_NODE && body.centre >= s->simple && body.centre < s->points &&
                        !(s->sleeps && f->node_rests[body.centre]);
    const bool held = (body.centre == TAUT_NO_NODE || f->inverse_mass[body.centre] == 0) &&
                      (body.frame == TAUT_NO_NODE || f->inverse_mass[body.frame] == 0);
    return !mapped && held;
}

TAUT_FN bool classes_meet(taut_contact_class a, taut_contact_class b) {
    return (a.group & b.mask) != 0 && (b.group & a.mask) != 0;
}

/* The mesh of a collider if that deforms, else NULL. */
TAUT_FN const taut_mesh* deforming_mesh(const taut_fields* f, const taut_sizes* s, size_t collider) {
    const taut_mesh* mesh = s->deforming > 0 && f->collider_shape[collider] == TAUT_SHAPE_MESH
                                ? &f->mesh[f->collider_mesh[collider]]
                                : NULL;
    return mesh != NULL && mesh->vertices > 0 ? mesh : NULL;
}

/* Of a mesh that deforms, its first vertex tells for all. */
TAUT_FN bool collider_is_still(const taut_fields* f, const taut_sizes* s, size_t collider) {
    const taut_mesh* mesh = deforming_mesh(f, s, collider);
    const taut_body_nodes first = {mesh != NULL ? f->mesh_vertex[mesh->first_vertex] : TAUT_NO_NODE, TAUT_NO_NODE};
    return is_still(f, s, mesh != NULL ? first : f->collider_body[collider]);
}

/* Whether the user has said that these bodies, nodes of their frames or TAUT_NO_NODE, never touch. */
TAUT_FN bool are_excluded(const taut_fields* f, const taut_sizes* s, uint32_t a, uint32_t b) {
    if (s->excluded == 0 || a == TAUT_NO_NODE || b == TAUT_NO_NODE) {
        return false;
    }
    const size_t own = a - s->points;
    const uint32_t other = b - (uint32_t)s->points;
    for (uint32_t i = f->excluded_begin[own]; i < f->excluded_begin[own + 1]; i++) {
        if (f->excluded_frame[i] == other) {
            return true;
        }
    }
    return false;
}

/* What joins know of a body: the node of its frame; of what is on none, the point. */
TAUT_FN uint32_t joined_end(taut_body_nodes body) {
    return body.frame != TAUT_NO_NODE ? body.frame : body.centre;
}

/* Whether none of the first `rows` constraints of a pair of the scene has broken. */
TAUT_FN bool is_whole(const taut_fields* f, uint32_t pair, int rows) {
    const uint32_t* row = f->joined_row + TAUT_JOINED_ALL * (size_t)pair;
    bool whole = row[0] != TAUT_JOINED_AWAY;
    for (int i = 0; whole && i < rows; i++) {
        whole = row[i] >= TAUT_JOINED_AWAY || f->strength[row[i]] >= 0;
    }
    return whole;
}

/* Whether entry i of the lists joins, and whether it holds both still to each other until it breaks. */
TAUT_FN bool joins_now(const taut_fields* f, uint32_t i) {
    return f->joined_by[i] == TAUT_NO_NODE || is_whole(f, f->joined_by[i] / 2, TAUT_JOINED_PLACES);
}

TAUT_FN bool holds_now(const taut_fields* f, uint32_t i) {
    return f->joined_by[i] != TAUT_NO_NODE && (f->joined_by[i] & 1u) != 0 &&
           is_whole(f, f->joined_by[i] / 2, TAUT_JOINED_ALL);
}

/* Whether rigid pairs that may break hold two bodies still to each other, with one more between them at most. Farther
 * ones hardly touch, and what has broken needs no lists made anew: an attempt of a step may be taken back. */
TAUT_FN bool are_held(const taut_fields* f, uint32_t own, uint32_t other) {
    const uint32_t group = f->joined_group[other];
    bool are = false;
    for (uint32_t i = f->joined_begin[own]; !are && i < f->joined_begin[own + 1]; i++) {
        const uint32_t between = f->joined_node[i];
        const bool holds = holds_now(f, i);
        are = holds && f->joined_group[between] == group;
        for (uint32_t k = f->joined_begin[between]; holds && !are && k < f->joined_begin[between + 1]; k++) {
            are = f->joined_group[f->joined_node[k]] == group && holds_now(f, k);
        }
    }
    return are;
}

/* Whether a constraint that is there joins two bodies, or hard ones hold them still to each other. A contact between
 * them would work against it: their forces cancel, grow without bound, and by G hold all turning. */
TAUT_FN bool bodies_are_joined(const taut_fields* f, const taut_sizes* s, taut_body_nodes a, taut_body_nodes b) {
    const uint32_t own = joined_end(a), other = joined_end(b);
    if (s->joined == 0 || f->joined_begin[s->nodes] == 0 || own == TAUT_NO_NODE || other == TAUT_NO_NODE) {
        return false;
    }
    bool are = f->joined_group[own] == f->joined_group[other];
    for (uint32_t i = f->joined_begin[own]; !are && i < f->joined_begin[own + 1]; i++) {
        are = f->joined_node[i] == other && joins_now(f, i);
    }
    return are || (*f->joined_parting > 0 && (are_held(f, own, other) || are_held(f, other, own)));
}

/* Whether a point is on the skin of a collider, and of which. */
TAUT_FN bool is_skin(const taut_fields* f, size_t point) {
    return f->touching_skin[point] != TAUT_NO_NODE;
}

TAUT_FN uint32_t skin_collider(const taut_fields* f, size_t point) {
    return f->skin_collider[f->touching_skin[point]];
}

/* What solid a collider is of: the node of the frame of a body or, behind all nodes, a mesh that deforms; TAUT_NO_NODE:
 * it stands in the world. */
TAUT_FN uint32_t solid_of_collider(const taut_fields* f, const taut_sizes* s, size_t collider) {
    return deforming_mesh(f, s, collider) != NULL ? (uint32_t)s->nodes + f->collider_mesh[collider]
                                                  : f->collider_body[collider].frame;
}

/* And a contact point. */
TAUT_FN uint32_t solid_of_point(const taut_fields* f, const taut_sizes* s, size_t point) {
    return is_skin(f, point) ? solid_of_collider(f, s, skin_collider(f, point)) : f->touching_body[point].frame;
}

/* Whether a contact point has started within a solid that it is attached to. */
TAUT_FN bool is_excluded_point(const taut_fields* f, const taut_sizes* s, size_t point, uint32_t solid) {
    bool is = false;
    if (s->excluded_points > 0 && solid != TAUT_NO_NODE) {
        for (uint32_t i = f->excluded_point_begin[point]; i < f->excluded_point_begin[point + 1]; i++) {
            is = is || f->excluded_point_solid[i] == solid;
        }
    }
    return is;
}

/* Whether one of two contact points has started within the solid of the other one. */
TAUT_FN bool are_excluded_points(const taut_fields* f, const taut_sizes* s, size_t a, size_t b) {
    return s->excluded_points > 0 &&
           (is_excluded_point(f, s, a, solid_of_point(f, s, b)) || is_excluded_point(f, s, b, solid_of_point(f, s, a)));
}

/* Two balls touch each other once; skins meet no colliders, what a solid collider has at its place meets no other one,
 * meshes with two sides meet no points, and surfaces in whose place such a mesh meets solid colliders do not. */
TAUT_FN bool may_touch(const taut_fields* f, const taut_sizes* s, size_t point, size_t collider) {
    const taut_contact_class a = f->touching_class[point], b = f->collider_class[collider];
    const taut_body_nodes own = f->touching_body[point], other = f->collider_body[collider];
    const bool twice = (a.flags & b.flags & TAUT_TOUCHING_BALL) != 0 && own.frame > other.frame;
    const bool solid =
        (a.flags & TAUT_COLLIDER_SOLID) != 0 && (b.flags & (uint32_t)(TAUT_COLLIDER_SOLID | TAUT_COLLIDER_FACETS)) != 0;
    const bool sheet = (b.flags & TAUT_COLLIDER_SHEET) != 0 ||
                       ((a.flags & TAUT_TOUCHING_SHEET) != 0 && (b.flags & TAUT_COLLIDER_SOLID) != 0);
    return !is_skin(f, point) && !solid && !sheet && classes_meet(a, b) && own.centre != other.centre && !twice &&
           !(is_still(f, s, own) && collider_is_still(f, s, collider)) && !are_excluded(f, s, own.frame, other.frame) &&
           !(s->excluded_points > 0 && is_excluded_point(f, s, point, solid_of_collider(f, s, collider))) &&
           !bodies_are_joined(f, s, own, other);
}

/* Where a contact point is. */
TAUT_FN contact_side_of touching_side(const taut_fields* f, const taut_sizes* s, size_t point) {
    contact_side_of side = {f->touching_node[point].centre, f->touching_node[point].frame, {0, 0, 0}, {0, 0, 0}};
    const double* place = f->touching_place[point].offset;
    if (side.node == TAUT_NO_NODE) {
        vec3_axpy(1, place, side.x);
        return side;
    }
    vec3_axpy(1, f->x + 3 * (size_t)side.node, side.x);
    if (side.frame != TAUT_NO_NODE) {
        double arm[3];
        quat_rotate(orientation_of(f, s, side.frame), place, arm);
        vec3_axpy(1, arm, side.x);
    }
    return side;
}

/* Where a collider is: origin and axes. */
TAUT_FN contact_side_of collider_side(const taut_fields* f, const taut_sizes* s, size_t collider, double q[4]) {
    const taut_collider_pose* pose = &f->collider_pose[collider];
    contact_side_of side = {f->collider_body[collider].centre, f->collider_body[collider].frame, {0, 0, 0}, {0, 0, 0}};
    if (side.frame == TAUT_NO_NODE) {
        vec3_axpy(1, pose->position, side.x);
        for (int a = 0; a < 4; a++) {
            q[a] = pose->orientation[a];
        }
        return side;
    }
    const double* body = orientation_of(f, s, side.frame);
    double arm[3];
    quat_rotate(body, pose->position, arm);
    vec3_axpy(1, f->x + 3 * (size_t)side.node, side.x);
    vec3_axpy(1, arm, side.x);
    quat_multiply(body, pose->orientation, q);
    return side;
}

/* The arm of a place, if it has a frame. */
TAUT_FN void arm_of(const taut_fields* f, const contact_side_of* side, double arm[3]) {
    arm[0] = arm[1] = arm[2] = 0;
    if (side->frame != TAUT_NO_NODE) {
        vec3_sub(side->x, f->x + 3 * (size_t)side->node, arm);
    }
}

/* Whether the turn of a frame carries what rests on it, whose centre is `about`: nothing can change it, or a joint
 * holds its body to something fixed, and not the other one. What is free would lose angular momentum. */
TAUT_FN bool turns_whatever_happens(const taut_fields* f, uint32_t frame, uint32_t about) {
    return f->inverse_mass[frame] == 0 ||
           (f->hung[frame] != 0 && about != TAUT_NO_NODE && f->inverse_mass[about] > 0 && f->hung[about] == 0);
}

/* The same, of what turns whatever happens, for a place of a body that rests on it: as it is about the middle of its
 * turn about the normal in a step, so far as that moves the body's centre `about` (TAUT_NO_NODE: the place). omega x
 * arm is then the chord of the centre's way over h, and the body turns with omega. Along the tangent all that rests on
 * a turntable would go outwards, by omega^2 h/2 of the radius in a second. A turn about a tangent moves no place along:
 * a roller that turns is where it was, and the force along the normal has no couple about its axle. */
TAUT_FN void arm_in_turn(const taut_fields* f, const contact_side_of* side, uint32_t about, const double normal[3],
                         double h, double arm[3]) {
    const double* turns = f->v + 3 * (size_t)(side->frame != TAUT_NO_NODE ? side->frame : 0);
    double spin[3] = {0, 0, 0}, centre[3], turned[3];
    vec3_axpy(vec3_dot(turns, normal), normal, spin);
    const double speed2 = vec3_dot(spin, spin), angle = h * sqrt(speed2);
    arm_of(f, side, arm);
    if (side->frame == TAUT_NO_NODE || !(angle > 0) || !turns_whatever_happens(f, side->frame, about)) {
        return;
    }
    vec3_sub(about != TAUT_NO_NODE ? f->x + 3 * (size_t)about : side->x, f->x + 3 * (size_t)side->node, centre);
    const double even = sin(angle) / angle, half = sin(angle / 2) / angle, along = vec3_dot(spin, centre) / speed2;
    vec3_cross(spin, centre, turned);
    for (int a = 0; a < 3; a++) {
        arm[a] += (even - 1) * (centre[a] - along * spin[a]) + 2 * half * half * h * turned[a];
    }
}

/* Side k of a contact of two bodies, whose normal is known, which acts at the place x; in a step of the length h.
 * `other`: the centre of the other one. */
TAUT_FN void found_on_body(const taut_fields* f, taut_body_nodes body, uint32_t other, int k, const double x[3],
                           double h, contact_found* found) {
    const contact_side_of side = {body.centre, body.frame, {x[0], x[1], x[2]}, {0, 0, 0}};
    found->node[k] = body.centre;
    found->node[4 + k] = body.frame;
    found->node[2 + k] = TAUT_NO_NODE;
    found->weight[k] = body.centre == TAUT_NO_NODE ? 0 : k == 0 ? 1 : -1;
    found->weight[2 + k] = 0;
    arm_in_turn(f, &side, other, found->normal, h, found->arm + 3 * k);
}

/* What gravity adds to a speed within two steps, or two times as far as is looked ahead, as a way. */
TAUT_FN double fall_of(const taut_factors* step) {
    return 2 * step->sight * step->sight * sqrt(vec3_dot(step->gravity, step->gravity));
}

/* The place x of the world in these axes. */
TAUT_FN void place_on_axes(const contact_side_of* side, const double q[4], const double x[3], double local[3]) {
    double inverse[4], apart[3];
    vec3_sub(x, side->x, apart);
    quat_conjugate(q, inverse);
    quat_rotate(inverse, apart, local);
}

/* Whether what is known of a point says that it is no contact, whatever the normal is: it is farther than both may go.
 * Places on a body may be as fast as they are far. */
TAUT_FN bool is_surely_far(const taut_fields* f, size_t point, size_t collider, const double local[3],
                           const taut_factors* step, contact_side_of own, contact_side_of other) {
    if (own.frame != TAUT_NO_NODE || !is_remembered(f, collider)) {
        return false;
    }
    const double size = shape_reach(TAUT_SHAPE_MESH, f->collider_size + 3 * collider);
    const double still[3] = {0, 0, 0};
    const double speed = speed_around(f, &own, 0, still) + speed_around(f, &other, size, still);
    const double reach = f->touching_place[point].radius + step->near + 2 * step->sight * speed + fall_of(step);
    return is_known_beyond(f, point, collider, local, reach * (1 + TAUT_KNOWN_ROUNDING));
}

/* Where both sides of a contact act: own->x goes to the nearest place of the collider, `high` below it along the
 * normal, and the collider acts there, too. But what does not turn by itself, as vertices of a rope that is wound on a
 * drum, rests on a collider that turns when its centre goes with it, and forces act there, at which both have the same
 * moment. */
TAUT_FN void put_on_collider(double high, const double normal[3], contact_side_of* own, contact_side_of* other) {
    const double back = own->frame == TAUT_NO_NODE ? high : 0;
    vec3_axpy(-high, normal, own->x);
    for (int a = 0; a < 3; a++) {
        other->x[a] = own->x[a] + back * normal[a];
    }
}

/* The side of a pair that the collider is, from its slots of `found`, and its speed where it acts (put_on_collider).
 * False where that is known to be too far. */
TAUT_FN bool meet_collider(const taut_fields* f, const taut_sizes* s, size_t point, size_t collider,
                           const taut_factors* step, contact_side_of* own, contact_found* found, double v[3]) {
    const double radius = f->touching_place[point].radius;
    double q[4], local[3], normal[3];
    contact_side_of other = collider_side(f, s, collider, q);
    place_on_axes(&other, q, own->x, local);
    if (is_surely_far(f, point, collider, local, step, *own, other)) {
        return false;
    }
    found->gap = distance_of_point(f, point, collider, local, normal) - radius;
    quat_rotate(q, normal, found->normal);
    put_on_collider(radius + found->gap, found->normal, own, &other);
    place_velocity(f, &other);
    for (int i = 0; i < 3; i++) {
        v[i] = other.v[i];
        found->node[1 + i] = i == 0 ? other.node : TAUT_NO_NODE;
        found->weight[1 + i] = i == 0 && other.node != TAUT_NO_NODE ? -1 : 0;
    }
    found->node[5] = other.frame;
    arm_in_turn(f, &other, own->node, found->normal, step->h, found->arm + 3);
    return true;
}

/* Weights in whole parts of 2^-24 keep their sum of 1 in float32, so that what moves as a whole moves the place exactly
 * as much. */
TAUT_FN void round_weights(double weight[3]) {
    const double parts = 16777216;
    weight[0] = floor(weight[0] * parts + 0.5) / parts;
    weight[1] = floor(weight[1] * parts + 0.5) / parts;
    weight[2] = 1 - weight[0] - weight[1];
}

/* A point and a triangle of a mesh that deforms, whose normal and gap are known: its corners, with the weights of its
 * nearest place, to which own->x goes, and its velocity there. False where the point is one of them. */
TAUT_FN bool found_on_triangle(const taut_fields* f, const mesh_triangles* triangles, uint32_t triangle, double radius,
                               contact_side_of* own, contact_found* found, double v[3]) {
    const double* corner = triangles->corner + 9 * (size_t)triangle;
    double weight[3];
    bool apart = true;
    near_by_regions(own->x, corner, corner + 3, corner + 6, weight);
    round_weights(weight);
    vec3_axpy(-(radius + found->gap), found->normal, own->x);
    v[0] = v[1] = v[2] = 0;
    for (int i = 0; i < 3; i++) {
        const uint32_t node = deforming_node(f, &triangles->deforming[triangle], (size_t)i);
        vec3_axpy(weight[i], f->v + 3 * (size_t)node, v);
        found->node[1 + i] = node;
        found->weight[1 + i] = -weight[i];
        found->arm[3 + i] = 0;
        apart = apart && node != own->node;
    }
    found->node[5] = TAUT_NO_NODE;
    return apart;
}

/* Likewise of a mesh that deforms: of its nearest triangle. */
TAUT_FN bool meet_deforming(const taut_fields* f, const taut_mesh* mesh, double radius, contact_side_of* own,
                            contact_found* found, double v[3]) {
    const mesh_triangles triangles = mesh_triangles_now(f, mesh);
    uint32_t triangle;
    found->gap = mesh_exact_at(&triangles, own->x, found->normal, &triangle) - radius;
    return found_on_triangle(f, &triangles, triangle, radius, own, found, v);
}

/* The point's own part of a contact with a collider, at own->x, when the other one is known. */
TAUT_FN void found_of_point(const taut_fields* f, const taut_sizes* s, size_t point, size_t collider,
                            const contact_side_of* own, const taut_factors* step, contact_found* found) {
    found->node[0] = own->node;
    found->weight[0] = 1;
    found->node[4] = own->frame;
    arm_in_turn(f, own, found->node[1], found->normal, step->h, found->arm);
    found->law = f->touching_class[point].material * s->materials + f->collider_class[collider].material;
}

/* Whether contact c acts at the node in `slot`. */
TAUT_FN bool contact_acts(const taut_fields* f, size_t c, size_t slot) {
    const double* rest = f->kinds[TAUT_CONTACT].rest + contact_REST * c;
    const double* arm = rest + contact_arm + 3 * (slot > 4 ? 1 : 0);
    return slot < 4 ? rest[contact_weight + slot] != 0 : arm[0] != 0 || arm[1] != 0 || arm[2] != 0;
}

TAUT_FN size_t first_solid(const taut_sizes* s) {
    return (size_t)s->touching + s->edges;
}

/* How far the first one's surface is from its points; what belongs to a body acts on its surface. */
TAUT_FN double radius_of_finder(const taut_fields* f, const taut_sizes* s, size_t c) {
    const size_t finder = f->contact_pair[2 * c];
    if (finder >= first_solid(s)) {
        return 0;
    }
    const size_t point = finder < s->touching ? finder : f->edge_corner[4 * (finder - s->touching)];
    return f->touching_node[point].frame != TAUT_NO_NODE ? 0 : f->touching_place[point].radius;
}

/* Where contact c is on the first one, or where no node has that, on the second one. */
TAUT_FN void place_of_contact(const taut_fields* f, const taut_sizes* s, size_t c, double x[3]) {
    const taut_kind_fields* kind = &f->kinds[TAUT_CONTACT];
    const double* rest = kind->rest + contact_REST * c;
    const uint32_t* node = kind->nodes + contact_NODES * c;
    double sum = 0;
    x[0] = x[1] = x[2] = 0;
    for (int i = 0; i < 4; i++) { /* the first party's weights are positive, and add up to 1 */
        if (rest[contact_weight + i] > 0) {
            vec3_axpy(rest[contact_weight + i], f->x + 3 * (size_t)node[i], x);
            sum += rest[contact_weight + i];
        }
    }
    const bool first = sum > 0;
    vec3_axpy(first ? -radius_of_finder(f, s, c) : 0, rest + contact_normal, x);
    for (int i = 0; i < 4 && !first; i++) {
        vec3_axpy(-rest[contact_weight + i], f->x + 3 * (size_t)node[i], x);
    }
    vec3_axpy(1, rest + contact_arm + (first ? 0 : 3), x);
}

#endif
