/* Products with the condensed matrix, in float32. */
#define TAUT_REAL float
#include "kernels/stages/condensed_product.h"

#include "host/cpu/cpu_apply.h"
#include "host/cpu/cpu_condensed.h"
#include "host/cpu/cpu_registers.h"

#include <string.h>

typedef struct product_loop {
    const taut_plan* plan;
    const float* p;
    float* q;
} product_loop;

#define CONDUCT_ALL(name, k)                                                                                           \
    static void conduct_range_##name(const void* context, uint32_t part, size_t first, size_t last) {                  \
        const product_loop* l = context;                                                                               \
        const taut_sizes* s = &l->plan->sizes;                                                                         \
        const taut_kind_fields* kind = &l->plan->fields.kinds[k];                                                      \
        const float* p = l->p;                                                                                         \
        float* factor_rows = s->has_factor_rows[k] ? l->q + s->first_factor_row[k] : NULL;                             \
        float* rows = l->q + s->first_row[k];                                                                          \
        const size_t count = s->count[k];                                                                              \
        (void)part;                                                                                                    \
        for (size_t c = first; c < last; c++) {                                                                        \
            float moved[name##_NODES][3];                                                                              \
            if (k == (int)TAUT_CONTACT && !condense_conducts(kind, c)) {                                               \
                memset(rows + name##_ROWS * c, 0, name##_ROWS * sizeof *rows);                                         \
                continue;                                                                                              \
            }                                                                                                          \
            gather(p, 4, kind->nodes + c * name##_NODES, name##_NODES, moved);                                         \
            conduct_##name(kind, kind->record + c * taut_record_##name, count, c, moved, rows, factor_rows);           \
        }                                                                                                              \
    }
TAUT_FORMULA_KINDS(CONDUCT_ALL)

static void conduct_range_linear(const void* context, uint32_t part, size_t first, size_t last) {
    const product_loop* l = context;
    (void)part;
    for (size_t c = first; c < last; c++) {
        conduct_linear(&l->plan->fields, c, l->p, l->q + l->plan->sizes.first_row[TAUT_LINEAR]);
    }
}

static void close_range(const void* context, uint32_t part, size_t first, size_t last) {
    const product_loop* l = context;
    (void)part;
    for (size_t n = first; n < last; n++) {
        condense_close(&l->plan->fields, &l->plan->sizes, n, l->p, l->q, l->q);
    }
}

/* sum = H p at node n. Each register has a row of a block, and one value more that goes by. */
TAUT_FN_HOT void multiply_row(const taut_level* level, size_t n, const float* p, double sum[3]) {
    quad row[3] = {{0}};
    for (uint32_t k = level->a_begin[n]; k < level->a_begin[n + 1]; k++) {
        const double* a = level->a_value + 9 * (size_t)k;
        const quad from = CPU_QUAD(p + 4 * (size_t)level->a_column[k]);
        for (int r = 0; r < 3; r++) {
            row[r] += *(const loose_quad*)(a + 3 * r) * from;
        }
    }
    for (int r = 0; r < 3; r++) {
        sum[r] = row[r][0] + row[r][1] + row[r][2];
    }
}

TAUT_FN_HOT void multiply_rows(const product_loop* l, size_t first, size_t last) {
    const taut_plan* plan = l->plan;
    const taut_level* level = plan->hierarchy.level;
    const float* y = is_changing(&plan->sizes) ? plan->fields.q : NULL;
    for (size_t n = first; n < last; n++) {
        double sum[3];
        multiply_row(level, n, l->p, sum);
        condense_product_close(&plan->fields, &plan->sizes, level, n, l->p, y, sum, l->q);
    }
}
CPU_RANGES(multiply_rows)

typedef struct lasting_loop {
    const taut_plan* plan;
    const float* p;
    double* out;
} lasting_loop;

TAUT_FN_HOT void multiply_lasting(const lasting_loop* l, size_t first, size_t last) {
    for (size_t n = first; n < last; n++) {
        const double* own = l->plan->fields.changing_block + 6 * n;
        const float* x = l->p + 4 * n;
        double* out = l->out + 4 * n;
        multiply_row(l->plan->hierarchy.level, n, l->p, out);
        for (int r = 0; r < 3; r++) {
            const int a = (r + 1) % 3, b = (r + 2) % 3;
            out[r] -= own[r] * x[r] + own[3 + b] * x[a] + own[3 + a] * x[b];
        }
    }
}
CPU_RANGES(multiply_lasting)

void condense_multiply_lasting(const taut_plan* plan, const float* p, double* out) {
    const lasting_loop loop = {plan, p, out};
    cpu_for(plan, 0, plan->sizes.nodes, CPU_PARALLEL_FROM, CPU_CHOOSE(multiply_lasting), &loop);
}

/* Forces at mapped points of what comes and goes. */
static void carry_range(const void* context, uint32_t part, size_t first, size_t last) {
    const product_loop* l = context;
    (void)part;
    for (size_t n = first; n < last; n++) {
        float force[3];
        carry_changing_transpose(&l->plan->fields, &l->plan->sizes, n, l->plan->fields.q, l->q, force);
        for (size_t a = 0; a < 4; a++) {
            l->q[4 * n + a] = a < 3 ? force[a] : 0;
        }
    }
}

/* By the matrix of level 0, with what comes and goes beside it. */
static void multiply_assembled(const taut_plan* plan, float* p, float* q) {
    const taut_sizes* s = &plan->sizes;
    const product_loop rows = {plan, p, plan->fields.q}, nodes = {plan, p, q};
    const size_t mapped = s->points - s->simple;
    cpu_spread_f32(plan, cpu_carried_levels(s), p, 4);
#define CONDUCT_CHANGING(name, k)                                                                                      \
    cpu_for(plan, first_changing(s, k), s->count[k], CPU_PARALLEL_FROM, conduct_range_##name, &rows);
    TAUT_CHANGING_KINDS(CONDUCT_CHANGING)
    cpu_for_carried(plan, CPU_PARALLEL_FROM, carry_range, &nodes);
    cpu_for(plan, 0, s->simple, CPU_PARALLEL_FROM, CPU_CHOOSE(multiply_rows), &nodes);
    cpu_for(plan, s->points, s->nodes, CPU_PARALLEL_FROM, CPU_CHOOSE(multiply_rows), &nodes);
    memset(q + 4 * s->simple, 0, 4 * mapped * sizeof *q);
}

void condense_multiply(const taut_plan* plan, float* p, float* q) {
    const taut_sizes* s = &plan->sizes;
    const taut_fields* f = &plan->fields;
    if (is_assembled(&plan->hierarchy, s)) {
        multiply_assembled(plan, p, q);
        return;
    }
    cpu_spread_f32(plan, s->active_levels, p, 4);
    const product_loop rows = {plan, p, f->q}, nodes = {plan, p, q};
#define CONDUCT(name, k) cpu_for(plan, 0, s->count[k], CPU_PARALLEL_FROM, conduct_range_##name, &rows);
    TAUT_FORMULA_KINDS(CONDUCT)
    CONDUCT(linear, TAUT_LINEAR)
    cpu_apply_jacobian_transpose_f32(plan, TAUT_ALL, false, f->q, q);
    cpu_for(plan, 0, s->nodes, CPU_PARALLEL_FROM, close_range, &nodes);
}
