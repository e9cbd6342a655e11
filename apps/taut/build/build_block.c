#include "build/build_block.h"

#include "base/array.h"

static size_t block_vertex(const uint32_t cells[3], const uint32_t at[3]) {
    return ((size_t)at[2] * (cells[1] + 1) + at[1]) * (cells[0] + 1) + at[0];
}

static void place_of_vertex(const uint32_t cells[3], size_t vertex, uint32_t out[3]) {
    for (int a = 0; a < 3; a++) {
        out[a] = (uint32_t)(vertex % (cells[a] + (size_t)1));
        vertex /= cells[a] + (size_t)1;
    }
}

static void set_points(const double size[3], const uint32_t cells[3], mesh* m) {
    for (size_t v = 0; v < m->point_count; v++) {
        uint32_t at[3];
        place_of_vertex(cells, v, at);
        for (int a = 0; a < 3; a++) {
            m->points[v][a] = size[a] * ((double)at[a] / cells[a] - 0.5);
        }
    }
}

/* The six ways from one corner of a cell to the opposite one along its edges, a tetrahedron each. Odd orders of the
 * axes turn left into right; their last two corners change places. */
static void set_cell(const uint32_t cells[3], const uint32_t cell[3], uint32_t (*tets)[4]) {
    static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    for (int k = 0; k < 6; k++) {
        uint32_t at[3] = {cell[0], cell[1], cell[2]};
        uint32_t corners[4] = {(uint32_t)block_vertex(cells, at)};
        for (int step = 0; step < 3; step++) {
            at[orders[k][step]]++;
            corners[step + 1] = (uint32_t)block_vertex(cells, at);
        }
        tets[k][0] = corners[0];
        tets[k][1] = corners[1];
        tets[k][2] = k < 3 ? corners[2] : corners[3];
        tets[k][3] = k < 3 ? corners[3] : corners[2];
    }
}

static void set_tets(const uint32_t cells[3], mesh* m) {
    for (size_t cell = 0; cell < m->tet_count / 6; cell++) {
        const size_t row = cell / cells[0];
        const uint32_t at[3] = {(uint32_t)(cell % cells[0]), (uint32_t)(row % cells[1]), (uint32_t)(row / cells[1])};
        set_cell(cells, at, m->tets + 6 * cell);
    }
}

/* Three vertices of one tetrahedron in one face of the block are a face of its boundary. */
static bool on_boundary(const uint32_t cells[3], const uint32_t face[3]) {
    uint32_t at[3][3];
    for (int k = 0; k < 3; k++) {
        place_of_vertex(cells, face[k], at[k]);
    }
    for (int a = 0; a < 3; a++) {
        if (at[0][a] == at[1][a] && at[0][a] == at[2][a] && (at[0][a] == 0 || at[0][a] == cells[a])) {
            return true;
        }
    }
    return false;
}

static void set_boundary(const uint32_t cells[3], mesh* m) {
    static const int outward[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
    for (size_t i = 0; i < 4 * m->tet_count; i++) {
        const uint32_t* t = m->tets[i / 4];
        const int* corners = outward[i % 4];
        const uint32_t face[3] = {t[corners[0]], t[corners[1]], t[corners[2]]};
        if (on_boundary(cells, face)) {
            for (int k = 0; k < 3; k++) {
                m->triangles[m->triangle_count][k] = face[k];
            }
            m->triangle_count++;
        }
    }
}

bool block_make(const double size[3], const uint32_t cells[3], mesh* out, report* r) {
    const size_t nx = cells[0], ny = cells[1], nz = cells[2];
    mesh m = {.point_count = (nx + 1) * (ny + 1) * (nz + 1), .tet_count = 6 * nx * ny * nz};
    m.points = array_new(m.point_count, sizeof *m.points, r);
    m.tets = m.points ? array_new(m.tet_count, sizeof *m.tets, r) : NULL;
    m.triangles = m.tets ? array_new(4 * (nx * ny + ny * nz + nz * nx), sizeof *m.triangles, r) : NULL;
    if (!m.triangles) {
        mesh_free(&m);
        return false;
    }
    set_points(size, cells, &m);
    set_tets(cells, &m);
    set_boundary(cells, &m);
    *out = m;
    return true;
}
