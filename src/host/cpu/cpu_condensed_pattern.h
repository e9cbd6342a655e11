/* The pattern of factors of the condensed matrix: which pairs of nodes constraints and contacts join. */
#ifndef TAUT_CPU_CPU_CONDENSED_PATTERN_H
#define TAUT_CPU_CPU_CONDENSED_PATTERN_H

#include "host/cpu/cpu_condensed_factors.h"
#include "kernels/formulas/contact_rows.h"

typedef enum condensed_contacts {
    CONDENSED_WITHOUT,
    CONDENSED_CONDUCTING, /* most contacts do not, and fill the factors for nothing */
    CONDENSED_ALL
} condensed_contacts;

/* A substep begins. An order that depends on what conducted in the last one is forgotten: a world that was restored
 * does not have it. */
void condensed_pattern_renew(condensed_factors* s);

/* Whether factors with such contacts have room, and take at most so many products. The order found last is kept for the
 * same pattern. */
bool condensed_pattern_find(condensed_factors* s, condensed_contacts contacts, double most);

/* Makes places for the contacts that conduct now: in the same order, or in a new one where that fills too much. False
 * where there is no room for all of them: then there are none for any. */
bool condensed_pattern_cover(condensed_factors* s, double most);

/* Joins two vertices, which may be none; false where there is no room. */
bool condensed_pattern_edge(condensed_factors* s, uint32_t a, uint32_t b);

/* Of constraints in reserved places: room for the pairs of nodes that they join; these pairs, false where there is no
 * room, or one acts on too many nodes; and their part of H. */
size_t condensed_added_pairs(const taut_sizes* sizes);
bool condensed_added_edges(condensed_factors* s);
void condensed_added_blocks(condensed_factors* s);

/* Whether contact c or its couple joins a pair without a place. */
bool condensed_pattern_lacks(const condensed_factors* s, taut_kind k, size_t c);

/* Vertices on which contact c or its couple acts, BLOCK_NONE elsewhere; returns their number. */
size_t condensed_pattern_vertices(const condensed_factors* s, taut_kind k, size_t c, uint32_t vertex[contact_NODES]);

#endif
