/* Tetrahedral meshes of shared/data. The readers take what those files contain and nothing more. */
#ifndef TAUT_TEST_PHYS_TETS_H
#define TAUT_TEST_PHYS_TETS_H

#include "phys_scenes.h"

/* Points and tetrahedra of a file of shared/data: legacy ASCII VTK, or Gmsh 1 (".msh"). False, and the test is skipped,
 * where the folder is absent. */
bool phys_shared_tets(const char* name, phys_mesh* mesh);

void phys_range(const phys_mesh* mesh, size_t axis, double* low, double* high);
void phys_scale(phys_mesh* mesh, double factor);

#endif
