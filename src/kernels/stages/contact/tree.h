/* A tree of boxes, to find what is near: complete and binary, in the order of a heap. Node i has the children 2 i and
 * 2 i + 1; the leaves are nodes `leaves` and up, a power of two, and hold the items in their order along a curve of
 * Morton. Spare leaves are empty boxes. So there are no links, and a walk from left to right needs no stack.
 *
 * Boxes are lower and upper corners, rounded outwards. Text for a file that has defined TAUT_REAL. */
#ifndef TAUT_CONTACT_TREE_H
#define TAUT_CONTACT_TREE_H

#include "base/small_math.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if defined(__SSE__) && !defined(__CUDACC__)
#include <xmmintrin.h>
#endif

typedef struct taut_tree {
    uint32_t items, leaves;
    const uint32_t* order; /* items: of each leaf */
    const float* box;      /* 2 leaves x 6; node 0 is none */
} taut_tree;

TAUT_FN void box_clear(float box[6]) {
    for (int a = 0; a < 3; a++) {
        box[a] = INFINITY;
        box[3 + a] = -INFINITY;
    }
}

/* The next number above x, which is no infinity; nextafterf would be a call. */
TAUT_FN float float_above(float x) {
    uint32_t bits;
    if (!(x < INFINITY)) {
        return x;
    }
    memcpy(&bits, &x, sizeof bits);
    bits = x > 0 ? bits + 1 : x < 0 ? bits - 1 : 1;
    memcpy(&x, &bits, sizeof bits);
    return x;
}

TAUT_FN float float_below(float x) {
    return -float_above(-x);
}

/* Boxes end here, m: without an end they would meet the empty ones. */
#define TAUT_FARTHEST 1e38

/* Adds a ball. What is not finite, or farther, leaves a box that meets nothing. */
TAUT_FN void box_add(const double x[3], double radius, float box[6]) {
    for (int a = 0; a < 3; a++) {
        const double low = x[a] - radius, high = x[a] + radius;
        if (low >= -TAUT_FARTHEST && high <= TAUT_FARTHEST) {
            const float below = float_below((float)low), above = float_above((float)high);
            box[a] = below < box[a] ? below : box[a];
            box[3 + a] = above > box[3 + a] ? above : box[3 + a];
        }
    }
}

TAUT_FN void box_join(const float a[6], const float b[6], float out[6]) {
    for (int i = 0; i < 3; i++) {
        out[i] = a[i] < b[i] ? a[i] : b[i]; /* fminf would be a call */
        out[3 + i] = a[3 + i] > b[3 + i] ? a[3 + i] : b[3 + i];
    }
}

/* Without branches, which no processor could foresee. */
TAUT_FN bool boxes_meet(const float a[6], const float b[6]) {
    const int x = (a[0] <= b[3]) & (b[0] <= a[3]), y = (a[1] <= b[4]) & (b[1] <= a[4]);
    return (x & y & (a[2] <= b[5]) & (b[2] <= a[5])) != 0;
}

/* One box that is compared with many. */
#if defined(__SSE__) && !defined(__CUDACC__)
typedef struct box_query {
    __m128 high, low; /* its upper corner and no bound, no bound and its lower corner */
} box_query;

TAUT_FN box_query box_ask(const float box[6]) {
    const box_query query = {_mm_setr_ps(box[3], box[4], box[5], INFINITY),
                             _mm_setr_ps(-INFINITY, box[0], box[1], box[2])};
    return query;
}

/* As boxes_meet, with four numbers at once. */
TAUT_FN bool query_meets(const box_query* query, const float box[6]) {
    const __m128 below = _mm_cmple_ps(_mm_loadu_ps(box), query->high);
    const __m128 above = _mm_cmpge_ps(_mm_loadu_ps(box + 2), query->low);
    return _mm_movemask_ps(_mm_and_ps(below, above)) == 15;
}
#else
typedef struct box_query {
    const float* box;
} box_query;

TAUT_FN box_query box_ask(const float box[6]) {
    const box_query query = {box};
    return query;
}

TAUT_FN bool query_meets(const box_query* query, const float box[6]) {
    return boxes_meet(box, query->box);
}
#endif

/* Every third bit of the last ten. */
TAUT_FN uint32_t spread_bits(uint32_t v) {
    v = (v | v << 16) & 0x030000ffu;
    v = (v | v << 8) & 0x0300f00fu;
    v = (v | v << 4) & 0x030c30c3u;
    return (v | v << 2) & 0x09249249u;
}

/* Number of bits of a code. */
#define TAUT_MORTON_BITS 30

/* Of the middle of a box among cells of this side, 1024 a way; beyond those it begins anew, which costs time alone. */
TAUT_FN uint32_t morton_code(const float box[6], double cell) {
    uint32_t code = 0;
    for (int a = 0; a < 3; a++) {
        const double at = floor(0.5 * ((double)box[a] + (double)box[3 + a]) / cell);
        const bool good = at >= -1e9 && at <= 1e9;
        code |= spread_bits((uint32_t)(good ? (int32_t)at : 0) & 1023u) << a;
    }
    return code;
}

/* The least power of two that is no less than `items`. */
TAUT_FN uint32_t tree_leaves(uint32_t items) {
    uint32_t leaves = 1;
    while (leaves < items) {
        leaves *= 2;
    }
    return leaves;
}

/* The node after all below node i; 0 at the end. */
TAUT_FN uint32_t tree_skip(uint32_t i) {
#if defined(__GNUC__) && !defined(__CUDA_ARCH__)
    i >>= __builtin_ctz(~i);
#else
    while ((i & 1u) != 0) {
        i /= 2;
    }
#endif
    return i > 0 ? i + 1 : 0;
}

/* The next item whose box meets this one, from node *at on, which begins at 1; UINT32_MAX: there is none. */
TAUT_FN uint32_t tree_next(const taut_tree* tree, const float box[6], uint32_t* at) {
    const box_query query = box_ask(box);
    while (*at != 0) {
        const uint32_t i = *at;
        const bool meets = query_meets(&query, tree->box + 6 * (size_t)i);
        if (meets && i < tree->leaves) {
            *at = 2 * i;
            continue;
        }
        *at = tree_skip(i);
        if (meets) {
            return tree->order[i - tree->leaves];
        }
    }
    return UINT32_MAX;
}

#endif
