/* Trees of boxes on the CPU (kernels/stages/contact/tree.h). */
#ifndef TAUT_CPU_CPU_TREE_H
#define TAUT_CPU_CPU_TREE_H

#include "model/backend.h"

/* Trees of fewer items are built by one thread. */
#define CPU_TREE_PARALLEL_FROM 2048

typedef void cpu_box_of(const taut_fields* f, const taut_sizes* s, size_t item, const taut_factors* step, float box[6]);

/* Sorts the items by their boxes, and builds the tree above them. */
void cpu_build_tree(const taut_plan* plan, uint32_t items, uint32_t leaves, cpu_box_of* box_at, uint32_t* order,
                    float* boxes, const taut_factors* step);
/* The boxes of nodes from those of the leaves below. */
void cpu_join_tree(uint32_t leaves, float* boxes);
/* Other boxes of the items in the order that there is. */
void cpu_refit_tree(const taut_plan* plan, uint32_t items, uint32_t leaves, cpu_box_of* box_at, uint32_t* order,
                    float* boxes, const taut_factors* step);

#endif
