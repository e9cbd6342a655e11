/* The text of apply_f32.c and apply_f64.c, which define TAUT_REAL and SUFFIXED. */
#include "host/cpu/cpu_apply.h"
#include "host/cpu/cpu_state.h"

/* All nodes of a scene without frames, mapped points and force elements. */
static void apply_jacobian_transpose_plain(const taut_plan* plan, int parts, bool weighted, const real* u, real* g) {
    const taut_sizes* s = &plan->sizes;
    const taut_fields* f = &plan->fields;
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (s->nodes > CPU_PARALLEL_FROM)
    for (size_t n = 0; n < s->nodes; n++) {
        real sum[3];
        apply_jacobian_transpose_plain_node(f, s, n, parts, u, sum);
        const real scale = weighted ? f->inverse_mass[n] : 1;
        for (size_t a = 0; a < 3; a++) {
            g[4 * n + a] = scale * sum[a];
        }
        g[4 * n + 3] = 0;
    }
}

/* Nodes [first, end), none of which is another's child. */
static void apply_jacobian_transpose_range(const taut_plan* plan, int parts, bool weighted, const real* u, size_t first,
                                           size_t end, real* g) {
    const taut_sizes* s = &plan->sizes;
    const taut_fields* f = &plan->fields;
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (end - first > CPU_PARALLEL_FROM)
    for (size_t n = first; n < end; n++) {
        real sum[3];
        apply_jacobian_transpose_with_children(f, s, n, parts, u, g, sum);
        if (weighted) {
            node_inverse(f, s, n, sum, g + 4 * n);
        } else {
            g[4 * n] = sum[0];
            g[4 * n + 1] = sum[1];
            g[4 * n + 2] = sum[2];
        }
        g[4 * n + 3] = 0;
    }
}

void SUFFIXED(cpu_spread)(const taut_plan* plan, uint32_t levels, real* vectors, size_t stride) {
    const taut_sizes* s = &plan->sizes;
    const uint32_t* begin = s->level_begin;
    for (uint32_t level = 0; level < levels; level++) {
        const size_t count = begin[level + 1] - begin[level];
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (count > CPU_PARALLEL_FROM)
        for (size_t n = begin[level]; n < begin[level + 1]; n++) {
            spread_node(&plan->fields, s, n, vectors, stride);
        }
    }
}

void SUFFIXED(cpu_apply_jacobian_transpose)(const taut_plan* plan, int parts, bool weighted, const real* u, real* g) {
    const taut_sizes* s = &plan->sizes;
    const int present = parts_present(s, parts);
    if (is_plain_scene(s)) {
        apply_jacobian_transpose_plain(plan, present, weighted, u, g);
        return;
    }
    for (uint32_t level = s->active_levels; level-- > 0;) {
        apply_jacobian_transpose_range(plan, present, false, u, s->level_begin[level], s->level_begin[level + 1], g);
    }
    apply_jacobian_transpose_range(plan, present, weighted, u, 0, s->simple, g);
    apply_jacobian_transpose_range(plan, present, weighted, u, s->points, s->nodes, g);
    if (weighted) {
        SUFFIXED(cpu_spread)(plan, s->active_levels, g, 4);
    }
}

#define AT(pointer, index) ((pointer) != NULL ? (pointer) + (index) : NULL)

/* One parallel loop over the constraints of a kind. */
#define FORWARD_ROWS(name, k, fields)                                                                                  \
    static void apply_jacobian_all_rows_##name(const taut_plan* plan, const real* g, uint32_t stride, const real* u,   \
                                               bool inner, real* out) {                                                \
        const taut_sizes* s = &plan->sizes;                                                                            \
        const real* u_kind = AT(u, s->first_row[k]);                                                                   \
        real* out_kind = out + s->first_row[k];                                                                        \
        const size_t count = s->count[k];                                                                              \
        CPU_PARALLEL_OVER_COUNT                                                                                        \
        for (size_t c = 0; c < count; c++) {                                                                           \
            apply_jacobian_rows_##name(fields, count, c, g, stride, u_kind, inner, out_kind);                          \
        }                                                                                                              \
    }
#define APPLY_JACOBIAN_OF_KIND(name, k) FORWARD_ROWS(name, k, &plan->fields.kinds[k])
TAUT_FORMULA_KINDS(APPLY_JACOBIAN_OF_KIND)
FORWARD_ROWS(linear, TAUT_LINEAR, &plan->fields)

#define APPLY_FACTOR_OF_KIND(name, k)                                                                                  \
    static void apply_factor_all_rows_##name(const taut_plan* plan, const real* g, uint32_t stride, const real* u,     \
                                             real* out) {                                                              \
        const taut_sizes* s = &plan->sizes;                                                                            \
        const real* u_kind = AT(u, s->first_factor_row[k]);                                                            \
        real* out_kind = out + s->first_factor_row[k];                                                                 \
        const size_t count = s->count[k];                                                                              \
        CPU_PARALLEL_OVER_COUNT                                                                                        \
        for (size_t c = 0; c < count; c++) {                                                                           \
            apply_factor_rows_##name(&plan->fields.kinds[k], count, c, g, stride, u_kind, out_kind);                   \
        }                                                                                                              \
    }
TAUT_FORMULA_KINDS(APPLY_FACTOR_OF_KIND)

void SUFFIXED(cpu_apply_jacobian)(const taut_plan* plan, int parts, const real* g, uint32_t stride, const real* u,
                                  bool inner, real* out) {
    const taut_sizes* s = &plan->sizes;
#define FORWARD(name, k)                                                                                               \
    if (parts & TAUT_ROWS) {                                                                                           \
        apply_jacobian_all_rows_##name(plan, g, stride, u, inner, out);                                                \
    }                                                                                                                  \
    if (name##_FACTOR_ROWS > 0 && s->has_factor_rows[k] && (parts & TAUT_FACTOR_PART(k))) {                            \
        apply_factor_all_rows_##name(plan, g, stride, u, out);                                                         \
    }
    TAUT_FORMULA_KINDS(FORWARD)
    if (parts & TAUT_ROWS) {
        apply_jacobian_all_rows_linear(plan, g, stride, u, inner, out);
    }
}
