/* How far things reach into each other: what is measured, and how it is kept among whole numbers. */
#ifndef TAUT_MODEL_DEPTHS_H
#define TAUT_MODEL_DEPTHS_H

#include "base/small_math.h"

#include <stdint.h>
#include <string.h>

/* Solid colliders with each other, and contact points with colliders and surfaces. */
typedef enum taut_depth {
    TAUT_DEPTH_BODIES,          /* m */
    TAUT_DEPTH_BODIES_RELATIVE, /* relative to the least extent of the thinner collider */
    TAUT_DEPTH_POINTS,          /* m */
    TAUT_DEPTH_POINTS_RELATIVE, /* relative to the thickness of the thinner one */
    TAUT_DEPTH_COUNT
} taut_depth;

/* As a float, whose bits have the order of whole numbers as long as none is negative: the largest one can be found by
 * comparing these, in any order. */
TAUT_FN uint32_t taut_depth_bits(double depth) {
    const float value = (float)depth;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

TAUT_FN double taut_depth_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

#endif
