/* The matrix H = A + J^T (W + E)^-1 J of the condensed system, factor rows included, in 3 x 3 blocks per pair of nodes:
 * for its preconditioner and for products. Text for a file with TAUT_REAL double. */
#ifndef TAUT_STAGES_SYSTEM_H
#define TAUT_STAGES_SYSTEM_H

#include "kernels/stages/block.h"
#include "kernels/stages/condensed.h"
#include "model/hierarchy.h"

#define TAUT_NO_PATH UINT32_MAX

/* Motion of a mapped point by that of the node at the end of a path: down the entries on the way, the last one first.
 */
TAUT_FN void system_path(const taut_fields* f, const taut_system* h, size_t path) {
    uint32_t entry[TAUT_MAX_LEVEL];
    int length = 0;
    for (size_t p = path; p != TAUT_NO_PATH && length < TAUT_MAX_LEVEL; p = h->path_next[p]) {
        entry[length++] = h->path_entry[p];
    }
    for (int c = 0; c < 3; c++) {
        double moved[3] = {c == 0 ? 1.0 : 0, c == 1 ? 1.0 : 0, c == 2 ? 1.0 : 0};
        for (int i = length; i-- > 0;) {
            double out[3] = {0, 0, 0};
            map_apply_jacobian(f, entry[i], moved, out);
            for (int r = 0; r < 3; r++) {
                moved[r] = out[r];
            }
        }
        for (int r = 0; r < 3; r++) {
            h->path_value[9 * path + 3 * (size_t)r + (size_t)c] = moved[r];
        }
    }
}

/* rows += rows of a term; through a path they are rows of the node at its end. */
TAUT_FN void system_add_term(const double* path, int count, double term[TAUT_MAX_ROWS][3],
                             double rows[TAUT_MAX_ROWS][3]) {
    for (int r = 0; r < count; r++) {
        for (int c = 0; c < 3; c++) {
            rows[r][c] +=
                path == NULL ? term[r][c] : term[r][0] * path[c] + term[r][1] * path[3 + c] + term[r][2] * path[6 + c];
        }
    }
}

/* Rows and factor rows of a member at one of its supports; returns their number. */
TAUT_FN int system_rows(const taut_fields* f, const taut_sizes* s, const taut_system* h, uint32_t support,
                        double rows[TAUT_MAX_ROWS][3]) {
    const uint32_t member = h->support_member[support], first = h->term_begin[support];
    if (h->term_begin[support + 1] == first + 1 && h->term_path[first] == TAUT_NO_PATH) {
        return block_entry_rows(f, s, member, h->term_slot[first], rows);
    }
    int count = 0;
    for (uint32_t i = first; i < h->term_begin[support + 1]; i++) {
        double term[TAUT_MAX_ROWS][3];
        const uint32_t path = h->term_path[i];
        count = block_entry_rows(f, s, member, h->term_slot[i], term);
        for (int v = 0; i == first && v < 3 * count; v++) {
            rows[v / 3][v % 3] = 0;
        }
        system_add_term(path != TAUT_NO_PATH ? h->path_value + 9 * (size_t)path : NULL, count, term, rows);
    }
    return count;
}

/* out = (W + E)^-1 rows of `rows` rows with this packed block; the factor rows behind them have unit compliance. */
TAUT_FN void system_conduct(const float* packed, int rows, int count, double in[TAUT_MAX_ROWS][3],
                            double out[TAUT_MAX_ROWS][3]) {
    for (int r = 0; r < count; r++) {
        for (int c = 0; c < 3; c++) {
            out[r][c] = r < rows ? 0 : in[r][c];
            for (int j = 0; r < rows && j < rows; j++) {
                out[r][c] += packed[packed_index((size_t)r, (size_t)j)] * in[j][c];
            }
        }
    }
}

TAUT_FN void system_conduct_member(const taut_fields* f, const taut_sizes* s, uint32_t member, int count,
                                   double in[TAUT_MAX_ROWS][3], double out[TAUT_MAX_ROWS][3]) {
    size_t c;
    switch (kind_of_given(s, member, &c)) {
#define TAUT_CONDUCT(name, k)                                                                                          \
    case k:                                                                                                            \
        system_conduct(f->kinds[k].conductance + c * TAUT_PACKED(name##_ROWS), name##_ROWS, count, in, out);           \
        break;
        TAUT_FORMULA_KINDS(TAUT_CONDUCT)
#undef TAUT_CONDUCT
    default:
        system_conduct(f->kinds[TAUT_LINEAR].conductance + c, 1, count, in, out);
        break;
    }
}

/* The pairs of place i of at_support: of its support with all of its member's, or with itself alone. */
TAUT_FN void system_add_pairs(const taut_fields* f, const taut_sizes* s, const taut_system* h, uint32_t i,
                              double* blocks) {
    const uint32_t support = h->at_support[i], member = h->support_member[support];
    const uint32_t pairs = h->pair_begin[i + 1] - h->pair_begin[i];
    const bool all = pairs == h->support_begin[member + 1] - h->support_begin[member];
    double rows[TAUT_MAX_ROWS][3], forces[TAUT_MAX_ROWS][3], others[TAUT_MAX_ROWS][3];
    const int count = system_rows(f, s, h, support, rows);
    system_conduct_member(f, s, member, count, rows, forces);
    for (uint32_t j = 0; j < pairs; j++) {
        const uint32_t other = all ? h->support_begin[member] + j : support;
        double* block = blocks + 9 * (size_t)h->pair_block[h->pair_begin[i] + j];
        if (f->inverse_mass[h->support_node[other]] == 0) {
            continue;
        }
        if (other != support) {
            system_rows(f, s, h, other, others);
        }
        for (int r = 0; r < count; r++) {
            const double* row = other != support ? others[r] : rows[r];
            for (int v = 0; v < 9; v++) {
                block[v] += forces[r][v / 3] * row[v % 3];
            }
        }
    }
}

/* What is added to the scene at node n, contacts and constraints in reserved places, each with its own part alone: whom
 * they join changes from step to step. Taking that of the others away would leave more than half of it where two meet.
 * Where products carry it to what mapped points follow, these have their own before. */
TAUT_FN void system_changing(const taut_fields* f, const taut_sizes* s, size_t n, double own[6]) {
    for (int i = 0; i < 6; i++) {
        own[i] = 0;
    }
    if (s->touches) {
        add_blocks_contact(&f->kinds[TAUT_CONTACT], 0, false, n, own);
    }
    if (s->rolls) {
        add_blocks_rolling(&f->kinds[TAUT_ROLLING], 0, false, n, own);
    }
#define TAUT_ADD_RESERVED(name, k)                                                                                     \
    if (s->reserved[k] > 0) {                                                                                          \
        add_blocks_##name(&f->kinds[k], s->count[k] - s->reserved[k], s->has_factor_rows[k], n, own);                  \
    }
    TAUT_RESERVED_KINDS(TAUT_ADD_RESERVED)
#undef TAUT_ADD_RESERVED
    for (uint32_t i = s->carries ? f->child_begin[n] : 0; s->carries && i < f->child_split[n]; i++) {
        const uint32_t e = f->child_entry[i];
        add_child_block(f, e, f->changing_block + 6 * (size_t)f->map_child[e], own);
    }
}

/* Products take `own` off again and have all of these constraints beside the matrix. */
TAUT_FN void system_add_changing(const taut_fields* f, const taut_sizes* s, size_t n, double own[6], double* block) {
    double full[3][3];
    system_changing(f, s, n, own);
    sym3_expand(own, full);
    for (int v = 0; v < 9; v++) {
        block[v] += full[v / 3][v % 3];
    }
}

/* The same in the row of node n again, when contacts are found open that were added as if they stuck. */
TAUT_FN void system_renew_changing(const taut_fields* f, const taut_sizes* s, const taut_level* level, size_t n) {
    double* block = level->a_value + 9 * (size_t)level->a_begin[n];
    double full[3][3];
    sym3_expand(f->changing_block + 6 * n, full);
    for (int v = 0; v < 9; v++) {
        block[v] -= full[v / 3][v % 3];
    }
    system_add_changing(f, s, n, f->changing_block + 6 * n, block);
}

/* The mass of node n. */
TAUT_FN void system_add_mass(const taut_fields* f, const taut_sizes* s, size_t n, double* block) {
    for (int c = 0; c < 3; c++) {
        double unit[3] = {0, 0, 0}, mass[3];
        unit[c] = 1;
        node_mass(f, s, n, unit, mass);
        for (int r = 0; r < 3; r++) {
            block[3 * r + c] += mass[r];
        }
    }
}

/* Row n of H; those of fixed nodes are empty. */
TAUT_FN void system_row(const taut_fields* f, const taut_sizes* s, const taut_system* h, const taut_level* level,
                        size_t n) {
    const uint32_t begin = level->a_begin[n], end = level->a_begin[n + 1];
    for (size_t v = 9 * (size_t)begin; v < 9 * (size_t)end; v++) {
        level->a_value[v] = 0;
    }
    if (f->inverse_mass[n] == 0) {
        return;
    }
    for (uint32_t i = h->at_begin[n]; i < h->at_begin[n + 1]; i++) {
        system_add_pairs(f, s, h, i, level->a_value);
    }
    if (is_changing(s) && begin < end) {
        system_add_changing(f, s, n, f->changing_block + 6 * n, level->a_value + 9 * (size_t)begin);
    }
    if (begin < end) {
        system_add_mass(f, s, n, level->a_value + 9 * (size_t)begin);
    }
}

#endif
