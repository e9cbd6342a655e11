/* Chains of bodies that overlap, each on the last one: how many contacts there are on the longest way through a contact
 * whose overlap is being undone, against gravity.
 *
 * Each contact parts by a speed of its own, and these add up on the way: with n contacts that overlap by s, each at the
 * speed at which gravity stops one thing on a way s, the top would rise by n^2 s where n s are enough. parting_speed
 * makes it enough: contact/regularised.h.
 *
 *     below(b) = 1 + max below(a),   above(a) = 1 + max above(b)     over contacts of a with b, which is above it
 *
 * from 0, until nothing changes; values end at TAUT_CHAIN_MOST, so that there is one result, in whatever order.
 *
 * Where there is such a chain, it is also found which things something else than contact reaches, joints or what is
 * soft, through contacts that bear: held(a) if held(b). Any load may come from there.
 *
 * Text for a file that has defined TAUT_REAL as double. */
#ifndef TAUT_CONTACT_CHAINS_H
#define TAUT_CONTACT_CHAINS_H

#include "kernels/stages/contact/regularised.h"

/* Contacts that a chain is taken to have at most. */
#define TAUT_CHAIN_MOST 64
/* Of g h: contacts that would part more slowly are no part of a chain. */
#define TAUT_CHAIN_SLOW 0.0625

/* The node of a thing that the contact can move; TAUT_NO_NODE: it cannot. */
TAUT_FN uint32_t chain_node(const taut_fields* f, size_t c, int side) {
    const uint32_t node = f->kinds[TAUT_CONTACT].nodes[contact_NODES * c + (size_t)side];
    const bool acts = f->kinds[TAUT_CONTACT].rest[contact_REST * c + contact_weight + (size_t)side] != 0;
    return acts && f->inverse_mass[node] > 0 ? node : TAUT_NO_NODE;
}

/* Whether contact c of bodies undoes an overlap, beyond what its load keeps. */
TAUT_FN bool is_recovering(const taut_fields* f, const taut_sizes* s, size_t c, const taut_factors* step) {
    const taut_kind_fields* kind = &f->kinds[TAUT_CONTACT];
    const float* weight = kind->weight + TAUT_PACKED(contact_ROWS) * c;
    const size_t row = row_of_contact(s, c, 0);
    const double soft = weight[packed_index(0, 0)], bears = f->contact_load[c] * f->lam[row],
                 kept = soft * step->h * bears;
    const double speed = -f->phi[row] / ((1 + TAUT_CONTACT_DAMPING) * step->paced);
    return f->phi[row] < 0 && soft <= weight[packed_index(1, 1)] && is_of_bodies(kind->rest + contact_REST * c) &&
           speed - kept > TAUT_CHAIN_SLOW * step->h * gravity_of(step);
}

/* What contact c joins: the lower and the upper thing. Upwards is against gravity, and a little aside, so that there is
 * an order where all stand side by side. False: no overlap is undone there. */
TAUT_FN bool find_link(const taut_fields* f, const taut_sizes* s, size_t c, const taut_factors* step) {
    const double aside[3] = {0.021, 0.013, 0.017}, g = gravity_of(step);
    const double* normal = f->kinds[TAUT_CONTACT].rest + contact_REST * c + contact_normal;
    uint32_t* link = f->contact_link + 2 * c;
    const double rise = vec3_dot(aside, normal) - (g > 0 ? vec3_dot(step->gravity, normal) / g : 0);
    const int upper = rise > 0 ? 0 : 1;
    const bool recovers = is_recovering(f, s, c, step);
    link[0] = recovers ? chain_node(f, c, 1 - upper) : TAUT_NO_NODE;
    link[1] = recovers ? chain_node(f, c, upper) : TAUT_NO_NODE;
    return recovers;
}

/* One more than a node has, or than nothing. */
TAUT_FN uint32_t one_further(const uint32_t* value, uint32_t node) {
    const uint32_t next = 1 + (node != TAUT_NO_NODE ? value[node] : 0);
    return next < TAUT_CHAIN_MOST ? next : TAUT_CHAIN_MOST;
}

/* Whether node n belongs to something that joints hold. */
TAUT_FN uint32_t is_held_by_joints(const taut_fields* f, size_t n) {
    return (f->flight[n] & TAUT_FLIGHT_JOINED) != 0;
}

/* Of contact c: the things that are held if one of them is; whether one is. */
TAUT_FN bool find_held(const taut_fields* f, const taut_sizes* s, size_t c, uint32_t node[2]) {
    const bool bodies = is_of_bodies(f->kinds[TAUT_CONTACT].rest + contact_REST * c);
    node[0] = chain_node(f, c, 0);
    node[1] = chain_node(f, c, 1);
    const bool first = node[0] != TAUT_NO_NODE && f->chain_held[node[0]] != 0;
    const bool second = node[1] != TAUT_NO_NODE && f->chain_held[node[1]] != 0;
    return f->lam[row_of_contact(s, c, 0)] > 0 && (!bodies || first || second);
}

/* Whether something else than contact may reach contact c. */
TAUT_FN bool may_be_reached(const taut_fields* f, size_t c) {
    uint32_t held = *f->chain_contacts == 0;
    for (int side = 0; side < 2; side++) {
        const uint32_t n = chain_node(f, c, side);
        held |= n != TAUT_NO_NODE ? f->chain_held[n] : 0;
    }
    return held != 0;
}

/* Contacts on the longest way through contact c, itself counted. */
TAUT_FN double chain_length(const taut_fields* f, const taut_sizes* s, size_t c) {
    const uint32_t* link = f->contact_link + 2 * c;
    return TAUT_HAS_CHAINS(s)
               ? one_further(f->chain_below, link[0]) + (double)(one_further(f->chain_above, link[1]) - 1)
               : 1;
}

#endif
