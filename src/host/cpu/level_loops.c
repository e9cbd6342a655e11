/* The formulas are those of kernels/stages/multilevel.h. Registers are wider than the six values of a node: what they
 * have of the next ones goes by. */
#include "host/cpu/cpu_level_loops.h"

#include "base/small_math.h"
#include "host/cpu/cpu_parallel.h"
#include "host/cpu/cpu_registers.h"

typedef struct level_loop {
    const taut_level *level, *coarse;
    const float* x;
    float* out;
} level_loop;

/* ---- A x --------------------------------------------------------------------------------------------------------- */

#define SUMS 2 /* at once, so that none waits for another */

/* A is by columns. Terms cancel where it is stiff: sums are in float64. */
TAUT_FN_HOT void multiply_row(const taut_level* level, size_t n, const float* x, float* out) {
    quad low[SUMS] = {{0}}, high[SUMS] = {{0}};
    for (uint32_t k = level->a_begin[n]; k < level->a_begin[n + 1]; k++) {
        const float* a = level->cycle_value + (size_t)(TAUT_RIGID * TAUT_RIGID) * k;
        const float* from = x + TAUT_RIGID * (size_t)level->a_column[k];
        for (int j = 0; j < TAUT_RIGID; j++) {
            low[j % SUMS] += CPU_QUAD(a + TAUT_RIGID * j) * (double)from[j];
            high[j % SUMS] += CPU_QUAD(a + TAUT_RIGID * j + 4) * (double)from[j];
        }
    }
    const quad first = low[0] + low[1], last = high[0] + high[1];
    for (int i = 0; i < TAUT_RIGID; i++) {
        out[i] = (float)(i < 4 ? first[i] : last[i - 4]);
    }
}

TAUT_FN_HOT void multiply_rows(const level_loop* l, size_t first, size_t last) {
    for (size_t n = first; n < last; n++) {
        multiply_row(l->level, n, l->x, l->out + TAUT_RIGID * n);
    }
}
CPU_RANGES(multiply_rows)

void level_multiply(const taut_plan* plan, const taut_level* level, const float* x, float* out) {
    const level_loop loop = {.level = level, .x = x, .out = out};
    cpu_for(plan, 0, level->s.nodes, LEVEL_PARALLEL_FROM, CPU_CHOOSE(multiply_rows), &loop);
}

/* ---- P^T r ------------------------------------------------------------------------------------------------------- */

TAUT_FN_HOT void restrict_node(const taut_level* fine, int width, size_t stride, size_t a, const float* r, float* out) {
    octet sum[TAUT_RIGID] = {{0}}, all = {0};
    for (uint32_t t = fine->t_begin[a]; t < fine->t_begin[a + 1]; t++) {
        const float* p = fine->p_value + (size_t)width * TAUT_RIGID * fine->t_block[t];
        const float* from = r + stride * fine->t_node[t];
        for (int k = 0; k < width; k++) {
            sum[k] += *(const loose_octet*)(p + TAUT_RIGID * k) * from[k];
        }
    }
    for (int k = 0; k < width; k++) {
        all += sum[k];
    }
    for (int j = 0; j < TAUT_RIGID; j++) {
        out[j] = all[j];
    }
}

TAUT_FN_HOT void restrict_nodes(const level_loop* l, size_t first, size_t last) {
    for (size_t a = first; a < last; a++) {
        float* out = l->coarse->r + TAUT_RIGID * a;
        if (l->level->s.width == 3) {
            restrict_node(l->level, 3, 4, a, l->x, out);
        } else {
            restrict_node(l->level, TAUT_RIGID, TAUT_RIGID, a, l->x, out);
        }
    }
}
CPU_RANGES(restrict_nodes)

void level_restrict_to(const taut_plan* plan, const taut_level* fine, const float* r, const taut_level* coarse) {
    const level_loop loop = {.level = fine, .coarse = coarse, .x = r};
    cpu_for(plan, 0, coarse->s.nodes, LEVEL_PARALLEL_FROM, CPU_CHOOSE(restrict_nodes), &loop);
}

/* ---- P e --------------------------------------------------------------------------------------------------------- */

TAUT_FN_HOT void prolong_node(const taut_level* fine, int width, size_t n, const float* e, float* z) {
    octet products[TAUT_RIGID] = {{0}};
    for (uint32_t p = fine->p_begin[n]; p < fine->p_begin[n + 1]; p++) {
        const float* value = fine->p_value + (size_t)width * TAUT_RIGID * p;
        const octet from = *(const loose_octet*)(e + TAUT_RIGID * (size_t)fine->p_column[p]);
        for (int k = 0; k < width; k++) {
            products[k] += *(const loose_octet*)(value + TAUT_RIGID * k) * from;
        }
    }
    for (int k = 0; k < width; k++) {
        float sum = 0;
        for (int j = 0; j < TAUT_RIGID; j++) {
            sum += products[k][j];
        }
        z[k] += sum;
    }
}

TAUT_FN_HOT void prolong_nodes(const level_loop* l, size_t first, size_t last) {
    for (size_t n = first; n < last; n++) {
        if (l->level->s.width == 3) {
            prolong_node(l->level, 3, n, l->coarse->z, l->out + 4 * n);
        } else {
            prolong_node(l->level, TAUT_RIGID, n, l->coarse->z, l->out + TAUT_RIGID * n);
        }
    }
}
CPU_RANGES(prolong_nodes)

void level_prolong_from(const taut_plan* plan, const taut_level* fine, const taut_level* coarse, float* z) {
    const level_loop loop = {.level = fine, .coarse = coarse, .out = z};
    cpu_for(plan, 0, fine->s.nodes, LEVEL_PARALLEL_FROM, CPU_CHOOSE(prolong_nodes), &loop);
}
