/* Edges of a triangle mesh and the hinges across the inner ones. */
#ifndef CONVERGENCE_HINGES_H
#define CONVERGENCE_HINGES_H

#include <stddef.h>
#include <stdint.h>

typedef struct mesh_edges {
    size_t count;
    uint32_t (*ends)[2]; /* the lower number first; sorted */
    size_t hinge_count;
    uint32_t (*hinges)[4]; /* the edge in the direction of one triangle, then the vertex opposite to it in either one */
} mesh_edges;

/* Of triangle_count x 3 corners. Ends the program where more than two triangles share an edge. */
mesh_edges edges_find(size_t triangle_count, const uint32_t* triangles);
void edges_free(mesh_edges* e);

#endif
