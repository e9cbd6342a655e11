/* What has been put through edges and corners of a solid by hand, with all of its vertices outside: it comes off them
 * within a second, and gains no more than the speed of recovery. */
#include "closed_meshes.h"
#include "surface_scenes.h"

#include <math.h>

#define HALF   0.1   /* m, of a box */
#define RADIUS 0.005 /* m, of what it stands out of */
#define H      (1.0 / 60)

static const double half[3] = {HALF, HALF, HALF};

/* ---- faces ------------------------------------------------------------------------------------------------------- */

static void add_box(taut_scene* scene, bool mesh) {
    phys_mesh box = closed_box(half);
    const uint32_t collider =
        mesh ? contact_mesh(scene, closed_add(scene, &box, 0), TAUT_WORLD, NULL, NULL, 0)
             : contact_shape(scene, TAUT_SHAPE_BOX, half, TAUT_WORLD, (const double[]){0, 0, 0}, NULL, 0);
    CHECK_OK(taut_scene_add_collider_features(scene, collider, NULL));
    phys_mesh_free(&box);
}

/* A surface of triangles whose edges are soft links. */
static taut_scene* surface_of(bool mesh, size_t points, const double* x, size_t triangles, const uint32_t* corners) {
    double masses[8];
    uint32_t pairs[2 * 3 * 8];
    for (size_t i = 0; i < points; i++) {
        masses[i] = 0.01;
    }
    for (size_t i = 0; i < 3 * triangles; i++) {
        pairs[2 * i] = corners[i];
        pairs[2 * i + 1] = corners[3 * (i / 3) + (i + 1) % 3];
    }
    taut_scene* scene = phys_scene(points, x, masses);
    taut_distance_def links = taut_default_distance();
    taut_batch batch;
    links.count = 3 * triangles;
    links.particles = pairs;
    links.compliance = 1e-2;
    CHECK_OK(taut_scene_add_distances(scene, &links, &batch));
    surface_add(scene, triangles, corners, 0, NULL, RADIUS, 0);
    add_box(scene, mesh);
    return scene;
}

static size_t cuts_of(taut_world* world) {
    taut_overlaps overlaps = {0};
    CHECK_OK(taut_world_read_overlaps(world, &overlaps));
    return overlaps.intersections;
}

/* Nothing else acts on it: all that moves it is how it is drawn off. */
static void check_comes_off(taut_backend_kind backend, taut_scene* scene, size_t points) {
    taut_world_def def = contact_world_def(backend);
    def.gravity[1] = 0;
    taut_world* world = phys_world(scene, &def);
    double fastest = 0;
    CHECK(cuts_of(world) > 0);
    for (int i = 0; i < 60; i++) {
        const taut_step_info info = contact_step_off(world, H);
        double v[3];
        CHECK(i > 0 || info.tangled > 0);
        for (uint32_t k = 0; k < points; k++) {
            phys_velocity(world, k, v);
            fastest = fmax(fastest, phys_length(v));
        }
    }
    CHECK_INT(cuts_of(world), 0);
    CHECK(fastest < 1.5);
    taut_world_destroy(world);
}

/* An upright edge goes through a triangle far below its upper end: that goes off sideways. Or near its end: over that.
 */
TAUT_TEST(contact_pierced, triangle_on_an_edge) {
    const double sideways[9] = {0.115, 0.03, 0.06, 0.06, 0.03, 0.115, 0.14, 0.02, 0.14};
    const double over[9] = {0.13, 0.08, 0, 0, 0.08, 0.13, 0.15, 0.08, 0.15};
    const uint32_t corners[3] = {0, 1, 2};
    for (int i = 0; i < 4; i++) {
        test_note("%s, %s", i < 2 ? "sideways" : "over", i % 2 == 0 ? "box" : "mesh");
        check_comes_off(backend, surface_of(i % 2 == 1, 3, i < 2 ? sideways : over, 1, corners), 3);
    }
    test_note(NULL);
}

/* A strip across an edge, the middle of which the edge stands out of. */
TAUT_TEST(contact_pierced, strip_across_an_edge) {
    double x[24];
    uint32_t corners[18];
    for (int i = 0; i < 4; i++) {
        const bool outside = i == 0 || i == 3;
        const double z = -0.09 + 0.06 * i, far = outside ? 0.14 : 0.11, near = outside ? 0.08 : 0.05;
        const double row[6] = {near, far, z, far, near, z};
        for (int k = 0; k < 6; k++) {
            x[6 * i + k] = row[k];
        }
    }
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t own[6] = {2 * i, 2 * i + 1, 2 * i + 3, 2 * i, 2 * i + 3, 2 * i + 2};
        for (int k = 0; k < 6; k++) {
            corners[6 * i + (uint32_t)k] = own[k];
        }
    }
    for (int i = 0; i < 2; i++) {
        test_note("%s", i == 0 ? "box" : "mesh");
        check_comes_off(backend, surface_of(i == 1, 8, x, 6, corners), 8);
    }
    test_note(NULL);
}

/* ---- a body that is written -------------------------------------------------------------------------------------- */

/* A cloth lies on a box that is put five times the cloth's thickness higher, into it. Its vertices come out of the
 * sides, too, so that the corners stand out of triangles. */
TAUT_TEST(contact_pierced, box_written_into_a_cloth) {
    const bool cuda = backend == TAUT_BACKEND_CUDA;
    const size_t cells = cuda ? 5 : 12;
    taut_scene* scene = phys_empty_scene();
    phys_body at = contact_at(0, 0, 0);
    at.fixed = true;
    at.mass = 1;
    taut_inertia_of_sphere(1, HALF, at.inertia);
    const taut_body body = phys_add_body(scene, &at);
    const uint32_t collider = contact_shape(scene, TAUT_SHAPE_BOX, half, body, NULL, NULL, 0);
    CHECK_OK(taut_scene_add_collider_features(scene, collider, NULL));
    const surface_sheet sheet = {.columns = cells,
                                 .rows = cells,
                                 .width = 4 * HALF,
                                 .height = 4 * HALF,
                                 .mass = 0.03,
                                 .radius = RADIUS,
                                 .at = {0, HALF + RADIUS, 0},
                                 .diagonal = PHYS_ALTERNATING,
                                 .link = 1e-3};
    surface_add_sheet(scene, &sheet);
    taut_world_def def = taut_default_world();
    def.backend = backend;
    def.contact.capacity = 4000;
    taut_world* world = phys_world(scene, &def);
    for (int i = 0; i < 90; i++) {
        if (i == 30) {
            CHECK_INT(cuts_of(world), 0);
            CHECK_OK(taut_world_write(world, TAUT_FIELD_POSITIONS, body.point, 1, (const double[]){0, 0.05, 0}));
            CHECK(cuts_of(world) > 0);
        }
        CHECK_OK(taut_world_step(world, H));
    }
    taut_overlaps overlaps = {0};
    CHECK_OK(taut_world_read_overlaps(world, &overlaps));
    CHECK_INT(overlaps.intersections, 0);
    CHECK_INT(overlaps.points_inside, 0);
    taut_world_destroy(world);
}
