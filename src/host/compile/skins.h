#ifndef TAUT_COMPILE_SKINS_H
#define TAUT_COMPILE_SKINS_H

#include "host/scene/scene_data.h"
#include "model/layout.h"

/* How long and how thick surfaces are. */
void skins_measure(const taut_scene* scene, taut_sizes* s);
/* Fields of the skins of colliders, from those of surfaces. */
taut_status skins_fill(const taut_scene* scene, const taut_allocator* allocator, const taut_sizes* s, taut_fields* f);

#endif
