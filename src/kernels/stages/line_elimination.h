/* The multilevel preconditioner of the Schur complement: exact elimination along lines of groups, level by level.
 *
 * In a line, group k is coupled with k - 1 and k + 1 alone: its part of S + E is block tridiagonal,
 *     A_k on the diagonal, C_kn the coupling of group k (rows) with a group n beside it (columns).
 * Level 0 eliminates groups 0, 2, 4, ... all at once. What is left is again block tridiagonal, a chain half as long, in
 * which level 1 does the same: group k is eliminated on the level of the lowest bit of k + 1. With n one of the two
 * groups k - 2^level and k + 2^level that then stand beside group k:
 *     E_nk  = C_kn^T A_k^-1                            for both n
 *     A_n  -= E_nk C_kn
 *     C_mn  = -E_mk C_kn                               coupling of the two, on the next level
 * so that with y the reduced right-hand side
 *     down   y_n -= E_nk y_k                           level by level
 *     up     z_k  = A_k^-1 y_k - sum_n E_nk^T z_n      back through the levels
 * gives the exact inverse of the line. Levels are log2 of the longest line, and all groups of a level are independent.
 * A processor has few threads, and eliminates each line from end to end: with half of the values and of the products.
 *
 * Everything is in float64: forces that balance along a chain, such as its tension under a load of 1e5 times its mass,
 * are vectors whose curvature is 1e-12 of the largest, and rounded factors lose them.
 *
 * Each group is worked on by `lanes`, of which a function gets the number of one; TAUT_LANES_SYNC lets them see what
 * the others have written. On a device the lanes that refresh a group are a warp; on the host there is one. */
#ifndef TAUT_STAGES_LINE_ELIMINATION_H
#define TAUT_STAGES_LINE_ELIMINATION_H

#include "kernels/stages/block.h"

#ifdef __CUDA_ARCH__
#define TAUT_LANES_SYNC() __syncwarp()
#else
#define TAUT_LANES_SYNC()
#endif

/* A pivot below this part of the diagonal of S is rounding: the unknown depends on those before it, and stays as it is.
 * A chain under 1e5 times its weight has pivots of 1e-9. */
#define TAUT_LINE_PIVOT 1e-13

/* Impulses below this are none; in float32 they would soon be denormal numbers. */
#define TAUT_LINE_NEGLIGIBLE 1e-25

/* Sums that a processor has under way at once. */
#define TAUT_LINE_SUMS 4

typedef struct line_group {
    uint32_t number;
    uint32_t low, high; /* its line: first group, and one past the last */
    uint32_t level;
} line_group;

TAUT_FN line_group line_group_of(const taut_fields* f, uint32_t number) {
    const uint32_t line = f->line_of[number];
    line_group g = {number, f->line_begin[line], f->line_begin[line + 1], 0};
    while (((number - g.low + 1) >> g.level & 1) == 0) {
        g.level++;
    }
    return g;
}

/* The group 2^level before (side 0) or after (side 1) it; false where the line has none. */
TAUT_FN bool line_beside(const line_group* g, uint32_t level, int side, uint32_t* other) {
    const uint32_t step = (uint32_t)1 << level;
    *other = side == 0 ? g->number - step : g->number + step;
    return side == 0 ? g->number - g->low >= step : g->high - g->number > step;
}

TAUT_FN uint32_t line_size(const taut_fields* f, uint32_t group) {
    return f->block_begin[group + 1] - f->block_begin[group];
}

/* The values of a group, row by row: A^-1, E before and after, C before and after. */
TAUT_FN double* line_inverse(const taut_fields* f, uint32_t group) {
    return f->line_value + f->line_value_begin[group];
}

TAUT_FN double* line_factor(const taut_fields* f, const line_group* g, int side) {
    const size_t size = line_size(f, g->number);
    uint32_t before;
    const size_t skipped = side == 1 && line_beside(g, g->level, 0, &before) ? line_size(f, before) : 0;
    return line_inverse(f, g->number) + size * (size + skipped);
}

TAUT_FN double* line_coupling(const taut_fields* f, const line_group* g, int side) {
    const size_t values = f->line_value_begin[g->number + 1] - f->line_value_begin[g->number];
    const size_t size = line_size(f, g->number);
    return line_factor(f, g, side) + (values - size * size) / 2;
}

/* ---- refresh --------------------------------------------------------------------------------------------------- */

/* matrix += J M^-1 J^T of an entry of one group (row) and one of another (column), at the node that they share. */
TAUT_FN void line_add_pair(const taut_fields* f, const taut_sizes* s, uint32_t a, uint32_t b, size_t size, int lane,
                           int lanes, double* matrix) {
    real first[TAUT_MAX_ROWS][3], second[TAUT_MAX_ROWS][3];
    const int rows = block_entry_rows(f, s, f->block_entry_member[a], f->block_entry_slot[a], first);
    const int columns = block_entry_rows(f, s, f->block_entry_member[b], f->block_entry_slot[b], second);
    for (int i = lane; i < rows * columns; i += lanes) {
        const size_t row = f->block_entry_local[a] + (size_t)(i / columns);
        const size_t column = f->block_entry_local[b] + (size_t)(i % columns);
        matrix[row * size + column] +=
            node_product(f, s, f->block_entry_node[a], first[i / columns], second[i % columns]);
    }
    TAUT_LANES_SYNC();
}

/* C of a group with one beside it in the line, from the entries at their common nodes. */
TAUT_FN void line_assemble_coupling(const taut_fields* f, const taut_sizes* s, uint32_t group, uint32_t other, int lane,
                                    int lanes, double* matrix) {
    const size_t size = line_size(f, other);
    uint32_t a = f->block_entry_begin[group], b = f->block_entry_begin[other];
    for (size_t i = (size_t)lane; i < line_size(f, group) * size; i += (size_t)lanes) {
        matrix[i] = 0;
    }
    TAUT_LANES_SYNC();
    while (a < f->block_entry_begin[group + 1] && b < f->block_entry_begin[other + 1]) {
        const uint32_t node = f->block_entry_node[a];
        if (node != f->block_entry_node[b]) {
            *(node < f->block_entry_node[b] ? &a : &b) += 1;
            continue;
        }
        const uint32_t a_end = block_node_end(f, group, a), b_end = block_node_end(f, other, b);
        for (uint32_t i = a; i < a_end && f->line_node[node]; i++) {
            for (uint32_t j = b; j < b_end; j++) {
                line_add_pair(f, s, i, j, size, lane, lanes, matrix);
            }
        }
        a = a_end;
        b = b_end;
    }
}

/* A of a group. */
TAUT_FN void line_assemble_own(const taut_fields* f, const taut_sizes* s, uint32_t group, int lane, int lanes) {
    const size_t size = line_size(f, group);
    double* matrix = line_inverse(f, group);
    for (size_t i = (size_t)lane; i < size * size; i += (size_t)lanes) {
        matrix[i] = 0;
    }
    TAUT_LANES_SYNC();
    uint32_t begin = f->block_entry_begin[group];
    while (begin < f->block_entry_begin[group + 1]) {
        const uint32_t end = block_node_end(f, group, begin);
        for (uint32_t a = begin; a < end; a++) {
            for (uint32_t b = begin; b <= a; b++) {
                block_add_pair(f, s, a, b, size, lane, lanes, matrix);
                TAUT_LANES_SYNC();
            }
        }
        begin = end;
    }
    if (lane == 0) {
        block_add_compliance(f, s, group, size, matrix);
    }
}

/* The same, and on level 0 its couplings. */
TAUT_FN void line_assemble(const taut_fields* f, const taut_sizes* s, uint32_t group, int lane, int lanes) {
    const line_group g = line_group_of(f, group);
    line_assemble_own(f, s, group, lane, lanes);
    for (int side = 0; side < 2 && g.level == 0; side++) {
        uint32_t other;
        if (line_beside(&g, 0, side, &other)) {
            line_assemble_coupling(f, s, group, other, lane, lanes, line_coupling(f, &g, side));
        }
    }
}

/* out = start + scale X Y, with X of `rows` x `inner` and Y of `inner` x `columns`; X(i, k) at x[i * across + k *
 * along]. Entries are for the lanes of a device, rows for a processor's vector registers. */
TAUT_FN void line_product(const double* x, size_t across, size_t along, const double* y, size_t rows, size_t inner,
                          size_t columns, double start, double scale, int lane, int lanes, double* out) {
#ifdef __CUDA_ARCH__
    for (size_t at = (size_t)lane; at < rows * columns; at += (size_t)lanes) {
        const size_t i = at / columns, j = at % columns;
        double sum = 0;
        for (size_t k = 0; k < inner; k++) {
            sum += x[i * across + k * along] * y[k * columns + j];
        }
        out[at] = (start != 0 ? start * out[at] : 0) + scale * sum;
    }
#else
    for (size_t i = (size_t)lane; i < rows; i += (size_t)lanes) {
        double* row = out + i * columns;
        for (size_t j = 0; j < columns && start == 0; j++) {
            row[j] = 0;
        }
        for (size_t k = 0; k < inner; k++) {
            const double factor = scale * x[i * across + k * along];
            for (size_t j = 0; j < columns && factor != 0; j++) {
                row[j] += factor * y[k * columns + j];
            }
        }
    }
#endif
}

/* What the elimination of earlier groups has done to A and C of this one. */
TAUT_FN void line_gather(const taut_fields* f, const line_group* g, int lane, int lanes) {
    const size_t size = line_size(f, g->number);
    for (uint32_t level = 0; level < g->level; level++) {
        for (int side = 0; side < 2; side++) {
            line_group child = {0, g->low, g->high, level};
            uint32_t other;
            if (!line_beside(g, level, side, &child.number)) {
                continue;
            }
            const size_t inner = line_size(f, child.number);
            const double* e = line_factor(f, &child, 1 - side);
            line_product(e, inner, 1, line_coupling(f, &child, 1 - side), size, inner, size, 1, -1, lane, lanes,
                         line_inverse(f, g->number));
            if (level + 1 == g->level && line_beside(g, g->level, side, &other)) {
                line_product(e, inner, 1, line_coupling(f, &child, side), size, inner, line_size(f, other), 0, -1, lane,
                             lanes, line_coupling(f, g, side));
            }
            TAUT_LANES_SYNC();
        }
    }
}

/* A^-1 in place of A by Gauss-Jordan steps, with rows and columns scaled by `scale`, the roots of the diagonal of S:
 *   a_ij -= a_ik a_kj / d,  a_ik = -a_ik / d,  a_kj /= d,  a_kk = 1 / d,   d = a_kk */
TAUT_FN void line_invert(size_t n, const double* scale, int lane, int lanes, double* a) {
    for (size_t i = (size_t)lane; i < n; i += (size_t)lanes) {
        for (size_t j = 0; j < n; j++) {
            a[i * n + j] *= scale[i] * scale[j];
        }
    }
    for (size_t k = 0; k < n; k++) {
        TAUT_LANES_SYNC();
        const double pivot = a[k * n + k] > TAUT_LINE_PIVOT ? 1 / a[k * n + k] : 0;
        for (size_t i = (size_t)lane; i < n; i += (size_t)lanes) {
            const double factor = i != k ? a[i * n + k] * pivot : 0;
            for (size_t j = 0; j < n && factor != 0; j++) {
                a[i * n + j] -= factor * a[k * n + j];
            }
            a[i * n + k] = i != k ? -factor : a[i * n + k];
        }
        TAUT_LANES_SYNC();
        for (size_t j = (size_t)lane; j < n; j += (size_t)lanes) {
            a[k * n + j] = j != k ? a[k * n + j] * pivot : pivot;
        }
    }
    TAUT_LANES_SYNC();
    for (size_t i = (size_t)lane; i < n; i += (size_t)lanes) {
        for (size_t j = 0; j <= i; j++) {
            const double mean = (a[i * n + j] + a[j * n + i]) / 2;
            a[i * n + j] = a[j * n + i] = mean * scale[i] * scale[j];
        }
    }
    TAUT_LANES_SYNC();
}

/* The roots of the diagonal of S for the unknowns of a group, inverted. */
TAUT_FN void line_scale(const taut_fields* f, uint32_t group, int lane, int lanes, double* scale) {
    for (size_t i = (size_t)lane; i < line_size(f, group); i += (size_t)lanes) {
        scale[i] = sqrt((double)f->inverse_shifted[f->block_unknown[f->block_begin[group] + i]]);
    }
}

/* Eliminates a group whose predecessors are; `scale` is scratch for its unknowns that the lanes share. */
TAUT_FN void line_eliminate(const taut_fields* f, uint32_t group, int lane, int lanes, double* scale) {
    const line_group g = line_group_of(f, group);
    const size_t size = line_size(f, group);
    line_scale(f, group, lane, lanes, scale);
    line_gather(f, &g, lane, lanes);
    TAUT_LANES_SYNC();
    line_invert(size, scale, lane, lanes, line_inverse(f, group));
    for (int side = 0; side < 2; side++) {
        uint32_t other;
        if (line_beside(&g, g.level, side, &other)) {
            const size_t rows = line_size(f, other);
            line_product(line_coupling(f, &g, side), 1, rows, line_inverse(f, group), rows, size, size, 0, 1, lane,
                         lanes, line_factor(f, &g, side));
        }
    }
}

/* ---- apply ----------------------------------------------------------------------------------------------------- */

/* out -= X y of `rows` x `inner` in the lanes of a device, or in the registers of a processor: there several sums at
 * once, each in the order of k, so that none waits for another. */
TAUT_FN_HOT void line_take_rows(const double* x, size_t rows, size_t inner, const double* y, int lane, int lanes,
                                double* out) {
#ifndef __CUDA_ARCH__
    if (lanes == 1 && inner > 0) { /* nothing may stand before x then */
        for (; rows >= TAUT_LINE_SUMS; rows -= TAUT_LINE_SUMS, x += TAUT_LINE_SUMS * inner, out += TAUT_LINE_SUMS) {
            double sum[TAUT_LINE_SUMS];
            for (int i = 0; i < TAUT_LINE_SUMS; i++) {
                sum[i] = out[i];
            }
            for (size_t k = 0; k < inner; k++) {
                for (size_t i = 0; i < TAUT_LINE_SUMS; i++) {
                    sum[i] -= x[i * inner + k] * y[k];
                }
            }
            for (int i = 0; i < TAUT_LINE_SUMS; i++) {
                out[i] = sum[i];
            }
        }
    }
#endif
    for (size_t i = (size_t)lane; i < rows; i += (size_t)lanes) {
        double sum = out[i];
        for (size_t k = 0; k < inner; k++) {
            sum -= x[i * inner + k] * y[k];
        }
        out[i] = sum;
    }
}

/* out += scale X^T y of `inner` x `columns`, likewise: by rows of X. */
TAUT_FN_HOT void line_add_columns(const double* x, size_t inner, size_t columns, const double* y, double scale,
                                  int lane, int lanes, double* out) {
#ifdef __CUDA_ARCH__
    for (size_t i = (size_t)lane; i < columns; i += (size_t)lanes) {
        double sum = out[i];
        for (size_t k = 0; k < inner; k++) {
            sum += x[k * columns + i] * (scale * y[k]);
        }
        out[i] = sum;
    }
#else
    for (size_t k = 0; k < inner; k++) {
        const double factor = scale * y[k];
        for (size_t i = (size_t)lane; i < columns; i += (size_t)lanes) {
            out[i] += x[k * columns + i] * factor;
        }
    }
#endif
}

/* y of a group from r, once those of the groups eliminated before it are known. Each lane has rows of its own. */
TAUT_FN void line_down(const taut_fields* f, uint32_t group, const float* r, int lane, int lanes) {
    const line_group g = line_group_of(f, group);
    const size_t size = line_size(f, group), begin = f->block_begin[group];
    double* rest = f->line_rest + begin;
    for (size_t i = (size_t)lane; i < size; i += (size_t)lanes) {
        rest[i] = r[f->block_unknown[begin + i]];
    }
    for (uint32_t level = 0; level < g.level; level++) {
        for (int side = 0; side < 2; side++) {
            line_group child = {0, g.low, g.high, level};
            if (line_beside(&g, level, side, &child.number)) {
                line_take_rows(line_factor(f, &child, 1 - side), size, line_size(f, child.number),
                               f->line_rest + f->block_begin[child.number], lane, lanes, rest);
            }
        }
    }
}

/* z of a group. */
TAUT_FN_HOT void line_store(const taut_fields* f, uint32_t group, int lane, int lanes, float* z) {
    for (size_t i = f->block_begin[group] + (size_t)lane; i < f->block_begin[group + 1]; i += (size_t)lanes) {
        const double value = f->line_solution[i];
        z[f->block_unknown[i]] = fabs(value) < TAUT_LINE_NEGLIGIBLE ? 0 : (float)value;
    }
}

/* Likewise, once those of the groups eliminated after it are known. */
TAUT_FN void line_up(const taut_fields* f, uint32_t group, float* z, int lane, int lanes) {
    const line_group g = line_group_of(f, group);
    const size_t size = line_size(f, group), begin = f->block_begin[group];
    double* solution = f->line_solution + begin;
    for (size_t i = (size_t)lane; i < size; i += (size_t)lanes) {
        solution[i] = 0;
    }
    line_add_columns(line_inverse(f, group), size, size, f->line_rest + begin, 1, lane, lanes, solution);
    for (int side = 0; side < 2; side++) {
        uint32_t other;
        if (line_beside(&g, g.level, side, &other)) {
            line_add_columns(line_factor(f, &g, side), line_size(f, other), size,
                             f->line_solution + f->block_begin[other], -1, lane, lanes, solution);
        }
    }
    line_store(f, group, lane, lanes, z);
}

/* ---- from end to end ------------------------------------------------------------------------------------------- */

/* E of a group and the next one, behind A^-1. */
TAUT_FN double* line_next_factor(const taut_fields* f, uint32_t group) {
    return line_inverse(f, group) + (size_t)line_size(f, group) * line_size(f, group);
}

/* All groups of a line, one after the other: A_k+1 -= E_k C_k. `coupling` and `scale` are scratch for a group. */
TAUT_FN void line_sweep_refresh(const taut_fields* f, const taut_sizes* s, uint32_t line, double* coupling,
                                double* scale) {
    const uint32_t low = f->line_begin[line], end = f->line_begin[line + 1];
    for (uint32_t group = low; group < end; group++) {
        const size_t size = line_size(f, group);
        double* inverse = line_inverse(f, group);
        line_assemble_own(f, s, group, 0, 1);
        if (group > low) {
            const size_t before = line_size(f, group - 1);
            line_product(line_next_factor(f, group - 1), before, 1, coupling, size, before, size, 1, -1, 0, 1, inverse);
        }
        line_scale(f, group, 0, 1, scale);
        line_invert(size, scale, 0, 1, inverse);
        if (group + 1 < end) {
            const size_t next = line_size(f, group + 1);
            line_assemble_coupling(f, s, group, group + 1, 0, 1, coupling);
            line_product(coupling, 1, next, inverse, next, size, size, 0, 1, 0, 1, line_next_factor(f, group));
        }
    }
}

#endif
