#include "sheet.h"

#include <math.h>
#include <stdlib.h>

#define SIDE       1.0  /* m */
#define DENSITY    0.2  /* kg/m^2 */
#define WAVE       0.01 /* m: height of the ripples that take the sheet out of its plane */
#define COMPLIANCE 1e-4 /* m/N, of every spring of the cloth */
#define BENDING    1e3  /* rad/(N m), of every edge between two triangles */

/* Particles (row, column) of a sheet with `n` on a side; number row * n + column, or any order. */
typedef struct sheet {
    size_t n;
    taut_scene* scene;
    uint32_t* number; /* NULL: row by row */
} sheet;

static uint32_t at(const sheet* s, size_t row, size_t column) {
    const uint32_t given = (uint32_t)(row * s->n + column);
    return s->number != NULL ? s->number[given] : given;
}

/* Puts tuples of `width` numbers into an order without meaning, the same in every run. */
static void shuffle(uint32_t* tuples, size_t count, size_t width) {
    uint64_t state = 0x9E3779B97F4A7C15U;
    for (size_t i = count; i > 1; i--) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        const size_t j = (size_t)(state >> 33) % i;
        for (size_t k = 0; k < width; k++) {
            const uint32_t other = tuples[width * j + k];
            tuples[width * j + k] = tuples[width * (i - 1) + k];
            tuples[width * (i - 1) + k] = other;
        }
    }
}

static uint32_t* shuffled_numbers(size_t count) {
    uint32_t* numbers = bench_allocate(count, sizeof *numbers);
    for (size_t i = 0; i < count; i++) {
        numbers[i] = (uint32_t)i;
    }
    shuffle(numbers, count, 1);
    return numbers;
}

/* Hangs down from its first row, whose two ends are fixed. */
static sheet make_sheet(size_t n, bool shuffled) {
    sheet s = {.n = n, .number = shuffled ? shuffled_numbers(n * n) : NULL};
    const taut_scene_def scene_def = taut_default_scene();
    bench_must(taut_scene_create(&scene_def, &s.scene));
    double* positions = bench_allocate(3 * n * n, sizeof *positions);
    for (size_t i = 0; i < n * n; i++) {
        const double u = (double)(i % n) / (double)(n - 1), v = (double)(i / n) / (double)(n - 1);
        double* x = positions + 3 * (size_t)at(&s, i / n, i % n);
        x[0] = SIDE * u;
        x[1] = -SIDE * v;
        x[2] = WAVE * sin(12 * u + 5 * v) * v;
    }
    taut_particles_def def = taut_default_particles();
    def.count = n * n;
    def.positions = positions;
    def.mass = DENSITY * SIDE * SIDE / (double)(n * n);
    bench_must(taut_scene_add_particles(s.scene, &def, NULL));
    const uint32_t corners[2] = {at(&s, 0, 0), at(&s, 0, n - 1)};
    bench_must(taut_scene_set_fixed(s.scene, 2, corners, true));
    free(positions);
    return s;
}

/* Links between every (row, column) and (row + down, column + right) of the grid; from left to right if
 * `mirrored` is false, else from (row, column + right) to (row + down, column). */
static void add_links(const sheet* s, size_t down, size_t right, bool mirrored, double compliance,
                      bench_counts* counts) {
    const size_t rows = s->n - down, columns = s->n - right, count = rows * columns;
    uint32_t* pairs = bench_allocate(2 * count, sizeof *pairs);
    for (size_t i = 0; i < count; i++) {
        const size_t row = i / columns, column = i % columns;
        pairs[2 * i] = at(s, row, column + (mirrored ? right : 0));
        pairs[2 * i + 1] = at(s, row + down, column + (mirrored ? 0 : right));
    }
    if (s->number != NULL) {
        shuffle(pairs, count, 2);
    }
    taut_distance_def def = taut_default_distance();
    def.count = count;
    def.particles = pairs;
    def.compliance = compliance;
    bench_must(taut_scene_add_distances(s->scene, &def, NULL));
    counts->constraints[TAUT_DISTANCE] += count;
    free(pairs);
}

/* One bend per inner edge of the triangulation whose diagonals run from (row, column) to (row + 1, column + 1):
 * over the diagonal of every cell, the edge to the cell on its right and the edge to the cell below. */
static void add_bends(const sheet* s, bench_counts* counts) {
    const size_t cells = s->n - 1, most = 3 * cells * cells;
    uint32_t* nodes = bench_allocate(4 * most, sizeof *nodes);
    size_t count = 0;
    for (size_t i = 0; i < cells * cells; i++) {
        const size_t r = i / cells, c = i % cells;
        const uint32_t corner[4] = {at(s, r, c), at(s, r, c + 1), at(s, r + 1, c), at(s, r + 1, c + 1)};
        const uint32_t diagonal[4] = {corner[0], corner[3], corner[2], corner[1]};
        const uint32_t right[4] = {corner[1], corner[3], corner[0], c + 1 < cells ? at(s, r + 1, c + 2) : 0};
        const uint32_t below[4] = {corner[2], corner[3], r + 1 < cells ? at(s, r + 2, c + 1) : 0, corner[0]};
        const uint32_t* const edges[3] = {diagonal, c + 1 < cells ? right : NULL, r + 1 < cells ? below : NULL};
        for (size_t e = 0; e < 3; e++) {
            for (size_t k = 0; edges[e] != NULL && k < 4; k++) {
                nodes[4 * count + k] = edges[e][k];
            }
            count += edges[e] != NULL;
        }
    }
    if (s->number != NULL) {
        shuffle(nodes, count, 4);
    }
    taut_bend_def def = taut_default_bend();
    def.count = count;
    def.particles = nodes;
    def.compliance = BENDING;
    bench_must(taut_scene_add_bends(s->scene, &def, NULL));
    counts->constraints[TAUT_BEND] += count;
    free(nodes);
}

/* Particles on a side for about `size` constraints where each particle brings `each`. */
static size_t side_for(size_t size, double each) {
    const size_t n = (size_t)lround(sqrt((double)size / each));
    return n < 3 ? 3 : n;
}

static taut_scene* cloth(size_t size, bool shuffled, bench_counts* counts) {
    const sheet s = make_sheet(side_for(size, 7), shuffled);
    counts->particles = s.n * s.n;
    add_links(&s, 0, 1, false, COMPLIANCE, counts);
    add_links(&s, 1, 0, false, COMPLIANCE, counts);
    add_links(&s, 1, 1, false, COMPLIANCE, counts);
    add_links(&s, 1, 1, true, COMPLIANCE, counts);
    add_bends(&s, counts);
    free(s.number);
    return s.scene;
}

taut_scene* make_cloth(size_t size, bench_counts* counts) {
    return cloth(size, false, counts);
}

taut_scene* make_shuffled_cloth(size_t size, bench_counts* counts) {
    return cloth(size, true, counts);
}

taut_scene* make_net(size_t size, bench_counts* counts) {
    const sheet s = make_sheet(side_for(size, 2), false);
    counts->particles = s.n * s.n;
    add_links(&s, 0, 1, false, 0, counts);
    add_links(&s, 1, 0, false, 0, counts);
    return s.scene;
}
