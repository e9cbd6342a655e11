#ifndef TAUT_COMPILE_ATTACHED_H
#define TAUT_COMPILE_ATTACHED_H

#include "host/scene/scene_data.h"
#include "model/layout.h"

/* The centre of the body that a point is mapped from alone, and its frame; else the point itself. */
uint32_t mapped_body(const taut_scene* scene, uint32_t point, uint32_t* frame);

/* What attached points leave without contact (taut_scene_exclude_attached): sizes, and arrays. Pairs of bodies join
 * those that users exclude; `attached_bodies` writes them, and says how many there are. */
size_t attached_bodies(const taut_scene* scene, uint32_t* bodies);
taut_status attached_count(const taut_scene* scene, const taut_allocator* allocator, taut_sizes* s);
taut_status attached_fill(const taut_scene* scene, const taut_allocator* allocator, const taut_sizes* s,
                          taut_fields* f);

#endif
