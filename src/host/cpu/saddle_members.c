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

/* A member that is eliminated: its supports, its rows and what is kept of them. */
typedef struct member_view {
    uint32_t support, supports, rows, coupled; /* `coupled`: rows but factor rows */
    double *row, *weight, *part, *side;
    const uint32_t* unknown;
    const saddle_block* pair;
} member_view;

static member_view view_member(const saddle_solver* d, size_t m) {
    const taut_system* h = &d->plan->hierarchy.system;
    const uint32_t begin = d->member_begin[m];
    return (member_view){.support = h->support_begin[m],
                         .supports = h->support_begin[m + 1] - h->support_begin[m],
                         .rows = d->member_begin[m + 1] - begin,
                         .coupled = d->member_coupled[m],
                         .row = d->row_value + d->row_begin[m],
                         .weight = d->weight_value + d->weight_begin[m],
                         .part = d->part + begin,
                         .side = d->side + begin,
                         .unknown = d->member_unknown + begin,
                         .pair = d->pair_block + d->pair_begin[m]};
}

static double* row_of(const member_view* v, uint32_t r) {
    return v->row + 4 * (size_t)v->supports * r;
}

/* ---- the matrix -------------------------------------------------------------------------------------------------- */

/* K at a support; 0 where its node is fixed. */
static void load_support(const saddle_solver* d, const member_view* v, uint32_t i) {
    const taut_fields* f = &d->plan->fields;
    const taut_system* h = &d->plan->hierarchy.system;
    const bool moves = f->inverse_mass[h->support_node[v->support + i]] > 0;
    double rows[TAUT_MAX_ROWS][3];
    system_rows(f, &d->plan->sizes, h, v->support + i, rows);
    for (uint32_t r = 0; r < v->rows; r++) {
        for (int c = 0; c < 3; c++) {
            row_of(v, r)[4 * i + (uint32_t)c] = moves ? rows[r][c] : 0;
        }
    }
}

/* L and 1/D of Wt + E. Factor rows have unit compliance. */
static void factor_weight(const saddle_solver* d, const member_view* v, size_t m) {
    const taut_fields* f = &d->plan->fields;
    const taut_sizes* s = &d->plan->sizes;
    size_t c;
    const int k = kind_of_given(s, (uint32_t)m, &c);
    const float* weight = f->kinds[k].weight + c * taut_kind_shapes[k].packed;
    for (uint32_t i = 0; i < v->coupled; i++) {
        double* l = v->weight + packed_index(i, 0);
        for (uint32_t j = 0; j <= i; j++) {
            double sum = (double)weight[packed_index(i, j)] + (i == j ? saddle_shift(d->plan, v->unknown[i]) : 0);
            for (uint32_t q = 0; q < j; q++) {
                sum -= l[q] * v->weight[packed_index(j, q)] / v->part[q];
            }
            l[j] = i == j ? sum : sum * v->part[j];
        }
        v->part[i] = 1 / l[i];
    }
    for (uint32_t i = v->coupled; i < v->rows; i++) {
        v->part[i] = 1 / (1 + saddle_shift(d->plan, v->unknown[i]));
    }
}

static void take_member(const saddle_solver* d, size_t m) {
    const member_view v = view_member(d, m);
    const size_t width = 4 * (size_t)v.supports;
    for (uint32_t i = 0; i < v.supports; i++) {
        load_support(d, &v, i);
    }
    factor_weight(d, &v, m);
    for (uint32_t r = 1; r < v.coupled; r++) {
        for (uint32_t q = 0; q < r; q++) {
            const double l = v.weight[packed_index(r, q)];
            for (size_t i = 0; l != 0 && i < width; i++) {
                row_of(&v, r)[i] -= l * row_of(&v, q)[i];
            }
        }
    }
}

static void take_range(const void* context, uint32_t part, size_t first, size_t last) {
    const saddle_solver* d = context;
    (void)part;
    for (size_t m = first; m < last; m++) {
        if (saddle_eliminates(d, m)) {
            take_member(d, m);
        }
    }
}

/* to += K_late^T (Wt + E)^-1 K_early of two supports of a member. */
TAUT_FN_HOT void add_pair(const member_view* v, uint32_t late, uint32_t early, size_t stride, double* to) {
    quad sum[3] = {{0}};
    for (uint32_t r = 0; r < v->rows; r++) {
        const double* row = row_of(v, r);
        const quad force = v->part[r] * *(const loose_quad*)(row + 4 * late);
        for (int c = 0; c < 3; c++) {
            sum[c] += force * row[4 * early + (uint32_t)c];
        }
    }
    for (int c = 0; c < 3; c++) {
        loose_quad* column = (loose_quad*)(to + (size_t)c * stride);
        *column += sum[c]; /* 0 in the fourth row */
    }
}

TAUT_FN_HOT void add_range(const void* context, size_t first, size_t last) {
    const saddle_solver* d = context;
    for (size_t m = first; m < last; m++) {
        const member_view v = view_member(d, m);
        const saddle_block* pair = v.pair;
        for (uint32_t i = 0; saddle_eliminates(d, m) && v.rows > 0 && i < v.supports; i++) {
            for (uint32_t j = 0; j <= i; j++, pair++) {
                add_pair(&v, pair->swapped ? j : i, pair->swapped ? i : j, pair->stride,
                         d->factors->value + pair->first);
            }
        }
    }
}
CPU_RANGES(add_range)

/* Members meet in the blocks of nodes: their products are added by one thread. */
void saddle_add_members(const saddle_solver* d) {
    const size_t members = d->plan->hierarchy.system.s.members;
    const size_t count = members > 0 ? members - 1 : 0;
    cpu_for(d->plan, 0, count, CPU_PARALLEL_FROM / 4, take_range, d);
    CPU_CHOOSE(add_range)(d, 0, 0, count);
}

/* ---- right-hand side and rows ------------------------------------------------------------------------------------ */

TAUT_FN_HOT void reduce_range(const void* context, size_t first, size_t last) {
    const saddle_solver* d = context;
    const uint32_t* node = d->plan->hierarchy.system.support_node;
    for (size_t m = first; m < last; m++) {
        const member_view v = view_member(d, m);
        quad force[SADDLE_MOST_NODES] = {{0}};
        if (!saddle_eliminates(d, m)) {
            continue;
        }
        for (uint32_t r = 0; r < v.rows; r++) {
            double sum = saddle_residual(d->plan, v.unknown[r]);
            for (uint32_t q = 0; q < r && r < v.coupled; q++) {
                sum -= v.weight[packed_index(r, q)] * v.side[q];
            }
            v.side[r] = sum;
            for (uint32_t i = 0; i < v.supports; i++) {
                force[i] += v.part[r] * sum * *(const loose_quad*)(row_of(&v, r) + 4 * i);
            }
        }
        for (uint32_t i = 0; v.rows > 0 && i < v.supports; i++) {
            *(loose_quad*)(d->motion + d->node_first[node[v.support + i]]) -= force[i]; /* 0 in the fourth */
        }
    }
}
CPU_RANGES(reduce_range)

void saddle_reduce_members(const saddle_solver* d) {
    const size_t members = d->plan->hierarchy.system.s.members;
    CPU_CHOOSE(reduce_range)(d, 0, 0, members > 0 ? members - 1 : 0);
}

TAUT_FN_HOT void expand_range(const void* context, size_t first, size_t last) {
    const saddle_solver* d = context;
    const uint32_t* node = d->plan->hierarchy.system.support_node;
    for (size_t m = first; m < last; m++) {
        const member_view v = view_member(d, m);
        if (!saddle_eliminates(d, m)) {
            continue;
        }
        double delta[TAUT_MAX_ROWS];
        for (uint32_t r = 0; r < v.rows; r++) {
            quad sum = {v.side[r], 0, 0, 0};
            for (uint32_t i = 0; i < v.supports; i++) {
                sum += *(const loose_quad*)(row_of(&v, r) + 4 * i) *
                       *(const loose_quad*)(d->motion + d->node_first[node[v.support + i]]);
            }
            delta[r] = v.part[r] * ((sum[0] + sum[1]) + sum[2]);
        }
        for (uint32_t r = v.rows; r-- > 0;) {
            for (uint32_t q = r + 1; q < v.coupled; q++) {
                delta[r] -= v.weight[packed_index(q, r)] * delta[q];
            }
            d->delta[v.unknown[r]] = delta[r];
        }
    }
}
CPU_RANGES(expand_range)

void saddle_expand_members(const saddle_solver* d) {
    const size_t members = d->plan->hierarchy.system.s.members;
    cpu_for(d->plan, 0, members > 0 ? members - 1 : 0, CPU_PARALLEL_FROM / 4, CPU_CHOOSE(expand_range), d);
}
