/* taut render: pictures of a scene, without a screen. */
#ifndef TAUT_VIEW_RENDER_COMMAND_H
#define TAUT_VIEW_RENDER_COMMAND_H

#include "tool_rooms.h"

int render_scene(const arguments& a, report* r);

extern const char render_help[];

#endif
