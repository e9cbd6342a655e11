/* Products with the condensed matrix, in float32. */
#define TAUT_REAL float
#include "kernels/stages/condensed_product.h"

#include "host/cpu/cpu_apply.h"
#include "host/cpu/cpu_condensed.h"

#include <string.h>

#define CONDUCT_ALL(name, k)                                                                                           \
    static void conduct_all_##name(const taut_plan* plan, const float* p, float* y) {                                  \
        const taut_sizes* s = &plan->sizes;                                                                            \
        const taut_kind_fields* kind = &plan->fields.kinds[k];                                                         \
        float* factor_rows = s->has_factor_rows[k] ? y + s->first_factor_row[k] : NULL;                                \
        const size_t count = s->count[k];                                                                              \
        CPU_PARALLEL_OVER_COUNT                                                                                        \
        for (size_t c = 0; c < count; c++) {                                                                           \
            float moved[name##_NODES][3];                                                                              \
            gather(p, 4, kind->nodes + c * name##_NODES, name##_NODES, moved);                                         \
            conduct_##name(kind, kind->record + c * taut_record_##name, count, c, moved, y + s->first_row[k],          \
                           factor_rows);                                                                               \
        }                                                                                                              \
    }
TAUT_FORMULA_KINDS(CONDUCT_ALL)

static void conduct_all_linear(const taut_plan* plan, const float* p, float* y) {
    const size_t count = plan->sizes.count[TAUT_LINEAR];
    CPU_PARALLEL_OVER_COUNT
    for (size_t c = 0; c < count; c++) {
        conduct_linear(&plan->fields, c, p, y + plan->sizes.first_row[TAUT_LINEAR]);
    }
}

void condense_multiply(const taut_plan* plan, float* p, float* q) {
    const taut_sizes* s = &plan->sizes;
    const taut_fields* f = &plan->fields;
    cpu_spread_f32(plan, s->active_levels, p, 4);
#define CONDUCT(name, k) conduct_all_##name(plan, p, f->q);
    TAUT_FORMULA_KINDS(CONDUCT)
    conduct_all_linear(plan, p, f->q);
    cpu_apply_jacobian_transpose_f32(plan, TAUT_ALL, false, f->q, q);
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (s->nodes > CPU_PARALLEL_FROM)
    for (size_t n = 0; n < s->nodes; n++) {
        condense_close(f, s, n, p, q, q);
    }
}
