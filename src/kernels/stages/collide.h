/* Collide: which pairs of touching points and colliders are near, and the contacts that they make.
 *
 * A pair is near where its gap is no more than `near` and what its speed and gravity may close within two steps.
 * Contacts stand in the order of touching points and then of colliders, so that every run finds them in the same
 * places.
 *
 * Text for a file that has defined TAUT_REAL as double. */
#ifndef TAUT_STAGE_COLLIDE_H
#define TAUT_STAGE_COLLIDE_H

#include "host/factors.h"
#include "kernels/stages/items.h"
#include "kernels/stages/mesh_distance.h"

/* A place of the world that belongs to a body, or to none. */
typedef struct contact_side_of {
    uint32_t node, frame; /* or TAUT_NO_NODE */
    double x[3];
    double v[3];
} contact_side_of;

typedef struct contact_found {
    double gap;
    double normal[3];
    double point[3]; /* the touching point's centre */
} contact_found;

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

/* Whether nothing can move a body: its centre, and its frame. Mapped points have no mass of their own, but move. */
TAUT_FN bool is_still(const taut_fields* f, const taut_sizes* s, const uint32_t body[2]) {
    const bool mapped = body[0] != TAUT_NO_NODE && body[0] >= s->simple && body[0] < s->points;
    const bool held = (body[0] == TAUT_NO_NODE || f->inverse_mass[body[0]] == 0) &&
                      (body[1] == TAUT_NO_NODE || f->inverse_mass[body[1]] == 0);
    return !mapped && held;
}

/* Two balls touch each other once. */
TAUT_FN bool may_touch(const taut_fields* f, const taut_sizes* s, size_t point, size_t collider) {
    const uint32_t *a = f->touching_class + 4 * point, *b = f->collider_class + 4 * collider;
    const uint32_t *own = f->touching_node + 4 * point + 2, *other = f->collider_node + 2 * collider;
    const bool twice = a[3] != 0 && b[3] != 0 && own[1] > other[1];
    if ((a[1] & b[2]) == 0 || (b[1] & a[2]) == 0 || own[0] == other[0] || twice) {
        return false;
    }
    return !(is_still(f, s, own) && is_still(f, s, other));
}

/* Where a touching point is. */
TAUT_FN contact_side_of touching_side(const taut_fields* f, const taut_sizes* s, size_t point) {
    contact_side_of side = {f->touching_node[4 * point], f->touching_node[4 * point + 1], {0, 0, 0}, {0, 0, 0}};
    vec3_axpy(1, f->x + 3 * (size_t)side.node, side.x);
    if (side.frame != TAUT_NO_NODE) {
        double arm[3];
        quat_rotate(orientation_of(f, s, side.frame), f->touching_place + 4 * point, arm);
        vec3_axpy(1, arm, side.x);
    }
    return side;
}

/* Where a collider is: origin and axes. */
TAUT_FN contact_side_of collider_side(const taut_fields* f, const taut_sizes* s, size_t collider, double q[4]) {
    const double* place = f->collider_place + 7 * collider;
    contact_side_of side = {f->collider_node[2 * collider], f->collider_node[2 * collider + 1], {0, 0, 0}, {0, 0, 0}};
    if (side.frame == TAUT_NO_NODE) {
        vec3_axpy(1, place, side.x);
        for (int a = 0; a < 4; a++) {
            q[a] = place[3 + a];
        }
        return side;
    }
    const double* body = orientation_of(f, s, side.frame);
    double arm[3];
    quat_rotate(body, place, arm);
    vec3_axpy(1, f->x + 3 * (size_t)side.node, side.x);
    vec3_axpy(1, arm, side.x);
    quat_multiply(body, place + 3, q);
    return side;
}

/* Gap and normal of a pair; returns whether it is near. Both sides are left at one place, the nearest one of the
 * collider: forces across a gap would be a couple. */
TAUT_FN bool find_contact(const taut_fields* f, const taut_sizes* s, size_t point, size_t collider,
                          const taut_factors* step, contact_side_of* own, contact_side_of* other,
                          contact_found* found) {
    double q[4], inverse[4], apart[3], local[3], normal[3], v[3];
    if (!may_touch(f, s, point, collider)) {
        return false;
    }
    *own = touching_side(f, s, point);
    *other = collider_side(f, s, collider, q);
    vec3_sub(own->x, other->x, apart);
    quat_conjugate(q, inverse);
    quat_rotate(inverse, apart, local);
    const double radius = f->touching_place[4 * point + 3];
    found->gap = collider_distance(f, collider, local, normal) - radius;
    quat_rotate(q, normal, found->normal);
    for (int a = 0; a < 3; a++) {
        found->point[a] = own->x[a];
        own->x[a] -= (radius + found->gap) * found->normal[a];
        other->x[a] = own->x[a];
    }
    place_velocity(f, own);
    place_velocity(f, other);
    vec3_sub(own->v, other->v, v);
    const double fall = sqrt(vec3_dot(step->gravity, step->gravity)) * step->h;
    return found->gap <= step->near + 2 * step->h * (sqrt(vec3_dot(v, v)) + fall);
}

/* Contacts of a touching point. */
TAUT_FN uint32_t count_contacts(const taut_fields* f, const taut_sizes* s, size_t point, const taut_factors* step) {
    contact_side_of own, other;
    contact_found found;
    uint32_t count = 0;
    for (size_t collider = 0; collider < s->colliders; collider++) {
        count += find_contact(f, s, point, collider, step, &own, &other, &found);
    }
    return count;
}

/* ---- making one -------------------------------------------------------------------------------------------------- */

/* A unit vector square to a normal, always the same one: from the axis that is least along it. */
TAUT_FN void tangent_of_normal(const double normal[3], double tangent[3]) {
    const double x = fabs(normal[0]), y = fabs(normal[1]), z = fabs(normal[2]);
    const int axis = x <= y && x <= z ? 0 : y <= z ? 1 : 2;
    double from[3] = {0, 0, 0}, across[3];
    from[axis] = 1;
    vec3_cross(normal, from, across);
    radial(across, tangent);
}

/* The arm of a place in the axes of its frame, if it has one. */
TAUT_FN void arm_in_frame(const taut_fields* f, const taut_sizes* s, const contact_side_of* side, double arm[3]) {
    double inverse[4], world[3];
    arm[0] = arm[1] = arm[2] = 0;
    if (side->frame != TAUT_NO_NODE) {
        vec3_sub(side->x, f->x + 3 * (size_t)side->node, world);
        quat_conjugate(orientation_of(f, s, side->frame), inverse);
        quat_rotate(inverse, world, arm);
    }
}

/* The rest values of the formula. */
TAUT_FN void contact_rest(const taut_fields* f, const taut_sizes* s, const contact_side_of* own,
                          const contact_side_of* other, const contact_found* found, double rest[contact_REST]) {
    double second[3], base[3];
    for (int i = 0; i < contact_REST; i++) {
        rest[i] = 0;
    }
    vec3_axpy(1, found->normal, rest + contact_normal);
    tangent_of_normal(found->normal, rest + contact_tangent);
    vec3_cross(found->normal, rest + contact_tangent, second);
    rest[contact_weight] = 1;
    rest[contact_weight + 1] = other->node != TAUT_NO_NODE ? -1 : 0;
    arm_in_frame(f, s, own, rest + contact_arm);
    arm_in_frame(f, s, other, rest + contact_arm + 3);
    /* (n, t, n x t).d - offset = (gap, 0, 0), with d from the collider where that has a body, else from the origin; of
     * a point without a frame to its centre, not to its surface */
    const double* at = own->frame != TAUT_NO_NODE ? own->x : found->point;
    for (int a = 0; a < 3; a++) {
        base[a] = at[a] - (other->node != TAUT_NO_NODE ? other->x[a] : 0);
    }
    rest[contact_offset] = vec3_dot(found->normal, base) - found->gap;
    rest[contact_offset + 1] = vec3_dot(rest + contact_tangent, base);
    rest[contact_offset + 2] = vec3_dot(second, base);
}

/* Impulse and force of the pair in the last step, in the world; 0 where it was none. */
TAUT_FN void last_contact(const taut_fields* f, size_t point, uint32_t collider, double out[6]) {
    for (size_t a = 0; a < 6; a++) {
        out[a] = 0;
    }
    for (uint32_t i = f->contact_begin_last[point]; i < f->contact_begin_last[point + 1]; i++) {
        for (size_t a = 0; f->contact_pair_last[2 * (size_t)i + 1] == collider && a < 6; a++) {
            out[a] = f->contact_last[6 * (size_t)i + a];
        }
    }
}

/* Directions of contact c. */
TAUT_FN contact_jacobian contact_axes(const taut_fields* f, size_t c) {
    const double* rest = f->kinds[TAUT_CONTACT].rest + contact_REST * c;
    contact_jacobian jac = {{rest[0], rest[1], rest[2]}, {rest[3], rest[4], rest[5]}, {0}, {{0}}};
    return jac;
}

/* Sets the rows of contact c in an array over the unknowns, to a vector of the world; NULL: 0. */
TAUT_FN void put_contact(const taut_fields* f, const taut_sizes* s, size_t c, const double* vector, double* unknowns) {
    const contact_jacobian jac = contact_axes(f, c);
    double rows[contact_ROWS] = {0, 0, 0};
    if (vector != NULL) {
        contact_split(&jac, vector, rows);
    }
    store_unknowns_f64(rows, s->count[TAUT_CONTACT], contact_ROWS, c, unknowns + s->first_row[TAUT_CONTACT]);
}

TAUT_FN void make_contact(const taut_fields* f, const taut_sizes* s, size_t c, size_t point, size_t collider,
                          const contact_side_of* own, const contact_side_of* other, const contact_found* found) {
    const taut_kind_fields* kind = &f->kinds[TAUT_CONTACT];
    const uint32_t law = f->touching_class[4 * point] * s->materials + f->collider_class[4 * collider];
    double *rest = kind->rest + contact_REST * c, *compliance = kind->compliance + TAUT_PACKED(contact_ROWS) * c;
    const double* pair = f->material_law + TAUT_CONTACT_LAW * (size_t)law;
    uint32_t* nodes = kind->nodes + contact_NODES * c;
    double last[6];
    contact_rest(f, s, own, other, found, rest);
    for (int i = 0; i < contact_NODES; i++) {
        nodes[i] = own->node;
    }
    nodes[1] = other->node != TAUT_NO_NODE ? other->node : own->node;
    nodes[4] = own->frame != TAUT_NO_NODE ? own->frame : own->node;
    nodes[5] = other->frame != TAUT_NO_NODE ? other->frame : own->node;
    for (size_t i = 0; i < TAUT_PACKED(contact_ROWS); i++) {
        compliance[i] = i == 0 ? pair[TAUT_PAIR_COMPLIANCE] : 0;
    }
    kind->damping[c] = pair[TAUT_PAIR_DAMPING];
    f->contact_pair[2 * c] = (uint32_t)point;
    f->contact_pair[2 * c + 1] = (uint32_t)collider;
    f->contact_law[c] = law;
    last_contact(f, point, (uint32_t)collider, last);
    put_contact(f, s, c, last, f->gam);
    put_contact(f, s, c, last + 3, f->lam);
}

/* A place that no contact needs: nothing acts there. */
TAUT_FN void clear_contact(const taut_fields* f, const taut_sizes* s, size_t c) {
    const taut_kind_fields* kind = &f->kinds[TAUT_CONTACT];
    for (size_t i = 0; i < contact_REST; i++) {
        kind->rest[contact_REST * c + i] = 0;
    }
    for (size_t i = 0; i < contact_NODES; i++) {
        kind->nodes[contact_NODES * c + i] = 0;
    }
    for (size_t i = 0; i < TAUT_PACKED(contact_ROWS); i++) {
        kind->compliance[TAUT_PACKED(contact_ROWS) * c + i] = 0;
    }
    kind->damping[c] = f->contact_limit[c] = 0;
    f->contact_law[c] = 0;
    double* const arrays[] = {f->gam, f->lam, f->phi, f->b, f->wide};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        put_contact(f, s, c, NULL, arrays[i]);
    }
}

/* The contacts of a touching point, in the places that were counted for it. */
TAUT_FN void make_contacts(const taut_fields* f, const taut_sizes* s, size_t point, const taut_factors* step) {
    contact_side_of own, other;
    contact_found found;
    size_t c = f->contact_begin[point];
    const size_t end = f->contact_begin[point + 1];
    for (size_t collider = 0; c < end && collider < s->colliders; collider++) {
        if (find_contact(f, s, point, collider, step, &own, &other, &found)) {
            make_contact(f, s, c++, point, collider, &own, &other, &found);
        }
    }
    for (; c < end; c++) {
        clear_contact(f, s, c);
    }
}

/* Keeps contact c of the last step, with what it did. */
TAUT_FN void keep_contact(const taut_fields* f, const taut_sizes* s, size_t c) {
    const contact_jacobian jac = contact_axes(f, c);
    const double* const arrays[] = {f->gam, f->lam};
    double *out = f->contact_last + 6 * c, rows[contact_ROWS];
    for (size_t i = 0; i < 2; i++) {
        load_unknowns_f64(arrays[i] + s->first_row[TAUT_CONTACT], s->count[TAUT_CONTACT], contact_ROWS, c, rows);
        out[3 * i] = out[3 * i + 1] = out[3 * i + 2] = 0;
        contact_join(&jac, rows, out + 3 * i);
    }
    f->contact_pair_last[2 * c] = f->contact_pair[2 * c];
    f->contact_pair_last[2 * c + 1] = f->contact_pair[2 * c + 1];
}

/* ---- incidence --------------------------------------------------------------------------------------------------- */

/* Whether contact c acts at the node in `slot`. */
TAUT_FN bool contact_acts(const taut_fields* f, size_t c, size_t slot) {
    const double* rest = f->kinds[TAUT_CONTACT].rest + contact_REST * c;
    const double* arm = rest + contact_arm + 3 * (slot > 4 ? 1 : 0);
    return slot < 4 ? rest[contact_weight + slot] != 0 : arm[0] != 0 || arm[1] != 0 || arm[2] != 0;
}

#endif
