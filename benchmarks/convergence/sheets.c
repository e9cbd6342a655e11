#include "sheets.h"

#include "bench_scenes.h"
#include "drape.h"
#include "hinges.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DENSITY         0.2  /* kg/m^2 */
#define STRETCH         1e-3 /* strain at the upper edge; none where springs are hard */
#define JITTER          0.3  /* of the distance between vertices */
#define BENDING         1e3  /* rad/(N m) */
#define ROPE_LINKS      200
#define ROPE_LENGTH     0.5  /* m */
#define ROPE_DENSITY    0.05 /* kg/m */
#define ROPE_COMPLIANCE 1e-8 /* m/N, of a link */
#define ROPE_BENDING    1e-6 /* m/N, of a spring between every other vertex */

static double side(size_t n, size_t i) {
    return (double)i / (double)(n - 1);
}

/* Vertices at (u, v) = places[2 i], places[2 i + 1] of the flat sheet. */
static springs make_vertices(size_t n, double compliance, const double* places) {
    springs s = springs_make(n * n);
    drape* d = drape_make(compliance > 0 ? STRETCH : 0);
    for (size_t i = 0; i < n * n; i++) {
        drape_at(d, places[2 * i], places[2 * i + 1], s.positions + 3 * i);
        s.masses[i] = DENSITY / (double)(n * n);
    }
    s.fixed[0] = s.fixed[n - 1] = true;
    drape_free(d);
    return s;
}

static double* regular_places(size_t n) {
    double* places = bench_allocate(2 * n * n, sizeof *places);
    for (size_t i = 0; i < n * n; i++) {
        places[2 * i] = side(n, i % n);
        places[2 * i + 1] = side(n, i / n);
    }
    return places;
}

/* Springs from (row, column) to (row + down, column + right), wherever both exist. */
static void add_links(springs* s, size_t n, size_t down, int right, double compliance) {
    const double length = hypot((double)down, right) * side(n, 1);
    for (size_t row = 0; row + down < n; row++) {
        for (size_t column = right < 0 ? (size_t)-right : 0; column < n && column + (size_t)right < n; column++) {
            const size_t from = row * n + column;
            springs_add(s, (uint32_t)from, (uint32_t)(from + down * n + (size_t)right), length, compliance);
        }
    }
}

springs make_thread_net(size_t n, double compliance) {
    double* places = regular_places(n);
    springs s = make_vertices(n, compliance, places);
    add_links(&s, n, 0, 1, compliance);
    add_links(&s, n, 1, 0, compliance);
    free(places);
    return s;
}

springs make_regular_sheet(size_t n, double compliance) {
    springs s = make_thread_net(n, compliance);
    add_links(&s, n, 1, 1, compliance);
    add_links(&s, n, 1, -1, compliance);
    add_links(&s, n, 0, 2, compliance);
    add_links(&s, n, 2, 0, compliance);
    return s;
}

springs make_rope_on_sheet(size_t n, double compliance) {
    springs s = make_regular_sheet(n, compliance);
    const uint32_t top = (uint32_t)(n * (n - 1) + n / 2), first = springs_extend(&s, ROPE_LINKS);
    const double link = ROPE_LENGTH / ROPE_LINKS;
    for (uint32_t k = 0; k < ROPE_LINKS; k++) {
        const uint32_t i = first + k, above = k > 0 ? i - 1 : top;
        for (size_t a = 0; a < 3; a++) {
            s.positions[3 * i + a] = s.positions[3 * top + a] - (a == 1 ? link * (k + 1) : 0);
        }
        s.masses[i] = ROPE_DENSITY * link;
        springs_add(&s, above, i, link, ROPE_COMPLIANCE);
        if (k > 0) {
            springs_add(&s, k > 1 ? i - 2 : top, i, 2 * link, ROPE_BENDING);
        }
    }
    return s;
}

/* ---- irregular --------------------------------------------------------------------------------------------------- */

/* In [0, 1), the same in every run. */
static double chance(uint64_t* state) {
    *state = *state * 6364136223846793005U + 1442695040888963407U;
    return (double)(*state >> 11) / 9007199254740992.0;
}

/* Vertices of the boundary move along it, corners not at all. */
static double* irregular_places(size_t n, uint64_t* state) {
    double* places = regular_places(n);
    for (size_t i = 0; i < n * n; i++) {
        const double angle = 6.283185307179586 * chance(state), far = JITTER * side(n, 1) * sqrt(chance(state));
        const size_t row = i / n, column = i % n;
        places[2 * i] += column > 0 && column + 1 < n ? far * cos(angle) : 0;
        places[2 * i + 1] += row > 0 && row + 1 < n ? far * sin(angle) : 0;
    }
    return places;
}

/* Twice the area. */
static double area(const double* places, const uint32_t t[3]) {
    const double *a = places + 2 * t[0], *b = places + 2 * t[1], *c = places + 2 * t[2];
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* Both triangles of a cell along a diagonal by chance, or along the other where that leaves a sliver. */
static void split_cell(const double* places, const uint32_t at[4], bool mirrored, uint32_t out[6]) {
    const uint32_t ways[2][2][3] = {{{at[0], at[1], at[3]}, {at[0], at[3], at[2]}},
                                    {{at[0], at[1], at[2]}, {at[1], at[3], at[2]}}};
    double least[2];
    for (size_t w = 0; w < 2; w++) {
        least[w] = fmin(area(places, ways[w][0]), area(places, ways[w][1]));
    }
    const double enough = 0.4 * fmax(least[0], least[1]);
    const size_t way = least[mirrored] >= enough ? mirrored : !mirrored;
    memcpy(out, ways[way], sizeof ways[way]);
}

static uint32_t* triangulate(size_t n, const double* places, uint64_t* state) {
    const size_t cells = (n - 1) * (n - 1);
    uint32_t* triangles = bench_allocate(6 * cells, sizeof *triangles);
    for (size_t c = 0; c < cells; c++) {
        const uint32_t corner = (uint32_t)(c / (n - 1) * n + c % (n - 1)), down = (uint32_t)n;
        const uint32_t at[4] = {corner, corner + 1, corner + down, corner + down + 1};
        split_cell(places, at, chance(state) < 0.5, triangles + 6 * c);
    }
    return triangles;
}

/* A third of the mass of each triangle for each of its vertices. */
static void spread_mass(springs* s, const double* places, const uint32_t* triangles, size_t count) {
    for (size_t i = 0; i < s->particles; i++) {
        s->masses[i] = 0;
    }
    for (size_t t = 0; t < 3 * count; t++) {
        s->masses[triangles[t]] += DENSITY * area(places, triangles + t - t % 3) / 6;
    }
}

springs make_irregular_sheet(size_t n, double compliance) {
    uint64_t state = 0x9E3779B97F4A7C15U;
    double* places = irregular_places(n, &state);
    springs s = make_vertices(n, compliance, places);
    const size_t count = 2 * (n - 1) * (n - 1);
    uint32_t* triangles = triangulate(n, places, &state);
    spread_mass(&s, places, triangles, count);
    mesh_edges edges = edges_find(count, triangles);
    for (size_t i = 0; i < edges.count; i++) {
        const double *a = places + 2 * edges.ends[i][0], *b = places + 2 * edges.ends[i][1];
        springs_add(&s, edges.ends[i][0], edges.ends[i][1], hypot(a[0] - b[0], a[1] - b[1]), compliance);
    }
    s.corners = (uint32_t*)edges.hinges;
    s.hinges = edges.hinge_count;
    s.bending = BENDING;
    edges.hinges = NULL;
    edges_free(&edges);
    free(triangles);
    free(places);
    return s;
}
