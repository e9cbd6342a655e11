/* What a scene's author may not have meant. */
#ifndef TAUT_APP_SCENE_WARNINGS_H
#define TAUT_APP_SCENE_WARNINGS_H

#include "build/frame_points.h"
#include "build/scene_survey.h"

typedef void scene_warn(void* user, const char* sentence);

/* Gravity and sizes that look like centimetres or millimetres, `most` sentences of them. */
void warn_of_units(const scene_file* file, const built_scene* built, size_t most, scene_warn* warn, void* user);

/* Likewise all of them; and cloth that its own weight stretches far, and soft bodies that lock. `surveys`: of all
 * objects. */
void warn_of_sizes(const scene_file* file, const object_survey* surveys, scene_warn* warn, void* user);

/* A scheme that loses the energy of what turns, where its default cannot keep that. */
void warn_of_scheme(const scene_file* file, scene_warn* warn, void* user);

/* Fixed vertices of two objects that are nearer to each other than their thickness at the start. */
bool warn_of_held(const scene_file* file, const built_scene* built, scene_warn* warn, void* user, report* r);

/* Different vertices of a cloth in one place. */
bool warn_of_split(const scene_file* file, const built_scene* built, scene_warn* warn, void* user, report* r);

/* Vertices that are inside bodies and colliders which they touch. `points`: as read at the start. */
void warn_of_insides(const scene_file* file, const frame_points* points, scene_warn* warn, void* user);

/* Colliders far from the bodies that carry them. `points`: likewise. */
void warn_of_far_colliders(const scene_file* file, const frame_points* points, scene_warn* warn, void* user);

/* Surfaces that cross each other. `points`: likewise. The world is as it was afterwards. */
bool warn_of_crossings(const scene_file* file, const frame_points* points, const object_survey* surveys,
                       taut_world* world, scene_warn* warn, void* user, report* r);

/* Bodies that start in each other or in colliders, unless they may not touch. */
bool warn_of_overlaps(const scene_file* file, taut_world* world, scene_warn* warn, void* user, report* r);

/* Bodies that touch nothing where other things do. */
void warn_of_untouchable(const scene_file* file, scene_warn* warn, void* user);

#endif
