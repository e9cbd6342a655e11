#include "build/build_grid.h"

#include "base/array.h"

static size_t grid_vertex(const uint32_t cells[2], size_t i, size_t j) {
    return j * (cells[0] + (size_t)1) + i;
}

static void set_points(const double size[2], const uint32_t cells[2], mesh* m) {
    for (size_t j = 0; j <= cells[1]; j++) {
        for (size_t i = 0; i <= cells[0]; i++) {
            double* x = m->points[grid_vertex(cells, i, j)];
            x[0] = size[0] * ((double)i / cells[0] - 0.5);
            x[1] = 0;
            x[2] = size[1] * ((double)j / cells[1] - 0.5);
        }
    }
}

static void set_triangle(uint32_t t[3], size_t a, size_t b, size_t c) {
    t[0] = (uint32_t)a;
    t[1] = (uint32_t)b;
    t[2] = (uint32_t)c;
}

static void set_triangles(const uint32_t cells[2], mesh* m) {
    for (size_t cell = 0; cell < m->triangle_count / 2; cell++) {
        const size_t i = cell % cells[0], j = cell / cells[0];
        const size_t a = grid_vertex(cells, i, j), b = a + 1;
        const size_t c = grid_vertex(cells, i, j + 1), d = c + 1;
        set_triangle(m->triangles[2 * cell], a, c, b);
        set_triangle(m->triangles[2 * cell + 1], b, c, d);
    }
}

static void add_pair(uint32_t (*pairs)[2], size_t* count, size_t a, size_t b) {
    pairs[*count][0] = (uint32_t)a;
    pairs[*count][1] = (uint32_t)b;
    ++*count;
}

static void set_edges(const uint32_t cells[2], mesh* m) {
    for (size_t j = 0; j <= cells[1]; j++) {
        for (size_t i = 0; i <= cells[0]; i++) {
            const size_t a = grid_vertex(cells, i, j);
            if (i < cells[0]) {
                add_pair(m->edges, &m->edge_count, a, a + 1);
            }
            if (j < cells[1]) {
                add_pair(m->edges, &m->edge_count, a, grid_vertex(cells, i, j + 1));
            }
        }
    }
}

bool grid_make(const double size[2], const uint32_t cells[2], mesh* out, report* r) {
    const size_t nx = cells[0], ny = cells[1];
    mesh m = {.point_count = (nx + 1) * (ny + 1), .triangle_count = 2 * nx * ny};
    m.points = array_new(m.point_count, sizeof *m.points, r);
    m.triangles = m.points ? array_new(m.triangle_count, sizeof *m.triangles, r) : NULL;
    m.edges = m.triangles ? array_new(nx * (ny + 1) + ny * (nx + 1), sizeof *m.edges, r) : NULL;
    if (!m.edges) {
        mesh_free(&m);
        return false;
    }
    set_points(size, cells, &m);
    set_triangles(cells, &m);
    set_edges(cells, &m);
    *out = m;
    return true;
}

uint32_t (*grid_diagonals(const uint32_t cells[2], size_t* count, report* r))[2] {
    const size_t cell_count = (size_t)cells[0] * cells[1];
    uint32_t(*pairs)[2] = array_new(2 * cell_count, sizeof *pairs, r);
    *count = 0;
    for (size_t cell = 0; pairs && cell < cell_count; cell++) {
        const size_t i = cell % cells[0], j = cell / cells[0];
        add_pair(pairs, count, grid_vertex(cells, i, j), grid_vertex(cells, i + 1, j + 1));
        add_pair(pairs, count, grid_vertex(cells, i + 1, j), grid_vertex(cells, i, j + 1));
    }
    return pairs;
}
