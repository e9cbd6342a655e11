/* The order of mapped points in a world: active ones first, level by level, then the others. */
#ifndef TAUT_COMPILE_MAPPED_H
#define TAUT_COMPILE_MAPPED_H

#include "host/scene/scene_data.h"
#include "model/layout.h"

/* Active are those that something acts on, or all. list: numbers among the mapped points, in the order of a world.
 * Fills in the levels of `sizes`, whose counts of nodes are known. */
taut_status mapped_order(const taut_scene* scene, bool all_active, const taut_allocator* allocator, uint32_t* list,
                         taut_sizes* sizes);

/* Entries and children of the mapped points of a scene that is in this order. */
void mapped_fill(const taut_scene* scene, const taut_sizes* s, const taut_fields* f);

#endif
