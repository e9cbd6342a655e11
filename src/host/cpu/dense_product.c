#include "host/cpu/cpu_dense_product.h"
#include "host/cpu/cpu_registers.h"

#include "base/small_math.h"

#include <string.h>

#define VECTOR       quad
#define LOOSE_VECTOR loose_quad
#define LANES        4
#define TILES(name)  name##_by_fours
#include "host/cpu/dense_tiles.h"

#define VECTOR       eight
#define LOOSE_VECTOR loose_eight
#define LANES        8
#define TILES(name)  name##_by_eights
#include "host/cpu/dense_tiles.h"

/* At most four values. */
TAUT_FN_HOT quad get_rows(const double* from, size_t count) {
    quad out = {0};
    if (count == 4) {
        return *(const loose_quad*)from;
    }
    memcpy(&out, from, count * sizeof(double));
    return out;
}

/* Four rows at once, whose values stay in registers. Those behind the last row are not touched: they are of the next
 * column, or of another thread. */
TAUT_FN_HOT void divide_columns(double* v, size_t stride, size_t rows, const double* l, const double* inverse,
                                size_t columns) {
    for (size_t i = 0; i < rows; i += 4) {
        const size_t count = rows - i < 4 ? rows - i : 4;
        quad now[DENSE_STRIP] = {{0}};
#pragma GCC unroll 12
        for (size_t c = 0; c < columns; c++) {
            now[c] = get_rows(v + c * stride + i, count);
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

/* A function for each set of registers: so many rows and columns of sums fit into them. */
#define DENSE_FUNCTIONS(name, target, tiles, parts, columns_at_once)                                                   \
    target static void product_##name(const double* x, size_t stride, size_t rows, const double* y, size_t columns,    \
                                      size_t inner, const dense_target* to) {                                          \
        product_##tiles(x, stride, rows, y, columns, inner, (parts), (columns_at_once), to);                           \
    }                                                                                                                  \
    target static void divide_##name(double* v, size_t stride, size_t rows, const double* l, const double* inverse,    \
                                     size_t columns) {                                                                 \
        divide_text(v, stride, rows, l, inverse, columns);                                                             \
    }
DENSE_FUNCTIONS(narrow, , by_fours, 1, 4)
DENSE_FUNCTIONS(wide, CPU_WIDE, by_fours, 2, 4)
DENSE_FUNCTIONS(widest, CPU_WIDEST, by_eights, 1, 8)

void dense_product(const double* x, size_t stride, size_t rows, const double* y, size_t columns, size_t inner,
                   const dense_target* to) {
    CPU_CHOOSE_OF_THREE(product)(x, stride, rows, y, columns, inner, to);
}

void dense_divide(double* v, size_t stride, size_t rows, const double* l, const double* pivot, size_t columns) {
    double inverse[DENSE_STRIP];
    for (size_t c = 0; c < columns; c++) {
        inverse[c] = 1 / pivot[c];
    }
    CPU_CHOOSE_OF_THREE(divide)(v, stride, rows, l, inverse, columns);
}
