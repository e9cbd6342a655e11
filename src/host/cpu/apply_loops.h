/* The text of apply_f32.c and apply_f64.c, which define TAUT_REAL and SUFFIXED. */
#include "host/cpu/apply.h"
#include "host/cpu/state.h"
#include "kernels/formulas/kinds.h"

#define VALUES(type) (sizeof(type) / sizeof(real))

static inline void load(const float* stored, size_t count, real* out) {
    for (size_t i = 0; i < count; i++) {
        out[i] = stored[i];
    }
}

static inline void gather(const real* g, uint32_t stride, const uint32_t* nodes, size_t count, real dx[][3]) {
    for (size_t i = 0; i < count; i++) {
        for (size_t a = 0; a < 3; a++) {
            dx[i][a] = g[stride * (size_t)nodes[i] + a];
        }
    }
}

/* out += (W + shift) u with the packed symmetric block W. */
static inline void add_weighted(const float* packed, const float* shift, const real* u, size_t rows, real* out) {
    size_t at = 0;
    for (size_t r = 0; r < rows; r++) {
        for (size_t c = 0; c < r; c++, at++) {
            out[r] += packed[at] * u[c];
            out[c] += packed[at] * u[r];
        }
        out[r] += (packed[at++] + (shift != NULL ? shift[r] : 0)) * u[r];
    }
}

#define TAUT_KIND_TEXT "host/cpu/apply_kind.h"
#include "kernels/formulas/for_each_kind.h"

static inline void pull_node_linear(const taut_fields* f, size_t n, const real* u, real sum[3]) {
    const taut_kind_fields* kind = &f->kinds[TAUT_LINEAR];
    for (uint32_t i = kind->offsets[n]; i < kind->offsets[n + 1]; i++) {
        const uint32_t e = kind->incidence[i];
        sum[f->linear_coordinate[e] % 3] += (real)f->linear_weight[e] * u[f->linear_row[e]];
    }
}

static void forward_linear(const taut_plan* plan, const real* g, uint32_t stride, const real* u, const float* shift,
                           real* out) {
    const taut_fields* f = &plan->fields;
    const size_t count = plan->sizes.count[TAUT_LINEAR];
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (count > CPU_PARALLEL_FROM)
    for (size_t c = 0; c < count; c++) {
        real sum = 0;
        for (uint32_t e = f->linear_begin[c]; e < f->linear_begin[c + 1]; e++) {
            const uint32_t coordinate = f->linear_coordinate[e];
            sum += (real)f->linear_weight[e] * g[stride * (size_t)(coordinate / 3) + coordinate % 3];
        }
        out[c] = sum;
        if (u != NULL) {
            add_weighted(f->kinds[TAUT_LINEAR].weight + c, shift != NULL ? shift + c : NULL, u + c, 1, out + c);
        }
    }
}

void SUFFIXED(cpu_pull)(const taut_plan* plan, cpu_parts parts, bool weighted, const real* u, real* g) {
    const taut_sizes* s = &plan->sizes;
    const taut_fields* f = &plan->fields;
    const cpu_parts present = s->roots > 0 ? parts : (cpu_parts)(parts & CPU_ROWS);
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (s->nodes > CPU_PARALLEL_FROM)
    for (size_t n = 0; n < s->nodes; n++) {
        real sum[3] = {0, 0, 0};
#define PULL(name, k)                                                                                                  \
    if (s->count[k] > 0) {                                                                                             \
        pull_node_##name(&f->kinds[k], n, present, u + s->first_row[k], u + s->first_root[k], sum);                    \
    }
        TAUT_FORMULA_KINDS(PULL)
        if (s->count[TAUT_LINEAR] > 0 && (parts & CPU_ROWS)) {
            pull_node_linear(f, n, u + s->first_row[TAUT_LINEAR], sum);
        }
        const real scale = weighted ? f->inverse_mass[n] : 1;
        for (size_t a = 0; a < 3; a++) {
            g[4 * n + a] = scale * sum[a];
        }
        g[4 * n + 3] = 0;
    }
}

void SUFFIXED(cpu_forward)(const taut_plan* plan, cpu_parts parts, const real* g, uint32_t stride, const real* u,
                           const float* shift, real* out) {
    const taut_sizes* s = &plan->sizes;
#define AT(pointer, index) ((pointer) != NULL ? (pointer) + (index) : NULL)
#define FORWARD(name, k)                                                                                               \
    if (s->count[k] > 0 && (parts & CPU_ROWS)) {                                                                       \
        forward_rows_##name(plan, &plan->fields.kinds[k], s->count[k], g, stride, AT(u, s->first_row[k]),              \
                            AT(shift, s->first_row[k]), out + s->first_row[k]);                                        \
    }                                                                                                                  \
    if (s->count[k] > 0 && name##_ROOTS > 0 && s->roots > 0 && (parts & CPU_ROOTS)) {                                  \
        forward_roots_##name(plan, &plan->fields.kinds[k], s->count[k], g, stride, AT(u, s->first_root[k]),            \
                             out + s->first_root[k]);                                                                  \
    }
    TAUT_FORMULA_KINDS(FORWARD)
    if (parts & CPU_ROWS) {
        forward_linear(plan, g, stride, AT(u, s->first_row[TAUT_LINEAR]), AT(shift, s->first_row[TAUT_LINEAR]),
                       out + s->first_row[TAUT_LINEAR]);
    }
}
