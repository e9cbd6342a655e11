/* What is joined with what, of things with numbers: parent[i] == i of what stands for its group, the least of it. */
#ifndef TAUT_BASE_GROUPS_H
#define TAUT_BASE_GROUPS_H

#include <stdint.h>

/* What stands for the group of i; shortens the way there. */
static inline uint32_t group_root(uint32_t* parent, uint32_t i) {
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

static inline void group_join(uint32_t* parent, uint32_t a, uint32_t b) {
    const uint32_t one = group_root(parent, a), two = group_root(parent, b);
    parent[one < two ? two : one] = one < two ? one : two;
}

#endif
