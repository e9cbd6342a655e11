#include "host/cpu/cpu_tree_parts.h"

#include <stdbool.h>

/* A part costs at most this share of the whole, so that threads can even out what they do. */
#define SHARE 0.03

static void sum_subtrees(size_t columns, const uint32_t* parent, float* cost, uint32_t* size) {
    for (size_t i = 0; i < columns; i++) {
        size[i] = 1;
    }
    for (size_t i = 0; i < columns; i++) {
        if (parent[i] != TREE_ROOT) {
            cost[parent[i]] += cost[i];
            size[parent[i]] += size[i];
        }
    }
}

/* The last part takes in a subtree right behind it, where both are small. */
static void add_subtree(tree_parts* parts, uint32_t first, uint32_t end, double own, double most, double* last) {
    uint32_t* count = &parts->count;
    if (*count > 0 && parts->end[*count - 1] == first && *last + own <= most) {
        parts->end[*count - 1] = end;
        *last += own;
    } else if (*count < TREE_PARTS) {
        parts->first[*count] = first;
        parts->end[(*count)++] = end;
        *last = own;
    }
}

void tree_parts_cut(size_t columns, const uint32_t* parent, double least, float* cost, uint32_t* size,
                    tree_parts* out) {
    double all = 0, last = 0;
    out->count = 0;
    for (size_t i = 0; i < columns; i++) {
        all += cost[i];
    }
    if (all < least) {
        out->count = columns > 0;
        out->first[0] = 0;
        out->end[0] = (uint32_t)columns;
        return;
    }
    sum_subtrees(columns, parent, cost, size);
    for (uint32_t i = 0, first = 0; i < columns; i++) {
        const bool small = cost[i] <= SHARE * all;
        if (!small) {
            first = i + 1;
        } else if (parent[i] == TREE_ROOT || cost[parent[i]] > SHARE * all) {
            if (size[i] == i + 1 - first) {
                add_subtree(out, first, i + 1, cost[i], SHARE * all, &last);
            }
            first = i + 1;
        }
    }
}

uint32_t tree_parts_find(const tree_parts* parts, uint32_t column) {
    uint32_t low = 0, high = parts->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (parts->end[middle] <= column) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < parts->count && parts->first[low] <= column ? low : TREE_ROOT;
}
