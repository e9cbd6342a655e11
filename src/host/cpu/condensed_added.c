/* Constraints in reserved places in the factors of the condensed matrix: whom they join is not in the pattern of level
 * 0, which has their diagonal alone. */
#define TAUT_REAL double
#include "host/cpu/cpu_condensed_factors.h"

#include "kernels/stages/condensed.h"
#include "kernels/stages/system.h"

#define MOST_NODES 4

static uint32_t vertex_at(const condensed_factors* s, taut_kind k, size_t c, size_t slot) {
    return s->vertex_of[s->plan->fields.kinds[k].nodes[taut_kind_shapes[k].nodes * c + slot]];
}

size_t condensed_added_pairs(const taut_sizes* s) {
    size_t pairs = 0;
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        const size_t nodes = taut_kind_shapes[k].nodes;
        pairs += s->reserved[k] > 0 ? s->reserved[k] * (nodes * (nodes - 1) / 2) : 0;
    }
    return pairs;
}

static bool acts_on_mapped(const condensed_factors* s, taut_kind k, size_t c) {
    const size_t nodes = taut_kind_shapes[k].nodes;
    bool mapped = false;
    for (size_t i = 0; i < nodes; i++) {
        mapped = mapped || taut_is_mapped(&s->plan->sizes, s->plan->fields.kinds[k].nodes[nodes * c + i]);
    }
    return mapped;
}

static bool add_edges(condensed_factors* s, taut_kind k, size_t c) {
    const size_t nodes = taut_kind_shapes[k].nodes;
    bool fits = !acts_on_mapped(s, k, c);
    for (size_t i = 1; i < nodes; i++) {
        for (size_t j = 0; j < i && fits; j++) {
            fits = condensed_factors_edge(s, vertex_at(s, k, c, i), vertex_at(s, k, c, j));
        }
    }
    return fits;
}

bool condensed_added_edges(condensed_factors* s) {
    const taut_sizes* sizes = &s->plan->sizes;
    bool fits = true;
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        size_t c = sizes->reserved[k] > 0 ? taut_given_count(sizes, k) : sizes->count[k];
        for (; c < sizes->count[k] && fits; c++) {
            fits = s->plan->fields.kinds[k].law[c] == TAUT_LAW_ABSENT || add_edges(s, (taut_kind)k, c);
        }
    }
    return fits;
}

/* Rows and factor rows of constraint c at one of its nodes; returns their number. */
static int rows_at(const condensed_factors* s, taut_kind k, size_t c, size_t slot, double rows[TAUT_MAX_ROWS][3]) {
    const taut_kind_fields* kind = &s->plan->fields.kinds[k];
    switch (k) {
#define TAUT_ADDED_ROWS(name, enumerator)                                                                              \
    case enumerator: {                                                                                                 \
        const bool whole = s->plan->sizes.has_factor_rows[k] && name##_FACTOR_ROWS > 0;                                \
        const float* stiffness = whole ? kind->stiffness + c * (sizeof(name##_stiffness) / sizeof(float)) : NULL;      \
        return explicit_rows_##name(kind->record + c * taut_record_##name, stiffness, (int)slot, rows);                \
    }
        TAUT_RESERVED_KINDS(TAUT_ADDED_ROWS)
#undef TAUT_ADDED_ROWS
    default:
        return 0;
    }
}

/* H += rows^T Wh rows */
static void add_blocks(condensed_factors* s, taut_kind k, size_t c) {
    const taut_kind_shape* shape = &taut_kind_shapes[k];
    const float* packed = s->plan->fields.kinds[k].conductance + c * TAUT_PACKED(shape->rows);
    double rows[MOST_NODES][TAUT_MAX_ROWS][3], forces[TAUT_MAX_ROWS][3], block[9];
    int count = 0;
    for (size_t i = 0; i < shape->nodes; i++) {
        count = rows_at(s, k, c, i, rows[i]);
    }
    for (size_t i = 0; i < shape->nodes; i++) {
        system_conduct(packed, (int)shape->rows, count, rows[i], forces);
        for (size_t j = 0; j <= i; j++) {
            const uint32_t a = vertex_at(s, k, c, i), b = vertex_at(s, k, c, j);
            for (int v = 0; v < 9; v++) {
                block[v] = 0;
                for (int r = 0; r < count; r++) {
                    block[v] += forces[r][v / 3] * rows[j][r][v % 3];
                }
            }
            if (a != BLOCK_NONE && b != BLOCK_NONE) {
                node_cholesky_add(&s->matrix, a, b, block);
            }
        }
    }
}

void condensed_added_blocks(condensed_factors* s) {
    const taut_sizes* sizes = &s->plan->sizes;
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        size_t c = sizes->reserved[k] > 0 ? taut_given_count(sizes, k) : sizes->count[k];
        for (; c < sizes->count[k]; c++) {
            if (s->plan->fields.kinds[k].law[c] != TAUT_LAW_ABSENT) {
                add_blocks(s, (taut_kind)k, c);
            }
        }
    }
}
