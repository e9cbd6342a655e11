#include "host/cpu/cpu_dense_product.h"
#include "host/cpu/cpu_registers.h"

#include "base/small_math.h"

#include <string.h>

/* Four rows of a column, from row i on, as long as there are any. */
TAUT_FN_HOT void subtract(quad sum, size_t i, size_t rows, const uint32_t* place, double* column) {
    if (i + 4 <= rows && place[i + 3] - place[i] == 3) {
        *(loose_quad*)(column + place[i]) -= sum;
        return;
    }
    for (size_t r = 0; r < 4 && i + r < rows; r++) {
        column[place[i + r]] -= sum[r];
    }
}

/* Rows [i, i + 4 quads) of four columns, whose sums stay in registers. */
TAUT_FN_HOT void product_tile(const double* x, size_t stride, size_t rows, const double* y, size_t width, size_t inner,
                              size_t i, size_t j, size_t columns, int quads, const dense_target* to) {
    quad sum[DENSE_COLUMNS][DENSE_ROWS / 4];
    for (int v = 0; v < DENSE_COLUMNS * DENSE_ROWS / 4; v++) {
        sum[v % DENSE_COLUMNS][v / DENSE_COLUMNS] = (quad){0};
    }
    for (size_t k = 0; k < inner; k++) {
        for (int q = 0; q < quads; q++) {
            const quad a = *(const loose_quad*)(x + k * stride + i + 4 * (size_t)q);
            for (int c = 0; c < DENSE_COLUMNS; c++) {
                sum[c][q] += a * y[k * width + j + (size_t)c];
            }
        }
    }
#pragma GCC unroll 4
    for (int c = 0; c < DENSE_COLUMNS; c++) {
        for (int q = 0; q < quads && j + (size_t)c < columns; q++) {
            subtract(sum[c][q], i + 4 * (size_t)q, rows, to->place, to->value + to->place[j + (size_t)c] * to->stride);
        }
    }
}

/* From about the diagonal on. */
TAUT_FN_HOT void product_text(const double* x, size_t stride, size_t rows, const double* y, size_t columns,
                              size_t inner, int quads, const dense_target* to) {
    const size_t width = dense_round(columns, DENSE_COLUMNS), height = 4 * (size_t)quads;
    for (size_t j = 0; j < columns; j += DENSE_COLUMNS) {
        for (size_t i = j / height * height; i < rows; i += height) {
            product_tile(x, stride, rows, y, width, inner, i, j, columns, quads, to);
        }
    }
}

/* Four rows at once, whose values stay in registers. Those behind the last row are of the next column: they are put
 * back as they were. */
TAUT_FN_HOT void divide_columns(double* v, size_t stride, size_t rows, const double* l, const double* inverse,
                                size_t columns) {
    for (size_t i = 0; i < rows; i += 4) {
        const size_t count = rows - i < 4 ? rows - i : 4;
        quad now[DENSE_STRIP] = {{0}};
#pragma GCC unroll 12
        for (size_t c = 0; c < columns; c++) {
            now[c] = *(const loose_quad*)(v + c * stride + i);
#pragma GCC unroll 12
            for (size_t k = 0; k < c; k++) {
                now[c] -= now[k] * l[k * stride + c];
            }
        }
#pragma GCC unroll 12
        for (size_t c = 0; c < columns; c++) {
            const quad out = now[c] * inverse[c];
            if (count == 4) {
                *(loose_quad*)(v + c * stride + i) = out;
            } else {
                memcpy(v + c * stride + i, &out, count * sizeof(double));
            }
        }
    }
}

/* Columns are those of whole nodes, in most cases. */
TAUT_FN_HOT void divide_text(double* v, size_t stride, size_t rows, const double* l, const double* inverse,
                             size_t columns) {
    switch (columns) {
    case 3:
        divide_columns(v, stride, rows, l, inverse, 3);
        break;
    case 6:
        divide_columns(v, stride, rows, l, inverse, 6);
        break;
    case 9:
        divide_columns(v, stride, rows, l, inverse, 9);
        break;
    case DENSE_STRIP:
        divide_columns(v, stride, rows, l, inverse, DENSE_STRIP);
        break;
    default:
        divide_columns(v, stride, rows, l, inverse, columns);
        break;
    }
}

/* What is the same for all registers, as a function for each. */
#define DENSE_FUNCTIONS(name, target, quads)                                                                           \
    target static void product_##name(const double* x, size_t stride, size_t rows, const double* y, size_t columns,    \
                                      size_t inner, const dense_target* to) {                                          \
        product_text(x, stride, rows, y, columns, inner, (quads), to);                                                 \
    }                                                                                                                  \
    target static void divide_##name(double* v, size_t stride, size_t rows, const double* l, const double* inverse,    \
                                     size_t columns) {                                                                 \
        divide_text(v, stride, rows, l, inverse, columns);                                                             \
    }
DENSE_FUNCTIONS(narrow, , 1)
DENSE_FUNCTIONS(wide, CPU_WIDE, 2)

void dense_product(const double* x, size_t stride, size_t rows, const double* y, size_t columns, size_t inner,
                   const dense_target* to) {
    CPU_CHOOSE(product)(x, stride, rows, y, columns, inner, to);
}

void dense_divide(double* v, size_t stride, size_t rows, const double* l, const double* pivot, size_t columns) {
    double inverse[DENSE_STRIP];
    for (size_t c = 0; c < columns; c++) {
        inverse[c] = 1 / pivot[c];
    }
    CPU_CHOOSE(divide)(v, stride, rows, l, inverse, columns);
}
