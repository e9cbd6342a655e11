/* Walks through a tree of boxes (kernels/stages/contact/tree.h) by several that look for something near together: they
 * walk with a box around all of theirs, and each compares its own with those of the leaves that were met, as structure
 * of arrays. */
#ifndef TAUT_CPU_CPU_WALKS_H
#define TAUT_CPU_CPU_WALKS_H

#include "kernels/stages/contact/tree.h"

/* Who walks together, and what they meet at most. */
#define WALK_TOGETHER 16
#define WALK_MOST     1024

typedef struct met_boxes {
    uint32_t count, item[WALK_MOST];
    float low[3][WALK_MOST], high[3][WALK_MOST];
    uint32_t meets[WALK_MOST];
} met_boxes;

/* What walks by the surfaces of nodes leave out: those that are all of one surface, or all of another one. */
typedef enum walk_choice { WALK_ALL, WALK_OTHERS, WALK_OWN } walk_choice;

typedef struct walk_surfaces {
    const uint32_t* of_node; /* candidate_surfaces_tree */
    uint32_t own;
    walk_choice choice;
} walk_surfaces;

/* All that this box meets; `surfaces` NULL: of all of them. False: it is too much. */
bool walk_together(const taut_tree* tree, const float box[6], const walk_surfaces* surfaces, met_boxes* met);
/* Of that what another box meets, in the order of the tree, to `near`, which has WALK_MOST + 1 places; how many. */
uint32_t walk_choose(const float box[6], met_boxes* met, uint32_t* near);

#endif
