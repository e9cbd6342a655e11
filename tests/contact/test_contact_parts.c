/* Parts of a scene that touch nothing are solved as if nothing could touch: with the same bits. Parts that touch go
 * over to the system that takes contacts, and come back. */
#include "surface_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LINKS  12
#define PITCH  0.1
#define H      (1.0 / 120)
#define HEAVY  5.0
#define WAITED 70 /* steps after which a part that touched goes back */

/* A chain of hard links from (0, 0, 0) along x, a heavy particle at its end, which touches; ground at `height` unless
 * that is NAN. A loose particle lies on the ground if `loose`. */
static taut_world* make_chain(double height, bool loose, taut_method method) {
    double points[3 * (LINKS + 2)] = {0}, masses[LINKS + 2];
    const double up[3] = {0, 1, 0}, at[3] = {0, height, 0};
    uint32_t ends[3] = {LINKS, LINKS + 1, 0};
    phys_tuples links = {LINKS, phys_array(2 * LINKS, sizeof(uint32_t))};
    for (uint32_t i = 0; i <= LINKS; i++) {
        points[3 * i] = PITCH * i;
        masses[i] = i < LINKS ? 0.05 : HEAVY;
    }
    for (uint32_t i = 0; i < 2 * LINKS; i++) {
        links.items[i] = (i + 1) / 2;
    }
    points[3 * LINKS + 3] = 3;
    points[3 * LINKS + 4] = height;
    masses[LINKS + 1] = 1;
    taut_scene* scene = phys_scene(LINKS + 1 + loose, points, masses);
    phys_fix(scene, 1, ends + 2);
    phys_add_links(scene, &links, 0, 0);
    if (!isnan(height)) {
        contact_touch(scene, 1 + loose, ends, 0, 0);
        contact_plane(scene, up, at, 0);
    }
    free(links.items);
    taut_world_def def = contact_world_def(TAUT_BACKEND_CPU);
    def.solver.method = method;
    def.solver.tolerance = 1e-6;
    return phys_world(scene, &def);
}

static void read_chain(taut_world* world, double x[3 * (LINKS + 1)]) {
    CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, 0, LINKS + 1, x));
}

static size_t condensed_rows(taut_world* world) {
    taut_choice choice = {0};
    CHECK_OK(taut_world_choice(world, &choice));
    return choice.condensed_rows;
}

/* What a chain does far above a ground has the bits of what it does alone, though something else lies on the ground. */
TAUT_PLAIN_TEST(contact_parts, untouched_ground_changes_no_bit) {
    for (int loose = 0; loose < 2; loose++) {
        taut_world* alone = make_chain(NAN, false, TAUT_METHOD_AUTO);
        taut_world* above = make_chain(-50, loose != 0, TAUT_METHOD_AUTO);
        double x[2][3 * (LINKS + 1)];
        CHECK(contact_run(alone, 100, H, NULL));
        CHECK(contact_run(above, 100, H, NULL));
        read_chain(alone, x[0]);
        read_chain(above, x[1]);
        CHECK(memcmp(x[0], x[1], sizeof x[0]) == 0);
        CHECK_INT(condensed_rows(above), 0);
        taut_world_destroy(alone);
        taut_world_destroy(above);
    }
}

#define THREADS 200

/* A light rope of THREADS hard links from (0, 0, 0) along x, a load of `heavy` kg at its end; `beside`: a sheet of
 * springs that falls far from it. */
static taut_world* make_rope(double heavy, bool beside) {
    double points[3 * (THREADS + 1)] = {0}, masses[THREADS + 1];
    const uint32_t held = 0;
    phys_tuples links = {THREADS, phys_array(2 * THREADS, sizeof(uint32_t))};
    for (uint32_t i = 0; i <= THREADS; i++) {
        points[3 * i] = 3.0 / THREADS * i;
        masses[i] = i < THREADS ? 3e-3 / THREADS : heavy;
    }
    for (uint32_t i = 0; i < 2 * THREADS; i++) {
        links.items[i] = (i + 1) / 2;
    }
    taut_scene* scene = phys_scene(THREADS + 1, points, masses);
    phys_fix(scene, 1, &held);
    phys_add_links(scene, &links, 0, 0);
    if (beside) {
        surface_add_sheet(scene, &(surface_sheet){.columns = 10,
                                                  .rows = 10,
                                                  .width = 0.6,
                                                  .height = 0.6,
                                                  .mass = 0.05,
                                                  .radius = 0.0025,
                                                  .at = {-20, 0, 0},
                                                  .link = 1e-4});
    }
    free(links.items);
    taut_world_def def = taut_default_world();
    def.backend = TAUT_BACKEND_CPU;
    def.threads = 1;
    return phys_world(scene, &def);
}

/* A rope under a heavy load beside a sheet, which is condensed: the sheet is solved as well as without the rope, and
 * the rope moves with the bits of what it does alone. */
TAUT_PLAIN_TEST(contact_parts, a_sheet_elsewhere_changes_no_bit) {
    for (int heavy = 10; heavy <= 100; heavy *= 10) {
        taut_world* alone = make_rope(heavy, false);
        taut_world* beside = make_rope(heavy, true);
        double x[2][3 * (THREADS + 1)];
        for (int i = 0; i < 48; i++) {
            const taut_step_info a = contact_step_off(alone, 1.0 / 24), b = contact_step_off(beside, 1.0 / 24);
            CHECK_INT(b.subdivided, a.subdivided);
            CHECK_INT(b.softened, 0);
        }
        CHECK_OK(taut_world_read(alone, TAUT_FIELD_POSITIONS, 0, THREADS + 1, x[0]));
        CHECK_OK(taut_world_read(beside, TAUT_FIELD_POSITIONS, 0, THREADS + 1, x[1]));
        CHECK(memcmp(x[0], x[1], sizeof x[0]) == 0);
        CHECK(condensed_rows(beside) > 0);
        taut_world_destroy(alone);
        taut_world_destroy(beside);
    }
}

/* A chain that swings down on a ground: as in the condensed system all the time. */
TAUT_PLAIN_TEST(contact_parts, what_touches_changes_over) {
    taut_world* worlds[2] = {make_chain(-0.6, false, TAUT_METHOD_AUTO), make_chain(-0.6, false, TAUT_METHOD_CONDENSED)};
    double x[2][3 * (LINKS + 1)];
    CHECK(contact_run(worlds[0], 10, H, NULL));
    CHECK_INT(condensed_rows(worlds[0]), 0);
    CHECK(contact_run(worlds[1], 10, H, NULL));
    for (int w = 0; w < 2; w++) {
        CHECK(contact_run(worlds[w], 50, H, NULL));
        CHECK_INT(condensed_rows(worlds[w]), LINKS);
        read_chain(worlds[w], x[w]);
    }
    CHECK(x[0][3 * LINKS + 1] > -0.601);
    CHECK_NEAR(phys_farthest(x[0], x[1], 3 * (LINKS + 1)), 0, 1e-3);
    taut_world_destroy(worlds[0]);
    taut_world_destroy(worlds[1]);
}

/* Lifted from the ground it goes back after a while; a saved state knows for how long it has to wait. */
TAUT_PLAIN_TEST(contact_parts, and_back) {
    taut_world* worlds[2] = {make_chain(-0.6, false, TAUT_METHOD_AUTO), make_chain(-0.6, false, TAUT_METHOD_AUTO)};
    double x[2][3 * (LINKS + 1)];
    size_t bytes = 0;
    CHECK(contact_run(worlds[0], 60, H, NULL));
    CHECK_OK(taut_world_set_gravity(worlds[0], (const double[]){0, 9.81, 0}));
    CHECK(contact_run(worlds[0], 40, H, NULL));
    CHECK_INT(condensed_rows(worlds[0]), LINKS);
    CHECK_OK(taut_world_state_size(worlds[0], &bytes));
    void* block = phys_array(bytes, 1);
    CHECK_OK(taut_world_save(worlds[0], bytes, block, &bytes));
    CHECK_OK(taut_world_load(worlds[1], block, bytes));
    CHECK_OK(taut_world_set_gravity(worlds[1], (const double[]){0, 9.81, 0}));
    for (int w = 0; w < 2; w++) {
        CHECK(contact_run(worlds[w], WAITED, H, NULL));
        CHECK_INT(condensed_rows(worlds[w]), 0);
        read_chain(worlds[w], x[w]);
        taut_world_destroy(worlds[w]);
    }
    CHECK(memcmp(x[0], x[1], sizeof x[0]) == 0);
    free(block);
}
