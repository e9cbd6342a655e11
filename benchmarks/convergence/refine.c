#include "refine.h"

#include "bench_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Places in `number` of the halves of a cell's edges: of corners a and b at 4 min(a, b) + max(a, b). */
static size_t place(size_t a, size_t b) {
    return a < b ? 4 * a + b : 4 * b + a;
}

typedef struct half {
    uint32_t low, high; /* ends of the edge */
    size_t cell, place;
} half;

static int compare(const void* left, const void* right) {
    const half *a = left, *b = right;
    if (a->low != b->low) {
        return a->low < b->low ? -1 : 1;
    }
    return (a->high > b->high) - (a->high < b->high);
}

static half* sorted_halves(const cells* c, size_t* count) {
    const size_t each = c->corners * (c->corners - 1) / 2;
    half* halves = bench_allocate(c->count * each, sizeof *halves);
    *count = 0;
    for (size_t i = 0; i < c->count; i++) {
        const uint32_t* at = c->at + c->corners * i;
        for (size_t a = 0; a < c->corners; a++) {
            for (size_t b = a + 1; b < c->corners; b++) {
                const uint32_t low = at[a] < at[b] ? at[a] : at[b], high = at[a] < at[b] ? at[b] : at[a];
                halves[(*count)++] = (half){low, high, i, place(a, b)};
            }
        }
    }
    qsort(halves, *count, sizeof *halves, compare);
    return halves;
}

/* Adds the middles of all edges to the points; number[16 cell + place] is that of a cell's edge. */
static uint32_t* add_middles(cells* c) {
    size_t count = 0, middles = 0;
    half* halves = sorted_halves(c, &count);
    uint32_t* number = bench_allocate(16 * c->count, sizeof *number);
    double* positions = bench_allocate(3 * (c->points + count), sizeof *positions);
    memcpy(positions, c->positions, 3 * c->points * sizeof *positions);
    for (size_t i = 0; i < count; i++) {
        middles += i == 0 || compare(&halves[i], &halves[i - 1]) != 0;
        const size_t middle = c->points + middles - 1;
        number[16 * halves[i].cell + halves[i].place] = (uint32_t)middle;
        for (size_t a = 0; a < 3; a++) {
            positions[3 * middle + a] = (positions[3 * halves[i].low + a] + positions[3 * halves[i].high + a]) / 2;
        }
    }
    free(halves);
    free(c->positions);
    c->positions = positions;
    c->points += middles;
    return number;
}

static void split_triangle(const uint32_t* at, const uint32_t* number, uint32_t* out) {
    const uint32_t ab = number[place(0, 1)], bc = number[place(1, 2)], ca = number[place(2, 0)];
    const uint32_t parts[12] = {at[0], ab, ca, ab, at[1], bc, ca, bc, at[2], ab, bc, ca};
    memcpy(out, parts, sizeof parts);
}

static double distance(const cells* c, uint32_t a, uint32_t b) {
    const double *x = c->positions + 3 * a, *y = c->positions + 3 * b;
    return sqrt((x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) + (x[2] - y[2]) * (x[2] - y[2]));
}

/* Exchanges two corners where the volume is negative. */
static void orient(const cells* c, uint32_t* t) {
    double e[3][3];
    for (size_t k = 0; k < 9; k++) {
        e[k / 3][k % 3] = c->positions[3 * t[k / 3 + 1] + k % 3] - c->positions[3 * t[0] + k % 3];
    }
    const double volume = e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
                          e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
                          e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
    if (volume < 0) {
        const uint32_t other = t[2];
        t[2] = t[3];
        t[3] = other;
    }
}

/* Four corners, and the octahedron between them round its shortest diagonal: middles of opposite edges. */
static void split_tetrahedron(const cells* c, const uint32_t* at, const uint32_t* number, uint32_t* out) {
    static const size_t opposite[3][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2}};
    uint32_t ends[3][2];
    size_t shortest = 0;
    for (size_t k = 0; k < 3; k++) {
        const size_t* o = opposite[k];
        ends[k][0] = number[place(o[0], o[1])];
        ends[k][1] = number[place(o[2], o[3])];
        const bool less = distance(c, ends[k][0], ends[k][1]) < distance(c, ends[shortest][0], ends[shortest][1]);
        shortest = less ? k : shortest;
    }
    const uint32_t *axis = ends[shortest], *p = ends[(shortest + 1) % 3], *q = ends[(shortest + 2) % 3];
    const uint32_t belt[5] = {p[0], q[0], p[1], q[1], p[0]};
    for (size_t k = 0; k < 4; k++) {
        uint32_t *corner = out + 4 * k, *inner = out + 16 + 4 * k;
        for (size_t j = 0; j < 4; j++) {
            corner[j] = j == k ? at[k] : number[place(k, j)];
        }
        memcpy(inner, (const uint32_t[4]){axis[0], axis[1], belt[k], belt[k + 1]}, 4 * sizeof *inner);
    }
    for (size_t k = 0; k < 8; k++) {
        orient(c, out + 4 * k);
    }
}

void cells_refine(cells* c) {
    uint32_t* number = add_middles(c);
    const size_t parts = c->corners == 3 ? 4 : 8, values = parts * c->corners;
    uint32_t* at = bench_allocate(c->count * values, sizeof *at);
    for (size_t i = 0; i < c->count; i++) {
        if (c->corners == 3) {
            split_triangle(c->at + 3 * i, number + 16 * i, at + values * i);
        } else {
            split_tetrahedron(c, c->at + 4 * i, number + 16 * i, at + values * i);
        }
    }
    free(number);
    free(c->at);
    c->at = at;
    c->count *= parts;
}

void cells_free(cells* c) {
    free(c->positions);
    free(c->at);
    *c = (cells){0};
}
