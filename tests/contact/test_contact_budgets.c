/* What touches in steps with a budget of time (tests/api/test_budget.c has what does not): how far ahead is searched,
 * and what a solve leaves whose time is up. */
#include "contact_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CELLS  12
#define CORNER ((CELLS + 1) * (CELLS + 1))
#define BOXES  18
#define SIDE   0.14
#define FRAME  (1.0 / 60)
/* s: so small that each look at the clock finds it up. */
#define NO_TIME 1e-6

static taut_scene* empty_scene(void) {
    const taut_scene_def def = taut_default_scene();
    taut_scene* scene = NULL;
    CHECK_OK(taut_scene_create(&def, &scene));
    return scene;
}

static void add_boxes(taut_scene* scene, uint32_t material) {
    for (int i = 0; i < BOXES; i++) {
        const double half[3] = {SIDE / 2, SIDE / 2, SIDE / 2};
        phys_body at =
            contact_at(0.16 * (i % 3) - 0.16 + 0.01 * (i / 9), 0.075 + 0.15 * (i / 9), 0.16 * (i / 3 % 3) - 0.16);
        at.mass = 1;
        taut_inertia_of_box(1, (const double[]){SIDE, SIDE, SIDE}, at.inertia);
        const taut_body body = phys_add_body(scene, &at);
        const uint32_t box = contact_shape(scene, TAUT_SHAPE_BOX, half, body, NULL, NULL, material);
        CHECK_OK(taut_scene_add_collider_features(scene, box, NULL));
    }
}

/* A level sheet of 0.8 m at this height, of membranes, or of stiff links that two corners hang on. */
static void add_sheet(taut_scene* scene, uint32_t material, double height, bool hangs) {
    phys_mesh mesh = phys_grid(CELLS, CELLS, 0.8, 0.8, PHYS_ALTERNATING);
    for (size_t i = 0; i < mesh.point_count; i++) {
        double* x = mesh.points + 3 * i;
        x[0] -= 0.4;
        x[2] = x[1] - 0.4;
        x[1] = height;
    }
    taut_particles_def particles = taut_default_particles();
    particles.count = mesh.point_count;
    particles.positions = mesh.points;
    particles.mass = 0.2 * 0.64 / CORNER;
    taut_range range = {0, 0};
    CHECK_OK(taut_scene_add_particles(scene, &particles, &range));
    uint32_t* corners = phys_array(3 * mesh.cell_count, sizeof *corners);
    for (size_t i = 0; i < 3 * mesh.cell_count; i++) {
        corners[i] = range.first + mesh.cells[i];
    }
    taut_membrane_def membrane = taut_default_membrane();
    membrane.count = mesh.cell_count;
    membrane.particles = corners;
    membrane.softness = 1.0 / 500;
    if (hangs) {
        const phys_tuples edges = phys_edges(&mesh);
        phys_add_links(scene, &edges, 1e-7, 0);
        phys_fix(scene, 2, (const uint32_t[]){0, CELLS});
        free(edges.items);
    } else {
        CHECK_OK(taut_scene_add_membranes(scene, &membrane, NULL));
    }
    taut_contact_surface_def surface = taut_default_contact_surface();
    surface.triangle_count = mesh.cell_count;
    surface.triangles = corners;
    surface.radius = 0.005;
    surface.material = material;
    CHECK_OK(taut_scene_add_contact_surface(scene, &surface, NULL));
    free(corners);
    phys_mesh_free(&mesh);
}

static taut_world* world_of(taut_scene* scene, double tolerance) {
    taut_world_def def = contact_world_def(TAUT_BACKEND_CPU);
    def.threads = 1;
    def.solver.tolerance = tolerance;
    return phys_world(scene, &def);
}

/* A sheet on boxes that rests. */
static taut_world* covered(void) {
    taut_scene* scene = empty_scene();
    const uint32_t material = contact_material(scene, 0.5, 0);
    contact_ground(scene, material);
    add_boxes(scene, material);
    add_sheet(scene, material, 0.32, false);
    taut_world* world = world_of(scene, 1e-4);
    for (int i = 0; i < 60; i++) {
        CHECK_OK(taut_world_step(world, FRAME));
    }
    return world;
}

static taut_step_info info_of(taut_world* world) {
    taut_step_info info = {0};
    CHECK_OK(taut_world_info(world, &info));
    return info;
}

static double energy_of(const taut_step_info* info) {
    return info->kinetic + info->potential + info->elastic;
}

static void check_apart(taut_world* world) {
    taut_overlaps overlaps;
    CHECK_OK(taut_world_read_overlaps(world, &overlaps));
    CHECK_INT(overlaps.intersections, 0);
    CHECK_INT(overlaps.points_inside, 0);
}

/* In a long step gravity may close far gaps: nearly all pairs are contacts. Without time for them the search looks no
 * farther ahead than short steps do; what it has left out passes through nothing. */
TAUT_PLAIN_TEST(contact_budgets, a_long_step_looks_as_far_ahead_as_it_has_time) {
    taut_world *world = covered(), *whole = covered();
    const taut_step_info before = info_of(world);
    const taut_status status = taut_world_step(whole, 0.2);
    CHECK(status == TAUT_OK || status == TAUT_OUT_OF_CAPACITY);
    CHECK(info_of(whole).contacts > 8 * before.contacts);
    for (int i = 0; i < 4; i++) {
        CHECK_OK(taut_world_step_for(world, 0.2, NO_TIME));
        const taut_step_info now = info_of(world);
        test_note("step %d: %u contacts of %u, %u in a whole step; residual %g, energy %g J from %g", i, now.contacts,
                  before.contacts, info_of(whole).contacts, now.residual, energy_of(&now), energy_of(&before));
        CHECK(now.contacts < 3 * before.contacts);
        CHECK(now.hurried > 0);
        CHECK(now.outcome != TAUT_SOLVE_CONVERGED && now.outcome != TAUT_SOLVE_STAGNATED);
        CHECK(energy_of(&now) <= 1.01 * energy_of(&before));
        CHECK(isfinite(now.kinetic));
        check_apart(world);
    }
    test_note(NULL);
    taut_world_destroy(world);
    taut_world_destroy(whole);
}

/* With time for it a long step is one without a budget, also after one that had none. */
TAUT_PLAIN_TEST(contact_budgets, a_long_step_with_time_has_the_bits_of_one_without_a_budget) {
    taut_world *a = covered(), *b = covered();
    CHECK_OK(taut_world_step(a, 0.05));
    CHECK_OK(taut_world_step_for(b, 0.05, 1e6));
    double *x = phys_field(a, TAUT_FIELD_POSITIONS), *y = phys_field(b, TAUT_FIELD_POSITIONS);
    CHECK(memcmp(x, y, 3 * CORNER * sizeof *x) == 0);
    CHECK_INT(info_of(b).hurried, 0);
    CHECK_INT(info_of(a).contacts, info_of(b).contacts);
    CHECK_OK(taut_world_step_for(b, 0.1, NO_TIME));
    CHECK_OK(taut_world_step(b, 0.05));
    CHECK(info_of(b).contacts >= info_of(a).contacts / 2);
    free(x);
    free(y);
    taut_world_destroy(a);
    taut_world_destroy(b);
}

/* A sheet that falls on a ball: its energy in the end, and how many frames were slowed down. */
static double energy_of_fall(bool hangs, double tolerance, double seconds, uint32_t* slowed) {
    taut_scene* scene = empty_scene();
    const uint32_t material = contact_material(scene, 0.3, 0);
    contact_ground(scene, material);
    contact_shape(scene, TAUT_SHAPE_SPHERE, (const double[]){0.2, 0, 0}, TAUT_WORLD, (const double[]){0, 0.2, 0}, NULL,
                  material);
    add_sheet(scene, material, 0.45, hangs);
    taut_world* world = world_of(scene, tolerance);
    taut_step_info info = {0};
    *slowed = 0;
    for (int i = 0; i < 40; i++) {
        CHECK_OK(seconds > 0 ? taut_world_step_for(world, FRAME, seconds) : taut_world_step(world, FRAME));
        info = info_of(world);
        test_note("frame %d: outcome %d, residual %g, %u iterations, %u hurried", i, (int)info.outcome, info.residual,
                  info.iterations, info.hurried);
        *slowed += info.outcome == TAUT_SOLVE_DAMPED;
        CHECK(seconds == 0 || info.outcome != TAUT_SOLVE_STAGNATED);
        CHECK(info.residual <= 0.01 || info.outcome == TAUT_SOLVE_DAMPED);
    }
    test_note(NULL);
    check_apart(world);
    taut_world_destroy(world);
    return energy_of(&info);
}

/* Solves whose time is up go on to a residual of 0.01, multipliers and all: what falls falls. */
TAUT_PLAIN_TEST(contact_budgets, what_falls_without_time_falls) {
    for (size_t i = 0; i < 4; i++) {
        const bool hangs = i % 2 == 1;
        const double tolerance = i < 2 ? 1e-3 : 1e-4;
        uint32_t slowed, none;
        const double hurried = energy_of_fall(hangs, tolerance, NO_TIME, &slowed);
        const double whole = energy_of_fall(hangs, tolerance, 0, &none);
        test_note("%u frames slowed down; energy %g J, %g without a budget", slowed, hurried, whole);
        CHECK(slowed <= 4);
        CHECK_NEAR(hurried, whole, 0.1 * whole);
    }
    test_note(NULL);
}
