/* The shapes of rigid bodies: surfaces to show, and what their mass is like. */
#ifndef TAUT_APP_BUILD_SOLID_H
#define TAUT_APP_BUILD_SOLID_H

#include "build/mass_properties.h"

/* Surfaces centred at the origin, triangles facing out. */
bool solid_box(const double sides[3], mesh* out, report* r);
bool solid_sphere(double radius, mesh* out, report* r);
bool solid_cylinder(double radius, double height, mesh* out, report* r); /* along z */
bool solid_capsule(double radius, double length, mesh* out, report* r);  /* along z; `length` of its straight part */
bool solid_cone(double radius, double height, mesh* out, report* r);     /* along z, centred half way up to its tip */

/* Of the round shapes themselves, not of their surfaces' flat triangles. */
mass_properties solid_box_mass(const double sides[3]);
mass_properties solid_sphere_mass(double radius);
mass_properties solid_cylinder_mass(double radius, double height);
mass_properties solid_capsule_mass(double radius, double length);
mass_properties solid_cone_mass(double radius, double height);

#endif
