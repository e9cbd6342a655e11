/* Edges of a triangle mesh and the triangles beside them; hinges are pairs of triangles that share an edge. */
#ifndef TAUT_APP_MESH_HINGES_H
#define TAUT_APP_MESH_HINGES_H

#include "mesh/mesh.h"

typedef struct hinge_list {
    size_t count;
    uint32_t (*vertices)[4]; /* the edge in the direction of the first triangle, then the vertex opposite to it in
                                either triangle: the order of taut_bend_def */
    uint32_t (*triangles)[2];
    size_t border_count;
    uint32_t (*borders)[3]; /* an edge of one triangle, and the vertex opposite to it */
    uint32_t* border_triangles;
} hinge_list;

/* Sorted by edge. Refuses an edge in more than two triangles and two triangles with the same corners. */
bool hinges_find(size_t triangle_count, const uint32_t (*triangles)[3], hinge_list* out, report* r);
void hinges_free(hinge_list* h); /* a zeroed list is allowed */

double mesh_triangle_area(const mesh* m, size_t triangle);
/* Per edge of the mesh: the area of all triangles that have this edge, m^2. Freed by the caller; NULL after setting the
 * report. */
double* mesh_edge_areas(const mesh* m, report* r);

#endif
