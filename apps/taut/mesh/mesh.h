/* A mesh as the tool reads it: points with edges, triangles or tetrahedra, checked when it comes in. */
#ifndef TAUT_APP_MESH_H
#define TAUT_APP_MESH_H

#include "base/report.h"

#include <stddef.h>
#include <stdint.h>

typedef struct mesh {
    size_t point_count;
    double (*points)[3]; /* m, all finite, each used */
    size_t edge_count;
    uint32_t (*edges)[2];
    size_t triangle_count;
    uint32_t (*triangles)[3];
    size_t tet_count;
    uint32_t (*tets)[4]; /* positively oriented */
} mesh;

void mesh_free(mesh* m); /* leaves a zeroed mesh; a zeroed mesh is allowed */

/* Both readers name file, place and cause of what they refuse, leave `out` untouched then, and leave `edges` empty.
 * Points that no triangle or tetrahedron uses are dropped: they would have no mass, and numbers behind them move up.
 * Refused: missing, empty and directory-like files, files above 2 GiB, coordinates that are not finite or beyond 1e30,
 * no triangles or tetrahedra, indices out of range, repeated corners, sizes of zero (relative to the longest edge). */

/* Reads triangles; polygons are fanned from their first corner where that stays inside, and else cut by ears. Triangles
 * with the corners of an earlier one are skipped, with a warning. OBJ is read here: points keep the file's order and
 * float64; points that coincide stay apart, so the sides of a seam are joined only where the file shares its points.
 * Gmsh (.msh) and VTK's XML (.vtu) give their
 * linear triangles, quadrilaterals and polygons. PLY, OFF, STL, glTF and others come through assimp, in float32: PLY
 * and OFF keep the file's points too; in the rest, which repeat a point per face or per normal, points with equal
 * coordinates become one, in order of first appearance, and with them the sides of a seam that coincide. */
bool mesh_read_surface(const char* path, mesh* out, report* r);

/* Reads tetrahedra by the file's ending and header: Gmsh 2.2 and 4.1, ASCII and binary (.msh), Medit text (.mesh),
 * legacy ASCII VTK unstructured grid (.vtk), its XML (.vtu, where TAUT_VTU is on), TetGen (.node or .ele, the other
 * file beside it; first index 0 or 1). `triangles` receives the outward-facing boundary. Elements of lower dimension
 * are skipped. Refuses besides: inverted tetrahedra, tetrahedra on the same side of one face, solids other than linear
 * tetrahedra, truncated files, counts that do not match. */
bool mesh_read_tets(const char* path, mesh* out, report* r);

/* Fills `edges` with every edge of the triangles (or tetrahedra where there are no triangles) once, sorted. */
bool mesh_build_edges(mesh* m, report* r);

/* Whether a surface has an edge of one triangle, where points with equal coordinates are one point. */
bool mesh_is_open(const mesh* m, bool* open, report* r);

#endif
