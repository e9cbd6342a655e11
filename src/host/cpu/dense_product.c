#include "host/cpu/cpu_dense_product.h"

#include <string.h>

/* Four doubles: one register, or as many as it takes; and four that lie anywhere. */
typedef double quad __attribute__((vector_size(32)));
typedef double loose_quad __attribute__((vector_size(32), aligned(8), may_alias));

/* `quads` of rows at once, of four columns. */
#define DENSE_TILE(quads)                                                                                              \
    for (size_t i = 0; i < rows; i += 4 * (quads)) {                                                                   \
        quad sum[DENSE_COLUMNS][quads] = {{{0}}};                                                                      \
        for (size_t k = 0; k < inner; k++) {                                                                           \
            for (int q = 0; q < (quads); q++) {                                                                        \
                const quad a = *(const loose_quad*)(x + k * stride + i + 4 * (size_t)q);                               \
                for (int c = 0; c < DENSE_COLUMNS; c++) {                                                              \
                    sum[c][q] += a * y[k * width + j + (size_t)c];                                                     \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
        for (size_t c = 0; c < DENSE_COLUMNS; c++) {                                                                   \
            memcpy(out + (j + c) * height + i, sum[c], sizeof sum[c]);                                                 \
        }                                                                                                              \
    }

#define DENSE_TEXT(quads)                                                                                              \
    const size_t height = dense_round(rows, DENSE_ROWS), width = dense_round(columns, DENSE_COLUMNS);                  \
    for (size_t j = 0; j < columns; j += DENSE_COLUMNS) {                                                              \
        DENSE_TILE(quads)                                                                                              \
    }

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void product_wide(const double* x, size_t stride, size_t rows, const double* y,
                                                         size_t columns, size_t inner, double* out) {
    DENSE_TEXT(2)
}

static int has_wide(void) {
    return __builtin_cpu_supports("avx2");
}
#endif

static void product_narrow(const double* x, size_t stride, size_t rows, const double* y, size_t columns, size_t inner,
                           double* out) {
    DENSE_TEXT(1)
}

void dense_product(const double* x, size_t stride, size_t rows, const double* y, size_t columns, size_t inner,
                   double* out) {
#if defined(__x86_64__)
    if (has_wide()) {
        product_wide(x, stride, rows, y, columns, inner, out);
        return;
    }
#endif
    product_narrow(x, stride, rows, y, columns, inner, out);
}
