/* What fixed nodes leave of the thickness of a pair of surfaces. Where both parts have corners that nothing can move,
 * those may be nearer to each other than the thickness: what is free beside them could keep it by turning about them
 * alone, with levers that end at nothing. So a pair keeps no more than the distance that its fixed corners have, from
 * now until the end of the step. Text for a file that has defined TAUT_REAL as double. */
#ifndef TAUT_CONTACT_HELD_APART_H
#define TAUT_CONTACT_HELD_APART_H

#include "kernels/stages/contact/collide_pair.h"
#include "kernels/stages/contact/continuous.h"

/* The first and the last one of the corners of a part that nothing can move, where they are after h. */
typedef struct held_corners {
    int count;
    double x[2][3];
} held_corners;

TAUT_FN held_corners held_corners_of(const taut_fields* f, const taut_sizes* s, const uint32_t* corner, int count,
                                     double h) {
    held_corners held = {0, {{0, 0, 0}, {0, 0, 0}}};
    for (int i = 0; i < count; i++) {
        if (is_still(f, s, f->touching_body[corner[i]])) {
            contact_side_of side = touching_side(f, s, corner[i]);
            place_velocity(f, &side);
            vec3_axpy(h, side.v, side.x);
            for (int k = held.count > 0 ? 1 : 0; k < 2; k++) {
                for (int a = 0; a < 3; a++) {
                    held.x[k][a] = side.x[a];
                }
            }
            held.count++;
        }
    }
    return held;
}

/* From those of b to those of a after h; false where not both parts have some. Where all of both are fixed, they are no
 * pair. */
TAUT_FN bool held_apart(const taut_fields* f, const taut_sizes* s, const uint32_t* a, int na, const uint32_t* b, int nb,
                        double h, double d[3]) {
    const held_corners one = held_corners_of(f, s, a, na, h);
    if (one.count == 0) {
        return false;
    }
    const held_corners two = held_corners_of(f, s, b, nb, h);
    const bool line = one.count > 1;
    const held_corners *from = line ? &two : &one, *to = line ? &one : &two;
    double weight[3];
    near_on_segment(from->x[0], to->x[0], to->x[1], weight);
    for (int i = 0; i < 3; i++) {
        d[i] = (line ? -1 : 1) * (from->x[0][i] - weight[0] * to->x[0][i] - weight[1] * to->x[1][i]);
    }
    return two.count > 0;
}

/* The least length of what goes from one difference to another. */
TAUT_FN double least_between(const double from[3], const double to[3]) {
    const double none[3] = {0, 0, 0};
    double weight[3], d[3];
    near_on_segment(none, from, to, weight);
    for (int i = 0; i < 3; i++) {
        d[i] = weight[0] * from[i] + weight[1] * to[i];
    }
    return sqrt(vec3_dot(d, d));
}

/* m: what a pair keeps of `thickness` from a state, `was`, until h after another one. */
TAUT_FN double thickness_left(const taut_fields* was, const taut_fields* f, const taut_sizes* s, const uint32_t* a,
                              int na, const uint32_t* b, int nb, double thickness, double h) {
    double from[3], to[3];
    if (!held_apart(was, s, a, na, b, nb, 0, from) || !held_apart(f, s, a, na, b, nb, h, to)) {
        return thickness;
    }
    return fmin(thickness, least_between(from, to));
}

/* Whether that is nothing: fixed corners that pass each other take what is beside them along. */
TAUT_FN bool passes_held(double left, double thickness) {
    return left < thickness && left <= TAUT_LEFT_OF_THICKNESS * thickness;
}

#endif
