/* The diagonal blocks of S + E that the block preconditioner inverts, assembled per block. */
#ifndef TAUT_STAGES_BLOCK_H
#define TAUT_STAGES_BLOCK_H

#include "kernels/stages/assemble.h"

/* Rows of one entry (a member at a node), as vectors. `slot` is the entry itself for linear rows. */
TAUT_FN int block_entry_rows(const taut_fields* f, const taut_sizes* s, uint32_t member, uint32_t slot,
                             real rows[TAUT_MAX_ROWS][3]) {
    size_t c;
    const int kind = kind_of_given(s, member, &c);
    switch (kind) {
#define TAUT_ENTRY_ROWS(name, k)                                                                                       \
    case k: {                                                                                                          \
        const taut_kind_fields* fields = &f->kinds[k];                                                                 \
        const bool factor_rows = s->has_factor_rows[k] && name##_FACTOR_ROWS > 0;                                      \
        const float* stiffness = factor_rows ? fields->stiffness + c * VALUES(name##_stiffness) : NULL;                \
        return explicit_rows_##name(fields->record + c * taut_record_##name, stiffness, (int)slot, rows);              \
    }
        TAUT_FORMULA_KINDS(TAUT_ENTRY_ROWS)
#undef TAUT_ENTRY_ROWS
    default:
        rows[0][0] = rows[0][1] = rows[0][2] = 0;
        rows[0][f->linear_coordinate[slot] % 3] = f->linear_weight[slot];
        return 1;
    }
}

/* matrix += J W J^T of entries a and b <= a at one node, `lane` of `lanes` that share the work. Pairs of a node write
 * to different places, but for entries of one linear row, whose products of different axes are 0 and are left out. */
TAUT_FN void block_add_pair(const taut_fields* f, const taut_sizes* s, uint32_t a, uint32_t b, size_t size, int lane,
                            int lanes, real* matrix) {
    real first[TAUT_MAX_ROWS][3], second[TAUT_MAX_ROWS][3];
    const int rows = block_entry_rows(f, s, f->block_entry_member[a], f->block_entry_slot[a], first);
    const int columns = block_entry_rows(f, s, f->block_entry_member[b], f->block_entry_slot[b], second);
    for (int i = lane; i < rows * columns; i += lanes) {
        const real value = node_product(f, s, f->block_entry_node[a], first[i / columns], second[i % columns]);
        const size_t row = f->block_entry_local[a] + (size_t)(i / columns);
        const size_t column = f->block_entry_local[b] + (size_t)(i % columns);
        if (value != 0) {
            matrix[row * size + column] += value;
        }
        if (value != 0 && a != b) {
            matrix[column * size + row] += value;
        }
    }
}

/* One past the last entry at the node of entry `begin`. */
TAUT_FN uint32_t block_node_end(const taut_fields* f, size_t block, uint32_t begin) {
    uint32_t end = begin + 1;
    while (end < f->block_entry_begin[block + 1] && f->block_entry_node[end] == f->block_entry_node[begin]) {
        end++;
    }
    return end;
}

/* Adds the compliance block of one member at `local`; returns the number of its rows and factor rows. */
TAUT_FN size_t block_add_member(const taut_fields* f, const taut_sizes* s, size_t rows, size_t factor_rows,
                                size_t packed, uint32_t member, size_t local, size_t size, real* matrix) {
    size_t c;
    const int k = kind_of_given(s, member, &c);
    const float* weight = f->kinds[k].weight + c * packed;
    for (size_t i = 0; i < rows * rows; i++) {
        matrix[(local + i / rows) * size + local + i % rows] += weight[packed_index(i / rows, i % rows)];
    }
    for (size_t r = rows; r < rows + factor_rows; r++) {
        matrix[(local + r) * size + local + r] += 1;
    }
    return rows + factor_rows;
}

/* The compliance blocks, the unit compliance of factor rows and the proximal shift. */
TAUT_FN void block_add_compliance(const taut_fields* f, const taut_sizes* s, size_t block, size_t size, real* matrix) {
    size_t local = 0;
    for (uint32_t i = f->block_member_begin[block]; i < f->block_member_begin[block + 1]; i++) {
        size_t c;
        const uint32_t member = f->block_member[i];
        switch (kind_of_given(s, member, &c)) {
#define TAUT_ADD_MEMBER(name, k)                                                                                       \
    case k:                                                                                                            \
        local += block_add_member(f, s, name##_ROWS, s->has_factor_rows[k] ? name##_FACTOR_ROWS : 0,                   \
                                  TAUT_PACKED(name##_ROWS), member, local, size, matrix);                              \
        break;
            TAUT_FORMULA_KINDS(TAUT_ADD_MEMBER)
#undef TAUT_ADD_MEMBER
        default:
            local += block_add_member(f, s, 1, 0, 1, member, local, size, matrix);
            break;
        }
    }
    for (size_t i = 0; i < size; i++) {
        matrix[i * size + i] += f->shift[f->block_unknown[f->block_begin[block] + i]];
    }
}

/* The whole block, row by row, size x size. */
TAUT_FN void block_assemble(const taut_fields* f, const taut_sizes* s, size_t block, real* matrix) {
    const size_t size = f->block_begin[block + 1] - f->block_begin[block];
    for (size_t i = 0; i < size * size; i++) {
        matrix[i] = 0;
    }
    uint32_t begin = f->block_entry_begin[block];
    while (begin < f->block_entry_begin[block + 1]) {
        const uint32_t end = block_node_end(f, block, begin);
        for (uint32_t a = begin; a < end; a++) {
            for (uint32_t b = begin; b <= a; b++) {
                block_add_pair(f, s, a, b, size, 0, 1, matrix);
            }
        }
        begin = end;
    }
    block_add_compliance(f, s, block, size, matrix);
}

#endif
