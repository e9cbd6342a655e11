/* Layers of one surface that start nearer to each other than its thickness, and vertices in one place: they fall, drape
 * and rest as those of two surfaces do, and keep their sides. */
#include "intersections.h"
#include "surface_scenes.h"

#include <math.h>
#include <stdlib.h>

#define H      0.0166666666666666667
#define CELLS  5
#define SIDE   0.4
#define RADIUS 0.0015 /* m: half of the thickness */

typedef struct layered {
    size_t points, triangles;
    uint32_t* corners;
    taut_world* world;
} layered;

/* ---- scenes ------------------------------------------------------------------------------------------------------ */

/* Squares of a sheet at the height y, from point `first` on; `cells` a side. */
static void fill_sheet(size_t cells, double y, uint32_t first, bool turned, double* x, uint32_t* corners) {
    const size_t n = cells + 1;
    for (size_t i = 0; i < n * n; i++) {
        x[3 * i] = SIDE * ((double)(i % n) / (double)cells - 0.5);
        x[3 * i + 1] = y;
        x[3 * i + 2] = SIDE * (0.5 - (double)(i / n) / (double)cells);
    }
    for (size_t c = 0; c < cells * cells; c++) {
        const uint32_t a = first + (uint32_t)(c / cells * n + c % cells), b = a + (uint32_t)n;
        const uint32_t both[2][3] = {{a, a + 1, b + 1}, {a, b + 1, b}};
        for (size_t i = 0; i < 6; i++) {
            const size_t k = turned ? 2 - i % 3 : i % 3;
            corners[6 * c + i] = both[i / 3][k];
        }
    }
}

/* Every triangle gets its own vertices. */
static void split_all(layered* l, double** x) {
    double* apart = phys_array(9 * l->triangles, sizeof *apart);
    for (size_t i = 0; i < 3 * l->triangles; i++) {
        for (size_t a = 0; a < 3; a++) {
            apart[3 * i + a] = (*x)[3 * l->corners[i] + a];
        }
        l->corners[i] = (uint32_t)i;
    }
    free(*x);
    *x = apart;
    l->points = 3 * l->triangles;
}

/* One surface over a fixed ball of 0.1 m on the ground. */
static layered drop(taut_backend_kind backend, layered l, double* x) {
    const double at[3] = {0.01, 0.2, 0.02}, ball[3] = {0.1, 0, 0};
    const phys_mesh mesh = {l.points, x, l.triangles, 3, l.corners};
    double* masses = phys_lumped_masses(&mesh, 0.3);
    phys_tuples edges = phys_edges(&mesh);
    taut_scene* scene = phys_scene(l.points, x, masses);
    const uint32_t material = contact_material(scene, 0.3, 0);
    phys_add_links(scene, &edges, 1e-4, 0.01);
    surface_add(scene, l.triangles, l.corners, 0, NULL, RADIUS, material);
    contact_ground(scene, material);
    contact_shape(scene, TAUT_SHAPE_SPHERE, ball, TAUT_WORLD, at, NULL, material);
    taut_world_def def = contact_world_def(backend);
    def.solver.tolerance = 1e-4;
    def.contact.capacity = 4000;
    l.world = phys_world(scene, &def);
    free(edges.items);
    free(masses);
    free(x);
    return l;
}

/* Two sheets, the second one `apart` above the first, of so many cells a side. */
static layered drop_layers(taut_backend_kind backend, const size_t cells[2], double apart, bool turned) {
    layered l = {.points = 0};
    size_t points[2];
    for (int i = 0; i < 2; i++) {
        points[i] = (cells[i] + 1) * (cells[i] + 1);
        l.points += points[i];
        l.triangles += 2 * cells[i] * cells[i];
    }
    double* x = phys_array(3 * l.points, sizeof *x);
    l.corners = phys_array(3 * l.triangles, sizeof *l.corners);
    fill_sheet(cells[0], 0.35, 0, false, x, l.corners);
    fill_sheet(cells[1], 0.35 + apart, (uint32_t)points[0], turned, x + 3 * points[0],
               l.corners + 6 * cells[0] * cells[0]);
    return drop(backend, l, x);
}

/* ---- what they do ------------------------------------------------------------------------------------------------ */

/* A second. The most that steps leave of edges going through triangles, and what they leave in the end. */
typedef struct fallen {
    size_t unsolved, damped, most_cuts, cuts; /* steps, and cuts */
    double middle;                            /* m: the mean height */
} fallen;

static fallen fall(layered l) {
    const phys_mesh mesh = {l.points, NULL, l.triangles, 3, l.corners};
    phys_tuples edges = phys_edges(&mesh);
    double* x = phys_array(3 * l.points, sizeof *x);
    fallen out = {.middle = 0};
    for (int i = 0; i < 60; i++) {
        taut_step_info info = {.step = 0};
        CHECK_OK(taut_world_step(l.world, H));
        CHECK_OK(taut_world_info(l.world, &info));
        for (size_t p = 0; p < l.points; p++) {
            phys_position(l.world, p, x + 3 * p);
        }
        out.cuts = intersections_of(x, edges.count, edges.items, l.triangles, l.corners);
        out.most_cuts = out.cuts > out.most_cuts ? out.cuts : out.most_cuts;
        out.unsolved += info.outcome != TAUT_SOLVE_CONVERGED;
        out.damped += info.outcome == TAUT_SOLVE_DAMPED;
    }
    for (size_t i = 0; i < l.points; i++) {
        out.middle += x[3 * i + 1] / (double)l.points;
    }
    test_note("%zu of 60 steps unsolved and %zu damped, %zu cuts at most, at %g m", out.unsolved, out.damped,
              out.most_cuts, out.middle);
    taut_world_destroy(l.world);
    free(l.corners);
    free(edges.items);
    free(x);
    return out;
}

/* Sheets without stiffness against bending crumple: a system may be as far as float arithmetic goes. On CUDA, which has
 * no loose solves, systems of layers can end at the limit of iterations. */
static void check_layers(taut_backend_kind backend, layered l) {
    const fallen f = fall(l);
    CHECK(backend == TAUT_BACKEND_CUDA || f.unsolved <= 1);
    CHECK_INT(f.damped, 0);
    CHECK_INT(f.most_cuts, 0);
    CHECK(f.middle < 0.25);
}

TAUT_TEST(contact_layers, nearer_than_the_thickness) {
    const size_t cells[2] = {CELLS, CELLS}, other[2] = {CELLS, CELLS - 1};
    check_layers(backend, drop_layers(backend, cells, 0.001, false));
    check_layers(backend, drop_layers(backend, cells, 0.001, true));
    check_layers(backend, drop_layers(backend, other, 0.002, false));
}

TAUT_TEST(contact_layers, in_one_place) {
    const size_t cells[2] = {CELLS, CELLS}, other[2] = {CELLS, CELLS - 1};
    check_layers(backend, drop_layers(backend, cells, 0, false));
    check_layers(backend, drop_layers(backend, cells, 0, true));
    check_layers(backend, drop_layers(backend, other, 0, false));
}

/* Triangles that share no vertices. */
TAUT_TEST(contact_layers, split) {
    layered l = {(CELLS + 1) * (CELLS + 1), 2 * CELLS * CELLS, NULL, NULL};
    double* x = phys_array(3 * l.points, sizeof *x);
    l.corners = phys_array(3 * l.triangles, sizeof *l.corners);
    fill_sheet(CELLS, 0.35, 0, false, x, l.corners);
    split_all(&l, &x);
    const fallen f = fall(drop(backend, l, x));
    CHECK(backend == TAUT_BACKEND_CUDA || f.unsolved <= 1);
    CHECK_INT(f.damped, 0);
    CHECK_INT(f.cuts, 0);
    CHECK(f.middle < 0.05); /* nothing holds them together on the ball */
}

/* ---- ropes ------------------------------------------------------------------------------------------------------- */

/* A rope on the ground that goes back over itself, 0.98 of its thickness above, or beside itself: what starts so is far
 * apart along it, and stays as far apart as it started. */
TAUT_TEST(contact_layers, rope_over_itself) {
    enum { PIECES = 8, POINTS = 2 * PIECES + 2 };
    const double piece = 0.05, radius = 0.01, apart = 0.98 * 2 * radius;
    for (int beside = 0; beside < 2; beside++) {
        double x[3 * POINTS] = {0}, masses[POINTS], at[2][3];
        uint32_t ends[2 * (POINTS - 1)];
        for (uint32_t i = 0; i < POINTS; i++) {
            const bool back = i > PIECES;
            x[3 * i] = piece * (back ? POINTS - 1 - i : i);
            x[3 * i + 1] = radius + (back && !beside ? apart : 0);
            x[3 * i + 2] = back && beside ? apart : 0;
            masses[i] = 0.005;
        }
        for (uint32_t i = 0; i < 2 * (POINTS - 1); i++) {
            ends[i] = (i + 1) / 2;
        }
        const phys_tuples links = {POINTS - 1, ends};
        taut_scene* scene = phys_scene(POINTS, x, masses);
        const uint32_t material = contact_material(scene, 0.5, 0);
        phys_add_links(scene, &links, 1e-6, 0.01);
        surface_add(scene, 0, NULL, POINTS - 1, ends, radius, material);
        contact_ground(scene, material);
        taut_world_def def = taut_default_world();
        def.backend = backend;
        def.threads = 1;
        def.gravity[1] = -PHYS_GRAVITY;
        def.gravity[2] = beside ? -3 : 0; /* pressed together */
        taut_world* world = phys_world(scene, &def);
        size_t unsolved = 0;
        for (int i = 0; i < (backend == TAUT_BACKEND_CUDA ? 12 : 40); i++) {
            taut_step_info info = {.step = 0};
            CHECK_OK(taut_world_step(world, H));
            CHECK_OK(taut_world_info(world, &info));
            unsolved += info.outcome != TAUT_SOLVE_CONVERGED;
        }
        double least = 1;
        for (uint32_t i = 0; i <= PIECES; i++) {
            phys_position(world, i, at[0]);
            phys_position(world, POINTS - 1 - i, at[1]);
            least = fmin(least, hypot(at[1][1] - at[0][1], at[1][2] - at[0][2]));
        }
        test_note("%s: %g of the thickness, %zu steps unsolved", beside ? "beside" : "over", least / (2 * radius),
                  unsolved);
        CHECK(least > 0.85 * 2 * radius);
        CHECK_INT(unsolved, 0);
        test_note(NULL);
        taut_world_destroy(world);
    }
}
