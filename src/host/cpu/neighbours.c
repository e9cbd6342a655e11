#include "host/cpu/cpu_neighbours.h"

#include <amd.h>
#include <stdlib.h>
#include <string.h>

#define TAKE(pool, to, count) ((to) = saddle_take(pool, (count), sizeof *(to)), (to) != NULL)

void neighbours_note_clique(neighbours* n, const saddle_index* vertex, size_t count) {
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < count; j++) {
            if (i != j) {
                neighbours_note(n, vertex[i], vertex[j]);
            }
        }
    }
}

static int ascending(const void* a, const void* b) {
    const saddle_index x = *(const saddle_index*)a, y = *(const saddle_index*)b;
    return (x > y) - (x < y);
}

void neighbours_sort(saddle_index* list, size_t count) {
    qsort(list, count, sizeof *list, ascending);
}

/* Each neighbour once, in order; lists move together. */
static void unite(neighbours* n) {
    saddle_index used = 0;
    for (size_t i = 0; i < n->count; i++) {
        const saddle_index first = n->begin[i], count = n->length[i];
        neighbours_sort(n->list + first, (size_t)count);
        n->begin[i] = used;
        for (saddle_index j = 0; j < count; j++) {
            if (j == 0 || n->list[first + j] != n->list[first + j - 1]) {
                n->list[used++] = n->list[first + j];
            }
        }
        n->length[i] = used - n->begin[i];
    }
    n->begin[n->count] = used;
}

taut_status neighbours_find(saddle_pool* pool, size_t count, neighbours_source* source, const void* context,
                            neighbours* n) {
    *n = (neighbours){.count = count};
    if (!TAKE(pool, n->begin, count + 1) || !TAKE(pool, n->length, count)) {
        return TAUT_OUT_OF_MEMORY;
    }
    source(context, n);
    for (size_t i = 0; i < count; i++) {
        n->begin[i + 1] = n->begin[i] + n->length[i];
        n->length[i] = 0;
    }
    if (!TAKE(pool, n->list, (size_t)n->begin[count])) {
        return TAUT_OUT_OF_MEMORY;
    }
    source(context, n);
    unite(n);
    return TAUT_OK;
}

/* By the routine of AMD that takes its memory from the caller; it destroys what it is given. */
static taut_status order_by_degree(const neighbours* n, saddle_pool* pool, saddle_index* order) {
    const size_t used = (size_t)n->begin[n->count], room = used + used / 5 + n->count + 1;
    saddle_index *begin, *length, *list, *scratch[6];
    double control[AMD_CONTROL], info[AMD_INFO];
    bool taken = TAKE(pool, begin, n->count) && TAKE(pool, length, n->count) && TAKE(pool, list, room);
    for (int i = 0; taken && i < 6; i++) {
        taken = TAKE(pool, scratch[i], n->count);
    }
    if (!taken) {
        return TAUT_OUT_OF_MEMORY;
    }
    memcpy(begin, n->begin, n->count * sizeof *begin);
    memcpy(length, n->length, n->count * sizeof *length);
    memcpy(list, n->list, used * sizeof *list);
    amd_l_defaults(control);
    amd_l2((saddle_index)n->count, begin, list, length, (saddle_index)room, (saddle_index)used, scratch[0], scratch[1],
           order, scratch[2], scratch[3], scratch[4], scratch[5], control, info);
    return TAUT_OK;
}

taut_status neighbours_order(const neighbours* n, const taut_allocator* allocator, saddle_index* order) {
    saddle_pool pool = {.allocator = allocator};
    const taut_status status = n->count > 0 ? order_by_degree(n, &pool, order) : TAUT_OK;
    saddle_release(&pool);
    return status;
}
