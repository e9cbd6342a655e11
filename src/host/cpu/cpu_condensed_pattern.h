/* The pattern of factors of the condensed matrix: which pairs of nodes constraints and contacts join. */
#ifndef TAUT_CPU_CPU_CONDENSED_PATTERN_H
#define TAUT_CPU_CPU_CONDENSED_PATTERN_H

#include "host/cpu/cpu_condensed_factors.h"

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

/* Room for the pairs that constraints in reserved places join. */
size_t condensed_pattern_reserved(const taut_sizes* sizes);

/* Whether contact c or its couple joins a pair without a place. */
bool condensed_pattern_lacks(const condensed_factors* s, taut_kind k, size_t c);

#endif
