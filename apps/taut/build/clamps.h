/* Hard pins as the objects see them that are built: which vertices they hold, and the walls behind their clamps. */
#ifndef TAUT_APP_CLAMPS_H
#define TAUT_APP_CLAMPS_H

#include "build/scene_builder.h"

/* Points of an object that is being built, after placement. */
typedef struct placed_points {
    size_t count;
    const double (*points)[3];
} placed_points;

/* The pin of constraint `index` if it holds vertices of the object hard, else NULL. */
const pin_spec* hard_pin(const scene_builder* b, size_t index, const built_object* o);

/* Sets the marks of the vertices that a pin holds, one mark per vertex. What does not exist is left to build_pin. */
void mark_pinned(const pin_spec* pin, placed_points at, bool* marks);
/* Marks of the vertices that any hard pin holds, freed by the caller. NULL after setting the report. */
bool* mark_held(scene_builder* b, const built_object* o, placed_points at);

/* Adds fixed points that continue an object behind the clamps of a pin. Once per pin. */
bool build_wall(scene_builder* b, size_t constraint, size_t count, const double (*points)[3]);

/* `.clamp: cause` of a constraint while object `name` is built. Returns false. */
bool clamp_fail(scene_builder* b, size_t constraint, const char* format, const char* name)
    __attribute__((format(printf, 3, 0)));

#endif
