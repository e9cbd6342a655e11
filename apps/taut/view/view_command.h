/* taut view: a window with a scene that runs. */
#ifndef TAUT_VIEW_VIEW_COMMAND_H
#define TAUT_VIEW_VIEW_COMMAND_H

#include "tool_rooms.h"

int view_scene(const arguments& a, report* r);

extern const char view_help[];

#endif
