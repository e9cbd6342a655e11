/* Where surfaces cut each other: counts of cases that can be told by looking, and of crumpled ones by another formula
 * and without a tree. */
#include "refused.h"
#include "surface_scenes.h"

#include <math.h>
#include <stdlib.h>

static size_t count_cuts(taut_world* world) {
    size_t cuts = SIZE_MAX;
    CHECK_OK(taut_world_count_intersections(world, &cuts));
    return cuts;
}

/* A triangle in y = 0, and one that stands in it with a corner below: two edges of this one go through that one. */
static taut_scene* make_crossed(double height) {
    const double points[] = {-1, 0, -1, 1, 0, -1, 0, 0, 2, -0.2, height + 0.5, 0, 0.2, height + 0.5, 0, 0, height, 0};
    return phys_scene(6, points, NULL);
}

static const uint32_t lying[3] = {0, 1, 2}, standing[3] = {3, 4, 5};

static taut_contact_surface_def surface_of(const uint32_t* triangle, uint32_t group, uint32_t mask) {
    taut_contact_surface_def def = taut_default_contact_surface();
    def.triangle_count = 1;
    def.triangles = triangle;
    def.radius = 0.001;
    def.group = group;
    def.mask = mask;
    return def;
}

static size_t crossed(taut_backend_kind backend, double height, uint32_t mask, bool fixed) {
    taut_scene* scene = make_crossed(height);
    const taut_contact_surface_def first = surface_of(lying, 1, mask), second = surface_of(standing, 2, UINT32_MAX);
    const taut_world_def def = contact_world_def(backend);
    CHECK_OK(taut_scene_add_contact_surface(scene, &first, NULL));
    CHECK_OK(taut_scene_add_contact_surface(scene, &second, NULL));
    if (fixed) {
        CHECK_OK(taut_scene_set_fixed(scene, 6, (const uint32_t[]){0, 1, 2, 3, 4, 5}, true));
    }
    taut_world* world = phys_world(scene, &def);
    const size_t cuts = count_cuts(world);
    taut_world_destroy(world);
    return cuts;
}

TAUT_TEST(contact_cuts, two_triangles) {
    CHECK_INT(crossed(backend, -0.1, UINT32_MAX, false), 2);
    CHECK_INT(crossed(backend, 0.1, UINT32_MAX, false), 0);
    CHECK_INT(crossed(backend, -0.6, UINT32_MAX, false), 0);
    CHECK_INT(crossed(backend, -0.1, 1, false), 0);         /* may not meet */
    CHECK_INT(crossed(backend, -0.1, UINT32_MAX, true), 0); /* nothing to be done about it */
}

/* ---- crumpled ---------------------------------------------------------------------------------------------------- */

#define SIDE      7
#define TRIANGLES (2 * SIDE * SIDE)
#define POINTS    ((SIDE + 1) * (SIDE + 1))
#define LINKS     20

typedef struct crumpled {
    phys_mesh sheet;
    phys_tuples edges;
    double points[3 * (POINTS + LINKS + 1)];
    uint32_t ends[2 * LINKS];
} crumpled;

static double noise(uint32_t* state) {
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / (1 << 24) - 0.5;
}

/* A sheet and a rope, thrown about. */
static void crumple(crumpled* c, uint32_t seed) {
    c->sheet = phys_grid(SIDE, SIDE, 1, 1, PHYS_ALTERNATING);
    c->edges = phys_edges(&c->sheet);
    for (size_t i = 0; i < 3 * (POINTS + LINKS + 1); i++) {
        c->points[i] = (i < 3 * POINTS ? 0.7 * c->sheet.points[i] : 0) + 0.6 * noise(&seed);
    }
    for (uint32_t i = 0; i < LINKS; i++) {
        c->ends[2 * i] = POINTS + i;
        c->ends[2 * i + 1] = POINTS + i + 1;
    }
}

static double determinant(const double a[3], const double b[3], const double c[3]) {
    return a[0] * (b[1] * c[2] - b[2] * c[1]) - b[0] * (a[1] * c[2] - a[2] * c[1]) + c[0] * (a[1] * b[2] - a[2] * b[1]);
}

/* p + t (q - p) = a + u (b - a) + v (c - a), by Cramer's rule. */
static bool meets(const double* p, const double* q, const double* a, const double* b, const double* c) {
    double pq[3], ab[3], ac[3], ap[3];
    for (int i = 0; i < 3; i++) {
        pq[i] = p[i] - q[i];
        ab[i] = b[i] - a[i];
        ac[i] = c[i] - a[i];
        ap[i] = p[i] - a[i];
    }
    const double all = determinant(pq, ab, ac), t = determinant(ap, ab, ac) / all;
    const double u = determinant(pq, ap, ac) / all, v = determinant(pq, ab, ap) / all;
    return t > 0 && t < 1 && u > 0 && v > 0 && u + v < 1;
}

static size_t cuts_of(const crumpled* c, const uint32_t ends[2]) {
    size_t cuts = 0;
    for (size_t i = 0; i < TRIANGLES; i++) {
        const uint32_t* t = c->sheet.cells + 3 * i;
        bool shares = false;
        for (int k = 0; k < 3; k++) {
            shares = shares || t[k] == ends[0] || t[k] == ends[1];
        }
        cuts +=
            !shares && meets(c->points + 3 * (size_t)ends[0], c->points + 3 * (size_t)ends[1],
                             c->points + 3 * (size_t)t[0], c->points + 3 * (size_t)t[1], c->points + 3 * (size_t)t[2]);
    }
    return cuts;
}

/* With itself, and what the rope adds. */
static size_t expected_cuts(const crumpled* c, bool itself) {
    size_t cuts = 0;
    for (size_t i = 0; itself && i < c->edges.count; i++) {
        cuts += cuts_of(c, c->edges.items + 2 * i);
    }
    for (size_t i = 0; i < LINKS; i++) {
        cuts += cuts_of(c, c->ends + 2 * i);
    }
    return cuts;
}

static taut_world* make_crumpled(taut_backend_kind backend, const crumpled* c, bool itself) {
    const taut_world_def def = contact_world_def(backend);
    taut_contact_surface_def sheet = taut_default_contact_surface();
    taut_scene* scene = phys_scene(POINTS + LINKS + 1, c->points, NULL);
    sheet.triangle_count = TRIANGLES;
    sheet.triangles = c->sheet.cells;
    sheet.radius = 1e-6;
    sheet.self = itself;
    CHECK_OK(taut_scene_add_contact_surface(scene, &sheet, NULL));
    surface_add(scene, 0, NULL, LINKS, c->ends, 1e-6, 0);
    return phys_world(scene, &def);
}

TAUT_TEST(contact_cuts, crumpled) {
    for (uint32_t seed = 1; seed < (backend == TAUT_BACKEND_CUDA ? 2 : 20); seed++) {
        for (int itself = 0; itself < 2; itself++) {
            crumpled c;
            crumple(&c, seed);
            taut_world* world = make_crumpled(backend, &c, itself);
            const size_t expected = expected_cuts(&c, itself);
            CHECK(expected > 0);
            CHECK_INT(count_cuts(world), expected);
            taut_world_destroy(world);
            phys_mesh_free(&c.sheet);
            free(c.edges.items);
        }
    }
}

/* ---- in motion --------------------------------------------------------------------------------------------------- */

static taut_world* make_falling(taut_backend_kind backend, uint32_t* middle) {
    const taut_world_def def = contact_world_def(backend);
    const surface_sheet sheet = {
        .columns = 4, .rows = 4, .width = 1, .height = 1, .mass = 0.2, .radius = 0.01, .link = 1e-5};
    const surface_sheet under = {
        .columns = 2, .rows = 2, .width = 0.5, .height = 0.5, .radius = 0.01, .fixed = true, .at = {0, -0.03, 0}};
    taut_scene* scene = phys_empty_scene();
    surface_add_sheet(scene, &under);
    *middle = surface_add_sheet(scene, &sheet) + 12;
    return phys_world(scene, &def);
}

/* A cloth falls on another and cuts nothing; counting changes nothing; put through it, it does. */
TAUT_TEST(contact_cuts, falling_cloth) {
    uint32_t middle;
    double x[3], y[3];
    taut_world *world = make_falling(backend, &middle), *other = make_falling(backend, &middle);
    for (int i = 0; i < (backend == TAUT_BACKEND_CUDA ? 3 : 20); i++) {
        CHECK_OK(taut_world_step(world, 0.01));
        CHECK_OK(taut_world_step(other, 0.01));
        CHECK_INT(count_cuts(world), 0);
    }
    phys_position(world, middle, x);
    phys_position(other, middle, y);
    CHECK(x[0] == y[0] && x[1] == y[1] && x[2] == y[2]);
    x[1] -= 0.2;
    CHECK_OK(taut_world_write(world, TAUT_FIELD_POSITIONS, middle, 1, x));
    CHECK(count_cuts(world) > 0);
    taut_world_destroy(world);
    taut_world_destroy(other);
}

TAUT_TEST(contact_cuts, of_no_surface) {
    const taut_world_def def = contact_world_def(backend);
    size_t cuts = 7;
    taut_world* world = phys_world(phys_scene(1, (const double[]){0, 0, 0}, NULL), &def);
    CHECK_INT(count_cuts(world), 0);
    INVALID(taut_world_count_intersections(NULL, &cuts));
    INVALID(taut_world_count_intersections(world, NULL));
    CHECK_INT(cuts, 7);
    taut_world_destroy(world);
}
