/* Edges that go through triangles, in groups that stand side by side. */
#ifndef TAUT_CPU_CPU_CUTS_H
#define TAUT_CPU_CPU_CUTS_H

#include "model/backend.h"

/* How many groups there are. */
size_t cpu_cut_groups(const taut_plan* plan);
/* How often the edges of a group go through triangles of the tree of colliders and faces; of each edge to `counts`
 * unless that is NULL. Unless `all`, edges whose cuts are not looked for with tangles count as if they did not. The
 * tree of edges must have been built before, for their order. */
uint32_t cpu_cuts_of_edges(const taut_plan* plan, size_t group, bool all, uint32_t* counts);

#endif
