/* A rectangular sheet of nx x ny cells, two triangles each. */
#ifndef TAUT_APP_BUILD_GRID_H
#define TAUT_APP_BUILD_GRID_H

#include "mesh/mesh.h"

/* Horizontal, centred at the origin, size[0] along x and size[1] along z. Vertex j (nx + 1) + i is column i along x
 * of row j along z; normals point up (+y). `edges` receives the grid lines, without the diagonals. */
bool grid_make(const double size[2], const uint32_t cells[2], mesh* out, report* r);

/* Both diagonals of every cell: 2 nx ny pairs of vertices, freed by the caller; NULL after setting the report. */
uint32_t (*grid_diagonals(const uint32_t cells[2], size_t* count, report* r))[2];

#endif
