/* The text of apply_f32.c and apply_f64.c, which define TAUT_REAL and SUFFIXED. */
#include "host/cpu/apply.h"
#include "host/cpu/state.h"

void SUFFIXED(cpu_pull)(const taut_plan* plan, int parts, bool weighted, const real* u, real* g) {
    const taut_sizes* s = &plan->sizes;
    const taut_fields* f = &plan->fields;
    const int present = s->roots > 0 ? parts : parts & TAUT_ROWS;
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (s->nodes > CPU_PARALLEL_FROM)
    for (size_t n = 0; n < s->nodes; n++) {
        real sum[3];
        pull_node(f, s, n, present, u, sum);
        const real scale = weighted ? f->inverse_mass[n] : 1;
        for (size_t a = 0; a < 3; a++) {
            g[4 * n + a] = scale * sum[a];
        }
        g[4 * n + 3] = 0;
    }
}

#define AT(pointer, index) ((pointer) != NULL ? (pointer) + (index) : NULL)

/* One parallel loop over the constraints of a kind. */
#define FORWARD_ROWS(name, k, fields)                                                                                  \
    static void forward_all_rows_##name(const taut_plan* plan, const real* g, uint32_t stride, const real* u,          \
                                        bool inner, real* out) {                                                       \
        const taut_sizes* s = &plan->sizes;                                                                            \
        const real* u_kind = AT(u, s->first_row[k]);                                                                   \
        real* out_kind = out + s->first_row[k];                                                                        \
        const size_t count = s->count[k];                                                                              \
        CPU_PARALLEL_OVER_COUNT                                                                                        \
        for (size_t c = 0; c < count; c++) {                                                                           \
            forward_rows_##name(fields, count, c, g, stride, u_kind, inner, out_kind);                                        \
        }                                                                                                              \
    }
#define FORWARD_ROWS_OF_KIND(name, k) FORWARD_ROWS(name, k, &plan->fields.kinds[k])
TAUT_FORMULA_KINDS(FORWARD_ROWS_OF_KIND)
FORWARD_ROWS(linear, TAUT_LINEAR, &plan->fields)

#define FORWARD_ROOTS_OF_KIND(name, k)                                                                                 \
    static void forward_all_roots_##name(const taut_plan* plan, const real* g, uint32_t stride, const real* u,         \
                                         real* out) {                                                                  \
        const taut_sizes* s = &plan->sizes;                                                                            \
        const real* u_kind = AT(u, s->first_root[k]);                                                                  \
        real* out_kind = out + s->first_root[k];                                                                       \
        const size_t count = s->count[k];                                                                              \
        CPU_PARALLEL_OVER_COUNT                                                                                        \
        for (size_t c = 0; c < count; c++) {                                                                           \
            forward_roots_##name(&plan->fields.kinds[k], count, c, g, stride, u_kind, out_kind);                       \
        }                                                                                                              \
    }
TAUT_FORMULA_KINDS(FORWARD_ROOTS_OF_KIND)

void SUFFIXED(cpu_forward)(const taut_plan* plan, int parts, const real* g, uint32_t stride, const real* u,
                           bool inner, real* out) {
    const taut_sizes* s = &plan->sizes;
#define FORWARD(name, k)                                                                                               \
    if (parts & TAUT_ROWS) {                                                                                           \
        forward_all_rows_##name(plan, g, stride, u, inner, out);                                                       \
    }                                                                                                                  \
    if (name##_ROOTS > 0 && s->roots > 0 && (parts & TAUT_ROOTS)) {                                                    \
        forward_all_roots_##name(plan, g, stride, u, out);                                                             \
    }
    TAUT_FORMULA_KINDS(FORWARD)
    if (parts & TAUT_ROWS) {
        forward_all_rows_linear(plan, g, stride, u, inner, out);
    }
}
