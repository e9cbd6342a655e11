/* What is fixed nearer to each other than its thickness: contacts keep what that leaves, and what is free beside it
 * hangs as it would alone. */
#include "surface_scenes.h"

#include <math.h>

#define H 0.0166666666666666667
#define R 0.005 /* m: half of the thickness of everything */

/* Half of a right angle about x: a sheet that lies then hangs, its last row on top. */
static const double upright[4] = {0.70710678118654752, 0.70710678118654752, 0, 0};

/* ---- scenes ------------------------------------------------------------------------------------------------------ */

typedef struct hung {
    taut_world* world;
    uint32_t first[2];
    size_t cells;
    double side; /* m, of a sheet */
} hung;

static uint32_t on_top(const hung* s, int sheet, size_t column) {
    return s->first[sheet] + (uint32_t)(s->cells * (s->cells + 1) + column);
}

/* Two sheets of a square metre in front of each other, each fixed along its upper edge, or by so many of its corners.
 */
static hung hang_sheets(taut_backend_kind backend, size_t cells, double apart, size_t corners) {
    taut_scene* scene = phys_empty_scene();
    hung s = {.cells = cells, .side = 1};
    surface_sheet sheet = {.columns = cells,
                           .rows = cells,
                           .width = s.side,
                           .height = s.side,
                           .mass = 0.2,
                           .radius = R,
                           .q = upright,
                           .diagonal = PHYS_ALTERNATING,
                           .link = 1e-3,
                           .material = contact_material(scene, 0.3, 0)};
    for (int i = 0; i < 2; i++) {
        sheet.at[2] = i * apart;
        s.first[i] = surface_add_sheet(scene, &sheet);
        for (size_t k = 0; k <= cells; k++) {
            const uint32_t point = on_top(&s, i, k);
            const bool fixed = corners == 0 || k == 0 || (k == cells && corners == 2);
            CHECK_OK(taut_scene_set_fixed(scene, fixed ? 1 : 0, &point, true));
        }
    }
    taut_world_def def = contact_world_def(backend);
    def.solver.tolerance = 1e-4;
    s.world = phys_world(scene, &def);
    return s;
}

/* The greatest length of an edge along the columns or rows of a sheet, in those at the start. */
static double most_stretch(const hung* s) {
    const size_t n = s->cells + 1;
    double most = 0, x[3], next[3];
    for (size_t i = 0; i < 2 * n * n; i++) {
        const size_t at = s->first[i / (n * n)] + i % (n * n);
        phys_position(s->world, at, x);
        if (i % n + 1 < n) {
            phys_position(s->world, at + 1, next);
            most = fmax(most, phys_apart(x, next));
        }
        if (i % (n * n) + n < n * n) {
            phys_position(s->world, at + n, next);
            most = fmax(most, phys_apart(x, next));
        }
    }
    return most * (double)s->cells / s->side;
}

/* ---- fixed where they start -------------------------------------------------------------------------------------- */

static void check_sheets(taut_backend_kind backend, size_t cells, double apart, size_t corners) {
    hung s = hang_sheets(backend, cells, apart, corners);
    double x[3], other[3];
    test_note("%zu cells, %g m apart, by %zu corners", cells, apart, corners);
    for (int i = 0; i < 30; i++) {
        contact_step(s.world, H, NULL);
        CHECK(most_stretch(&s) < 1.1);
    }
    if (corners == 0) { /* below, they are as far apart as they are thick */
        phys_position(s.world, s.first[0] + cells / 2, x);
        phys_position(s.world, s.first[1] + cells / 2, other);
        CHECK(other[2] - x[2] > 0.95 * 2 * R);
    }
    test_note(NULL);
    taut_world_destroy(s.world);
}

TAUT_TEST(contact_held, sheets) {
    const bool cuda = backend == TAUT_BACKEND_CUDA;
    for (int i = 0; i < (cuda ? 0 : 3); i++) {
        check_sheets(backend, 6, (const double[]){R, 0.1 * R, 1.9 * R}[i], 0);
    }
    check_sheets(backend, 1, R, 1);
    check_sheets(backend, cuda ? 2 : 8, R, 1);
}

/* Ropes that hang from the fixed ends of their first links. */
TAUT_TEST(contact_held, ropes) {
    for (size_t links = 2; links <= (backend == TAUT_BACKEND_CUDA ? 2 : 12); links += 10) {
        taut_scene* scene = phys_empty_scene();
        const uint32_t material = contact_material(scene, 0.3, 0);
        uint32_t first[3];
        double x[3], next[3];
        for (int i = 0; i < 3; i++) {
            const double top[3] = {1.8 * R * i, 1, 0}, end[3] = {1.8 * R * i, 0.2, 1e-3 * i};
            first[i] = surface_add_rope(scene, links, top, end, 0.05, 1e-6, R, material);
            CHECK_OK(taut_scene_set_fixed(scene, 1, &first[i], true));
        }
        taut_world_def def = contact_world_def(backend);
        def.solver.tolerance = 1e-4;
        taut_world* world = phys_world(scene, &def);
        for (int step = 0; step < 30; step++) {
            contact_step(world, H, NULL);
            for (size_t i = 0; i < 3 * links; i++) {
                phys_position(world, first[i / links] + i % links, x);
                phys_position(world, first[i / links] + i % links + 1, next);
                CHECK_NEAR(phys_apart(x, next) * (double)links / 0.8, 1, 0.01);
            }
        }
        taut_world_destroy(world);
    }
}

/* ---- moved there ------------------------------------------------------------------------------------------------- */

/* The second sheet's corners go towards the first one's, by so much, and come back. No step fails; what is to go
 * through itself may be slowed down. */
static void check_moved(taut_backend_kind backend, double way, bool solved, double stretch) {
    const double apart = 0.2;
    hung s = hang_sheets(backend, 8, apart, 2);
    double most = 0;
    for (int i = 1; i <= 60; i++) {
        const uint32_t corners[2] = {on_top(&s, 1, 0), on_top(&s, 1, s.cells)};
        const double along = way * (1 - fabs(i - 30.0) / 30), half = s.side / 2;
        const double to[6] = {-half, half, apart - along, half, half, apart - along};
        taut_step_info info = {0};
        CHECK_OK(taut_world_move_fixed(s.world, 2, corners, to));
        CHECK_OK(taut_world_step(s.world, H));
        CHECK_OK(taut_world_info(s.world, &info));
        CHECK(!solved || info.outcome == TAUT_SOLVE_CONVERGED);
        most = fmax(most, most_stretch(&s));
    }
    test_note("by %g m: stretched by %g", way, most);
    CHECK(most < stretch);
    test_note(NULL);
    taut_world_destroy(s.world);
}

TAUT_TEST(contact_held, moved_near) {
    check_moved(backend, 0.2 - R, true, 1.1);
}

TAUT_TEST(contact_held, moved_through) {
    check_moved(backend, 0.2, false, 1.5);
    check_moved(backend, 0.25, false, 1.5);
}
