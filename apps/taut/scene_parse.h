/* Readers of the parts of a scene file, shared between scene_file.c, scene_objects.c and scene_constraints.c. What
 * they have filled in stays in the scene_file, also on failure, and is freed with it. */
#ifndef TAUT_APP_SCENE_PARSE_H
#define TAUT_APP_SCENE_PARSE_H

#include "json_reader.h"
#include "scene_file.h"

bool parse_settings(const json_node* root, scene_file* s);
bool parse_objects(const json_node* root, scene_file* s);
bool parse_constraints(const json_node* root, scene_file* s);

/* "compliance" (default 0) and "damping" (default 0) of the object `n`; sets `given` where either is there. */
bool parse_law_keys(const json_node* n, spring_law* law);

#endif
