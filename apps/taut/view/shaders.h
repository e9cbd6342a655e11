/* Sources of the shaders. */
#ifndef TAUT_VIEW_SHADERS_H
#define TAUT_VIEW_SHADERS_H

// Parts: first of all; the backdrop; the light at a point.
extern const char glsl_version[], backdrop_text[], light_text[];

// Depths as a light sees them.
extern const char depth_vertex[], depth_fragment[];
// Surfaces in the light of a lamp and of the sky.
extern const char surface_vertex[], surface_fragment[];
// Planes: the backdrop with shadows and lines upon it.
extern const char floor_vertex[], floor_fragment[];
// All of the picture at once: the backdrop; a copy to be added; colours as a screen shows them.
extern const char whole_vertex[], backdrop_fragment[], copy_fragment[], tone_fragment[];

#endif
