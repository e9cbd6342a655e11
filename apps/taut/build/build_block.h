/* A rectangular block of nx x ny x nz cells, six tetrahedra each. */
#ifndef TAUT_APP_BUILD_BLOCK_H
#define TAUT_APP_BUILD_BLOCK_H

#include "mesh/mesh.h"

/* Centred at the origin. Vertex (k (ny + 1) + j) (nx + 1) + i is place i along x, j along y, k along z. All cells are
 * divided along the same diagonal, so that neighbours fit. `triangles` receives the outward-facing boundary. */
bool block_make(const double size[3], const uint32_t cells[3], mesh* out, report* r);

#endif
