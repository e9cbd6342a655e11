#include "build/mesh_hinges.h"

#include "base/array.h"
#include "base/vector.h"

#include <stdlib.h>

typedef struct half_edge {
    uint32_t low, high;
    uint32_t triangle;
    uint32_t corner; /* of the triangle, opposite to the edge */
} half_edge;

static int compare(const void* left, const void* right) {
    const half_edge* a = left;
    const half_edge* b = right;
    if (a->low != b->low) {
        return a->low < b->low ? -1 : 1;
    }
    if (a->high != b->high) {
        return a->high < b->high ? -1 : 1;
    }
    return (a->triangle > b->triangle) - (a->triangle < b->triangle);
}

static half_edge* sorted_half_edges(size_t triangle_count, const uint32_t (*triangles)[3], report* r) {
    half_edge* edges = array_new(3 * triangle_count, sizeof *edges, r);
    for (size_t i = 0; edges && i < 3 * triangle_count; i++) {
        const uint32_t* t = triangles[i / 3];
        const uint32_t a = t[(i + 1) % 3], b = t[(i + 2) % 3];
        edges[i] = (half_edge){a < b ? a : b, a < b ? b : a, (uint32_t)(i / 3), (uint32_t)(i % 3)};
    }
    if (edges) {
        qsort(edges, 3 * triangle_count, sizeof *edges, compare);
    }
    return edges;
}

static bool same_edge(const half_edge* a, const half_edge* b) {
    return a->low == b->low && a->high == b->high;
}

static bool add_hinge(const half_edge pair[2], const uint32_t (*triangles)[3], hinge_list* h, report* r) {
    const uint32_t* t = triangles[pair[0].triangle];
    const uint32_t first = t[pair[0].corner];
    const uint32_t second = triangles[pair[1].triangle][pair[1].corner];
    if (first == second) {
        return report_fail(r, "triangles %u and %u have the same corners", pair[0].triangle, pair[1].triangle);
    }
    uint32_t* v = h->vertices[h->count];
    v[0] = t[(pair[0].corner + 1) % 3];
    v[1] = t[(pair[0].corner + 2) % 3];
    v[2] = first;
    v[3] = second;
    h->triangles[h->count][0] = pair[0].triangle;
    h->triangles[h->count][1] = pair[1].triangle;
    h->count++;
    return true;
}

static void add_border(const half_edge* edge, const uint32_t (*triangles)[3], hinge_list* h) {
    const uint32_t* t = triangles[edge->triangle];
    for (uint32_t k = 0; k < 3; k++) {
        h->borders[h->border_count][k] = t[(edge->corner + 1 + k) % 3];
    }
    h->border_triangles[h->border_count++] = edge->triangle;
}

static bool collect(const half_edge* edges, size_t edge_count, const uint32_t (*triangles)[3], hinge_list* h,
                    report* r) {
    for (size_t i = 0, run = 1; i < edge_count; i += run) {
        for (run = 1; i + run < edge_count && same_edge(&edges[i], &edges[i + run]); run++) {
        }
        if (run > 2) {
            return report_fail(r, "the edge between vertices %u and %u lies in %zu triangles, at most 2 can bend",
                               edges[i].low, edges[i].high, run);
        }
        if (run == 2 && !add_hinge(&edges[i], triangles, h, r)) {
            return false;
        }
        if (run == 1) {
            add_border(&edges[i], triangles, h);
        }
    }
    return true;
}

bool hinges_find(size_t triangle_count, const uint32_t (*triangles)[3], hinge_list* out, report* r) {
    hinge_list h = {0};
    const size_t most = 3 * triangle_count / 2;
    half_edge* edges = sorted_half_edges(triangle_count, triangles, r);
    h.vertices = edges ? array_new(most, sizeof *h.vertices, r) : NULL;
    h.triangles = h.vertices ? array_new(most, sizeof *h.triangles, r) : NULL;
    h.borders = h.triangles ? array_new(3 * triangle_count, sizeof *h.borders, r) : NULL;
    h.border_triangles = h.borders ? array_new(3 * triangle_count, sizeof *h.border_triangles, r) : NULL;
    bool ok = h.border_triangles && collect(edges, 3 * triangle_count, triangles, &h, r);
    free(edges);
    if (!ok) {
        hinges_free(&h);
        return false;
    }
    *out = h;
    return true;
}

void hinges_free(hinge_list* h) {
    free(h->vertices);
    free(h->triangles);
    free(h->borders);
    free(h->border_triangles);
    *h = (hinge_list){0};
}

/* ---- areas ---------------------------------------------------------------------------------------------------- */

double mesh_triangle_area(const mesh* m, size_t triangle) {
    const uint32_t* t = m->triangles[triangle];
    return triangle_area(m->points[t[0]], m->points[t[1]], m->points[t[2]]);
}

/* The first of the sorted half edges between two vertices, or the end. */
static size_t first_half_edge(const half_edge* edges, size_t count, const half_edge* wanted) {
    size_t first = 0;
    while (count > 0) {
        const size_t half = count / 2;
        const bool before = compare(&edges[first + half], wanted) < 0;
        first += before ? half + 1 : 0;
        count = before ? count - half - 1 : half;
    }
    return first;
}

static double area_beside(const mesh* m, const half_edge* edges, const uint32_t edge[2]) {
    const size_t count = 3 * m->triangle_count;
    const half_edge wanted = {edge[0] < edge[1] ? edge[0] : edge[1], edge[0] < edge[1] ? edge[1] : edge[0], 0, 0};
    double area = 0;
    for (size_t i = first_half_edge(edges, count, &wanted); i < count && same_edge(&edges[i], &wanted); i++) {
        area += mesh_triangle_area(m, edges[i].triangle);
    }
    return area;
}

double* mesh_edge_areas(const mesh* m, report* r) {
    half_edge* edges = sorted_half_edges(m->triangle_count, (const uint32_t(*)[3])m->triangles, r);
    double* areas = edges ? array_new(m->edge_count, sizeof *areas, r) : NULL;
    for (size_t i = 0; areas && i < m->edge_count; i++) {
        areas[i] = area_beside(m, edges, m->edges[i]);
    }
    free(edges);
    return areas;
}
