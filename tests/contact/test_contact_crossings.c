/* Nothing passes through a surface, whatever the speed and however few iterations: random scenes, of sheets, ropes,
 * balls and boxes, looked at after every step by intersections.h. */
#include "dense_matrix.h"
#include "intersections.h"
#include "surface_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define H         (1.0 / 60)
#define TOLERANCE 1e-4
#define CELLS     6
#define CORNER    ((CELLS + 1) * (CELLS + 1))
#define PARTS     3
#define LINKS     12

/* Sheets, then a rope, of a scene. */
typedef struct cloud {
    taut_scene* scene;
    uint32_t material, first[PARTS];
    size_t sheets, edges, triangles;
    uint32_t ends[2 * (PARTS * 3 * CELLS * CELLS * 2 + LINKS)], corners[3 * PARTS * 2 * CELLS * CELLS];
} cloud;

static void add_topology(cloud* c, uint32_t first) {
    phys_mesh mesh = phys_grid(CELLS, CELLS, 1, 1, PHYS_ALTERNATING);
    phys_tuples edges = phys_edges(&mesh);
    for (size_t i = 0; i < 2 * edges.count; i++) {
        c->ends[2 * c->edges + i] = first + edges.items[i];
    }
    for (size_t i = 0; i < 3 * mesh.cell_count; i++) {
        c->corners[3 * c->triangles + i] = first + mesh.cells[i];
    }
    c->edges += edges.count;
    c->triangles += mesh.cell_count;
    free(edges.items);
    phys_mesh_free(&mesh);
}

/* A sheet of 0.4 m about `at`, turned at random. */
static void add_sheet(cloud* c, random_state* r, double tilt, const double at[3]) {
    double axis[3], turn[4];
    random_fill(r, -1, 1, 3, axis);
    phys_turn(axis, random_in(r, 0, tilt), turn);
    const surface_sheet sheet = {.columns = CELLS,
                                 .rows = CELLS,
                                 .width = 0.4,
                                 .height = 0.4,
                                 .mass = 0.03,
                                 .radius = 0.002,
                                 .at = {at[0], at[1], at[2]},
                                 .q = turn,
                                 .diagonal = PHYS_ALTERNATING,
                                 .link = random_in(r, 0, 1) < 0.5 ? 1e-3 : 1e-5,
                                 .material = c->material};
    c->first[c->sheets] = surface_add_sheet(c->scene, &sheet);
    add_topology(c, c->first[c->sheets++]);
}

static void set_velocity(taut_world* world, uint32_t first, size_t count, const double v[3]) {
    for (size_t i = 0; i < count; i++) {
        CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, first + i, 1, v));
    }
}

static size_t count_all(taut_world* world, const cloud* c) {
    double* x = phys_field(world, TAUT_FIELD_POSITIONS);
    const size_t cuts = intersections_of(x, c->edges, c->ends, c->triangles, c->corners);
    free(x);
    return cuts;
}

static double distance_of_sheets(taut_world* world, const cloud* c, const double p[3]) {
    double* x = phys_field(world, TAUT_FIELD_POSITIONS);
    const double distance = distance_to_triangles(p, x, c->triangles, c->corners);
    free(x);
    return distance;
}

static taut_world* world_of(cloud* c, uint32_t limit, bool unchecked) {
    taut_world_def def = contact_world_def(TAUT_BACKEND_CPU);
    def.solver.max_iterations = limit;
    def.solver.tolerance = TOLERANCE;
    def.contact.no_crossing_check = unchecked;
    def.contact.capacity = 40000;
    return phys_world(c->scene, &def);
}

static cloud empty_cloud(void) {
    cloud c = {.scene = phys_empty_scene()};
    c.material = contact_material(c.scene, 0.4, 0);
    return c;
}

/* ---- two sheets -------------------------------------------------------------------------------------------------- */

typedef struct meeting {
    size_t cuts;
    uint32_t resolved, zones;
    double lost[3], kinetic[2]; /* of momentum; before and after */
} meeting;

static void momentum_of(taut_world* world, size_t points, double out[3]) {
    double* v = phys_field(world, TAUT_FIELD_VELOCITIES);
    out[0] = out[1] = out[2] = 0;
    for (size_t i = 0; i < 3 * points; i++) {
        out[i % 3] += 0.03 / CORNER * v[i];
    }
    free(v);
}

/* Sheets that fly at each other without gravity, one substep each. */
static meeting meet(double speed, uint32_t limit, bool unchecked) {
    cloud c = empty_cloud();
    random_state r = {7};
    meeting out = {0};
    double before[3], after[3];
    add_sheet(&c, &r, 0.2, (const double[]){0, 0, 0});
    add_sheet(&c, &r, 0.2, (const double[]){0.03, 0.12, 0.05});
    taut_world* world = world_of(&c, limit, unchecked);
    CHECK_OK(taut_world_set_gravity(world, (const double[]){0, 0, 0}));
    set_velocity(world, c.first[0], CORNER, (const double[]){0, speed / 2, 0});
    set_velocity(world, c.first[1], CORNER, (const double[]){0.1 * speed, -speed / 2, 0});
    momentum_of(world, 2 * (size_t)CORNER, before);
    for (int i = 0; i < 12; i++) {
        taut_step_info info;
        CHECK_OK(taut_world_step(world, H));
        CHECK_OK(taut_world_info(world, &info));
        out.resolved += info.resolved;
        out.zones += info.zones;
        out.kinetic[1] = info.kinetic;
        out.kinetic[0] = i == 0 ? 0.03 * (0.5 * speed * speed + 0.01 * speed * speed) / 2 : out.kinetic[0];
        out.cuts += count_all(world, &c);
    }
    momentum_of(world, 2 * (size_t)CORNER, after);
    for (int a = 0; a < 3; a++) {
        out.lost[a] = after[a] - before[a];
    }
    taut_world_destroy(world);
    return out;
}

TAUT_PLAIN_TEST(contact_crossings, sheets_at_any_speed_and_limit) {
    const double speeds[] = {5, 15, 50};
    const uint32_t limits[] = {1, 2, 5, 10, 20, 2000};
    uint32_t zones = 0;
    for (size_t i = 0; i < 3; i++) {
        for (size_t k = 0; k < 6; k++) {
            const meeting m = meet(speeds[i], limits[k], false);
            test_note("%g m/s, %u iterations: %u solved again, %u zones, kinetic %g from %g J, momentum %g %g %g",
                      speeds[i], limits[k], m.resolved, m.zones, m.kinetic[1], m.kinetic[0], m.lost[0], m.lost[1],
                      m.lost[2]);
            CHECK_INT(m.cuts, 0);
            CHECK(m.kinetic[1] <= 1.001 * m.kinetic[0]);
            zones += m.zones;
        }
    }
    test_note(NULL);
    CHECK(zones > 0); /* they have been tried */
}

/* What is not looked for happens: the scene above is one in which it matters. */
TAUT_PLAIN_TEST(contact_crossings, unchecked_sheets_pass) {
    const meeting m = meet(50, 1, true);
    CHECK(m.cuts > 0);
    CHECK_INT(m.resolved, 0);
    CHECK_INT(m.zones, 0);
}

/* Contacts that are made of crossings keep the momentum, as the solver is right. */
TAUT_PLAIN_TEST(contact_crossings, momentum_is_kept) {
    const meeting m = meet(15, 2000, false);
    for (int a = 0; a < 3; a++) {
        CHECK_NEAR(m.lost[a], 0, TOLERANCE * 0.03 * 15);
    }
}

/* ---- random scenes ----------------------------------------------------------------------------------------------- */

/* Sheets above each other that fall or are thrown, a ball or a box from below, and a rope. */
static void check_random(uint64_t seed, const uint32_t* limits, size_t limit_count) {
    random_state r = {seed};
    cloud c = empty_cloud();
    const double speeds[] = {1, 5, 15, 50}, speed = speeds[(int)random_in(&r, 0, 3.999)];
    const uint32_t limit = limits[(size_t)random_in(&r, 0, (double)limit_count - 1e-3)];
    const size_t sheets = random_in(&r, 0, 1) < 0.5 ? 2 : 3;
    for (size_t i = 0; i < sheets; i++) {
        const double at[3] = {random_in(&r, -0.05, 0.05), 0.5 * (double)i, random_in(&r, -0.05, 0.05)};
        add_sheet(&c, &r, 0.8, at);
    }
    phys_body body = contact_at(random_in(&r, -0.05, 0.05), -0.45, random_in(&r, -0.05, 0.05));
    const bool ball = random_in(&r, 0, 1) < 0.6;
    const double half[3] = {0.05, 0.03, 0.07}, radius = 0.08;
    const double size[3] = {ball ? radius : half[0], half[1], half[2]};
    body.v[1] = random_in(&r, 0, speed);
    const phys_handle handle = ball ? contact_ball(c.scene, &body, 0.2, radius, c.material)
                                    : contact_box(c.scene, &body, 0.2, half, c.material);
    const uint32_t shape =
        contact_shape(c.scene, ball ? TAUT_SHAPE_SPHERE : TAUT_SHAPE_BOX, size, handle.frame, NULL, NULL, c.material);
    CHECK_OK(taut_scene_add_collider_features(c.scene, shape, NULL));
    const uint32_t rope = surface_add_rope(c.scene, LINKS, (const double[]){-0.3, -0.28, 0.01},
                                           (const double[]){0.3, -0.27, 0.02}, 0.02, 1e-4, 0.004, c.material);
    for (uint32_t i = 0; i < LINKS; i++, c.edges++) {
        c.ends[2 * c.edges] = rope + i;
        c.ends[2 * c.edges + 1] = rope + i + 1;
    }
    taut_world* world = world_of(&c, limit, false);
    for (size_t i = 0; i < sheets; i++) {
        const double v[3] = {random_in(&r, -0.2, 0.2) * speed, (i == 0 ? 0.5 : -1) * random_in(&r, 0, speed), 0};
        set_velocity(world, c.first[i], CORNER, v);
    }
    CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, handle.point, 1, body.v));
    test_note("seed %llu, %g m/s, %u iterations", (unsigned long long)seed, speed, limit);
    for (int i = 0; i < 10; i++) {
        double at[3];
        CHECK_OK(taut_world_step(world, H));
        phys_position(world, handle.point, at);
        CHECK_INT(count_all(world, &c), 0);
        CHECK(distance_of_sheets(world, &c, at) >= (ball ? radius : 0.03));
    }
    test_note(NULL);
    taut_world_destroy(world);
}

TAUT_PLAIN_TEST(contact_crossings, random_scenes_at_few_iterations) {
    const uint32_t limits[] = {1, 2, 5, 10, 20};
    for (uint64_t seed = 1; seed <= 40; seed++) {
        check_random(seed, limits, 5);
    }
}

TAUT_PLAIN_TEST(contact_crossings, random_scenes_that_are_solved) {
    const uint32_t limits[] = {2000};
    for (uint64_t seed = 101; seed <= 110; seed++) {
        check_random(seed, limits, 1);
    }
}
