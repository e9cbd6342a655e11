/* Whether a surface has borders. */
#include "base/array.h"
#include "mesh/mesh_draft.h"

#include <stdlib.h>

typedef struct sorted_edge {
    uint32_t low, high;
} sorted_edge;

static int by_ends(const void* left, const void* right) {
    const sorted_edge* a = left;
    const sorted_edge* b = right;
    if (a->low != b->low) {
        return a->low < b->low ? -1 : 1;
    }
    return a->high < b->high ? -1 : a->high > b->high;
}

/* Of all triangles but those that joining points leaves without area; returns how many. */
static size_t list_edges(const mesh* m, const uint32_t* first, sorted_edge* edges) {
    size_t count = 0;
    for (size_t t = 0; t < m->triangle_count; t++) {
        const uint32_t* v = m->triangles[t];
        const uint32_t corners[3] = {first[v[0]], first[v[1]], first[v[2]]};
        if (corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0]) {
            continue;
        }
        for (int k = 0; k < 3; k++) {
            const uint32_t a = corners[k], b = corners[(k + 1) % 3];
            edges[count++] = a < b ? (sorted_edge){a, b} : (sorted_edge){b, a};
        }
    }
    return count;
}

static bool has_single(sorted_edge* edges, size_t count) {
    qsort(edges, count, sizeof *edges, by_ends);
    bool single = false;
    for (size_t i = 0, run = 1; !single && i < count; i += run) {
        for (run = 1; i + run < count && by_ends(&edges[i], &edges[i + run]) == 0; run++) {
        }
        single = run == 1;
    }
    return single;
}

bool mesh_is_open(const mesh* m, bool* open, report* r) {
    uint32_t* first = array_new(m->point_count, sizeof *first, r);
    sorted_edge* edges = first ? array_new(3 * m->triangle_count, sizeof *edges, r) : NULL;
    const bool ok = edges && mesh_first_in_place(m->point_count, (const double(*)[3])m->points, first, r);
    *open = ok && has_single(edges, list_edges(m, first, edges));
    free(edges);
    free(first);
    return ok;
}
