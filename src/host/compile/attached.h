#ifndef TAUT_COMPILE_ATTACHED_H
#define TAUT_COMPILE_ATTACHED_H

#include "host/scene/scene_data.h"
#include "model/layout.h"

/* The centre of the body that a point is mapped from alone, and its frame; else the point itself. */
uint32_t mapped_body(const taut_scene* scene, uint32_t point, uint32_t* frame);

/* m: of a place in the axes of a collider from that, negative inside. */
double distance_in_axes(const scene_meshes* meshes, const scene_collider* c, const double local[3]);

/* Pairs of points whose owners do not touch where they overlap at the start: those that users give, and those that
 * attachments join. Pair i of so many; false where something else is joined. */
size_t attached_pairs(const taut_scene* scene);
bool attached_pair(const taut_scene* scene, size_t i, uint32_t points[2]);

/* What attached points leave without contact (taut_scene_exclude_attached): sizes, and arrays. Pairs of bodies that
 * users give so join those that they exclude; `attached_bodies` writes them, and says how many there are. */
size_t attached_bodies(const taut_scene* scene, uint32_t* bodies);
taut_status attached_count(const taut_scene* scene, const taut_allocator* allocator, taut_sizes* s);
taut_status attached_fill(const taut_scene* scene, const taut_allocator* allocator, const taut_sizes* s,
                          taut_fields* f);

#endif
