/* The numbers of the direct method: values of the matrix, factors, solutions. */
#define TAUT_REAL double
#include "kernels/stages/bounds.h"
#include "kernels/stages/system.h"

#include "host/cpu/cpu_state.h"
#include "host/cpu/cpu_supernodes.h"

#include <string.h>

/* E relative to the diagonal of S. An outer iteration leaves E / (lam + E) of an error with the eigenvalue lam,
 * relative likewise: 0.5 of the slowest of a chain under 1e5 times its weight, 1e-5 of the usual. What rows eliminated
 * before their nodes lose is the unit roundoff over E, 1e-5 of soft motions, which the next outer iteration mends as
 * well. */
#define SADDLE_SHIFT 1e-11

taut_status taut_direct_available(void) {
    return TAUT_OK;
}

taut_status saddle_make(const taut_plan* plan, const taut_allocator* allocator, double most, saddle_solver** out) {
    saddle_solver* d = taut_allocate(allocator, sizeof *d);
    if (d == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    d->allocator = *allocator;
    d->pool.allocator = &d->allocator;
    d->plan = plan;
    const taut_status status = saddle_layout(d, most);
    if (status != TAUT_OK) {
        saddle_free(d);
        return status;
    }
    *out = d;
    return TAUT_OK;
}

void saddle_free(saddle_solver* d) {
    if (d != NULL) {
        const taut_allocator allocator = d->allocator;
        saddle_release(&d->pool);
        taut_release(&allocator, d, sizeof *d);
    }
}

size_t saddle_factor_values(const saddle_solver* d) {
    return d->factor_values;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* Rows of K at one support; 0 where its node is fixed. */
static void fill_support(const saddle_solver* d, uint32_t support) {
    const taut_fields* f = &d->plan->fields;
    const taut_system* h = &d->plan->hierarchy.system;
    const saddle_index node = d->node_first[h->support_node[support]];
    const saddle_index member = d->member_first[h->support_member[support]];
    const bool moves = f->inverse_mass[h->support_node[support]] > 0;
    double rows[TAUT_MAX_ROWS][3];
    if (member == SADDLE_NONE) {
        return;
    }
    const int count = system_rows(f, &d->plan->sizes, h, support, rows);
    for (int r = 0; r < count; r++) {
        for (int c = 0; c < 3; c++) {
            const bool node_first = node < member;
            const saddle_index column = node_first ? member + r : node + c, place = node_first ? c : r;
            d->value[d->begin[column] + d->support_place[support] + place] = moves ? rows[r][c] : 0;
        }
    }
}

/* The values on and above the diagonal in the column of an unknown, those of its own node or constraint. */
static double* own_values(const saddle_solver* d, saddle_index first, saddle_index a) {
    return d->value + d->begin[first + a + 1] - (a + 1);
}

static void fill_node(const saddle_solver* d, size_t n) {
    const taut_fields* f = &d->plan->fields;
    for (int a = 0; a < 3; a++) {
        double unit[3] = {a == 0, a == 1, a == 2}, mass[3] = {a == 0, a == 1, a == 2};
        if (f->inverse_mass[n] > 0) {
            node_mass(f, &d->plan->sizes, n, unit, mass);
        }
        memcpy(own_values(d, d->node_first[n], a), mass, ((size_t)a + 1) * sizeof(double));
    }
}

/* A pivot that leaves nothing of an unknown. */
#define NO_MORE 1e30

/* E of an unknown of the world. One without a diagonal is solved for nothing: it keeps a pivot. */
static double shift_of(const taut_fields* f, const taut_sizes* s, size_t unknown) {
    if (is_passed_over(f, s, unknown)) {
        return NO_MORE;
    }
    return f->inverse_diagonal[unknown] > 0 ? SADDLE_SHIFT / f->inverse_diagonal[unknown] : 1;
}

/* -(Wt + E) of a constraint. */
static void fill_member(const saddle_solver* d, uint32_t member) {
    const taut_fields* f = &d->plan->fields;
    const taut_sizes* s = &d->plan->sizes;
    const saddle_index first = d->member_first[member];
    size_t c;
    const taut_kind k = (taut_kind)kind_of_given(s, member, &c);
    const int rows = (int)taut_kind_shapes[k].rows, size = (int)taut_kind_unknowns(k, s->has_factor_rows);
    const float* weight = f->kinds[k].weight + c * taut_kind_shapes[k].packed;
    for (int a = 0; a < size; a++) {
        double* own = own_values(d, first, a);
        for (int b = 0; b <= a; b++) {
            own[b] = a < rows ? -(double)weight[packed_index((size_t)a, (size_t)b)] : 0;
        }
        own[a] -= (a < rows ? 0 : 1) + shift_of(f, s, (size_t)d->unknown[first + a]);
    }
}

static void fill_supports(const void* context, uint32_t part, size_t first, size_t last) {
    (void)part;
    for (size_t i = first; i < last; i++) {
        fill_support(context, (uint32_t)i);
    }
}

static void fill_nodes(const void* context, uint32_t part, size_t first, size_t last) {
    const saddle_solver* d = context;
    (void)part;
    for (size_t n = first; n < last; n++) {
        if (d->node_first[n] != SADDLE_NONE) {
            fill_node(d, n);
        }
    }
}

static void fill_members(const void* context, uint32_t part, size_t first, size_t last) {
    const saddle_solver* d = context;
    (void)part;
    for (size_t m = first; m < last; m++) {
        if (d->member_first[m] != SADDLE_NONE) {
            fill_member(d, (uint32_t)m);
        }
    }
}

static void fill_values(const saddle_solver* d) {
    const taut_plan* plan = d->plan;
    const taut_system* h = &plan->hierarchy.system;
    const size_t supports = h->s.supports, nodes = plan->sizes.nodes;
    const size_t members = h->s.members > 0 ? h->s.members - 1 : 0;
    cpu_system_paths(plan);
    const size_t alone = supports > CPU_PARALLEL_FROM ? 0 : SIZE_MAX;
    cpu_for(plan, 0, supports, alone, fill_supports, d);
    cpu_for(plan, 0, nodes, alone, fill_nodes, d);
    cpu_for(plan, 0, members, alone, fill_members, d);
}

/* ---- factors ----------------------------------------------------------------------------------------------------- */

void saddle_factor(saddle_solver* d) {
    fill_values(d);
    d->factored = supernodes_factor(d->factors, d->value);
}

void saddle_solve(saddle_solver* d) {
    const taut_fields* f = &d->plan->fields;
    for (size_t i = 0; i < d->unknowns; i++) {
        const saddle_index unknown = d->unknown[i];
        const bool solved = d->factored && unknown != SADDLE_NONE && f->inverse_diagonal[unknown] > 0;
        d->delta[i] = solved && !is_passed_over(f, &d->plan->sizes, (size_t)unknown) ? -f->wide[unknown] : 0;
    }
    if (d->factored) {
        supernodes_solve(d->factors, d->delta);
    }
}

void saddle_correct(const saddle_solver* d, double sign) {
    const taut_fields* f = &d->plan->fields;
    for (size_t i = 0; i < d->unknowns && d->factored; i++) {
        if (d->unknown[i] != SADDLE_NONE) {
            f->gam[d->unknown[i]] += sign * d->delta[i];
        }
    }
}

void saddle_store(const saddle_solver* d, float* delta) {
    memset(delta, 0, d->plan->sizes.unknowns * sizeof(float));
    for (size_t i = 0; i < d->unknowns && d->factored; i++) {
        if (d->unknown[i] != SADDLE_NONE) {
            delta[d->unknown[i]] = (float)d->delta[i];
        }
    }
}
