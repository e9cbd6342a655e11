/* Text of block_columns.h: products of blocks, with registers of WIDTH columns. The file that includes it has defined
 *
 *     PRODUCTS             the name of the function
 *     VECTOR               WIDTH columns
 *     JOIN(first, last, j) columns j of WIDTH blocks, the first and the last of which are told
 *     UNROLLED             how far its loop over columns of a block is, as a pragma or nothing */

/* to[m] -= sum of a_k b_k^T over the columns of a run, for WIDTH `count` blocks a, each behind the other: b is read
 * once for all. a_k and b_k are the blocks `a + m` and `b` behind begin[k]. */
TAUT_FN_HOT void PRODUCTS(const CHOLESKY* f, const uint32_t* begin, size_t run, uint32_t a, uint32_t b, int count,
                          VALUE* const* to) {
    VECTOR sum[MOST_BLOCKS / 2][ROWS];
    for (int m = 0; m < count; m++) {
        for (int i = 0; i < ROWS; i++) {
            sum[m][i] = JOIN(to[WIDTH * m], to[WIDTH * m + WIDTH - 1], i);
        }
    }
    for (size_t k = 0; k < run; k++) {
        const VALUE* first = f->below + VALUES * (size_t)(begin[k] + a);
        const VALUE* second = f->below + VALUES * (size_t)(begin[k] + b);
        UNROLLED
        for (int l = 0; l < ROWS; l++) {
            for (int m = 0; m < count; m++) {
                const VALUE* blocks = first + WIDTH * m * VALUES;
                const VECTOR in = JOIN(blocks, blocks + (WIDTH - 1) * VALUES, l);
                for (int i = 0; i < ROWS; i++) {
                    sum[m][i] -= second[l * STRIDE + i] * in;
                }
            }
        }
    }
    for (int m = 0; m < count; m++) {
        for (int i = 0; i < ROWS; i++) {
            column own[WIDTH];
            memcpy(own, &sum[m][i], sizeof own);
            for (int n = 0; n < WIDTH; n++) {
                set_column(own[n], to[WIDTH * m + n], i);
            }
        }
    }
}

#undef PRODUCTS
#undef VECTOR
#undef WIDTH
#undef JOIN
#undef UNROLLED
