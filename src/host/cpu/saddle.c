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
    taut_status status = saddle_layout(d, most);
    status = status == TAUT_OK ? saddle_added_make(d) : status;
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
    return d->factors->factor_values;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static void fill_node(const saddle_solver* d, size_t n) {
    const taut_fields* f = &d->plan->fields;
    const saddle_block block = d->node_block[n];
    for (int a = 0; a < 3; a++) {
        double unit[3] = {a == 0, a == 1, a == 2}, mass[3] = {a == 0, a == 1, a == 2};
        if (f->inverse_mass[n] > 0) {
            node_mass(f, &d->plan->sizes, n, unit, mass);
        }
        for (int b = a; b < 3; b++) {
            d->factors->value[block.first + (size_t)a * block.stride + (size_t)b] += mass[b];
        }
    }
}

/* A pivot that leaves nothing of an unknown. */
#define NO_MORE 1e30

/* One without a diagonal is solved for nothing: it keeps a pivot. */
double saddle_shift(const taut_plan* plan, size_t unknown) {
    const taut_fields* f = &plan->fields;
    if (is_passed_over(f, &plan->sizes, unknown)) {
        return NO_MORE;
    }
    return f->inverse_diagonal[unknown] > 0 ? SADDLE_SHIFT / f->inverse_diagonal[unknown] : 1;
}

/* Rows of K at one support of a member that is kept; 0 where its node is fixed. */
static void fill_support(const saddle_solver* d, uint32_t support) {
    const taut_fields* f = &d->plan->fields;
    const taut_system* h = &d->plan->hierarchy.system;
    const saddle_block block = d->support_block[support];
    const bool moves = f->inverse_mass[h->support_node[support]] > 0;
    double rows[TAUT_MAX_ROWS][3];
    const int count = system_rows(f, &d->plan->sizes, h, support, rows);
    for (int r = 0; r < count && moves; r++) {
        for (int c = 0; c < 3; c++) {
            const size_t column = (size_t)(block.swapped ? r : c), row = (size_t)(block.swapped ? c : r);
            d->factors->value[block.first + column * block.stride + row] = rows[r][c];
        }
    }
}

/* A member that is kept: -(Wt + E), and its supports. */
static void fill_kept(const saddle_solver* d, const saddle_member* m) {
    const taut_system* h = &d->plan->hierarchy.system;
    const saddle_block block = d->kept_block[m->member];
    size_t c;
    const int k = kind_of_given(&d->plan->sizes, m->member, &c);
    const float* weight = d->plan->fields.kinds[k].weight + c * taut_kind_shapes[k].packed;
    for (uint32_t b = 0; b < m->rows; b++) {
        double* column = d->factors->value + block.first + b * block.stride;
        for (uint32_t a = b; a < m->rows; a++) {
            column[a] = a < m->coupled ? -(double)weight[packed_index(a, b)] : 0;
        }
        column[b] -= (b < m->coupled ? 0 : 1) + saddle_shift(d->plan, d->unknown[m->unknown + b]);
    }
    for (uint32_t i = h->support_begin[m->member]; i < h->support_begin[m->member + 1]; i++) {
        fill_support(d, i);
    }
}

static void fill_values(const saddle_solver* d) {
    const taut_plan* plan = d->plan;
    cpu_system_paths(plan);
    supernodes_clear(d->factors);
    for (size_t i = d->eliminated; i < d->member_count; i++) {
        fill_kept(d, d->members + i);
    }
    saddle_add_members(d);
    for (size_t n = 0; n < plan->sizes.nodes; n++) {
        if (d->node_first[n] != SADDLE_NONE) {
            fill_node(d, n);
        }
    }
}

/* ---- factors ----------------------------------------------------------------------------------------------------- */

void saddle_factor(saddle_solver* d) {
    fill_values(d);
    d->factored = supernodes_factor(d->factors);
    saddle_added_factor(d);
}

/* Right-hand sides and delta of members that are kept are among the unknowns of the factors. */
static void solve_kept(const saddle_solver* d, bool solved) {
    for (size_t e = d->eliminated; e < d->member_count; e++) {
        const saddle_member* m = d->members + e;
        double* value = d->motion + d->kept_first[m->member];
        for (uint32_t r = 0; r < m->rows; r++) {
            const uint32_t unknown = d->unknown[m->unknown + r];
            if (solved) {
                d->delta[unknown] = value[r];
            } else {
                value[r] = -saddle_residual(d->plan, unknown);
            }
        }
    }
}

void saddle_solve_given(saddle_solver* d) {
    memset(d->motion, 0, d->unknowns * sizeof(double));
    if (d->factored) {
        solve_kept(d, false);
        saddle_reduce_members(d);
        supernodes_solve(d->factors, d->motion);
        solve_kept(d, true);
        saddle_expand_members(d);
    }
}

void saddle_solve(saddle_solver* d) {
    saddle_solve_given(d);
    if (d->factored && d->added.count > 0) {
        for (size_t i = 0; i < d->added.count; i++) {
            d->delta[d->added.row[i]] = 0;
        }
        saddle_added_solve(d);
    }
}

void saddle_correct(const saddle_solver* d, double sign) {
    const taut_fields* f = &d->plan->fields;
    for (size_t i = 0; i < d->plan->sizes.unknowns && d->factored; i++) {
        f->gam[i] += sign * d->delta[i];
    }
}

void saddle_store(const saddle_solver* d, float* delta) {
    for (size_t i = 0; i < d->plan->sizes.unknowns; i++) {
        delta[i] = d->factored ? (float)d->delta[i] : 0;
    }
}
