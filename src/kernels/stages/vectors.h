/* Loads of node vectors, and their components. */
#ifndef TAUT_STAGES_VECTORS_H
#define TAUT_STAGES_VECTORS_H

#include "base/small_math.h"

#include <stddef.h>
#include <stdint.h>

/* One vector of a node array with `stride` values per node, in as few loads as its alignment allows. */
TAUT_FN void load_vector(const real* vectors, size_t stride, uint32_t node, real out[3]) {
    const real* from = vectors + stride * node;
#ifdef __CUDA_ARCH__
    if (stride == 4) {
        struct alignas(4 * sizeof(real) < 16 ? 4 * sizeof(real) : 16) quad {
            real value[4];
        };
        const quad whole = *(const quad*)from;
        out[0] = whole.value[0];
        out[1] = whole.value[1];
        out[2] = whole.value[2];
        return;
    }
#endif
    out[0] = from[0];
    out[1] = from[1];
    out[2] = from[2];
}

/* sum[axis] += value, with fixed indices: a device keeps what is indexed by a variable in memory. */
TAUT_FN void add_to_axis(uint32_t axis, real value, real sum[3]) {
    sum[0] += axis == 0 ? value : 0;
    sum[1] += axis == 1 ? value : 0;
    sum[2] += axis == 2 ? value : 0;
}

TAUT_FN real axis_of(uint32_t axis, const real v[3]) {
    return axis == 0 ? v[0] : axis == 1 ? v[1] : v[2];
}

#endif
