/* First guess, integration and motion to goals, per node and per unknown. */
#ifndef TAUT_STAGE_STATE_H
#define TAUT_STAGE_STATE_H

#include "kernels/stages/items.h"

/* Carried-over multipliers of redundant hard rows are damped: undamped they drift along the null space of J^T. */
#define TAUT_REDUNDANT_CARRY 0.9
/* Multipliers are averaged before G uses them, where alpha < 1: the plain mean of the first ones, so that a load is
 * felt at once, then with this weight. */
#define TAUT_SMOOTHING 0.1

/* Weight of the newest multipliers when `samples` have been averaged before. */
TAUT_FN double smoothing_weight(double alpha, uint32_t samples) {
    const double mean = 1 / (samples + 1.0);
    return alpha < 1 ? (mean > TAUT_SMOOTHING ? mean : TAUT_SMOOTHING) : 1;
}

/* First guess of row i: the last impulse, `carry` = h / (step it belongs to), or 0 for a cold start. */
TAUT_FN void carry_over(const taut_fields* f, size_t i, double carry, bool proximal) {
    f->gam[i] *= f->redundant[i] && proximal ? TAUT_REDUNDANT_CARRY * carry : carry;
}

/* The root unknowns' first guess is -Lh (v/beta + dv) with the last dv: this is the argument of -Lh, negated, for
 * value i of the node vectors. */
TAUT_FN double expected_motion(const taut_fields* f, size_t i, double beta) {
    return beta > 0 ? -f->v[i] / beta - f->dv[i] : 0;
}

/* New state of node n into x_new and v_new: dv = u + P M^-1 P [J^T Lh^T] gam, v' = v + dv, x' = x + h (v + beta dv);
 * of a frame x' is the turn h (v + beta dv). Mapped points follow when they are evaluated. Returns whether it is finite
 * and within the speed limit. */
TAUT_FN bool advance_node(const taut_fields* f, const taut_sizes* s, size_t n, double h, double beta,
                          double speed_limit, double* x_new, double* v_new) {
    double speed2 = 0, reach = 0;
    if (n >= s->simple && n < s->points) {
        return true;
    }
    for (size_t a = 0; a < 3; a++) {
        const double dv = f->free_dv[4 * n + a] + f->g_f64[4 * n + a];
        v_new[3 * n + a] = f->v[3 * n + a] + dv;
        x_new[3 * n + a] = f->x[3 * n + a] + h * (f->v[3 * n + a] + beta * dv);
        speed2 += v_new[3 * n + a] * v_new[3 * n + a];
        reach += fabs(x_new[3 * n + a]);
    }
    return speed2 <= speed_limit * speed_limit && reach <= 1e300;
}

/* Value i of the node vectors of a sound new state becomes current. */
TAUT_FN void commit_value(const taut_fields* f, size_t i, const double* x_new, const double* v_new) {
    f->dv[i] = v_new[i] - f->v[i];
    f->x[i] = x_new[i];
    f->v[i] = v_new[i];
    f->x_f32[i] = (float)x_new[i];
}

/* q' = exp(turn) q */
TAUT_FN void commit_frame(const taut_fields* f, const taut_sizes* s, size_t frame, const double* x_new,
                          const double* v_new) {
    const size_t n = s->points + frame;
    double* q = f->orientation + 4 * frame;
    double turn[4];
    quat_exp(x_new + 3 * n, turn);
    quat_multiply(turn, q, q);
    quat_normalise(q, q);
    for (size_t a = 3 * n; a < 3 * n + 3; a++) {
        f->dv[a] = v_new[a] - f->v[a];
        f->v[a] = v_new[a];
    }
}

/* `weight` is that of smoothing_weight. */
TAUT_FN void commit_multiplier(const taut_fields* f, size_t i, double h, double weight) {
    f->lam[i] = f->gam[i] / h;
    f->lam_smooth[i] += weight * (f->lam[i] - f->lam_smooth[i]);
}

/* Goals are for the tick under way or, where the host has not heard of a step that diverged, for one that it takes for
 * that: no goal arrives ahead of its step. */

/* Way of node n to its goal: a vector, or the turn of a frame. */
TAUT_FN void way_to_goal(const taut_fields* f, const taut_sizes* s, size_t n, double way[3]) {
    if (n < s->points) {
        vec3_sub(f->node_goal + 3 * n, f->x + 3 * n, way);
        return;
    }
    const size_t frame = n - s->points;
    double inverse[4], turn[4];
    quat_conjugate(f->orientation + 4 * frame, inverse);
    quat_multiply(f->frame_goal + 4 * frame, inverse, turn);
    quat_log(turn, way);
}

/* Velocity of a fixed node that goes to its goal within dt, or that reached it in the last step and stops. */
TAUT_FN void begin_node(const taut_fields* f, const taut_sizes* s, size_t n, uint32_t tick, double dt) {
    const bool going = f->node_goal_tick[n] >= tick, arrived = f->node_goal_tick[n] == tick - 1;
    double way[3] = {0, 0, 0};
    if (going) {
        way_to_goal(f, s, n, way);
    }
    for (size_t a = 0; (going || arrived) && a < 3; a++) {
        f->v[3 * n + a] = way[a] / dt;
    }
}

/* A node that went to its goal stands on it exactly. */
TAUT_FN void end_node(const taut_fields* f, const taut_sizes* s, size_t n, uint32_t tick) {
    const bool arrived = f->node_goal_tick[n] >= tick;
    for (size_t a = 0; arrived && n >= s->points && a < 4; a++) {
        f->orientation[4 * (n - s->points) + a] = f->frame_goal[4 * (n - s->points) + a];
    }
    for (size_t a = 3 * n; arrived && n < s->points && a < 3 * n + 3; a++) {
        f->x[a] = f->node_goal[a];
        f->x_f32[a] = (float)f->node_goal[a];
    }
}

/* The `moves` leading ones of the `values` rest values of constraint c. */
TAUT_FN void begin_target(const taut_kind_fields* f, size_t c, size_t moves, size_t values, uint32_t tick, double dt) {
    for (size_t a = 0; a < moves; a++) {
        const double way = f->goal[moves * c + a] - f->rest[values * c + a];
        f->rate[moves * c + a] = f->goal_tick[c] >= tick ? way / dt : 0;
    }
}

TAUT_FN void move_target(const taut_kind_fields* f, size_t c, size_t moves, size_t values, double h) {
    for (size_t a = 0; a < moves; a++) {
        f->rest[values * c + a] += h * f->rate[moves * c + a];
    }
}

TAUT_FN void end_target(const taut_kind_fields* f, size_t c, size_t moves, size_t values, uint32_t tick) {
    for (size_t a = 0; f->goal_tick[c] >= tick && a < moves; a++) {
        f->rest[values * c + a] = f->goal[moves * c + a];
        f->rate[moves * c + a] = 0;
    }
}

/* Given particle n, and given row i, in the arrays that users see; where numbers differ. */
TAUT_FN void publish_node(const taut_fields* f, size_t n) {
    const size_t here = 3 * (size_t)f->node_at[n];
    for (size_t a = 0; a < 3; a++) {
        f->given_x[3 * n + a] = f->x[here + a];
        f->given_x_f32[3 * n + a] = f->x_f32[here + a];
        f->given_v[3 * n + a] = f->v[here + a];
    }
}

TAUT_FN void publish_row(const taut_fields* f, size_t i) {
    f->given_phi[i] = f->phi[f->row_at[i]];
    f->given_lam[i] = f->lam[f->row_at[i]];
}

#endif
