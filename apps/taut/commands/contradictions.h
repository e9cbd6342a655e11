/* Which constraints of a scene may contradict each other, or where their points start. */
#ifndef TAUT_APP_CONTRADICTIONS_H
#define TAUT_APP_CONTRADICTIONS_H

#include "build/scene_survey.h"

/* One sentence with the places of their batches in the file; false where there are none. */
bool contradictions_tell(const taut_world* world, const built_scene* built, char* sentence, size_t size);

/* The same of hard constraints `attach` and `distance` whose points start farther from where they hold them than a
 * hundredth of the larger object; `surveys`: of all. For a world before its first step. */
bool starts_apart_tell(taut_world* world, const scene_file* file, const built_scene* built,
                       const object_survey* surveys, char* sentence, size_t size);

/* The same of those between two fixed points, which no step can close and none solves for. After the last step. */
bool fixed_apart_tell(taut_world* world, const scene_file* file, const built_scene* built, char* sentence, size_t size);

#endif
