#include "hinges.h"

#include "bench_scenes.h"
#include "build/mesh_hinges.h" /* of the tool: hinges */

#include <stdio.h>
#include <stdlib.h>

static int compare(const void* left, const void* right) {
    const uint32_t *a = left, *b = right;
    const size_t k = a[0] == b[0];
    return (a[k] > b[k]) - (a[k] < b[k]);
}

static void sort_edges(size_t triangle_count, const uint32_t* triangles, mesh_edges* e) {
    const size_t sides = 3 * triangle_count;
    e->ends = bench_allocate(sides, sizeof *e->ends);
    for (size_t i = 0; i < sides; i++) {
        const uint32_t a = triangles[i], b = triangles[i - i % 3 + (i + 1) % 3];
        e->ends[i][0] = a < b ? a : b;
        e->ends[i][1] = a < b ? b : a;
    }
    qsort(e->ends, sides, sizeof *e->ends, compare);
    for (size_t i = 0; i < sides; i++) {
        if (e->count == 0 || compare(e->ends[i], e->ends[e->count - 1]) != 0) {
            e->ends[e->count][0] = e->ends[i][0];
            e->ends[e->count][1] = e->ends[i][1];
            e->count++;
        }
    }
}

mesh_edges edges_find(size_t triangle_count, const uint32_t* triangles) {
    mesh_edges e = {0};
    hinge_list found = {0};
    report r = {""};
    sort_edges(triangle_count, triangles, &e);
    if (!hinges_find(triangle_count, (const uint32_t(*)[3])triangles, &found, &r)) {
        fprintf(stderr, "taut-convergence: %s\n", r.text);
        exit(1);
    }
    e.hinge_count = found.count;
    e.hinges = found.vertices;
    found.vertices = NULL;
    hinges_free(&found);
    return e;
}

void edges_free(mesh_edges* e) {
    free(e->ends);
    free(e->hinges);
    *e = (mesh_edges){0};
}
