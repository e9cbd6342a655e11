/* First guess and integration, per node and per unknown. */
#ifndef TAUT_STAGES_INTEGRATE_H
#define TAUT_STAGES_INTEGRATE_H

#include "kernels/stages/assemble.h"
#include "kernels/stages/contact/kept_load.h"
#include "kernels/stages/goals.h"
#include "model/factors.h"

#include <float.h>
#include <string.h>

/* Carried-over multipliers of redundant hard rows are damped: undamped they drift along the null space of J^T. */
#define TAUT_REDUNDANT_CARRY 0.9
/* Multipliers are averaged before G uses them, where alpha < 1: the plain mean of the first ones, so that a load is
 * felt at once, then with this weight. */
#define TAUT_SMOOTHING 0.1

/* Weight of the newest multipliers when `samples` have been averaged before. Those of a step shorter than the ones
 * before count for as much less: what it undoes is a blow. */
TAUT_FN double smoothing_weight(const taut_factors* step, uint32_t samples) {
    const double mean = 1 / (samples + 1.0), smooth = mean > TAUT_SMOOTHING ? mean : TAUT_SMOOTHING;
    const double weight = step->alpha < 1 ? smooth : 1;
    return samples > 0 ? weight * step->newest : weight;
}

/* First guess of row i: the last impulse, `carry` = h / (step it belongs to), or 0 for a cold start. */
TAUT_FN void carry_over(const taut_fields* f, const taut_sizes* s, size_t i, double carry, bool proximal) {
    const double kept = is_void(f, s, i) ? 0 : carry;
    f->gam[i] *= depends_on_others(f, i) && proximal ? TAUT_REDUNDANT_CARRY * kept : kept;
}

/* The factor unknowns' first guess is -Lh (factor_rate v + dv) with the last dv: this is the argument of -Lh, negated,
 * for value i of the node vectors. */
TAUT_FN double expected_motion(const taut_fields* f, size_t i, const taut_factors* step) {
    return step->explicit_factor_rows ? 0 : -step->factor_rate * f->v[i] - f->dv[i];
}

/* u - dv with the last dv: the argument of Lh in the first guess of force elements' factor unknowns. */
TAUT_FN double expected_deviation(const taut_fields* f, size_t i) {
    return f->free_dv[4 * (i / 3) + i % 3] - f->dv[i];
}

/* ---- the state moves ----------------------------------------------------------------------------------------------
 */

TAUT_FN bool is_stage(taut_move move) {
    return move >= TAUT_MOVE_RK4 && move < TAUT_MOVE_BEGIN;
}

/* Rate of the rotation vector t that turns a frame from where it started, exp(t) q0, at the angular velocity omega:
 *     omega - t x omega / 2 + c t x (t x omega),   c = (1 - a cot a) / |t|^2, a = |t| / 2 */
TAUT_FN void angular_rate(const double t[3], const double omega[3], double rate[3]) {
    double once[3], twice[3], c, slope;
    relative_coefficients(vec3_dot(t, t), &c, &slope);
    vec3_cross(t, omega, once);
    vec3_cross(t, once, twice);
    for (int a = 0; a < 3; a++) {
        rate[a] = omega[a] - once[a] / 2 + c * twice[a];
    }
}

TAUT_FN bool is_turn(const taut_sizes* s, size_t n) {
    return n >= s->points;
}

/* Keeps the state of node n as the start of the step; turns are counted from it. */
TAUT_FN void start_node(const taut_fields* f, const taut_sizes* s, size_t n) {
    for (size_t a = 3 * n; a < 3 * n + 3; a++) {
        f->x0[a] = is_turn(s, n) ? 0 : f->x[a];
        f->v0[a] = f->v[a];
    }
    for (size_t a = 0; is_turn(s, n) && a < 4; a++) {
        f->orientation0[4 * (n - s->points) + a] = f->orientation[4 * (n - s->points) + a];
    }
}

/* Back to the start of a step that failed. */
TAUT_FN void return_node(const taut_fields* f, const taut_sizes* s, size_t n) {
    for (size_t a = 3 * n; a < 3 * n + 3; a++) {
        f->x[a] = f->x0[a];
        f->v[a] = f->v0[a];
        f->x_f32[a] = (float)f->x0[a];
    }
    for (size_t a = 0; is_turn(s, n) && a < 4; a++) {
        f->orientation[4 * (n - s->points) + a] = f->orientation0[4 * (n - s->points) + a];
    }
}

/* A part that has been made begins again, with what its system has yielded: node n, */
TAUT_FN void reopen_node(const taut_fields* f, const taut_sizes* s, size_t n) {
    for (size_t a = 3 * n; a < 3 * n + 3; a++) {
        f->x[a] = f->kept_x[a];
        f->v[a] = f->kept_v[a];
    }
    for (size_t a = 0; is_turn(s, n) && a < 4; a++) {
        f->orientation[4 * (n - s->points) + a] = f->kept_orientation[4 * (n - s->points) + a];
    }
}

/* row i with its bounds; contacts have been found since the part began, and never break, */
TAUT_FN void reopen_row(const taut_fields* f, const taut_sizes* s, size_t i) {
    const bool contact = i >= s->first_row[TAUT_CONTACT];
    f->lam[i] = contact ? f->gam_last[i] : f->kept_lam[i];
    f->lam_smooth[i] = contact ? f->lam_smooth[i] : f->kept_lam_smooth[i];
    if (s->bounded && !contact) {
        f->bound[2 * i] = f->kept_bound[2 * i];
        f->bound[2 * i + 1] = f->kept_bound[2 * i + 1];
        f->strength[i] = f->kept_strength[i];
    }
}

/* and value i of the rest values of a kind that moves. */
TAUT_FN void reopen_rest(const taut_kind_fields* f, size_t i) {
    f->rest[i] = f->kept_rest[i];
}

/* One stage of the classical Runge-Kutta method: rates k of x and dv = h a at this stage's state are added up, and lead
 * from the start to the next one. Of frames x is the turn since the start. */
TAUT_FN void runge_kutta_node(const taut_fields* f, const taut_sizes* s, size_t n, int stage, double h,
                              const double dv[3], double x[3], double v[3]) {
    const double weight = stage == 0 || stage == 3 ? 1.0 / 6 : 1.0 / 3, part = stage == 2 ? 1 : 0.5;
    double* sum_x = f->iterate + 3 * n;
    double* sum_v = f->iterate_last + 3 * n;
    double rate[3] = {f->v[3 * n], f->v[3 * n + 1], f->v[3 * n + 2]};
    if (is_turn(s, n)) {
        angular_rate(f->x + 3 * n, f->v + 3 * n, rate);
    }
    if (stage == 0) {
        start_node(f, s, n);
    }
    for (size_t a = 0; a < 3; a++) {
        sum_x[a] = (stage > 0 ? sum_x[a] : 0) + weight * rate[a];
        sum_v[a] = (stage > 0 ? sum_v[a] : 0) + weight * dv[a];
        x[a] = f->x0[3 * n + a] + h * (stage < 3 ? part * rate[a] : sum_x[a]);
        v[a] = f->v0[3 * n + a] + (stage < 3 ? part * dv[a] : sum_v[a]);
    }
}

/* The iterate of Newton's method from the system's dv, as the judgement has it. */
TAUT_FN void iterate_node(const taut_fields* f, size_t n, taut_move move, newton_action action, const double dv[3]) {
    for (size_t a = 0; a < 3; a++) {
        double* now = f->iterate + 3 * n + a;
        double* last = f->iterate_last + 3 * n + a;
        if (move == TAUT_MOVE_BEGIN || (move == TAUT_MOVE_AGAIN && action == NEWTON_SOLVE)) {
            *last = move == TAUT_MOVE_BEGIN ? dv[a] : *now;
            *now = dv[a];
        } else if (move == TAUT_MOVE_AGAIN && action == NEWTON_BACK) {
            *now = (*now + *last) / 2;
        }
    }
}

/* The first iterate, before a system has been solved: the motion goes on as in the last step, whose impulses have been
 * carried over; `carry` as there. */
TAUT_FN void guess_node(const taut_fields* f, const taut_sizes* s, size_t n, double carry) {
    start_node(f, s, n);
    for (size_t a = 3 * n; a < 3 * n + 3; a++) {
        f->iterate[a] = f->iterate_last[a] = f->inverse_mass[n] > 0 ? carry * f->dv[a] : 0;
    }
}

/* The impulses that go with it; before a solve they are kept (keep_impulse). */
TAUT_FN void back_impulse(const taut_fields* f, size_t i) {
    f->gam[i] = (f->gam[i] + f->gam_last[i]) / 2;
}

/* Where the second of two stages begins; of frames x is the turn since the start. */
TAUT_FN void reach_node(const taut_fields* f, const taut_sizes* s, size_t n, double reach, double x[3], double v[3]) {
    double way[3] = {0, 0, 0};
    if (is_turn(s, n)) {
        double inverse[4], turn[4];
        quat_conjugate(f->orientation0 + 4 * (n - s->points), inverse);
        quat_multiply(f->orientation + 4 * (n - s->points), inverse, turn);
        quat_log(turn, way);
    } else {
        vec3_sub(f->x + 3 * n, f->x0 + 3 * n, way);
    }
    for (size_t a = 0; a < 3; a++) {
        x[a] = (is_turn(s, n) ? 0 : f->x0[3 * n + a]) + reach * way[a];
        v[a] = f->v0[3 * n + a] + reach * (f->v[3 * n + a] - f->v0[3 * n + a]);
    }
}

/* The state to look at, or the end of the step, for the velocity change dv since its start. */
TAUT_FN void move_from_start(const taut_fields* f, size_t n, const double dv[3], bool end, const taut_factors* step,
                             double x[3], double v[3]) {
    for (size_t a = 0; a < 3; a++) {
        const double path = f->v0[3 * n + a] + step->beta * dv[a];
        x[a] = f->x0[3 * n + a] + (end ? 1 : step->look_q) * step->h * path;
        v[a] = f->v0[3 * n + a] + (end ? 1 : step->look_v) * dv[a];
    }
}

/* New state of unknown node n into x and v, of a frame the turn since the start into x: from dv of the system that was
 * solved. Returns whether it is finite and within the speed limit. */
TAUT_FN bool advance_node(const taut_fields* f, const taut_sizes* s, size_t n, taut_move move, newton_action action,
                          const taut_factors* step, double speed_limit, double* x_new, double* v_new) {
    double *x = x_new + 3 * n, *v = v_new + 3 * n, dv[3], speed2 = 0, reach = 0;
    if (taut_is_mapped(s, n)) {
        return true;
    }
    for (size_t a = 0; a < 3; a++) {
        dv[a] = f->free_dv[4 * n + a] + f->g_f64[4 * n + a];
    }
    if (move == TAUT_MOVE_AHEAD) {
        reach_node(f, s, n, step->reach, x, v);
    } else if (is_stage(move)) {
        runge_kutta_node(f, s, n, (int)move - TAUT_MOVE_RK4, step->h, dv, x, v);
    } else if (move == TAUT_MOVE_GUESS) {
        move_from_start(f, n, f->iterate + 3 * n, false, step, x, v);
    } else if (move == TAUT_MOVE_ARRIVE) {
        move_from_start(f, n, dv, true, step, x, v);
    } else if (move >= TAUT_MOVE_BEGIN && move <= TAUT_MOVE_END) {
        const bool end = move == TAUT_MOVE_END, constrained = end && step->phase == TAUT_PHASE_CONSTRAIN;
        if (move == TAUT_MOVE_BEGIN) {
            start_node(f, s, n);
        }
        iterate_node(f, n, move, action, dv);
        move_from_start(f, n, constrained ? dv : f->iterate + 3 * n, end, step, x, v);
    } else {
        for (size_t a = 0; a < 3; a++) {
            const double path = step->h * (f->v[3 * n + a] + step->beta * dv[a]);
            x[a] = f->x[3 * n + a] + (move == TAUT_MOVE_STEP ? path : move == TAUT_MOVE_POSITIONS ? dv[a] : 0);
            v[a] = f->v[3 * n + a] + (move != TAUT_MOVE_POSITIONS ? dv[a] : 0);
        }
    }
    for (size_t a = 0; a < 3; a++) {
        speed2 += v[a] * v[a];
        reach += fabs(x[a]);
    }
    return speed2 <= speed_limit * speed_limit && reach <= 1e300;
}

/* Whether it makes a step of the first system that is solved for it. */
TAUT_FN bool is_only_end(taut_move move) {
    return move == TAUT_MOVE_STEP || move == TAUT_MOVE_ARRIVE;
}

/* Whether the state after this move is that of the end of a substep, and whether turns are counted from its
 * start. */
TAUT_FN bool is_end(taut_move move) {
    return is_only_end(move) || move == TAUT_MOVE_RK4 + TAUT_RK4_STAGES - 1 || move == TAUT_MOVE_END;
}

/* Whether it is one at which Newton's iterate is judged. */
TAUT_FN bool is_look(taut_move move) {
    return move == TAUT_MOVE_BEGIN || move == TAUT_MOVE_AGAIN;
}

TAUT_FN bool is_from_start(taut_move move) {
    return move >= TAUT_MOVE_RK4 && move <= TAUT_MOVE_END;
}

/* Value i of the node vectors of a sound new state becomes current; dv is kept of a step. */
TAUT_FN void commit_value(const taut_fields* f, const taut_sizes* s, size_t i, taut_move move, uint32_t tick,
                          const double* x_new, const double* v_new) {
    const size_t n = i / 3;
    const double from = is_from_start(move) ? f->x0[i] : f->x[i];
    const bool going = is_end(move) && !is_turn(s, n) && f->node_goal_tick[n] >= tick;
    if (is_end(move)) {
        f->dv[i] = v_new[i] - (is_from_start(move) ? f->v0[i] : f->v[i]);
    }
    f->x[i] = going && has_come(f->node_goal[i], x_new[i], x_new[i] - from) ? f->node_goal[i] : x_new[i];
    f->v[i] = v_new[i];
    f->x_f32[i] = (float)f->x[i];
}

/* Whether a frame has come to its goal but for rounding; a quaternion and its negative are one orientation. */
TAUT_FN bool frame_has_come(const double goal[4], const double q[4], const double turn[3]) {
    const double sign = goal[0] * q[0] + goal[1] * q[1] + goal[2] * q[2] + goal[3] * q[3] < 0 ? -1 : 1;
    double off = 0;
    for (int a = 0; a < 4; a++) {
        off = fmax(off, fabs(goal[a] - sign * q[a]));
    }
    return off <= 1e-9 * sqrt(vec3_dot(turn, turn)) + 8 * DBL_EPSILON;
}

/* q' = exp(turn) q; while a step is under way x of a frame is the turn since its start. */
TAUT_FN void commit_frame(const taut_fields* f, const taut_sizes* s, size_t frame, taut_move move, uint32_t tick,
                          const double* x_new, const double* v_new) {
    const size_t n = s->points + frame;
    double* q = f->orientation + 4 * frame;
    const double* from = is_from_start(move) ? f->orientation0 + 4 * frame : q;
    double turn[4];
    quat_exp(x_new + 3 * n, turn);
    quat_multiply(turn, from, q);
    quat_normalise(q, q);
    if (is_end(move) && f->node_goal_tick[n] >= tick && frame_has_come(f->frame_goal + 4 * frame, q, x_new + 3 * n)) {
        memcpy(q, f->frame_goal + 4 * frame, 4 * sizeof *q);
    }
    for (size_t a = 3 * n; a < 3 * n + 3; a++) {
        if (is_end(move)) {
            f->dv[a] = v_new[a] - (is_from_start(move) ? f->v0[a] : f->v[a]);
        }
        f->v[a] = v_new[a];
        f->x[a] = is_from_start(move) && !is_end(move) && move != TAUT_MOVE_AHEAD ? x_new[a] : 0;
    }
}

/* Part of the step by which rest values move on. */
TAUT_FN double move_share(taut_move move, const taut_factors* step) {
    if (move == TAUT_MOVE_AHEAD) {
        return step->reach - 1;
    }
    const bool half = move == TAUT_MOVE_RK4 || move == TAUT_MOVE_RK4 + 2;
    return half ? 0.5 : is_only_end(move) || move == TAUT_MOVE_END ? 1 : 0;
}

/* Of a step that failed, the part by which they have moved already. */
TAUT_FN double moved_share(taut_move move) {
    return move == TAUT_MOVE_RK4 + 1 || move == TAUT_MOVE_RK4 + 2 ? 0.5 : move == TAUT_MOVE_RK4 + 3 ? 1 : 0;
}

/* Whether a failure at this move must undo what the step has done to the state. */
TAUT_FN bool has_begun(taut_move move) {
    return move > TAUT_MOVE_RK4;
}

/* Multipliers that a move brings; `weight` is that of smoothing_weight. Stages of RK4 give their mean. */
TAUT_FN bool brings_multipliers(taut_move move, taut_phase phase) {
    return is_end(move) || is_stage(move) || (phase == TAUT_PHASE_RENEW && is_look(move));
}

/* Of the normal of a contact: what of its impulse is a load, after one of which `before` was. */
TAUT_FN void note_load(const taut_fields* f, const taut_sizes* s, size_t i, double before, const taut_factors* step) {
    const size_t first = s->first_row[TAUT_CONTACT], count = s->count[TAUT_CONTACT];
    if (i >= first && i < first + count * contact_ROWS && value_of(count, contact_ROWS, i - first) == 0) {
        const size_t c = item_of(count, contact_ROWS, i - first);
        const double load = f->contact_load[c] * step->h * before;
        f->contact_load[c] = step->regularised ? load_part(f, s, c, load, step) : 1;
    }
}

/* lam_smooth is what later steps take: of contacts the mean over the pace. */
TAUT_FN void commit_multiplier(const taut_fields* f, const taut_sizes* s, size_t i, taut_move move,
                               const taut_factors* step, double weight) {
    const double force = (f->gam[i] + f->explicit_gam[i]) / step->h, before = f->lam[i];
    const bool contact = i >= s->first_row[TAUT_CONTACT];
    if (contact && is_only_end(move)) {
        f->gam_last[i] = f->lam[i]; /* for reopen_row */
    }
    if (contact && is_look(move)) { /* the law of contacts takes what they did last */
        return;
    }
    if (is_stage(move)) {
        const int stage = (int)move - TAUT_MOVE_RK4;
        f->lam[i] = (stage > 0 ? f->lam[i] : 0) + force / (stage == 0 || stage == 3 ? 6 : 3);
    } else {
        f->lam[i] = force;
    }
    if (is_end(move) && contact) {
        note_load(f, s, i, before, step);
        f->lam_smooth[i] = step->newest < 1 ? before + step->newest * (f->lam[i] - before) : f->lam[i];
    } else if (is_end(move)) {
        f->lam_smooth[i] += weight * (f->lam[i] - f->lam_smooth[i]);
    }
}

/* ---- angles that count turns (formulas/angular.h) ------------------------------------------------------------------
 */

/* The angle of angular constraint c is kept with the start of a step, */
TAUT_FN void start_angle(const taut_fields* f, size_t c) {
    double* rest = f->kinds[TAUT_ANGULAR].rest + angular_REST * c;
    rest[ANGLE_START] = counts_turns(rest) ? rest[ANGLE_NOW] : rest[ANGLE_START];
}

/* taken back to it, */
TAUT_FN void return_angle(const taut_fields* f, size_t c) {
    double* rest = f->kinds[TAUT_ANGULAR].rest + angular_REST * c;
    rest[ANGLE_NOW] = counts_turns(rest) ? rest[ANGLE_START] : rest[ANGLE_NOW];
}

/* and goes on from `before` with the rotation vectors `turn` of its nodes, which have led to the state. */
TAUT_FN void turn_angle(const taut_fields* f, const taut_sizes* s, size_t c, double before, const double turn[2][3]) {
    double x[2][4], *rest = f->kinds[TAUT_ANGULAR].rest + angular_REST * c;
    if (counts_turns(rest)) {
        gather_state(f, s, f->kinds[TAUT_ANGULAR].nodes + angular_NODES * c, 2, 4, &x[0][0]);
        rest[ANGLE_NOW] = frame_angle_after((const double(*)[4])x, rest, before, turn);
    }
}

/* Whether the move keeps the state as the start before it moves it (start_node). */
TAUT_FN bool keeps_start(taut_move move) {
    return move == TAUT_MOVE_RK4 || move == TAUT_MOVE_BEGIN || move == TAUT_MOVE_GUESS;
}

/* After a move by x_new. */
TAUT_FN void move_angle(const taut_fields* f, const taut_sizes* s, size_t c, taut_move move, const double* x_new) {
    const double* rest = f->kinds[TAUT_ANGULAR].rest + angular_REST * c;
    double turn[2][3];
    if (keeps_start(move)) {
        start_angle(f, c);
    }
    gather(x_new, 3, f->kinds[TAUT_ANGULAR].nodes + angular_NODES * c, 2, turn);
    turn_angle(f, s, c, rest[is_from_start(move) ? ANGLE_START : ANGLE_NOW], (const double(*)[3])turn);
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
