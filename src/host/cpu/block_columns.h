/* Text of block_cholesky.c and node_cholesky.c: right-looking factors L L^T by blocks, column by column of L, whose
 * diagonal blocks are kept inverted, and solutions with them. The file that includes it has defined
 *
 *     CHOLESKY              the struct, with its order, `diagonal`, `below` and `work`
 *     VALUE, ROWS, STRIDE   of a block: type, rows, and values from one column to the next
 *     column, loose_column  such a column, in a register or anywhere
 *     LEAST_PIVOT           a pivot below this part of its value before is rounding */
#define VALUES (ROWS * STRIDE)

/* The inverse of the lower factor of a block, in its place. */
static void factor_diagonal(VALUE* block) {
    VALUE l[ROWS][ROWS], inverse[ROWS][ROWS] = {{0}};
    for (int j = 0; j < ROWS; j++) {
        VALUE pivot = block[j * STRIDE + j];
        const VALUE least = LEAST_PIVOT * pivot;
        for (int k = 0; k < j; k++) {
            pivot -= l[j][k] * l[j][k];
        }
        l[j][j] = (VALUE)sqrt(pivot > least ? pivot : least > 0 ? least : 1);
        for (int i = j + 1; i < ROWS; i++) {
            VALUE sum = block[j * STRIDE + i];
            for (int k = 0; k < j; k++) {
                sum -= l[i][k] * l[j][k];
            }
            l[i][j] = sum / l[j][j];
        }
    }
    for (int j = 0; j < ROWS; j++) {
        inverse[j][j] = 1 / l[j][j];
        for (int i = j + 1; i < ROWS; i++) {
            VALUE sum = 0;
            for (int k = j; k < i; k++) {
                sum -= l[i][k] * inverse[k][j];
            }
            inverse[i][j] = sum / l[i][i];
        }
    }
    for (int j = 0; j < ROWS; j++) {
        for (int i = 0; i < STRIDE; i++) {
            block[j * STRIDE + i] = i < ROWS ? inverse[i][j] : 0;
        }
    }
}

TAUT_FN_HOT column get_column(const VALUE* block, int j) {
    return *(const loose_column*)(block + j * STRIDE);
}

TAUT_FN_HOT void set_column(column from, VALUE* block, int j) {
    *(loose_column*)(block + j * STRIDE) = from;
}

/* block = block inverse^T */
TAUT_FN_HOT void divide_block(const VALUE* inverse, VALUE* block) {
    column in[ROWS];
    for (int k = 0; k < ROWS; k++) {
        in[k] = get_column(block, k);
    }
    for (int j = 0; j < ROWS; j++) {
        column sum = inverse[j] * in[0];
        for (int k = 1; k <= j; k++) {
            sum += inverse[k * STRIDE + j] * in[k];
        }
        set_column(sum, block, j);
    }
}

/* c -= a b^T */
TAUT_FN_HOT void subtract_product(const VALUE* a, const VALUE* restrict b, VALUE* restrict c) {
    column in[ROWS];
    for (int k = 0; k < ROWS; k++) {
        in[k] = get_column(a, k);
    }
    for (int j = 0; j < ROWS; j++) {
        column sum = get_column(c, j);
        for (int k = 0; k < ROWS; k++) {
            sum -= b[k * STRIDE + j] * in[k];
        }
        set_column(sum, c, j);
    }
}

/* What column j takes from the columns of its rows. */
TAUT_FN_HOT void update_from(CHOLESKY* f, size_t j) {
    const block_order* o = &f->order;
    for (uint32_t a = o->begin[j]; a < o->begin[j + 1]; a++) {
        const uint32_t other = o->row[a];
        const VALUE* first = f->below + VALUES * (size_t)a;
        uint32_t to = o->begin[other];
        subtract_product(first, first, f->diagonal + VALUES * (size_t)other);
        for (uint32_t b = a + 1; b < o->begin[j + 1]; b++) {
            while (o->row[to] != o->row[b]) {
                to++;
            }
            subtract_product(f->below + VALUES * (size_t)b, first, f->below + VALUES * (size_t)to);
        }
    }
}

/* Returns how many. */
TAUT_FN_HOT size_t factor_columns(CHOLESKY* f) {
    const block_order* o = &f->order;
    for (size_t j = 0; j < o->vertices; j++) {
        factor_diagonal(f->diagonal + VALUES * j);
        for (uint32_t a = o->begin[j]; a < o->begin[j + 1]; a++) {
            divide_block(f->diagonal + VALUES * j, f->below + VALUES * (size_t)a);
        }
        update_from(f, j);
    }
    return o->vertices;
}

/* With AVX a column is one vector. */
CPU_WITH_AVX2(size_t, factor_all, factor_columns, (CHOLESKY * f), (f))

static void clear_all(CHOLESKY* f) {
    const block_order* o = &f->order;
    memset(f->diagonal, 0, VALUES * o->vertices * sizeof(VALUE));
    memset(f->below, 0, VALUES * (size_t)o->begin[o->vertices] * sizeof(VALUE));
}

/* ---- solutions --------------------------------------------------------------------------------------------------- */

/* out += sign block in */
static void add_product(const VALUE* block, double sign, const double* in, double* out) {
    for (int j = 0; j < ROWS; j++) {
        const double w = sign * in[j];
        for (int i = 0; i < ROWS; i++) {
            out[i] += w * block[j * STRIDE + i];
        }
    }
}

/* out += sign block^T in */
static void add_transposed_product(const VALUE* block, double sign, const double* in, double* out) {
    for (int j = 0; j < ROWS; j++) {
        double sum = 0;
        for (int i = 0; i < ROWS; i++) {
            sum += block[j * STRIDE + i] * in[i];
        }
        out[j] += sign * sum;
    }
}

static void forward(const CHOLESKY* f, size_t j) {
    const block_order* o = &f->order;
    double *x = f->work + ROWS * j, solved[ROWS] = {0};
    add_product(f->diagonal + VALUES * j, 1, x, solved);
    memcpy(x, solved, sizeof solved);
    for (uint32_t a = o->begin[j]; a < o->begin[j + 1]; a++) {
        add_product(f->below + VALUES * (size_t)a, -1, x, f->work + ROWS * (size_t)o->row[a]);
    }
}

static void backward(const CHOLESKY* f, size_t j) {
    const block_order* o = &f->order;
    double *x = f->work + ROWS * j, solved[ROWS] = {0};
    for (uint32_t a = o->begin[j]; a < o->begin[j + 1]; a++) {
        add_transposed_product(f->below + VALUES * (size_t)a, -1, f->work + ROWS * (size_t)o->row[a], x);
    }
    add_transposed_product(f->diagonal + VALUES * j, 1, x, solved);
    memcpy(x, solved, sizeof solved);
}

/* z = H^-1 r */
static void solve_all(CHOLESKY* f, const double* r, double* z) {
    const block_order* o = &f->order;
    const size_t bytes = ROWS * sizeof(double);
    for (size_t j = 0; j < o->vertices; j++) {
        memcpy(f->work + ROWS * j, r + ROWS * (size_t)o->order[j], bytes);
    }
    for (size_t j = 0; j < o->vertices; j++) {
        forward(f, j);
    }
    for (size_t j = o->vertices; j-- > 0;) {
        backward(f, j);
    }
    for (size_t j = 0; j < o->vertices; j++) {
        memcpy(z + ROWS * (size_t)o->order[j], f->work + ROWS * j, bytes);
    }
}
