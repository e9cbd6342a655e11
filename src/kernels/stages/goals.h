/* Motion of fixed nodes and of rest values to their goals. */
#ifndef TAUT_STAGES_GOALS_H
#define TAUT_STAGES_GOALS_H

#include "kernels/formulas/rotation_math.h"
#include "model/layout.h"

#include <float.h>

/* rad: by so much the turn that was asked for may miss the goal of a frame. */
#define TAUT_TURN_OFF 1e-6

/* Whether `now` is at the goal but for the rounding of the way that led there. What has come stands on its goal at
 * once, so that it is evaluated where it stays. */
TAUT_FN bool has_come(double goal, double now, double way) {
    return fabs(goal - now) <= 1e-9 * fabs(way) + 4 * DBL_EPSILON * fabs(goal);
}

/* Goals are for the tick under way or, where the host has not heard of a step that diverged, for one that it takes for
 * that: no goal arrives ahead of its step.
 *
 * A point that turns on its way by the rotation vector w, about an axis through c at the end of the step, is at
 *     x(l) = p(l) + l e,   p(l) = c + exp(-l w) (g - c)
 * where g is its goal and l the part of the motion that is left. e is what is left of a straight way: minus the
 * displacement of the axis, where the motion is rigid. Within a part of a step velocities are constant, so that it goes
 * along a chord of that part. */

/* Turn of a frame to its goal: the one that was asked for where that leads there, else the shortest one. */
TAUT_FN void turn_to_goal(const taut_fields* f, const taut_sizes* s, size_t n, double left, double way[3]) {
    const double* asked = f->node_turn + TAUT_TURN_VALUES * n + TAUT_TURN_ROTATION;
    const double *q = f->orientation + 4 * (n - s->points), *goal = f->frame_goal + 4 * (n - s->points);
    double back[4], turn[4], rest[4], off[3];
    quat_conjugate(q, back);
    quat_multiply(goal, back, turn);
    quat_log(turn, way);
    for (int a = 0; a < 3; a++) {
        off[a] = -left * asked[a];
    }
    quat_exp(off, back);
    quat_multiply(turn, back, rest);
    quat_log(rest, off);
    for (int a = 0; vec3_dot(off, off) <= TAUT_TURN_OFF * TAUT_TURN_OFF && a < 3; a++) {
        way[a] = left * asked[a] + off[a];
    }
}

/* Way of node n to its goal: a vector, or the turn of a frame. */
TAUT_FN void way_to_goal(const taut_fields* f, const taut_sizes* s, size_t n, double left, double way[3]) {
    if (n < s->points) {
        vec3_sub(f->node_goal + 3 * n, f->x + 3 * n, way);
    } else {
        turn_to_goal(f, s, n, left, way);
    }
}

/* Velocity of a fixed node that goes to its goal within dt, in which it makes what is `left` of its turn, or that
 * reached it in the last step and stops. */
TAUT_FN void begin_node(const taut_fields* f, const taut_sizes* s, size_t n, uint32_t tick, double dt, double left) {
    const bool going = f->node_goal_tick[n] >= tick, arrived = f->node_goal_tick[n] == tick - 1;
    double way[3] = {0, 0, 0};
    if (going) {
        way_to_goal(f, s, n, left, way);
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
        const double way = h * f->rate[moves * c + a], next = f->rest[values * c + a] + way;
        const bool come = way != 0 && has_come(f->goal[moves * c + a], next, way);
        f->rest[values * c + a] = come ? f->goal[moves * c + a] : next;
    }
}

TAUT_FN void end_target(const taut_kind_fields* f, size_t c, size_t moves, size_t values, uint32_t tick) {
    for (size_t a = 0; f->goal_tick[c] >= tick && a < moves; a++) {
        f->rest[values * c + a] = f->goal[moves * c + a];
        f->rate[moves * c + a] = 0;
    }
}

/* ---- turns on the way -------------------------------------------------------------------------------------------- */

TAUT_FN bool turns(const double turn[TAUT_TURN_VALUES]) {
    return turn[TAUT_TURN_ROTATION] != 0 || turn[TAUT_TURN_ROTATION + 1] != 0 || turn[TAUT_TURN_ROTATION + 2] != 0;
}

/* p(left). */
TAUT_FN void place_on_arc(const double turn[TAUT_TURN_VALUES], const double goal[3], double left, double place[3]) {
    double back[3], q[4], arm[3];
    for (int a = 0; a < 3; a++) {
        back[a] = -left * turn[TAUT_TURN_ROTATION + a];
        arm[a] = goal[a] - turn[TAUT_TURN_CENTRE + a];
    }
    quat_exp(back, q);
    quat_rotate(q, arm, place);
    vec3_axpy(1, turn + TAUT_TURN_CENTRE, place);
}

/* Velocity of a point at x for a part of h at whose start `left` of the motion is left, and `next` at its end. */
TAUT_FN void velocity_on_arc(const double turn[TAUT_TURN_VALUES], const double goal[3], const double x[3], double left,
                             double next, double h, double v[3]) {
    const double kept = left > next ? fmax(0.0, next / left) : 0;
    double from[3], to[3];
    place_on_arc(turn, goal, left, from);
    place_on_arc(turn, goal, fmax(0.0, next), to);
    for (int a = 0; a < 3; a++) {
        v[a] = (to[a] + kept * (x[a] - from[a]) - x[a]) / h;
    }
}

/* Before a part of a step. A frame that turns keeps its angular velocity. */
TAUT_FN void turn_node(const taut_fields* f, const taut_sizes* s, size_t n, uint32_t tick, double left, double next,
                       double h) {
    const double* turn = f->node_turn + TAUT_TURN_VALUES * n;
    if (n < s->points && f->node_goal_tick[n] >= tick && turns(turn)) {
        velocity_on_arc(turn, f->node_goal + 3 * n, f->x + 3 * n, left, next, h, f->v + 3 * n);
    }
}

/* Likewise the target of a point. */
TAUT_FN void turn_target(const taut_kind_fields* f, size_t c, uint32_t tick, double left, double next, double h) {
    const double* turn = f->goal_turn + TAUT_TURN_VALUES * c;
    if (f->goal_tick[c] >= tick && turns(turn)) {
        velocity_on_arc(turn, f->goal + 3 * c, f->rest + 3 * c, left, next, h, f->rate + 3 * c);
    }
}

#endif
