/* Constraints on few nodes, which are eliminated before the matrix is factored:
 *
 *     H = P A P + K^T (Wt + E)^-1 K          Wt + E = L D L^T, block by block
 *     H w = -K^T (Wt + E)^-1 r,   delta = (Wt + E)^-1 (K w + r)
 *
 * All of it by L^-1 K. */
#define TAUT_REAL double
#include "kernels/stages/bounds.h"
#include "kernels/stages/system.h"

#include "host/cpu/cpu_parallel.h"
#include "host/cpu/cpu_registers.h"
#include "host/cpu/cpu_saddle_pattern.h"
#include "host/cpu/cpu_supernodes.h"

#include <string.h>

static double* row_of(const saddle_solver* d, const saddle_member* m, uint32_t r) {
    return d->row_value + m->row + 4 * (size_t)m->slots * r;
}

/* ---- the matrix -------------------------------------------------------------------------------------------------- */

/* K at a slot; 0 where its node is fixed. */
static void load_slot(const saddle_solver* d, const saddle_member* m, uint32_t i) {
    const taut_fields* f = &d->plan->fields;
    const taut_system* h = &d->plan->hierarchy.system;
    const bool moves = f->inverse_mass[h->support_node[m->support[i]]] > 0;
    double rows[TAUT_MAX_ROWS][3];
    system_rows(f, &d->plan->sizes, h, m->support[i], rows);
    for (uint32_t r = 0; r < m->rows; r++) {
        for (int c = 0; c < 3; c++) {
            row_of(d, m, r)[4 * i + (uint32_t)c] = moves ? rows[r][c] : 0;
        }
    }
}

/* L and 1/D of Wt + E. Factor rows have unit compliance. */
static void factor_weight(const saddle_solver* d, const saddle_member* m) {
    const taut_fields* f = &d->plan->fields;
    double *all = d->weight_value + m->weight, *part = d->part + m->unknown;
    const uint32_t* unknown = d->unknown + m->unknown;
    size_t c;
    const int k = kind_of_given(&d->plan->sizes, m->member, &c);
    const float* weight = f->kinds[k].weight + c * taut_kind_shapes[k].packed;
    for (uint32_t i = 0; i < m->coupled; i++) {
        double* l = all + packed_index(i, 0);
        for (uint32_t j = 0; j <= i; j++) {
            double sum = (double)weight[packed_index(i, j)] + (i == j ? saddle_shift(d->plan, unknown[i]) : 0);
            for (uint32_t q = 0; q < j; q++) {
                sum -= l[q] * all[packed_index(j, q)] / part[q];
            }
            l[j] = i == j ? sum : sum * part[j];
        }
        part[i] = 1 / l[i];
    }
    for (uint32_t i = m->coupled; i < m->rows; i++) {
        part[i] = 1 / (1 + saddle_shift(d->plan, unknown[i]));
    }
}

static void take_member(const saddle_solver* d, const saddle_member* m) {
    const size_t width = 4 * (size_t)m->slots;
    for (uint32_t i = 0; i < m->slots; i++) {
        load_slot(d, m, i);
    }
    factor_weight(d, m);
    for (uint32_t r = 1; r < m->coupled; r++) {
        for (uint32_t q = 0; q < r; q++) {
            const double l = d->weight_value[m->weight + packed_index(r, q)];
            for (size_t i = 0; l != 0 && i < width; i++) {
                row_of(d, m, r)[i] -= l * row_of(d, m, q)[i];
            }
        }
    }
}

static void take_range(const void* context, uint32_t part, size_t first, size_t last) {
    const saddle_solver* d = context;
    (void)part;
    for (size_t i = first; i < last; i++) {
        take_member(d, d->members + i);
    }
}

/* Adds K^T (Wt + E)^-1 K of slot `late` with those of [from, to) that are not behind it. */
TAUT_FN_HOT void add_slot(const saddle_solver* d, const saddle_member* m, int late, int from, int to) {
    const saddle_block* pair = d->pair_block + m->pair + late * (late + 1) / 2;
    const double *row = d->row_value + m->row, *part = d->part + m->unknown;
    quad sum[SADDLE_MOST_NODES][3];
#pragma GCC unroll 12
    for (int i = 0; i < 3 * (late + 1); i++) {
        sum[i / 3][i % 3] = (quad){0};
    }
    for (uint32_t r = 0; r < m->rows; r++, row += 4 * (size_t)m->slots) {
        const quad force = part[r] * *(const loose_quad*)(row + 4 * late);
#pragma GCC unroll 12
        for (int i = 0; i < 3 * (late + 1); i++) {
            sum[i / 3][i % 3] += force * row[4 * (i / 3) + i % 3];
        }
    }
#pragma GCC unroll 12
    for (int i = 0; i < 3 * (late + 1); i++) {
        const size_t column = pair[i / 3].first + (size_t)(i % 3) * pair[i / 3].stride;
        if (i / 3 >= from && i / 3 < to) {
            *(loose_quad*)(d->factors->value + column) += sum[i / 3][i % 3]; /* 0 in the fourth row */
        }
    }
}

/* Asks the caches for the blocks of a member: they are far from each other. */
TAUT_FN_HOT void fetch_blocks(const saddle_solver* d, const saddle_member* m) {
    const saddle_block* pair = d->pair_block + m->pair;
    for (uint32_t i = 0; i < m->slots * (m->slots + 1) / 2; i++) {
        for (size_t c = 0; c < 3; c++) {
            __builtin_prefetch(d->factors->value + pair[i].first + c * pair[i].stride, 1);
        }
    }
}

#define AHEAD 4 /* members */

TAUT_FN_HOT void add_member(const saddle_solver* d, const saddle_member* m, int from, int to) {
    if (m->slots > 0) {
        add_slot(d, m, 0, from, to);
    }
    if (m->slots > 1) {
        add_slot(d, m, 1, from, to);
    }
    if (m->slots > 2) {
        add_slot(d, m, 2, from, to);
    }
    if (m->slots > 3) {
        add_slot(d, m, 3, from, to);
    }
}

/* Members [first, last) of a list. */
TAUT_FN_HOT void add_list(const saddle_solver* d, size_t first, size_t last) {
    for (size_t i = first; i < last; i++) {
        if (i + AHEAD < last) {
            fetch_blocks(d, d->members + i + AHEAD);
        }
        add_member(d, d->members + i, 0, SADDLE_MOST_NODES);
    }
}

/* Slots of a member of part i that are within it. */
static int slots_within(const saddle_solver* d, const saddle_member* m, size_t i) {
    const uint32_t end = d->factors->first[d->factors->parts.end[i]];
    int count = 0;
    while (count < (int)m->slots && m->first[count] < end) {
        count++;
    }
    return count;
}

/* What members of parts of the tree add to the columns of these: nobody else does. */
TAUT_FN_HOT void add_range(const void* context, size_t first, size_t last) {
    const saddle_solver* d = context;
    for (size_t i = first; i < last; i++) {
        add_list(d, d->list_begin[2 * i], d->list_begin[2 * i + 1]);
        for (size_t e = d->list_begin[2 * i + 1]; e < d->list_begin[2 * i + 2]; e++) {
            add_member(d, d->members + e, 0, slots_within(d, d->members + e, i));
        }
    }
}
CPU_RANGES(add_range)

/* What all members add to the columns above the parts. */
TAUT_FN_HOT void add_above(const saddle_solver* d) {
    const size_t parts = d->factors->parts.count;
    for (size_t i = 0; i < parts; i++) {
        for (size_t e = d->list_begin[2 * i + 1]; e < d->list_begin[2 * i + 2]; e++) {
            add_member(d, d->members + e, slots_within(d, d->members + e, i), SADDLE_MOST_NODES);
        }
    }
    add_list(d, d->list_begin[2 * parts], d->eliminated);
}

static void add_above_narrow(const saddle_solver* d) {
    add_above(d);
}

CPU_WIDE static void add_above_wide(const saddle_solver* d) {
    add_above(d);
}

void saddle_add_members(const saddle_solver* d) {
    cpu_for(d->plan, 0, d->eliminated, CPU_PARALLEL_FROM / 4, take_range, d);
    cpu_for(d->plan, 0, d->factors->parts.count, 1, CPU_CHOOSE(add_range), d);
    CPU_CHOOSE(add_above)(d);
}

/* ---- right-hand side and rows ------------------------------------------------------------------------------------ */

TAUT_FN_HOT double residual_of(const taut_plan* plan, size_t unknown) {
    const taut_fields* f = &plan->fields;
    return f->inverse_diagonal[unknown] > 0 && !is_passed_over(f, &plan->sizes, unknown) ? f->wide[unknown] : 0;
}

double saddle_residual(const taut_plan* plan, size_t unknown) {
    return residual_of(plan, unknown);
}

/* L^-1 of the residuals of a member. */
TAUT_FN_HOT void find_side(const saddle_solver* d, const saddle_member* m) {
    double* side = d->side + m->unknown;
    for (uint32_t r = 0; r < m->rows; r++) {
        double sum = residual_of(d->plan, d->unknown[m->unknown + r]);
        for (uint32_t q = 0; q < r && r < m->coupled; q++) {
            sum -= d->weight_value[m->weight + packed_index(r, q)] * side[q];
        }
        side[r] = sum;
    }
}

/* What slots [from, to) get of it. */
TAUT_FN_HOT void reduce_slots(const saddle_solver* d, const saddle_member* m, uint32_t from, uint32_t to) {
    const double *row = d->row_value + m->row, *part = d->part + m->unknown, *side = d->side + m->unknown;
    quad force[SADDLE_MOST_NODES] = {{0}};
    for (uint32_t r = 0; r < m->rows; r++, row += 4 * (size_t)m->slots) {
        for (uint32_t i = 0; i < m->slots; i++) {
            force[i] += part[r] * side[r] * *(const loose_quad*)(row + 4 * i);
        }
    }
    for (uint32_t i = from; i < to && i < m->slots; i++) {
        for (uint32_t c = 0; c < 3; c++) {
            d->motion[m->first[i] + c] -= force[i][c];
        }
    }
}

TAUT_FN_HOT void reduce_range(const void* context, size_t first, size_t last) {
    const saddle_solver* d = context;
    for (size_t i = first; i < last; i++) {
        for (size_t e = d->list_begin[2 * i]; e < d->list_begin[2 * i + 2]; e++) {
            const bool within = e < d->list_begin[2 * i + 1];
            find_side(d, d->members + e);
            reduce_slots(d, d->members + e, 0,
                         within ? SADDLE_MOST_NODES : (uint32_t)slots_within(d, d->members + e, i));
        }
    }
}
CPU_RANGES(reduce_range)

TAUT_FN_HOT void reduce_above(const saddle_solver* d) {
    const size_t parts = d->factors->parts.count;
    for (size_t i = 0; i < parts; i++) {
        for (size_t e = d->list_begin[2 * i + 1]; e < d->list_begin[2 * i + 2]; e++) {
            reduce_slots(d, d->members + e, (uint32_t)slots_within(d, d->members + e, i), SADDLE_MOST_NODES);
        }
    }
    for (size_t e = d->list_begin[2 * parts]; e < d->eliminated; e++) {
        find_side(d, d->members + e);
        reduce_slots(d, d->members + e, 0, SADDLE_MOST_NODES);
    }
}

static void reduce_above_narrow(const saddle_solver* d) {
    reduce_above(d);
}

CPU_WIDE static void reduce_above_wide(const saddle_solver* d) {
    reduce_above(d);
}

void saddle_reduce_members(const saddle_solver* d) {
    cpu_for(d->plan, 0, d->factors->parts.count, 1, CPU_CHOOSE(reduce_range), d);
    CPU_CHOOSE(reduce_above)(d);
}

TAUT_FN_HOT void expand_range(const void* context, size_t first, size_t last) {
    const saddle_solver* d = context;
    for (size_t e = first; e < last; e++) {
        const saddle_member* m = d->members + e;
        const double *row = d->row_value + m->row, *part = d->part + m->unknown, *side = d->side + m->unknown;
        quad motion[SADDLE_MOST_NODES];
        double delta[TAUT_MAX_ROWS];
        for (uint32_t i = 0; i < m->slots; i++) {
            motion[i] = *(const loose_quad*)(d->motion + m->first[i]);
        }
        for (uint32_t r = 0; r < m->rows; r++, row += 4 * (size_t)m->slots) {
            quad sum = {side[r], 0, 0, 0};
            for (uint32_t i = 0; i < m->slots; i++) {
                sum += *(const loose_quad*)(row + 4 * i) * motion[i];
            }
            delta[r] = part[r] * ((sum[0] + sum[1]) + sum[2]);
        }
        for (uint32_t r = m->rows; r-- > 0;) {
            for (uint32_t q = r + 1; q < m->coupled; q++) {
                delta[r] -= d->weight_value[m->weight + packed_index(q, r)] * delta[q];
            }
            d->delta[d->unknown[m->unknown + r]] = delta[r];
        }
    }
}
CPU_RANGES(expand_range)

void saddle_expand_members(const saddle_solver* d) {
    cpu_for(d->plan, 0, d->eliminated, CPU_PARALLEL_FROM / 4, CPU_CHOOSE(expand_range), d);
}
