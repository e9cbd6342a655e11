/* Constraints in reserved places in the factors of the condensed matrix: whom they join is not in the pattern of level
 * 0, which has their diagonal alone. */
#define TAUT_REAL double
#include "host/cpu/cpu_condensed_pattern.h"

#include "kernels/stages/condensed.h"
#include "kernels/stages/system.h"

/* Of one constraint, with those that its mapped points follow. */
#define MOST_TERMS 12
/* Constraints for which there is room, with as many terms each. */
#define MOST_ADDED 2000

/* Rows and factor rows of a constraint at a node that is mapped from nothing. */
typedef struct added_term {
    uint32_t vertex;
    double rows[TAUT_MAX_ROWS][3];
} added_term;

typedef struct added_terms {
    const condensed_factors* s;
    int rows; /* of each term */
    size_t count;
    bool fits;
    added_term term[MOST_TERMS];
} added_terms;

/* Rows and factor rows of constraint c at one of its nodes; returns their number. */
static int rows_at(const condensed_factors* s, taut_kind k, size_t c, size_t slot, double rows[TAUT_MAX_ROWS][3]) {
    const taut_kind_fields* kind = &s->plan->fields.kinds[k];
    switch (k) {
#define TAUT_ADDED_ROWS(name, enumerator)                                                                              \
    case enumerator: {                                                                                                 \
        const bool whole = s->plan->sizes.has_factor_rows[k] && name##_FACTOR_ROWS > 0;                                \
        const float* stiffness = whole ? kind->stiffness + c * VALUES(name##_stiffness) : NULL;                        \
        return explicit_rows_##name(kind->record + c * taut_record_##name, stiffness, (int)slot, rows);                \
    }
        TAUT_RESERVED_KINDS(TAUT_ADDED_ROWS)
#undef TAUT_ADDED_ROWS
    default:
        return 0;
    }
}

static void add_term(added_terms* all, uint32_t node, double rows[TAUT_MAX_ROWS][3]) {
    const uint32_t vertex = all->s->vertex_of[node];
    size_t i = 0;
    if (vertex == BLOCK_NONE) {
        return;
    }
    while (i < all->count && all->term[i].vertex != vertex) {
        i++;
    }
    if (i == MOST_TERMS) {
        all->fits = false;
        return;
    }
    if (i == all->count) {
        all->term[all->count++] = (added_term){.vertex = vertex};
    }
    for (int r = 0; r < all->rows; r++) {
        vec3_axpy(1, rows[r], all->term[i].rows[r]);
    }
}

/* Rows at a mapped point are rows of what it follows: J_e^T row of each of its entries. */
static void follow(added_terms* all, uint32_t node, double rows[TAUT_MAX_ROWS][3], int depth) {
    const taut_fields* f = &all->s->plan->fields;
    const taut_sizes* s = &all->s->plan->sizes;
    if (!taut_is_mapped(s, node)) {
        add_term(all, node, rows);
        return;
    }
    for (uint32_t e = f->map_begin[node - s->simple]; e < f->map_begin[node - s->simple + 1]; e++) {
        double parent[TAUT_MAX_ROWS][3] = {{0}};
        for (int r = 0; r < all->rows; r++) {
            map_apply_jacobian_transpose(f, e, rows[r], parent[r]);
        }
        all->fits = all->fits && depth < TAUT_MAX_LEVEL;
        if (all->fits) {
            follow(all, f->map_parent[e], parent, depth + 1);
        }
    }
}

static added_terms terms_of(const condensed_factors* s, taut_kind k, size_t c) {
    added_terms all = {.s = s, .fits = true};
    const size_t nodes = taut_kind_shapes[k].nodes;
    for (size_t i = 0; i < nodes; i++) {
        double rows[TAUT_MAX_ROWS][3];
        all.rows = rows_at(s, k, c, i, rows);
        follow(&all, s->plan->fields.kinds[k].nodes[nodes * c + i], rows, 0);
    }
    return all;
}

/* ---- the pattern ------------------------------------------------------------------------------------------------- */

size_t condensed_added_pairs(const taut_sizes* s) {
    size_t places = 0;
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        places += s->reserved[k];
    }
    return (places < MOST_ADDED ? places : MOST_ADDED) * (MOST_TERMS * (MOST_TERMS - 1) / 2);
}

static bool add_edges(condensed_factors* s, taut_kind k, size_t c) {
    const added_terms all = terms_of(s, k, c);
    bool fits = all.fits;
    for (size_t i = 1; i < all.count; i++) {
        for (size_t j = 0; j < i && fits; j++) {
            fits = condensed_pattern_edge(s, all.term[i].vertex, all.term[j].vertex);
        }
    }
    return fits;
}

bool condensed_added_edges(condensed_factors* s) {
    const taut_sizes* sizes = &s->plan->sizes;
    bool fits = true;
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        for (size_t c = taut_given_count(sizes, k); c < sizes->count[k] && fits; c++) {
            fits = s->plan->fields.kinds[k].law[c] == TAUT_LAW_ABSENT || add_edges(s, (taut_kind)k, c);
        }
    }
    return fits;
}

/* ---- the matrix -------------------------------------------------------------------------------------------------- */

/* H += rows^T Wh rows */
static void add_blocks(condensed_factors* s, taut_kind k, size_t c) {
    const size_t rows = taut_kind_shapes[k].rows;
    const float* packed = s->plan->fields.kinds[k].conductance + c * TAUT_PACKED(rows);
    added_terms all = terms_of(s, k, c);
    double forces[TAUT_MAX_ROWS][3], block[9];
    for (size_t i = 0; i < all.count; i++) {
        system_conduct(packed, (int)rows, all.rows, all.term[i].rows, forces);
        for (size_t j = 0; j <= i; j++) {
            for (int v = 0; v < 9; v++) {
                block[v] = 0;
                for (int r = 0; r < all.rows; r++) {
                    block[v] += forces[r][v / 3] * all.term[j].rows[r][v % 3];
                }
            }
            node_cholesky_add(&s->matrix, all.term[i].vertex, all.term[j].vertex, block);
        }
    }
}

void condensed_added_blocks(condensed_factors* s) {
    const taut_sizes* sizes = &s->plan->sizes;
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        for (size_t c = taut_given_count(sizes, k); c < sizes->count[k]; c++) {
            if (s->plan->fields.kinds[k].law[c] != TAUT_LAW_ABSENT) {
                add_blocks(s, (taut_kind)k, c);
            }
        }
    }
}
