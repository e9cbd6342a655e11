/* Text of dense_product.c: X Y by tiles whose sums stay in registers. The file that includes it has defined
 *
 *     VECTOR, LOOSE_VECTOR   LANES doubles, in a register or anywhere
 *     TILES(name)            the names of these functions */

/* Rows of a column, from row i on, as long as there are any. */
TAUT_FN_HOT void TILES(subtract)(VECTOR sum, size_t i, size_t rows, const uint32_t* place, double* column) {
    if (i + LANES <= rows && place[i + LANES - 1] - place[i] == LANES - 1) {
        *(LOOSE_VECTOR*)(column + place[i]) -= sum;
        return;
    }
    for (size_t r = 0; r < LANES && i + r < rows; r++) {
        column[place[i + r]] -= sum[r];
    }
}

/* `parts` vectors of rows, from row i on, of `count` columns. */
TAUT_FN_HOT void TILES(tile)(const double* x, size_t stride, size_t rows, const double* y, size_t width, size_t inner,
                             size_t i, size_t j, size_t columns, int parts, int count, const dense_target* to) {
    VECTOR sum[DENSE_ROWS][DENSE_ROWS / LANES];
    for (int c = 0; c < count; c++) {
        for (int q = 0; q < parts; q++) {
            sum[c][q] = (VECTOR){0};
        }
    }
    for (size_t k = 0; k < inner; k++) {
        for (int q = 0; q < parts; q++) {
            const VECTOR a = *(const LOOSE_VECTOR*)(x + k * stride + i + LANES * (size_t)q);
            for (int c = 0; c < count; c++) {
                sum[c][q] += a * y[k * width + j + (size_t)c];
            }
        }
    }
#pragma GCC unroll 8
    for (int c = 0; c < count; c++) {
        for (int q = 0; q < parts && j + (size_t)c < columns; q++) {
            double* column = to->value + to->column[j + (size_t)c] * to->stride;
            TILES(subtract)(sum[c][q], i + LANES * (size_t)q, rows, to->row, column);
        }
    }
}

/* Columns [j, j + count), from about the diagonal on. */
TAUT_FN_HOT void TILES(columns)(const double* x, size_t stride, size_t rows, const double* y, size_t columns,
                                size_t inner, size_t j, int parts, int count, const dense_target* to) {
    const size_t width = dense_round(columns, DENSE_COLUMNS), height = LANES * (size_t)parts;
    for (size_t i = j > to->first ? (j - to->first) / height * height : 0; i < rows; i += height) {
        TILES(tile)(x, stride, rows, y, width, inner, i, j, columns, parts, count, to);
    }
}

TAUT_FN_HOT void TILES(product)(const double* x, size_t stride, size_t rows, const double* y, size_t columns,
                                size_t inner, int parts, int count, const dense_target* to) {
    size_t j = 0;
    for (; j + (size_t)count <= columns; j += (size_t)count) {
        TILES(columns)(x, stride, rows, y, columns, inner, j, parts, count, to);
    }
    for (; j < columns; j += DENSE_COLUMNS) {
        TILES(columns)(x, stride, rows, y, columns, inner, j, parts, DENSE_COLUMNS, to);
    }
}

#undef VECTOR
#undef LOOSE_VECTOR
#undef LANES
#undef TILES
