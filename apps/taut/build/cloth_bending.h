/* Bending of cloth, and its clamps. */
#ifndef TAUT_APP_CLOTH_BENDING_H
#define TAUT_APP_CLOTH_BENDING_H

#include "build/mesh_hinges.h"
#include "build/scene_builder.h"

/* The points of the cloth are in the scene. */
bool build_cloth_bending(scene_builder* b, const cloth_spec* c, const mesh* m, const hinge_list* hinges,
                         const built_object* o);

#endif
