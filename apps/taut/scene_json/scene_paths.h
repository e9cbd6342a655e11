/* Where the mesh files of a scene lie. */
#ifndef TAUT_APP_SCENE_PATHS_H
#define TAUT_APP_SCENE_PATHS_H

#include "scene_json/scene_file.h"

/* Fails where a mesh, with links followed, is not inside the folder of the scene; also where it does not exist, so that
 * nothing is told about what is outside. */
bool scene_paths_confined(const scene_file* file, report* r);

#endif
