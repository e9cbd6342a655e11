/* Components of a scene for the guard (model/account.h), and the segments by which their sums are formed. */
#ifndef TAUT_COMPILE_COMPONENTS_H
#define TAUT_COMPILE_COMPONENTS_H

#include "host/compile/topology.h"

typedef struct components {
    uint32_t *node, *member; /* of each node and member */
    size_t count;
    size_t bytes;
    void* memory;
} components;

/* In any case to be freed. */
taut_status components_make(const topology* t, const taut_allocator* allocator, components* out);
/* Sizes of the plan, and where the segments of each kind begin. */
void components_count(const topology* t, const components* c, taut_plan* plan);
void components_fill(const topology* t, const components* c, taut_plan* plan);
void components_free(const taut_allocator* allocator, components* c);

#endif
