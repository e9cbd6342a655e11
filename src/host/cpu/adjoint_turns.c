/* A frame turns by q' = exp(h (omega + beta domega)) q, q_t likewise with alpha h. Of exp(t) q a turn of q becomes
 * exp(t) of it, and dt becomes J_l dt (`angular_of`). With L = I omega, dL = I domega + dq x L - I (dq x omega), and
 *     r_u = I(q') omega' - I(q) omega + h a0 I(q_t) omega_t - h torque - J(q_t)^T gam. */
#define TAUT_REAL double
#include "kernels/stages/frames.h"

#include "host/cpu/cpu_adjoint_turns.h"

#include <string.h>

static void unit_vector(size_t i, double out[3]) {
    out[0] = out[1] = out[2] = 0;
    out[i] = 1;
}

/* q after `turn`, and its derivatives. */
static void turn_frame(const double q[4], const double turn[3], double after[4], double by_turn[3][3],
                       double by_rate[3][3]) {
    double step[4];
    quat_exp(turn, step);
    quat_multiply(step, q, after);
    for (size_t c = 0; c < 3; c++) {
        double unit[3], turned[3], rate[3];
        unit_vector(c, unit);
        quat_rotate(step, unit, turned);
        angular_of(turn, unit, rate);
        for (size_t a = 0; a < 3; a++) {
            by_turn[a][c] = turned[a];
            by_rate[a][c] = rate[a];
        }
    }
}

/* Derivatives of I(q) omega by omega and by a turn of q, as columns. */
static void momentum_of(const double q[4], const double body[6], const double omega[3], double inertia[3][3],
                        double by_turn[3][3]) {
    double world[6], momentum[3];
    world_inertia(q, body, world);
    sym3_expand(world, inertia);
    sym3_apply(world, omega, momentum);
    for (size_t c = 0; c < 3; c++) {
        double unit[3], with[3], turned[3], back[3];
        unit_vector(c, unit);
        vec3_cross(unit, momentum, with);
        vec3_cross(unit, omega, turned);
        sym3_apply(world, turned, back);
        for (size_t a = 0; a < 3; a++) {
            by_turn[a][c] = with[a] - back[a];
        }
    }
}

/* out = first + scale a b */
static void add_product(const double first[3][3], double scale, const double a[3][3], const double b[3][3],
                        double out[3][3]) {
    for (size_t i = 0; i < 3; i++) {
        for (size_t j = 0; j < 3; j++) {
            out[i][j] = first[i][j] + scale * (a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j]);
        }
    }
}

/* What the mass damping h a0 of I(q_t) omega_t adds to the derivatives of r_u. */
static void add_damping(const taut_factors* step, const double body[6], const double omega[3], double damping,
                        adjoint_turn* out) {
    double inertia[3][3], by_turn[3][3];
    momentum_of(out->orientation, body, omega, inertia, by_turn);
    for (size_t i = 0; i < 9; i++) {
        inertia[i / 3][i % 3] *= damping;
        by_turn[i / 3][i % 3] *= damping;
        out->by_change[i / 3][i % 3] += step->alpha * inertia[i / 3][i % 3];
        out->by_speed[i / 3][i % 3] += inertia[i / 3][i % 3];
    }
    const double(*turned)[3] = (const double(*)[3])by_turn, (*rate)[3] = (const double(*)[3])out->at_rate;
    add_product((const double(*)[3])out->by_change, step->alpha * step->beta * step->h, turned, rate, out->by_change);
    add_product((const double(*)[3])out->by_speed, step->alpha * step->h, turned, rate, out->by_speed);
    add_product((const double(*)[3])out->by_turn, 1, turned, (const double(*)[3])out->at_turn, out->by_turn);
}

void adjoint_make_turn(const taut_plan* plan, const taut_factors* step, const taut_step_record* record, size_t frame,
                       adjoint_turn* out) {
    const size_t n = plan->sizes.points + frame;
    const double *q = record->orientation + 4 * frame, *omega = record->v + 3 * n, *change = record->dv + 3 * n;
    const double* body = plan->fields.inertia + 6 * frame;
    double turn[3], part[3], after[3], inertia[3][3], at_start[3][3], start_turn[3][3], at_end[3][3], end_turn[3][3];
    for (size_t a = 0; a < 3; a++) {
        turn[a] = step->h * (omega[a] + step->beta * change[a]);
        part[a] = step->alpha * turn[a];
        after[a] = omega[a] + change[a];
    }
    turn_frame(q, part, out->orientation, out->at_turn, out->at_rate);
    turn_frame(q, turn, out->end, out->end_turn, out->end_rate);
    momentum_of(q, body, omega, at_start, start_turn);
    momentum_of(out->end, body, after, at_end, end_turn);
    add_product(at_end, step->h * step->beta, (const double(*)[3])end_turn, (const double(*)[3])out->end_rate,
                out->by_change);
    for (size_t i = 0; i < 9; i++) {
        inertia[i / 3][i % 3] = at_end[i / 3][i % 3] - at_start[i / 3][i % 3];
        start_turn[i / 3][i % 3] *= -1;
    }
    add_product((const double(*)[3])inertia, step->h, (const double(*)[3])end_turn, (const double(*)[3])out->end_rate,
                out->by_speed);
    add_product((const double(*)[3])start_turn, 1, (const double(*)[3])end_turn, (const double(*)[3])out->end_turn,
                out->by_turn);
    for (size_t a = 0; a < 3; a++) {
        out->speed[a] = omega[a] + step->alpha * change[a];
    }
    out->damping = -step->carried;
    add_damping(step, body, out->speed, out->damping, out);
    const double trace = body[0] + body[1] + body[2];
    out->inverse_inertia = trace > 0 ? 3 / trace : 0;
}

void adjoint_turn_back(const double m[3][3], double scale, const double v[3], double out[3]) {
    for (size_t c = 0; c < 3; c++) {
        out[c] += scale * (m[0][c] * v[0] + m[1][c] * v[1] + m[2][c] * v[2]);
    }
}

/* sums -= a.dI b for the unit changes of I */
static void add_form(double scale, const double a[3], const double b[3], double sums[6]) {
    for (size_t i = 0; i < 3; i++) {
        const size_t j = (i + 1) % 3, k = (i + 2) % 3;
        sums[i] += scale * a[i] * b[i];
        sums[3 + i] += scale * (a[j] * b[k] + a[k] * b[j]);
    }
}

static void to_frame(const double q[4], const double v[3], double out[3]) {
    double axes[3][3];
    quat_axes(q, axes);
    for (size_t a = 0; a < 3; a++) {
        out[a] = vec3_dot(axes[a], v);
    }
}

void adjoint_pull_inertia(const taut_plan* plan, const taut_step_record* record, const adjoint_turn* turn, size_t frame,
                          const double y[3], double sums[6]) {
    const size_t n = plan->sizes.points + frame;
    const double *q = record->orientation + 4 * frame, *omega = record->v + 3 * n;
    double after[3], a[3], b[3], turned[3];
    memcpy(after, omega, sizeof after);
    vec3_axpy(1, record->dv + 3 * n, after);
    for (size_t i = 0; i < 3; i++) { /* by the columns of the turn: R(q') = end_turn R(q) */
        turned[i] = turn->end_turn[0][i] * y[0] + turn->end_turn[1][i] * y[1] + turn->end_turn[2][i] * y[2];
    }
    to_frame(q, turned, a);
    for (size_t i = 0; i < 3; i++) {
        turned[i] = turn->end_turn[0][i] * after[0] + turn->end_turn[1][i] * after[1] + turn->end_turn[2][i] * after[2];
    }
    to_frame(q, turned, b);
    add_form(-1, a, b, sums);
    to_frame(q, y, a);
    to_frame(q, omega, b);
    add_form(1, a, b, sums);
    to_frame(turn->orientation, y, a);
    to_frame(turn->orientation, turn->speed, b);
    add_form(-turn->damping, a, b, sums);
}
