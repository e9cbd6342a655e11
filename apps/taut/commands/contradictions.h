/* Which constraints of a scene may contradict each other. */
#ifndef TAUT_APP_CONTRADICTIONS_H
#define TAUT_APP_CONTRADICTIONS_H

#include "build/scene_build.h"

/* One sentence with the places of their batches in the file; false where there are none. */
bool contradictions_tell(const taut_world* world, const built_scene* built, char* sentence, size_t size);

#endif
