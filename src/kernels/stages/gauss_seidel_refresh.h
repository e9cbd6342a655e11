/* What Gauss-Seidel needs of each constraint, for the assembled system. Text for a file with TAUT_REAL double. */
#ifndef TAUT_STAGES_GAUSS_SEIDEL_REFRESH_H
#define TAUT_STAGES_GAUSS_SEIDEL_REFRESH_H

#include "kernels/stages/line_elimination.h"
#include "kernels/stages/precondition.h"
#include "kernels/stages/system.h"

/* matrix = (C/(h l) + shift) (+) I of a block with this many unknowns, `rows` of them rows; `lane` of `lanes` that
 * share the work, as in lines.h. */
TAUT_FN void sweep_weigh(const float* packed, int rows, int size, int lane, int lanes, double* matrix) {
    for (int i = lane; i < size * size; i += lanes) {
        const int r = i / size, c = i % size;
        const bool row = r < rows && c < rows;
        matrix[i] = row ? packed[packed_index((size_t)r, (size_t)c)] : r == c ? 1 : 0;
    }
}

/* The same of a member; it stands beside its Jacobian. */
TAUT_FN void sweep_weigh_member(const taut_fields* f, const taut_sizes* s, uint32_t member, int size, int lane,
                                int lanes, double* matrix) {
    size_t c;
    switch (kind_of_given(s, member, &c)) {
#define TAUT_SWEEP_WEIGH(name, k)                                                                                      \
    case k:                                                                                                            \
        sweep_weigh(f->kinds[k].record + c * (size_t)taut_record_##name + VALUES(name##_jacobian) - name##_AUX,        \
                    name##_ROWS, size, lane, lanes, matrix);                                                           \
        break;
        TAUT_FORMULA_KINDS(TAUT_SWEEP_WEIGH)
#undef TAUT_SWEEP_WEIGH
    default:
        sweep_weigh(f->kinds[TAUT_LINEAR].record + c, 1, size, lane, lanes, matrix);
        break;
    }
}

/* matrix += K P A^-1 P K^T of a support; its rows go to `stored`. */
TAUT_FN void sweep_add_support(const taut_fields* f, const taut_sizes* s, const taut_system* h, uint32_t support,
                               int size, int lane, int lanes, float* stored, double* matrix) {
    double rows[TAUT_MAX_ROWS][3];
    system_rows(f, s, h, support, rows);
    for (int i = lane; i < size * size; i += lanes) {
        const double* row = rows[i % size];
        double motion[3];
        node_inverse(f, s, h->support_node[support], rows[i / size], motion);
        matrix[i] += row[0] * motion[0] + row[1] * motion[1] + row[2] * motion[2];
    }
    for (int i = lane; i < 3 * size; i += lanes) {
        stored[i] = (float)rows[i / 3][i % 3];
    }
}

/* Rows, weights and the inverse of the diagonal block of S + E; what depends on rows before it, there, stays as it is.
 * `matrix` and `scale` are scratch that the lanes share, for TAUT_MAX_ROWS squared and once. */
TAUT_FN void sweep_refresh(const taut_fields* f, const taut_sizes* s, const taut_system* h, size_t block, int lane,
                           int lanes, double* matrix, double* scale) {
    const uint32_t member = f->block_member[block];
    const int size = (int)(f->block_begin[block + 1] - f->block_begin[block]);
    float *stored = f->sweep_row + 3 * f->sweep_begin[block], *weight = f->sweep_weight + f->block_value_begin[block],
          *inverse = f->block_inverse + f->block_value_begin[block];
    sweep_weigh_member(f, s, member, size, lane, lanes, matrix);
    for (int i = lane; i < size * size; i += lanes) {
        weight[i] = (float)matrix[i];
    }
    for (uint32_t i = h->support_begin[member]; i < h->support_begin[member + 1]; i++) {
        sweep_add_support(f, s, h, i, size, lane, lanes, stored, matrix);
        stored += 3 * size;
    }
    TAUT_LANES_SYNC();
    for (int i = lane; i < size; i += lanes) {
        scale[i] = block_scale(matrix[i * size + i]);
    }
    TAUT_LANES_SYNC();
    line_invert((size_t)size, scale, lane, lanes, matrix);
    for (int i = lane; i < size * size; i += lanes) {
        inverse[i] = (float)matrix[i];
    }
}

#endif
