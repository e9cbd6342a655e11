/* What a world says of its contacts. */
#define TAUT_REAL double
#include "base/memory.h"
#include "base/status.h"
#include "host/world/world_data.h"
#include "kernels/stages/contact/collide.h"

#include <math.h>
#include <string.h>

static double row_of(const taut_world* world, taut_kind k, const double* rows, size_t c, size_t r) {
    const taut_sizes* s = &world->plan.sizes;
    return rows[s->first_row[k] + taut_unknown_place(s, s->contact_capacity, taut_kind_shapes[k].rows, c, r)];
}

/* The arrays below as they are where the backend works; `live`: how many contacts there are. */
static taut_status fetch(taut_world* world, uint32_t* live) {
    const taut_sizes* s = &world->plan.sizes;
    const taut_fields* f = &world->plan.fields;
    const taut_kind_fields* kind = &f->kinds[TAUT_CONTACT];
    *live = 0;
    if (!s->touches) {
        return TAUT_OK;
    }
    const size_t first = s->first_row[TAUT_CONTACT], capacity = s->contact_capacity;
    taut_status status = world_ready(world);
    status = status == TAUT_OK ? world_download(world, f->contact_count, TAUT_CONTACT_COUNTS * sizeof *f->contact_count)
                               : status;
    status =
        status == TAUT_OK ? world_download(world, f->contact_pair, 2 * capacity * sizeof *f->contact_pair) : status;
    status =
        status == TAUT_OK ? world_download(world, f->contact_feature, capacity * sizeof *f->contact_feature) : status;
    status =
        status == TAUT_OK ? world_download(world, kind->rest, contact_REST * capacity * sizeof *kind->rest) : status;
    status = status == TAUT_OK ? world_download(world, f->lam + first, (s->rows - first) * sizeof *f->lam) : status;
    status =
        status == TAUT_OK ? world_download(world, f->phi + first, contact_ROWS * capacity * sizeof *f->phi) : status;
    status = status == TAUT_OK ? world_download(world, f->x, 3 * s->nodes * sizeof *f->x) : status;
    status = status == TAUT_OK ? world_download(world, f->orientation, 4 * s->frames * sizeof *f->orientation) : status;
    *live = status == TAUT_OK ? f->contact_count[TAUT_CONTACTS_LIVE] : 0;
    return status;
}

/* Who meets in contact c. */
static taut_contact parties_of(const taut_world* world, size_t c) {
    const taut_fields* f = &world->plan.fields;
    const taut_sizes* s = &world->plan.sizes;
    const uint32_t finder = f->contact_pair[2 * c], other = f->contact_pair[2 * c + 1];
    const uint32_t none = UINT32_MAX;
    taut_contact out = {.point = finder,
                        .collider = TAUT_NO_COLLIDER,
                        .corners = {finder, none, none, none},
                        .first_collider = TAUT_NO_COLLIDER};
    memcpy(out.weights, f->kinds[TAUT_CONTACT].rest + contact_REST * c + contact_weight, sizeof out.weights);
    if (finder >= first_solid(s)) {
        out.touch = TAUT_TOUCH_SOLIDS;
        out.point = out.corners[0] = none;
        out.first_collider = (uint32_t)(finder - first_solid(s));
        out.collider = other;
        out.feature = f->contact_feature[c];
        memset(out.weights, 0, sizeof out.weights);
    } else if (finder >= s->touching) {
        out.touch = TAUT_TOUCH_EDGES;
        out.point = none;
        memcpy(out.corners, f->edge_corner + 4 * (size_t)(finder - s->touching), 2 * sizeof *out.corners);
        memcpy(out.corners + 2, f->edge_corner + 4 * (size_t)other, 2 * sizeof *out.corners);
    } else if (other >= s->colliders) {
        out.touch = TAUT_TOUCH_FACE;
        memcpy(out.corners + 1, f->face_corner + 4 * (size_t)(other - s->colliders), 3 * sizeof *out.corners);
    } else {
        out.collider = other;
        out.weights[1] = 0;
    }
    return out;
}

/* Whether the first of both is on the skin of a collider, or the second. */
static bool is_skin_first(const taut_world* world, const taut_contact* contact) {
    return (contact->touch == TAUT_TOUCH_FACE || contact->touch == TAUT_TOUCH_EDGES) &&
           is_skin(&world->plan.fields, contact->corners[0]);
}

static bool is_skin_second(const taut_world* world, const taut_contact* contact) {
    return contact->touch == TAUT_TOUCH_EDGES && is_skin(&world->plan.fields, contact->corners[2]);
}

/* Whose skin is there where parts of surfaces meet, or TAUT_NO_COLLIDER. */
static uint32_t collider_of_skin(const taut_world* world, const taut_contact* contact) {
    const taut_fields* f = &world->plan.fields;
    return is_skin_first(world, contact)    ? skin_collider(f, contact->corners[0])
           : is_skin_second(world, contact) ? skin_collider(f, contact->corners[2])
                                            : TAUT_NO_COLLIDER;
}

/* A skin bears as its collider does: what its corners would bear says where that is. Of an edge from corner `own` on it
 * is where the other edge, from corner `other` on, is nearest. */
static void weigh_edge_of_skin(const taut_world* world, int own, int other, taut_contact* contact) {
    double x[2][3], place[3] = {0, 0, 0}, weight[3];
    const double sign = own == 0 ? 1 : -1;
    for (int i = 0; i < 2; i++) {
        const contact_side_of end = touching_side(&world->plan.fields, &world->plan.sizes, contact->corners[own + i]);
        const contact_side_of far = touching_side(&world->plan.fields, &world->plan.sizes, contact->corners[other + i]);
        memcpy(x[i], end.x, sizeof x[i]);
        vec3_axpy(-sign * contact->weights[other + i], far.x, place);
    }
    near_on_segment(place, x[0], x[1], weight);
    contact->weights[own] = sign * weight[0];
    contact->weights[own + 1] = sign * weight[1];
}

static void weigh_skin(const taut_world* world, taut_contact* contact) {
    const bool edges = contact->touch == TAUT_TOUCH_EDGES;
    if (is_skin_first(world, contact) && !edges) {
        contact->weights[0] = 1;
    } else if (is_skin_first(world, contact)) {
        weigh_edge_of_skin(world, 0, 2, contact);
    } else if (is_skin_second(world, contact)) {
        weigh_edge_of_skin(world, 2, 0, contact);
    }
}

/* The first of both is there now: a point, or a place on an edge. */
static void place_of_first(const taut_world* world, const taut_contact* contact, double x[3]) {
    x[0] = x[1] = x[2] = 0;
    for (int i = 0; i < (contact->touch == TAUT_TOUCH_EDGES ? 2 : 1); i++) {
        const contact_side_of side = touching_side(&world->plan.fields, &world->plan.sizes, contact->corners[i]);
        vec3_axpy(contact->weights[i], side.x, x);
    }
}

/* Where the first of two solid colliders is met now. */
static void place_of_solids(const taut_world* world, size_t c, uint32_t collider, double x[3]) {
    const taut_fields* f = &world->plan.fields;
    const taut_body_nodes body = f->collider_body[collider];
    const double* arm = f->kinds[TAUT_CONTACT].rest + contact_REST * c + contact_arm;
    for (size_t a = 0; a < 3; a++) {
        x[a] = f->x[3 * (size_t)body.centre + a] + arm[a];
    }
}

/* It is where the first is, less radius and gap along the normal. */
static taut_contact contact_of(const taut_world* world, size_t c) {
    const taut_fields* f = &world->plan.fields;
    const contact_jacobian axes = contact_axes(f, c);
    double lam[contact_ROWS], couple[rolling_ROWS];
    taut_contact out = parties_of(world, c);
    const bool solids = out.touch == TAUT_TOUCH_SOLIDS;
    out.collider = out.touch == TAUT_TOUCH_COLLIDER || solids ? out.collider : collider_of_skin(world, &out);
    weigh_skin(world, &out);
    out.gap = row_of(world, TAUT_CONTACT, f->phi, c, 0);
    for (size_t r = 0; r < contact_ROWS; r++) {
        lam[r] = row_of(world, TAUT_CONTACT, f->lam, c, r);
        couple[r] = world->plan.sizes.rolls ? row_of(world, TAUT_ROLLING, f->lam, c, r) : 0;
    }
    contact_join(&axes, lam, out.force);
    contact_join(&axes, couple, out.torque);
    memcpy(out.normal, axes.normal, sizeof out.normal);
    if (solids) {
        place_of_solids(world, c, out.first_collider, out.position);
        return out;
    }
    place_of_first(world, &out, out.position);
    vec3_axpy(-(f->touching_place[out.corners[0]].radius + out.gap), out.normal, out.position);
    return out;
}

taut_status taut_world_read_contacts_sized(taut_world* world, size_t capacity, taut_contact* contacts, size_t* count,
                                           size_t size) {
    if (world == NULL || count == NULL || (contacts == NULL && capacity > 0)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "world, contacts and count must not be NULL.");
    }
    uint32_t live;
    const taut_status status = fetch(world, &live);
    for (size_t c = 0; status == TAUT_OK && c < live && c < capacity; c++) {
        const taut_contact out = contact_of(world, c);
        taut_copy_sized((char*)contacts + c * size, size, &out, sizeof out);
    }
    if (status == TAUT_OK) {
        *count = live;
    }
    return status;
}

/* The places of overlaps in contact_count are those of the current state. */
static taut_status find_overlaps(taut_world* world) {
    uint32_t* counts = world->plan.fields.contact_count;
    taut_status status = world_ready(world);
    world->query_trees = false; /* it builds others in their place */
    status = status == TAUT_OK ? world->backend->find_overlaps(world->state) : status;
    return status == TAUT_OK ? world_download(world, counts, TAUT_CONTACT_COUNTS * sizeof *counts) : status;
}

taut_status taut_world_count_intersections(taut_world* world, size_t* count) {
    if (world == NULL || count == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "world and count must not be NULL.");
    }
    *count = 0;
    if (world->plan.sizes.edges == 0) {
        return TAUT_OK;
    }
    const taut_status status = find_overlaps(world);
    *count = status == TAUT_OK ? world->plan.fields.contact_count[TAUT_CONTACTS_CUTS] : 0;
    return status;
}

taut_status taut_world_read_overlaps_sized(taut_world* world, taut_overlaps* overlaps, size_t size) {
    if (world == NULL || overlaps == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "world and overlaps must not be NULL.");
    }
    const uint32_t* counts = world->plan.fields.contact_count;
    taut_overlaps out = {0};
    taut_status status = TAUT_OK;
    if (world->plan.sizes.touches) {
        status = find_overlaps(world);
    }
    if (status == TAUT_OK && world->plan.sizes.touches) {
        out.intersections = counts[TAUT_CONTACTS_CUTS];
        out.points_inside = counts[TAUT_CONTACTS_INSIDE];
        out.bodies = taut_depth_of(counts[TAUT_CONTACTS_DEPTH + TAUT_DEPTH_BODIES]);
        out.bodies_relative = taut_depth_of(counts[TAUT_CONTACTS_DEPTH + TAUT_DEPTH_BODIES_RELATIVE]);
        out.points = taut_depth_of(counts[TAUT_CONTACTS_DEPTH + TAUT_DEPTH_POINTS]);
        out.points_relative = taut_depth_of(counts[TAUT_CONTACTS_DEPTH + TAUT_DEPTH_POINTS_RELATIVE]);
    }
    if (status == TAUT_OK) {
        taut_copy_sized(overlaps, size, &out, sizeof out);
    }
    return status;
}

/* Adds force and torque of one contact on a collider, or on the ball that met it. */
static void add_to_collider(const taut_world* world, const taut_contact* contact, size_t collider, double sign,
                            double sums[6]) {
    const taut_fields* f = &world->plan.fields;
    const uint32_t node = f->collider_body[collider].centre;
    double arm[3], torque[3];
    memcpy(arm, contact->position, sizeof arm);
    if (node != TAUT_NO_NODE) {
        vec3_axpy(-1, f->x + 3 * (size_t)node, arm);
    }
    vec3_cross(arm, contact->force, torque);
    vec3_axpy(sign, contact->force, sums);
    vec3_axpy(sign, torque, sums + 3);
    vec3_axpy(sign, contact->torque, sums + 3);
}

/* Two balls meet as the point of one and the collider of the other: whether this is the collider of the first. */
static bool is_own_ball(const taut_world* world, const taut_contact* contact, size_t collider) {
    const taut_fields* f = &world->plan.fields;
    const size_t point = contact->point, other = contact->collider;
    return contact->touch == TAUT_TOUCH_COLLIDER &&
           (f->touching_class[point].flags & f->collider_class[other].flags & f->collider_class[collider].flags &
            TAUT_TOUCHING_BALL) != 0 &&
           f->touching_node[point].frame == f->collider_body[collider].frame;
}

taut_status taut_world_read_collider_forces(taut_world* world, size_t first, size_t count, double* forces) {
    if (world == NULL || (forces == NULL && count > 0)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "world and forces must not be NULL.");
    }
    const size_t colliders = world->plan.sizes.colliders;
    taut_status status = world_check_range("colliders", first, count, colliders);
    if (status != TAUT_OK) {
        return status;
    }
    uint32_t live;
    status = fetch(world, &live);
    if (status == TAUT_OK && count > 0) {
        memset(forces, 0, 6 * count * sizeof *forces);
    }
    for (size_t c = 0; status == TAUT_OK && c < live; c++) {
        const taut_contact contact = contact_of(world, c);
        const double own = is_skin_first(world, &contact) ? 1 : -1;
        for (size_t i = first; i < first + count; i++) {
            const bool first_of_both = contact.first_collider == i || is_own_ball(world, &contact, i);
            const double sign = contact.collider == i ? own : first_of_both ? 1 : 0;
            if (sign != 0) {
                add_to_collider(world, &contact, i, sign, forces + 6 * (i - first));
            }
        }
    }
    return status;
}
