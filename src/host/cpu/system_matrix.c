/* The matrix of level 0, constraint by constraint: the rows of each are found once, not once for every pair. A part of
 * the loop has rows of H for its own, and passes over all constraints; each block has its terms in their order. Blocks
 * before the diagonal are the transposes of those behind it. */
#define TAUT_REAL double
#include "kernels/stages/multilevel.h"
#include "kernels/stages/system.h"

#include "host/cpu/cpu_level_loops.h"
#include "host/cpu/cpu_multilevel.h"
#include "host/cpu/cpu_registers.h"

#include <string.h>

/* Constraints on more nodes are found once for every pair. */
#define MOST_NODES 4

static bool takes_part(const taut_plan* plan, uint32_t support, size_t first, size_t last) {
    const uint32_t node = plan->hierarchy.system.support_node[support];
    return node >= first && node < last && is_condensed_unknown(&plan->fields, node);
}

/* block += forces^T rows. Registers reach one value beyond rows, which goes by. What is behind the block may be another
 * thread's. */
TAUT_FN_HOT void add_products(int count, double forces[TAUT_MAX_ROWS][3], double rows[TAUT_MAX_ROWS][3],
                              double* block) {
    quad sum[3] = {{0}};
    sum[0] = *(const loose_quad*)block;
    sum[1] = *(const loose_quad*)(block + 3);
    sum[2] = (quad){block[6], block[7], block[8], 0};
    for (int r = 0; r < count; r++) {
        const quad row = *(const loose_quad*)rows[r];
        for (int i = 0; i < 3; i++) {
            sum[i] += forces[r][i] * row;
        }
    }
    for (int v = 0; v < 9; v++) {
        block[v] = sum[v / 3][v % 3];
    }
}

/* The blocks of few supports [begin, end) in rows [first, last), from the diagonal on. */
TAUT_FN_HOT void add_few(const taut_plan* plan, uint32_t begin, uint32_t end, size_t first, size_t last) {
    const taut_system* h = &plan->hierarchy.system;
    double rows[MOST_NODES + 1][TAUT_MAX_ROWS][3], forces[TAUT_MAX_ROWS][3];
    int count = 0;
    for (uint32_t i = begin; i < end; i++) {
        double* of_support = rows[i - begin][0];
        count = system_rows(&plan->fields, &plan->sizes, h, i, rows[i - begin]);
        /* What registers read behind the last row: what memory holds there may be denormal, which costs a hundred
         * cycles. */
        of_support[3 * count] = 0;
    }
    for (uint32_t i = begin; i < end; i++) {
        if (!takes_part(plan, i, first, last)) {
            continue;
        }
        const uint32_t* block = h->pair_block + h->pair_begin[h->support_place[i]];
        system_conduct_member(&plan->fields, &plan->sizes, h->support_member[i], count, rows[i - begin], forces);
        for (uint32_t j = 0; j < end - begin; j++) {
            const uint32_t other = h->support_node[begin + j];
            if (other >= h->support_node[i] && plan->fields.inverse_mass[other] > 0) {
                add_products(count, forces, rows[j], plan->hierarchy.level->a_value + 9 * (size_t)block[j]);
            }
        }
    }
}

static void add_many(const taut_plan* plan, uint32_t begin, uint32_t end, size_t first, size_t last) {
    const taut_system* h = &plan->hierarchy.system;
    for (uint32_t i = begin; i < end; i++) {
        if (takes_part(plan, i, first, last)) {
            system_add_pairs(&plan->fields, &plan->sizes, h, h->support_place[i], plan->hierarchy.level->a_value);
        }
    }
}

TAUT_FN_HOT void add_members(const taut_plan* plan, size_t first, size_t last) {
    const taut_system* h = &plan->hierarchy.system;
    for (size_t m = 0; m + 1 < h->s.members; m++) {
        const uint32_t begin = h->support_begin[m], end = h->support_begin[m + 1];
        bool any = false;
        for (uint32_t i = begin; i < end && !any; i++) {
            any = takes_part(plan, i, first, last);
        }
        if (any && end - begin <= MOST_NODES) {
            add_few(plan, begin, end, first, last);
        } else if (any) {
            add_many(plan, begin, end, first, last);
        }
    }
}

static double* diagonal(const taut_plan* plan, size_t n) {
    return plan->hierarchy.level->a_value + 9 * (size_t)plan->hierarchy.level->a_begin[n];
}

/* Whether node n has a row; those of fixed nodes are 0, and of parts that are not condensed in this substep: their
 * geometric stiffness without the rows that it belongs to would be what the largest eigenvalues follow from. */
static bool has_row(const taut_plan* plan, size_t n) {
    const taut_level* level = plan->hierarchy.level;
    return is_condensed_unknown(&plan->fields, n) && level->a_begin[n] < level->a_begin[n + 1];
}

TAUT_FN_HOT void lasting_range(const taut_plan* plan, size_t first, size_t last) {
    const taut_level* level = plan->hierarchy.level;
    memset(diagonal(plan, first), 0, 9 * (size_t)(level->a_begin[last] - level->a_begin[first]) * sizeof(double));
    add_members(plan, first, last);
    for (size_t n = first; n < last; n++) {
        if (has_row(plan, n)) {
            system_add_mass(&plan->fields, &plan->sizes, n, diagonal(plan, n));
        }
    }
}
CPU_RANGES(lasting_range)

static void mirror_range(const void* context, uint32_t part, size_t first, size_t last) {
    const taut_plan* plan = context;
    (void)part;
    for (size_t n = first; n < last; n++) {
        if (has_row(plan, n)) {
            level_mirror_row(plan->hierarchy.level, 3, n);
        }
    }
}

static void changing_range(const void* context, uint32_t part, size_t first, size_t last) {
    const taut_plan* plan = context;
    (void)part;
    for (size_t n = first; n < last; n++) {
        double* own = plan->fields.changing_block + 6 * n;
        if (has_row(plan, n)) {
            system_add_changing(&plan->fields, &plan->sizes, n, own, diagonal(plan, n));
        } else if (!plan->sizes.carries || !taut_is_mapped(&plan->sizes, (uint32_t)n)) {
            memset(own, 0, 6 * sizeof *own);
        }
    }
}

static void carried_range(const void* context, uint32_t part, size_t first, size_t last) {
    const taut_plan* plan = context;
    (void)part;
    for (size_t n = first; n < last; n++) {
        system_changing(&plan->fields, &plan->sizes, n, plan->fields.changing_block + 6 * n);
    }
}

static void make_lasting(const taut_plan* plan) {
    cpu_system_paths(plan);
    cpu_for(plan, 0, plan->hierarchy.level->s.nodes, LEVEL_PARALLEL_FROM, CPU_CHOOSE(lasting_range), plan);
    cpu_for(plan, 0, plan->hierarchy.level->s.nodes, LEVEL_PARALLEL_FROM, mirror_range, plan);
}

static void add_changing(const taut_plan* plan) {
    if (is_changing(&plan->sizes)) {
        cpu_for_carried(plan, LEVEL_PARALLEL_FROM, carried_range, plan);
        cpu_for(plan, 0, plan->hierarchy.level->s.nodes, LEVEL_PARALLEL_FROM, changing_range, plan);
    }
}

void system_make_lasting(taut_backend_state* state) {
    make_lasting(state->plan);
    state->matrix_lasts = true;
}

void system_make(taut_backend_state* state) {
    const taut_plan* plan = state->plan;
    if (!state->matrix_lasts) {
        system_make_lasting(state);
    }
    add_changing(plan);
    state->matrix_lasts = false;
}

static void renewed_range(const void* context, uint32_t part, size_t first, size_t last) {
    const taut_plan* plan = context;
    (void)part;
    for (size_t n = first; n < last; n++) {
        if (has_row(plan, n)) {
            system_renew_changing(&plan->fields, &plan->sizes, plan->hierarchy.level, n);
        }
    }
}

void system_renew(const taut_plan* plan) {
    cpu_for_carried(plan, LEVEL_PARALLEL_FROM, carried_range, plan);
    cpu_for(plan, 0, plan->hierarchy.level->s.nodes, LEVEL_PARALLEL_FROM, renewed_range, plan);
}

void system_make_again(const taut_plan* plan) {
    make_lasting(plan);
    add_changing(plan);
}

static void blocks_range(const void* context, uint32_t part, size_t first, size_t last) {
    const taut_plan* plan = context;
    (void)part;
    for (size_t n = first; n < last; n++) {
        const double* a = has_row(plan, n) ? diagonal(plan, n) : NULL;
        double block[6] = {0};
        for (int i = 0; a != NULL && i < 3; i++) {
            block[i] = a[4 * i];
            block[3 + i] = a[3 * ((i + 1) % 3) + (i + 2) % 3];
        }
        condense_invert_block(&plan->fields, n, block);
    }
}

void system_invert_blocks(const taut_plan* plan) {
    cpu_for(plan, 0, plan->hierarchy.level->s.nodes, LEVEL_PARALLEL_FROM, blocks_range, plan);
}
