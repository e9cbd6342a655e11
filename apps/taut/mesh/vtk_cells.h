/* Types of cells, as the files of VTK number them. */
#ifndef TAUT_APP_VTK_CELLS_H
#define TAUT_APP_VTK_CELLS_H

#include <stdbool.h>
#include <stdint.h>

enum { VTK_TRIANGLE = 5, VTK_STRIP = 6, VTK_POLYGON = 7, VTK_PIXEL = 8, VTK_QUAD = 9, VTK_TETRA = 10 };

/* Nothing, points and lines; also of second order, Lagrange and Bezier. */
static inline bool vtk_is_line(uint64_t type) {
    return type <= 4 || type == 21 || type == 35 || type == 68 || type == 75;
}

/* Triangles, quadrilaterals and polygons; also of second order, Lagrange and Bezier. */
static inline bool vtk_is_face(uint64_t type) {
    return (type >= 5 && type <= 9) || type == 22 || type == 23 || type == 28 || type == 30 || type == 34 ||
           type == 36 || type == 69 || type == 70 || type == 76 || type == 77;
}

#endif
