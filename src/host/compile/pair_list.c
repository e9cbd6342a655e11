/* Sorted pairs of numbers: what belongs to what, found by the first one. */
#include "host/compile/pair_list.h"

#include <stdlib.h>
#include <string.h>

taut_status pair_list_add(pair_list* list, uint32_t a, uint32_t b) {
    const taut_status status = taut_buffer_reserve(list->allocator, &list->pairs, 2 * sizeof a, 1);
    if (status == TAUT_OK) {
        uint32_t* pair = (uint32_t*)list->pairs.data + 2 * list->pairs.count++;
        pair[0] = a;
        pair[1] = b;
    }
    return status;
}

static int by_pair(const void* left, const void* right) {
    const uint32_t *a = left, *b = right;
    return a[0] != b[0] ? (a[0] > b[0]) - (a[0] < b[0]) : (a[1] > b[1]) - (a[1] < b[1]);
}

void pair_list_sort(pair_list* list) {
    uint32_t* pairs = list->pairs.data;
    size_t kept = 0;
    if (list->pairs.count > 0) {
        qsort(pairs, list->pairs.count, 2 * sizeof *pairs, by_pair);
    }
    for (size_t i = 0; i < list->pairs.count; i++) {
        if (i == 0 || by_pair(pairs + 2 * (kept - 1), pairs + 2 * i) != 0) {
            memmove(pairs + 2 * kept++, pairs + 2 * i, 2 * sizeof *pairs);
        }
    }
    list->pairs.count = kept;
}

size_t pair_list_find(const pair_list* list, uint32_t first) {
    const uint32_t* pairs = list->pairs.data;
    size_t low = 0, high = list->pairs.count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        low = pairs[2 * middle] < first ? middle + 1 : low;
        high = pairs[2 * middle] < first ? high : middle;
    }
    return low;
}

void pair_list_release(pair_list* list) {
    taut_buffer_release(list->allocator, &list->pairs);
}

taut_status pair_list_touching(const taut_scene* scene, pair_list* by_point) {
    const scene_touching* touching = scene->contact.touching.data;
    taut_status status = TAUT_OK;
    for (uint32_t i = 0; status == TAUT_OK && i < scene->contact.touching.count; i++) {
        const bool on_point = touching[i].frame == TAUT_NO_FRAME && touching[i].point != TAUT_NO_POINT;
        status = on_point ? pair_list_add(by_point, touching[i].point, i) : TAUT_OK;
    }
    pair_list_sort(by_point);
    return status;
}
