/* Colliders whose meshes deform: as rigid meshes where they move rigidly, against a search over triangles where they do
 * not; what they push, carry and turn; and what is refused. */
#include "closed_meshes.h"
#include "counting.h"
#include "dense_matrix.h"
#include "refused.h"
#include "surface_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define H      0.01
#define RADIUS 0.01

/* ---- places ------------------------------------------------------------------------------------------------------ */

enum { COUNT = 60 };

/* A star after a bend about z that grows along y, and a swelling: no rigid motion. */
static void bend(const phys_mesh* from, double by, double* out) {
    for (size_t i = 0; i < from->point_count; i++) {
        const double* x = from->points + 3 * i;
        const double angle = by * x[1], c = cos(angle), s = sin(angle);
        out[3 * i] = (1 + 0.2 * by) * (c * x[0] - s * x[1]);
        out[3 * i + 1] = s * x[0] + c * x[1];
        out[3 * i + 2] = (1 + 0.3 * by) * x[2];
    }
}

/* Particles at rest around a mesh, half of them near its corners. */
static void fill_places(const phys_mesh* mesh, random_state* state, double* points) {
    random_fill(state, -2.5, 2.5, 3 * COUNT, points);
    for (size_t i = COUNT / 2; i < COUNT; i++) {
        for (size_t a = 0; a < 3; a++) {
            points[3 * i + a] = mesh->points[3 * (i % mesh->point_count) + a] + 0.02 * points[3 * i + a];
        }
    }
}

/* Distance and side after two steps, in which the mesh has gone elsewhere; contacts are those of the second one's
 * start.
 */
TAUT_TEST(contact_deforming, gaps_are_those_of_a_search) {
    phys_mesh star = closed_star();
    double points[3 * COUNT];
    contact_list list;
    random_state state = {93};
    double* bent = phys_array(3 * star.point_count, sizeof *bent);
    bend(&star, 0.3, bent);
    taut_scene* scene = phys_empty_scene();
    const uint32_t collider = closed_add_deforming(scene, &star, 0);
    memcpy(star.points, bent, 3 * star.point_count * sizeof *bent);
    fill_places(&star, &state, points);
    taut_particles_def particles = taut_default_particles();
    taut_range range;
    uint32_t all[COUNT];
    particles.count = COUNT;
    particles.positions = points;
    CHECK_OK(taut_scene_add_particles(scene, &particles, &range));
    for (uint32_t i = 0; i < COUNT; i++) {
        all[i] = range.first + i;
    }
    contact_touch(scene, COUNT, all, 0, contact_material(scene, 0, 0));
    taut_world_def def = contact_world_def(backend);
    def.contact.margin = 100;
    def.gravity[1] = 0;
    def.contact.capacity = 2 * COUNT;
    taut_world* world = phys_world(scene, &def);
    CHECK_OK(taut_world_move_collider(world, collider, star.point_count, bent));
    CHECK_OK(taut_world_step(world, 1));
    for (uint32_t i = 0; i < COUNT; i++) { /* back to where they were, and at rest */
        CHECK_OK(taut_world_write(world, TAUT_FIELD_POSITIONS, range.first + i, 1, points + 3 * i));
        CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, range.first + i, 1, (const double[]){0, 0, 0}));
    }
    contact_run(world, 1, 1e-9, NULL);
    contact_read(world, &list);
    CHECK_INT(list.count, COUNT);
    int inside = 0;
    for (size_t i = 0; i < list.count && i < COUNT; i++) {
        const double distance = closed_distance(&star, points + 3 * list.contacts[i].point);
        test_note("point %zu", i);
        CHECK_NEAR(list.contacts[i].gap, distance, 4e-9);
        inside += distance < 0;
    }
    CHECK(inside > 5);
    test_note(NULL);
    double* now = phys_array(3 * star.point_count, sizeof *now);
    CHECK_OK(taut_world_read_collider_vertices(world, collider, star.point_count, now));
    CHECK_NEAR(phys_farthest(now, bent, 3 * star.point_count), 0, 0);
    taut_world_destroy(world);
    free(now), free(bent);
    phys_mesh_free(&star);
}

/* ---- as a rigid mesh --------------------------------------------------------------------------------------------- */

#define WALK 20

/* A sheet on a box that turns and shifts, as a mesh on a body or as one that deforms. Where the sheet ends. */
static double* walk(taut_backend_kind backend, bool deforms, size_t* count) {
    const double half[3] = {0.15, 0.1, 0.15};
    phys_mesh box = closed_box(half);
    taut_scene* scene = phys_empty_scene();
    const uint32_t material = contact_material(scene, 0.4, 0);
    const surface_sheet sheet = {.columns = 6,
                                 .rows = 6,
                                 .width = 0.6,
                                 .height = 0.6,
                                 .mass = 0.3,
                                 .radius = RADIUS,
                                 .at = {0, half[1] + RADIUS + 1e-4, 0},
                                 .diagonal = PHYS_ALTERNATING,
                                 .link = 1e-4,
                                 .material = material};
    const uint32_t first = surface_add_sheet(scene, &sheet);
    phys_body at = contact_at(0, 0, 0);
    at.fixed = true;
    taut_inertia_of_box(at.mass = 1, half, at.inertia);
    const taut_body body = phys_add_body(scene, &at);
    const uint32_t collider = deforms ? closed_add_deforming(scene, &box, material)
                                      : contact_mesh(scene, closed_add(scene, &box, 0), body, NULL, NULL, material);
    CHECK_OK(taut_scene_add_collider_features(scene, collider, NULL));
    taut_world_def def = contact_world_def(backend);
    def.solver.tolerance = 1e-8;
    taut_world* world = phys_world(scene, &def);
    for (int i = 1; i <= WALK; i++) {
        const double shift[3] = {0.002 * i, 0.003 * i, -0.001 * i};
        double* moved = phys_array(3 * box.point_count, sizeof *moved);
        for (size_t v = 0; v < box.point_count; v++) {
            memcpy(moved + 3 * v, box.points + 3 * v, 3 * sizeof *moved);
            phys_add(1, shift, moved + 3 * v);
        }
        CHECK_OK(deforms ? taut_world_move_collider(world, collider, box.point_count, moved)
                         : taut_world_move_fixed(world, 1, &body.point, shift));
        contact_run(world, 1, H, NULL);
        free(moved);
    }
    *count = surface_sheet_points(&sheet);
    double* x = phys_array(3 * *count, sizeof *x);
    CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, first, *count, x));
    taut_world_destroy(world);
    phys_mesh_free(&box);
    return x;
}

TAUT_TEST(contact_deforming, moves_as_a_rigid_mesh) {
    size_t count;
    double *rigid = walk(backend, false, &count), *deforming = walk(backend, true, &count);
    CHECK(phys_largest(rigid, 3 * count) > 0.1);
    CHECK_NEAR(phys_farthest(deforming, rigid, 3 * count), 0, 1e-6);
    free(rigid), free(deforming);
}

/* ---- pushing, carrying, turning ---------------------------------------------------------------------------------- */

/* A ball that swells pushes particles before its corners, and before the middles of its sides, as far as these go. */
TAUT_TEST(contact_deforming, swelling_ball_pushes_by_its_radius) {
    phys_mesh ball = closed_ball(0, 1);
    const size_t corners = ball.point_count, sides = ball.cell_count, count = corners + sides;
    double *out = phys_array(3 * count, sizeof *out), *now = phys_array(3 * corners, sizeof *now), x[3];
    uint32_t* touching = phys_array(count, sizeof *touching);
    memcpy(out, ball.points, 3 * corners * sizeof *out);
    for (size_t t = 0; t < sides; t++) {
        for (size_t k = 0; k < 3; k++) {
            phys_add(1.0 / 3, ball.points + 3 * ball.cells[3 * t + k], out + 3 * (corners + t));
        }
    }
    double* points = phys_array(3 * count, sizeof *points);
    for (size_t i = 0; i < count; i++) {
        const double length = phys_length(out + 3 * i);
        phys_add(0.3 + (RADIUS + 1e-6) / length, out + 3 * i, points + 3 * i);
        touching[i] = (uint32_t)i;
    }
    taut_scene* scene = phys_scene(count, points, NULL);
    contact_touch(scene, count, touching, RADIUS, 0);
    closed_move(&ball, 0.3, (const double[]){0, 0, 0});
    const uint32_t collider = closed_add_deforming(scene, &ball, 0);
    taut_world_def def = contact_world_def(backend);
    def.gravity[1] = 0;
    def.integrator.substeps = 2;
    taut_world* world = phys_world(scene, &def);
    for (int step = 1; step <= 10; step++) {
        const double radius = 0.3 + 0.01 * step;
        for (size_t i = 0; i < 3 * corners; i++) {
            now[i] = out[i] * radius;
        }
        CHECK_OK(taut_world_move_collider(world, collider, corners, now));
        contact_run(world, 1, H, NULL);
    }
    for (size_t i = 0; i < count; i++) {
        const double length = phys_length(out + 3 * i);
        phys_position(world, (uint32_t)i, x);
        test_note("particle %zu, before a %s", i, i < corners ? "corner" : "side");
        CHECK_NEAR(phys_length(x), 0.4 * length + RADIUS, 3e-6);
    }
    test_note(NULL);
    taut_world_destroy(world);
    free(out), free(now), free(touching), free(points);
    phys_mesh_free(&ball);
}

/* The speed of a plate that starts to slide grows by a h in each step: what lies on it has it up to a = mu g. */
static void check_carried(taut_backend_kind backend, double friction, double a) {
    const double half[3] = {0.1, 0.05, 0.1}, size[3] = {2, 0.2, 2};
    const phys_body on = contact_at(0.1, 0.05, 0.2);
    phys_mesh plate = closed_box(size);
    closed_move(&plate, 1, (const double[]){0, -size[1], 0});
    taut_scene* scene = phys_empty_scene();
    const uint32_t material = contact_material(scene, friction, 0);
    const taut_body block = contact_box(scene, &on, 1.3, half, material);
    const uint32_t collider = closed_add_deforming(scene, &plate, material);
    const taut_world_def def = contact_world_def(backend);
    taut_world* world = phys_world(scene, &def);
    double v[3];
    for (int i = 1; i <= 12; i++) {
        const double speed = a * i * H, carried = fmin(a, friction * PHYS_GRAVITY) * i * H;
        closed_move(&plate, 1, (const double[]){0.6 * speed * H, 0, 0.8 * speed * H});
        CHECK_OK(taut_world_move_collider(world, collider, plate.point_count, plate.points));
        contact_run(world, 1, H, NULL);
        phys_velocity(world, block.point, v);
        test_note("friction %g, acceleration %g, step %d", friction, a, i);
        CHECK_NEAR(v[0], 0.6 * carried, CONTACT_CLOSE);
        CHECK_NEAR(v[1], 0, CONTACT_CLOSE);
        CHECK_NEAR(v[2], 0.8 * carried, CONTACT_CLOSE);
    }
    test_note(NULL);
    taut_world_destroy(world);
    phys_mesh_free(&plate);
}

TAUT_TEST(contact_deforming, plate_carries_a_block) {
    const double friction = 0.4, most = friction * PHYS_GRAVITY;
    check_carried(backend, friction, 0.5 * most);
    check_carried(backend, friction, 2 * most);
}

/* A box that is turned about z within a step: its sides move as (Q - 1) x / h, which is linear, as speeds within
 * triangles are, so that what sticks to its top gets that exactly. */
TAUT_TEST(contact_deforming, drum_takes_along_what_sticks) {
    const double half[3] = {0.3, 0.2, 0.3}, angle = 0.01, start[3] = {0.07, half[1] + RADIUS, 0.03};
    const double turned[3] = {cos(angle) * 0.07 - sin(angle) * half[1], sin(angle) * 0.07 + cos(angle) * half[1], 0.03};
    phys_mesh box = closed_box(half);
    taut_scene* scene = phys_scene(1, start, NULL);
    const uint32_t material = contact_material(scene, 50, 0);
    contact_touch(scene, 1, (const uint32_t[]){0}, RADIUS, material);
    const uint32_t collider = closed_add_deforming(scene, &box, material);
    const taut_world_def def = contact_world_def(backend);
    taut_world* world = phys_world(scene, &def);
    double v[3];
    for (size_t i = 0; i < box.point_count; i++) {
        double* x = box.points + 3 * i;
        const double from[2] = {x[0], x[1]};
        x[0] = cos(angle) * from[0] - sin(angle) * from[1];
        x[1] = sin(angle) * from[0] + cos(angle) * from[1];
    }
    CHECK_OK(taut_world_move_collider(world, collider, box.point_count, box.points));
    contact_run(world, 1, H, NULL);
    phys_velocity(world, 0, v);
    CHECK_NEAR(v[0], (turned[0] - 0.07) / H, CONTACT_CLOSE);
    CHECK_NEAR(v[1], (turned[1] - half[1]) / H, CONTACT_CLOSE);
    CHECK_NEAR(v[2], 0, CONTACT_CLOSE);
    taut_world_destroy(world);
    phys_mesh_free(&box);
}

/* ---- corners and edges ------------------------------------------------------------------------------------------- */

/* A rigid plate of two triangles, 1 m wide, on a box that lies between its corners, rises, and grows narrower: nothing
 * but the box's skin meets it. */
TAUT_TEST(contact_deforming, skin_lifts_a_plate) {
    const double half[3] = {0.1, 0.1, 0.1}, mass = 3, speed = 0.5;
    const double flat[4][3] = {{-0.5, 0, -0.5}, {0.5, 0, -0.5}, {0.5, 0, 0.5}, {-0.5, 0, 0.5}};
    phys_mesh box = closed_box(half);
    closed_move(&box, 1, (const double[]){0, -half[1], 0});
    taut_scene* scene = phys_empty_scene();
    const uint32_t collider = closed_add_deforming(scene, &box, 0);
    taut_range features;
    CHECK_OK(taut_scene_add_collider_features(scene, collider, &features));
    CHECK_INT(features.count, 8);
    phys_body body = contact_at(0.02, RADIUS + 1e-5, 0.01), now;
    body.mass = mass;
    taut_inertia_of_box(mass, (const double[]){1, 0.02, 1}, body.inertia);
    const taut_body plate = phys_add_body(scene, &body);
    uint32_t corner[4];
    for (int i = 0; i < 4; i++) {
        double at[3] = {body.x[0], body.x[1], body.x[2]};
        phys_add(1, flat[i], at);
        corner[i] = phys_add_body_point(scene, plate, at);
    }
    const uint32_t triangles[6] = {corner[0], corner[1], corner[2], corner[0], corner[2], corner[3]};
    surface_add(scene, 2, triangles, 0, NULL, RADIUS, 0);
    taut_world_def def = contact_world_def(backend);
    def.solver.tolerance = 1e-6; /* as of the plates of contact_skin */
    taut_world* world = phys_world(scene, &def);
    double force[3];
    for (int i = 1; i <= 20; i++) {
        for (size_t v = 0; v < box.point_count; v++) {
            box.points[3 * v] *= 0.98;
            box.points[3 * v + 1] += speed * H;
        }
        CHECK_OK(taut_world_move_collider(world, collider, box.point_count, box.points));
        contact_run(world, 1, H, NULL);
    }
    phys_read_body(world, plate, &now);
    contact_force_on(world, collider, force);
    test_note("at %g m, %g m/s, force %g N", now.x[1], now.v[1], force[1]);
    CHECK_NEAR(now.x[1], 20 * speed * H + RADIUS, 1e-5);
    CHECK_NEAR(now.v[1], speed, 1e-5);
    CHECK_NEAR(force[1], -mass * PHYS_GRAVITY, 1e-3 * mass * PHYS_GRAVITY);
    test_note(NULL);
    taut_world_destroy(world);
    phys_mesh_free(&box);
}

/* ---- the same bits, and none allocated --------------------------------------------------------------------------- */

TAUT_TEST(contact_deforming, steps_allocate_nothing) {
    phys_mesh ball = closed_ball(2, 0.2);
    taut_scene* scene = phys_scene(1, (const double[]){0, 0.21, 0}, NULL);
    contact_touch(scene, 1, (const uint32_t[]){0}, RADIUS, 0);
    const uint32_t collider = closed_add_deforming(scene, &ball, 0);
    counting memory = {0};
    taut_world_def def = contact_world_def(backend);
    def.allocator = counting_allocator(&memory);
    taut_world* world = phys_world(scene, &def);
    const size_t before = memory.requests;
    for (int i = 0; i < 4; i++) {
        closed_move(&ball, 1.01, (const double[]){0, 0.001, 0});
        CHECK_OK(taut_world_move_collider(world, collider, ball.point_count, ball.points));
        contact_run(world, 1, H, NULL);
    }
    CHECK_INT(memory.requests, before);
    taut_world_destroy(world);
    phys_mesh_free(&ball);
}

/* Triangles that become a line for some steps have no normal: their neighbours tell. */
TAUT_TEST(contact_deforming, triangles_may_lose_their_area) {
    phys_mesh box = closed_box((const double[]){0.3, 0.2, 0.3});
    taut_scene* scene = phys_scene(1, (const double[]){0.02, 0.2 + RADIUS, 0.01}, NULL);
    contact_touch(scene, 1, (const uint32_t[]){0}, RADIUS, 0);
    const uint32_t collider = closed_add_deforming(scene, &box, 0);
    const taut_world_def def = contact_world_def(backend);
    taut_world* world = phys_world(scene, &def);
    double x[3];
    memcpy(box.points, box.points + 3, 3 * sizeof *box.points); /* a lower corner goes to the next one */
    CHECK_OK(taut_world_move_collider(world, collider, box.point_count, box.points));
    contact_run(world, 5, H, NULL);
    phys_position(world, 0, x);
    CHECK_NEAR(x[1], 0.2 + RADIUS, 1e-5);
    taut_world_destroy(world);
    phys_mesh_free(&box);
}

/* ---- what is refused --------------------------------------------------------------------------------------------- */

TAUT_TEST(contact_deforming, refused) {
    phys_mesh box = closed_box((const double[]){0.3, 0.2, 0.25});
    taut_scene* scene = phys_scene(1, (const double[]){0, 0.3, 0}, NULL);
    contact_touch(scene, 1, (const uint32_t[]){0}, RADIUS, 0);
    taut_collider_mesh_def mesh = closed_def(&box, 0);
    uint32_t points[8], number;
    for (uint32_t i = 0; i < 8; i++) {
        points[i] = 1 + i;
    }
    mesh.points = points;
    INVALID(taut_scene_add_collider_mesh(scene, &mesh, &number)); /* positions, too */
    mesh.positions = NULL;
    INVALID(taut_scene_add_collider_mesh(scene, &mesh, &number)); /* points that are not there */
    const uint32_t collider = closed_add_deforming(scene, &box, 0);
    mesh.spacing = 0.1;
    INVALID(taut_scene_add_collider_mesh(scene, &mesh, &number));
    taut_colliders_def placed = taut_default_colliders();
    placed.count = 1;
    placed.shape = TAUT_SHAPE_MESH;
    placed.positions = (const double[]){0, 1, 0};
    INVALID(taut_scene_add_colliders(scene, &placed, NULL));
    const uint32_t ground = contact_ground(scene, 0);
    const taut_world_def def = contact_world_def(backend);
    taut_world* world = phys_world(scene, &def);
    double x[24];
    INVALID(taut_world_move_collider(NULL, collider, 8, box.points));
    INVALID(taut_world_move_collider(world, collider, 8, NULL));
    INVALID(taut_world_move_collider(world, 7, 8, box.points));
    INVALID(taut_world_move_collider(world, ground, 8, box.points));
    INVALID(taut_world_move_collider(world, collider, 9, box.points));
    INVALID(taut_world_read_collider_vertices(world, collider, 7, x));
    memcpy(x, box.points, sizeof x);
    x[5] = NAN;
    INVALID(taut_world_move_collider(world, collider, 8, x));
    for (size_t i = 0; i < 24; i++) {
        x[i] = i % 3 == 0 ? -box.points[i] : box.points[i];
    }
    INVALID(taut_world_move_collider(world, collider, 8, x)); /* inside out */
    memset(x, 0, sizeof x);
    INVALID(taut_world_move_collider(world, collider, 8, x)); /* flat */
    CHECK_OK(taut_world_move_collider(world, collider, 8, box.points));
    CHECK_OK(taut_world_set_fixed(world, 1, points, false));
    INVALID(taut_world_move_collider(world, collider, 8, box.points));
    taut_world_destroy(world);
    phys_mesh_free(&box);
}
