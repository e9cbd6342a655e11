/* Limits of what a scene may take: --max-memory, --max-seconds, --confined, and what the machine has. */
#ifndef TAUT_APP_LIMITS_H
#define TAUT_APP_LIMITS_H

#include "build/scene_build.h"
#include "commands/arguments.h"

/* Before the scene is read: starts the clock, and bounds the memory of the process. */
void limits_begin(const arguments* a);
/* Before anything is built. */
bool limits_check_file(const arguments* a, const scene_file* file, report* r);
/* Before a world is created. */
bool limits_check_built(const arguments* a, const scene_file* file, const built_scene* built, report* r);
/* Before so much room for contacts is made. */
bool limits_check_contacts(const arguments* a, const scene_file* file, const built_scene* built, double contacts,
                           report* r);

#endif
