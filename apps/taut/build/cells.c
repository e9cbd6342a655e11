#include "build/cells.h"

#include "base/array.h"
#include "base/vector.h"

#include <float.h>
#include <stdlib.h>

enum { LEAF = 8 };

/* A box around a run of cells. Inner nodes have two children that divide it. */
struct cell_node {
    double low[3], high[3];
    uint32_t first, count; /* into order */
    uint32_t children;     /* the first of two neighbours; 0: a leaf */
};

/* ---- distances ------------------------------------------------------------------------------------------------ */

static double clamped(double x, double low, double high) {
    return x < low ? low : x > high ? high : x;
}

/* Squared, to the segment between a and b. */
static double to_segment(const double* a, const double* b, const double p[3]) {
    double square;
    (void)segment_nearest(a, b, p, &square);
    return square;
}

/* Where the foot of the point on the plane lies within the triangle the distance is that to the plane, else that to the
 * nearest side. */
static double to_triangle(const double* const corners[3], const double p[3]) {
    double u[3], v[3], arm[3], normal[3];
    vector_between(corners[0], corners[1], u);
    vector_between(corners[0], corners[2], v);
    vector_between(corners[0], p, arm);
    vector_cross(u, v, normal);
    const double square = vector_dot(normal, normal);
    double nearest = DBL_MAX;
    bool inside = square > 0;
    for (int k = 0; k < 3; k++) {
        const double* a = corners[k];
        const double* b = corners[(k + 1) % 3];
        double edge[3], from[3], inward[3];
        vector_between(a, b, edge);
        vector_between(a, p, from);
        vector_cross(normal, edge, inward);
        inside &= vector_dot(inward, from) >= 0;
        nearest = fmin(nearest, to_segment(a, b, p));
    }
    const double height = vector_dot(arm, normal);
    return inside ? height * height / square : nearest;
}

/* Zero inside; corners in positive order. */
static double to_tetrahedron(const double* const corners[4], const double p[3]) {
    static const int outward[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
    double nearest = DBL_MAX;
    bool inside = true;
    for (int f = 0; f < 4; f++) {
        const double* const face[3] = {corners[outward[f][0]], corners[outward[f][1]], corners[outward[f][2]]};
        inside &= tet_volume(face[0], face[1], face[2], p) <= 0;
        nearest = fmin(nearest, to_triangle(face, p));
    }
    return inside ? 0 : nearest;
}

static double to_cell(const cell_tree* t, size_t cell, const double p[3]) {
    const double* corners[4] = {0};
    for (size_t k = 0; k < t->corner_count; k++) {
        corners[k] = t->points + 3 * (size_t)t->corners[cell * t->corner_count + k];
    }
    switch (t->corner_count) {
    case 2:
        return to_segment(corners[0], corners[1], p);
    case 3:
        return to_triangle((const double* const*)corners, p);
    default:
        return to_tetrahedron((const double* const*)corners, p);
    }
}

static double to_box(const cell_node* n, const double p[3]) {
    double square = 0;
    for (int a = 0; a < 3; a++) {
        const double d = p[a] - clamped(p[a], n->low[a], n->high[a]);
        square += d * d;
    }
    return square;
}

/* ---- the tree ------------------------------------------------------------------------------------------------- */

/* Where a cell is sorted to along an axis. */
typedef struct sort_key {
    double at;
    uint32_t cell;
} sort_key;

static int by_place(const void* left, const void* right) {
    const sort_key* a = left;
    const sort_key* b = right;
    if (a->at != b->at) {
        return a->at < b->at ? -1 : 1;
    }
    return (a->cell > b->cell) - (a->cell < b->cell);
}

static double corner(const cell_tree* t, uint32_t cell, size_t k, int axis) {
    return t->points[3 * (size_t)t->corners[cell * t->corner_count + k] + (size_t)axis];
}

static void set_box(const cell_tree* t, cell_node* n) {
    for (int a = 0; a < 3; a++) {
        n->low[a] = DBL_MAX;
        n->high[a] = -DBL_MAX;
        for (uint32_t i = 0; i < n->count; i++) {
            for (size_t k = 0; k < t->corner_count; k++) {
                const double x = corner(t, t->order[n->first + i], k, a);
                n->low[a] = fmin(n->low[a], x);
                n->high[a] = fmax(n->high[a], x);
            }
        }
    }
}

static int longest_axis(const cell_node* n) {
    int longest = 0;
    for (int a = 1; a < 3; a++) {
        longest = n->high[a] - n->low[a] > n->high[longest] - n->low[longest] ? a : longest;
    }
    return longest;
}

static void sort_cells(cell_tree* t, const cell_node* n, int axis, sort_key* keys) {
    for (uint32_t i = 0; i < n->count; i++) {
        const uint32_t cell = t->order[n->first + i];
        keys[i] = (sort_key){0, cell};
        for (size_t k = 0; k < t->corner_count; k++) {
            keys[i].at += corner(t, cell, k, axis);
        }
    }
    qsort(keys, n->count, sizeof *keys, by_place);
    for (uint32_t i = 0; i < n->count; i++) {
        t->order[n->first + i] = keys[i].cell;
    }
}

/* Halves the cells of every node in turn, the longest way; children come behind all nodes that are there. */
static void divide(cell_tree* t, size_t cell_count, sort_key* keys) {
    size_t node_count = 1;
    t->nodes[0] = (cell_node){.count = (uint32_t)cell_count};
    for (size_t i = 0; i < node_count; i++) {
        cell_node* n = &t->nodes[i];
        set_box(t, n);
        if (n->count > LEAF) {
            const uint32_t half = n->count / 2;
            sort_cells(t, n, longest_axis(n), keys);
            n->children = (uint32_t)node_count;
            t->nodes[node_count++] = (cell_node){.first = n->first, .count = half};
            t->nodes[node_count++] = (cell_node){.first = n->first + half, .count = n->count - half};
        }
    }
}

bool cell_tree_make(size_t corner_count, size_t cell_count, const uint32_t* corners, const double* points,
                    cell_tree* out, report* r) {
    cell_tree t = {.corner_count = corner_count, .corners = corners, .points = points};
    sort_key* keys = array_new(cell_count, sizeof *keys, r);
    t.order = keys ? array_new(cell_count, sizeof *t.order, r) : NULL;
    t.nodes = t.order ? array_new(2 * (cell_count / (LEAF / 2)) + 1, sizeof *t.nodes, r) : NULL;
    for (size_t i = 0; t.nodes && i < cell_count; i++) {
        t.order[i] = (uint32_t)i;
    }
    if (t.nodes) {
        divide(&t, cell_count, keys);
    }
    free(keys);
    if (!t.nodes) {
        cell_tree_free(&t);
        return false;
    }
    *out = t;
    return true;
}

void cell_tree_free(cell_tree* t) {
    free(t->order);
    free(t->nodes);
    *t = (cell_tree){0};
}

/* ---- search --------------------------------------------------------------------------------------------------- */

typedef struct found {
    double square;
    uint32_t cell;
} found;

static void search_leaf(const cell_tree* t, const cell_node* n, const double p[3], found* best) {
    for (uint32_t i = 0; i < n->count; i++) {
        const uint32_t cell = t->order[n->first + i];
        const double square = to_cell(t, cell, p);
        if (square < best->square || (square == best->square && cell < best->cell)) {
            *best = (found){square, cell};
        }
    }
}

/* As deep as the tree, which halves: at most 32 levels. The nearer child goes first. */
static void search(const cell_tree* t, const cell_node* n, const double p[3], found* best) {
    if (n->children == 0) {
        search_leaf(t, n, p, best);
        return;
    }
    const cell_node* near = &t->nodes[n->children];
    const cell_node* far = near + 1;
    if (to_box(far, p) < to_box(near, p)) {
        near = far;
        far = &t->nodes[n->children];
    }
    if (to_box(near, p) <= best->square) {
        search(t, near, p, best);
    }
    if (to_box(far, p) <= best->square) {
        search(t, far, p, best);
    }
}

size_t cell_tree_nearest(const cell_tree* t, const double point[3]) {
    found best = {INFINITY, t->order[0]}; /* stays where coordinates are too large for their squares */
    search(t, t->nodes, point, &best);
    return best.cell;
}
