/* Impact zones: what would still pass through each other moves together, as a rigid body does (compare Harmon et al.,
 * Robust Treatment of Simultaneous Collisions, 2008). A zone keeps its momentum and, to first order in the angle that
 * it turns by, its angular momentum; nothing that moves relatively within it is left, so that it gains no energy.
 *
 * `zone` of a node is its zone's least node, or that of a node nearer to that one; TAUT_NO_NODE: it is in none. The one
 * after all nodes is the world, which does not move; fixed nodes go where they go: they count as very heavy.
 *
 * Sums of a zone over 16 doubles at its least node (node_scratch): mass, sum w x, sum w way, inertia (packed xx, yy,
 * zz, yz, zx, xy), sum w r x way; w the mass, or the weight of what is fixed. Text for a file that has defined
 * TAUT_REAL as double. */
#ifndef TAUT_CONTACT_ZONES_H
#define TAUT_CONTACT_ZONES_H

#include "kernels/stages/contact/carried.h"
#include "kernels/stages/contact/crossing.h"
#include "kernels/stages/frames.h"
#include "kernels/stages/guarded.h"

#define TAUT_ZONE_SUMS 16
/* Weight of a fixed node in masses of all that is free in its zone. */
#define TAUT_ZONE_FIXED 1e6

enum { ZONE_MASS, ZONE_CENTRE, ZONE_WAY = 4, ZONE_INERTIA = 7, ZONE_TURN = 13 };

TAUT_FN uint32_t zone_of(uint32_t* zone, uint32_t node) {
    while (zone[node] != node) {
        zone[node] = zone[zone[node]];
        node = zone[node];
    }
    return node;
}

/* Likewise, while zones do not change. */
TAUT_FN uint32_t zone_root(const uint32_t* zone, uint32_t node) {
    while (zone[node] != node) {
        node = zone[node];
    }
    return node;
}

/* The zone of a node, which has one from now on. */
TAUT_FN uint32_t zone_with(uint32_t* zone, uint32_t node) {
    zone[node] = zone[node] == TAUT_NO_NODE ? node : zone[node];
    return zone_of(zone, node);
}

/* Whether that changed anything. */
TAUT_FN bool zone_join(uint32_t* zone, uint32_t a, uint32_t b) {
    const bool known = zone[a] != TAUT_NO_NODE && zone[b] != TAUT_NO_NODE;
    const uint32_t one = zone_with(zone, a), two = zone_with(zone, b);
    zone[one < two ? two : one] = one < two ? one : two;
    return one != two || !known;
}

TAUT_FN uint32_t world_zone(const taut_sizes* s) {
    return (uint32_t)s->nodes;
}

/* A body with the node that stands for its zone. */
TAUT_FN bool zone_join_body(const taut_fields* f, const taut_sizes* s, uint32_t with, taut_body_nodes body) {
    const uint32_t centre = body.centre != TAUT_NO_NODE ? body.centre : world_zone(s);
    bool grows = zone_join(f->zone, with, centre);
    if (body.frame != TAUT_NO_NODE) {
        grows = zone_join(f->zone, with, body.frame) || grows;
    }
    return grows;
}

/* The bodies of a pair that would pass through each other; a mesh that deforms and moves as it is told has none where
 * it meets points: it leads them. */
typedef struct zone_pair {
    taut_body_nodes body[4];
    int count;
    bool led;
} zone_pair;

/* Corners of one party, from 0 to 4 of them. */
typedef struct zone_party {
    const uint32_t* corner;
    int count;
} zone_party;

TAUT_FN bool party_is_led(const taut_fields* f, const taut_sizes* s, zone_party party) {
    bool led = party.count > 0;
    for (int i = 0; i < party.count; i++) {
        const taut_body_nodes body = f->touching_body[party.corner[i]];
        led = led && body.centre < s->simple && body.frame == TAUT_NO_NODE;
    }
    return led;
}

TAUT_FN bool mesh_leads(const taut_fields* f, const taut_sizes* s, const taut_mesh* mesh) {
    const uint32_t first = mesh != NULL ? f->mesh_vertex[mesh->first_vertex] : TAUT_NO_NODE;
    return first < s->simple && f->inverse_mass[first] == 0;
}

/* A party, which may lead the other one. */
TAUT_FN void zone_add_party(const taut_fields* f, const taut_sizes* s, zone_party party, zone_party other,
                            zone_pair* pair) {
    if (party_is_led(f, s, other) && mesh_leads(f, s, mesh_of_corner(f, s, party.corner[0]))) {
        pair->led = true;
        return;
    }
    for (int i = 0; i < party.count; i++) {
        pair->body[pair->count++] = f->touching_body[party.corner[i]];
    }
}

TAUT_FN void zone_add_collider(const taut_fields* was, const taut_fields* f, const taut_sizes* s, zone_party own,
                               size_t collider, zone_pair* pair) {
    const taut_mesh* mesh = deforming_mesh(f, s, collider);
    uint32_t at = 0;
    if (mesh == NULL) {
        pair->body[pair->count++] = f->collider_body[collider];
    } else if (party_is_led(f, s, own) && mesh_leads(f, s, mesh)) {
        pair->led = true;
    } else if (time_on_mesh(was, f, s, own.corner[0], mesh, &at) <= 1) {
        for (size_t k = 0; k < 3; k++) {
            const taut_body_nodes vertex = {deforming_node(f, &f->deforming[mesh->first_deforming + at], k),
                                            TAUT_NO_NODE};
            pair->body[pair->count++] = vertex;
        }
    }
}

TAUT_FN void zone_pair_of(const taut_fields* was, const taut_fields* f, const taut_sizes* s, size_t finder,
                          uint32_t other, zone_pair* pair) {
    const bool edge = finder >= s->touching, collider = !edge && other < s->colliders;
    const uint32_t point = (uint32_t)finder;
    if (finder >= first_solid(s)) {
        pair->led = false;
        pair->count = 2;
        pair->body[0] = f->collider_body[finder - first_solid(s)];
        pair->body[1] = f->collider_body[other];
        return;
    }
    const zone_party own = {edge ? f->edge_corner + 4 * (finder - s->touching) : &point, edge ? 2 : 1};
    pair->count = 0;
    pair->led = false;
    if (collider) {
        zone_add_party(f, s, own, own, pair);
        zone_add_collider(was, f, s, own, other, pair);
        return;
    }
    const zone_party met = {
        edge ? f->edge_corner + 4 * (size_t)other : f->face_corner + 4 * (size_t)(other - s->colliders), edge ? 2 : 3};
    zone_add_party(f, s, own, met, pair);
    zone_add_party(f, s, met, own, pair);
}

/* What a finder would pass through joins its zone; whether that changed anything. */
TAUT_FN bool zone_join_crossing(const taut_fields* was, const taut_fields* f, const taut_sizes* s, size_t finder,
                                uint32_t other) {
    zone_pair pair;
    bool grows = false;
    zone_pair_of(was, f, s, finder, other, &pair);
    const uint32_t first = pair.count > 0 ? pair.body[0].centre : TAUT_NO_NODE;
    const uint32_t with = first != TAUT_NO_NODE ? first : world_zone(s);
    for (int i = 0; i < pair.count; i++) {
        grows = zone_join_body(f, s, with, pair.body[i]) || grows;
    }
    if (pair.led && pair.count > 0) {
        grows = f->zone_led[with] == 0 || grows;
        f->zone_led[with] = 1;
    }
    return grows;
}

/* What a mapped point follows joins its zone; the deepest level first. */
TAUT_FN void zone_join_parents(const taut_fields* f, const taut_sizes* s, size_t n) {
    for (uint32_t e = f->map_begin[n - s->simple]; f->zone[n] != TAUT_NO_NODE && e < f->map_begin[n - s->simple + 1];
         e++) {
        zone_join(f->zone, (uint32_t)n, f->map_parent[e]);
    }
}

/* ---- sums -------------------------------------------------------------------------------------------------------- */

TAUT_FN bool in_zone(const taut_fields* f, const taut_sizes* s, size_t n) {
    return f->zone[n] != TAUT_NO_NODE && (n < s->simple || n >= s->points);
}

TAUT_FN double* zone_sums(const taut_fields* f, size_t n) {
    return f->node_scratch + TAUT_ZONE_SUMS * (size_t)zone_root(f->zone, (uint32_t)n);
}

/* Whether a zone is held by the world. */
TAUT_FN bool zone_rests(const taut_fields* f, const taut_sizes* s, size_t n) {
    return f->zone[world_zone(s)] != TAUT_NO_NODE &&
           zone_root(f->zone, world_zone(s)) == zone_root(f->zone, (uint32_t)n);
}

/* Whether a mesh leads the zone of a node, once all zones know. */
TAUT_FN bool zone_is_led(const taut_fields* f, size_t n) {
    return f->zone_led[zone_root(f->zone, (uint32_t)n)] != 0;
}

/* What leads a node leads its zone. */
TAUT_FN void zone_tell_led(const taut_fields* f, size_t n) {
    if (f->zone_led[n] != 0) {
        f->zone_led[zone_root(f->zone, (uint32_t)n)] = 1;
    }
}

/* Free points of zones that are led go as the meshes around them carry them. */
TAUT_FN bool zone_carries(const taut_fields* f, const taut_sizes* s, size_t n) {
    return n < s->simple && f->inverse_mass[n] != 0 && zone_is_led(f, n);
}

TAUT_FN void zone_carry(const taut_fields* f, const taut_sizes* s, size_t n) {
    if (zone_carries(f, s, n)) {
        carried_way(f, s, f->kept_x + 3 * n, f->zone_carried + 3 * n);
    }
}

/* The way of a point. */
TAUT_FN void zone_way(const taut_fields* f, const taut_sizes* s, size_t n, double way[3]) {
    const bool carried = zone_carries(f, s, n);
    for (size_t a = 0; a < 3; a++) {
        way[a] = carried ? f->zone_carried[3 * n + a] : f->x[3 * n + a] - f->kept_x[3 * n + a];
    }
}

TAUT_FN double zone_weight(const taut_fields* f, const taut_sizes* s, size_t n, const double* sums) {
    return f->inverse_mass[n] == 0 || zone_carries(f, s, n) ? TAUT_ZONE_FIXED * fmax(sums[ZONE_MASS], 1e-300)
                                                            : f->mass[n];
}

/* First the free mass. */
TAUT_FN void zone_add_mass(const taut_fields* f, const taut_sizes* s, size_t n) {
    if (n < s->simple && f->inverse_mass[n] != 0) {
        zone_sums(f, n)[ZONE_MASS] += f->mass[n];
    }
}

/* Then the weight (in place of a turn that is summed later), the centre and the way. */
TAUT_FN void zone_add_way(const taut_fields* f, const taut_sizes* s, size_t n) {
    double *sums = zone_sums(f, n), way[3];
    if (n < s->simple) {
        const double weight = zone_weight(f, s, n, sums);
        zone_way(f, s, n, way);
        sums[ZONE_TURN] += weight;
        vec3_axpy(weight, f->kept_x + 3 * n, sums + ZONE_CENTRE);
        vec3_axpy(weight, way, sums + ZONE_WAY);
    }
}

TAUT_FN void zone_centre(double* sums) {
    const double weight = sums[ZONE_TURN];
    for (int a = 0; weight > 0 && a < 3; a++) {
        sums[ZONE_CENTRE + a] /= weight;
        sums[ZONE_WAY + a] /= weight;
    }
    sums[ZONE_TURN] = 0;
}

/* The turn of a frame since the start of the part, a rotation vector. */
TAUT_FN void frame_way(const taut_fields* f, const taut_sizes* s, size_t n, double way[3]) {
    double inverse[4], turn[4];
    quat_conjugate(f->kept_orientation + 4 * (n - s->points), inverse);
    quat_multiply(f->orientation + 4 * (n - s->points), inverse, turn);
    quat_log(turn, way);
}

/* Then what the zone turns by: inertia and angular momentum about its centre. */
TAUT_FN void zone_add_turn(const taut_fields* f, const taut_sizes* s, size_t n) {
    double *sums = zone_sums(f, n), r[3], way[3], moment[3], inertia[6] = {0, 0, 0, 0, 0, 0}, full[3][3];
    const bool turns = n >= s->points, fixed = f->inverse_mass[n] == 0;
    if (turns && fixed) {
        frame_way(f, s, n, way);
        inertia[0] = inertia[1] = inertia[2] = TAUT_ZONE_FIXED * fmax(sums[ZONE_INERTIA], 1e-300);
        vec3_sub(way, way, r);
        for (int a = 0; a < 3; a++) {
            moment[a] = inertia[0] * way[a];
        }
    } else if (turns) {
        frame_way(f, s, n, way);
        for (int i = 0; i < 6; i++) {
            inertia[i] = f->frame_block[6 * (n - s->points) + (size_t)i];
        }
        sym3_expand(inertia, full);
        for (int a = 0; a < 3; a++) {
            moment[a] = vec3_dot(full[a], way);
        }
    } else {
        const double weight = zone_weight(f, s, n, sums);
        vec3_sub(f->kept_x + 3 * n, sums + ZONE_CENTRE, r);
        zone_way(f, s, n, way);
        vec3_cross(r, way, moment);
        for (int a = 0; a < 3; a++) {
            const int b = (a + 1) % 3, c = (a + 2) % 3;
            inertia[a] = weight * (r[b] * r[b] + r[c] * r[c]);
            inertia[3 + a] = -weight * r[b] * r[c];
            moment[a] *= weight;
        }
    }
    for (int i = 0; i < 6; i++) {
        sums[ZONE_INERTIA + i] += inertia[i];
    }
    vec3_axpy(1, moment, sums + ZONE_TURN);
}

/* turn = I^-1 moment; a zone that is a line, or a point, has no turn about itself. */
TAUT_FN void zone_turn(double* sums) {
    double i[3][3], column[3][3];
    const double least = 1e-9 * (sums[ZONE_INERTIA] + sums[ZONE_INERTIA + 1] + sums[ZONE_INERTIA + 2]);
    for (int a = 0; a < 3; a++) {
        sums[ZONE_INERTIA + a] += least;
    }
    sym3_expand(sums + ZONE_INERTIA, i);
    for (int a = 0; a < 3; a++) {
        vec3_cross(i[(a + 1) % 3], i[(a + 2) % 3], column[a]);
    }
    const double det = vec3_dot(i[0], column[0]);
    const double moment[3] = {sums[ZONE_TURN], sums[ZONE_TURN + 1], sums[ZONE_TURN + 2]};
    for (int a = 0; a < 3; a++) { /* rows of the inverse of what is symmetric are its columns */
        sums[ZONE_TURN + a] = det > 0 ? vec3_dot(column[a], moment) / det : 0;
    }
}

/* All of that of one zone, whose members stand in their order. */
TAUT_FN void zone_sum(const taut_fields* f, const taut_sizes* s, const uint32_t* member, size_t count) {
    double* sums = zone_sums(f, member[0]);
    for (int i = 0; i < TAUT_ZONE_SUMS; i++) {
        sums[i] = 0;
    }
    for (size_t i = 0; i < count; i++) {
        zone_add_mass(f, s, member[i]);
    }
    for (size_t i = 0; i < count; i++) {
        zone_add_way(f, s, member[i]);
    }
    zone_centre(sums);
    for (size_t i = 0; i < count; i++) {
        zone_add_turn(f, s, member[i]);
    }
    zone_turn(sums);
}

/* ---- the motion -------------------------------------------------------------------------------------------------- */

/* A free node goes where its zone takes it; its velocity changes as its way over h. */
TAUT_FN void zone_move(const taut_fields* f, const taut_sizes* s, size_t n, double h) {
    const double* sums = zone_sums(f, n);
    const bool rests = zone_rests(f, s, n);
    double to[3], turn[4], was[3];
    if (f->inverse_mass[n] == 0) {
        return;
    }
    quat_exp(sums + ZONE_TURN, turn);
    if (n >= s->points) {
        double* q = f->orientation + 4 * (n - s->points);
        const double* from = f->kept_orientation + 4 * (n - s->points);
        frame_way(f, s, n, was);
        for (int a = 0; a < 4; a++) {
            q[a] = from[a];
        }
        if (!rests) {
            quat_multiply(turn, from, q);
            quat_normalise(q, q);
        }
        frame_way(f, s, n, to);
        vec3_axpy(-1, was, to);
    } else {
        double r[3], *x = f->x + 3 * n;
        vec3_sub(f->kept_x + 3 * n, sums + ZONE_CENTRE, r);
        quat_rotate(turn, r, to);
        vec3_axpy(1, sums + ZONE_CENTRE, to);
        vec3_axpy(1, sums + ZONE_WAY, to);
        const bool carried = zone_carries(f, s, n);
        for (size_t a = 0; a < 3; a++) {
            const double from = f->kept_x[3 * n + a];
            const double goal = carried ? from + f->zone_carried[3 * n + a] : rests ? from : to[a];
            to[a] = goal - x[a];
            x[a] = goal;
            f->x_f32[3 * n + a] = (float)goal;
        }
    }
    for (size_t a = 0; a < 3; a++) {
        f->v[3 * n + a] += to[a] / h;
        f->dv[3 * n + a] = f->v[3 * n + a] - f->kept_v[3 * n + a];
    }
}

/* What zones do not keep from passing moves less: a share of its way is left, but to what meshes carry. */
TAUT_FN void zone_stop(const taut_fields* f, const taut_sizes* s, size_t n, double share) {
    if ((n < s->simple || n >= s->points) && !(in_zone(f, s, n) && zone_carries(f, s, n))) {
        calm_node(f, s, n, share);
    }
}

#endif
