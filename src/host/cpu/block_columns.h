/* Text of block_cholesky.c and node_cholesky.c: right-looking factors L L^T by blocks, column by column of L, whose
 * diagonal blocks are kept inverted, and solutions with them. The file that includes it has defined
 *
 *     CHOLESKY              the struct, with its plan, order, `diagonal`, `below` and `work`
 *     VALUE, ROWS, STRIDE   of a block: type, rows, and values from one column to the next
 *     ROOT                  square root of a VALUE
 *     column, loose_column  such a column, in a register or anywhere
 *     two_columns           two of them, and LANES_OF_TWO: 0, 1, ... for each value of one
 *     solution_part, loose_solution_part   likewise, in doubles
 *     LEAST_PIVOT           a pivot below this part of its value before is rounding */
#define VALUES (ROWS * STRIDE)

/* Columns that others take together at most, and blocks for which they are read once. */
#define MOST_RUN    8
#define MOST_BLOCKS 4

#define UNROLL _Pragma("GCC unroll 8")

/* The inverse of the lower factor of a block, in its place. By the inverses of pivots: divisions are slow. */
static void factor_diagonal(VALUE* block) {
    VALUE l[ROWS][ROWS], inverse[ROWS][ROWS] = {{0}};
    UNROLL
    for (int j = 0; j < ROWS; j++) {
        VALUE pivot = block[j * STRIDE + j];
        const VALUE least = LEAST_PIVOT * pivot;
        UNROLL
        for (int k = 0; k < j; k++) {
            pivot -= l[j][k] * l[j][k];
        }
        inverse[j][j] = 1 / ROOT(pivot > least ? pivot : least > 0 ? least : 1);
        UNROLL
        for (int i = j + 1; i < ROWS; i++) {
            VALUE sum = block[j * STRIDE + i];
            UNROLL
            for (int k = 0; k < j; k++) {
                sum -= l[i][k] * l[j][k];
            }
            l[i][j] = sum * inverse[j][j];
        }
    }
    UNROLL
    for (int j = 0; j < ROWS; j++) {
        UNROLL
        for (int i = j + 1; i < ROWS; i++) {
            VALUE sum = 0;
            UNROLL
            for (int k = j; k < i; k++) {
                sum -= l[i][k] * inverse[k][j];
            }
            inverse[i][j] = sum * inverse[i][i];
        }
    }
    UNROLL
    for (int j = 0; j < ROWS; j++) {
        UNROLL
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

/* Columns of two blocks in one register. */
TAUT_FN_HOT two_columns join_columns(const VALUE* first, const VALUE* second, int j) {
    return __builtin_shufflevector(get_column(first, j), get_column(second, j), LANES_OF_TWO);
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

#define PRODUCTS             subtract_products
#define VECTOR               column
#define WIDTH                1
#define JOIN(first, last, j) get_column(first, j)
#define UNROLLED             _Pragma("GCC unroll 1") /* more would not fit into registers */
#include "host/cpu/block_products.h"

#define PRODUCTS             subtract_pairs
#define VECTOR               two_columns
#define WIDTH                2
#define JOIN(first, last, j) join_columns(first, last, j)
#define UNROLLED
#include "host/cpu/block_products.h"

TAUT_FN_HOT void subtract_one(const CHOLESKY* f, const uint32_t* begin, size_t run, uint32_t a, uint32_t b, VALUE* to) {
    subtract_products(f, begin, run, a, b, 1, &to);
}

/* How many columns from j on, before `end`, have, each, the next one and its rows as their rows. Others take them
 * together: the same sums in the same order, but these are read and written once. */
static size_t run_from(const block_order* o, size_t j, size_t end) {
    size_t run = 1;
    while (run < MOST_RUN && j + run < end && o->begin[j + run] > o->begin[j + run - 1] &&
           o->row[o->begin[j + run - 1]] == j + run &&
           o->begin[j + run] - o->begin[j + run - 1] == o->begin[j + run + 1] - o->begin[j + run] + 1) {
        run++;
    }
    return run;
}

/* Column `at` of a run that ends before `end`, and what the later ones take from it. */
TAUT_FN_HOT void factor_column(CHOLESKY* f, size_t at, size_t end) {
    const block_order* o = &f->order;
    const uint32_t begin = o->begin[at], count = o->begin[at + 1] - begin;
    factor_diagonal(f->diagonal + VALUES * at);
    for (uint32_t a = 0; a < count; a++) {
        divide_block(f->diagonal + VALUES * at, f->below + VALUES * (size_t)(begin + a));
    }
    for (uint32_t a = 0; at + 1 + a < end; a++) {
        VALUE* to = f->below + VALUES * (size_t)o->begin[at + 1 + a];
        subtract_one(f, &begin, 1, a, a, f->diagonal + VALUES * (at + 1 + a));
        for (uint32_t b = a + 1; b < count; b++) {
            subtract_one(f, &begin, 1, b, a, to + VALUES * (size_t)(b - a - 1));
        }
    }
}

/* `count` blocks below each other, from row b on of the columns of a run. */
TAUT_FN_HOT void subtract_blocks(const CHOLESKY* f, const uint32_t* begin, size_t run, uint32_t a, uint32_t b,
                                 uint32_t count, bool wide, VALUE* const* to) {
    if (wide && count == 4) {
        subtract_pairs(f, begin, run, b, a, 2, to);
    } else if (wide && count > 1) {
        subtract_pairs(f, begin, run, b, a, 1, to);
    } else if (count > 1) {
        subtract_products(f, begin, run, b, a, 2, to);
    }
    if (count % 2 == 1) {
        subtract_one(f, begin, run, b + count - 1, a, to[count - 1]);
    }
}

/* How many rows of a column are before rank `end`. */
static uint32_t rows_before(const block_order* o, size_t j, size_t end) {
    return block_order_row(o, (uint32_t)j, (uint32_t)end) - o->begin[j];
}

/* What columns [from, to) of those after a run take from it: rows of its last column. `wide`: registers have two
 * columns. */
TAUT_FN_HOT void update_from(const CHOLESKY* f, size_t j, size_t run, uint32_t from, uint32_t to, bool wide) {
    const block_order* o = &f->order;
    const size_t last = j + run - 1;
    const uint32_t* row = o->row + o->begin[last];
    const uint32_t count = o->begin[last + 1] - o->begin[last], many = wide ? MOST_BLOCKS : 2;
    uint32_t begin[MOST_RUN]; /* where the rows that they all have begin */
    for (size_t k = 0; k < run; k++) {
        begin[k] = o->begin[j + k] + (uint32_t)(run - 1 - k);
    }
    for (uint32_t a = from; a < to; a++) {
        uint32_t at = o->begin[row[a]];
        subtract_one(f, begin, run, a, a, f->diagonal + VALUES * (size_t)row[a]);
        for (uint32_t b = a + 1; b < count; b += many) {
            VALUE* block[MOST_BLOCKS];
            const uint32_t blocks = count - b < many ? count - b : many;
            for (uint32_t c = 0; c < blocks; c++) {
                while (o->row[at] != row[b + c]) {
                    at++;
                }
                block[c] = f->below + VALUES * (size_t)at;
            }
            subtract_blocks(f, begin, run, a, b, blocks, wide, block);
        }
    }
}

/* ---- the tree ----------------------------------------------------------------------------------------------------
 *
 * Threads take parts of the tree of elimination, then columns above them: what these take from all parts, then, run by
 * run, from each other. */

/* Products for which a loop is worth threads: some ten microseconds of them. */
#define PRODUCTS_ALONE 3000

typedef struct column_loop {
    CHOLESKY* f;
    size_t first, run; /* columns that others take from */
} column_loop;

TAUT_FN_HOT void factor_run(const void* context, size_t first, size_t last, bool wide) {
    const column_loop* l = context;
    (void)wide;
    for (size_t j = first; j < last; j++) {
        factor_column(l->f, j, last);
    }
}

TAUT_FN_HOT void factor_part(CHOLESKY* f, size_t first, size_t end, bool wide) {
    const block_order* o = &f->order;
    for (size_t j = first, run; j < end; j += run) {
        run = run_from(o, j, end);
        factor_run(&(column_loop){.f = f}, j, j + run, wide);
        update_from(f, j, run, 0, rows_before(o, j + run - 1, end), wide);
    }
}

TAUT_FN_HOT void factor_parts(const void* context, size_t first, size_t last, bool wide) {
    const column_loop* l = context;
    const tree_parts* parts = &l->f->order.parts;
    for (size_t i = first; i < last; i++) {
        factor_part(l->f, parts->first[i], parts->end[i], wide);
    }
}

/* What columns [first, last), but those within parts, take from the parts. */
TAUT_FN_HOT void take_parts(const void* context, size_t first, size_t last, bool wide) {
    const column_loop* l = context;
    const block_order* o = &l->f->order;
    for (uint32_t i = 0; i < o->parts.count; i++) {
        const size_t end = o->parts.end[i];
        for (size_t j = o->parts.first[i], run; j < end; j += run) {
            run = run_from(o, j, end);
            const size_t to = j + run - 1;
            if (o->begin[to] < o->begin[to + 1] && o->row[o->begin[to + 1] - 1] >= end && last > end) {
                const size_t from = first < end ? end : first;
                update_from(l->f, j, run, rows_before(o, to, from), rows_before(o, to, last), wide);
            }
        }
    }
}

/* What rows [first, last) of the last column of a run take from it. */
TAUT_FN_HOT void take_run(const void* context, size_t first, size_t last, bool wide) {
    const column_loop* l = context;
    update_from(l->f, l->first, l->run, (uint32_t)first, (uint32_t)last, wide);
}

/* Functions of a loop for each set of registers. */
#define LOOPS_OF_THREE(name)                                                                                           \
    static void name##_narrow(const void* context, uint32_t part, size_t first, size_t last) {                         \
        (void)part;                                                                                                    \
        name(context, first, last, false);                                                                             \
    }                                                                                                                  \
    CPU_WIDE static void name##_wide(const void* context, uint32_t part, size_t first, size_t last) {                  \
        (void)part;                                                                                                    \
        name(context, first, last, false);                                                                             \
    }                                                                                                                  \
    CPU_WIDEST static void name##_widest(const void* context, uint32_t part, size_t first, size_t last) {              \
        (void)part;                                                                                                    \
        name(context, first, last, true);                                                                              \
    }
LOOPS_OF_THREE(factor_run)
LOOPS_OF_THREE(factor_parts)
LOOPS_OF_THREE(take_parts)
LOOPS_OF_THREE(take_run)

/* Columns [first, end), which are above all parts. */
static void factor_above(CHOLESKY* f, size_t first, size_t end) {
    const block_order* o = &f->order;
    for (size_t j = first, run; j < end; j += run) {
        run = run_from(o, j, end);
        const column_loop loop = {f, j, run};
        const size_t last = j + run - 1, rows = o->begin[last + 1] - o->begin[last];
        CPU_CHOOSE_OF_THREE(factor_run)(&loop, 0, j, j + run);
        cpu_for(f->plan, 0, rows, rows * rows * run < 2 * PRODUCTS_ALONE ? rows : 1, CPU_CHOOSE_OF_THREE(take_run),
                &loop);
    }
}

static void factor_all(CHOLESKY* f) {
    const tree_parts* parts = &f->order.parts;
    const column_loop loop = {.f = f};
    cpu_for(f->plan, 0, parts->count, 1, CPU_CHOOSE_OF_THREE(factor_parts), &loop);
    cpu_for(f->plan, 0, f->order.vertices, parts->count > 1 ? 1 : SIZE_MAX, CPU_CHOOSE_OF_THREE(take_parts), &loop);
    for (uint32_t i = 0; i <= parts->count; i++) {
        factor_above(f, tree_gap_first(parts, i), tree_gap_end(parts, i, f->order.vertices));
    }
}

static void clear_range(const void* context, uint32_t part, size_t first, size_t last) {
    const CHOLESKY* f = context;
    const uint32_t* begin = f->order.begin;
    (void)part;
    memset(f->diagonal + VALUES * first, 0, VALUES * (last - first) * sizeof(VALUE));
    memset(f->below + VALUES * (size_t)begin[first], 0, VALUES * (size_t)(begin[last] - begin[first]) * sizeof(VALUE));
}

static void clear_all(CHOLESKY* f) {
    cpu_for(f->plan, 0, f->order.vertices, CPU_PARALLEL_FROM / 4, clear_range, f);
}

/* ---- solutions --------------------------------------------------------------------------------------------------- */

/* A column of a block in doubles. */
TAUT_FN_HOT solution_part get_wide(const VALUE* block, int j) {
    return __builtin_convertvector(get_column(block, j), solution_part);
}

TAUT_FN_HOT loose_solution_part* part_of(const CHOLESKY* f, size_t vertex) {
    return (loose_solution_part*)(f->work + STRIDE * vertex);
}

/* What parts take of rows [from, to) of column j. */
TAUT_FN_HOT void give_rows(const CHOLESKY* f, size_t j, uint32_t from, uint32_t to) {
    const block_order* o = &f->order;
    const solution_part x = *part_of(f, j);
    for (uint32_t a = o->begin[j] + from; a < o->begin[j] + to; a++) {
        loose_solution_part* to_part = part_of(f, o->row[a]);
        solution_part sum = *to_part;
        for (int k = 0; k < ROWS; k++) {
            sum -= x[k] * get_wide(f->below + VALUES * (size_t)a, k);
        }
        *to_part = sum;
    }
}

/* inverse x, and what later parts before `end` take from it */
TAUT_FN_HOT void forward(const CHOLESKY* f, size_t j, size_t end) {
    const solution_part in = *part_of(f, j);
    solution_part x = {0};
    for (int k = 0; k < ROWS; k++) {
        x += in[k] * get_wide(f->diagonal + VALUES * j, k);
    }
    *part_of(f, j) = x;
    give_rows(f, j, 0, rows_before(&f->order, j, end));
}

/* inverse^T (x - what it takes from later parts) */
TAUT_FN_HOT void backward(const CHOLESKY* f, size_t j) {
    const block_order* o = &f->order;
    solution_part taken[ROWS] = {{0}}, x = *part_of(f, j), out = {0};
    for (uint32_t a = o->begin[j]; a < o->begin[j + 1]; a++) {
        const solution_part in = *part_of(f, o->row[a]);
        for (int k = 0; k < ROWS; k++) {
            taken[k] += in * get_wide(f->below + VALUES * (size_t)a, k);
        }
    }
    for (int k = 0; k < ROWS; k++) {
        for (int i = 0; i < ROWS; i++) {
            x[k] -= taken[k][i];
        }
    }
    for (int k = 0; k < ROWS; k++) {
        const solution_part product = x * get_wide(f->diagonal + VALUES * j, k);
        for (int i = k; i < ROWS; i++) {
            out[k] += product[i];
        }
    }
    *part_of(f, j) = out;
}

TAUT_FN_HOT void forward_parts(const void* context, size_t first, size_t last) {
    const CHOLESKY* f = context;
    const tree_parts* parts = &f->order.parts;
    for (size_t i = first; i < last; i++) {
        for (size_t j = parts->first[i]; j < parts->end[i]; j++) {
            forward(f, j, parts->end[i]);
        }
    }
}
CPU_RANGES_OF_THREE(forward_parts)

TAUT_FN_HOT void backward_parts(const void* context, size_t first, size_t last) {
    const CHOLESKY* f = context;
    const tree_parts* parts = &f->order.parts;
    for (size_t i = first; i < last; i++) {
        for (size_t j = parts->end[i]; j-- > parts->first[i];) {
            backward(f, j);
        }
    }
}
CPU_RANGES_OF_THREE(backward_parts)

/* Columns above the parts, between what these give them and what they give these. Returns how many there are in all. */
TAUT_FN_HOT size_t solve_above(const CHOLESKY* f) {
    const block_order* o = &f->order;
    const tree_parts* parts = &o->parts;
    for (uint32_t i = 0; i < parts->count; i++) {
        for (size_t j = parts->first[i]; j < parts->end[i]; j++) {
            give_rows(f, j, rows_before(o, j, parts->end[i]), o->begin[j + 1] - o->begin[j]);
        }
    }
    for (uint32_t i = 0; i <= parts->count; i++) {
        for (size_t j = tree_gap_first(parts, i); j < tree_gap_end(parts, i, o->vertices); j++) {
            forward(f, j, o->vertices);
        }
    }
    for (uint32_t i = parts->count + 1; i-- > 0;) {
        for (size_t j = tree_gap_end(parts, i, o->vertices); j-- > tree_gap_first(parts, i);) {
            backward(f, j);
        }
    }
    return o->vertices;
}

CPU_WITH_AVX2(size_t, solve_work, solve_above, (const CHOLESKY* f), (f))

/* z = H^-1 r */
static void solve_all(CHOLESKY* f, const double* r, double* z) {
    const block_order* o = &f->order;
    memset(f->work, 0, STRIDE * o->vertices * sizeof *f->work);
    for (size_t j = 0; j < o->vertices; j++) {
        memcpy(f->work + STRIDE * j, r + ROWS * (size_t)o->order[j], ROWS * sizeof *r);
    }
    cpu_for(f->plan, 0, o->parts.count, 1, CPU_CHOOSE_OF_THREE(forward_parts), f);
    solve_work(f);
    cpu_for(f->plan, 0, o->parts.count, 1, CPU_CHOOSE_OF_THREE(backward_parts), f);
    for (size_t j = 0; j < o->vertices; j++) {
        memcpy(z + ROWS * (size_t)o->order[j], f->work + STRIDE * j, ROWS * sizeof *z);
    }
}
