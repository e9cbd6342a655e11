/* Shapes of rigid bodies and of colliders: with their scale, as surfaces to show, and as the library takes them. */
#ifndef TAUT_APP_BUILD_SHAPES_H
#define TAUT_APP_BUILD_SHAPES_H

#include "build/build_solid.h"
#include "build/scene_builder.h"

/* The shape with its scale; round ones must stay round. Not of meshes. */
bool build_solid(scene_builder* b, const solid_spec* solid, const double scale[3], solid_spec* out);

/* Of boxes and round shapes. */
mass_properties solid_spec_mass(const solid_spec* solid);
bool solid_spec_surface(const solid_spec* solid, mesh* out, report* r);

/* Shape and size of `def`; false where the library has no such collider. */
bool solid_spec_collider(const solid_spec* solid, taut_colliders_def* def);

#endif
