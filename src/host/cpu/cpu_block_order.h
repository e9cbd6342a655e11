/* The order in which vertices of a graph are eliminated: of minimum degree, with the pattern that this fills. */
#ifndef TAUT_CPU_CPU_BLOCK_ORDER_H
#define TAUT_CPU_CPU_BLOCK_ORDER_H

#include "host/cpu/cpu_tree_parts.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BLOCK_NONE UINT32_MAX

/* Arrays of the caller's; all but those of the result are scratch. */
typedef struct block_order {
    size_t vertices, room, pool_room; /* rows; values of each pool */
    uint32_t *order, *rank;           /* vertices as they are eliminated, and the inverse */
    uint32_t *begin, *row;            /* of each rank: ranks of what is left and next to it then, ascending */
    double products;                  /* of blocks in a factorisation */
    tree_parts parts;                 /* of the tree of elimination, by ranks */
    uint32_t *head, *next, *last;     /* lists of vertices by degree */
    uint32_t *at, *degree, *mark;     /* neighbours of a vertex */
    uint32_t* pool[2];
    size_t used;
    int current;
} block_order;

/* `pair`: edges, as in cpu_block_cholesky.h. False where there is not room enough, or more than `most` products. */
bool block_order_find(block_order* o, size_t vertices, const uint32_t* pair, size_t edges, double most);
/* The pattern that other edges of the same vertices fill in the order found last. */
bool block_order_fill(block_order* o, const uint32_t* pair, size_t edges, double most);
/* Place of row i in column j, or of the first one behind it. */
uint32_t block_order_row(const block_order* o, uint32_t j, uint32_t i);

/* Arrays with a value for each vertex and two more: all but `row` and the pools. */
#define BLOCK_ORDER_ARRAYS 9
/* Lays those for `most` vertices behind one another. */
void block_order_place(block_order* o, size_t most, uint32_t* memory);

#endif
