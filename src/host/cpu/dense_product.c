#include "host/cpu/cpu_dense_product.h"
#include "host/cpu/cpu_registers.h"

#include <string.h>

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

/* Four rows at once, whose values stay in registers. Those behind the last row are of the next column: they are put
 * back as they were. */
#define DIVIDE_TEXT                                                                                                    \
    for (size_t i = 0; i < rows; i += 4) {                                                                             \
        const size_t count = rows - i < 4 ? rows - i : 4;                                                              \
        quad now[DENSE_STRIP];                                                                                         \
        for (size_t c = 0; c < columns; c++) {                                                                         \
            now[c] = *(const loose_quad*)(v + c * stride + i);                                                         \
            for (size_t k = 0; k < c; k++) {                                                                           \
                now[c] -= now[k] * l[k * stride + c];                                                                  \
            }                                                                                                          \
        }                                                                                                              \
        for (size_t c = 0; c < columns; c++) {                                                                         \
            const quad out = now[c] * inverse[c];                                                                      \
            memcpy(v + c * stride + i, &out, count * sizeof(double));                                                  \
        }                                                                                                              \
    }

/* What is the same for all registers, as the body of a function for each. */
#define DENSE_BODIES(name, target, quads)                                                                              \
    target static void product_##name(const double* x, size_t stride, size_t rows, const double* y, size_t columns,    \
                                      size_t inner, double* out){                                                      \
        DENSE_TEXT(quads)} target static void divide_##name(double* v, size_t stride, size_t rows, const double* l,    \
                                                            const double* inverse, size_t columns) {                   \
        DIVIDE_TEXT                                                                                                    \
    }

DENSE_BODIES(narrow, , 1)
DENSE_BODIES(wide, CPU_WIDE, 2)

void dense_product(const double* x, size_t stride, size_t rows, const double* y, size_t columns, size_t inner,
                   double* out) {
    CPU_CHOOSE(product)(x, stride, rows, y, columns, inner, out);
}

void dense_divide(double* v, size_t stride, size_t rows, const double* l, const double* pivot, size_t columns) {
    double inverse[DENSE_STRIP];
    for (size_t c = 0; c < columns; c++) {
        inverse[c] = 1 / pivot[c];
    }
    CPU_CHOOSE(divide)(v, stride, rows, l, inverse, columns);
}
