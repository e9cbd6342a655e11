/* Colours of objects, and of values. */
#ifndef TAUT_VIEW_PALETTE_H
#define TAUT_VIEW_PALETTE_H

#include "shape.h"

// Of the i-th cloth, soft body, rigid object, ... of a scene.
Colour object_colour(size_t i);
extern const Colour rope_colour, collider_colour, contact_colour, force_colour;

// Dark blue to yellow for t from 0 to 1.
Colour value_colour(float t);
// Blue over grey to red for t from -1 to 1.
Colour signed_colour(float t);

#endif
