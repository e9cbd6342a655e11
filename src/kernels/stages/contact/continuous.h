/* When moving parts of surfaces come together: conservative advancement along straight paths (compare Li, Kaufman and
 * Jiang, Codimensional Incremental Potential Contact, 2021). A pair whose distance is d at a time t of [0, 1] and whose
 * parts come together by at most l in all of it keeps a distance of m until t + (d - m)/l. Times thus found are never
 * late, and what is found to stay apart does so. Text for a file that has defined TAUT_REAL as double. */
#ifndef TAUT_CONTACT_CONTINUOUS_H
#define TAUT_CONTACT_CONTINUOUS_H

#include "kernels/stages/contact/near.h"

/* What is to be left: this part of the thickness, or of the gap at the start where that is less. */
#define TAUT_LEFT_OF_THICKNESS 0.05
#define TAUT_LEFT_OF_GAP       0.1
/* Parts of the thickness: what starts nearer has no side to stay on. */
#define TAUT_SIDELESS 1e-9
/* After so many steps a pair counts as one that meets. */
#define TAUT_ADVANCES 200

/* A point and a triangle or segment (own 1), or two segments (own 2). */
typedef struct moving_pair {
    double from[4][3], way[4][3];
    int own;
    bool segment;
} moving_pair;

/* How near a pair may come, m: it meets at `floor`, and is never nearer than `sure` before it is found to. */
typedef struct meeting_bound {
    double floor, sure;
} meeting_bound;

/* Of two segments from a to b and from c to d; near_segments where they pass each other, else an end and a segment. */
TAUT_FN void near_on_segments(const double a[3], const double b[3], const double c[3], const double d[3],
                              double part[2]) {
    const double* const end[4] = {a, b, c, d};
    double least = INFINITY;
    if (near_segments(a, b, c, d, part)) {
        return;
    }
    for (int i = 0; i < 4; i++) {
        const double *from = i < 2 ? c : a, *to = i < 2 ? d : b;
        double weight[3], apart[3];
        near_on_segment(end[i], from, to, weight);
        for (int k = 0; k < 3; k++) {
            apart[k] = end[i][k] - weight[0] * from[k] - weight[1] * to[k];
        }
        if (vec3_dot(apart, apart) < least) {
            least = vec3_dot(apart, apart);
            part[i < 2 ? 0 : 1] = i % 2;
            part[i < 2 ? 1 : 0] = weight[1];
        }
    }
}

/* The distance at a time, the difference of the closest points, and their weights: sum of weight_i x_i. */
TAUT_FN double pair_at(const moving_pair* pair, double time, double weight[4], double d[3]) {
    double x[4][3], on[3], part[2];
    for (int i = 0; i < 4; i++) {
        for (int a = 0; a < 3; a++) {
            x[i][a] = pair->from[i][a] + time * pair->way[i][a];
        }
    }
    weight[0] = 1;
    if (pair->own == 1 && pair->segment) {
        near_on_segment(x[0], x[1], x[2], on);
    } else if (pair->own == 1) {
        near_on_triangle(x[0], x[1], x[2], x[3], on);
    } else {
        near_on_segments(x[0], x[1], x[2], x[3], part);
        weight[0] = 1 - part[0];
        on[0] = -part[0];
        on[1] = 1 - part[1];
        on[2] = part[1];
    }
    for (int i = 0; i < 3; i++) {
        weight[1 + i] = -on[i];
        d[i] = 0;
    }
    for (int i = 0; i < 4; i++) {
        vec3_axpy(weight[i], x[i], d);
    }
    return sqrt(vec3_dot(d, d));
}

/* How much of the distance the paths can close at most: parts that move alike close none. */
TAUT_FN double pair_way(const moving_pair* pair) {
    double mean[3] = {0, 0, 0}, most[2] = {0, 0}, apart[3];
    for (int i = 0; i < 4; i++) {
        vec3_axpy(0.25, pair->way[i], mean);
    }
    for (int i = 0; i < 4; i++) {
        double* side = &most[i < pair->own ? 0 : 1];
        vec3_sub(pair->way[i], mean, apart);
        *side = fmax(*side, vec3_dot(apart, apart));
    }
    return sqrt(most[0]) + sqrt(most[1]);
}

/* Of what starts at `distance` and is `solid` up to that much. What is in it already may go no deeper than by a tenth.
 */
TAUT_FN meeting_bound bound_of_meeting(double distance, double solid, double thickness) {
    const double inner = distance > solid ? solid : (1 - 2 * TAUT_LEFT_OF_GAP) * distance;
    const double left = fmin(TAUT_LEFT_OF_THICKNESS * thickness, TAUT_LEFT_OF_GAP * (distance - inner));
    const meeting_bound bound = {inner + left, inner + left / 2};
    return bound;
}

/* When a pair meets, in [0, 1]; 2: never. `solid`: radius of what is solid in it; `thickness`: of its surfaces. */
TAUT_FN double time_of_meeting(const moving_pair* pair, double solid, double thickness) {
    double weight[4], d[3], time = 0;
    const double way = pair_way(pair);
    double distance = pair_at(pair, 0, weight, d);
    const meeting_bound bound = bound_of_meeting(distance, solid, thickness);
    if (!(distance > TAUT_SIDELESS * thickness) || !(distance - bound.floor <= way)) {
        return 2;
    }
    for (int i = 0; i < TAUT_ADVANCES; i++) {
        time += (distance - bound.sure) / way;
        if (!(time < 1)) {
            return pair_at(pair, 1, weight, d) <= bound.floor ? 1 : 2;
        }
        distance = pair_at(pair, time, weight, d);
        if (distance <= bound.floor) {
            return time;
        }
    }
    return time;
}

#endif
