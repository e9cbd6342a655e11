/* The block preconditioner: dense inverses of the diagonal blocks of S + E along strong couplings. */
#define TAUT_REAL double
#include "kernels/stages/block.h"
#include "kernels/stages/precondition.h"

#include "host/cpu/cpu_parallel.h"
#include "host/cpu/cpu_precondition_block.h"

/* Scales to unit diagonal, so that rounding is relative; keeps the factors in `scale`. */
static void equilibrate(size_t n, double* a, double* scale) {
    for (size_t i = 0; i < n; i++) {
        scale[i] = block_scale(a[i * n + i]);
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            a[i * n + j] *= scale[i] * scale[j];
        }
        a[i * n + i] = 1;
    }
}

/* Minus the inverse in place of the lower triangle, by one sweep per pivot d = a_kk:
 *   a_ij -= a_ik a_kj / d,  a_ik /= d,  a_kk = -1/d
 * Half the work of a factor and its columns, along rows, and the zeros of a block's band are passed over. */
static void sweep(size_t n, double* a) {
    double row[TAUT_MAX_BLOCK];
    for (size_t k = 0; k < n; k++) {
        const double inverse = 1 / block_pivot(a[k * n + k]);
        for (size_t j = 0; j < n; j++) {
            row[j] = j < k ? a[k * n + j] : a[j * n + k];
        }
        row[k] = 0;
        for (size_t i = 0; i < n; i++) {
            const double l = row[i] * inverse;
            for (size_t j = 0; l != 0 && j <= i; j++) {
                a[i * n + j] -= l * row[j];
            }
            a[i > k ? i * n + k : k * n + i] = l;
        }
        a[k * n + k] = -inverse;
    }
}

static void store_inverse(size_t n, const double* swept, const double* scale, float* inverse) {
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) {
            inverse[i * n + j] = inverse[j * n + i] = block_unscale(n, swept, scale, i, j);
        }
    }
}

static void refresh_block(const taut_plan* plan, size_t block, double* matrix) {
    const taut_fields* f = &plan->fields;
    const size_t size = f->block_begin[block + 1] - f->block_begin[block];
    double scale[TAUT_MAX_BLOCK];
    block_assemble(f, &plan->sizes, block, matrix);
    equilibrate(size, matrix, scale);
    sweep(size, matrix);
    store_inverse(size, matrix, scale, f->block_inverse + f->block_value_begin[block]);
}

/* Fewer blocks stay on one thread. */
#define PARALLEL_FROM 16

static void refresh_range(const void* context, uint32_t part, size_t first, size_t last) {
    const taut_plan* plan = context;
    double* scratch = plan->fields.block_scratch + part * plan->sizes.largest_block;
    for (size_t block = first; block < last; block++) {
        refresh_block(plan, block, scratch);
    }
}

void blocks_refresh(const taut_plan* plan) {
    cpu_for_each_thread(plan, plan->sizes.blocks, PARALLEL_FROM, refresh_range, plan);
}

typedef struct blocks_loop {
    const taut_fields* f;
    const float* r;
    float* z;
} blocks_loop;

static void apply_range(const void* context, uint32_t part, size_t first, size_t last) {
    const blocks_loop* l = context;
    const taut_fields* f = l->f;
    (void)part;
    for (size_t block = first; block < last; block++) {
        const uint32_t* unknown = f->block_unknown + f->block_begin[block];
        const size_t size = f->block_begin[block + 1] - f->block_begin[block];
        const float* inverse = f->block_inverse + f->block_value_begin[block];
        float sum[TAUT_MAX_BLOCK] = {0};
        for (size_t j = 0; j < size; j++) {
            const float value = l->r[unknown[j]];
            for (size_t i = 0; i < size; i++) {
                sum[i] += inverse[j * size + i] * value;
            }
        }
        for (size_t i = 0; i < size; i++) {
            l->z[unknown[i]] = sum[i];
        }
    }
}

void blocks_apply(const taut_plan* plan, const float* r, float* z) {
    const blocks_loop loop = {&plan->fields, r, z};
    cpu_for_each_thread(plan, plan->sizes.blocks, PARALLEL_FROM, apply_range, &loop);
}
