/* An elimination tree, cut for threads: parts that need nothing of each other, and the columns above them, which need
 * the parts. The cut depends on the tree and its costs alone, not on the number of threads. */
#ifndef TAUT_CPU_CPU_TREE_PARTS_H
#define TAUT_CPU_CPU_TREE_PARTS_H

#include <stddef.h>
#include <stdint.h>

#define TREE_ROOT  UINT32_MAX /* parent of a column that has none */
#define TREE_PARTS 64         /* at most */

/* Part i has columns [first[i], end[i]): whole subtrees. Parts ascend; what lies between them is above. */
typedef struct tree_parts {
    uint32_t count, first[TREE_PARTS], end[TREE_PARTS];
} tree_parts;

/* Of `columns` with parents after them. cost[i] becomes that of the subtree of column i, size[i] its columns. One part
 * has all where the whole costs less than `least`, and none where subtrees do not stand together (no postorder). */
void tree_parts_cut(size_t columns, const uint32_t* parent, double least, float* cost, uint32_t* size, tree_parts* out);
/* What is above all parts: gap i of parts' count + 1, before part i. */
static inline size_t tree_gap_first(const tree_parts* parts, uint32_t i) {
    return i > 0 ? parts->end[i - 1] : 0;
}

static inline size_t tree_gap_end(const tree_parts* parts, uint32_t i, size_t columns) {
    return i < parts->count ? parts->first[i] : columns;
}

/* Which part has a column; TREE_ROOT if it is above all. */
uint32_t tree_parts_find(const tree_parts* parts, uint32_t column);

#endif
