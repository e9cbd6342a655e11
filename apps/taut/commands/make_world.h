/* From a built scene to a world on the backend that was asked for. */
#ifndef TAUT_APP_MAKE_WORLD_H
#define TAUT_APP_MAKE_WORLD_H

#include "build/scene_build.h"
#include "commands/arguments.h"

exit_code exit_code_of(taut_status status);

/* Asked first, because reading and building a large scene takes a while. */
exit_code backend_ready(const arguments* a, report* r);

exit_code make_world(const arguments* a, const scene_file* file, const built_scene* built, taut_world** world,
                     report* r);

#endif
