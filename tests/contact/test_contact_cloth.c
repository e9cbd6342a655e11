/* Cloth that falls on a ball and on the floor, hard and soft, with friction and without: every step converges, and
 * nothing goes through. */
#include "contact_scenes.h"

#include <math.h>
#include <stdlib.h>

/* A sheet of a metre at this height. Where threads are hard, diagonals are soft: a net of hard triangles could not
 * drape. */
static taut_scene* make_sheet(size_t cells, double height, double compliance, double friction, uint32_t* material) {
    phys_mesh mesh = phys_grid(cells, cells, 1, 1, PHYS_ALTERNATING);
    const double spacing = 1 / (double)cells, mass = 0.2 / (double)mesh.point_count;
    double* masses = phys_array(mesh.point_count, sizeof *masses);
    uint32_t* all = phys_array(mesh.point_count, sizeof *all);
    phys_tuples edges = phys_edges(&mesh), hinges = phys_hinges(&mesh), sorted[2] = {{0, NULL}, {0, NULL}};
    for (size_t i = 0; i < mesh.point_count; i++) {
        const double u = mesh.points[3 * i], w = mesh.points[3 * i + 1];
        mesh.points[3 * i] = u - 0.5;
        mesh.points[3 * i + 1] = height;
        mesh.points[3 * i + 2] = w - 0.5;
        masses[i] = mass;
        all[i] = (uint32_t)i;
    }
    for (int d = 0; d < 2; d++) {
        sorted[d].items = phys_array(2 * edges.count, sizeof(uint32_t));
    }
    for (size_t e = 0; e < edges.count; e++) {
        const uint32_t* edge = edges.items + 2 * e;
        const bool diagonal = phys_apart(mesh.points + 3 * edge[0], mesh.points + 3 * edge[1]) > 1.2 * spacing;
        phys_tuples* to = &sorted[diagonal];
        to->items[2 * to->count] = edge[0];
        to->items[2 * to->count++ + 1] = edge[1];
    }
    double* bending = phys_array(hinges.count, sizeof *bending);
    for (size_t i = 0; i < hinges.count; i++) {
        bending[i] = 1e3;
    }
    taut_scene* scene = phys_scene(mesh.point_count, mesh.points, masses);
    *material = contact_material(scene, friction, 0);
    phys_add_links(scene, &sorted[0], compliance, 0);
    phys_add_links(scene, &sorted[1], compliance + 1e-2, 0);
    phys_add_hinges(scene, &hinges, bending, 0.01);
    contact_touch(scene, mesh.point_count, all, 0.01, *material);
    free(masses), free(all), free(edges.items), free(hinges.items), free(bending);
    free(sorted[0].items), free(sorted[1].items);
    phys_mesh_free(&mesh);
    return scene;
}

/* One over the middle of a ball that stands on the floor. */
static taut_world* make_cloth(taut_backend_kind backend, size_t cells, double compliance, double friction) {
    uint32_t material;
    taut_scene* scene = make_sheet(cells, 0.53, compliance, friction, &material);
    contact_ground(scene, material);
    contact_shape(scene, TAUT_SHAPE_SPHERE, (const double[]){0.25, 1, 1}, TAUT_WORLD, (const double[]){0, 0.25, 0},
                  NULL, material);
    taut_world_def def = contact_world_def(backend);
    def.solver.tolerance = 1e-6;
    return phys_world(scene, &def);
}

/* Rows are right to the tolerance relative to what drives them, a speed of some m/s at most: so are gaps, times h. */
static void check_cloth(taut_backend_kind backend, double compliance, double friction) {
    const bool cuda = backend == TAUT_BACKEND_CUDA;
    const int steps = cuda ? 40 : 100;
    taut_world* world = make_cloth(backend, cuda ? 3 : 11, compliance, friction);
    contact_effort effort = {0};
    double deepest = 0;
    uint32_t most = 0;
    for (int i = 0; i < steps; i++) {
        const taut_step_info info = contact_step(world, 0.01, &effort);
        deepest = fmax(deepest, info.penetration);
        most = info.contacts > most ? info.contacts : most;
    }
    contact_note("cloth", &effort);
    CHECK(deepest <= 1e-6);
    CHECK(most > 8 * (cuda ? 0 : 1));
    taut_world_destroy(world);
}

TAUT_TEST(contact_cloth, soft_without_friction) {
    check_cloth(backend, 1e-4, 0);
}

TAUT_TEST(contact_cloth, soft_with_friction) {
    check_cloth(backend, 1e-4, 0.5);
}

/* A sheet that glides above a floor, or above one far below, and crumples meanwhile: its iterations. It comes near
 * enough for contacts, none of which closes. */
static uint32_t glide(taut_backend_kind backend, bool near, uint32_t* least) {
    const size_t cells = backend == TAUT_BACKEND_CUDA ? 6 : 20, count = (cells + 1) * (cells + 1);
    uint32_t material;
    taut_scene* scene = make_sheet(cells, near ? 0.07 : 7, 1e-4, 0.5, &material);
    contact_ground(scene, material);
    taut_world_def def = contact_world_def(backend);
    def.solver.tolerance = 1e-4;
    taut_world* world = phys_world(scene, &def);
    double* v = phys_array(3 * count, sizeof *v);
    for (size_t i = 0; i < count; i++) {
        const double x = 6.0 * (double)(i % (cells + 1)) / (double)cells, z = 6.0 * (double)i / (double)count;
        v[3 * i] = 3 + 0.5 * sin(z);
        v[3 * i + 1] = 0.1 * sin(x + z);
        v[3 * i + 2] = 0.5 * cos(x);
    }
    CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, 0, count, v));
    contact_effort effort = {0};
    *least = UINT32_MAX;
    for (int i = 0; i < 6; i++) {
        const taut_step_info info = contact_step(world, 0.01, &effort);
        *least = info.contacts < *least ? info.contacts : *least;
        CHECK(info.penetration == 0);
    }
    contact_note(near ? "near a floor" : "far from it", &effort);
    free(v);
    taut_world_destroy(world);
    return effort.iterations;
}

/* What might touch but does not takes no more iterations than what cannot. */
TAUT_TEST(contact_cloth, open_contacts_do_not_hold) {
    uint32_t far_away, near;
    const uint32_t alone = glide(backend, false, &far_away), above = glide(backend, true, &near);
    CHECK(far_away == 0);
    CHECK(near > 20);
    CHECK(above <= alone + alone / 10 + 6);
}
