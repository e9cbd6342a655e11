#define TAUT_REAL double
#include "host/cpu/cpu_condensed_pattern.h"

#include "kernels/stages/condensed.h"

#include "host/cpu/cpu_condensed.h"
#include "host/cpu/cpu_condensed_terms.h"

/* Products with new edges in the same order, of those that were found anew, from which on another order is looked for.
 */
#define FILLED 1.5
/* Constraints in reserved places for which there is room, with so many pairs of vertices each. */
#define MOST_ADDED  2000
#define ADDED_PAIRS 66

/* Gives nodes of the condensed system their vertices. */
static void list_vertices(condensed_factors* s) {
    const taut_fields* f = &s->plan->fields;
    s->vertices = 0;
    for (size_t n = 0; n < s->plan->sizes.nodes; n++) {
        const bool unknown = is_condensed_unknown(f, n);
        s->vertex_of[n] = unknown ? (uint32_t)s->vertices : BLOCK_NONE;
        if (unknown) {
            s->node_of[s->vertices++] = (uint32_t)n;
        }
    }
}

static bool add_edge(condensed_factors* s, uint32_t a, uint32_t b) {
    if (a == BLOCK_NONE || b == BLOCK_NONE || a == b) {
        return true;
    }
    if (s->edges == s->most_edges) {
        return false;
    }
    uint32_t* pair = s->pair + 2 * s->edges++;
    s->alike = s->alike && pair[0] == a && pair[1] == b;
    pair[0] = a;
    pair[1] = b;
    return true;
}

/* Pairs that constraints join; each once. */
static bool add_given_edges(condensed_factors* s) {
    const taut_level* level = s->plan->hierarchy.level;
    bool fits = true;
    for (size_t v = 0; v < s->vertices; v++) {
        const uint32_t n = s->node_of[v];
        for (uint32_t k = level->a_begin[n]; k < level->a_begin[n + 1] && fits; k++) {
            fits = level->a_column[k] <= n || add_edge(s, (uint32_t)v, s->vertex_of[level->a_column[k]]);
        }
    }
    return fits;
}

/* Pairs that constraint c joins: all, or those without a place. False where there is no room, or too many nodes. */
static bool add_pairs(condensed_factors* s, taut_kind k, size_t c, bool all) {
    condensed_terms terms;
    condensed_vertices_of(s, k, c, &terms);
    bool fits = terms.fits;
    for (size_t i = 0; i < terms.count; i++) {
        const uint32_t vertex = terms.term[i].vertex;
        for (size_t j = 0; j < i && fits; j++) {
            fits = (!all && node_cholesky_has(&s->matrix, vertex, terms.term[j].vertex)) ||
                   add_edge(s, vertex, terms.term[j].vertex);
        }
    }
    return fits;
}

static bool add_contact_edges(condensed_factors* s, taut_kind k, bool conducting) {
    bool fits = true;
    for (size_t c = 0; c < s->plan->sizes.count[k] && fits; c++) {
        fits = (conducting && !condense_conducts(&s->plan->fields.kinds[k], c)) || add_pairs(s, k, c, true);
    }
    return fits;
}

/* Level 0 has the diagonal alone of constraints in reserved places. */
static bool add_reserved_edges(condensed_factors* s) {
    const taut_sizes* sizes = &s->plan->sizes;
    bool fits = true;
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        for (size_t c = taut_given_count(sizes, k); c < sizes->count[k] && fits; c++) {
            fits = is_absent(&s->plan->fields.kinds[k], c) || add_pairs(s, (taut_kind)k, c, true);
        }
    }
    return fits;
}

size_t condensed_pattern_reserved(const taut_sizes* s) {
    size_t places = 0;
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        places += s->reserved[k];
    }
    return (places < MOST_ADDED ? places : MOST_ADDED) * ADDED_PAIRS;
}

void condensed_pattern_renew(condensed_factors* s) {
    s->found = s->found && !s->partly;
}

bool condensed_pattern_find(condensed_factors* s, condensed_contacts contacts, double most) {
    const size_t vertices = s->vertices, edges = s->edges;
    const bool conducting = contacts == CONDENSED_CONDUCTING;
    s->alike = s->found;
    s->edges = 0;
    list_vertices(s);
    s->found = add_given_edges(s) && add_reserved_edges(s) &&
               (contacts == CONDENSED_WITHOUT ||
                (add_contact_edges(s, TAUT_CONTACT, conducting) && add_contact_edges(s, TAUT_ROLLING, conducting)));
    const bool kept = s->alike && s->vertices == vertices && s->edges == edges;
    s->found = s->found && (kept || node_cholesky_pattern(&s->matrix, s->vertices, s->pair, s->edges, most));
    s->partly = conducting;
    s->products = s->matrix.order.products;
    return s->found && s->products <= most;
}

bool condensed_pattern_lacks(const condensed_factors* s, taut_kind k, size_t c) {
    condensed_terms terms;
    condensed_vertices_of(s, k, c, &terms);
    bool lacks = !terms.fits;
    for (size_t i = 0; i < terms.count; i++) {
        for (size_t j = 0; j < i && !lacks; j++) {
            lacks = !node_cholesky_has(&s->matrix, terms.term[i].vertex, terms.term[j].vertex);
        }
    }
    return lacks;
}

/* What contacts that conduct lack; false where there is no room. */
static bool add_lacking_edges(condensed_factors* s, taut_kind k) {
    bool fits = true;
    for (size_t c = 0; c < s->plan->sizes.count[k] && fits; c++) {
        fits = !condense_conducts(&s->plan->fields.kinds[k], c) || add_pairs(s, k, c, false);
    }
    return fits;
}

bool condensed_pattern_cover(condensed_factors* s, double most) {
    const size_t edges = s->edges;
    const bool fits = add_lacking_edges(s, TAUT_CONTACT) && add_lacking_edges(s, TAUT_ROLLING);
    if (fits && s->edges == edges) {
        return true;
    }
    const double filled = FILLED * s->products < most ? FILLED * s->products : most;
    s->found = fits && node_cholesky_fill(&s->matrix, s->pair, s->edges, filled);
    if (s->found || condensed_pattern_find(s, CONDENSED_CONDUCTING, most)) {
        return true;
    }
    condensed_pattern_find(s, CONDENSED_WITHOUT, most);
    return false;
}
