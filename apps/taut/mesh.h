/* A mesh as the tool reads it: points with edges, triangles or tetrahedra, checked when it comes in. */
#ifndef TAUT_APP_MESH_H
#define TAUT_APP_MESH_H

#include "report.h"

#include <stddef.h>
#include <stdint.h>

typedef struct mesh {
    size_t point_count;
    double (*points)[3]; /* m, all finite */
    size_t edge_count;
    uint32_t (*edges)[2];
    size_t triangle_count;
    uint32_t (*triangles)[3];
    size_t tet_count;
    uint32_t (*tets)[4]; /* positively oriented */
} mesh;

void mesh_free(mesh* m); /* leaves a zeroed mesh; a zeroed mesh is allowed */

/* Reads triangles (polygons are fanned) through assimp: OBJ, PLY, STL, ...; points keep the file's order and count
 * where the format has shared vertices. Refuses: no triangles, indices out of range, non-finite points, triangles
 * with a repeated corner or zero area. */
bool mesh_read_surface(const char* path, mesh* out, report* r);

/* Reads tetrahedra by the file's ending and header: Gmsh 2.2 and 4.1 ASCII (.msh), legacy ASCII VTK unstructured
 * grid (.vtk), TetGen (.node or .ele, the other file beside it; first index 0 or 1). Points that no tetrahedron uses
 * are dropped. `triangles` receives the outward-facing boundary. Refuses: no tetrahedra, indices out of range,
 * non-finite points, inverted or flat tetrahedra (with the place), truncated files, counts that do not match. */
bool mesh_read_tets(const char* path, mesh* out, report* r);

/* Fills `edges` with every edge of the triangles (or tetrahedra where there are no triangles) once, sorted. */
bool mesh_build_edges(mesh* m, report* r);

#endif
