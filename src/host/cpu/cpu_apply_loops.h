/* The text of apply_f32.c and apply_f64.c, which define TAUT_REAL and SUFFIXED. */
#include "host/cpu/cpu_apply.h"
#include "host/cpu/cpu_state.h"

/* A product with J, its transpose or factor rows; what it has none of is NULL. */
typedef struct product_loop {
    const taut_plan* plan;
    int parts;
    bool weighted, inner;
    const real *u, *g;
    size_t stride;
    real* out;
} product_loop;

/* All nodes of a scene without frames, mapped points and force elements. */
static void plain_nodes(const void* context, uint32_t part, size_t first, size_t last) {
    const product_loop* l = context;
    const taut_sizes* s = &l->plan->sizes;
    const taut_fields* f = &l->plan->fields;
    const real* u = l->u;
    real* g = l->out;
    (void)part;
    for (size_t n = first; n < last; n++) {
        real sum[3];
        apply_jacobian_transpose_plain_node(f, s, n, l->parts, u, sum);
        const real scale = l->weighted ? f->inverse_mass[n] : 1;
        for (size_t a = 0; a < 3; a++) {
            g[4 * n + a] = scale * sum[a];
        }
        g[4 * n + 3] = 0;
    }
}

/* Nodes none of which is another's child. */
static void nodes_with_children(const void* context, uint32_t part, size_t first, size_t last) {
    const product_loop* l = context;
    const taut_sizes* s = &l->plan->sizes;
    const taut_fields* f = &l->plan->fields;
    real* g = l->out;
    (void)part;
    for (size_t n = first; n < last; n++) {
        real sum[3];
        apply_jacobian_transpose_with_children(f, s, n, l->parts, l->u, g, sum);
        if (l->weighted) {
            node_inverse(f, s, n, sum, g + 4 * n);
        } else {
            g[4 * n] = sum[0];
            g[4 * n + 1] = sum[1];
            g[4 * n + 2] = sum[2];
        }
        g[4 * n + 3] = 0;
    }
}

static void spread_range(const void* context, uint32_t part, size_t first, size_t last) {
    const product_loop* l = context;
    (void)part;
    for (size_t n = first; n < last; n++) {
        spread_node(&l->plan->fields, &l->plan->sizes, n, l->out, l->stride);
    }
}

void SUFFIXED(cpu_spread)(const taut_plan* plan, uint32_t levels, real* vectors, size_t stride) {
    const uint32_t* begin = plan->sizes.level_begin;
    const product_loop loop = {.plan = plan, .out = vectors, .stride = stride};
    for (uint32_t level = 0; level < levels; level++) {
        cpu_for(plan, begin[level], begin[level + 1], CPU_PARALLEL_FROM, spread_range, &loop);
    }
}

void SUFFIXED(cpu_apply_jacobian_transpose)(const taut_plan* plan, int parts, bool weighted, const real* u, real* g) {
    const taut_sizes* s = &plan->sizes;
    const product_loop loop = {.plan = plan, .parts = parts_present(s, parts), .weighted = weighted, .u = u, .out = g};
    if (is_plain_scene(s)) {
        cpu_for(plan, 0, s->nodes, CPU_PARALLEL_FROM, plain_nodes, &loop);
        return;
    }
    product_loop mapped = loop;
    mapped.weighted = false;
    for (uint32_t level = s->active_levels; level-- > 0;) {
        cpu_for(plan, s->level_begin[level], s->level_begin[level + 1], CPU_PARALLEL_FROM, nodes_with_children,
                &mapped);
    }
    cpu_for(plan, 0, s->simple, CPU_PARALLEL_FROM, nodes_with_children, &loop);
    cpu_for(plan, s->points, s->nodes, CPU_PARALLEL_FROM, nodes_with_children, &loop);
    if (weighted) {
        SUFFIXED(cpu_spread)(plan, s->active_levels, g, 4);
    }
}

#define AT(pointer, index) ((pointer) != NULL ? (pointer) + (index) : NULL)

/* One loop over the constraints of a kind. */
#define FORWARD_ROWS(name, k, fields)                                                                                  \
    static void apply_rows_##name(const void* context, uint32_t part, size_t first, size_t last) {                     \
        const product_loop* l = context;                                                                               \
        const taut_plan* plan = l->plan;                                                                               \
        const taut_sizes* s = &plan->sizes;                                                                            \
        const real *u_kind = AT(l->u, s->first_row[k]), *g = l->g;                                                     \
        real* out_kind = l->out + s->first_row[k];                                                                     \
        const size_t count = s->count[k], stride = l->stride;                                                          \
        const bool inner = l->inner;                                                                                   \
        (void)part;                                                                                                    \
        for (size_t c = first; c < last; c++) {                                                                        \
            apply_jacobian_rows_##name(fields, count, c, g, stride, u_kind, inner, out_kind);                          \
        }                                                                                                              \
    }
#define APPLY_JACOBIAN_OF_KIND(name, k) FORWARD_ROWS(name, k, &plan->fields.kinds[k])
TAUT_FORMULA_KINDS(APPLY_JACOBIAN_OF_KIND)
FORWARD_ROWS(linear, TAUT_LINEAR, &plan->fields)

#define APPLY_FACTOR_OF_KIND(name, k)                                                                                  \
    static void apply_factors_##name(const void* context, uint32_t part, size_t first, size_t last) {                  \
        const product_loop* l = context;                                                                               \
        const taut_plan* plan = l->plan;                                                                               \
        const taut_sizes* s = &plan->sizes;                                                                            \
        const real *u_kind = AT(l->u, s->first_factor_row[k]), *g = l->g;                                              \
        real* out_kind = l->out + s->first_factor_row[k];                                                              \
        const size_t count = s->count[k], stride = l->stride;                                                          \
        (void)part;                                                                                                    \
        for (size_t c = first; c < last; c++) {                                                                        \
            apply_factor_rows_##name(&plan->fields.kinds[k], count, c, g, stride, u_kind, out_kind);                   \
        }                                                                                                              \
    }
TAUT_FORMULA_KINDS(APPLY_FACTOR_OF_KIND)

void SUFFIXED(cpu_apply_jacobian)(const taut_plan* plan, int parts, const real* g, uint32_t stride, const real* u,
                                  bool inner, real* out) {
    const taut_sizes* s = &plan->sizes;
    const product_loop loop = {.plan = plan, .u = u, .g = g, .stride = stride, .inner = inner, .out = out};
#define FORWARD(name, k)                                                                                               \
    if (parts & TAUT_ROWS) {                                                                                           \
        cpu_for(plan, 0, s->count[k], CPU_PARALLEL_FROM, apply_rows_##name, &loop);                                    \
    }                                                                                                                  \
    if (name##_FACTOR_ROWS > 0 && s->has_factor_rows[k] && (parts & TAUT_FACTOR_PART(k))) {                            \
        cpu_for(plan, 0, s->count[k], CPU_PARALLEL_FROM, apply_factors_##name, &loop);                                 \
    }
    TAUT_FORMULA_KINDS(FORWARD)
    if (parts & TAUT_ROWS) {
        cpu_for(plan, 0, s->count[TAUT_LINEAR], CPU_PARALLEL_FROM, apply_rows_linear, &loop);
    }
}
