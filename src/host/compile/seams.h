#ifndef TAUT_COMPILE_SEAMS_H
#define TAUT_COMPILE_SEAMS_H

#include "host/scene/scene_data.h"
#include "model/layout.h"

/* What attachments make neighbours (taut_scene_exclude_attached): corners of surfaces near an attached one, with the
 * corner that this is attached to, as if all were one surface. */
taut_status seams_count(const taut_scene* scene, const taut_allocator* allocator, taut_sizes* s);
taut_status seams_fill(const taut_scene* scene, const taut_allocator* allocator, const taut_sizes* s, taut_fields* f);

#endif
