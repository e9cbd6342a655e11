#define TAUT_REAL float
#include "model.h"

#include "kernels/formulas/kinds.h"
#include "levels_cost.h"

typedef struct shape {
    size_t nodes, rows, factor_rows, product, record, stiffness, weight; /* the last four in bytes */
} shape;

#define SHAPE(kind, enumerator)                                                                                        \
    [enumerator] = {kind##_NODES,                                                                                      \
                    kind##_ROWS,                                                                                       \
                    kind##_FACTOR_ROWS,                                                                                \
                    sizeof(kind##_jacobian) - sizeof(float) * kind##_AUX,                                              \
                    sizeof(float) * TAUT_RECORD(sizeof(kind##_jacobian) / sizeof(float) - kind##_AUX, kind##_ROWS),    \
                    kind##_FACTOR_ROWS > 0 ? sizeof(kind##_stiffness) : 0,                                             \
                    sizeof(float) * TAUT_PACKED(kind##_ROWS)},

static const shape shapes[TAUT_KIND_COUNT] = {TAUT_FORMULA_KINDS(SHAPE)};

size_t model_unknowns(const bench_counts* counts, bool factor_rows) {
    size_t unknowns = 0;
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        unknowns += counts->constraints[k] * (shapes[k].rows + (factor_rows ? shapes[k].factor_rows : 0));
    }
    return unknowns;
}

/* g = P M^-1 P J^T p with values of `value` bytes. */
static double apply_jacobian_transpose_bytes(const bench_counts* counts, bool factor_rows, double value) {
    double bytes = (double)counts->particles * (4 * value + 4);
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        const shape* s = &shapes[k];
        const double values = (double)(s->rows + (factor_rows ? s->factor_rows : 0));
        const double each =
            4 * (double)s->nodes + (double)(s->record + (factor_rows ? s->stiffness : 0)) + value * values;
        bytes += (double)counts->constraints[k] * each;
        bytes += counts->constraints[k] > 0 ? 4 * (double)counts->particles : 0;
    }
    return bytes;
}

/* q = [J; Lh] g + (W + I) p with values of `value` bytes. */
static double apply_jacobian_bytes(const bench_counts* counts, bool factor_rows, double value) {
    double bytes = 0;
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        const shape* s = &shapes[k];
        const bool with_factor_rows = factor_rows && s->factor_rows > 0;
        const double stored = 4 * (double)s->nodes + (double)s->record;
        double each = stored + (value > 4 ? (double)s->weight : 0) + 2 * value * (double)s->rows;
        each += with_factor_rows ? stored + (double)s->stiffness + 2 * value * (double)s->factor_rows : 0;
        bytes += (double)counts->constraints[k] * each;
        bytes += counts->constraints[k] > 0 ? (double)counts->particles * 4 * value * (with_factor_rows ? 2 : 1) : 0;
    }
    return bytes;
}

static double product_bytes(const bench_counts* counts, bool factor_rows) {
    return apply_jacobian_transpose_bytes(counts, factor_rows, sizeof(float)) +
           apply_jacobian_bytes(counts, factor_rows, sizeof(float));
}

static double preconditioner_bytes(const bench_counts* counts, const bench_method* method) {
    const double unknowns = (double)model_unknowns(counts, method->factor_rows);
    switch (method->preconditioner) {
    case TAUT_PRECONDITIONER_NONE:
        return 8 * unknowns;
    case TAUT_PRECONDITIONER_JACOBI:
        return 12 * unknowns;
    case TAUT_PRECONDITIONER_BLOCK:
        return (4.0 * method->block_size + 16) * unknowns;
    case TAUT_PRECONDITIONER_CHEBYSHEV:
        return 24 * unknowns +
               (method->chebyshev_degree - 1.0) * (product_bytes(counts, method->factor_rows) + 32 * unknowns);
    default:
        return 0;
    }
}

static double fused_preconditioner_bytes(const bench_counts* counts, const bench_method* method) {
    const double unknowns = (double)model_unknowns(counts, method->factor_rows);
    switch (method->preconditioner) {
    case TAUT_PRECONDITIONER_BLOCK:
        return (4.0 * method->block_size + 12 + 8) * unknowns;
    case TAUT_PRECONDITIONER_CHEBYSHEV:
        return (20 + 8) * unknowns +
               (method->chebyshev_degree - 1.0) * (product_bytes(counts, method->factor_rows) + 32 * unknowns);
    default:
        return 0; /* folded into the two kernels */
    }
}

static double fused_iteration(const bench_counts* counts, const bench_method* method) {
    const double particles = (double)counts->particles;
    const double node_unknown = method->preconditioner == TAUT_PRECONDITIONER_JACOBI ? 12 : 8;
    const double constraint_unknown = method->preconditioner == TAUT_PRECONDITIONER_NONE ? 28 : 32;
    double bytes = 20 * particles + fused_preconditioner_bytes(counts, method);
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        const shape* s = &shapes[k];
        const size_t unknowns = s->rows + (method->factor_rows ? s->factor_rows : 0);
        const size_t stored = 4 * s->nodes + s->record + (method->factor_rows ? s->stiffness : 0);
        const double each = 2 * (double)stored + (node_unknown + constraint_unknown) * (double)unknowns;
        bytes += (double)counts->constraints[k] * each;
        bytes += counts->constraints[k] > 0 ? (4 + 16) * particles : 0;
    }
    return bytes;
}

double model_iteration(const bench_counts* counts, const bench_method* method) {
    if (method->preconditioner == TAUT_PRECONDITIONER_AUTO ||
        method->preconditioner == TAUT_PRECONDITIONER_MULTILEVEL) {
        return 0;
    }
    if (method->backend == TAUT_BACKEND_CUDA) {
        return fused_iteration(counts, method);
    }
    const double per_unknown = method->preconditioner == TAUT_PRECONDITIONER_JACOBI ? 48 : 56;
    const double vectors = per_unknown * (double)model_unknowns(counts, method->factor_rows);
    return product_bytes(counts, method->factor_rows) + vectors + preconditioner_bytes(counts, method);
}

double model_floor(const bench_counts* counts, bool factor_rows) {
    double bytes = 36 * (double)counts->particles;
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        const shape* s = &shapes[k];
        const size_t unknowns = s->rows + (factor_rows ? s->factor_rows : 0);
        const size_t stored = 4 * s->nodes + s->product + (factor_rows ? s->stiffness : 0);
        bytes += (double)counts->constraints[k] * (double)(2 * stored + s->weight + 32 * unknowns);
        bytes += counts->constraints[k] > 0 ? 4 * (double)counts->particles : 0;
    }
    return bytes;
}

double model_condensed(const bench_counts* counts, bool factor_rows, const taut_hierarchy* levels) {
    const double particles = (double)counts->particles;
    double bytes = (68 + 96) * particles;
    if (levels->count > 0 && levels->whole) { /* blocks and their columns; vectors of neighbours stay in the cache */
        return bytes + (9 * sizeof(double) + 4) * (double)levels->level[0].s.blocks + levels_additive_bytes(levels);
    }
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        const shape* s = &shapes[k];
        const size_t unknowns = s->rows + (factor_rows ? s->factor_rows : 0);
        const size_t stored = s->record + (factor_rows ? s->stiffness : 0);
        bytes += (double)counts->constraints[k] * (double)(8 * s->nodes + 2 * stored + s->weight + 8 * unknowns);
        bytes += counts->constraints[k] > 0 ? (4 + 32) * particles : 0;
    }
    return bytes + levels_additive_bytes(levels);
}

double model_residual(const bench_counts* counts, bool factor_rows) {
    /* r = b - S gam: three float64 vectors and one float32; then its norm and the correction. */
    const double vectors = (28 + 12 + 20) * (double)model_unknowns(counts, factor_rows);
    return apply_jacobian_transpose_bytes(counts, factor_rows, sizeof(double)) +
           apply_jacobian_bytes(counts, factor_rows, sizeof(double)) + vectors;
}
