#include "build/mass_properties.h"

#include "base/array.h"
#include "base/vector.h"

#include <stdlib.h>

/* ---- closed or not -------------------------------------------------------------------------------------------- */

typedef struct side {
    uint32_t low, high;
    int direction; /* +1: from low to high */
} side;

static int by_edge(const void* left, const void* right) {
    const side* a = left;
    const side* b = right;
    if (a->low != b->low) {
        return a->low < b->low ? -1 : 1;
    }
    return (a->high > b->high) - (a->high < b->high);
}

static void list_sides(const mesh* m, side* sides) {
    for (size_t i = 0; i < 3 * m->triangle_count; i++) {
        const uint32_t a = m->triangles[i / 3][i % 3], b = m->triangles[i / 3][(i + 1) % 3];
        sides[i] = a < b ? (side){a, b, 1} : (side){b, a, -1};
    }
}

/* Every edge is passed as often one way as the other: then the surface has no rim, and one sense of rotation. */
static bool is_closed(const mesh* m, report* r) {
    const size_t count = 3 * m->triangle_count;
    side* sides = array_new(count, sizeof *sides, r);
    bool ok = sides != NULL;
    if (ok) {
        list_sides(m, sides);
        qsort(sides, count, sizeof *sides, by_edge);
    }
    for (size_t i = 0, run = 1; ok && i < count; i += run) {
        int sum = sides[i].direction;
        for (run = 1; i + run < count && by_edge(&sides[i], &sides[i + run]) == 0; run++) {
            sum += sides[i + run].direction;
        }
        ok = sum == 0 || report_fail(r,
                                     "the surface is not closed, or faces different ways, at the edge between "
                                     "vertices %u and %u",
                                     sides[i].low, sides[i].high);
    }
    free(sides);
    return ok;
}

/* ---- integrals ------------------------------------------------------------------------------------------------ */

/* Integrals over the solid of 1, x and x x^T, with x from the origin of the sums. The latter in the order xx, yy, zz,
 * yz, zx, xy. */
typedef struct moments {
    double volume;
    double first[3];
    double second[6];
} moments;

static const int rows[6] = {0, 1, 2, 1, 2, 0};
static const int columns[6] = {0, 1, 2, 2, 0, 1};

/* The tetrahedron between the origin and a triangle, negative where the triangle faces it: with corners p_k and
 * s = sum p_k, volume V, its integrals are V s/4 and V/20 (sum p_k p_k^T + s s^T). */
static void add_tetrahedron(double p[3][3], moments* sums) {
    double normal[3], s[3];
    vector_cross(p[1], p[2], normal);
    const double volume = vector_dot(p[0], normal) / 6;
    for (int a = 0; a < 3; a++) {
        s[a] = p[0][a] + p[1][a] + p[2][a];
        sums->first[a] += volume * s[a] / 4;
    }
    for (int i = 0; i < 6; i++) {
        const int a = rows[i], b = columns[i];
        const double squares = p[0][a] * p[0][b] + p[1][a] * p[1][b] + p[2][a] * p[2][b];
        sums->second[i] += volume * (squares + s[a] * s[b]) / 20;
    }
    sums->volume += volume;
}

/* Sums from a vertex of the mesh: a mesh far from the origin would lose its digits there. */
static moments integrate(const mesh* m) {
    moments sums = {0};
    for (size_t i = 0; i < m->triangle_count; i++) {
        double corners[3][3];
        for (int k = 0; k < 3; k++) {
            vector_between(m->points[0], m->points[m->triangles[i][k]], corners[k]);
        }
        add_tetrahedron(corners, &sums);
    }
    return sums;
}

bool mass_properties_find(const mesh* m, mass_properties* out, report* r) {
    if (!is_closed(m, r)) {
        return false;
    }
    moments sums = integrate(m);
    const double area =
        triangles_area((const double(*)[3])m->points, (const uint32_t(*)[3])m->triangles, m->triangle_count);
    if (!(fabs(sums.volume) > 1e-9 * area * sqrt(area))) {
        return report_fail(r, "the surface encloses no volume");
    }
    mass_properties p = {.volume = fabs(sums.volume)};
    const double sign = sums.volume < 0 ? -1 : 1;
    double central[6];
    for (int i = 0; i < 6; i++) {
        central[i] = sign * (sums.second[i] - sums.first[rows[i]] * sums.first[columns[i]] / sums.volume);
    }
    const double trace = central[0] + central[1] + central[2];
    for (int i = 0; i < 6; i++) {
        p.inertia[i] = i < 3 ? trace - central[i] : -central[i];
    }
    for (int a = 0; a < 3; a++) {
        p.centre[a] = m->points[0][a] + sums.first[a] / sums.volume;
    }
    *out = p;
    return true;
}
