/* The tool's C headers that the viewer uses. */
#ifndef TAUT_VIEW_TOOL_ROOMS_H
#define TAUT_VIEW_TOOL_ROOMS_H

extern "C" {
#include "base/report.h"
#include "base/whole_file.h"
#include "build/frame_points.h"
#include "build/scene_build.h"
#include "build/scene_step.h"
#include "commands/arguments.h"
#include "commands/interrupt.h"
#include "commands/limits.h"
#include "commands/make_world.h"
#include "commands/outcomes.h"
#include "commands/progress.h"
}

#endif
