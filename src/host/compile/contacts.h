/* What may touch what, in a plan: sizes and arrays. */
#ifndef TAUT_COMPILE_CONTACTS_H
#define TAUT_COMPILE_CONTACTS_H

#include "host/scene/scene_data.h"
#include "model/backend.h"

/* Whether something may touch something else. */
bool contacts_possible(const taut_scene* scene);
/* Whether bodies meet couples: a material, or a pair of them, resists rolling or spinning. */
bool contacts_roll(const taut_scene* scene);
taut_status contacts_count(const taut_scene* scene, const taut_allocator* allocator,
                           const taut_contact_settings* settings, taut_sizes* sizes);
/* Sizes that depend on the room for contacts, where something may touch; and the most contacts that there can be. */
void contacts_set_room(taut_sizes* sizes, uint32_t capacity);
uint32_t contacts_at_most(const taut_sizes* sizes);
/* What is the same of all places for contacts. */
void contacts_fill_places(const taut_sizes* sizes, taut_fields* fields);
/* After the bounds of all rows. */
taut_status contacts_fill(const taut_scene* scene, const taut_allocator* allocator, const taut_sizes* sizes,
                          taut_fields* fields);

#endif
