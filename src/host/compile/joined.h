/* What constraints join, which does not touch while they are there and have not broken: joints and attachments of the
 * scene, and welds and attachments that are added to a world. Lists of it are made anew whenever constraints come or
 * go. */
#ifndef TAUT_COMPILE_JOINED_H
#define TAUT_COMPILE_JOINED_H

#include "host/scene/scene_data.h"
#include "model/layout.h"

/* Sizes, where something may touch; and again where there is another reserve. */
void joined_count(const taut_scene* scene, taut_sizes* sizes);
void joined_set_room(taut_sizes* sizes);
/* Arrays: pairs of the scene, and owners of points. */
void joined_fill(const taut_scene* scene, const taut_sizes* sizes, taut_fields* fields);
/* The lists, from laws and reserved places: for a world that has been made, and whenever these change. */
void joined_list(const taut_sizes* sizes, taut_fields* fields);

#endif
