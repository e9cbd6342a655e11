/* The multilevel preconditioner: refresh, the additive cycle and the V-cycle. Items in kernels/stages/multilevel.h. */
#define TAUT_REAL double
#include "kernels/stages/multilevel.h"

#include "host/cpu/cpu_multilevel.h"
#include "host/cpu/cpu_registers.h"

#include "host/cpu/cpu_condensed.h"
#include "host/cpu/cpu_dense.h"
#include "host/cpu/cpu_level_loops.h"

#include <string.h>

/* A loop over a level; vectors that it has none of are NULL. */
typedef struct level_loop {
    const taut_plan* plan;
    const taut_level *level, *coarse;
    bool first; /* level 0 */
    int from;   /* dense blocks of nodes with in_dense from this on */
    const float* r;
    float *x, *z;
} level_loop;

static const taut_level* level_of(const taut_plan* plan, uint32_t l) {
    return &plan->hierarchy.level[l];
}

/* ---- D^-1, A ----------------------------------------------------------------------------------------------------- */

/* out = F^T F in, F lower triangular with zeros above; its rows by eight, what is left of the last columns one by one.
 */
TAUT_FN_HOT void dense_product(const float* factor, size_t size, const float* in, float* out) {
    for (size_t i = 0; i < size; i++) {
        const float* row = factor + i * size;
        const size_t above = (i / 8 + 1) * 8, whole = above <= size ? above : i / 8 * 8;
        octet sums = {0};
        float sum = 0;
        for (size_t j = 0; j < whole; j += 8) {
            sums += *(const loose_octet*)(row + j) * *(const loose_octet*)(in + j);
        }
        for (size_t j = whole; j <= i; j++) {
            sum += row[j] * in[j];
        }
        sum += ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
        for (size_t j = 0; j < whole; j += 8) {
            *(loose_octet*)(out + j) += *(const loose_octet*)(row + j) * sum;
        }
        for (size_t j = whole; j <= i; j++) {
            out[j] += row[j] * sum;
        }
    }
}

TAUT_FN_HOT void dense_blocks(const void* context, size_t first, size_t last) {
    const level_loop* l = context;
    const taut_level* level = l->level;
    const size_t width = level->s.width, stride = level->s.stride;
    for (size_t b = first; b < last; b++) {
        const uint32_t* node = level->dense_node + level->dense_begin[b];
        const size_t count = level->dense_begin[b + 1] - level->dense_begin[b], size = width * count;
        float in[TAUT_MAX_BLOCK], out[TAUT_MAX_BLOCK] = {0};
        if (level->in_dense[node[0]] < l->from) {
            continue;
        }
        for (size_t i = 0; i < count; i++) {
            for (size_t k = 0; k < width; k++) {
                in[width * i + k] = l->r[stride * node[i] + k];
            }
        }
        dense_product(level->dense_factor + level->dense_value_begin[b], size, in, out);
        for (size_t i = 0; i < count; i++) {
            for (size_t k = 0; k < width; k++) {
                l->z[stride * node[i] + k] = out[width * i + k];
            }
        }
    }
}
CPU_RANGES(dense_blocks)

/* z = the inverses of dense blocks times r, on nodes with in_dense >= `from`: 1 all of them, 2 those of components that
 * end on the level. */
static void apply_dense(const taut_plan* plan, const taut_level* level, int from, const float* r, float* z) {
    const level_loop loop = {.plan = plan, .level = level, .from = from, .r = r, .z = z};
    cpu_for(plan, 0, level->s.dense, 8, CPU_CHOOSE(dense_blocks), &loop);
}

static void scale_range(const void* context, uint32_t part, size_t first, size_t last) {
    const level_loop* l = context;
    (void)part;
    for (size_t n = first; n < last; n++) {
        level_scale(l->level, 3, 4, n, l->r, l->z);
    }
}

/* z = D^-1 r with the dense blocks, in which all nodes above level 0 are. */
static void apply_diagonal(const taut_plan* plan, const taut_level* level, const float* r, float* z) {
    const size_t nodes = level->s.width == 3 ? level->s.nodes : 0;
    const level_loop loop = {.plan = plan, .level = level, .r = r, .z = z};
    cpu_for(plan, 0, nodes, LEVEL_PARALLEL_FROM, scale_range, &loop);
    apply_dense(plan, level, 1, r, z);
}

/* out = A x */
static void multiply(const taut_plan* plan, uint32_t l, float* x, float* out) {
    const taut_level* level = level_of(plan, l);
    if (l == 0) {
        condense_multiply(plan, x, out);
        memset(x + 4 * plan->sizes.simple, 0, 4 * (plan->sizes.points - plan->sizes.simple) * sizeof *x);
        return;
    }
    level_multiply(plan, level, x, out);
}

/* ---- refresh ----------------------------------------------------------------------------------------------------- */

static void diagonal_range(const void* context, uint32_t part, size_t first, size_t last) {
    const level_loop* l = context;
    (void)part;
    for (size_t n = first; n < last; n++) {
        level_diagonal(l->level, (int)l->level->s.width, n);
    }
}

static void refresh_diagonals(const taut_plan* plan, const taut_level* level) {
    const level_loop loop = {.plan = plan, .level = level};
    cpu_for(plan, 0, level->s.nodes, LEVEL_PARALLEL_FROM, diagonal_range, &loop);
}

static void refresh_dense_range(const void* context, uint32_t part, size_t first, size_t last) {
    const level_loop* l = context;
    const taut_level* level = l->level;
    const int width = (int)level->s.width;
    double* matrix = level->dense_scratch + part * level->s.largest_dense;
    for (size_t b = first; b < last; b++) {
        const size_t size = (size_t)width * (level->dense_begin[b + 1] - level->dense_begin[b]);
        memset(matrix, 0, size * size * sizeof *matrix);
        if (width == 3) {
            level_dense_rows(level, 3, b, 0, 1, matrix);
        } else {
            level_dense_rows(level, TAUT_RIGID, b, 0, 1, matrix);
        }
        dense_factor(size, matrix, level->dense_factor + level->dense_value_begin[b]);
    }
}

static void refresh_dense(const taut_plan* plan, const taut_level* level) {
    const level_loop loop = {.plan = plan, .level = level};
    cpu_for_each_thread(plan, level->s.dense, 8, refresh_dense_range, &loop);
}

static double dot(size_t n, const float* a, const float* b) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += (double)a[i] * b[i];
    }
    return sum;
}

/* y = A x, w = D^-1 y, and their sums. */
static void power_sums(const taut_plan* plan, uint32_t l, float* x, float* y, float* w, double sums[2]) {
    const taut_level* level = level_of(plan, l);
    const size_t values = (size_t)level->s.stride * level->s.nodes;
    multiply(plan, l, x, y);
    apply_diagonal(plan, level, y, w);
    sums[0] = dot(values, x, y);
    sums[1] = dot(values, y, w);
}

static void refresh_largest(const taut_plan* plan, uint32_t l) {
    const taut_level* level = level_of(plan, l);
    const taut_fields* f = &plan->fields;
    const size_t values = (size_t)level->s.stride * level->s.nodes;
    float *y = l == 0 ? f->node_z : level->z, *w = l == 0 ? f->node_q : level->r;
    float *x = l == 0 ? f->node_delta : level->rest, *before = l == 0 ? f->node_p : level->direction;
    double sums[2];
    memset(w, 0, values * sizeof *w);
    for (size_t i = 0; i < values; i++) {
        x[i] = level_power_begin(level, i);
    }
    for (int step = 0; step < TAUT_LEVEL_STEPS - 1; step++) {
        power_sums(plan, l, x, y, w, sums);
        if (step < TAUT_LEVEL_POWER_STEPS) {
            level->largest[0] = level_quotient(sums);
            memcpy(x, w, values * sizeof *w);
        }
        for (size_t i = 0; i < values && step >= TAUT_LEVEL_POWER_STEPS; i++) {
            level_polynomial(level, step - TAUT_LEVEL_POWER_STEPS, i, w, x, before);
        }
    }
    power_sums(plan, l, x, y, w, sums);
    level->largest[0] = level_quotient(sums);
}

static void centre_range(const void* context, uint32_t part, size_t first, size_t last) {
    const level_loop* l = context;
    (void)part;
    for (size_t a = first; a < last; a++) {
        level_centre(&l->plan->fields, &l->plan->sizes, l->level, l->first, a, l->coarse);
    }
}

TAUT_FN_HOT void prolongator_rows(const void* context, size_t first, size_t last) {
    const level_loop* l = context;
    const taut_level* fine = l->level;
    for (size_t n = first; n < last; n++) {
        for (size_t p = fine->p_begin[n]; p < fine->p_begin[n + 1]; p++) {
            if (l->first) {
                level_prolongator(&l->plan->fields, &l->plan->sizes, fine, true, n, p, l->coarse);
            } else {
                level_prolongator(&l->plan->fields, &l->plan->sizes, fine, false, n, p, l->coarse);
            }
        }
    }
}
CPU_RANGES(prolongator_rows)

TAUT_FN_HOT void wide_rows(const void* context, size_t first, size_t last) {
    const level_loop* l = context;
    for (size_t n = first; n < last; n++) {
        if (l->first) {
            level_wide_row(l->level, 3, 0, TAUT_RIGID, n);
        } else {
            level_wide_row(l->level, TAUT_RIGID, 0, TAUT_RIGID, n);
        }
    }
}
CPU_RANGES(wide_rows)

TAUT_FN_HOT void coarse_rows(const void* context, size_t first, size_t last) {
    const level_loop* l = context;
    for (size_t a = first; a < last; a++) {
        if (l->first) {
            level_coarse_row(l->level, 3, 0, TAUT_RIGID, a, l->coarse);
        } else {
            level_coarse_row(l->level, TAUT_RIGID, 0, TAUT_RIGID, a, l->coarse);
        }
        level_floor(l->coarse, a);
    }
}
CPU_RANGES(coarse_rows)

static void mirror_range(const void* context, uint32_t part, size_t first, size_t last) {
    const level_loop* l = context;
    (void)part;
    for (size_t a = first; a < last; a++) {
        level_mirror_row(l->coarse, TAUT_RIGID, a);
        level_round_row(l->coarse, a);
    }
}

static void refresh_coarse(const taut_plan* plan, uint32_t l) {
    const taut_level *fine = level_of(plan, l), *coarse = level_of(plan, l + 1);
    const level_loop loop = {.plan = plan, .level = fine, .coarse = coarse, .first = l == 0};
    cpu_for(plan, 0, coarse->s.nodes, LEVEL_PARALLEL_FROM, centre_range, &loop);
    cpu_for(plan, 0, fine->s.nodes, LEVEL_PARALLEL_FROM, CPU_CHOOSE(prolongator_rows), &loop);
    cpu_for(plan, 0, fine->s.nodes, LEVEL_PARALLEL_FROM, CPU_CHOOSE(wide_rows), &loop);
    cpu_for(plan, 0, coarse->s.nodes, LEVEL_PARALLEL_FROM, CPU_CHOOSE(coarse_rows), &loop);
    cpu_for(plan, 0, coarse->s.nodes, LEVEL_PARALLEL_FROM, mirror_range, &loop);
}

static void refresh_inverses(const taut_plan* plan, uint32_t l) {
    refresh_diagonals(plan, level_of(plan, l));
    refresh_dense(plan, level_of(plan, l));
}

void multilevel_refresh(const taut_plan* plan) {
    const taut_hierarchy* h = &plan->hierarchy;
    for (uint32_t l = 0; l < h->count; l++) {
        refresh_inverses(plan, l);
        refresh_largest(plan, l);
        if (l + 1 < h->count) {
            refresh_coarse(plan, l);
        }
    }
}

void multilevel_refresh_finest(const taut_plan* plan) {
    if (plan->hierarchy.count > 0) {
        refresh_inverses(plan, 0);
    }
}

/* ---- cycles ------------------------------------------------------------------------------------------------------ */

/* direction = keep direction + gain D^-1 rest; z += direction. */
static void smooth_step(const taut_plan* plan, const taut_level* level, int step, float* z) {
    const size_t values = (size_t)level->s.stride * level->s.nodes;
    const chebyshev_factors factors = level_smoothing(level, step);
    apply_diagonal(plan, level, level->rest, level->product);
    for (size_t i = 0; i < values; i++) {
        level->direction[i] = factors.keep * level->direction[i] + factors.gain * level->product[i];
        z[i] += level->direction[i];
    }
}

/* rest -= A direction */
static void renew_rest(const taut_plan* plan, uint32_t l) {
    const taut_level* level = level_of(plan, l);
    const size_t values = (size_t)level->s.stride * level->s.nodes;
    multiply(plan, l, level->direction, level->product);
    for (size_t i = 0; i < values; i++) {
        level->rest[i] -= level->product[i];
    }
}

/* Chebyshev smoothing from the residual in `rest`, which is that before the last step afterwards. */
static void smooth(const taut_plan* plan, uint32_t l, float* z) {
    const taut_level* level = level_of(plan, l);
    smooth_step(plan, level, 0, z);
    for (int step = 1; step < level->s.degree; step++) {
        renew_rest(plan, l);
        smooth_step(plan, level, step, z);
    }
}

static void v_cycle(const taut_plan* plan, uint32_t l, const float* r, float* z) {
    const taut_level* level = level_of(plan, l);
    const size_t values = (size_t)level->s.stride * level->s.nodes;
    memset(z, 0, values * sizeof *z);
    if (level->s.coarse > 0) {
        const taut_level* coarse = level_of(plan, l + 1);
        memcpy(level->rest, r, values * sizeof *r);
        smooth(plan, l, z);
        renew_rest(plan, l);
        level_restrict_to(plan, level, level->rest, coarse);
        v_cycle(plan, l + 1, coarse->r, coarse->z);
        level_prolong_from(plan, level, coarse, z);
        multiply(plan, l, z, level->product);
        for (size_t i = 0; i < values; i++) {
            level->rest[i] = r[i] - level->product[i];
        }
        smooth(plan, l, z);
    }
    apply_dense(plan, level, level->s.coarse > 0 ? 2 : 1, r, z);
}

/* Level 0 and the rest side by side, a V-cycle on the rest. */
static void additive(const taut_plan* plan, const float* r, float* z) {
    const taut_level *fine = level_of(plan, 0), *coarse = level_of(plan, 1);
    apply_diagonal(plan, fine, r, z);
    if (plan->hierarchy.count > 1) {
        level_restrict_to(plan, fine, r, coarse);
        v_cycle(plan, 1, coarse->r, coarse->z);
        level_prolong_from(plan, fine, coarse, z);
    }
}

void multilevel_apply(const taut_plan* plan, const float* r, float* z) {
    if (plan->settings.cycle == TAUT_CYCLE_ADDITIVE) {
        additive(plan, r, z);
    } else {
        v_cycle(plan, 0, r, z);
    }
}
