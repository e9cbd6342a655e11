/* The adjoint of one step. With x_t, v_t of the exact step and its residuals
 *     r_u = M (dv + h a0 v_t) - h f(x_t, v_t) - J(x_t)^T gam,    r_c = C gam / h + phi(x_t) + d J(x_t) v_t
 * (a0: mass damping; r_u = 0 and r_c = 0 is the step), the adjoint variables solve
 *     [ A^T   B^T      ] [ p ]   [ h beta dL/dx' + dL/dv' ]
 *     [ J    -C/(h l)  ] [ q ] = [ 0                      ]
 *     A = dr_u/d(dv),   B = (dr_c/d(dv)) / l = J + (alpha beta h d / l) H v_t,   H_r the second derivatives of row r
 * and then dL/dz = (what x' and v' have of z) - p.dr_u/dz - (q/l).dr_c/dz of all that the step depends on. */
#define TAUT_REAL double
#include "kernels/stages/assemble.h"

#include "host/cpu/cpu_adjoint_contacts.h"
#include "host/cpu/cpu_adjoint_system.h"
#include "host/cpu/cpu_state.h"
#include "model/constraint_matrices.h"

#include <string.h>

struct taut_adjoint {
    taut_allocator allocator;
    const taut_plan* plan;
    adjoint_system system;
    bool* held;      /* unknowns in the order of elimination */
    double *x, *v;   /* nodes x 3: x_t, v_t */
    double *dx, *dv; /* nodes x 3: p.dr_u/dx_t + (q/l).dr_c/dx_t; likewise by v_t */
};

/* ---- memory ------------------------------------------------------------------------------------------------------ */

#define TAKE(to, count) ((to) = saddle_take(&a->system.pool, (count), sizeof *(to)), (to) != NULL)

taut_status cpu_adjoint_make(taut_backend_state* state, taut_adjoint** out) {
    taut_adjoint* a = taut_allocate(&state->allocator, sizeof *a);
    if (a == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    a->allocator = state->allocator;
    a->plan = state->plan;
    taut_status status = adjoint_open(a->plan, &a->allocator, &a->system);
    const size_t values = 3 * a->plan->sizes.nodes;
    if (status == TAUT_OK && !(TAKE(a->held, a->system.unknowns) && TAKE(a->x, values) && TAKE(a->v, values) &&
                               TAKE(a->dx, values) && TAKE(a->dv, values))) {
        status = TAUT_OUT_OF_MEMORY;
    }
    if (status != TAUT_OK) {
        cpu_adjoint_free(a);
        return status;
    }
    *out = a;
    return TAUT_OK;
}

void cpu_adjoint_free(taut_adjoint* a) {
    if (a != NULL) {
        const taut_allocator allocator = a->allocator;
        saddle_release(&a->system.pool);
        taut_release(&allocator, a, sizeof *a);
    }
}

/* ---- one constraint ---------------------------------------------------------------------------------------------- */

/* What the matrix and the derivatives have of constraint c of a kind, over the coordinates of its nodes. */
typedef struct piece {
    taut_kind kind;
    size_t c, coordinates, rows;
    saddle_index unknown[ADJOINT_MOST];
    double damping, length;                      /* d and l, s */
    constraint_matrices matrices;                /* J, and G of the impulses */
    double bent[6][ADJOINT_MOST];                /* H_r v_t */
    double stiffness[12][12], viscosity[12][12]; /* df/dx, df/dv of a force element */
} piece;

/* Values of the nodes of a piece. */
static void gather_piece(const piece* p, const double* vectors, double* out) {
    for (size_t i = 0; i < p->coordinates; i++) {
        out[i] = vectors[p->unknown[i]];
    }
}

static void bend_rows(const double* x, const double* v, const double* rest, piece* p) {
    memset(p->bent, 0, sizeof p->bent);
    for (size_t r = 0; p->damping > 0 && r < p->rows; r++) {
        double unit[6] = {0};
        constraint_matrices of_row;
        unit[r] = 1;
        constraint_rows(p->kind, x, rest, unit, &of_row);
        for (size_t i = 0; i < p->coordinates; i++) {
            for (size_t j = 0; j < p->coordinates; j++) {
                p->bent[r][i] += of_row.curvature[i][j] * v[j];
            }
        }
    }
}

/* False where the constraint is absent. */
static bool make_piece(const taut_adjoint* a, const taut_factors* step, const double* gam, int k, size_t c, piece* p) {
    const taut_kind_fields* f = &a->plan->fields.kinds[k];
    const taut_kind_shape* shape = &taut_kind_shapes[k];
    double x[ADJOINT_MOST], v[ADJOINT_MOST];
    if (is_absent(f, c)) {
        return false;
    }
    p->kind = (taut_kind)k;
    p->c = c;
    p->coordinates = 3 * (size_t)shape->nodes;
    p->rows = shape->rows;
    adjoint_unknowns(a->plan, k, c, p->unknown);
    gather_piece(p, a->x, x);
    gather_piece(p, a->v, v);
    const double* rest = f->rest + shape->rest * c;
    if (p->rows == 0) {
        element_tangent(p->kind, x, v, rest, p->stiffness);
        element_viscosity(p->kind, x, v, rest, p->viscosity);
        return true;
    }
    const taut_law* law = law_of(f, c, step);
    p->damping = damping_of(f, c, law);
    p->length = row_scale(f, c, law) / step->h;
    constraint_rows(p->kind, x, rest, gam + a->plan->sizes.first_row[k] + p->rows * c, &p->matrices);
    bend_rows(x, v, rest, p);
    return true;
}

/* ---- the matrix -------------------------------------------------------------------------------------------------- */

static void add_element(taut_adjoint* a, const taut_factors* step, const piece* p) {
    const double h = step->h, by_x = step->alpha * step->beta * h * h, by_v = step->alpha * h;
    for (size_t i = 0; i < p->coordinates; i++) {
        for (size_t j = 0; j < p->coordinates; j++) {
            const double value = -by_x * p->stiffness[j][i] - by_v * p->viscosity[j][i];
            adjoint_add(&a->system, (size_t)p->unknown[i], (size_t)p->unknown[j], value);
        }
    }
}

/* C/(h l) */
static void add_compliance(taut_adjoint* a, const taut_factors* step, const piece* p) {
    const double* packed = a->plan->fields.kinds[p->kind].compliance + (size_t)taut_kind_shapes[p->kind].packed * p->c;
    const saddle_index* row = p->unknown + p->coordinates;
    for (size_t r = 0; r < p->rows; r++) {
        for (size_t q = 0; q < p->rows; q++) {
            adjoint_add(&a->system, (size_t)row[r], (size_t)row[q],
                        -packed[packed_index(r, q)] / (step->h * p->length));
        }
    }
}

static void add_rows(taut_adjoint* a, const taut_factors* step, const piece* p) {
    const double curved = step->alpha * step->beta * step->h, bent = curved * p->damping / p->length;
    const float* inverse_mass = a->plan->fields.inverse_mass;
    const size_t first = 3 * a->plan->sizes.nodes;
    for (size_t i = 0; i < p->coordinates; i++) {
        const size_t u = (size_t)p->unknown[i];
        for (size_t j = 0; j < p->coordinates; j++) {
            adjoint_add(&a->system, u, (size_t)p->unknown[j], -curved * p->matrices.curvature[j][i]);
        }
        for (size_t r = 0; r < p->rows; r++) {
            const size_t row = (size_t)p->unknown[p->coordinates + r];
            const double value = p->matrices.jacobian[r][i];
            adjoint_add(&a->system, u, row, value + bent * p->bent[r][i]);
            adjoint_add(&a->system, row, u, value);
            a->system.scale[row - first] += value * value * inverse_mass[u / 3];
        }
    }
    add_compliance(a, step, p);
}

static void add_linear(taut_adjoint* a, const taut_factors* step, size_t c) {
    const taut_fields* f = &a->plan->fields;
    const taut_kind_fields* kind = &f->kinds[TAUT_LINEAR];
    const size_t given = a->plan->sizes.first_row[TAUT_LINEAR] + c, row = 3 * a->plan->sizes.nodes + given;
    for (uint32_t e = f->linear_begin[c]; e < f->linear_begin[c + 1]; e++) {
        const size_t u = f->linear_coordinate[e];
        adjoint_add(&a->system, u, row, f->linear_weight[e]);
        adjoint_add(&a->system, row, u, f->linear_weight[e]);
        a->system.scale[given] += f->linear_weight[e] * f->linear_weight[e] * f->inverse_mass[u / 3];
    }
    adjoint_add(&a->system, row, row, -kind->compliance[c] / row_scale(kind, c, law_of(kind, c, step)));
}

/* Whether a bound has held the force of row i. */
static bool is_held(const taut_plan* plan, const double* gam, size_t i, double h) {
    const taut_fields* f = &plan->fields;
    return plan->sizes.bounded && has_bounds(f, i) && hold_of_force(gam[i] / h, f->bound + 2 * i) != TAUT_HELD_NOT;
}

/* What does not follow: fixed nodes, and rows without a law, or at their bounds. */
static void hold(taut_adjoint* a, const double* gam, double h) {
    const taut_sizes* s = &a->plan->sizes;
    for (size_t i = 0; i < 3 * s->nodes; i++) {
        a->held[a->system.number[i]] = !(a->plan->fields.inverse_mass[i / 3] > 0);
    }
    for (size_t i = 3 * s->nodes; i < a->system.unknowns; i++) {
        const size_t row = i - 3 * s->nodes;
        a->held[a->system.number[i]] = !(a->system.scale[row] > 0) || is_held(a->plan, gam, row, h);
    }
    adjoint_hold(&a->system, a->held);
}

static void fill(taut_adjoint* a, const taut_factors* step, const taut_step_record* record) {
    const taut_sizes* s = &a->plan->sizes;
    adjoint_clear(&a->system);
    memset(a->system.scale, 0, (a->system.unknowns - 3 * s->nodes) * sizeof(double));
    for (size_t i = 0; i < 3 * s->nodes; i++) {
        adjoint_add(&a->system, i, i, a->plan->fields.mass[i / 3] * step->inertia);
    }
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        piece p;
        for (size_t c = 0; adjoint_takes(a->plan, k) && c < s->count[k]; c++) {
            if (make_piece(a, step, record->gam, k, c, &p)) {
                (p.rows > 0 ? add_rows : add_element)(a, step, &p);
            }
        }
    }
    for (size_t c = 0; c < s->count[TAUT_LINEAR]; c++) {
        if (!is_absent(&a->plan->fields.kinds[TAUT_LINEAR], c)) {
            add_linear(a, step, c);
        }
    }
    adjoint_add_contacts(&a->system, record);
    hold(a, record->gam, step->h);
}

/* ---- derivatives ------------------------------------------------------------------------------------------------- */

static double solution_of(const taut_adjoint* a, size_t unknown) {
    return a->system.solution[a->system.number[unknown]];
}

static void pull_element(taut_adjoint* a, const taut_factors* step, const piece* p) {
    for (size_t i = 0; i < p->coordinates; i++) {
        for (size_t j = 0; j < p->coordinates; j++) {
            const double motion = step->h * solution_of(a, (size_t)p->unknown[j]);
            a->dx[p->unknown[i]] -= p->stiffness[j][i] * motion;
            a->dv[p->unknown[i]] -= p->viscosity[j][i] * motion;
        }
    }
}

/* By the rest value of a row, by its goal where it moves, and by its damping time; `q` is q/l. Hard rows of velocities
 * have a damping time of their own. */
static void add_row_sums(const taut_adjoint* a, const taut_factors* step, const taut_step_record* record, taut_kind k,
                         size_t c, size_t row, double q, double phidot, taut_adjoint_sums* sums) {
    const taut_kind_fields* f = &a->plan->fields.kinds[k];
    const taut_law* law = law_of(f, c, step);
    const double damping = damping_of(f, c, law);
    const bool moves = k == TAUT_TARGET;
    const double end = moves ? step->alpha + damping / step->h : 0;
    const size_t at = row - a->plan->sizes.first_row[k];
    sums->rest[row] += law->velocities ? q * damping : q * (moves && record->moved[c] ? 1 - end : 1);
    sums->target[row] += q * end;
    if (damping == f->damping[c]) {
        sums->damping[taut_adjoint_first(&a->plan->sizes, (int)k, false) + c] -=
            q * (phidot - (moves             ? record->rate[at]
                           : law->velocities ? f->rest[c]
                                             : 0));
    }
}

/* By each value of the compliance block: -q.dC gam / (h l). */
static void add_compliance_sums(const taut_adjoint* a, const piece* p, const double* q, const double* gam, double h,
                                taut_adjoint_sums* sums) {
    const size_t packed = taut_kind_shapes[p->kind].packed;
    double* to = sums->compliance + taut_adjoint_first(&a->plan->sizes, (int)p->kind, true) + packed * p->c;
    for (size_t r = 0; r < p->rows; r++) {
        for (size_t j = 0; j < p->rows; j++) {
            to[packed_index(r, j)] -= q[r] * gam[j] / h;
        }
    }
}

static void pull_rows(taut_adjoint* a, const taut_factors* step, const taut_step_record* record, const piece* p,
                      taut_adjoint_sums* sums) {
    const size_t first = (size_t)p->unknown[p->coordinates] - 3 * a->plan->sizes.nodes;
    double q[6], phidot[6] = {0};
    for (size_t r = 0; r < p->rows; r++) {
        q[r] = solution_of(a, (size_t)p->unknown[p->coordinates + r]) / p->length;
    }
    for (size_t i = 0; i < p->coordinates; i++) {
        const size_t u = (size_t)p->unknown[i];
        for (size_t r = 0; r < p->rows; r++) {
            const double value = p->matrices.jacobian[r][i];
            a->dx[u] += (value + p->damping * p->bent[r][i]) * q[r];
            a->dv[u] += p->damping * value * q[r];
            phidot[r] += value * a->v[u];
        }
        for (size_t j = 0; j < p->coordinates; j++) {
            a->dx[u] -= p->matrices.curvature[j][i] * solution_of(a, (size_t)p->unknown[j]);
        }
    }
    for (size_t r = 0; r < p->rows; r++) {
        add_row_sums(a, step, record, p->kind, p->c, first + r, q[r], phidot[r], sums);
    }
    add_compliance_sums(a, p, q, record->gam + first, step->h, sums);
}

static void pull_linear(taut_adjoint* a, const taut_factors* step, const taut_step_record* record, size_t c,
                        taut_adjoint_sums* sums) {
    const taut_fields* f = &a->plan->fields;
    const taut_kind_fields* kind = &f->kinds[TAUT_LINEAR];
    const taut_law* law = law_of(kind, c, step);
    const size_t row = a->plan->sizes.first_row[TAUT_LINEAR] + c;
    const double damping = damping_of(kind, c, law);
    const double q = solution_of(a, 3 * a->plan->sizes.nodes + row) * step->h / row_scale(kind, c, law);
    double phidot = 0;
    for (uint32_t e = f->linear_begin[c]; e < f->linear_begin[c + 1]; e++) {
        const size_t u = f->linear_coordinate[e];
        a->dx[u] += law->velocities ? 0 : f->linear_weight[e] * q;
        a->dv[u] += damping * f->linear_weight[e] * q;
        phidot += f->linear_weight[e] * a->v[u];
    }
    add_row_sums(a, step, record, TAUT_LINEAR, c, row, q, phidot, sums);
    sums->compliance[taut_adjoint_first(&a->plan->sizes, TAUT_LINEAR, true) + c] -= q * record->gam[row] / step->h;
}

/* By masses, forces and gravity of node n. */
static void pull_node(taut_adjoint* a, const taut_factors* step, const taut_step_record* record, size_t n,
                      taut_adjoint_sums* sums) {
    const double mass = a->plan->fields.mass[n], h = step->h;
    for (size_t i = 3 * n; a->plan->fields.inverse_mass[n] > 0 && i < 3 * n + 3; i++) {
        const double p = solution_of(a, i), gravity = step->gravity[i % 3];
        a->dv[i] -= step->carried * mass * p;
        sums->mass[n] -= p * (record->dv[i] - h * gravity - step->carried * a->v[i]);
        sums->force[i] += h * p;
        sums->gravity[i % 3] += h * mass * p;
    }
}

static void pull_all(taut_adjoint* a, const taut_factors* step, const taut_step_record* record,
                     taut_adjoint_sums* sums) {
    const taut_sizes* s = &a->plan->sizes;
    memset(a->dx, 0, 3 * s->nodes * sizeof(double));
    memset(a->dv, 0, 3 * s->nodes * sizeof(double));
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        piece p;
        for (size_t c = 0; adjoint_takes(a->plan, k) && c < s->count[k]; c++) {
            if (!make_piece(a, step, record->gam, k, c, &p)) {
                continue;
            }
            if (p.rows > 0) {
                pull_rows(a, step, record, &p, sums);
            } else {
                pull_element(a, step, &p);
            }
        }
    }
    for (size_t c = 0; c < s->count[TAUT_LINEAR]; c++) {
        if (!is_absent(&a->plan->fields.kinds[TAUT_LINEAR], c)) {
            pull_linear(a, step, record, c, sums);
        }
    }
    for (size_t n = 0; n < s->nodes; n++) {
        pull_node(a, step, record, n, sums);
    }
}

/* x' = x + h (v + beta dv), v' = v + dv, x_t = x + alpha h (v + beta dv), v_t = v + alpha dv. Nodes on their way to a
 * goal have v = (goal - x)/h; what has arrived rests. */
static void finish_node(const taut_adjoint* a, const taut_factors* step, const taut_step_record* record, size_t n,
                        taut_adjoint_sums* sums) {
    for (size_t i = 3 * n; i < 3 * n + 3; i++) {
        const double by_v = step->h * sums->x[i] + sums->v[i] - step->alpha * step->h * a->dx[i] - a->dv[i];
        const bool went = record->led[n] == TAUT_NODE_WENT;
        sums->x[i] -= a->dx[i] + (went ? by_v / step->h : 0);
        sums->goal[i] += went ? by_v / step->h : 0;
        sums->v[i] = record->led[n] == TAUT_NODE_AS_IT_WAS ? by_v : 0;
    }
}

/* ---- the step ---------------------------------------------------------------------------------------------------- */

static void look(taut_adjoint* a, const taut_factors* step, const taut_step_record* record) {
    for (size_t i = 0; i < 3 * a->plan->sizes.nodes; i++) {
        a->x[i] = record->x[i] + step->alpha * step->h * (record->v[i] + step->beta * record->dv[i]);
        a->v[i] = record->v[i] + step->alpha * record->dv[i];
    }
}

static bool solve(taut_adjoint* a, const taut_factors* step, const taut_step_record* record,
                  const taut_adjoint_sums* sums) {
    const size_t values = 3 * a->plan->sizes.nodes;
    for (size_t i = 0; i < a->system.unknowns; i++) {
        const saddle_index at = a->system.number[i];
        const double side = i < values ? step->h * step->beta * sums->x[i] + sums->v[i] : 0;
        a->system.side[at] = a->held[at] ? 0 : side;
    }
    adjoint_add_seeds(&a->system, record, sums);
    return adjoint_factor(&a->system) && adjoint_solve(&a->system);
}

bool cpu_adjoint_back(taut_adjoint* a, const taut_step_record* record, taut_adjoint_sums* sums) {
    const taut_factors step = taut_phase_factors(&a->plan->settings, TAUT_PHASE_RENEW, record->h);
    look(a, &step, record);
    fill(a, &step, record);
    if (!solve(a, &step, record, sums)) {
        return false;
    }
    pull_all(a, &step, record, sums);
    for (size_t n = 0; n < a->plan->sizes.nodes; n++) {
        finish_node(a, &step, record, n, sums);
    }
    adjoint_pull_contacts(&a->system, &step, a->plan->fields.inverse_mass, record, sums);
    return true;
}
