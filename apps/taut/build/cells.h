/* The nearest of many edges, triangles or tetrahedra to a point. */
#ifndef TAUT_APP_CELLS_H
#define TAUT_APP_CELLS_H

#include "base/report.h"

#include <stddef.h>
#include <stdint.h>

typedef struct cell_node cell_node;

typedef struct cell_tree {
    size_t corner_count;     /* of a cell: 2, 3 or 4 */
    const uint32_t* corners; /* into points; the caller's, as the points are */
    const double* points;
    uint32_t* order;
    cell_node* nodes;
} cell_tree;

/* At least one cell. */
bool cell_tree_make(size_t corner_count, size_t cell_count, const uint32_t* corners, const double* points,
                    cell_tree* out, report* r);
void cell_tree_free(cell_tree* t); /* a zeroed tree is allowed */

/* Among equally near ones the first. */
size_t cell_tree_nearest(const cell_tree* t, const double point[3]);

#endif
