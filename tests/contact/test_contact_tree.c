/* Trees of boxes: a walk finds what all pairs of boxes find, each once. That the trees of worlds are such ones is
 * tested by what is found through them (test_contact_search.c). */
#define TAUT_REAL double
#include "kernels/stages/contact/tree.h"

#include "dense_matrix.h"
#include "phys_scenes.h"

#include <stdlib.h>
#include <string.h>

typedef struct test_tree {
    taut_tree tree;
    uint32_t* order;
    float *items, *box;
} test_tree;

static const double cell = 0.05;
static const test_tree* sorting; /* what qsort compares the items of */

static int by_code(const void* a, const void* b) {
    const uint32_t x = *(const uint32_t*)a, y = *(const uint32_t*)b;
    const uint32_t left = morton_code(sorting->items + 6 * x, cell), right = morton_code(sorting->items + 6 * y, cell);
    return left != right ? (left > right) - (left < right) : (x > y) - (x < y);
}

/* Of the boxes in `items`, which it takes. */
static test_tree make_tree(uint32_t count, float* items) {
    const uint32_t leaves = tree_leaves(count);
    test_tree t = {.order = phys_array(count + 1, sizeof(uint32_t)), .items = items};
    t.box = phys_array(12 * (size_t)leaves, sizeof *t.box);
    for (uint32_t i = 0; i < count; i++) {
        t.order[i] = i;
    }
    sorting = &t;
    qsort(t.order, count, sizeof *t.order, by_code);
    for (uint32_t i = 0; i < leaves; i++) {
        float* leaf = t.box + 6 * (size_t)(leaves + i);
        box_clear(leaf);
        if (i < count) {
            memcpy(leaf, items + 6 * (size_t)t.order[i], 6 * sizeof *leaf);
        }
    }
    for (uint32_t i = leaves; i-- > 1;) {
        box_join(t.box + 12 * (size_t)i, t.box + 12 * (size_t)i + 6, t.box + 6 * (size_t)i);
    }
    t.tree = (taut_tree){count, leaves, t.order, t.box};
    return t;
}

static void free_tree(test_tree* t) {
    free(t->order), free(t->items), free(t->box);
}

/* A walk with the box meets each item as often as `meets` says, 0 or 1 times. */
static void check_walk(const test_tree* t, const float box[6], const bool* meets) {
    uint32_t *times = phys_array(t->tree.items + 1, sizeof *times), at = 1, item, found = 0;
    while ((item = tree_next(&t->tree, box, &at)) != UINT32_MAX && found++ <= t->tree.items) {
        if (CHECK(item < t->tree.items)) {
            times[item]++;
        }
    }
    for (uint32_t i = 0; i < t->tree.items; i++) {
        CHECK_INT(times[i], meets[i]);
    }
    free(times);
}

static void random_box(random_state* state, double size, double half[2], double x[3], float box[6]) {
    random_fill(state, -1, 1, 3, x);
    random_fill(state, 0, size, 2, half);
    box_clear(box);
    box_add(x, half[0], box);
}

/* Balls of items against balls of finders, by their own coordinates in float64: where those meet, the boxes must. And
 * against all the boxes, which rounding makes no more than a little larger. */
static void check_count(uint32_t count, random_state* state) {
    float* items = phys_array(6 * (size_t)count + 1, sizeof *items);
    double *x = phys_array(3 * (size_t)count + 1, sizeof *x), half[2];
    double* r = phys_array(count + 1, sizeof *r);
    bool* meets = phys_array(count + 1, sizeof *meets);
    for (uint32_t i = 0; i < count; i++) {
        random_box(state, 0.3, half, x + 3 * (size_t)i, items + 6 * (size_t)i);
        r[i] = half[0];
    }
    test_tree t = make_tree(count, items);
    for (int k = 0; k < 20; k++) {
        float box[6];
        double at[3];
        random_box(state, 0.5, half, at, box);
        for (uint32_t i = 0; i < count; i++) {
            double apart = -INFINITY;
            for (size_t a = 0; a < 3; a++) {
                apart = fmax(apart, fabs(at[a] - x[3 * (size_t)i + a]) - half[0] - r[i]);
            }
            meets[i] = boxes_meet(items + 6 * (size_t)i, box);
            CHECK(meets[i] || apart > 0);
            CHECK(!meets[i] || apart < 1e-6);
        }
        check_walk(&t, box, meets);
    }
    free(x), free(r), free(meets);
    free_tree(&t);
}

TAUT_PLAIN_TEST(contact_tree, walk_finds_what_all_pairs_do) {
    random_state state = {81};
    const uint32_t counts[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33, 64, 100, 257};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        test_note("%u items", counts[i]);
        check_count(counts[i], &state);
    }
    test_note(NULL);
}

/* What a walk compares with says of every box what boxes_meet says: boxes that touch in a face, an edge or a corner,
 * that are one number apart, empty ones, and ones without an end. */
TAUT_PLAIN_TEST(contact_tree, queries_meet_what_boxes_meet) {
    static const float ends[] = {-INFINITY, -1, 0, 0x1p-149F, 1, 1.0000001F, 2, INFINITY};
    enum { ENDS = sizeof ends / sizeof *ends, BOXES = 4000 };
    static float boxes[BOXES + 2][6]; /* room for a register */
    random_state state = {83};
    int met = 0;
    for (int i = 0; i < BOXES; i++) {
        double at[6];
        random_fill(&state, 0, ENDS, 6, at);
        for (int v = 0; v < 6; v++) {
            boxes[i][v] = ends[(int)at[v] % ENDS];
        }
        for (int a = 0; a < 3 && i % 8 != 0; a++) { /* others are not empty */
            const float low = fminf(boxes[i][a], boxes[i][3 + a]), high = fmaxf(boxes[i][a], boxes[i][3 + a]);
            boxes[i][a] = low;
            boxes[i][3 + a] = high;
        }
    }
    for (int i = 0; i < BOXES; i++) {
        const box_query query = box_ask(boxes[i]);
        for (int j = i % 40; j < BOXES; j += 40) {
            const bool meets = boxes_meet(boxes[j], boxes[i]);
            CHECK(query_meets(&query, boxes[j]) == meets);
            met += meets;
        }
    }
    CHECK(met > 1000);
}

/* Balls about places that touch up to rounding meet, however large the numbers are. */
TAUT_PLAIN_TEST(contact_tree, boxes_are_rounded_outwards) {
    random_state state = {82};
    for (int i = 0; i < 2000; i++) {
        double x[3], y[3] = {0, 0, 0}, r[2];
        float a[6], b[6];
        const double scale = pow(10, i % 13 - 6);
        random_fill(&state, -scale, scale, 3, x);
        random_fill(&state, 0, scale * 0.1, 2, r);
        memcpy(y, x, sizeof y);
        y[i % 3] += (i % 2 == 0 ? 1 : -1) * (r[0] + r[1]) * (1 - 1e-15);
        box_clear(a);
        box_clear(b);
        box_add(x, r[0], a);
        box_add(y, r[1], b);
        CHECK(boxes_meet(a, b) && boxes_meet(b, a));
        for (int k = 0; k < 3; k++) {
            CHECK(a[k] < x[k] - r[0] && a[3 + k] > x[k] + r[0]);
        }
    }
}

/* Items and finders that are nowhere, or without end: they meet nothing, and the walk stays within the tree. */
TAUT_PLAIN_TEST(contact_tree, what_is_not_finite_meets_nothing) {
    const double wrong[] = {NAN, INFINITY, -INFINITY, 1e300, -1e300};
    enum { COUNT = 5, KINDS = sizeof wrong / sizeof *wrong };
    for (int kind = 0; kind < KINDS; kind++) {
        for (int axis = 0; axis < 4; axis++) { /* the last one: the radius */
            float *items = phys_array(6 * COUNT, sizeof *items), box[6];
            bool meets[COUNT] = {false};
            const float around[6] = {-1, -1, -1, 1, 1, 1};
            for (int i = 0; i < COUNT; i++) {
                double x[4] = {0, 0, 0, 0.1};
                x[axis] = i % 2 == 0 ? x[axis] : wrong[kind];
                meets[i] = i % 2 == 0;
                box_clear(items + 6 * (size_t)i);
                box_add(x, x[3], items + 6 * (size_t)i);
                CHECK(morton_code(items + 6 * (size_t)i, cell) < 1u << TAUT_MORTON_BITS);
            }
            test_note("%g in place %d", wrong[kind], axis);
            memcpy(box, items + 6, sizeof box); /* of a wrong one, before the tree takes them */
            test_tree t = make_tree(COUNT, items);
            check_walk(&t, around, meets);
            memset(meets, 0, sizeof meets);
            check_walk(&t, box, meets);
            free_tree(&t);
        }
    }
    test_note(NULL);
}

/* Codes follow the curve: bit b of the cell along axis a is bit 3 b + a. */
TAUT_PLAIN_TEST(contact_tree, codes_interleave) {
    random_state state = {83};
    for (int i = 0; i < 2000; i++) {
        double x[3];
        float box[6];
        uint32_t expected = 0;
        for (int a = 0; a < 3; a++) {
            const uint32_t at = (uint32_t)random_in(&state, 0, 1023.99);
            for (int b = 0; b < 10; b++) {
                expected |= (at >> b & 1) << (3 * b + a);
            }
            x[a] = (at + 0.5) * cell;
        }
        box_clear(box);
        box_add(x, 0.01, box);
        CHECK_INT(morton_code(box, cell), expected);
    }
}
