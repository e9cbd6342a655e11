/* Contact surfaces: what is refused, with what words; numbers; no room; the same bits from run to run. */
#include "refused.h"
#include "surface_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define H 0.01

/* ---- refused -------------------------------------------------------------------------------------------------------
 */

/* Refused with these words, and the scene is as it was: a surface that is added then has the first numbers. */
static void check_refused(taut_scene* scene, const taut_contact_surface_def* def, const char* words) {
    taut_range range = {9, 9};
    INVALID(taut_scene_add_contact_surface(scene, def, &range));
    test_note("\"%s\" without \"%s\"", taut_last_error(), words);
    CHECK(strstr(taut_last_error(), words) != NULL);
    CHECK_INT(range.first, 9);
    test_note(NULL);
}

TAUT_PLAIN_TEST(contact_surface_rules, refused) {
    const double bad[] = {0, -1, NAN, INFINITY, -INFINITY, 1e10};
    const uint32_t triangle[3] = {0, 1, 2}, beyond[3] = {0, 4, 1}, twice[3] = {1, 2, 1}, ends[2] = {3, 3};
    taut_scene* scene = refused_scene(4, (const double[]){0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1});
    taut_contact_surface_def def = taut_default_contact_surface(), unmade;
    memset(&unmade, 0, sizeof unmade);
    UNMADE(taut_scene_add_contact_surface(scene, &unmade, NULL));
    INVALID(taut_scene_add_contact_surface(scene, NULL, NULL));
    INVALID(taut_scene_add_contact_surface(NULL, &def, NULL));
    def.radius = 0.01;
    check_refused(scene, &def, "neither triangles nor segments");
    def.triangle_count = 1;
    check_refused(scene, &def, "1 triangles are given at NULL");
    def.triangle_count = 0;
    def.segment_count = 1;
    check_refused(scene, &def, "1 segments are given at NULL");
    def.segments = ends;
    check_refused(scene, &def, "segment[0] has particle 3 twice");
    def.segment_count = 0;
    def.triangle_count = 1;
    def.triangles = triangle;
    check_refused(scene, &def, "0 segments are given at an address");
    def.segments = NULL;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        def.radius = bad[i];
        check_refused(scene, &def, "radius is");
    }
    def.radius = 0.01;
    def.material = 1;
    check_refused(scene, &def, "material");
    def.material = 0;
    def.triangles = beyond;
    check_refused(scene, &def, "triangle[0] has particle 4; there are 4");
    def.triangles = twice;
    check_refused(scene, &def, "triangle[0] has particle 1 twice");
    def.triangle_count = SIZE_MAX;
    check_refused(scene, &def, "triangles are given");
    def.segment_count = 1; /* both together overflow */
    check_refused(scene, &def, "contact surface");
    def = taut_default_contact_surface();
    INVALID(taut_scene_add_contact_surface(scene, &def, NULL)); /* as it is: nothing, without radius */
    def.radius = 0.01;
    def.triangle_count = 1;
    def.triangles = triangle;
    taut_range range = {9, 9};
    CHECK_OK(taut_scene_add_contact_surface(scene, &def, &range));
    CHECK_INT(range.first, 0);
    CHECK_INT(range.count, 3);
    CHECK_OK(taut_scene_add_contact_surface(scene, &def, NULL));
    CHECK_OK(taut_scene_add_contact_surface(scene, &def, &range));
    CHECK_INT(range.first, 6);
    taut_scene_destroy(scene);
}

/* ---- odd ones ------------------------------------------------------------------------------------------------------
 */

/* The same triangle and segment twice, three triangles at an edge, corners in one place: a ball over the middle of it
 * all comes to rest on it, and its weight is borne. */
TAUT_TEST(contact_surface_rules, odd_surfaces) {
    const double x[18] = {-0.5, 0, -0.5, 0.5, 0, -0.5, 0.03, 0, 0.7, 0, -0.6, 0, 0, -0.6, 0.5, -0.5, 0, -0.5};
    const uint32_t corners[] = {0, 1, 2, 2, 0, 1, 0, 1, 3, 0, 1, 4, 0, 5, 2, 0, 5, 1, 3, 4, 5};
    const uint32_t ends[] = {0, 1, 1, 0, 3, 4, 0, 5};
    const double places[][2] = {{0, 0}, {0.1, -0.5}, {-0.5, -0.5}, {0.03, 0.7}, {0.2, -0.51}};
    const bool cuda = backend == TAUT_BACKEND_CUDA;
    for (int i = 0; i < (cuda ? 2 : 5); i++) {
        taut_scene* scene = phys_scene(6, x, NULL);
        phys_fix(scene, 6, (const uint32_t[]){0, 1, 2, 3, 4, 5});
        surface_add(scene, sizeof corners / sizeof *corners / 3, corners, 4, ends, 0.02, contact_material(scene, 4, 0));
        const double from[3] = {places[i][0], 0.04, places[i][1]};
        const uint32_t ball = surface_add_ball(scene, from, 1, 0.02, contact_material(scene, 4, 0));
        const taut_world_def def = contact_world_def(backend);
        taut_world* world = phys_world(scene, &def);
        double force[3], at[3];
        contact_run(world, 2, H, NULL);
        contact_sum(world, force);
        phys_position(world, ball, at);
        test_note("place %d: %g N at %g m", i, force[1], at[1]);
        CHECK_NEAR(hypot(at[1], i < 4 ? 0 : at[2] + 0.5), 0.04, 1e-6); /* the last one slips off an edge */
        CHECK(i == 4 || fabs(force[1] - PHYS_GRAVITY) < 1e-4);
        test_note(NULL);
        taut_world_destroy(world);
    }
}

/* A rigid plate of points mapped onto a body lies on a fixed one: edges and points bear it. */
TAUT_TEST(contact_surface_rules, plate_of_a_body) {
    const double flat[12] = {-0.1, 0, -0.1, 0.1, 0, -0.1, 0.1, 0, 0.1, -0.1, 0, 0.1}, mass = 3, radius = 0.01;
    taut_scene* scene = phys_empty_scene();
    const surface_sheet under = {.columns = 3,
                                 .rows = 3,
                                 .width = 0.5,
                                 .height = 0.5,
                                 .radius = radius,
                                 .diagonal = PHYS_ALTERNATING,
                                 .fixed = true};
    surface_add_sheet(scene, &under);
    phys_body at = contact_at(0.02, 2 * radius + 0.002, 0.01), now;
    uint32_t corner[4];
    at.mass = mass;
    taut_inertia_of_box(mass, (const double[]){0.2, 0.02, 0.2}, at.inertia);
    const taut_body body = phys_add_body(scene, &at);
    for (int i = 0; i < 4; i++) {
        const double place[3] = {at.x[0] + flat[3 * i], at.x[1], at.x[2] + flat[3 * i + 2]};
        corner[i] = phys_add_body_point(scene, body, place);
    }
    const uint32_t corners[6] = {corner[0], corner[1], corner[2], corner[0], corner[2], corner[3]};
    const taut_range own = surface_add(scene, 2, corners, 0, NULL, radius, 0);
    taut_world_def def = contact_world_def(backend);
    /* A rigid plate has far more contacts than it needs: their sums alone are known, and their rows, with Jacobians in
     * float32, contradict each other by some 1e-8. */
    def.solver.tolerance = 1e-7;
    taut_world* world = phys_world(scene, &def);
    double force = 0;
    contact_list list;
    contact_run(world, 8, H, NULL);
    phys_read_body(world, body, &now);
    contact_read(world, &list);
    for (size_t k = 0; k < list.count; k++) { /* corners of the lower one find the plate as well */
        force += (list.contacts[k].corners[0] >= own.first ? 1 : -1) * list.contacts[k].force[1];
    }
    CHECK_NEAR(now.x[1], 2 * radius, 1e-6);
    CHECK_NEAR(phys_length(now.v), 0, 1e-6);
    CHECK_NEAR(phys_length(now.w), 0, 1e-5);
    CHECK_NEAR(force, mass * PHYS_GRAVITY, 1e-4 * mass * PHYS_GRAVITY);
    taut_world_destroy(world);
}

/* ---- room ----------------------------------------------------------------------------------------------------------
 */

/* Three balls come down on a surface on which there is room for two contacts: the step fails, with the state kept,
 * until one of them is taken away. */
TAUT_TEST(contact_surface_rules, more_contacts_than_room) {
    taut_scene* scene = phys_empty_scene();
    const surface_sheet under = {
        .columns = 2, .rows = 2, .width = 1, .height = 1, .radius = 0.01, .diagonal = PHYS_ALTERNATING, .fixed = true};
    uint32_t balls[3];
    surface_add_sheet(scene, &under);
    for (int i = 0; i < 3; i++) {
        const double at[3] = {0.2 * i - 0.21, 0.2, 0.05};
        balls[i] = surface_add_ball(scene, at, 1, 0.01, 0);
    }
    taut_world_def def = contact_world_def(backend);
    def.contact.capacity = 2;
    taut_world* world = phys_world(scene, &def);
    taut_status status = TAUT_OK;
    double x[2][9];
    for (int i = 0; i < 40 && status == TAUT_OK; i++) {
        CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, balls[0], 3, x[0]));
        status = taut_world_step(world, H);
        status = status == TAUT_OK ? taut_world_sync(world) : status;
    }
    CHECK_STATUS(status, TAUT_OUT_OF_CAPACITY);
    taut_world_sync(world);
    CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, balls[0], 3, x[1]));
    CHECK(memcmp(x[0], x[1], sizeof x[0]) == 0);
    CHECK_OK(taut_world_write(world, TAUT_FIELD_POSITIONS, balls[1], 1, (const double[]){0, 9, 0}));
    contact_run(world, 8, H, NULL);
    for (int i = 0; i < 3; i += 2) {
        phys_position(world, balls[i], x[0]);
        CHECK_NEAR(x[0][1], 0.02, CONTACT_CLOSE);
    }
    taut_world_destroy(world);
}

/* ---- the same bits -------------------------------------------------------------------------------------------------
 */

static uint64_t hash_of(taut_world* world, taut_field field, uint64_t hash) {
    double* values = phys_field(world, field);
    const unsigned char* bytes = (const unsigned char*)values;
    for (size_t i = 0; i < 3 * taut_world_particle_count(world) * sizeof *values; i++) {
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    }
    free(values);
    return hash;
}

/* Positions, velocities and contacts of a crumpled sheet on another, many enough that threads share them on the CPU. */
static uint64_t crumple(taut_backend_kind backend, uint32_t threads, bool cuda, uint32_t* contacts) {
    taut_scene* scene = phys_empty_scene();
    const uint32_t material = contact_material(scene, 0.4, 0);
    double turn[4];
    phys_turn((const double[]){1, 0.2, 0.3}, 0.3, turn);
    for (int i = 0; i < 2; i++) {
        const size_t cells = cuda ? 3 : i == 0 ? 36 : 10; /* the CPU builds trees side by side from 2048 items on */
        const surface_sheet sheet = {.columns = cells,
                                     .rows = cells,
                                     .width = 1,
                                     .height = 1,
                                     .mass = 0.3,
                                     .radius = 0.005,
                                     .at = {0.03 * i, 0.03 + (cuda ? 0.17 : 0.16) * i, 0.01 * i},
                                     .q = i == 0 ? NULL : turn,
                                     .diagonal = PHYS_ALTERNATING,
                                     .fixed = i == 0,
                                     .link = 1e-4,
                                     .material = material};
        surface_add_sheet(scene, &sheet);
    }
    taut_world_def def = contact_world_def(backend);
    def.threads = threads;
    def.solver.tolerance = 1e-5;
    def.solver.max_iterations = 200;
    taut_world* world = phys_world(scene, &def);
    taut_step_info info = {0};
    uint64_t hash = 0xcbf29ce484222325u;
    for (int i = 0; i < (cuda ? 6 : 7); i++) {
        CHECK_OK(taut_world_step(world, 0.02));
    }
    CHECK_OK(taut_world_info(world, &info));
    *contacts = info.contacts;
    hash = hash_of(world, TAUT_FIELD_POSITIONS, hash);
    hash = hash_of(world, TAUT_FIELD_VELOCITIES, hash);
    taut_world_destroy(world);
    return hash;
}

TAUT_TEST(contact_surface_rules, same_bits) {
    const bool cuda = backend == TAUT_BACKEND_CUDA;
    uint32_t contacts = 0, again = 0;
    const uint64_t expected = crumple(backend, 1, cuda, &contacts);
    test_note("%u contacts", contacts);
    CHECK(contacts > (cuda ? 0 : 50));
    for (uint32_t threads = 1; threads <= (cuda ? 1 : 3); threads++) {
        CHECK(crumple(backend, threads, cuda, &again) == expected);
        CHECK_INT(again, contacts);
    }
    test_note(NULL);
}
