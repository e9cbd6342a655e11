/* Volume, centre of mass and inertia of the solid inside a closed surface. */
#ifndef TAUT_APP_MASS_PROPERTIES_H
#define TAUT_APP_MASS_PROPERTIES_H

#include "mesh/mesh.h"

typedef struct mass_properties {
    double volume;     /* m^3 */
    double centre[3];  /* m */
    double inertia[6]; /* m^5, for density 1: xx, yy, zz, yz, zx, xy about the centre */
} mass_properties;

/* From the triangles alone, by the divergence theorem; whether they face out or in does not matter. Refuses a surface
 * that is not closed, one whose neighbours face different ways, and one around no volume. */
bool mass_properties_find(const mesh* m, mass_properties* out, report* r);

#endif
