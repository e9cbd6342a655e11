/* The block preconditioner: dense inverses of the diagonal blocks of S + E along strong couplings. */
#define TAUT_REAL double
#include "kernels/stages/block.h"

#include "host/cpu/precondition_block.h"

#include <omp.h>

/* The public limit of block_size; a single constraint with its root rows is smaller. */
#define MAX_BLOCK 256

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
    block_assemble(f, &plan->sizes, block, matrix);
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
