#ifndef TAUT_COMPILE_PAIR_LIST_H
#define TAUT_COMPILE_PAIR_LIST_H

#include "host/scene/scene_data.h"

/* Pairs of numbers; once sorted, without repetition. */
typedef struct pair_list {
    const taut_allocator* allocator;
    taut_buffer pairs; /* uint32 x 2 */
} pair_list;

taut_status pair_list_add(pair_list* list, uint32_t a, uint32_t b);
void pair_list_sort(pair_list* list);
/* The first of the sorted pairs that begin with `first`, or with more. */
size_t pair_list_find(const pair_list* list, uint32_t first);
void pair_list_release(pair_list* list);

/* Contact points by the point that they are on: pairs of both, sorted. */
taut_status pair_list_touching(const taut_scene* scene, pair_list* by_point);

#endif
