/* Colours of the contacts of a substep: contacts of one colour share no node that can move, so that a sweep may go
 * through them in any order and at once.
 *
 * Greedy, in the order of a fixed hash: the next contact takes the first colour that none at its nodes has. What that
 * gives does not depend on how it is found, and rounds find it in parallel (Jones and Plassmann 1993): each node names
 * the first of its contacts that has no colour yet; a contact that all its nodes name takes one. A round is a loop over
 * the incidence and one over contacts; rounds are about as many as the colours, which are a few more than the most
 * contacts of one node, or TAUT_CONTACT_COLOURS, where there are more: those that find no colour go to a last one, in
 * which they are taken one after another. Text for a file that has defined TAUT_REAL. */
#ifndef TAUT_CONTACT_CONTACT_COLOURS_H
#define TAUT_CONTACT_CONTACT_COLOURS_H

#include "kernels/stages/items.h"

/* What a node names where no contact waits for a colour, and where it has no colour to give. */
#define TAUT_NONE_WAITS UINT32_MAX
#define TAUT_NODE_FULL  (UINT32_MAX - 1)

/* Of a contact: no colour yet. */
#define TAUT_NO_COLOUR UINT32_MAX

/* A permutation of all numbers: which contact comes first. */
TAUT_FN uint32_t contact_priority(uint32_t c) {
    uint32_t bits = c * 2654435761u;
    bits ^= bits >> 15;
    bits *= 2246822519u;
    return bits ^ bits >> 13;
}

TAUT_FN void colours_name(const taut_fields* f, taut_kind k, size_t n, size_t slots, uint32_t* best) {
    const taut_kind_fields* kind = &f->kinds[k];
    for (uint32_t i = kind->offsets[n]; i < kind->offsets[n + 1]; i++) {
        const uint32_t c = kind->incidence[i] / (uint32_t)slots;
        const bool first = *best == TAUT_NONE_WAITS || contact_priority(c) < contact_priority(*best);
        *best = f->contact_colour[c] == TAUT_NO_COLOUR && first ? c : *best;
    }
}

/* First half of a round, at node n. */
TAUT_FN void colours_node(const taut_fields* f, const taut_sizes* s, size_t n) {
    uint32_t best = TAUT_NONE_WAITS;
    if (!(f->inverse_mass[n] > 0)) {
        return;
    }
    if (f->node_colours[n] == TAUT_ALL_COLOURS) {
        f->node_contact[n] = TAUT_NODE_FULL;
        return;
    }
    colours_name(f, TAUT_CONTACT, n, contact_NODES, &best);
    if (s->rolls) {
        colours_name(f, TAUT_ROLLING, n, rolling_NODES, &best);
    }
    f->node_contact[n] = best;
}

/* Nodes that can move at which contact c acts, itself or by its couple; returns how many. */
TAUT_FN int colours_nodes(const taut_fields* f, const taut_sizes* s, size_t c,
                          uint32_t out[contact_NODES + rolling_NODES]) {
    const double *rest = f->kinds[TAUT_CONTACT].rest + contact_REST * c, *arm = rest + contact_arm;
    int count = 0;
    for (size_t i = 0; i < contact_NODES; i++) {
        const double* a = arm + 3 * (i > 4 ? 1 : 0);
        const bool acts = i < 4 ? rest[contact_weight + i] != 0 : a[0] != 0 || a[1] != 0 || a[2] != 0;
        const uint32_t n = f->kinds[TAUT_CONTACT].nodes[contact_NODES * c + i];
        if (acts && f->inverse_mass[n] > 0) {
            out[count++] = n;
        }
    }
    for (size_t i = 0; s->rolls && i < rolling_NODES; i++) {
        const uint32_t n = f->kinds[TAUT_ROLLING].nodes[rolling_NODES * c + i];
        if (f->kinds[TAUT_ROLLING].rest[rolling_REST * c + rolling_weight + i] != 0 && f->inverse_mass[n] > 0) {
            out[count++] = n;
        }
    }
    return count;
}

TAUT_FN uint32_t first_free_colour(uint64_t taken) {
    uint32_t colour = 0;
    while (colour < TAUT_CONTACT_COLOURS && (taken >> colour & 1u) != 0) {
        colour++;
    }
    return colour;
}

/* Second half of a round, at contact c; true once it has its colour. Only one that all its nodes name reads and writes
 * theirs. */
TAUT_FN bool colours_contact(const taut_fields* f, const taut_sizes* s, size_t c) {
    uint32_t nodes[contact_NODES + rolling_NODES];
    uint64_t taken = 0;
    if (f->contact_colour[c] != TAUT_NO_COLOUR) {
        return true;
    }
    const int count = colours_nodes(f, s, c, nodes);
    bool named = true;
    for (int i = 0; i < count; i++) {
        const uint32_t best = f->node_contact[nodes[i]];
        named = named && best == (uint32_t)c;
        if (best == TAUT_NODE_FULL) {
            f->contact_colour[c] = TAUT_CONTACT_COLOURS;
            return true;
        }
    }
    for (int i = 0; named && i < count; i++) {
        taken |= f->node_colours[nodes[i]];
    }
    if (named) {
        const uint32_t colour = first_free_colour(taken);
        f->contact_colour[c] = colour;
        for (int i = 0; colour < TAUT_CONTACT_COLOURS && i < count; i++) {
            f->node_colours[nodes[i]] |= (uint64_t)1 << colour;
        }
    }
    return named;
}

#endif
