/* A number that differs between scenes whose motions can differ. */
#ifndef TAUT_APP_SCENE_IDENTITY_H
#define TAUT_APP_SCENE_IDENTITY_H

#include "scene_json/json_text.h"

#include <stdint.h>

/* Of a valid scene: a hash of the text without white space between tokens, and without the member "frames", which ends
 * a run and changes nothing before. */
uint64_t scene_identity(const json_text* text);

#endif
