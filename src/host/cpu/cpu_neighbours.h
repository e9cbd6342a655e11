/* The graph of a sparse matrix whose pattern is symmetric, and the order in which its vertices are eliminated. */
#ifndef TAUT_CPU_CPU_NEIGHBOURS_H
#define TAUT_CPU_CPU_NEIGHBOURS_H

#include "host/cpu/cpu_saddle_pattern.h"

/* Neighbours of each vertex: counted in a first pass of notes, listed in a second one. */
typedef struct neighbours {
    size_t count;               /* of vertices */
    saddle_index *begin, *list; /* count + 1; `list` NULL while they are counted */
    saddle_index* length;       /* count */
} neighbours;

/* Notes every edge by neighbours_note, twice in the same order. */
typedef void neighbours_source(const void* context, neighbours* n);

static inline void neighbours_note(neighbours* n, saddle_index a, saddle_index b) {
    if (n->list != NULL) {
        n->list[n->begin[a] + n->length[a]] = b;
    }
    n->length[a]++;
}

void neighbours_sort(saddle_index* list, size_t count); /* ascending */
/* Every two of these vertices. */
void neighbours_note_clique(neighbours* n, const saddle_index* vertex, size_t count);
/* Each neighbour once, in ascending order. All memory is the pool's. */
taut_status neighbours_find(saddle_pool* pool, size_t count, neighbours_source* source, const void* context,
                            neighbours* n);
/* order[i]: the vertex that is eliminated as number i, by approximate minimum degree. */
taut_status neighbours_order(const neighbours* n, const taut_allocator* allocator, saddle_index* order);

#endif
