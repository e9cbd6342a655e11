/* Convex bodies on meshes that are not convex, closed and open: on ridges, peaks and in grooves, rolling, thrown, on
 * either side; and what does not meet what. */
#include "closed_meshes.h"
#include "contact_scenes.h"
#include "dense_matrix.h"
#include "refused.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define H (1.0 / 60)

/* ---- scenes ------------------------------------------------------------------------------------------------------ */

/* Two collider meshes in one, so that it is not convex: the second one is far away. */
static uint32_t add_closed(taut_scene* scene, const phys_mesh* mesh) {
    phys_mesh far = closed_box((const double[]){0.1, 0.1, 0.1});
    closed_move(&far, 1, (const double[]){50, 0, 0});
    phys_mesh both = closed_both(mesh, &far);
    const uint32_t number = closed_add(scene, &both, 0);
    phys_mesh_free(&both);
    phys_mesh_free(&far);
    return number;
}

static uint32_t add_open(taut_scene* scene, const phys_mesh* mesh, double thickness) {
    taut_collider_mesh_def def = closed_def(mesh, 0);
    uint32_t number = 0;
    def.thickness = thickness;
    CHECK_OK(taut_scene_add_collider_mesh(scene, &def, &number));
    return number;
}

static const double origin[3] = {0, 0, 0};

/* A homogeneous body with a shape of a collider, which touches with that alone. */
static taut_body add_body(taut_scene* scene, taut_shape shape, const double size[3], const phys_body* body,
                          uint32_t material) {
    const taut_body handle = phys_add_body(scene, body);
    contact_shape(scene, shape, size, handle, origin, NULL, material);
    return handle;
}

static phys_body box_at(double mass, const double half[3], double x, double y, double z) {
    phys_body body = contact_at(x, y, z);
    const double sides[3] = {2 * half[0], 2 * half[1], 2 * half[2]};
    body.mass = mass;
    taut_inertia_of_box(mass, sides, body.inertia);
    return body;
}

/* Of 1 kg; its inertia is that of a ball, which suffices for what is round. */
static phys_body round_at(double radius, double x, double y, double z) {
    phys_body body = contact_at(x, y, z);
    body.mass = 1;
    taut_inertia_of_sphere(1, radius, body.inertia);
    return body;
}

static taut_world_def world_of(taut_backend_kind backend) {
    taut_world_def def = contact_world_def(backend);
    def.contact.law = TAUT_CONTACT_CONVEX;
    def.solver.tolerance = 1e-6;
    def.integrator.guard = true;
    return def;
}

/* A roof along z with its ridge at y = 0, whose sides fall by `slope`. */
static phys_mesh roof(double slope, double wide, double length) {
    static const uint32_t cells[] = {0, 2, 1, 0, 3, 2, 1, 2, 5, 1, 5, 4};
    const double low = -slope * wide;
    const double points[] = {-wide, low, -length, 0,    0,   -length, 0,    0,   length,
                             -wide, low, length,  wide, low, -length, wide, low, length};
    phys_mesh mesh = phys_mesh_make(6, 4, 3);
    memcpy(mesh.points, points, sizeof points);
    memcpy(mesh.cells, cells, sizeof cells);
    return mesh;
}

/* Flat cells in the plane y = 0 about the origin, whose normals point up. */
static phys_mesh flat(size_t cells, double side) {
    phys_mesh mesh = phys_grid(cells, cells, side, side, PHYS_ALTERNATING);
    for (size_t i = 0; i < mesh.point_count; i++) {
        double* x = mesh.points + 3 * i;
        const double from[3] = {x[0] - side / 2, 0, side / 2 - x[1]};
        memcpy(x, from, sizeof from);
    }
    return mesh;
}

/* Emulated devices take their time. */
static size_t steps_on(taut_backend_kind backend, size_t cpu, size_t cuda) {
    return backend == TAUT_BACKEND_CUDA ? cuda : cpu;
}

/* A body on a mesh that is the first collider; where it has come to. */
static phys_body run_on(taut_backend_kind backend, taut_scene* scene, taut_body handle, size_t steps,
                        contact_list* list) {
    taut_world_def def = world_of(backend);
    taut_world* world = phys_world(scene, &def);
    phys_body body = {0};
    contact_run(world, steps, H, NULL);
    phys_read_body(world, handle, &body);
    if (list != NULL) {
        contact_read(world, list);
    }
    taut_world_destroy(world);
    return body;
}

/* ---- edges, corners and grooves ---------------------------------------------------------------------------------- */

static const double cube[3] = {0.1, 0.1, 0.1};

/* None of its corners is above the mesh, or all are far above it: an edge, or one corner of the mesh, bears it. */
TAUT_TEST(contact_facets, ridges_bear_boxes) {
    for (int open = 0; open < 2; open++) {
        taut_scene* scene = phys_empty_scene();
        const uint32_t rough = contact_material(scene, 1, 0);
        phys_mesh mesh = roof(0.5, 2, 3);
        if (open == 0) { /* the lower side, and the triangles at both ends */
            phys_mesh closed = phys_mesh_make(6, 8, 3);
            static const uint32_t more[] = {0, 4, 5, 0, 5, 3, 0, 1, 4, 3, 5, 2};
            memcpy(closed.points, mesh.points, 18 * sizeof *mesh.points);
            memcpy(closed.cells, mesh.cells, 12 * sizeof *mesh.cells);
            memcpy(closed.cells + 12, more, sizeof more);
            phys_mesh_free(&mesh);
            mesh = closed;
        }
        contact_mesh(scene, open != 0 ? add_open(scene, &mesh, 0.02) : add_closed(scene, &mesh), TAUT_WORLD, origin,
                     NULL, rough);
        const double top = open != 0 ? 0.01 : 0;
        phys_body body = box_at(2, cube, 0, 0.1 + top, 0);
        const taut_body handle = add_body(scene, TAUT_SHAPE_BOX, cube, &body, rough);
        contact_list list;
        body = run_on(backend, scene, handle, steps_on(backend, 30, 4), &list);
        test_note("%s", open != 0 ? "open" : "closed");
        CHECK_NEAR(body.x[1], 0.1 + top, 1e-4);
        CHECK_NEAR(body.x[0], 0, 1e-3);
        CHECK_INT(list.count, 2);
        for (size_t i = 0; i < list.count; i++) {
            CHECK_NEAR(list.contacts[i].normal[1], 1, 1e-6);
        }
        phys_mesh_free(&mesh);
    }
    test_note(NULL);
}

/* The tip of a pyramid is below the middle of a face. */
TAUT_TEST(contact_facets, peaks_bear_boxes) {
    static const uint32_t cells[] = {0, 4, 1, 1, 4, 2, 2, 4, 3, 3, 4, 0, 0, 1, 2, 0, 2, 3};
    static const double points[] = {-1, -1, -1, 1, -1, -1, 1, -1, 1, -1, -1, 1, 0, 0, 0};
    taut_scene* scene = phys_empty_scene();
    phys_mesh mesh = phys_mesh_make(5, 6, 3);
    memcpy(mesh.points, points, sizeof points);
    memcpy(mesh.cells, cells, sizeof cells);
    contact_mesh(scene, add_closed(scene, &mesh), TAUT_WORLD, origin, NULL, 0);
    phys_body body = box_at(2, cube, 0, 0.1, 0);
    const taut_body handle = add_body(scene, TAUT_SHAPE_BOX, cube, &body, 0);
    body = run_on(backend, scene, handle, 3, NULL);
    CHECK_NEAR(body.x[1], 0.1, 1e-4);
    phys_mesh_free(&mesh);
}

/* In a groove with a right angle, at 45 degrees, both sides bear half of it; a ball's centre is r sqrt(2) above its
 * bottom. */
TAUT_TEST(contact_facets, grooves_bear_on_both_sides) {
    const double radius = 0.1, size[3] = {radius, 0, 0};
    taut_scene* scene = phys_empty_scene();
    phys_mesh mesh = roof(-1, 1, 2);
    contact_mesh(scene, add_open(scene, &mesh, 0.002), TAUT_WORLD, origin, NULL, 0);
    phys_body body = round_at(radius, 0, (radius + 0.001) * sqrt(2), 0);
    const taut_body handle = add_body(scene, TAUT_SHAPE_SPHERE, size, &body, 0);
    contact_list list;
    body = run_on(backend, scene, handle, steps_on(backend, 30, 4), &list);
    CHECK_INT(list.count, 2);
    CHECK_NEAR(body.x[1], (radius + 0.001) * sqrt(2), 1e-4);
    for (size_t i = 0; i < list.count; i++) {
        CHECK_NEAR(list.contacts[i].force[1], PHYS_GRAVITY / 2, 1e-3);
    }
    phys_mesh_free(&mesh);
}

/* ---- folds ------------------------------------------------------------------------------------------------------- */

/* A round hill whose folds lie along z, with `across` cells there: y = -x^2/4. */
static phys_mesh hill(size_t folds, size_t across) {
    phys_mesh mesh = phys_grid(folds, across, 4, 2, PHYS_ALTERNATING);
    for (size_t i = 0; i < mesh.point_count; i++) {
        double* x = mesh.points + 3 * i;
        const double along = x[0] - 2, from[3] = {along, -along * along / 4, 1 - x[1]};
        memcpy(x, from, sizeof from);
    }
    return mesh;
}

/* What slides over it without friction keeps its line, and vertices within the folds change nothing. */
TAUT_PLAIN_TEST(contact_facets, vertices_within_folds_hold_nothing_up) {
    const double half = 0.001, start = 0.5, speed = 2.5;
    double end = 0;
    for (size_t across = 1; across <= 16; across *= 4) {
        taut_scene* scene = phys_empty_scene();
        const uint32_t smooth = contact_material(scene, 0, 0);
        phys_mesh mesh = hill(40, across);
        contact_mesh(scene, add_open(scene, &mesh, 2 * half), TAUT_WORLD, origin, NULL, smooth);
        phys_body body = box_at(1, cube, 0, 0.1 + half, 0.013);
        body.v[0] = speed;
        const taut_body handle = add_body(scene, TAUT_SHAPE_BOX, cube, &body, smooth);
        body = run_on(TAUT_BACKEND_CPU, scene, handle, 24, NULL);
        const double energy = phys_dot(body.v, body.v) / 2 + PHYS_GRAVITY * (body.x[1] - 0.1 - half);
        test_note("%zu cells across", across);
        CHECK_NEAR(body.x[2], 0.013, 1e-4);
        CHECK(body.x[0] > start);
        end = across == 1 ? body.x[0] : end;
        CHECK_NEAR(body.x[0], end, 0.02);
        CHECK(energy > 0.9 * speed * speed / 2 && energy < 1.001 * speed * speed / 2); /* each fold takes some */
        phys_mesh_free(&mesh);
    }
    test_note(NULL);
}

/* A cone, tip down, in a square hole that is smaller than its base: its origin is below the sheet, its base above. */
TAUT_PLAIN_TEST(contact_facets, cones_hang_in_holes) {
    const double size[3] = {0.3, 0.25, 0};
    taut_scene* scene = phys_empty_scene();
    const uint32_t rough = contact_material(scene, 0.5, 0);
    phys_mesh mesh = flat(10, 2);
    size_t kept = 0;
    for (size_t c = 0; c < mesh.cell_count; c++) { /* a hole of 0.4 m */
        double middle[3] = {0, 0, 0};
        for (size_t k = 0; k < 3; k++) {
            phys_add(1.0 / 3, mesh.points + 3 * mesh.cells[3 * c + k], middle);
        }
        if (fmax(fabs(middle[0]), fabs(middle[2])) > 0.2) {
            memmove(mesh.cells + 3 * kept++, mesh.cells + 3 * c, 3 * sizeof *mesh.cells);
        }
    }
    mesh.cell_count = kept;
    contact_mesh(scene, add_open(scene, &mesh, 0.01), TAUT_WORLD, origin, NULL, rough);
    phys_body body = round_at(0.3, 0, -0.03, 0);
    phys_turn((const double[]){1, 0, 0}, 1.5707963267948966, body.q); /* its tip points down */
    const taut_body handle = add_body(scene, TAUT_SHAPE_CONE, size, &body, rough);
    body = run_on(TAUT_BACKEND_CPU, scene, handle, 90, NULL);
    CHECK(body.x[1] > -0.1 && body.x[1] < -0.05); /* its radius is 0.2 m at 0.083 m above its middle */
    CHECK(phys_length(body.v) < 0.05);
    phys_mesh_free(&mesh);
}

/* ---- convex meshes ----------------------------------------------------------------------------------------------- */

/* One whose origin lies on its surface, but for rounding, is as thick as any: nothing is held back on it. */
TAUT_PLAIN_TEST(contact_facets, convex_meshes_are_as_thick_as_they_are) {
    const double size[3] = {0.1, 0, 0};
    for (int on = 0; on < 3; on++) {
        taut_scene* scene = phys_empty_scene();
        const uint32_t smooth = contact_material(scene, 0, 0);
        phys_mesh mesh = closed_box((const double[]){1, 0.3, 1});
        closed_move(&mesh, 1, (const double[]){0, -0.3 + (on - 1) * 1e-9, 0});
        contact_mesh(scene, closed_add(scene, &mesh, 0), TAUT_WORLD, origin, NULL, smooth);
        phys_body body = round_at(0.1, 0, 0.3, 0);
        body.v[0] = 1;
        const taut_body handle = add_body(scene, TAUT_SHAPE_SPHERE, size, &body, smooth);
        body = run_on(TAUT_BACKEND_CPU, scene, handle, 40, NULL);
        CHECK_NEAR(body.x[1], 0.1, 1e-3);
        CHECK_NEAR(body.v[0], 1, 1e-6);
        phys_mesh_free(&mesh);
    }
}

/* ---- rolling ----------------------------------------------------------------------------------------------------- */

/* Over cells that are flat, as on a plane: at its speed, straight on, at its height. */
TAUT_TEST(contact_facets, what_is_round_rolls_over_flat_cells) {
    static const taut_shape shapes[] = {TAUT_SHAPE_SPHERE, TAUT_SHAPE_CAPSULE, TAUT_SHAPE_CYLINDER};
    const double radius = 0.1, speed = 1, half = 0.001, size[3] = {radius, 0.08, 0};
    for (size_t i = 0; i < 3; i++) {
        taut_scene* scene = phys_empty_scene();
        const uint32_t rough = contact_material(scene, 0.6, 0);
        phys_mesh mesh = flat(12, 3);
        contact_mesh(scene, add_open(scene, &mesh, 2 * half), TAUT_WORLD, origin, NULL, rough);
        phys_body body = round_at(radius, -0.7, radius + half, 0.013);
        body.v[0] = speed;
        body.w[2] = -speed / radius;
        const taut_body handle = add_body(scene, shapes[i], size, &body, rough);
        const size_t steps = steps_on(backend, 80, 4);
        body = run_on(backend, scene, handle, steps, NULL);
        test_note("shape %d", (int)shapes[i]);
        CHECK_NEAR(body.x[0], -0.7 + speed * H * (double)steps, 2e-3);
        CHECK_NEAR(body.v[0], speed, 2e-3);
        CHECK_NEAR(body.x[1], radius + half, 1e-4);
        CHECK_NEAR(body.x[2], 0.013, 1e-4);
        phys_mesh_free(&mesh);
    }
    test_note(NULL);
}

/* ---- thrown ------------------------------------------------------------------------------------------------------ */

/* Plates of 1 cm, with spin, at a sheet and at a slab of 3 cm: their centres stay on their side. */
static void throw_plates(taut_backend_kind backend, double speed, bool open) {
    enum { COUNT = 6 };
    const double half[3] = {0.1, 0.1, 0.005};
    taut_scene* scene = phys_empty_scene();
    phys_mesh mesh = flat(6, 3), slab = closed_box((const double[]){1.5, 0.015, 1.5});
    random_state state = {17};
    taut_body handles[COUNT];
    contact_mesh(scene, open ? add_open(scene, &mesh, 0.01) : add_closed(scene, &slab), TAUT_WORLD, origin, NULL, 0);
    const int count = backend == TAUT_BACKEND_CUDA ? 2 : COUNT;
    for (int i = 0; i < count; i++) {
        double turn[3], spin[3];
        random_fill(&state, -1, 1, 3, turn);
        random_fill(&state, -5, 5, 3, spin);
        phys_body body = box_at(1, half, -0.9 + 0.36 * i, 0.3 + 0.05 * i, 0.2 * i - 0.5);
        phys_turn(turn, 2, body.q);
        body.v[1] = -speed;
        memcpy(body.w, spin, sizeof spin);
        handles[i] = add_body(scene, TAUT_SHAPE_BOX, half, &body, 0);
    }
    taut_world_def def = world_of(backend);
    def.gravity[1] = 0;
    taut_world* world = phys_world(scene, &def);
    for (size_t step = 0; step < steps_on(backend, 20, 3); step++) {
        CHECK_OK(taut_world_step(world, H));
        for (int i = 0; i < count; i++) {
            phys_body body;
            phys_read_body(world, handles[i], &body);
            test_note("plate %d after %zu steps, %s, %g m/s", i, step, open ? "sheet" : "slab", speed);
            CHECK(body.x[1] > -0.01);
        }
    }
    test_note(NULL);
    taut_world_destroy(world);
    phys_mesh_free(&mesh);
    phys_mesh_free(&slab);
}

TAUT_TEST(contact_facets, what_is_thrown_stays_on_its_side) {
    throw_plates(backend, 10, true);
    if (backend == TAUT_BACKEND_CPU) {
        throw_plates(backend, 10, false);
        throw_plates(backend, 40, true);
        throw_plates(backend, 40, false);
    }
}

/* ---- sides, borders and bodies ----------------------------------------------------------------------------------- */

/* Gravity draws one onto the upper side, and a force another one against the lower side. */
TAUT_TEST(contact_facets, open_meshes_have_two_sides) {
    const double thickness = 0.04, force[3] = {0, 3 * PHYS_GRAVITY, 0};
    taut_scene* scene = phys_empty_scene();
    phys_mesh mesh = flat(3, 2);
    contact_mesh(scene, add_open(scene, &mesh, thickness), TAUT_WORLD, origin, NULL, 0);
    phys_body above = box_at(1, cube, 0.3, 0.1 + thickness / 2, 0),
              below = box_at(1, cube, -0.3, -0.1 - thickness / 2, 0);
    const taut_body up = add_body(scene, TAUT_SHAPE_BOX, cube, &above, 0),
                    down = add_body(scene, TAUT_SHAPE_BOX, cube, &below, 0);
    taut_world_def def = world_of(backend);
    taut_world* world = phys_world(scene, &def);
    CHECK_OK(taut_world_set_forces(world, down.point, 1, force));
    contact_run(world, steps_on(backend, 30, 4), H, NULL);
    phys_read_body(world, up, &above);
    phys_read_body(world, down, &below);
    CHECK_NEAR(above.x[1], 0.1 + thickness / 2, 1e-4);
    CHECK_NEAR(below.x[1], -0.1 - thickness / 2, 2e-4);
    taut_world_destroy(world);
    phys_mesh_free(&mesh);
}

/* Beside its border a body falls; on its border one lies where its centre is above the mesh. */
TAUT_PLAIN_TEST(contact_facets, borders_bear_what_is_above_them) {
    taut_scene* scene = phys_empty_scene();
    const uint32_t rough = contact_material(scene, 0.8, 0);
    phys_mesh mesh = flat(4, 2);
    contact_mesh(scene, add_open(scene, &mesh, 0.02), TAUT_WORLD, origin, NULL, rough);
    phys_body on = box_at(1, cube, 0.95, 0.11, 0.02), beside = box_at(1, cube, -1.15, 0.11, 0.02);
    const taut_body one = add_body(scene, TAUT_SHAPE_BOX, cube, &on, rough),
                    other = add_body(scene, TAUT_SHAPE_BOX, cube, &beside, rough);
    taut_world_def def = world_of(TAUT_BACKEND_CPU);
    taut_world* world = phys_world(scene, &def);
    contact_run(world, 60, H, NULL);
    phys_read_body(world, one, &on);
    phys_read_body(world, other, &beside);
    CHECK_NEAR(on.x[1], 0.11, 1e-3);
    CHECK_NEAR(on.x[0], 0.95, 5e-3);
    CHECK_NEAR(beside.x[1], 0.11 - PHYS_GRAVITY / 2, 0.2);
    taut_world_destroy(world);
    phys_mesh_free(&mesh);
}

/* An angle that falls on the edge of a fixed box, with one of its own edges: it is the mesh that moves. */
TAUT_TEST(contact_facets, meshes_fall_on_boxes) {
    taut_scene* scene = phys_empty_scene();
    const uint32_t rough = contact_material(scene, 1, 0);
    const double beam[3] = {0.1, 0.1, 1};
    double turned[4];
    phys_mesh mesh = closed_angle(0.4);
    closed_move(&mesh, 1, (const double[]){-0.5, 0, -0.2});
    phys_turn((const double[]){0, 0, 1}, 0.7853981633974483, turned);
    contact_shape(scene, TAUT_SHAPE_BOX, beam, TAUT_WORLD, origin, turned, rough);
    phys_body body = round_at(0.5, 0, 0.1 * sqrt(2) + 0.002, 0);
    const taut_body handle = phys_add_body(scene, &body);
    contact_mesh(scene, closed_add(scene, &mesh, 0), handle, origin, NULL, rough);
    body = run_on(backend, scene, handle, steps_on(backend, 12, 4), NULL);
    CHECK_NEAR(body.x[1], 0.1 * sqrt(2), 2e-3);
    phys_mesh_free(&mesh);
}

/* ---- what meets what --------------------------------------------------------------------------------------------- */

/* The same triangles as a surface, for all but convex bodies: these meet the mesh once, and particles the surface. */
TAUT_TEST(contact_facets, surfaces_stand_beside_the_mesh) {
    const double thickness = 0.02;
    phys_mesh mesh = flat(12, 2); /* vertices below the box, too */
    const size_t corners = mesh.point_count;
    double* points = phys_array(3 * (corners + 1), sizeof *points);
    const double start[3] = {0.1, thickness / 2 + 0.005, 0.2};
    memcpy(points, mesh.points, 3 * corners * sizeof *points);
    memcpy(points + 3 * corners, start, sizeof start);
    taut_scene* scene = phys_scene(corners + 1, points, NULL);
    uint32_t* fixed = phys_array(corners, sizeof *fixed);
    for (uint32_t i = 0; i < corners; i++) {
        fixed[i] = i;
    }
    phys_fix(scene, corners, fixed);
    const uint32_t number = contact_mesh(scene, add_open(scene, &mesh, thickness), TAUT_WORLD, origin, NULL, 0);
    taut_contact_surface_def surface = taut_default_contact_surface();
    surface.triangle_count = mesh.cell_count;
    surface.triangles = mesh.cells;
    surface.radius = thickness / 2;
    surface.self = surface.solids = false;
    CHECK_OK(taut_scene_add_contact_surface(scene, &surface, NULL));
    const uint32_t particle = (uint32_t)corners;
    contact_touch(scene, 1, &particle, 0.005, 0);
    phys_body body = box_at(1, cube, -0.4, 0.1 + thickness / 2, 0.3);
    const taut_body handle = phys_add_body(scene, &body);
    const uint32_t box = contact_shape(scene, TAUT_SHAPE_BOX, cube, handle, origin, NULL, 0);
    CHECK_OK(taut_scene_add_collider_features(scene, box, NULL));
    taut_world_def def = world_of(backend);
    taut_world* world = phys_world(scene, &def);
    contact_run(world, steps_on(backend, 20, 3), H, NULL);
    contact_list list;
    contact_read(world, &list);
    size_t of_box = 0;
    for (size_t i = 0; i < list.count; i++) {
        of_box += list.contacts[i].collider == number;
    }
    CHECK_INT(of_box, 4);
    CHECK_INT(list.count, 5);
    phys_read_body(world, handle, &body);
    CHECK_NEAR(body.x[1], 0.1 + thickness / 2, 1e-4);
    double x[3];
    phys_position(world, particle, x);
    CHECK_NEAR(x[1], start[1], 1e-4);

    const taut_ray ray = {.origin = {0.4, 1, 0.4}, .direction = {0, -1, 0}, .length = 2};
    taut_hit hit;
    CHECK_OK(taut_world_cast_rays(world, 1, &ray, NULL, &hit));
    CHECK_INT(hit.collider, number);
    CHECK_NEAR(hit.position[1], thickness / 2, 1e-9);
    taut_world_destroy(world);
    phys_mesh_free(&mesh);
    free(points);
    free(fixed);
}

/* Contact points on the rim of a cylinder or a cone are what it has anyway: they meet no other shape, and no mesh. */
TAUT_PLAIN_TEST(contact_facets, points_on_rims_stand_for_nothing_more) {
    enum { AROUND = 16 };
    const double size[3] = {0.1, 0.08, 0};
    for (int on_mesh = 0; on_mesh < 2; on_mesh++) {
        taut_scene* scene = phys_empty_scene();
        double rim[3 * AROUND];
        for (int i = 0; i < AROUND; i++) {
            const double angle = 2 * 3.141592653589793 * i / AROUND;
            const double place[3] = {0.1 * cos(angle), 0.1 * sin(angle), i % 2 == 0 ? -0.08 : 0.08};
            memcpy(rim + 3 * i, place, sizeof place);
        }
        phys_mesh mesh = flat(3, 2);
        if (on_mesh != 0) {
            contact_mesh(scene, add_open(scene, &mesh, 0.02), TAUT_WORLD, (const double[]){0, -0.01, 0}, NULL, 0);
        } else {
            contact_ground(scene, 0);
        }
        phys_body body = round_at(0.1, 0.01, 0.1, 0.02);
        const taut_body handle = add_body(scene, TAUT_SHAPE_CYLINDER, size, &body, 0);
        contact_touch_body(scene, handle, AROUND, rim, 0, 0);
        contact_list list;
        run_on(TAUT_BACKEND_CPU, scene, handle, 3, &list);
        CHECK_INT(list.count, 2);
        phys_mesh_free(&mesh);
    }
}

TAUT_PLAIN_TEST(contact_facets, what_two_sides_do_not_go_with_is_refused) {
    taut_scene* scene = phys_empty_scene();
    phys_mesh mesh = flat(2, 2);
    taut_collider_mesh_def def = closed_def(&mesh, 0);
    uint32_t number = 0;
    REFUSED(taut_scene_add_collider_mesh(scene, &def, &number), TAUT_INVALID_ARGUMENT);
    def.thickness = -1;
    REFUSED(taut_scene_add_collider_mesh(scene, &def, &number), TAUT_INVALID_ARGUMENT);
    def.thickness = 0.01;
    def.spacing = 0.1;
    REFUSED(taut_scene_add_collider_mesh(scene, &def, &number), TAUT_INVALID_ARGUMENT);
    def.spacing = 0;
    CHECK_OK(taut_scene_add_collider_mesh(scene, &def, &number));
    const uint32_t collider = contact_mesh(scene, number, TAUT_WORLD, origin, NULL, 0);
    REFUSED(taut_scene_add_collider_features(scene, collider, NULL), TAUT_INVALID_ARGUMENT);
    memcpy(mesh.cells + 3, mesh.cells, 3 * sizeof *mesh.cells); /* the first triangle twice */
    REFUSED(taut_scene_add_collider_mesh(scene, &def, &number), TAUT_INVALID_ARGUMENT);
    taut_scene_destroy(scene);
    phys_mesh_free(&mesh);
}
