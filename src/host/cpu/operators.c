/* The public operators, in float64 on the assembled linearisation. */
#define TAUT_REAL double
#include "kernels/stages/curvature.h"

#include "host/cpu/apply.h"
#include "host/cpu/state.h"

#include <string.h>

#define INVERSE_TOLERANCE 1e-12

/* out (n x 4) = P A P in (n x 4), A = M + Lh^T Lh. */
static void multiply_mass(const taut_plan* plan, const double* in, double* out) {
    const taut_fields* f = &plan->fields;
    cpu_forward_f64(plan, TAUT_ROOTS, in, 4, NULL, false, f->wide);
    cpu_pull_f64(plan, TAUT_ROOTS, false, f->wide, out);
    for (size_t n = 0; n < plan->sizes.nodes; n++) {
        for (size_t a = 0; a < 4; a++) {
            const bool moves = f->inverse_mass[n] > 0 && a < 3;
            out[4 * n + a] = moves ? out[4 * n + a] + in[4 * n + a] / f->inverse_mass[n] : 0;
        }
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
    for (size_t i = 0; i < n; i++) {
        r[i] = f->inverse_mass[i / 4] > 0 && i % 4 < 3 ? r[i] : 0;
        p[i] = z[i] = f->inverse_mass[i / 4] * r[i];
    }
    double rz = dot(r, z, n);
    const double goal = INVERSE_TOLERANCE * INVERSE_TOLERANCE * rz;
    for (size_t iteration = 0; rz > goal && iteration < 4 * n + 100; iteration++) {
        multiply_mass(plan, p, q);
        const double step = rz / dot(p, q, n);
        for (size_t i = 0; i < n; i++) {
            x[i] += step * p[i];
            r[i] -= step * q[i];
            z[i] = f->inverse_mass[i / 4] * r[i];
        }
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

static void narrow(size_t nodes, const double* in, double* out) {
    for (size_t n = 0; n < nodes; n++) {
        memcpy(out + 3 * n, in + 4 * n, 3 * sizeof(double));
    }
}

/* out = J (P A P)^+ J^T in + W in */
static void multiply_schur(const taut_plan* plan, const double* in, double* out) {
    const taut_fields* f = &plan->fields;
    double* r = operand(plan);
    cpu_pull_f64(plan, TAUT_ROWS, false, in, r);
    invert_mass(plan, r, f->g_f64);
    cpu_forward_f64(plan, TAUT_ROWS, f->g_f64, 4, in, false, f->wide);
    memcpy(out, f->wide, plan->sizes.rows * sizeof(double));
}

/* The assembled b belongs to the system with root rows, where A is M alone: b_c = c - J u. Of the Schur complement it
 * is c - J (P A P)^+ ( M u - Lh^T Lh v / beta ), so out = b_c + J ( u - (P A P)^+ (...) ). */
taut_status cpu_right_hand_side(taut_backend_state* state, double* out) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    const double beta = plan->settings.integrator.beta;
    double* r = operand(plan);
    cpu_forward_f64(plan, TAUT_ROOTS, f->v, 3, NULL, false, f->wide);
    cpu_pull_f64(plan, TAUT_ROOTS, false, f->wide, r);
    for (size_t i = 0; i < 4 * plan->sizes.nodes; i++) {
        const float w = f->inverse_mass[i / 4];
        r[i] = (w > 0 ? f->free_dv[i] / w : 0) - (beta > 0 ? r[i] / beta : 0);
    }
    invert_mass(plan, r, f->g_f64);
    for (size_t i = 0; i < 4 * plan->sizes.nodes; i++) {
        f->g_f64[i] = f->free_dv[i] - f->g_f64[i];
    }
    cpu_forward_f64(plan, TAUT_ROWS, f->g_f64, 4, NULL, false, f->wide);
    for (size_t i = 0; i < plan->sizes.rows; i++) {
        out[i] = f->b[i] + f->wide[i];
    }
    return TAUT_OK;
}

taut_status cpu_apply(taut_backend_state* state, taut_operator op, const double* in, double* out) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    const size_t nodes = plan->sizes.nodes, rows = plan->sizes.rows;
    switch (op) {
    case TAUT_OPERATOR_J:
        cpu_forward_f64(plan, TAUT_ROWS, in, 3, NULL, false, out);
        return TAUT_OK;
    case TAUT_OPERATOR_JT:
        cpu_pull_f64(plan, TAUT_ROWS, false, in, f->g_f64);
        narrow(nodes, f->g_f64, out);
        return TAUT_OK;
    case TAUT_OPERATOR_A:
        widen(plan, in, operand(plan));
        multiply_mass(plan, operand(plan), f->g_f64);
        narrow(nodes, f->g_f64, out);
        return TAUT_OK;
    case TAUT_OPERATOR_A_INVERSE:
        widen(plan, in, operand(plan));
        invert_mass(plan, operand(plan), f->g_f64);
        narrow(nodes, f->g_f64, out);
        return TAUT_OK;
    case TAUT_OPERATOR_S:
        multiply_schur(plan, in, out);
        return TAUT_OK;
    case TAUT_OPERATOR_W:
        memset(f->g_f64, 0, 4 * nodes * sizeof(double));
        cpu_forward_f64(plan, TAUT_ROWS, f->g_f64, 4, in, false, f->wide);
        memcpy(out, f->wide, rows * sizeof(double));
        return TAUT_OK;
    case TAUT_OPERATOR_G:
        for (size_t n = 0; n < nodes; n++) {
            curvature_node(f, &plan->sizes, n, in, out + 3 * n);
        }
        return TAUT_OK;
    }
    return TAUT_OK;
}
