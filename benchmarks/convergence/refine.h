/* Regular refinement: every edge is halved. Shapes stay as they are. */
#ifndef CONVERGENCE_REFINE_H
#define CONVERGENCE_REFINE_H

#include <stddef.h>
#include <stdint.h>

typedef struct cells {
    size_t points;
    double* positions; /* points x 3 */
    size_t count;
    size_t corners; /* of a cell: 3 of triangles, 4 of tetrahedra */
    uint32_t* at;   /* count x corners */
} cells;

/* Triangles into 4, tetrahedra into 8; those keep their orientation. Replaces the arrays. */
void cells_refine(cells* c);
void cells_free(cells* c);

#endif
