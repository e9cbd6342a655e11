/* What moves fastest, as the sentence of a run that diverged names it. */
#ifndef TAUT_APP_FASTEST_H
#define TAUT_APP_FASTEST_H

#include "build/scene_build.h"

#include "taut/taut.h"

/* Of all vertices and bodies of the world's state, as " The fastest in it was vertex 3 of 'rope', at 2e+06 m/s."; ""
 * where nothing moves, or it is not known. */
void fastest_tell(taut_world* world, const built_scene* built, char* part, size_t size);

#endif
