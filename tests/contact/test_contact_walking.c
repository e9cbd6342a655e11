/* Nothing passes through a mesh that deforms, whatever way it goes and however few iterations: random scenes of sheets
 * and of meshes that fly, turn, swell and bend, looked at after every step by intersections.h. */
#include "closed_meshes.h"
#include "crossing_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CELLS 6

/* ---- motions ----------------------------------------------------------------------------------------------------- */

/* What a mesh does at a time t: it goes by v t, turns about an axis by `spin` t, swells by a part that swings, and
 * bends about z by an angle that grows along y. */
typedef struct motion {
    double at[3], v[3], axis[3], spin, swell, bend, pace;
} motion;

static void place(const phys_mesh* mesh, const motion* m, double t, double* out) {
    double turn[4];
    phys_turn(m->axis, m->spin * t, turn);
    const double factor = 1 + m->swell * sin(m->pace * t), bend = m->bend * sin(m->pace * t);
    for (size_t i = 0; i < mesh->point_count; i++) {
        const double* x = mesh->points + 3 * i;
        const double angle = bend * x[1], c = cos(angle), s = sin(angle);
        const double bent[3] = {factor * (c * x[0] - s * x[1]), factor * (s * x[0] + c * x[1]), factor * x[2]};
        phys_rotate(turn, bent, out + 3 * i);
        phys_add(1, m->at, out + 3 * i);
        phys_add(t, m->v, out + 3 * i);
    }
}

static motion random_motion(random_state* r, double speed) {
    motion m = {.at = {random_in(r, -0.05, 0.05), -0.35, random_in(r, -0.05, 0.05)}};
    random_fill(r, -1, 1, 3, m.axis);
    m.v[0] = random_in(r, -0.3, 0.3) * speed;
    m.v[1] = random_in(r, 0.2, 1) * speed;
    m.spin = random_in(r, -2, 2) * speed;
    m.swell = random_in(r, 0, 0.3);
    m.bend = random_in(r, -4, 4);
    m.pace = random_in(r, 0, 1) * fmin(speed / 0.3, 30);
    return m;
}

/* ---- scenes ------------------------------------------------------------------------------------------------------ */

static phys_mesh random_mesh(random_state* r) {
    const double kind = random_in(r, 0, 3), half[3] = {0.05, 0.15, 0.07};
    return kind < 1 ? closed_ball(2, 0.1) : kind < 2 ? closed_torus(0.12, 0.04, 12, 8) : closed_box(half);
}

/* Corners of sheets that are within a mesh. */
static size_t count_inside(taut_world* world, const crossing_cloud* c, const phys_mesh* mesh) {
    double* x = phys_field(world, TAUT_FIELD_POSITIONS);
    size_t inside = 0;
    for (size_t i = 0; i < c->sheets; i++) {
        for (size_t k = 0; k < crossing_points(c); k++) {
            inside += closed_winding(mesh, x + 3 * (c->first[i] + k)) > 0.5;
        }
    }
    free(x);
    return inside;
}

typedef struct outcome {
    size_t cuts, inside;
    uint32_t resolved, zones;
} outcome;

/* `small`: a box and sheets of few cells, for the emulator. */
static outcome run(taut_backend_kind backend, bool small, uint64_t seed, double speed, uint32_t limit, bool unchecked) {
    const double half[3] = {0.05, 0.15, 0.07};
    random_state r = {seed};
    outcome out = {0};
    crossing_cloud c = crossing_begin(small ? 2 : CELLS);
    crossing_cloud own = {0}; /* a mesh that bends goes through itself */
    phys_mesh mesh = small ? closed_box(half) : random_mesh(&r), now = closed_both(&mesh, &mesh);
    now.point_count = mesh.point_count;
    now.cell_count = mesh.cell_count;
    const motion m = random_motion(&r, speed);
    place(&mesh, &m, 0, now.points);
    const uint32_t collider = closed_add_deforming(c.scene, &now, c.material);
    CHECK_OK(taut_scene_add_collider_features(c.scene, collider, NULL));
    crossing_add_mesh(&c, 0, &mesh);
    crossing_add_mesh(&own, 0, &mesh);
    for (size_t i = 0; i < 2; i++) {
        const double at[3] = {random_in(&r, -0.05, 0.05), 0.05 + 0.03 * (double)i, random_in(&r, -0.05, 0.05)};
        crossing_add_sheet(&c, &r, 0, at);
    }
    taut_world* world = crossing_world(&c, backend, limit, unchecked);
    for (int i = 1; i <= (small ? 4 : 10); i++) {
        taut_step_info info;
        place(&mesh, &m, i * CROSSING_H, now.points);
        CHECK_OK(taut_world_move_collider(world, collider, mesh.point_count, now.points));
        CHECK_OK(taut_world_step(world, CROSSING_H));
        CHECK_OK(taut_world_info(world, &info));
        out.cuts += crossing_cuts(world, &c) - crossing_cuts(world, &own);
        out.inside += count_inside(world, &c, &now);
        out.resolved += info.resolved;
        out.zones += info.zones;
    }
    taut_world_destroy(world);
    phys_mesh_free(&now);
    phys_mesh_free(&mesh);
    crossing_end(&c);
    crossing_end(&own);
    return out;
}

TAUT_PLAIN_TEST(contact_walking, nothing_passes_through) {
    const uint64_t seeds[] = {2, 3, 9, 11, 14, 18, 23, 27, 30, 38, 42, 46, 62, 91};
    const uint32_t limits[] = {1, 2, 5, 10, 20, 200, 2000};
    const double speeds[] = {1, 5, 15, 50};
    uint32_t zones = 0;
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
        const uint64_t seed = seeds[i];
        const outcome o = run(TAUT_BACKEND_CPU, false, seed, speeds[seed % 4], limits[seed % 7], false);
        test_note("seed %llu, %g m/s, %u iterations: %zu cuts, %zu inside, %u solved again, %u zones",
                  (unsigned long long)seed, speeds[seed % 4], limits[seed % 7], o.cuts, o.inside, o.resolved, o.zones);
        CHECK_INT(o.cuts, 0);
        CHECK_INT(o.inside, 0);
        zones += o.zones;
    }
    test_note(NULL);
    CHECK(zones > 0); /* they have been tried */
}

TAUT_PLAIN_TEST(contact_walking, unchecked_sheets_are_run_over) {
    const outcome o = run(TAUT_BACKEND_CPU, false, 14, 15, 1, true);
    CHECK(o.inside > 0);
    CHECK_INT(o.zones, 0);
}

TAUT_TEST(contact_walking, small_sheets) {
    uint32_t zones = 0;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        const outcome o = run(backend, true, seed, seed < 3 ? 15 : 50, seed < 3 ? 5 : 1, false);
        test_note("seed %llu: %u solved again, %u zones", (unsigned long long)seed, o.resolved, o.zones);
        CHECK_INT(o.cuts, 0);
        CHECK_INT(o.inside, 0);
        zones += o.zones;
    }
    test_note(NULL);
    CHECK(zones > 0);
    const outcome o = run(backend, true, 3, 50, 1, true);
    CHECK(o.cuts + o.inside > 0);
}
