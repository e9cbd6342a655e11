#define TAUT_REAL double
#include "host/cpu/cpu_contact_duals.h"

#include "host/cpu/cpu_apply.h"
#include "host/cpu/cpu_condensed_factors.h"
#include "host/cpu/cpu_parallel.h"

#include <math.h>
#include <string.h>

/* Of the line search: the part of what a step promises that is enough, and the smallest share. */
#define DUALS_PROMISE 0.8
#define DUALS_LEAST   0.0625
/* Wh R is taken for at least this: 1/R stays finite. */
#define DUALS_STIFFEST 1e-6

bool contact_duals_serve(const cpu_residual* r) {
    return r->linear;
}

/* ---- systems of contacts ----------------------------------------------------------------------------------------- */

/* inverse = m^-1 */
static void invert_three(double m[3][3], double inverse[3][3]) {
    for (int i = 0; i < 3; i++) {
        const double *second = m[(i + 1) % 3], *third = m[(i + 2) % 3];
        double column[3];
        vec3_cross(second, third, column);
        const double det = vec3_dot(m[i], column);
        for (int k = 0; k < 3; k++) {
            inverse[k][i] = column[k] / det;
        }
    }
}

/* Of contact c: gam - K F in the place of gam, which is kept; K S Wh in H. */
static void aim(const taut_fields* f, const taut_sizes* s, size_t c) {
    const float* weight = f->kinds[TAUT_CONTACT].weight + TAUT_PACKED(contact_ROWS) * c;
    float* g = f->kinds[TAUT_CONTACT].conductance + TAUT_PACKED(contact_ROWS) * c;
    double root[3], left[3], missing[3], scaled[3][3], m[3][3], inverse[3][3];
    for (size_t r = 0; r < 3; r++) {
        const size_t i = row_of_contact(s, c, r);
        const double wh = f->free_conductance[i];
        root[r] = sqrt(wh);
        left[r] = 1 - fmin(fmax(wh * weight[packed_index(r, r)], DUALS_STIFFEST), 1.0);
        missing[r] = wh > 0 ? (f->gam[i] - f->wide[i]) / root[r] : 0;
    }
    for (size_t r = 0; r < 3; r++) {
        for (size_t k = 0; k < 3; k++) {
            const double scale = root[r] * root[k];
            scaled[r][k] = scale > 0 ? g[packed_index(r, k)] / scale : 0;
            m[r][k] = (r == k) - scaled[r][k] * left[k];
        }
    }
    invert_three(m, inverse);
    for (size_t r = 0; r < 3; r++) {
        const size_t i = row_of_contact(s, c, r);
        f->unbounded[2 * i] = f->gam[i];
        f->gam[i] -= root[r] * vec3_dot(inverse[r], missing);
        for (size_t k = 0; k <= r; k++) {
            const double column[3] = {scaled[0][k], scaled[1][k], scaled[2][k]};
            g[packed_index(r, k)] = (float)(root[r] * vec3_dot(inverse[r], column) * root[k]);
        }
    }
}

static void aim_range(const void* context, uint32_t part, size_t first, size_t last) {
    const taut_plan* plan = context;
    (void)part;
    for (size_t c = first; c < last; c++) {
        aim(&plan->fields, &plan->sizes, c);
    }
}

/* gam at the end of the step, a node vector: the motions that it makes stand in `wide` meanwhile. */
typedef struct follow_loop {
    const taut_plan* plan;
    const double* step;
} follow_loop;

static void follow_range(const void* context, uint32_t part, size_t first, size_t last) {
    const follow_loop* l = context;
    const taut_fields* f = &l->plan->fields;
    const taut_sizes* s = &l->plan->sizes;
    const size_t count = s->count[TAUT_CONTACT], row = s->first_row[TAUT_CONTACT];
    const taut_kind_fields* kind = &f->kinds[TAUT_CONTACT];
    (void)part;
    for (size_t c = first; c < last; c++) {
        double moved[3], change[3] = {0, 0, 0};
        apply_jacobian_rows_contact(kind, count, c, l->step, 4, NULL, false, f->wide + row);
        load_unknowns_f64(f->wide + row, count, contact_ROWS, c, moved);
        add_weighted(kind->conductance + TAUT_PACKED(contact_ROWS) * c, moved, contact_ROWS, change);
        for (size_t r = 0; r < contact_ROWS; r++) {
            f->gam[row_of_contact(s, c, r)] -= change[r];
        }
    }
}

static void follow(const taut_backend_state* state) {
    const taut_plan* plan = state->plan;
    double* step = cpu_force(plan); /* it has been used */
    memset(step, 0, 4 * plan->sizes.nodes * sizeof *step);
    condensed_factors_correct(state->factors, 1, step);
    cpu_spread_f64(plan, cpu_carried_levels(&plan->sizes), step, 4);
    cpu_for(plan, 0, plan->sizes.count[TAUT_CONTACT], CPU_PARALLEL_FROM / 4, follow_range, &(follow_loop){plan, step});
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

/* The step by `ratio` of its length, which has been `share`. */
static void change_share(taut_backend_state* state, cpu_residual* r, double share, double ratio) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    const size_t row = plan->sizes.first_row[TAUT_CONTACT];
    for (size_t i = row; i < row + contact_ROWS * plan->sizes.count[TAUT_CONTACT]; i++) {
        f->gam[i] = f->unbounded[2 * i] + ratio * (f->gam[i] - f->unbounded[2 * i]);
    }
    condensed_factors_correct(state->factors, (ratio - 1) * share, cpu_motion(plan));
    cpu_residual_cut(r, ratio);
}

/* Halves the step while it lowers F^2 by too little. Where no share does, the best one is taken: it leads elsewhere. */
static void search_share(taut_backend_state* state, cpu_residual* r, double before) {
    const double enough = cpu_residual_enough(r);
    double share = 1, best_share = 1, best = r->rows2;
    while (share > DUALS_LEAST && best > enough * enough && best > (1 - DUALS_PROMISE * best_share) * before) {
        change_share(state, r, share, 0.5);
        share /= 2;
        if (r->rows2 < best) {
            best = r->rows2;
            best_share = share;
        }
    }
    if (best_share != share) {
        change_share(state, r, share, best_share / share);
    }
}

void contact_duals_step(taut_backend_state* state, cpu_residual* r, bool first) {
    const taut_plan* plan = state->plan;
    const double before = r->rows2;
    cpu_for(plan, 0, plan->sizes.count[TAUT_CONTACT], CPU_PARALLEL_FROM / 4, aim_range, plan);
    cpu_residual_pull(r);
    condensed_factors_step(state->factors, cpu_force(plan), cpu_motion(plan), plan->fields.node_delta);
    condensed_factors_correct(state->factors, 1, cpu_motion(plan));
    follow(state);
    cpu_residual_step(r, plan->fields.node_delta, 1);
    if (!first) { /* before it, motion and impulses were in no balance */
        search_share(state, r, before);
    }
    if (!r->exact) { /* what hard rows bear is in balance with the impulses now */
        cpu_residual_follow_lasting(r);
    }
    cpu_residual_measure_rows(r);
}
