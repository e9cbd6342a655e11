/* Sizes, masses and stretches of a built scene, for its author to compare with what was meant. */
#ifndef TAUT_APP_SCENE_SURVEY_H
#define TAUT_APP_SCENE_SURVEY_H

#include "build/scene_build.h"

typedef struct object_survey {
    double size[3];  /* m: box along the axes, of the vertices or, for bodies and colliders, of one body's own shape */
    double mass;     /* kg, of all of it; 0 for colliders */
    double edges[2]; /* m: the shortest and the longest edge; 0: it has none */
    bool hangs;      /* stretch means something */
    double stretch;  /* of its longest side, relative, where it hangs from one end by its own weight: linear estimate */
} object_survey;

object_survey scene_survey(const scene_file* file, const built_scene* built, size_t object);
/* Of all objects, to be freed; NULL where there is no memory. */
object_survey* scene_surveys(const scene_file* file, const built_scene* built);

/* The longest side of the box, m. */
double survey_length(const object_survey* s);

/* m: a tenth of what falls freely within a substep. Contacts leave about a hundredth of it under each thing that rests
 * on others, and more for a moment under what lands. */
double scene_settling(const scene_file* file);

/* Whether a soft object has a model that lets its tetrahedra turn inside out: all but "neo_hookean". */
bool scene_inverts(const scene_file* file);

/* J: what lifts each object that is not fixed by its own length, which for what touches is at least its thickness, and
 * for a single particle the length of the longest object; without gravity by 1e-6 m/s^2: less is rounding. */
double scene_lift(const scene_file* file, const built_scene* built);

#endif
