/* The public operators, in float64 on the assembled linearisation. */
#define TAUT_REAL double
#include "kernels/stages/curvature.h"
#include "kernels/stages/force_rows.h"

#include "host/cpu/cpu_apply.h"
#include "host/cpu/cpu_condensed.h"
#include "host/cpu/cpu_state.h"

#include <string.h>

#define INVERSE_TOLERANCE 1e-12

static void use_all_force_rows(const taut_plan* plan, force_rows_use use, double* rows) {
    for (int k = 0; plan->sizes.forces && k < TAUT_KIND_COUNT; k++) {
        const size_t each = taut_kind_shapes[k].rows, count = each > 0 ? plan->sizes.count[k] : 0;
        for (size_t c = 0; c < count; c++) {
            use_force_rows(&plan->fields, &plan->sizes, k, each, c, use, rows);
        }
    }
}

/* Rows that stand in A: factor rows, and those of batches that are used as forces. */
static int parts_of_mass(const taut_plan* plan) {
    return TAUT_ALL_FACTOR_ROWS | (plan->sizes.forces ? TAUT_ROWS : 0);
}

/* out (n x 4) = P A P in (n x 4), A = M + Lh^T Lh + J_f^T W_f^-1 J_f. Mapped points of `in` are overwritten. */
static void multiply_mass(const taut_plan* plan, double* in, double* out) {
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    cpu_spread_f64(plan, s->active_levels, in, 4);
    cpu_apply_jacobian_f64(plan, parts_of_mass(plan), in, 4, NULL, false, f->wide);
    use_all_force_rows(plan, FORCE_ROWS_CONDUCT, f->wide);
    cpu_apply_jacobian_transpose_f64(plan, parts_of_mass(plan), false, f->wide, out);
    for (size_t n = 0; n < s->nodes; n++) {
        double own[3];
        node_mass(f, s, n, in + 4 * n, own);
        for (size_t a = 0; a < 3; a++) {
            out[4 * n + a] = f->inverse_mass[n] > 0 ? out[4 * n + a] + own[a] : 0;
        }
    }
}

/* out (n x 4) = P A^-1 P in, A without its factor rows. */
static void divide_mass(const taut_plan* plan, const double* in, double* out) {
    for (size_t n = 0; n < plan->sizes.nodes; n++) {
        node_inverse(&plan->fields, &plan->sizes, n, in + 4 * n, out + 4 * n);
    }
}

static double dot(const double* a, const double* b, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

/* The node vector behind those of invert_mass. */
static double* operand(const taut_plan* plan) {
    return plan->fields.node_scratch + 12 * plan->sizes.nodes;
}

/* x (n x 4) = (P A P)^+ r by conjugate gradients preconditioned with the masses. r (n x 4) is overwritten. */
static void invert_mass(const taut_plan* plan, double* r, double* x) {
    const taut_fields* f = &plan->fields;
    const size_t n = 4 * plan->sizes.nodes;
    double *p = f->node_scratch, *q = p + n, *z = q + n;
    memset(x, 0, n * sizeof(double));
    memset(z, 0, n * sizeof(double));
    for (size_t i = 0; i < n; i++) {
        r[i] = f->inverse_mass[i / 4] > 0 && i % 4 < 3 ? r[i] : 0;
    }
    divide_mass(plan, r, z);
    memcpy(p, z, n * sizeof(double));
    double rz = dot(r, z, n);
    const double goal = INVERSE_TOLERANCE * INVERSE_TOLERANCE * rz;
    for (size_t iteration = 0; rz > goal && iteration < 4 * n + 100; iteration++) {
        multiply_mass(plan, p, q);
        const double step = rz / dot(p, q, n);
        for (size_t i = 0; i < n; i++) {
            x[i] += step * p[i];
            r[i] -= step * q[i];
        }
        divide_mass(plan, r, z);
        const double next = dot(r, z, n);
        for (size_t i = 0; i < n; i++) {
            p[i] = z[i] + next / rz * p[i];
        }
        rz = next;
    }
}

/* out (n x 4) = P in */
static void widen(const taut_plan* plan, const double* in, double* out) {
    for (size_t n = 0; n < plan->sizes.nodes; n++) {
        const bool moves = plan->fields.inverse_mass[n] > 0;
        for (size_t a = 0; a < 4; a++) {
            out[4 * n + a] = moves && a < 3 ? in[3 * n + a] : 0;
        }
    }
}

/* What stands at mapped points is none of the user's. */
static void narrow(const taut_sizes* s, const double* in, double* out) {
    for (size_t n = 0; n < s->nodes; n++) {
        const bool unknown = n < s->simple || n >= s->points;
        for (size_t a = 0; a < 3; a++) {
            out[3 * n + a] = unknown ? in[4 * n + a] : 0;
        }
    }
}

/* in (n x 4) with mapped points that follow, from the user's vector. */
static double* with_mapped_points(const taut_plan* plan, const double* in) {
    double* wide = plan->fields.node_scratch;
    for (size_t n = 0; n < plan->sizes.nodes; n++) {
        memcpy(wide + 4 * n, in + 3 * n, 3 * sizeof(double));
    }
    cpu_spread_f64(plan, plan->sizes.active_levels, wide, 4);
    return wide;
}

/* out = G in by the two sweeps: motions forward, then forces and their changes back. */
static void multiply_stiffness(const taut_plan* plan, const double* in, double* out) {
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    double *dx = f->node_scratch, *forces = f->g_f64, *dforces = f->node_scratch + 4 * s->nodes;
    memcpy(dx, in, 3 * s->nodes * sizeof(double));
    cpu_spread_f64(plan, s->active_levels, dx, 3);
    cpu_apply_jacobian_transpose_f64(plan, TAUT_ROWS, false, f->lam, forces);
    for (size_t i = 0; i < s->nodes; i++) { /* mapped points from the last to the first, then the others */
        const size_t mapped = s->points - s->simple;
        const size_t n = i < mapped ? s->points - 1 - i : i < s->points ? i - mapped : i;
        stiffness_node(f, s, n, dx, forces, dforces);
    }
    narrow(s, dforces, out);
}

/* out (n x 4) = J^T in of the rows of constraints */
static void pull_constraints(const taut_plan* plan, const double* in, double* out) {
    const taut_fields* f = &plan->fields;
    memcpy(f->wide, in, plan->sizes.rows * sizeof(double));
    use_all_force_rows(plan, FORCE_ROWS_LEFT_OUT, f->wide);
    cpu_apply_jacobian_transpose_f64(plan, TAUT_ROWS, false, f->wide, out);
}

static void rows_out(const taut_plan* plan, double* rows, double* out) {
    use_all_force_rows(plan, FORCE_ROWS_LEFT_OUT, rows);
    memcpy(out, rows, plan->sizes.rows * sizeof(double));
}

/* out = J (P A P)^+ J^T in + W in */
static void multiply_schur(const taut_plan* plan, const double* in, double* out) {
    const taut_fields* f = &plan->fields;
    double* r = operand(plan);
    pull_constraints(plan, in, r);
    invert_mass(plan, r, f->g_f64);
    cpu_spread_f64(plan, plan->sizes.active_levels, f->g_f64, 4);
    cpu_apply_jacobian_f64(plan, TAUT_ROWS, f->g_f64, 4, in, false, f->wide);
    rows_out(plan, f->wide, out);
}

/* r (n x 4) = M u + Lh^T c_s + J_f^T W_f^-1 c_f. The assembled b belongs to the system with all rows, where A is M
 * alone: b = c - K u. */
static void add_up_side(const taut_plan* plan, double* r) {
    const taut_fields* f = &plan->fields;
    const size_t rows = plan->sizes.rows;
    cpu_apply_jacobian_f64(plan, parts_of_mass(plan), f->free_dv, 4, NULL, false, f->wide);
    for (size_t i = plan->sizes.forces ? 0 : rows; i < plan->sizes.unknowns; i++) {
        f->wide[i] += f->b[i];
    }
    use_all_force_rows(plan, FORCE_ROWS_CONDUCT, f->wide);
    cpu_apply_jacobian_transpose_f64(plan, parts_of_mass(plan), false, f->wide, r);
    for (size_t n = 0; n < plan->sizes.nodes; n++) {
        double own[3];
        node_mass(f, &plan->sizes, n, f->free_dv + 4 * n, own);
        for (size_t a = 0; a < 3; a++) {
            r[4 * n + a] += own[a];
        }
    }
}

taut_status cpu_velocity_side(taut_backend_state* state, double* out) {
    double* r = operand(state->plan);
    add_up_side(state->plan, r);
    for (size_t i = 0; i < 4 * state->plan->sizes.nodes; i++) {
        r[i] = state->plan->fields.inverse_mass[i / 4] > 0 ? r[i] : 0;
    }
    narrow(&state->plan->sizes, r, out);
    return TAUT_OK;
}

/* Of the Schur complement the right-hand side is c - J (P A P)^+ r, so out = b + J ( u - (P A P)^+ r ). */
taut_status cpu_right_hand_side(taut_backend_state* state, double* out) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    double* r = operand(plan);
    add_up_side(plan, r);
    invert_mass(plan, r, f->g_f64);
    cpu_spread_f64(plan, plan->sizes.active_levels, f->g_f64, 4);
    for (size_t i = 0; i < 4 * plan->sizes.nodes; i++) {
        f->g_f64[i] = f->free_dv[i] - f->g_f64[i];
    }
    cpu_apply_jacobian_f64(plan, TAUT_ROWS, f->g_f64, 4, NULL, false, f->wide);
    for (size_t i = 0; i < plan->sizes.rows; i++) {
        f->wide[i] += f->b[i];
    }
    rows_out(plan, f->wide, out);
    return TAUT_OK;
}

/* What the solver of the condensed system has, in its float32. */
static void apply_condensed(const taut_backend_state* state, taut_operator op, const double* in, double* out) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    double* wide = operand(plan);
    widen(plan, in, wide);
    for (size_t i = 0; i < 4 * plan->sizes.nodes; i++) {
        f->node_r[i] = f->condensed_node[i / 4] ? (float)wide[i] : 0;
    }
    if (op == TAUT_OPERATOR_H) {
        condense_multiply(plan, f->node_r, f->node_z);
    } else {
        condense_precondition(state, f->node_r, f->node_z);
    }
    for (size_t i = 0; i < 4 * plan->sizes.nodes; i++) {
        f->g_f64[i] = f->condensed_node[i / 4] && f->inverse_mass[i / 4] > 0 ? (double)f->node_z[i] : 0;
    }
    narrow(&plan->sizes, f->g_f64, out);
}

taut_status cpu_apply(taut_backend_state* state, taut_operator op, const double* in, double* out) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    const size_t nodes = plan->sizes.nodes;
    switch (op) {
    case TAUT_OPERATOR_J:
        cpu_apply_jacobian_f64(plan, TAUT_ROWS, with_mapped_points(plan, in), 4, NULL, false, f->wide);
        rows_out(plan, f->wide, out);
        return TAUT_OK;
    case TAUT_OPERATOR_JT:
        pull_constraints(plan, in, f->g_f64);
        narrow(&plan->sizes, f->g_f64, out);
        return TAUT_OK;
    case TAUT_OPERATOR_A:
        widen(plan, in, operand(plan));
        multiply_mass(plan, operand(plan), f->g_f64);
        narrow(&plan->sizes, f->g_f64, out);
        return TAUT_OK;
    case TAUT_OPERATOR_A_INVERSE:
        widen(plan, in, operand(plan));
        invert_mass(plan, operand(plan), f->g_f64);
        narrow(&plan->sizes, f->g_f64, out);
        return TAUT_OK;
    case TAUT_OPERATOR_S:
        multiply_schur(plan, in, out);
        return TAUT_OK;
    case TAUT_OPERATOR_W:
        memset(f->g_f64, 0, 4 * nodes * sizeof(double));
        cpu_apply_jacobian_f64(plan, TAUT_ROWS, f->g_f64, 4, in, false, f->wide);
        rows_out(plan, f->wide, out);
        return TAUT_OK;
    case TAUT_OPERATOR_G:
        multiply_stiffness(plan, in, out);
        return TAUT_OK;
    case TAUT_OPERATOR_H:
    case TAUT_OPERATOR_PRECONDITIONER:
        condense_refresh_due(state);
        apply_condensed(state, op, in, out);
        return TAUT_OK;
    }
    return TAUT_OK;
}
