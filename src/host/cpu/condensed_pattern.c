#define TAUT_REAL double
#include "host/cpu/cpu_condensed_pattern.h"

#include "kernels/stages/condensed.h"
#include "kernels/stages/contact/collide.h"

#include "host/cpu/cpu_condensed.h"

/* Products with new edges in the same order, of those that were found anew, from which on another order is looked for.
 */
#define FILLED 1.5

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

bool condensed_pattern_edge(condensed_factors* s, uint32_t a, uint32_t b) {
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
            fits = level->a_column[k] <= n || condensed_pattern_edge(s, (uint32_t)v, s->vertex_of[level->a_column[k]]);
        }
    }
    return fits;
}

size_t condensed_pattern_vertices(const condensed_factors* s, taut_kind k, size_t c, uint32_t vertex[contact_NODES]) {
    const taut_fields* f = &s->plan->fields;
    const size_t slots = taut_kind_shapes[k].nodes;
    for (size_t i = 0; i < slots; i++) {
        vertex[i] = touching_acts(f, k, c, i) ? s->vertex_of[f->kinds[k].nodes[slots * c + i]] : BLOCK_NONE;
    }
    return slots;
}

/* Pairs that contact c or its couple joins: all, or those without a place. */
static bool add_pairs(condensed_factors* s, taut_kind k, size_t c, bool all) {
    uint32_t vertex[contact_NODES];
    const size_t slots = condensed_pattern_vertices(s, k, c, vertex);
    bool fits = true;
    for (size_t i = 0; i < slots; i++) {
        for (size_t j = 0; j < i && fits; j++) {
            fits = (!all && node_cholesky_has(&s->matrix, vertex[i], vertex[j])) ||
                   condensed_pattern_edge(s, vertex[i], vertex[j]);
        }
    }
    return fits;
}

/* Whether one of its nodes is mapped from what is solved for. */
static bool acts_on_mapped(const condensed_factors* s, taut_kind k, size_t c) {
    const size_t slots = taut_kind_shapes[k].nodes;
    const taut_fields* f = &s->plan->fields;
    const taut_sizes* sizes = &s->plan->sizes;
    const uint32_t* nodes = f->kinds[k].nodes + slots * c;
    bool any = false;
    for (size_t i = 0; i < slots && !any; i++) {
        any = touching_acts(f, k, c, i) && taut_is_mapped(sizes, nodes[i]) && !node_is_given(f, sizes, nodes[i]);
    }
    return any;
}

/* False also where one of all contacts acts on a point that is mapped from what is solved for. */
static bool add_contact_edges(condensed_factors* s, taut_kind k, bool conducting) {
    bool fits = true;
    for (size_t c = 0; c < s->plan->sizes.count[k] && fits; c++) {
        const bool counts = !conducting || condense_conducts(&s->plan->fields.kinds[k], c);
        fits = !acts_on_mapped(s, k, c) && (!counts || add_pairs(s, k, c, true));
    }
    return fits;
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
    s->found = add_given_edges(s) && condensed_added_edges(s) &&
               (contacts == CONDENSED_WITHOUT ||
                (add_contact_edges(s, TAUT_CONTACT, conducting) && add_contact_edges(s, TAUT_ROLLING, conducting)));
    const bool kept = s->alike && s->vertices == vertices && s->edges == edges;
    s->found = s->found && (kept || node_cholesky_pattern(&s->matrix, s->vertices, s->pair, s->edges, most));
    s->partly = conducting;
    s->products = s->matrix.order.products;
    return s->found && s->products <= most;
}

bool condensed_pattern_lacks(const condensed_factors* s, taut_kind k, size_t c) {
    uint32_t vertex[contact_NODES];
    const size_t slots = condensed_pattern_vertices(s, k, c, vertex);
    bool lacks = false;
    for (size_t i = 0; i < slots; i++) {
        for (size_t j = 0; j < i && !lacks; j++) {
            lacks = !node_cholesky_has(&s->matrix, vertex[i], vertex[j]);
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
