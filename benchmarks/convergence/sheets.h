/* Square sheets of springs, 1 m x 1 m, draped from two corners. Vertex (row, column) of n x n has number row n +
 * column. */
#ifndef CONVERGENCE_SHEETS_H
#define CONVERGENCE_SHEETS_H

#include "springs.h"

/* Springs along threads, both diagonals and, for bending, between every other vertex of rows and columns. */
springs make_regular_sheet(size_t n, double compliance);
/* Vertices moved by up to 0.3 of their distance, diagonals at random; springs along edges, hinges across them. */
springs make_irregular_sheet(size_t n, double compliance);
/* Threads alone. */
springs make_thread_net(size_t n, double compliance);
/* The regular sheet with a stiff rope of 200 links hung from the middle of its lower edge. */
springs make_rope_on_sheet(size_t n, double compliance);

#endif
