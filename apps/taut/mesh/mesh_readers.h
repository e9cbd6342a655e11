/* The readers behind mesh_read_surface and mesh_read_tets, a file each. They fill an empty draft whose corner_count is
 * set: 3 asks for triangles, 4 for tetrahedra. Corners are checked when the draft is finished. */
#ifndef TAUT_APP_MESH_READERS_H
#define TAUT_APP_MESH_READERS_H

#include "mesh/mesh_draft.h"

typedef bool mesh_reader(const char* path, mesh_draft* d, report* r);

bool mesh_read_obj(const char* path, mesh_draft* d, report* r);
bool mesh_read_assimp(const char* path, mesh_draft* d, report* r);
bool mesh_read_medit(const char* path, mesh_draft* d, report* r);
bool mesh_read_gmsh(const char* path, mesh_draft* d, report* r);
bool mesh_read_vtu(const char* path, mesh_draft* d, report* r); /* where TAUT_VTU is off: a refusal */
bool mesh_read_vtk(const char* path, mesh_draft* d, report* r);
bool mesh_read_tetgen(const char* path, mesh_draft* d, report* r);

/* Runs the reader in a child process, so that a library that crashes or hangs on a damaged file costs one sentence. */
bool mesh_read_isolated(mesh_reader* read, const char* path, mesh_draft* d, report* r);

#endif
