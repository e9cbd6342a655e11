#define TAUT_REAL double
#include "host/cpu/cpu_condensed_terms.h"

#include "kernels/stages/condensed.h"
#include "kernels/stages/contact/collide.h"
#include "kernels/stages/system.h"

#include <string.h>

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
    case TAUT_CONTACT:
        return explicit_rows_contact(kind->record + c * (size_t)taut_record_contact, NULL, (int)slot, rows);
    case TAUT_ROLLING:
        return explicit_rows_rolling(kind->record + c * (size_t)taut_record_rolling, NULL, (int)slot, rows);
    default:
        return 0;
    }
}

static void add_term(condensed_terms* all, uint32_t node, double rows[TAUT_MAX_ROWS][3]) {
    const uint32_t vertex = all->s->vertex_of[node];
    size_t i = 0;
    if (vertex == BLOCK_NONE) {
        return;
    }
    while (i < all->count && all->term[i].vertex != vertex) {
        i++;
    }
    if (i == CONDENSED_MOST_TERMS) {
        all->fits = false;
        return;
    }
    condensed_term* term = all->term + i;
    if (i == all->count) {
        all->count++;
        term->vertex = vertex;
        memset(term->rows, 0, (size_t)all->rows * sizeof term->rows[0]);
    }
    for (int r = 0; r < all->rows; r++) {
        vec3_axpy(1, rows[r], term->rows[r]);
    }
}

/* Rows at a mapped point are rows of what it follows: J_e^T row of each of its entries. */
static void follow(condensed_terms* all, uint32_t node, double rows[TAUT_MAX_ROWS][3], int depth) {
    const taut_fields* f = &all->s->plan->fields;
    const taut_sizes* s = &all->s->plan->sizes;
    if (!taut_is_mapped(s, node)) {
        add_term(all, node, rows);
        return;
    }
    for (uint32_t e = f->map_begin[node - s->simple]; e < f->map_begin[node - s->simple + 1]; e++) {
        double parent[TAUT_MAX_ROWS][3];
        memset(parent, 0, (size_t)all->rows * sizeof parent[0]);
        for (int r = 0; r < all->rows; r++) {
            map_apply_jacobian_transpose(f, e, rows[r], parent[r]);
        }
        all->fits = all->fits && depth < TAUT_MAX_LEVEL;
        if (all->fits) {
            follow(all, f->map_parent[e], parent, depth + 1);
        }
    }
}

static bool acts(const taut_fields* f, taut_kind k, size_t c, size_t slot) {
    return (k != TAUT_CONTACT && k != TAUT_ROLLING) || touching_acts(f, k, c, slot);
}

static void list_terms(const condensed_factors* s, taut_kind k, size_t c, bool whole, condensed_terms* out) {
    const taut_fields* f = &s->plan->fields;
    const size_t nodes = taut_kind_shapes[k].nodes;
    out->s = s;
    out->rows = 0;
    out->count = 0;
    out->fits = true;
    for (size_t i = 0; i < nodes; i++) {
        double rows[TAUT_MAX_ROWS][3];
        if (acts(f, k, c, i)) {
            out->rows = whole ? rows_at(s, k, c, i, rows) : 0;
            follow(out, f->kinds[k].nodes[nodes * c + i], rows, 0);
        }
    }
}

static void terms_of(const condensed_factors* s, taut_kind k, size_t c, condensed_terms* out) {
    list_terms(s, k, c, true, out);
}

void condensed_vertices_of(const condensed_factors* s, taut_kind k, size_t c, condensed_terms* out) {
    list_terms(s, k, c, false, out);
}

/* block = first^T second of `rows` */
static void multiply_terms(int rows, double first[TAUT_MAX_ROWS][3], double second[TAUT_MAX_ROWS][3], double block[9]) {
    for (int v = 0; v < 9; v++) {
        block[v] = 0;
        for (int r = 0; r < rows; r++) {
            block[v] += first[r][v / 3] * second[r][v % 3];
        }
    }
}

void condensed_terms_add(condensed_factors* s, taut_kind k, size_t c) {
    const size_t rows = taut_kind_shapes[k].rows;
    const float* packed = s->plan->fields.kinds[k].conductance + c * TAUT_PACKED(rows);
    double forces[TAUT_MAX_ROWS][3], block[9];
    condensed_terms all;
    terms_of(s, k, c, &all);
    for (size_t i = 0; i < all.count; i++) {
        system_conduct(packed, (int)rows, all.rows, all.term[i].rows, forces);
        for (size_t j = 0; j <= i; j++) {
            multiply_terms(all.rows, forces, all.term[j].rows, block);
            node_cholesky_add(&s->matrix, all.term[i].vertex, all.term[j].vertex, block);
        }
    }
}
