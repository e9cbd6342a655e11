/* Corners of one contact surface. */
#ifndef TAUT_CONTACT_ONE_SURFACE_H
#define TAUT_CONTACT_ONE_SURFACE_H

#include "base/small_math.h"
#include "model/layout.h"

TAUT_FN bool of_one_surface(const taut_fields* f, size_t a, size_t b) {
    return f->touching_surface[a] == f->touching_surface[b] && f->touching_surface[a] != TAUT_NO_NODE;
}

/* Whether two corners are of one surface that bounds elastic tetrahedra (material.h). */
TAUT_FN bool have_one_material(const taut_fields* f, size_t a, size_t b) {
    return (f->touching_class[a].flags & (uint32_t)TAUT_TOUCHING_FILLED) != 0 && of_one_surface(f, a, b);
}

#endif
