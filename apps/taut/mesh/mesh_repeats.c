/* Triangles with the corners of another one: a surface has the area once, and an edge of a sheet two triangles. And
 * triangles with a corner twice, which are none. */
#include "base/array.h"
#include "base/warning.h"
#include "mesh/mesh_draft.h"

#include <stdlib.h>

typedef struct sorted_triangle {
    uint32_t corners[3]; /* ascending */
    size_t place;
} sorted_triangle;

static void order(uint32_t* a, uint32_t* b) {
    if (*b < *a) {
        const uint32_t smaller = *b;
        *b = *a;
        *a = smaller;
    }
}

static int by_corners(const void* left, const void* right) {
    const sorted_triangle* a = left;
    const sorted_triangle* b = right;
    for (int k = 0; k < 3; k++) {
        if (a->corners[k] != b->corners[k]) {
            return a->corners[k] < b->corners[k] ? -1 : 1;
        }
    }
    return a->place < b->place ? -1 : a->place > b->place;
}

static bool same(const sorted_triangle* a, const sorted_triangle* b) {
    return a->corners[0] == b->corners[0] && a->corners[1] == b->corners[1] && a->corners[2] == b->corners[2];
}

static void sort_triangles(const mesh_draft* d, sorted_triangle* sorted) {
    for (size_t i = 0; i < d->element_count; i++) {
        sorted_triangle* t = &sorted[i];
        t->place = i;
        for (int k = 0; k < 3; k++) {
            t->corners[k] = d->elements[i].corners[k];
        }
        order(&t->corners[0], &t->corners[1]);
        order(&t->corners[1], &t->corners[2]);
        order(&t->corners[0], &t->corners[1]);
    }
    qsort(sorted, d->element_count, sizeof *sorted, by_corners);
}

/* The first of equal ones stays. */
static size_t drop(mesh_draft* d, const sorted_triangle* sorted, bool* repeats) {
    for (size_t i = 1; i < d->element_count; i++) {
        repeats[sorted[i].place] = same(&sorted[i], &sorted[i - 1]);
    }
    size_t kept = 0;
    for (size_t i = 0; i < d->element_count; i++) {
        if (!repeats[i]) {
            d->elements[kept++] = d->elements[i];
        }
    }
    const size_t dropped = d->element_count - kept;
    d->element_count = kept;
    return dropped;
}

static void tell_of_dropped(const char* path, size_t count, const char* what) {
    warning_print("%s: %zu triangle%s %s and %s skipped", path, count, count == 1 ? " has" : "s have", what,
                  count == 1 ? "is" : "are");
}

void mesh_draft_drop_folded(mesh_draft* d, const char* path) {
    size_t kept = 0;
    for (size_t i = 0; i < d->element_count; i++) {
        const uint32_t* c = d->elements[i].corners;
        if (c[0] != c[1] && c[1] != c[2] && c[2] != c[0]) {
            d->elements[kept++] = d->elements[i];
        }
    }
    const size_t dropped = d->element_count - kept;
    if (dropped > 0 && kept > 0) {
        tell_of_dropped(path, dropped, "a corner twice");
        d->element_count = kept;
    }
}

bool mesh_draft_drop_repeats(mesh_draft* d, const char* path, report* r) {
    sorted_triangle* sorted = array_new(d->element_count, sizeof *sorted, r);
    bool* repeats = sorted ? array_new(d->element_count, sizeof *repeats, r) : NULL;
    size_t dropped = 0;
    if (repeats) {
        sort_triangles(d, sorted);
        dropped = drop(d, sorted, repeats);
    }
    if (dropped > 0) {
        tell_of_dropped(path, dropped, "the corners of another one");
    }
    const bool ok = repeats != NULL;
    free(sorted);
    free(repeats);
    return ok;
}
