/* What touches what: groups, bodies, room for contacts, numbers of users, materials; and what is refused. */
#include "contact_scenes.h"
#include "refused.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define H 0.01

/* ---- groups ------------------------------------------------------------------------------------------------------ */

/* A particle under a plane of its own group and mask each: it is pushed out where they meet. */
static void check_filter(taut_backend_kind backend, const uint32_t point[2], const uint32_t plane[2], bool meet) {
    taut_contact_points_def touching = taut_default_contact_points();
    taut_colliders_def collider = taut_default_colliders();
    taut_scene* scene = phys_scene(1, (const double[]){0, 0, -1e-3}, NULL);
    contact_list list;
    touching.count = collider.count = 1;
    touching.particles = (const uint32_t[]){0};
    touching.group = point[0];
    touching.mask = point[1];
    collider.group = plane[0];
    collider.mask = plane[1];
    CHECK_OK(taut_scene_add_contact_points(scene, &touching, NULL));
    CHECK_OK(taut_scene_add_colliders(scene, &collider, NULL));
    const taut_world_def def = contact_world_def(backend);
    taut_world* world = phys_world(scene, &def);
    contact_run(world, 1, H, NULL);
    contact_read(world, &list);
    test_note("groups %x and %x, masks %x and %x", point[0], plane[0], point[1], plane[1]);
    CHECK_INT(list.count, meet);
    test_note(NULL);
    taut_world_destroy(world);
}

TAUT_TEST(contact_rules, groups_and_masks) {
    check_filter(backend, (const uint32_t[]){1, UINT32_MAX}, (const uint32_t[]){1, UINT32_MAX}, true);
    check_filter(backend, (const uint32_t[]){2, 4}, (const uint32_t[]){4, 2}, true);
    check_filter(backend, (const uint32_t[]){0x80000000u, 6}, (const uint32_t[]){5, 0x80000000u}, true);
    check_filter(backend, (const uint32_t[]){2, 4}, (const uint32_t[]){4, 1}, false);
    check_filter(backend, (const uint32_t[]){2, 8}, (const uint32_t[]){4, 2}, false);
    check_filter(backend, (const uint32_t[]){0, UINT32_MAX}, (const uint32_t[]){1, UINT32_MAX}, false);
}

/* Nothing is near anything in the scene, which is used up. */
static void check_untouched(taut_backend_kind backend, taut_scene* scene) {
    const taut_world_def def = contact_world_def(backend);
    taut_world* world = phys_world(scene, &def);
    contact_list list;
    contact_run(world, 1, H, NULL);
    contact_read(world, &list);
    CHECK_INT(list.count, 0);
    taut_world_destroy(world);
}

/* Neither what is on one body, nor what is fixed on both sides. */
TAUT_TEST(contact_rules, bodies_do_not_touch_themselves) {
    phys_body at[3] = {contact_at(0, 0, 0), contact_at(5, 0, 0), contact_at(5, 0, 0)};
    taut_scene* scene = phys_empty_scene();
    at[1].fixed = at[2].fixed = true;
    for (int i = 0; i < 3; i++) {
        const taut_body ball = contact_ball(scene, &at[i], 1, 0.3, 0);
        contact_shape(scene, TAUT_SHAPE_SPHERE, (const double[]){0.3, 1, 1}, ball, (const double[]){0, 0.2, 0}, NULL,
                      0);
    }
    check_untouched(backend, scene);
}

/* Three balls in a row, each in the next one, and above each a segment of its own: what is excluded does not meet, what
 * is not named does. */
TAUT_TEST(contact_rules, excluded_bodies) {
    taut_scene* scene = phys_empty_scene();
    uint32_t points[2];
    taut_body bodies[3];
    taut_contact_surface_def def = taut_default_contact_surface();
    def.radius = 0.06;
    def.segment_count = 1;
    def.segments = points;
    for (int i = 0; i < 3; i++) {
        phys_body at = contact_at(0.5 * i, 0, 0);
        taut_inertia_of_sphere(1, 0.3, at.inertia);
        bodies[i] = phys_add_body(scene, &at);
        contact_touch_body(scene, bodies[i], 1, (const double[]){0, 0, 0}, 0.3, 0);
        contact_shape(scene, TAUT_SHAPE_SPHERE, (const double[]){0.3, 1, 1}, bodies[i], NULL, NULL, 0);
        for (int end = 0; end < 2; end++) { /* segments along z, apart from all balls and 0.1 above one another */
            points[end] = phys_add_body_point(scene, bodies[i], (const double[]){0, 0.5 + 0.1 * i, end});
        }
        CHECK_OK(taut_scene_add_contact_surface(scene, &def, NULL));
    }
    CHECK_OK(taut_scene_exclude_contacts(scene, 2, (const taut_body[]){bodies[1], bodies[0], bodies[0], bodies[1]}));
    const taut_world_def world_def = contact_world_def(backend);
    taut_world* world = phys_world(scene, &world_def);
    contact_list list;
    const taut_status status = taut_world_step(world, H);
    CHECK_OK(status == TAUT_OK ? taut_world_sync(world) : status);
    contact_read(world, &list);
    size_t balls = 0, ropes = 0;
    for (size_t c = 0; c < list.count; c++) { /* three contact points belong to each body: the balls, then the ropes */
        const taut_contact* contact = &list.contacts[c];
        balls += contact->touch == TAUT_TOUCH_SOLIDS;
        ropes += contact->touch != TAUT_TOUCH_SOLIDS;
        for (int i = 0; i < 4; i++) {
            CHECK(contact->corners[i] >= 3);
        }
        CHECK(contact->touch != TAUT_TOUCH_SOLIDS || (contact->collider > 0 && contact->first_collider > 0));
    }
    CHECK_INT(balls, 1);
    CHECK(ropes > 0);
    taut_world_destroy(world);
}

/* ---- room -------------------------------------------------------------------------------------------------------- */

/* A step that fails at once leaves all as it was, in every formulation that keeps states of its own. */
static void check_full_at_once(taut_backend_kind backend, bool newton, bool two_stage, bool projects) {
    phys_body at = contact_at(0.5, 2, 0);
    taut_inertia_of_sphere(1, 0.3, at.inertia);
    taut_scene* scene = phys_scene(3, (const double[]){0, 0.001, 0, 1, 0.001, 0, 2, 0.001, 0}, NULL);
    const taut_body body = phys_add_body(scene, &at);
    contact_ground(scene, 0);
    contact_touch(scene, 3, (const uint32_t[]){0, 1, 2}, 0, 0);
    taut_world_def def = contact_world_def(backend);
    def.contact.capacity = 2;
    def.integrator.newton = newton ? 5 : 1;
    def.integrator.two_stage = two_stage;
    def.integrator.project_positions = projects;
    taut_world* world = phys_world(scene, &def);
    double x[2][12], q[2][4];
    for (int i = 0; i < 3; i++) {
        CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, 0, 4, x[i > 0]));
        CHECK_OK(taut_world_read(world, TAUT_FIELD_ORIENTATIONS, body.frame, 1, q[i > 0]));
        if (i > 0) {
            CHECK(memcmp(x[0], x[1], sizeof x[0]) == 0 && memcmp(q[0], q[1], sizeof q[0]) == 0);
        }
        const taut_status status = taut_world_step(world, H);
        CHECK_STATUS(status == TAUT_OK ? taut_world_sync(world) : status, TAUT_OUT_OF_CAPACITY);
        taut_world_sync(world);
    }
    taut_world_destroy(world);
}

TAUT_TEST(contact_rules, no_room_from_the_start) {
    check_full_at_once(backend, false, false, false);
    check_full_at_once(backend, true, false, false);
    check_full_at_once(backend, false, true, false);
    check_full_at_once(backend, false, false, true);
}

/* A point that is mapped from a body does not touch that body, and not what stands still where the body does. */
TAUT_TEST(contact_rules, mapped_points_belong_to_their_body) {
    phys_body at = contact_at(0, 5, 0);
    taut_inertia_of_sphere(1, 0.3, at.inertia);
    for (int fixed = 0; fixed < 2; fixed++) {
        at.fixed = fixed;
        taut_scene* scene = phys_empty_scene();
        const taut_body body = phys_add_body(scene, &at);
        const uint32_t point = phys_add_body_point(scene, body, (const double[]){0.1, 0, 0});
        contact_shape(scene, TAUT_SHAPE_SPHERE, (const double[]){0.3, 1, 1}, body, NULL, NULL, 0);
        if (fixed) {
            contact_plane(scene, (const double[]){0, 1, 0}, (const double[]){0, 5, 0}, 0);
        }
        contact_touch(scene, 1, &point, 0, 0);
        check_untouched(backend, scene);
    }
}

/* Three particles arrive at a plane together, and there is room for two contacts: the step in which they are found
 * fails and changes nothing, as often as it is tried, until one is taken away. */
TAUT_TEST(contact_rules, more_contacts_than_room) {
    const double points[9] = {0, 0.3, 0, 1, 0.3, 0, 2, 0.3, 0};
    taut_scene* scene = phys_scene(3, points, NULL);
    contact_ground(scene, 0);
    contact_touch(scene, 3, (const uint32_t[]){0, 1, 2}, 0, 0);
    taut_world_def def = contact_world_def(backend);
    def.contact.capacity = 2;
    taut_world* world = phys_world(scene, &def);
    taut_status status = TAUT_OK;
    double x[2][9], v[2][9];
    taut_step_info info;
    for (int i = 0; i < 40 && status == TAUT_OK; i++) {
        CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, 0, 3, x[0]));
        CHECK_OK(taut_world_read(world, TAUT_FIELD_VELOCITIES, 0, 3, v[0]));
        status = taut_world_step(world, H);
        status = status == TAUT_OK ? taut_world_sync(world) : status;
    }
    CHECK_STATUS(status, TAUT_OUT_OF_CAPACITY);
    CHECK(is_one_sentence(taut_last_error()) || strstr(taut_last_error(), "contact.capacity") != NULL);
    taut_world_sync(world); /* tells it once more where the step did */
    for (int i = 0; i < 2; i++) {
        CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, 0, 3, x[1]));
        CHECK_OK(taut_world_read(world, TAUT_FIELD_VELOCITIES, 0, 3, v[1]));
        CHECK(memcmp(x[0], x[1], sizeof x[0]) == 0 && memcmp(v[0], v[1], sizeof v[0]) == 0);
        status = taut_world_step(world, H);
        CHECK_STATUS(status == TAUT_OK ? taut_world_sync(world) : status, TAUT_OUT_OF_CAPACITY);
        taut_world_sync(world);
    }
    CHECK_OK(taut_world_write(world, TAUT_FIELD_POSITIONS, 2, 1, (const double[]){2, 9, 0}));
    contact_run(world, 20, H, NULL);
    CHECK_OK(taut_world_info(world, &info));
    CHECK_INT(info.contacts, 2);
    phys_position(world, 0, x[0]);
    CHECK_NEAR(x[0][1], 0, CONTACT_CLOSE);
    taut_world_destroy(world);
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* A cloth in no order, which is renumbered inside, over two balls: it has the contacts that it has without. */
static taut_world* make_shuffled(taut_backend_kind backend, bool reorder) {
    enum { SIDE = 6, COUNT = SIDE * SIDE };
    double points[3 * COUNT];
    uint32_t at[COUNT], touching[COUNT / 2];
    phys_tuples links = {0, phys_array(4 * COUNT, sizeof(uint32_t))};
    for (uint32_t i = 0; i < COUNT; i++) {
        at[i] = (i * 11 + 5) % COUNT; /* 11 and 36 have no common divisor */
        points[3 * at[i]] = 0.1 * (i % SIDE);
        points[3 * at[i] + 1] = 0.01 * sin(3.0 * i);
        points[3 * at[i] + 2] = 0.1 * (i / SIDE);
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        const uint32_t next[2] = {i % SIDE + 1 < SIDE ? i + 1 : COUNT, i + SIDE};
        for (int d = 0; d < 2; d++) {
            if (next[d] < COUNT) {
                links.items[2 * links.count] = at[i];
                links.items[2 * links.count++ + 1] = at[next[d]];
            }
        }
    }
    taut_scene* scene = phys_scene(COUNT, points, NULL);
    for (uint32_t i = 0; i < COUNT / 2; i++) {
        touching[i] = (5 * i + 2) % COUNT;
    }
    phys_add_links(scene, &links, 1e-4, 0.01);
    contact_touch(scene, COUNT / 2, touching, 0.01, 0);
    for (int i = 0; i < 2; i++) {
        contact_shape(scene, TAUT_SHAPE_SPHERE, (const double[]){0.2, 1, 1}, TAUT_WORLD,
                      (const double[]){0.1 + 0.3 * i, -0.25, 0.25}, NULL, 0);
    }
    free(links.items);
    taut_world_def def = contact_world_def(backend);
    def.reorder = reorder;
    return phys_world(scene, &def);
}

TAUT_TEST(contact_rules, numbers_are_those_of_the_user) {
    taut_world* worlds[2] = {make_shuffled(backend, false), make_shuffled(backend, true)};
    contact_list lists[2];
    for (int w = 0; w < 2; w++) {
        contact_run(worlds[w], 14, H, NULL);
        contact_read(worlds[w], &lists[w]);
    }
    CHECK(lists[0].count > 4);
    CHECK_INT(lists[1].count, lists[0].count);
    for (size_t i = 0; i < lists[0].count && lists[1].count == lists[0].count; i++) {
        const taut_contact *a = &lists[0].contacts[i], *b = &lists[1].contacts[i];
        CHECK_INT(b->point, a->point);
        CHECK_INT(b->collider, a->collider);
        CHECK_NEAR(phys_apart(a->position, b->position), 0, CONTACT_CLOSE);
        CHECK_NEAR(phys_apart(a->force, b->force), 0, 1e-5);
    }
    taut_world_destroy(worlds[0]);
    taut_world_destroy(worlds[1]);
}

/* ---- materials --------------------------------------------------------------------------------------------------- */

/* Friction sqrt(0.2 0.8) = 0.4 of two materials, and 0.1 of the pair where that has a law of its own. */
TAUT_TEST(contact_rules, friction_of_two_materials) {
    for (int paired = 0; paired < 2; paired++) {
        taut_scene* scene = phys_scene(1, (const double[]){0, 0, 0}, NULL);
        const uint32_t a = contact_material(scene, 0.2, 0), b = contact_material(scene, 0.8, 0);
        taut_material_def law = taut_default_material();
        double v[3];
        law.friction = 0.1;
        CHECK_OK(taut_scene_set_material_pair(scene, b, b, &law)); /* another pair */
        if (paired) {
            CHECK_OK(taut_scene_set_material_pair(scene, b, a, &law));
        }
        contact_ground(scene, a);
        contact_touch(scene, 1, (const uint32_t[]){0}, 0, b);
        const taut_world_def def = contact_world_def(backend);
        taut_world* world = phys_world(scene, &def);
        CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, 0, 1, (const double[]){1, 0, 0}));
        contact_run(world, 5, H, NULL);
        phys_velocity(world, 0, v);
        CHECK_NEAR(v[0], 1 - (paired ? 0.1 : 0.4) * PHYS_GRAVITY * 5 * H, CONTACT_CLOSE);
        taut_world_destroy(world);
    }
}
