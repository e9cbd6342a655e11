/* Heaps that share nothing but the ground are each solved as if they were alone. */
#include "contact_scenes.h"

#include <math.h>

#include <stdlib.h>

#define H     (1.0 / 60)
#define STEPS 20
/* m, from one heap to the next */
#define APART 16
/* m; contacts of a heap come in one order wherever they are that are in one order in the tree of their boxes. */
#define FIRST 6.4

/* kg, on each: contacts are as stiff as the heaviest thing of a scene needs. */
#define LOAD 200

/* A wall of bricks, each on halves of two below, and a slab on it. */
enum { LAYERS = 4, BRICKS = 4, MOST = LAYERS * BRICKS + 1 };

typedef struct wall {
    double density; /* kg/m^3 */
    double pushed;  /* m/s, of the top layer, across it */
} wall;

static const double brick[3] = {0.4, 0.2, 0.2}, slab[3] = {1.6, 0.2, 0.2};

static taut_body add_box(taut_scene* scene, const double x[3], const double sides[3], double mass, double pushed) {
    phys_body at = contact_at(x[0], x[1], x[2]);
    at.mass = mass;
    at.v[2] = pushed;
    taut_inertia_of_box(mass, sides, at.inertia);
    const taut_body body = phys_add_body(scene, &at);
    contact_shape(scene, TAUT_SHAPE_BOX, (const double[]){sides[0] / 2, sides[1] / 2, sides[2] / 2}, body, NULL, NULL,
                  0);
    return body;
}

/* Returns how many bodies it has. */
static int add_wall(taut_scene* scene, const wall* w, double x, taut_body bodies[MOST]) {
    int count = 0;
    for (int j = 0; j < LAYERS; j++) {
        for (int i = 0; i < BRICKS; i++) {
            const double at[3] = {x + 1.02 * brick[0] * (i + 0.5 * (j % 2)) + 0.003 * sin(7 * count),
                                  brick[1] * (j + 0.5), 0.01 * sin(5 * count)};
            const double mass = w->density * brick[0] * brick[1] * brick[2];
            bodies[count++] = add_box(scene, at, brick, mass, j + 1 == LAYERS ? w->pushed : 0);
        }
    }
    const double at[3] = {x + 0.7, brick[1] * (LAYERS + 0.5), 0};
    bodies[count++] = add_box(scene, at, slab, LOAD, 0);
    return count;
}

enum { WALLS = 4 };

typedef struct run {
    uint32_t iterations[STEPS];
    int count;
    double x[MOST][3]; /* of the wall that is looked at, as it ends */
} run;

/* `count` walls, the one that is looked at last. */
static run run_walls(const wall* walls, const int* which, int count, uint32_t threads) {
    run out;
    taut_body bodies[MOST];
    taut_scene* scene = phys_empty_scene();
    contact_material(scene, 0.5, 0);
    contact_ground(scene, 0);
    for (int i = 0; i < count; i++) {
        out.count = add_wall(scene, &walls[which[i]], FIRST + APART * which[i], bodies);
    }
    taut_world_def def = contact_world_def(TAUT_BACKEND_CPU);
    def.contact.law = TAUT_CONTACT_CONVEX;
    def.solver.tolerance = 1e-5;
    def.threads = threads;
    taut_world* world = phys_world(scene, &def);
    for (int i = 0; i < STEPS; i++) {
        out.iterations[i] = contact_step(world, H, NULL).iterations;
    }
    for (int i = 0; i < out.count; i++) {
        phys_position(world, bodies[i].point, out.x[i]);
    }
    taut_world_destroy(world);
    return out;
}

static void check_same(const run* a, const run* b, double most) {
    double off = 0;
    CHECK_INT(a->count, b->count);
    for (int i = 0; i < a->count; i++) {
        for (int k = 0; k < 3; k++) {
            off = fmax(off, fabs(a->x[i][k] - b->x[i][k]));
        }
    }
    CHECK(off <= most);
    test_note("%g m apart", off);
}

static void check_beside(const wall walls[WALLS]) {
    uint32_t most[STEPS] = {0}, sum = 0, all = 0;
    for (int i = 0; i < WALLS; i++) {
        int which[WALLS], count = 0;
        for (int k = 0; k < WALLS; k++) {
            if (k != i) {
                which[count++] = k;
            }
        }
        which[count++] = i;
        const run alone = run_walls(walls, &i, 1, 1), beside = run_walls(walls, which, count, 1);
        check_same(&alone, &beside, 1e-12);
        for (int k = 0; k < STEPS; k++) {
            most[k] = most[k] > alone.iterations[k] ? most[k] : alone.iterations[k];
            sum += i + 1 == WALLS ? most[k] : 0;
            all += i + 1 == WALLS ? beside.iterations[k] : 0;
        }
    }
    test_note("%u iterations, %u of the worst alone", all, sum);
    CHECK_INT(all, sum);
    test_note(NULL);
}

/* Each moves as it does alone, and takes the iterations that it takes alone: the most of any are told. */
TAUT_PLAIN_TEST(contact_alone, walls_under_loads) {
    static const wall walls[WALLS] = {{500, 0}, {2000, 0}, {1000, 0}, {250, 0}};
    check_beside(walls);
}

TAUT_PLAIN_TEST(contact_alone, walls_that_are_pushed) {
    static const wall walls[WALLS] = {{500, 0.1}, {2000, 0}, {1000, 0.2}, {250, 0.4}};
    check_beside(walls);
}

/* The same on several threads. */
TAUT_PLAIN_TEST(contact_alone, threads) {
    static const wall walls[WALLS] = {{500, 0.1}, {2000, 0}, {1000, 0.2}, {250, 0.4}};
    static const int which[WALLS] = {0, 1, 2, 3};
    const run one = run_walls(walls, which, WALLS, 1), four = run_walls(walls, which, WALLS, 4);
    check_same(&one, &four, 0);
    test_note(NULL);
}
