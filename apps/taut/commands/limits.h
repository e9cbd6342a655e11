/* Limits of what a scene may take: --max-memory, --max-seconds, --confined, and what the machine has. */
#ifndef TAUT_APP_LIMITS_H
#define TAUT_APP_LIMITS_H

#include "build/scene_build.h"
#include "commands/arguments.h"

/* Of the help of each command that has them. */
#define LIMITS_HELP                                                                                                    \
    "  --max-memory MIB                refuses a scene that takes more, and bounds the process\n"                      \
    "  --max-seconds N                 ends the run after so long, with complete files\n"                              \
    "  --confined                      meshes must lie in the scene's folder; also with a limit above\n"               \
    "  --allow-outside                 with a limit, meshes may lie elsewhere\n"

/* Before the scene is read: starts the clock, and bounds the memory of the process. */
void limits_begin(const arguments* a);
/* Before anything is built. */
bool limits_check_file(const arguments* a, const scene_file* file, report* r);
/* Before a world is created. */
bool limits_check_built(const arguments* a, const scene_file* file, const built_scene* built, report* r);
/* Before so much room for contacts is made. */
bool limits_check_contacts(const arguments* a, const scene_file* file, const built_scene* built, double contacts,
                           report* r);
/* What the sentence of a failure leaves to be said: which limit it was. */
const char* limits_hint(const arguments* a, taut_status status);

#endif
