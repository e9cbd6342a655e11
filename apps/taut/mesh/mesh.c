#include "mesh/mesh.h"

#include "base/array.h"

#include <stdlib.h>

void mesh_free(mesh* m) {
    free(m->points);
    free(m->edges);
    free(m->triangles);
    free(m->tets);
    *m = (mesh){0};
}

/* An edge as one number, so that numbers sort as edges do. */
static uint64_t edge_key(uint32_t a, uint32_t b) {
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

static int by_key(const void* left, const void* right) {
    const uint64_t a = *(const uint64_t*)left;
    const uint64_t b = *(const uint64_t*)right;
    return a < b ? -1 : a > b;
}

/* All edges of elements with `corner_count` corners, as often as they occur; returns how many. */
static size_t list_keys(const uint32_t* corners, size_t element_count, size_t corner_count, uint64_t* keys) {
    size_t count = 0;
    for (size_t e = 0; e < element_count; e++, corners += corner_count) {
        for (size_t i = 0; i < corner_count; i++) {
            for (size_t j = 0; j < i; j++) {
                keys[count++] = edge_key(corners[i], corners[j]);
            }
        }
    }
    return count;
}

static size_t sort_unique(uint64_t* keys, size_t count) {
    qsort(keys, count, sizeof *keys, by_key);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || keys[i] != keys[kept - 1]) {
            keys[kept++] = keys[i];
        }
    }
    return kept;
}

bool mesh_build_edges(mesh* m, report* r) {
    const bool surface = m->triangle_count > 0;
    uint64_t* keys = array_new(surface ? m->triangle_count : m->tet_count, (surface ? 3 : 6) * sizeof *keys, r);
    if (!keys) {
        return false;
    }
    size_t count = 0;
    if (surface) {
        count = list_keys(m->triangles[0], m->triangle_count, 3, keys);
    } else if (m->tet_count > 0) {
        count = list_keys(m->tets[0], m->tet_count, 4, keys);
    }
    count = sort_unique(keys, count);
    uint32_t(*edges)[2] = array_new(count, sizeof *edges, r);
    for (size_t i = 0; edges && i < count; i++) {
        edges[i][0] = (uint32_t)(keys[i] >> 32);
        edges[i][1] = (uint32_t)keys[i];
    }
    free(keys);
    if (!edges) {
        return false;
    }
    free(m->edges);
    m->edges = edges;
    m->edge_count = count;
    return true;
}
