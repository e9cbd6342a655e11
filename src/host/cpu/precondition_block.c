/* The block preconditioner: dense inverses of the diagonal blocks of S + E along strong couplings. */
#include "host/cpu/precondition_block.h"

#include "host/explicit_rows.h"

#include <math.h>
#include <omp.h>
#include <string.h>

/* The public limit of block_size; a single constraint with its root rows is smaller. */
#define MAX_BLOCK 256

static taut_kind kind_of(const taut_sizes* s, uint32_t member, size_t* index) {
    int k = 0;
    *index = member;
    while (*index >= s->count[k]) {
        *index -= s->count[k++];
    }
    return (taut_kind)k;
}

/* Rows of one entry (a member at a node), as vectors. */
static uint32_t entry_rows(const taut_plan* plan, uint32_t member, uint32_t slot, double rows[TAUT_MAX_ROWS][3]) {
    size_t c;
    const taut_kind k = kind_of(&plan->sizes, member, &c);
    const taut_kind_fields* f = &plan->fields.kinds[k];
    if (k == TAUT_LINEAR) {
        memset(rows, 0, 3 * sizeof(double));
        rows[0][plan->fields.linear_coordinate[slot] % 3] = plan->fields.linear_weight[slot];
        return 1;
    }
    const taut_kind_shape* shape = &taut_kind_shapes[k];
    const float* stiffness = plan->sizes.roots > 0 && shape->roots > 0 ? f->stiffness + c * shape->stiffness : NULL;
    return explicit_rows(k, f->jacobian + c * shape->jacobian, stiffness, slot, rows);
}

/* matrix += w J J^T of all pairs of entries at one node, entries [begin, end) of the block. */
static void add_node(const taut_plan* plan, uint32_t begin, uint32_t end, size_t size, double* matrix) {
    const taut_fields* f = &plan->fields;
    const double w = f->inverse_mass[f->block_entry_node[begin]];
    for (uint32_t a = begin; w > 0 && a < end; a++) {
        double first[TAUT_MAX_ROWS][3], second[TAUT_MAX_ROWS][3];
        const uint32_t rows = entry_rows(plan, f->block_entry_member[a], f->block_entry_slot[a], first);
        for (uint32_t b = begin; b <= a; b++) {
            const uint32_t columns = entry_rows(plan, f->block_entry_member[b], f->block_entry_slot[b], second);
            for (uint32_t i = 0; i < rows * columns; i++) {
                const double *u = first[i / columns], *v = second[i % columns];
                const double value = w * (u[0] * v[0] + u[1] * v[1] + u[2] * v[2]);
                const size_t row = f->block_entry_local[a] + i / columns, column = f->block_entry_local[b] + i % columns;
                matrix[row * size + column] += value;
                if (a != b) {
                    matrix[column * size + row] += value;
                }
            }
        }
    }
}

/* The compliance blocks, the unit compliance of root rows and the proximal shift. */
static void add_compliance(const taut_plan* plan, size_t block, size_t size, double* matrix) {
    const taut_fields* f = &plan->fields;
    size_t local = 0;
    for (uint32_t i = f->block_member_begin[block]; i < f->block_member_begin[block + 1]; i++) {
        size_t c;
        const taut_kind k = kind_of(&plan->sizes, f->block_member[i], &c);
        const taut_kind_shape* shape = &taut_kind_shapes[k];
        const float* weight = f->kinds[k].weight + c * shape->packed;
        for (size_t r = 0; r < shape->rows; r++) {
            for (size_t j = 0; j <= r; j++, weight++) {
                matrix[(local + r) * size + local + j] += *weight;
                if (j < r) {
                    matrix[(local + j) * size + local + r] += *weight;
                }
            }
        }
        local += shape->rows;
        for (size_t r = 0; plan->sizes.roots > 0 && r < shape->roots; r++, local++) {
            matrix[local * size + local] += 1;
        }
    }
    for (size_t i = 0; i < size; i++) {
        matrix[i * size + i] += f->shift[f->block_unknown[f->block_begin[block] + i]];
    }
}

/* Scales to unit diagonal (kept in `scale`; 0 for empty rows, which become unit rows) so that rounding is relative. */
static void equilibrate(size_t n, double* a, double* scale) {
    for (size_t i = 0; i < n; i++) {
        scale[i] = a[i * n + i] > 1e-30 ? 1 / sqrt(a[i * n + i]) : 0;
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            a[i * n + j] *= scale[i] * scale[j];
        }
        a[i * n + i] = 1;
    }
}

/* Cholesky factor in the lower triangle. A pivot lost to dependent rows is replaced by a small one: the block stays
 * positive definite and only preconditions worse there. */
static void factor(size_t n, double* a) {
    for (size_t j = 0; j < n; j++) {
        for (size_t k = 0; k < j; k++) {
            const double l = a[j * n + k];
            for (size_t i = j; i < n; i++) {
                a[i * n + j] -= a[i * n + k] * l;
            }
        }
        const double pivot = a[j * n + j] > 1e-6 ? a[j * n + j] : 1e-6;
        const double inverse = 1 / sqrt(pivot);
        a[j * n + j] = sqrt(pivot);
        for (size_t i = j + 1; i < n; i++) {
            a[i * n + j] *= inverse;
        }
    }
}

/* inverse = D (L L^T)^-1 D, column by column. */
static void invert(size_t n, const double* l, const double* scale, float* inverse) {
    double y[MAX_BLOCK];
    for (size_t column = 0; column < n; column++) {
        for (size_t i = 0; i < n; i++) {
            double sum = i == column ? 1 : 0;
            for (size_t k = column; k < i; k++) {
                sum -= l[i * n + k] * y[k];
            }
            y[i] = i < column ? 0 : sum / l[i * n + i];
        }
        for (size_t i = n; i-- > column;) {
            double sum = y[i];
            for (size_t k = i + 1; k < n; k++) {
                sum -= l[k * n + i] * y[k];
            }
            y[i] = sum / l[i * n + i];
            inverse[i * n + column] = inverse[column * n + i] = (float)(y[i] * scale[i] * scale[column]);
        }
    }
}

static void refresh_block(const taut_plan* plan, size_t block, double* matrix) {
    const taut_fields* f = &plan->fields;
    const size_t size = f->block_begin[block + 1] - f->block_begin[block];
    double scale[MAX_BLOCK];
    memset(matrix, 0, size * size * sizeof(double));
    uint32_t begin = f->block_entry_begin[block];
    while (begin < f->block_entry_begin[block + 1]) {
        uint32_t end = begin + 1;
        while (end < f->block_entry_begin[block + 1] && f->block_entry_node[end] == f->block_entry_node[begin]) {
            end++;
        }
        add_node(plan, begin, end, size, matrix);
        begin = end;
    }
    add_compliance(plan, block, size, matrix);
    equilibrate(size, matrix, scale);
    factor(size, matrix);
    invert(size, matrix, scale, f->block_inverse + f->block_value_begin[block]);
}

void blocks_refresh(const taut_plan* plan) {
    const taut_sizes* s = &plan->sizes;
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (s->blocks > 16)
    for (size_t block = 0; block < s->blocks; block++) {
        double* scratch = plan->fields.block_scratch + (size_t)omp_get_thread_num() * s->block_scratch;
        refresh_block(plan, block, scratch);
    }
}

void blocks_apply(const taut_plan* plan, const float* r, float* z) {
    const taut_fields* f = &plan->fields;
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (plan->sizes.blocks > 16)
    for (size_t block = 0; block < plan->sizes.blocks; block++) {
        const uint32_t* unknown = f->block_unknown + f->block_begin[block];
        const size_t size = f->block_begin[block + 1] - f->block_begin[block];
        const float* inverse = f->block_inverse + f->block_value_begin[block];
        float sum[MAX_BLOCK] = {0};
        for (size_t j = 0; j < size; j++) {
            const float value = r[unknown[j]];
            for (size_t i = 0; i < size; i++) {
                sum[i] += inverse[j * size + i] * value;
            }
        }
        for (size_t i = 0; i < size; i++) {
            z[unknown[i]] = sum[i];
        }
    }
}
