/* Motion of fixed nodes and of rest values to their goals. */
#ifndef TAUT_STAGES_GOALS_H
#define TAUT_STAGES_GOALS_H

#include "kernels/formulas/rotation_math.h"
#include "model/layout.h"

#include <float.h>

/* Whether `now` is at the goal but for the rounding of the way that led there. What has come stands on its goal at
 * once, so that it is evaluated where it stays. */
TAUT_FN bool has_come(double goal, double now, double way) {
    return fabs(goal - now) <= 1e-9 * fabs(way) + 4 * DBL_EPSILON * fabs(goal);
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

#endif
