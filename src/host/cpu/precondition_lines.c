/* The multilevel preconditioner of the Schur complement: lines, each from end to end. */
#define TAUT_REAL double
#include "kernels/stages/line_elimination.h"

#include "host/cpu/cpu_parallel.h"
#include "host/cpu/cpu_precondition_lines.h"
#include "host/cpu/cpu_registers.h"

#include <string.h>

/* Fewer groups stay on one thread. */
#define PARALLEL_FROM 2048

typedef struct lines_loop {
    const taut_plan* plan;
    const float* r;
    float* z;
} lines_loop;

static void refresh_range(const void* context, uint32_t part, size_t first, size_t last) {
    const lines_loop* l = context;
    double coupling[TAUT_LINE_GROUP * TAUT_LINE_GROUP], scale[TAUT_LINE_GROUP];
    (void)part;
    for (size_t line = first; line < last; line++) {
        line_sweep_refresh(&l->plan->fields, &l->plan->sizes, (uint32_t)line, coupling, scale);
    }
}

/* ---- apply: y_k+1 = r_k+1 - E_k y_k, then z_k = A_k^-1 y_k - E_k^T z_k+1 ---------------------------------------- */

#define FOUR 4 /* unknowns of most groups: a thread's distance and its factor rows */

/* out -= X y, X 4 x 4: by its columns. */
TAUT_FN_HOT void take_four(const double* x, const double* y, double* out) {
    const loose_quad* row = (const loose_quad*)x;
    const quad even = __builtin_shufflevector(row[0], row[1], 0, 4, 2, 6);
    const quad odd = __builtin_shufflevector(row[0], row[1], 1, 5, 3, 7);
    const quad even_below = __builtin_shufflevector(row[2], row[3], 0, 4, 2, 6);
    const quad odd_below = __builtin_shufflevector(row[2], row[3], 1, 5, 3, 7);
    quad sum = *(const loose_quad*)out;
    sum -= __builtin_shufflevector(even, even_below, 0, 1, 4, 5) * y[0];
    sum -= __builtin_shufflevector(odd, odd_below, 0, 1, 4, 5) * y[1];
    sum -= __builtin_shufflevector(even, even_below, 2, 3, 6, 7) * y[2];
    sum -= __builtin_shufflevector(odd, odd_below, 2, 3, 6, 7) * y[3];
    *(loose_quad*)out = sum;
}

/* out += scale X^T y, X 4 x 4. */
TAUT_FN_HOT void add_four(const double* x, const double* y, double scale, double* out) {
    const loose_quad* row = (const loose_quad*)x;
    quad sum = *(const loose_quad*)out;
    for (int k = 0; k < FOUR; k++) {
        sum += row[k] * (scale * y[k]);
    }
    *(loose_quad*)out = sum;
}

/* out = A^-1 y of a group. */
TAUT_FN_HOT void divide_group(size_t size, const double* inverse, const double* y, double* out) {
    memset(out, 0, size * sizeof *out);
    if (size == FOUR) {
        add_four(inverse, y, 1, out);
    } else {
        line_add_columns(inverse, size, size, y, 1, 0, 1, out);
    }
}

/* y of each group, and A^-1 y: values of a line are read once, in their order. */
TAUT_FN_HOT void sweep_down(const taut_fields* f, uint32_t low, uint32_t end, const float* r) {
    size_t before = 0;
    const double* factor = NULL;
    for (uint32_t group = low; group < end; group++) {
        const size_t size = line_size(f, group), begin = f->block_begin[group];
        const double* inverse = line_inverse(f, group);
        double* rest = f->line_rest + begin;
        for (size_t i = 0; i < size; i++) {
            rest[i] = r[f->block_unknown[begin + i]];
        }
        if (size == FOUR && before == FOUR) {
            take_four(factor, rest - FOUR, rest);
        } else {
            line_take_rows(factor, size, before, rest - before, 0, 1, rest);
        }
        divide_group(size, inverse, rest, f->line_solution + begin);
        factor = inverse + size * size;
        before = size;
    }
}

/* z of each group. */
TAUT_FN_HOT void sweep_up(const taut_fields* f, uint32_t low, uint32_t end, float* z) {
    size_t next = 0;
    for (uint32_t group = end; group-- > low;) {
        const size_t size = line_size(f, group);
        const double* factor = line_next_factor(f, group);
        double* solution = f->line_solution + f->block_begin[group];
        if (size == FOUR && next == FOUR) {
            add_four(factor, solution + FOUR, -1, solution);
        } else {
            line_add_columns(factor, next, size, solution + size, -1, 0, 1, solution);
        }
        line_store(f, group, 0, 1, z);
        next = size;
    }
}

TAUT_FN_HOT void apply(const lines_loop* l, size_t first, size_t last) {
    const taut_fields* f = &l->plan->fields;
    for (size_t line = first; line < last; line++) {
        sweep_down(f, f->line_begin[line], f->line_begin[line + 1], l->r);
        sweep_up(f, f->line_begin[line], f->line_begin[line + 1], l->z);
    }
}
CPU_RANGES(apply)

static void over_lines(const lines_loop* loop, cpu_range* range) {
    const taut_sizes* s = &loop->plan->sizes;
    cpu_for(loop->plan, 0, s->lines, s->blocks < PARALLEL_FROM ? s->lines : 0, range, loop);
}

void lines_refresh(const taut_plan* plan) {
    const lines_loop loop = {.plan = plan};
    over_lines(&loop, refresh_range);
}

void lines_apply(const taut_plan* plan, const float* r, float* z) {
    const lines_loop loop = {plan, r, z};
    over_lines(&loop, CPU_CHOOSE(apply));
}
