#ifndef TAUT_COMPILE_FILLED_H
#define TAUT_COMPILE_FILLED_H

#include "host/scene/scene_data.h"
#include "model/layout.h"

/* Contact surfaces that bound elastic tetrahedra: all of their triangles are faces of these, with the fourth corner
 * behind them (kernels/stages/contact/material.h). */
taut_status filled_fill(const taut_scene* scene, const taut_allocator* allocator, const taut_sizes* s, taut_fields* f);

#endif
