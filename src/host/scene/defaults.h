/* Definitions as programs give them, which may be of another version. */
#ifndef TAUT_SCENE_DEFAULTS_H
#define TAUT_SCENE_DEFAULTS_H

#include "taut/base.h"

/* A definition with all `size` bytes that the library knows, in `whole`: what the program's header lacks has its
 * default. Without a cookie where the definition was not made by taut_default_definition, or says what the library does
 * not know. NULL for NULL. */
const void* scene_whole_definition(const void* def, taut_definition definition, size_t size, void* whole);

/* Makes the argument `def` of a function whole. */
#define SCENE_WHOLE_DEFINITION(type, definition)                                                                       \
    type whole_definition;                                                                                             \
    def = (const type*)scene_whole_definition(def, definition, sizeof whole_definition, &whole_definition)

#endif
