/* Parts of a scene whose forces may balance each other: kernels/stages/turning.h. */
#ifndef TAUT_COMPILE_BALANCED_H
#define TAUT_COMPILE_BALANCED_H

#include "host/compile/topology.h"

typedef struct balanced_draft {
    uint32_t parts, members; /* nodes of all of them */
    uint32_t nodes;
    uint32_t* part; /* of each node, or TAUT_NO_NODE */
} balanced_draft;

taut_status balanced_make(const topology* t, const taut_allocator* allocator, balanced_draft* out);
void balanced_fill(const balanced_draft* draft, const taut_sizes* s, taut_fields* f);
void balanced_free(const taut_allocator* allocator, balanced_draft* draft);

#endif
