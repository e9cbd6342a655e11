/* When solids that fly meet (model/impacts.h): each goes on a parabola and turns evenly. Text for a file that has
 * defined TAUT_REAL as double. */
#ifndef TAUT_CONTACT_MEETING_H
#define TAUT_CONTACT_MEETING_H

#include "kernels/stages/contact/crossing_solids.h"
#include "model/impacts.h"

/* Halves of thickness between the places at which a pair that touches is looked at, and places at most. */
#define TAUT_MEETING_STRIDE 0.25
#define TAUT_MEETING_LOOKS  256
/* Halvings of such a stride. */
#define TAUT_MEETING_HALVINGS 12

TAUT_FN bool is_loose(const taut_fields* f, const taut_sizes* s, taut_body_nodes body) {
    return is_still(f, s, body) || (f->flight[body.centre] & TAUT_FLIGHT_LOOSE) != 0;
}

/* The way of a collider in `left`, of which it has a velocity for pieces of the length `last`. */
TAUT_FN solid_way flight_of_solid(const taut_fields* f, const taut_sizes* s, size_t collider, const double gravity[3],
                                  double beta, const taut_impacts* impacts) {
    const taut_body_nodes body = f->collider_body[collider];
    const bool moves = body.centre != TAUT_NO_NODE, falls = moves && (f->flight[body.centre] & TAUT_FLIGHT_FALLS) != 0;
    const double left = impacts->left, ahead = falls ? (beta - 0.5) * impacts->last : 0;
    solid_way out;
    const contact_side_of at = collider_side(f, s, collider, out.q);
    out.reach = f->solid[collider].reach;
    for (size_t a = 0; a < 3; a++) {
        const size_t i = 3 * (size_t)(moves ? body.centre : 0) + a;
        out.from[a] = moves ? f->x[i] : at.x[a];
        out.way[a] = moves ? left * (f->v[i] + ahead * gravity[a]) : 0;
        out.fall[a] = falls ? left * left / 2 * gravity[a] : 0;
        out.turn[a] = body.frame != TAUT_NO_NODE ? left * f->v[3 * (size_t)body.frame + a] : 0;
        out.arm[a] = at.x[a] - out.from[a];
    }
    const bool turns = !is_still(f, s, body) && body.frame != TAUT_NO_NODE && is_loose(f, s, body);
    const size_t frame = turns ? body.frame - s->points : 0;
    out.inertia = turns ? f->inertia + 6 * frame : NULL;
    out.h = left;
    out.beta = beta;
    for (size_t a = 0; turns && a < 4; a++) {
        out.frame[a] = f->orientation[4 * frame + a];
    }
    out.round = turn_that_shows(f->collider_shape[collider], out.q, out.turn);
    return out;
}

/* Half of the thickness of the thinner one that is free, m. */
TAUT_FN double thinner_of_flights(const taut_fields* f, const taut_sizes* s, const size_t pair[2]) {
    double half = INFINITY;
    for (int k = 0; k < 2; k++) {
        half = is_still(f, s, f->collider_body[pair[k]]) ? half : fmin(half, half_thickness(f, pair[k]));
    }
    return half;
}

/* From `time` on, at which they are `gap` apart along a normal: when they touch; 2: never. */
TAUT_FN double time_of_touch(const taut_fields* f, const size_t pair[2], const solid_way w[2], double time, double gap,
                             double touch, double normal[3]) {
    for (int i = 0; i < TAUT_ADVANCES && gap > touch; i++) {
        const double next = time + (gap - touch / 8) / approach_along(w, time, normal);
        const bool last = !(next < 1);
        time = last ? 1 : next;
        gap = solids_gap(f, pair, w, time, normal);
        if (last && gap > touch) {
            return 2;
        }
    }
    return time;
}

/* The last time between these at which they overlap by no more than `most`, as they do at the first one. */
TAUT_FN double time_of_overlap(const taut_fields* f, const size_t pair[2], const solid_way w[2], double first,
                               double last, double most) {
    double normal[3];
    for (int i = 0; i < TAUT_MEETING_HALVINGS; i++) {
        const double middle = (first + last) / 2;
        const bool over = solids_gap(f, pair, w, middle, normal) < -most;
        first = over ? first : middle;
        last = over ? middle : last;
    }
    return first;
}

/* Of the places at which a pair is looked at, as a part of its way. */
TAUT_FN double stride_of_looks(const solid_way w[2], double half) {
    const double looks = ceil(longest_approach(w) / (TAUT_MEETING_STRIDE * half));
    return 1 / fmin(fmax(looks, 1.0), (double)TAUT_MEETING_LOOKS);
}

/* Of a pair that touches: when it comes off and touches again, or touches with other places. Contacts bear it until
 * then, so that gravity does not count. */
TAUT_FN double time_of_next_touch(const taut_fields* f, const size_t pair[2], const solid_way w[2], double gap,
                                  double half) {
    const double touch = TAUT_IMPACT_TOUCH * half, most = TAUT_IMPACT_SLACK * half - fmin(gap, 0.0);
    const double stride = stride_of_looks(w, half);
    solid_way borne[2] = {w[0], w[1]};
    double normal[3];
    for (int k = 0; k < 2; k++) {
        borne[k].fall[0] = borne[k].fall[1] = borne[k].fall[2] = 0;
    }
    for (double time = 0; time < 1 - stride / 2; time += stride) {
        const double next = time + stride;
        const double apart = solids_gap(f, pair, borne, next, normal);
        if (apart < -most) {
            return time_of_overlap(f, pair, borne, time, next, most);
        }
        if (apart > touch) {
            const double falls = solids_gap(f, pair, w, next, normal);
            if (falls > touch) {
                return time_of_touch(f, pair, w, next, falls, touch, normal);
            }
        }
    }
    return 2;
}

/* Of a pair that is apart, `first` is when it touches: when it meets. What slides on a floor touches the side of the
 * next one, flush with it, and passes: it meets nothing unless it overlaps by more than slack. */
TAUT_FN double time_of_blow(const taut_fields* f, const size_t pair[2], const solid_way w[2], double first,
                            double half) {
    const double most = TAUT_IMPACT_SLACK * half, stride = stride_of_looks(w, half);
    double normal[3];
    for (double time = first; time < 1; time += stride) { /* what meets late has its first look beyond the end */
        const double next = time == first ? time + stride : fmin(time + stride, 1.0);
        if (solids_gap(f, pair, w, next, normal) < -most) {
            return time == first ? first : time_of_overlap(f, pair, w, time, next, most);
        }
    }
    return 2;
}

/* When two colliders meet, in [0, 1] of what is left, which is this part of the substep; 2: never, or they are not
 * fast. The first one finds the second. */
TAUT_FN double time_of_solids(const taut_fields* f, const taut_sizes* s, const size_t pair[2], const solid_way w[2],
                              double part, taut_meeting* met) {
    double apart[3], normal[3];
    const double half = thinner_of_flights(f, s, pair), l = longest_approach(w);
    const double arms = sqrt(vec3_dot(w[0].arm, w[0].arm)) + sqrt(vec3_dot(w[1].arm, w[1].arm));
    const double reach = w[0].reach + w[1].reach + arms + l;
    const bool plane = is_plane(f, pair[1]);
    vec3_sub(w[0].from, w[1].from, apart);
    if (!(half > 0 && l > part * TAUT_IMPACT_FAST * half) || (plane && vec3_dot(w[1].turn, w[1].turn) > 0) ||
        (!plane && vec3_dot(apart, apart) > reach * reach)) {
        return 2;
    }
    const double gap = solids_gap(f, pair, w, 0, normal), touch = TAUT_IMPACT_TOUCH * half;
    if (gap <= touch && part == 1) { /* it slides or rolls: that is what a step without impacts is for */
        return 2;
    }
    met->flies = true;
    met->touch = fmax(met->touch, touch);
    if (gap > l + touch) {
        return 2;
    }
    if (gap <= touch) {
        return time_of_next_touch(f, pair, w, gap, half);
    }
    const double first = time_of_touch(f, pair, w, 0, gap, touch, normal);
    return first < 1 ? time_of_blow(f, pair, w, first, half) : first;
}

#endif
