/* Definitions of contact that are refused, and that leave the scene as it was. */
#include "contact_scenes.h"
#include "refused.h"

#include <math.h>
#include <string.h>

static const double bad[] = {-1, NAN, INFINITY, -INFINITY};

TAUT_PLAIN_TEST(contact_refused, materials) {
    taut_scene* scene = refused_scene(1, (const double[]){0, 0, 0});
    taut_material_def def = taut_default_material(), none;
    uint32_t material = 7;
    memset(&none, 0, sizeof none);
    UNMADE(taut_scene_add_material(scene, &none, &material));
    INVALID(taut_scene_add_material(NULL, &def, &material));
    INVALID(taut_scene_add_material(scene, NULL, &material));
    INVALID(taut_scene_add_material(scene, &def, NULL));
    for (int field = 0; field < 8; field++) {
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
            taut_material_def wrong = def;
            double* fields[8] = {&wrong.friction, &wrong.restitution, &wrong.compliance, &wrong.damping,
                                 &wrong.recovery, &wrong.rolling,     &wrong.spinning,   &wrong.static_friction};
            *fields[field] = bad[i];
            const bool endless = field == 4 && bad[i] == INFINITY; /* overlaps may be undone at once */
            if (!endless) {
                INVALID(taut_scene_add_material(scene, &wrong, &material));
            }
        }
    }
    def.restitution = 1.01;
    INVALID(taut_scene_add_material(scene, &def, &material));
    def = taut_default_material();
    def.static_friction = 0.49; /* less than friction */
    INVALID(taut_scene_add_material(scene, &def, &material));
    def = taut_default_material();
    def.recovery = 0;
    INVALID(taut_scene_add_material(scene, &def, &material));
    INVALID(taut_scene_set_material_pair(scene, 0, 0, &def));
    def = taut_default_material();
    INVALID(taut_scene_set_material_pair(scene, 0, 1, &def));
    CHECK_INT(material, 7);
    for (int i = 1; i < 256; i++) {
        CHECK_OK(taut_scene_add_material(scene, &def, &material));
        CHECK_INT(material, i);
    }
    INVALID(taut_scene_add_material(scene, &def, &material));
    CHECK_OK(taut_scene_set_material_pair(scene, 0, 255, &def));
    taut_scene_destroy(scene);
}

TAUT_PLAIN_TEST(contact_refused, touching_points) {
    taut_scene* scene = refused_scene(2, (const double[]){0, 0, 0, 1, 0, 0});
    const phys_body at = contact_at(0, 0, 0);
    phys_body solid = at;
    taut_inertia_of_sphere(1, 1, solid.inertia);
    const taut_body body = phys_add_body(scene, &solid);
    const uint32_t beyond = 3, particle = 0;
    const taut_body none = {2, 1}, mixed = {0, 0}, swapped = {body.frame, body.point};
    const taut_contact_points_def fresh = taut_default_contact_points();
    taut_contact_points_def def, unmade;
    memset(&unmade, 0, sizeof unmade);
    UNMADE(taut_scene_add_contact_points(scene, &unmade, NULL));
    INVALID(taut_scene_add_contact_points(scene, NULL, NULL));
    def = fresh;
    def.particles = &particle;
    INVALID(taut_scene_add_contact_points(NULL, &def, NULL));
    INVALID(taut_scene_add_contact_points(scene, &def, NULL)); /* none */
    def.count = 1;
    def.bodies = &body;
    INVALID(taut_scene_add_contact_points(scene, &def, NULL)); /* of both */
    def.bodies = NULL;
    def.offsets = (const double[]){0, 0, 0};
    INVALID(taut_scene_add_contact_points(scene, &def, NULL));
    def.offsets = NULL;
    def.particles = NULL;
    INVALID(taut_scene_add_contact_points(scene, &def, NULL)); /* of neither */
    def.particles = &beyond;
    INVALID(taut_scene_add_contact_points(scene, &def, NULL));
    def.particles = NULL;
    def.bodies = &none;
    INVALID(taut_scene_add_contact_points(scene, &def, NULL));
    def.bodies = &mixed;
    INVALID(taut_scene_add_contact_points(scene, &def, NULL));
    def.bodies = &swapped;
    INVALID(taut_scene_add_contact_points(scene, &def, NULL));
    def.bodies = &TAUT_WORLD;
    INVALID(taut_scene_add_contact_points(scene, &def, NULL));
    CHECK(strstr(taut_last_error(), "takes a body, not the world") != NULL);
    def.bodies = &body;
    def.material = 1;
    INVALID(taut_scene_add_contact_points(scene, &def, NULL));
    def.material = 0;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        def.radius = bad[i];
        INVALID(taut_scene_add_contact_points(scene, &def, NULL));
        def.radius = 0;
        def.radii = &bad[i];
        INVALID(taut_scene_add_contact_points(scene, &def, NULL));
        def.radii = NULL;
        if (i > 0) {
            def.offsets = (const double[]){0, bad[i], 0};
            INVALID(taut_scene_add_contact_points(scene, &def, NULL));
            def.offsets = NULL;
        }
    }
    taut_range range = {9, 9};
    CHECK_OK(taut_scene_add_contact_points(scene, &def, &range));
    CHECK_INT(range.first, 0);
    CHECK_INT(range.count, 1);
    taut_scene_destroy(scene);
}

TAUT_PLAIN_TEST(contact_refused, colliders) {
    taut_scene* scene = refused_scene(1, (const double[]){0, 0, 0});
    const taut_colliders_def fresh = taut_default_colliders();
    taut_colliders_def def = fresh, unmade;
    phys_body at = contact_at(0, 0, 0);
    taut_inertia_of_sphere(1, 1, at.inertia);
    const taut_body body = phys_add_body(scene, &at), none = {body.point, 1}, mixed = {0, body.frame};
    memset(&unmade, 0, sizeof unmade);
    UNMADE(taut_scene_add_colliders(scene, &unmade, NULL));
    INVALID(taut_scene_add_colliders(scene, NULL, NULL));
    INVALID(taut_scene_add_colliders(NULL, &def, NULL));
    INVALID(taut_scene_add_colliders(scene, &def, NULL)); /* none */
    def.count = 1;
    def.shape = TAUT_SHAPE_COUNT;
    INVALID(taut_scene_add_colliders(scene, &def, NULL));
    def = fresh;
    def.count = 1;
    def.material = 1;
    INVALID(taut_scene_add_colliders(scene, &def, NULL));
    def.material = 0;
    def.bodies = &none;
    INVALID(taut_scene_add_colliders(scene, &def, NULL));
    def.bodies = &mixed;
    INVALID(taut_scene_add_colliders(scene, &def, NULL));
    def.bodies = NULL;
    def.positions = (const double[]){0, NAN, 0};
    INVALID(taut_scene_add_colliders(scene, &def, NULL));
    def.positions = NULL;
    def.orientations = (const double[]){0, 0, 0, 0};
    INVALID(taut_scene_add_colliders(scene, &def, NULL));
    def.orientations = NULL;
    for (int shape = TAUT_SHAPE_SPHERE; shape < TAUT_SHAPE_MESH; shape++) {
        for (int axis = 0; axis < shape; axis++) { /* a sphere has one size, a capsule two, a box three */
            def.shape = (taut_shape)shape;
            for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
                def.size[axis] = bad[i];
                INVALID(taut_scene_add_colliders(scene, &def, NULL));
            }
            def.size[axis] = 0;
            INVALID(taut_scene_add_colliders(scene, &def, NULL));
            def.size[axis] = 1;
        }
    }
    taut_range range = {9, 9};
    CHECK_OK(taut_scene_add_colliders(scene, &def, &range));
    CHECK_INT(range.first, 0);
    taut_scene_destroy(scene);
}

/* Settings of a world, and questions about contacts that it does not have. */
TAUT_PLAIN_TEST(contact_refused, excluded_bodies) {
    taut_scene* scene = refused_scene(1, (const double[]){0, 0, 0});
    phys_body at = contact_at(0, 0, 0);
    taut_inertia_of_sphere(1, 1, at.inertia);
    const taut_body a = phys_add_body(scene, &at), b = phys_add_body(scene, &at);
    INVALID(taut_scene_exclude_contacts(NULL, 1, (const taut_body[]){a, b}));
    INVALID(taut_scene_exclude_contacts(scene, 1, NULL));
    INVALID(taut_scene_exclude_contacts(scene, SIZE_MAX, (const taut_body[]){a, b}));
    INVALID(taut_scene_exclude_contacts(scene, 2, (const taut_body[]){a, b, b, b}));
    INVALID(taut_scene_exclude_contacts(scene, 1, (const taut_body[]){a, TAUT_WORLD}));
    INVALID(taut_scene_exclude_contacts(scene, 1, (const taut_body[]){a, {a.point, b.frame}}));
    INVALID(taut_scene_exclude_contacts(scene, 1, (const taut_body[]){a, {b.frame, b.point}}));
    CHECK_OK(taut_scene_exclude_contacts(scene, 1, (const taut_body[]){a, b}));
    taut_scene_destroy(scene);
}

TAUT_TEST(contact_refused, worlds) {
    taut_scene* scene = refused_scene(1, (const double[]){0, 0, 0});
    taut_world* world = NULL;
    taut_contact contact;
    double forces[6];
    size_t count = 9;
    contact_ground(scene, 0);
    contact_touch(scene, 1, (const uint32_t[]){0}, 0, 0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        taut_world_def def = contact_world_def(backend);
        def.contact.margin = bad[i];
        INVALID(taut_world_create(scene, &def, &world));
        def = contact_world_def(backend);
        def.contact.restitution_speed = bad[i];
        INVALID(taut_world_create(scene, &def, &world));
        def = contact_world_def(backend);
        def.contact.slip_speed = bad[i];
        INVALID(taut_world_create(scene, &def, &world));
    }
    taut_world_def def = contact_world_def(backend);
    def.contact.friction = (taut_friction)2;
    INVALID(taut_world_create(scene, &def, &world));
    def = contact_world_def(backend);
    def.solver.method = TAUT_METHOD_SCHUR;
    INVALID(taut_world_create(scene, &def, &world));
    def.solver.method = TAUT_METHOD_DIRECT;
    INVALID(taut_world_create(scene, &def, &world));
    def = contact_world_def(backend);
    def.solver.preconditioner = TAUT_PRECONDITIONER_BLOCK;
    INVALID(taut_world_create(scene, &def, &world));
    def = contact_world_def(backend);
    world = phys_world(scene, &def);
    INVALID(taut_world_read_contacts(NULL, 1, &contact, &count));
    INVALID(taut_world_read_contacts(world, 1, NULL, &count));
    INVALID(taut_world_read_contacts(world, 1, &contact, NULL));
    INVALID(taut_world_read_collider_forces(NULL, 0, 1, forces));
    INVALID(taut_world_read_collider_forces(world, 0, 1, NULL));
    INVALID(taut_world_read_collider_forces(world, 1, 1, forces));
    INVALID(taut_world_read_collider_forces(world, 0, 2, forces));
    INVALID(taut_world_read_collider_forces(world, SIZE_MAX, 2, forces));
    CHECK_OK(taut_world_read_contacts(world, 0, NULL, &count)); /* before the first step */
    CHECK_INT(count, 0);
    taut_world_destroy(world);
}
