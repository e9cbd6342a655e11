/* The meshes of phys_scenes.h. */
#include "phys_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void* phys_array(size_t count, size_t bytes) {
    void* memory = calloc(count > 0 ? count : 1, bytes);
    if (memory == NULL) {
        abort();
    }
    return memory;
}

phys_mesh phys_mesh_make(size_t point_count, size_t cell_count, size_t corners) {
    return (phys_mesh){.point_count = point_count,
                       .points = phys_array(3 * point_count, sizeof(double)),
                       .cell_count = cell_count,
                       .corners = corners,
                       .cells = phys_array(corners * cell_count, sizeof(uint32_t))};
}

void phys_mesh_free(phys_mesh* mesh) {
    free(mesh->points);
    free(mesh->cells);
    *mesh = (phys_mesh){0};
}

static bool leans_backward(phys_diagonal diagonal, size_t i, size_t j) {
    return diagonal == PHYS_BACKWARD || (diagonal == PHYS_ALTERNATING && (i + j) % 2 == 1);
}

phys_mesh phys_grid(size_t columns, size_t rows, double width, double height, phys_diagonal diagonal) {
    phys_mesh mesh = phys_mesh_make((columns + 1) * (rows + 1), 2 * columns * rows, 3);
    for (size_t p = 0; p < mesh.point_count; p++) {
        mesh.points[3 * p] = width * (double)(p % (columns + 1)) / (double)columns;
        mesh.points[3 * p + 1] = height * (double)(p / (columns + 1)) / (double)rows;
    }
    uint32_t* cell = mesh.cells;
    for (size_t j = 0; j < rows; j++) {
        for (size_t i = 0; i < columns; i++, cell += 6) {
            const uint32_t a = (uint32_t)(j * (columns + 1) + i), b = a + 1;
            const uint32_t c = b + (uint32_t)columns + 1, d = c - 1;
            const uint32_t forward[6] = {a, b, c, a, c, d};
            const uint32_t backward[6] = {a, b, d, b, c, d};
            memcpy(cell, leans_backward(diagonal, i, j) ? backward : forward, sizeof forward);
        }
    }
    return mesh;
}

/* The six paths from corner 0 to corner 7 of a cube along its edges; corner bits are x, y, z. */
static const int cube_paths[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7},
                                     {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};

phys_mesh phys_block(const size_t cells[3], const double size[3]) {
    const size_t nx = cells[0] + 1, ny = cells[1] + 1, nz = cells[2] + 1;
    phys_mesh mesh = phys_mesh_make(nx * ny * nz, 6 * cells[0] * cells[1] * cells[2], 4);
    uint32_t* out = mesh.cells;
    for (size_t p = 0; p < mesh.point_count; p++) {
        const size_t at[3] = {p % nx, p / nx % ny, p / (nx * ny)};
        for (size_t a = 0; a < 3; a++) {
            mesh.points[3 * p + a] = size[a] * (double)at[a] / (double)cells[a];
        }
        if (at[0] == cells[0] || at[1] == cells[1] || at[2] == cells[2]) {
            continue;
        }
        for (int k = 0; k < 24; k++) {
            const size_t corner = (size_t)cube_paths[k / 4][k % 4];
            *out++ = (uint32_t)(p + corner % 2 + corner / 2 % 2 * nx + corner / 4 * nx * ny);
        }
    }
    return mesh;
}

/* One side of a cell: its two end points, in the order of going round a triangle, and the triangle's third corner. */
typedef struct half_edge {
    uint32_t from, to, apex;
} half_edge;

static int compare_half_edges(const void* left, const void* right) {
    const half_edge *l = left, *r = right;
    const uint32_t l_low = l->from < l->to ? l->from : l->to, r_low = r->from < r->to ? r->from : r->to;
    const uint32_t l_high = l->from ^ l->to ^ l_low, r_high = r->from ^ r->to ^ r_low;
    if (l_low != r_low) {
        return l_low < r_low ? -1 : 1;
    }
    return l_high != r_high ? (l_high < r_high ? -1 : 1) : (l->from > r->from) - (l->from < r->from);
}

/* Of all cells, neighbours in the list where they lie on the same edge. */
static half_edge* sorted_half_edges(const phys_mesh* mesh, size_t* count) {
    half_edge* edges = phys_array(mesh->cell_count * 6, sizeof *edges);
    *count = 0;
    for (size_t c = 0; c < mesh->cell_count; c++) {
        const uint32_t* p = mesh->cells + c * mesh->corners;
        for (size_t i = 0; i < mesh->corners; i++) {
            for (size_t j = i + 1; j < mesh->corners; j++) {
                const bool turned = j == i + 2; /* a triangle is gone round from corner 2 to corner 0 */
                edges[(*count)++] = (half_edge){p[turned ? j : i], p[turned ? i : j], p[(6 - i - j) % 3]};
            }
        }
    }
    qsort(edges, *count, sizeof *edges, compare_half_edges);
    return edges;
}

static bool same_edge(const half_edge* a, const half_edge* b) {
    return (a->from == b->from && a->to == b->to) || (a->from == b->to && a->to == b->from);
}

phys_tuples phys_edges(const phys_mesh* mesh) {
    size_t count;
    half_edge* all = sorted_half_edges(mesh, &count);
    phys_tuples edges = {0, phys_array(2 * count, sizeof(uint32_t))};
    for (size_t e = 0; e < count; e++) {
        if (e == 0 || !same_edge(&all[e], &all[e - 1])) {
            edges.items[2 * edges.count] = all[e].from;
            edges.items[2 * edges.count + 1] = all[e].to;
            edges.count++;
        }
    }
    free(all);
    return edges;
}

phys_tuples phys_hinges(const phys_mesh* mesh) {
    size_t count;
    half_edge* all = sorted_half_edges(mesh, &count);
    phys_tuples hinges = {0, phys_array(4 * count, sizeof(uint32_t))};
    for (size_t e = 1; e < count; e++) {
        const half_edge *a = &all[e - 1], *b = &all[e];
        if (a->from == b->to && a->to == b->from) {
            const uint32_t nodes[4] = {a->from, a->to, a->apex, b->apex};
            memcpy(hinges.items + 4 * hinges.count++, nodes, sizeof nodes);
        }
    }
    free(all);
    return hinges;
}

phys_tuples phys_faces(const phys_mesh* mesh) {
    static const int corners[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    phys_tuples faces = {4 * mesh->cell_count, phys_array(12 * mesh->cell_count, sizeof(uint32_t))};
    for (size_t i = 0; i < 3 * faces.count; i++) {
        faces.items[i] = mesh->cells[i / 12 * 4 + (size_t)corners[i / 3 % 4][i % 3]];
    }
    return faces;
}

bool phys_on_side(const phys_mesh* mesh, const uint32_t* triangle, size_t axis, double at, double depth) {
    bool on_side = true;
    for (size_t k = 0; k < 3; k++) {
        on_side = on_side && fabs(mesh->points[3 * triangle[k] + axis] - at) <= depth;
    }
    return on_side;
}

phys_tuples phys_side(const phys_mesh* mesh, size_t axis, double at, double depth) {
    const phys_tuples faces = phys_faces(mesh);
    phys_tuples side = {0, faces.items};
    for (size_t f = 0; f < faces.count; f++) {
        if (phys_on_side(mesh, faces.items + 3 * f, axis, at, depth)) {
            memmove(side.items + 3 * side.count++, faces.items + 3 * f, 3 * sizeof *side.items);
        }
    }
    return side;
}

static void edge_vector(const phys_mesh* mesh, const uint32_t* cell, int corner, double e[3]) {
    for (size_t a = 0; a < 3; a++) {
        e[a] = mesh->points[3 * cell[corner] + a] - mesh->points[3 * cell[0] + a];
    }
}

void phys_area_vector(const phys_mesh* mesh, const uint32_t* triangle, double n[3]) {
    double e[3], f[3];
    edge_vector(mesh, triangle, 1, e);
    edge_vector(mesh, triangle, 2, f);
    for (size_t a = 0; a < 3; a++) {
        n[a] = (e[(a + 1) % 3] * f[(a + 2) % 3] - e[(a + 2) % 3] * f[(a + 1) % 3]) / 2;
    }
}

double phys_cell_size(const phys_mesh* mesh, size_t cell) {
    const uint32_t* nodes = mesh->cells + cell * mesh->corners;
    double n[3], g[3];
    phys_area_vector(mesh, nodes, n);
    if (mesh->corners == 3) {
        return sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    }
    edge_vector(mesh, nodes, 3, g);
    return (n[0] * g[0] + n[1] * g[1] + n[2] * g[2]) / 3;
}

double* phys_lumped_masses(const phys_mesh* mesh, double density) {
    double* masses = phys_array(mesh->point_count, sizeof *masses);
    for (size_t c = 0; c < mesh->cell_count; c++) {
        const double part = density * phys_cell_size(mesh, c) / (double)mesh->corners;
        for (size_t k = 0; k < mesh->corners; k++) {
            masses[mesh->cells[c * mesh->corners + k]] += part;
        }
    }
    return masses;
}
