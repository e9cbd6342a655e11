/* Elastic bodies that are thinner than the thickness of their contact surface, or hardly thicker, and touch themselves:
 * not through their own material, from outside they do. */
#include "contact_scenes.h"
#include "phys_exact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST   14
#define POINTS (MOST * MOST * MOST)
#define STEP   (1.0 / 60)

/* Cells between lines of the axes, of which some are filled, each with six tetrahedra round a diagonal. */
typedef struct cells {
    size_t count[3];
    double line[3][MOST];
    bool filled[MOST][MOST][MOST];
} cells;

typedef struct tets {
    size_t points, count, triangles;
    double x[3 * POINTS], mass[POINTS];
    uint32_t corner[4 * 6 * POINTS], triangle[3 * 12 * POINTS];
} tets;

static const int paths[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

static double volume_of(const double* a, const double* b, const double* c, const double* d) {
    double e[3][3];
    for (int i = 0; i < 3; i++) {
        e[0][i] = b[i] - a[i];
        e[1][i] = c[i] - a[i];
        e[2][i] = d[i] - a[i];
    }
    return (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) + e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
            e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
           6;
}

static void swap_corners(uint32_t* a, uint32_t* b) {
    const uint32_t kept = *a;
    *a = *b;
    *b = kept;
}

static uint32_t point_at(const cells* c, tets* t, uint32_t number[MOST][MOST][MOST], const size_t at[3]) {
    uint32_t* own = &number[at[0]][at[1]][at[2]];
    if (*own == 0) {
        for (int a = 0; a < 3; a++) {
            t->x[3 * t->points + (size_t)a] = c->line[a][at[a]];
        }
        *own = (uint32_t)++t->points;
    }
    return *own - 1;
}

static void add_cell(const cells* c, tets* t, uint32_t number[MOST][MOST][MOST], const size_t cell[3], double density) {
    for (int p = 0; p < 6; p++) {
        size_t at[3] = {cell[0], cell[1], cell[2]};
        uint32_t* tet = t->corner + 4 * t->count++;
        tet[0] = point_at(c, t, number, at);
        for (int k = 0; k < 3; k++) {
            at[paths[p][k]]++;
            tet[k + 1] = point_at(c, t, number, at);
        }
        double volume = volume_of(t->x + 3 * tet[0], t->x + 3 * tet[1], t->x + 3 * tet[2], t->x + 3 * tet[3]);
        if (volume < 0) {
            swap_corners(&tet[2], &tet[3]);
            volume = -volume;
        }
        for (int k = 0; k < 4; k++) {
            t->mass[tet[k]] += density * volume / 4;
        }
    }
}

static bool same_face(const uint32_t* tet, const uint32_t* face) {
    int shared = 0;
    for (int i = 0; i < 12; i++) {
        shared += tet[i / 3] == face[i % 3];
    }
    return shared == 3;
}

/* Faces that one tetrahedron alone has, counterclockwise from outside. */
static void find_surface(tets* t) {
    static const int opposite[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    for (size_t i = 0; i < t->count; i++) {
        for (int k = 0; k < 4; k++) {
            uint32_t* face = t->triangle + 3 * t->triangles;
            size_t owners = 0;
            for (int j = 0; j < 3; j++) {
                face[j] = t->corner[4 * i + (size_t)opposite[k][j]];
            }
            for (size_t j = 0; j < t->count; j++) {
                owners += same_face(t->corner + 4 * j, face);
            }
            t->triangles += owners == 1;
        }
    }
}

static tets* make_tets(const cells* c, double density) {
    tets* t = calloc(1, sizeof *t);
    uint32_t(*number)[MOST][MOST] = calloc(MOST, sizeof *number);
    for (size_t i = 0; i < (size_t)MOST * MOST * MOST; i++) {
        const size_t cell[3] = {i / MOST / MOST, i / MOST % MOST, i % MOST};
        if (c->filled[cell[0]][cell[1]][cell[2]]) {
            add_cell(c, t, number, cell, density);
        }
    }
    find_surface(t);
    free(number);
    return t;
}

static void fill(cells* c, size_t x0, size_t x1, size_t y0, size_t y1, size_t z0, size_t z1) {
    for (size_t x = x0; x < x1; x++) {
        for (size_t y = y0; y < y1; y++) {
            for (size_t z = z0; z < z1; z++) {
                c->filled[x][y][z] = true;
            }
        }
    }
}

static taut_scene* scene_of(const tets* t, double young, double radius, bool self) {
    taut_scene* scene = phys_scene(t->points, t->x, t->mass);
    taut_solid_def solid = taut_default_solid();
    solid.count = t->count;
    solid.particles = t->corner;
    solid.young = young;
    solid.elasticity = TAUT_ELASTICITY_NEO_HOOKEAN;
    CHECK_OK(taut_scene_add_solids(scene, &solid, NULL));
    taut_contact_surface_def surface = taut_default_contact_surface();
    surface.triangle_count = t->triangles;
    surface.triangles = t->triangle;
    surface.radius = radius;
    surface.self = self;
    CHECK_OK(taut_scene_add_contact_surface(scene, &surface, NULL));
    return scene;
}

/* A plate of w, in cells of 8 mm. */
static tets* make_plate(double w) {
    cells c = {{1, 6, 6}, {{0}}, {{{false}}}};
    for (size_t i = 0; i <= 6; i++) {
        c.line[0][i] = w * (double)i;
        c.line[1][i] = c.line[2][i] = 0.008 * (double)i;
    }
    fill(&c, 0, 1, 0, 6, 0, 6);
    return make_tets(&c, 200);
}

/* A plate of 5 mm whose sides come together has its own thickness of 4 mm against nothing. */
TAUT_TEST(contact_material, a_plate_is_squeezed_through) {
    tets* t = make_plate(0.005);
    taut_world_def def = contact_world_def(backend);
    memset(def.gravity, 0, sizeof def.gravity);
    taut_world* worlds[2];
    double* v = calloc(3 * t->points, sizeof *v);
    double* x = malloc(3 * t->points * sizeof *x);
    for (size_t i = 0; i < t->points; i++) {
        v[3 * i] = t->x[3 * i] > 0 ? -0.3 : 0.3;
    }
    for (int k = 0; k < 2; k++) {
        worlds[k] = phys_world(scene_of(t, 50, 0.002, k == 0), &def);
        CHECK_OK(taut_world_write(worlds[k], TAUT_FIELD_VELOCITIES, 0, t->points, v));
    }
    double least = INFINITY;
    for (int i = 0; i < 12; i++) {
        taut_step_info info[2];
        for (int k = 0; k < 2; k++) {
            info[k] = contact_step(worlds[k], STEP / 20, NULL);
        }
        CHECK_NEAR(info[0].elastic, info[1].elastic, 1e-6 * info[1].elastic);
        CHECK_OK(taut_world_read(worlds[0], TAUT_FIELD_POSITIONS, 0, t->points, x));
        double side[2] = {0, 0};
        for (size_t p = 0; p < t->points; p++) {
            side[t->x[3 * p] > 0] += 2 * x[3 * p] / (double)t->points;
        }
        least = fmin(least, side[1] - side[0]);
    }
    test_note("squeezed to %.3g m", least);
    CHECK(least < 0.0037);
    test_note(NULL);
    taut_world_destroy(worlds[0]);
    taut_world_destroy(worlds[1]);
    free(v);
    free(x);
    free(t);
}

/* What falls: energy only goes, no element stays inside out, and in the end it rests. */
static void check_fall(taut_world* world, size_t steps, size_t unconverged, double rise) {
    taut_step_info info = {0}, last = {0};
    double gained = 0, first = 0;
    size_t off = 0;
    for (size_t i = 0; i < steps; i++) {
        if (!CHECK_OK(taut_world_step(world, STEP)) || !CHECK_OK(taut_world_info(world, &info))) {
            return;
        }
        const double energy = info.kinetic + info.potential + info.elastic;
        first = i == 0 ? energy : first;
        gained = i > 0 ? fmax(gained, energy - (last.kinetic + last.potential + last.elastic)) : 0;
        off += info.outcome != TAUT_SOLVE_CONVERGED;
        last = info;
    }
    test_note("%zu of %zu off, gained %.3g of %.3g J, %u inside out, kinetic %.3g J", off, steps, gained, first,
              info.inverted, info.kinetic);
    CHECK(off <= unconverged);
    CHECK(gained <= rise * first);
    CHECK(info.inverted == 0);
    CHECK(info.kinetic <= 1e-5 * first);
    test_note(NULL);
}

/* A block with a fin of 1.5 mm, in cells down to 0.4 mm, which falls on the fin by 0.1 m, turned. Its contact surface
 * has a thickness of 4 mm. It needs no more room for contacts than there is by default. */
TAUT_TEST(contact_material, a_body_falls_on_its_fin) {
    cells c = {{5, 8, 7}, {{0}}, {{{false}}}};
    const double x[] = {0, 0.012, 0.024, 0.0255, 0.0375, 0.0495};
    const double y[] = {0, 0.0004, 0.001, 0.0025, 0.005, 0.009, 0.015, 0.022, 0.034};
    const double z[] = {0, 0.0004, 0.0015, 0.004, 0.009, 0.015, 0.022, 0.03};
    memcpy(c.line[0], x, sizeof x);
    memcpy(c.line[1], y, sizeof y);
    memcpy(c.line[2], z, sizeof z);
    fill(&c, 2, 3, 0, 7, 0, 7);
    fill(&c, 0, 5, 7, 8, 3, 7);
    tets* t = make_tets(&c, 200);
    const double s = sin(0.3), k = cos(0.3);
    for (size_t i = 0; i < t->points; i++) {
        double* p = t->x + 3 * i;
        const double turned[3] = {k * p[0] - s * p[1], s * p[0] + k * p[1] + 0.1, p[2]};
        memcpy(p, turned, sizeof turned);
    }
    taut_scene* scene = scene_of(t, 3e3, 0.002, true);
    contact_ground(scene, contact_material(scene, 0.5, 0));
    taut_world_def def = contact_world_def(backend);
    def.solver.tolerance = 1e-6;
    taut_world* world = phys_world(scene, &def);
    check_fall(world, 60, 2, 2e-3);
    taut_world_destroy(world);
    free(t);
}

/* Both arms of a fork are pressed together, and meet from outside. */
TAUT_TEST(contact_material, arms_meet_from_outside) {
    cells c = {{3, 6, 2}, {{0}}, {{{false}}}};
    for (size_t i = 0; i <= 6; i++) {
        c.line[0][i] = 0.01 * (double)i;
        c.line[1][i] = 0.01 * (double)i;
        c.line[2][i] = 0.01 * (double)i;
    }
    fill(&c, 0, 3, 0, 1, 0, 2);
    fill(&c, 0, 1, 1, 6, 0, 2);
    fill(&c, 2, 3, 1, 6, 0, 2);
    tets* t = make_tets(&c, 200);
    taut_world_def def = contact_world_def(backend);
    memset(def.gravity, 0, sizeof def.gravity);
    taut_world* world = phys_world(scene_of(t, 2e4, 0.001, true), &def);
    double* v = calloc(3 * t->points, sizeof *v);
    double* x = malloc(3 * t->points * sizeof *x);
    for (size_t i = 0; i < t->points; i++) {
        v[3 * i] = t->x[3 * i + 1] > 0.04 ? (t->x[3 * i] < 0.015 ? 1.5 : -1.5) : 0;
    }
    CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, 0, t->points, v));
    double least = INFINITY;
    for (int i = 0; i < 60; i++) {
        CHECK_OK(taut_world_step(world, STEP / 4));
        CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, 0, t->points, x));
        double ends[2] = {-INFINITY, INFINITY};
        for (size_t p = 0; p < t->points; p++) {
            const double at = t->x[3 * p];
            const bool tip = t->x[3 * p + 1] > 0.055;
            ends[0] = tip && fabs(at - 0.01) < 1e-9 ? fmax(ends[0], x[3 * p]) : ends[0];
            ends[1] = tip && fabs(at - 0.02) < 1e-9 ? fmin(ends[1], x[3 * p]) : ends[1];
        }
        least = fmin(least, ends[1] - ends[0]);
    }
    test_note("arms come as near as %.3g m", least);
    CHECK(least > 0.0015 && least < 0.0025);
    test_note(NULL);
    taut_world_destroy(world);
    free(v);
    free(x);
    free(t);
}
