/* Arrays of 0 elements may be NULL (taut.h), in all calls that have a count beside an array. Rows that are not there
 * are told as such. */
#include "contact_scenes.h"
#include "refused.h"

/* Two particles with a bounded link and a target, a surface, a body, a plane. */
static taut_scene* make_scene(taut_batch batches[3]) {
    static const double x[] = {0, 1, 0, 1, 1, 0, 0, 1, 1}, mass[] = {1, 1, 1};
    taut_scene* scene = phys_scene(3, x, mass);
    taut_distance_def links = taut_default_distance();
    taut_target_def targets = taut_default_target();
    taut_surface_def surfaces = taut_default_surface();
    links.count = targets.count = surfaces.count = 1;
    links.particles = (uint32_t[]){0, 1};
    targets.particles = (uint32_t[]){0};
    surfaces.particles = (uint32_t[]){0, 1, 2};
    CHECK_OK(taut_scene_add_distances(scene, &links, &batches[0]));
    CHECK_OK(taut_scene_set_bounds(scene, batches[0], -1, 1, 1));
    CHECK_OK(taut_scene_add_targets(scene, &targets, &batches[1]));
    CHECK_OK(taut_scene_add_surfaces(scene, &surfaces, &batches[2]));
    const phys_body body = contact_at(0, 3, 0);
    contact_ball(scene, &body, 1, 0.1, 0);
    contact_ground(scene, 0);
    return scene;
}

static taut_world* make_world(taut_backend_kind backend, taut_scene* scene) {
    taut_world_def def = taut_default_world();
    def.backend = backend;
    def.residuals = true;
    def.contact.events = 4;
    return phys_world(scene, &def);
}

TAUT_PLAIN_TEST(interface_empty, scenes) {
    taut_batch batches[3];
    taut_scene* scene = make_scene(batches);
    CHECK_OK(taut_scene_set_fixed(scene, 0, NULL, true));
    CHECK_OK(taut_scene_set_frames_fixed(scene, 0, NULL, true));
    CHECK_OK(taut_scene_set_bodies_fixed(scene, 0, NULL, true));
    CHECK_OK(taut_scene_exclude_contacts(scene, 0, NULL));
    CHECK_OK(taut_scene_exclude_attached(scene, 0, NULL));
    INVALID(taut_scene_exclude_contacts(scene, 1, NULL));
    INVALID(taut_scene_exclude_attached(scene, 1, NULL));
    taut_scene_destroy(scene);
}

TAUT_TEST(interface_empty, worlds) {
    taut_batch batches[3];
    taut_world* world = make_world(backend, make_scene(batches));
    size_t found = 0;
    for (int field = 0; field < TAUT_FIELD_COUNT; field++) {
        CHECK_OK(taut_world_read(world, (taut_field)field, 0, 0, NULL));
        INVALID(taut_world_read(world, (taut_field)field, 0, 1, NULL));
    }
    CHECK_OK(taut_world_write(world, TAUT_FIELD_POSITIONS, 0, 0, NULL));
    CHECK_OK(taut_world_write(world, TAUT_FIELD_ORIENTATIONS, 0, 0, NULL));
    CHECK_OK(taut_world_read_residuals(world, 0, 0, NULL));
    CHECK_OK(taut_world_set_forces(world, 0, 0, NULL));
    CHECK_OK(taut_world_set_torques(world, 0, 0, NULL));
    CHECK_OK(taut_world_set_fixed(world, 0, NULL, true));
    CHECK_OK(taut_world_set_frames_fixed(world, 0, NULL, true));
    CHECK_OK(taut_world_set_bodies_fixed(world, 0, NULL, true));
    CHECK_OK(taut_world_move_fixed(world, 0, NULL, NULL));
    CHECK_OK(taut_world_move_fixed_frames(world, 0, NULL, NULL));
    CHECK_OK(taut_world_move_fixed_bodies(world, 0, NULL, NULL, NULL));
    CHECK_OK(taut_world_turn_fixed(world, 0, NULL, NULL, (const double[]){0, 0, 1}, (const double[]){0, 0, 0}));
    CHECK_OK(taut_world_turn_fixed_frames(world, 0, NULL, NULL, (const double[]){0, 0, 1}));
    CHECK_OK(taut_world_wake_particles(world, 0, NULL));
    CHECK_OK(taut_world_read_asleep(world, 0, 0, NULL));
    CHECK_OK(taut_world_read_contacts(world, 0, NULL, &found));
    CHECK_OK(taut_world_read_pairs(world, 0, NULL, &found, NULL));
    CHECK_OK(taut_world_read_collider_forces(world, 0, 0, NULL));
    CHECK_OK(taut_world_move_added(world, 0, NULL, NULL));
    CHECK_OK(taut_world_remove(world, 0, NULL));
    CHECK_STATUS(taut_world_save(world, 0, NULL, NULL), TAUT_OUT_OF_CAPACITY);
    INVALID(taut_world_set_forces(world, 0, 1, NULL));
    INVALID(taut_world_set_fixed(world, 1, NULL, true));
    taut_world_destroy(world);
}

TAUT_TEST(interface_empty, batches) {
    taut_batch batches[3];
    taut_world* world = make_world(backend, make_scene(batches));
    size_t found = 0;
    CHECK_OK(taut_world_contradicting_rows(world, batches[0], 0, NULL, &found));
    CHECK_OK(taut_world_move_targets(world, batches[1], 0, 0, NULL));
    CHECK_OK(taut_world_set_compliances(world, batches[0], 0, 0, NULL));
    CHECK_OK(taut_world_set_dampings(world, batches[0], 0, 0, NULL));
    CHECK_OK(taut_world_set_rest_values(world, batches[0], 0, 0, NULL));
    CHECK_OK(taut_world_set_bounds(world, batches[0], 0, 0, NULL, NULL, NULL));
    CHECK_OK(taut_world_read_broken(world, batches[0], 0, 0, NULL));
    CHECK_OK(taut_world_read_present(world, batches[0], 0, 0, NULL));
    CHECK_OK(taut_world_set_pressures(world, batches[2], 0, 0, NULL));
    INVALID(taut_world_set_wind(world, batches[2], NULL));
    INVALID(taut_world_set_compliances(world, batches[0], 0, 1, NULL));
    INVALID(taut_world_set_bounds(world, batches[0], 0, 1, (double[]){-1}, NULL, NULL));
    taut_world_destroy(world);
}

TAUT_TEST(interface_empty, queries) {
    taut_batch batches[3];
    taut_world* world = make_world(backend, make_scene(batches));
    CHECK_OK(taut_world_cast_rays(world, 0, NULL, NULL, NULL));
    CHECK_OK(taut_world_closest_points(world, 0, NULL, 1, NULL, NULL));
    CHECK_OK(taut_world_overlaps(world, 0, NULL, NULL, 0, NULL, NULL));
    INVALID(taut_world_cast_rays(world, 1, NULL, NULL, NULL));
    taut_world_destroy(world);
}

TAUT_PLAIN_TEST(interface_empty, gradients) {
    static const double x[] = {0, 1, 0, 1, 1, 0}, mass[] = {1, 1};
    taut_scene* scene = phys_scene(2, x, mass);
    taut_distance_def links = taut_default_distance();
    taut_batch batch;
    taut_gradients* gradients;
    links.count = 1;
    links.particles = (uint32_t[]){0, 1};
    CHECK_OK(taut_scene_add_distances(scene, &links, &batch));
    taut_world_def def = taut_default_world();
    def.integrator.newton = 10;
    taut_world* world = phys_world(scene, &def);
    REQUIRE_OK(taut_gradients_create(world, 1, &gradients));
    CHECK_OK(taut_gradients_read(gradients, TAUT_GRADIENT_MASSES, 0, 0, NULL));
    CHECK_OK(taut_gradients_read_batch(gradients, batch, TAUT_GRADIENT_COMPLIANCES, 0, 0, NULL));
    INVALID(taut_gradients_read(gradients, TAUT_GRADIENT_MASSES, 0, 1, NULL));
    taut_gradients_destroy(gradients);
    taut_world_destroy(world);
}

TAUT_TEST(interface_empty, rows_that_are_not_there) {
    static const double x[] = {0, 1, 0, 1, 1, 0}, mass[] = {1, 1};
    double out[8];
    taut_world_def def = taut_default_world();
    def.backend = backend;
    taut_world* world = phys_world(phys_scene(2, x, mass), &def);
    INVALID(taut_world_read(world, TAUT_FIELD_ORIENTATIONS, 1, SIZE_MAX, out));
    CHECK_TEXT(taut_last_error(), "there are no rows.");
    INVALID(taut_world_read(world, TAUT_FIELD_POSITIONS, 1, 2, out));
    CHECK_TEXT(taut_last_error(), "2 rows from 1 on do not all exist: there are 2.");
    INVALID(taut_world_read_collider_forces(world, 0, 1, out));
    CHECK_TEXT(taut_last_error(), "there are no colliders.");
    taut_world_destroy(world);
}
