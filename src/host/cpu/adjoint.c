/* The adjoint of one step. With x_t, v_t of the exact step and its residuals
 *     r_u = M (dv + h a0 v_t) - h f(x_t, v_t) - J(x_t)^T gam,    r_c = C gam / h + phi(x_t) + d J(x_t) v_t
 * (a0: mass damping; r_u = 0 and r_c = 0 is the step), the adjoint variables solve
 *     [ A^T   B^T      ] [ p ]   [ h beta dL/dx' + dL/dv' ]
 *     [ J    -C/(h l)  ] [ q ] = [ 0                      ]
 *     A = dr_u/d(dv),   B = (dr_c/d(dv)) / l = J + (alpha beta h d / l) H v_t,   H_r the second derivatives of row r
 * and then dL/dz = (what x' and v' have of z) - p.dr_u/dz - (q/l).dr_c/dz of all that the step depends on. Of frames
 * "by x" is by a small turn, and follows their velocities as adjoint_turns.c has it. */
#define TAUT_REAL double
#include "kernels/stages/assemble.h"

#include "host/cpu/cpu_adjoint_chains.h"
#include "host/cpu/cpu_adjoint_contacts.h"
#include "host/cpu/cpu_state.h"
#include "model/constraint_matrices.h"

#include <string.h>

struct taut_adjoint {
    taut_allocator allocator;
    const taut_plan* plan;
    saddle_pool pool;
    adjoint_system system; /* with room for the contacts of the step that it was made for */
    adjoint_rows rows;
    bool* held;      /* unknowns in the order of elimination */
    double* y;       /* nodes x 3: the solution at what moves by itself */
    double *x, *v;   /* nodes x 3: x_t, v_t */
    double *dx, *dv; /* nodes x 3: p.dr_u/dx_t + (q/l).dr_c/dx_t; likewise by v_t */
    adjoint_maps maps;
    adjoint_turn* turns; /* of frames */
};

/* ---- memory ------------------------------------------------------------------------------------------------------ */

#define TAKE(to, count) ((to) = saddle_take(&a->pool, (count), sizeof *(to)), (to) != NULL)

taut_status cpu_adjoint_make(taut_backend_state* state, taut_adjoint** out) {
    taut_adjoint* a = taut_allocate(&state->allocator, sizeof *a);
    if (a == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    a->allocator = state->allocator;
    a->plan = state->plan;
    a->pool.allocator = &a->allocator;
    taut_status status = adjoint_open(a->plan, NULL, &a->allocator, &a->system);
    const size_t values = 3 * a->plan->sizes.nodes;
    status = status == TAUT_OK ? adjoint_rows_open(&a->rows, a->plan, &a->pool) : status;
    if (status == TAUT_OK &&
        !(TAKE(a->held, a->system.unknowns) && TAKE(a->y, values) && TAKE(a->x, values) && TAKE(a->v, values) &&
          TAKE(a->dx, values) && TAKE(a->dv, values) && TAKE(a->turns, a->plan->sizes.frames) &&
          TAKE(a->maps.arms, 3 * a->plan->sizes.map_entries))) {
        status = TAUT_OUT_OF_MEMORY;
    }
    if (status != TAUT_OK) {
        cpu_adjoint_free(a);
        return status;
    }
    a->maps.plan = a->plan;
    a->maps.turns = a->turns;
    *out = a;
    return TAUT_OK;
}

void cpu_adjoint_free(taut_adjoint* a) {
    if (a != NULL) {
        const taut_allocator allocator = a->allocator;
        adjoint_close(&a->system);
        saddle_release(&a->pool);
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
    double force[ADJOINT_MOST];                  /* J^T gam */
    constraint_matrices matrices;                /* J, and G of the impulses */
    double bent[6][ADJOINT_MOST];                /* J + d H_r v_t: of the rows by x_t */
    double stiffness[12][12], viscosity[12][12]; /* df/dx, df/dv of a force element */
} piece;

/* Values of the nodes of a piece. */
static void gather_piece(const piece* p, const double* vectors, double* out) {
    for (size_t i = 0; i < p->coordinates; i++) {
        out[i] = vectors[p->unknown[i]];
    }
}

/* Places of the nodes as formulas read them: of frames quaternions. */
static void gather_places(const taut_adjoint* a, const piece* p, double* out) {
    const size_t state = taut_kind_shapes[p->kind].state, points = a->plan->sizes.points;
    for (size_t slot = 0; slot < p->coordinates / 3; slot++) {
        const size_t node = (size_t)p->unknown[3 * slot] / 3;
        const double* place = node < points ? a->x + 3 * node : a->turns[node - points].orientation;
        memcpy(out + state * slot, place, (node < points ? 3 : 4) * sizeof *out);
    }
}

static void bend_rows(const double* x, const double* v, const double* rest, piece* p) {
    memcpy(p->bent, p->matrices.jacobian, sizeof p->bent);
    for (size_t r = 0; p->damping > 0 && r < p->rows; r++) {
        double unit[6] = {0};
        constraint_matrices of_row;
        unit[r] = 1;
        constraint_rows(p->kind, x, rest, unit, &of_row);
        for (size_t i = 0; i < p->coordinates; i++) {
            for (size_t j = 0; j < p->coordinates; j++) {
                p->bent[r][i] += p->damping * of_row.curvature[j][i] * v[j];
            }
        }
    }
}

/* False where the constraint is absent. */
static bool make_piece(const taut_adjoint* a, const taut_factors* step, const double* gam, int k, size_t c, piece* p) {
    const taut_kind_fields* f = &a->plan->fields.kinds[k];
    const taut_kind_shape* shape = &taut_kind_shapes[k];
    double x[4 * ADJOINT_MOST / 3] = {0}, v[ADJOINT_MOST];
    if (is_absent(f, c)) {
        return false;
    }
    p->kind = (taut_kind)k;
    p->c = c;
    p->coordinates = 3 * (size_t)shape->nodes;
    p->rows = shape->rows;
    adjoint_unknowns(a->plan, k, c, p->unknown);
    gather_places(a, p, x);
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
    memset(p->force, 0, sizeof p->force);
    for (size_t i = 0; i < p->rows * p->coordinates; i++) {
        const size_t r = i / p->coordinates, at = i % p->coordinates;
        p->force[at] += p->matrices.jacobian[r][at] * gam[a->plan->sizes.first_row[k] + p->rows * c + r];
    }
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

static double inverse_mass_of(const taut_adjoint* a, size_t node) {
    const double w = a->plan->fields.inverse_mass[node];
    const size_t points = a->plan->sizes.points;
    return node < points ? w : w * a->turns[node - points].inverse_inertia;
}

/* What an arm of a mapped point adds as it turns with its frame. */
typedef struct arm_piece {
    size_t first;            /* unknown of the frame */
    double by_turn[3][3];    /* of the torque */
    double bent[6][3];       /* of the rows, with their damping times */
    const double (*rate)[3]; /* of the frame */
} arm_piece;

static arm_piece make_arm(const taut_adjoint* a, const piece* p, size_t slot, uint32_t e) {
    const size_t node = a->plan->fields.map_parent[e];
    const double* arm = a->maps.arms + 3 * (size_t)e;
    arm_piece out = {.first = 3 * node, .rate = (const double(*)[3])a->turns[node - a->plan->sizes.points].at_rate};
    adjoint_turn_of_force(arm, p->force + 3 * slot, out.by_turn);
    for (size_t r = 0; r < p->rows; r++) {
        adjoint_turn_of_speed(arm, a->v + 3 * node, p->matrices.jacobian[r] + 3 * slot, out.bent[r]);
        for (size_t c = 0; c < 3; c++) {
            out.bent[r][c] *= p->damping;
        }
    }
    return out;
}

typedef void arm_call(taut_adjoint* a, const taut_factors* step, const piece* p, const arm_piece* arm, const double* q);

/* Calls for each arm of the mapped points of a piece. */
static void over_arms(taut_adjoint* a, const taut_factors* step, const piece* p, const double* q, arm_call* call) {
    const taut_fields* f = &a->plan->fields;
    const taut_sizes* s = &a->plan->sizes;
    for (size_t slot = 0; slot < p->coordinates / 3; slot++) {
        const size_t node = (size_t)p->unknown[3 * slot] / 3;
        const bool maps = node >= s->simple && node < s->points;
        const uint32_t begin = maps ? f->map_begin[node - s->simple] : 0,
                       end = maps ? f->map_begin[node - s->simple + 1] : 0;
        for (uint32_t e = begin; e < end; e++) {
            if (TAUT_MAP_TYPE(f->map_code[e]) == TAUT_MAP_ARM) {
                const arm_piece arm = make_arm(a, p, slot, e);
                call(a, step, p, &arm, q);
            }
        }
    }
}

static void add_arm_piece(taut_adjoint* a, const taut_factors* step, const piece* p, const arm_piece* arm,
                          const double* q) {
    const double curved = step->alpha * step->beta * step->h;
    (void)q;
    for (size_t i = 0; i < 9; i++) {
        const size_t b = i / 3, c = i % 3;
        const double rate = curved * arm->rate[b][c];
        for (size_t j = 0; j < 3; j++) {
            adjoint_add(&a->system, arm->first + c, arm->first + j, -rate * arm->by_turn[j][b]);
        }
        for (size_t r = 0; r < p->rows; r++) {
            adjoint_add(&a->system, arm->first + c, (size_t)p->unknown[p->coordinates + r],
                        rate * arm->bent[r][b] / p->length);
        }
    }
}

/* What one coordinate of a piece follows from. */
typedef struct chain {
    size_t count;
    adjoint_link link[ADJOINT_LINKS];
} chain;

static void add_link(taut_adjoint* a, const taut_factors* step, const piece* p, size_t i, const adjoint_link* link,
                     const chain* chains) {
    const double curved = step->alpha * step->beta * step->h;
    const size_t first = 3 * a->plan->sizes.nodes, u = link->unknown;
    for (size_t j = 0; j < p->coordinates; j++) {
        for (size_t o = 0; o < chains[j].count; o++) {
            adjoint_add(&a->system, u, chains[j].link[o].unknown,
                        -curved * p->matrices.curvature[j][i] * link->rate * chains[j].link[o].place);
        }
    }
    for (size_t r = 0; r < p->rows; r++) {
        const size_t row = (size_t)p->unknown[p->coordinates + r];
        const double value = p->matrices.jacobian[r][i] * link->place;
        const double by_velocity = curved * p->bent[r][i] * link->rate + step->alpha * p->damping * value;
        adjoint_add(&a->system, u, row, by_velocity / p->length);
        adjoint_add(&a->system, row, u, value);
        a->system.scale[row - first] += value * value * inverse_mass_of(a, u / 3);
    }
}

static void add_rows(taut_adjoint* a, const taut_factors* step, const piece* p) {
    chain chains[ADJOINT_MOST];
    for (size_t i = 0; i < p->coordinates; i++) {
        chains[i].count = adjoint_links(&a->maps, (size_t)p->unknown[i], chains[i].link);
    }
    for (size_t i = 0; i < p->coordinates; i++) {
        for (size_t l = 0; l < chains[i].count; l++) {
            add_link(a, step, p, i, &chains[i].link[l], chains);
        }
    }
    over_arms(a, step, p, NULL, add_arm_piece);
    add_compliance(a, step, p);
}

/* The balance of the angular momentum of a frame. */
static void add_turn(taut_adjoint* a, size_t frame) {
    const size_t first = 3 * (a->plan->sizes.points + frame);
    for (size_t i = 0; i < 3; i++) {
        for (size_t j = 0; j < 3; j++) {
            adjoint_add(&a->system, first + i, first + j, a->turns[frame].by_change[j][i]);
        }
    }
}

static void add_linear(taut_adjoint* a, const taut_factors* step, size_t c) {
    const taut_fields* f = &a->plan->fields;
    const taut_kind_fields* kind = &f->kinds[TAUT_LINEAR];
    const size_t given = a->plan->sizes.first_row[TAUT_LINEAR] + c, row = 3 * a->plan->sizes.nodes + given;
    for (uint32_t e = f->linear_begin[c]; e < f->linear_begin[c + 1]; e++) {
        const size_t u = f->linear_coordinate[e];
        adjoint_add(&a->system, u, row, f->linear_weight[e]);
        adjoint_add(&a->system, row, u, f->linear_weight[e]);
        a->system.scale[given] += f->linear_weight[e] * f->linear_weight[e] * inverse_mass_of(a, u / 3);
    }
    adjoint_add(&a->system, row, row, -kind->compliance[c] / row_scale(kind, c, law_of(kind, c, step)));
}

/* Whether a bound has held the force of row i. */
static bool is_held(const taut_plan* plan, const double* gam, size_t i, double h) {
    const taut_fields* f = &plan->fields;
    return plan->sizes.bounded && has_bounds(f, i) && hold_of_force(gam[i] / h, f->bound + 2 * i) != TAUT_HELD_NOT;
}

/* What does not follow: fixed nodes, and rows at their bounds, or that neither move anything nor give way. A row that
 * moves nothing but gives way follows those that share its compliance. */
static void hold(taut_adjoint* a, const double* gam, double h) {
    const taut_sizes* s = &a->plan->sizes;
    for (size_t i = 0; i < 3 * s->nodes; i++) {
        a->held[a->system.number[i]] = !(a->plan->fields.inverse_mass[i / 3] > 0);
    }
    for (size_t i = 3 * s->nodes; i < a->system.unknowns; i++) {
        const size_t row = i - 3 * s->nodes;
        const bool follows = a->system.scale[row] > 0 || adjoint_diagonal(&a->system, i) != 0;
        a->held[a->system.number[i]] = !follows || is_held(a->plan, gam, row, h);
    }
    adjoint_hold(&a->system, a->held);
    for (size_t i = 0; i < a->system.unknowns; i++) {
        a->system.side[i] = a->held[i] ? 0 : a->system.side[i];
    }
}

/* ---- the system -------------------------------------------------------------------------------------------------- */

/* dL/d(dv) of what x' and v' have of it. */
static void begin_side(const taut_adjoint* a, const taut_factors* step, const taut_adjoint_sums* sums, size_t n,
                       double side[3]) {
    const size_t points = a->plan->sizes.points;
    const double rate = step->h * step->beta;
    memcpy(side, sums->v + 3 * n, 3 * sizeof *side);
    if (n < points) {
        vec3_axpy(rate, sums->x + 3 * n, side);
    } else {
        adjoint_turn_back((const double(*)[3])a->turns[n - points].end_rate, rate, sums->x + 3 * n, side);
    }
}

static void begin_sides(taut_adjoint* a, const taut_factors* step, const taut_adjoint_sums* sums) {
    memset(a->system.side, 0, a->system.unknowns * sizeof(double));
    for (size_t n = 0; n < a->plan->sizes.nodes; n++) {
        double side[3];
        begin_side(a, step, sums, n, side);
        for (size_t c = 0; c < 3; c++) {
            a->system.side[a->system.number[3 * n + c]] = side[c];
        }
    }
}

/* The matrix and the right-hand side. False where a contact is not found again. */
static bool fill(taut_adjoint* a, const taut_factors* step, const taut_step_record* record,
                 const taut_adjoint_sums* sums) {
    const taut_sizes* s = &a->plan->sizes;
    adjoint_clear(&a->system);
    memset(a->system.scale, 0, (a->system.unknowns - 3 * s->nodes) * sizeof(double));
    for (size_t i = 0; i < 3 * s->points; i++) {
        adjoint_add(&a->system, i, i, a->plan->fields.mass[i / 3] * step->inertia);
    }
    for (size_t frame = 0; frame < s->frames; frame++) {
        add_turn(a, frame);
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
    begin_sides(a, step, sums);
    const bool found = adjoint_add_contacts(&a->system, &a->rows, sums);
    hold(a, record->gam, step->h);
    return found;
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

/* By the rest value of row r, by its goal where it moves, and by its damping time; `q` is q/l. Hard rows of velocities
 * have a damping time of their own. */
static void add_row_sums(const taut_adjoint* a, const taut_factors* step, const taut_step_record* record, taut_kind k,
                         size_t c, size_t row, double q, double phidot, taut_adjoint_sums* sums) {
    const taut_kind_fields* f = &a->plan->fields.kinds[k];
    const taut_law* law = law_of(f, c, step);
    const double damping = damping_of(f, c, law);
    const double end = taut_kind_shapes[k].moves > 0 ? step->alpha + damping / step->h : 0;
    sums->rest[row] += law->velocities ? q * damping : q * (record->moved[row] ? 1 - end : 1);
    sums->target[row] += q * end;
    if (damping == f->damping[c]) {
        sums->damping[taut_adjoint_first(&a->plan->sizes, (int)k, false) + c] -=
            q * (phidot - (law->velocities ? f->rest[c] : record->rate[row]));
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

/* y of a coordinate of a constraint's node. */
static double motion_of(const taut_adjoint* a, size_t coordinate) {
    adjoint_link links[ADJOINT_LINKS];
    const size_t count = adjoint_links(&a->maps, coordinate, links);
    double sum = 0;
    for (size_t l = 0; l < count; l++) {
        sum += links[l].place * solution_of(a, links[l].unknown);
    }
    return sum;
}

static void pull_coordinate(taut_adjoint* a, size_t coordinate, double by_place, double by_speed) {
    adjoint_link links[ADJOINT_LINKS];
    const size_t count = adjoint_links(&a->maps, coordinate, links);
    for (size_t l = 0; l < count; l++) {
        a->dx[links[l].unknown] += links[l].place * by_place;
        a->dv[links[l].unknown] += links[l].place * by_speed;
    }
}

static void pull_arm_piece(taut_adjoint* a, const taut_factors* step, const piece* p, const arm_piece* arm,
                           const double* q) {
    (void)step;
    for (size_t b = 0; b < 3; b++) {
        for (size_t r = 0; r < p->rows; r++) {
            a->dx[arm->first + b] += arm->bent[r][b] * q[r];
        }
        for (size_t j = 0; j < 3; j++) {
            a->dx[arm->first + b] -= arm->by_turn[j][b] * solution_of(a, arm->first + j);
        }
    }
}

static void pull_rows(taut_adjoint* a, const taut_factors* step, const taut_step_record* record, const piece* p,
                      taut_adjoint_sums* sums) {
    const size_t first = (size_t)p->unknown[p->coordinates] - 3 * a->plan->sizes.nodes;
    double q[6], phidot[6] = {0}, moved[ADJOINT_MOST];
    for (size_t r = 0; r < p->rows; r++) {
        q[r] = solution_of(a, (size_t)p->unknown[p->coordinates + r]) / p->length;
    }
    for (size_t i = 0; i < p->coordinates; i++) {
        moved[i] = motion_of(a, (size_t)p->unknown[i]);
    }
    for (size_t i = 0; i < p->coordinates; i++) {
        double by_place = 0, by_speed = 0;
        for (size_t r = 0; r < p->rows; r++) {
            const double value = p->matrices.jacobian[r][i];
            by_place += p->bent[r][i] * q[r];
            by_speed += p->damping * value * q[r];
            phidot[r] += value * a->v[p->unknown[i]];
        }
        for (size_t j = 0; j < p->coordinates; j++) {
            by_place -= p->matrices.curvature[j][i] * moved[j];
        }
        pull_coordinate(a, (size_t)p->unknown[i], by_place, by_speed);
    }
    over_arms(a, step, p, q, pull_arm_piece);
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

/* By torques and the inertia of a frame. */
static void pull_frame(const taut_adjoint* a, const taut_factors* step, const taut_step_record* record, size_t frame,
                       taut_adjoint_sums* sums) {
    const size_t n = a->plan->sizes.points + frame;
    double y[3];
    for (size_t c = 0; c < 3; c++) {
        y[c] = solution_of(a, 3 * n + c);
        sums->force[3 * n + c] += step->h * y[c];
    }
    adjoint_pull_inertia(a->plan, record, &a->turns[frame], frame, y, sums->inertia + 6 * frame);
}

/* By masses, forces and gravity of point n. */
static void pull_point(taut_adjoint* a, const taut_factors* step, const taut_step_record* record, size_t n,
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
    for (size_t n = 0; n < s->simple; n++) {
        pull_point(a, step, record, n, sums);
    }
    for (size_t i = 3 * s->simple; i < 3 * s->points; i++) {
        sums->force[i] += step->h * motion_of(a, i);
    }
    for (size_t frame = 0; frame < s->frames; frame++) {
        pull_frame(a, step, record, frame, sums);
    }
}

/* x' = x + h (v + beta dv), v' = v + dv, x_t = x + alpha h (v + beta dv), v_t = v + alpha dv. Nodes on their way to a
 * goal have v = (goal - x)/h; what has arrived rests. */
static void finish_point(const taut_adjoint* a, const taut_factors* step, const taut_step_record* record, size_t n,
                         taut_adjoint_sums* sums) {
    for (size_t i = 3 * n; i < 3 * n + 3; i++) {
        const double by_v = step->h * sums->x[i] + sums->v[i] - step->alpha * step->h * a->dx[i] - a->dv[i];
        const bool went = record->led[n] == TAUT_NODE_WENT;
        sums->x[i] -= a->dx[i] + (went ? by_v / step->h : 0);
        sums->goal[i] += went ? by_v / step->h : 0;
        sums->v[i] = record->led[n] == TAUT_NODE_AS_IT_WAS ? by_v : 0;
    }
}

static void finish_frame(const taut_adjoint* a, const taut_factors* step, size_t frame, taut_adjoint_sums* sums) {
    const size_t first = 3 * (a->plan->sizes.points + frame);
    const adjoint_turn* turn = &a->turns[frame];
    double y[3], by_turn[3] = {0, 0, 0};
    for (size_t c = 0; c < 3; c++) {
        y[c] = solution_of(a, first + c);
        sums->v[first + c] -= a->dv[first + c];
    }
    adjoint_turn_back((const double(*)[3])turn->end_turn, 1, sums->x + first, by_turn);
    adjoint_turn_back((const double(*)[3])turn->at_turn, -1, a->dx + first, by_turn);
    adjoint_turn_back((const double(*)[3])turn->by_turn, -1, y, by_turn);
    adjoint_turn_back((const double(*)[3])turn->end_rate, step->h, sums->x + first, sums->v + first);
    adjoint_turn_back((const double(*)[3])turn->at_rate, -step->alpha * step->h, a->dx + first, sums->v + first);
    adjoint_turn_back((const double(*)[3])turn->by_speed, -1, y, sums->v + first);
    memcpy(sums->x + first, by_turn, sizeof by_turn);
}

/* ---- the step ---------------------------------------------------------------------------------------------------- */

static void look(taut_adjoint* a, const taut_factors* step, const taut_step_record* record) {
    for (size_t i = 0; i < 3 * a->plan->sizes.nodes; i++) {
        a->x[i] = record->x[i] + step->alpha * step->h * (record->v[i] + step->beta * record->dv[i]);
        a->v[i] = record->v[i] + step->alpha * record->dv[i];
    }
    for (size_t frame = 0; frame < a->plan->sizes.frames; frame++) {
        adjoint_make_turn(a->plan, step, record, frame, &a->turns[frame]);
    }
    adjoint_map_points(&a->maps, a->x, a->v);
}

const char* cpu_adjoint_note(taut_adjoint* a, taut_step_record* record) {
    return adjoint_note_contacts(&a->rows, record);
}

/* The matrix has places for what is joined in it: contacts that join other things ask for another one. */
static bool make_room(taut_adjoint* a, const taut_step_record* record) {
    if (adjoint_has_room(&a->system, record)) {
        return true;
    }
    adjoint_close(&a->system);
    return adjoint_open(a->plan, record, &a->allocator, &a->system) == TAUT_OK;
}

bool cpu_adjoint_back(taut_adjoint* a, const taut_step_record* record, taut_adjoint_sums* sums) {
    const taut_factors step = taut_phase_factors(&a->plan->settings, TAUT_PHASE_RENEW, record->h);
    if (!make_room(a, record)) {
        return false;
    }
    adjoint_rows_begin(&a->rows, record, &step);
    a->rows.y = a->y;
    look(a, &step, record);
    adjoint_pull_maps(&a->maps, record, sums);
    if (!fill(a, &step, record, sums) || !adjoint_factor(&a->system) || !adjoint_solve(&a->system)) {
        return false;
    }
    for (size_t i = 0; i < 3 * a->plan->sizes.nodes; i++) {
        a->y[i] = solution_of(a, i);
    }
    pull_all(a, &step, record, sums);
    for (size_t n = 0; n < a->plan->sizes.simple; n++) {
        finish_point(a, &step, record, n, sums);
    }
    for (size_t frame = 0; frame < a->plan->sizes.frames; frame++) {
        finish_frame(a, &step, frame, sums);
    }
    return adjoint_pull_contacts(&a->rows, sums);
}
